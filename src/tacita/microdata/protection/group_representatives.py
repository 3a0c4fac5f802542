"""What a group publishes, chosen so that it is not the record of somebody.

Means, medians and modes of a group can meet in a combination of values that one single record has. Published
k times it would still be that record: the reason why medoids are never published.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from tacita.core import Labels, Matrix
from tacita.core.spec.roles import Kind

# A stratum, and a value in each column.
Combination = tuple[float, ...]
# What it costs to publish other categories, and which: pairs of a column and its new category.
Change = tuple[float, tuple[tuple[int, float], ...]]


def exposed_groups(
    x: Matrix, values: Matrix, labels: Labels, strata: Labels, k: int, units: Labels | None = None
) -> Labels:
    """The groups (0, 1, ...) that publish what 1 to k - 1 records of their stratum have. O(n d log n).

    Where units are given, what records of 1 to k - 1 units have.

    >>> x = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    >>> one = np.zeros(3, dtype=int)
    >>> exposed_groups(x, np.zeros((3, 2)), one, one, 3).tolist()
    [0]
    """
    _, first = np.unique(labels, return_index=True)
    shown = values[first]
    # a value that no record has needs no closer look, and where there are means that is nearly every one
    known = [np.isin(shown[:, j], x[:, j]) | np.isnan(shown[:, j]) for j in range(x.shape[1])]
    likely = np.flatnonzero(np.all(known, axis=0))
    if not likely.size:
        return likely
    owners = _owners(x, strata, units)
    return likely[[0 < owners[seen] < k for seen in _combinations(shown[likely], strata[first[likely]])]]


def spare_records(
    x: Matrix,
    values: Matrix,
    labels: Labels,
    strata: Labels,
    kinds: Sequence[Kind],
    k: int,
    units: Labels | None = None,
) -> Matrix:
    """Published values in which no combination is that of 1 to k - 1 records of its stratum, where possible.

    Where units are given, that of records of 1 to k - 1 units.

    A group that would publish one takes another category in one column, or others of its members in two: what
    costs least, of several the first by columns, then by categories. A nominal category costs as many members
    as have it fewer; an ordinal one costs how much farther members lie from it, in ranks over the range of
    ranks. Where all of these are somebody's too, the group keeps its own. O(n d log n), and for each such
    group O(d m + (d k)^2) with m categories a column.

    >>> x = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    >>> one = np.zeros(3, dtype=int)
    >>> spare_records(x, np.zeros((3, 2)), one, one, ["nominal", "nominal"], 3)[0].tolist()
    [1.0, 1.0]
    """
    coded = [j for j, kind in enumerate(kinds) if kind != "numeric"]
    exposed = exposed_groups(x, values, labels, strata, k, units) if coded else np.empty(0, dtype=np.int64)
    if not exposed.size:
        return values
    owners = _owners(x, strata, units)
    levels = {j: np.unique(x[~np.isnan(x[:, j]), j]) for j in coded}
    groups = np.split(np.argsort(labels, kind="stable"), np.cumsum(np.bincount(labels))[:-1])
    spared = values.copy()
    for members in (groups[group] for group in exposed.tolist()):
        published = values[members[0]]
        for _, change in _changes(x[members], published, levels, kinds):
            row = published.copy()
            for j, level in change:
                row[j] = level
            (seen,) = _combinations(row[None], strata[members[:1]])
            if not 0 < owners[seen] < k:
                spared[members] = row
                break
    return spared


def _changes(
    members: Matrix, published: Matrix, levels: dict[int, Matrix], kinds: Sequence[Kind]
) -> list[Change]:
    """Every change of one column, and of two to categories of the members; the cheapest first."""
    single: list[Change] = []
    among_members: list[Change] = []
    for j, known in levels.items():
        own = members[:, j]
        if np.isnan(own).any():
            continue
        for level in known[known != published[j]].tolist():
            change = (_cost(own, published[j], level, known, kinds[j]), ((j, level),))
            single.append(change)
            if level in own:
                among_members.append(change)
    double = [
        (a + b, one + other)
        for (a, one), (b, other) in combinations(among_members, 2)
        if one[0][0] != other[0][0]
    ]
    return sorted(single + double)


def _cost(own: Matrix, published: float, level: float, known: Matrix, kind: Kind) -> float:
    if kind == "nominal":
        return float((own == published).sum() - (own == level).sum())
    ranks, before, after = (np.searchsorted(known, value) for value in (own, published, level))
    return float((np.abs(ranks - after).sum() - np.abs(ranks - before).sum()) / (known.size - 1))


def _owners(x: Matrix, strata: Labels, units: Labels | None) -> Counter[Combination]:
    """How many records, or distinct units, have each combination of values."""
    found = _combinations(x, strata)
    if units is None:
        return Counter(found)
    return Counter(seen for seen, _ in set(zip(found, units.tolist(), strict=True)))


def _combinations(x: Matrix, strata: Labels) -> list[Combination]:
    # NaN differs from itself; within a stratum a column is missing in all records or in none
    return list(map(tuple, np.column_stack([strata, np.nan_to_num(x, nan=np.inf)]).tolist()))
