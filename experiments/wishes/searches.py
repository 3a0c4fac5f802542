"""Searches that the documents propose and tacita does not offer: tabu, ants, a swarm, and loss with risk.

Kernels take records x (n, d), standardised, and keep for each group the sum of its records and its size.
Groups hold at least k records; every change of the squared error is exact.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from tacita.kernels.records.distance import gap
from tacita.kernels.records.genetic_ops import gap_to_mean

Matrix = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]

# Of swarms: inertia, and the pull of a particle's own best and of that of all (Clerc & Kennedy 2002).
_INERTIA, _PULL = 0.729, 1.494
# Of ants: what trails keep from round to round, and the least they come to.
_KEPT, _LEAST = 0.95, 0.02
# A group that a search may fill has at most so many times k records.
_LARGEST = 2


class Told(NamedTuple):
    """The best partition that a search met."""

    labels: Labels
    error: float


@njit(cache=True, nogil=True)
def _totals(x, labels, sums, sizes, members, place):
    """Fill sums, sizes and lists of members."""
    sums[:] = 0.0
    sizes[:] = 0
    for i in range(x.shape[0]):
        g = labels[i]
        members[g, sizes[g]] = i
        place[i] = sizes[g]
        sizes[g] += 1
        for a in range(x.shape[1]):
            sums[g, a] += x[i, a]


@njit(cache=True, nogil=True)
def _joined(x, i, sums, sizes, h):
    """What record i costs in group h."""
    return sizes[h] / (sizes[h] + 1.0) * gap_to_mean(x, i, sums, sizes, h)


@njit(cache=True, nogil=True)
def _left(x, i, sums, sizes, g):
    """What record i saves by leaving its group g, which has others."""
    return sizes[g] / (sizes[g] - 1.0) * gap_to_mean(x, i, sums, sizes, g)


@njit(cache=True, nogil=True)
def _exchanged(x, i, j, labels, sums, sizes):
    """The change of the squared error where i and j change places."""
    g, h = labels[i], labels[j]
    change = gap_to_mean(x, j, sums, sizes, g) - gap_to_mean(x, i, sums, sizes, g)
    change += gap_to_mean(x, i, sums, sizes, h) - gap_to_mean(x, j, sums, sizes, h)
    return change - gap(x, i, x, j) * (1.0 / sizes[g] + 1.0 / sizes[h])


@njit(cache=True, nogil=True)
def _relocate(x, i, h, labels, sums, sizes, members, place):
    g = labels[i]
    last = members[g, sizes[g] - 1]
    members[g, place[i]] = last
    place[last] = place[i]
    members[h, sizes[h]] = i
    place[i] = sizes[h]
    sizes[g] -= 1
    sizes[h] += 1
    labels[i] = h
    for a in range(x.shape[1]):
        sums[g, a] -= x[i, a]
        sums[h, a] += x[i, a]


@njit(cache=True, nogil=True)
def _exchange(x, i, j, labels, sums, members, place):
    g, h = labels[i], labels[j]
    members[g, place[i]] = j
    members[h, place[j]] = i
    place[i], place[j] = place[j], place[i]
    labels[i], labels[j] = h, g
    for a in range(x.shape[1]):
        t = x[j, a] - x[i, a]
        sums[g, a] += t
        sums[h, a] -= t


@njit(cache=True, nogil=True)
def _tabu(x, near, labels, k, rounds, looked, tenure, rng):
    """Tabu search with a candidate list; returns the best labels and the change of the squared error.

    In each round `looked` records drawn by chance may go to the groups of their neighbours, or change places
    with a record of these. The best of these moves is made, better or worse; the records that moved stay for
    `tenure` to twice as many rounds, unless moving them gives the best partition met.
    """
    n = x.shape[0]
    groups = labels.max() + 1
    sums = np.zeros((groups, x.shape[1]))
    sizes = np.zeros(groups, dtype=np.int64)
    members = np.empty((groups, max(_LARGEST * k, np.bincount(labels).max())), dtype=np.int64)
    place = np.empty(n, dtype=np.int64)
    _totals(x, labels, sums, sizes, members, place)
    until = np.zeros(n, dtype=np.int64)
    seen = np.full(groups, -1, dtype=np.int64)
    kept = labels.copy()
    now, best, stamp = 0.0, 0.0, 0
    for made in range(rounds):
        least, which, other, target = np.inf, -1, -1, -1
        for _ in range(looked):
            i = int(rng.random() * n)
            g = labels[i]
            stamp += 1
            for a in range(near.shape[1]):
                h = labels[near[i, a]]
                if h == g or seen[h] == stamp:
                    continue
                seen[h] = stamp
                if sizes[g] > k and sizes[h] < _LARGEST * k:
                    change = _joined(x, i, sums, sizes, h) - _left(x, i, sums, sizes, g)
                    if change < least and (until[i] <= made or now + change < best - 1e-9):
                        least, which, other, target = change, i, -1, h
                for b in range(sizes[h]):
                    j = members[h, b]
                    change = _exchanged(x, i, j, labels, sums, sizes)
                    free = until[i] <= made and until[j] <= made
                    if change < least and (free or now + change < best - 1e-9):
                        least, which, other = change, i, j
        if which < 0:
            continue
        until[which] = made + 1 + int(tenure * (1.0 + rng.random()))
        if other < 0:
            _relocate(x, which, target, labels, sums, sizes, members, place)
        else:
            until[other] = until[which]
            _exchange(x, which, other, labels, sums, members, place)
        now += least
        if now < best - 1e-9:
            best = now
            kept[:] = labels
    return kept, best


@njit(cache=True, nogil=True)
def _error(x, labels, groups):
    sums = np.zeros((groups, x.shape[1]))
    sizes = np.zeros(groups)
    for i in range(x.shape[0]):
        sizes[labels[i]] += 1.0
        for a in range(x.shape[1]):
            sums[labels[i], a] += x[i, a]
    total = 0.0
    for i in range(x.shape[0]):
        total += gap_to_mean(x, i, sums, sizes, labels[i])
    return total


@njit(cache=True, nogil=True)
def _join_rest(x, labels, sums, sizes):
    """Records without a group (-1) join where each costs least."""
    for i in range(x.shape[0]):
        if labels[i] >= 0:
            continue
        least, where = np.inf, 0
        for h in range(sizes.shape[0]):
            cost = _joined(x, i, sums, sizes, h)
            if cost < least:
                least, where = cost, h
        labels[i] = where
        sizes[where] += 1.0
        for a in range(x.shape[1]):
            sums[where, a] += x[i, a]


@njit(cache=True, nogil=True)
def _decode(x, centres, k, labels):
    """Groups of the k records nearest to each centre, the outermost first; the rest joins. O(n^2 d / k)."""
    n, d = x.shape
    groups = centres.shape[0]
    outer = np.argsort(-(centres * centres).sum(axis=1), kind="mergesort")
    sums = np.zeros((groups, d))
    sizes = np.zeros(groups)
    gaps = np.empty(n)
    labels[:] = -1
    for g in outer:
        for i in range(n):
            gaps[i] = np.inf
            if labels[i] < 0:
                total = 0.0
                for a in range(d):
                    t = x[i, a] - centres[g, a]
                    total += t * t
                gaps[i] = total
        for _ in range(k):
            i = np.argmin(gaps)
            gaps[i] = np.inf
            labels[i] = g
            sizes[g] += 1.0
            for a in range(d):
                sums[g, a] += x[i, a]
    _join_rest(x, labels, sums, sizes)
    return _error(x, labels, groups)


@njit(cache=True, nogil=True)
def _ant(x, near, trail, outer, k, labels, rng):
    """One ant makes groups: a seed from outside in, then k - 1 records by trail and nearness. O(n m d)."""
    n, d = x.shape
    m = near.shape[1]
    groups = n // k
    sums = np.zeros((groups, d))
    sizes = np.zeros(groups)
    odds = np.empty(m)
    labels[:] = -1
    first = 0
    for g in range(groups):
        while labels[outer[first]] >= 0:
            first += 1
        seed = first
        # now and then another of the outermost
        while rng.random() < 0.1 and seed + 1 < n:
            seed += 1
        while labels[outer[seed]] >= 0:
            seed = seed + 1 if seed + 1 < n else first
        s = outer[seed]
        i = s
        for taken in range(k):
            if taken > 0:
                whole = 0.0
                for a in range(m):
                    j = near[s, a]
                    odds[a] = 0.0
                    if labels[j] < 0:
                        odds[a] = trail[s, a] / (gap_to_mean(x, j, sums, sizes, g) + 1e-9) ** 2
                    whole += odds[a]
                i = -1
                if whole > 0.0:
                    drawn = rng.random() * whole
                    for a in range(m):
                        drawn -= odds[a]
                        if odds[a] > 0.0:
                            i = near[s, a]
                            if drawn <= 0.0:
                                break
                else:
                    least = np.inf
                    for j in range(n):
                        if labels[j] < 0:
                            away = gap_to_mean(x, j, sums, sizes, g)
                            if away < least:
                                least, i = away, j
            labels[i] = g
            sizes[g] += 1.0
            for a in range(d):
                sums[g, a] += x[i, a]
    _join_rest(x, labels, sums, sizes)
    return _error(x, labels, groups)


@njit(cache=True, nogil=True)
def _ants(x, near, k, rounds, ants, rng):
    """A colony: after each round the best partition met lays trails between neighbours in a group."""
    n, m = near.shape
    outer = np.argsort(-(x * x).sum(axis=1), kind="mergesort")
    trail = np.ones((n, m))
    labels = np.empty(n, dtype=np.int64)
    kept = np.empty(n, dtype=np.int64)
    best = np.inf
    for _ in range(rounds):
        for _ in range(ants):
            error = _ant(x, near, trail, outer, k, labels, rng)
            if error < best:
                best = error
                kept[:] = labels
        for i in range(n):
            for a in range(m):
                same = 1.0 if kept[i] == kept[near[i, a]] else 0.0
                trail[i, a] = max(_LEAST, _KEPT * trail[i, a] + (1.0 - _KEPT) * same)
    return kept, best


@njit(cache=True, nogil=True)
def _hit(x, sums, sizes, labels, g):
    """Whether the record nearest to the mean of group g is one of its own: linkage then finds that one."""
    least, where = np.inf, -1
    for i in range(x.shape[0]):
        away = gap_to_mean(x, i, sums, sizes, g)
        if away < least:
            least, where = away, i
    return labels[where] == g


@njit(cache=True, nogil=True)
def _front(x, near, labels, k, weight, scale, moves, rng):
    """Annealing of squared error + weight x groups whose mean leads to a member; labels end as they are last.

    O(n d) a move that is tried, for two means are compared with all records.
    """
    n = x.shape[0]
    groups = labels.max() + 1
    sums = np.zeros((groups, x.shape[1]))
    sizes = np.zeros(groups, dtype=np.int64)
    members = np.empty((groups, max(2 * _LARGEST * k, np.bincount(labels).max())), dtype=np.int64)
    place = np.empty(n, dtype=np.int64)
    _totals(x, labels, sums, sizes, members, place)
    hits = np.zeros(groups, dtype=np.int64)
    for g in range(groups):
        hits[g] = 1 if _hit(x, sums, sizes, labels, g) else 0
    for made in range(moves):
        heat = scale * (1.0 - made / moves) ** 2
        i = int(rng.random() * n)
        j = near[i, int(rng.random() * near.shape[1])]
        g, h = labels[i], labels[j]
        if g == h:
            continue
        move = sizes[g] > k and sizes[h] < 2 * _LARGEST * k and rng.random() < 0.5
        j = members[h, int(rng.random() * sizes[h])]
        if move:
            change = _joined(x, i, sums, sizes, h) - _left(x, i, sums, sizes, g)
        else:
            change = _exchanged(x, i, j, labels, sums, sizes)
        # what no lower risk could pay for need not be tried
        limit = -heat * np.log(rng.random() + 1e-300)
        if change - weight * (hits[g] + hits[h]) > limit:
            continue
        if move:
            _relocate(x, i, h, labels, sums, sizes, members, place)
        else:
            _exchange(x, i, j, labels, sums, members, place)
        one = 1 if _hit(x, sums, sizes, labels, g) else 0
        other = 1 if _hit(x, sums, sizes, labels, h) else 0
        if change + weight * (one + other - hits[g] - hits[h]) <= limit:
            hits[g], hits[h] = one, other
        elif move:
            _relocate(x, i, g, labels, sums, sizes, members, place)
        else:
            _exchange(x, i, j, labels, sums, members, place)
    return hits.sum()


def near_of(x: Matrix, count: int) -> Labels:
    """The nearest other records of each record."""
    from sklearn.neighbors import NearestNeighbors

    found = NearestNeighbors(n_neighbors=min(count, len(x) - 1)).fit(x).kneighbors(return_distance=False)
    return np.ascontiguousarray(found, dtype=np.int64)


def error_of(x: Matrix, labels: Labels) -> float:
    """The squared error of groups."""
    return float(_error(x, labels, int(labels.max()) + 1))


def tabu(x: Matrix, start: Labels, k: int, rounds: int, seed: int) -> Told:
    """Tabu search (Glover 1989) from a partition: 30 neighbours, 30 records a round, tenure sqrt(n)."""
    rng = np.random.default_rng(seed)
    tenure = float(np.sqrt(len(x)))
    labels, _ = _tabu(x, near_of(x, 30), start.astype(np.int64), k, rounds, 30, tenure, rng)
    return Told(labels, error_of(x, labels))


def ants(x: Matrix, k: int, rounds: int, seed: int) -> Told:
    """A colony of 10 ants (Stuetzle & Hoos 2000): groups by trail and nearness, 30 neighbours."""
    labels, error = _ants(x, near_of(x, 30), k, rounds, 10, np.random.default_rng(seed))
    return Told(labels, float(error))


def swarm(x: Matrix, start: Labels, k: int, rounds: int, seed: int) -> Told:
    """A swarm of 20 particles (Kennedy & Eberhart 1995): all centres of groups are a particle's position.

    One begins at the means of the start, the others near them.
    """
    rng = np.random.default_rng(seed)
    groups = len(x) // k
    # the start may have a group less than there is room for
    means = np.array([x[start == g].mean(axis=0) for g in range(int(start.max()) + 1)])[:groups]
    means = np.vstack([means, x[rng.choice(len(x), groups - len(means), replace=False)]])
    place = means + np.where(np.arange(20)[:, None, None] > 0, 0.3, 0.0) * rng.normal(size=(20, *means.shape))
    speed = np.zeros_like(place)
    labels = np.empty(len(x), dtype=np.int64)
    own, owned = place.copy(), np.full(20, np.inf)
    best, kept, leader = np.inf, labels, place[0]
    for _ in range(rounds):
        for q in range(20):
            error = _decode(x, place[q], k, labels)
            if error < owned[q]:
                owned[q], own[q] = error, place[q]
            if error < best:
                best, kept, leader = error, labels.copy(), place[q].copy()
        pulls = rng.random((2, *place.shape))
        speed = _INERTIA * speed + _PULL * (pulls[0] * (own - place) + pulls[1] * (leader - place))
        place = place + speed
    return Told(kept, float(best))


def weighted(x: Matrix, start: Labels, k: int, weight: float, moves: int, seed: int) -> Told:
    """Annealing of loss and risk together from a partition, for one weight of the risk."""
    labels = start.astype(np.int64).copy()
    scale = error_of(x, labels) / len(x)
    _front(x, near_of(x, 30), labels, k, weight, 0.3 * scale, moves, np.random.default_rng(seed))
    return Told(labels, error_of(x, labels))
