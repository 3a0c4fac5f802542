"""What keys give away of the people in a file, before anything is protected. Confidential."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tacita.core.data.dataframes import Column, Framed
from tacita.core.data.saving import writer
from tacita.core.display.number_format import number
from tacita.core.display.repr_html import Section, page

from .score import Report, Score, section_of


@dataclass(frozen=True)
class Band:
    """Combinations of keys that from `least` to `most` records share (None: or more), and their records.

    Where units are named, from `least` to `most` units.
    """

    least: int
    most: int | None
    combinations: int
    records: int

    @property
    def words(self) -> str:
        """How many records share.

        >>> Band(1, 1, 0, 0).words, Band(3, 4, 0, 0).words, Band(100, None, 0, 0).words
        ('1', '3 to 4', '100 or more')
        """
        if self.most is None:
            return f"{self.least} or more"
        return str(self.least) if self.least == self.most else f"{self.least} to {self.most}"


@dataclass(frozen=True)
class KeyFigures:
    """One key: its values and gaps, and what it does to tell records apart.

    `uniques_without` are the records that would still be alone if it were not known; `contribution` is the
    percentage of all scores of special uniques from sets with it, None where these were not looked for.
    `user_missing` counts cells for which the file states why they are missing: that is read as a value.
    """

    name: str
    values: int
    missing: int
    distinction: float
    separation: float
    uniques_without: int
    contribution: float | None = None
    user_missing: int = 0


@dataclass(frozen=True)
class ValueFigures:
    """A value of a key, or (`value` None) all values of it that too few have to be named.

    `contribution` is the percentage of what the key adds to scores of special uniques.
    """

    key: str
    value: str | None
    records: int
    contribution: float


@dataclass(frozen=True)
class SetFigures:
    """Some keys together: distinct combinations a record, and the share of pairs of records that differ."""

    columns: tuple[str, ...]
    distinction: float
    separation: float


@dataclass(frozen=True, kw_only=True)
class RiskProfile(Framed):
    """Risk of the keys of a file: scores by name, and the tables that they come from. Confidential.

    As a data frame it has one row for each record with its own figures, in the order of the file. These
    never leave in JSON or on a page. The only values of the data in it are labels of categories that
    several records have.

    Attributes
    ----------
    source : str
        Name of the file.
    fingerprint : str or None
        SHA-256 of the file.
    records : int
        Number of records.
    keys : tuple of str
        Columns that an attacker may know.
    settings : mapping
        The arguments that the scores were computed with.
    report : Report
        The scores; ``profile[name]`` looks one up.
    bands : tuple of Band
        Combinations of keys by the number of records that share them.
    by_key : tuple of KeyFigures
        What each key adds to the risk.
    by_value : tuple of ValueFigures
        What the values of keys add to the risk.
    sets : tuple of SetFigures
        Sets of keys, and how many records they set apart.
    versions : mapping of str to str
        Versions of the packages.
    path : path, optional
        The file that was read.
    unit : str, optional
        The column of units, where these are counted.

    Examples
    --------
    >>> import tacita, pyarrow as pa
    >>> frame = pa.table({"sex": list("ffmmm"), "town": list("aabbc")})
    >>> profile = tacita.risk_profile(frame, keys=["sex", "town"])
    >>> profile["k_anonymity"].value, profile.headline
    (1.0, '1 of 5 records (20 %) is unique on sex, town.')
    """

    source: str
    fingerprint: str | None
    records: int
    keys: tuple[str, ...]
    settings: Mapping[str, Any]
    report: Report
    bands: tuple[Band, ...]
    by_key: tuple[KeyFigures, ...]
    by_value: tuple[ValueFigures, ...]
    sets: tuple[SetFigures, ...]
    versions: Mapping[str, str]
    path: Path | None = field(default=None, repr=False)
    unit: str | None = None

    def __getitem__(self, name: str) -> Score:
        return self.report[name]

    @property
    def uniques(self) -> int:
        """Number of records that are unique on all keys; with units, of records whose keys one unit has."""
        return next((band.records for band in self.bands if band.most == 1), 0)

    @property
    def counted(self) -> str:
        """What is counted: records, or the units of a column."""
        return "Records" if self.unit is None else f"Units of {self.unit}"

    @property
    def headline(self) -> str:
        """How many records are unique, in a sentence."""
        share = number(100 * self.uniques / self.records)
        if self.unit is not None:
            belong = "belongs" if self.uniques == 1 else "belong"
            return (
                f"{number(self.uniques)} of {number(self.records)} records ({share} %) {belong} to the only "
                f"unit ({self.unit}) with their {', '.join(self.keys)}."
            )
        are = "is" if self.uniques == 1 else "are"
        return (
            f"{number(self.uniques)} of {number(self.records)} records ({share} %) {are} unique on "
            f"{', '.join(self.keys)}."
        )

    def as_dict(self) -> dict[str, Any]:
        """Convert the profile to values for JSON: figures of the whole file, none of a record.

        Returns
        -------
        dict
            Numbers, texts, lists and dictionaries.
        """
        return {
            "confidential": True,
            "source": self.source,
            "fingerprint": self.fingerprint,
            "records": self.records,
            "keys": list(self.keys),
            "settings": dict(self.settings),
            "headline": self.headline,
            **self.report.as_dict(),
            "frequencies": [asdict(band) for band in self.bands],
            "by_key": [asdict(figures) for figures in self.by_key],
            "by_value": [asdict(figures) for figures in self.by_value],
            "column_sets": [asdict(figures) for figures in self.sets],
            "versions": dict(self.versions),
        }

    def _columns(self) -> Iterable[Column]:
        yield Column("record", int, range(1, self.records + 1))
        for score in self.report:
            if score.per_record is not None:
                yield Column(score.name, float, score.per_record.tolist(), False)

    def __repr__(self) -> str:
        return f"<RiskProfile: {self.headline}>"

    def save(
        self,
        *,
        report: str | Path | None = None,
        json_report: str | Path | None = None,
        records: str | Path | None = None,
        force: bool = False,
    ) -> None:
        """Write the profile as a page and as JSON, and the figures of single records; all confidential.

        Parameters
        ----------
        report : path, optional
            The page (HTML).
        json_report : path, optional
            The figures as JSON.
        records : path, optional
            The figures of single records, as CSV or Parquet, for the reviewer alone.
        force : bool, default=False
            Overwrite files.
        """
        writer("risk")(self, report=report, json_report=json_report, records=records, force=force)

    def _repr_html_(self) -> str:
        shared = Section(
            (f"{self.counted} that share their keys", "Combinations", "Records"),
            tuple((band.words, band.combinations, band.records) for band in self.bands),
        )
        keys = Section(
            ("Key", "Values", "Missing", "Alone without it"),
            tuple(
                (figures.name, figures.values, figures.missing, figures.uniques_without)
                for figures in self.by_key
            ),
        )
        return page(self.headline, [section_of(self.report), shared, keys], self.report.notes)
