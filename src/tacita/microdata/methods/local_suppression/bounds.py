"""How many fit what a record shows, and what withholding must cost at least for that."""

from __future__ import annotations

import numpy as np

from tacita.core import Floats, Ints

from .keys import Keys, counted, looked_up


def fitting(keys: Keys, hidden: Ints, rows: Ints, wildcard: bool) -> Ints:
    """How many originals (units) could stand behind what rows show when they hide some columns each.

    An original that misses a value fits whatever is shown there if gaps are wildcards, nothing shown there if
    they are values of their own. Units that miss different columns may be counted more than once.
    O(sets of hidden columns x sets of missing columns x n log n).
    """
    found = np.zeros(rows.size, dtype=np.int64)
    units = None if keys.lone else keys.units
    for own in np.unique(hidden).tolist():
        mine = np.flatnonzero(hidden == own)
        shown = keys.every & ~own
        for gaps in keys.gaps:
            if shown & gaps and not wildcard:
                continue
            theirs = keys.rows_of(gaps)
            listed, counts = counted(keys.on(shown & ~gaps, theirs), None if units is None else units[theirs])
            found[mine] += looked_up(keys.on(shown & ~gaps, rows[mine]), listed, counts)
    return found


def least(keys: Keys, k: int, wildcard: bool) -> Floats:
    """What each record must lose at least: the cheapest columns without which k originals fit what it shows.

    Holds in both readings: whoever is alike fits, and so does whoever must be compatible. The sum over all
    records is a lower bound of the cost. O(2^d n log n) at most; records that are settled drop out.
    """
    bound = np.zeros(keys.n)
    rest = np.arange(keys.n)
    reached = 0.0
    for columns in keys.sets:
        reached = float(keys.cost(np.array([columns]))[0])
        hidden = columns | keys.missing[rest]
        settled = fitting(keys, hidden, rest, wildcard) >= k
        bound[rest[settled]] = keys.cost(columns & ~keys.missing[rest[settled]])
        rest = rest[~settled]
        if rest.size == 0:
            break
    # sets come from the cheapest on: the rest costs as much as the last that was tried, less what is missing
    bound[rest] = np.maximum(0.0, reached - keys.cost(keys.missing[rest]))
    return bound
