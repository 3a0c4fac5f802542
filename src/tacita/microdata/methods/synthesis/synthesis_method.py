"""What all synthesis methods share; of those by regression, the refusals before, bounds and scale after."""

from __future__ import annotations

from abc import abstractmethod
from typing import Annotated, Any, ClassVar

import numpy as np
import numpy.typing as npt
from pydantic import Field

from tacita.core import DataError, Mask, Matrix, RecordMethod, RunContext
from tacita.core.arrays import as_matrix
from tacita.core.data.value_bounds import Bounded

from .constraints import Constraints
from .regression import Regression

# What every synthesis promises of the columns it draws.
SYNTHETIC = ("synthetic-cells", "values-changed")

# What bounds take away.
EXACT_MOMENTS = ("means-preserved", "covariances-preserved", "coefficients-preserved")

# A residual under this share of a column's spread would publish the column to three digits of its spread.
FUNCTION_LIMIT = 1e-3

Leverage = Annotated[
    float,
    Field(
        gt=0,
        le=1,
        description="largest weight of a record's own value in its prediction; records above are refused, "
        "1 accepts any",
    ),
]

Unchanged = Annotated[
    float,
    Field(
        ge=0,
        le=1,
        description="largest share of a column's values that may come out within a thousandth of its spread; "
        "1 accepts any",
    ),
]

# So few values may come out near the true ones by chance, however few records there are.
CHANCE_HITS = 2


class BaseSynthesis(RecordMethod):
    """Replaces dependent attributes, given independent ones that are kept: all that a release asks of it."""

    kind: ClassVar[str] = "synthesis"
    guarantees: ClassVar[tuple[str, ...]] = ("synthetic-cells",)

    @property
    def needs_whole_file(self) -> str:
        return "its models and what they preserve are those of all records of a stratum"

    @abstractmethod
    def synthesize(
        self, y: npt.ArrayLike, s: npt.ArrayLike | None = None, run: RunContext | None = None
    ) -> Matrix:
        """New values of y (n x p) given s (n x q, or None), rows aligned, both on the scale they come in."""

    def searched(
        self, y: npt.ArrayLike, s: npt.ArrayLike | None, run: RunContext, **options: Any
    ) -> tuple[Matrix, list[dict[str, Any]]]:
        """The same, and the results of its search, fit by fit; none for a method without a search.

        A fit that is for one column alone names it by its place under `column`.
        """
        return self.synthesize(y, s, run, **options), []


