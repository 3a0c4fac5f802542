"""Base class of the formats of Stata, SPSS and SAS: numbers, texts, dates and column metadata.

tacita writes these files itself: in memory, so that nothing reaches the disk before it is verified, without
a time stamp or a program version, and with no metadata beyond what the cells use.
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
from tacita.core.data.microdata import join_names
from tacita.io.content import fingerprint_of, opened

from .reading_options import LabelOptions
from .record_format import RecordFormat, to_arrow, without_empty_text

Kind = Literal["text", "number", "date", "datetime"]
Noted = dict[str, tuple[pa.Array, ColumnNotes]]

# Beyond this a double no longer holds every whole number.
_LARGEST_EXACT = 2**53
_YEARS_1_TO_9999 = (-719162, 2932896)
_DAY = 86_400


@dataclass(frozen=True)
class Clock:
    """How a package counts time: its day 0 (in days since 1970), units per day of a date, and per second."""

    day_0: int
    units_a_day: int
    units_a_second: int
    # the Arrow unit of times, and how many of it make a second
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
    """A format of a statistical package: subclasses implement `columns` and `written`."""

    system: ClassVar[System]
    spoken: ClassVar[str]
    clock: ClassVar[Clock]
    most_columns: ClassVar[int] = 32767
    keeps_types: ClassVar[bool] = False
    streams: ClassVar[bool] = True

    def columns(self, file: BinaryIO, source: str, first: int = 0, most: int = 0) -> Noted:
        """Cells and metadata of each column: `most` records (all, if 0) from the `first` on."""
        raise NotImplementedError

    def written(self, columns: Sequence[Column], records: int) -> bytes:
        """The bytes of a file."""
        raise NotImplementedError

    def clock_of(self, display: str | None) -> Literal["date", "datetime"] | None:
        """Whether numbers with this display format are dates, times or neither."""
        raise NotImplementedError

    def decode(self, content: bytes, source: str) -> Microdata:
        """Records with the column metadata of the file."""
        columns = self.columns(io.BytesIO(content), source)
        if self.value_labels:
            columns = {name: _labelled(name, *column, source) for name, column in columns.items()}
        if not columns:
            raise DataError(f"{source}: wanted columns, got none.")
        return Microdata.of(
            pa.table({name: cells for name, (cells, _) in columns.items()}),
            notes=Notes(self.system, {name: notes for name, (_, notes) in columns.items()}),
            source=source,
            fingerprint=fingerprint_of(content),
        )

    def encode(self, data: Microdata) -> bytes:
        """The cells with their metadata; that of another package is translated for this one."""
        table, notes = without_empty_text(data), data.notes or Notes(self.system)
        if table.num_columns > self.most_columns:
            raise DataError(
                f"{self.spoken}: a file holds at most {self.most_columns} columns, and the release has "
                f"{table.num_columns}. Write CSV or Parquet."
            )
        columns = [
            self._column(name, table.column(name).combine_chunks(), self._translated(notes, name))
            for name in table.column_names
        ]
        return self.written(columns, table.num_rows)

    def unpack(self, content: bytes, source: str) -> pa.Table:
        """The cells without column metadata."""
        return to_arrow(self.decode(content, source))

    def pack(self, table: pa.Table) -> bytes:
        """The bytes of a file without column metadata."""
        return self.encode(Microdata.of(table))

    def chunks(self, path: Path, rows: int = 2**16) -> Iterator[pa.RecordBatch]:
        """Batches of `rows` records; the option `value_labels` needs all codes, and so the whole file."""
        if self.value_labels:
            yield from super().chunks(path, rows)
            return
        first, part = 0, rows
        while part == rows:
            with opened(path) as file:
                columns = self.columns(file, path.name, first, rows)
            batch = pa.RecordBatch.from_pydict({name: cells for name, (cells, _) in columns.items()})
            first, part = first + rows, batch.num_rows
            if part:
                yield batch

    def _translated(self, notes: Notes, name: str) -> ColumnNotes:
        """The metadata of a column as this package has it; SPSS has no letters for missing values."""
        column_notes = notes.of(name)
        if notes.system == self.system:
            return column_notes
        letters = {} if self.system == "spss" else _letters(column_notes.codes, capital=self.system == "sas")
        return ColumnNotes(
            label=column_notes.label,
            values={
                letters.get(code, code): label
                for code, label in column_notes.values.items()
                if code not in column_notes.codes or code in letters
            },
            codes=tuple(letters[code] for code in column_notes.codes if letters),
            kinds=column_notes.kinds if letters else None,
            measure=column_notes.measure,
            weighs=column_notes.weighs,
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
            _count_with_gaps(texts.is_null(), pc.equal(texts, "")),
            "are empty, others missing, and the file cannot tell these apart",
            "Fill one of them in",
        )
        self.refuse(name, _count_true(pc.match_substring(texts, "\0")), "hold the character NUL", "Remove it")
        return [cell.encode() for cell in pc.fill_null(texts, "").to_pylist()]

    def _numbers(self, name: str, cells: pa.Array) -> Floats:
        kind = cells.type
        if pa.types.is_null(kind):
            return np.full(len(cells), np.nan)
        if pa.types.is_integer(kind):
            integers = np.asarray(cells.fill_null(0))
            beyond = (integers > _LARGEST_EXACT) | (
                integers < -_LARGEST_EXACT if kind != pa.uint64() else False
            )
            self.refuse(name, int(np.sum(beyond)), "are whole numbers beyond 2^53", "Convert them to text")
            return np.where(np.asarray(cells.is_null()), np.nan, integers.astype(np.float64))
        if not pa.types.is_floating(kind):
            raise DataError(
                f"{self.spoken}: column {join_names([name])} is of the type {str(kind).split('<')[0]}, which "
                "the file cannot hold. Convert it to numbers, dates or text."
            )
        values = np.array(cells.cast(pa.float64()).to_numpy(zero_copy_only=False))
        nan = pc.fill_null(pc.is_nan(cells), False)
        self.refuse(
            name,
            _count_with_gaps(cells.is_null(), nan),
            "are NaN, others missing, and the file cannot tell these apart",
            "Fill one of them in",
        )
        self.refuse(name, int(np.isinf(values).sum()), "are infinite", "Correct them")
        return values

    def _from_days(self, name: str, days: pa.Array) -> Floats:
        since = np.asarray(days.fill_null(0)).astype(np.int64)
        self.refuse(name, int(_beyond_years(since).sum()), "lie outside the years 1 to 9999", "Correct them")
        ticks = (since - self.clock.day_0) * float(self.clock.units_a_day)
        return np.where(np.asarray(days.is_null()), np.nan, ticks)

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
        quotient = exact.astype(np.float64) / (clock.ticks_a_second / clock.units_a_second)
        lost = finer | (_ticks(quotient, clock) != exact)
        self.refuse(name, int(lost.sum()), "have finer times than the file can hold", "Round them")
        return np.where(np.asarray(cells.is_null()), np.nan, quotient)

    def timed(self, name: str, values: Floats, display: str | None, source: str) -> pa.Array:
        """Numbers as dates or times if their display format says so, else unchanged."""
        shown, clock, gaps = self.clock_of(display), self.clock, np.isnan(values)
        if shown is None:
            return pa.array(values, mask=gaps)
        plain = np.where(gaps, 0.0, values)
        subject = f"{source}: column {join_names([name])}"
        if shown == "date":
            days = plain / clock.units_a_day
            odd = int((days != np.rint(days)).sum())
            if odd:
                raise DataError(
                    f"{subject} has a date format and holds times of the day too, in {odd} records. Give it "
                    "a format of date and time first."
                )
            since = np.clip(days, -1e9, 1e9).astype(np.int64) + clock.day_0
            _check_years(subject, since[~gaps])
            return pa.array(since.astype(np.int32), pa.int32(), mask=gaps).cast(pa.date32())
        ticks = _ticks(plain, clock)
        if finer := int(
            (ticks.astype(np.float64) / (clock.ticks_a_second / clock.units_a_second) != plain).sum()
        ):
            raise DataError(
                f"{subject} has finer times than can be held, in {finer} records. Round them first."
            )
        since = ticks + clock.day_0 * _DAY * clock.ticks_a_second
        _check_years(subject, since[~gaps] // (_DAY * clock.ticks_a_second))
        return pa.array(since, pa.int64(), mask=gaps).cast(pa.timestamp(clock.unit))

    def refuse(self, name: str, count: int, fault: str, advice: str) -> None:
        """Raise where cells cannot be written as they are."""
        if count:
            raise DataError(
                f"{self.spoken}: {count} cells of column {join_names([name])} {fault}. {advice}, or write "
                "another format."
            )

    def refuse_names(self, wrong: Sequence[str], rule: str) -> None:
        """Raise where column names break the rules of this package."""
        if wrong:
            raise DataError(
                f"{self.spoken}: {rule}; {len(wrong)} columns have other names: {join_names(wrong)}. Rename "
                "them, or write another format."
            )


def _letters(codes: Sequence[Code], capital: bool) -> dict[Code, Code]:
    """A letter for each code of missing values: the code itself if it is a letter, else the next free one."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ" if capital else "abcdefghijklmnopqrstuvwxyz"
    renamed: dict[Code, Code] = {}
    for code in codes:
        letter = str(code).upper() if capital else str(code).lower()
        if letter in alphabet:
            renamed[code] = letter
    free = (letter for letter in alphabet if letter not in renamed.values())
    renamed |= dict(zip((code for code in codes if code not in renamed), free, strict=False))
    return renamed if len(renamed) == len(codes) else {}


