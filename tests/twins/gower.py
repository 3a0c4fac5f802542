"""MDAV by Gower's distance in plain Python, written from the definition and from nothing else."""

from collections import Counter

import numpy as np


def gower_mdav(x, k, kinds, weights=None, units=None):
    """Labels of the rows of x; columns of categories hold numbers that stand for them."""
    rows = [list(map(float, row)) for row in np.asarray(x)]
    weights = weights or [1.0] * len(kinds)
    own = list(range(len(rows))) if units is None else list(units)
    left = list(range(len(rows)))
    labels = [-1] * len(rows)
    groups = []

    def distance(a, b):
        total = 0.0
        for p, q, kind, weight in zip(a, b, kinds, weights, strict=True):
            total += weight * (float(p != q) if kind == "nominal" else abs(p - q))
        return total

    def middle(members):
        return [middle_of([rows[i][c] for i in members], kind) for c, kind in enumerate(kinds)]

    def farthest(point):
        return max(left, key=lambda i: (distance(rows[i], point), -i))

    def take_group_around(seed):
        members, seen = [seed], {own[seed]}
        for row in sorted(left, key=lambda i: (distance(rows[i], rows[seed]), i)):
            if len(members) < k and row != seed and own[row] not in seen:
                members.append(row)
                seen.add(own[row])
        for row in members:
            labels[row] = len(groups)
            left.remove(row)
        groups.append(members)

    def enough_units():
        return len({own[i] for i in left}) >= k

    while len(left) >= 3 * k and enough_units():
        r = farthest(middle(left))
        take_group_around(r)
        if not enough_units():
            break
        take_group_around(farthest(rows[r]))
    if len(left) >= 2 * k and enough_units():
        take_group_around(farthest(middle(left)))
    if len(left) >= k and enough_units():
        for row in left:
            labels[row] = len(groups)
    else:
        middles = [middle(members) for members in groups]
        for row in left:
            labels[row] = min(range(len(groups)), key=lambda g: (distance(rows[row], middles[g]), g))
    return labels


def published_by(members, others, kinds, k, levels):
    """What a group publishes: its middles, or the cheapest change of one or two columns that is not a record
    of 1 to k - 1 among `others` (all records of the stratum); `levels` are the categories of each column."""
    best = [middle_of([row[c] for row in members], kind) for c, kind in enumerate(kinds)]

    def exposed(row):
        return 0 < sum(list(other) == list(row) for other in others) < k

    def loss(row):
        total = 0.0
        for c, kind in enumerate(kinds):
            if kind == "nominal":
                total += sum(member[c] != row[c] for member in members)
            elif kind == "ordinal":
                place = {level: i for i, level in enumerate(levels[c])}
                ranks = sum(abs(place[member[c]] - place[row[c]]) for member in members)
                total += ranks / max(len(levels[c]) - 1, 1)
        return total

    if not exposed(best):
        return best
    coded = [c for c, kind in enumerate(kinds) if kind != "numeric"]
    changes = [((c, level),) for c in coded for level in levels[c] if level != best[c]]
    own = [change for change in changes for ((c, level),) in [change] if level in [row[c] for row in members]]
    changes += [one + two for one in own for two in own if one[0][0] < two[0][0]]
    ways = []
    for change in changes:
        row = list(best)
        for c, level in change:
            row[c] = level
        if not exposed(row):
            ways.append((round(loss(row), 9), change, row))
    return min(ways)[2] if ways else best


def middle_of(values, kind):
    """Mean, lower median or lowest of the most frequent."""
    if kind == "numeric":
        return sum(values) / len(values)
    if kind == "ordinal":
        return sorted(values)[(len(values) - 1) // 2]
    counts = Counter(values)
    return min(value for value in counts if counts[value] == max(counts.values()))
