"""MDAV in plain numpy, written from the textbook and from nothing else."""

import numpy as np


def mdav(x, k, units=None, end_rule="3k", growth="seed"):
    """Labels of the rows of x; `units` as whole numbers, or None."""
    x = np.asarray(x, dtype=float)
    own = np.arange(len(x)) if units is None else np.asarray(units)
    left = np.arange(len(x))
    labels = np.full(len(x), -1)
    groups = 0

    def distances(point):
        return ((x[left] - point) ** 2).sum(axis=1)

    def take_group_around(seed):
        nonlocal left, groups
        members = [seed]
        while len(members) < k:
            around = x[seed] if growth == "seed" else x[members].sum(axis=0) / len(members)
            by_distance = left[np.argsort(distances(around), kind="stable")]
            seen = {own[row] for row in members}
            members.append(next(row for row in by_distance if row not in members and own[row] not in seen))
        labels[members] = groups
        groups += 1
        left = left[labels[left] < 0]

    def enough_units():
        return len(np.unique(own[left])) >= k

    while len(left) >= (3 * k if end_rule == "3k" else 2 * k) and enough_units():
        r = left[distances(x[left].mean(axis=0)).argmax()]
        take_group_around(r)
        if not enough_units():
            break
        take_group_around(left[distances(x[r]).argmax()])
    if len(left) >= 2 * k and enough_units():
        take_group_around(left[distances(x[left].mean(axis=0)).argmax()])
    if len(left) >= k and enough_units():
        labels[left] = groups
    elif end_rule == "2k":
        for row in left:
            centroids = np.array([x[labels == g].mean(axis=0) for g in range(groups)])
            labels[row] = ((centroids - x[row]) ** 2).sum(axis=1).argmin()
    elif len(left):
        centroids = np.array([x[labels == g].mean(axis=0) for g in range(groups)])
        labels[left] = [((centroids - x[row]) ** 2).sum(axis=1).argmin() for row in left]
    return labels