def _ticks(values: Floats, clock: Clock) -> Any:
    return np.rint(values * (clock.ticks_a_second / clock.units_a_second)).astype(np.int64)


def _beyond_years(days: Any) -> Any:
    first, last = _YEARS_1_TO_9999
    return (days < first) | (days > last)


def _check_years(subject: str, days: Any) -> None:
    if beyond := int(_beyond_years(days).sum()):
        raise DataError(f"{subject} has {beyond} dates outside the years 1 to 9999. Correct them first.")


def _count_true(mask: Any) -> int:
    return int(pc.sum(mask.cast(pa.int64())).as_py() or 0)


def _count_with_gaps(gaps: Any, others: Any) -> int:
    """The number of `others`, or 0 if there are no gaps."""
    return _count_true(others) if _count_true(gaps) else 0


def _labelled(name: str, cells: pa.Array, notes: ColumnNotes, source: str) -> tuple[pa.Array, ColumnNotes]:
    """Codes replaced by their labels; codes without a label become their digits."""
    words = {code: label for code, label in notes.values.items() if code not in notes.codes}
    if not words or pa.types.is_temporal(cells.type):
        return cells, notes
    codes = pc.unique(cells.drop_null())
    spelled = codes.cast(pa.string()).to_pylist()
    labels = [words.get(code, text) for code, text in zip(codes.to_pylist(), spelled, strict=True)]
    if copies := len(labels) - len(set(labels)):
        raise DataError(
            f"{source}: column {join_names([name])} has {copies} codes with the same label as another code. "
            "Make the labels differ, or read the codes."
        )
    places = pc.index_in(cells, codes)
    kept: Mapping[Code, str] = {code: notes.values[code] for code in notes.codes if code in notes.values}
    read = ColumnNotes(
        label=notes.label, values=kept, codes=notes.codes, kinds=notes.kinds, measure=notes.measure
    )
    return pa.array(labels, pa.string()).take(places), read


def empty_as_missing(texts: list[str]) -> pa.Array:
    """Text cells; empty texts become missing values."""
    return pa.array([text or None for text in texts], pa.string())


def with_reasons(masks: dict[Code, Mask], records: int) -> tuple[tuple[Code, ...], Any]:
    """Codes of missing values, and for each record the index of its code (-1: none)."""
    if not masks:
        return (), None
    kinds = np.full(records, -1, dtype=np.int64)
    for index, mask in enumerate(masks.values()):
        kinds[mask] = index
    return tuple(masks), kinds
