"""Rows that follow from several others by rounding: half sums of them that x violates.

Source: Caprara & Fischetti (1996), Mathematical Programming 74, 221-235, for the cuts; Koster, Zymolka &
Kutschka (2009), Algorithmica 55, 375-391, for looking for them by elimination of parities.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacita.core.arrays import Floats, Ints
from tacita.kernels.interpreted import dispatch
from tacita.kernels.tables.network import Pooled, Terms

Rows = tuple[Floats, Ints, Ints, Floats]


@dataclass(frozen=True)
class ZeroHalfSettings:
    """How many sums of rows are tried for a zero-half cut, and which cuts are kept.

    `python -m benchmarks suppression` prints what the engine reaches with these on two-way tables. More cuts
    raise the bound of a node and slow its LP down.
    """

    # multiples of a row that are rounded up to whole ones
    multipliers: int = 7
    # rows with their multiples that enter sums, the tightest first
    terms: int = 1500
    # sums that are tried, and cuts that are kept
    sums: int = 400
    # what rounding a sum must win, of the half that it can
    least_win: float = 0.05
    # share of its length by which a cut must be violated
    violation: float = 1e-3
    # cosine beyond which two cuts count as parallel
    parallel: float = 0.9
    # tolerance: x that is nearer to 0 or 1 counts as whole
    integrality: float = 1e-6
    # share by which the order of terms and cells is disturbed at random, so that rounds differ
    disturbance: float = 0.3


SETTINGS = ZeroHalfSettings()


def violated_half_sums(rows: Pooled, x: Floats, generator: np.random.Generator, most: int) -> Rows:
    """Half sums of rows that x violates, the most violated first, none nearly like another.

    Once among whole rows, once among those rounded up as well. O(terms^2 cells) bits, a small share of it.
    """
    from tacita.kernels.tables.zero_half import nearly_tight, unlike

    x = np.where(x < SETTINGS.integrality, 0.0, np.where(x > 1 - SETTINGS.integrality, 1.0, x))
    room = len(rows.right) * (SETTINGS.multipliers + 1)
    terms = Terms(np.empty(room, dtype=np.int64), np.empty(room, dtype=np.int64), np.empty(room))
    count = dispatch(nearly_tight)(rows, x, SETTINGS.multipliers, SETTINGS.least_win, terms)
    terms = _some(terms, np.arange(count))
    whole = np.flatnonzero(terms.times == rows.whole[terms.row])
    cuts = [_sought(rows, _some(terms, whole), x, generator, 0.0)]
    if len(whole) < count:
        cuts.append(_sought(rows, terms, x, generator, SETTINGS.disturbance))
    entries, rights, shorts = (np.concatenate(parts) for parts in zip(*cuts, strict=True))
    order, kept = np.argsort(-shorts, kind="stable")[: SETTINGS.sums], np.empty(most, dtype=np.int64)
    kept = kept[: dispatch(unlike)(entries, np.flatnonzero(x > 0.0), order, SETTINGS.parallel, kept)]
    return _sparse(entries[kept], rights[kept])


def _sought(
    rows: Pooled, terms: Terms, x: Floats, generator: np.random.Generator, chance: float
) -> tuple[Floats, Floats, Floats]:
    """Rows that x violates among half sums of some terms, their right sides and by how much."""
    from tacita.kernels.tables.zero_half import add_up, half_sums, parities

    slack = terms.slack + chance * generator.random(len(terms.slack))
    terms = _some(terms, np.argsort(slack, kind="stable")[: SETTINGS.terms])
    fractional = np.flatnonzero((x > 0.0) & (x < 1.0))
    place = np.full(len(x), -1)
    place[fractional] = np.arange(len(fractional))
    odd, odd_right = np.zeros((len(terms.row), len(fractional)), dtype=bool), np.zeros(len(terms.row), bool)
    dispatch(parities)(rows, terms, x, place, odd, odd_right)
    some = np.flatnonzero(odd.any(axis=1) | odd_right)
    terms, odd, odd_right = _some(terms, some), odd[some], odd_right[some]
    weight = np.minimum(x[fractional], 1.0 - x[fractional])
    order = np.argsort(-weight * (1.0 + SETTINGS.disturbance * generator.random(len(weight))), kind="stable")
    sums = np.zeros((SETTINGS.sums, len(some)), dtype=bool)
    count = dispatch(add_up)(odd, odd_right, terms.slack.copy(), weight, order, SETTINGS.least_win, sums)
    entries, rights, shorts = np.empty((count, len(x))), np.empty(count), np.empty(count)
    dispatch(half_sums)(rows, terms, x, sums[:count], entries, rights, shorts)
    short = np.flatnonzero(shorts > SETTINGS.violation)
    return entries[short], rights[short], shorts[short]


def _some(terms: Terms, which: Ints) -> Terms:
    return Terms(terms.row[which], terms.times[which], terms.slack[which])


def _sparse(entries: Floats, rights: Floats) -> Rows:
    """Rows for the LP: with right side 1 where that is above 0."""
    scale = np.where(rights > 0, rights, 1.0)
    lines, at = np.nonzero(entries)
    starts = np.searchsorted(lines, np.arange(len(rights)))
    return rights / scale, starts, at, entries[lines, at] / scale[lines]
