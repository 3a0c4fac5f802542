"""Empty cells as a value of their own: every pattern that is shown must be shown by k units."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import numpy as np

from tacita.core import Ints, Mask, RunContext

from .key_patterns import Keys, counted, looked_up

_STAGE = "suppressing cells"
_ROUNDS = 4


def alike(keys: Keys, k: int, run: RunContext) -> Ints:
    """For each record the set of columns it leaves empty, so that every pattern is shown by k units.

    First the cheapest sets on which enough of the remaining records agree, then patterns are opened and
    joined while that saves. O(2^d n log n).
    """
    return _improved(keys, _started(keys, k), k, run)


def short(keys: Keys, stars: Ints, k: int) -> Mask:
    """Records whose pattern is shown by fewer than k units. O(n d + n log n)."""
    shown = keys.shown(stars)
    patterns, counts = counted(shown, None if keys.lone else keys.units)
    return looked_up(shown, patterns, counts) < k


def _started(keys: Keys, k: int) -> Ints:
    """Records leave the rest together with those who agree with them on all but a cheap set of columns."""
    stars = np.full(keys.n, keys.every, dtype=np.int64)
    rest = np.ones(keys.n, dtype=bool)
    units = None if keys.lone else keys.units
    costs = dict(zip(keys.sets, keys.cost(np.array(keys.sets)).tolist(), strict=True))

    def settled(columns: int) -> Ints:
        able = np.flatnonzero(rest & (keys.missing & ~columns == 0))
        own = keys.on(keys.every & ~columns, able)
        combinations, counts = counted(own, None if units is None else units[able])
        return able[looked_up(own, combinations, counts) >= k]

    for _, tier in groupby(keys.sets, costs.__getitem__):
        waiting = [(np.inf, columns) for columns in tier]
        # what a set settles only becomes less, so that the first found true is the largest
        while waiting and rest.any():
            waiting.sort(key=lambda entry: -entry[0])
            _, columns = waiting.pop(0)
            chosen = settled(columns)
            if waiting and chosen.size < waiting[0][0]:
                waiting.append((chosen.size, columns))
                continue
            stars[chosen] = columns
            rest[chosen] = False
        if not rest.any():
            return stars
    _join(keys, stars, rest)
    return _filled(keys, stars, rest, k)


def _join(keys: Keys, stars: Ints, rest: Mask) -> None:
    """Who is left shows the cheapest pattern that others show."""
    for columns in keys.sets:
        shown = np.flatnonzero(~rest & (stars == columns))
        able = np.flatnonzero(rest & (keys.missing & ~columns == 0))
        if shown.size and able.size:
            some = keys.every & ~columns
            joined = able[np.isin(keys.on(some, able), keys.on(some, shown))]
            stars[joined] = columns
            rest[joined] = False


def _filled(keys: Keys, stars: Ints, rest: Mask, k: int) -> Ints:
    """Who is left then shows nothing, and others with them, those who lose least, until k units do."""
    if not rest.any():
        return stars
    stars[rest] = keys.every
    while (lacking := short(keys, stars, k)).any():
        # a pattern that others left must not stay behind
        stars[lacking] = keys.every
        empty = stars == keys.every
        if np.unique(keys.units[empty]).size >= k:
            continue
        losing = np.where(
            empty | np.isin(keys.units, keys.units[empty]), np.inf, keys.cost(~stars & keys.every)
        )
        stars[int(losing.argmin())] = keys.every
    return stars


def _improved(keys: Keys, stars: Ints, k: int, run: RunContext) -> Ints:
    from tacita.kernels.records.local_suppression import Groups, chain, improve

    n, missing = keys.n, keys.missing
    group = np.unique(keys.shown(stars), return_inverse=True)[1].reshape(-1).astype(np.int64)
    following, before, head = (np.full(size, -1, dtype=np.int64) for size in (n, n, 2 * n))
    costs, marks, last = keys.cost(stars & ~missing), np.zeros(n, dtype=np.int64), np.array([group.max()])
    groups = Groups(
        group=group,
        following=following,
        before=before,
        head=head,
        stars=stars | missing,
        costs=costs,
        units=keys.units,
        marks=marks,
        last=last,
    )
    chain(groups)
    sets = keys.sets
    for turn in range(_ROUNDS):
        saved = 0.0
        for done, columns in enumerate(sets):
            if done % 16 == 0:
                run.report(_STAGE, turn * len(sets) + done, _ROUNDS * len(sets))
                if run.should_stop():
                    return groups.stars
            saved += _opened(keys, groups, columns, k, improve)
        if saved == 0:
            break
    run.report(_STAGE, 1, 1)
    return groups.stars


def _opened(keys: Keys, groups: Any, columns: int, k: int, improve: Any) -> float:
    """What patterns with these columns empty save."""
    costs = keys.cost(columns & ~keys.missing)
    able = np.flatnonzero(keys.missing & ~columns == 0)
    gaining = able[groups.costs[able] > costs[able] + 1e-9]
    if gaining.size == 0:
        return 0.0
    own = keys.on(keys.every & ~columns)
    able = able[np.isin(own[able], own[gaining])]
    order = able[np.argsort(own[able], kind="stable")]
    starts = np.flatnonzero(np.diff(own[order], prepend=own[order[0]] - 1, append=own[order[-1]] + 1))
    return float(improve(groups, order, starts, costs, columns, k))
