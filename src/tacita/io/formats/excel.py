"""Records in a sheet of an Excel workbook."""

from __future__ import annotations

import datetime
import io
import re
import warnings
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from typing import Any, ClassVar, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from tacita.core import DataError, Microdata, ParameterError
from tacita.core.data.microdata import check_unique_names, join_names
from tacita.io import xlsx

from .reading_options import SheetOptions
from .record_format import Held, RecordFormat, refuse_huge, without_empty_text

# Packages are compressed; this limits their uncompressed size.
_MOST_BYTES = 2**32
_LARGEST_EXACT = 2**53
_LONGEST_TEXT = 32767
_OLE = b"\xd0\xcf\x11\xe0"
_DAY_0 = datetime.date(1899, 12, 30)
# Excel has a 29 February 1900; before it, its day numbers differ from those of other programs.
_FIRST_DAY = (datetime.date(1900, 3, 1) - datetime.date(1970, 1, 1)).days
_LAST_DAY = (datetime.date(9999, 12, 31) - datetime.date(1970, 1, 1)).days
_A_DAY = 86_400_000
# the escapes of characters that XML cannot hold, and of texts that look like such escapes
_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")


class Excel(SheetOptions, RecordFormat):
    """A sheet of a workbook: a line of names, then one line per record.

    The cells of a column are all numbers, texts, dates or truth values. Formulas, merged cells: refused.
    Files hold nothing but cells and date formats: text that begins with = is text. O(cells).
    Source: ECMA-376, Office Open XML; read by openpyxl.

    >>> table = pa.table({"x": [1.5, None], "town": ["Köln", "=1"]})
    >>> Excel().unpack(Excel().pack(table), "survey.xlsx").equals(table)
    True
    """

    endings: ClassVar[tuple[str, ...]] = (".xlsx",)
    keeps_types: ClassVar[bool] = False
    holds: ClassVar[frozenset[Held]] = frozenset(("dates", "truth values"))

    def unpack(self, content: bytes, source: str) -> pa.Table:
        """The cells of the sheet, each column of the type of its cells."""
        with _open_workbook(content, source) as (book, package):
            sheet = _select_sheet(book, self.sheet, source)
            _check_no_merged_cells(package, sheet.title, source)
            sheet.reset_dimensions()
            rows = sheet.iter_rows()
            names = _names(next(rows, ()), source)
            columns = _read(rows, len(names), source)
        return pa.table(
            {name: _column_array(name, cells, source) for name, cells in zip(names, columns, strict=True)}
        )

    def encode(self, data: Microdata) -> bytes:
        """Empty texts of a text file become empty cells."""
        return self.pack(without_empty_text(data))

    def pack(self, table: pa.Table) -> bytes:
        """One sheet named records."""
        columns = [_column_cells(name, table.column(name)) for name in table.column_names]
        dated = any(
            column.null_count < len(column)
            and (pa.types.is_date(column.type) or pa.types.is_timestamp(column.type))
            for column in table.columns
        )
        lines = [list(line) for line in zip(*columns, strict=True)]
        if lines and not any(lines[-1]):
            raise DataError(
                "Excel: the last record is empty, and a sheet cannot show where it ends then. Fill it in, "
                "or write another format."
            )
        head = [xlsx.text(name) for name in table.column_names]
        return xlsx.encode({"records": [head, *lines]}, dated=dated)


class _Cells(NamedTuple):
    """The cells of a column (None where empty), and the kind of each as a letter of openpyxl."""

    values: list[Any]
    kinds: list[str]
    timed: list[bool]


@contextmanager
def _open_workbook(content: bytes, source: str) -> Iterator[tuple[Any, zipfile.ZipFile]]:
    if content.startswith(_OLE):
        raise DataError(
            f"{source}: the workbook is encrypted with a password, or has the old format .xls. Save it "
            "without a password, as .xlsx."
        )
    try:
        import openpyxl
    except ImportError:
        raise ParameterError(
            f"{source}: to read Excel files, the package openpyxl is needed. Install tacita[formats]."
        ) from None
    try:
        with warnings.catch_warnings(), zipfile.ZipFile(io.BytesIO(content)) as package:
            # openpyxl warns of all that it ignores in a workbook, which is all but the cells
            warnings.simplefilter("ignore")
            if sum(part.file_size for part in package.infolist()) > _MOST_BYTES:
                raise DataError(
                    f"{source}: the unpacked workbook is larger than one machine should hold. Split the file."
                )
            book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, keep_links=False)
            yield book, package
    except (DataError, ParameterError):
        raise
    except Exception:
        # the parsers of packages and XML raise many kinds of errors, whose messages quote the file
        raise DataError(
            f"{source}: this is not a readable Excel workbook (.xlsx). Is it truncated, or of another format?"
        ) from None


