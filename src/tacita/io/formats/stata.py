"""Stata data files (.dta)."""

from __future__ import annotations

import io
import re
import struct
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any, BinaryIO, ClassVar, Literal, NamedTuple

import numpy as np
import pyarrow as pa

from tacita.core import DataError
from tacita.core.data.column_metadata import Code, ColumnNotes, System

from . import readstat
from .record_format import Held
from .survey import Clock, Column, Noted, SurveyFormat, empty_as_missing, with_reasons

_NUMBERS = {
    "int8": pa.int8(),
    "int16": pa.int16(),
    "int32": pa.int32(),
    "float": pa.float32(),
    "double": pa.float64(),
}
# For each number type: its code in the file, its numpy type, its lowest and highest value, the first of the
# 27 missing values (as an integer of the same width), and the step between them.
_BYTE = (65530, "<i1", -127, 100, 101, 1)
_INT = (65529, "<i2", -32767, 32740, 32741, 1)
_LONG = (65528, "<i4", -2147483647, 2147483620, 2147483621, 1)
_FLOAT = (65527, "<f4", -(2.0**127) * (2 - 2**-23), 2.0**127 * (1 - 2**-24), 0x7F000000, 0x800)
_DOUBLE = (65526, "<f8", -(2.0**1023) * (2 - 2**-52), 2.0**1023 * (1 - 2**-53), 0x7FE0 << 48, 1 << 40)
_LONG_TEXT = 32768
_LONGEST_TEXT = 2045
_NAME = re.compile(r"[^\W\d]\w{0,31}")
_RESERVED = frozenset(
    (
        "_all",
        "_b",
        "_coef",
        "_cons",
        "_n",
        "_N",
        "_pi",
        "_pred",
        "_rc",
        "_se",
        "_skip",
        "byte",
        "double",
        "float",
        "if",
        "in",
        "int",
        "long",
        "strL",
        "using",
        "with",
    )
)
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


