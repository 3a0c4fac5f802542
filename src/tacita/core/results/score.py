"""What was measured: one Score per measure, a Report of them, and the Comparison they look at."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from tacita.core.arrays import Ints, Matrix, as_matrix
from tacita.core.data.dataframes import Column, Framed
from tacita.core.data.hierarchy import Hierarchy
from tacita.core.data.microdata import Microdata
from tacita.core.data.saving import writer
from tacita.core.display.repr_html import Section, page
from tacita.core.errors import DataError, ParameterError
from tacita.core.spec import registry
from tacita.core.spec.registry import in_any_case

Direction = Literal["lower", "higher"]


@dataclass(frozen=True, kw_only=True)
class Score:
    """One measured figure of loss or risk.

    Attributes
    ----------
    name : str
        Name of the measure.
    value : float or None
        The figure; None where it cannot be computed.
    reason : str, optional
        Why there is no figure.
    span : tuple of float
        The range in which the figure can lie; an end of None is no bound.
    direction : {"lower", "higher"}
        Which end of the range is better.
    unit : str, default="%"
        Unit of the figure.
    error : float, optional
        Standard error of a figure that rests on a random sample.
    covers : tuple of str
        The protected columns that the figure is about, where these are not all.
    reading : mapping of str to str
        How cells and weights were read, where that is a choice.
    beside : mapping of str to float
        Further figures that go with this one.
    per_attribute : mapping of str to float
        The figure of each column, where there is one.
    per_record : array of float, optional
        The figure of each record; it never leaves in JSON.

    Examples
    --------
    >>> Score(name="IL1", value=5.69, span=(0, None)).as_dict()
    {'name': 'IL1', 'value': 5.69, 'reason': None, 'range': [0, None], 'direction': 'lower', 'unit': '%'}
    """

    name: str
    value: float | None
    reason: str | None = None
    span: tuple[float, float | None] = (0.0, None)
    direction: Direction = "lower"
    unit: str = "%"
    error: float | None = None
    covers: tuple[str, ...] = ()
    reading: Mapping[str, str] = field(default_factory=dict)
    beside: Mapping[str, float] = field(default_factory=dict)
    per_attribute: Mapping[str, float] = field(default_factory=dict)
    per_record: Matrix | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if (self.value is None) == (self.reason is None):
            raise ParameterError(f"Score {self.name}: wanted either a value or a reason why there is none.")
        if self.value is not None and not np.isfinite(self.value):
            raise ParameterError(f"Score {self.name}: wanted a finite value, got {self.value}.")

    @property
    def interval(self) -> tuple[float, float] | None:
        """Confidence interval of 95 % of a figure that rests on a sample of records; None otherwise.

        Value +- 1.96 standard errors, cut at the ends of the range.

        Examples
        --------
        >>> Score(name="DBRL", value=31.5, span=(0, 100), error=0.1).interval
        (31.304, 31.696)
        """
        if self.value is None or self.error is None:
            return None
        reach, (least, most) = 1.96 * self.error, self.span
        upper = self.value + reach if most is None else min(most, self.value + reach)
        return max(least, self.value - reach), upper

    @property
    def sampled_as(self) -> str:
        """The confidence interval in a sentence; empty where all records were used.

        Examples
        --------
        >>> Score(name="DBRL", value=31.5, span=(0, 100), error=0.1).sampled_as
        'Estimated by a sample of records: 31.3 to 31.7 with a confidence of 95 %.'
        """
        if self.interval is None:
            return ""
        low, high = (f"{bound:.4g}" for bound in self.interval)
        return f"Estimated by a sample of records: {low} to {high} with a confidence of 95 %."

    @property
    def read_as(self) -> str:
        """The choices of `reading` in words; empty where there is no choice.

        Examples
        --------
        >>> Score(name="k_anonymity", value=3.0, reading={"missing_as": "category"}).read_as
        'missing as category'
        """
        return ", ".join(f"{name.replace('_', ' ')} {how}" for name, how in self.reading.items())

    def as_dict(self) -> dict[str, Any]:
        """Convert the score to values for JSON, without figures of single records.

        Returns
        -------
        dict
            Numbers, texts, lists and dictionaries.
        """
        shown: dict[str, Any] = {
            "name": self.name,
            "value": self.value,
            "reason": self.reason,
            "range": list(self.span),
            "direction": self.direction,
            "unit": self.unit,
        }
        if self.error is not None:
            shown["standard_error"] = self.error
        if self.interval is not None:
            shown["confidence_interval"] = list(self.interval)
        if self.covers:
            shown["covers"] = list(self.covers)
        for name in ("reading", "beside"):
            if extra := getattr(self, name):
                shown[name] = dict(extra)
        if self.per_attribute:
            shown["per_attribute"] = dict(self.per_attribute)
        return shown


def headlines(scores: Iterable[Score]) -> tuple[Score, ...]:
    """The scores to see first: those of them that have a figure, or else why they have none.

    Where none of all is to be seen first, it is all of them.

    >>> scores = [Score(name="IL1", value=None, reason="no number"), Score(name="k_anonymity", value=3.0)]
    >>> [score.name for score in headlines(scores)]
    ['k_anonymity']
    """
    every = tuple(scores)
    first = tuple(score for score in every if registry.is_headline(score.name))
    return tuple(score for score in first if score.value is not None) or first or every


@dataclass(frozen=True)
class Family:
    """Scores that belong together: of one `kind` of measure, under one `name`."""

    kind: str
    name: str
    scores: tuple[Score, ...]


def families(scores: Iterable[Score]) -> tuple[Family, ...]:
    """Scores of loss, then risk, then balance; those of one family together, families as they first come.

    >>> grouped = families(Score(name=name, value=1.0) for name in ("DR", "IL1", "PIL", "IL2"))
    >>> [(family.kind, [score.name for score in family.scores]) for family in grouped]
    [('loss', ['IL1', 'IL2']), ('loss', ['PIL']), ('risk', ['DR'])]
    """
    every = tuple(scores)
    kinds = registry.kinds_of([score.name for score in every], registry.MEASURING)
    by_family: dict[tuple[str, str], list[Score]] = {}
    # a stable sort: within a kind, scores keep their order
    for score, kind in sorted(zip(every, kinds, strict=True), key=lambda x: registry.MEASURING.index(x[1])):
        by_family.setdefault((kind, registry.family_of(score.name)), []).append(score)
    return tuple(Family(kind, name, tuple(members)) for (kind, name), members in by_family.items())


def section_of(scores: Iterable[Score]) -> Section:
    """Scores as a table: a figure, its unit, which end is better; or why there is none."""
    rows = tuple(
        (score.name, score.value, score.unit, score.reason or "; ".join(_remarks(score))) for score in scores
    )
    return Section(("Measure", "Value", "Unit", ""), rows)


def _remarks(score: Score) -> Iterable[str]:
    yield f"{score.direction} is better"
    if score.reading:
        yield score.read_as
    if score.sampled_as:
        yield score.sampled_as


@dataclass(frozen=True)
class Report(Framed):
    """The scores of one release, looked up by name, in any case.

    Iterating yields the scores; as a data frame, it has one row for each score.

    Attributes
    ----------
    scores : tuple of Score
        The figures, in order.
    notes : tuple of str
        What a reader of the figures must know.

    Examples
    --------
    >>> Report((Score(name="IL1", value=5.69),))["il1"].value
    5.69
    """

    scores: tuple[Score, ...]
    notes: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> Score:
        names = [score.name for score in self.scores]
        meant = in_any_case(name, names)
        if len(meant) != 1:
            raise KeyError(f"no score named {name}; there are {', '.join(names)}")
        return self.scores[names.index(meant[0])]

    def __iter__(self) -> Iterator[Score]:
        return iter(self.scores)

    def __len__(self) -> int:
        return len(self.scores)

    def as_dict(self) -> dict[str, Any]:
        """Convert scores and notes to values for JSON.

        Returns
        -------
        dict
            Numbers, texts, lists and dictionaries.
        """
        return {"scores": [score.as_dict() for score in self.scores], "notes": list(self.notes)}

    def _columns(self) -> Iterable[Column]:
        scores = self.scores
        yield Column("name", str, [score.name for score in scores])
        yield Column("value", float, [score.value for score in scores])
        yield Column("unit", str, [score.unit for score in scores])
        yield Column("direction", str, [score.direction for score in scores])
        yield Column("least", float, [score.span[0] for score in scores])
        yield Column("most", float, [score.span[1] for score in scores])
        yield Column("standard_error", float, [score.error for score in scores])
        yield Column("covers", str, [", ".join(score.covers) or None for score in scores])
        yield Column("reading", str, [score.read_as or None for score in scores])
        yield Column("reason", str, [score.reason for score in scores])

    def __repr__(self) -> str:
        names = ", ".join([*(score.name for score in self.scores[:4]), *(["..."] if len(self) > 4 else [])])
        return f"<Report of {len(self)} measures: {names}>"

    def save(self, path: str | Path, *, inputs: Sequence[str | Path] = (), force: bool = False) -> None:
        """Write the scores as JSON, confidential.

        Parameters
        ----------
        path : path
            The file to write.
        inputs : list of path
            Files that are never overwritten.
        force : bool, default=False
            Overwrite files.
        """
        writer("report")(self, path, inputs=inputs, force=force)

    def _repr_html_(self) -> str:
        return page(f"Report of {len(self)} measures", [section_of(self)], self.notes)


@dataclass(frozen=True, eq=False)
class Categories:
    """Codes of the protected nominal and ordinal attributes before and after, on one scale for both."""

    original: Matrix
    released: Matrix
    attributes: tuple[str, ...]
    ordinal: tuple[bool, ...]


@dataclass(frozen=True, eq=False)
class Files:
    """A file as it is released, and its source with roles, where that is known.

    `rows[i]` is the row of the source that released row i came from. Before anything is protected, a file is
    its own source. `domains` are columns that name parts of the population; `hierarchies` say what coarser
    labels of a column stand for. `recodings` has, by column, the labels that the release put in place of
    those of the source before it did anything else with them. `keys` are the columns that k is promised of,
    where these are not all that were protected.
    """

    released: Microdata
    original: Microdata | None = None
    rows: Ints | None = None
    domains: tuple[str, ...] = ()
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)
    recodings: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    keys: tuple[str, ...] = ()

    @classmethod
    def unprotected(cls, data: Microdata) -> Files:
        """A file as an office has it."""
        return cls(released=data, original=data, rows=np.arange(data.n))


@dataclass(frozen=True, eq=False)
class Comparison:
    """Original and released values of the protected attributes, rows aligned, no missing values.

    `context` holds unchanged numeric attributes of the same records: a measure may ask whether the
    protected ones still go with them. `domains` numbers the part of the population each record is in.
    `categories` holds protected attributes that are no numbers; most measures do not look at them. `files`
    are the whole files, with their gaps, for measures of what an attacker may know besides.
    """

    original: Matrix
    released: Matrix
    attributes: tuple[str, ...]
    context: Matrix
    domains: Ints | None = None
    categories: Categories | None = None
    files: Files | None = None
    _known: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if self.original.shape != self.released.shape or self.original.ndim != 2:
            raise DataError(
                f"Comparison: wanted two tables of one shape, got {self.original.shape} "
                f"and {self.released.shape}. Compare the same records and columns."
            )
        if self.original.shape[1] != len(self.attributes):
            raise DataError(
                f"Comparison: wanted a name for each of {self.original.shape[1]} columns, "
                f"got {len(self.attributes)}."
            )

    @classmethod
    def of(
        cls,
        original: npt.ArrayLike,
        released: npt.ArrayLike,
        names: Sequence[str] = (),
        context: npt.ArrayLike = (),
        domains: npt.ArrayLike | None = None,
        categories: Categories | None = None,
        files: Files | None = None,
    ) -> Comparison:
        """From plain arrays; columns without names are called x1, x2, ...

        >>> Comparison.of([[1.0], [2.0]], [[1.5], [1.5]]).attributes
        ('x1',)
        """
        if categories is not None and np.size(original) == 0:
            # nothing but categories
            x = z = np.empty((len(categories.original), 0))
        else:
            x, z = as_matrix(original, "Comparison"), as_matrix(released, "Comparison")
        unchanged = np.empty((len(x), 0)) if np.size(context) == 0 else as_matrix(context, "Comparison")
        parts = None if domains is None else np.unique(np.asarray(domains), return_inverse=True)[1]
        named = tuple(names or (f"x{j + 1}" for j in range(x.shape[1])))
        return cls(
            original=x,
            released=z,
            attributes=named,
            context=unchanged,
            domains=parts,
            categories=categories,
            files=files,
        )

    @classmethod
    def of_files(cls, files: Files) -> Comparison:
        """Whole files, where no record has a number on both sides."""
        nothing = np.empty((0, 0))
        return cls(original=nothing, released=nothing, attributes=(), context=nothing, files=files)

    @property
    def n(self) -> int:
        """How many records."""
        return int(self.original.shape[0])

    def remember(self, what: Hashable, compute: Callable[[], Any]) -> Any:
        """What was computed before under this key, or now: many measures share their parts.

        >>> pair = Comparison.of([[1.0]], [[2.0]])
        >>> pair.remember("answer", lambda: 42), pair.remember("answer", lambda: 43)
        (42, 42)
        """
        if what not in self._known:
            self._known[what] = compute()
        return self._known[what]

    def varying(self) -> Comparison:
        """Without the columns whose original values are all the same.

        >>> Comparison.of([[1.0, 5.0], [3.0, 5.0]], [[2.0, 5.0], [2.0, 6.0]]).varying().attributes
        ('x1',)
        """
        varies = np.ptp(self.original, axis=0) > 0
        if varies.all():
            return self
        names = tuple(name for name, kept in zip(self.attributes, varies, strict=True) if kept)
        return Comparison(
            original=np.ascontiguousarray(self.original[:, varies]),
            released=np.ascontiguousarray(self.released[:, varies]),
            attributes=names,
            context=self.context,
            domains=self.domains,
            categories=self.categories,
            files=self.files,
        )

    @cached_property
    def scale(self) -> Matrix:
        """Standard deviation of every original column (divisor n - 1)."""
        return np.asarray(self.original.std(axis=0, ddof=1), dtype=np.float64)
