"""Where methods begin that improve a partition: with so many groups, near another partition or at random."""

from __future__ import annotations

import numpy as np

from tacita.core import Labels, Matrix

from .kmeans_variants import fill_short, nearest_centres
from .repair import centroids_of


def dissolve(x: Matrix, labels: Labels, count: int, costliest: bool) -> Labels:
    """Give the members of `count` groups to the nearest groups that stay. O(n groups d) at most.

    Dissolved are the groups with the largest squared error, or those that the others take in most cheaply:
    b/(b+1) times the squared distance to the second-nearest centre, less their own squared error.

    >>> x = np.array([[0.0], [1.0], [2.0], [5.0], [40.0], [90.0]])
    >>> dissolve(x, np.array([0, 0, 1, 1, 2, 2]), 1, costliest=True).tolist()
    [0, 0, 1, 1, 1, 1]
    >>> dissolve(x, np.array([0, 0, 1, 1, 2, 2]), 1, costliest=False).tolist()
    [0, 0, 0, 0, 1, 1]
    """
    centres, sizes = centroids_of(x, labels)
    error = ((x - centres[labels]) ** 2).sum(axis=1)
    if not costliest:
        near = nearest_centres(x, centres, 2)
        other = np.where(near[:, 0] == labels, near[:, -1], near[:, 0])
        share = sizes[other] / (sizes[other] + 1)
        error = error - share * ((x - centres[other]) ** 2).sum(axis=1)
    gone = np.zeros(len(sizes), dtype=bool)
    gone[np.argsort(-np.bincount(labels, weights=error), kind="stable")[:count]] = True
    stay = np.flatnonzero(~gone)
    homeless = gone[labels]
    labels = labels.copy()
    labels[homeless] = stay[nearest_centres(x[homeless], centres[stay], 1)[:, 0]]
    return np.unique(labels, return_inverse=True)[1].reshape(-1).astype(np.int64)


def divide(x: Matrix, labels: Labels, count: int) -> Labels:
    """Cut the `count` largest groups in two, around two members far apart; parts may be short of k. O(n d).

    >>> divide(np.array([[0.0], [1.0], [9.0], [50.0], [51.0]]), np.array([0, 0, 0, 1, 1]), 1).tolist()
    [0, 0, 2, 1, 1]
    """
    labels = labels.copy()
    groups = int(labels.max()) + 1
    for group in np.argsort(-np.bincount(labels), kind="stable")[:count].tolist():
        rows = np.flatnonzero(labels == group)
        members = x[rows]
        one = members[((members - members.mean(axis=0)) ** 2).sum(axis=1).argmax()]
        two = members[((members - one) ** 2).sum(axis=1).argmax()]
        nearer = ((members - one) ** 2).sum(axis=1) < ((members - two) ** 2).sum(axis=1)
        labels[rows[nearer]] = groups
        groups += 1 if nearer.any() else 0
    return labels


def with_groups(x: Matrix, labels: Labels, groups: int, k: int) -> Labels:
    """A partition into exactly so many groups of at least k, near the one at hand. Needs n >= k groups.

    More: the largest are cut in two and filled up to k; fewer: those that others take in most cheaply are
    dissolved.

    >>> x = np.array([[0.0], [1.0], [2.0], [5.0], [40.0], [90.0]])
    >>> with_groups(x, np.array([0, 0, 1, 1, 2, 2]), 2, 2).tolist()
    [0, 0, 0, 0, 1, 1]
    >>> with_groups(x, np.array([0, 0, 0, 0, 1, 1]), 3, 2).tolist()
    [0, 0, 2, 2, 1, 1]
    """
    more = groups - int(labels.max()) - 1
    if more > 0:
        return fill_short(x, divide(x, labels, more), groups, k)
    return dissolve(x, labels, -more, costliest=False) if more < 0 else labels


def random_groups(x: Matrix, groups: int | None, k: int, generator: np.random.Generator) -> Labels:
    """Groups of at least k around records drawn as centres; their number too is drawn unless it is given.

    Every record joins its nearest centre, then groups short of k take records whose move costs least. A
    number that is drawn lies between n/(2k-1) and n/k. Needs n >= k groups.
    """
    n = len(x)
    # drawn from the records in an order of their own, so that the order of the rows does not matter
    rows = np.lexsort(x.T[::-1])
    if groups is None:
        groups = int(generator.integers(-(-n // (2 * k - 1)), n // k, endpoint=True))
    centres = x[rows[generator.choice(n, groups, replace=False)]]
    return fill_short(x, nearest_centres(x, centres, 1)[:, 0], groups, k)
