"""Promises about categories that were exchanged for others by chance.

Counted from the cells as they read. What was drawn is held against the matrix that the claim names, by tests
whose bounds are proved: binomial tails, and Bernstein's inequality for sums over unlike records.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from tacita.core import Floats, Ints, Mask, Matrix, Microdata
from tacita.core.arrays import first_places
from tacita.io.formats.csv import cells_as_text
from tacita.io.frames import gathered

from .categories import shows, sorting_keys
from .cells import as_array
from .evidence import Evidence, distinct

Names = list[str | None]

# A sound release fails all tests of chance together about this rarely.
_CHANCE = 1e-9
# Rows sum to one, and frequencies stay, to this part of the records.
_SUMS = 1e-9
_EXACT = 1e-12
# Changes are counted in so many runs of neighbouring records.
_RUNS = 8
_NO_MATRIX = "the claim does not say which matrix each record was drawn from"


def plain_text(data: Microdata, name: str) -> Names:
    """The cells of a column as they read."""
    texts: Names = _decoded(data, name).to_pylist()
    return texts


def _decoded(data: Microdata, name: str) -> pa.Array:
    cells = as_array(data.column(name))
    decoded = cells.cast(cells.type.value_type) if pa.types.is_dictionary(cells.type) else cells
    return decoded.cast(pa.large_string())


def _spelled(evidence: Evidence, name: str) -> tuple[pa.Array, pa.Array]:
    """All original cells as the release would spell them, and the released ones."""
    original, published = evidence.claim.original, as_array(evidence.released.column(name))
    dialect = evidence.released.dialect
    if dialect is not None and pa.types.is_string(published.type):
        old = as_array(cells_as_text(as_array(original.column(name)), dialect))
        return old.cast(pa.large_string()), published.cast(pa.large_string())
    return _decoded(original, name), _decoded(evidence.released, name)


@dataclass(frozen=True, repr=False)
class Categories:
    """A column before and after by the numbers of its categories, -1 for what is nobody's in the originals.

    `names` are those of the numbers, None for missing; `first` the first original record that has each.
    """

    names: Names
    before: Ints
    after: Ints
    first: Ints

    @property
    def gap(self) -> int:
        """The number of what is missing, -2 where nothing is."""
        return self.names.index(None) if None in self.names else -2


def categories_of(evidence: Evidence, name: str) -> Categories:
    """One column of categories, in the order of the released records. O(n)."""
    original = evidence.claim.original
    old, new = _spelled(evidence, name)
    both = pa.concat_arrays([old, new]).dictionary_encode(null_encoding="encode")
    texts = np.asarray(both.indices.cast(pa.int64()), dtype=np.int64)
    row_of = first_places(texts[: len(old)], len(both.dictionary))
    spellings = np.flatnonzero(row_of >= 0)
    frame = gathered(original.frame.select(name), row_of[spellings])
    few = Microdata(frame=frame, roles=original.roles, dialect=original.dialect, source=original.source)
    numbers: dict[str | None, int] = {}
    number = np.full(len(both.dictionary), -1, dtype=np.int64)
    # numbers that serve as levels are one category however they are spelled
    for text, cell, key in zip(spellings, plain_text(few, name), sorting_keys(few, name), strict=True):
        read = None if key is None else f"{key:.15g}" if isinstance(key, float) else cell
        number[text] = numbers.setdefault(read, len(numbers))
    everybody = number[texts[: len(old)]]
    first = first_places(everybody, len(numbers))
    return Categories(list(numbers), everybody[evidence.claim.rows], number[texts[len(old) :]], first)


def categories_masked(evidence: Evidence, name: str) -> str | None:
    """What is wrong with the cells of one masked column of categories."""
    categories = categories_of(evidence, name)
    if (categories.after < 0).any():
        return "odd"
    moved = not np.array_equal(categories.before == categories.gap, categories.after == categories.gap)
    if moved and not evidence.claim.terms.get("missing_category"):
        return "moved"
    if not shows(evidence, name, categories.first[categories.after]):
        return "odd"
    return "same" if np.array_equal(categories.before, categories.after) else None


def drawn_from_matrix(evidence: Evidence) -> str | None:
    """Rows that are probabilities, no impossible category, and counts that chance can explain."""
    drawn = _read(evidence)
    if isinstance(drawn, str):
        return drawn
    faults = [fault for block in drawn if (fault := block.fault(evidence.claim.terms))]
    if faults:
        return faults[0]
    tests = sum(int((block.counts.sum(axis=1) > 0).sum()) * block.counts.shape[1] for block in drawn)
    chance = _CHANCE / (3 * max(tests, 1))
    unlikely = sum(block.unlikely(chance) for block in drawn)
    if unlikely:
        return f"{unlikely} transitions stand more or less often than their probabilities can explain"
    return _changes(evidence, drawn)


def expected_frequencies(evidence: Evidence) -> str | None:
    """Frequencies of the originals that the matrix leaves as they are."""
    drawn = _read(evidence)
    if isinstance(drawn, str):
        return drawn
    off = 0
    for block in drawn:
        counts = block.counts.sum(axis=1).astype(np.float64)
        off += int((np.abs(counts @ block.matrix - counts) > _EXACT * max(counts.sum(), 1.0)).sum())
    return f"{off} categories are expected more or less often than they were" if off else None


class _Drawn:
    """One matrix, and what became of the records that were drawn from it."""

    def __init__(self, declared: Any, rows: Ints, columns: Sequence[Categories]) -> None:
        self.columns = tuple(declared.columns)
        self.matrix: Matrix = np.asarray(declared.matrix, dtype=np.float64)
        self.categories = [tuple(category) for category in declared.categories]
        place = {category: i for i, category in enumerate(self.categories)}
        names = [column.names for column in columns]
        old = _places(place, names, [column.before[rows] for column in columns])
        new = _places(place, names, [column.after[rows] for column in columns])
        # a missing value that is no category was not drawn
        gap = columns[0].gap if len(columns) == 1 and (None,) not in place else -2
        taken = columns[0].before[rows] != gap
        self.rows, self.old, self.new = rows[taken], old[taken], new[taken]
        known = (self.old >= 0) & (self.new >= 0)
        self.strangers, m = int((~known).sum()), len(place)
        self.counts = np.bincount(self.old[known] * m + self.new[known], minlength=m * m).reshape(m, m)

    def fault(self, terms: Mapping[str, Any]) -> str | None:
        """What no chance can explain."""
        who = ", ".join(self.columns)
        if not np.isfinite(self.matrix).all() or (self.matrix < 0).any():
            return f"the matrix of column {who} has entries that are no probabilities"
        if (np.abs(self.matrix.sum(axis=1) - 1) > _SUMS).any():
            return f"rows of the matrix of column {who} do not sum to 1"
        held = self.counts.sum(axis=1) > 0
        if held.sum() > 1 and (np.diag(self.matrix)[held] == 1).all() and terms.get("matrix") is None:
            return f"the matrix of column {who} changes no category"
        if self.strangers:
            return f"{self.strangers} records of column {who} have categories that the matrix does not know"
        impossible = int(self.counts[self.matrix == 0].sum())
        if impossible:
            return f"{impossible} records of column {who} have a category of probability zero"
        return None if self._as_declared(terms) else f"the matrix of column {who} is not the one declared"

    def _as_declared(self, terms: Mapping[str, Any]) -> bool:
        """Whether the matrix is the declared one, or can be one of the requested kind."""
        matrices = terms.get("matrix")
        if matrices is None:
            return bool((np.diag(self.matrix) >= 1 - terms.get("alpha", 1.0) - _SUMS).all())
        rows = matrices.get(self.columns[0], {})
        names = [category[0] or "" for category in self.categories]
        wanted = np.eye(len(names))
        for i, old in enumerate(names):
            if old in rows:
                wanted[i] = [rows[old].get(new, 0.0) for new in names]
        wanted /= wanted.sum(axis=1, keepdims=True)
        if terms.get("invariant"):
            joint = self.counts.sum(axis=1)[:, None] * wanted
            published = joint.sum(axis=0)
            reverse = (joint / np.where(published > 0, published, 1.0)).T
            # what nobody has nor becomes stays itself
            reverse[published <= 0, published <= 0] = 1.0
            wanted = wanted @ reverse
        return bool(np.allclose(self.matrix, wanted, rtol=0, atol=_SUMS))

    def unlikely(self, chance: float) -> int:
        """Transitions whose count is in a tail of its binomial distribution that is rarer than chance."""
        from scipy.special import betainc

        k = self.counts.astype(np.float64)
        n, p = np.broadcast_to(k.sum(axis=1, keepdims=True), k.shape), np.clip(self.matrix, 0.0, 1.0)
        few = np.where(k < n, betainc(np.maximum(n - k, 1), k + 1, 1 - p), 1.0)
        many = np.where(k > 0, betainc(np.maximum(k, 1), n - k + 1, p), 1.0)
        return int(((few < chance) | (many < chance)).sum())

    @property
    def changed(self) -> Mask:
        """Which of its records came out with another category."""
        changed: Mask = self.old != self.new
        return changed

    @property
    def expected(self) -> Floats:
        """With what probability each does."""
        probability: Floats = 1 - np.diag(self.matrix)[self.old]
        return probability


def _places(place: Mapping[Any, int], names: Sequence[Names], numbers: Sequence[Ints]) -> Ints:
    """The place of each record's category, or combination of them, -1 where it has none. O(n)."""
    combined = distinct(*numbers)
    first = first_places(combined, int(combined.max(initial=-1)) + 1)
    rows = zip(*(number[first].tolist() for number in numbers), strict=True)
    # what is nobody's has no place, and None means missing
    read = (tuple(own[i] if i >= 0 else i for own, i in zip(names, row, strict=True)) for row in rows)
    return np.array([place.get(category, -1) for category in read], dtype=np.int64)[combined]


