"""k-Ward: Ward's clustering until every group has k."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from tacita.core import Labels, Matrix, RunContext

from .microaggregation_method import WORK_PER_CALL, Growth, Microaggregation

# Enough steps between two looks at the clock to be fast, few enough to stop soon when cancelled.


def ward_labels(x: Matrix, k: int, run: RunContext, growth: Growth = "seed") -> Labels:
    """Groups of k to 2k-1 rows of x by k-Ward; x finite, C order, k rows or more. See `KWard`.

    >>> ward_labels(np.array([[0.0], [1.0], [9.0], [10.0]]), 2, RunContext()).tolist()
    [1, 1, 0, 0]
    """
    n = x.shape[0]
    labels = np.zeros(n, dtype=np.int64)
    groups, finished = 0, 0
    waiting = [np.arange(n)]
    while waiting:
        rows = waiting.pop()
        if rows.size < 2 * k:
            labels[rows] = groups
            groups += 1
            finished += rows.size
        else:
            # the first division costs about as much as all that follow it
            span = (0.0, 0.5) if rows.size == n else (0.5 + 0.5 * finished / n,) * 2
            waiting += [rows[part] for part in _divided(x[rows], k, run, span, growth)]
    run.report("grouping records", 1, 1)
    return labels


def farthest_two(x: Matrix) -> tuple[int, int]:
    """The two rows of x farthest apart, the lowest of those that tie. O(n d) a row looked at.

    >>> farthest_two(np.array([[3.0], [0.0], [7.0], [5.0]]))
    (1, 2)
    """
    from tacita.kernels.records.ward import farthest_pair

    n = x.shape[0]
    columns = np.array(x.T, order="C")
    r, s = farthest_pair(columns, n, distance_bounds(x), np.full(n, -1), np.empty(n))
    return int(r), int(s)


def distance_bounds(x: Matrix) -> Matrix:
    """For each row of x a squared distance that no other row exceeds, rounding included. O(n d).

    >>> bool((distance_bounds(np.array([[0.0], [4.0]])) >= 16).all())
    True
    """
    radius = np.sqrt(((x - x.mean(axis=0)) ** 2).sum(axis=1))
    bounds: Matrix = (radius + radius.max()) ** 2 * (1 + 1e-6)
    return bounds


def _divided(x: Matrix, k: int, run: RunContext, span: tuple[float, float], growth: Growth) -> list[Labels]:
    """The groups, two or more, that Ward's method makes of 2k or more rows; reports progress over `span`."""
    from tacita.kernels.records import ward as kernel

    n, d = x.shape
    r, s = farthest_two(x)
    around_r, around_s = _two_seeds(x, k, r, s, growth)
    single = np.ones(n, dtype=bool)
    single[around_r] = single[around_s] = False
    alone = np.flatnonzero(single)
    follows = np.full(n, -1)
    for group in (around_r, around_s):
        follows[group[:-1]] = group[1:]
    means = np.column_stack([x[around_r].mean(axis=0), x[around_s].mean(axis=0), x[alone].T])
    sizes = np.ones(means.shape[1], dtype=np.int64)
    sizes[:2] = k
    first = np.concatenate([around_r[:1], around_s[:1], alone])
    last = np.concatenate([around_r[-1:], around_s[-1:], alone])
    m = sizes.size
    state = np.array([m, m, alone.size, 0])
    chain = (np.empty(m, np.int64), np.full(m, -1))
    clusters = kernel.Clusters(np.ascontiguousarray(means), sizes, first, last, follows, *chain, state)
    done = False
    while not done:
        done = kernel.ward_mergers(clusters, k, 1 + WORK_PER_CALL // (m * d))
        settled = 1 - state[kernel.SHORT] / n
        run.report("grouping records", span[0] + (span[1] - span[0]) * settled, 1)
    labels = np.empty(n, dtype=np.int64)
    kernel.number_members(clusters, labels)
    return np.split(np.argsort(labels, kind="stable"), np.cumsum(np.bincount(labels))[:-1])


def _two_seeds(x: Matrix, k: int, r: int, s: int, growth: Growth) -> tuple[Labels, Labels]:
    """r and s, each with the k-1 records nearest to it or to the centroid of its group so far, r first."""
    if growth == "centroid":
        from tacita.kernels.records.ward import grow_around_centroid

        columns = np.array(x.T, order="C", copy=True)
        around = np.array([[r] * k, [s] * k])
        grow_around_centroid(columns, around)
        return around[0], around[1]
    from_r = ((x - x[r]) ** 2).sum(axis=1)
    from_r[r], from_r[s] = -1, np.inf
    around_r = np.argsort(from_r, kind="stable")[:k]
    from_s = ((x - x[s]) ** 2).sum(axis=1)
    from_s[s] = -1
    from_s[around_r] = np.inf
    return around_r, np.argsort(from_s, kind="stable")[:k]


class KWard(Microaggregation):
    """Ward's clustering, seeded at the two extremes, until every group has k.

    The two records farthest apart, each with its k-1 nearest, are two groups, or with growth around the
    centroid each with k-1 records that join one by one, the nearest to the centroid of the group so far;
    every other record starts alone. The two groups whose merger raises the within-group squared error least
    are merged, never two that both have k records, until all have k; groups of 2k or more are divided again
    the same way. Of mergers that cost the same any one may come first; the choice is always the same.

    O(n^2 d) time a level of division, few levels unless records are far outlying one by one; O(n d) memory.
    Source: Domingo-Ferrer & Mateo-Sanz (2002), IEEE Trans. Knowledge and Data Engineering 14(1), 189-201
    (k-Ward; with extremes found as here, Uk-W(MD)).

    >>> KWard(k=2).partition(np.array([[0.], [1.], [9.], [10.], [8.]])).labels.tolist()
    [0, 0, 1, 1, 1]
    """

    added: ClassVar[tuple[str, ...]] = ("growth",)

    growth: Growth = "seed"

    def group(self, x: Matrix, units: Labels | None, run: RunContext) -> Labels:
        return ward_labels(x, self.k, run, self.growth)
