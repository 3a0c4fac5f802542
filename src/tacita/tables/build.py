"""From records to a table: sums over every combination of labels, and who stands behind each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from tacita.core import CellKeys, Contributors, DataError, Hierarchy, Microdata, ParameterError, Table
from tacita.core.arrays import Floats, Ints, Mask
from tacita.core.labels import natural_order
from tacita.core.microdata import column_codes
from tacita.core.spelling import Alike

from .behind import COUNTED
from .dimensions import TOTAL, Division
from .rules import Rule, apply_rules

# What marks who asked for protection, or renounced it.
_YES = ("1", "1.0", "true", "yes", "y", "x")
_NO = ("", "0", "0.0", "false", "no", "n", "none", "nan")


@dataclass(frozen=True, eq=False)
class Records:
    """What a table needs of each record: amount, weight, holding, and whether it asked or waived."""

    amount: Floats
    weight: Floats
    holder: Ints
    asked: Mask
    waived: Mask
    respelled: int = 0
    keys: Floats | None = None
    alone: bool = False


def tabulate(
    data: Any,
    dimensions: Sequence[str] | Mapping[str, Any] | Division,
    value: str | None = None,
    *,
    weight: str | None = None,
    unit: str | None = None,
    request: str | None = None,
    waiver: str | None = None,
    key: str | None = None,
    rules: Rule | Sequence[Rule] = (),
    depth: int = 3,
    prefixes: Mapping[str, Sequence[int]] | None = None,
    parents: Mapping[str, str] | None = None,
    total: str | Mapping[str, str] = TOTAL,
    margins: bool = True,
    **fields: Any,
) -> Table:
    """Sum a column of records, or count them, over all combinations of some columns.

    `dimensions` names columns, or maps each to its hierarchy (a nested dict, a Hierarchy, the path of an .hrc
    or .csv file, or None), or is a Division; `prefixes`, `parents` and `total` are its other parts. Without
    `value` the table counts. `unit` names the holding behind a record: what a holding contributes to a cell
    is summed before it is ranked. With `weight`, a contribution of weight w stands for w contributors of its
    size. `request` and `waiver` are columns that mark who asked for protection and who renounced it (0,
    false, no and empty mean neither; words other than these and 1, true and yes are refused). `key` is a
    column of keys in [0, 1), drawn once for every record: the noise of the method cell-key hangs on them, so
    that a cell has the same in every table. `depth` is how many of the largest contributions each cell keeps,
    or more where a rule looks at more. Other fields are those of Table.cross.

    O(records log records) per combination of levels, O(cells depth) memory.

    >>> import pyarrow as pa
    >>> firms = pa.table({"region": list("aabb"), "size": list("slss"), "turnover": [1, 90, 5, 4]})
    >>> table = tabulate(firms, ["region", "size"], "turnover")
    >>> table.values.reshape(table.shape).tolist()
    [[90.0, 1.0, 91.0], [0.0, 9.0, 9.0], [90.0, 10.0, 100.0]]
    >>> table.contributors.count.tolist()
    [1, 1, 2, 0, 2, 2, 1, 3, 4]
    """
    source = data if isinstance(data, Microdata) else Microdata.of(data)
    division = (
        dimensions
        if isinstance(dimensions, Division)
        else Division.named(dimensions, prefixes=prefixes or {}, parents=parents or {}, total=total)
    )
    columns = [*division.names, *division.parents.values()]
    source.require([*columns, *(c for c in (value, weight, unit, request, waiver, key) if c is not None)])
    if not division.names or depth < 1:
        raise ParameterError("tabulate: wanted at least one dimension, and a depth of at least 1.")
    placed = [_dimension(source, name, division) for name in division.names]
    records = _records(source, value, weight, unit, request, waiver)
    if key is not None:
        records = replace(records, keys=record_keys(source, key))
    made, codes = [each for each, _ in placed], [each for _, each in placed]
    applied = (rules,) if isinstance(rules, Rule) else tuple(rules)
    values, contributors = _sums(made, codes, records, max(depth, *(rule.depth for rule in applied), 1))
    table = Table.cross(
        made,
        values.reshape([len(each) for each in made]),
        contributors=contributors,
        frequency=value is None,
        response=value or COUNTED,
        margins=margins,
        keys=None if records.keys is None else _keyed(made, codes, records, value is None),
        **fields,
    )
    return apply_rules(table, applied)


def record_keys(data: Microdata, column: str) -> Floats:
    """The keys of records, or a refusal: numbers in [0, 1) that tell records apart."""
    keys = data.numbers(column)
    if bad := int((~((keys >= 0) & (keys < 1))).sum()):
        raise DataError(
            f"{data.source}: column {column} wants a key from 0 up to, but not including, 1 in every record, "
            f"{bad} have none. Draw one for each record once, and keep them."
        )
    if keys.size > 1 and np.unique(keys).size < max(2, keys.size // 2):
        raise DataError(
            f"{data.source}: column {column} has {np.unique(keys).size} different keys for {keys.size} "
            "records. Whoever shares a key shares its noise: draw one for each record."
        )
    return keys


def _keyed(
    dimensions: Sequence[Hierarchy], leaves: Sequence[Ints], records: Records, counts: bool
) -> CellKeys:
    """The keys of all cells, level by level; a record that adds nothing to a sum is no part of it."""
    assert records.keys is not None
    shape = tuple(len(dimension) for dimension in dimensions)
    parts = []
    for deep, cell in _levels(dimensions, leaves, shape):
        there = deep & (counts | (records.amount != 0))
        amounts, weights = None if counts else records.amount[there], records.weight[there]
        parts.append(
            CellKeys.of(records.keys[there], cell[there[deep]], amounts, weights, int(np.prod(shape)))
        )
    return CellKeys.joined(parts)


def _dimension(data: Microdata, name: str, division: Division) -> tuple[Hierarchy, Ints]:
    """A dimension and the leaf of every record."""
    if missing := int(data.missing(name).sum()):
        raise DataError(
            f"{data.source}: column {name} has no label in {missing} records. Give them one, such as unknown."
        )
    series = data.column(name)
    codes = column_codes(series)
    first = np.unique(codes, return_index=True)[1]
    texts = [str(series[int(row)]) for row in first]
    ordered = natural_order(texts)
    row_of = dict(zip(texts, first.tolist(), strict=True))

    def beside(column: str) -> list[str]:
        if several := _several(codes, column_codes(data.column(column))):
            raise DataError(
                f"{data.source}: {several} labels of {name} have several labels above ({column})."
            )
        return ["" if (cell := data.column(column)[row_of[text]]) is None else str(cell) for text in ordered]

    dimension = division.of(name, ordered, beside) or Hierarchy.flat(name, ordered, division.total_of(name))
    place = {dimension.labels[leaf]: int(leaf) for leaf in dimension.leaves}
    if any(text not in place for text in texts):
        raise DataError(f"{data.source}: column {name} has {_unmatched(dimension, texts)}")
    return dimension, np.array([place[text] for text in texts], dtype=np.int64)[codes]


def _several(codes: Ints, above: Ints) -> int:
    """How many labels stand beside more than one other."""
    pairs = np.unique(np.column_stack([codes, above]), axis=0)
    return int((np.bincount(pairs[:, 0]) > 1).sum())


def _unmatched(dimension: Hierarchy, texts: Sequence[str]) -> str:
    """How many labels of records are no leaves; of these and of the rest, only what the hierarchy says."""
    leaves = [dimension.labels[leaf] for leaf in dimension.leaves]
    known = set(texts)
    stray = known - set(leaves)
    parts = [f"{len(stray)} labels that are no leaves of its hierarchy."]
    if groups := [label for label in dimension.labels if label in stray]:
        parts.append(f"Groups of it, where a leaf under them is wanted: {_some(groups)}.")
    if len(groups) < len(stray) and (unused := [label for label in leaves if label not in known]):
        parts.append(f"Leaves that no record has: {_some(unused)}. Are they spelled in another way?")
    return " ".join([*parts, "Add the labels to the hierarchy, or recode the records."])


def _some(labels: Sequence[str], most: int = 10) -> str:
    shown = ", ".join(label if label.isprintable() else repr(label) for label in labels[:most])
    return shown if len(labels) <= most else f"{shown} and {len(labels) - most} more"


def _records(
    data: Microdata,
    value: str | None,
    weight: str | None,
    unit: str | None,
    request: str | None,
    waiver: str | None,
) -> Records:
    def numbers(column: str | None, least: float) -> Floats:
        if column is None:
            return np.ones(data.n)
        found = data.numbers(column)
        if bad := int((~(found >= least)).sum()):
            wanted = "a number" if least == -np.inf else "a number of at least 0"
            raise DataError(
                f"{data.source}: column {column} wants {wanted} in every record, {bad} have none."
            )
        return found

    if unit is not None and (missing := int(data.missing(unit).sum())):
        raise DataError(f"{data.source}: column {unit} names no unit in {missing} records. Name one in each.")
    holding = Alike(np.arange(data.n), 0) if unit is None else data.alike(unit)
    return Records(
        numbers(value, -np.inf),
        numbers(weight, 0.0),
        holding.codes,
        _marks(data, request),
        _marks(data, waiver),
        holding.merged,
        alone=unit is None,
    )


def _marks(data: Microdata, column: str | None) -> Mask:
    """Where a column says yes; a word that is neither yes nor no is refused, since a waiver lays open."""
    if column is None:
        return np.zeros(data.n, dtype=bool)
    words = np.array([str(cell).strip().lower() for cell in data.column(column).to_list()])
    yes, no = np.isin(words, _YES), np.isin(words, _NO) | data.missing(column)
    if odd := int((~yes & ~no).sum()):
        raise DataError(
            f"{data.source}: column {column} marks records by 1 or 0 (or yes, true, no, false), {odd} "
            "records have another word. Recode it."
        )
    return np.asarray(yes & ~no, dtype=bool)


def _sums(
    dimensions: Sequence[Hierarchy], leaves: Sequence[Ints], records: Records, depth: int
) -> tuple[Floats, Contributors]:
    """Values and contributors of all cells, one combination of levels after the other."""
    shape = tuple(len(dimension) for dimension in dimensions)
    cells = int(np.prod(shape))
    values = np.zeros(cells)
    largest, holders = np.zeros((cells, depth)), np.full((cells, depth), -1, dtype=np.int64)
    total, frequency, requested, still_open = (np.zeros(cells) for _ in range(4))
    count = np.zeros(cells, dtype=np.int64)
    for deep, cell in _levels(dimensions, leaves, shape):
        amounts = _chosen(records.weight * records.amount, deep)
        values += np.bincount(cell, weights=amounts, minlength=cells)
        del amounts
        one = _by_holding(cell, records, deep)
        # of holdings, not of records: one that has several is still alone
        frequency += np.bincount(one.cell, weights=one.weight, minlength=cells)
        total += np.bincount(one.cell, weights=one.amount * one.weight, minlength=cells)
        count += np.bincount(one.cell, minlength=cells)
        if one.asked.any():
            _raise_to(requested, one, np.where(one.asked, one.amount, 0.0))
        _raise_to(still_open, one, np.where(one.waived, 0.0, one.amount))
        _rank(_leading(one, depth), largest, holders)
    # parts of places differ in the last digit
    np.minimum.accumulate(largest, axis=1, out=largest)
    found = Contributors(total, count, largest, holders, frequency, requested, still_open, records.respelled)
    return values, found


def _levels(
    dimensions: Sequence[Hierarchy], leaves: Sequence[Ints], shape: tuple[int, ...]
) -> Iterator[tuple[Mask, Ints]]:
    """For every combination of levels the records that have one, and the cell of each of these."""
    paths = [dimension.ancestors() for dimension in dimensions]
    for levels in product(*(range(path.shape[1]) for path in paths)):
        at = [path[own, level] for path, own, level in zip(paths, leaves, levels, strict=True)]
        # a leaf that is less deep stands at its own level only
        deep = np.logical_and.reduce([each >= 0 for each in at])
        cell = np.ravel_multi_index([_chosen(each, deep) for each in at], shape)
        # what millions of records take is not kept while somebody works on the cells
        del at
        yield deep, cell


def _chosen(column: Floats | Ints | Mask, deep: Mask) -> Any:
    """What records have that are deep enough; itself, where all are."""
    return column if deep.all() else column[deep]


@dataclass(frozen=True, eq=False)
class _Contributions:
    """One entry per cell and holding, in the order of cells, then of holdings."""

    cell: Ints
    holder: Ints
    amount: Floats
    weight: Floats
    asked: Mask
    waived: Mask

    @property
    def starts(self) -> Ints:
        """The first entry of each cell that has one."""
        return np.flatnonzero(np.append(True, np.diff(self.cell) > 0)) if self.cell.size else self.cell


def _raise_to(figures: Floats, one: _Contributions, amounts: Floats) -> None:
    """The largest amount of each cell, where that is more than its figure."""
    if one.cell.size:
        cells = one.cell[one.starts]
        figures[cells] = np.maximum(figures[cells], np.maximum.reduceat(amounts, one.starts))


def _leading(one: _Contributions, depth: int) -> _Contributions:
    """The entries that can be among the first `depth` of their cell; all, where weights make that unsure.

    One look at all entries for each place. Whole weights add up to the same whatever is left out.
    """
    starts = one.starts
    sizes = np.diff(np.append(starts, one.cell.size))
    if sizes.max(initial=0) <= depth or (one.weight < 1).any() or (one.weight != np.rint(one.weight)).any():
        return one
    left, chosen = one.amount.copy(), np.zeros(one.cell.size, dtype=bool)
    for _ in range(depth):
        most = np.maximum.reduceat(left, starts)
        tops = np.flatnonzero(left == np.repeat(most, sizes))
        # of equal ones the first, whose holding has the lowest number; none where all were taken
        tops = tops[np.append(True, np.diff(one.cell[tops]) > 0)]
        chosen[tops] = True
        left[tops] = -1.0
    return _Contributions(
        one.cell[chosen],
        one.holder[chosen],
        one.amount[chosen],
        one.weight[chosen],
        one.asked[chosen],
        one.waived[chosen],
    )


def _by_holding(cell: Ints, records: Records, deep: Mask) -> _Contributions:
    holder, amount, weight = (
        _chosen(column, deep) for column in (records.holder, records.amount, records.weight)
    )
    span = int(records.holder.max(initial=0)) + 1
    if records.alone:
        # every record is a holding: in order of cells they are what grouping would give
        # numbers of 16 bits are sorted digit by digit
        short = cell.astype(np.uint16) if int(cell.max(initial=0)) < 1 << 16 else cell
        order = np.argsort(short, kind="stable")
        return _each_its_own(cell[order], holder[order], amount[order], weight[order], records, deep, order)
    keys, entry = np.unique(cell * span + holder, return_inverse=True)
    n = keys.size
    each = np.bincount(entry, minlength=n)
    size = np.bincount(entry, weights=np.abs(amount), minlength=n)
    spread = np.bincount(entry, weights=np.abs(amount) * weight, minlength=n)
    plain = np.bincount(entry, weights=weight, minlength=n) / np.maximum(each, 1)
    # a holding of several records has the weight at which its sum is what they stand for
    mean_weight = np.divide(spread, size, out=plain, where=size > 0)
    return _Contributions(
        keys // span,
        keys % span,
        np.abs(np.bincount(entry, weights=amount, minlength=n)),
        mean_weight,
        np.bincount(entry, weights=_chosen(records.asked, deep), minlength=n) > 0,
        np.bincount(entry, weights=_chosen(records.waived, deep), minlength=n) == each,
    )


def _each_its_own(
    cell: Ints, holder: Ints, amount: Floats, weight: Floats, records: Records, deep: Mask, order: Ints
) -> _Contributions:
    size = np.abs(amount)
    # as of several records, to the last bit
    mean_weight = np.divide(size * weight, size, out=weight.copy(), where=size > 0)
    asked, waived = (_chosen(column, deep)[order] for column in (records.asked, records.waived))
    return _Contributions(cell, holder, size, mean_weight, asked, waived)


def _rank(one: _Contributions, largest: Floats, holders: Ints) -> None:
    """Fill in the largest contributions: a weight of w takes w places, the last of them in part."""
    if not one.cell.size:
        return
    order = np.arange(one.cell.size)
    if one.amount.min() < one.amount.max():
        # entries come by cell and holder already
        order = np.lexsort((one.holder, -one.amount, one.cell))
    cell, amount, weight = one.cell[order], one.amount[order], one.weight[order]
    end = np.cumsum(weight)
    first = one.starts
    before = np.repeat((end - weight)[first], np.diff(np.append(first, cell.size)))
    end = end - before
    start = end - weight
    for place in range(largest.shape[1]):
        taken = np.clip(np.minimum(end, place + 1) - np.maximum(start, place), 0.0, 1.0)
        np.add.at(largest[:, place], cell, amount * np.where(taken > 1e-9, taken, 0.0))
        here = (start <= place + 1e-9) & (end > place + 1e-9)
        holders[cell[here], place] = one.holder[order][here]