class Synthesis(Bounded, BaseSynthesis):
    """Draws numbers by a regression on the independent attributes. Subclasses say how, in `draw`.

    Promises that dependent values are not the original ones; subclasses may add what holds exactly in every
    release: means, covariances (of all attributes), the coefficients of the regression on the independent
    ones, and linear relations among all attributes.

    With bounds, records that break one move to the nearest values that keep bounds and linear relations;
    exact moments are not promised then.
    """

    guarantees: ClassVar[tuple[str, ...]] = SYNTHETIC
    against_true_values: ClassVar[str] = "Make it independent, or leave out what determines it"

    max_leverage: Leverage = 0.9
    max_unchanged: Unchanged = 0.1
    nonnegative: bool = Field(default=False, description="no negative values in columns that have none")

    @property
    def bounded(self) -> bool:
        """Whether values are brought within bounds after they were drawn."""
        return self.nonnegative or self.lowest is not None or self.highest is not None

    def promised(self) -> tuple[str, ...]:
        """What holds with this setting: values that move to a bound take exact moments with them."""
        if not self.bounded:
            return self.guarantees
        return (*(name for name in self.guarantees if name not in EXACT_MOMENTS), "bounds-kept")

    def synthesize(
        self, y: npt.ArrayLike, s: npt.ArrayLike | None = None, run: RunContext | None = None
    ) -> Matrix:
        """New values of y (n x p) given s (n x q, or None), rows aligned, both on the scale they come in."""
        regression = self.regress(y, s)
        drawn = self.draw(regression, run or RunContext())
        released = regression.original_scale(drawn)
        if self.bounded:
            independent = (
                np.empty((regression.n, 0)) if s is None or np.size(s) == 0 else as_matrix(s, "Synthesis")
            )
            constraints = self.constraints(as_matrix(y, "Synthesis"), independent)
            released = constraints.project(drawn, regression, independent, relations=True)
        self.check_unchanged_share(regression, released)
        return released

    def constraints(self, y: Matrix, s: Matrix, *, order: bool = False) -> Constraints:
        """The declared bounds, and those that the data keep where these are requested."""
        self.check_originals(y)
        constraints = Constraints.from_data(y, s, nonnegative=self.nonnegative, order=order)
        return constraints.within(self.lowest, self.highest)

    def check_unchanged_share(self, regression: Regression, released: Matrix) -> None:
        """Raise where too many values of a column come out as they were, on the scale of the file. O(n p).

        What was brought to a bound is no true value, though many originals may lie there too.
        """
        drawn = (released - regression.centre) / regression.scale
        near = (np.abs(regression.y - drawn) < FUNCTION_LIMIT) & ~self.at_bound(released)
        close = near.sum(axis=0)
        known = np.flatnonzero((close > self.max_unchanged * regression.n) & (close > CHANCE_HITS))
        if known.size:
            raise DataError(
                f"{self.display_name()}: up to {100 * close.max() / regression.n:.0f} % of the values of "
                f"dependent {numbered(known)} would come out unchanged (within {FUNCTION_LIMIT:g} of the "
                f"spread). {self.against_true_values}, or set max_unchanged = 1 to accept it."
            )

    def at_bound(self, released: Matrix) -> Mask:
        """Which values lie on a bound, to the last bit."""
        bounds = [self.lowest, self.highest, 0.0 if self.nonnegative else None]
        return np.isin(released, [bound for bound in bounds if bound is not None])

    @abstractmethod
    def draw(self, regression: Regression, run: RunContext) -> Matrix:
        """Synthetic values on the standardised scale of the regression."""

    def regress(self, y: npt.ArrayLike, s: npt.ArrayLike | None) -> Regression:
        """Y on [1, S]; refuses where the release would hold true values, or has no room for others."""
        who = self.display_name()
        dependent = as_matrix(y, who)
        n = dependent.shape[0]
        independent = np.empty((n, 0)) if s is None or np.size(s) == 0 else as_matrix(s, who)
        if independent.shape[0] != n:
            raise DataError(
                f"{who}: wanted dependent and independent values of the same records, got {n} and "
                f"{independent.shape[0]}."
            )
        if n < 3:
            raise DataError(f"{who}: wanted at least 3 records, got {n}. Merge strata.")
        regression = Regression.of(dependent, independent)
        fault = fault_of(regression, self.max_leverage)
        if fault:
            raise DataError(f"{who}: {fault}")
        return regression


def fault_of(regression: Regression, max_leverage: float) -> str | None:
    """Why synthetic values would be the true ones, or cannot be made; None where all is well. O(n p)."""
    n, rank, residual_rank = regression.n, regression.independent_rank, regression.residual_rank
    spread = np.sqrt(((regression.right * regression.strength) ** 2).sum(axis=1) / n)
    known = np.flatnonzero(spread < FUNCTION_LIMIT)
    if known.size:
        return (
            f"dependent {numbered(known)} would come out unchanged: constant, or a function of the "
            f"independent ones (residuals under {FUNCTION_LIMIT:g} of the spread). Make it independent, "
            "leave it out, or leave out what determines it."
        )
    if n <= rank + 2 * residual_rank:
        return (
            f"wanted more records than rank [1, S] + 2 rank of residuals = {rank} + 2 * {residual_rank} = "
            f"{rank + 2 * residual_rank}, got {n}. Use fewer attributes or merge strata."
        )
    high = np.flatnonzero(regression.leverage > max_leverage)
    if high.size:
        return (
            f"{high.size} records have a leverage over {max_leverage:g}: "
            "their values would come out all but unchanged. Remove or top-code them, use fewer independent "
            "attributes, or set max_leverage = 1 to accept it."
        )
    return None


def numbered(columns: npt.NDArray[np.intp]) -> str:
    """Columns by number, in the order they were given, counted from 1.

    >>> numbered(np.array([0, 2]))
    'columns 1, 3 (as given)'
    """
    numbers = ", ".join(str(column + 1) for column in columns)
    return f"column{'s' if columns.size > 1 else ''} {numbers} (as given)"


def check_whole_numbers(who: str, values: Matrix) -> None:
    """Raise where values that are to be published whole are not."""
    broken = int((values != np.rint(values)).sum() - np.isnan(values).sum())
    if broken:
        raise DataError(
            f"{who}: {broken} values to be published whole are not: too few whole numbers of their column "
            "are shared by k records. Leave out round-integers, lower k or merge strata."
        )
