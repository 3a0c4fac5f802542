"""Base class of recodings: they replace values one by one, in all records alike."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar

from tacita.core import Hierarchy, RecordMethod
from tacita.core.spec.roles import KINDS, Kind

# Records that shared their values still do, so groups of k stay groups of k.
KEPT = ("groups-of-k", "k-anonymous", "k-units", "column-groups", "column-units", "units-agree")


class Recoding(RecordMethod):
    """Replaces every value of a column by another, a function of the value alone. Subclasses say how.

    Takes columns of any kind as text, and publishes text; what is missing stays missing.
    """

    kind: ClassVar[str] = "recoding"
    guarantees: ClassVar[tuple[str, ...]] = ("recoded",)
    takes: ClassVar[tuple[Kind, ...]] = KINDS
    keeps: ClassVar[tuple[str, ...]] = KEPT
    by_chance: ClassVar[bool] = False

    def within(self, hierarchies: Mapping[str, Hierarchy]) -> Recoding:
        """The same, knowing what values of columns may become."""
        return self

    @abstractmethod
    def relabel(self, column: str, labels: Sequence[str]) -> Sequence[str]:
        """What each of the distinct values of a column becomes, in their order."""
