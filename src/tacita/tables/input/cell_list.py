"""A table as a list of its cells, one line each: in, and out again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from tacita.core import (
    CellKeys,
    Contributors,
    CsvDialect,
    DataError,
    Hierarchy,
    Microdata,
    ParameterError,
    Table,
)
from tacita.core.arrays import Floats, Ints
from tacita.core.data.cell_keys import sums_of_keys
from tacita.core.data.cell_layout import inner_cells, sums_of_leaves
from tacita.core.data.labels import natural_order
from tacita.core.data.microdata import join_names
from tacita.core.data.percent import Level, percent_of
from tacita.core.data.table import COUNTED, MOST_PLACES
from tacita.core.spec.setting_syntax import setting
from tacita.io.formats import csv
from tacita.tables.plans.dimensions import TOTAL, Division

from .contributor_columns import CELL_KEY, COUNT, RULES, columns_of, counted, is_kept, kept_contributors

Dimensions = Sequence[Hierarchy]
# the column of a list that has the label above each label of a dimension
ABOVE = "parent_of_{}"
_RECORDS = "cell_records"
_LARGEST = "cell_largest"


def from_cells(
    data: Microdata,
    *,
    dimensions: Sequence[str] | Division,
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
    """The table whose inner cells a file lists; sums are computed, or all listed too, and must add up.

    `dimensions` names the columns of labels, or is a Division of them; without one, sums have the label
    Total. A column whose name is `parent_of_` and the name of a dimension has the label above each.
    `value` and `primary` name columns; `primary` holds 0 and 1. `lower`, `upper` and `sliding` are
    in percent of the value or name a column of absolute levels. `cost` is value, count, or
    names a column (sums that are not listed cost their value). An attacker knows that no value is negative,
    unless `signed`. Every combination of labels is listed once; with `fill_zeros` missing ones are zeros.
    `contributors` names the column of their number. A list that `to_cells` wrote identifies the largest
    contributors; in any other list, the contributors of different cells count as different ones. `key` names
    the column of cell keys, and `counts` means that values count records. O(cells).

    >>> frame = pa.table({"r": list("aabb"), "c": list("xyxy"), "v": [5, 3, 2, 4], "p": [1, 0, 0, 0]})
    >>> table = from_cells(Microdata.of(frame), dimensions="rc", value="v", primary="p", upper=20)
    >>> table, float(table.upper[0])
    (<Table of 9 cells (3 x 3), 1 of them sensitive>, 1.0)
    """
    division = _complete(data, dimensions if isinstance(dimensions, Division) else Division(dimensions))
    levels = {"lower": lower, "upper": upper, "sliding": sliding}
    named = [*division.names, value, *([] if primary is None else [primary])]
    wanted = [*named, *(level for level in levels.values() if isinstance(level, str))]
    wanted += [*division.parents.values(), *([] if cost in ("value", "count") else [cost])]
    data.require([*wanted, *(column for column in (contributors, key) if column is not None)])
    if not division.names or len(set(named)) < len(named):
        raise ParameterError(
            f"{data.source}: dimensions (rows, columns), value and primary must be different columns, each "
            "named once."
        )
    made, codes = zip(*(_labelled(data, name, division) for name in division.names), strict=True)
    shape = tuple(len(dimension) for dimension in made)
    place = np.ravel_multi_index(codes, shape)
    times = np.bincount(place, minlength=int(np.prod(shape)))
    with_sums = _check_complete(data, made, times, fill_zeros)
    leaves = np.ix_(*(dimension.leaves for dimension in made))

    def laid_out(column: str, least: float = -np.inf, absent: float = 0.0) -> Floats:
        full = np.full(times.size, absent)
        full[place] = _figures(data, column, least)
        return full.reshape(shape) if with_sums else full.reshape(shape)[leaves]

    values = laid_out(value)
    if not signed:
        check_nonnegative(values, f"{data.source}: column {value}")
    if with_sums:
        _check_sums(data, made, values, leaves)
    marks = np.zeros_like(values) if primary is None else laid_out(primary)
    if odd := int((~np.isin(marks, (0, 1))).sum()):
        raise DataError(f"{data.source}: column {primary} must be 0 or 1 in every cell, {odd} cells are not.")
    # a list of a table without rules has a column of marks too, with none set
    unmarked = primary == "primary" and is_kept(data.columns) and not marks.any() and not rules_of(data)
    judged = primary is not None and not unmarked
    inner = None if with_sums else made
    behind = _behind(data, contributors, laid_out, values, inner)
    by_column = cost not in ("value", "count")
    return Table.cross(
        made,
        values,
        primary=marks == 1 if judged else None,
        **{name: _level(level, values, laid_out, name) for name, level in levels.items()},
        cost=_with_sums(laid_out(cost, 0.0), values, inner) if by_column else cost,
        bounds=(-np.inf, np.inf) if signed else (0.0, np.inf),
        response=value,
        contributors=behind,
        frequency=counts or (value == COUNTED and is_kept(data.columns)),
        keys=None if key is None else kept_keys(data.columns, key, laid_out, values, inner),
    )


def check_nonnegative(values: Floats, where: str) -> None:
    """Check that no value is negative, since attackers are assumed to know that; DataError if one is.

    Assuming that attackers know nothing is no alternative: for one negative cell, all others would lose their
    protection from attackers who know that they are not negative. O(cells).
    """
    if negative := int((values < 0).sum()):
        raise DataError(
            f"{where} has {negative} negative values; exact and interval protection take it that everyone "
            f"knows there are none. Use {setting('suppress', 'problem', 'general')}, or correct the values; "
            f"of a table that is adjusted, say that there are some ({setting('adjust', 'signed', True)})."
        )


def _complete(data: Microdata, division: Division) -> Division:
    """The division with the columns of parents that the list has itself, where no other is set."""
    own = {name: ABOVE.format(name) for name in division.names}
    kept = {
        name: column
        for name, column in own.items()
        if column in data.columns
        and not any(name in divided for divided in (division.hierarchy, division.prefixes))
    }
    return replace(division, parents={**kept, **division.parents})


def _behind(
    data: Microdata, named: str | None, laid_out: Any, values: Floats, inner: Dimensions | None
) -> Contributors | None:
    """The contributors of each cell; `inner` are the dimensions where no sums are listed."""
    if named is None:
        return None
    if named == COUNT and is_kept(data.columns):
        if inner is not None:
            raise DataError(
                f"{data.source}: the lines of the sums ({TOTAL}) are gone, and with them who stands behind "
                "sums. Keep all lines that `tacita tabulate` wrote."
            )
        return kept_contributors(data.columns, laid_out)
    figures = (laid_out(named, 0.0), np.abs(values))
    number, size = figures if inner is None else (sums_of_leaves(inner, figure) for figure in figures)
    return counted(number.ravel(), size.ravel())


def to_cells(table: Table, rules: str = "") -> bytes:
    """The cells of a table as CSV, all sums among them: labels, value, primary (0 or 1), levels.

    The sum of all labels is called Total, or as in its hierarchy; then a column has the label above each. If
    the table knows its contributors, the list also has those of each cell, and the `rules` in words. A table
    without rules and marks gets no marks and levels unless it knows its contributors. Confidential.

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
    cells = _in_order(table)
    secret = table.primary[cells]
    levels = {
        name: np.where(secret, getattr(table, name)[cells], 0.0) for name in ("lower", "upper", "sliding")
    }
    if not levels["sliding"].any():
        del levels["sliding"]
    figures: dict[str, Any] = {"primary": secret.astype(np.int64), **levels}
    if not table.judged and table.contributors is None:
        figures = {}
    if table.contributors is not None:
        figures |= columns_of(table.contributors.at(cells))
    if table.keys is not None:
        figures |= columns_of_keys(table.keys.at(cells))
    deep = {at: d for at, d in enumerate(table.dimensions) if not d.is_flat}
    names = [*(dimension.name for dimension in table.dimensions), table.response]
    kept = (*figures, RULES, *(ABOVE.format(name) for name in names))
    if taken := sorted({name for name in names if name in kept or names.count(name) > 1}):
        raise ParameterError(f"tabulate: a column cannot be called {join_names(taken)} here. Rename it.")
    columns = {d.name: _labels(d, table.codes[cells, at]) for at, d in enumerate(table.dimensions)}
    columns[table.response] = [_text(value) for value in table.values[cells].tolist()]
    columns |= {name: [_text(value) for value in array.tolist()] for name, array in figures.items()}
    if table.contributors is not None:
        columns[RULES] = [rules] * cells.size
    columns |= {ABOVE.format(d.name): _above(d, table.codes[cells, at]) for at, d in deep.items()}
    return csv.encode(pa.table(columns), CsvDialect())


