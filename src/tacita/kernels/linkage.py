"""Who is nearest: the question behind every linkage attack."""

from __future__ import annotations

from numba import njit

# Distances that agree to so many digits are a tie: rounding must not decide who is found.
TIE = 1e-9


@njit(cache=True, nogil=True)
def own_is_nearest(queries, candidates, weights, start, stop, out):
    """out[i - start] = 1/t if candidate i is among the t nearest of query i, all at one distance; else 0.

    Squared distance: sum over columns of weight * difference^2. queries, candidates: (n, d) C order,
    no NaN. Stops at the first candidate nearer than the own one, so that well-protected data costs far
    less than the O(n^2 d) of the worst case.
    """
    n, d = candidates.shape
    for i in range(start, stop):
        own = 0.0
        for c in range(d):
            t = candidates[i, c] - queries[i, c]
            own += weights[c] * t * t
        nearer = own * (1 - TIE)
        farther = own * (1 + TIE)
        ties = 1
        for step in range(1, n):
            # neighbours in the file first: real files are rarely in random order
            j = i + step if i + step < n else i + step - n
            distance = 0.0
            for c in range(d):
                t = candidates[j, c] - queries[i, c]
                distance += weights[c] * t * t
                if distance > farther:
                    break
            if distance < nearer:
                ties = 0
                break
            if distance <= farther:
                ties += 1
        out[i - start] = 1.0 / ties if ties > 0 else 0.0
