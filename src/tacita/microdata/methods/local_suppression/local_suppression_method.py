"""Base class of local suppression: the suppressed cells, their cost, and its proven bound."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from tacita.core import Floats, Ints, Mask, RecordMethod, RunContext
from tacita.core.spec.params import GroupSize
from tacita.core.spec.roles import KINDS, Kind


class SuppressedCells(NamedTuple):
    """The suppressed cells (n, d) of a stratum, a lower bound of the cost, and how the search ended."""

    cells: Mask
    lower_bound: float
    status: str


# Promises about the shown values still hold where some cells show nothing; an empty cell is compatible with
# any value.
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


class CellSuppression(RecordMethod):
    """Suppresses cells of keys, and leaves the others as they were. Subclasses choose the cells.

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
    def suppress(
        self, codes: Ints, weights: Floats, run: RunContext, *, units: Ints | None = None
    ) -> SuppressedCells:
        """Choose the cells of one stratum; `codes` (n, d) number the values of each column, -1: missing."""


_ROUNDING = 1e-9


@dataclass(frozen=True)
class SuppressionSummary:
    """Cells that were left empty in each column, of how many that had a value; cost, bound and status.

    `cost` is the sum of the importance of all of them; no choice that keeps the promise costs less than
    `lower_bound`. Confidential, as costs are; shares of columns are not.
    """

    cells: Mapping[str, int]
    known: Mapping[str, int]
    cost: float
    lower_bound: float
    status: str

    @property
    def total(self) -> int:
        """All of them.

        >>> SuppressionSummary({"a": 3, "b": 1}, {"a": 10, "b": 10}, 4.0, 3.0, "heuristic").total
        4
        """
        return sum(self.cells.values())

    @property
    def shares(self) -> dict[str, float]:
        """Percent of the values of each column."""
        return {name: 100 * count / max(1, self.known[name]) for name, count in self.cells.items()}

    @property
    def gap(self) -> float:
        """Share of the cost by which another choice might undercut it: (cost - bound) / cost.

        >>> SuppressionSummary({"a": 4}, {"a": 9}, 4.0, 3.0, "heuristic").gap
        0.25
        """
        return max(0.0, (self.cost - self.lower_bound) / self.cost) if self.cost > 0 else 0.0

    @property
    def proven(self) -> bool:
        """Whether no choice costs less."""
        return self.cost - self.lower_bound <= _ROUNDING * max(1.0, self.cost)

    def as_dict(self) -> dict[str, Any]:
        """For a record."""
        return {
            "cells": self.total,
            "cells_by_column": dict(self.cells),
            "share_by_column": {name: round(share, 4) for name, share in self.shares.items()},
            "cost": self.cost,
            "lower_bound": self.lower_bound,
            "gap": self.gap,
            "proven": self.proven,
            "status": self.status,
        }
