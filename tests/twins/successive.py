"""GSMS and its second phase in plain numpy, from their description and from nothing else."""

import numpy as np


def squared_error(x):
    return ((x - x.mean(axis=0)) ** 2).sum() if len(x) else 0.0


def gsms(x, k):
    """Labels of the rows of x: scores every candidate from scratch, by the definition."""
    left = list(range(len(x)))
    labels = np.full(len(x), -1)
    groups = len(x) // k
    for g in range(groups):
        best, chosen = np.inf, None
        for seed in left:
            others = [row for row in left if row != seed]
            gap = ((x[others] - x[seed]) ** 2).sum(axis=1)
            group = [seed, *(others[i] for i in np.argsort(gap, kind="stable")[: k - 1])]
            rest = [row for row in left if row not in group]
            score = squared_error(x[group]) + squared_error(x[rest])
            # equal by definition but for rounding: the lowest row has it
            if chosen is None or score < best - 1e-9 * (1 + abs(best)):
                best, chosen = score, group
        labels[chosen] = g
        left = [row for row in left if row not in chosen]
    means = np.array([x[labels == g].mean(axis=0) for g in range(groups)])
    for row in left:
        gap = ((means - x[row]) ** 2).sum(axis=1)
        labels[row] = np.flatnonzero(gap <= gap.min() + 1e-9)[0]
    return labels


def dissolve(x, labels):
    """Labels after one pass of trials, largest squared error first; groups may grow to 2k and beyond."""
    labels = labels.copy()
    numbers = range(labels.max() + 1)
    error = [sum(gap(row, x[labels == g].sum(axis=0) / (labels == g).sum()) for row in x[labels == g])
             for g in numbers]  # fmt: skip
    for g in np.argsort(-np.array(error), kind="stable"):
        others = [h for h in np.unique(labels) if h != g]
        if not others:
            break
        means = [x[labels == h].sum(axis=0) / (labels == h).sum() for h in others]
        trial = labels.copy()
        for row in np.flatnonzero(labels == g):
            trial[row] = others[int(np.argmin([gap(x[row], mean) for mean in means]))]
        # the fall is measured against the group's own error: what rounding could feign is none
        rise = sum(squared_error(x[trial == h]) - squared_error(x[labels == h]) for h in others)
        own = squared_error(x[labels == g])
        if rise < own - 1e-9 * max(own, 1):
            labels = trial
    return labels


def gap(a, b):
    """Squared distance, added column by column."""
    return sum((p - q) * (p - q) for p, q in zip(a.tolist(), b.tolist(), strict=True))
