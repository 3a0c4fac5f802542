"""Lists of neighbours and the descent over them, in plain numpy: everything is weighed every time."""

from __future__ import annotations

import numpy as np

from .groups import squared_error


def nearest_in_windows(x, orders, width, count):
    """Of each row the nearest in one window with it: of equals those met first, ahead, then behind.

    A row of the answer is as long as there are others in its windows, but `count` at most.
    """
    lists = []
    for row in range(len(x)):
        met = []
        for order in orders:
            place = list(order).index(row)
            first = place // width * width
            met += [int(other) for other in order[place + 1 : first + width]]
            met += [int(other) for other in reversed(order[first:place])]
        met = list(dict.fromkeys(met))
        gaps = np.zeros(len(met))
        for column in x.T:
            gaps += (column[met] - column[row]) ** 2
        lists.append([met[at] for at in np.argsort(gaps, kind="stable")[:count]])
    return lists


def descend(x, groups, near, k, least, units=None):
    """Relocations and swaps with the groups of neighbours that save over `least`, until there are none.

    groups: lists of rows. Who leaves a list is replaced by its last, who joins one becomes its last; members
    are tried in that order. Returns the label of each row.
    """
    home = {row: g for g, rows in enumerate(groups) for row in rows}

    def stands(rows):
        return len(rows) >= k and (units is None or len({int(units[row]) for row in rows}) >= k)

    def change(i, h):
        """The group of i and group h after the first relocation or swap that gains, if there is one."""
        here, there = groups[home[i]], groups[h]
        options = []
        if len(there) < 2 * k - 1:
            options.append(([here[-1] if row == i else row for row in here[:-1]], [*there, i]))
        for e in there:
            options.append(
                ([e if row == i else row for row in here], [i if row == e else row for row in there])
            )
        before = squared_error(x, here) + squared_error(x, there)
        for pair in options:
            after = squared_error(x, pair[0]) + squared_error(x, pair[1])
            if after - before < -least and all(stands(rows) for rows in pair):
                return pair
        return None

    changed = True
    while changed:
        changed = False
        for i in range(len(x)):
            for j in near[i]:
                g, h = home[i], home[int(j)]
                found = None if g == h else change(i, h)
                if found is not None:
                    changed = True
                    groups[g], groups[h] = found
                    home.update(dict.fromkeys(groups[g], g) | dict.fromkeys(groups[h], h))
    return np.array([home[row] for row in range(len(x))])