def _read(evidence: Evidence) -> list[_Drawn] | str:
    """Every matrix of the claim with its records, or what is wrong with the claim."""
    claim = evidence.claim
    transitions, labels = claim.terms.get("transitions"), claim.labels
    if (
        not transitions
        or labels is None
        or labels.ndim != 1
        or not 0 <= labels.min() <= labels.max() < len(transitions)
    ):
        return _NO_MATRIX
    original = claim.original
    strata = original.codes(original.roles.strata if original.roles else ())[claim.rows]
    if distinct(strata, labels).max() != distinct(labels).max():
        return "one matrix was drawn from in several strata"
    columns = {name: categories_of(evidence, name) for name in original.quasi}
    # the order of the source, whatever the order of the release
    order = np.argsort(claim.rows, kind="stable")
    drawn = []
    for number, blocks in enumerate(transitions):
        if sorted(name for block in blocks for name in block.columns) != sorted(original.quasi):
            return _NO_MATRIX
        rows = order[labels[order] == number]
        for block in blocks:
            m = len(set(block.categories))
            if len(block.categories) != m or np.shape(block.matrix) != (m, m):
                return (
                    f"the matrix of column {', '.join(block.columns)} does not have a row for each category"
                )
            drawn.append(_Drawn(block, rows, [columns[name] for name in block.columns]))
    return drawn