def _in_order(table: Table) -> Ints:
    """All cells by label, the sum of a flat dimension last, those of a hierarchy before their parts."""
    if table.n != np.prod(table.shape):
        raise ParameterError(
            "save_cells: wanted all combinations of labels; linked tables and JJ problems have others. Write "
            "each table of a link by itself, or a .jj file."
        )
    orders = [np.append(d.leaves, d.top) if d.is_flat else d.top_down for d in table.dimensions]
    chosen: Ints = np.argsort(np.ravel_multi_index(table.codes.T, table.shape), kind="stable")
    return chosen.reshape(table.shape)[np.ix_(*orders)].ravel()


def _labels(dimension: Hierarchy, codes: Ints) -> list[str]:
    if not dimension.is_flat:
        return [dimension.labels[code] for code in codes.tolist()]
    if TOTAL in (dimension.labels[leaf] for leaf in dimension.leaves):
        raise ParameterError(
            f"tabulate: a label of column {dimension.name} is {TOTAL}, which is kept for sums. Rename it."
        )
    return [TOTAL if code == dimension.top else dimension.labels[code] for code in codes.tolist()]


def _above(dimension: Hierarchy, codes: Ints) -> list[str]:
    parents = [dimension.labels[parent] if parent >= 0 else "" for parent in dimension.parents]
    return [parents[code] for code in codes.tolist()]


