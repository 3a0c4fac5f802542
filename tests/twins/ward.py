"""k-Ward in plain numpy: the cheapest merger of all pairs, again and again."""

import numpy as np


def kward(x, k, rows=None, growth="seed"):
    """A list of groups, each a list of rows."""
    rows = list(range(len(x))) if rows is None else sorted(rows)
    if len(rows) < 2 * k:
        return [rows]
    gap = ((x[rows][:, None] - x[rows][None]) ** 2).sum(axis=2)
    r, s = (rows[int(i)] for i in np.unravel_index(gap.argmax(), gap.shape))
    left = [row for row in rows if row not in (r, s)]
    groups = [[r], [s]]
    for group in groups:
        while len(group) < k:
            around = x[group[0]] if growth == "seed" else x[group].mean(axis=0)
            group.append(left.pop(int(((x[left] - around) ** 2).sum(axis=1).argmin())))
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
    return [part for group in groups for part in kward(x, k, group, growth)]


def rise(a, b):
    """By how much the squared error rises if two groups merge."""
    return len(a) * len(b) / (len(a) + len(b)) * ((a.mean(axis=0) - b.mean(axis=0)) ** 2).sum()
