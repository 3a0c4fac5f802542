"""A release, as it stands or as re-read from its file, with its claim."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from math import fsum
from typing import NamedTuple
from unicodedata import category, normalize

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tacita.core import Floats, Ints, Mask, Microdata
from tacita.core.arrays import numbered
from tacita.core.data.microdata import column_codes
from tacita.core.results.inferred_cells import Determined
from tacita.core.results.release import Claim
from tacita.io.formats.record_format import RecordFormat
from tacita.io.frames import gathered

from .cells import as_array, bits, identical, same_text

# Marks that show nothing although Unicode counts them among letters, accents or symbols; and the dot that a
# dotted capital I of Turkish leaves behind.
_HIDDEN = (
    ("\u0307", "\u0307"),
    ("\u034f", "\u034f"),
    ("\u115f", "\u1160"),
    ("\u17b4", "\u17b5"),
    ("\u180b", "\u180f"),
    ("\u2800", "\u2800"),
    ("\u3164", "\u3164"),
    ("\ufe00", "\ufe0f"),
    ("\uffa0", "\uffa0"),
    ("\U000e0100", "\U000e01ef"),
)

# Records of a group beyond which its sum is taken by itself.
_LONG_RUN = 64


@dataclass(frozen=True, repr=False)
class Evidence:
    """What the checks look at; `content` are the bytes of the file and `form` its format, if there is one.

    `read` is what the format found in the bytes; `released` is that in the types and words of the source.
    """

    released: Microdata
    claim: Claim
    content: bytes | None = None
    form: RecordFormat | None = None
    read: Microdata | None = None
    # columns to which an earlier step gave other values
    masked: frozenset[str] = frozenset()
    # what follows of hidden cells, once it was looked for
    inferred: list[tuple[Determined, ...]] = field(default_factory=list)
    # numbers for the cells of released columns, and what they say as numbers, once either was looked up
    spelled: dict[str, Ints] = field(default_factory=dict)
    figures: dict[str, Floats | None] = field(default_factory=dict)

    @property
    def in_file(self) -> Microdata:
        """The cells as the file has them."""
        return self.released if self.read is None else self.read

    @cached_property
    def gone(self) -> frozenset[str]:
        """Columns that must not be there."""
        roles = self.claim.original.roles
        named = frozenset(roles.identifiers) if roles else frozenset()
        parts = [part for part in (self.claim, *self.claim.steps) if "dropped" in part.guarantees]
        return named.union(*(part.terms.get("columns", ()) for part in parts))

    @cached_property
    def incomplete(self) -> Mask:
        """Original rows that miss a value of a column where that makes a record leave."""
        original = self.claim.original
        incomplete = np.zeros(original.n, dtype=bool)
        for name in self.claim.left_out:
            incomplete |= gaps(original, name)
        return incomplete

    @cached_property
    def seen(self) -> Ints:
        """The original rows that the method saw: those released, then those that left by its own rule."""
        claim = self.claim
        return np.concatenate([claim.rows, claim.dropped_rows[~self.incomplete[claim.dropped_rows]]])

    @cached_property
    def strata(self) -> Ints:
        """The stratum of each released row, from the original: named columns and which values are absent.

        Where missing values are drawn like others, only named columns part records.
        """
        original, rows = self.claim.original, self.claim.rows
        keys = [original.codes([name])[rows] for name in (original.roles.strata if original.roles else ())]
        if not self.claim.missing_drawn:
            keys += [self.absent(name).astype(np.int64) for name in original.quasi]
        return distinct(*keys) if keys else np.zeros(rows.size, dtype=np.int64)

    def suppressed(self, name: str) -> Mask:
        """Released rows whose value of a quasi-identifier was taken away, by the claim."""
        claim = self.claim
        if claim.suppressed is None:
            return np.zeros(claim.rows.size, dtype=bool)
        return claim.suppressed[:, claim.original.quasi.index(name)]

    def emptied(self, name: str) -> Mask:
        """Released rows whose cell of a quasi-identifier a later step left empty, by the claim."""
        claim = self.claim
        if claim.emptied is None:
            return np.zeros(claim.rows.size, dtype=bool)
        return claim.emptied[:, claim.original.quasi.index(name)]

    def absent(self, name: str) -> Mask:
        """Released rows that must show no value: there was none, or it was taken away."""
        return gaps(self.claim.original, name)[self.claim.rows] | self.suppressed(name)

    def gaps_shown(self, name: str) -> Mask:
        """Cells of the release that show nothing."""
        cells = self.released.frame.select(name).to_native()
        # a typed file of text spells what is missing as its source did
        dialect = self.released.dialect or self.claim.original.dialect
        return no_category(Microdata.of(cells, dialect=dialect), name)

    def originals(self, name: str) -> Floats:
        """The original numbers that stand behind the released rows, NaN where none may be shown."""
        return np.where(self.suppressed(name), np.nan, self.claim.original.numbers(name)[self.claim.rows])

    @cached_property
    def claimed_groups(self) -> Ints | None:
        """The group of each row by the claim, if it names one; one that spans strata counts as several."""
        labels = self.claim.labels
        return None if labels is None or labels.ndim != 1 else distinct(self.strata, labels)

    @cached_property
    def published_groups(self) -> Ints:
        """Rows of one stratum that are the same on all quasi-identifiers to the last bit or letter."""
        return distinct(self.strata, *(self.spelling(name) for name in self.claim.original.quasi))

    def published_values(self, name: str) -> Ints:
        """Cells of one stratum that are the same in one column to the last bit or letter."""
        return distinct(self.strata, self.spelling(name))

    @cached_property
    def units(self) -> Ints | str:
        """The unit behind each row, or why it is not known."""
        original, rows = self.claim.original, self.claim.rows
        unit = original.roles.unit if original.roles else None
        if unit is None:
            return "no unit column was named"
        absent = int(original.missing(unit)[rows].sum())
        return f"the unit of {absent} records is not known" if absent else one_each(original, unit)[rows]

    @cached_property
    def every_unit(self) -> Ints | None:
        """A number for the unit behind each original row; one that is not known is its own."""
        original = self.claim.original
        unit = original.roles.unit if original.roles else None
        if unit is None:
            return None
        units = one_each(original, unit)
        absent = np.flatnonzero(original.missing(unit))
        units[absent] = units.size + np.arange(absent.size)
        return units

    def representing(self) -> Evidence:
        """The same of one record a unit, where the step worked on units."""
        claim, standing = self.claim, self.claim.representing
        if standing is None:
            return self
        chosen = np.flatnonzero(np.isin(claim.rows, standing))
        labels = None if claim.labels is None else claim.labels[chosen]
        suppressed = None if claim.suppressed is None else claim.suppressed[chosen]
        emptied = None if claim.emptied is None else claim.emptied[chosen]
        frame = gathered(self.released.frame, chosen)
        released = Microdata(frame=frame, dialect=self.released.dialect, source=self.released.source)
        gone = claim.dropped_rows[np.isin(claim.dropped_rows, standing)]
        chosen_ones = replace(
            claim,
            rows=claim.rows[chosen],
            dropped_rows=gone,
            labels=labels,
            suppressed=suppressed,
            emptied=emptied,
        )
        return Evidence(released=released, claim=chosen_ones)

    def unchanged_numbers(self, name: str) -> Floats:
        """The numbers of a column released unchanged: text of the source stays text, in a typed file too."""
        dialect = self.claim.original.dialect
        if (
            self.released.dialect is not None
            or dialect is None
            or self.released.frame[name].dtype.is_numeric()
        ):
            return self.released.numbers(name)
        return Microdata.of(self.released.frame.select(name).to_native(), dialect=dialect).numbers(name)

    def spelling(self, name: str) -> Ints:
        """A number for each cell that two cells share only if nothing tells them apart. O(n), once."""
        if name not in self.spelled:
            self.spelled[name] = self._spelled(name)
            self.spelled[name].setflags(write=False)
        return self.spelled[name]

    def _spelled(self, name: str) -> Ints:
        series = self.released.column(name)
        if not series.dtype.is_float():
            return column_codes(series)
        cells = as_array(series)
        codes = np.zeros(len(cells), dtype=np.int64)
        present = np.asarray(cells.is_valid())
        codes[present] = 1 + distinct(bits(cells).astype(np.int64))
        return codes


def one_each(data: Microdata, unit: str) -> Ints:
    """A number for each unit, however its name is spelled: by another hand than that of the methods. O(n)."""
    names: dict[str, object] = {}
    known: dict[object, int] = {}
    numbers = []
    for cell in map(str, data.column(unit).to_list()):
        if cell not in names:
            names[cell] = _unit_name(cell)
        numbers.append(known.setdefault(names[cell], len(known)))
    return np.array(numbers, dtype=np.int64)


def _unit_name(cell: str) -> object:
    """What a name says to a reader: no case, no marks that do not show, single blanks, numbers as numbers."""
    if cell.isascii() and cell.isprintable():
        # of such letters and marks all are shown, in one form alone
        folded = cell.casefold()
    else:
        composed = normalize("NFKC", "".join(filter(_shows, normalize("NFC", cell))))
        folded = "".join(filter(_shows, normalize("NFKC", composed.casefold())))
    # in Turkish the small letter of I has no dot
    text = " ".join(folded.replace("\u0131", "i").split())
    digits = text[1:] if text[:1] in ("+", "-") else text
    whole, _, rest = digits.replace(",", ".", 1).partition(".")
    # beyond some length nobody means a number
    if whole and len(digits) < 300 and (whole + rest).isdecimal():
        return Fraction(int(whole + rest), 10 ** len(rest)) * (-1 if text[0] == "-" else 1)
    return text


def _shows(mark: str) -> bool:
    """Whether a reader sees a mark, or the blank that it is."""
    if mark.isspace():
        return True
    return category(mark) not in ("Cf", "Cc") and not any(first <= mark <= last for first, last in _HIDDEN)


def named_units(evidence: Evidence) -> Ints | None:
    """The units behind released rows, where a column of them is named; one that is missing is its own."""
    return unit_of_rows(evidence, evidence.claim.rows)


def unit_of_rows(evidence: Evidence, rows: Ints) -> Ints | None:
    """The units behind some original rows, where a column of them is named; one missing is its own."""
    known = evidence.every_unit
    return None if known is None else distinct(known[rows])


def gaps(data: Microdata, name: str) -> Mask:
    """Where a quasi-identifier has no value."""
    if data.scale(name) == "numeric":
        return np.isnan(data.numbers(name))
    return no_category(data, name)


def no_category(data: Microdata, name: str) -> Mask:
    """Where a column of categories has none."""
    # a category may also be a valid place in a dictionary that has no value there
    cells = as_array(data.column(name))
    decoded = cells.cast(cells.type.value_type) if pa.types.is_dictionary(cells.type) else cells
    return data.missing(name) | np.asarray(decoded.is_null())


def distinct(*keys: npt.NDArray[np.integer]) -> Ints:
    """Number the distinct combinations of several keys of each row 0, 1, 2, ... O(n log n) a key."""
    combined = numbered(keys[0].astype(np.int64))
    for key in keys[1:]:
        dense = numbered(key.astype(np.int64))
        combined = numbered(combined * (int(dense.max(initial=0)) + 1) + dense)
    return combined


def sizes(groups: Ints, units: Ints | None = None) -> Ints:
    """How many records each group has, or of how many distinct units. O(n log n)."""
    if units is not None:
        groups = groups[np.unique(distinct(groups, units), return_index=True)[1]]
    return np.bincount(groups)


class Few(NamedTuple):
    """How many groups are too small, of how many, and the size of the smallest."""

    short: int
    of: int
    fewest: int


def too_few(groups: Ints, k: int, units: Ints | None = None) -> Few | None:
    """The groups that hold fewer than k records, or distinct units; None where there are none."""
    counts = sizes(groups, units)
    short = counts[counts < k]
    return Few(int(short.size), int(counts.size), int(short.min())) if short.size else None


def expected_column(evidence: Evidence, name: str, means: Floats) -> pa.Array:
    """The cells that a masked column must have: float64, or int64 where rounding was declared."""
    whole = name in evidence.claim.rounded
    gaps = np.isnan(means)
    if whole:
        means = np.rint(means)
    # plus zero: minus zero and zero would be two different published rows
    values = np.where(gaps, 0.0, means) + 0.0
    if whole and (np.abs(values) < 2.0**63).all():
        return pa.array(values.astype(np.int64), mask=gaps)
    return pa.array(values, mask=gaps)


def publishes(evidence: Evidence, name: str, values: Floats) -> bool:
    """Whether a masked column holds exactly these numbers, typed and spelled as declared."""
    dialect = evidence.released.dialect
    expected, published = expected_column(evidence, name, values), as_array(evidence.released.column(name))
    if dialect is not None and pa.types.is_string(published.type):
        return same_text(expected, published, dialect)
    return identical(expected, published)


def exact_means(values: Floats, groups: Ints) -> Floats:
    """The mean of each group, its sum exact before one rounding. O(n), and n log n to sort."""
    counts = np.bincount(groups)
    ends = np.cumsum(counts)
    column = values[np.argsort(groups, kind="stable")]
    sums, doubtful = _exact_sums(column, ends - counts, counts)
    for group in np.flatnonzero(doubtful).tolist():
        sums[group] = fsum(column[ends[group] - counts[group] : ends[group]].tolist())
    return np.asarray(sums / counts, dtype=np.float64)


def _exact_sums(column: Floats, starts: Ints, counts: Ints) -> tuple[Floats, Mask]:
    """Sums of runs of a column, rounded once, and of which that is not sure: long ones, and few others.

    A sum is kept as two numbers, and what is lost of them in an addition is known to the last bit; where
    nothing ever is, their sum is that of the run. Source: Knuth (1998), The Art of Computer Programming 2,
    3rd edition, section 4.2.2, theorem B.
    """
    sums, rest = np.zeros(counts.size), np.zeros(counts.size)
    doubtful = counts > _LONG_RUN
    for place in range(int(counts[~doubtful].max(initial=0))):
        at = np.flatnonzero((counts > place) & ~doubtful)
        sums[at], lost = _added(sums[at], column[starts[at] + place])
        rest[at], lost = _added(rest[at], lost)
        # what is not a number, or too large, is lost too
        doubtful[at] |= lost != 0
    return sums + rest, doubtful


def _added(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """A rounded sum, and what rounding took from it."""
    with np.errstate(invalid="ignore", over="ignore"):
        total = a + b
        back = total - a
        return total, (a - (total - back)) + (b - back)
