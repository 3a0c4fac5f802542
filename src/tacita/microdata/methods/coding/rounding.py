"""Numbers to multiples of a base."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from pydantic import Field

from tacita.core import Floats, RunContext

from .coding_method import Coding


class Round(Coding):
    """Numbers become multiples of a base: the nearest, or by chance the one below or above.

    x' = b floor(x / b + 1/2); at random x' = b floor(x / b) + b with probability x / b - floor(x / b), so
    that sums are right on average. O(n) a column. Source: Hundepool et al. (2012), Statistical Disclosure
    Control, section 3.2 and 5.4.

    >>> Round(base=5).renumber("x", np.array([3.0, 12.0, 12.5]), RunContext()).tolist()
    [5.0, 10.0, 15.0]
    """

    guarantees: ClassVar[tuple[str, ...]] = ("coded", "rounded-to-base")

    base: float = Field(gt=0, allow_inf_nan=False, description="numbers become multiples of it")
    random: bool = Field(default=False, description="up or down by chance, so that sums are right on average")

    def keeping(self) -> tuple[str, ...]:
        """By chance, records that shared their values no longer do."""
        return () if self.random else self.keeps

    def renumber(self, column: str, values: Floats, run: RunContext) -> Floats:
        """The nearest multiple of each value, or one of the two multiples next to it."""
        parts = values / self.base
        if not self.random:
            return np.floor(parts + 0.5) * self.base
        down = np.floor(parts)
        return (down + (run.protective_generator().random(values.size) < parts - down)) * self.base
