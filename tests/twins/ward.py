"""k-Ward in plain numpy: the cheapest merger of all pairs, again and again."""

import numpy as np


def kward(x, k, rows=None):
    """A list of groups, each a list of rows."""
    rows = list(range(len(x))) if rows is None else sorted(rows)
    if len(rows) < 2 * k:
        return [rows]
    gap = ((x[rows][:, None] - x[rows][None]) ** 2).sum(axis=2)
    r, s = (rows[int(i)] for i in np.unravel_index(gap.argmax(), gap.shape))
    left = [row for row in rows if row not in (r, s)]
    groups = []
    for seed in (r, s):
        near = np.argsort(((x[left] - x[seed]) ** 2).sum(axis=1), kind="stable")[: k - 1]
        groups.append([seed, *(left[i] for i in near)])
        left = [row for row in left if row not in groups[-1]]
    groups += [[row] for row in left]
    while min(map(len, groups)) < k:
        pairs = [
            (rise(x[a], x[b]), i, j)
            for i, a in enumerate(groups)
            for j, b in enumerate(groups[:i])
            if min(len(a), len(b)) < k
        ]
        _, i, j = min(pairs)
        groups[j] = groups[j] + groups.pop(i)
    return [part for group in groups for part in kward(x, k, group)]


def rise(a, b):
    """By how much the squared error rises if two groups merge."""
    return len(a) * len(b) / (len(a) + len(b)) * ((a.mean(axis=0) - b.mean(axis=0)) ** 2).sum()
