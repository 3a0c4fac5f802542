"""CSV as text: cells are copied, not interpreted, so that 01234 stays 01234 and NA stays NA."""

from __future__ import annotations

import codecs
import csv
import io
import re
from typing import Any, ClassVar, Self

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as arrow_csv

from tacita.core import CsvDialect, DataError, Microdata, ParameterError
from tacita.core.spec.params import shown
from tacita.io.content import fingerprint_of

from .reading_options import TextOptions
from .record_format import Held, RecordFormat, to_arrow

_DELIMITERS = (",", ";", "\t", "|")
_LARGEST_BLOCK = 2**30


class CSV(TextOptions, RecordFormat):
    """Delimited text with a header line.

    Cells are text. Numbers are parsed where a role needs them; all other cells are copied character by
    character. A release keeps the source's delimiter, decimal sign, encoding and line ends. O(bytes).
    Source: RFC 4180; any delimiter, line end and encoding.

    >>> data = CSV(decimal=",").decode(b"plz;x\\n01067;1,5\\n", "firms.csv")
    >>> data.column("plz").to_list(), data.numbers("x").tolist(), CSV().encode(data)
    (['01067'], [1.5], b'plz;x\\n01067;1,5\\n')
    """

    endings: ClassVar[tuple[str, ...]] = (".csv", ".txt", ".tsv")
    spells: ClassVar[bool] = True
    holds: ClassVar[frozenset[Held]] = frozenset(())

    def decode(self, content: bytes, source: str) -> Microdata:
        """Records of text, and the dialect in which they were written."""
        text, marked = _as_text(content, source, self.encoding)
        header_line = _header_line(text)
        delimiter = _delimiter(header_line, source, self.delimiter, self.decimal)
        names = _header(text, source, delimiter)
        dialect = CsvDialect(
            **{**self.model_dump(), "delimiter": delimiter},
            newline="\r\n" if header_line.endswith("\r") else "\n",
            byte_order_mark=marked,
        )
        table = _body(text, source, delimiter, names)
        return Microdata.of(table, dialect=dialect, source=source, fingerprint=fingerprint_of(content))

    def encode(self, data: Microdata) -> bytes:
        """In the dialect of the records."""
        return encode(to_arrow(data), data.dialect or CsvDialect())

    def like(self, data: Microdata) -> Self:
        """With the options of the dialect of the records."""
        dialect = data.dialect or CsvDialect()
        return self.model_copy(update=dialect.model_dump(include=set(TextOptions.model_fields)))


def _as_text(content: bytes, source: str, encoding: str) -> tuple[str, bool]:
    try:
        marked = codecs.lookup(encoding).name == "utf-8" and content.startswith(codecs.BOM_UTF8)
        text = (content[3:] if marked else content).decode(encoding)
        # Arrow reads UTF-8, which cannot hold the lone surrogates that some codecs let through
        text.encode()
    except UnicodeError as error:
        if b"\0" in content:
            raise _not_text(source) from None
        where = f" (at byte {error.start})" if isinstance(error, UnicodeDecodeError) else ""
        raise DataError(
            f"{source}: the text is not {encoding}{where}. Give the file's encoding, for instance "
            "--encoding latin-1."
        ) from None
    except (LookupError, ValueError):
        raise ParameterError(
            f"{source}: there is no text encoding {shown(encoding)}. Try utf-8 or latin-1."
        ) from None
    if "\0" in text:
        raise _not_text(source)
    return text, marked


def _not_text(source: str) -> DataError:
    return DataError(
        f"{source}: wanted a text file, got one with NUL characters. Is it a spreadsheet or another binary "
        "file, or text of another encoding, such as --encoding utf-16?"
    )


def _header_line(text: str) -> str:
    """The first line without its quoted cells, whose characters are no delimiters."""
    line = re.match(r'(?:[^"\n]+|"[^"]*")*', text)
    return re.sub(r'"[^"]*"', "", line.group() if line else "")


def _delimiter(header_line: str, source: str, delimiter: str | None, decimal: str) -> str:
    best = delimiter or max(_DELIMITERS, key=header_line.count)
    if delimiter is None and best not in header_line and best == decimal:
        # a single column: any sign that is not part of its numbers will do
        return ";"
    if best == decimal and best in header_line:
        raise ParameterError(
            f"{source}: delimiter and decimal sign are both {best!r}. Give --delimiter or --decimal."
        )
    if not best.isascii() or best in '"\r\n\0' or best.isalnum():
        raise ParameterError(
            f"{source}: delimiter must be a sign such as ; or a tab, got {best!r}. Letters, digits, quotes "
            "and line breaks are part of the cells."
        )
    return best


