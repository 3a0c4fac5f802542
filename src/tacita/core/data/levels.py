"""The categories of a column, numbered in a reproducible order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.core.arrays import Floats, Ints, Mask, first_places
from tacita.core.errors import DataError, ParameterError

from .number_parsing import UNTYPED, parse_numbers


@dataclass(frozen=True, eq=False, repr=False)
class Levels:
    """`codes` number the category of each record (NaN where missing) by its place in `keys`.

    `keys` are texts, or numbers where those give the order. `rows` holds the lowest record of each
    category, -1 where there is none; `gap` that of the missing cells, -1 if none is missing.
    """

    codes: Floats
    keys: tuple[str | float, ...]
    rows: Ints
    gap: int

    @property
    def names(self) -> tuple[str, ...]:
        """The categories as text."""
        return tuple(key if isinstance(key, str) else f"{key:.15g}" for key in self.keys)

    def source_rows(self, codes: Floats) -> Ints:
        """For each code a record of the file whose cell spells it. O(n).

        >>> nominal_levels(pa.array([None, None], pa.string()), np.ones(2, dtype=bool)).source_rows(
        ...     np.array([np.nan])
        ... ).tolist()
        [0]
        """
        gaps = np.isnan(codes)
        if gaps.all():
            # a column without a single category has no row to look up
            return np.full(codes.size, self.gap, dtype=np.int64)
        ranks = self.rows[np.where(gaps, 0, codes).astype(np.int64)]
        return np.where(gaps, self.gap, ranks).astype(np.int64)


def nominal_levels(cells: pa.Array, missing: Mask) -> Levels:
    """Categories without an order of their own, numbered as their texts sort. O(n + m log m).

    >>> nominal_levels(pa.array(["b", "a", "b"]), np.zeros(3, dtype=bool)).codes.tolist()
    [1.0, 0.0, 1.0]
    """
    words, of_cell = _encoded(cells.cast(pa.large_string()), missing)
    return _numbered(words, of_cell, sorted(words))


def ordinal_levels(cells: pa.Array, missing: Mask, order: Sequence[str], subject: str) -> Levels:
    """Categories in a declared order. A cell outside it is refused.

    >>> ordinal_levels(pa.array(["low", "high"]), np.zeros(2, dtype=bool), ["low", "mid", "high"], "x").keys
    ('low', 'mid', 'high')
    """
    words, of_cell = _encoded(cells.cast(pa.large_string()), missing)
    known = set(order)
    outside = np.array([word not in known for word in words], dtype=bool)
    wrong = int(outside[of_cell[of_cell >= 0]].sum())
    if wrong:
        raise DataError(
            f"{subject}: {wrong} cells hold a level that is not in the declared order of {len(order)} levels "
            f"(first in record {int(np.flatnonzero((of_cell >= 0) & outside[of_cell])[0]) + 1}). Spaces and "
            "capitals count. Complete the order, or correct the cells."
        )
    return _numbered(words, of_cell, order)


def ranked_levels(values: Floats, missing: Mask) -> Levels:
    """Numbers that serve as ordered categories: their ranks count, not their distances. O(n log n).

    >>> ranked_levels(np.array([10.0, 2.0, 10.0]), np.zeros(3, dtype=bool)).codes.tolist()
    [1.0, 0.0, 1.0]
    """
    # adding zero merges minus zero and zero
    keys, first, index = np.unique(values[~missing] + 0.0, return_index=True, return_inverse=True)
    codes = np.full(values.size, np.nan)
    codes[~missing] = index.reshape(-1)
    rows = np.flatnonzero(~missing)[first]
    return Levels(codes, tuple(keys.tolist()), rows, _first(missing))


def _numbered(words: Sequence[str], of_cell: Ints, order: Sequence[str]) -> Levels:
    rank_of = {word: i for i, word in enumerate(order)}
    code_of_word = np.array([rank_of[word] for word in words] or [0], dtype=np.int64)
    missing = of_cell < 0
    codes = np.where(missing, np.nan, code_of_word[np.where(missing, 0, of_cell)])
    there = np.flatnonzero(~missing)
    first = first_places(code_of_word[of_cell[there]], len(order))
    rows = np.where(first < 0, -1, np.append(there, -1)[first])
    return Levels(codes, tuple(order), rows, _first(missing))


def _encoded(text: pa.Array, missing: Mask) -> tuple[list[str], Ints]:
    """The distinct present texts, and the number of each cell's among them, -1 where missing."""
    present = pc.if_else(pa.array(missing), pa.scalar(None, text.type), text).dictionary_encode()
    places = np.asarray(present.indices.cast(pa.int64()).fill_null(-1), dtype=np.int64)
    return present.dictionary.to_pylist(), places


def _first(where: Mask) -> int:
    return int(where.argmax()) if where.any() else -1


def category_cells(series: nw.Series[Any], subject: str) -> tuple[pa.Array, tuple[str, ...] | None]:
    """The cells of a categorical column, and their order if the column type has one."""
    try:
        cells, order = _category_cells(series)
    except UNTYPED:
        raise DataError(
            f"{subject}: wanted categories, got Python objects of mixed types, or of one without a text. "
            "Convert them to text first."
        ) from None
    try:
        # an empty slice shows at no cost whether a type can become text
        cells.slice(0, 0).cast(pa.large_string())
    except pa.ArrowException:
        raise _no_categories(cells, subject) from None
    odd = ("nested", "null", "binary", "large_binary", "fixed_size_binary")
    if isinstance(cells.type, pa.BaseExtensionType) or any(
        getattr(pa.types, f"is_{name}")(cells.type) for name in odd
    ):
        raise _no_categories(cells, subject)
    return cells, order


def _no_categories(cells: pa.Array, subject: str) -> DataError:
    return DataError(f"{subject}: wanted categories, got {cells.type}. Convert them to text first.")


def _category_cells(series: nw.Series[Any]) -> tuple[pa.Array, tuple[str, ...] | None]:
    cells, order = series.to_arrow(), None
    chunks = pa.chunked_array([cells]) if isinstance(cells, pa.Array) else cells
    if pa.types.is_dictionary(chunks.type):
        column = chunks.unify_dictionaries().combine_chunks()
        if column.type.ordered:
            order = tuple(column.dictionary.cast(pa.large_string()).drop_null().to_pylist())
        chunks = pa.chunked_array([column.cast(column.type.value_type)])
    # a view cannot yet be compared in every version of Arrow
    view = chunks.type == pa.string_view()
    return (chunks.cast(pa.large_string()) if view else chunks).combine_chunks(), order


def ranks_of_text(cells: pa.Array, decimal: str, missing: Sequence[str], subject: str) -> Floats:
    """The numbers that text cells spell, for an order; text that is none needs a declared order."""
    parsed = parse_numbers(cells, decimal, missing)
    if parsed.bad:
        raise ParameterError(
            f"{subject}: declared ordinal without an order, and {parsed.bad} cells are no numbers. Name the "
            'levels from lowest to highest: ordinal={"column": ["low", "middle", "high"]}, in a plan under '
            '[roles.ordinal], or --ordinal "column=low<middle<high".'
        )
    return parsed.values
