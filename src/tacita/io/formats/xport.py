"""SAS transport files (.xpt), and the date and time rules that all SAS formats share."""

from __future__ import annotations

import io
import re
import struct
from collections.abc import Sequence
from typing import Any, BinaryIO, ClassVar, Literal, NamedTuple

import numpy as np
import pyarrow as pa

from tacita.core import DataError, Floats, Ints
from tacita.core.data.column_metadata import ColumnNotes, System
from tacita.core.data.microdata import check_unique_names, join_names

from .record_format import Held, refuse_huge
from .survey import Clock, Column, Noted, SurveyFormat, empty_as_missing, with_reasons

_DATES = re.compile(
    r"(DATE|DAY|DDMMYY|DDMMYY[BCDNPS]|MMDDYY|MMDDYY[BCDNPS]|YYMMDD|YYMMDD[BCDNPS]|E8601DA|B8601DA|IS8601DA|"
    r"JULIAN|WEEKDATE|WEEKDATX|WORDDATE|WORDDATX|EURDFDE|EURDFDD|NLDATE|MINGUO)"
)
_DATETIMES = re.compile(r"(DATETIME|DATEAMPM|E8601DT|B8601DT|IS8601DT|NLDATM|EURDFDT|MDYAMPM)")
_DISPLAYS = {"date": ("DATE", 9, 0), "datetime": ("DATETIME", 22, 3)}
_DISPLAY = re.compile(r"([A-Z_]\w*?|)(\d*)(?:\.(\d*))?")
REASONS = "_ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,7}")
_LINE = 80
# between these every double has an exact IBM floating-point number
_LARGEST = 16.0**63
_LEAST = 16.0**-64
_NAMESTR = ">4h8s40s8s3h2s8s2hi52s"
_STAMP = b"01JAN60:00:00:00"


class SASFormat(SurveyFormat):
    """Base class of the SAS formats."""

    system: ClassVar[System] = "sas"
    clock: ClassVar[Clock] = Clock(-3653, 1, 1, "us", 10**6)
    pads: ClassVar[bool] = True

    def clock_of(self, display: str | None) -> Literal["date", "datetime"] | None:
        """Times of the day and months stay numbers."""
        name = re.sub(r"\d+(\.\d*)?$|\.$", "", display or "")
        if _DATETIMES.fullmatch(name):
            return "datetime"
        return "date" if _DATES.fullmatch(name) else None


class Field(NamedTuple):
    """The position of a variable in the records of a transport file, and its metadata."""

    name: str
    text: bool
    at: int
    width: int
    label: str | None
    display: str | None