def _select_sheet(book: Any, wanted: str | None, source: str) -> Any:
    sheets = {sheet.title: sheet for sheet in book.worksheets}
    if not sheets:
        raise DataError(f"{source}: wanted a sheet with cells, got none.")
    if wanted is None:
        return next(iter(sheets.values()))
    if wanted in sheets:
        return sheets[wanted]
    if wanted.isdecimal() and 1 <= int(wanted) <= len(sheets):
        return [*sheets.values()][int(wanted) - 1]
    raise ParameterError(
        f"{source}: there is no sheet {wanted!r}. There are {len(sheets)}: {join_names([*sheets])}."
    )


def _check_no_merged_cells(package: zipfile.ZipFile, name: str, source: str) -> None:
    merged, last = 0, b""
    with package.open(xlsx.sheet_path(package, name)) as part:
        while block := part.read(2**20):
            # a tag may lie across two blocks; one that ends in the first was counted there
            tags = re.finditer(rb"<(?:\w+:)?mergeCell[\s>]", last + block)
            merged += sum(tag.end() > len(last) for tag in tags)
            last = block[-64:]
    if merged:
        raise DataError(
            f"{source}: the sheet has {merged} ranges of merged cells, of which only one cell has a value. "
            "Split them first."
        )


def _names(row: Sequence[Any], source: str) -> list[str]:
    names = [cell.value for cell in row]
    while names and names[-1] is None:
        names.pop()
    odd = sum(not isinstance(name, str) or not name.strip() or cell.data_type == "f"
              for name, cell in zip(names, row, strict=False))  # fmt: skip
    if odd or not names:
        raise DataError(
            f"{source}: wanted a first line with a name for each column, got {odd or 'no'} cells "
            f"{'without one' if odd else 'at all'}. Name the columns in the first line of the sheet."
        )
    check_unique_names(names)
    return names


def _read(rows: Iterator[Sequence[Any]], width: int, source: str) -> list[_Cells]:
    """The columns below the names, without empty lines at the end."""
    columns = [_Cells([], [], []) for _ in range(width)]
    filled = unnamed = 0
    for count, row in enumerate(rows, 1):
        refuse_huge(count, width, source)
        unnamed += any(cell.value is not None for cell in row[width:])
        has_value = False
        for column, cell in zip_longest(columns, row[:width]):
            value = None if cell is None or cell.value == "" else cell.value
            column.values.append(value)
            column.kinds.append("" if value is None else cell.data_type)
            column.timed.append(value is not None and cell.data_type == "d" and _shows_time(cell))
            has_value |= value is not None
        filled = count if has_value else filled
    if unnamed:
        raise DataError(
            f"{source}: {unnamed} records have cells to the right of the named columns. Name these columns, "
            "or clear them."
        )
    return [
        _Cells(column.values[:filled], column.kinds[:filled], column.timed[:filled]) for column in columns
    ]


def _shows_time(cell: Any) -> bool:
    return re.search(r"[hs]", re.sub(r'"[^"]*"|\\.|\[[^\]]*\]', "", cell.number_format.lower())) is not None


_KIND_NAMES = {
    "n": "numbers",
    "s": "texts",
    "d": "dates",
    "b": "truth values",
    "e": "errors",
    "f": "formulas",
}


def _column_array(name: str, cells: _Cells, source: str) -> pa.Array:
    subject = f"{source}: column {join_names([name])}"
    counts = {kind: cells.kinds.count(kind) for kind in set(cells.kinds) - {""}}
    for kind, advice in (("f", "Replace them by their values"), ("e", "Correct or clear them")):
        if kind in counts:
            raise DataError(f"{subject} has {counts[kind]} cells with {_KIND_NAMES[kind]}. {advice} first.")
    if len(counts) > 1:
        mixture = ", ".join(f"{count} {_KIND_NAMES[kind]}" for kind, count in sorted(counts.items()))
        raise DataError(f"{subject} mixes kinds of cells: {mixture}. Make them one kind, for example texts.")
    kind = next(iter(counts), "n")
    if kind == "n":
        return pa.array([None if value is None else float(value) for value in cells.values], pa.float64())
    if kind == "d":
        return _dates(subject, cells)
    if kind == "b":
        return pa.array(cells.values, pa.bool_())
    return pa.array([None if value is None else _ESCAPED.sub(_character, value) for value in cells.values])


