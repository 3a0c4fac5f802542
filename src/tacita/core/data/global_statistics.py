"""Statistics of a whole file, for records that are only a part of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from tacita.core.arrays import Floats


@dataclass(frozen=True)
class Whole:
    """Facts that a part of a file cannot know by itself.

    `spread` has mean and standard deviation of columns of numbers, by which every part weighs distances
    alike; `integer` says of them whether all values are whole numbers.
    """

    spread: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    integer: Mapping[str, bool] = field(default_factory=dict)

    def scale_of(self, columns: Sequence[str]) -> tuple[Floats, Floats] | None:
        """Mean and standard deviation of some columns; None where one of them is no number.

        >>> Whole({"x": (1.0, 2.0)}).scale_of(["x"]), Whole().scale_of(["x"])
        ((array([1.]), array([2.])), None)
        """
        if any(name not in self.spread for name in columns):
            return None
        centre, scale = np.array([self.spread[name] for name in columns]).reshape(-1, 2).T
        return centre, scale