class Xport(SASFormat):
    """SAS transport files, with column labels, missing values .A to .Z and display formats.

    Versions 5 and 8 are read; version 5 is written, with a fixed date in place of the time of writing.
    Numbers are IBM floating point, which holds every double between 16^-64 and 16^63. O(cells).
    Source: SAS Institute, TS-140, record layout of a SAS data set in transport format.

    >>> table = pa.table({"x": [1.5, None], "town": ["Köln", "Bonn"]})
    >>> Xport().unpack(Xport().pack(table), "survey.xpt").equals(table)
    True
    """

    endings: ClassVar[tuple[str, ...]] = (".xpt", ".xport")
    spoken: ClassVar[str] = "SAS transport"
    holds: ClassVar[frozenset[Held]] = frozenset(("dates", "labels", "reasons"))
    most_columns: ClassVar[int] = 9999

    def columns(self, file: BinaryIO, source: str, first: int = 0, most: int = 0) -> Noted:
        """The fields of the requested records."""
        fields, start, records = _layout(file, source)
        refuse_huge(records, len(fields), source)
        wide = max(field.at + field.width for field in fields)
        count = max(min(most or records, records - first), 0)
        file.seek(start + first * wide)
        raw = np.frombuffer(file.read(count * wide), np.uint8).reshape(count, wide)
        return {field.name: self._read(field, raw, source) for field in fields}

    def _read(self, field: Field, raw: Any, source: str) -> tuple[pa.Array, ColumnNotes]:
        cells = np.ascontiguousarray(raw[:, field.at : field.at + field.width])
        if field.text:
            texts = [cell.rstrip(b" \0") for cell in cells.view(f"V{field.width}").reshape(-1).tolist()]
            return empty_as_missing(_spelled(texts, field.name, source)), ColumnNotes(label=field.label)
        numbers, reasons = _from_ibm(cells)
        codes, kinds = with_reasons(
            {code: reasons == ord(code) for code in REASONS if (reasons == ord(code)).any()}, len(raw)
        )
        notes = ColumnNotes(label=field.label, values={}, codes=codes, kinds=kinds, display=field.display)
        return self.timed(field.name, numbers, field.display, source), notes

    def written(self, columns: Sequence[Column], records: int) -> bytes:
        """Headers, a description of each variable, and records without a gap between them."""
        names = [column.name for column in columns]
        upper = [name.upper() for name in names]
        self.refuse_names(
            [name for name in names if not _NAME.fullmatch(name) or upper.count(name.upper()) > 1],
            "names have at most 8 English letters, digits and underscores, do not begin with a digit and "
            "differ in more than case",
        )
        cells = [self._cells(column) for column in columns]
        ends = np.cumsum([0, *(column_cells.dtype.itemsize for column_cells in cells)]).tolist()
        rows = np.zeros(
            records, [(str(number), column_cells.dtype) for number, column_cells in enumerate(cells)]
        )
        for number, column_cells in enumerate(cells):
            rows[str(number)] = column_cells
        body = rows.tobytes()
        if ends[-1] < _LINE and not body[-ends[-1] :].strip(b" "):
            raise DataError(
                "SAS transport: the last record is empty, and the file cannot show where it ends then. Fill "
                "it in, or write another format."
            )
        descriptions = [
            self._namestr(column, number, at, column_cells.dtype.itemsize)
            for number, (column, at, column_cells) in enumerate(
                zip(columns, ends[:-1], cells, strict=True), 1
            )
        ]
        return (
            _headers(len(columns))
            + _filled(b"".join(descriptions))
            + _line(b"OBS     ", b"0" * 30)
            + _filled(body)
        )

    def _cells(self, column: Column) -> Any:
        if column.numbers is None:
            blank = sum(text.endswith(b" ") for text in column.texts)
            self.refuse(column.name, blank, "end in a blank, which SAS drops", "Trim them")
            long = sum(len(text) > 200 for text in column.texts)
            self.refuse(column.name, long, "have more than 200 bytes", "Shorten them")
            width = max(column.width, 1)
            padded = b"".join(text.ljust(width) for text in column.texts)
            return np.frombuffer(padded, f"V{width}")
        numbers, gaps = column.numbers, np.isnan(column.numbers)
        size = np.abs(np.where(gaps, 1.0, numbers))
        odd = (size >= _LARGEST) | ((size < _LEAST) & (size > 0))
        self.refuse(
            column.name, int(odd.sum()), "are larger or nearer to zero than SAS can hold", "Correct them"
        )
        minus = np.signbit(numbers) & (numbers == 0)
        self.refuse(
            column.name, int(minus.sum()), "are minus zero, which SAS reads as missing", "Correct them"
        )
        cells = _to_ibm(np.where(gaps, 0.0, numbers))
        letters = np.frombuffer(("." + "".join(map(str, column.notes.codes))).encode(), np.uint8)
        kinds = np.full(numbers.size, -1) if column.notes.kinds is None else column.notes.kinds
        cells[gaps] = letters[kinds[gaps] + 1].astype(np.uint64) << np.uint64(56)
        return cells.astype(">u8").view("V8")

    def _namestr(self, column: Column, number: int, at: int, width: int) -> bytes:
        label = (column.notes.label or "").encode()
        if len(label) > 40:
            raise DataError(
                f"SAS transport: the label of column {column.name} has more than 40 bytes. Shorten it."
            )
        display, wide, decimals = self._display(column)
        return struct.pack(
            _NAMESTR, 2 if column.numbers is None else 1, 0, width, number, column.name.encode().ljust(8),
            label.ljust(40), display.encode().ljust(8), wide, decimals, 0, b"", b" " * 8, 0, 0, at, b"",
        )  # fmt: skip

    def _display(self, column: Column) -> tuple[str, int, int]:
        match = _DISPLAY.fullmatch(column.notes.display or "")
        shown = {"number": None}.get(column.kind, column.kind)
        plain = _DISPLAYS.get(column.kind, ("", 0, 0))
        if column.numbers is None or not column.notes.display or match is None:
            return plain
        if self.clock_of(column.notes.display) != shown or len(match[1]) > 8:
            return plain
        return match[1], int(match[2] or 0), int(match[3] or 0)