class Stata(SurveyFormat):
    """Stata data, with labels, missing values .a to .z and display formats.

    Files have version 118 (Stata 14 and later), no time stamp, and only the labels of codes that records use.
    O(cells).
    Source: StataCorp, Stata manual, help dta_118; read by ReadStat.

    >>> table = pa.table({"x": pa.array([1, None], pa.int8()), "town": ["Köln", "Bonn"]})
    >>> Stata().unpack(Stata().pack(table), "survey.dta").equals(table)
    True
    """

    endings: ClassVar[tuple[str, ...]] = (".dta",)
    system: ClassVar[System] = "stata"
    spoken: ClassVar[str] = "Stata"
    holds: ClassVar[frozenset[Held]] = frozenset(("dates", "labels", "value labels", "reasons"))
    clock: ClassVar[Clock] = Clock(-3653, 1, 1000, "ms", 1000)

    def clock_of(self, display: str | None) -> Literal["date", "datetime"] | None:
        """Weeks, months and quarters stay numbers."""
        if re.match(r"%-?t?d", display or ""):
            return "date"
        return "datetime" if re.match(r"%-?tc", display or "") else None

    def columns(self, file: BinaryIO, source: str, first: int = 0, most: int = 0) -> Noted:
        """As ReadStat reads them; truncated files are refused."""
        _check_complete(file, source)
        columns, about = readstat.read(
            "read_dta", file, source, self.spoken, user_missing=True, row_offset=first, row_limit=most
        )
        return {name: self._read(name, cells, about, source) for name, cells in columns.items()}

    def _read(self, name: str, cells: list[Any], about: Any, source: str) -> tuple[pa.Array, ColumnNotes]:
        label = about.column_names_to_labels.get(name) or None
        kind = about.readstat_variable_types[name]
        if kind == "string":
            return empty_as_missing(cells), ColumnNotes(label=label)
        reasons: dict[Code, Any] = {}
        if name in about.missing_user_values:
            objects = np.array(cells, dtype=object)
            reasons = {code: objects == code for code in _LETTERS if code in cells}
            cells = [None if isinstance(cell, str) else cell for cell in cells]
        codes, kinds = with_reasons(reasons, len(cells))
        display = about.original_variable_types[name]
        labels = about.variable_value_labels.get(name, {})
        # a letter that no record has is not a category
        values = {
            code if isinstance(code, str) else float(code): text
            for code, text in labels.items()
            if not isinstance(code, str) or code in codes
        }
        read = pa.array(cells, _NUMBERS[kind], from_pandas=True)
        if self.clock_of(display):
            numbers = read.cast(pa.float64()).to_numpy(zero_copy_only=False)
            read = self.timed(name, numbers, display, source)
        return read, ColumnNotes(label=label, values=values, codes=codes, kinds=kinds, display=display)

    def written(self, columns: Sequence[Column], records: int) -> bytes:
        """Sections in the order of the manual, and a map of their offsets."""
        self.refuse_names(
            [column.name for column in columns if not _is_name(column.name)],
            "names have at most 32 letters, digits and underscores, do not begin with a digit and are not "
            "reserved words of Stata",
        )
        for column in columns:
            if column.notes.label and len(column.notes.label) > 80:
                raise DataError(
                    f"Stata: the label of column {column.name} has more than 80 letters. Shorten it."
                )
        parts = [self._stored(column) for column in columns]
        named = [f"labels{number}" if part.values else "" for number, part in enumerate(parts, 1)]
        rows = np.zeros(records, [(f"{number}", part.cells.dtype) for number, part in enumerate(parts, 1)])
        for number, part in enumerate(parts, 1):
            key = number if part.code == _LONG_TEXT else 0
            rows[f"{number}"] = np.where(part.cells > 0, part.cells + key, 0) if key else part.cells
        sections = {
            "map": bytes(14 * 8),
            "variable_types": b"".join(struct.pack("<H", part.code) for part in parts),
            "varnames": b"".join(_field(column.name, 129) for column in columns),
            "sortlist": bytes(2 * len(columns) + 2),
            "formats": b"".join(_field(part.display, 57) for part in parts),
            "value_label_names": b"".join(_field(name, 129) for name in named),
            "variable_labels": b"".join(_field(column.notes.label or "", 321) for column in columns),
            "characteristics": b"",
            "data": rows.tobytes(),
            "strls": b"".join(_long_texts(columns, parts)),
            "value_labels": b"".join(
                _labels(name, part.values) for name, part in zip(named, parts, strict=True) if name
            ),
        }
        return _joined(_header(len(columns), records), sections)

    def _stored(self, column: Column) -> _Stored:
        if column.numbers is None:
            return _text(column)
        kind = _kind(column)
        code, dtype, lowest, highest, first, step = kind
        numbers = column.numbers
        beyond = (numbers < lowest) | (numbers > highest)
        self.refuse(column.name, int(beyond.sum()), "are larger than Stata can hold", "Correct them")
        gaps = np.isnan(numbers)
        cells = np.where(gaps, 0, numbers).astype(dtype)
        reasons = np.zeros(numbers.size, dtype=np.int64)
        if column.notes.kinds is not None:
            letters = np.array([0, *(_LETTERS.index(str(code)) + 1 for code in column.notes.codes)])
            reasons = letters[column.notes.kinds + 1]
        cells.view(f"<u{cells.dtype.itemsize}")[gaps] = (first + step * reasons[gaps]).astype(np.uint64)
        display = column.notes.display or ""
        shown = {"number": None}.get(column.kind, column.kind)
        if not display or display.endswith("s") or self.clock_of(display) != shown or len(display) > 56:
            display = _DISPLAYS.get(column.kind) or f"%{_WIDTHS[code]}.0g"
        return _Stored(code, cells, display, _coded(column.notes.values))


class _Stored(NamedTuple):
    """The type of a column, its stored cells, its display format and the labels of its codes."""

    code: int
    cells: Any
    display: str
    values: dict[int, str]


_DISPLAYS = {"date": "%td", "datetime": "%tc"}
_WIDTHS = {65530: 8, 65529: 8, 65528: 12, 65527: 9, 65526: 10}


