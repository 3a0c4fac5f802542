"""What files of Stata, SPSS and SAS have in common: numbers, text and clocks, and notes beside the cells.

Files are written here rather than by a library: in memory, so that nothing touches the disk before it is
verified, without a clock or a version, and with nothing but names, cells and the notes that cells bear out.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.core import DataError, Floats, Mask, Microdata
from tacita.core.data.column_metadata import Code, ColumnNotes, Notes, System
from tacita.core.data.microdata import speakable
from tacita.io.content import fingerprint_of, opened

from .reading_options import LabelOptions
from .record_format import RecordFormat, to_arrow, without_empty_text

Kind = Literal["text", "number", "date", "datetime"]
Noted = dict[str, tuple[pa.Array, ColumnNotes]]

# Beyond it a double no longer holds every whole number.
_LARGEST_EXACT = 2**53
_YEARS_1_TO_9999 = (-719162, 2932896)
_DAY = 86_400


@dataclass(frozen=True)
class Clock:
    """How a package counts time: day 0 (in days since 1970), and units in a day of a date and in a second."""

    day_0: int
    units_a_day: int
    units_a_second: int
    # the unit of Arrow that is read, and how many of it make a second
    unit: str
    ticks_a_second: int


@dataclass(frozen=True, eq=False)
class Column:
    """A column as a file holds it: `numbers` (NaN where missing) or `texts` (empty where missing)."""

    name: str
    kind: Kind
    stored: pa.DataType
    notes: ColumnNotes
    numbers: Floats | None = None
    texts: Sequence[bytes] = ()

    @property
    def width(self) -> int:
        """Bytes of the longest text."""
        return max(map(len, self.texts), default=0)


class SurveyFormat(LabelOptions, RecordFormat):
    """A format of a statistical package: fill in `columns` and `written`."""

    system: ClassVar[System]
    spoken: ClassVar[str]
    clock: ClassVar[Clock]
    most_columns: ClassVar[int] = 32767
    keeps_types: ClassVar[bool] = False
    streams: ClassVar[bool] = True

    def columns(self, file: BinaryIO, source: str, first: int = 0, most: int = 0) -> Noted:
        """Cells of each column and what is said of it: `most` records (all, if 0) from the `first` on."""
        raise NotImplementedError

    def written(self, columns: Sequence[Column], records: int) -> bytes:
        """The bytes of a file."""
        raise NotImplementedError

    def clock_of(self, display: str | None) -> Literal["date", "datetime"] | None:
        """What numbers mean that are shown in a format."""
        raise NotImplementedError

    def decode(self, content: bytes, source: str) -> Microdata:
        """Records, and what the file says of their columns."""
        found = self.columns(io.BytesIO(content), source)
        if self.value_labels:
            found = {name: _labelled(name, *each, source) for name, each in found.items()}
        if not found:
            raise DataError(f"{source}: wanted columns, got none.")
        return Microdata.of(
            pa.table({name: cells for name, (cells, _) in found.items()}),
            notes=Notes(self.system, {name: notes for name, (_, notes) in found.items()}),
            source=source,
            fingerprint=fingerprint_of(content),
        )

    def encode(self, data: Microdata) -> bytes:
        """The cells with their notes; those in the words of another package are put into words of this."""
        table, notes = without_empty_text(data), data.notes or Notes(self.system)
        if table.num_columns > self.most_columns:
            raise DataError(
                f"{self.spoken}: a file has room for {self.most_columns} columns, and the release has "
                f"{table.num_columns}. Write CSV or Parquet."
            )
        columns = [
            self._column(name, table.column(name).combine_chunks(), self._own(notes, name))
            for name in table.column_names
        ]
        return self.written(columns, table.num_rows)

    def unpack(self, content: bytes, source: str) -> pa.Table:
        """The cells without what is said of them."""
        return to_arrow(self.decode(content, source))

    def pack(self, table: pa.Table) -> bytes:
        """Cells of which nothing is said."""
        return self.encode(Microdata.of(table))

    def chunks(self, path: Path, rows: int = 2**16) -> Iterator[pa.RecordBatch]:
        """So many records of the file after the other; labels as texts need all codes, and so the whole."""
        if self.value_labels:
            yield from super().chunks(path, rows)
            return
        first, part = 0, rows
        while part == rows:
            with opened(path) as file:
                found = self.columns(file, path.name, first, rows)
            batch = pa.RecordBatch.from_pydict({name: cells for name, (cells, _) in found.items()})
            first, part = first + rows, batch.num_rows
            if part:
                yield batch

    def _own(self, notes: Notes, name: str) -> ColumnNotes:
        """What is said of a column in the words of this package; SPSS has no letters for missing values."""
        own = notes.of(name)
        if notes.system == self.system:
            return own
        letters = {} if self.system == "spss" else _letters(own.codes, capital=self.system == "sas")
        return ColumnNotes(
            label=own.label,
            values={
                letters.get(code, code): label
                for code, label in own.values.items()
                if code not in own.codes or code in letters
            },
            codes=tuple(letters[code] for code in own.codes if letters),
            kinds=own.kinds if letters else None,
            measure=own.measure,
            weighs=own.weighs,
        )

    def _column(self, name: str, cells: Any, notes: ColumnNotes) -> Column:
        cells = pa.concat_arrays(cells.chunks) if isinstance(cells, pa.ChunkedArray) else cells
        kind = cells.type
        if pa.types.is_dictionary(kind):
            cells = cells.cast(kind.value_type)
            kind = cells.type
        if pa.types.is_string(kind) or pa.types.is_large_string(kind) or kind == pa.string_view():
            return Column(name=name, kind="text", stored=kind, notes=notes, texts=self._texts(name, cells))
        if pa.types.is_date(kind):
            days = cells.cast(pa.date32()).cast(pa.int32())
            return Column(
                name=name, kind="date", stored=kind, notes=notes, numbers=self._from_days(name, days)
            )
        if pa.types.is_timestamp(kind) and kind.tz is None:
            return Column(
                name=name, kind="datetime", stored=kind, notes=notes, numbers=self._from_ticks(name, cells)
            )
        return Column(name=name, kind="number", stored=kind, notes=notes, numbers=self._numbers(name, cells))

    def _texts(self, name: str, cells: pa.Array) -> list[bytes]:
        texts = cells.cast(pa.large_string())
        self.refuse(
            name,
            _both(texts.is_null(), pc.equal(texts, "")),
            "are empty, others missing, and the file cannot tell these apart",
            "Fill one of them in",
        )
        self.refuse(name, _count(pc.match_substring(texts, "\0")), "hold the character NUL", "Remove it")
        return [cell.encode() for cell in pc.fill_null(texts, "").to_pylist()]

    def _numbers(self, name: str, cells: pa.Array) -> Floats:
        kind = cells.type
        if pa.types.is_null(kind):
            return np.full(len(cells), np.nan)
        if pa.types.is_integer(kind):
            whole = np.asarray(cells.fill_null(0))
            beyond = (whole > _LARGEST_EXACT) | (whole < -_LARGEST_EXACT if kind != pa.uint64() else False)
            self.refuse(name, int(np.sum(beyond)), "are whole numbers beyond 2^53", "Convert them to text")
            return np.where(np.asarray(cells.is_null()), np.nan, whole.astype(np.float64))
        if not pa.types.is_floating(kind):
            raise DataError(
                f"{self.spoken}: column {speakable([name])} is of the type {str(kind).split('<')[0]}, which "
                "the file cannot hold. Convert it to numbers, dates or text."
            )
        values = np.array(cells.cast(pa.float64()).to_numpy(zero_copy_only=False))
        nan = pc.fill_null(pc.is_nan(cells), False)
        self.refuse(
            name,
            _both(cells.is_null(), nan),
            "are NaN, others missing, and the file cannot tell these apart",
            "Fill one of them in",
        )
        self.refuse(name, int(np.isinf(values).sum()), "are infinite", "Correct them")
        return values

    def _from_days(self, name: str, days: pa.Array) -> Floats:
        since = np.asarray(days.fill_null(0)).astype(np.int64)
        self.refuse(name, int(_beyond_years(since).sum()), "lie outside the years 1 to 9999", "Correct them")
        found = (since - self.clock.day_0) * float(self.clock.units_a_day)
        return np.where(np.asarray(days.is_null()), np.nan, found)

    def _from_ticks(self, name: str, cells: pa.Array) -> Floats:
        a_second = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[cells.type.unit]
        ticks = np.asarray(cells.cast(pa.int64()).fill_null(0))
        seconds, rest = np.divmod(ticks, a_second)
        self.refuse(
            name, int(_beyond_years(seconds // _DAY).sum()), "lie outside the years 1 to 9999", "Correct them"
        )
        clock = self.clock
        finer = rest * clock.ticks_a_second % a_second != 0
        parts = rest * clock.ticks_a_second // a_second
        exact = (seconds - clock.day_0 * _DAY) * clock.ticks_a_second + parts
        found = exact.astype(np.float64) / (clock.ticks_a_second / clock.units_a_second)
        lost = finer | (_ticks(found, clock) != exact)
        self.refuse(name, int(lost.sum()), "have finer times than the file can hold", "Round them")
        return np.where(np.asarray(cells.is_null()), np.nan, found)

    def timed(self, name: str, values: Floats, display: str | None, source: str) -> pa.Array:
        """Numbers as the dates or times that they are shown as, or as they are."""
        shown, clock, gaps = self.clock_of(display), self.clock, np.isnan(values)
        if shown is None:
            return pa.array(values, mask=gaps)
        plain = np.where(gaps, 0.0, values)
        who = f"{source}: column {speakable([name])}"
        if shown == "date":
            days = plain / clock.units_a_day
            odd = int((days != np.rint(days)).sum())
            if odd:
                raise DataError(
                    f"{who} is shown as dates and holds times of the day too, in {odd} records. Give it a "
                    "format of date and time first."
                )
            since = np.clip(days, -1e9, 1e9).astype(np.int64) + clock.day_0
            _refuse_beyond(who, since[~gaps])
            return pa.array(since.astype(np.int32), pa.int32(), mask=gaps).cast(pa.date32())
        ticks = _ticks(plain, clock)
        if finer := int(
            (ticks.astype(np.float64) / (clock.ticks_a_second / clock.units_a_second) != plain).sum()
        ):
            raise DataError(f"{who} has finer times than can be kept, in {finer} records. Round them first.")
        since = ticks + clock.day_0 * _DAY * clock.ticks_a_second
        _refuse_beyond(who, since[~gaps] // (_DAY * clock.ticks_a_second))
        return pa.array(since, pa.int64(), mask=gaps).cast(pa.timestamp(clock.unit))

    def refuse(self, name: str, count: int, what: str, advice: str) -> None:
        """Raise where cells cannot be written as they are."""
        if count:
            raise DataError(
                f"{self.spoken}: {count} cells of column {speakable([name])} {what}. {advice}, or write "
                "another kind of file."
            )

    def refuse_names(self, wrong: Sequence[str], rule: str) -> None:
        """Raise where names of columns are none of this package's."""
        if wrong:
            raise DataError(
                f"{self.spoken}: {rule}; {len(wrong)} columns have other names: {speakable(wrong)}. Rename "
                "them, or write another kind of file."
            )


