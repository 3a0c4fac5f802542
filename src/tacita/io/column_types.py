"""The types of columns when records of a text file are written to a typed format.

A text file declares no types. The cells of the source decide which columns hold numbers, so that a release
never says more about them than its own cells do.
"""

from __future__ import annotations

from collections.abc import Sequence

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.core import CsvDialect, DataError, Microdata
from tacita.core.data.microdata import join_names
from tacita.core.data.number_parsing import looks_like_code, parse_numbers
from tacita.core.results.release import Claim

from .formats.record_format import to_arrow

# From here on a double no longer holds every whole number; longer numbers are taken for identifiers.
_FIRST_INEXACT = 2**53
_INTEGER = r"^[+-]?\d+$"


def typed(released: Microdata, claim: Claim) -> Microdata:
    """A release from a text file with the types of a typed format; any other release unchanged. O(n d).

    Columns that no step changed become numbers where all cells of the source are numbers, else stay text.
    Protected categories become numbers only where numbers are spelled exactly as in the source: 1 and 1.0
    are two categories. Words for missing values become missing values.
    """
    dialect = claim.original.dialect
    if dialect is None:
        return released
    changed = changed_by(claim)
    table = nw.maybe_reset_index(released.frame).to_arrow()
    for index, name in enumerate(released.columns):
        cells = _joined(table.column(index))
        if not _is_text(cells):
            continue
        source = _joined(claim.original.column(name).to_arrow())
        shown = _without_missing_words(cells, dialect)
        numbers = None
        if name not in changed:
            numbers = as_numbers(shown, number_type(source, dialect), dialect)
        elif _all_known(shown, source):
            numbers = as_numbers(shown, plain_number_type(source, dialect), dialect)
        table = table.set_column(index, name, shown if numbers is None else numbers)
    return Microdata.of(table, notes=released.notes, source=released.source)


def changed_by(claim: Claim) -> set[str]:
    """Columns that some step protected."""
    return {name for part in claim.steps or (claim,) for name in part.original.quasi}


def refuse_words_for_missing(released: Microdata, claim: Claim) -> None:
    """Raise where a protected column of a typed source has texts that a text file reads as missing."""
    if claim.original.dialect is not None:
        return
    dialect = CsvDialect()
    for name in changed_by(claim) & {*released.columns}:
        cells = _joined(to_arrow(released.with_frame(released.frame.select(name))).column(0))
        texts = cells.cast(cells.type.value_type) if pa.types.is_dictionary(cells.type) else cells
        if not _is_text(texts):
            continue
        if lost := _without_missing_words(texts, dialect).null_count - texts.null_count:
            raise DataError(
                f"CSV: {lost} cells of the protected column {join_names([name])} are texts that read as "
                "missing in a text file, such as NA or an empty text. Recode them first, or write Parquet."
            )


def unchanged_as_written(data: Microdata, names: Sequence[str]) -> pa.Table:
    """Columns of a source that no step changes, with their types in a typed format."""
    table = to_arrow(data.with_frame(data.frame.select(list(names))))
    if data.dialect is None:
        return table
    for index, name in enumerate(names):
        cells = _joined(table.column(index))
        shown = _without_missing_words(cells, data.dialect)
        numbers = as_numbers(shown, number_type(cells, data.dialect), data.dialect)
        table = table.set_column(index, name, shown if numbers is None else numbers)
    return table


def one_of_each_type(table: pa.Table) -> pa.Table:
    """One record with some value in every column, to check types alone."""
    columns = [_some_value(field.type) for field in table.schema]
    return pa.table(columns, schema=pa.schema([pa.field(field.name, field.type) for field in table.schema]))


def _some_value(kind: pa.DataType) -> pa.Array:
    try:
        plain = kind.value_type if pa.types.is_dictionary(kind) else kind
        # 1 is a number, a truth value, a text, and a day long after 1900
        return (
            pa.array([40_000], pa.int32() if pa.types.is_date32(plain) else pa.int64()).cast(plain).cast(kind)
        )
    except pa.ArrowException:
        return pa.nulls(1, kind)


def number_type(source: pa.Array, dialect: CsvDialect) -> pa.DataType | None:
    """The type of a column of text that holds numbers and nothing else; None where it must stay text.

    Codes such as 01 are not numbers, nor are values that a double cannot hold.

    >>> dialect = CsvDialect()
    >>> number_type(pa.array(["1", "NA", "+2"]), dialect), number_type(pa.array(["1", "2.50"]), dialect)
    (DataType(int64), DataType(double))
    >>> [number_type(pa.array(texts), dialect) for texts in (["01", "2"], ["1", "x"])]
    [None, None]
    """
    cells = pc.utf8_trim_whitespace(_without_missing_words(source, dialect))
    values, bad, _ = parse_numbers(cells, dialect.decimal, dialect.missing_values)
    present = values[~np.isnan(values)]
    if bad or not present.size or np.isinf(present).any() or looks_like_code(cells):
        return None
    integer_like = pc.match_substring_regex(cells.drop_null(), _INTEGER)
    if not pc.all(integer_like).as_py():
        long_ones = pc.any(integer_like).as_py() and (np.abs(present) >= _FIRST_INEXACT).any()
        return None if long_ones else pa.float64()
    return pa.int64() if (np.abs(present) < _FIRST_INEXACT).all() else None


def plain_number_type(source: pa.Array, dialect: CsvDialect) -> pa.DataType | None:
    """The same, if every number is spelled as its type spells it; else None.

    >>> [plain_number_type(pa.array(texts), CsvDialect()) for texts in (["1", "2"], ["1.0"])]
    [DataType(int64), None]
    """
    kind = number_type(source, dialect)
    cells = _without_missing_words(source, dialect)
    numbers = as_numbers(cells, kind, dialect)
    return kind if numbers is not None and numbers.cast(pa.string()).equals(cells) else None


def as_numbers(cells: pa.Array, kind: pa.DataType | None, dialect: CsvDialect) -> pa.Array | None:
    """Text cells as numbers of a type; None without a type, or where a cell is no such number."""
    if kind is None:
        return None
    values, bad, _ = parse_numbers(cells, dialect.decimal, dialect.missing_values)
    if bad:
        return None
    gaps = np.isnan(values)
    # adding zero removes minus zero, which SAS cannot hold
    plain = np.where(gaps, 0.0, values) + 0.0
    return pa.array(plain.astype(np.int64) if kind == pa.int64() else plain, mask=gaps)


def _without_missing_words(cells: pa.Array, dialect: CsvDialect) -> pa.Array:
    cells = cells.cast(pa.string())
    words = pa.array(dialect.missing_values, pa.string())
    gone = pc.fill_null(pc.is_in(pc.utf8_trim_whitespace(cells), value_set=words), True)
    return pc.if_else(gone, pa.scalar(None, pa.string()), cells)


def _all_known(shown: pa.Array, source: pa.Array) -> bool:
    """Whether all texts of a column occur in the source: new labels stay text, even if they are digits."""
    return pc.all(pc.is_in(shown.drop_null(), value_set=source.cast(pa.string()))).as_py() is not False


def _joined(column: pa.ChunkedArray | pa.Array) -> pa.Array:
    cells = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return pa.concat_arrays(cells.chunks) if isinstance(cells, pa.ChunkedArray) else cells


def _is_text(cells: pa.Array) -> bool:
    kind = cells.type
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or kind == pa.string_view())
