"""Cells of a file that knows fewer types than frames do, each column with the type it must have.

A number is the same number whatever its width, a category the same word, and a file in which nothing stands
for both an empty text and a missing one stands for that which the source has. Only what is exactly the same
value under the other type is changed: all else stays as it was read, for the checks to find.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from tacita.core import Microdata
from tacita.core.release import Claim
from tacita.core.text import UNTYPED

from .cells import TEXT_OF_VIEWS, as_array


def restored(released: Microdata, claim: Claim) -> Microdata:
    """The released cells with the types of the originals, or those that masked columns must have. O(n d)."""
    table = released.frame.to_arrow()
    for place, name in enumerate(released.columns):
        if name not in claim.original.columns:
            continue
        cells = as_array(table.column(place))
        try:
            before = as_array(claim.original.column(name))
            cells = _as(cells, *_wanted(claim, name, before))
        except (*UNTYPED, pa.ArrowException):
            # neither type is the other's, which the checks will say
            continue
        table = table.set_column(place, name, cells)
    return Microdata.of(table, source=released.source, fingerprint=released.fingerprint, notes=released.notes)


def _wanted(claim: Claim, name: str, before: pa.Array) -> tuple[pa.DataType | None, pa.Array]:
    """The type that a column must have, if it is known, and the original cells."""
    touching = [part for part in claim.steps or (claim,) if name in part.original.quasi]
    if not touching:
        return before.type, before
    last = touching[-1]
    if "recoded" in last.guarantees:
        return None, before
    if last.original.scale(name) == "numeric":
        return (pa.int64() if name in last.rounded else pa.float64()), before
    return as_array(last.original.column(name)).type, before


def _as(cells: pa.Array, wanted: pa.DataType | None, before: pa.Array) -> pa.Array:
    if wanted is not None and pa.types.is_dictionary(wanted):
        return _categories(_filled(cells, before), wanted, before)
    if wanted is not None and wanted != cells.type:
        if pa.types.is_null(wanted):
            return pa.nulls(len(cells)) if cells.null_count == len(cells) else cells
        if _family(wanted) != _family(cells.type):
            return cells
        other = cells.cast(TEXT_OF_VIEWS.get(wanted, wanted))
        if not other.cast(cells.type).equals(cells):
            return cells
        cells = other
    return _filled(cells, before)


def _family(kind: pa.DataType) -> str:
    """Types among which a value can be the same: a number is never a word, nor a date a moment."""
    kind = TEXT_OF_VIEWS.get(kind, kind)
    tests = {
        "number": (pa.types.is_integer, pa.types.is_floating),
        "text": (pa.types.is_string, pa.types.is_large_string),
        "date": (pa.types.is_date,),
        "moment": (pa.types.is_timestamp,),
    }
    return next((name for name, each in tests.items() if any(test(kind) for test in each)), str(kind))


def _filled(cells: pa.Array, before: pa.Array) -> pa.Array:
    """What a file cannot tell from missing is what the source has instead: empty text, or no number."""
    if not cells.null_count or before.null_count:
        return cells
    if pa.types.is_string(cells.type) or pa.types.is_large_string(cells.type):
        return pc.fill_null(cells, "")
    nan = pa.types.is_floating(before.type) and pc.any(pc.is_nan(before)).as_py()
    return pc.fill_null(cells, float("nan")) if nan and pa.types.is_floating(cells.type) else cells


def _categories(cells: pa.Array, wanted: pa.DataType, before: pa.Array) -> pa.Array:
    """Words as categories, in the order of the original ones."""
    words = cells.cast(wanted.value_type)
    known = before.dictionary.cast(wanted.value_type) if pa.types.is_dictionary(before.type) else words
    entries = pc.unique(known.filter(pc.is_in(known, words)).drop_null())
    places = pc.index_in(words, entries).cast(wanted.index_type)
    if places.null_count != words.null_count:
        return cells
    return pa.DictionaryArray.from_arrays(places, entries, ordered=wanted.ordered)
