"""Controlled tabular adjustment: sensitive cells leave their intervals, others move as little as can be."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import floor, log2
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import BeforeValidator, Field
from scipy import sparse
from scipy.sparse.linalg import splu

from tacita.core import Adjusted, DataError, RunContext, Table, Terms
from tacita.core.arrays import Floats, Ints, Mask
from tacita.core.data.suppression_pattern import Status
from tacita.solvers.highs import LinearProgram

from .adjustment_method import Adjustment
from .controlled_rounding import as_task, nearest
from .decimals import exactly_additive
from .sums import settled, sums_of
from .time_limit import Patience


@dataclass(frozen=True)
class CTASettings:
    """Tolerances of controlled tabular adjustment, and when its least squares end.

    `python -m benchmarks adjustment` prints distances and seconds of the methods.
    """

    # share of a value that a solver may be off
    tolerance: float = 1e-7
    # rounds of the active set method, at most
    rounds: int = 200
    # share of the largest diagonal entry that is added, so that a singular system has a solution
    ridge: float = 1e-13
    # share of the largest change below which a change is rounding
    noise: float = 1e-11


SETTINGS = CTASettings()


def _as_number(norm: object) -> object:
    """Commands and pages say a number as text."""
    return int(norm) if isinstance(norm, str) and norm.isdecimal() else norm


class CTA(Adjustment):
    """Moves every sensitive cell out of its protection interval, and the others least; sums hold.

    Minimise sum w_i |z_i - a_i| with M z = 0, z_i within the bounds of the table, and z_p >= a_p + u_p or
    z_p <= a_p - l_p for every sensitive cell p: a binary choice each, by an integer program with a bound.
    The norm 2 keeps the directions that norm 1 chose, and spreads the changes. Zeros stay zero; sums may
    move, unless they are kept. Values have nine decimal digits at most, and sums hold to the last one. With
    `whole`, the result is rounded to whole numbers that still add up.

    O(an integer program with a binary variable for every sensitive cell).
    Source: Dandekar & Cox (2002), Synthetic tabular data; Castro (2006), European J. of Operational Research
    171.

    >>> secret = [[True, False], [False, False]]
    >>> table = Table.from_array([[50.0, 30], [20, 40]], primary=secret, lower=10, upper=20)
    >>> found = CTA(weights="equal", keep_sums=True).adjust(table)
    >>> table.grid(found.values).tolist()[:2]
    [[45.0, 35.0, 80.0], [25.0, 35.0, 60.0]]
    >>> found.distance, found.proven
    (20.0, True)
    """

    guarantees: ClassVar[tuple[str, ...]] = ("adds-up", "outside-intervals", "within-bounds", "zeros-stay")
    leans_on_sensitive: ClassVar[bool] = True
    anytime: ClassVar[bool] = True

    norm: Annotated[Literal[1, 2], BeforeValidator(_as_number)] = Field(
        default=1, description="1: least sum of changes; 2: least sum of their squares"
    )
    weights: Literal["relative", "equal", "cost"] = Field(
        default="relative",
        description="a change counts by its share of the value, as it is, or at the cost of the cell",
    )
    whole: bool = Field(default=False, description="whole numbers in every cell")
    keep_sums: bool = Field(default=False, description="sums that are not sensitive stay as they are")
    seconds: float = Field(
        default=30.0, gt=0, le=1e7, description="seconds after which the best values are taken"
    )

    def revalue(self, table: Table, run: RunContext) -> Adjusted:
        """Choose directions, then amounts, then round."""
        patience, weights = Patience(self.seconds, run), self._weights(table)
        run.report("choosing directions", 0, 3)
        problem = Moves.of(table, weights, self.keep_sums, self.whole)
        up, bound = problem.directions(patience)
        run.report("choosing amounts", 1, 3)
        values = problem.values(up, self.norm)
        run.report("rounding", 2, 3)
        values = _summed(table, values, problem.ends(up))
        if self.whole:
            values = self._rounded(table, problem, up, values, patience, run)
        run.report("rounding", 3, 3)
        scale = weights.max(initial=1.0)
        made = Adjusted.of(
            table,
            values,
            weights / scale,
            # the bound is one of sums, not of squares
            lower_bound=float(bound / scale) if self.norm == 1 else None,
            seconds=patience.spent,
            terms=self.terms(table, values),
        )
        status: Status = "optimal" if made.proven else "stopped" if patience.stopped else "feasible"
        return replace(made, status=status if patience.left > 0 or made.proven else "time limit")

    def terms(self, table: Table, values: Floats) -> Terms:
        """Whether numbers are whole."""
        return Terms(whole=self.whole)

    def _weights(self, table: Table) -> Floats:
        if self.weights == "relative":
            return np.asarray(1.0 / np.maximum(np.abs(table.values), 1.0), dtype=np.float64)
        if self.weights == "equal":
            return np.ones(table.n)
        least = table.cost[table.cost > 0].min(initial=1.0)
        return np.maximum(table.cost, least)

    def _rounded(
        self, table: Table, problem: Moves, up: Mask, values: Floats, patience: Patience, run: RunContext
    ) -> Floats:
        low, high = problem.ends(up)
        task = as_task(table.relations, table.codes, values, 1.0, low, high)
        rounding = nearest(task, patience, run.silent())
        if not rounding.units.size:
            raise DataError(
                "CTA: no whole numbers add up within the bounds. Leave `whole` away, or widen them."
            )
        return rounding.units


def _summed(table: Table, values: Floats, ends: tuple[Floats, Floats]) -> Floats:
    """Sums computed anew from what they are made of: a solver's are right to some digits only.

    Where parts are tied among themselves, as by linked tables or by several partitions of one total, cells
    move by some units of their last digit until every sum is exact.
    """
    sums, values = sums_of(table.relations, table.n), values.clip(*ends)
    # what a solver left of zero is zero, and what it did not move stays as it was
    still = np.abs(values - table.values) <= SETTINGS.tolerance * np.maximum(1.0, np.abs(table.values))
    tidy = np.where(still, table.values, values.round(9))
    exact = exactly_additive(table.relations, sums, tidy, ends, still)
    if exact is not None:
        return exact
    if sums.free(table.relations):
        return sums.of(tidy[sums.parts])
    return settled(table.relations, tidy, ~still & ~table.primary)


@dataclass(frozen=True, eq=False)
class Moves:
    """How far every cell may go, and how far sensitive ones must: `rise` or `fall`, inf where they cannot."""

    table: Table
    weights: Floats
    down: Floats
    up: Floats
    secret: Ints
    rise: Floats
    fall: Floats

    @classmethod
    def of(cls, table: Table, weights: Floats, keep_sums: bool, whole: bool) -> Moves:
        """The moves that a table allows."""
        _check_levels(table)
        values, secret = table.values, np.flatnonzero(table.primary)
        fixed = ((values == 0) & ~table.primary) | (keep_sums & ~table.inner & ~table.primary)
        down = np.where(fixed, 0.0, values - table.low)
        up = np.where(fixed, 0.0, table.high - values)
        above, below = values + table.upper, values - table.lower
        if whole:
            above, below = np.ceil(above - 1e-9), np.floor(below + 1e-9)
        rise, fall = (above - values)[secret], (values - below)[secret]
        rise = np.where((rise <= up[secret]) & (table.upper[secret] > 0), rise, np.inf)
        fall = np.where((fall <= down[secret]) & (table.lower[secret] > 0), fall, np.inf)
        if stuck := int((np.isinf(rise) & np.isinf(fall)).sum()):
            raise DataError(
                f"CTA: {stuck} sensitive cells have no value outside their interval that the bounds of the "
                "table allow. Widen the bounds, or lower the levels."
            )
        return cls(table=table, weights=weights, down=down, up=up, secret=secret, rise=rise, fall=fall)

    def _sums(self) -> sparse.csc_array:
        n = self.table.n
        rows, cells, signs = self.table.relations.among(np.ones(n, dtype=bool), only_basis=True)
        used, row = np.unique(rows, return_inverse=True)
        return sparse.csc_array((signs, (row, cells)), shape=(used.size, n))

    @cached_property
    def unit(self) -> float:
        """What amounts are divided by for the solver, whose tolerances are absolute: a power of two."""
        needed = np.concatenate([self.rise, self.fall])
        most = float(needed[np.isfinite(needed)].max(initial=0.0))
        return 2.0 ** floor(log2(most)) if most > 0 else 1.0

    @cached_property
    def price(self) -> float:
        """What weights are divided by for the solver: that of the cells which may move is 1 in the middle."""
        moving = self.weights[(self.up > 0) | (self.down > 0)]
        return 2.0 ** floor(log2(np.median(moving))) if moving.size else 1.0

    def _changes_lp(self, up: Floats, down: Floats, least_up: Floats, least_down: Floats) -> LinearProgram:
        """Least weighted changes within some ends, all sums kept: moves in units, costs in prices."""
        plain = self._sums()
        matrix = sparse.hstack([plain, -plain], format="csc")
        lower, upper = (np.concatenate(ends) / self.unit for ends in ([least_up, least_down], [up, down]))
        zeros = np.zeros(plain.shape[0])
        costs = np.concatenate([self.weights, self.weights]) / self.price
        return LinearProgram.of(costs, lower, upper, matrix, zeros, zeros)

    def ends(self, up: Mask) -> tuple[Floats, Floats]:
        """The bounds of each cell, once it is known which sensitive ones rise."""
        low, high = self.table.values - self.down, self.table.values + self.up
        values = self.table.values[self.secret]
        low[self.secret] = np.where(up, values + self.rise, low[self.secret])
        high[self.secret] = np.where(up, high[self.secret], values - self.fall)
        return low, high

    def values(self, up: Mask, norm: int) -> Floats:
        """The nearest values with these directions."""
        if norm == 2:
            low, high = (end - self.table.values for end in self.ends(up))
            change = least_squares(self._sums(), self.weights / self.weights.max(initial=1.0), low, high)
            if change is not None:
                return np.asarray(self.table.values + change, dtype=np.float64)
        lp = self._directed(up)
        if lp.solve() != "optimal":
            raise DataError("CTA: no values with the directions that were chosen were found.")
        rising, falling = self.unit * lp.x.reshape(2, -1)
        return np.asarray(self.table.values + rising - falling, dtype=np.float64)

    def _directed(self, up: Mask) -> LinearProgram:
        n, secret = self.table.n, self.secret
        least_up, least_down, most_up, most_down = np.zeros(n), np.zeros(n), self.up.copy(), self.down.copy()
        least_up[secret], least_down[secret] = np.where(up, self.rise, 0.0), np.where(up, 0.0, self.fall)
        most_up[secret[~up]] = 0.0
        most_down[secret[up]] = 0.0
        return self._changes_lp(most_up, most_down, least_up, least_down)

    def directions(self, patience: Patience) -> tuple[Mask, float]:
        """Which sensitive cells rise, and a lower bound of the sum of weighted changes."""
        scale = self.price * self.unit
        start = self._start()
        lp, columns = self._choice(np.inf if start is None else start[1])
        known = None if start is None else np.append(start[2], start[0] * 1.0)
        solution = lp.choose(known, patience.over, whole=columns, time_limit=max(0.1, patience.left / 2))
        if solution.x is None and start is None:
            why = "exist" if solution.status == "infeasible" else "were found in time"
            raise DataError(
                f"CTA: no values {why} that keep all sums with every sensitive cell outside its interval. "
                "Let sums move (leave keep_sums away), widen the bounds, or lower the levels."
            )
        bound = max(0.0, solution.bound) if np.isfinite(solution.bound) else 0.0
        if solution.x is None and start is not None:
            return start[0], bound * scale
        assert solution.x is not None
        return solution.x[columns] > 0.5, bound * scale

    def _start(self) -> tuple[Mask, float, Floats] | None:
        """All sensitive cells up where possible, as it nearly always is; or all down; in units and prices."""
        for up in (np.isfinite(self.rise), np.isinf(self.fall)):
            lp = self._directed(up)
            if lp.solve() == "optimal":
                return up, lp.value, lp.x
        return None

    def _choice(self, limit: float) -> tuple[LinearProgram, Ints]:
        """Both directions open: a column for every sensitive cell is 1 where it rises."""
        n, secret, k = self.table.n, self.secret, self.secret.size
        lp = self._changes_lp(self.up, self.down, np.zeros(n), np.zeros(n))
        columns = 2 * n + np.arange(k)
        none = np.zeros(0, dtype=np.int64)
        low = np.where(np.isinf(self.fall), 1.0, 0.0)
        high = np.where(np.isinf(self.rise), 0.0, 1.0)
        lp.add_columns(np.zeros(k), low, high, np.zeros(k, dtype=np.int64), none, np.zeros(0))
        # no cell of a better solution moves farther than what the known one costs
        share = self.weights[secret] / self.price
        far = limit / share if np.isfinite(limit) else np.full(k, self._widest() / self.unit)
        most_up, most_down = (np.minimum(span[secret] / self.unit, far) for span in (self.up, self.down))
        rise, fall = (np.where(np.isinf(least), 0.0, least / self.unit) for least in (self.rise, self.fall))
        # up >= rise x; up <= most x; down >= fall (1 - x); down <= most (1 - x)
        for column, of_x, of_move, side in (
            (secret, -rise, 1.0, np.zeros(k)),
            (secret, np.maximum(most_up, rise), -1.0, np.zeros(k)),
            (n + secret, fall, 1.0, fall),
            (n + secret, -np.maximum(most_down, fall), -1.0, -np.maximum(most_down, fall)),
        ):
            at = np.column_stack([column, columns]).ravel()
            entries = np.column_stack([np.full(k, of_move), of_x]).ravel()
            lp.add_rows(side, 2 * np.arange(k), at, entries)
        return lp, columns

    def _widest(self) -> float:
        least_changes = (
            np.where(np.isinf(self.rise), 0.0, self.rise).sum()
            + np.where(np.isinf(self.fall), 0.0, self.fall).sum()
        )
        return float(10.0 * (np.abs(self.table.values).max(initial=1.0) + least_changes))


def _check_levels(table: Table) -> None:
    bare = table.primary & (table.lower <= 0) & (table.upper <= 0)
    if bare.any():
        where = " / ".join(table.label(int(np.flatnonzero(bare)[0])))
        raise DataError(
            f"CTA: {int(bare.sum())} sensitive cells have no protection level (first: {where}), so that they "
            "could stay as they are. Give levels, or a rule that does."
        )


def least_squares(matrix: sparse.csc_array, weights: Floats, low: Floats, high: Floats) -> Floats | None:
    """Changes d of least sum w d^2 with A d = 0 and low <= d <= high; None where none were found.

    A guess which changes stand at an end leaves a linear system for the multipliers of A; who then passes an
    end is put there, and who is pushed off one is let go, until nothing changes. O(rounds) factorisations.
    Source: the primal-dual active set method, Hintermueller, Ito & Kunisch (2002), SIAM J. Optim. 13(3),
    865-888.

    >>> matrix = sparse.csc_array(np.array([[1.0, 1.0, -1.0]]))
    >>> least_squares(matrix, np.ones(3), np.array([3.0, -9, -9]), np.full(3, 9.0)).round(6).tolist()
    [3.0, -1.5, 1.5]
    """
    below, above = low > 0, high < 0
    for _ in range(SETTINGS.rounds):
        free = ~(below | above)
        fixed = np.where(below, low, np.where(above, high, 0.0))
        part = matrix[:, free]
        pull = part @ sparse.diags_array(1.0 / weights[free]) @ part.T
        ridge = SETTINGS.ridge * max(float(pull.diagonal().max(initial=0.0)), 1e-300)
        system = (pull + ridge * sparse.eye_array(matrix.shape[0])).tocsc()
        multipliers = splu(system).solve(-(matrix @ fixed))
        pushed = (matrix.T @ multipliers) / weights
        change = np.where(free, pushed, fixed)
        noise = SETTINGS.noise * max(1.0, float(np.abs(change).max(initial=0.0)))
        # at an end, a change stays only as long as the multipliers push it there
        now_below = np.where(below, pushed <= low + noise, free & (change < low - noise))
        now_above = np.where(above, pushed >= high - noise, free & (change > high + noise))
        same = (now_below == below).all() and (now_above == above).all()
        below, above = now_below, now_above
        if same:
            kept = np.abs(matrix @ change).max(initial=0.0) <= 1e-7 * max(
                1.0, float(np.abs(change).max(initial=0.0))
            )
            return change if kept else None
    return None
