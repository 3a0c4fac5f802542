"""The types that columns of a text file have in a file that knows types: numbers are numbers, gaps are gaps.

A text file says nothing of types. Which column holds numbers is decided by the cells of the source, so that a
release never says more of them than its own cells do.
"""

from __future__ import annotations


import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.core import CsvDialect, Microdata
from tacita.core.release import Claim
from tacita.core.text import looks_like_code, parse_numbers

# Beyond it a double no longer holds every whole number, and a number so long is a name.
_LARGEST_EXACT = 2**53
_WHOLE = r"^[+-]?\d+$"


def typed(released: Microdata, claim: Claim) -> Microdata:
    """A release out of a text file as it is written where types are known; any other as it is. O(n d).

    Columns that no step changed become numbers where all cells of the source are, and stay text otherwise.
    Categories that were protected are numbers only where these would be spelled exactly as the source spells
    them: 1 and 1.0 are two categories. Words for missing values become missing values.
    """
    dialect = claim.original.dialect
    if dialect is None:
        return released
    changed = {name for part in claim.steps or (claim,) for name in part.original.quasi}
    table = nw.maybe_reset_index(released.frame).to_arrow()
    for place, name in enumerate(released.columns):
        cells = _joined(table.column(place))
        if not _is_text(cells):
            continue
        source = _joined(claim.original.column(name).to_arrow())
        shown = _without_missing_words(cells, dialect)
        numbers = None
        if name not in changed:
            numbers = as_numbers(shown, number_type(source, dialect), dialect)
        elif _all_known(shown, source):
            numbers = as_numbers(shown, plain_number_type(source, dialect), dialect)
        table = table.set_column(place, name, shown if numbers is None else numbers)
    return Microdata.of(table, notes=released.notes, source=released.source)


def number_type(source: pa.Array, dialect: CsvDialect) -> pa.DataType | None:
    """The type of a column of text that holds numbers and nothing else; None where it must stay text.

    Codes such as 01 are no numbers, nor is what a double cannot hold.

    >>> dialect = CsvDialect()
    >>> number_type(pa.array(["1", "NA", "+2"]), dialect), number_type(pa.array(["1", "2.50"]), dialect)
    (DataType(int64), DataType(double))
    >>> number_type(pa.array(["01", "2"]), dialect) is None, number_type(pa.array(["1", "x"]), dialect) is None
    (True, True)
    """
    cells = pc.utf8_trim_whitespace(_without_missing_words(source, dialect))
    values, bad, _ = parse_numbers(cells, dialect.decimal, dialect.missing_values)
    present = values[~np.isnan(values)]
    if bad or not present.size or np.isinf(present).any() or looks_like_code(cells):
        return None
    whole = pc.match_substring_regex(cells.drop_null(), _WHOLE)
    if not pc.all(whole).as_py():
        long_ones = pc.any(whole).as_py() and (np.abs(present) > _LARGEST_EXACT).any()
        return None if long_ones else pa.float64()
    return pa.int64() if (np.abs(present) <= _LARGEST_EXACT).all() else None


def plain_number_type(source: pa.Array, dialect: CsvDialect) -> pa.DataType | None:
    """The same, where every number is spelled as its type spells it.

    >>> plain_number_type(pa.array(["1", "2"]), CsvDialect()), plain_number_type(pa.array(["1.0"]), CsvDialect())
    (DataType(int64), None)
    """
    kind = number_type(source, dialect)
    cells = _without_missing_words(source, dialect)
    numbers = as_numbers(cells, kind, dialect)
    return kind if numbers is not None and numbers.cast(pa.string()).equals(cells) else None


def as_numbers(cells: pa.Array, kind: pa.DataType | None, dialect: CsvDialect) -> pa.Array | None:
    """Text cells as numbers of a type; None where there is no type, or a cell is no such number."""
    if kind is None:
        return None
    values, bad, _ = parse_numbers(cells, dialect.decimal, dialect.missing_values)
    if bad:
        return None
    gaps = np.isnan(values)
    # plus zero: SAS has no minus zero, and nobody means it
    plain = np.where(gaps, 0.0, values) + 0.0
    return pa.array(plain.astype(np.int64) if kind == pa.int64() else plain, mask=gaps)


def _without_missing_words(cells: pa.Array, dialect: CsvDialect) -> pa.Array:
    words = pa.array(dialect.missing_values, pa.string())
    gone = pc.fill_null(pc.is_in(pc.utf8_trim_whitespace(cells), value_set=words), True)
    return pc.if_else(gone, pa.scalar(None, pa.string()), cells)


def _all_known(shown: pa.Array, source: pa.Array) -> bool:
    """Whether a column shows nothing but texts of the source: other labels are text, whatever they look like."""
    return bool(pc.all(pc.is_in(shown.drop_null(), value_set=source)).as_py() is not False)


def _joined(column: pa.ChunkedArray | pa.Array) -> pa.Array:
    cells = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    cells = pa.concat_arrays(cells.chunks) if isinstance(cells, pa.ChunkedArray) else cells
    return cells.cast(pa.string()) if pa.types.is_large_string(cells.type) else cells


def _is_text(cells: pa.Array) -> bool:
    return bool(pa.types.is_string(cells.type))
