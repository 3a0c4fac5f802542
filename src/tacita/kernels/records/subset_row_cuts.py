"""Triples of records that a fractional choice of groups serves too often.

Of the groups that hold two or three records of a triple a partition can use only one. A fractional choice
whose weights on them add up to more than one breaks that rule.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def broken_triples(first, entries, groups, weights, least, out, excess):
    """Triples with two pairs in used groups whose weight exceeds 1 + `least`; returns how many were written.

    `first`, `entries`: numbers of the groups by record; `groups` (g, most) rows ended by -1; `weights` (g,).
    Writes sorted triples, some more than once, until `out` is full. O(n p^2 g s) for p partners of a record
    in g groups of s.
    """
    n = first.shape[0] - 1
    most = groups.shape[1]
    together = np.zeros(n)
    partners = np.empty(n, dtype=np.int64)
    written = 0
    for centre in range(n):
        count = 0
        for e in range(first[centre], first[centre + 1]):
            g = entries[e]
            for q in range(most):
                j = groups[g, q]
                if j < 0:
                    break
                if j != centre:
                    if together[j] == 0.0:
                        partners[count] = j
                        count += 1
                    together[j] += weights[g]
        for p in range(count):
            a = partners[p]
            for q in range(p):
                c = partners[q]
                if together[a] + together[c] <= least:
                    continue
                total = together[a] + together[c]
                for e in range(first[a], first[a + 1]):
                    g = entries[e]
                    has_c = False
                    has_centre = False
                    for r in range(most):
                        if groups[g, r] == c:
                            has_c = True
                        elif groups[g, r] == centre:
                            has_centre = True
                    if has_c:
                        # with the centre it was counted twice above, without it not yet
                        total += -weights[g] if has_centre else weights[g]
                if total > 1.0 + least and written < out.shape[0]:
                    low = min(a, c, centre)
                    high = max(a, c, centre)
                    out[written, 0] = low
                    out[written, 1] = a + c + centre - low - high
                    out[written, 2] = high
                    excess[written] = total - 1.0
                    written += 1
        for p in range(count):
            together[partners[p]] = 0.0
    return written
