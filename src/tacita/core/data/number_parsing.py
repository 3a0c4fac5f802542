"""Parse numbers from text cells, without ever quoting a cell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.core.arrays import Floats, Ints, Mask

# The errors of Arrow for Python objects of mixed or unknown types.
UNTYPED = (pa.ArrowException, TypeError, ValueError, OverflowError)

_NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"
_INFINITE = r"^[+-]?(?i:inf|infinity)$"
_CODE = r"^[+-]?0\d"
# If the first cells of a column have at most this many distinct words, each word is parsed once.
_FIRST_CELLS = 1000
_FEW_WORDS = 300


class Parsed(NamedTuple):
    """Values (NaN where missing or bad), how many cells are no number, and the first such row (or -1)."""

    values: Floats
    bad: int
    first_bad: int


def parse_numbers(cells: Any, decimal: str = ".", missing: Sequence[str] = ("",)) -> Parsed:
    """Read text cells as numbers; spaces around them do not count. O(n), vectorised.

    >>> import pyarrow as pa
    >>> parse_numbers(pa.array(["1,5", " 2 ", "NA", "x"]), ",", ["NA"])
    Parsed(values=array([1.5, 2. , nan, nan]), bad=1, first_bad=3)
    """
    words, places = few_words(pa.chunked_array([cells]) if isinstance(cells, pa.Array) else cells)
    floats, bad = _read(words, decimal, missing)
    if places is not None:
        # the last index is that of null cells
        floats, bad = np.append(floats, np.nan)[places], np.append(bad, False)[places]
    return Parsed(floats, int(bad.sum()), int(bad.argmax()) if bad.any() else -1)


def few_words(cells: Any) -> tuple[Any, Ints | None]:
    """The distinct words of a column that has few, and the place of each cell among them, -1 where null.

    A column that begins with many comes back as it is, without places. O(n).

    >>> words, places = few_words(pa.chunked_array([["b", "a", None] * 400]))
    >>> words.to_pylist(), places[:4].tolist()
    (['b', 'a'], [0, 1, -1, 0])
    """
    if len(cells) < _FIRST_CELLS or pc.count_distinct(cells.slice(0, _FIRST_CELLS)).as_py() > _FEW_WORDS:
        return cells, None
    encoded = cells.dictionary_encode()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.unify_dictionaries().combine_chunks()
    places = np.asarray(encoded.indices.cast(pa.int64()).fill_null(-1), dtype=np.int64)
    return encoded.dictionary, places


def _read(cells: Any, decimal: str, missing: Sequence[str]) -> tuple[Floats, Mask]:
    """The numbers of some cells, and which are neither numbers nor missing."""
    text = pc.utf8_trim_whitespace(cells)
    empty = pc.or_(
        pc.is_null(text), pc.fill_null(pc.is_in(text, value_set=pa.array(missing, pa.string())), True)
    )
    if decimal == ",":
        # a point is not a decimal sign then: such cells fail, since it may separate thousands
        text = pc.replace_substring(pc.replace_substring(text, ".", "?"), ",", ".")
    infinite = pc.fill_null(pc.match_substring_regex(text, _INFINITE), False)
    number = pc.or_(pc.fill_null(pc.match_substring_regex(text, _NUMBER), False), infinite)
    bad = np.asarray(pc.and_not(pc.invert(empty), number))
    usable = pc.and_(number, pc.invert(empty))
    digits = pc.replace_substring_regex(text, r"^\+", "")
    values = pc.if_else(usable, digits, pa.scalar(None, pa.string())).cast(pa.float64())
    return np.array(values.to_numpy(zero_copy_only=False), dtype=np.float64), bad


def looks_like_code(cells: Any) -> bool:
    """Whether some cell starts with a zero before another digit, as postal or activity codes do.

    >>> import pyarrow as pa
    >>> looks_like_code(pa.chunked_array([["01", "02"]])), looks_like_code(pa.chunked_array([["0.5", "0"]]))
    (True, False)
    """
    words, _ = few_words(cells)
    return bool(pc.any(pc.match_substring_regex(pc.utf8_trim_whitespace(words), _CODE)).as_py())
