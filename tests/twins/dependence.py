"""What groups of records teach, in the long way: every number that is tried is tried on all records.

Groups are trusted before the hidden values are looked at, pairs are counted by sorting, nothing is kept from
one combination of columns to the next.
"""

from collections import Counter

import numpy as np

from tacita.core.arrays import numbered
from tacita.microdata.verify import dependence, learning
from tacita.microdata.verify.learning import Few

ERRORS_IN, ERRORS_OF_FEW = 20, 100
ON_HIDDEN, FEW_ON_HIDDEN, FEW_HIDDEN, FEW_BY_CHANCE = 0.8, 0.95, 5, 0.35


def true_of_hidden(sure, right, share=ON_HIDDEN):
    """Whether what was learnt holds of the hidden values too."""
    count, hits = int(sure.sum()), int((sure & right).sum())
    if not count:
        return False
    return hits > 0 if count < FEW_HIDDEN else hits >= share * count


def by_groups(codes, filled, target, surprise, usual=0.0):
    """The hidden records whose value follows from records of the same group."""
    teaching, asked = target.taught & (codes >= 0), target.hidden & (codes >= 0)
    if not teaching.any() or not asked.any():
        return None
    own = bool((target.taught & target.hidden).any())
    tested = target.hidden[teaching] if own else None
    taught = learning._Groups.of(codes[teaching], target.values[teaching], int(codes.max()) + 1, tested)
    whole = taught if own else learning._whole(filled, target)
    at = codes[asked]
    truth, guess, others = target.values[asked], taught.lead[at], taught.size[at]
    for fewest in learning._trusted(whole, target, surprise, usual):
        sure = (others >= fewest + own) & (ERRORS_IN * (others - taught.top[at]) <= others)
        if true_of_hidden(sure, guess == truth):
            found = np.zeros(codes.size, dtype=bool)
            found[np.flatnonzero(asked)[sure & (guess == truth)]] = True
            return found
    return None


def ranked(codes, values, groups, tested=None):
    """The values of each group, the most frequent first, counted by sorting."""
    width = int(values.max(initial=0)) + 1
    both = codes * width + values
    pairs, times = np.unique(both, return_counts=True)
    predicted = times
    if tested is not None:
        times_tested = Counter(both[tested].tolist())
        predicted = np.array([times_tested[pair] for pair in pairs.tolist()], dtype=np.int64)
    owner = pairs // width
    order = np.lexsort((-times, owner))
    owner = owner[order]
    seen, place = Counter(), []
    for group in owner.tolist():
        place.append(seen[group])
        seen[group] += 1
    return learning._Ranked(
        size=np.bincount(codes, minlength=groups),
        owner=owner,
        value=(pairs % width)[order],
        times=times[order],
        place=np.array(place, dtype=np.int64),
        tested=predicted[order],
    )


def by_few(codes, filled, target, surprise, usual=0.0):
    """The hidden records whose value is among a few of their group."""
    teaching, asked = target.taught & (codes >= 0), np.flatnonzero(target.hidden & (codes >= 0))
    if target.most < 2 or not teaching.any() or not asked.size:
        return None
    own = bool((target.taught & target.hidden).any())
    tested = target.hidden[teaching] if own else None
    taught = ranked(codes[teaching], target.values[teaching], int(codes.max()) + 1, tested)
    whole = taught
    if not own:
        known = (filled >= 0) & (target.values >= 0)
        whole = ranked(filled[known], target.values[known], int(filled.max()) + 1)
    at, truth = codes[asked], target.values[asked]
    others = taught.size[at]
    found = np.zeros(codes.size, dtype=bool)
    values = np.full((codes.size, target.most), -1, dtype=np.int64)
    for before, most in learning._steps(target.most):
        inner = taught.place < most
        table = np.full((taught.size.size, most), -1, dtype=np.int64)
        table[taught.owner[inner], taught.place[inner]] = taught.value[inner]
        covered = taught.summed(inner, taught.times)
        tight = learning._usual(taught, most, target) <= FEW_BY_CHANCE
        among = (table[at] == truth[:, None]).any(axis=1)
        sure = (ERRORS_OF_FEW * (others - covered[at]) <= others) & (table[at, before] >= 0) & tight[at]
        among_most = 1 - (1 - usual) ** most
        for fewest in learning._trusted_few(whole, before, most, target, surprise, among_most):
            enough = sure & (others >= fewest + own)
            if true_of_hidden(enough, among, FEW_ON_HIDDEN):
                rows = asked[enough & among & ~found[asked]]
                found[rows] = True
                values[rows, :most] = table[codes[rows]]
                break
    if not found.any():
        return None
    if target.alike is not None:
        shown = target.alike[target.values]
        values = np.where((values >= 0) & (target.alike[values] == shown[:, None]), values, -1)
    return Few(found, values)


class Search(dependence._Search):
    """The search that looks everything up anew."""

    def _open(self, at, names):
        if len(names) == 1:
            return True
        if not self.left[at].any():
            return False
        inside, most = set(names), self.targets[at].hidden.sum() // 2
        return all(
            one.determined.sum() < most or not inside.issuperset(one.columns) for one in self.dependences[at]
        )

    def _agreement(self, names):
        rows = dependence._whole_groups(self.filled[max(names, key=lambda name: self.width[name])])
        codes = self.filled[names[0]][rows]
        for name in names[1:]:
            own = self.filled[name][rows]
            codes = np.where((codes < 0) | (own < 0), -1, codes * self.width[name] + own)
            codes = codes if self.n < 1_000_000 else numbered(codes) - int((codes < 0).any())
        order = np.argsort(codes)
        ordered = codes[order]
        first = np.flatnonzero((ordered[1:] == ordered[:-1]) & (ordered[1:] >= 0))
        values = np.column_stack([target.values[rows] for target in self.targets])
        one, other = values[order[first]], values[order[first + 1]]
        both = (one >= 0) & (other >= 0)
        places, agree = both.sum(axis=0), (both & (one == other)).sum(axis=0)
        open_ones = places * (1.0 - self.chance)
        good = (places >= 8) & (open_ones > 0)
        return np.where(good, (agree - places * self.chance) / np.where(good, open_ones, 1.0), 0.0)


def dependences(targets, known):
    """For each target the columns, pairs and triples that determine hidden values of it."""
    quick = dependence.by_groups, dependence.by_few
    dependence.by_groups, dependence.by_few = by_groups, by_few
    try:
        return Search(targets, known).run()
    finally:
        dependence.by_groups, dependence.by_few = quick
