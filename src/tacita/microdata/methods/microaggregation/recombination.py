"""The best partition that can be made of the groups of several, or of groups made for the purpose."""

from __future__ import annotations

import numpy as np

from tacita.core import Labels, Matrix, Progress, Run

from .bounding import Pricing, least_shares
from .column_generation import LITTLE, QUICK, WIDTHS, Generation
from .groups import as_groups, as_labels, squared_errors
from .polishing import polish
from .set_partitioning import Columns, Limits, no_triples

STAGE = "combining groups"
_MOST_ROUNDS = 1000
# Questions after which half of the work is taken to be done.
_HALF_WAY = 1000
# Places where a partition is mended.
_POLISHED = 24


class Told:
    """Asked whether to end, it tells how far the work is: always some of what is left, as that is unknown."""

    def __init__(self, run: Run) -> None:
        self._run, self._asked = run, 0

    def __call__(self) -> bool:
        self._asked += 1
        # no report: a solver that asks must not be left by an exception
        self._run.on_progress(Progress(STAGE, self._asked / (self._asked + _HALF_WAY), 1))
        return self._run.ended()


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
    return as_labels(columns.groups[choice.chosen], len(x))


def regroup(x: Matrix, labels: Labels, k: int, pool: Labels, thorough: bool, run: Run) -> Labels:
    """A better partition from groups made for it by column generation; `labels` if none is met.

    The pool and the groups of `labels` give the first prices; groups worth more are made among neighbours
    (and, if thorough, triples added) and a partition is chosen among them (`Generation.combined`). If
    thorough, both partitions are mended where they lose most (`polish`). Last, the best combination of the
    groups of both and of the pool. The bound that the certificate proves comes from the same programme: what
    is chosen here is seldom 0.2 % above it.

    O(n^2 (d + log n)) time and O(n^2) memory for the distances; the rounds grow exponentially with k.
    """
    pricing = Pricing(x, k, least_shares(x, k, run.silent()))
    told = Told(run)
    made = Generation(pricing, as_groups(labels, k), _MOST_ROUNDS, told)
    made.columns.add(pool)
    made.widen(WIDTHS[:3] if thorough else WIDTHS[:1])
    if thorough and made.prices is not None:
        made.add_triples(LITTLE * made.prices.value)
    if run.ended():
        return labels
    limits = Limits(QUICK.questions, told)
    found = [as_groups(labels, k), made.combined(QUICK, limits)]
    if thorough:
        made.columns.add(found[1])
        found = [polish(made, each, _POLISHED, limits) for each in found]
    found.sort(key=lambda groups: float(squared_errors(x, groups).sum()))
    best = as_labels(found[0], len(x))
    return recombine(x, best, k, np.concatenate([found[1], pool]), limits)
