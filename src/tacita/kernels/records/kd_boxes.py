"""Records in a tree of boxes: balanced cuts across the widest axis, nodes with lowest and highest values.

Node 1 is the root, nodes 2 j and 2 j + 1 are the halves of node j. The nodes of one level share the records
evenly, so where the records of a node begin need not be kept.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from tacita.core.arrays import Floats, Ints

from .pruning_tree import select, widest


class Tree(NamedTuple):
    """columns[c, p]: column c of the record at place p; order[p]: its row. low, high: of nodes, by column.

    levels: how many cuts lie between the root and a leaf.
    """

    columns: Floats
    order: Ints
    low: Floats
    high: Floats
    levels: int


def grow(x: Floats, leaf: int) -> Tree:
    """A tree over the rows of x, one at least, with at most `leaf` of them in a leaf. O(n d log n)."""
    n, d = x.shape
    levels = 0
    while n > leaf << levels:
        levels += 1
    columns, order = np.ascontiguousarray(x.T), np.arange(n)
    cut_evenly(columns, order, levels, np.empty(n))
    tree = Tree(
        np.ascontiguousarray(columns[:, order]),
        order,
        np.zeros((2 << levels, d)),
        np.zeros((2 << levels, d)),
        levels,
    )
    _draw_boxes(tree)
    return tree


@njit(cache=True, nogil=True)
def cut_evenly(columns, order, levels, keys):
    """Order rows so that those of a node stand together, in every level."""
    n = order.shape[0]
    for level in range(levels):
        for j in range(1 << level):
            low, high = j * n >> level, (j + 1) * n >> level
            axis = widest(columns, order, low, high)
            for p in range(low, high):
                keys[p] = columns[axis, order[p]]
            select(keys, order, low, high, (2 * j + 1) * n >> (level + 1))


@njit(cache=True, nogil=True)
def _draw_boxes(tree):
    columns, _, lowest, highest, levels = tree
    d, n = columns.shape
    for j in range(1 << levels):
        node = (1 << levels) + j
        for c in range(d):
            least, most = np.inf, -np.inf
            for p in range(j * n >> levels, (j + 1) * n >> levels):
                least, most = min(least, columns[c, p]), max(most, columns[c, p])
            lowest[node, c], highest[node, c] = least, most
    for node in range((1 << levels) - 1, 0, -1):
        for c in range(d):
            lowest[node, c] = min(lowest[2 * node, c], lowest[2 * node + 1, c])
            highest[node, c] = max(highest[2 * node, c], highest[2 * node + 1, c])
