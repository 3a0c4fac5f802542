"""Base class of methods that drop columns and records; the others stay as they are."""

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
    """Drops columns, and records. Subclasses say which records.

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
        """Columns that decide which records are dropped."""
        return ()

    @abstractmethod
    def dropped_rows(self, cells: Mapping[str, Cells], records: int) -> Mask:
        """Mark the records that are dropped, by the cells of the columns in `asks`."""

    def undecided(self, cells: Mapping[str, Cells], records: int) -> int:
        """Number of records for which a missing value leaves the condition open."""
        return 0
