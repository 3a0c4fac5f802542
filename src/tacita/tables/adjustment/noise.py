"""Tables of noise: what is added to a count with which probability, as even as the conditions allow.

Source: Giessing (2016), Computational issues in the design of transition probabilities, PSD, LNCS 9867,
237-251.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.optimize import linprog

from tacita.core import NoiseTable, ParameterError
from tacita.core.arrays import Floats

# Of the variance: a row needs so much more than the least, or its probabilities are not positive.
_SLACK = 1e-7
# Newton steps, at most.
_STEPS = 60
# Distance of the means at which a step is the last.
_MET = 1e-14


def noise_table(
    largest: int,
    variance: float,
    hidden: int = 0,
    *,
    monotone: bool | Sequence[bool] = True,
    stay: float | Sequence[float | None] | None = None,
    parts: int = 1,
    counts: Sequence[int] | None = None,
    exact_variance: bool | Sequence[bool] = False,
) -> NoiseTable:
    """Changes v and probabilities p of every count i, of largest entropy - sum p log p.

    Of a count i: i + v is neither negative nor in 1 to `hidden`, -D <= v <= D (the `largest` change) in steps
    of 1 / `parts`; sum p = 1, sum p v = 0, sum p v^2 <= V (the `variance`; equal with `exact_variance`). With
    `monotone`, p does not fall on the way from the least change to none. At least `stay` of all counts stay.
    Rows are those of `counts`, by default 1, 2, ... until nothing is in the way of the change -D; a list
    gives the conditions of each row.

    Counts of 1 to js = `hidden` need V > i (js + 1 - i). O(rows D^3).

    >>> table = noise_table(2, 1.0)
    >>> changes, probabilities = table.row(2)
    >>> changes.tolist(), probabilities.round(4).tolist()
    ([-2.0, -1.0, 0.0, 1.0, 2.0], [0.0638, 0.2447, 0.383, 0.2447, 0.0638])
    """
    last = largest + hidden + (1 if hidden else 0)
    rows = list(counts) if counts is not None else list(range(1, last + 1))
    even, keep, exact = (_per_row(setting, len(rows)) for setting in (monotone, stay, exact_variance))
    changes, probabilities, starts = [np.zeros(1)], [np.ones(1)], [0, 1]
    for at, count in enumerate(rows):
        v = _changes(count, largest, hidden, parts)
        p = _row(v, variance, bool(even[at]), float(keep[at] or 0.0), bool(exact[at]))
        if p is None:
            raise ParameterError(
                f"CellKey: no noise of variance {variance:g} and at most {largest} leaves a count of {count} "
                f"unbiased, not negative and above {hidden}. Raise the variance, or hide fewer counts."
            )
        changes.append(v)
        probabilities.append(p)
        starts.append(starts[-1] + v.size)
    return NoiseTable(
        counts=np.array([0.0, *rows]),
        changes=np.concatenate(changes),
        probabilities=np.concatenate(probabilities),
        starts=np.array(starts, dtype=np.int64),
        largest=float(largest),
        hidden=hidden,
        variance=float(variance),
    )


def _per_row(setting: Any, n: int) -> list[Any]:
    return list(setting) if isinstance(setting, Sequence) else [setting] * n


def _changes(count: int, largest: int, hidden: int, parts: int) -> Floats:
    steps = np.arange(-largest * parts, largest * parts + 1) / parts
    # to four digits, as ptable has them, so that both give the same table
    steps = steps if parts == 1 else steps.round(4)
    results = count + steps
    return np.asarray(steps[(results >= 0) & ~((results >= 1) & (results <= hidden))], dtype=np.float64)


def _row(v: Floats, variance: float, monotone: bool, stay: float, exact: bool) -> Floats | None:
    """Probabilities of largest entropy; None where none are all positive.

    It is not known before whether the conditions on variance and on unchanged counts are binding: they are
    relaxed first. A solution that keeps all relaxed conditions is the only one, since the problem is convex.
    """
    here = np.flatnonzero(v == 0)
    rising = int(here[0]) if monotone and here.size else 0
    kept = stay if here.size else 0.0
    if not _has_room(v, variance, rising, kept, exact):
        return None
    spread, unmoved = v**2, (v == 0) * 1.0
    for with_spread, with_unmoved in ((exact, False), (True, False), (exact, True), (True, True)):
        features, wanted = [v], [0.0]
        if with_spread:
            features.append(spread)
            wanted.append(variance)
        if with_unmoved:
            features.append(unmoved)
            wanted.append(kept)
        p = _most_even(np.array(features), np.array(wanted), rising)
        if p is not None and p @ spread <= variance * (1 + 1e-9) and p @ unmoved >= kept - 1e-12:
            return p
    return None


def _has_room(v: Floats, variance: float, rising: int, stay: float, exact: bool) -> bool:
    """Whether all conditions can be kept with room to spare, so that no probability is zero."""
    n = v.size
    rows = [np.eye(n)[at] - np.eye(n)[at + 1] for at in range(rising)]
    sides = [0.0] * rising
    rows.append(-1.0 * (v == 0))
    sides.append(-stay)
    equal, totals = [np.ones(n), v], [1.0, 0.0]
    if exact:
        equal.append(v**2)
        totals.append(variance)
    else:
        rows.append(v**2)
        sides.append(variance)
    # the last variable is the room that every probability, and the variance, leaves
    room = np.array([0.0] * (rising + 1) + ([] if exact else [1.0]))
    upper = np.column_stack([np.vstack([np.array(rows), -np.eye(n)]), np.append(room, np.ones(n))])
    solution = linprog(
        np.append(np.zeros(n), -1.0),
        A_ub=upper,
        b_ub=np.append(sides, np.zeros(n)),
        A_eq=np.column_stack([np.array(equal), np.zeros(len(totals))]),
        b_eq=totals,
        bounds=[(0, 1)] * n + [(None, 1)],
        method="highs",
    )
    return bool(solution.status == 0 and solution.x[-1] > _SLACK)


def _most_even(features: Floats, wanted: Floats, rising: int) -> Floats | None:
    """p of largest entropy with features @ p = wanted, by Newton's method on the dual.

    log p = multipliers @ features, but for a constant; where p must not fall, neighbours that would are
    pooled at the mean of their logarithms. None where the multipliers run away: the conditions cannot be met.
    """
    multipliers = np.zeros(len(wanted))

    def at(point: Floats) -> tuple[float, Floats, Floats]:
        pooled, heights = _pooled(features, point @ features, rising)
        top = float(heights.max())
        weights = np.exp(heights - top)
        return top + float(np.log(weights.sum())) - float(point @ wanted), weights / weights.sum(), pooled

    height, p, pooled = at(multipliers)
    for _ in range(_STEPS):
        means = pooled @ p
        gradient = means - wanted
        hessian = (pooled * p) @ pooled.T - np.outer(means, means)
        step = np.linalg.lstsq(hessian, -gradient, rcond=None)[0]
        if np.abs(gradient).max() < _MET or not np.isfinite(step).all():
            break
        size, slope = 1.0, float(gradient @ step)
        # near the end a step is lost in rounding, and harmless
        while size > 1e-9 and not at(multipliers + size * step)[0] <= height + 1e-4 * size * slope + 1e-13:
            size /= 2
        if size <= 1e-9:
            break
        multipliers = multipliers + size * step
        height, p, pooled = at(multipliers)
    met = np.abs(features @ p - wanted).max() < 1e-10
    return _exactly(p, np.vstack([np.ones(p.size), features]), np.append(1.0, wanted)) if met else None


def _pooled(features: Floats, heights: Floats, rising: int) -> tuple[Floats, Floats]:
    """Features and logarithms, those up to the place `rising` pooled with neighbours until they rise."""
    ends: list[tuple[int, float]] = []
    for place in range(rising + 1):
        size, mean = 1, float(heights[place])
        while ends and ends[-1][1] > mean:
            before, other = ends.pop()
            mean = (size * mean + before * other) / (size + before)
            size += before
        ends.append((size, mean))
    pools = np.repeat(np.arange(len(ends)), [size for size, _ in ends])
    count = np.bincount(pools)
    means = np.array([np.bincount(pools, weights=feature[: rising + 1]) / count for feature in features])
    return (
        np.column_stack([means[:, pools], features[:, rising + 1 :]]),
        np.append(np.array([mean for _, mean in ends])[pools], heights[rising + 1 :]),
    )


def _exactly(p: Floats, rows: Floats, totals: Floats) -> Floats:
    """What rounding lost of the equalities, laid on all alike."""
    for _ in range(2):
        p = p + np.linalg.lstsq(rows * p, totals - rows @ p, rcond=None)[0] * p
    return p