def rules_of(data: Microdata) -> str:
    """The rules that a list of `to_cells` names, in words; none where it is another list."""
    if not is_kept(data.columns):
        return ""
    rules = {"" if words is None else str(words) for words in data.column(RULES).to_list()}
    if len(rules) > 1:
        raise DataError(f"{data.source}: column {RULES} must say the same in every line.")
    return rules.pop()


def _text(value: float) -> str:
    """The shortest text that is read as the same number."""
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(float(value))


def _texts(data: Microdata, name: str) -> list[str]:
    return ["" if cell is None else str(cell) for cell in data.column(name).to_list()]


def _labelled(data: Microdata, name: str, division: Division) -> tuple[Hierarchy, Ints]:
    """A dimension, and the label of each line.

    Without a hierarchy, labels stand in the order in which the file first has them. Where that is the order
    of the alphabet, in which 10 comes before 2, nobody chose it. A list of `to_cells` has that of its table.
    """
    texts = _texts(data, name)
    if empty := sum(not text.strip() for text in texts):
        raise DataError(f"{data.source}: column {name} has no label in {empty} cells. Give them one.")
    dimension = division.of(name, texts, lambda column: _texts(data, column)) or _flat(
        data, name, texts, division
    )
    number = {label: at for at, label in enumerate(dimension.labels)}
    if stray := {text for text in texts if text not in number}:
        total = dimension.labels[dimension.top]
        raise DataError(
            f"{data.source}: column {name} has {len(stray)} labels that its hierarchy does not have, in "
            f"{sum(text in stray for text in texts)} lines. Add them to the hierarchy, or correct them. "
            f"The sum of all is called {total} ({setting('table', 'total', total)})."
        )
    return dimension, np.array([number[text] for text in texts], dtype=np.int64)


def _flat(data: Microdata, name: str, texts: Sequence[str], division: Division) -> Hierarchy:
    total = division.total_of(name)
    labels = [label for label in dict.fromkeys(texts) if label != total]
    if not labels:
        raise DataError(f"{data.source}: column {name} has no label but {total}. List inner cells.")
    if labels == sorted(labels) and not is_kept(data.columns):
        labels = natural_order(labels)
    return Hierarchy.flat(name, labels, total)


def _check_complete(data: Microdata, made: Dimensions, times: Ints, fill_zeros: bool) -> bool:
    """Check that every cell is listed once, DataError if not; returns whether sums are listed too."""
    if repeated := int((times > 1).sum()):
        raise DataError(
            f"{data.source}: {repeated} combinations of labels stand there more than once. List each cell "
            "once; records are summed up by `tacita tabulate`."
        )
    inner = inner_cells(made)
    sums, listed = int((~inner).sum()), int(times[~inner].sum())
    if listed not in (0, sums) and not fill_zeros:
        total = made[0].labels[made[0].top]
        raise DataError(
            f"{data.source}: {listed} of {sums} sums are listed (label {total}{_and_groups(made)}). List all "
            f"of them, or none: then they are computed. If {total} is no sum, rename that label."
        )
    if not fill_zeros and (missing := int((times[inner] == 0).sum())):
        raise DataError(
            f"{data.source}: {missing} of {int(inner.sum())} combinations of labels are missing"
            f"{_unused(made, times)}. List each cell, or say that they are zero "
            f"({setting('table', 'fill_zeros', True)})."
        )
    return listed > 0


