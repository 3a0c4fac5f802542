"""Suppression patterns: the suppressed cells of a table, their cost, and a lower bound."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from tacita.core.arrays import Mask
from tacita.core.display.repr_html import Section, page
from tacita.core.errors import DataError, VerificationError

from .table import Table

# The protection problems, from the weakest requirement on a sensitive cell to intervals of a given width.
Problem = Literal["general", "exact", "interval"]
# How a search ended: with a proof, without further options, by time, or stopped by the caller.
Status = Literal["optimal", "feasible", "time limit", "stopped"]

# Relative rounding error of solvers and of sums of costs.
_ROUNDING = 1e-6


@dataclass(frozen=True, eq=False)
class Pattern:
    """Suppressed cells of a table, the cost of the secondary ones and a proven lower bound. Confidential.

    Protection from singletons, known sums of suppressed cells, whole numbers, and the records behind linked
    tables takes more than the problem asks: `lone_cost`, of `lone_count` cells. `lower_bound`, `gap`,
    `proven` and `status` are about the problem alone; for the rest no bound is known.

    Attributes
    ----------
    withheld : array of bool
        The suppressed cells.
    primary : array of bool
        The sensitive cells.
    cost : float
        Cost of the secondary suppressions. Never published: it is one more equation for an attacker.
    lower_bound : float
        Proven lower bound on the cost of any pattern for the problem alone.
    status : {"optimal", "feasible", "time limit", "stopped"}
        What ended the search: a proof, nothing left to try, its time, or the caller.
    seconds : float
        Duration of the search.
    method : str
        Name of the method.
    problem : {"general", "exact", "interval"}
        What protection means; see `suppress`.
    parameters : mapping
        Parameters of the method, and the options of `suppress`.
    problem_cost : float
        Least known cost of a pattern for the problem alone; all of `cost` by default.
    lone_count : int
        Number of cells that protect from singletons, known sums and the like.

    See Also
    --------
    suppress : Choose a pattern, and audit it.
    audit : Attack a pattern.

    Examples
    --------
    >>> table = Table.from_array([[5.0, 3.0], [2.0, 4.0]], primary=[[True, False], [False, False]])
    >>> everything = Pattern.of(table, table.inner, lower_bound=9.0, status="optimal")
    >>> everything.cost, everything.gap, everything.proven, everything.secondary_count
    (9.0, 0.0, True, 3)
    >>> some = Pattern.of(table, table.inner, lower_bound=6.0, problem_cost=6.0, lone_count=1)
    >>> some.cost, some.lone_cost, some.gap, some.proven
    (9.0, 3.0, 0.0, True)
    """

    withheld: Mask = field(repr=False)
    primary: Mask = field(repr=False)
    cost: float
    lower_bound: float
    status: Status = "feasible"
    seconds: float = 0.0
    method: str = ""
    problem: Problem = "interval"
    parameters: Mapping[str, Any] = field(default_factory=dict)
    problem_cost: float = np.nan
    lone_count: int = 0

    def __post_init__(self) -> None:
        if self.withheld.shape != self.primary.shape or self.withheld.dtype != bool:
            raise DataError("Pattern: wanted true or false for every cell.")
        if not np.isfinite(self.cost) or not self.lower_bound >= 0:
            raise VerificationError("Pattern: wanted a finite cost and a lower bound of at least 0.")
        if np.isnan(self.problem_cost):
            object.__setattr__(self, "problem_cost", self.cost)
        if not 0 <= self.problem_cost <= self.cost or not 0 <= self.lone_count <= self.secondary_count:
            raise VerificationError(
                "Pattern: cost and cells beyond the problem must be part of those of the pattern."
            )
        if (self.lone_cost > 0) != (self.lone_count > 0):
            raise VerificationError(
                "Pattern: cells beyond the problem cost something exactly if they take cells."
            )
        if self.lower_bound > self.problem_cost * (1 + _ROUNDING):
            raise VerificationError("Pattern: the lower bound lies above the cost; one of them is wrong.")
        if self.status == "optimal" and not self.proven:
            raise VerificationError("Pattern: marked as optimal, but cost and lower bound do not meet.")
        self.withheld.setflags(write=False)

    @classmethod
    def of(cls, table: Table, withheld: npt.ArrayLike, lower_bound: float = 0.0, **fields: Any) -> Pattern:
        """Make a pattern of suppressed cells; the cost follows from the table.

        Parameters
        ----------
        table : Table
            The table.
        withheld : array of bool
            The suppressed cells, in any shape of the cells of the table.
        lower_bound : float, default=0.0
            Proven lower bound on the cost of any pattern.
        **fields
            Other attributes of the pattern.

        Returns
        -------
        Pattern
            The pattern.

        Raises
        ------
        VerificationError
            If a sensitive cell is not suppressed, or one that must be published is.
        DataError
            If there is not one entry for each cell.
        """
        mask = np.array(withheld, dtype=bool).reshape(-1)
        if mask.shape != table.values.shape:
            raise DataError(f"Pattern: wanted {table.n} cells, got {mask.size}.")
        open_primary = int((table.primary & ~mask).sum())
        if open_primary:
            raise VerificationError(f"Pattern: {open_primary} sensitive cells are not suppressed.")
        forced = int((table.forced & mask).sum())
        if forced:
            raise VerificationError(f"Pattern: {forced} cells are suppressed that must be published.")
        cost = float(table.cost[mask & ~table.primary].sum())
        return cls(withheld=mask, primary=table.primary.copy(), cost=cost, lower_bound=lower_bound, **fields)

    def on(self, table: Table, withheld: npt.ArrayLike, **fields: Any) -> Pattern:
        """Copy method, problem and bound to other cells, or to those of another table.

        Parameters
        ----------
        table : Table
            The table; the cost follows from it.
        withheld : array of bool
            The suppressed cells.
        **fields
            Attributes that differ.

        Returns
        -------
        Pattern
            The pattern.
        """
        kept = ("lower_bound", "status", "seconds", "method", "problem", "parameters")
        return Pattern.of(table, withheld, **{name: getattr(self, name) for name in kept} | fields)

    @property
    def primary_count(self) -> int:
        """Number of sensitive cells."""
        return int(self.primary.sum())

    @property
    def secondary(self) -> Mask:
        """Cells that are suppressed only to protect others, as an array of bool."""
        return self.withheld & ~self.primary

    @property
    def secondary_count(self) -> int:
        """Number of secondary suppressions."""
        return int(self.secondary.sum())

    @property
    def lone_cost(self) -> float:
        """Cost of the protection from singletons, known sums and the like, beyond what the problem asks."""
        return self.cost - self.problem_cost

    @property
    def gap(self) -> float:
        """Share of the problem's cost that a better pattern might save at most: (cost - bound) / cost."""
        cost = self.problem_cost
        return max(0.0, (cost - self.lower_bound) / cost) if cost > 0 else 0.0

    @property
    def proven(self) -> bool:
        """Whether no pattern for the problem alone costs less; without `lone_cost`, no pattern at all."""
        return self.problem_cost - self.lower_bound <= _ROUNDING * self.problem_cost

    @property
    def counts(self) -> Section:
        """Numbers of suppressed cells, the problem, and what is proven, as a table."""
        return Section(
            (),
            (
                ("Sensitive cells", self.primary_count),
                ("Withheld to protect them", self.secondary_count),
                ("Of these, against singletons and known sums", self.lone_count),
                ("Problem", self.problem),
                ("Method", self.method),
                ("Status", self.status),
                ("No pattern for the problem costs less", self.proven),
            ),
        )

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__} of {int(self.withheld.sum())} suppressed cells, "
            f"{self.secondary_count} of them to protect others, by {self.method or 'hand'}: {self.status}>"
        )

    def _repr_html_(self) -> str:
        costs = (("Cost", self.cost), ("Lower bound", self.lower_bound), ("Gap in percent", 100 * self.gap))
        title = f"Pattern of {int(self.withheld.sum())} suppressed cells"
        return page(title, [self.counts, Section((), costs)])
