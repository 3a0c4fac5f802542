"""Which columns give a hidden value back: functional dependences, told apart from statistical ones.

An attacker groups the records by some columns, sees in each group what those that still show a value have
in common, and fills the others in. That counts where each value is predicted from the others of its group
nearly without fault, far beyond what guessing gives, and so often that it is no chance. Columns in which
every value is rare support nothing, and a column that merely goes along with another predicts too badly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import comb, log

import numpy as np

from tacita.core import Floats, Ints, Mask
from tacita.core.arrays import numbered

# The share that must be predicted: of shown values what guessing leaves open, of hidden ones those foretold.
_FUNCTIONAL, _ON_HIDDEN = 0.95, 0.8
# So many records in a hundred may differ from the value of their group: errors in the data.
_ERRORS_IN = 100
# Below this probability of so many hits by guessing, over all combinations that were tried, it is no chance.
_CHANCE = 1e-6
# Fewer hidden values than this cannot refute what was learnt from the others.
_FEW_HIDDEN = 5
# Records in which columns are looked at first; what goes on agrees so well there, in so many places.
_GLANCE, _AGREES, _PLACES = 2_000, 0.75, 8
# A column by itself may determine few of the values. Up to so many cells all of them are looked at whole.
_AGREES_ALONE = 0.03
_ALL_ALONE = 3_000_000
# Pairs and triples that are glanced at, and columns that they are made of.
_MOST_PAIRS, _MOST_TRIPLES, _MOST_COLUMNS = 400, 500, 60
# Columns together must give back this share of what is hidden: some group of theirs is always pure.
_OF_SEVERAL = 0.2
# With a column of which at least this share of values is distinct, no combination repeats.
_DISTINCT = 0.9
# Records times combinations and columns that are looked at whole.
_BUDGET = 40_000_000
# Fewer distinct values have no order that could tell anything.
_FEW_PLACES = 20


@dataclass(frozen=True, repr=False)
class Target:
    """The hidden values of one column.

    `values` numbers what each record has, -1 where it has nothing; `taught` are the records from which the
    value can be learnt, `hidden` those in which it is to be found. `share[v]` is the probability that a guess
    of v is right, given what the release shows of the column. `fewest` is the number of records that must
    agree.
    """

    column: str
    values: Ints
    taught: Mask
    hidden: Mask
    share: Floats
    fewest: int

    @property
    def self_taught(self) -> bool:
        """Whether hidden records are among those from which the value is learnt."""
        return bool((self.taught & self.hidden).any())


@dataclass(frozen=True, repr=False)
class Known:
    """What is released beside: a number for each cell (-1 where it tells nothing), and its rank if any.

    `filled` has the numbers of columns that show nothing in places as if they showed everything.
    """

    codes: Mapping[str, Ints]
    filled: Mapping[str, Ints] = field(default_factory=dict)
    ranks: Mapping[str, Ints] = field(default_factory=dict)


@dataclass(frozen=True, repr=False)
class Dependence:
    """Columns that give back the values of `found` records."""

    columns: tuple[str, ...]
    found: Mask


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
        self.found: list[list[Dependence]] = [[] for _ in targets]
        self.left = [target.hidden.copy() for target in targets]
        self.budget = _BUDGET
        self.filled = {**known.codes, **known.filled}
        self.width = {name: int(codes.max(initial=0)) + 1 for name, codes in self.filled.items()}
        own = [known.codes.get(target.column, np.full(self.n, -1)) for target in targets]
        self.shows = [bool((codes[t.hidden] >= 0).any()) for codes, t in zip(own, targets, strict=True)]
        count = len(self.names)
        tried = count + min(comb(count, 2), _MOST_PAIRS) + min(comb(count, 3), _MOST_TRIPLES)
        self.surprise = log(max(1, tried * len(targets)) / _CHANCE)
        self.glances: dict[str, tuple[Ints, Ints]] = {}
        self.agreement: dict[tuple[str, ...], Floats] = {}

    def run(self) -> list[list[Dependence]]:
        if not self.targets:
            return self.found
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
        for size, most in ((2, _MOST_PAIRS), (3, _MOST_TRIPLES)):
            for names in self._promising(size, most):
                self._look(names)
        return self.found

    def _open(self, at: int, names: Sequence[str]) -> bool:
        """Whether something is left to be found, and no part of these columns gives back half of it."""
        if len(names) == 1:
            return True
        if not self.left[at].any():
            return False
        inside, most = set(names), self.targets[at].hidden.sum() // 2
        return all(each.found.sum() < most or not inside.issuperset(each.columns) for each in self.found[at])

    def _promising(self, size: int, most: int) -> list[tuple[str, ...]]:
        """The combinations that are looked at: all, or those whose parts agree best with a target."""
        if not any(left.any() for left in self.left):
            return []
        repeating = [name for name in self.names if self.width[name] < _DISTINCT * self.n]
        if comb(len(repeating), size) <= most:
            return list(combinations(repeating, size))
        parts = [names for names in self.agreement if len(names) == size - 1 and set(names) <= set(repeating)]
        ranked: dict[tuple[str, ...], float] = {}
        place = {name: at for at, name in enumerate(self.names)}
        for at in range(len(self.targets)):
            if not self.left[at].any():
                continue
            best = sorted(parts, key=lambda names: -self.agreement[names][at])
            for names in best[: max(1, most // max(1, len(repeating) - 1))]:
                for other in repeating:
                    if other not in names:
                        whole = tuple(sorted((*names, other), key=place.__getitem__))
                        ranked[whole] = max(ranked.get(whole, -1.0), float(self.agreement[names][at]))
        return sorted(ranked, key=lambda names: -ranked[names])[:most]

    def _look(self, names: tuple[str, ...]) -> None:
        wanted = [at for at in range(len(self.targets)) if self._open(at, names)]
        if not wanted:
            return
        agreement = self._agreement(names)
        self.agreement[names] = agreement
        wanted = [at for at in wanted if agreement[at] >= _AGREES and self._sensible(at, names)]
        if not wanted or self.budget < self.n:
            return
        codes, filled = (joined([side[name] for name in names]) for side in (self.known.codes, self.filled))
        for at in wanted:
            self._try(at, names, codes, filled)

    def _sensible(self, at: int, names: tuple[str, ...]) -> bool:
        # a hidden cell that shows nothing has no cell of its own to go by
        return self.shows[at] or self.targets[at].column not in names

    def _try(self, at: int, names: tuple[str, ...], codes: Ints, filled: Ints) -> None:
        if self._open(at, names):
            self.budget -= self.n
            self._keep(at, names, by_groups(codes, filled, self.targets[at], self.surprise))

    def _keep(self, at: int, names: tuple[str, ...], found: Mask | None) -> None:
        if found is None:
            return
        least = 1.0 if len(names) == 1 else max(1.0, _OF_SEVERAL * self.targets[at].hidden.sum())
        if (found if len(names) == 1 else found & self.left[at]).sum() >= least:
            self.found[at].append(Dependence(names, found))
            self.left[at] &= ~found

    def _agreement(self, names: tuple[str, ...]) -> Floats:
        """How well two records of a group agree on each target, beyond chance, among some thousand."""
        widest = max(names, key=lambda name: self.width[name])
        rows, values = self._glance(widest)
        codes = self.filled[names[0]][rows]
        for name in names[1:]:
            own = self.filled[name]
            # three numbers below a million are one number still
            both = codes * self.width[name] + own[rows]
            codes = np.where((codes < 0) | (own[rows] < 0), -1, both)
            codes = codes if own.size < 1_000_000 else numbered(codes) - int((codes < 0).any())
        order = np.argsort(codes)
        ordered = codes[order]
        first = np.flatnonzero((ordered[1:] == ordered[:-1]) & (ordered[1:] >= 0))
        return self._beyond_chance(values[order[first]], values[order[first + 1]])

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
            np.column_stack([target.values[each] for target in self.targets]) for each in (one, other)
        )
        return self._beyond_chance(one, other)

    def _beyond_chance(self, one: Ints, other: Ints) -> Floats:
        both = (one >= 0) & (other >= 0)
        places = both.sum(axis=0)
        agree = (both & (one == other)).sum(axis=0)
        open_ones = places * (1.0 - self.chance)
        beyond = agree - places * self.chance
        good = (places >= _PLACES) & (open_ones > 0)
        return np.where(good, beyond / np.where(good, open_ones, 1.0), 0.0)

    @property
    def chance(self) -> Floats:
        """For each target the probability that a guess is right."""
        if not hasattr(self, "_chance"):
            self._chance = np.array(
                [float(t.share[t.values[t.taught]].mean()) if t.taught.any() else 1.0 for t in self.targets]
            )
        return self._chance

    def _glance(self, name: str) -> tuple[Ints, Ints]:
        """Some thousand records: all that have some values of a column, so that groups stay whole."""
        if name not in self.glances:
            rows = np.arange(self.n)
            if self.n > _GLANCE:
                codes = self.filled[name]
                sizes = np.bincount(codes[codes >= 0])
                shuffled = np.random.default_rng(0).permutation(sizes.size)
                taken = shuffled[: max(1, int(np.searchsorted(np.cumsum(sizes[shuffled]), _GLANCE)) + 1)]
                chosen = np.zeros(sizes.size + 1, dtype=bool)
                chosen[taken] = True
                rows = np.flatnonzero(chosen[codes])
                if rows.size > 2 * _GLANCE:
                    rows = np.sort(np.random.default_rng(0).choice(rows, 2 * _GLANCE, replace=False))
            values = np.column_stack([t.values[rows] for t in self.targets])
            self.glances[name] = rows, values
        return self.glances[name]


def joined(columns: Sequence[Ints]) -> Ints:
    """Number the combinations of some columns; -1 where one of them tells nothing.

    >>> joined([np.array([0, 0, 1]), np.array([2, -1, 2])]).tolist()
    [0, -1, 1]
    """
    usable = np.logical_and.reduce([codes >= 0 for codes in columns])
    found = np.zeros(int(usable.sum()), dtype=np.int64)
    for codes in columns:
        found = numbered(found * (int(codes.max(initial=0)) + 1) + codes[usable])
    codes = np.full(usable.size, -1, dtype=np.int64)
    codes[usable] = found
    return codes


@dataclass(frozen=True, repr=False)
class _Groups:
    """Of each group, the records that teach it, the value that most of them have, and how many have it."""

    size: Ints
    lead: Ints
    top: Ints

    @classmethod
    def of(cls, codes: Ints, values: Ints, groups: int) -> _Groups:
        width = int(values.max(initial=0)) + 1
        both = codes * width + values
        if groups * width <= 4 * both.size + 1024:
            table = np.bincount(both, minlength=groups * width).reshape(groups, width)
            return cls(table.sum(axis=1), table.argmax(axis=1), table.max(axis=1))
        pairs, counts = np.unique(both, return_counts=True)
        order = np.lexsort((counts, pairs // width))
        pairs, counts = pairs[order], counts[order]
        owner = pairs // width
        last = np.flatnonzero(np.append(owner[1:] != owner[:-1], True)) if owner.size else owner
        lead, top = np.zeros(groups, dtype=np.int64), np.zeros(groups, dtype=np.int64)
        lead[owner[last]], top[owner[last]] = pairs[last] % width, counts[last]
        return cls(np.bincount(codes, minlength=groups), lead, top)


def by_groups(codes: Ints, filled: Ints, target: Target, surprise: float) -> Mask | None:
    """The hidden records whose value follows from records of the same group; None where it does not.

    Groups of how many records may be trusted is found by predicting each value from the others, in the file
    as if nothing were suppressed: what suppression leaves in view agrees with itself, because all else was
    hidden.
    """
    teaching = target.taught & (codes >= 0)
    asked = target.hidden & (codes >= 0)
    if not teaching.any() or not asked.any():
        return None
    count = int(codes.max()) + 1
    taught = _Groups.of(codes[teaching], target.values[teaching], count)
    whole = taught
    if not target.self_taught:
        known = (filled >= 0) & (target.values >= 0)
        whole = _Groups.of(filled[known], target.values[known], int(filled.max()) + 1)
    size, lead, top = whole.size, whole.lead, whole.top
    odd = size - top
    own = 1 if target.self_taught else 0
    at = codes[asked]
    truth, guess = target.values[asked], taught.lead[at]
    fewest = target.fewest
    largest = int(size.max())
    while fewest < largest:
        # a record that is predicted is not among those that predict it
        enough = size > fewest
        right = enough & (_ERRORS_IN * odd <= size - 1) & (top > 1)
        wrong = enough & (odd > 0) & (_ERRORS_IN * (odd - 1) <= size - 1)
        missed = np.where(wrong, odd + (size == 2), 0)
        hits = float(top[right].sum())
        guesses = hits + float(missed.sum())
        chance = float((top * target.share[lead])[right].sum() + (missed * target.share[lead]).sum())
        if _functional(hits, guesses, chance, surprise):
            others = taught.size[at]
            sure = (others >= fewest + own) & (_ERRORS_IN * (others - taught.top[at]) <= others)
            if _true_of_hidden(sure, guess, truth, target):
                found = np.zeros(codes.size, dtype=bool)
                found[np.flatnonzero(asked)[sure & (guess == truth)]] = True
                return found
        fewest *= 2
    return None


def by_order(ranks: Ints, target: Target, surprise: float) -> Mask | None:
    """The hidden records whose value both neighbours share in the order of a column, as age by birth."""
    teaching = target.taught & (ranks >= 0)
    asked = np.flatnonzero(target.hidden & (ranks >= 0))
    if not teaching.any() or not asked.size:
        return None
    whole = _in_order(ranks, target.values, (ranks >= 0) & (target.values >= 0))[1]
    there, value = _in_order(ranks, target.values, teaching)
    if there.size < _FEW_PLACES:
        return None
    before, after, own = whole[:-2], whole[2:], whole[1:-1]
    agree = (before == after) & (before >= 0)
    hits, guesses = float((agree & (own == before)).sum()), float(agree.sum())
    chance = float(target.share[before[agree]].sum())
    if not _functional(hits, guesses, chance, surprise):
        return None
    # the next place before and after each place where something is shown
    low = np.searchsorted(there, ranks[asked], side="left") - 1
    high = np.searchsorted(there, ranks[asked], side="right")
    inside = (low >= 0) & (high < there.size)
    guess = np.where(inside, value[np.maximum(low, 0)], -1)
    sure = inside & (guess >= 0) & (guess == value[np.minimum(high, there.size - 1)])
    truth = target.values[asked]
    guess = np.maximum(guess, 0)
    if not _true_of_hidden(sure, guess, truth, target):
        return None
    found = np.zeros(ranks.size, dtype=bool)
    found[asked[sure & (guess == truth)]] = True
    return found


def _in_order(ranks: Ints, values: Ints, rows: Mask) -> tuple[Ints, Ints]:
    """The places at which some records stand, and the value that all of them have there, else below zero."""
    places = int(ranks.max()) + 1
    groups = _Groups.of(ranks[rows], values[rows], places)
    there = np.flatnonzero(groups.size > 0)
    return there, np.where(groups.top == groups.size, groups.lead, -1 - np.arange(places))[there]


def _functional(hits: float, guesses: float, chance: float, surprise: float) -> bool:
    """Whether nearly all is predicted that guessing would not give, and so often that it is no chance."""
    if guesses <= 0 or chance >= guesses:
        return False
    if hits - chance < _FUNCTIONAL * (guesses - chance):
        return False
    return guesses * _divergence(hits / guesses, chance / guesses) >= surprise


def _divergence(seen: float, expected: float) -> float:
    """Of two probabilities of a hit, in nats: what bounds the tail of a binomial distribution (Chernoff)."""
    found = 0.0
    for p, q in ((seen, expected), (1 - seen, 1 - expected)):
        if p > 0:
            found += p * log(p / max(q, 1e-300))
    return found


def _true_of_hidden(sure: Mask, guess: Ints, truth: Ints, target: Target) -> bool:
    """Whether what was learnt holds of the hidden values too, as far as there are enough of them."""
    count = int(sure.sum())
    if not count:
        return False
    hits = int((sure & (guess == truth)).sum())
    if target.self_taught or count < _FEW_HIDDEN:
        return hits > 0
    return hits >= _ON_HIDDEN * count
