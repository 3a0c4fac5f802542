"""Bounds of published values, set by the user and never derived from the data."""

from __future__ import annotations

import numpy as np
from pydantic import Field, model_validator

from tacita.core.arrays import Floats, Mask
from tacita.core.errors import DataError, ParameterError
from tacita.core.spec.params import Parameters


class Bounded(Parameters):
    """Parameters of a method whose published values stay within bounds, the same for all columns."""

    lowest: float | None = Field(
        default=None,
        allow_inf_nan=False,
        description="no published value is lower, in any protected column (0: none is negative)",
    )
    highest: float | None = Field(
        default=None, allow_inf_nan=False, description="no published value is higher, in any protected column"
    )

    @model_validator(mode="after")
    def _check_bounds(self) -> Bounded:
        if self.lowest is not None and self.highest is not None and not self.lowest < self.highest:
            raise ParameterError(
                f"{self.display_name()}: lowest must be less than highest, got {self.lowest:g} and "
                f"{self.highest:g}."
            )
        return self

    def outside(self, values: Floats) -> Mask:
        """A mask of the values beyond a bound."""
        beyond = np.zeros(values.shape, dtype=bool)
        if self.lowest is not None:
            beyond |= values < self.lowest
        if self.highest is not None:
            beyond |= values > self.highest
        return beyond

    def check_originals(self, values: Floats) -> None:
        """Raise where original values lie outside the bounds."""
        wrong = int(self.outside(values).sum())
        if wrong:
            raise DataError(
                f"{self.display_name()}: {wrong} original values lie outside the bounds. They hold for every "
                "protected column; widen them, or protect these columns in a run of their own."
            )
