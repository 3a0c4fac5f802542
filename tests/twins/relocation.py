"""Relocations, filling and transport in plain numpy: every squared error computed anew, every move tried."""

import numpy as np
from scipy.optimize import linprog


def squared_error(x, labels):
    return sum(((x[labels == g] - x[labels == g].mean(axis=0)) ** 2).sum() for g in np.unique(labels))


def moved(labels, i, h):
    trial = labels.copy()
    trial[i] = h
    return trial


def h_means(x, labels, floor):
    """The best single relocation, again and again; only groups of more than `floor` give."""
    labels = labels.copy()
    groups = labels.max() + 1
    while True:
        best, trial = squared_error(x, labels), None
        best -= 1e-9 * best
        sizes = np.bincount(labels)
        for i in range(len(x)):
            if sizes[labels[i]] > floor:
                for h in range(groups):
                    error = squared_error(x, moved(labels, i, h))
                    if error < best:
                        best, trial = error, moved(labels, i, h)
        if trial is None:
            return labels
        labels = trial


def fill(x, labels, groups, k):
    """Groups short of k take, one by one, the record from a group above k whose move costs least."""
    labels = labels.copy()
    for h in range(groups):
        while (labels == h).sum() < k:
            sizes = np.bincount(labels, minlength=groups)
            donors = [i for i in range(len(x)) if sizes[labels[i]] > k]
            errors = [squared_error(x, moved(labels, i, h)) for i in donors]
            labels[donors[int(np.argmin(errors))]] = h
    return labels


def k_means_round(x, labels, floor):
    """All records to their nearest centre, largest gain first, while their groups keep `floor`."""
    centres = np.array([x[labels == g].mean(axis=0) for g in range(labels.max() + 1)])
    gaps = ((x[:, None] - centres[None]) ** 2).sum(axis=2)
    nearest = gaps.argmin(axis=1)
    gain = gaps[np.arange(len(x)), labels] - gaps.min(axis=1)
    labels = labels.copy()
    for i in np.argsort(-gain, kind="stable"):
        if (labels == labels[i]).sum() > floor:
            labels[i] = nearest[i]
    return labels


def transport_cost(x, centres, k):
    """The least total squared distance with at least k records a centre, by linear programming."""
    n, c = len(x), len(centres)
    costs = ((x[:, None] - centres[None]) ** 2).sum(axis=2)
    once = np.kron(np.eye(n), np.ones(c))
    enough = -np.kron(np.ones(n), np.eye(c))
    found = linprog(
        costs.ravel(), A_ub=enough, b_ub=-k * np.ones(c), A_eq=once, b_eq=np.ones(n), method="highs"
    )
    return found.fun


def c_means_round(x, centres, k, room, follow=True):
    """One round of KC: assignment in turn, then groups short of k are dissolved or filled, in order.

    With `follow`, centres are those of the records of each group at any time; otherwise those given.
    """
    labels = np.full(len(x), -1)
    sizes = np.zeros(len(centres), dtype=int)
    for i, point in enumerate(x):
        gaps = ((centres - point) ** 2).sum(axis=1)
        labels[i] = np.where(sizes < room, gaps, np.inf).argmin()
        sizes[labels[i]] += 1
    centres = centres.copy()
    for g in np.unique(labels) if follow else ():
        centres[g] = x[labels == g].mean(axis=0)
    least = k if room < len(x) else 1

    def give(i, h):
        g = labels[i]
        labels[i] = h
        for changed in (g, h) if follow else ():
            if (labels == changed).any():
                centres[changed] = x[labels == changed].mean(axis=0)

    def scatter(g, allowed):
        for i in np.flatnonzero(labels == g):
            sizes = np.bincount(labels, minlength=len(centres))
            open_to = allowed(sizes) & (np.arange(len(centres)) != g)
            gaps = ((centres - x[i]) ** 2).sum(axis=1)
            give(i, np.where(open_to, gaps, np.inf).argmin())

    for g in range(len(centres)):
        sizes = np.bincount(labels, minlength=len(centres))
        if not 0 < sizes[g] < k:
            continue
        others = np.arange(len(centres)) != g
        space = np.maximum(room - sizes, 0)[others & (sizes >= least)].sum()
        if k - sizes[g] > sizes[g] and space >= sizes[g]:
            scatter(g, lambda sizes: (sizes >= least) & (sizes < room))
            continue
        while (labels == g).sum() < k:
            donors = np.flatnonzero(np.bincount(labels, minlength=len(centres))[labels] > k)
            if donors.size == 0:
                scatter(g, lambda sizes: sizes > 0)
                break
            give(donors[((x[donors] - centres[g]) ** 2).sum(axis=1).argmin()], g)
    return labels
