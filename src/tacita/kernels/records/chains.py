"""One path through all groups and their members: a short round trip of the centres, nearest-next inside.

Points by row (n, d), C order, no NaN. Ties go to the lowest row.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from .distance import gap
from .tour import reverse


@njit(cache=True, nogil=True)
def two_opt(points, near, tour, place, sweeps):
    """Turn stretches of a round trip round while that shortens it, `sweeps` times over at most.

    Tries to join a point to near[i], nearest first. place[tour[t]] = t. O(n m d) a sweep and O(n) a turn.
    """
    n = tour.shape[0]
    for _ in range(sweeps):
        better = False
        for a in range(n):
            for step in (1, -1):
                after = tour[(place[a] + step) % n]
                edge = np.sqrt(gap(points, a, points, after))
                for j in range(near.shape[1]):
                    b = near[a, j]
                    new = np.sqrt(gap(points, a, points, b))
                    if new >= edge:
                        break
                    beyond = tour[(place[b] + step) % n]
                    if b in (a, after) or beyond == a:
                        continue
                    saved = edge + np.sqrt(gap(points, b, points, beyond)) - new
                    saved -= np.sqrt(gap(points, after, points, beyond))
                    if saved > 1e-10 * edge:
                        if step == 1:
                            reverse(tour, place, place[after], place[b])
                        else:
                            reverse(tour, place, place[b], place[after])
                        better = True
                        break
        if not better:
            return


@njit(cache=True, nogil=True)
def members_in_order(x, centres, tour, start, rows, order):
    """Fill `order` with the rows group by group along the tour, each time the nearest of the group next.

    The members of group g are rows[start[g]:start[g + 1]]; the first group is entered at its row farthest
    from the centre of the second. `rows` is used up. O(d sum of squared group sizes).
    """
    done = 0
    for t in range(tour.shape[0]):
        low = start[tour[t]]
        high = start[tour[t] + 1]
        for left in range(high, low, -1):
            best = np.inf
            where = low
            for p in range(low, left):
                if done > 0:
                    length = gap(x, order[done - 1], x, rows[p])
                elif tour.shape[0] > 1:
                    length = -gap(centres, tour[1], x, rows[p])
                else:
                    length = 0.0
                if length < best or (length == best and rows[p] < rows[where]):
                    best = length
                    where = p
            order[done] = rows[where]
            done += 1
            rows[where] = rows[left - 1]
