"""Who is nearest: the question behind every linkage attack."""

from __future__ import annotations

from numba import njit


@njit(cache=True, nogil=True)
def own_is_nearest(queries, candidates, start, stop, out):
    """out[i - start] = 1/t if candidate i is among the t nearest of query i, all at one distance; else 0.

    queries, candidates: (n, d) C order, no NaN. Stops at the first candidate nearer than the own one,
    so that well-protected data costs far less than the O(n^2 d) of the worst case.
    """
    n, d = candidates.shape
    for i in range(start, stop):
        own = 0.0
        for c in range(d):
            t = candidates[i, c] - queries[i, c]
            own += t * t
        ties = 1
        for step in range(1, n):
            # neighbours in the file first: real files are rarely in random order
            j = i + step if i + step < n else i + step - n
            distance = 0.0
            for c in range(d):
                t = candidates[j, c] - queries[i, c]
                distance += t * t
                if distance > own:
                    break
            if distance < own:
                ties = 0
                break
            if distance == own:
                ties += 1
        out[i - start] = 1.0 / ties if ties > 0 else 0.0
