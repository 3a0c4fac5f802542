"""Recognise a two-way table by its relations alone: rows that all cross columns, with a sum in each."""

from __future__ import annotations

import numpy as np

from tacita.core.arrays import Floats, Ints

from .relations import Relations


def two_way_layout(relations: Relations, n: int) -> Ints | None:
    """Cells as an (m + 1) x (n + 1) array, sums in the last row and column; None where they form none.

    In a two-way table every cell stands in two relations, one of its row and one of its column, and each row
    crosses each column in one cell. A relation may be given with either sign. Lines stand in order of their
    lowest cell. O(entries).

    >>> rows = [([0, 1, 2], [1, 1, -1]), ([3, 4, 5], [1, 1, -1]), ([6, 7, 8], [-1, -1, 1])]
    >>> columns = [([0, 3, 6], [1, 1, -1]), ([1, 4, 7], [1, 1, -1]), ([2, 5, 8], [1, 1, -1])]
    >>> two_way_layout(Relations.of(rows + columns), 9).tolist()
    [[0, 1, 2], [3, 4, 5], [6, 7, 8]]
    >>> two_way_layout(Relations.of(rows), 9) is None
    True
    """
    if n < 4 or relations.cells.size != 2 * n or (np.abs(relations.signs) != 1).any():
        return None
    if (np.bincount(relations.cells, minlength=n) != 2).any():
        return None
    order = np.argsort(relations.cells, kind="stable")
    lines, signs = relations.rows[order].reshape(n, 2), relations.signs[order].reshape(n, 2)
    # relations that cross the first one are columns, the others rows
    is_column = np.zeros(len(relations), dtype=bool)
    is_column[lines[(lines == 0).any(axis=1)]] = True
    is_column[0] = False
    if (is_column[lines].sum(axis=1) != 1).any():
        return None
    swapped = is_column[lines[:, 0]]
    lines = np.where(swapped[:, None], lines[:, ::-1], lines)
    signs = np.where(swapped[:, None], signs[:, ::-1], signs)
    number = np.where(is_column, np.cumsum(is_column), np.cumsum(~is_column)) - 1
    shape = (int((~is_column).sum()), int(is_column.sum()))
    position = np.full(shape, -1, dtype=np.int64)
    position[number[lines[:, 0]], number[lines[:, 1]]] = np.arange(n)
    if shape[0] * shape[1] != n or min(shape) < 2 or (position < 0).any():
        return None
    across, down = _sum_of(signs[position, 0]), _sum_of(signs[position, 1].T)
    if across is None or down is None:
        return None
    return position[np.ix_(_last(position.min(axis=1), down), _last(position.min(axis=0), across))]


def _sum_of(signs: Floats) -> int | None:
    """The position of the sum in every line: the sign opposite to all others, at a common position."""
    upright = signs * np.where(signs.sum(axis=1) < 0, -1.0, 1.0)[:, None]
    against = upright < 0
    if (against.sum(axis=1) != 1).any():
        return None
    at = np.argmax(against, axis=1)
    # in a line of two cells, either may be the sum
    return int(at[0]) if signs.shape[1] == 2 or (at == at[0]).all() else None


def _last(lowest: Ints, total: int) -> Ints:
    order = np.argsort(lowest, kind="stable")
    return np.append(order[order != total], total)
