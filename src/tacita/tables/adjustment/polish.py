"""A rounding made nearer: boxes of the table are rounded anew, all else stays, again and again."""

from __future__ import annotations

from time import perf_counter

import numpy as np
from scipy import sparse

from tacita.core import Relations
from tacita.core.arrays import Floats, Ints, Mask
from tacita.solvers.highs import LinearProgramme

from .time_limit import Patience

# Seconds for one box; one that needs less is made larger, one that needs all of them smaller.
_ONE_BOX, _FAST = 2.0, 0.3
_FIRST, _LEAST, _MOST = 6, 3, 60


def polished(
    relations: Relations,
    codes: Ints,
    units: Floats,
    rounded: Floats,
    movable: Mask,
    patience: Patience,
    generator: np.random.Generator,
) -> Floats:
    """Other whole numbers beside the units, nearer to them, until time is over; sums are kept throughout."""
    if codes.shape[1] < 2:
        return rounded
    labels, size = codes.max(axis=0) + 1, _FIRST
    while not patience.over():
        began = perf_counter()
        chosen = _box(codes, labels, size, generator) & movable
        other = _anew(relations, units, rounded, chosen, patience) if chosen.any() else rounded
        if np.abs(other - units).sum() < np.abs(rounded - units).sum():
            rounded = other
        spent = perf_counter() - began
        whole = all(size >= each for each in labels)
        if whole and spent < _ONE_BOX:
            break
        size = min(_MOST, size + 1) if spent < _FAST else max(_LEAST, size - 1) if spent > _ONE_BOX else size
    return rounded


def _box(codes: Ints, labels: Ints, size: int, generator: np.random.Generator) -> Mask:
    """Cells of some labels in every dimension; the last labels, sums as a rule, are always among them."""
    inside = np.ones(len(codes), dtype=bool)
    for dimension, count in enumerate(labels.tolist()):
        taken = np.zeros(count, dtype=bool)
        taken[generator.choice(count, min(size, count), replace=False)] = True
        taken[-1] = True
        inside &= taken[codes[:, dimension]]
    return inside


def _anew(relations: Relations, units: Floats, rounded: Floats, chosen: Mask, patience: Patience) -> Floats:
    place = np.cumsum(chosen) - 1
    rows, cells, signs = relations.among(chosen, only_basis=True)
    used, row = np.unique(rows, return_inverse=True)
    matrix = sparse.csc_array((signs, (row, place[cells])), shape=(used.size, int(chosen.sum())))
    floors = np.floor(units[chosen])
    now = rounded[chosen] - floors
    sides = np.rint(matrix @ now)
    # who is past a neighbour already may stay there, and is drawn back
    low, high = np.minimum(0.0, now), np.maximum(1.0, now)
    slope = np.where(now > 1, 1.0, np.where(now < 0, -1.0, 1 - 2 * (units[chosen] - floors)))
    programme = LinearProgramme.of(slope, low, high, matrix, sides, sides)
    found = programme.choose(now, patience.over, time_limit=min(_ONE_BOX, patience.left + 0.01))
    if found.x is None:
        return rounded
    other = rounded.copy()
    other[chosen] = floors + np.rint(found.x)
    return rounded if np.abs(relations.residuals(other)).any() else other
