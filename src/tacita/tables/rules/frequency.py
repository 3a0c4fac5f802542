"""Rules against cells of few contributors, and against zeros that tell something."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from pydantic import Field

from tacita.core import Contributors, Percent

from .rule import Flags, Rule


class MinimumFrequency(Rule):
    """A cell is sensitive if it has contributors, but fewer than a minimum.

    Protection level: `margin` percent of the cell's value. Cells nobody contributes to are not flagged, nor
    cells in which everyone waived protection. Sampling weights count only with `weighted`.

    O(cells).
    Source: Hundepool et al. (2012), Statistical Disclosure Control, Wiley, ch. 4.

    >>> MinimumFrequency(threshold=3).flag(Contributors.of([[5, 5], [3, 2, 2], []])).mask.tolist()
    [True, False, False]
    """

    threshold: int = Field(default=3, ge=2, description="least number of contributors")
    margin: Percent = Field(default=30.0, ge=0, description="protection level, in percent of the value")
    weighted: bool = Field(default=False, description="count contributors with their sampling weights")

    def flag(self, cells: Contributors) -> Flags:
        count = cells.frequency if self.weighted else cells.count
        nobody_asks = (cells.open == 0) & (cells.total > 0)
        mask = (cells.count > 0) & (count < self.threshold) & ~nobody_asks
        return Flags.of(np.asarray(mask, dtype=bool), cells.total * self.margin / 100.0)


class ZeroCells(Rule):
    """A cell is sensitive if it has contributors who all contributed nothing.

    A published zero reveals the value of every contributor. Cells nobody contributes to are flagged only with
    `empty`, as for counts where "none" is information. Protection level: a fixed amount above, none below.

    O(cells).
    Source: the zero rule of tau-ARGUS, after its manual.

    >>> ZeroCells(level=1).flag(Contributors.of([[0, 0], [], [2, 1]])).mask.tolist()
    [True, False, False]
    """

    of_sums: ClassVar[bool] = False

    level: float = Field(default=1.0, gt=0, description="protection level above zero, in units of the value")
    empty: bool = Field(default=False, description="flag cells without contributors too")

    def flag(self, cells: Contributors) -> Flags:
        mask = np.asarray((cells.total == 0) & ((cells.count > 0) | self.empty), dtype=bool)
        none = np.zeros(mask.size)
        return Flags(mask, none, np.where(mask, self.level, 0.0), none)