def _spelled(texts: list[bytes], name: str, source: str) -> list[str]:
    """Decoded texts: files do not declare their encoding, which is UTF-8 or Windows-1252."""
    for encoding in ("utf-8", "cp1252"):
        try:
            return [text.decode(encoding) for text in texts]
        except UnicodeDecodeError:
            continue
    raise DataError(
        f"{source}: the text of column {join_names([name])} is neither UTF-8 nor Windows-1252. Convert the "
        "file first."
    )


def _to_ibm(values: Floats) -> Any:
    """Doubles as IBM floating point, exactly: its 56 fraction bits hold the 53 of a double."""
    fraction, exponent = np.frexp(np.abs(values))
    sixteens = -(-exponent // 4)
    shift = (3 - (4 * sixteens - exponent)).astype(np.uint64)
    digits = np.ldexp(fraction, 53).astype(np.uint64) << shift
    sign = np.signbit(values).astype(np.uint64) << np.uint64(63)
    bits = digits | ((sixteens + 64).astype(np.uint64) << np.uint64(56))
    return np.where(values == 0, 0, bits).astype(np.uint64) | sign


def _from_ibm(cells: Any) -> tuple[Floats, Ints]:
    """Numbers, NaN where missing, and the letter of each missing value, 0 for none."""
    padded = np.zeros((len(cells), 8), dtype=np.uint8)
    padded[:, : cells.shape[1]] = cells
    bits = padded.view(">u8").reshape(-1).astype(np.uint64)
    digits = bits & np.uint64(2**56 - 1)
    first = (bits >> np.uint64(56)).astype(np.int64)
    missing = (digits == 0) & np.isin(first, [ord(mark) for mark in "." + REASONS])
    numbers = np.ldexp(digits.astype(np.float64), 4 * ((first & 127) - 64) - 56)
    numbers = np.where(first >= 128, -numbers, numbers)
    reasons = np.where(missing & (first != ord(".")), first, 0)
    return np.where(missing, np.nan, numbers), reasons


def _line(name: bytes, numbers: bytes) -> bytes:
    return b"HEADER RECORD*******" + name + b"HEADER RECORD!!!!!!!" + numbers + b"  "


def _filled(content: bytes) -> bytes:
    return content.ljust(-(-len(content) // _LINE) * _LINE)


def _headers(columns: int) -> bytes:
    version = b"9.4".ljust(8) + b" " * 8
    return b"".join(
        (
            _line(b"LIBRARY ", b"0" * 30),
            b"SAS     SAS     SASLIB  " + version + b" " * 24 + _STAMP,
            _STAMP.ljust(_LINE),
            _line(b"MEMBER  ", b"000000000000000001600000000140"),
            _line(b"DSCRPTR ", b"0" * 30),
            b"SAS     DATASET SASDATA " + version + b" " * 24 + _STAMP,
            _STAMP.ljust(_LINE),
            _line(b"NAMESTR ", b"000000%04d" % columns + b"0" * 20),
        )
    )


def _layout(file: BinaryIO, source: str) -> tuple[list[Field], int, int]:
    """The fields of a record, the offset of the first record, and the number of records."""
    try:
        return _read_layout(file, source)
    except (ValueError, IndexError, struct.error, UnicodeDecodeError):
        raise DataError(
            f"{source}: this is not a readable SAS transport file. Is it truncated, or of another format?"
        ) from None


def _read_layout(file: BinaryIO, source: str) -> tuple[list[Field], int, int]:
    head = [file.read(_LINE) for _ in range(8)]
    names = [line[20:28] for line in head]
    versions = ([b"LIBRARY ", b"MEMBER  ", b"NAMESTR "], [b"LIBV8   ", b"MEMBV8  ", b"NAMSTV8 "])
    if [names[0], names[3], names[7]] not in versions:
        raise ValueError
    count, size = int(head[7][53:58]), int(head[3][74:78])
    descriptions = [file.read(size).ljust(140) for _ in range(count)]
    file.seek(-(-file.tell() // _LINE) * _LINE)
    labels = _skip_to_records(file)
    start, end = file.tell(), file.seek(0, io.SEEK_END)
    fields = [
        _field(description, names[0] == b"LIBV8   ", labels.get(n, ()))
        for n, description in enumerate(descriptions, 1)
    ]
    check_unique_names([field.name for field in fields])
    wide = max(field.at + field.width for field in fields)
    if end % _LINE or any(field.width < 1 or field.at < 0 for field in fields) or not fields:
        raise ValueError
    records = (end - start) // wide
    file.seek(max(start, end - _LINE + 1))
    # the last line is padded with blanks, which may look like records
    tail = file.read()
    spare = len(tail) - len(tail.rstrip(b" "))
    if (end - start) % wide > spare:
        raise ValueError
    records -= max(spare - (end - start) % wide, 0) // wide
    _check_single_data_set(file, start, source)
    return fields, start, records


def _skip_to_records(file: BinaryIO) -> dict[int, tuple[str, str]]:
    """Skip to the first record; return long names and labels by the number of the variable."""
    long_texts: dict[int, tuple[str, str]] = {}
    line = file.read(_LINE)
    if line[20:28] in (b"LABELV8 ", b"LABELV9 "):
        entries = 5 if line[26:27] == b"9" else 3
        for _ in range(int(line[48:53])):
            number, *lengths = struct.unpack(f">{entries}H", file.read(2 * entries))
            texts = [file.read(length).decode() for length in lengths]
            long_texts[number] = (texts[0], texts[-1])
        begins = file.tell()
        ahead = file.read(2 * _LINE)
        file.seek(begins + ahead.index(b"HEADER RECORD*******OBSV8"))
        line = file.read(_LINE)
    if line[20:28] not in (b"OBS     ", b"OBSV8   "):
        raise ValueError
    return long_texts


def _field(description: bytes, long: bool, long_texts: Sequence[str]) -> Field:
    kind, _, width, _, name, label, display, wide, decimals, *_, at, rest = struct.unpack(
        _NAMESTR, description
    )
    texts = [text.decode().rstrip(" \0") for text in (name, label, display)]
    if long and (long_name := rest[:32].decode().rstrip(" \0")):
        texts[0] = long_name
    if long_texts:
        texts[:2] = [text.rstrip(" \0") for text in long_texts]
    shown = texts[2] + (f"{wide}" if wide else "") + (f".{decimals}" if decimals else "")
    return Field(
        name=texts[0],
        text=kind == 2,
        at=at,
        width=width,
        label=texts[1] or None,
        display=shown if texts[2] and kind != 2 else None,
    )


def _check_single_data_set(file: BinaryIO, start: int, source: str) -> None:
    file.seek(start)
    while block := file.read(2**14 * _LINE):
        lines = range(0, len(block), _LINE)
        if any(block.startswith(b"HEADER RECORD*******MEMB", line) for line in lines):
            raise DataError(f"{source}: wanted one data set, got several in one file. Save them one by one.")
