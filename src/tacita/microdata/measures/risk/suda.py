"""Special uniques: records that few of their keys already make unique."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from pydantic import Field

from tacita.core import DataError, Floats, Ints, RunContext, Score

from .keys import KeyTable
from .population import SampleMeasure

_MOST_KEYS = 60


@dataclass(frozen=True, eq=False)
class SpecialUniques:
    """Scores of records, what each key (n, d) and each value of a key adds to them, and how many sets."""

    score: Floats
    by_key: Floats
    by_value: tuple[Floats, ...]
    minimal: int

    @property
    def total(self) -> float:
        """Sum of all scores."""
        return float(self.score.sum())

    def of_keys(self) -> Floats:
        """Percent of all scores from sets with each key; they overlap."""
        return 100 * self.by_key.sum(axis=0) / max(self.total, 1e-300)


def special_uniques(codes: Ints, most: int, units: Ints | None = None) -> SpecialUniques:
    """All minimal sample uniques of up to `most` keys, weighed. See `SUDA2` for formula and cost.

    Where units are given, a set makes all records of one unique that no other unit shares its values of.
    """
    from tacita.kernels.records.suda import minimal_scores, unique_sets

    n, d = codes.shape
    values = [int(column.max(initial=-1)) + 1 for column in codes.T]
    owners = np.empty(0, dtype=np.int64) if units is None else np.ascontiguousarray(units)
    rows, masks = unique_sets(np.ascontiguousarray(codes), max(1, *values), most, owners)
    sizes = np.zeros(masks.size, dtype=np.int64)
    for j in range(d):
        sizes += masks >> j & 1
    order = np.lexsort([masks, sizes, rows])
    first = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n))]).astype(np.int64)
    score, by_key = np.zeros(n), np.zeros((n, d))
    offsets = np.concatenate([[0], np.cumsum(values)]).astype(np.int64)
    by_value = np.zeros(int(offsets[-1]))
    minimal = minimal_scores(first, masks[order], _weights(d, most), codes, score, by_key, by_value, offsets)
    parts = tuple(by_value[offsets[j] : offsets[j + 1]] for j in range(d))
    return SpecialUniques(score, by_key, parts, int(minimal))


def _weights(d: int, most: int) -> Floats:
    """What a minimal unique set of each size adds: the product of d - i from its size to the largest."""
    weights = np.zeros(d + 1)
    for size in range(1, most + 1):
        weights[size] = np.prod([float(d - i) for i in range(size, min(most, d - 1) + 1)])
    return weights


def disclosure_scores(
    score: Floats, frequencies: Ints, keys: int, fraction: float, repeated: Ints | int = 1
) -> Floats:
    """DIS of each record: the chance that a match with a unique record is correct, shared out by score.

    Over all uniques it is U p / (U p + D (1 - p)), U uniques, D records in pairs; a score s gets
    1 / (1 + (U / that - U) / (s^Q A)) with Q = 1 + (8 - keys) / 20 and A the sum of s^-Q over scores above 0.
    Records that are `repeated`, as those of one unit with the same keys, count as one together.
    """
    share = np.ones(score.size) / repeated
    alone, paired = float(share[frequencies == 1].sum()), float(share[frequencies == 2].sum())
    scored = score > 0
    if not scored.any() or not alone:
        return np.zeros(score.size)
    overall = alone * fraction / (alone * fraction + paired * (1 - fraction))
    power = score[scored] ** (1 + (8 - keys) / 20)
    scores = np.zeros(score.size)
    scores[scored] = 1 / (1 + (alone / overall - alone) / (power * (share[scored] / power).sum()))
    return scores


class SUDA2(SampleMeasure):
    """Largest disclosure score of special uniques: records that few keys already make unique.

    A minimal sample unique (MSU) is a set of keys on which a record is unique and on no part of which it is.
    A record scores, for each MSU of s keys, the product of (d - i) for i from s to the largest size looked
    for, d the number of keys; with all sizes up to d - 1 that is (d - s)!. DIS scores turn this into
    probabilities: U p / (U p + D (1 - p)) over all U uniques, D the records in pairs and p the sampling
    fraction, shared out by score. The figure is the largest DIS score; by attribute, the percentage of all
    scores from MSUs with that key. A missing key is no item: it makes nothing unique and matches nobody.
    Where units are known, a set of keys makes a record unique if no other unit shares its values, and U and D
    count units.
    Depth first with pruning, O(n) a set of keys for records not unique on it yet.
    Source: Manning, Haglin & Keane (2008), A recursive search algorithm for statistical disclosure
    assessment, Data Mining and Knowledge Discovery 16(2), 165-196; Elliot & Manning (2003) on DIS.

    >>> import pyarrow as pa
    >>> from tacita.core import Comparison, Microdata
    >>> from tacita.core.results.score import Files
    >>> data = Microdata.of(pa.table({"sex": list("ffffm"), "town": list("aabbb"), "job": list("xxyxx")}))
    >>> found = SUDA2(keys=["sex", "town", "job"], fraction=0.1).score(Comparison.of_files(Files(data)))
    >>> round(found.value, 3), found.beside["score"], found.beside["minimal_uniques"]
    (0.196, 2.0, 3.0)
    """

    name: ClassVar[str] = "suda2"
    span: ClassVar[tuple[float, float | None]] = (0.0, 1.0)

    size: int = Field(default=3, ge=1, description="most keys of a minimal sample unique that are looked for")

    def figure(self, table: KeyTable, run: RunContext) -> Score:
        """The largest DIS score; scores and contributions as extra figures."""
        if len(table.names) > _MOST_KEYS:
            raise DataError(f"more than {_MOST_KEYS} keys; name fewer")
        run.report("looking for special uniques", 0, 1)
        uniques = self.uniques(table)
        run.report("looking for special uniques", 1, 1)
        # a file that is its own population gives everybody away who is unique
        fraction = self.sampling_fraction(table) or 1.0
        scores = disclosure_scores(
            uniques.score, table.frequencies, len(table.names), fraction, table.repeated
        )
        return self.result(
            scores.max(),
            per_record=scores,
            per_attribute=dict(zip(table.names, uniques.of_keys().tolist(), strict=True)),
            reading={"missing_as": "no item"},
            beside={
                "score": float(uniques.score.max()),
                "score_sum": uniques.total,
                "minimal_uniques": float(uniques.minimal),
                "special_records": float((uniques.score > 0).sum()),
            },
        )

    def uniques(self, table: KeyTable) -> SpecialUniques:
        """The scores before they are turned into probabilities."""
        most = min(self.size, len(table.names))
        uniques: SpecialUniques = table.remember(
            ("special uniques", most), lambda: special_uniques(table.codes, most, table.units)
        )
        return uniques
