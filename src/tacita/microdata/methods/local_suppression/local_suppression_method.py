"""What all withholding of single cells shares: which cells, what they cost, and what is proven of that."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from tacita.core import Floats, Ints, Mask, RecordMethod, Run
from tacita.core.spec.params import GroupSize
from tacita.core.spec.roles import KINDS, Kind


class Withheld(NamedTuple):
    """Which cells (n, d) of a stratum are withheld, what no choice can cost less than, and how it ended."""

    cells: Mask
    lower_bound: float
    status: str


# What is said of each value that is shown still holds where some show nothing any more; and an empty cell is
# compatible with whatever the value was.
KEPT = (
    "recoded",
    "recoded-by-map",
    "recoded-by-level",
    "recoded-by-breaks",
    "coded",
    "top-coded",
    "bottom-coded",
    "rounded-to-base",
    "generalised",
    "few-suppressed",
    "only-withheld",
    "k-anonymous-to-all",
)


class Withholding(RecordMethod):
    """Leaves cells of keys empty, the others as they were. Subclasses say which.

    Takes columns of any kind as categories. Records that miss values stand among the others of their
    stratum.
    """

    kind: ClassVar[str] = "withholding"
    guarantees: ClassVar[tuple[str, ...]] = ("only-withheld",)
    takes: ClassVar[tuple[Kind, ...]] = KINDS
    keeps: ClassVar[tuple[str, ...]] = KEPT
    reads_missing: ClassVar[bool] = True
    by_chance: ClassVar[bool] = False

    k: GroupSize = 3

    @property
    def needs_whole_file(self) -> str:
        return "combinations of keys lie across parts, and must be counted over all records"

    @abstractmethod
    def weights(self, names: Sequence[str]) -> Floats:
        """What a cell of each column costs."""

    @abstractmethod
    def withhold(self, codes: Ints, weights: Floats, run: Run, *, units: Ints | None = None) -> Withheld:
        """Choose the cells of one stratum; `codes` (n, d) number the values of each column, -1: missing."""