def _and_groups(made: Dimensions) -> str:
    return ", or one with parts in a hierarchy" if any(not dimension.is_flat for dimension in made) else ""


def _unused(made: Dimensions, times: Ints) -> str:
    """How many labels of each hierarchy are in no line."""
    grid = times.reshape([len(dimension) for dimension in made])
    unused = []
    for at, dimension in enumerate(made):
        lines = grid.sum(axis=tuple(other for other in range(grid.ndim) if other != at))
        if absent := int((lines[dimension.leaves] == 0).sum()):
            unused.append(f"no line has {absent} of {dimension.leaves.size} labels of {dimension.name}")
    return f" ({'; '.join(unused)})" if unused else ""


def _check_sums(data: Microdata, made: Dimensions, values: Floats, leaves: Any) -> None:
    """Check that listed sums are those of their inner cells, but for rounding; DataError if not."""
    size = sums_of_leaves(made, np.abs(values[leaves]))
    off = np.abs(values - sums_of_leaves(made, values[leaves])) > 1e-6 * np.maximum(size, 1e-300)
    if wrong := int(off.sum()):
        places = [
            tuple(dimension.labels[code] for dimension, code in zip(made, place, strict=True))
            for place in np.argwhere(off)[:MOST_PLACES].tolist()
        ]
        raise DataError(
            f"{data.source}: {wrong} of {int((~inner_cells(made)).sum())} sums are not those of their inner "
            f"cells (first: {' / '.join(places[0])}). Correct them, or list no sums: then they are computed.",
            places=places,
        )


def _figures(data: Microdata, column: str, least: float) -> Floats:
    if data.dialect is None and str(data.column(column).dtype) == "Boolean":
        numbers = np.asarray(data.column(column).to_numpy(), dtype=np.float64)
    else:
        numbers = data.numbers(column)
    if missing := int(np.isnan(numbers).sum()):
        raise DataError(f"{data.source}: column {column} has no number in {missing} cells. 0 is a number.")
    if below := int((numbers < least).sum()):
        raise DataError(
            f"{data.source}: column {column} must be at least {least:g}, {below} cells are below."
        )
    return numbers


def _level(level: Level, values: Floats, laid_out: Any, name: str) -> Any:
    if isinstance(level, str):
        return laid_out(level, 0.0)
    if not 0 <= level < np.inf:
        raise ParameterError(f"suppress: {name} must be at least 0 percent, or the name of a column.")
    return percent_of(level, values, f"suppress: {name}")


def _with_sums(cost: Floats, values: Floats, inner: Dimensions | None) -> Floats:
    """Costs of all cells; sums that are not listed cost the size of theirs."""
    if inner is None:
        return cost
    full = np.abs(sums_of_leaves(inner, values))
    full[np.ix_(*(dimension.leaves for dimension in inner))] = cost
    return full


def columns_of_keys(keys: CellKeys) -> dict[str, Floats | Ints]:
    """The columns of a list that hold the keys of its cells."""
    return {CELL_KEY: keys.key, _RECORDS: keys.count, _LARGEST: keys.largest}


def kept_keys(
    columns: Sequence[str],
    column: str,
    laid_out: Callable[..., Floats],
    values: Floats,
    inner: Sequence[Hierarchy] | None,
) -> CellKeys:
    """The same again. Of another list, keys of inner cells are enough: sums have theirs from their parts.

    How many records are behind a cell is its value there, and the largest contribution is not known. `inner`
    are the dimensions where no sums are listed.
    """
    key = laid_out(column)
    if bad := int(((key < 0) | (key >= 1)).sum()):
        raise DataError(
            f"Keys: column {column} wants keys from 0 up to, but not including, 1; {bad} are not."
        )
    own = column == CELL_KEY and inner is None and {_RECORDS, _LARGEST} <= set(columns)
    if own:
        count, largest = laid_out(_RECORDS, 0.0), laid_out(_LARGEST, 0.0)
    else:
        count, largest = np.where(values > 0, values, 0.0), np.zeros_like(values)
    if odd := int((count != np.rint(count)).sum()):
        raise DataError(f"Keys: wanted whole numbers of records behind cells, {odd} are not.")
    if inner is not None:
        key = sums_of_keys(inner, np.where(values == 0, 0.0, key))
        count, largest = (sums_of_leaves(inner, figure) for figure in (count, largest))
    return CellKeys(key.ravel(), count.ravel().astype(np.int64), largest.ravel())
