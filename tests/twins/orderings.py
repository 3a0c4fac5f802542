"""MD, CBFS, V-MDAV and the paths of MHM in plain numpy, from their descriptions and from nothing else."""

import numpy as np


def squared(x, point):
    return ((x - point) ** 2).sum(axis=1)


def join_nearest(x, labels):
    centroids = np.array([x[labels == g].mean(axis=0) for g in range(labels.max() + 1)])
    joined = labels.copy()
    for row in np.flatnonzero(labels < 0):
        joined[row] = squared(centroids, x[row]).argmin()
    return joined


def nearest_rows(x, rows, point, count):
    return rows[np.argsort(squared(x[rows], point), kind="stable")][:count]


def md(x, k, growth="seed"):
    """Farthest pair by all pairs, anew each round."""
    left = np.arange(len(x))
    labels = np.full(len(x), -1)
    groups = 0
    while len(left) >= 2 * k:
        table = np.array([squared(x[left], x[row]) for row in left])
        np.fill_diagonal(table, -1)
        r, s = np.unravel_index(table.argmax(), table.shape)
        seeds = left[[r, s]]
        left = np.setdiff1d(left, seeds)
        for seed in seeds:
            members = [seed]
            while len(members) < k:
                around = x[seed] if growth == "seed" else x[members].sum(axis=0) / len(members)
                members.append(nearest_rows(x, left, around, 1)[0])
                left = np.setdiff1d(left, members)
            labels[members] = groups
            groups += 1
    if len(left) >= k:
        labels[left] = groups
    return join_nearest(x, labels)


def cbfs(x, k, growth="seed"):
    left = np.arange(len(x))
    labels = np.full(len(x), -1)
    groups = 0
    while len(left) >= k:
        seed = left[squared(x[left], x[left].mean(axis=0)).argmax()]
        left = left[left != seed]
        members = [seed]
        while len(members) < k:
            around = x[seed] if growth == "seed" else x[members].sum(axis=0) / len(members)
            members.append(nearest_rows(x, left, around, 1)[0])
            left = left[left != members[-1]]
        labels[members] = groups
        groups += 1
    return join_nearest(x, labels)


def vmdav(x, k, gamma):
    left = np.arange(len(x))
    labels = np.full(len(x), -1)
    groups = 0
    while len(left) >= k:
        seed = left[squared(x[left], x.mean(axis=0)).argmax()]
        members = [seed, *nearest_rows(x, left[left != seed], x[seed], k - 1)]
        left = np.setdiff1d(left, members)
        while len(members) < 2 * k - 1 and len(left):
            inside = np.min([squared(x[left], x[member]) for member in members], axis=0)
            row = left[inside.argmin()]
            others = left[left != row]
            outside = squared(x[others], x[row]).min() if len(others) else np.inf
            if gamma == 0 or inside.min() >= gamma * gamma * outside:
                break
            members.append(row)
            left = others
        labels[members] = groups
        groups += 1
    return join_nearest(x, labels)


def nearest_next(x, rows, start):
    """Rows in the order of a walk from row `start` to the nearest one next."""
    order, left = [start], rows[rows != start]
    while len(left):
        order.append(nearest_rows(x, left, x[order[-1]], 1)[0])
        left = left[left != order[-1]]
    return order


def chained_groups(x, labels):
    centroids = np.array([x[labels == g].mean(axis=0) for g in range(labels.max() + 1)])
    members = np.flatnonzero(labels == 0)
    order = nearest_next(x, members, members[squared(x[members], x.mean(axis=0)).argmax()])
    group, unvisited = 0, np.arange(1, len(centroids))
    while len(unvisited):
        group = nearest_rows(centroids, unvisited, centroids[group], 1)[0]
        unvisited = unvisited[unvisited != group]
        members = np.flatnonzero(labels == group)
        order += nearest_next(x, members, nearest_rows(x, members, x[order[-1]], 1)[0])
    return order


def tour_length(x, order):
    return float(np.sqrt(((x[order] - x[np.roll(order, 1)]) ** 2).sum(axis=1)).sum())


def best_two_opt_length(x, order):
    """The shortest tour that one exchange of two edges makes of this one, or its own length."""
    n = len(order)
    turned = [
        np.concatenate([order[:i], order[i:j][::-1], order[j:]])
        for i in range(n)
        for j in range(i + 2, n + 1)
    ]
    return min([tour_length(x, order), *(tour_length(x, one) for one in turned)])
