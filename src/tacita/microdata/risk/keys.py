"""What an attacker may know of a person: the keys of a file, who shares them, and whom they stand for.

Measures of keys look at a whole file, released or not yet, with its gaps.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from tacita.core import Comparison, DataError, Floats, Ints, Matrix, Microdata, Run, Score
from tacita.core.microdata import column_codes
from tacita.core.roles import Names, Roles
from tacita.core.score import Files
from tacita.microdata.measure import Measure

from .compatible import compatible_units, compatible_weight, numbered

# A missing or suppressed cell as a value of its own, the stricter reading; or as any value at all.
Reading = Literal["category", "wildcard"]


@dataclass(frozen=True, eq=False)
class KeyTable:
    """The keys of each record as codes, -1 where missing; weights and units of the records where known.

    Two cells share a code only if nothing tells them apart.

    >>> import pyarrow as pa
    >>> data = Microdata.of(pa.table({"sex": list("ffm"), "age": [30, 30, None]}))
    >>> table = KeyTable.of(Files(data), ["sex", "age"])
    >>> table.codes.tolist(), table.frequencies.tolist(), table.sharing("wildcard").tolist()
    ([[0, 1], [0, 1], [1, -1]], [2, 2, 1], [2, 2, 1])
    """

    names: tuple[str, ...]
    codes: Ints
    files: Files
    _known: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, files: Files, names: Sequence[str]) -> KeyTable:
        """Some columns of the released file. O(n d)."""
        return cls(tuple(names), codes_of(files.released, names), files)

    def part(self, places: Sequence[int]) -> KeyTable:
        """Some of the keys, by their places."""
        return KeyTable(tuple(self.names[j] for j in places), self.codes[:, list(places)], self.files)

    def remember(self, what: Hashable, compute: Callable[[], Any]) -> Any:
        """What was computed before under this key, or now."""
        if what not in self._known:
            self._known[what] = compute()
        return self._known[what]

    @property
    def n(self) -> int:
        """How many records."""
        return self.codes.shape[0]

    @cached_property
    def classes(self) -> Ints:
        """A number that records of the same keys share, missing cells as one value. O(n log n)."""
        return numbered(self.codes)

    @cached_property
    def sizes(self) -> Ints:
        """How many records each class has."""
        return np.bincount(self.classes)

    @property
    def frequencies(self) -> Ints:
        """How many share the keys of each record, itself among them; a missing cell is a value of its own."""
        return self.sizes[self.classes]

    def sharing(self, reading: Reading, units: Ints | None = None) -> Ints:
        """Of each record how many records, or distinct units, an attacker finds who knows its true keys."""
        if reading == "category" or not self.has_gaps:
            return self.frequencies if units is None else self.distinct_units(units)
        known, shown = self._attack
        if units is not None:
            return compatible_units(known, shown, units)
        return np.rint(compatible_weight(known, shown, np.ones(self.n))).astype(np.int64)

    def standing(self, reading: Reading, weights: Floats) -> Floats:
        """Of each record the weight of all that an attacker finds who knows its true keys."""
        if reading == "category" or not self.has_gaps:
            return np.asarray(np.bincount(self.classes, weights)[self.classes], dtype=np.float64)
        return compatible_weight(*self._attack, weights)

    @property
    def has_gaps(self) -> bool:
        """Whether any key is missing: if none is, both readings are one."""
        return bool((self.codes < 0).any())

    @cached_property
    def _attack(self) -> tuple[Ints, Ints]:
        """True keys of the records, and the keys they show, on one scale; -1 may be anything."""
        known, shown = self.codes.copy(), self.codes.copy()
        source, rows = self.files.original, self.files.rows
        if source is None or rows is None or source is self.files.released:
            return known, shown
        for j, name in enumerate(self.names):
            if name in source.columns:
                known[:, j], shown[:, j] = _true(codes_of(source, [name])[rows, 0], self.codes[:, j])
        return known, shown

    @property
    def true_keys_known(self) -> bool:
        """Whether true keys are compared with those shown, and not these with each other."""
        return self.files.original is not None and self.files.rows is not None

    def distinct_units(self, units: Ints) -> Ints:
        """Of each record, how many distinct units are behind its keys. O(n log n)."""
        pairs = np.unique(np.column_stack([self.classes, units]), axis=0)
        return np.bincount(pairs[:, 0])[self.classes]

    def column(self, name: str) -> Ints:
        """Codes of any column of the file, or else of its source, in its order; -1 where missing."""
        return codes_of(self.holding(name), [name])[self._order(name), 0]

    def numbers(self, name: str) -> Floats:
        """Numbers of any column of the file, or else of its source, in the order of the file."""
        return self.holding(name).numbers(name)[self._order(name)]

    def weights(self, name: str) -> Floats:
        """Sampling weights; each must stand for somebody."""
        weights = self.numbers(name)
        if wrong := int((~(weights > 0)).sum()):
            raise DataError(f"the weight of {wrong} records is missing or not above 0")
        return weights

    def units(self, name: str) -> Ints:
        """The unit behind each record, however its name is spelled."""
        try:
            data, rows = self.holding(name), self._order(name)
        except DataError as problem:
            raise DataError(f"{problem} to count units by") from None
        if absent := int(data.missing(name)[rows].sum()):
            raise DataError(f"the unit of {absent} records is not known")
        return data.alike(name).codes[rows]

    def holding(self, name: str) -> Microdata:
        """The file that has a column: the released one, or else its source."""
        source = self.files.original
        if name in self.files.released.columns:
            return self.files.released
        if source is None or self.files.rows is None or name not in source.columns:
            raise DataError(f"the file has no column {name}")
        return source

    def _order(self, name: str) -> Ints:
        rows = self.files.rows
        return np.arange(self.n) if name in self.files.released.columns or rows is None else rows


def _true(before: Ints, after: Ints) -> tuple[Ints, Ints]:
    """True and shown codes of one column on one scale, out of codes of the source and of the release.

    Where equal values of the source are shown alike, or not at all, a value that is withheld is known by how
    it is shown elsewhere; one that is shown nowhere agrees with nothing but gaps. Any other column is read
    in the stricter way: whatever a gap hides, at least those who have a gap too are compatible with it.
    """
    gaps = after < 0
    values = int(after.max(initial=-1)) + 1
    image = np.full(int(before.max(initial=-1)) + 2, -1, dtype=np.int64)
    image[before[~gaps]] = after[~gaps]
    if (image[before[~gaps]] != after[~gaps]).any():
        strict = np.where(gaps, values, after)
        return strict, strict
    unseen = image[before] < 0
    known = np.where(unseen, values + 1 + before, image[before])
    # what the source does not know either may be anything
    known[(before < 0) & gaps] = -1
    return known, after


def roles_of(files: Files) -> Roles | None:
    """The roles of the source, where they are known."""
    return files.original.roles if files.original is not None else None


def unit_of(files: Files) -> str | None:
    """The column that names the unit behind a record, where the roles of the source tell."""
    roles = roles_of(files)
    return None if roles is None else roles.unit


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
        # where a file tells why a value is missing, the reason is a value that it shows
        kinds = None if data.notes is None else data.notes.of(name).kinds
        if kinds is not None:
            codes[:, j] = np.where(kinds >= 0, codes[:, j].max() + 1 + kinds, codes[:, j])
    return codes


class KeyMeasure(Measure):
    """Looks at the keys of a file. Subclasses say what they find, in `figure`.

    `of_the_worst` marks those whose figure is that of the record which is worst off.
    """

    kind: ClassVar[str] = "risk"
    family: ClassVar[str] = "keys shared"
    of_files: ClassVar[bool] = True
    alone: ClassVar[bool] = True
    by_default: ClassVar[bool] = False
    of_the_worst: ClassVar[bool] = True
    measured_in: ClassVar[str] = ""

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
            score = self.figure(table, run)
        except DataError as problem:
            return self.none(str(problem).removesuffix("."))
        return replace(score, reading={**self.reading(table), **score.reading}, covers=self.keys)

    def key_names(self, files: Files) -> tuple[str, ...]:
        """The keys that were named, or all that were protected."""
        roles, source = roles_of(files), files.original
        known = roles is not None and roles.quasi != "numeric"
        return self.keys or (source.quasi if source is not None and known else ())

    @abstractmethod
    def figure(self, table: KeyTable, run: Run) -> Score:
        """The score; DataError where the file lacks what it needs."""

    def reading(self, table: KeyTable) -> dict[str, str]:
        """How missing keys were understood."""
        return {"missing_as": "category"}

    def lacking(self, limit: float, files: Files) -> str:
        """What is said of records that break a limit."""
        return f"have {'less' if self.direction == 'higher' else 'more'} than {limit:g}"

    def fault(self, score: Score, limit: float, files: Files) -> str | None:
        """How many records break the limit, and the worst of them, where the figure is one of records."""
        found = super().fault(score, limit, files)
        if found is None or score.per_record is None or not self.of_the_worst:
            return found
        assert score.value is not None
        short = self._breaking(score.per_record, limit)
        worst = "fewest" if self.direction == "higher" else "most"
        lacking, n = self.lacking(limit, files), files.released.n
        return f"{short} of {n} records {lacking} ({worst}: {score.value:g})"

    def _breaking(self, figures: Matrix, limit: float) -> int:
        return int((figures < limit if self.direction == "higher" else figures > limit).sum())


class SharingMeasure(KeyMeasure):
    """Looks at how many share the keys of each record, as missing cells are read."""

    missing_as: Reading = Field(
        "category", description="a missing cell is a value of its own, or (wildcard) may be any value"
    )

    def reading(self, table: KeyTable) -> dict[str, str]:
        """How missing keys were understood, and what the attacker is taken to know."""
        if self.missing_as == "wildcard" and table.has_gaps and not table.true_keys_known:
            return {"missing_as": "wildcard", "keys": "as released, for want of the true ones"}
        return {"missing_as": self.missing_as}
