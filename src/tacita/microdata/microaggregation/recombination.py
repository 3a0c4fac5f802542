"""The best partition that can be made of the groups of several: a set-partitioning programme."""

from __future__ import annotations

import numpy as np

from .base import Labels, Matrix
from .groups import as_groups, as_labels, squared_errors
from .master import Columns, Limits, no_triples


def recombine(x: Matrix, labels: Labels, k: int, pool: Labels, limits: Limits) -> Labels:
    """Choose groups, every record in exactly one, of least squared error; `labels` if nothing is better.

    The groups of `labels` are added to the pool and are the solution that the solver starts from.

    >>> x = np.array([[0.0], [1.0], [5.0], [6.0]])
    >>> pool = np.array([[0, 1, -1], [2, 3, -1]])
    >>> recombine(x, np.array([0, 1, 0, 1]), 2, pool, Limits(10)).tolist()
    [0, 0, 1, 1]
    """
    columns = Columns(len(x), k, lambda groups: squared_errors(x, groups))
    own = as_groups(labels, k)
    columns.add(np.concatenate([own, pool]))
    start = columns.rows_of(own)
    error = float(columns.costs[start].sum())
    if error == 0:
        return labels
    choice = columns.choose(no_triples(), start, limits)
    if choice.chosen is None or float(columns.costs[choice.chosen].sum()) >= error:
        return labels
    groups = columns.groups[choice.chosen]
    found = as_labels(groups, len(x))
    # a solver's feasibility has tolerances, a partition has none
    whole = (found >= 0).all() and int((groups >= 0).sum()) == len(x)
    return found if whole else labels
