"""Patterns solved again part by part: what an integer programme finds among a few kinds of records."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tacita.core import Ints, Run

from .exact import improved
from .keys import Keys

_STAGE = "solving parts again"
# How many parts, kinds of records in one, and nodes of its search at most.
_PARTS, _KINDS, _NODES = 40, 40, 20
# After so many parts in a row that save nothing, others hardly will.
_IDLE = 6
# Beyond so many records parts are too small a share of them to be worth the time.
_MOST_RECORDS = 5000


@dataclass(frozen=True)
class _Part:
    """What is asked of one part."""

    k: int
    wildcard: bool = False
    options: int = 3000
    nodes: int = _NODES


def polished(keys: Keys, stars: Ints, k: int, run: Run) -> Ints:
    """Sets of empty columns that cost no more: whoever shows the same now, with those nearby, chooses again.

    Every part holds all records of its patterns, so that whatever it chooses, the others are as they were.
    The cost of some small integer programmes.
    """
    if keys.n > _MOST_RECORDS:
        return stars
    stars, idle = stars.copy(), 0
    for done, rows in zip(range(_PARTS), _parts(keys, stars), strict=False):
        run.report(_STAGE, done, _PARTS)
        if run.enough() or idle == _IDLE:
            break
        own = Keys(keys.codes[rows], keys.units[rows], keys.weights)
        found = improved(own, stars[rows], [list(range(keys.d))], _Part(k), run)
        idle += 1
        if found is not None and own.price(found.stars) < own.price(stars[rows]):
            stars[rows], idle = found.stars, 0
    run.report(_STAGE, 1, 1)
    return stars


def _parts(keys: Keys, stars: Ints) -> Iterator[Ints]:
    """Records of patterns that stand together when sorted, by one column after another as the last."""
    for turn in range(keys.d):
        order = np.lexsort([keys.codes[:, (j + turn) % keys.d] for j in range(keys.d)])
        taken = np.zeros(keys.n, dtype=bool)
        for at, first in enumerate(order.tolist()):
            if taken[first] or not stars[first]:
                continue
            # kinds nearby, and all who show what they show
            near = order[max(0, at - _KINDS // 2) : at + _KINDS]
            shown = keys.shown(stars)
            rows = np.flatnonzero(np.isin(shown, np.unique(shown[near])))
            taken[rows] = True
            yield rows
