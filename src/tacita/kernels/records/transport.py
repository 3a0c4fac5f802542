"""Records to centres at least total cost, every centre with at least k: a transportation problem.

Solved exactly by successive shortest paths: everyone at the cheapest centre is the best assignment that
ignores k; then each centre short of k gets one record at a time along the cheapest chain of moves from a
centre that has more than k. Potentials keep all reduced costs at 0 or above, so that chains are found by
Dijkstra's method from the short centre backwards, and each assignment on the way is the best there is.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def transport(near, costs, start, rows, slots, k, at, sizes):
    """Fill at[i] with the slot of record i's centre, so that every centre has k records; False if impossible.

    near, costs (n, m): the possible centres of each record and their costs, cheapest first; rows and slots:
    the pairs (record, slot) whose centre is g stand at start[g] to start[g + 1]. sizes: filled. Exact.
    O(missing records (groups visited (pairs of a group + groups))) time, O(groups) memory.
    """
    n = near.shape[0]
    groups = sizes.shape[0]
    potential = np.zeros(groups)
    distance = np.empty(groups)
    giver = np.empty(groups, dtype=np.int64)
    slot = np.empty(groups, dtype=np.int64)
    settled = np.zeros(groups, dtype=np.int64)
    for g in range(groups):
        sizes[g] = 0
    for i in range(n):
        at[i] = 0
        sizes[near[i, 0]] += 1
    search = 0
    for short in range(groups):
        while sizes[short] < k:
            search += 1
            for g in range(groups):
                distance[g] = np.inf
            distance[short] = 0.0
            donor = -1
            while donor < 0:
                v = -1
                for g in range(groups):
                    if settled[g] != search and distance[g] < np.inf and (v < 0 or distance[g] < distance[v]):
                        v = g
                if v < 0:
                    return False
                settled[v] = search
                if sizes[v] > k:
                    donor = v
                    break
                for p in range(start[v], start[v + 1]):
                    i = rows[p]
                    u = near[i, at[i]]
                    if settled[u] != search:
                        extra = costs[i, slots[p]] - costs[i, at[i]] + potential[u] - potential[v]
                        along = distance[v] + max(0.0, extra)
                        if along < distance[u]:
                            distance[u] = along
                            giver[u] = i
                            slot[u] = slots[p]
            for g in range(groups):
                if settled[g] == search:
                    potential[g] += distance[donor] - distance[g]
            sizes[donor] -= 1
            sizes[short] += 1
            u = donor
            while u != short:
                i = giver[u]
                at[i] = slot[u]
                u = near[i, at[i]]
    return True
