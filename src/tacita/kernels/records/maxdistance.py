"""The rounds of MD: two groups at the two records farthest apart."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from tacita.core.arrays import Floats, Ints

from .distance import farthest, nearest, squared_distances

# Positions in the state vector that is handed from call to call.
LENGTH, ALIVE, GROUPS = 0, 1, 2


class Ends(NamedTuple):
    """What is left, and who is farthest from whom.

    columns: (d, n) C order, no NaN at the start, consumed; rows: original row of each record; far: the record
    farthest from each, -1 unknown; bound: at least the squared distance to it; labels: filled per original
    row; state: see above.
    """

    columns: Floats
    rows: Ints
    far: Ints
    bound: Floats
    labels: Ints
    state: Ints


@njit(cache=True, nogil=True)
def _compact(ends, moved):
    """Move the records still here to the front, in order."""
    columns, rows, far, bound, _, state = ends
    kept = 0
    for i in range(state[LENGTH]):
        moved[i] = -1
        if not np.isnan(columns[0, i]):
            moved[i] = kept
            for c in range(columns.shape[0]):
                columns[c, kept] = columns[c, i]
            rows[kept] = rows[i]
            far[kept] = far[i]
            bound[kept] = bound[i]
            kept += 1
    for i in range(kept):
        if far[i] >= 0:
            far[i] = moved[far[i]]
    state[LENGTH] = kept


@njit(cache=True, nogil=True)
def _bound_by_detour(distances, n, reach, bound):
    """Nobody is farther from i than the way by the record that was measured; the rest covers rounding."""
    root = np.sqrt(reach)
    for i in range(n):
        way = np.sqrt(distances[i]) + root
        way *= way * (1 + 1e-9)
        if way < bound[i]:
            bound[i] = way


@njit(cache=True, nogil=True)
def _grow_by_seed(seed, ends, distances, chosen, best):
    """The records nearest to a seed join its group and vanish."""
    columns, rows, _, _, labels, state = ends
    n, group = state[LENGTH], state[GROUPS]
    squared_distances(columns, n, seed, distances)
    nearest(distances, n, chosen, best)
    for j in range(chosen.shape[0]):
        labels[rows[chosen[j]]] = group
        columns[0, chosen[j]] = np.nan


@njit(cache=True, nogil=True)
def _grow_by_centroid(seed, ends, distances, size):
    """One by one, the record nearest to the group's centroid joins it and vanishes."""
    columns, rows, _, _, labels, state = ends
    n, group = state[LENGTH], state[GROUPS]
    total = seed.copy()
    for members in range(1, size):
        squared_distances(columns, n, total / members, distances)
        closest = -1
        least = np.inf
        for i in range(n):
            if distances[i] < least:
                least = distances[i]
                closest = i
        for c in range(columns.shape[0]):
            total[c] += columns[c, closest]
        labels[rows[closest]] = group
        columns[0, closest] = np.nan


@njit(cache=True, nogil=True)
def max_distance_rounds(ends, k, by_centroid, scans):
    """Rounds of MD until fewer than 2k records are left (True), or `scans` passes over them are made (False).

    A record's farthest distance can only fall as records leave, so its old
    value stays a bound, and only records whose bound is the largest of all are ever measured again: exact,
    and as a rule far fewer than all pairs.
    O(n d) a scan, O(n) scratch a call.
    """
    columns, rows, far, bound, labels, state = ends
    d = columns.shape[0]
    distances = np.empty(columns.shape[1])
    moved = np.empty(columns.shape[1], dtype=np.int64)
    chosen = np.empty(k - 1, dtype=np.int64)
    best = np.empty(k - 1)
    while scans > 0:
        if state[ALIVE] < 2 * k:
            return True
        if state[LENGTH] - state[ALIVE] > state[LENGTH] // 8:
            _compact(ends, moved)
        n = state[LENGTH]
        r = farthest(bound, n)
        s = far[r]
        if s < 0 or np.isnan(columns[0, s]):
            squared_distances(columns, n, columns[:, r].copy(), distances)
            distances[r] = np.nan
            far[r] = farthest(distances, n)
            bound[r] = distances[far[r]]
            _bound_by_detour(distances, n, bound[r], bound)
            scans -= 1
            continue
        seeds = np.empty((2, d))
        for c in range(d):
            seeds[0, c] = columns[c, r]
            seeds[1, c] = columns[c, s]
        columns[0, r] = np.nan
        columns[0, s] = np.nan
        for end in range(2):
            labels[rows[s if end else r]] = state[GROUPS]
            if by_centroid:
                _grow_by_centroid(seeds[end], ends, distances, k)
            else:
                _grow_by_seed(seeds[end], ends, distances, chosen, best)
            state[GROUPS] += 1
        state[ALIVE] -= 2 * k
        for i in range(n):
            if np.isnan(columns[0, i]):
                bound[i] = np.nan
        scans -= 2 * k if by_centroid else 2
    return state[ALIVE] < 2 * k
