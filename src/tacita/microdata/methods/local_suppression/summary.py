"""What was withheld of the cells of a file, and what is proven of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_ROUNDING = 1e-9


@dataclass(frozen=True)
class WithheldCells:
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

        >>> WithheldCells({"a": 3, "b": 1}, {"a": 10, "b": 10}, 4.0, 3.0, "heuristic").total
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

        >>> WithheldCells({"a": 4}, {"a": 9}, 4.0, 3.0, "heuristic").gap
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
