"""Cells of a file that knows fewer types than frames do, or more than text, as the source has them.

A number is the same number whatever its width, a category the same word, and a file in which nothing stands
for both an empty text and a missing one stands for that which the source has. Out of a text file, a number is
the same as the text that spells it, and nothing the same as a word for what is missing. Only what is exactly
the same value is changed: all else stays as it was read, for the checks to find.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.core import CsvDialect, Microdata
from tacita.core.data.number_parsing import UNTYPED
from tacita.core.results.release import Claim

from .cells import TEXT_OF_VIEWS, as_array

_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"


def restored(released: Microdata, claim: Claim) -> Microdata:
    """The released cells with the types of the originals, or those that masked columns must have. O(n d)."""
    table = released.frame.to_arrow()
    dialect = claim.original.dialect
    for place, name in enumerate(released.columns):
        if name not in claim.original.columns:
            continue
        cells = as_array(table.column(place))
        last = _last(claim, name)
        try:
            if dialect is not None and not _must_be_number(last, name):
                cells = _spelled(cells, last, _left(claim, last, name), name, dialect)
            else:
                # what is missing in records that left says nothing of those that stayed
                before = as_array(claim.original.column(name)).take(pa.array(claim.rows))
                gone = _taken_away(last, name, len(cells))
                cells = _as(cells, *_wanted(last, name, before), gone)
        except (*UNTYPED, pa.ArrowException):
            # neither type is the other's, which the checks will say
            continue
        table = table.set_column(place, name, cells)
    return Microdata.of(
        table,
        dialect=dialect,
        source=released.source,
        fingerprint=released.fingerprint,
        notes=released.notes,
    )


def _last(claim: Claim, name: str) -> Claim:
    """What claims the last change of a column; the release itself where none was."""
    touching = [part for part in claim.steps or (claim,) if name in part.original.quasi]
    return touching[-1] if touching else claim


def _left(claim: Claim, last: Claim, name: str) -> pa.Array | None:
    """The cells that the last change of a column left, where a later step says so."""
    place = next((at for at, step in enumerate(claim.steps) if step is last), None)
    if place is None or place + 1 == len(claim.steps):
        return None
    later = claim.steps[place + 1]
    return as_array(later.original.column(name)).take(pa.array(later.rows))


def _touched(last: Claim, name: str) -> bool:
    return not last.steps and name in last.original.quasi


def _must_be_number(last: Claim, name: str) -> bool:
    return _touched(last, name) and last.original.scale(name) == "numeric"


def _taken_away(last: Claim, name: str, records: int) -> pa.Array:
    """Cells that are claimed to have been left empty: of those nobody says that they were empty texts."""
    if not _touched(last, name) or last.suppressed is None or last.suppressed.shape[0] != records:
        return pa.array(np.zeros(records, dtype=bool))
    return pa.array(last.suppressed[:, last.original.quasi.index(name)])


def _wanted(last: Claim, name: str, before: pa.Array) -> tuple[pa.DataType | None, pa.Array]:
    """The type that a column must have, if it is known, and the original cells."""
    if not _touched(last, name):
        return before.type, before
    if "recoded" in last.guarantees:
        return None, before
    if last.original.scale(name) == "numeric":
        return (pa.int64() if name in last.rounded else pa.float64()), before
    return as_array(last.original.column(name)).type, before


def _spelled(cells: pa.Array, last: Claim, left: pa.Array | None, name: str, dialect: CsvDialect) -> pa.Array:
    """Numbers and gaps of a file as the text that the source has for them, where it has one. O(n log n).

    The text of the record itself where that says the same; else, in columns that were protected, the one text
    that does. What shows nothing is one word there, so that nobody could tell what was taken away: that
    which the change of the column `left`, where a later step found one.
    """
    source = as_array(last.original.column(name))
    if not _is_text(source):
        return cells
    source = source.cast(pa.string())
    own, touched = source.take(pa.array(last.rows)), _touched(last, name)
    nothing = _says_nothing(source, dialect)
    words = source.filter(nothing)
    word = pa.scalar(words[0].as_py() if len(words) else dialect.missing_word, pa.string())
    gaps = pc.if_else(_says_nothing(own, dialect), own, word) if not touched else word
    if left is not None and _is_text(left):
        left = left.cast(pa.string())
        gaps = pc.if_else(pc.fill_null(_says_nothing(left, dialect), False), left, word)
    if _is_text(cells):
        return pc.if_else(cells.is_null(), gaps, cells.cast(pa.string()))
    read = cells.cast(pa.float64())
    same = pc.fill_null(pc.equal(_numbers(own, dialect), read), False)
    others = _text_for(read, source.filter(pc.invert(nothing)), dialect) if touched else None
    texts = pc.if_else(same, own, pa.scalar(None, pa.string()) if others is None else others)
    if pc.any(pc.and_(texts.is_null(), cells.is_valid())).as_py():
        # a number that no text of the source says stays one, for the checks to find
        return cells
    return pc.if_else(cells.is_null(), gaps, texts)


def _text_for(read: pa.Array, source: pa.Array, dialect: CsvDialect) -> pa.Array:
    """For each number the text of the source that says it, the first of several as texts sort."""
    known = pc.unique(source).sort()
    numbers = _numbers(known, dialect).drop_null()
    texts = known.filter(_numbers(known, dialect).is_valid())
    values, first = np.unique(np.asarray(numbers), return_index=True)
    return texts.take(pa.array(first)).take(pc.index_in(read, value_set=pa.array(values)))


def _says_nothing(texts: pa.Array, dialect: CsvDialect) -> pa.Array:
    return pc.is_in(pc.utf8_trim_whitespace(texts), value_set=pa.array(dialect.missing_values, pa.string()))


def _numbers(texts: pa.Array, dialect: CsvDialect) -> pa.Array:
    """The numbers that texts of a file are, null where they are none."""
    plain = pc.utf8_trim_whitespace(texts)
    if dialect.decimal == ",":
        plain = pc.replace_substring(pc.replace_substring(plain, ".", "?"), ",", ".")
    plain = pc.if_else(_says_nothing(texts, dialect), pa.scalar(None, pa.string()), plain)
    spelled = pc.if_else(pc.match_substring_regex(plain, _NUMBER), plain, pa.scalar(None, pa.string()))
    return pc.utf8_ltrim(spelled, "+").cast(pa.float64())


def _is_text(cells: pa.Array) -> bool:
    return bool(pa.types.is_string(cells.type) or pa.types.is_large_string(cells.type))


def _as(cells: pa.Array, wanted: pa.DataType | None, before: pa.Array, gone: pa.Array) -> pa.Array:
    if wanted is not None and pa.types.is_dictionary(wanted):
        return _categories(_filled(cells, before, gone), wanted, before)
    if wanted is not None and wanted != cells.type:
        if cells.null_count == len(cells):
            # of a column that shows nothing a file need not know the type
            return _filled(pa.nulls(len(cells), TEXT_OF_VIEWS.get(wanted, wanted)), before, gone)
        if _family(wanted) != _family(cells.type):
            return cells
        other = cells.cast(TEXT_OF_VIEWS.get(wanted, wanted))
        if not other.cast(cells.type).equals(cells):
            return cells
        cells = other
    return _filled(cells, before, gone)


def _family(kind: pa.DataType) -> str:
    """Types among which a value can be the same: a number is never a word, nor a date a moment."""
    kind = TEXT_OF_VIEWS.get(kind, kind)
    tests = {
        "number": (pa.types.is_integer, pa.types.is_floating),
        "text": (pa.types.is_string, pa.types.is_large_string),
        "date": (pa.types.is_date,),
        "moment": (pa.types.is_timestamp,),
    }
    return next(
        (name for name, type_tests in tests.items() if any(test(kind) for test in type_tests)), str(kind)
    )


def _filled(cells: pa.Array, before: pa.Array, gone: pa.Array) -> pa.Array:
    """What a file cannot tell from missing is what the source has instead: empty text, or no number."""
    if not cells.null_count or before.null_count:
        return cells
    stays = pc.or_(cells.is_valid(), gone)
    if _is_text(cells):
        empty = _is_text(before) and pc.any(pc.equal(before, "")).as_py()
        return pc.if_else(stays, cells, pa.scalar("", cells.type)) if empty else cells
    nan = pa.types.is_floating(before.type) and pc.any(pc.is_nan(before)).as_py()
    if nan and pa.types.is_floating(cells.type):
        return pc.if_else(stays, cells, pa.scalar(float("nan"), cells.type))
    return cells


def _categories(cells: pa.Array, wanted: pa.DataType, before: pa.Array) -> pa.Array:
    """Words as categories, in the order of the original ones."""
    words = cells.cast(wanted.value_type)
    known = before.dictionary.cast(wanted.value_type) if pa.types.is_dictionary(before.type) else words
    entries = pc.unique(known.filter(pc.is_in(known, words)).drop_null())
    places = pc.index_in(words, entries).cast(wanted.index_type)
    if places.null_count != words.null_count:
        return cells
    return pa.DictionaryArray.from_arrays(places, entries, ordered=wanted.ordered)
