"""Which columns give hidden values back: alone, in pairs and triples, by their order, as places on a map.

Columns in which every value is rare support nothing, and a column that merely goes along with another
predicts too badly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from math import comb, isqrt, log, sqrt

import numpy as np

from tacita.core import Floats, Ints, Mask
from tacita.core.arrays import numbered

from .learning import Few, Known, Target, by_few, by_groups, by_order, foretell, joined

# Below this probability of so many hits by guessing, over all combinations that were tried, it is no chance.
_CHANCE = 1e-6
# Records in which columns are looked at first; what goes on agrees so well there, in so many places.
_GLANCE = 2_000
_AGREES = 0.75
_PLACES = 8
# Or it agrees by so much better than its parts, and foretells values there, if less surely than it must.
_BETTER = 0.1
_SURPRISE_AT_A_GLANCE = 10.0
# A column by itself may determine few of the values. Up to so many cells all of them are looked at whole.
_AGREES_ALONE = 0.03
_ALL_ALONE = 3_000_000
# Pairs and triples that are glanced at, those of them that are looked at, and columns that they are made of.
_MOST_PAIRS = 400
_MOST_TRIPLES = 500
_MOST_LOOKS = 80
_MOST_COLUMNS = 60
# Columns together must give back this share of what is hidden: some group of theirs is always pure.
_OF_SEVERAL = 0.1
# With a column of which at least this share of values is distinct, no combination repeats.
_DISTINCT = 0.9
# Records times combinations and columns that are looked at whole.
_BUDGET = 40_000_000
# Two columns of so many places may be a map; it is looked at in boxes of so many records.
_PLACES_OF_A_MAP = 40
_IN_A_BOX = 6
_MOST_MAPS = 28


@dataclass(frozen=True, repr=False)
class Dependence:
    """Columns that give back the values of `determined` records, or leave `few` values for others."""

    columns: tuple[str, ...]
    determined: Mask
    few: Few | None = None

    @property
    def cells(self) -> Mask:
        """The records whose value is given back, or one of a few."""
        return self.determined if self.few is None else self.determined | self.few.narrowed

    @cached_property
    def certain(self) -> int:
        """How many records have their value given back."""
        return int(np.count_nonzero(self.determined))


@dataclass(frozen=True, repr=False)
class _Glance:
    """Some thousand records: their values of each target (a row each), and what was looked up of columns.

    `gaps` says whether any value is missing there, `codes` has the numbers of a column, and whether some of
    them are below zero.
    """

    rows: Ints
    values: Ints
    gaps: bool
    codes: dict[str, tuple[Ints, bool]]

    @classmethod
    def of(cls, rows: Ints, targets: Sequence[Target]) -> _Glance:
        values = np.stack([target.values[rows] for target in targets])
        return cls(rows, values, bool((values < 0).any()), {})


def dependences(targets: Sequence[Target], known: Known) -> list[list[Dependence]]:
    """For each target the columns, pairs and triples that determine hidden values of it.

    O(n) a column and target, and for each pair or triple that agrees well enough on some thousand records;
    pairs and triples in the order of their promise, up to a fixed number.
    """
    return _Search(targets, known).run()


class _Search:
    """Single columns, then pairs, then triples of columns that do not determine a value already."""

    def __init__(self, targets: Sequence[Target], known: Known) -> None:
        self.targets, self.known = targets, known
        self.n = targets[0].values.size if targets else 0
        telling = [name for name, codes in known.codes.items() if codes.max(initial=-1) > 0]
        # of too many, those with most values: they determine more
        telling.sort(key=lambda name: -int(known.codes[name].max()))
        self.names = telling[:_MOST_COLUMNS]
        self.dependences: list[list[Dependence]] = [[] for _ in targets]
        self.left = [target.hidden.copy() for target in targets]
        self.any_left = [target.cells > 0 for target in targets]
        self.budget = _BUDGET
        self.filled = {**known.codes, **known.filled}
        self.width = {name: int(codes.max(initial=0)) + 1 for name, codes in self.filled.items()}
        own = [known.codes.get(target.column, np.full(self.n, -1)) for target in targets]
        self.shows = [bool((codes[t.hidden] >= 0).any()) for codes, t in zip(own, targets, strict=True)]
        count = len(self.names)
        tried = count + min(comb(count, 2), _MOST_PAIRS) + min(comb(count, 3), _MOST_TRIPLES)
        self.surprise = log(max(1, tried * len(targets)) / _CHANCE)
        self.glances: dict[str, _Glance] = {}
        self.agreement: dict[tuple[str, ...], Floats] = {}

    def run(self) -> list[list[Dependence]]:
        if not self.targets:
            return self.dependences
        few = self.n * len(self.names) * len(self.targets) <= _ALL_ALONE
        for name in self.names:
            agreement = self.agreement[name,] = self._agreement((name,))
            for at, target in enumerate(self.targets):
                if name != target.column and (few or agreement[at] >= _AGREES_ALONE):
                    self._try(at, (name,), self.known.codes[name], self.filled[name])
        for name, ranks in self.known.ranks.items():
            agreement = self._agreement_in_order(ranks)
            for at, target in enumerate(self.targets):
                if name != target.column and agreement[at] >= _AGREES_ALONE:
                    self._keep(at, (name,), by_order(ranks, target, self.surprise))
        self._maps()
        for size, most in ((2, _MOST_PAIRS), (3, _MOST_TRIPLES)):
            self._look(self._promising(size, most))
        return self.dependences

    def _open(self, at: int, names: Sequence[str]) -> bool:
        """Whether something is left to be found, and no part of these columns gives back half of it."""
        if len(names) == 1:
            return True
        if not self.any_left[at]:
            return False
        inside, most = set(names), self.targets[at].cells // 2
        return all(
            dependence.certain < most or not inside.issuperset(dependence.columns)
            for dependence in self.dependences[at]
        )

    def _promising(self, size: int, most: int) -> list[tuple[str, ...]]:
        """The combinations that are looked at: all, or those whose parts agree best with a target."""
        if not any(self.any_left):
            return []
        repeating = [name for name in self.names if self.width[name] < _DISTINCT * self.n]
        if comb(len(repeating), size) <= most:
            return list(combinations(repeating, size))
        parts = [names for names in self.agreement if len(names) == size - 1 and set(names) <= set(repeating)]
        ranked: dict[tuple[str, ...], float] = {}
        place = {name: at for at, name in enumerate(self.names)}
        for at in range(len(self.targets)):
            if not self.any_left[at]:
                continue
            best = sorted(parts, key=lambda names: -self.agreement[names][at])
            for names in best[: max(1, most // max(1, len(repeating) - 1))]:
                for other in repeating:
                    if other not in names:
                        whole = tuple(sorted((*names, other), key=place.__getitem__))
                        ranked[whole] = max(ranked.get(whole, -1.0), float(self.agreement[names][at]))
        return sorted(ranked, key=lambda names: -ranked[names])[:most]

    def _look(self, promising: Sequence[tuple[str, ...]]) -> None:
        """Glance at combinations, then look at those that agree well, and at the best that do so by half."""
        better: list[tuple[float, int, tuple[str, ...]]] = []
        for names in promising:
            wanted = [
                at for at in range(len(self.targets)) if self._open(at, names) and self._sensible(at, names)
            ]
            if not wanted:
                continue
            agreement = self.agreement[names] = self._agreement(names)
            parts = self._best_of_parts(names)
            well = [at for at in wanted if agreement[at] >= _AGREES]
            self._try_all(well, names)
            better += [
                (float(agreement[at]), at, names)
                for at in wanted
                if agreement[at] < _AGREES and agreement[at] >= parts[at] + _BETTER
            ]
        looked = [0] * len(self.targets)
        for _, at, names in sorted(better, key=lambda candidate: -candidate[0]):
            if looked[at] < _MOST_LOOKS and self._open(at, names):
                looked[at] += 1
                if self._foretells(at, names):
                    self._try_all([at], names)

    def _try_all(self, wanted: Sequence[int], names: tuple[str, ...]) -> None:
        if not wanted or self.budget < self.n:
            return
        codes = joined([self.known.codes[name] for name in names])
        gaps = any(name in self.known.filled for name in names)
        filled = joined([self.filled[name] for name in names]) if gaps else codes
        for at in wanted:
            self._try(at, names, codes, filled)

    def _best_of_parts(self, names: tuple[str, ...]) -> Floats:
        """The agreement of the best of the columns, or of pairs of them."""
        parts = [
            self.agreement[part]
            for size in range(1, len(names))
            for part in combinations(names, size)
            if part in self.agreement
        ]
        return np.max(parts, axis=0) if parts else np.zeros(len(self.targets))

    def _foretells(self, at: int, names: tuple[str, ...]) -> bool:
        """Whether groups predict their values among some thousand records, where there are many more."""
        if self.n <= 2 * _GLANCE:
            return True
        codes, glance = self._codes_at_a_glance(names)
        rows, target = glance.rows, self.targets[at]
        some = replace(
            target, values=target.values[rows], taught=target.taught[rows], hidden=target.hidden[rows]
        )
        return foretell(numbered(codes) - int((codes < 0).any()), some, _SURPRISE_AT_A_GLANCE)

    def _sensible(self, at: int, names: tuple[str, ...]) -> bool:
        """Whether hidden cells have something to go by: what they show may be nothing, or no relation.

        Of a class that was recoded by itself all show the same, and have as few values as classes have.
        """
        target = self.targets[at]
        own_class = target.self_taught and target.alike is None
        return target.column not in names or (self.shows[at] and not own_class)

    def _try(self, at: int, names: tuple[str, ...], codes: Ints, filled: Ints) -> None:
        if self._open(at, names):
            self.budget -= self.n
            target = self.targets[at]
            usual = 0.0
            if len(names) > 1:
                # of the values of a group the most frequent is at most so frequent
                agreeing = self.chance[at] + (1 - self.chance[at]) * self._best_of_parts(names)[at]
                usual = sqrt(min(1.0, max(0.0, float(agreeing))))
            determined = by_groups(codes, filled, target, self.surprise, usual)
            self._keep(at, names, determined)
            if target.most > 1 and (determined is None or (self.left[at] & (codes >= 0)).any()):
                self.budget -= 2 * self.n
                self._keep_few(at, names, by_few(codes, filled, target, self.surprise, usual))

    def _keep(self, at: int, names: tuple[str, ...], determined: Mask | None) -> None:
        if determined is not None and self._enough(at, names, determined):
            self.dependences[at].append(Dependence(names, determined))
            self.left[at] &= ~determined
            self.any_left[at] = bool(self.left[at].any())

    def _keep_few(self, at: int, names: tuple[str, ...], few: Few | None) -> None:
        if few is not None and self._enough(at, names, few.narrowed):
            nothing = np.zeros(self.n, dtype=bool)
            self.dependences[at].append(Dependence(names, nothing, few))

    def _enough(self, at: int, names: tuple[str, ...], determined: Mask) -> bool:
        """Whether columns give back any cell, or several of them a good share of what is left."""
        if len(names) == 1:
            return bool(determined.any())
        return bool((determined & self.left[at]).sum() >= max(1.0, _OF_SEVERAL * self.targets[at].cells))

    def _maps(self) -> None:
        """Two columns of numbers that are places on a map: records of the same box."""
        names = [name for name, ranks in self.known.ranks.items() if name in self.known.codes]
        names = [name for name in names if int(self.known.ranks[name].max(initial=0)) >= _PLACES_OF_A_MAP]
        if self.n < _PLACES_OF_A_MAP * _IN_A_BOX:
            return
        side = min(64, isqrt(self.n // _IN_A_BOX))
        boxes = {name: _in_stretches(self.known.ranks[name], side) for name in names}
        for pair in list(combinations(names, 2))[:_MOST_MAPS]:
            codes = joined([boxes[name] for name in pair])
            rows = _whole_groups(codes)
            agreement = self._agreement_of(codes[rows], _Glance.of(rows, self.targets))
            for at, target in enumerate(self.targets):
                if agreement[at] >= _AGREES and target.column not in pair and self._open(at, pair):
                    self.budget -= self.n
                    self._keep(at, pair, by_groups(codes, codes, target, self.surprise))

    def _agreement(self, names: tuple[str, ...]) -> Floats:
        """How well two records of a group agree on each target, beyond chance, among some thousand."""
        return self._agreement_of(*self._codes_at_a_glance(names))

    def _agreement_of(self, codes: Ints, glance: _Glance) -> Floats:
        order = np.argsort(codes)
        ordered = codes[order]
        alike = (ordered[1:] == ordered[:-1]) & (ordered[1:] >= 0)
        values = glance.values.take(order, axis=1)
        return self._beyond_chance(values[:, :-1], values[:, 1:], alike, glance.gaps)

    def _codes_at_a_glance(self, names: tuple[str, ...]) -> tuple[Ints, _Glance]:
        """Combinations of some thousand records, and what is known of these records."""
        glance = self._glance(max(names, key=lambda name: self.width[name]))
        codes, gaps = self._column_at_a_glance(glance, names[0])
        for name in names[1:]:
            own, own_gaps = self._column_at_a_glance(glance, name)
            # three numbers below a million are one number still
            both = codes * self.width[name] + own
            codes = np.where((codes < 0) | (own < 0), -1, both) if gaps or own_gaps else both
            gaps = gaps or own_gaps
            codes = codes if self.n < 1_000_000 else numbered(codes) - int(gaps and (codes < 0).any())
        return codes, glance

    def _column_at_a_glance(self, glance: _Glance, name: str) -> tuple[Ints, bool]:
        if name not in glance.codes:
            codes = self.filled[name][glance.rows]
            glance.codes[name] = codes, bool((codes < 0).any())
        return glance.codes[name]

    def _agreement_in_order(self, ranks: Ints) -> Floats:
        """The same of records that stand next to each other in the order of a column, in stretches of it."""
        order = np.argsort(ranks)
        order = order[int((ranks < 0).sum()) :]
        starts = np.linspace(0, max(0, order.size - _GLANCE // 4), 4).astype(np.int64)
        rows = np.unique(
            np.concatenate([np.arange(at, min(order.size, at + _GLANCE // 4)) for at in starts.tolist()])
        )
        rows = rows[:-1][np.diff(rows) == 1] if rows.size else rows
        one, other = order[rows], order[np.minimum(rows + 1, max(0, order.size - 1))]
        one, other = (
            np.stack([target.values[records] for target in self.targets]) for records in (one, other)
        )
        return self._beyond_chance(one, other, np.ones(rows.size, dtype=bool), gaps=True)

    def _beyond_chance(self, one: Ints, other: Ints, counted: Mask, gaps: bool) -> Floats:
        """How often values of two records agree in the places that count, a row for each target."""
        both = counted & (one >= 0) & (other >= 0) if gaps else counted[None, :]
        # a row after the other is counted faster than down the columns
        places = np.array([np.count_nonzero(row) for row in both])
        agree = np.array([np.count_nonzero(row) for row in both & (one == other)])
        open_ones = places * (1.0 - self.chance)
        beyond = agree - places * self.chance
        good = (places >= _PLACES) & (open_ones > 0)
        return np.where(good, beyond / np.where(good, open_ones, 1.0), 0.0)

    @cached_property
    def chance(self) -> Floats:
        """For each target the probability that two records agree, or that a guess is right."""
        return np.array([_agreeing_by_chance(target) for target in self.targets])

    def _glance(self, name: str) -> _Glance:
        """Some thousand records: all that have some values of a column, so that groups stay whole."""
        if name not in self.glances:
            self.glances[name] = _Glance.of(_whole_groups(self.filled[name]), self.targets)
        return self.glances[name]


def _agreeing_by_chance(target: Target) -> float:
    if not target.taught.any():
        return 1.0
    if target.self_taught:
        return float(target.share[target.values[target.taught]].mean())
    # suppression takes rare values away, so that those in view agree more often
    counts = np.bincount(target.values[target.values >= 0])
    return float(((counts / counts.sum()) ** 2).sum())


def _whole_groups(codes: Ints) -> Ints:
    """Some thousand records, all of their groups."""
    if codes.size <= _GLANCE:
        return np.arange(codes.size)
    sizes = np.bincount(codes[codes >= 0])
    shuffled = np.random.default_rng(0).permutation(sizes.size)
    taken = shuffled[: max(1, int(np.searchsorted(np.cumsum(sizes[shuffled]), _GLANCE)) + 1)]
    chosen = np.zeros(sizes.size + 1, dtype=bool)
    chosen[taken] = True
    rows = np.flatnonzero(chosen[codes])
    if rows.size > 2 * _GLANCE:
        rows = np.sort(np.random.default_rng(0).choice(rows, 2 * _GLANCE, replace=False))
    return rows


def _in_stretches(ranks: Ints, count: int) -> Ints:
    """The stretch of the records in the order of a column, of so many that hold as many; -1 without a rank.

    >>> _in_stretches(np.array([5, 0, 3, -1, 9]), 2).tolist()
    [1, 0, 0, -1, 1]
    """
    known = np.flatnonzero(ranks >= 0)
    stretches = np.full(ranks.size, -1, dtype=np.int64)
    if known.size:
        sizes = np.bincount(ranks[known])
        middle = np.cumsum(sizes) - sizes / 2
        stretches[known] = (middle[ranks[known]] * count / known.size).astype(np.int64)
    return stretches
