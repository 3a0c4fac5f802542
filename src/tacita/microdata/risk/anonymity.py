"""How many records hide behind the same keys."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field

from tacita.core import Run, Score
from tacita.core.score import Direction, Files

from .keys import KeyMeasure, KeyTable, unit_of


class KAnonymity(KeyMeasure):
    """Fewest records, or units, that share a combination of keys.

    k = min over records of the size of the class of equal keys; where a column of units is named, or the
    file has one, the number of distinct units in the class. A missing cell counts as a value. O(n log n) a
    key. Source: Samarati (2001), Protecting respondents' identities in microdata release, IEEE TKDE 13(6).

    >>> import pyarrow as pa
    >>> from tacita.core import Comparison, Microdata
    >>> from tacita.core.score import Files
    >>> data = Microdata.of(pa.table({"sex": list("ffmmm")}))
    >>> KAnonymity(keys=["sex"]).score(Comparison.of_files(Files(data))).value
    2.0
    """

    name: ClassVar[str] = "k_anonymity"
    span: ClassVar[tuple[float, float | None]] = (1.0, None)
    direction: ClassVar[Direction] = "higher"
    measured_in: ClassVar[str] = ""
    limit_name: ClassVar[str] = "k"
    limit_type: ClassVar[Any] = Annotated[int, Field(ge=2, description="the fewest that are allowed")]

    unit: str | None = Field(None, description="column whose distinct values are counted instead of records")

    def figure(self, table: KeyTable, run: Run) -> Score:
        """The size of the smallest class."""
        unit = self.unit or unit_of(table.files)
        sharing = table.frequencies if unit is None else table.distinct_units(table.units(unit))
        return self.result(sharing.min(), per_record=sharing.astype(np.float64))

    def lacking(self, limit: float, files: Files) -> str:
        """What is said of records that are too few."""
        return f"share their keys with fewer than {limit:g} {self._counted(files)}"

    def promise(self, limit: float, files: Files) -> str:
        """What it means of a file."""
        keys = ", ".join(self.key_names(files)) or "keys"
        return (
            f"Every combination of {keys} stands for at least {limit:g} {self._counted(files)} (a missing "
            "cell counts as a value)."
        )

    def _counted(self, files: Files) -> str:
        return "records" if self.unit is None and unit_of(files) is None else "distinct units"
