"""SPSS data files (.sav)."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, BinaryIO, ClassVar, Literal, NamedTuple

import numpy as np
import pyarrow as pa

from tacita.core import DataError, Floats, Mask
from tacita.core.data.column_metadata import Code, ColumnNotes, System

from . import readstat
from .record_format import Held
from .spssdictionary import strings_are_whole, weight_of
from .survey import Clock, Column, Noted, SurveyFormat, empty_as_missing, with_reasons

_DATES = ("DATE", "ADATE", "EDATE", "JDATE", "SDATE")
_DATETIMES = ("DATETIME", "YMDHMS")
# The names of number formats and their codes in a file.
_FORMATS = {
    "COMMA": 3, "DOLLAR": 4, "F": 5, "IB": 6, "PIBHEX": 7, "P": 8, "PIB": 9, "PK": 10, "RB": 11, "RBHEX": 12,
    "Z": 15, "N": 16, "E": 17, "DATE": 20, "TIME": 21, "DATETIME": 22, "ADATE": 23, "JDATE": 24, "DTIME": 25,
    "WKDAY": 26, "MONTH": 27, "MOYR": 28, "QYR": 29, "WKYR": 30, "PCT": 31, "DOT": 32, "CCA": 33, "CCB": 34,
    "CCC": 35, "CCD": 36, "CCE": 37, "EDATE": 38, "SDATE": 39, "MTIME": 40, "YMDHMS": 41,
}  # fmt: skip
_DISPLAYS = {"date": "DATE11", "datetime": "DATETIME23.3"}
_MEASURES = {"nominal": 1, "ordinal": 2, "scale": 3}
_MISSING = -np.finfo(np.float64).max
_LOWEST = np.nextafter(_MISSING, 0)
_NAME = re.compile(r"[^\W\d_][\w.@#$]*(?<!\.)|@[\w.@#$]*(?<!\.)")
_RESERVED = frozenset(("ALL", "AND", "BY", "EQ", "GE", "GT", "LE", "LT", "NE", "NOT", "OR", "TO", "WITH"))
# Widths of text: of one variable, of the share that a segment of a long text holds, and the longest.
_SEGMENT = 255
_SHARE = 252
_WIDEST = 32767


class SPSS(SurveyFormat):
    """SPSS data, with labels, missing codes, formats, levels of measurement and the weight variable.

    Files are uncompressed and in UTF-8, with a fixed date in place of the time of writing, and only with the
    labels and missing codes that records use. O(cells).
    Source: GNU PSPP, developers guide, system file format; read by ReadStat.

    >>> table = pa.table({"x": [1.5, None], "town": ["Köln", "Bonn"]})
    >>> SPSS().unpack(SPSS().pack(table), "survey.sav").equals(table)
    True
    """

    endings: ClassVar[tuple[str, ...]] = (".sav",)
    system: ClassVar[System] = "spss"
    spoken: ClassVar[str] = "SPSS"
    holds: ClassVar[frozenset[Held]] = frozenset(("dates", "labels", "value labels", "reasons"))
    clock: ClassVar[Clock] = Clock(-141428, 86400, 1, "us", 10**6)
    pads: ClassVar[bool] = True

    def clock_of(self, display: str | None) -> Literal["date", "datetime"] | None:
        """Durations, months and weeks stay numbers."""
        name = (display or "").rstrip("0123456789.")
        if name in _DATES:
            return "date"
        return "datetime" if name in _DATETIMES else None

    def columns(self, file: BinaryIO, source: str, first: int = 0, most: int = 0) -> Noted:
        """As ReadStat reads them."""
        if not strings_are_whole(file):
            raise readstat.unreadable(source, self.spoken)
        weight = weight_of(file)
        columns, about = readstat.read(
            "read_sav", file, source, self.spoken, user_missing=True, row_offset=first, row_limit=most
        )
        noted = {name: self._read(name, cells, about, source) for name, cells in columns.items()}
        if weight in noted:
            cells, notes = noted[weight]
            noted[weight] = cells, replace(notes, weighs=True)
        return noted

    def _read(self, name: str, cells: list[Any], about: Any, source: str) -> tuple[pa.Array, ColumnNotes]:
        label = about.column_names_to_labels.get(name) or None
        measure = about.variable_measure.get(name)
        measure = measure if measure in _MEASURES else None
        declared = about.missing_ranges.get(name, [])
        labels = about.variable_value_labels.get(name, {})
        if about.readstat_variable_types[name] == "string":
            user_missing = {bounds["lo"] for bounds in declared}
            objects = np.array(cells, dtype=object)
            reasons: dict[Code, Any] = {
                code: objects == code for code in sorted(user_missing & set(cells) - {""})
            }
            codes, kinds = with_reasons(reasons, len(cells))
            texts = ["" if cell in reasons else cell for cell in cells]
            values = _used_labels(labels, declared, codes)
            return empty_as_missing(texts), ColumnNotes(
                label=label, values=values, codes=codes, kinds=kinds, measure=measure
            )
        numbers = np.array([np.nan if cell is None else cell for cell in cells], dtype=np.float64)
        numbers, reasons = _without_missing_codes(numbers, declared)
        codes, kinds = with_reasons(reasons, len(cells))
        display = about.original_variable_types[name]
        return self.timed(name, numbers, display, source), ColumnNotes(
            label=label,
            values=_used_labels(labels, declared, codes),
            codes=codes,
            kinds=kinds,
            display=display,
            measure=measure,
        )

    def written(self, columns: Sequence[Column], records: int) -> bytes:
        """A header, the variables, their extension records, and the cells."""
        self._refuse_bad_names([column.name for column in columns])
        variables = [self._variable(column, number) for number, column in enumerate(columns, 1)]
        starts = np.cumsum([1, *(variable.slots for variable in variables)]).tolist()
        weighing = [
            start
            for column, start in zip(columns, starts, strict=False)
            if column.notes.weighs and column.numbers is not None
        ]
        parts = [_header(starts[-1] - 1, next(iter(weighing), 0), records)]
        parts += [variable.dictionary for variable in variables]
        parts += [_value_labels(variable, start) for variable, start in zip(variables, starts, strict=False)]
        parts += _extensions(variables, records)
        rows = np.zeros(
            records, [(str(number), variable.cells.dtype) for number, variable in enumerate(variables)]
        )
        for number, variable in enumerate(variables):
            rows[str(number)] = variable.cells
        return b"".join([*parts, struct.pack("<2i", 999, 0), rows.tobytes()])

    def _refuse_bad_names(self, names: Sequence[str]) -> None:
        upper = [name.upper() for name in names]
        wrong = [
            name
            for name in names
            if len(name.encode()) > 64
            or not _NAME.fullmatch(name)
            or name.upper() in _RESERVED
            or upper.count(name.upper()) > 1
        ]
        self.refuse_names(
            wrong,
            "names have at most 64 bytes, begin with a letter and go on with letters, digits, points and "
            "underscores, are not reserved words of SPSS and differ in more than case",
        )

    def _variable(self, column: Column, number: int) -> _Variable:
        label = (column.notes.label or "").encode()
        if len(label) > 255:
            raise DataError(f"SPSS: the label of column {column.name} has more than 255 bytes. Shorten it.")
        long_label = [len(text.encode()) for text in column.notes.values.values()]
        if max(long_label, default=0) > 120:
            raise DataError(
                f"SPSS: a value label of column {column.name} has more than 120 bytes. Shorten it."
            )
        return (
            self._text(column, number, label)
            if column.numbers is None
            else self._number(column, number, label)
        )

    def _number(self, column: Column, number: int, label: bytes) -> _Variable:
        assert column.numbers is not None
        numbers, notes = column.numbers, column.notes
        gaps = np.isnan(numbers)
        odd = ~gaps & ((numbers <= _LOWEST) | (numbers >= -_MISSING))
        self.refuse(column.name, int(odd.sum()), "are larger than SPSS can hold", "Correct them")
        cells = np.where(gaps, _MISSING, numbers).astype("<f8")
        missing, count = b"", 0
        if notes.kinds is not None:
            codes = np.array([_MISSING, *(float(code) for code in notes.codes)])
            cells[gaps] = codes[notes.kinds[gaps] + 1]
            missing, count = self._missing(column.name, codes[1:], numbers[~gaps])
        display, measure = self._display(column), _MEASURES.get(notes.measure or "", 0)
        record = _record(0, label, count, display, f"V{number}", missing)
        return _Variable(
            column=column,
            name=f"V{number}",
            slots=1,
            dictionary=record,
            cells=cells,
            width=8,
            measured=(measure, 1),
        )

    def _missing(self, name: str, codes: Floats, present: Floats) -> tuple[bytes, int]:
        """Up to three codes, or a range that holds no value and one more code."""
        codes = np.sort(codes)
        if codes.size <= 3:
            return codes.astype("<f8").tobytes(), codes.size
        for within, discrete in ((codes, codes[:0]), (codes[1:], codes[:1]), (codes[:-1], codes[-1:])):
            if not ((present >= within[0]) & (present <= within[-1])).any():
                codes_of_range = [within[0], within[-1], *discrete]
                return np.array(codes_of_range, "<f8").tobytes(), -len(codes_of_range)
        raise DataError(
            f"SPSS: column {name} has {codes.size} codes of missing values among its values. SPSS can hold "
            "three, or a range. Merge some of them."
        )

    def _display(self, column: Column) -> int:
        match = re.fullmatch(r"([A-Z]+)(\d+)(?:\.(\d+))?", column.notes.display or "")
        shown = {"number": None}.get(column.kind, column.kind)
        if match is None or match[1] not in _FORMATS or self.clock_of(match[1]) != shown:
            is_integer = pa.types.is_integer(column.stored)
            plain = _DISPLAYS.get(column.kind, "F12.0" if is_integer else "F12.2")
            match = re.fullmatch(r"([A-Z]+)(\d+)(?:\.(\d+))?", plain)
        assert match is not None
        return _FORMATS[match[1]] << 16 | min(int(match[2]), 40) << 8 | min(int(match[3] or 0), 16)

    def _text(self, column: Column, number: int, label: bytes) -> _Variable:
        notes, texts = column.notes, list(column.texts)
        blank = sum(text.endswith(b" ") for text in texts)
        self.refuse(column.name, blank, "end in a blank, which SPSS drops", "Trim them")
        codes = [str(code).encode() for code in notes.codes]
        if notes.kinds is not None:
            texts = [
                codes[kind] if kind >= 0 else text
                for text, kind in zip(texts, notes.kinds.tolist(), strict=True)
            ]
        width = max(max(map(len, texts), default=0), 1)
        self.refuse(
            column.name,
            sum(len(text) > _WIDEST for text in texts),
            "have more than 32767 bytes",
            "Shorten them",
        )
        segments = [width] if width <= _SEGMENT else _segments(width)
        short = width <= 8
        missing = b"".join(code.ljust(8) for code in codes) if short else b""
        names = [f"V{number}", *(f"V{number:X}_{part:X}" for part in range(1, len(segments)))]
        records = [
            _record(part, label if name == names[0] else b"", len(codes) if short and missing else 0,
                    1 << 16 | part << 8, name, missing)
            + _record(-1, b"", 0, 1 << 16 | part << 8, "", b"") * (_slots(part) - 1)
            for part, name in zip(segments, names, strict=True)
        ]  # fmt: skip
        slots = sum(map(_slots, segments))
        cells = np.frombuffer(b"".join(_padded(text, segments) for text in texts), f"V{8 * slots}")
        measured = (_MEASURES.get(notes.measure or "", 0), 0)
        return _Variable(
            column=column,
            name=names[0],
            slots=slots,
            dictionary=b"".join(records),
            cells=cells,
            width=width,
            measured=measured,
            segments=len(segments),
        )


class _Variable(NamedTuple):
    """A column: its dictionary records, the number of its 8-byte slots, and its cells."""

    column: Column
    name: str
    slots: int
    dictionary: bytes
    cells: Any
    width: int
    measured: tuple[int, int]
    segments: int = 1

    @property
    def long(self) -> bool:
        """Whether it is text of more than one slot, whose labels and missing codes have their own records."""
        return self.column.numbers is None and self.width > 8


def _without_missing_codes(
    numbers: Floats, declared: Sequence[Mapping[str, Any]]
) -> tuple[Floats, dict[Code, Mask]]:
    """Numbers without the codes declared as missing, and the records of each code."""
    gone = np.zeros(numbers.size, dtype=bool)
    for bounds in declared:
        gone |= (numbers >= bounds["lo"]) & (numbers <= bounds["hi"])
    reasons: dict[Code, Mask] = {float(code): numbers == code for code in np.unique(numbers[gone])}
    return np.where(gone, np.nan, numbers), reasons


def _used_labels(
    labels: Mapping[Code, str], declared: Sequence[Mapping[str, Any]], codes: Sequence[Code]
) -> dict[Code, str]:
    """Labels without those of missing codes that no record has, which are not categories either."""
    return {
        code: label
        for code, label in labels.items()
        if code in codes or not any(bounds["lo"] <= code <= bounds["hi"] for bounds in declared)
    }


def _segments(width: int) -> list[int]:
    """Widths of the variables into which a long text is split."""
    number = -(-width // _SHARE)
    return [_SEGMENT] * (number - 1) + [width - _SHARE * (number - 1)]


def _slots(width: int) -> int:
    return -(-width // 8)


def _padded(text: bytes, segments: Sequence[int]) -> bytes:
    pieces = [text[_SEGMENT * i : _SEGMENT * (i + 1)] for i in range(len(segments))]
    return b"".join(piece.ljust(8 * _slots(width)) for piece, width in zip(pieces, segments, strict=True))


def _header(slots: int, weight: int, records: int) -> bytes:
    product = b"@(#) SPSS DATA FILE tacita".ljust(60)
    stamp = b"01 Jan 70" + b"00:00:00"
    counts = struct.pack("<5id", 2, slots, 0, weight, records, 100.0)
    return b"$FL2" + product + counts + stamp + b" " * 64 + bytes(3)


def _record(width: int, label: bytes, missing: int, display: int, name: str, codes: bytes) -> bytes:
    record = struct.pack("<6i", 2, width, bool(label), missing, display, display) + name.encode().ljust(8)
    if label:
        record += struct.pack("<i", len(label)) + label.ljust(-(-len(label) // 4) * 4)
    return record + codes


def _value_labels(variable: _Variable, start: int) -> bytes:
    values = variable.column.notes.values
    if variable.long or not values:
        return b""
    record = struct.pack("<2i", 3, len(values))
    for code, text in sorted(values.items()):
        label = text.encode()
        record += code.encode().ljust(8) if isinstance(code, str) else struct.pack("<d", code)
        record += (bytes([len(label)]) + label).ljust(-(-(len(label) + 1) // 8) * 8)
    return record + struct.pack("<3i", 4, 1, start)


def _extensions(variables: Sequence[_Variable], records: int) -> Iterator[bytes]:
    yield _extension(3, 4, struct.pack("<8i", 1, 0, 0, -1, 1, 1, 2, 65001))
    yield _extension(4, 8, struct.pack("<3d", _MISSING, -_MISSING, _LOWEST))
    measured = [
        (variable.measured[0], 8, variable.measured[1])
        for variable in variables
        for _ in range(variable.segments)
    ]
    yield _extension(11, 4, b"".join(struct.pack("<3i", *measure) for measure in measured))
    yield _extension(
        13, 1, "\t".join(f"{variable.name}={variable.column.name}" for variable in variables).encode()
    )
    widths = [f"{variable.name}={variable.width:05d}\0\t" for variable in variables if variable.segments > 1]
    if widths:
        yield _extension(14, 1, "".join(widths).encode())
    yield _extension(16, 8, struct.pack("<2q", 1, records))
    yield _extension(20, 1, b"UTF-8")
    long = [variable for variable in variables if variable.long]
    if labels := b"".join(_long_labels(variable) for variable in long if variable.column.notes.values):
        yield _extension(21, 1, labels)
    if codes := b"".join(_long_missing(variable) for variable in long if variable.column.notes.codes):
        yield _extension(22, 1, codes)


def _extension(kind: int, size: int, content: bytes) -> bytes:
    return struct.pack("<4i", 7, kind, size, len(content) // size) + content


def _counted(content: bytes) -> bytes:
    return struct.pack("<i", len(content)) + content


def _long_labels(variable: _Variable) -> bytes:
    column = variable.column
    record = _counted(column.name.encode()) + struct.pack("<2i", variable.width, len(column.notes.values))
    for code, text in sorted(column.notes.values.items()):
        record += _counted(str(code).encode().ljust(variable.width)) + _counted(text.encode())
    return record


def _long_missing(variable: _Variable) -> bytes:
    codes = [str(code).encode().ljust(8) for code in variable.column.notes.codes]
    return (
        _counted(variable.column.name.encode()) + bytes([len(codes)]) + struct.pack("<i", 8) + b"".join(codes)
    )
