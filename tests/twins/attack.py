"""The attacker by plain linear programmes and linear algebra, one question at a time."""

import numpy as np
from scipy.optimize import linprog


def matrix(table):
    m = np.zeros((len(table.relations), table.n))
    for row in range(len(table.relations)):
        cells, signs = table.relations.line(row)
        m[row, cells] = signs
    return m


def possible_range(table, withheld, cell):
    """Least and largest value of one cell over all tables that agree with what is published."""
    m = matrix(table)
    hidden = np.flatnonzero(withheld)
    right = -m[:, ~withheld] @ table.values[~withheld]
    bounds = [
        (None if np.isinf(table.low[c]) else table.low[c], None if np.isinf(table.high[c]) else table.high[c])
        for c in hidden
    ]
    found = []
    for sign in (1, -1):
        solved = linprog(
            sign * (hidden == cell), A_eq=m[:, hidden], b_eq=right, bounds=bounds, method="highs"
        )
        found.append(-sign * np.inf if solved.status == 3 else sign * solved.fun)
    return tuple(found)


def determined(table, withheld, cell):
    """Whether the sums alone fix a cell: no change of the withheld cells that keeps them moves it."""
    hidden = np.flatnonzero(withheld)
    part = matrix(table)[:, hidden]
    _, singular, right = np.linalg.svd(part)
    rank = int((singular > 1e-9).sum())
    return bool(np.abs(right[rank:, hidden == cell]).max(initial=0.0) < 1e-9)


def is_protected(table, withheld, cell, problem):
    if not withheld[cell]:
        return False
    if problem == "general" and not (np.isfinite(table.low) | np.isfinite(table.high)).any():
        return not determined(table, withheld, cell)
    low, high = possible_range(table, withheld, cell)
    if problem != "interval" or high - low <= 1e-6:
        return high - low > 1e-6
    value = table.values[cell]
    enough_low = low <= max(value - table.lower[cell], table.low[cell]) + 1e-6
    enough_high = high >= min(value + table.upper[cell], table.high[cell]) - 1e-6
    return (
        enough_low
        and enough_high
        and high - low >= min(table.sliding[cell], table.high[cell] - table.low[cell]) - 1e-6
    )


def is_safe(table, withheld, problem):
    return all(is_protected(table, withheld, cell, problem) for cell in np.flatnonzero(table.primary))


def minimal_pattern(table, problem, generator):
    """All that may be withheld, less what is not needed, in random order; None where all is too little."""
    withheld = ~table.forced | table.primary
    if not is_safe(table, withheld, problem):
        return None
    for cell in generator.permutation(np.flatnonzero(withheld & ~table.primary)):
        fewer = withheld.copy()
        fewer[cell] = False
        if is_safe(table, fewer, problem):
            withheld = fewer
    return withheld
