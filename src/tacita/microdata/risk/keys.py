"""What an attacker may know of a person: the keys of a file, who shares them, and whom they stand for.

Measures of keys look at a whole file, released or not yet, with its gaps.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from tacita.core import Comparison, DataError, Floats, Ints, Matrix, Microdata, Run, Score
from tacita.core.microdata import column_codes
from tacita.core.roles import Names
from tacita.core.score import Files
from tacita.microdata.measure import Measure

# A missing or suppressed cell as a value of its own, the stricter reading; or as any value at all.
Reading = Literal["category", "wildcard"]


@dataclass(frozen=True, eq=False)
class KeyTable:
    """The keys of each record as codes, -1 where missing; weights and units of the records where known.

    Two cells share a code only if nothing tells them apart.

    >>> import pyarrow as pa
    >>> data = Microdata.of(pa.table({"sex": list("ffm"), "age": [30, 30, None]}))
    >>> table = KeyTable.of(Files(data), ["sex", "age"])
    >>> table.codes.tolist(), table.frequencies.tolist()
    ([[0, 0], [0, 0], [1, -1]], [2, 2, 1])
    """

    names: tuple[str, ...]
    codes: Ints
    files: Files

    @classmethod
    def of(cls, files: Files, names: Sequence[str]) -> KeyTable:
        """Some columns of the released file. O(n d)."""
        return cls(tuple(names), codes_of(files.released, names), files)

    @property
    def n(self) -> int:
        """How many records."""
        return self.codes.shape[0]

    @cached_property
    def classes(self) -> Ints:
        """A number that records of the same keys share, missing cells as one value. O(n log n) a key."""
        combined = np.zeros(self.n, dtype=np.int64)
        for codes in self.codes.T + 1:
            combined = np.unique(combined * (int(codes.max()) + 1) + codes, return_inverse=True)[1]
        return combined.reshape(-1).astype(np.int64)

    @cached_property
    def frequencies(self) -> Ints:
        """How many share the keys of each record, itself among them; a missing cell is a value of its own."""
        return np.bincount(self.classes)[self.classes]

    def distinct_units(self, units: Ints) -> Ints:
        """Of each record, how many distinct units are behind its keys. O(n log n)."""
        pairs = np.unique(np.column_stack([self.classes, units]), axis=0)
        return np.bincount(pairs[:, 0])[self.classes]

    def column(self, name: str) -> Ints:
        """Codes of any column of the file, or else of its source, in its order; -1 where missing."""
        return codes_of(self._holding(name), [name])[self._order(name), 0]

    def numbers(self, name: str) -> Floats:
        """Numbers of any column of the file, or else of its source, in the order of the file."""
        return self._holding(name).numbers(name)[self._order(name)]

    def units(self, name: str) -> Ints:
        """The unit behind each record, however its name is spelled."""
        try:
            data, rows = self._holding(name), self._order(name)
        except DataError as problem:
            raise DataError(f"{problem} to count units by") from None
        if absent := int(data.missing(name)[rows].sum()):
            raise DataError(f"the unit of {absent} records is not known")
        return data.alike(name).codes[rows]

    def _holding(self, name: str) -> Microdata:
        source = self.files.original
        if name in self.files.released.columns:
            return self.files.released
        if source is None or self.files.rows is None or name not in source.columns:
            raise DataError(f"the file has no column {name}")
        return source

    def _order(self, name: str) -> Ints:
        rows = self.files.rows
        return np.arange(self.n) if name in self.files.released.columns or rows is None else rows


def unit_of(files: Files) -> str | None:
    """The column that names the unit behind a record, where the roles of the source tell."""
    source = files.original
    return source.roles.unit if source is not None and source.roles is not None else None


def codes_of(data: Microdata, names: Sequence[str]) -> Ints:
    """Columns as codes 0, 1, ..., -1 where missing; floats by their bits, so that minus zero is not zero."""
    codes = np.empty((data.n, len(names)), dtype=np.int64)
    for j, name in enumerate(names):
        series = data.column(name)
        if series.dtype.is_float():
            numbers = np.ascontiguousarray(series.to_numpy(), dtype=np.float64)
            own = np.unique(numbers.view(np.int64), return_inverse=True)[1]
        else:
            own = column_codes(series)
        codes[:, j] = np.where(data.missing(name), -1, own.reshape(-1))
    return codes


class KeyMeasure(Measure):
    """Looks at the keys of a file. Subclasses say what they find, in `figure`."""

    kind: ClassVar[str] = "risk"
    family: ClassVar[str] = "keys shared"
    of_files: ClassVar[bool] = True
    alone: ClassVar[bool] = True
    by_default: ClassVar[bool] = False

    keys: Names = Field((), description="columns an attacker may know; if not given, all that were protected")

    def compute(self, pair: Comparison, run: Run) -> Score:
        """The figure of the keys of the released file, or why there is none."""
        files = pair.files
        if files is None:
            return self.none("it needs the whole file")
        names = self.key_names(files)
        if not names:
            return self.none("no keys are named, and nothing tells which columns were protected")
        if absent := [name for name in names if name not in files.released.columns]:
            return self.none(f"the file has no column {', '.join(absent)}")
        table = pair.remember(("keys", names), lambda: KeyTable.of(files, names))
        try:
            return self.figure(table, run)
        except DataError as problem:
            return self.none(str(problem).removesuffix("."))

    def key_names(self, files: Files) -> tuple[str, ...]:
        """The keys that were named, or all that were protected."""
        source = files.original
        known = source is not None and source.roles is not None and source.roles.quasi != "numeric"
        return self.keys or (source.quasi if source is not None and known else ())

    @abstractmethod
    def figure(self, table: KeyTable, run: Run) -> Score:
        """The score; DataError where the file lacks what it needs."""

    def lacking(self, limit: float, files: Files) -> str:
        """What is said of records that break a limit."""
        return f"have {'less' if self.direction == 'higher' else 'more'} than {limit:g}"

    def fault(self, score: Score, limit: float, files: Files) -> str | None:
        """How many records break the limit, and the worst of them, where the figure is one of records."""
        found = super().fault(score, limit, files)
        if found is None or score.per_record is None:
            return found
        assert score.value is not None
        short = self._breaking(score.per_record, limit)
        worst = "fewest" if self.direction == "higher" else "most"
        lacking, n = self.lacking(limit, files), files.released.n
        return f"{short} of {n} records {lacking} ({worst}: {score.value:g})"

    def _breaking(self, figures: Matrix, limit: float) -> int:
        return int((figures < limit if self.direction == "higher" else figures > limit).sum())
