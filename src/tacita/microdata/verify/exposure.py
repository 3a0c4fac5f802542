"""Records that agree with fewer than k originals once all that follows of hidden cells is filled in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import ceil, prod

import numpy as np

from tacita.core import Ints, Mask

from .dependence import Dependence
from .evidence import distinct, sizes
from .hidden import HiddenColumn, shown_as
from .learning import Target

# What is known of a cell: nothing, what its original is shown as elsewhere, or the original itself.
_SHOWN = 1
_ORIGINAL = 2
# Combinations of values that are looked at together.
_AT_ONCE = 2_000_000


@dataclass(frozen=True, repr=False)
class _Key:
    """One column: what each record is labelled and had, what is known of it (`level`), and where that is new.

    `few` has a row for each record, the values among which its own is; -1 throughout where it is known.
    """

    labels: Ints
    originals: Ints
    level: Ints
    filled: Mask
    few: Ints | None

    @classmethod
    def of(
        cls, column: HiddenColumn, targets: Sequence[Target], dependences: Sequence[Sequence[Dependence]]
    ) -> _Key:
        level = np.where(column.labels >= 0, _SHOWN, 0).astype(np.int64)
        filled, few = np.zeros(level.size, dtype=bool), None
        for target, by in zip(targets, dependences, strict=True):
            if target.column != column.name or not by:
                continue
            certain = np.logical_or.reduce([dependence.determined for dependence in by])
            own = _few_of(by, certain)
            cells = certain if own is None else certain | (own >= 0).any(axis=1)
            level[cells] = _ORIGINAL if target.self_taught else _SHOWN
            filled |= cells
            few = own if few is None else few if own is None else np.where(own >= 0, own, few)
        return cls(shown_as(column), column.originals, level, filled, few)

    def compared(self, level: int) -> Ints:
        """What records are compared by."""
        return self.originals if level == _ORIGINAL else self.labels


def _few_of(by: Sequence[Dependence], certain: Mask) -> Ints | None:
    """The values that all columns leave, of records that none of them gives back."""
    left: Ints | None = None
    for few in (dependence.few for dependence in by if dependence.few is not None):
        if left is None:
            left = np.full(few.values.shape, -1, dtype=np.int64)
        rows = np.flatnonzero(few.narrowed & ~certain)
        new = (left[rows] < 0).all(axis=1)
        left[rows[new]] = few.values[rows[new]]
        both = rows[~new]
        kept = np.zeros((both.size, left.shape[1]), dtype=bool)
        for place in range(left.shape[1]):
            kept |= left[both] == few.values[both, place, None]
        left[both] = np.where(kept, left[both], -1)
    return left


def exposed_records(
    columns: Sequence[HiddenColumn],
    targets: Sequence[Target],
    dependences: Sequence[Sequence[Dependence]],
    strata: Ints,
    units: Ints | None,
    k: int,
    m: int | None,
) -> Mask:
    """Records that agree with fewer than k originals, or units of them, on all or on m keys.

    O(n log n) a key, and what each record may be.
    """
    keys = [_Key.of(column, targets, dependences) for column in columns]
    filled = np.column_stack([key.filled for key in keys])
    level = np.column_stack([key.level for key in keys])
    result = np.zeros(strata.size, dtype=bool)
    for chosen in combinations(range(len(keys)), len(keys) if m is None else m):
        rows = np.flatnonzero(filled[:, chosen].any(axis=1) & ~result)
        if not rows.size:
            continue
        patterns, which = np.unique(level[rows][:, chosen], axis=0, return_inverse=True)
        which = which.reshape(-1)
        for number, pattern in enumerate(patterns.tolist()):
            mine = rows[which == number]
            known = [(keys[at], how) for at, how in zip(chosen, pattern, strict=True) if how]
            for some in _in_stretches(known, mine):
                result[some] |= _agreeing(known, some, strata, units, k) < k
    return result


def _in_stretches(known: Sequence[tuple[_Key, int]], rows: Ints) -> list[Ints]:
    """The records, fewer at a time where each may have many values of several keys."""
    widest = min(_AT_ONCE, prod(key.few.shape[1] for key, _ in known if key.few is not None))
    return np.array_split(rows, max(1, ceil(rows.size * widest / _AT_ONCE)))


def _agreeing(
    known: Sequence[tuple[_Key, int]], rows: Ints, strata: Ints, units: Ints | None, k: int
) -> Ints:
    """For each of some records the originals, or up to k units of them, that it may be by what is known."""
    whole = [key.compared(how) for key, how in known]
    opens = [at for at, (key, _) in enumerate(known) if key.few is not None and (key.few[rows] >= 0).any()]
    if not opens:
        alike = distinct(strata, *(column + 1 for column in whole))
        return sizes(alike, units)[alike[rows]]
    # columns of which each record knows its own value come first, as one
    firm = [column + 1 for at, column in enumerate(whole) if at not in opens]
    codes = distinct(strata, *firm)
    near, at_hand = np.arange(rows.size), codes[rows]
    for at in opens:
        few = known[at][0].few
        assert few is not None
        near, at_hand, codes = _joined(few[rows], whole[at], rows, near, at_hand, codes)
    if units is None:
        return np.bincount(near, np.bincount(codes)[at_hand], minlength=rows.size).astype(np.int64)
    return _units_of(near, at_hand, codes, units, rows.size, k)


def _joined(
    few: Ints, column: Ints, rows: Ints, near: Ints, at_hand: Ints, codes: Ints
) -> tuple[Ints, Ints, Ints]:
    """Records with the combinations that they may have, one more column joined; and those of all records."""
    several: Mask = np.asarray((few >= 0).any(axis=1))
    alternatives = np.where(several[:, None], few, -1)
    alternatives[~several, 0] = column[rows[~several]]
    width = int(column.max(initial=0)) + 2
    of_all = codes * width + column + 1
    known, codes = np.unique(of_all, return_inverse=True)
    codes = codes.reshape(-1)
    one, place = np.nonzero(
        (alternatives >= 0)[near] | (~several[near, None] & (np.arange(few.shape[1]) == 0))
    )
    wanted = at_hand[one] * width + alternatives[near[one], place] + 1
    matches = np.minimum(np.searchsorted(known, wanted), known.size - 1)
    there = known[matches] == wanted
    return near[one[there]], matches[there], codes


def _units_of(near: Ints, at_hand: Ints, codes: Ints, units: Ints, records: int, k: int) -> Ints:
    """Of how many units, up to k, the originals are that each record may be."""
    pairs = np.unique(codes * (int(units.max(initial=0)) + 1) + units)
    owner, unit = np.divmod(pairs, int(units.max(initial=0)) + 1)
    begins = np.searchsorted(owner, np.arange(int(codes.max(initial=0)) + 2))
    # k units of a combination are enough
    counts = np.minimum(k, np.diff(begins)[at_hand])
    who = np.repeat(near, counts)
    steps = np.arange(who.size) - np.repeat(np.cumsum(counts) - counts, counts)
    behind = unit[np.repeat(begins[at_hand], counts) + steps]
    distinct_pairs = np.unique(who * (int(units.max(initial=0)) + 1) + behind)
    return np.bincount(distinct_pairs // (int(units.max(initial=0)) + 1), minlength=records)
