"""The annealing walk over the moves of `anneal`, the descent after it, and the dissolving of groups.

Randomness is an array of one uint64, never 0, that a call takes further; the same array, the same walk.
Group sizes stay within k and 2k - 1 throughout, and where records have units every group keeps k of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacita.core.arrays import Ints

from .move_costs import (
    chain,
    chain_delta,
    cycle,
    cycle_delta,
    fast,
    from_own,
    gap,
    joined,
    keeps_units,
    put,
    put_delta,
    refresh,
    relocate,
    relocate_delta,
    swap,
    swap_delta,
    take,
)

# Of 1024 proposals so many would dissolve a group, and as many create one: 2 % together.
_DISSOLVING = 10
# Of 16 exchanges so many are between two groups, the rest among three.
_SWAPS = 10
# exp(-14) is one in a million: what costs more is refused unasked
_HOPELESS = 14.0
# Records that take turns: few enough that they and their neighbours stay in a core's own cache.
SEGMENT = 2048
_HOMES_WEIGHED = 4
# From this k on, of two records the one farther from its centroid is taken: it gains more by leaving.
_CHOOSY = 5


@joined
def draw(random):
    """The next 64 random bits, by xorshift with a multiplier (Marsaglia 2003, Vigna 2016)."""
    r = random[0]
    r ^= r >> np.uint64(12)
    r ^= r << np.uint64(25)
    r ^= r >> np.uint64(27)
    random[0] = r
    return r * np.uint64(2685821657736338717)


@joined
def _below(bits, n):
    """A number in 0..n-1 from the lower 32 bits."""
    return np.int64((bits & np.uint64(0xFFFFFFFF)) * np.uint64(n) >> np.uint64(32))


@joined
def _rank(bits, m):
    """A place in a list of m neighbours from the lower 16 bits; the square prefers the nearest."""
    u = np.float64(bits & np.uint64(0xFFFF)) * (1.0 / 65536.0)
    return np.int64(m * u * u)


@joined
def _accepts(random, delta, temperature):
    """Metropolis: always what does not cost, else with probability exp(-delta / temperature)."""
    if delta <= 0.0:
        return True
    if delta > _HOPELESS * temperature:
        return False
    u = (np.float64(draw(random) >> np.uint64(11)) + 0.5) * (1.0 / 9007199254740992.0)
    return delta < -np.log(u) * temperature


@joined
def _home(s, k, i, g):
    """The cheapest of the first few groups with room among the neighbours of record i, not g; -1 if none."""
    best = np.inf
    home = -1
    weighed = 0
    for q in range(s.near.shape[1]):
        h = s.labels[s.near[i, q]]
        if h != g and h != home and h >= 0 and s.sizes[h] < 2 * k - 1:
            cost = put_delta(s, i, h)
            if cost < best:
                best = cost
                home = h
            weighed += 1
            if weighed == _HOMES_WEIGHED:
                break
    return home


@fast
def dissolve(s, k, random, g, temperature):
    """Try to give the members of group g to groups near them; returns the change, 0 if refused. O(k^2 d)."""
    rows = s.rows
    homes = s.homes
    m = s.sizes[g]
    delta = 0.0
    for j in range(m):
        rows[j] = s.members[g, j]
        delta -= from_own(s, rows[j])
    placed = 0
    for j in range(m):
        home = _home(s, k, rows[j], g)
        if home < 0:
            break
        delta += put_delta(s, rows[j], home)
        homes[j] = home
        put(s, rows[j], home)
        placed += 1
        if delta > _HOPELESS * temperature:
            break
    if placed == m and _accepts(random, delta, temperature):
        s.sizes[g] = 0
        s.unused[0] += 1
        s.unused[s.unused[0]] = g
        for j in range(m):
            refresh(s, homes[j])
        return delta
    for j in range(placed - 1, -1, -1):
        take(s, rows[j])
        s.labels[rows[j]] = g
        s.place[rows[j]] = j
    return 0.0


@joined
def _is_new(s, i, rows, count):
    """Whether none of the first `count` rows has the unit of record i."""
    if s.units.shape[0] > 0:
        for j in range(count):
            if s.units[rows[j]] == s.units[i]:
                return False
    return True


@fast
def create(s, k, random, i, temperature):
    """Try to make a group of record i and the nearest that others can spare; 0 if refused. O(k d + m)."""
    rows = s.rows
    homes = s.homes
    if s.unused[0] == 0 or s.sizes[s.labels[i]] <= k:
        return 0.0
    g = s.unused[s.unused[0]]
    delta = 0.0
    count = 0
    for q in range(-1, s.near.shape[1]):
        r = i if q < 0 else s.near[i, q]
        h = s.labels[r]
        m = s.sizes[h]
        if m > k and keeps_units(s, k, r, -1) and _is_new(s, r, rows, count):
            # not from_own: the centroid may have moved since that was measured
            delta -= gap(s.x, r, s.centres, h) * (m / (m - 1.0))
            take(s, r)
            # until all are found it counts as a member of none, but is still there to be put back
            s.labels[r] = h
            rows[count] = r
            homes[count] = h
            count += 1
            if count == k:
                break
    if count == k:
        for c in range(s.x.shape[1]):
            total = 0.0
            for j in range(k):
                total += s.x[rows[j], c]
            s.centres[g, c] = total / k
        for j in range(k):
            delta += gap(s.x, rows[j], s.centres, g)
        if _accepts(random, delta, temperature):
            s.unused[0] -= 1
            s.sizes[g] = k
            for j in range(k):
                s.labels[rows[j]] = g
                s.members[g, j] = rows[j]
                s.place[rows[j]] = j
            refresh(s, g)
            for j in range(k):
                refresh(s, homes[j])
            return delta
    for j in range(count - 1, -1, -1):
        put(s, rows[j], homes[j])
    return 0.0


@joined
def _may_swap(s, k, i, e):
    """Whether both groups have k units still if records i and e change places."""
    return keeps_units(s, k, i, e) and keeps_units(s, k, e, i)


@fast
def walk(s, k, random, active, moves, temperature):
    """Propose so many moves of the records `active`, at one temperature; those near each other take turns.

    Record i is drawn, then one of its neighbours, j: i goes to the group of j. Where sizes allow it may
    simply go; otherwise another member e makes room and goes to the group of i, or to that of one of its own
    neighbours, where someone may have to leave for the group of i. From k = 5 on i and e are each the farther
    from its centroid of two that are drawn. O(moves d), and O(k d) more for each made.
    """
    n = active.shape[0]
    m = s.near.shape[1]
    top = 2 * k - 1
    choosy = k >= _CHOOSY and s.own.shape[0] > 0
    for first in range(0, n, SEGMENT):
        last = min(first + SEGMENT, n)
        for _ in range(moves * first // n, moves * last // n):
            bits = draw(random)
            i = active[first + _below(bits >> np.uint64(32), last - first)]
            if choosy:
                other = active[first + _below(draw(random), last - first)]
                if s.own[other] > s.own[i]:
                    i = other
            g = s.labels[i]
            kind = bits & np.uint64(1023)
            if kind < 2 * _DISSOLVING:
                if kind >= _DISSOLVING:
                    create(s, k, random, i, temperature)
                elif s.sizes[g] < k + 2:
                    dissolve(s, k, random, g, temperature)
                continue
            j = s.near[i, _rank(bits >> np.uint64(10), m)]
            h = s.labels[j]
            if h == g:
                continue
            if s.sizes[g] > k and s.sizes[h] < top and kind & np.uint64(1) == 0:
                if _accepts(random, relocate_delta(s, i, h), temperature) and keeps_units(s, k, i, -1):
                    relocate(s, i, h)
                continue
            bits = draw(random)
            e = s.members[h, _below(bits >> np.uint64(32), s.sizes[h])]
            if choosy:
                other = s.members[h, _below(draw(random), s.sizes[h])]
                if s.own[other] > s.own[e]:
                    e = other
            if e == j:
                continue
            if bits & np.uint64(15) < _SWAPS:
                if _accepts(random, swap_delta(s, i, e), temperature) and _may_swap(s, k, i, e):
                    swap(s, i, e)
                continue
            f = s.labels[s.near[e, _rank(bits >> np.uint64(4), m)]]
            if f == g or f == h:  # noqa: SIM109
                continue
            if s.sizes[g] > k and s.sizes[f] < top:
                stays = keeps_units(s, k, i, -1) and keeps_units(s, k, e, i)
                if stays and _accepts(random, chain_delta(s, i, e, f), temperature):
                    chain(s, i, e, f)
            else:
                r = s.members[f, _below(draw(random), s.sizes[f])]
                stays = keeps_units(s, k, e, i) and keeps_units(s, k, r, e) and keeps_units(s, k, i, r)
                if stays and _accepts(random, cycle_delta(s, i, e, r), temperature):
                    cycle(s, i, e, r)


class Looks(NamedTuple):
    """When each record last looked round, and each group last changed or was last weighed; what time it is.

    Groups that have not changed since a record looked at them have nothing new to offer to it.
    """

    looked: Ints
    changed: Ints
    weighed: Ints
    clock: Ints


def no_looks(n: int, groups: int) -> Looks:
    """Nobody has looked yet."""
    looked, changed, weighed = (np.zeros(size, dtype=np.int64) for size in (n, groups, groups))
    return Looks(looked, changed, weighed, np.array([1]))


@fast
def descend(s, k, least, first, last, reach, looks):
    """Relocate and swap records first..last-1 with the groups of neighbours where that saves over `least`.

    Each looks at the `reach` nearest. What was weighed and has not changed since is not weighed again, which
    changes no decision; `looks` has to be of this descent. Returns how many changes were made: when there are
    none in a pass over all records, there is nothing more to gain.
    O((last - first) reach k d) at worst; from the second pass on most is skipped.
    """
    looked, changed, weighed, clock = looks
    made = 0
    for i in range(first, last):
        seen = looked[i]
        clock[0] += 1
        began = clock[0]
        looked[i] = began
        for q in range(reach):
            g = s.labels[i]
            h = s.labels[s.near[i, q]]
            if h == g:
                continue
            known = weighed[h] if weighed[h] >= began else seen
            if changed[g] < known and changed[h] < known:
                continue
            clock[0] += 1
            if _bettered(s, k, least, i, h):
                changed[g] = clock[0]
                changed[h] = clock[0]
                made += 1
            else:
                weighed[h] = clock[0]
    return made


@joined
def _bettered(s, k, least, i, h):
    """Relocate record i to group h, or else swap it with a member, if that saves over `least`. O(k d).

    ||x_i - x_e||^2 is measured only if a swap could gain at its largest, which by way of either centroid is
    2 (||x_i - c||^2 + ||x_e - c||^2).
    """
    g = s.labels[i]
    m = s.sizes[g]
    size = s.sizes[h]
    own = from_own(s, i)
    across = gap(s.x, i, s.centres, h)
    if m > k and size < 2 * k - 1:
        change = -own * (m / (m - 1.0)) + across * (size / (size + 1.0))
        if change < -least and keeps_units(s, k, i, -1):
            relocate(s, i, h)
            return True
    share = 1.0 / m + 1.0 / size
    for j in range(size):
        e = s.members[h, j]
        back = gap(s.x, e, s.centres, g)
        change = back - own + across - from_own(s, e)
        if change >= 2.0 * share * min(across + from_own(s, e), back + own):
            continue
        if change - gap(s.x, i, s.x, e) * share < -least and _may_swap(s, k, i, e):
            swap(s, i, e)
            return True
    return False


@fast
def collect(s, keys, low, scale, hashes, members, sizes):
    """Copy out every group none of whose records has a scale below `low`; returns how many there are.

    A group's hash is the sum of the random keys of its members; members and sizes as in the state. O(n).
    """
    count = 0
    for g in range(s.sizes.shape[0]):
        m = s.sizes[g]
        if m == 0:
            continue
        cold = True
        total = np.uint64(0)
        for j in range(m):
            i = s.members[g, j]
            total += keys[i]
            cold = cold and scale[i] >= low
            members[count, j] = i
        if cold:
            hashes[count] = total
            sizes[count] = m
            count += 1
    return count
