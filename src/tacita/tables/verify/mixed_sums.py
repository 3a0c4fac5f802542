"""Small sets of suppressed cells whose sum follows from several lines together.

The sum of a line is known where its total is published, and so is the sum of two lines less that of a third.
One random movement shows whether the sum of a set is known: a sum that does not change in it changes in no
movement. So sets are found as numbers that add up to zero.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import sparse

from tacita.core import Table
from tacita.core.arrays import Floats, Ints, Mask

from .attacker import parts_of

# Connected cells up to which pairs are paired.
_MOST = 1000
# Sets of one size that are looked at, at most.
_SETS = 20_000
# What is nothing, of a movement in which cells move by one or so.
_NOTHING = 1e-8


def mixed_sums(table: Table, open_cells: Mask) -> Iterator[Ints]:
    """Sets of two to four suppressed cells without a record in common whose sum is known.

    One of the cells is sensitive. Only sets of which no smaller one has a known sum. O(n^2 log n) for n
    connected cells; larger parts are left out.
    """
    cells = np.flatnonzero(open_cells)
    rows, entries, signs = table.relations.among(open_cells)
    place = (np.cumsum(open_cells) - 1)[entries]
    part = parts_of(rows, place, cells.size)
    of_row = np.full(len(table.relations), -1)
    of_row[rows] = part[place]
    for number in np.unique(part[table.primary[cells]]).tolist():
        members = np.flatnonzero(part == number)
        if not 2 <= members.size <= _MOST:
            continue
        own = of_row[rows] == number
        used, row = np.unique(rows[own], return_inverse=True)
        at = np.searchsorted(members, place[own])
        matrix = sparse.csr_array((signs[own], (row, at)), shape=(used.size, members.size))
        moved = np.stack([_any_movement(matrix, seed) for seed in (0, 1)])
        moving = (np.abs(moved) > _NOTHING).any(axis=0)
        if moving.sum() > 1:
            yield from _sets(table, cells[members[moving]], moved[:, moving])


def _any_movement(matrix: sparse.csr_array, seed: int) -> Floats:
    """A change of all cells that keeps all relations, else by chance; the same each time."""
    from scipy.sparse.linalg import lsqr

    drawn = np.random.default_rng(seed).normal(size=matrix.shape[1])
    close = 1e-14
    for _ in range(3):
        # what is left of a random change once the relations have had their part of it
        drawn = (
            drawn - lsqr(matrix, matrix @ drawn, atol=close, btol=close, iter_lim=20 * sum(matrix.shape))[0]
        )
        if np.abs(matrix @ drawn).max(initial=0.0) <= _NOTHING / 10:
            break
    return np.asarray(drawn, dtype=np.float64)


def _sets(table: Table, cells: Ints, moved: Floats) -> Iterator[Ints]:
    """Cells in the order of one movement; what it finds, the other one must confirm."""
    order = np.argsort(moved[0], kind="stable")
    cells, moved = cells[order], moved[:, order]
    apart = _without_shared_records(table, cells)
    first, second = np.nonzero(np.triu(apart, 1))
    pairs = moved[:, first] + moved[:, second]
    known = (np.abs(pairs) <= _NOTHING).all(axis=0)
    minimal = apart.copy()
    minimal[first[known], second[known]] = minimal[second[known], first[known]] = False
    candidates = [(np.column_stack([first[known], second[known]]), apart)]
    first, second, pairs = first[~known], second[~known], pairs[0, ~known]
    pair, third = _matches(pairs, moved[0])
    later = third > second[pair]
    candidates.append((np.column_stack([first[pair], second[pair], third])[later], minimal))
    by_sum = np.argsort(pairs, kind="stable")
    pair, other = _matches(pairs, pairs[by_sum])
    other = by_sum[other]
    later = first[pair] < first[other]
    quads = np.column_stack([first[pair], second[pair], first[other], second[other]])[later]
    candidates.append((quads, minimal))
    for sets, allowed in candidates:
        fine = table.primary[cells[sets]].any(axis=1) & _all_pairs(sets, allowed)
        fine &= (np.abs(moved[:, sets].sum(axis=2)) <= 4 * _NOTHING).all(axis=0)
        yield from np.unique(np.sort(cells[sets[fine]], axis=1), axis=0)[:_SETS]


def _matches(sums: Floats, ordered: Floats) -> tuple[Ints, Ints]:
    """Which sums are opposite to which of some ordered numbers; the first ones where there are very many."""
    low = np.searchsorted(ordered, -sums - _NOTHING)
    count = np.searchsorted(ordered, -sums + _NOTHING, side="right") - low
    some = np.cumsum(count) <= 50 * _SETS
    low, count = low[some], count[some]
    which = np.repeat(np.flatnonzero(some), count)
    return which, np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count) + np.repeat(low, count)


def _all_pairs(sets: Ints, allowed: Mask) -> Mask:
    """Whether any two members of each set are allowed together."""
    fine = np.ones(len(sets), dtype=bool)
    for one in range(sets.shape[1]):
        for other in range(one):
            fine &= allowed[sets[:, one], sets[:, other]]
    return fine


def _without_shared_records(table: Table, cells: Ints) -> Mask:
    """Which pairs of cells have no record in common: by a dimension, in which none is part of the other."""
    apart = np.zeros((cells.size, cells.size), dtype=bool)
    for at, dimension in enumerate(table.dimensions):
        used, place = np.unique(table.codes[cells, at], return_inverse=True)
        above = dimension.ancestors()[used]
        parts = np.array([(above == label).any(axis=1) for label in used])
        related = parts | parts.T
        apart |= ~related[place][:, place]
    return apart
