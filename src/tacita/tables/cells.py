"""A two-way table as a list of its inner cells, one line each: in, and out again."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tacita.core import Contributors, CsvDialect, DataError, Dimension, Microdata, ParameterError, Table
from tacita.core.microdata import speakable
from tacita.io import csv

Numbers = npt.NDArray[np.float64]
Level = str | float
TOTAL = "Total"


def from_cells(
    data: Microdata,
    *,
    rows: str,
    columns: str,
    value: str,
    primary: str,
    lower: Level = 0.0,
    upper: Level = 0.0,
    sliding: Level = 0.0,
    cost: str = "value",
    signed: bool = False,
    contributors: str | None = None,
    fill_zeros: bool = False,
) -> Table:
    """The table whose inner cells a file lists; sums are computed, under the label Total.

    `rows`, `columns`, `value` and `primary` name columns; `primary` holds 0 and 1. `lower`, `upper` and
    `sliding` are a share of the value or name a column of absolute levels. `cost` is value, count, or names a
    column (sums then cost their value). An attacker knows that no value is negative, unless `signed`. Every
    combination of labels stands there once; with `fill_zeros` those that do not are zeros. `contributors`
    names the column of their number, all of them different ones. O(cells).

    >>> frame = pa.table({"r": list("aabb"), "c": list("xyxy"), "v": [5, 3, 2, 4], "p": [1, 0, 0, 0]})
    >>> table = from_cells(Microdata.of(frame), rows="r", columns="c", value="v", primary="p", upper=0.2)
    >>> table, float(table.upper[0])
    (<Table of 9 cells (3 x 3), 1 of them sensitive>, 1.0)
    """
    levels = {"lower": lower, "upper": upper, "sliding": sliding}
    wanted = [rows, columns, value, primary, *(each for each in levels.values() if isinstance(each, str))]
    wanted += [] if cost in ("value", "count") else [cost]
    data.require([*wanted, *([] if contributors is None else [contributors])])
    if len({rows, columns, value, primary}) < 4:
        raise ParameterError(
            f"{data.source}: rows, columns, value and primary must be four different columns."
        )
    dimensions, codes = zip(*(_labelled(data, name) for name in (rows, columns)), strict=True)
    shape = tuple(len(dimension) - 1 for dimension in dimensions)
    place = codes[0] * shape[1] + codes[1]
    _refuse_gaps(data, place, shape, fill_zeros)

    def laid_out(column: str, least: float = -np.inf) -> Numbers:
        full = np.zeros(shape[0] * shape[1])
        full[place] = _figures(data, column, least)
        return full.reshape(shape)

    values = laid_out(value)
    if not signed and (negative := int((values < 0).sum())):
        raise DataError(
            f"{data.source}: column {value} has {negative} negative values; exact and interval protection "
            "take it that everyone knows there are none. Use the general problem, or correct the values."
        )
    marks = laid_out(primary)
    if odd := int((~np.isin(marks, (0, 1))).sum()):
        raise DataError(f"{data.source}: column {primary} must be 0 or 1 in every cell, {odd} cells are not.")
    return Table.cross(
        dimensions,
        values,
        primary=marks == 1,
        **{name: _level(level, values, laid_out, name) for name, level in levels.items()},
        cost=cost if cost in ("value", "count") else _with_sums(laid_out(cost, 0.0), values),
        bounds=(-np.inf, np.inf) if signed else (0.0, np.inf),
        response=value,
        contributors=None if contributors is None else _counted(laid_out(contributors, 0.0), values),
    )


def _counted(counts: Numbers, values: Numbers) -> Contributors:
    """How many stand behind each cell and sum; of their sizes only that of one who is alone is known."""
    if odd := int((counts != np.rint(counts)).sum()):
        raise DataError(f"The number of contributors must be whole, it is not in {odd} cells.")
    number, size = (_framed(each).ravel() for each in (counts, np.abs(values)))
    largest = np.where(number == 1, size, 0.0)
    nobody = np.full((number.size, 1), -1, dtype=np.int64)
    return Contributors(
        size, number.astype(np.int64), largest[:, None], nobody, number, np.zeros(number.size), largest
    )


def _framed(inner: Numbers) -> Numbers:
    """With its sums around."""
    wide = np.column_stack([inner, inner.sum(axis=1)])
    return np.vstack([wide, wide.sum(axis=0)])


def to_cells(table: Table) -> bytes:
    """The inner cells of a table as CSV: labels, value, primary (0 or 1), levels, contributors. Confidential.

    >>> print(to_cells(Table.from_array([[5, 3]], primary=[[True, False]], upper=0.2)).decode())
    row,column,value,primary,lower,upper
    1,1,5,1,0,1
    1,2,3,0,0,0
    <BLANKLINE>
    """
    inner = np.flatnonzero(table.inner)
    names = [dimension.name for dimension in table.dimensions]
    figures: dict[str, Any] = {
        table.response: table.values,
        "primary": table.primary.astype(np.int64),
        "lower": np.where(table.primary, table.lower, 0.0),
        "upper": np.where(table.primary, table.upper, 0.0),
    }
    if (width := np.where(table.primary, table.sliding, 0.0)).any():
        figures["sliding"] = width
    if table.contributors is not None:
        figures["contributors"] = table.contributors.count
    if repeated := sorted(name for name in names if name in figures):
        raise ParameterError(
            f"tabulate: a dimension cannot be called {speakable(repeated)}. Rename the column."
        )
    columns: dict[str, list[str]] = {
        name: [dimension.labels[code] for code in table.codes[inner, at].tolist()]
        for at, (name, dimension) in enumerate(zip(names, table.dimensions, strict=True))
    }
    columns |= {name: [_text(each) for each in array[inner].tolist()] for name, array in figures.items()}
    return csv.encode(pa.table(columns), CsvDialect())


def _text(value: float) -> str:
    """The shortest text that is read as the same number."""
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(float(value))


def _labelled(data: Microdata, name: str) -> tuple[Dimension, npt.NDArray[np.int64]]:
    """Labels in the order in which they first stand in the file, and the label of each line."""
    texts = ["" if cell is None else str(cell) for cell in data.frame[name].to_list()]
    if empty := sum(not text.strip() for text in texts):
        raise DataError(f"{data.source}: column {name} has no label in {empty} cells. Give them one.")
    labels = list(dict.fromkeys(texts))
    if TOTAL in labels:
        raise DataError(
            f"{data.source}: column {name} has the label {TOTAL}, which is kept for sums. List inner cells "
            "only, sums are computed; or rename that label."
        )
    number = {label: at for at, label in enumerate(labels)}
    return Dimension.flat(name, labels, TOTAL), np.array([number[text] for text in texts], dtype=np.int64)


def _refuse_gaps(
    data: Microdata, place: npt.NDArray[np.int64], shape: tuple[int, ...], fill_zeros: bool
) -> None:
    times = np.bincount(place, minlength=shape[0] * shape[1])
    if repeated := int((times > 1).sum()):
        raise DataError(
            f"{data.source}: {repeated} combinations of labels stand there more than once. List each cell "
            "once; records are summed up by `tacita tabulate`."
        )
    if not fill_zeros and (missing := int((times == 0).sum())):
        raise DataError(
            f"{data.source}: {missing} of {times.size} combinations of labels are missing. List each cell, "
            "or say that they are zero (--fill-zeros)."
        )


def _figures(data: Microdata, column: str, least: float) -> Numbers:
    if data.dialect is None and str(data.frame[column].dtype) == "Boolean":
        found = np.asarray(data.frame[column].to_numpy(), dtype=np.float64)
    else:
        found = data.numbers(column)
    if missing := int(np.isnan(found).sum()):
        raise DataError(f"{data.source}: column {column} has no number in {missing} cells. 0 is a number.")
    if below := int((found < least).sum()):
        raise DataError(
            f"{data.source}: column {column} must be at least {least:g}, {below} cells are below."
        )
    return found


def _level(level: Level, values: Numbers, laid_out: Any, name: str) -> Any:
    if isinstance(level, str):
        return laid_out(level, 0.0)
    if not 0 <= level < np.inf:
        raise ParameterError(f"suppress: {name} must be a share of at least 0, or the name of a column.")
    # of the value, and only there: a table's own level of its sums would follow from theirs
    return np.abs(values) * level


def _with_sums(inner: Numbers, values: Numbers) -> Numbers:
    """Costs of inner cells, framed by the size of the sums of the values."""
    wide = np.column_stack([inner, np.abs(values.sum(axis=1))])
    bottom = np.abs(np.append(values.sum(axis=0), values.sum()))
    return np.vstack([wide, bottom])
