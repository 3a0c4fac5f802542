"""From keys to cells: the readings, all combinations of m keys, what is proven."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from tacita.core import Bounds, Ints, Run

from . import category, wildcard
from .bounds import least
from .exact import improved
from .keys import Keys, as_masks, as_sets
from .local_suppression_method import Withheld
from .reoptimise import polished

_ROUNDING = 1e-9


@dataclass(frozen=True)
class Terms:
    """What was asked for: k, how gaps are read, of how many keys at a time, how far a proof may go."""

    k: int
    wildcard: bool
    m: int | None
    options: int
    nodes: int

    def families(self, d: int) -> list[list[int]]:
        """The combinations of columns of which k is asked."""
        return [list(each) for each in combinations(range(d), self.m or d)]


def found(keys: Keys, terms: Terms, run: Run) -> Withheld:
    """Cells that keep the promise, the least that they cost, and how it ended."""
    stars = _heuristic(keys, terms, run) & ~keys.missing
    bound = _bound(keys, terms)
    cost = keys.price(stars)
    run.on_bounds(Bounds(min(bound, cost), cost))
    status = "heuristic"
    if not _proven(cost, bound) and terms.options and not run.enough():
        proof = improved(keys, stars, terms.families(keys.d), terms, run)
        if proof is not None:
            stars, bound, status = proof.stars, max(bound, proof.bound), "unfinished"
        elif not terms.wildcard and terms.m is None:
            stars = polished(keys, stars, terms.k, run)
        cost = keys.price(stars)
        run.on_bounds(Bounds(min(bound, cost), cost))
    return Withheld(keys.taken(stars), min(bound, cost), "optimal" if _proven(cost, bound) else status)


def _proven(cost: float, bound: float) -> bool:
    return cost - bound <= _ROUNDING * max(1.0, cost)


def _heuristic(keys: Keys, terms: Terms, run: Run) -> Ints:
    """Combination by combination, each building on what the others withheld already."""
    if not terms.wildcard or not keys.lone:
        # whoever is alike is compatible, units and all
        return _alike(keys, terms, run)
    stars = np.zeros(keys.n, dtype=np.int64)
    for columns in terms.families(keys.d):
        part, given = keys.on_columns(columns), as_sets(as_masks(stars, keys.d)[:, columns])
        own = wildcard.compatible(part, given, terms.k, run)
        if own is None:
            return _alike(keys, terms, run)
        stars |= _spread(own, columns)
    return stars


def _alike(keys: Keys, terms: Terms, run: Run) -> Ints:
    """Sets of empty columns so that records are alike in every combination; cells only ever become empty."""
    stars = np.zeros(keys.n, dtype=np.int64)
    families = terms.families(keys.d)
    while True:
        before = stars
        for columns in families:
            part = keys.without(stars).on_columns(columns)
            if category.short(part, np.zeros(keys.n, dtype=np.int64), terms.k).any():
                stars = stars | _spread(category.alike(part, terms.k, run), columns)
        if np.array_equal(before, stars):
            return stars


def _spread(sets: Ints, columns: list[int]) -> Ints:
    """Sets of some of the columns as sets of all of them."""
    return as_masks(sets, len(columns)).astype(np.int64) @ (1 << np.array(columns, dtype=np.int64))


def _bound(keys: Keys, terms: Terms) -> float:
    """What records must lose in combinations that share no column adds up."""
    bounds = [
        (float(least(keys.on_columns(columns), terms.k, terms.wildcard).sum()), columns)
        for columns in terms.families(keys.d)
    ]
    total, taken = 0.0, set[int]()
    for bound, columns in sorted(bounds, key=lambda each: -each[0]):
        if taken.isdisjoint(columns):
            total += bound
            taken.update(columns)
    return total
