"""Fuzzy c-means: every record belongs to all clusters, to each by a share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tacita.core import DataError, Ints, Matrix

# A squared distance or error of nothing counts as this, so that records that coincide share themselves.
_TINY = 1e-300


@dataclass(frozen=True, eq=False)
class FuzzyClusters:
    """Shares of n records in c clusters (rows add up to 1), and the centres of the clusters.

    `objective` is sum u^m d^2 and `change` the largest change of a share, both of the last round.
    """

    memberships: Matrix
    centres: Matrix
    objective: float
    change: float
    rounds: int

    @property
    def labels(self) -> Ints:
        """The cluster each record has its largest share in; ties to the first."""
        return self.memberships.argmax(axis=1).astype(np.int64)


def fuzzy_c_means(
    x: Matrix,
    c: int,
    generator: np.random.Generator,
    *,
    m: float = 1.5,
    tolerance: float = 1e-4,
    rounds: int = 100,
    report: Callable[[int, int], None] = lambda _done, _total: None,
) -> FuzzyClusters:
    """Alternate memberships u_ik = 1 / sum_j (d_ik / d_ij)^(1/(m-1)), d squared distances, and centres.

    A centre is the mean of all records with weights u^m. A record that coincides with centres shares itself
    among them. Stops at the first round whose largest change is below `tolerance`, or after `rounds`. The
    first centres are records drawn with odds by squared distance to those drawn before.
    O(rounds n c d) time, O(n (c + d)) memory.
    Source: Bezdek (1981), Pattern Recognition with Fuzzy Objective Function Algorithms, Plenum Press.

    >>> x = np.array([[0.0], [1.0], [9.0], [10.0]])
    >>> found = fuzzy_c_means(x, 2, np.random.default_rng(0))
    >>> bool(found.labels[0] == found.labels[1] != found.labels[2])
    True
    """
    from scipy.spatial.distance import cdist

    if c > x.shape[0]:
        raise DataError(f"Fuzzy c-means: wanted at least c={c} records, got {x.shape[0]}. Lower c.")
    centres = spread_centres(x, c, generator)
    distances = cdist(x, centres, "sqeuclidean")
    memberships = shares(distances, m)
    weights = memberships**m
    objective, change, done = 0.0, np.inf, 0
    while done < rounds and not change < tolerance:
        centres = (weights.T @ x) / weights.sum(axis=0)[:, None]
        distances = cdist(x, centres, "sqeuclidean")
        before, memberships = memberships, shares(distances, m)
        change = float(np.abs(memberships - before).max())
        weights = memberships**m
        objective = float(np.einsum("ik,ik->", weights, distances))
        done += 1
        report(done, rounds)
    report(rounds, rounds)
    return FuzzyClusters(memberships, centres, objective, change, done)


def shares(errors: Matrix, m: float, tiny: float = _TINY) -> Matrix:
    """1 / sum_j (e_ik / e_ij)^(1/(m-1)) for every record i and cluster k; errors under `tiny` count as that.

    By logarithms, so that m near 1 does not overflow. O(n c).

    >>> shares(np.array([[1.0, 4.0], [0.0, 0.0]]), 2.0).tolist()
    [[0.8, 0.2], [0.5, 0.5]]
    """
    work = np.maximum(errors, tiny)
    np.log(work, out=work)
    work -= work.min(axis=1, keepdims=True)
    work /= 1 - m
    np.exp(work, out=work)
    work /= work.sum(axis=1, keepdims=True)
    return work


def spread_centres(x: Matrix, c: int, generator: np.random.Generator) -> Matrix:
    """c records far apart, each drawn with odds by squared distance to the nearest so far. O(n c d).

    Source: Arthur & Vassilvitskii (2007), k-means++, SODA 2007, 1027-1035.
    """
    chosen = np.empty((c, x.shape[1]))
    chosen[0] = x[generator.integers(x.shape[0])]
    nearest = ((x - chosen[0]) ** 2).sum(axis=1)
    for k in range(1, c):
        # where all records stand on a centre already, any will do
        odds = np.cumsum(nearest if nearest.any() else np.ones_like(nearest))
        row = np.searchsorted(odds, generator.random() * odds[-1], side="right")
        chosen[k] = x[min(row, x.shape[0] - 1)]
        nearest = np.minimum(nearest, ((x - chosen[k]) ** 2).sum(axis=1))
    return chosen
