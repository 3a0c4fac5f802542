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

from tacita.core import Comparison, DataError, Floats, Ints, Matrix, Microdata, RunContext, Score
from tacita.core.data.microdata import column_codes
from tacita.core.results.score import Files
from tacita.core.spec.roles import Names, Roles
from tacita.microdata.measures.measure import Measure

from .compatible import compatible_unit_weight, compatible_units, compatible_weight, numbered

# Keys that a message lists one by one.
_AT_A_GLANCE = 8

# A missing or suppressed cell as a value of its own, the stricter reading; or as any value at all.
Reading = Literal["category", "wildcard"]


@dataclass(frozen=True, eq=False)
class KeyTable:
    """The keys of each record as codes, -1 where missing; the unit behind each record where units count.

    Two cells share a code only if nothing tells them apart. Where units are known, they are counted and not
    records: a patient with several visits is no company for himself.

    >>> import pyarrow as pa
    >>> data = Microdata.of(pa.table({"sex": list("ffm"), "age": [30, 30, None]}))
    >>> table = KeyTable.of(Files(data), ["sex", "age"])
    >>> table.codes.tolist(), table.frequencies.tolist(), table.sharing("wildcard").tolist()
    ([[0, 1], [0, 1], [1, -1]], [2, 2, 1], [2, 2, 1])
    """

    names: tuple[str, ...]
    codes: Ints
    files: Files
    unit: str | None = None
    units: Ints | None = None
    _known: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, files: Files, names: Sequence[str], unit: str | None = None) -> KeyTable:
        """Some columns of the released file, and the column whose distinct values are counted. O(n d)."""
        table = cls(names=tuple(names), codes=codes_of(files.released, names), files=files)
        return (
            table if unit is None else replace(table, unit=unit, units=numbered_units(table.units_of(unit)))
        )

    def part(self, places: Sequence[int]) -> KeyTable:
        """Some of the keys, by their places."""
        return KeyTable(
            names=tuple(self.names[j] for j in places),
            codes=self.codes[:, list(places)],
            files=self.files,
            unit=self.unit,
            units=self.units,
        )

    def remember(self, what: Hashable, compute: Callable[[], Any]) -> Any:
        """What was computed before under this key, or now."""
        if what not in self._known:
            self._known[what] = compute()
        return self._known[what]

    @property
    def n(self) -> int:
        """How many records."""
        return int(self.codes.shape[0])

    @cached_property
    def classes(self) -> Ints:
        """A number that records of the same keys share, missing cells as one value. O(n log n)."""
        return numbered(self.codes)

    @cached_property
    def records(self) -> Ints:
        """How many records each class has."""
        return np.bincount(self.classes)

    @cached_property
    def sizes(self) -> Ints:
        """How many records each class has, or of how many distinct units they are."""
        return self.records if self.units is None else np.bincount(self.classes[self.once])

    @cached_property
    def once(self) -> Ints:
        """The first record of every unit in each class; all records where no units are known. O(n log n)."""
        if self.units is None:
            return np.arange(self.n)
        first: Ints = np.unique(self.classes * (int(self.units.max()) + 1) + self.units, return_index=True)[1]
        return first

    @cached_property
    def repeated(self) -> Ints:
        """How many records the unit of each record has in its class; 1 where no units are known."""
        if self.units is None:
            return np.ones(self.n, dtype=np.int64)
        pairs = self.classes * (int(self.units.max()) + 1) + self.units
        _, of, counts = np.unique(pairs, return_inverse=True, return_counts=True)
        return np.asarray(counts[of.reshape(-1)])

    @property
    def people(self) -> int:
        """How many units the records are of; without units each record is one."""
        return self.n if self.units is None else int(self.units.max()) + 1

    @property
    def frequencies(self) -> Ints:
        """How many share the keys of each record, itself among them; a missing cell is a value of its own."""
        return self.sizes[self.classes]

    def sharing(self, reading: Reading) -> Ints:
        """Of each record how many records, or distinct units, an attacker finds who knows its true keys."""
        if reading == "category" or not self.has_gaps:
            return self.frequencies
        known, shown = self._attack
        if self.units is not None:
            return compatible_units(known, shown, self.units)
        return np.rint(compatible_weight(known, shown, np.ones(self.n))).astype(np.int64)

    def standing(self, reading: Reading, weights: Floats) -> Floats:
        """Of each record the weight of all that an attacker finds who knows its true keys.

        Where units are known, each counts once, with the mean weight of its records.
        """
        own = self.weights_of_units(weights)
        if reading == "category" or not self.has_gaps:
            once = self.once
            whole = np.bincount(self.classes[once], own[once], self.records.size)
            return np.asarray(whole[self.classes], dtype=np.float64)
        if self.units is not None:
            return compatible_unit_weight(*self._attack, self.units, own)
        return compatible_weight(*self._attack, own)

    def weights_of_units(self, weights: Floats) -> Floats:
        """Of each record the mean weight of the records of its unit; its own where no units are known."""
        if self.units is None:
            return weights
        return (np.bincount(self.units, weights) / np.bincount(self.units))[self.units]

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

    def column(self, name: str) -> Ints:
        """Codes of any column of the file, or else of its source, in its order; -1 where missing."""
        codes: Ints = codes_of(self.holding(name), [name])[self._order(name), 0]
        return codes

    def numbers(self, name: str) -> Floats:
        """Numbers of any column of the file, or else of its source, in the order of the file."""
        return self.holding(name).numbers(name)[self._order(name)]

    def weights(self, name: str) -> Floats:
        """Sampling weights; each must stand for somebody."""
        weights = self.numbers(name)
        if wrong := int((~(weights > 0)).sum()):
            raise DataError(f"the weight of {wrong} records is missing or not above 0")
        return weights

    def units_of(self, name: str) -> Ints:
        """The unit behind each record, by the source where that is known, however its name is spelled."""
        source, rows = self.files.original, self.files.rows
        if source is not None and rows is not None and name in source.columns:
            data = source
        else:
            try:
                data, rows = self.holding(name), self._order(name)
            except DataError as error:
                raise DataError(f"{error} to count units by") from None
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

    Where equal values of the source are shown alike, or not at all, a suppressed value is known by how it is
    shown elsewhere; one that is shown nowhere agrees with nothing but gaps. Any other column is read
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


