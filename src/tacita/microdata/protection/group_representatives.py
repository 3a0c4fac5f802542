"""Chooses the values that a group publishes so that they do not reproduce a real record.

Means, medians and modes of a group may form a combination of values that a single record has. Publishing it k
times would still publish that record, for which reason medoids are never published either.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from tacita.core import Labels, Matrix
from tacita.core.spec.roles import Kind

# A stratum and one value per column.
Combination = tuple[float, ...]
# Cost of publishing other categories, and the pairs of column and new category.
Change = tuple[float, tuple[tuple[int, float], ...]]


def exposed_groups(
    x: Matrix, values: Matrix, labels: Labels, strata: Labels, k: int, units: Labels | None = None
) -> Labels:
    """The groups (0, 1, ...) that publish a combination of 1 to k - 1 records of their stratum. O(n d log n).

    With units: a combination of records of 1 to k - 1 units.

    >>> x = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    >>> one = np.zeros(3, dtype=int)
    >>> exposed_groups(x, np.zeros((3, 2)), one, one, 3).tolist()
    [0]
    """
    _, first = np.unique(labels, return_index=True)
    shown = values[first]
    # groups with a value that no record has cannot be exposed; with means these are almost all
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
    """Published values of which, if possible, no combination is that of 1 to k - 1 records of the stratum.

    With units: that of records of 1 to k - 1 units.

    A group that would publish one changes the category of one column, or takes categories of its members in
    two columns. The cheapest change is taken; ties go to the first column, then to the first category.
    A nominal category costs the difference in the number of members that have it. An ordinal one costs the
    additional distance of the members in ranks, over the range of ranks. If all changes are real records too,
    the group keeps its values. O(n d log n), and per such group O(d m + (d k)^2) with m categories a column.

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
    """All changes of one column, and of two columns to categories of the members; the cheapest first."""
    single: list[Change] = []
    among_members: list[Change] = []
    for j, known in levels.items():
        codes = members[:, j]
        if np.isnan(codes).any():
            continue
        for level in known[known != published[j]].tolist():
            change = (_cost(codes, published[j], level, known, kinds[j]), ((j, level),))
            single.append(change)
            if level in codes:
                among_members.append(change)
    double = [
        (a + b, one + other)
        for (a, one), (b, other) in combinations(among_members, 2)
        if one[0][0] != other[0][0]
    ]
    return sorted(single + double)


def _cost(codes: Matrix, published: float, level: float, known: Matrix, kind: Kind) -> float:
    if kind == "nominal":
        return float((codes == published).sum() - (codes == level).sum())
    ranks, before, after = (np.searchsorted(known, value) for value in (codes, published, level))
    return float((np.abs(ranks - after).sum() - np.abs(ranks - before).sum()) / (known.size - 1))


def _owners(x: Matrix, strata: Labels, units: Labels | None) -> Counter[Combination]:
    """Number of records, or of distinct units, by combination of values."""
    combinations_of_rows = _combinations(x, strata)
    if units is None:
        return Counter(combinations_of_rows)
    pairs = set(zip(combinations_of_rows, units.tolist(), strict=True))
    return Counter(combination for combination, _ in pairs)


def _combinations(x: Matrix, strata: Labels) -> list[Combination]:
    # NaN is not equal to itself; within a stratum a column is missing in all records or in none
    return list(map(tuple, np.column_stack([strata, np.nan_to_num(x, nan=np.inf)]).tolist()))
