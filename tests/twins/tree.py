"""Spanning tree components and the two cuts in plain numpy, from their description and from nothing else."""

import numpy as np


def edges_of_tree(x):
    """(squared length, lower row, upper row) of a minimum spanning tree, by Prim from row 0."""
    gap = ((x[:, None] - x[None]) ** 2).sum(axis=2)
    inside, outside, edges = [0], list(range(1, len(x))), []
    while outside:
        # the nearest record outside, the lowest row first, by the edge from whom joined first
        row = min(outside, key=lambda o: (min(gap[o, i] for i in inside), o))
        near = min(inside, key=lambda i: gap[row, i])
        edges.append((gap[row, near], min(row, near), max(row, near)))
        inside.append(row)
        outside.remove(row)
    return edges


def component(row, edges):
    """All rows that edges connect with this one."""
    found = {row}
    grown = True
    while grown:
        more = {end for _, a, b in edges for end in (a, b) if a in found or b in found}
        grown = not more <= found
        found |= more
    return found


def components(x, k):
    """Labels after removing edges, longest first, where both sides keep k rows."""
    edges = edges_of_tree(x)
    for edge in sorted(edges, key=lambda e: (-e[0], e[1], e[2])):
        without = [e for e in edges if e != edge]
        if min(len(component(edge[1], without)), len(component(edge[2], without))) >= k:
            edges = without
    labels = np.full(len(x), -1)
    for row in range(len(x)):
        labels[row] = min(component(row, edges))
    return labels


def cut(x, labels, k, divide):
    """Groups of 2k rows or more divided by `divide(rows)`, which gives groups and what is left over."""
    result = labels.copy()
    for group in np.unique(labels):
        rows = np.flatnonzero(labels == group).tolist()
        if len(rows) < 2 * k:
            continue
        groups, left = divide(x, rows, k)
        means = np.array([x[members].mean(axis=0) for members in groups])
        for members in groups:
            result[members] = len(x) + members[0]
        for row in left:
            gap = ((means - x[row]) ** 2).sum(axis=1)
            result[row] = len(x) + groups[int(gap.argmin())][0]
    return result


def from_both_ends(x, rows, k):
    """MD, grown by the record nearest to the mean so far."""
    left, groups = list(rows), []
    while len(left) >= 2 * k:
        gap = ((x[left][:, None] - x[left][None]) ** 2).sum(axis=2)
        r, s = (left[int(i)] for i in np.unravel_index(gap.argmax(), gap.shape))
        if r == s:  # all alike
            r, s = left[:2]
        left = [row for row in left if row not in (r, s)]
        for seed in (r, s):
            group = [seed]
            while len(group) < k:
                # times the size: whole numbers stay whole
                gap = ((len(group) * x[left] - x[group].sum(axis=0)) ** 2).sum(axis=1)
                group.append(left.pop(int(gap.argmin())))
            groups.append(group)
    return ([*groups, left], []) if len(left) >= k else (groups, left)


def from_outside(x, rows, k):
    """CBFS."""
    left, groups = list(rows), []
    while len(left) >= k:
        gap = ((len(left) * x[left] - x[left].sum(axis=0)) ** 2).sum(axis=1)
        seed = left.pop(int(gap.argmax()))
        nearest = np.argsort(((x[left] - x[seed]) ** 2).sum(axis=1), kind="stable")[: k - 1]
        group = [seed, *(left[i] for i in nearest)]
        groups.append(group)
        left = [row for row in left if row not in group]
    return groups, left