def numbered_units(units: Ints) -> Ints:
    """Units as 0, 1, 2, ... O(n log n)."""
    return np.unique(units, return_inverse=True)[1].reshape(-1).astype(np.int64)


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

    Where a column of units is named, or the file has one, its units are counted in place of records.
    `of_the_worst` marks those whose figure is that of the record which is worst off.
    """

    kind: ClassVar[str] = "risk"
    family: ClassVar[str] = "keys shared"
    of_files: ClassVar[bool] = True
    alone: ClassVar[bool] = True
    by_default: ClassVar[bool] = False
    of_the_worst: ClassVar[bool] = True
    measured_in: ClassVar[str] = ""

    keys: Names = Field(
        default=(),
        description="columns an attacker may know; if not given, those that k is promised of, or all",
    )
    unit: str | None = Field(
        default=None,
        description="column whose distinct values are counted instead of records; if not given, the unit's",
    )

    def compute(self, pair: Comparison, run: RunContext) -> Score:
        """The figure of the keys of the released file, or why there is none."""
        files = pair.files
        if files is None:
            return self.none("it needs the whole file")
        names = self.key_names(files)
        if not names:
            return self.none("no keys are named, and nothing tells which columns were protected")
        if absent := [name for name in names if name not in files.released.columns]:
            return self.none(f"the file has no column {', '.join(absent)}")
        unit = self.counting(files)
        try:
            table = pair.remember(("keys", names, unit), lambda: KeyTable.of(files, names, unit))
            score = self.figure(table, run)
        except DataError as error:
            return self.none(str(error).removesuffix("."))
        return replace(
            score, reading={**self.reading(table), **score.reading}, covers=self.keys or files.keys
        )

    def key_names(self, files: Files) -> tuple[str, ...]:
        """The keys that were named, or those that k is promised of, or all that were protected."""
        roles, source = roles_of(files), files.original
        known = roles is not None and roles.quasi != "numeric"
        return self.keys or files.keys or (source.quasi if source is not None and known else ())

    def counting(self, files: Files) -> str | None:
        """The column whose units are counted instead of records: named, or the unit of the file."""
        return self.unit or unit_of(files)

    def counted(self, files: Files) -> str:
        """What is counted, in words."""
        return "records" if self.counting(files) is None else "distinct units"

    @abstractmethod
    def figure(self, table: KeyTable, run: RunContext) -> Score:
        """The score; DataError where the file lacks what it needs."""

    def reading(self, table: KeyTable) -> dict[str, str]:
        """How missing keys were understood, and what is counted where that is not records."""
        return {"missing_as": "category", **self._read_by_unit(table)}

    def _read_by_unit(self, table: KeyTable) -> dict[str, str]:
        unit = self.counting(table.files)
        return {} if unit is None else {"counting": f"units of {unit}"}

    def lacking(self, limit: float, files: Files) -> str:
        """The words for records that break a limit."""
        return f"have {'less' if self.direction == 'higher' else 'more'} than {limit:g}"

    def fault(self, score: Score, limit: float, files: Files) -> str | None:
        """How many records break the limit, and the worst of them, where the figure is one of records."""
        fault = super().fault(score, limit, files)
        if fault is None or score.per_record is None or not self.of_the_worst:
            return fault
        assert score.value is not None
        short = self._breaking(score.per_record, limit)
        worst = "fewest" if self.direction == "higher" else "most"
        lacking, n = self.lacking(limit, files), files.released.n
        return f"{short} of {n} records {lacking}{self._by(files)} ({worst}: {score.value:g})"

    def _by(self, files: Files) -> str:
        """The keys, so that a reader knows which columns to look at."""
        names = self.key_names(files)
        more = f" and {len(names) - _AT_A_GLANCE} more" if len(names) > _AT_A_GLANCE else ""
        return f" by {', '.join(names[:_AT_A_GLANCE])}{more}" if names else ""

    def _breaking(self, figures: Matrix, limit: float) -> int:
        return int((figures < limit if self.direction == "higher" else figures > limit).sum())


class SharingMeasure(KeyMeasure):
    """Looks at how many share the keys of each record, as missing cells are read."""

    missing_as: Reading = Field(
        default="category", description="a missing cell is a value of its own, or (wildcard) may be any value"
    )

    def reading(self, table: KeyTable) -> dict[str, str]:
        """How missing keys were understood, and what the attacker is taken to know."""
        if self.missing_as == "wildcard" and table.has_gaps and not table.true_keys_known:
            settings = {"missing_as": "wildcard", "keys": "as released, for want of the true ones"}
        else:
            settings = {"missing_as": self.missing_as}
        return {**settings, **self._read_by_unit(table)}
