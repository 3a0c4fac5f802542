"""Costs as a search takes them: of a size that solvers tell apart, in steps that bounds are rounded up to."""

from __future__ import annotations

import numpy as np

from tacita.core.arrays import Floats

# What a double tells apart from its neighbours by as little as solvers take for rounding.
_LARGEST = 1e9


def lift_of(costs: Floats) -> float:
    """A power of two that brings the least positive cost to 1, as far as the largest has room.

    Solvers allow for rounding in absolute terms, far less than 1: costs in thousandths would drown in that,
    and every pattern be called the least. A power of two is exact. Whole numbers stay as they are.
    """
    positive = costs[costs > 0]
    if not positive.size or (positive == np.rint(positive)).all():
        return 1.0
    up, room = np.ceil(-np.log2(positive.min())), np.floor(np.log2(_LARGEST / positive.max()))
    return float(2.0 ** max(0.0, min(up, room)))


def common_step(costs: Floats) -> float:
    """The largest number that divides all costs, if they are whole; else 0."""
    whole = np.round(costs)
    if not len(costs) or not np.array_equal(whole, costs) or np.abs(whole).max() > 1e12:
        return 0.0
    return float(np.gcd.reduce(whole.astype(np.int64)))


def rounded_up(bound: float, step: float) -> float:
    """The least sum of costs in such steps that is not below a bound."""
    return float(np.ceil(bound / step - 1e-6) * step) if step > 0 else bound
