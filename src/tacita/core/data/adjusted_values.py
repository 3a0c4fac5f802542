"""Adjusted values of a table, with their distance from the true values and its lower bound."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tacita.core.arrays import Floats
from tacita.core.display.repr_html import Section, page
from tacita.core.errors import VerificationError

from .cell_keys import CellKeys, Flex, NoiseTable
from .suppression_pattern import Status
from .table import Table

# Relative rounding error of solvers and of sums of distances.
_ROUNDING = 1e-6


@dataclass(frozen=True, eq=False)
class Terms:
    """The parameters of the promises of an adjustment; all but the keys may be published.

    Every value is a multiple of `base`; none is `reach` or more away from the true one; inner counts up to
    `small` became 0 or that number; no count of 1 to `hidden` is there; all numbers are `whole`; what `noise`
    gives for `keys` was added, to counts, or to magnitudes as `flex` says.
    """

    base: float | None = None
    reach: float | None = None
    small: int | None = None
    hidden: int = 0
    whole: bool = False
    noise: NoiseTable | None = field(default=None, repr=False)
    keys: CellKeys | None = field(default=None, repr=False)
    flex: Flex | None = None


@dataclass(frozen=True, eq=False)
class Adjusted:
    """Adjusted values of the cells of a table, their distance from the true ones, and a bound. Confidential.

    Attributes
    ----------
    values : array of float
        The new value of each cell.
    distance : float
        Weighted sum of the changes that the method kept small.
    changed : int
        Number of cells that changed.
    lower_bound : float, optional
        Proven lower bound on the distance of any table that keeps the same promises.
    status : {"optimal", "feasible", "time limit", "stopped"}
        What ended the search: a proof, nothing left to try, its time, or the caller.
    seconds : float
        Duration of the search.
    method : str
        Name of the method.
    parameters : mapping
        Parameters of the method.
    terms : Terms
        What the promises of the method are about.
    relaxed : str
        What was relaxed where the request had no solution, or none was found.
    drawn : int
        Number of cells whose values depend on drawn numbers.
    seed : int, optional
        What these were drawn with. Secret.

    See Also
    --------
    adjust : Adjust a table, and audit the result.

    Examples
    --------
    >>> table = Table.from_array([[4.0, 6.0]])
    >>> near = Adjusted.of(table, np.array([5.0, 5, 10, 5, 5, 10]), lower_bound=4.0, status="optimal")
    >>> near.distance, near.gap, near.proven, near.changed
    (4.0, 0.0, True, 4)
    """

    values: Floats = field(repr=False)
    distance: float
    changed: int
    lower_bound: float | None = None
    status: Status = "feasible"
    seconds: float = 0.0
    method: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    terms: Terms = field(default_factory=Terms)
    relaxed: str = ""
    drawn: int = 0
    seed: int | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.values.ndim != 1 or not np.isfinite(self.values).all():
            raise VerificationError("Adjusted: wanted one finite value for every cell.")
        if not self.distance >= 0 or not (self.lower_bound is None or self.lower_bound >= 0):
            raise VerificationError("Adjusted: wanted a distance and a lower bound of at least 0.")
        if self.lower_bound is not None and self.lower_bound > self.distance * (1 + _ROUNDING) + _ROUNDING:
            raise VerificationError(
                "Adjusted: the lower bound lies above the distance; one of them is wrong."
            )
        if self.status == "optimal" and not self.proven:
            raise VerificationError("Adjusted: marked as optimal, but distance and bound do not meet.")
        self.values.setflags(write=False)

    @classmethod
    def of(cls, table: Table, values: Floats, weights: Floats | float = 1.0, **fields: Any) -> Adjusted:
        """Take new values for all cells; the distance follows from the table.

        Parameters
        ----------
        table : Table
            The table with its true values.
        values : array of float
            The new value of each cell.
        weights : float or array of float, default=1.0
            Weight of the change of each cell.
        **fields
            Other attributes of the result.

        Returns
        -------
        Adjusted
            The values with their distance.

        Raises
        ------
        VerificationError
            If there is not one value for each cell.
        """
        values = np.array(values, dtype=np.float64).reshape(-1)
        if values.shape != table.values.shape:
            raise VerificationError(f"Adjusted: wanted {table.n} values, one per cell, got {values.size}.")
        moved = np.abs(values - table.values)
        distance = float((weights * moved).sum())
        return cls(values=values, distance=distance, changed=int((moved > 0).sum()), **fields)

    @property
    def gap(self) -> float | None:
        """Share of the distance that a better table might save at most; None where no bound is known."""
        if self.lower_bound is None:
            return None
        # a proven optimum has no gap, despite rounding errors of the sum
        return 0.0 if self.proven else max(0.0, (self.distance - self.lower_bound) / self.distance)

    @property
    def proven(self) -> bool:
        """Whether no closer values keep the same promises."""
        if self.lower_bound is None:
            return False
        return self.distance - self.lower_bound <= _ROUNDING * max(self.distance, 1.0)

    @property
    def counts(self) -> Section:
        """Number of changed cells, the method, and what is proven, as a table."""
        return Section(
            (),
            (
                ("Cells", int(self.values.size)),
                ("Changed", self.changed),
                ("Method", self.method),
                ("Status", self.status),
                ("No others are nearer", self.proven),
                ("Relaxed", self.relaxed or "no"),
            ),
        )

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__} of {self.values.size} cells, {self.changed} of them changed, "
            f"by {self.method or 'hand'}: {self.status}>"
        )

    def _repr_html_(self) -> str:
        return page(f"Adjusted table of {self.values.size} cells", [self.counts])
