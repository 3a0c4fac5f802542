"""Which columns tell people apart: quasi-identifiers are found before anything is protected."""

from __future__ import annotations

from itertools import combinations
from typing import ClassVar, NamedTuple

import numpy as np

from tacita.core import RunContext, Score

from .compatible import class_sizes
from .keys import KeyMeasure, KeyTable


class ColumnSet(NamedTuple):
    """Some columns together: distinct combinations a record, and which share of pairs they tell apart."""

    columns: tuple[str, ...]
    distinction: float
    separation: float


def column_sets(table: KeyTable, most: int) -> list[ColumnSet]:
    """All sets of keys, small ones first, as long as they are at most so many; never half of a size.

    O(n log n) a set.
    """
    sets: list[ColumnSet] = []
    for size in range(1, len(table.names) + 1):
        of_size = list(combinations(range(len(table.names)), size))
        if len(sets) + len(of_size) > most:
            break
        sets += [
            ColumnSet(tuple(table.names[j] for j in chosen), *_distinguished(table, list(chosen)))
            for chosen in of_size
        ]
    return sets


def _distinguished(table: KeyTable, chosen: list[int]) -> tuple[float, float]:
    if table.units is not None:
        return _units_distinguished(table.part(chosen))
    n, sizes = table.n, class_sizes(table.codes[:, chosen]).astype(np.float64)
    pairs = n * (n - 1.0)
    return sizes.size / n, 1.0 - float((sizes * (sizes - 1)).sum()) / pairs if pairs else 0.0


def _units_distinguished(table: KeyTable) -> tuple[float, float]:
    """The same of units: each once in every class, and pairs of records of different units alone."""
    assert table.units is not None
    own, classes = (np.bincount(codes).astype(np.float64) for codes in (table.units, table.classes))
    pairs = float(table.n) ** 2 - float((own**2).sum())
    # records that share keys, without those that share the unit too
    alike = float((classes**2).sum()) - float(table.repeated.sum())
    return classes.size / table.once.size, 1.0 - alike / pairs if pairs else 0.0


class TellingApart(KeyMeasure):
    """Figures of the keys together, and of each by itself."""

    span: ClassVar[tuple[float, float | None]] = (0.0, 1.0)
    of_the_worst: ClassVar[bool] = False
    which: ClassVar[int]

    def figure(self, table: KeyTable, run: RunContext) -> Score:
        """Of all keys; by attribute of each alone."""
        together = _distinguished(table, list(range(len(table.names))))[self.which]
        own = {name: _distinguished(table, [j])[self.which] for j, name in enumerate(table.names)}
        return self.result(together, per_attribute=own)


class Distinction(TellingApart):
    """Distinct combinations of the keys as a share of the records.

    Number of classes of equal keys / n; by attribute, of each key alone. Where units are known, each counts
    once in every class that it is in, in place of its records. O(n log n) a key.
    Source: Motwani & Xu (2007), Efficient algorithms for masking and finding quasi-identifiers, PSDM.

    >>> import pyarrow as pa
    >>> from tacita.core import Comparison, Microdata
    >>> from tacita.core.results.score import Files
    >>> data = Microdata.of(pa.table({"sex": list("ffmm"), "town": list("abab")}))
    >>> Distinction(keys=["sex", "town"]).score(Comparison.of_files(Files(data))).per_attribute
    {'sex': 0.5, 'town': 0.5}
    """

    name: ClassVar[str] = "distinction"
    which: ClassVar[int] = 0


class Separation(TellingApart):
    """Share of pairs of records that the keys tell apart.

    1 - sum over classes of equal keys of f (f - 1) / (n (n - 1)); by attribute, of each key alone. Where
    units are known, pairs of records of one unit do not count. O(n log n) a key.
    Source: Motwani & Xu (2007), as distinction.

    >>> import pyarrow as pa
    >>> from tacita.core import Comparison, Microdata
    >>> from tacita.core.results.score import Files
    >>> data = Microdata.of(pa.table({"sex": list("ffmm")}))
    >>> round(Separation(keys=["sex"]).score(Comparison.of_files(Files(data))).value, 4)
    0.6667
    """

    name: ClassVar[str] = "separation"
    which: ClassVar[int] = 1
