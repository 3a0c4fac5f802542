"""What those who share their keys answer to a sensitive question."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from pydantic import Field

from tacita.core import DataError, Floats, Ints, Mask, Microdata, RunContext, Score
from tacita.core.results.score import Files

from .compatible import class_sizes
from .keys import KeyMeasure, KeyTable, codes_of, numbered_units, roles_of


@dataclass(frozen=True, eq=False)
class Answers:
    """How often each value of a sensitive column occurs in each class of equal keys, and in the whole file.

    Of every value that occurs in a class: the class, the value, and how many times. A missing answer is a
    value like others. `overall` has the share of each value in the source, where that is known to have the
    same values, and else in the file.

    Where units are known, a class is as large as it has units, and each counts once. A unit of several
    records may have several values. How frequent a value is then depends on the question:

    - `counts`: the units that have it, which all of them may;
    - `votes`: every unit counted for one of its values, the most frequent first, so that no other choice of
      one record of each unit has fewer values in effect;
    - `shares`: every unit shared evenly over its records in the class; of a unit that is alone in its class
      each value by itself, for all of them are known to be its own.
    """

    name: str
    table: KeyTable
    codes: Ints
    overall: Floats

    @classmethod
    def of(cls, table: KeyTable, name: str) -> Answers:
        """The answers behind the keys of a table. O(n log n)."""
        if name in table.names:
            raise DataError(f"the sensitive column {name} is one of the keys")
        own = table.column(name)
        source, rows = table.files.original, table.files.rows
        other = source is not None and source is not table.files.released
        if source is not None and other and rows is not None and name in source.columns:
            source_codes = codes_of(source, [name])[:, 0]
            if _same_values(source_codes[rows], own):
                whole, own = source_codes, source_codes[rows]
                units = None if table.units is None else _units_of_all(source, table, rows)
                return cls(name, table, _from_zero(own, whole), _shares(_from_zero(whole, whole), units))
        return cls(name, table, _from_zero(own, own), _shares(_from_zero(own, own), table.units))

    @cached_property
    def _cells(self) -> tuple[Ints, Ints]:
        """Numbers of class and value together, and how many records, or units, each has."""
        if self.table.units is None:
            return np.unique(self._joint, return_counts=True)
        cells, of, _ = self._of_units
        return cells, np.bincount(of)

    @property
    def _joint(self) -> Ints:
        return self.table.classes * self.overall.size + self.codes

    @cached_property
    def _of_units(self) -> tuple[Ints, Ints, Floats]:
        """Numbers of class and value; for each unit that has such a value, which, and its share of the unit.

        O(n log n).
        """
        table = self.table
        assert table.units is not None
        cells, of = np.unique(self._joint, return_inverse=True)
        triples = of.reshape(-1) * (int(table.units.max()) + 1) + table.units
        _, first, records = np.unique(triples, return_index=True, return_counts=True)
        return cells, of.reshape(-1)[first], records / table.repeated[first]

    @property
    def classes(self) -> Ints:
        """The class of each count."""
        return self._cells[0] // self.overall.size

    @property
    def values(self) -> Ints:
        """The value of each count."""
        return self._cells[0] % self.overall.size

    @property
    def counts(self) -> Ints:
        """How many of a class answer a value: records, or the units that have it."""
        return self._cells[1]

    @cached_property
    def votes(self) -> Ints:
        """How many of a class answer a value, each unit for one value alone, the most frequent first."""
        if self.table.units is None:
            return self.counts
        order = np.lexsort([-self.counts, self.classes])
        counts, classes = self.counts[order], self.classes[order]
        upto = np.cumsum(counts) - counts
        before = upto - upto[np.searchsorted(classes, classes)]
        left = self.table.sizes[classes] - before
        votes = np.empty(counts.size, dtype=np.int64)
        votes[order] = np.clip(left, 0, counts)
        return votes

    @property
    def lone(self) -> Mask:
        """Counts of classes in which one unit has several values."""
        several = np.bincount(self.classes, minlength=self.table.sizes.size) > 1
        return np.asarray((self.table.sizes == 1) & several)[self.classes]

    @cached_property
    def shares(self) -> Floats:
        """Which share of a class answers a value."""
        if self.table.units is None:
            return self.counts / self.table.sizes[self.classes]
        _, of, parts = self._of_units
        shares = np.bincount(of, parts) / self.table.sizes[self.classes]
        return np.where(self.lone, 1.0, shares)

    def per_class(self, figures: Floats) -> Floats:
        """Sums of figures of counts over each class."""
        sums = np.bincount(self.classes, figures, minlength=self.table.sizes.size)
        return np.asarray(sums, dtype=np.float64)

    def largest(self, figures: Floats) -> Floats:
        """The largest figure of each class; every class has a count."""
        return np.maximum.reduceat(figures, np.searchsorted(self.classes, np.arange(self.table.sizes.size)))

    def dense(self, classes: Ints) -> Floats:
        """Shares of all values in some classes, a row each."""
        place = np.full(self.table.sizes.size, -1, dtype=np.int64)
        place[classes] = np.arange(classes.size)
        row = place[self.classes]
        shares = np.zeros((classes.size, self.overall.size))
        shares[row[row >= 0], self.values[row >= 0]] = self.shares[row >= 0]
        return shares


def _same_values(before: Ints, after: Ints) -> bool:
    """Whether a release has the column as it was, however it is coded."""
    pairs = class_sizes(np.column_stack([before, after])).size
    one_to_one = all(np.unique(side).size == pairs for side in (before, after))
    return one_to_one and not ((before < 0) != (after < 0)).any()


def _from_zero(codes: Ints, among: Ints) -> Ints:
    known = np.unique(among)
    return np.searchsorted(known, codes).astype(np.int64)


def _shares(codes: Ints, units: Ints | None) -> Floats:
    """The share of each value: of records, or of units, each spread evenly over its records."""
    if units is None:
        return np.bincount(codes) / codes.size
    # of each unit the share of its records that have a value, so that a unit of one value counts as one
    width = int(units.max()) + 1
    pairs, records = np.unique(codes * width + units, return_counts=True)
    parts = records / np.bincount(units)[pairs % width]
    return np.bincount(pairs // width, parts) / np.unique(units).size


def _units_of_all(source: Microdata, table: KeyTable, rows: Ints) -> Ints:
    """The unit of every record of the source; where it is not known, a record is one by itself."""
    assert table.unit is not None
    assert table.units is not None
    units = table.people + np.arange(source.n)
    if table.unit in source.columns:
        known = ~source.missing(table.unit)
        units[known] = source.n + table.people + source.alike(table.unit).codes[known]
    else:
        units[rows] = table.units
    return numbered_units(units)


class AnswerMeasure(KeyMeasure):
    """Looks at sensitive columns in classes of equal keys. Subclasses say what they find, in `of_class`.

    Where several columns are confidential, each record counts by the one that is worst off.
    """

    column: str | None = Field(
        default=None,
        description="the sensitive column; if not given, all that are confidential, and the worst counts",
    )

    def figure(self, table: KeyTable, run: RunContext) -> Score:
        """The figure of the class that is worst off."""
        by_column = self.by_column(table, run)
        of_class = self._worst(by_column)
        worst = of_class.min() if self.direction == "higher" else of_class.max()
        own = {name: float(self._worst({name: of}, axis=None)) for name, of in by_column.items()}
        return self.result(
            worst, per_record=of_class[table.classes], per_attribute=own if len(own) > 1 else {}
        )

    def by_column(self, table: KeyTable, run: RunContext) -> dict[str, Floats]:
        """For each sensitive column one figure for each class; DataError where there is no column."""
        names = self.sensitive_columns(table.files)
        if not names:
            raise DataError("no sensitive column is named, and none has the role confidential")
        return {name: self.of_classes(Answers.of(table, name), run) for name in names}

    def _worst(self, by_column: Mapping[str, Floats], axis: int | None = 0) -> Floats:
        figures = np.stack(list(by_column.values()))
        return np.asarray(figures.min(axis=axis) if self.direction == "higher" else figures.max(axis=axis))

    def of_classes(self, answers: Answers, run: RunContext) -> Floats:
        """`of_class`, by those that take long and report how far they are."""
        return self.of_class(answers)

    @abstractmethod
    def of_class(self, answers: Answers) -> Floats:
        """One figure for each class."""

    def sensitive_columns(self, files: Files) -> tuple[str, ...]:
        """The column that was named, or the confidential ones that are released and are no keys."""
        if self.column is not None:
            return (self.column,)
        roles = roles_of(files)
        confidential = () if roles is None else roles.confidential
        if len(confidential) < 2:
            return tuple(confidential)
        apart = set(files.released.columns) - set(self.key_names(files))
        return tuple(name for name in confidential if name in apart)

    def sensitive(self, files: Files, word: str = "or") -> str:
        """The sensitive columns in words; empty where there is none."""
        *others, last = self.sensitive_columns(files) or ("",)
        return f"{', '.join(others)} {word} {last}" if others else last

    def reading(self, table: KeyTable) -> dict[str, str]:
        """How missing keys were understood, and which columns are sensitive."""
        return {**super().reading(table), "sensitive": self.sensitive(table.files, "and")}


class AttributeDisclosure(AnswerMeasure):
    """Share of records whose sensitive value is known to anyone who knows their keys.

    100 / n times the number of records in classes of equal keys in which one value has at least the share
    `certain`: with 1, all who share the keys answer the same, and nobody need be singled out. A record that
    is alone counts. Where units are known, the share is that of the distinct units that have the value: all
    records of a lone patient count, however many diagnoses the patient has, and so do those of patients who
    all have one diagnosis among others. O(n log n).
    Source: homogeneity attack, Machanavajjhala, Kifer, Gehrke & Venkitasubramaniam (2007), l-Diversity, ACM
    Trans. Knowledge Discovery from Data 1(1).

    >>> import pyarrow as pa
    >>> from tacita.core import Comparison, Microdata
    >>> from tacita.core.results.score import Files
    >>> data = Microdata.of(pa.table({"sex": list("ffmmm"), "ill": list("yyynn")}))
    >>> AttributeDisclosure(keys=["sex"], column="ill").score(Comparison.of_files(Files(data))).value
    40.0
    """

    name: ClassVar[str] = "attribute_disclosure"
    span: ClassVar[tuple[float, float | None]] = (0.0, 100.0)
    measured_in: ClassVar[str] = "%"
    of_the_worst: ClassVar[bool] = False

    certain: float = Field(default=1.0, gt=0.5, le=1, description="share of a class that counts as all of it")

    def figure(self, table: KeyTable, run: RunContext) -> Score:
        """How many are in such classes, in percent."""
        by_column = self.by_column(table, run)
        known = self._worst(by_column)[table.classes]
        own = {name: 100 * float(of[table.classes].mean()) for name, of in by_column.items()}
        return self.result(
            100 * known.mean(),
            per_record=100 * known,
            per_attribute=own if len(own) > 1 else {},
            beside={"records": float(known.sum())},
        )

    def of_class(self, answers: Answers) -> Floats:
        """1 where the class gives its answer away, else 0."""
        held = answers.counts / answers.table.sizes[answers.classes]
        return (answers.largest(held) >= self.certain).astype(np.float64)
