"""What all droppings share: columns and records that leave the file; what stays is as it was."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from pydantic import Field

from tacita.core import Floats, Mask, RecordMethod
from tacita.core.spec.roles import KINDS, Kind, Names

# Numbers, NaN where missing; or texts as an array of objects, None where missing.
Cells = Floats | npt.NDArray[np.object_]


class Dropping(RecordMethod):
    """Leaves out columns, and records. Subclasses say which records.

    Changes no value: what stays is as it was, in the order that it had.
    """

    kind: ClassVar[str] = "dropping"
    guarantees: ClassVar[tuple[str, ...]] = ("dropped",)
    takes: ClassVar[tuple[Kind, ...]] = KINDS
    by_chance: ClassVar[bool] = False

    columns: Names = Field(default=(), description="columns that leave the file")

    @property
    def dropped_columns(self) -> tuple[str, ...]:
        return self.columns

    @property
    def drops_records(self) -> bool:
        return True

    @property
    def asks(self) -> tuple[str, ...]:
        """Columns that decide who leaves."""
        return ()

    @abstractmethod
    def leaving(self, asked: Mapping[str, Cells], records: int) -> Mask:
        """Which of so many records leave, by the cells of the columns that it asks for."""

    def undecided(self, asked: Mapping[str, Cells], records: int) -> int:
        """Of how many records a missing value leaves open whether they leave."""
        return 0
