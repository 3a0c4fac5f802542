"""Small tables on which several attacks are tried: odd sums, sums of several lines and known parts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from tacita.core import Contributors, Hierarchy, Relations, Table
from tacita.io.hierarchies import from_nested
from tacita.tables.rules.frequency import MinimumFrequency

REGIONS = from_nested("region", {"north": ["n1", "n2", "n3"], "south": ["s1", "s2"]})
PAIR = np.array([True, True, False])


def tied(names: str, values: list[float], lines: list[list[int]], sensitive: int) -> Table:
    """Counts without margins of their own: the last cell of each line is the published sum of the others."""
    n, one = len(values), np.arange(len(values)) == sensitive
    return Table(
        (Hierarchy.flat("cell", list(names[:-1]), names[-1]),),
        np.arange(n)[:, None],
        np.array(values),
        Relations.of([(line, [1] * (len(line) - 1) + [-1]) for line in lines]),
        primary=one,
        lower=one * 1.0,
        upper=one * 1.0,
        sliding=np.zeros(n),
        low=np.zeros(n),
        high=np.full(n, np.inf),
        cost=np.ones(n),
        forced=np.isin(np.arange(n), [line[-1] for line in lines]),
        frequency=True,
    )


def odd_triangle() -> Table:
    """x + y + s = y + z + s = x + z + s = 3 and all 1: x = y = z, and s = 3 - 2 x is 1 or 3."""
    return tied("xyzsabc", [1.0] * 4 + [3.0] * 3, [[0, 1, 3, 4], [1, 2, 3, 5], [0, 2, 3, 6]], 3)


def block() -> Table:
    """Four ones whose sum is that of two rows less that of a column; counts below 5 are sensitive."""
    table = Table.from_array([[6, 1, 1], [6, 1, 1], [20, 5, 5]], frequency=True)
    table = replace(table, contributors=Contributors.counts(table.values))
    flags = MinimumFrequency(threshold=5).flag_table(table)
    return table.with_primary(
        flags.mask, flags.lower, flags.upper, flags.sliding, (MinimumFrequency(threshold=5),)
    )


def pair(first: float = 100.0, second: float = 50.0, **fields: Any) -> Table:
    """Two cells under a published total, of which the first one is sensitive."""
    return Table.from_array([first, second], primary=[True, False], **fields)


def known_parts(lower: float, upper: float, **fields: Any) -> Table:
    """100 = 60 + 40 and 50 = 45 + 5, each part of one contributor, under a published total of 150."""
    made = Contributors.of([[60.0, 40.0], [45.0, 5.0], [60.0, 45.0, 40.0, 5.0]], 2)
    made = replace(made, holders=np.array([[0, 1], [2, 3], [0, 2]]))
    return replace(pair(lower=[lower, 0.0], upper=[upper, 0.0], **fields), contributors=made)


def some_cells(table: Table, kept: np.ndarray, known: np.ndarray) -> Table:
    """The cells that are kept, and the lines all cells of which are known: those that go are zero."""
    number = np.cumsum(kept) - 1
    lines = []
    for row in range(len(table.relations)):
        cells, signs = table.relations.line(row)
        if known[cells].all():
            there = kept[cells]
            lines.append((number[cells[there]].tolist(), signs[there].tolist()))
    columns = ("codes", "values", "primary", "lower", "upper", "sliding", "low", "high", "cost", "forced")
    return replace(
        table, relations=Relations.of(lines), **{name: getattr(table, name)[kept] for name in columns}
    )


def linked_margins(values: np.ndarray, without_zeros: bool = False, **fields: Any) -> Table:
    """The tables a x b, a x c and b x c of a file, as one system that shares its totals; of a x b a and b."""
    sizes = values.shape
    names = "abc"[: len(sizes)]
    dimensions = tuple(
        Hierarchy.flat(name, [f"{name}{at}" for at in range(size)], "Total")
        for name, size in zip(names, sizes, strict=True)
    )
    whole = Table.cross(dimensions, values, margins=True, **fields)
    tops = np.array([each.top for each in dimensions])
    linked = (whole.codes == tops).any(axis=1)
    kept = linked & (whole.values > 0) if without_zeros else linked
    return some_cells(whole, kept, linked)
