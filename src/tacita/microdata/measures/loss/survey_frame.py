"""A file as users of surveys read it: columns before and after with their gaps, weights, parts."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

import narwhals as nw
import numpy as np
import pyarrow as pa

from tacita.core import Comparison, DataError, Floats, Hierarchy, Ints, Microdata, Roles, RunContext, Score
from tacita.core.data.levels import Levels, category_cells, nominal_levels, ranked_levels
from tacita.core.results.score import Files
from tacita.microdata.measures.measure import Measure

# An unchanged column of more labels names records rather than kinds of them.
MOST_LABELS = 50


class Coded(NamedTuple):
    """A column of categories before and after, by the place of a label in `labels`; -1 where missing."""

    before: Ints
    after: Ints
    labels: tuple[str, ...]

    @property
    def size(self) -> int:
        """How many labels either side has."""
        return len(self.labels)


@dataclass(frozen=True, eq=False)
class Survey:
    """The whole source and the whole release; a protected column that was left out is missing throughout.

    >>> import pyarrow as pa
    >>> sides = ["f", "m", "m"], ["m", "m", None]
    >>> before, after = (Microdata.of(pa.table({"sex": each})) for each in sides)
    >>> files = Files(after, before.with_roles(Roles(quasi="sex", nominal="sex")), np.arange(3))
    >>> Survey.of(files).coded("sex")
    Coded(before=array([0, 1, 1]), after=array([ 1,  1, -1]), labels=('f', 'm'))
    """

    source: Microdata
    released: Microdata
    rows: Ints
    roles: Roles
    files: Files
    _coded: dict[str, Coded] = field(default_factory=dict, repr=False)
    _same: dict[str, bool] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, files: Files | None) -> Survey:
        """Make it of whole files; DataError where there is no source with roles."""
        if files is None or files.original is None or files.rows is None or files.original.roles is None:
            raise DataError("it needs the whole files, before and after")
        return cls(
            source=files.original,
            released=files.released,
            rows=files.rows,
            roles=files.original.roles,
            files=files,
        )

    @property
    def protected(self) -> tuple[str, ...]:
        """Columns that were protected."""
        return self.source.quasi

    @property
    def numbers(self) -> tuple[str, ...]:
        """Protected columns of numbers."""
        return tuple(name for name in self.protected if self.is_numeric(name))

    @property
    def categories(self) -> tuple[str, ...]:
        """Protected columns of categories."""
        return tuple(name for name in self.protected if not self.is_numeric(name))

    @property
    def beside(self) -> tuple[str, ...]:
        """Unchanged columns that say what a record is like: quantities, and categories of few labels."""
        roles = self.roles
        apart = {*self.protected, *roles.identifiers, roles.unit, roles.weight}
        unchanged = [
            name for name in self.source.columns if name in self.released.columns and name not in apart
        ]
        return tuple(name for name in unchanged if self._usable(name))

    def _usable(self, name: str) -> bool:
        try:
            return self.is_numeric(name) or 1 < self.coded(name).size <= MOST_LABELS
        except DataError:
            # nobody touches it, so it is no reason to refuse the file
            return False

    def is_numeric(self, name: str) -> bool:
        """Whether a column is one of quantities: by its role where protected, else by what it holds."""
        if name in self.protected:
            return self.source.scale(name) == "numeric"
        if self.source.kind(name) != "numeric":
            return False
        if not self._same_text(name) and self.released.kind(name) != "numeric":
            return False
        return bool(np.isfinite(self.source.numbers(name)).any())

    def values(self, name: str) -> tuple[Floats, Floats]:
        """A column of numbers before and after, NaN where missing. O(n)."""
        before = self.source.numbers(name)
        if name not in self.released.columns:
            return before, np.full(self.released.n, np.nan)
        return before, before[self.rows] if self._same_text(name) else self.released.numbers(name)

    def _same_text(self, name: str) -> bool:
        """Whether the release spells the cells of a text file as the source does: one parse serves both."""
        if name not in self._same:
            old, new = self.source.column(name), self.released.column(name)
            text = self.source.dialect is not None and self.source.dialect == self.released.dialect
            if text := text and old.dtype == new.dtype == nw.String:
                cells = old.to_arrow()
                if not np.array_equal(self.rows, np.arange(self.source.n)):
                    cells = cells.take(pa.array(self.rows))
                text = bool(cells.equals(new.to_arrow()))
            self._same[name] = text
        return self._same[name]

    def coded(self, name: str) -> Coded:
        """A column of categories before and after; a label means the same on both sides. O(n), once."""
        if name not in self._coded:
            old = label_levels(self.source, name)
            kept = name in self.released.columns
            same = kept and self._same_text(name)
            new = label_levels(self.released, name) if kept and not same else None
            labels = tuple(sorted({*old.names, *(new.names if new else ())}))
            place = {label: i for i, label in enumerate(labels)}
            before = _placed(old, place)
            if same:
                after = before[self.rows]
            elif new is None:
                after = np.full(self.released.n, -1, dtype=np.int64)
            else:
                after = _placed(new, place)
            self._coded[name] = Coded(before, after, labels)
        return self._coded[name]

    def recoded(self, name: str) -> Coded:
        """As `coded`, the source with the labels that recodings of the same release gave it. O(labels).

        >>> import pyarrow as pa
        >>> sides = ["Porto", "Faro", "Faro"], ["North", "South", None]
        >>> before, after = (Microdata.of(pa.table({"town": each})) for each in sides)
        >>> maps = {"town": {"Porto": "North", "Faro": "South"}}
        >>> roles = Roles(quasi="town", nominal="town")
        >>> files = Files(after, before.with_roles(roles), np.arange(3), recodings=maps)
        >>> Survey.of(files).recoded("town")
        Coded(before=array([0, 1, 1]), after=array([ 0,  1, -1]), labels=('North', 'South'))
        """
        coded, became = self.coded(name), self.files.recodings.get(name)
        if not became:
            return coded
        old = [became.get(label, label) for label in coded.labels]
        sides = (coded.before, old), (coded.after, list(coded.labels))
        held = [np.bincount(codes[codes >= 0], minlength=coded.size) > 0 for codes, _ in sides]
        labels = tuple(
            sorted(
                {
                    label
                    for (_, names), there in zip(sides, held, strict=True)
                    for label, some in zip(names, there.tolist(), strict=True)
                    if some
                }
            )
        )
        place = {label: at for at, label in enumerate(labels)}
        before, after = (
            np.array([*(place.get(label, -1) for label in names), -1], dtype=np.int64)[codes]
            for codes, names in sides
        )
        return Coded(before, after, labels)

    def weights(self) -> tuple[Floats, Floats]:
        """How many people a record stands for, before and after; 1 where no column tells."""
        name = self.roles.weight
        if name is None:
            return np.ones(self.source.n), np.ones(self.released.n)
        before = self.source.numbers(name)
        kept = name in self.released.columns
        after = self.released.numbers(name) if kept else before[self.rows]
        for weights in (before, after):
            if not (weights >= 0).all() or weights.sum() <= 0:
                raise DataError("some weights are missing or below zero, or all are zero")
        return before, after

    def parts(self, columns: Sequence[str]) -> Coded:
        """The part of the population each record is in, by some columns; missing is a label of its own."""
        if unknown := [name for name in columns if name not in self.source.columns]:
            raise DataError(f"the file has no column {', '.join(unknown)}")
        coded = [self.recoded(name) for name in columns]
        before, after = combined([column.before for column in coded], [column.after for column in coded])
        return Coded(before, after, tuple(map(str, range(int(max(before.max(), after.max())) + 1))))


def label_levels(data: Microdata, name: str) -> Levels:
    """The labels of a column and the place of each cell among them, NaN where missing. O(n)."""
    missing = data.missing(name)
    if data.kind(name) == "numeric":
        return ranked_levels(data.numbers(name), missing | np.isnan(data.numbers(name)))
    cells, _ = category_cells(data.column(name), f"{data.source}: column {name}")
    return nominal_levels(cells, missing | np.asarray(cells.is_null()))


def _placed(levels: Levels, place: dict[str, int]) -> Ints:
    places = np.array([*(place[label] for label in levels.names), -1], dtype=np.int64)
    return places[np.where(np.isnan(levels.codes), -1, levels.codes).astype(np.int64)]


def combined(before: Sequence[Ints], after: Sequence[Ints]) -> tuple[Ints, Ints]:
    """One code for each combination of several, the same on both sides; missing cells are one value.

    >>> one, other = combined([np.array([0, 1]), np.array([2, -1])], [np.array([1, 1]), np.array([-1, 2])])
    >>> one.tolist(), other.tolist()
    ([0, 1], [1, 2])
    """
    n = len(before[0])
    both = np.zeros(n + len(after[0]), dtype=np.int64)
    for old, new in zip(before, after, strict=True):
        codes = np.concatenate([old, new]) + 1
        both = np.unique(both * (int(codes.max()) + 1) + codes, return_inverse=True)[1].reshape(-1)
    return both[:n], both[n:]


class SurveyLoss(Measure):
    """Compares whole files, gaps and all. Subclasses say how, in `figure`."""

    kind: ClassVar[str] = "loss"
    of_files: ClassVar[bool] = True
    by_default: ClassVar[bool] = False

    def compute(self, pair: Comparison, run: RunContext) -> Score:
        """The figure of the files, or why there is none."""
        try:
            survey: Survey = pair.remember("survey", lambda: Survey.of(pair.files))
            return self.figure(survey, pair, run)
        except DataError as error:
            return self.none(str(error).removesuffix("."))

    @abstractmethod
    def figure(self, survey: Survey, pair: Comparison, run: RunContext) -> Score:
        """The score; DataError where the files lack what it needs."""

    def of_categories_alone(self, survey: Survey, figures: dict[str, float], value: float) -> Score:
        """A score that names the columns it covers where others were protected too."""
        covers = tuple(figures) if survey.numbers else ()
        return self.result(value, per_attribute=figures, covers=covers)


def hierarchy_of(survey: Survey, name: str) -> Hierarchy | None:
    """What the labels of a column stand for, where roles tell."""
    return survey.files.hierarchies.get(name)
