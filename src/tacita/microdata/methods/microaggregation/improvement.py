"""What all methods share that start from a partition and lower its error."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from tacita.core import DataError, Labels, Matrix, Partition, Run

from .mdav import MDAV
from .microaggregation_method import Microaggregation
from .repair import merge_short_groups

START = "where to start if no partition is given"


class Improvement(Microaggregation):
    """Lowers the squared error of a partition. Subclasses say how, in `improve`; a better start is kept.

    `of_start` names parameters that say where to start, and nothing where a partition is given.
    """

    anytime: ClassVar[bool] = True
    of_start: ClassVar[tuple[str, ...]] = ()

    def _labels(self, x: Matrix, units: Labels | None, start: Partition | None, run: Run) -> Labels:
        if start is not None and (start.n != x.shape[0] or start.sizes.min() < self.k):
            raise DataError(
                f"{self.spoken_name()}: wanted a start partition of {x.shape[0]} records in groups of at "
                f"least {self.k}, got {start.n} records in groups of at least {int(start.sizes.min())}."
            )
        before = self.group(x, units, run) if start is None else start.labels
        after = self.improve(x, before, units, run)
        if units is not None:
            # a start made without units may fall short of them too
            before, after = (merge_short_groups(x, labels, self.k, units) for labels in (before, after))
        return min(after, before, key=lambda labels: Partition(labels, 1).sse(x))

    def group(self, x: Matrix, units: Labels | None, run: Run) -> Labels:
        """The start partition, if none is given: MDAV's."""
        return MDAV(k=self.k).group(x, units, run)

    @abstractmethod
    def improve(self, x: Matrix, labels: Labels, units: Labels | None, run: Run) -> Labels:
        """Labels in groups of at least k, from labels that are."""