def _letters(codes: Sequence[Code], capital: bool) -> dict[Code, Code]:
    """A letter for each code of missing values: its own if it is one, or else the next that is free."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ" if capital else "abcdefghijklmnopqrstuvwxyz"
    found: dict[Code, Code] = {}
    for code in codes:
        letter = str(code).upper() if capital else str(code).lower()
        if letter in alphabet:
            found[code] = letter
    free = (letter for letter in alphabet if letter not in found.values())
    found |= dict(zip((code for code in codes if code not in found), free, strict=False))
    return found if len(found) == len(codes) else {}


def _ticks(values: Floats, clock: Clock) -> Any:
    return np.rint(values * (clock.ticks_a_second / clock.units_a_second)).astype(np.int64)


def _beyond_years(days: Any) -> Any:
    first, last = _YEARS_1_TO_9999
    return (days < first) | (days > last)


def _refuse_beyond(who: str, days: Any) -> None:
    if beyond := int(_beyond_years(days).sum()):
        raise DataError(f"{who} has {beyond} dates outside the years 1 to 9999. Correct them first.")


def _count(mask: Any) -> int:
    return int(pc.sum(mask.cast(pa.int64())).as_py() or 0)


def _both(gaps: Any, others: Any) -> int:
    """How many are `others`, if there are gaps besides."""
    return _count(others) if _count(gaps) else 0


def _labelled(name: str, cells: pa.Array, notes: ColumnNotes, source: str) -> tuple[pa.Array, ColumnNotes]:
    """Codes as the texts of their labels, those without one as they are spelled."""
    words = {code: label for code, label in notes.values.items() if code not in notes.codes}
    if not words or pa.types.is_temporal(cells.type):
        return cells, notes
    codes = pc.unique(cells.drop_null())
    spelled = codes.cast(pa.string()).to_pylist()
    labels = [words.get(code, text) for code, text in zip(codes.to_pylist(), spelled, strict=True)]
    if copies := len(labels) - len(set(labels)):
        raise DataError(
            f"{source}: column {speakable([name])} has {copies} codes whose label another code has too. Make "
            "the labels differ, or read the codes."
        )
    places = pc.index_in(cells, codes)
    kept: Mapping[Code, str] = {code: notes.values[code] for code in notes.codes if code in notes.values}
    read = ColumnNotes(
        label=notes.label, values=kept, codes=notes.codes, kinds=notes.kinds, measure=notes.measure
    )
    return pa.array(labels, pa.string()).take(places), read


def empty_as_missing(texts: list[str]) -> pa.Array:
    """Text cells; an empty one has no value."""
    return pa.array([text or None for text in texts], pa.string())


def with_reasons(found: dict[Code, Mask], records: int) -> tuple[tuple[Code, ...], Any]:
    """Codes of missing values, and for each record the place of its own."""
    if not found:
        return (), None
    kinds = np.full(records, -1, dtype=np.int64)
    for place, mask in enumerate(found.values()):
        kinds[mask] = place
    return tuple(found), kinds
