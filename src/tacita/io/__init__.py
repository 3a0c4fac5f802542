"""Reading and writing of files: the format that a file ending names, and bytes to records and back.

A file is read once, into memory. A release is encoded in memory, so that it is verified before anything
reaches the disk.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from pydantic import Field

from tacita.core import DataError, Microdata, ParameterError
from tacita.core.data.microdata import check_header
from tacita.core.spec import registry
from tacita.core.spec.docstrings import documented

from .atomic import refuse_bad_targets, write_all
from .content import content_of, fingerprint_of, toml_of
from .formats.reading_options import InputOptions
from .formats.record_format import Format, Purpose

if TYPE_CHECKING:
    from .csv_sniffer import sniff_csv
    from .tables import argus

__all__ = [
    "InputOptions",
    "InputSection",
    "argus",
    "as_microdata",
    "by_ending",
    "content_of",
    "fingerprint_of",
    "format_of",
    "read",
    "sniff_csv",
    "toml_of",
    "write_all",
    "write_frame",
]


# hidden from type checkers, for which a name that is not listed is a mistake
if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        # that of tables loads when it is used
        if name == "argus":
            return import_module(f"{__name__}.tables.{name}")
        if name == "sniff_csv":
            return import_module(f"{__name__}.csv_sniffer").sniff_csv
        raise AttributeError(name)


@documented
class InputSection(InputOptions):
    """[input]: the file and how to read it.

    >>> InputSection(path="survey.csv", delimiter=";").path.name
    'survey.csv'
    """

    path: Path = Field(description="file of records: CSV, Parquet, Stata, SPSS, SAS or Excel")


def by_ending(path: Path, purpose: Purpose) -> type[Any] | None:
    """Find the format that a path names by its ending.

    Parameters
    ----------
    path : Path
        The path.
    purpose : {"records", "cells", "published"}
        What the file holds.

    Returns
    -------
    class or None
        The format; None where no format has this ending.

    Examples
    --------
    >>> by_ending(Path("table.tab"), "cells").name, by_ending(Path("table.tab"), "records")
    ('tab', None)
    """
    return next((form for form in _formats(purpose) if path.suffix.lower() in form.endings), None)


def format_of(path: Path, purpose: Purpose = "records", *, writing: bool = False) -> type[Any]:
    """Find the format that a path names by its ending, or raise with the endings that there are.

    Parameters
    ----------
    path : Path
        The path.
    purpose : {"records", "cells", "published"}, default="records"
        What the file holds.
    writing : bool, default=False
        Only formats that can be written.

    Returns
    -------
    class
        The format.

    Raises
    ------
    ParameterError
        If no format has this ending, or it cannot be written.

    Examples
    --------
    >>> format_of(Path("survey.csv")).__name__, format_of(Path("table.csv"), "published").__name__
    ('CSV', 'PublishedCSV')
    """
    form = by_ending(path, purpose)
    if form is not None and writing and not form.writes:
        raise ParameterError(
            f"{path.name}: files ending in {path.suffix} can be read, not written. Choose "
            f"{form.instead} for the output."
        )
    if form is not None:
        return form
    known = ", ".join(
        ending for form in _formats(purpose) if form.writes or not writing for ending in form.endings
    )
    if purpose == "published" and by_ending(path, "cells") is not None:
        raise ParameterError(
            f"{path.name}: files of tau-ARGUS hold the true values and say which are sensitive. "
            f"A published table ends in {known}."
        )
    raise ParameterError(
        f"{path.name or path}: wanted {_WANTED[purpose]} ending in {known}, got {path.suffix or 'no ending'}."
    )


_WANTED = {"records": "a file name", "cells": "a table", "published": "a published table"}


def _formats(purpose: Purpose) -> Iterator[type[Format]]:
    """Built-in formats first, each loaded when its turn comes: a plug-in cannot take over an ending."""
    for name in registry.names("format"):
        form = cast("type[Format]", registry.lookup(name, "format"))
        if purpose in form.purposes:
            yield form


def read(path: str | Path, options: InputOptions | None = None, *, shown_as: str | None = None) -> Microdata:
    """Read a file of records with options as one value.

    Parameters
    ----------
    path : path
        The file: CSV, Parquet, Stata, SPSS, SAS or Excel, by its ending.
    options : InputOptions, optional
        How to read it.
    shown_as : str, optional
        What messages call the file; its name by default.

    Returns
    -------
    Microdata
        The records. The SHA-256 of the file is their fingerprint.

    Raises
    ------
    ParameterError
        If the file cannot be read, or has an unknown ending.
    DataError
        If it is empty or broken.

    See Also
    --------
    tacita.read : The same with options by name.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "survey.csv").write_text("town;income\\nPorto;1200\\n")
    ...     read(Path(folder, "survey.csv"), InputOptions(delimiter=";")).columns
    ['town', 'income']
    """
    path = Path(path)
    name = shown_as or path.name
    form = format_of(Path(name))
    content = content_of(path)
    if not content:
        raise DataError(f"{name}: the file is empty.")
    # options of text files do not apply to other formats
    known_options = (options or InputOptions()).model_dump(include=set(form.model_fields))
    data = form(**known_options).decode(content, name)
    if data.dialect is not None:
        check_header(data.columns, name)
    records: Microdata = replace(data, path=path.absolute())
    return records


def as_microdata(data: Any) -> Microdata:
    """Read what a caller hands over: a frame, a path, or what was read already.

    Parameters
    ----------
    data : data frame, path or Microdata
        The records.

    Returns
    -------
    Microdata
        The records.

    Raises
    ------
    ParameterError
        If a file cannot be read.
    DataError
        If it is empty or broken.

    Examples
    --------
    >>> import pyarrow as pa
    >>> as_microdata(pa.table({"x": [1, 2]})).n
    2
    """
    if isinstance(data, Microdata):
        return data
    return read(data) if isinstance(data, str | Path) else Microdata.of(data)


def write_frame(frame: Any, path: str | Path, *, force: bool = False) -> None:
    """Write a frame as it is, unprotected, in the format of the path's ending.

    Parameters
    ----------
    frame : pandas, polars or pyarrow data frame
        The records.
    path : path
        The file to write.
    force : bool, default=False
        Overwrite files.

    Raises
    ------
    ParameterError
        If the file exists, cannot be written, or has an ending of no format.

    Examples
    --------
    >>> import tempfile
    >>> import pyarrow as pa
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_frame(pa.table({"x": [1, 2]}), Path(folder, "x.csv"))
    ...     Path(folder, "x.csv").read_text().split()
    ['x', '1', '2']
    """
    target = Path(path)
    form = format_of(target, writing=True)
    refuse_bad_targets({"output": target}, {}, force=force)
    content = form().encode(Microdata.of(frame, source=target.name))
    write_all({target: content}, public=[target], force=force)
