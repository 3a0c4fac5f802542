"""The result of a release: public data, and the confidential record of how they were made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import narwhals as nw
import numpy as np

from tacita.core.arrays import Ints, Mask
from tacita.core.data.microdata import Microdata
from tacita.core.data.saving import writer
from tacita.core.display.repr_html import Section, page
from tacita.core.errors import ParameterError
from tacita.core.spec.deprecated import renamed_attribute

from .plot_data import Correlations, Estimate, RiskByRecord
from .score import Report, headlines, section_of
from .uniqueness import Uniqueness
from .verdicts import Verdict

# By column, new labels by old ones.
LabelMaps = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True)
class DisclosureWarning:
    """Where a promise is thinner than it sounds, how often, and what can be done."""

    name: str
    text: str
    count: int
    advice: str


def search_stopped(seconds: float, left: str = "") -> DisclosureWarning:
    """A warning that the user stopped a search; `left` is what it left open."""
    text = f"The search was stopped by the user after {seconds:.1f} s: this is the best it had by then{left}."
    advice = "The same plan and seed may give another result. Let the search end where it must repeat."
    return DisclosureWarning("search-stopped", text, 1, advice)


def warned(warnings: Iterable[DisclosureWarning]) -> Section:
    """Warnings as a table."""
    return Section(
        ("Warning", "Count", "What to do"),
        tuple((warning.text, warning.count, warning.advice) for warning in warnings),
    )


@dataclass(frozen=True)
class AttributeSummary:
    """One protected attribute before and after, in counts that no single record shows through.

    `edges` are the inner borders of the bins; the outer bins are open, so no axis ends at an extreme. Of
    categories, `categories` names the bins instead, and there are no means; the last of them stands for
    `others`, where these are any.
    """

    name: str
    edges: tuple[float, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]
    mean_before: float | None
    mean_after: float | None
    sd_before: float | None
    sd_after: float | None
    constant: bool
    categories: tuple[str, ...] = ()
    others: int = 0

    @property
    def shares(self) -> tuple[tuple[float, float], ...]:
        """Of each bin the percentage of records before and after.

        >>> AttributeSummary("x", (), (3, 1), (2, 2), 0, 0, 1, 1, False, ("a", "b")).shares
        ((75.0, 50.0), (25.0, 50.0))
        """
        old, new = max(1, sum(self.before)), max(1, sum(self.after))
        return tuple((100 * b / old, 100 * a / new) for b, a in zip(self.before, self.after, strict=True))

    @property
    def spread_change(self) -> float | None:
        """By how many percent the standard deviation changed; None where there is none to compare with.

        >>> AttributeSummary("x", (), (4,), (4,), 0, 0, 2.0, 1.5, False).spread_change
        -25.0
        """
        if not self.sd_before or self.sd_after is None:
            return None
        return 100 * (self.sd_after / self.sd_before - 1)


@dataclass(frozen=True)
class Requirement:
    """What a finished file must satisfy: a measure by name, the most or least it may be, and its settings.

    `by_column` is the most or least that it may be of each column, or of those that are named; `limit` is
    None where only columns have one.
    """

    name: str
    limit: float | None
    settings: Mapping[str, Any] = field(default_factory=dict)
    by_column: float | Mapping[str, float] | None = None


# Promises of values that are as declared, or stand behind k others: there is no change of numbers to undo.
DECLARED = frozenset(
    {
        "groups-of-k",
        "column-groups",
        "k-anonymous",
        "recoded",
        "coded",
        "dropped",
        "generalised",
        "values-redrawn",
        "only-withheld",
    }
)


def no_rows() -> Ints:
    """Where nobody leaves."""
    return np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, repr=False)
class Claim:
    """Everything a verifier needs to check a release by itself. Confidential: holds the original.

    `rows[i]` is the original row that released row i came from. `labels` are the groups behind the values:
    `labels[i]` where whole records are grouped, `labels[i, j]` where each column is grouped by itself, None
    where no groups are claimed; `k` is None then too. `dropped_rows` are original rows that are not in the
    file, each by a rule: it misses a value in a column of `left_out`, it fits into no class, or it meets a
    condition. `suppressed[i, j]` tells of released row i and quasi-identifier j whether its value was
    suppressed, so that k records miss the same columns or show the same; None where that was not requested.
    `missing_drawn` says that missing values were drawn like others, `shuffled` that records were given
    another order. `terms` are what promises speak of, `accepted_risks` names the risks that were accepted,
    `requirements` what the finished file must satisfy. `recodings` are the labels that recodings of the
    release gave its columns: losses that compare labels are measured against these. `identified` are columns
    as they were before pseudonyms took their place, which `original` has already.

    A release of several steps claims what holds of the whole, and each of its `steps` claims what holds of
    its own columns: `original` is then the file before that step, `touched` are columns that others changed
    since, `dropped_later` rows of it that left in a later step, and `guarantees` only the promises that still
    stand; `emptied[i, j]` tells of released row i and quasi-identifier j whether a later step left its cell
    empty, as that step claims too. Where a step worked on one record a unit,
    `representing` are the rows of its original that stand for their unit.
    """

    original: Microdata
    rows: Ints
    labels: Ints | None
    k: int | None
    guarantees: tuple[str, ...]
    rounded: frozenset[str] = frozenset()
    left_out: tuple[str, ...] = ()
    suppressed: Mask | None = None
    dropped_rows: Ints = field(default_factory=no_rows)
    dropped_later: Ints = field(default_factory=no_rows)
    terms: Mapping[str, Any] = field(default_factory=dict)
    accepted_risks: tuple[str, ...] = ()
    requirements: tuple[Requirement, ...] = ()
    steps: tuple[Claim, ...] = ()
    touched: frozenset[str] = frozenset()
    emptied: Mask | None = None
    representing: Ints | None = None
    missing_drawn: bool = False
    shuffled: bool = False
    recodings: LabelMaps = field(default_factory=dict)
    identified: Microdata | None = None


@dataclass(frozen=True)
class Withdrawn:
    """A promise of a step that no longer stands: a later one changed columns that it speaks of, or, where no
    columns are named, took out records."""

    guarantee: str
    step: int
    by: int
    columns: tuple[str, ...]


@dataclass(frozen=True)
class StepRecord:
    """What one step did, and what the file was worth after it: `report` compares it with the source.

    Of its columns, `as_they_were` are those of which it changed no value.
    """

    kind: str
    method: tuple[str, ...]
    parameters: Mapping[str, Any]
    columns: tuple[str, ...]
    by_unit: bool
    groups: int | None
    promises: tuple[str, ...]
    report: Report = field(repr=False)
    search: Mapping[str, Any] = field(default_factory=dict)
    as_they_were: tuple[str, ...] = ()


@dataclass(frozen=True)
class Record:
    """How a release was made. Confidential.

    `fingerprint` is the SHA-256 of the input, `release_fingerprint` that of the file as it was written.
    `groups` is None where records were not grouped. `gap`, where a bound was proven, is the share of the
    squared error within groups that any other groups of k could save at most. `uniqueness` tells how many
    records are unique on what is released; `risks` how likely they are to be found. `estimates` are
    those of the population, where records have weights; `user_missing` counts by column the cells that the
    source misses for a reason that it states. `accepted_risks` names
    the risks that were accepted. `steps` are those that were carried out, `withdrawn` the promises that
    a later one took back; `search` of a step is what it looked for and found, where it searched for the best.
    """

    source: str
    fingerprint: str | None
    method: tuple[str, ...]
    parameters: Mapping[str, Any]
    roles: Mapping[str, Any]
    options: Mapping[str, Any]
    seed: int | None
    records_in: int
    records_out: int
    groups: int | None
    group_sizes: Mapping[int, int]
    strata: int
    versions: Mapping[str, str]
    verdicts: tuple[Verdict, ...]
    warnings: tuple[DisclosureWarning, ...]
    not_promised: tuple[str, ...]
    uniqueness: Uniqueness
    summaries: tuple[AttributeSummary, ...] = field(repr=False, default=())
    risks: tuple[RiskByRecord, ...] = field(repr=False, default=())
    correlations: Correlations | None = field(repr=False, default=None)
    estimates: tuple[Estimate, ...] = field(repr=False, default=())
    user_missing: Mapping[str, int] = field(default_factory=dict)
    gap: float | None = None
    accepted_risks: tuple[str, ...] = ()
    release_fingerprint: str | None = None
    steps: tuple[StepRecord, ...] = ()
    withdrawn: tuple[Withdrawn, ...] = ()

    cautions = renamed_attribute("cautions", "warnings")
    insisted = renamed_attribute("insisted", "accepted_risks")

    @property
    def withheld(self) -> tuple[Mapping[str, Any], ...]:
        """The summaries of the steps that suppressed cells."""
        return tuple(step.search for step in self.steps if step.kind == "withholding")

    @property
    def levels(self) -> dict[str, int]:
        """The level of its hierarchy that each column is shown at, where a step chose one for all records."""
        chosen = [step.search.get("levels", {}) for step in self.steps]
        return {column: level for levels in chosen for column, level in levels.items()}

    @property
    def headline(self) -> str:
        """How many records, by which methods, in how many groups."""
        groups = "" if self.groups is None else f", {self.groups} groups"
        return f"{self.records_out} records by {' + '.join(self.method)}{groups}"

    @property
    def sections(self) -> tuple[Section, ...]:
        """The verdicts, how many records are unique, and the warnings."""
        promises = tuple(
            (verdict.guarantee, "kept" if verdict.passed else "not kept", verdict.promise)
            for verdict in self.verdicts
        )
        return (
            Section(("Promise", "Verified", "What it says"), promises),
            Section((), ((self.uniqueness.headline,),)),
            warned(self.warnings),
        )


class RecordSummary(Protocol):
    """A summary of a confidential record that discloses no value of it."""

    @property
    def headline(self) -> str:
        """What was protected, and by which method, in a few words."""

    @property
    def sections(self) -> tuple[Section, ...]:
        """What was found and verified, in counts: tables for a notebook."""


D = TypeVar("D")
R = TypeVar("R", bound=RecordSummary)
C = TypeVar("C")
FrameT = TypeVar("FrameT")


@dataclass(frozen=True, repr=False)
class AnyRelease(Generic[D, R, C]):
    """What is ready to publish (`data`); confidential scores, the `record` of how, the `claim` to verify."""

    data: D
    report: Report
    record: R
    claim: C

    def __repr__(self) -> str:
        return f"<Release of {self.record.headline}>"

    def _repr_html_(self) -> str:
        scores = section_of(headlines(self.report))
        return page(f"Release of {self.record.headline}", (scores, *self.record.sections))


@dataclass(frozen=True, repr=False)
class Release(AnyRelease[FrameT, Record, Claim]):
    """Protected records with their verdicts, measures and warnings.

    `data` may be published; all else is confidential.

    Attributes
    ----------
    data : data frame or path
        The protected records, a frame of the same type as the original; of `protect_file`, the path.
    report : Report
        Scores of loss and risk.
    record : Record
        How the release was made: method, parameters, verdicts and warnings. Confidential.
    claim : Claim
        What the verifier needs to check the release again. It holds the original.

    Examples
    --------
    >>> import pyarrow as pa, tacita
    >>> release = tacita.protect(pa.table({"x": [1.0, 2.0, 3.0]}), quasi="x", k=3)
    >>> release, release.to_arrow()["x"].to_pylist()
    (<Release of 3 records by mdav, 1 groups>, [2.0, 2.0, 2.0])
    """

    data: FrameT
    record: Record
    claim: Claim

    def save(
        self,
        path: str | Path,
        *,
        report: str | Path | None = None,
        json_report: str | Path | None = None,
        note: str | Path | None = None,
        source: str | Path | None = None,
        force: bool = False,
    ) -> None:
        """Write the release, after checking the very bytes that are written; all files appear or none.

        Parameters
        ----------
        path : path
            Public: the release, in the format that its ending names.
        report, json_report : path, optional
            Confidential: the review as a page and as JSON, readable by their owner alone.
        note : path, optional
            Public: a note for users of the release.
        source : path, optional
            A file that is never overwritten, as the file that was read.
        force : bool, default=False
            Overwrite files.

        Raises
        ------
        VerificationError
            If the written bytes do not keep what the method guarantees.
        ParameterError
            If a file exists, or cannot be written.
        """
        pages = {"report": report, "json_report": json_report, "note": note, "source": source}
        writer("records")(self, path, **pages, force=force)

    def to_pandas(self) -> Any:
        """Convert the released records to a data frame of pandas.

        Returns
        -------
        pandas.DataFrame
            The records.
        """
        return self._frame().to_pandas()

    def to_polars(self) -> Any:
        """Convert the released records to a data frame of polars.

        Returns
        -------
        polars.DataFrame
            The records.
        """
        return self._frame().to_polars()

    def to_arrow(self) -> Any:
        """Convert the released records to a table of Arrow.

        Returns
        -------
        pyarrow.Table
            The records.
        """
        return self._frame().to_arrow()

    def _frame(self) -> Any:
        if self.data is None or isinstance(self.data, Path):
            raise ParameterError(
                "Release: its records are in the file that was written. Read them from there."
            )
        return nw.from_native(self.data, eager_only=True)


RecordsRelease = Release[Any]
