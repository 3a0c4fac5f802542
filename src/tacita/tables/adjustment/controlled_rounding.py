"""Controlled rounding: every cell to an adjacent multiple of a base, all sums kept, as near as possible.

In units of the base, a cell q = f + r with f whole and 0 <= r < 1 becomes f + x, x 0 or 1 (0 where r is 0):
minimise the sum of |x - r| with M (f + x) = 0. Where M is a network every vertex is whole, and x = r
keeps all conditions, so there is always a solution. Elsewhere there need not be one: cells may then go
further, at a higher cost.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from scipy import sparse

from tacita.core import Relations, RunContext
from tacita.core.arrays import Floats, Ints, Mask
from tacita.solvers.highs import LinearProgram

from .sums import Sums, sums_of
from .time_limit import Patience


@dataclass(frozen=True)
class ControlledRoundingSettings:
    """How controlled rounding improves a table box by box, and its tolerances.

    `python -m benchmarks adjustment` prints distances and seconds of the methods. Larger boxes come nearer
    and take longer.
    """

    # tolerance, in units of the base: what is this near to a whole number is one
    integrality: float = 1e-9
    # the same of a solution of the LP
    solver_integrality: float = 1e-6
    # multiples of the base that a cell may go away where no incumbent goes less far
    steps: int = 3
    # seconds for a box; one that takes them all is followed by a smaller one
    box_seconds: float = 2.0
    # seconds below which the next box is larger
    fast_seconds: float = 0.3
    # categories of a dimension that a box spans at first, at least and at most
    first_size: int = 6
    least_size: int = 3
    largest_size: int = 60


SETTINGS = ControlledRoundingSettings()


@dataclass(frozen=True, eq=False)
class Rounded:
    """Multiples of the base, the least distance that is proven, and by how many steps cells went too far."""

    units: Floats
    bound: float
    beyond: int
    proven_none: bool = False


@dataclass(frozen=True, eq=False)
class Task:
    """A table in units of the base; `low` and `high` are where its cells must stay, in units as well.

    `codes` are the labels of its cells, where it has some.
    """

    relations: Relations
    units: Floats
    low: Floats
    high: Floats
    codes: Ints

    @property
    def floors(self) -> Floats:
        return np.asarray(np.floor(self.units + SETTINGS.integrality), dtype=np.float64)

    @property
    def rests(self) -> Floats:
        rest = self.units - self.floors
        return np.asarray(np.where(rest <= SETTINGS.integrality, 0.0, rest), dtype=np.float64)

    def distance(self, units: Floats) -> float:
        return float(np.abs(units - self.units).sum())


def nearest(task: Task, patience: Patience, run: RunContext) -> Rounded:
    """The nearest additive rounding: to the two neighbours where there is one, else a little further."""
    run.report("rounding", 0, 3)
    free = task.rests > 0
    lp = _rounding_lp(task, free)
    status = lp.solve()
    bound = _floor(lp, task, free) if status == "optimal" else 0.0
    if status == "optimal" and (units := _whole(task, free, lp.x)) is not None:
        run.report("rounding", 3, 3)
        return Rounded(units, bound, 0)
    run.report("rounding", 1, 3)
    if status == "optimal":
        solution = lp.choose(None, patience.over, time_limit=max(0.1, patience.left / 2))
        run.report("rounding", 2, 3)
        units = None if solution.x is None else _whole(task, free, solution.x)
        if units is not None:
            best = _constant(task, free) + solution.bound if np.isfinite(solution.bound) else bound
            if solution.status != "optimal":
                units = _polished(task, units, patience, run)
            run.report("rounding", 3, 3)
            return Rounded(units, max(bound, min(best, task.distance(units))), 0)
        none = solution.status == "infeasible"
    else:
        none = status == "infeasible"
    further = _further(task, bound if status == "optimal" else 0.0, none, patience, run)
    run.report("rounding", 3, 3)
    return further


def _rounding_lp(task: Task, free: Mask) -> LinearProgram:
    """Least w (1 - 2 r) x over the cells that are no multiple."""
    place = np.cumsum(free) - 1
    rows, cells, signs = task.relations.among(free, only_basis=True)
    used, row = np.unique(rows, return_inverse=True)
    matrix = sparse.csc_array((signs, (row, place[cells])), shape=(used.size, int(free.sum())))
    sides = -np.rint(task.relations.residuals(task.floors))[used]
    rests = task.rests[free]
    low = np.maximum(0.0, task.low - task.floors)[free]
    high = np.minimum(1.0, task.high - task.floors)[free]
    return LinearProgram.of(1 - 2 * rests, low, high, matrix, sides, sides)


def _constant(task: Task, free: Mask) -> float:
    return float(task.rests[free].sum())


def _floor(lp: LinearProgram, task: Task, free: Mask) -> float:
    return max(0.0, _constant(task, free) + (lp.value if free.any() else 0.0))


def _whole(task: Task, free: Mask, x: Floats) -> Floats | None:
    """The table of a solution, if that is whole and every sum is right."""
    if np.abs(x - np.rint(x)).max(initial=0.0) > SETTINGS.solver_integrality:
        return None
    units = task.floors.copy()
    units[free] += np.rint(x)
    return units if not np.abs(task.relations.residuals(units)).any() else None


def _polished(task: Task, units: Floats, patience: Patience, run: RunContext) -> Floats:
    movable = (task.rests > 0) & (task.floors >= task.low) & (task.floors + 1 <= task.high)
    return polished(task.relations, task.codes, task.units, units, movable, patience, run.search_generator())


def _further(task: Task, bound: float, none: bool, patience: Patience, run: RunContext) -> Rounded:
    """Where the two neighbours do not do: the fewest steps beyond, from a table that always exists."""
    sums = sums_of(task.relations, task.units.size)
    start = _by_parts(task, sums, run)
    stretched = _stretched(task, start, patience)
    known = [candidate for candidate in (stretched, start) if candidate is not None]
    if not known:
        return Rounded(np.empty(0), bound, 0, none)
    units = _polished(task, min(known, key=task.distance), patience, run)
    return Rounded(units, bound, _beyond(task, units), none)


def _beyond(task: Task, units: Floats) -> int:
    """How many steps past a neighbour the farthest cell went."""
    off = np.maximum(task.floors - units, units - task.floors - (task.rests > 0))
    return int(max(0.0, off.max(initial=0.0)))


def _by_parts(task: Task, sums: Sums, run: RunContext) -> Floats | None:
    """Parts to a neighbour each, sums as they come: greedy, every part by what the sums still lack."""
    from .greedy import nearest_sums

    parts = sums.parts
    floors, rests = task.floors[parts], task.rests[parts]
    free = np.flatnonzero((rests > 0) & (floors + 1 <= task.high[parts] + SETTINGS.integrality))
    lacking = task.units - sums.of(floors)
    chosen = nearest_sums(sums.matrix[:, free], lacking, 1.0, None, run.search_generator())
    units = sums.of(floors + np.bincount(free[chosen], minlength=parts.size))
    inside = (units >= task.low - SETTINGS.integrality).all() and (
        units <= task.high + SETTINGS.integrality
    ).all()
    # parts that are tied among themselves, as by linked tables, are not free to be chosen
    return units if inside and not np.abs(task.relations.residuals(units)).any() else None


def _stretched(task: Task, start: Floats | None, patience: Patience) -> Floats | None:
    """Solve the MIP in which cells may go beyond their neighbours, as far as a start does."""
    n, rests, floors = task.units.size, task.rests, task.floors
    rows, cells, signs = task.relations.among(np.ones(n, dtype=bool), only_basis=True)
    used, row = np.unique(rows, return_inverse=True)
    plain = sparse.csc_array((signs, (row, cells)), shape=(used.size, n))
    matrix = sparse.hstack([plain, plain, -plain], format="csc")
    sides = -np.rint(task.relations.residuals(floors))[used]
    steps = float(SETTINGS.steps if start is None else max(1, _beyond(task, start)))
    # a true zero stays zero
    empty = task.units == 0
    up = np.where(empty, 0.0, np.minimum(steps, np.maximum(0.0, task.high - floors - (rests > 0))))
    down = np.where(empty, 0.0, np.minimum(steps, np.maximum(0.0, floors - task.low)))
    costs = np.concatenate([1 - 2 * rests, np.ones(2 * n)])
    upper = np.concatenate([1.0 * (rests > 0), up, down])
    lp = LinearProgram.of(costs, np.zeros(3 * n), upper, matrix, sides, sides)
    known = None
    if start is not None:
        off = start - floors
        first = np.where(rests > 0, np.clip(off, 0.0, 1.0), 0.0)
        known = np.concatenate([first, np.maximum(off - first, 0.0), np.maximum(first - off, 0.0)])
    solution: Any = lp.choose(known, patience.over, time_limit=max(0.1, patience.left))
    if solution.x is None:
        return None
    x, more, less = np.rint(solution.x).reshape(3, n)
    units = floors + x + more - less
    return None if np.abs(task.relations.residuals(units)).any() else units


def as_task(
    relations: Relations, codes: Ints, values: Floats, base: float, low: Floats, high: Floats
) -> Task:
    """A table of values as one in units."""
    units = values / base
    near = np.rint(units)
    units = np.where(
        np.abs(units - near) <= SETTINGS.integrality * np.maximum(1.0, np.abs(units)), near, units
    )
    return Task(
        relations,
        units,
        np.ceil(low / base - SETTINGS.integrality),
        np.floor(high / base + SETTINGS.integrality),
        codes,
    )


def polished(
    relations: Relations,
    codes: Ints,
    units: Floats,
    rounded: Floats,
    movable: Mask,
    patience: Patience,
    generator: np.random.Generator,
) -> Floats:
    """Whole numbers nearer to the units than `rounded`, improved until time is over; sums are kept."""
    if codes.shape[1] < 2:
        return rounded
    labels, size = codes.max(axis=0) + 1, SETTINGS.first_size
    while not patience.over():
        began = perf_counter()
        chosen = _box(codes, labels, size, generator) & movable
        other = _anew(relations, units, rounded, chosen, patience) if chosen.any() else rounded
        if np.abs(other - units).sum() < np.abs(rounded - units).sum():
            rounded = other
        spent = perf_counter() - began
        whole = all(size >= count for count in labels)
        if whole and spent < SETTINGS.box_seconds:
            break
        size = (
            min(SETTINGS.largest_size, size + 1)
            if spent < SETTINGS.fast_seconds
            else max(SETTINGS.least_size, size - 1)
            if spent > SETTINGS.box_seconds
            else size
        )
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
    # a cell that is past a neighbour already may stay there, and is drawn back
    low, high = np.minimum(0.0, now), np.maximum(1.0, now)
    slope = np.where(now > 1, 1.0, np.where(now < 0, -1.0, 1 - 2 * (units[chosen] - floors)))
    lp = LinearProgram.of(slope, low, high, matrix, sides, sides)
    solution = lp.choose(now, patience.over, time_limit=min(SETTINGS.box_seconds, patience.left + 0.01))
    if solution.x is None:
        return rounded
    other = rounded.copy()
    other[chosen] = floors + np.rint(solution.x)
    return rounded if np.abs(relations.residuals(other)).any() else other
