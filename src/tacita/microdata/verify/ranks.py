"""The order of released columns: of numbers, of dates however they are written, of text by its letters."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.core import Floats, Ints
from tacita.core.data.number_parsing import UNTYPED, few_words

from .cells import as_array
from .evidence import Evidence

# Cells that are tried first.
_FIRST = 10
_DATES = (
    r"^\s*(?P<y>\d{4})\s*[-/. ]\s*(?P<m>\d{1,2})\s*[-/. ]\s*(?P<d>\d{1,2})\b.*$",
    r"^\s*(?P<d>\d{1,2})\s*[-/. ]\s*(?P<m>\d{1,2})\s*[-/. ]\s*(?P<y>\d{4})\s*$",
)


def ranks_of(evidence: Evidence, name: str) -> Ints | None:
    """The place of each cell in the order of its column: numbers, dates or text; None where it has none."""
    cells = _plain(evidence, name)
    if cells is None:
        return None
    if pa.types.is_boolean(cells.type) or pa.types.is_null(cells.type):
        return None
    numbers = figures(evidence, name)
    if numbers is None:
        return ordered_text(cells)
    ranks = np.unique(numbers, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return np.where(np.isnan(numbers), -1, ranks)


def ordered_text(cells: pa.Array) -> Ints | None:
    """Ranks of dates that are written as text, or of text by its letters."""
    if not (pa.types.is_string(cells.type) or pa.types.is_large_string(cells.type)):
        return None
    days = written_days(cells)
    if days is not None:
        ranks = np.unique(days, return_inverse=True)[1].reshape(-1).astype(np.int64)
        return np.where(np.isnan(days), -1, ranks)
    encoded = cells.dictionary_encode()
    places = np.empty(len(encoded.dictionary), dtype=np.int64)
    places[np.asarray(pc.array_sort_indices(encoded.dictionary))] = np.arange(places.size)
    codes = np.asarray(encoded.indices.fill_null(-1), dtype=np.int64)
    return np.where(codes < 0, -1, places[codes]) if places.size else None


def written_days(cells: pa.Array) -> Floats | None:
    """The day, counted from 1970, of dates that are written as text; None unless nearly all cells are dates.

    >>> written_days(pa.array(["1970-01-31", "1971-01-01"])).tolist()
    [30.0, 365.0]
    """
    encoded = cells.dictionary_encode()
    words, places = encoded.dictionary, np.asarray(encoded.indices.fill_null(-1), dtype=np.int64)
    times = np.bincount(places[places >= 0], minlength=len(words))
    for pattern in _DATES:
        matched = np.asarray(pc.fill_null(pc.match_substring_regex(words, pattern), False), dtype=bool)
        if times[matched].sum() >= 0.95 * len(cells) > 0:
            parts = pc.extract_regex(words, pattern)
            year, month, day = (
                np.asarray(pc.fill_null(pc.cast(pc.struct_field(parts, part), pa.int64()), -1))
                for part in "ymd"
            )
            # day and month may change places, and then the larger is the day
            if day.size and month.max() > 12:
                month, day = day, month
            months = (12 * (year - 1970) + month - 1).astype("datetime64[M]").astype("datetime64[D]")
            days = months.astype(np.float64) + day - 1
            return np.append(np.where(year < 0, np.nan, days), np.nan)[places]
    return None


def _plain(evidence: Evidence, name: str) -> pa.Array | None:
    """The cells of a released column, not as a dictionary; None of types that Arrow does not know."""
    try:
        cells = as_array(evidence.released.column(name))
        return cells.cast(cells.type.value_type) if pa.types.is_dictionary(cells.type) else cells
    except UNTYPED:
        return None


def quantities(evidence: Evidence, name: str) -> Floats | None:
    """The numbers of a released column, the days of dates that are written as text; None of other text."""
    numbers = figures(evidence, name)
    if numbers is not None:
        return numbers
    cells = _plain(evidence, name)
    if cells is None or not (pa.types.is_string(cells.type) or pa.types.is_large_string(cells.type)):
        return None
    return written_days(cells)


def figures(evidence: Evidence, name: str) -> Floats | None:
    """The numbers of a released column, NaN where there is none; None where it is no column of numbers.

    O(n), once.
    """
    if name not in evidence.figures:
        numbers = evidence.figures[name] = _figures(evidence, name)
        if numbers is not None:
            numbers.setflags(write=False)
    return evidence.figures[name]


def _figures(evidence: Evidence, name: str) -> Floats | None:
    cells = _plain(evidence, name)
    if cells is None:
        return None
    kind, places = cells.type, None
    try:
        if pa.types.is_string(kind) or pa.types.is_large_string(kind):
            dialect = evidence.released.dialect or evidence.claim.original.dialect
            cells, places = few_words(cells)
            if dialect is not None:
                trimmed = pc.utf8_trim_whitespace(cells)
                gone = pc.is_in(trimmed, value_set=pa.array(list(dialect.missing_values), trimmed.type))
                cells = pc.if_else(gone, pa.scalar(None, trimmed.type), trimmed)
                if dialect.decimal == ",":
                    cells = pc.replace_substring(cells, ",", ".")
            if cells.null_count == len(cells):
                return None
            # Arrow says of each cell that is none why it is none, which takes its time
            cells.slice(0, _FIRST).cast(pa.float64(), safe=False)
        elif pa.types.is_temporal(kind):
            cells = cells.cast(
                pa.int32() if pa.types.is_date32(kind) or pa.types.is_time32(kind) else pa.int64()
            )
        elif not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)):
            return None
        # nanoseconds since 1970 have more digits than a number keeps: those that are lost are no matter
        numbers = np.asarray(cells.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False), float)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None
    finite = np.where(np.isfinite(numbers), numbers, np.nan)
    return finite if places is None else np.append(finite, np.nan)[places]