def _changes(evidence: Evidence, drawn: Sequence[_Drawn]) -> str | None:
    """Whether records changed as often as they should, in every run of them and on two columns at once."""
    n = evidence.claim.rows.size
    place = np.empty(n, dtype=np.int64)
    place[np.argsort(evidence.claim.rows, kind="stable")] = np.arange(n)
    by_column: dict[tuple[str, ...], tuple[Floats, Floats]] = {}
    for block in drawn:
        was, should = by_column.setdefault(block.columns, (np.zeros(n), np.zeros(n)))
        was[place[block.rows]] = block.changed
        should[place[block.rows]] = block.expected
    pairs = len(by_column) * (len(by_column) - 1) // 2
    chance = _CHANCE / (3 * (_RUNS * len(by_column) + max(pairs, 1)))
    columns = list(by_column.items())
    for at, (name, (was, should)) in enumerate(columns):
        runs = zip(np.array_split(was, _RUNS), np.array_split(should, _RUNS), strict=True)
        if not all(_plausible(a, b, chance) for a, b in runs):
            return f"records of column {', '.join(name)} changed in runs, or too often or too rarely"
        for other, (also, too) in columns[:at]:
            if not _plausible(was * also, should * too, chance):
                return f"records changed on columns {', '.join((*other, *name))} together, not independently"
    return None


def _plausible(was: Floats, should: Floats, chance: float) -> bool:
    """Whether independent events of known probability can come out so, by Bernstein's inequality."""
    off, spread = abs(float((was - should).sum())), float((should * (1 - should)).sum())
    return off <= _SUMS * was.size or 2 * np.exp(-(off**2) / (2 * (spread + off / 3))) >= chance
