"""What all codings share: the numbers of a column become others."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from tacita.core import Floats, RecordMethod, RunContext

# Where equal numbers stay equal, groups of k stay groups of k.
_KEPT = ("groups-of-k", "k-anonymous", "k-units", "column-groups", "column-units", "units-agree")


class Coding(RecordMethod):
    """Replaces the numbers of a column by other numbers. Subclasses say how.

    All records of a column are looked at together, whatever stratum they are in; what is missing stays so.
    """

    kind: ClassVar[str] = "coding"
    guarantees: ClassVar[tuple[str, ...]] = ("coded",)
    keeps: ClassVar[tuple[str, ...]] = _KEPT
    by_chance: ClassVar[bool] = False

    @abstractmethod
    def renumber(self, column: str, values: Floats, run: RunContext) -> Floats:
        """What the numbers of a column become, in their order; none is missing."""