def _character(escape: re.Match[str]) -> str:
    return chr(int(escape[1], 16))


def _dates(subject: str, cells: _Cells) -> pa.Array:
    present = [value for value in cells.values if value is not None]
    odd = sum(not isinstance(value, datetime.datetime) for value in present)
    if odd:
        raise DataError(
            f"{subject} has {odd} times of the day or durations. Make them numbers or texts first."
        )
    if any(cells.timed) or any(value.time() != datetime.time() for value in present):
        return pa.array(cells.values, pa.timestamp("ms"))
    return pa.array([None if value is None else value.date() for value in cells.values], pa.date32())


def _column_cells(name: str, column: pa.ChunkedArray) -> list[xlsx.Cell]:
    kind = column.type
    if pa.types.is_dictionary(kind):
        return _column_cells(name, column.cast(kind.value_type))
    values = column.to_pylist() if not pa.types.is_timestamp(kind) else []
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or kind == pa.string_view():
        _check_writable(
            name, sum(len(value or "") > _LONGEST_TEXT for value in values), "have more than 32767 letters"
        )
        if None in values:
            _check_writable(
                name, values.count(""), "are empty, others missing, and a sheet cannot tell these apart"
            )
        return [xlsx.text(value) if value else None for value in values]
    if pa.types.is_boolean(kind):
        return [None if value is None else xlsx.truth(value) for value in values]
    if pa.types.is_integer(kind):
        _check_writable(
            name, sum(abs(value or 0) > _LARGEST_EXACT for value in values), "are whole numbers beyond 2^53"
        )
        return [None if value is None else xlsx.figure(str(value)) for value in values]
    if pa.types.is_floating(kind) and kind != pa.float16():
        return _floats(name, column)
    if pa.types.is_date(kind):
        return _days(name, column.cast(pa.date32()).cast(pa.int32()).to_pylist())
    if pa.types.is_timestamp(kind) and kind.tz is None:
        return _moments(name, column)
    if pa.types.is_null(kind):
        return [None] * len(column)
    raise DataError(
        f"Excel: column {join_names([name])} is of the type {str(kind).split('<')[0]}, which a sheet cannot "
        "hold. Convert it to numbers, dates or text."
    )


def _floats(name: str, column: pa.ChunkedArray) -> list[xlsx.Cell]:
    values = column.cast(pa.float64()).to_pylist()
    nan = sum(value is not None and value != value for value in values)
    _check_writable(
        name, nan if None in values else 0, "are NaN, others missing, and a sheet cannot tell these apart"
    )
    _check_writable(name, sum(value in (float("inf"), float("-inf")) for value in values), "are infinite")
    return [None if value is None or value != value else xlsx.figure(_spelled(value)) for value in values]


def _spelled(value: float) -> str:
    """Whole numbers without a decimal point; minus zero keeps its sign."""
    is_integer = (
        value.is_integer() and abs(value) <= _LARGEST_EXACT and not (value == 0 and repr(value)[0] == "-")
    )
    return str(int(value)) if is_integer else repr(value)


def _days(name: str, values: list[int | None]) -> list[xlsx.Cell]:
    wrong = sum(value is not None and not _FIRST_DAY <= value <= _LAST_DAY for value in values)
    _check_writable(name, wrong, "are dates before March 1900 or after 9999, which Excel cannot hold")
    offset = (datetime.date(1970, 1, 1) - _DAY_0).days
    return [None if value is None else xlsx.moment(str(value + offset), timed=False) for value in values]


def _moments(name: str, column: pa.ChunkedArray) -> list[xlsx.Cell]:
    fine = column.cast(pa.timestamp("ms"), safe=False)
    _check_writable(name, pc.sum(pc.not_equal(fine.cast(column.type, safe=False), column)).as_py() or 0,
            "have finer times than thousandths of a second")  # fmt: skip
    values = fine.cast(pa.int64()).to_pylist()
    wrong = sum(value is not None and not _FIRST_DAY <= value // _A_DAY <= _LAST_DAY for value in values)
    _check_writable(name, wrong, "are dates before March 1900 or after 9999, which Excel cannot hold")
    offset = (datetime.date(1970, 1, 1) - _DAY_0).days * _A_DAY
    return [
        None if value is None else xlsx.moment(repr((value + offset) / _A_DAY), timed=True)
        for value in values
    ]


def _check_writable(name: str, count: int, fault: str) -> None:
    if count:
        raise DataError(
            f"Excel: {count} cells of column {join_names([name])} {fault}. Convert them to text, or write "
            "another format."
        )
