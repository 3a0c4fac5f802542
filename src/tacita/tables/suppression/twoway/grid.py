"""A two-dimensional table as the solvers see it, and what they hand back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from tacita.core import DataError, ParameterError
from tacita.core.percent import percent_of

Problem = Literal["general", "exact", "interval"]
Matrix = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Grid:
    """Cells with their margins: the last row and the last column are totals, the corner is the grand total.

    All arrays are (m+1) x (n+1). `primary` are the sensitive cells, withheld in any case; `allowed` the
    others that may be; `cost` what withholding one loses; `lower`, `upper` how far below and above its value
    the attacker's range of a primary must reach, `sliding` how wide it must be (all three interval only);
    `low`, `high` what the attacker knows of every cell beforehand.

    >>> grid = Grid.from_interior([[5.0, 1.0], [2.0, 3.0]], [[True, False], [False, False]], "general")
    >>> grid.values.tolist()
    [[5.0, 1.0, 6.0], [2.0, 3.0, 5.0], [7.0, 4.0, 11.0]]
    >>> int(grid.allowed.sum())
    4
    """

    values: Matrix
    primary: Mask
    allowed: Mask
    cost: Matrix
    lower: Matrix
    upper: Matrix
    sliding: Matrix
    low: Matrix
    high: Matrix
    problem: Problem = "general"

    def __post_init__(self) -> None:
        if self.problem not in get_args(Problem):
            raise ParameterError(f"Grid: problem must be one of {', '.join(get_args(Problem))}.")
        shape = self.values.shape
        if len(shape) != 2 or min(shape) < 2:
            raise DataError(f"Grid: wanted a table with its margins, at least 2 x 2, got shape {shape}.")
        for name in ("primary", "allowed", "cost", "lower", "upper", "sliding", "low", "high"):
            got = getattr(self, name)
            if got.shape != shape:
                raise DataError(f"Grid: {name} must have the shape of the values, {shape}, got {got.shape}.")
            if np.isnan(got).any():
                raise DataError(f"Grid: {name} has {int(np.isnan(got).sum())} missing entries.")
        if not np.isfinite(self.values).all():
            raise DataError(f"Grid: {int((~np.isfinite(self.values)).sum())} values are missing or infinite.")
        self._check_levels()

    def _check_levels(self) -> None:
        open_cells = self.allowed & ~self.primary
        if not np.isfinite(self.cost[open_cells]).all() or (self.cost[open_cells] < 0).any():
            raise DataError("Grid: the cost of a cell that may be withheld must be finite and not negative.")
        for name in ("lower", "upper", "sliding"):
            if (getattr(self, name)[self.primary] < 0).any():
                raise DataError(f"Grid: {name} protection levels must not be negative.")
        outside = (self.values < self.low) | (self.values > self.high)
        if self.problem != "general" and outside.any():
            raise DataError(
                f"Grid: {int(outside.sum())} cells lie outside the attacker's bounds. "
                "Widen the bounds, or use the general problem where the sign is unknown."
            )

    @property
    def sign(self) -> Matrix:
        """+1 for interior cells and the grand total, -1 for margins.

        Changes times sign add up to zero along every row and column, so that a change of the table that
        leaves all published cells alone is a flow without sources between the nodes of rows and columns.
        """
        signs = np.ones(self.values.shape)
        signs[-1, :] *= -1
        signs[:, -1] *= -1
        return signs

    @classmethod
    def from_interior(
        cls,
        values: npt.ArrayLike,
        primary: npt.ArrayLike,
        problem: Problem = "general",
        *,
        cost: npt.ArrayLike | Literal["value", "count"] = "value",
        lower: npt.ArrayLike = 15.0,
        upper: npt.ArrayLike = 15.0,
        sliding: npt.ArrayLike = 0.0,
        margins: bool = False,
        zeros: Literal["publish", "withhold"] | None = None,
        allowed: npt.ArrayLike | None = None,
        low: npt.ArrayLike | None = None,
        high: npt.ArrayLike | None = None,
    ) -> Grid:
        """From m x n interior cells; the margins are added up.

        `cost` is "value" (absolute values; zeros cost 1), "count" or an array, of the interior or with
        margins. `lower`, `upper`, `sliding`: in percent of the value, or an array of absolute levels.
        `margins`: they may be withheld too. `zeros`: published unless the problem is exact. Bounds default to
        [0, infinity), and to none in the general problem. Arrays of interior shape leave margins at their
        default.
        """
        inside = np.asarray(values, dtype=np.float64)
        sensitive = np.asarray(primary, dtype=bool)
        if inside.ndim != 2 or sensitive.shape != inside.shape:
            raise DataError(
                f"Grid: wanted a matrix and a primary mask of its shape, got shapes {inside.shape} and "
                f"{sensitive.shape}."
            )
        full = _with_totals(inside)
        shape = full.shape
        keep_zeros = (zeros or ("withhold" if problem == "exact" else "publish")) == "withhold"
        may = np.zeros(shape, dtype=bool)
        may[:-1, :-1] = True
        if margins:
            may[:] = True
        if not keep_zeros:
            may &= full != 0
        if allowed is not None:
            may &= _padded(np.asarray(allowed, dtype=bool), shape, margins)
        magnitude = np.where(full == 0, 1.0, np.abs(full))
        if isinstance(cost, str):
            if cost not in ("value", "count"):
                raise ParameterError(f"Grid: cost must be 'value', 'count' or an array, got {cost!r}.")
            price = magnitude if cost == "value" else np.ones(shape)
        else:
            price = _padded(np.asarray(cost, dtype=np.float64), shape, magnitude)
        free = problem == "general"
        return cls(
            values=full,
            primary=_padded(sensitive, shape, False),
            allowed=may,
            cost=price,
            lower=_level(lower, full, shape),
            upper=_level(upper, full, shape),
            sliding=_level(sliding, full, shape),
            low=_bound(low, shape, -np.inf if free else 0.0),
            high=_bound(high, shape, np.inf),
            problem=problem,
        )


def _with_totals(inside: Matrix) -> Matrix:
    wide = np.column_stack([inside, inside.sum(axis=1)])
    return np.vstack([wide, wide.sum(axis=0)])


def _padded(inside: npt.NDArray, shape: tuple[int, ...], margin: object) -> npt.NDArray:
    """An array of the full shape: as given, or the interior with `margin` (a number or full array) around."""
    if inside.shape == shape:
        return inside
    if inside.shape != (shape[0] - 1, shape[1] - 1):
        raise DataError(f"Grid: wanted an array of the interior or of shape {shape}, got {inside.shape}.")
    full = np.array(np.broadcast_to(np.asarray(margin, dtype=inside.dtype), shape))
    full[:-1, :-1] = inside
    return full


def _level(level: npt.ArrayLike, values: Matrix, shape: tuple[int, ...]) -> Matrix:
    given = np.asarray(level, dtype=np.float64)
    return percent_of(float(given), values, "Grid") if given.ndim == 0 else _padded(given, shape, 0.0)


def _bound(bound: npt.ArrayLike | None, shape: tuple[int, ...], default: float) -> Matrix:
    if bound is None:
        return np.full(shape, default)
    given = np.asarray(bound, dtype=np.float64)
    return np.full(shape, float(given)) if given.ndim == 0 else _padded(given, shape, default)


@dataclass(frozen=True, eq=False)
class Solution:
    """A pattern with what is proven about it.

    `cost` is that of the secondary cells; the primaries are withheld whatever is decided. No pattern that
    protects costs less than `lower_bound`. `proven`: the two meet. `bound` says where the lower bound comes
    from: "proof" of a search, "relaxation", or "trivial" where the method has none of its own.

    >>> mask = np.array([[True, True], [True, True]])
    >>> Solution(mask, mask, 10.0, 9.0, "heuristic", "relaxation").gap
    0.1
    """

    withheld: Mask
    primary: Mask
    cost: float
    lower_bound: float
    status: Literal["optimal", "time-limit", "heuristic"]
    bound: Literal["proof", "relaxation", "trivial"] = "trivial"
    seconds: float = 0.0
    rounds: int = 0
    nodes: int = 0

    @property
    def proven(self) -> bool:
        """Whether no pattern can be cheaper."""
        return self.cost - self.lower_bound <= 1e-6 * max(1.0, abs(self.cost))

    @property
    def gap(self) -> float:
        """How far the cost can be from the least, as a share of the cost."""
        return 0.0 if self.proven else (self.cost - self.lower_bound) / self.cost

    @property
    def secondary_count(self) -> int:
        """Withheld cells that are not primary."""
        return int((self.withheld & ~self.primary).sum())
