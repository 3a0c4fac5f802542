"""A table as a list of its cells, one line each: in, and out again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from tacita.core import Contributors, CsvDialect, DataError, Hierarchy, Microdata, ParameterError, Table
from tacita.core.arrays import Floats, Ints
from tacita.core.door import setting
from tacita.core.labels import natural_order
from tacita.core.microdata import speakable
from tacita.core.percent import Level, percent_of
from tacita.io.formats import csv

from .behind import COUNT, COUNTED, RULES, columns_of, counted, is_kept, kept_contributors
from .keyed import columns_of_keys, kept_keys

TOTAL = "Total"


def from_cells(
    data: Microdata,
    *,
    dimensions: Sequence[str],
    value: str,
    primary: str | None,
    lower: Level = 0.0,
    upper: Level = 0.0,
    sliding: Level = 0.0,
    cost: str = "value",
    signed: bool = False,
    contributors: str | None = None,
    fill_zeros: bool = False,
    key: str | None = None,
    counts: bool = False,
) -> Table:
    """The table whose inner cells a file lists; sums are computed, under the label Total, or listed too.

    `dimensions`, `value` and `primary` name columns; `primary` holds 0 and 1. `lower`, `upper` and
    `sliding` are in percent of the value or name a column of absolute levels. `cost` is value, count, or
    names a column (sums that are not listed cost their value). An attacker knows that no value is negative,
    unless `signed`. Every combination of labels stands there once; with `fill_zeros` those that do not are
    zeros. `contributors` names the column of their number. A list that `to_cells` wrote says whose the
    largest contributions are; of any other list, contributors of different cells are different ones. `key`
    names the column of cell keys, and `counts` says that values count records. O(cells).

    >>> frame = pa.table({"r": list("aabb"), "c": list("xyxy"), "v": [5, 3, 2, 4], "p": [1, 0, 0, 0]})
    >>> table = from_cells(Microdata.of(frame), dimensions="rc", value="v", primary="p", upper=20)
    >>> table, float(table.upper[0])
    (<Table of 9 cells (3 x 3), 1 of them sensitive>, 1.0)
    """
    levels = {"lower": lower, "upper": upper, "sliding": sliding}
    named = [*dimensions, value, *([] if primary is None else [primary])]
    wanted = [*named, *(each for each in levels.values() if isinstance(each, str))]
    wanted += [] if cost in ("value", "count") else [cost]
    data.require([*wanted, *(each for each in (contributors, key) if each is not None)])
    if len(set(named)) < len(named):
        raise ParameterError(
            f"{data.source}: rows, columns, value and primary must be different columns, each named once."
        )
    made, codes = zip(*(_labelled(data, name) for name in dimensions), strict=True)
    shape = tuple(len(dimension) for dimension in made)
    place = np.ravel_multi_index(codes, shape)
    times = np.bincount(place, minlength=int(np.prod(shape))).reshape(shape)
    with_sums = _refuse_gaps(data, times, fill_zeros)

    def laid_out(column: str, least: float = -np.inf, absent: float = 0.0) -> Floats:
        full = np.full(times.size, absent)
        full[place] = _figures(data, column, least)
        return full.reshape(shape) if with_sums else full.reshape(shape)[_inner(times)]

    values = laid_out(value)
    if not signed:
        refuse_negative(values, f"{data.source}: column {value}")
    marks = np.zeros_like(values) if primary is None else laid_out(primary)
    if odd := int((~np.isin(marks, (0, 1))).sum()):
        raise DataError(f"{data.source}: column {primary} must be 0 or 1 in every cell, {odd} cells are not.")
    behind = _behind(data, contributors, laid_out, values, with_sums)
    by_column = cost not in ("value", "count")
    return Table.cross(
        made,
        values,
        primary=marks == 1,
        **{name: _level(level, values, laid_out, name) for name, level in levels.items()},
        cost=_with_sums(laid_out(cost, 0.0), values, with_sums) if by_column else cost,
        bounds=(-np.inf, np.inf) if signed else (0.0, np.inf),
        response=value,
        contributors=behind,
        frequency=counts or (value == COUNTED and is_kept(data.columns)),
        keys=None if key is None else kept_keys(data.columns, key, laid_out, values, with_sums),
    )


def refuse_negative(values: Floats, where: str) -> None:
    """Raise where values that are taken to be known not to be negative are so.

    To take it that nobody knows anything would be the other reading: for one negative cell, all others would
    lose their protection from somebody who knows that they are not. O(cells).
    """
    if negative := int((values < 0).sum()):
        raise DataError(
            f"{where} has {negative} negative values; exact and interval protection take it that everyone "
            f"knows there are none. Use {setting('suppress', 'problem', 'general')}, or correct the values; "
            f"of a table that is adjusted, say that there are some ({setting('adjust', 'signed', True)})."
        )


def _behind(
    data: Microdata, named: str | None, laid_out: Any, values: Floats, with_sums: bool
) -> Contributors | None:
    if named is None:
        return None
    if named == COUNT and is_kept(data.columns):
        if not with_sums:
            raise DataError(
                f"{data.source}: the lines of the sums ({TOTAL}) are gone, and with them who stands behind "
                "sums. Keep all lines that `tacita tabulate` wrote."
            )
        return kept_contributors(data.columns, laid_out)
    figures = (laid_out(named, 0.0), np.abs(values))
    number, size = figures if with_sums else (_framed(each) for each in figures)
    return counted(number.ravel(), size.ravel())


def _inner(full: np.ndarray) -> tuple[slice, ...]:
    return (slice(None, -1),) * full.ndim


def _framed(inner: Floats) -> Floats:
    """With its sums around."""
    for axis in reversed(range(inner.ndim)):
        inner = np.concatenate([inner, inner.sum(axis=axis, keepdims=True)], axis=axis)
    return inner


def to_cells(table: Table, rules: str = "") -> bytes:
    """The cells of a table as CSV, sums labelled Total: labels, value, primary (0 or 1), levels.

    Its dimensions are flat: subtotals have no place in a list.

    Where the table knows its contributors, also who stands behind each cell, and the `rules` in words.
    Confidential.

    >>> print(to_cells(Table.from_array([[5, 3]], primary=[[True, False]], upper=20)).decode())
    row,column,value,primary,lower,upper
    1,1,5,1,0,1
    1,2,3,0,0,0
    1,Total,8,0,0,0
    Total,1,5,0,0,0
    Total,2,3,0,0,0
    Total,Total,8,0,0,0
    <BLANKLINE>
    """
    cells = table.leaves_and_tops().ravel()
    secret = table.primary[cells]
    levels = {
        name: np.where(secret, getattr(table, name)[cells], 0.0) for name in ("lower", "upper", "sliding")
    }
    if not levels["sliding"].any():
        del levels["sliding"]
    figures: dict[str, Any] = {"primary": secret.astype(np.int64), **levels}
    if table.contributors is not None:
        figures |= columns_of(table.contributors.at(cells))
    if table.keys is not None:
        figures |= columns_of_keys(table.keys.at(cells))
    names = [*(dimension.name for dimension in table.dimensions), table.response]
    if taken := sorted({name for name in names if name in (*figures, RULES) or names.count(name) > 1}):
        raise ParameterError(f"tabulate: a column cannot be called {speakable(taken)} here. Rename it.")
    columns = {d.name: _labels(d, table.codes[cells, at]) for at, d in enumerate(table.dimensions)}
    columns[table.response] = [_text(each) for each in table.values[cells].tolist()]
    columns |= {name: [_text(each) for each in array.tolist()] for name, array in figures.items()}
    if table.contributors is not None:
        columns[RULES] = [rules] * cells.size
    return csv.encode(pa.table(columns), CsvDialect())


def _labels(dimension: Hierarchy, codes: Ints) -> list[str]:
    if TOTAL in (dimension.labels[leaf] for leaf in dimension.leaves):
        raise ParameterError(
            f"tabulate: a label of column {dimension.name} is {TOTAL}, which is kept for sums. Rename it."
        )
    return [TOTAL if code == dimension.top else dimension.labels[code] for code in codes.tolist()]


def rules_of(data: Microdata) -> str:
    """The rules that a list of `to_cells` names, in words; none where it is another list."""
    if not is_kept(data.columns):
        return ""
    said = {"" if words is None else str(words) for words in data.column(RULES).to_list()}
    if len(said) > 1:
        raise DataError(f"{data.source}: column {RULES} must say the same in every line.")
    return said.pop()


def _text(value: float) -> str:
    """The shortest text that is read as the same number."""
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(float(value))


def _labelled(data: Microdata, name: str) -> tuple[Hierarchy, Ints]:
    """Labels in the order in which they first stand in the file, and the label of each line.

    Where that is the order of the alphabet, in which 10 comes before 2, nobody chose it. A list of `to_cells`
    has the order of its table.
    """
    texts = ["" if cell is None else str(cell) for cell in data.column(name).to_list()]
    if empty := sum(not text.strip() for text in texts):
        raise DataError(f"{data.source}: column {name} has no label in {empty} cells. Give them one.")
    labels = [label for label in dict.fromkeys(texts) if label != TOTAL]
    if not labels:
        raise DataError(f"{data.source}: column {name} has no label but {TOTAL}. List inner cells.")
    if labels == sorted(labels) and not is_kept(data.columns):
        labels = natural_order(labels)
    number = {label: at for at, label in enumerate([*labels, TOTAL])}
    return Hierarchy.flat(name, labels, TOTAL), np.array([number[text] for text in texts], dtype=np.int64)


def _refuse_gaps(data: Microdata, times: Ints, fill_zeros: bool) -> bool:
    """Raise where a cell stands there twice or not at all; whether sums are listed too."""
    if repeated := int((times > 1).sum()):
        raise DataError(
            f"{data.source}: {repeated} combinations of labels stand there more than once. List each cell "
            "once; records are summed up by `tacita tabulate`."
        )
    inner = times[_inner(times)]
    sums, listed = times.size - inner.size, int(times.sum() - inner.sum())
    if listed not in (0, sums):
        raise DataError(
            f"{data.source}: {listed} of {sums} sums are listed (label {TOTAL}). List all of them, or none: "
            f"then they are computed. If {TOTAL} is no sum, rename that label."
        )
    if not fill_zeros and (missing := int((inner == 0).sum())):
        raise DataError(
            f"{data.source}: {missing} of {inner.size} combinations of labels are missing. List each cell, "
            f"or say that they are zero ({setting('table', 'fill_zeros', True)})."
        )
    return listed > 0


def _figures(data: Microdata, column: str, least: float) -> Floats:
    if data.dialect is None and str(data.column(column).dtype) == "Boolean":
        found = np.asarray(data.column(column).to_numpy(), dtype=np.float64)
    else:
        found = data.numbers(column)
    if missing := int(np.isnan(found).sum()):
        raise DataError(f"{data.source}: column {column} has no number in {missing} cells. 0 is a number.")
    if below := int((found < least).sum()):
        raise DataError(
            f"{data.source}: column {column} must be at least {least:g}, {below} cells are below."
        )
    return found


def _level(level: Level, values: Floats, laid_out: Any, name: str) -> Any:
    if isinstance(level, str):
        return laid_out(level, 0.0)
    if not 0 <= level < np.inf:
        raise ParameterError(f"suppress: {name} must be at least 0 percent, or the name of a column.")
    return percent_of(level, values, f"suppress: {name}")


def _with_sums(cost: Floats, values: Floats, listed: bool) -> Floats:
    """Costs of all cells; sums that are not listed cost the size of theirs."""
    if listed:
        return cost
    full = np.abs(_framed(values))
    full[_inner(full)] = cost
    return full
