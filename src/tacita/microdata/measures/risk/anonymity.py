"""How many records hide behind the same keys."""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field

from tacita.core import DataError, Ints, RunContext, Score
from tacita.core.results.score import Direction, Files

from .keys import KeyTable, SharingMeasure

_MOST_COMBINATIONS = 20_000


class Anonymity(SharingMeasure):
    """Counts records, or distinct units where a column of them is known."""

    span: ClassVar[tuple[float, float | None]] = (1.0, None)
    direction: ClassVar[Direction] = "higher"
    limit_name: ClassVar[str] = "k"
    limit_type: ClassVar[Any] = Annotated[int, Field(ge=2, description="the fewest that are allowed")]

    def lacking(self, limit: float, files: Files) -> str:
        """The words for records in classes that are too small."""
        return f"share {self._shared()} with fewer than {limit:g} {self.counted(files)}"

    def promise(self, limit: float, files: Files) -> str:
        """What it means of a file."""
        keys = ", ".join(self.key_names(files)) or "keys"
        gap = "counts as a value" if self.missing_as == "category" else "may be any value"
        return (
            f"Every combination of {self._of(keys)} stands for at least {limit:g} {self.counted(files)} (a "
            f"missing cell {gap})."
        )

    def _shared(self) -> str:
        return "their keys"

    def _of(self, keys: str) -> str:
        return keys


class KAnonymity(Anonymity):
    """Fewest records, or units, that share a combination of keys.

    k = min over records of the size of the class of equal keys; where a column of units is named, or the
    file has one, the number of distinct units in the class. A missing cell counts as a value, the stricter
    reading; as a wildcard it is compatible with every value, and what counts is how many released records
    are compatible with the true keys of each record of the source: counting released records against each
    other can overstate. O(n log n) a key; with wildcards O(log n) for each beginning of a released record
    that a distinct key is compatible with.
    Source: Samarati (2001), Protecting respondents' identities in microdata release, IEEE TKDE 13(6).

    >>> import pyarrow as pa
    >>> from tacita.core import Comparison, Microdata
    >>> from tacita.core.results.score import Files
    >>> data = Microdata.of(pa.table({"sex": list("ffmmm")}))
    >>> KAnonymity(keys=["sex"]).score(Comparison.of_files(Files(data))).value
    2.0
    """

    name: ClassVar[str] = "k_anonymity"
    headline: ClassVar[bool] = True
    with_categories: ClassVar[bool] = True

    def figure(self, table: KeyTable, run: RunContext) -> Score:
        """The size of the smallest class."""
        sharing = table.sharing(self.missing_as)
        return self.result(float(sharing.min()), per_record=sharing.astype(np.float64))


class AllM(Anonymity):
    """Fewest records, or units, that share a combination of any m of the keys.

    The least k_anonymity over all sets of m keys: for an attacker who knows m of them, whichever these are.
    With m at least the number of keys it is k_anonymity itself. O(n log n) a set.
    Source: Templ, Kowarik & Meindl (2015), Statistical disclosure control for micro-data using the R package
    sdcMicro, J. Statistical Software 67(4), on combinations of key variables.

    >>> import pyarrow as pa
    >>> from tacita.core import Comparison, Microdata
    >>> from tacita.core.results.score import Files
    >>> data = Microdata.of(pa.table({"sex": list("ffmm"), "town": list("aabb"), "job": list("xyxy")}))
    >>> pair = Comparison.of_files(Files(data))
    >>> [AllM(keys=["sex", "town", "job"], m=m).score(pair).value for m in (1, 2, 3)]
    [2.0, 1.0, 1.0]
    """

    name: ClassVar[str] = "all_m"

    m: int = Field(default=2, ge=1, description="how many of the keys an attacker knows")

    def figure(self, table: KeyTable, run: RunContext) -> Score:
        """The size of the smallest class of any set of keys."""
        size = min(self.m, len(table.names))
        sets = comb(len(table.names), size)
        if sets > _MOST_COMBINATIONS:
            raise DataError(f"{sets} sets of {size} keys are too many; name fewer keys")
        fewest: Ints = np.full(table.n, table.n, dtype=np.int64)
        for done, places in enumerate(combinations(range(len(table.names)), size)):
            fewest = np.minimum(fewest, table.part(places).sharing(self.missing_as))
            run.report("counting keys", done + 1, sets)
        return self.result(float(fewest.min()), per_record=fewest.astype(np.float64))

    def _shared(self) -> str:
        return f"some {self.m} of their keys"

    def _of(self, keys: str) -> str:
        return f"any {self.m} of {keys}"


class SampleUniques(SharingMeasure):
    """Share of records that nobody in the file shares the keys of.

    100 / n times the number of records with f = 1; missing cells as in k_anonymity. Where units are known, f
    is the number of distinct units that share the keys, and all records of a unit that is the only one with
    its keys count: another visit of a patient is no company for him. O(n log n) a key.
    Source: Skinner & Elliot (2002), A measure of disclosure risk for microdata, J. Royal Statistical Society
    B 64(4), 855-867.

    >>> import pyarrow as pa
    >>> from tacita.core import Comparison, Microdata
    >>> from tacita.core.results.score import Files
    >>> data = Microdata.of(pa.table({"sex": list("ffmmx")}))
    >>> SampleUniques(keys=["sex"]).score(Comparison.of_files(Files(data))).value
    20.0
    """

    name: ClassVar[str] = "sample_uniques"
    span: ClassVar[tuple[float, float | None]] = (0.0, 100.0)
    measured_in: ClassVar[str] = "%"
    of_the_worst: ClassVar[bool] = False
    with_categories: ClassVar[bool] = True

    def figure(self, table: KeyTable, run: RunContext) -> Score:
        """How many are alone, in percent."""
        alone = table.sharing(self.missing_as) <= 1
        beside = {"uniques": float(alone.sum())}
        if table.units is not None:
            beside["units"] = float(np.unique(table.units[alone]).size)
        return self.result(100 * alone.mean(), per_record=100.0 * alone, beside=beside)
