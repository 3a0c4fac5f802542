"""The command `datasets`: list, describe, write and download data sets."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter
from rich.table import Table

from .console import Out
from .options import FORCE

Force = Annotated[bool, Parameter(negative="", help=FORCE)]


def datasets(
    name: Annotated[str | None, Parameter(help="the data set to describe or write")] = None,
    /,
    *,
    out: Annotated[Path | None, Parameter(help="CSV or Parquet file to write")] = None,
    fetch: Annotated[
        bool, Parameter(negative="", help="download a public benchmark if it is not here")
    ] = False,
    force: Force = False,
) -> None:
    """List the data sets, or describe one, or write one to a file.

    Example: tacita datasets household --out survey.csv
    """
    from tacita import api
    from tacita import datasets as catalogue

    if name is None:
        table = Table("name", "records", "columns", "what it is", box=None)
        for entry in catalogue.catalogue():
            table.add_row(entry.name, str(entry.rows), str(entry.columns), entry.title)
        Out.print(table)
        return
    entry = catalogue.describe(name)
    Out.print(f"{entry.name}: {entry.title}\n{entry.source}", markup=False)
    for role, columns in dict[str, Any](entry.roles).items():
        if columns:
            Out.print(
                f"  {role}: {columns if isinstance(columns, str) else ', '.join(columns)}", markup=False
            )
    if out is not None or fetch:
        frame = catalogue.load(name, fetch=fetch)
        if out is not None:
            api.write_frame(frame, out, force=force)
            Out.print(f"{out}: {frame.num_rows} records, {frame.num_columns} columns", markup=False)
