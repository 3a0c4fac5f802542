"""What all sensitivity rules share."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tacita.core import Contributors, DataError, Method, Table
from tacita.core.arrays import Floats, Mask


@dataclass(frozen=True, eq=False)
class Flags:
    """Sensitive cells, and how far below, above and across an attacker must be kept in the dark."""

    mask: Mask
    lower: Floats
    upper: Floats
    sliding: Floats

    @classmethod
    def of(cls, mask: Mask, level: Floats) -> Flags:
        """The same level below and above; none where a cell is not sensitive."""
        kept = np.where(mask, level, 0.0)
        return cls(mask, kept, kept, np.zeros(mask.size))


class Rule(Method):
    """Flags cells by who contributes what. Subclasses say how, in `flag`.

    `wants_interval` marks rules about coming too close to a contribution: general or exact protection is
    not enough for them. `of_sums` marks those that also apply to several cells taken as one.
    """

    kind: ClassVar[str] = "rule"
    wants_interval: ClassVar[bool] = False
    of_sums: ClassVar[bool] = True

    @property
    def depth(self) -> int:
        """How many of the largest contributions of a cell the rule looks at."""
        return 1

    @abstractmethod
    def flag(self, cells: Contributors) -> Flags:
        """Sensitive cells among some, with their levels. O(cells)."""

    def flag_table(self, table: Table) -> Flags:
        """The same for all cells of a table."""
        if table.contributors is None:
            raise DataError(
                f"{self.display_name()}: wanted contributors of the cells, got none. Build the table from "
                "records, or give contributors=."
            )
        return self.flag(table.contributors)

    def largest(self, cells: Contributors) -> Floats:
        """The sum of the contributions of each cell that the rule looks at."""
        if self.depth > cells.depth:
            raise DataError(
                f"{self.display_name()}: needs the {self.depth} largest contributions, the table keeps "
                f"{cells.depth}. Build it with this rule, or with depth={self.depth}."
            )
        if unknown := int(((cells.largest[:, 0] <= 0) & (cells.total > 0) & (cells.count > 0)).sum()):
            raise DataError(
                f"{self.display_name()}: wanted the largest contributions of each cell; {unknown} cells have "
                "a number of contributors and no contribution. Give them (MAXSCORE of tau-ARGUS), or build "
                "the table from records."
            )
        return np.asarray(cells.largest[:, : self.depth].sum(axis=1), dtype=np.float64)
