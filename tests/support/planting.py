"""Releases to break: a small table with every kind of column, in every form a release can take."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

import tacita
from tacita.core import Microdata, Release, Verdict
from tacita.core.results.release import Claim
from tacita.io.formats.record_format import RecordFormat
from tacita.microdata import verify

FRAMES = ("pandas", "polars", "pyarrow")
FILES = ("csv", "parquet")
FORMS = (*FRAMES, *FILES)
TYPED = ("pandas", "polars", "pyarrow", "parquet")
ARROW = ("polars", "pyarrow", "parquet")

Change = Callable[[pa.Table, Claim], pa.Table]


def base_table() -> pa.Table:
    """Fourteen firms in two regions; every column that is not masked has something easily lost."""
    x = [1.1, 1.2, 1.4, 1.9, 7.3, 7.7, 7.9] * 2
    return pa.table(
        {
            "name": [f"Firm {i}" for i in range(14)],
            "firm": [f"u{i}" for i in range(14)],
            "x": [value + 0.1 * (row // 7) for row, value in enumerate(x)],
            "y": [3, 4, 4, 6, 20, 21, 25, 3, 5, 5, 6, 20, 21, 27],
            "region": ["north"] * 7 + ["south"] * 7,
            "code": ["01234", "1234", "NA", "n.a.", "é", "b ", "B"] * 2,
            "note": ["text", None, "", "=1", "a,b", 'q"q', "l\nl"] * 2,
            "count": list(range(14)),
            "share": [0.1, -0.0, 0.0, 1e300, 5e-324, None, 2.0] * 2,
            "ratio": pa.array(np.arange(14, dtype=np.float32) / 3),
            "day": [datetime.date(2020, 1, 1 + i) for i in range(14)],
            "size": pa.array(["small", "large"] * 7).dictionary_encode(),
        }
    )


ROLES: dict[str, Any] = {
    "quasi": ["x", "y"],
    "identifiers": ["name", "firm"],
    "strata": ["region"],
    "unit": "firm",
    "k": 3,
    "measures": ["IL1"],
}


def release(form: str = "pyarrow", table: pa.Table | None = None, **options: Any) -> Release:
    """A correct release of the base table, or another, in the kind of frame that a form needs."""
    given = base_table() if table is None else table
    return tacita.protect(native(given, form), **{**ROLES, **options})


def simple(form: str = "pyarrow", /, *, columns: dict[str, Any], **options: Any) -> Release:
    """A correct release of a few quasi-identifiers."""
    given = {"quasi": list(columns), "k": 3, "measures": ["IL1"], **options}
    return tacita.protect(native(pa.table(columns), form), **given)


def beside(column: pa.Array, form: str = "pyarrow") -> Release:
    """A correct release of six records with one column beside the masked one."""
    table = pa.table({"x": [1.0, 2.0, 3.0, 19.0, 20.0, 21.0], "o": column})
    return tacita.protect(native(table, form), quasi=["x"], measures=["IL1"])


def native(table: pa.Table, form: str) -> Any:
    if form == "pandas":
        # numpy has no missing whole number, a release has
        whole = [f.name for f in table.schema if pa.types.is_integer(f.type) and table[f.name].null_count]
        return table.to_pandas().astype(dict.fromkeys(whole, "Int64"))
    return pl.from_arrow(table) if form == "polars" else table


def judge(form: str, table: pa.Table, claim: Claim) -> tuple[Verdict, ...]:
    """What the verifier says of a table released in some form."""
    if form in FRAMES:
        return verify.verify(Microdata.of(native(table, form)), claim)
    content, reader = encoded(Microdata.of(table, dialect=claim.original.dialect), form)
    return verify.verify_file(verify.WrittenFile(content, reader), claim)


def encoded(data: Microdata, form: str) -> tuple[bytes, RecordFormat]:
    """The bytes of a file in a format of that name, and the format that reads them again."""
    reader = tacita.get_method(form).like(data)
    return reader.encode(data), reader


def failed(verdicts: tuple[Verdict, ...]) -> set[str]:
    return {verdict.guarantee for verdict in verdicts if not verdict.passed}


def with_column(table: pa.Table, name: str, cells: Any, kind: pa.DataType | None = None) -> pa.Table:
    """The table with other cells in a column, of the type it had unless told."""
    place = table.column_names.index(name)
    array = cells if isinstance(cells, pa.Array) else pa.array(cells, kind or table.schema.field(name).type)
    return table.set_column(place, name, array)


def cell(name: str, row: int, value: Any) -> Change:
    """Changes one cell; a function gets the old value."""

    def change(table: pa.Table, _: Claim) -> pa.Table:
        cells = table[name].to_pylist()
        cells[row] = value(cells[row]) if callable(value) else value
        return with_column(table, name, cells)

    return change


def group_of(claim: Claim, row: int) -> list[int]:
    """All rows that stand in the group of one."""
    return np.flatnonzero(claim.labels == claim.labels[row]).tolist()


def group(name: str, row: int, value: Callable[[Any], Any]) -> Change:
    """Changes one column of a whole group."""

    def change(table: pa.Table, claim: Claim) -> pa.Table:
        cells = table[name].to_pylist()
        for member in group_of(claim, row):
            cells[member] = value(cells[member])
        return with_column(table, name, cells)

    return change


def per_group(name: str, value: Callable[[np.ndarray], float]) -> Change:
    """Publishes something else than the mean, in every group."""

    def change(table: pa.Table, claim: Claim) -> pa.Table:
        originals = claim.original.numbers(name)[claim.rows]
        cells = np.empty(originals.size)
        for label in np.unique(claim.labels):
            members = claim.labels == label
            cells[members] = value(originals[members])
        return with_column(table, name, cells)

    return change


def one_bit(value: float) -> float:
    return float(np.nextafter(value, np.inf))


@dataclass(frozen=True)
class Plant:
    """A change that breaks a promise, and in which forms it shows at all."""

    breaks: str
    change: Change
    forms: tuple[str, ...] = FORMS


def spelled(given):
    """The name of a case, the same in every process: sets in order, objects by their kind."""
    if isinstance(given, set | frozenset):
        return str(sorted(given))
    text = str(given)
    return type(given).__name__ if " object at 0x" in text else text