def _check_complete(file: BinaryIO, source: str) -> None:
    begins = file.read(11)
    file.seek(0, io.SEEK_END)
    file.seek(max(file.tell() - 12, 0))
    if begins == b"<stata_dta>" and file.read() != b"</stata_dta>":
        raise DataError(f"{source}: not a whole Stata file: it has no end mark. Is it truncated?")
    file.seek(0)


def _is_name(name: str) -> bool:
    known = name in _RESERVED or re.fullmatch(r"str\d+", name)
    return _NAME.fullmatch(name) is not None and not known


def _kind(column: Column) -> tuple[int, str, float, float, int, int]:
    """The narrowest integer type that holds all values; other numbers keep their type."""
    if column.kind == "date":
        return _LONG
    if column.stored == pa.float32():
        return _FLOAT
    if pa.types.is_integer(column.stored) and column.numbers is not None:
        present = column.numbers[~np.isnan(column.numbers)]
        for kind in (_BYTE, _INT, _LONG):
            if ((present >= kind[2]) & (present <= kind[3])).all():
                return kind
    return _DOUBLE


def _text(column: Column) -> _Stored:
    if column.width <= _LONGEST_TEXT:
        width = max(column.width, 1)
        return _Stored(width, np.array(column.texts, f"S{width}"), f"%{max(width, 9)}s", {})
    cells = np.zeros(len(column.texts), "<u8")
    for row, text in enumerate(column.texts):
        # the number of the column is added later, when it is known
        cells[row] = (row + 1) << 16 if text else 0
    return _Stored(_LONG_TEXT, cells, "%9s", {})


def _coded(values: Mapping[Code, str]) -> dict[int, str]:
    """Labels of whole numbers and of missing values; Stata has no others."""
    texts: dict[int, str] = {}
    for code, label in values.items():
        if isinstance(code, str):
            if len(code) == 1 and code in _LETTERS:
                texts[_LONG[4] + 1 + _LETTERS.index(code)] = label
        elif code == int(code) and _LONG[2] <= code <= _LONG[3]:
            texts[int(code)] = label
    return dict(sorted(texts.items()))


def _field(text: str, width: int) -> bytes:
    return text.encode().ljust(width, b"\0")


def _header(columns: int, records: int) -> bytes:
    return (
        b"<header><release>118</release><byteorder>LSF</byteorder>"
        + b"<K>%s</K><N>%s</N>" % (struct.pack("<H", columns), struct.pack("<Q", records))
        + b"<label>\0\0</label><timestamp>\0</timestamp></header>"
    )


def _joined(header: bytes, sections: Mapping[str, bytes]) -> bytes:
    """Sections one after another; the first holds the offset of each."""
    parts = [b"<stata_dta>" + header]
    parts += [b"<%s>%s</%s>" % (name.encode(), content, name.encode()) for name, content in sections.items()]
    parts.append(b"</stata_dta>")
    ends = list(accumulate(map(len, parts)))
    places = struct.pack("<14Q", 0, *ends)
    parts[1] = b"<map>%s</map>" % places
    return b"".join(parts)


def _long_texts(columns: Sequence[Column], parts: Sequence[_Stored]) -> Iterator[bytes]:
    """Texts longer than the longest fixed width, by column and record."""
    for number, (column, part) in enumerate(zip(columns, parts, strict=True), 1):
        if part.code != _LONG_TEXT:
            continue
        for row, text in enumerate(column.texts, 1):
            if text:
                yield b"GSO" + struct.pack("<IQBI", number, row, 130, len(text) + 1) + text + b"\0"


def _labels(name: str, values: Mapping[int, str]) -> bytes:
    texts = [text.encode() + b"\0" for text in values.values()]
    starts = [0, *accumulate(map(len, texts))]
    table = struct.pack("<2i", len(texts), starts.pop())
    table += struct.pack(f"<{len(texts)}i", *starts) + struct.pack(f"<{len(texts)}i", *values)
    table += b"".join(texts)
    return b"<lbl>" + struct.pack("<i", len(table)) + _field(name, 129) + bytes(3) + table + b"</lbl>"
