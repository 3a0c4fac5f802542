"""What groups of records teach about a hidden value: functional dependences, not statistical ones.

An attacker groups the records by some columns, sees in each group what those that still show a value have in
common, and fills the others in, with one value or with a few that it must be among. That counts where each
value is predicted from the others of its group nearly without fault, far beyond what guessing gives, and so
often that it is no chance.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import log

import numpy as np

from tacita.core import Floats, Ints, Mask
from tacita.core.arrays import numbered

# The share that must be predicted right: of shown values beyond guessing, of hidden ones among predictions.
_FUNCTIONAL = 0.95
_ON_HIDDEN = 0.8
# One record in so many may differ from the value, or the few values, of its group: errors in the data.
_ERRORS_IN = 20
_ERRORS_OF_FEW = 100
# Hidden values of which a few must foretell this share; a guess may be among them a third of the time.
_FEW_ON_HIDDEN = 0.95
_FEW_BY_CHANCE = 0.35
# Fewer hidden values than this cannot refute what was learnt from the others.
_FEW_HIDDEN = 5
# Pairs of groups and values are counted in a table of so many cells a record at most, beyond it by sorting.
_CELLS_A_RECORD = 16
# Fewer distinct values have no order that could tell anything.
_FEW_PLACES = 20


@dataclass(frozen=True, repr=False)
class Target:
    """The hidden values of one column.

    `values` numbers what each record has, -1 where it has nothing; `taught` are the records from which the
    value can be learnt, `hidden` those in which it is to be found. `share[v]` is the probability that a guess
    of v is right, given what the release shows of the column. `fewest` is the number of records that must
    agree, `most` the number of values that a group may leave open, and `alike[v]` numbers what the release
    shows instead of v, where it shows something.
    """

    column: str
    values: Ints
    taught: Mask
    hidden: Mask
    share: Floats
    fewest: int
    most: int = 1
    alike: Ints | None = None

    @cached_property
    def self_taught(self) -> bool:
        """Whether hidden records are among those from which the value is learnt."""
        return bool((self.taught & self.hidden).any())

    @cached_property
    def cells(self) -> int:
        """How many values are hidden."""
        return int(np.count_nonzero(self.hidden))


@dataclass(frozen=True, repr=False)
class Known:
    """The other released columns: a number for each cell (-1 where it tells nothing), and its rank if any.

    `filled` has the numbers of columns that show nothing in places as if they showed everything.
    """

    codes: Mapping[str, Ints]
    filled: Mapping[str, Ints] = field(default_factory=dict)
    ranks: Mapping[str, Ints] = field(default_factory=dict)


@dataclass(frozen=True, repr=False)
class Few:
    """Hidden records of which the value is one of a few: a row of `values` each, -1 where it has fewer."""

    narrowed: Mask
    values: Ints


def joined(columns: Sequence[Ints]) -> Ints:
    """Number the combinations of some columns; -1 where one of them tells nothing.

    >>> joined([np.array([0, 0, 1]), np.array([2, -1, 2])]).tolist()
    [0, -1, 1]
    """
    usable = np.logical_and.reduce([codes >= 0 for codes in columns])
    every = bool(usable.all())
    combined, width = np.zeros(int(usable.sum()), dtype=np.int64), 1
    for codes in columns:
        own = int(codes.max(initial=0)) + 1
        if width * own > combined.size + 1 < width:
            combined = numbered(combined)
            width = int(combined.max(initial=0)) + 1
        combined = combined * own + (codes if every else codes[usable])
        width *= own
    if every:
        return numbered(combined)
    joint = np.full(usable.size, -1, dtype=np.int64)
    joint[usable] = numbered(combined)
    return joint


@dataclass(frozen=True, repr=False)
class _Groups:
    """Of each group, the records that teach it, the value that most of them have, and how many have it.

    Of the records that are predicted from others, `right` have that value and `wrong` another one.
    """

    size: Ints
    lead: Ints
    top: Ints
    right: Ints
    wrong: Ints

    @classmethod
    def of(cls, codes: Ints, values: Ints, groups: int, tested: Mask | None = None) -> _Groups:
        """From the group and value of each record; `tested` are those that are predicted, or all."""
        width = int(values.max(initial=0)) + 1
        both = codes * width + values
        if groups * width <= 4 * both.size + 1024:
            table = np.bincount(both, minlength=groups * width).reshape(groups, width)
            size, lead, top = table.sum(axis=1), table.argmax(axis=1), table.max(axis=1)
        else:
            pairs, counts = np.unique(both, return_counts=True)
            order = np.lexsort((counts, pairs // width))
            pairs, counts = pairs[order], counts[order]
            owner = pairs // width
            last = np.flatnonzero(np.append(owner[1:] != owner[:-1], True)) if owner.size else owner
            lead, top = np.zeros(groups, dtype=np.int64), np.zeros(groups, dtype=np.int64)
            lead[owner[last]], top[owner[last]] = pairs[last] % width, counts[last]
            size = np.bincount(codes, minlength=groups)
        if tested is None:
            return cls(size, lead, top, top, size - top)
        of_lead = values == lead[codes]
        right, wrong = (np.bincount(codes[tested & side], minlength=groups) for side in (of_lead, ~of_lead))
        return cls(size, lead, top, right, wrong)


def by_groups(codes: Ints, filled: Ints, target: Target, surprise: float, usual: float = 0.0) -> Mask | None:
    """The hidden records whose value follows from records of the same group; None where it does not.

    Groups of how many records may be trusted is found by predicting each value from the others, in the file
    as if nothing were suppressed: what suppression leaves in view agrees with itself, because all else was
    hidden. Changed values are predicted where they were changed. Of several columns, some foretell the value
    so often (`usual`) by themselves.
    """
    training, queried = _teaching_and_queried(codes, target)
    if not training.any() or not queried.size:
        return None
    count = int(codes.max()) + 1
    own = 1 if target.self_taught else 0
    tested = target.hidden[training] if own else None
    taught = _Groups.of(codes[training], target.values[training], count, tested)
    at = codes[queried]
    others = taught.size[at]
    right = taught.lead[at] == target.values[queried]
    sure = _ERRORS_IN * (others - taught.top[at]) <= others
    # the hidden values refute most columns, and are fewer than all
    borne_out = _borne_out(sure, others - own, right, target.fewest)
    if not borne_out:
        return None
    whole = taught if own else _whole(filled, target)
    fewest = next(_trusted(whole, target, surprise, usual, borne_out), None)
    if fewest is None:
        return None
    determined = np.zeros(codes.size, dtype=bool)
    determined[queried[sure & (others >= fewest + own) & right]] = True
    return determined


def _teaching_and_queried(codes: Ints, target: Target) -> tuple[Mask, Ints]:
    """The records that teach something, and those in which a value is to be found.

    Of groups in which nothing is hidden nothing is to be learnt, unless hidden records teach themselves.
    """
    queried = np.flatnonzero(target.hidden & (codes >= 0))
    if target.self_taught or not queried.size:
        return target.taught & (codes >= 0), queried
    # one place more: that of records without a group
    wanted = np.zeros(int(codes.max()) + 2, dtype=bool)
    wanted[codes[queried]] = True
    return target.taught & wanted[codes], queried


def _borne_out(sure: Mask, others: Ints, right: Mask, fewest: int, share: float = _ON_HIDDEN) -> list[int]:
    """How many records must agree, of those numbers that are tried, where that is true of hidden values."""
    trusted, sizes, hits = [], others[sure], others[sure & right]
    largest = int(hits.max(initial=0))
    while fewest <= largest:
        if _true_of_hidden(int((sizes >= fewest).sum()), int((hits >= fewest).sum()), share):
            trusted.append(fewest)
        fewest *= 2
    return trusted


def foretell(filled: Ints, target: Target, surprise: float) -> bool:
    """Whether groups predict their values at all, by one or by a few."""
    known = (filled >= 0) & (target.values >= 0)
    if not known.any():
        return False
    if next(_trusted(_whole(filled, target), target, surprise), None) is not None:
        return True
    if target.most < 2:
        return False
    ranked = _Ranked.of(filled[known], target.values[known], int(filled.max()) + 1, _tested(target, known))
    return any(
        next(_trusted_few(ranked, before, most, target, surprise), None) is not None
        for before, most in _steps(target.most)
    )


def _whole(filled: Ints, target: Target) -> _Groups:
    known = (filled >= 0) & (target.values >= 0)
    return _Groups.of(filled[known], target.values[known], int(filled.max()) + 1, _tested(target, known))


def _tested(target: Target, among: Mask) -> Mask | None:
    """The records that are predicted: all, or those whose value was changed."""
    return target.hidden[among] if target.self_taught else None


def _trusted(
    whole: _Groups,
    target: Target,
    surprise: float,
    usual: float = 0.0,
    tried: Sequence[int] | None = None,
) -> Iterator[int]:
    """How many records must agree for their value to be that of another of their group, as far as it is.

    Of the numbers that are `tried`, or of all.
    """
    size, lead, top = whole.size, whole.lead, whole.top
    odd = size - top
    for fewest in _numbers(target.fewest, int(size.max()), tried):
        # a record that is predicted is not among those that predict it
        enough = size > fewest
        right = enough & (_ERRORS_IN * odd <= size - 1) & (top > 1)
        wrong = enough & (odd > 0) & (_ERRORS_IN * (odd - 1) <= size - 1)
        # of two that differ, each is wrong of the other
        missed = np.where(wrong, whole.wrong + np.where(size == 2, whole.right, 0), 0)
        hits = float(whole.right[right].sum())
        guesses = hits + float(missed.sum())
        chance = float((whole.right * target.share[lead])[right].sum() + (missed * target.share[lead]).sum())
        if _functional(hits, guesses, chance, surprise, usual):
            yield fewest


def _numbers(fewest: int, largest: int, tried: Sequence[int] | None) -> list[int]:
    """The numbers of records that are tried below the size of the largest group: each twice the last.

    >>> _numbers(3, 30, None), _numbers(3, 30, [6, 24, 48])
    ([3, 6, 12, 24], [6, 24])
    """
    if tried is not None:
        return [number for number in tried if number < largest]
    numbers = []
    while fewest < largest:
        numbers.append(fewest)
        fewest *= 2
    return numbers


@dataclass(frozen=True, repr=False)
class _Ranked:
    """The values of each group, the most frequent first: whose (`owner`), which, how often, at what place.

    `tested` counts the records with a value that are predicted from others.
    """

    size: Ints
    owner: Ints
    value: Ints
    times: Ints
    place: Ints
    tested: Ints

    @classmethod
    def of(cls, codes: Ints, values: Ints, groups: int, tested: Mask | None = None) -> _Ranked:
        """From the group and value of each record."""
        width = int(values.max(initial=0)) + 1
        both = codes * width + values
        if groups * width <= _CELLS_A_RECORD * both.size + 1024:
            table = np.bincount(both, minlength=groups * width)
            pairs = np.flatnonzero(table)
            times = predicted = table[pairs]
            if tested is not None:
                predicted = np.bincount(both[tested], minlength=groups * width)[pairs]
        else:
            pairs, times = np.unique(both, return_counts=True)
            predicted = times
            if tested is not None:
                predicted = np.bincount(np.searchsorted(pairs, both[tested]), minlength=pairs.size)
        owner = pairs // width
        order = np.lexsort((-times, owner))
        owner, value = owner[order], (pairs % width)[order]
        begins = np.flatnonzero(np.append(True, owner[1:] != owner[:-1])) if owner.size else owner
        lengths = np.diff(np.append(begins, owner.size))
        place = np.arange(owner.size) - np.repeat(begins, lengths)
        size = np.bincount(codes, minlength=groups)
        return cls(
            size=size, owner=owner, value=value, times=times[order], place=place, tested=predicted[order]
        )

    def summed(self, chosen: Mask, figures: Ints | Floats) -> Floats:
        """The sum of figures of some values, for each group."""
        sums = np.bincount(self.owner[chosen], figures[chosen], minlength=self.size.size)
        return sums.astype(np.float64)

    def has(self, place: int) -> Mask:
        """Groups with a value at a place."""
        return np.asarray(np.bincount(self.owner[self.place == place], minlength=self.size.size) > 0)


def _steps(most: int) -> list[tuple[int, int]]:
    """How many values are left open: from above one number up to the next.

    >>> _steps(1), _steps(2), _steps(7)
    ([], [(1, 2)], [(1, 2), (2, 3), (3, 5), (5, 7)])
    """
    ends = [end for end in (1, 2, 3, 5, 8, 12, 20, 40, 80) if end < most]
    return list(zip(ends, [*ends[1:], most], strict=True)) if most > 1 else []


def by_few(codes: Ints, filled: Ints, target: Target, surprise: float, usual: float = 0.0) -> Few | None:
    """The hidden records whose value is among a few of their group, more than one; None where it is not.

    Trusted as `by_groups` is: a value that no other record of its group has is a miss. What a guess would be
    among a third of the time says too little.
    """
    if target.most < 2:
        return None
    training, queried = _teaching_and_queried(codes, target)
    if not training.any() or not queried.size:
        return None
    own = 1 if target.self_taught else 0
    tested = target.hidden[training] if own else None
    taught = _Ranked.of(codes[training], target.values[training], int(codes.max()) + 1, tested)
    whole = taught if own else None
    at, truth = codes[queried], target.values[queried]
    others = taught.size[at]
    narrowed = np.zeros(codes.size, dtype=bool)
    values = np.full((codes.size, target.most), -1, dtype=np.int64)
    for before, most in _steps(target.most):
        inner = taught.place < most
        table = np.full((taught.size.size, most), -1, dtype=np.int64)
        table[taught.owner[inner], taught.place[inner]] = taught.value[inner]
        covered = taught.summed(inner, taught.times)
        among = (table[at] == truth[:, None]).any(axis=1)
        sure = (_ERRORS_OF_FEW * (others - covered[at]) <= others) & (table[at, before] >= 0)
        if not (sure & among).any():
            continue
        sure &= (_usual(taught, most, target) <= _FEW_BY_CHANCE)[at]
        # the hidden values refute most columns, and are fewer than all
        borne_out = _borne_out(sure, others - own, among, max(target.fewest, before + 1), _FEW_ON_HIDDEN)
        if not borne_out:
            continue
        if whole is None:
            known = (filled >= 0) & (target.values >= 0)
            whole = _Ranked.of(filled[known], target.values[known], int(filled.max()) + 1)
        among_most = 1 - (1 - usual) ** most
        fewest = next(_trusted_few(whole, before, most, target, surprise, among_most, borne_out), None)
        if fewest is not None:
            rows = queried[sure & (others >= fewest + own) & among & ~narrowed[queried]]
            narrowed[rows] = True
            values[rows, :most] = table[codes[rows]]
    if not narrowed.any():
        return None
    if target.alike is not None:
        # the release itself says which of them it is not
        shown = target.alike[target.values]
        values = np.where((values >= 0) & (target.alike[values] == shown[:, None]), values, -1)
    return Few(narrowed, values)


def _trusted_few(
    whole: _Ranked,
    before: int,
    most: int,
    target: Target,
    surprise: float,
    by_parts: float = 0.0,
    tried: Sequence[int] | None = None,
) -> Iterator[int]:
    """How many records a group must have for another value to be among its most frequent ones.

    Of the numbers that are `tried`, or of all.
    """
    inner = whole.place < most
    alone = inner & (whole.times == 1)
    covered = whole.summed(inner, whole.times)
    odd = whole.size - covered
    usual = _usual(whole, most, target)
    several = whole.has(before) & (usual <= _FEW_BY_CHANCE)
    more = whole.has(most)
    hits_of = whole.summed(inner & ~alone, whole.tested)
    chance_of = whole.summed(inner & ~alone, _chances(whole, inner, target) * whole.tested)
    outside, single = whole.summed(~inner, whole.tested), whole.summed(alone, whole.tested)
    for fewest in _numbers(max(target.fewest, before + 1), int(whole.size.max()), tried):
        enough = several & (whole.size > fewest)
        right = enough & (_ERRORS_OF_FEW * odd <= whole.size - 1)
        wrong = enough & (_ERRORS_OF_FEW * (odd - 1) <= whole.size - 1)
        lone = enough & (_ERRORS_OF_FEW * (odd - more) <= whole.size - 1)
        missed = np.where(wrong, outside, 0.0) + np.where(lone, single, 0.0)
        hits = float(hits_of[right].sum())
        guesses = hits + float(missed.sum())
        chance = float(chance_of[right].sum() + (missed * usual).sum())
        if _functional(hits, guesses, chance, surprise, by_parts):
            yield fewest


def _usual(ranked: _Ranked, most: int, target: Target) -> Floats:
    """For each group the probability that a guess is among its most frequent values."""
    inner = ranked.place < most
    sums = ranked.summed(inner, _chances(ranked, inner, target) * ranked.times)
    return sums / np.maximum(1, ranked.summed(inner, ranked.times))


def _chances(whole: _Ranked, inner: Mask, target: Target) -> Floats:
    """For each value of a group the probability that a guess is among its most frequent ones."""
    alike = np.zeros(target.share.size, dtype=np.int64) if target.alike is None else target.alike
    shown = alike[whole.value]
    both = numbered(whole.owner * (int(shown.max(initial=0)) + 1) + shown)
    sums = np.bincount(both[inner], target.share[whole.value[inner]], minlength=int(both.max(initial=0)) + 1)
    return np.minimum(1.0, sums[both])


def by_order(ranks: Ints, target: Target, surprise: float) -> Mask | None:
    """The hidden records whose value both neighbours share in the order of a column, as age by birth."""
    training = target.taught & (ranks >= 0)
    queried = np.flatnonzero(target.hidden & (ranks >= 0))
    if not training.any() or not queried.size:
        return None
    whole = _in_order(ranks, target.values, (ranks >= 0) & (target.values >= 0))[1]
    there, value = _in_order(ranks, target.values, training)
    if there.size < _FEW_PLACES:
        return None
    before, after, own = whole[:-2], whole[2:], whole[1:-1]
    agree = (before == after) & (before >= 0)
    hits, guesses = float((agree & (own == before)).sum()), float(agree.sum())
    chance = float(target.share[before[agree]].sum())
    if not _functional(hits, guesses, chance, surprise):
        return None
    # the next place before and after each place where something is shown
    low = np.searchsorted(there, ranks[queried], side="left") - 1
    high = np.searchsorted(there, ranks[queried], side="right")
    inside = (low >= 0) & (high < there.size)
    guess = np.where(inside, value[np.maximum(low, 0)], -1)
    sure = inside & (guess >= 0) & (guess == value[np.minimum(high, there.size - 1)])
    truth = target.values[queried]
    guess = np.maximum(guess, 0)
    if not _true_of_hidden(int(sure.sum()), int((sure & (guess == truth)).sum())):
        return None
    determined = np.zeros(ranks.size, dtype=bool)
    determined[queried[sure & (guess == truth)]] = True
    return determined


def _in_order(ranks: Ints, values: Ints, rows: Mask) -> tuple[Ints, Ints]:
    """The places at which some records stand, and the value that all of them have there, else below zero."""
    places = int(ranks.max()) + 1
    groups = _Groups.of(ranks[rows], values[rows], places)
    there = np.flatnonzero(groups.size > 0)
    return there, np.where(groups.top == groups.size, groups.lead, -1 - np.arange(places))[there]


def _functional(hits: float, guesses: float, chance: float, surprise: float, usual: float = 0.0) -> bool:
    """Whether nearly all values that guessing would miss are predicted, and too often for chance.

    Neither the chance of guesses, nor that of values which are predicted so often (`usual`) anyway.
    """
    if guesses <= 0 or chance >= guesses:
        return False
    if hits - chance < _FUNCTIONAL * (guesses - chance):
        return False
    expected = max(chance / guesses, usual)
    return hits > expected * guesses and guesses * _divergence(hits / guesses, expected) >= surprise


def _divergence(seen: float, expected: float) -> float:
    """Of two probabilities of a hit, in nats: what bounds the tail of a binomial distribution (Chernoff)."""
    nats = 0.0
    for p, q in ((seen, expected), (1 - seen, 1 - expected)):
        if p > 0:
            nats += p * log(p / max(q, 1e-300))
    return nats


def _true_of_hidden(count: int, hits: int, share: float = _ON_HIDDEN) -> bool:
    """Whether what was learnt of so many hidden values holds of them too, as far as there are enough."""
    return hits > 0 if count < _FEW_HIDDEN else hits >= share * count