def _header(text: str, source: str, delimiter: str) -> list[str]:
    try:
        names = next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True), [])
    except csv.Error:
        raise DataError(f"{source}: the header line cannot be read. Check its quotes.") from None
    if not names:
        raise DataError(f"{source}: wanted a header line with column names, got an empty line.")
    unnamed = sum(not name.strip() for name in names)
    if unnamed:
        raise DataError(f"{source}: {unnamed} columns have no name in the header line. Name them.")
    copies = len(names) - len(set(names))
    if copies:
        # the message does not name them: they may be cells of a first record
        raise DataError(
            f"{source}: every column needs a unique name, but {copies} in the header line stand there more "
            "than once. Rename or drop the copies. Or has the file no header line?"
        )
    return names


def _body(text: str, source: str, delimiter: str, names: list[str]) -> pa.Table:
    if text.count('"') % 2:
        raise DataError(f"{source}: a quoted cell is never closed. Is the file truncated?")
    raw = text.encode() + (b"" if text.endswith(("\n", "\r")) else b"\n")
    table, wrong = _parsed(raw, source, delimiter, names)
    if wrong:
        # row numbers are known to a single-threaded reader only
        _, wrong = _parsed(raw, source, delimiter, names, threads=False)
        raise DataError(
            f"{source}: {len(wrong)} records do not have {len(names)} cells as the header has (first: record "
            f"{wrong[0] - 1}). Is the file truncated, or the delimiter not {delimiter!r}?"
        )
    if table.column_names != names:
        raise DataError(f"{source}: the header line cannot be read. Check its quotes.")
    return table


def _parsed(
    raw: bytes, source: str, delimiter: str, names: list[str], threads: bool = True
) -> tuple[pa.Table, list[int]]:
    """The rows that have a cell for every name, and the numbers of the others (the header is row 1)."""
    wrong: list[int] = []

    def skip(row: Any) -> str:
        wrong.append(row.number)
        return "skip"

    try:
        table = arrow_csv.read_csv(
            pa.BufferReader(raw),
            read_options=arrow_csv.ReadOptions(
                block_size=min(max(len(raw), 1024), _LARGEST_BLOCK), use_threads=threads
            ),
            parse_options=arrow_csv.ParseOptions(
                delimiter=delimiter,
                newlines_in_values=True,
                ignore_empty_lines=len(names) > 1,
                invalid_row_handler=skip,
            ),
            convert_options=arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()),
                strings_can_be_null=False,
                quoted_strings_can_be_null=False,
            ),
        )
    except pa.ArrowInvalid:
        # Arrow's message quotes the line
        raise DataError(f"{source}: the file cannot be read as CSV. Check its quotes.") from None
    return table, wrong


def encode(table: pa.Table, dialect: CsvDialect) -> bytes:
    """The table as CSV in a dialect; floats in their shortest exact form. Same table, same bytes."""
    columns = [
        _quoted(cells_as_text(column, dialect), dialect, only_column=table.num_columns == 1)
        for column in table.columns
    ]
    header = dialect.delimiter.join(
        _quoted(pa.chunked_array([[name]]), dialect, only_column=False)[0].as_py()
        for name in table.column_names
    )
    lines = pc.binary_join_element_wise(*columns, pa.scalar(dialect.delimiter))
    text = dialect.newline.join([header, *lines.to_pylist(), ""])
    try:
        encoded = text.encode(dialect.encoding)
    except UnicodeError:
        raise DataError(f"The released text cannot be written as {dialect.encoding}. Choose utf-8.") from None
    return codecs.BOM_UTF8 + encoded if dialect.byte_order_mark else encoded


def cells_as_text(column: Any, dialect: CsvDialect) -> pa.ChunkedArray:
    """Cells as they stand in a CSV file; missing ones are empty, unless empty cells mean something else."""
    column = column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column])
    if pa.types.is_dictionary(column.type):
        column = _cast(column, column.type.value_type)
    is_float = pa.types.is_floating(column.type) or pa.types.is_decimal(column.type)
    if pa.types.is_floating(column.type):
        column = pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
    text = _cast(column, pa.string())
    if is_float and dialect.decimal == ",":
        text = pc.replace_substring(text, ".", ",")
    return pc.fill_null(text, dialect.missing_word)


def _cast(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    try:
        return column.cast(kind)
    except pa.ArrowException:
        raise DataError(
            f"A column of type {str(column.type).split('<')[0]} cannot be written as CSV. Use Parquet."
        ) from None


def _quoted(column: pa.ChunkedArray, dialect: CsvDialect, only_column: bool) -> pa.ChunkedArray:
    risky = "[" + "".join(f"\\x{{{ord(mark):x}}}" for mark in (dialect.delimiter, '"', "\r", "\n")) + "]"
    needs = pc.match_substring_regex(column, risky)
    if only_column:
        # an empty line would be no record at all
        needs = pc.or_(needs, pc.equal(column, ""))
    inner = pc.replace_substring(column, '"', '""')
    return pc.if_else(needs, pc.binary_join_element_wise('"', inner, '"', ""), column)
