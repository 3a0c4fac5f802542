"""A partition that is changed move by move, and what each move costs.

All moves are made of three steps, each priced in O(d) from distances to centroids alone (m the size of the
group, c its centroid, as they are before the step):

    put i in      m/(m+1) ||x_i - c||^2
    take i out   -m/(m-1) ||x_i - c||^2
    i for e       ||x_i - c||^2 - ||x_l - c||^2 - ||x_i - x_l||^2 / m

Records are rows of a C-order array without NaN. Squares are added in column order and nothing is
reassociated: results do not depend on the vector width of the machine.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit


class State(NamedTuple):
    """The records, and the groups as lists with their centroids. A group of size 0 is an unused number."""

    x: np.ndarray  # (n, d) float64
    near: np.ndarray  # (n, m) int32, nearest other records, nearest first
    units: np.ndarray  # (n,) int64: the firm or household behind each record; empty: no rule about them
    labels: np.ndarray  # (n,) int32
    place: np.ndarray  # (n,) int32, where a record stands in the list of its group
    members: np.ndarray  # (groups, 2k) int32, the first `sizes` of a row count
    sizes: np.ndarray  # (groups,) int32
    centres: np.ndarray  # (groups, d) float64
    own: np.ndarray  # (n,) float64: squared distance from the own centroid; empty: measured when needed
    unused: np.ndarray  # (groups + 1,) int32: how many numbers are unused, then which
    rows: np.ndarray  # (2k,) int64: scratch, the members of a group that is dissolved or created
    homes: np.ndarray  # (2k,) int64: scratch, where each of them goes or comes from


# Nothing here allocates, so that references need not be counted: the arrays of a state are many, and counting
# them takes longer than a step of a move. For the same reason such steps become part of the walk.
_OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy", "_nrt": False}
fast = njit(**_OPTIONS)
joined = njit(**_OPTIONS, forceinline=True)


@joined
def gap(a, i, b, j):
    """||a_i - b_j||^2. O(d)."""
    # unsigned: a signed index is tested for being negative at each use
    row = np.uintp(i)
    other = np.uintp(j)
    total = 0.0
    for q in range(a.shape[1]):
        c = np.uintp(q)
        t = a[row, c] - b[other, c]
        total += t * t
    return total


@joined
def from_own(s, i):
    """||x_i - centroid of its group||^2."""
    if s.own.shape[0] > 0:
        return s.own[i]
    return gap(s.x, i, s.centres, s.labels[i])


@joined
def put_delta(s, i, h):
    """What group h grows by if record i joins it."""
    m = s.sizes[h]
    return gap(s.x, i, s.centres, h) * (m / (m + 1.0))


@joined
def take_delta(s, i):
    """What the group of record i grows by (never above 0) if it leaves; the group has two records or more."""
    m = s.sizes[s.labels[i]]
    return -from_own(s, i) * (m / (m - 1.0))


@joined
def replace_delta(s, i, e):
    """What the group of record e grows by if record i, of another group, takes its place."""
    h = s.labels[e]
    return gap(s.x, i, s.centres, h) - from_own(s, e) - gap(s.x, i, s.x, e) / s.sizes[h]


@joined
def relocate_delta(s, i, h):
    """Record i to another group h."""
    return take_delta(s, i) + put_delta(s, i, h)


@joined
def swap_delta(s, i, e):
    """Records i and e, of two groups, change places."""
    g = s.labels[i]
    h = s.labels[e]
    change = gap(s.x, e, s.centres, g) - from_own(s, i) + gap(s.x, i, s.centres, h) - from_own(s, e)
    return change - gap(s.x, i, s.x, e) * (1.0 / s.sizes[g] + 1.0 / s.sizes[h])


@joined
def chain_delta(s, i, e, f):
    """Record i takes the place of e, which goes to a third group f."""
    return take_delta(s, i) + replace_delta(s, i, e) + put_delta(s, e, f)


@joined
def cycle_delta(s, i, e, m):
    """Record i takes the place of e, e that of m, m that of i; three groups."""
    return replace_delta(s, i, e) + replace_delta(s, e, m) + replace_delta(s, m, i)


@joined
def keeps_units(s, k, i, e):
    """Whether the group of record i has k units if i leaves and e, unless it is -1, comes. O(size^2)."""
    if s.units.shape[0] == 0 or (e >= 0 and s.units[e] == s.units[i]):
        return True
    g = s.labels[i]
    units = 0
    for j in range(s.sizes[g]):
        r = s.members[g, j]
        if r == i:
            r = e
        new = r >= 0
        for before in range(j):
            other = s.members[g, before]
            if other == i:
                other = e
            if new and other >= 0 and s.units[other] == s.units[r]:
                new = False
        units += new
    return units >= k


@joined
def put(s, i, h):
    """Record i, of no group, joins h. O(d)."""
    m = s.sizes[h]
    s.members[h, m] = i
    s.place[i] = m
    s.labels[i] = h
    s.sizes[h] = m + 1
    share = 1.0 / (m + 1.0)
    for c in range(s.x.shape[1]):
        s.centres[h, c] += (s.x[i, c] - s.centres[h, c]) * share


@joined
def take(s, i):
    """Record i leaves its group. O(d)."""
    g = s.labels[i]
    m = s.sizes[g] - 1
    last = s.members[g, m]
    s.members[g, s.place[i]] = last
    s.place[last] = s.place[i]
    s.sizes[g] = m
    s.labels[i] = -1
    if m > 0:
        share = 1.0 / m
        for c in range(s.x.shape[1]):
            s.centres[g, c] += (s.centres[g, c] - s.x[i, c]) * share


@joined
def _step_in(s, i, h, spot, e):
    """Record i takes the spot of e in group h; the label of e is left to the caller."""
    share = 1.0 / s.sizes[h]
    for c in range(s.x.shape[1]):
        s.centres[h, c] += (s.x[i, c] - s.x[e, c]) * share
    s.members[h, spot] = i
    s.place[i] = spot
    s.labels[i] = h


@joined
def refresh(s, g):
    """Measure the members of group g afresh. O(size d)."""
    if s.own.shape[0] > 0:
        for j in range(s.sizes[g]):
            i = s.members[g, j]
            s.own[i] = gap(s.x, i, s.centres, g)


@joined
def swap(s, i, e):
    """Records i and e change places."""
    g, h = s.labels[i], s.labels[e]
    spot_i, spot_l = s.place[i], s.place[e]
    _step_in(s, i, h, spot_l, e)
    _step_in(s, e, g, spot_i, i)
    refresh(s, g)
    refresh(s, h)


@joined
def relocate(s, i, h):
    """Record i goes to group h."""
    g = s.labels[i]
    take(s, i)
    put(s, i, h)
    refresh(s, g)
    refresh(s, h)


@joined
def chain(s, i, e, f):
    """Record i takes the place of e, which goes to f."""
    g, h = s.labels[i], s.labels[e]
    take(s, i)
    _step_in(s, i, h, s.place[e], e)
    put(s, e, f)
    refresh(s, g)
    refresh(s, h)
    refresh(s, f)


@joined
def cycle(s, i, e, m):
    """Record i takes the place of e, e that of m, m that of i."""
    g, h, f = s.labels[i], s.labels[e], s.labels[m]
    spot_i, spot_l, spot_m = s.place[i], s.place[e], s.place[m]
    _step_in(s, i, h, spot_l, e)
    _step_in(s, e, f, spot_m, m)
    _step_in(s, m, g, spot_i, i)
    refresh(s, g)
    refresh(s, h)
    refresh(s, f)


@fast
def settle(s):
    """Centroids and own distances from nothing, against rounding that piles up; returns the squared error.

    O(n d).
    """
    total = 0.0
    d = s.x.shape[1]
    for g in range(s.sizes.shape[0]):
        m = s.sizes[g]
        if m == 0:
            continue
        for c in range(d):
            s.centres[g, c] = 0.0
        for j in range(m):
            for c in range(d):
                s.centres[g, c] += s.x[s.members[g, j], c]
        for c in range(d):
            s.centres[g, c] /= m
        for j in range(m):
            i = s.members[g, j]
            square = gap(s.x, i, s.centres, g)
            total += square
            if s.own.shape[0] > 0:
                s.own[i] = square
    return total


@fast
def begin(s, labels):
    """Lists, sizes and unused numbers for labels 0, 1, ..., no group above 2k - 1; then `settle`. O(n d)."""
    s.sizes[:] = 0
    for i in range(labels.shape[0]):
        g = labels[i]
        s.labels[i] = g
        s.place[i] = s.sizes[g]
        s.members[g, s.sizes[g]] = i
        s.sizes[g] += 1
    s.unused[0] = 0
    for g in range(s.sizes.shape[0] - 1, -1, -1):
        if s.sizes[g] == 0:
            s.unused[0] += 1
            s.unused[s.unused[0]] = g
    return settle(s)
