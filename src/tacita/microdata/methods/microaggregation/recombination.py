"""The best partition that can be made of the groups of several, or of groups made for the purpose."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacita.core import Labels, Matrix, Progress, RunContext

from .bounding import Pricing, least_shares
from .column_generation import LITTLE, QUICK, WIDTHS, Generation
from .set_partitioning import Columns, Limits, as_groups, as_labels, no_triples, squared_errors


@dataclass(frozen=True)
class RecombinationSettings:
    """How much is grouped anew at once, and when that ends.

    `python -m benchmarks best` prints the information loss that they lead to, and the seconds.
    """

    # records that are grouped anew together, times k
    records_together: int = 360
    # share of the error: a group that lacks less is left alone
    tolerance: float = 1e-6
    # rounds of column generation, at most
    rounds: int = 1000
    # callbacks of the solver after which half of the work is reported as done
    half_way: int = 1000
    # places where a partition is mended
    polished_places: int = 24


SETTINGS = RecombinationSettings()


def polish(made: Generation, groups: Labels, tries: int, limits: Limits) -> Labels:
    """The groups of a partition at least as good, as rows, mended in up to `tries` places.

    With prices p of records and fines f of triples every group lacks something to being worth its cost, and
    what all groups of a partition lack is how far it is above the bound that p and f prove, but for fines
    that it does not pay. So it can be bettered only where a group lacks something: the records around the one
    that lacks most are grouped anew, as a problem of their own, then those around the next.

    O(tries) problems of 360 / k records.
    """
    prices = made.columns.prices(made.triples, 1e-7)
    if prices is None:
        return groups
    tried: set[bytes] = set()
    for _ in range(tries):
        held = Columns(made.pricing.n, made.pricing.k, made.pricing.errors_of)
        held.add(groups)
        lack = held.lacking(prices.records, made.triples, prices.fines)
        worst = [row for row in np.argsort(-lack, kind="stable") if held.groups[row].tobytes() not in tried]
        if limits.ended() or not worst or lack[worst[0]] <= SETTINGS.tolerance * prices.value:
            break
        tried.add(held.groups[worst[0]].tobytes())
        around = _around(made.pricing.x, held.groups, worst[0], SETTINGS.records_together // made.pricing.k)
        groups = np.concatenate([held.groups[~around], _anew(made, held.groups[around], limits)])
    return groups


def _around(x: Matrix, groups: Labels, centre: int, most: int) -> np.ndarray:
    """Which groups to take: this one, then those of the records nearest to its mean, up to `most` records."""
    place, inside = np.nonzero(groups >= 0)
    label = np.empty(len(x), dtype=np.int64)
    label[groups[place, inside]] = place
    own = groups[centre][groups[centre] >= 0]
    distance = ((x - x[own].mean(axis=0)) ** 2).sum(axis=1)
    distance[own] = -1.0
    met, first = np.unique(label[np.argsort(distance, kind="stable")], return_index=True)
    order = met[np.argsort(first)]
    sizes = (groups >= 0).sum(axis=1)
    taken = np.zeros(len(groups), dtype=np.bool_)
    taken[order[np.cumsum(sizes[order]) <= max(most, sizes[centre])]] = True
    return taken


def _anew(made: Generation, groups: Labels, limits: Limits) -> Labels:
    """These records in better groups, or in the same."""
    records = np.sort(groups[groups >= 0])
    number = np.full(made.pricing.n + 1, -1)
    number[records] = np.arange(len(records))
    part = made.part(made.columns, records, number[groups])
    before = float(made.pricing.errors_of(groups).sum())
    part.make_enough()
    if part.prices is None or part.prices.value >= before * (1.0 - 1e-9):
        return groups
    combined = part.combined(QUICK, limits)
    combined = np.where(combined >= 0, records[combined], -1)
    return combined if float(made.pricing.errors_of(combined).sum()) < before * (1.0 - 1e-12) else groups


STAGE = "combining groups"


class ProgressLatch:
    """Whether a search should end; each call reports progress, always a share of the unknown rest."""

    def __init__(self, run: RunContext) -> None:
        self._run, self._calls = run, 0

    def __call__(self) -> bool:
        self._calls += 1
        # no report: an exception must not leave a solver that calls this
        self._run.on_progress(Progress(STAGE, self._calls / (self._calls + SETTINGS.half_way), 1))
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


def regroup(x: Matrix, labels: Labels, k: int, pool: Labels, thorough: bool, run: RunContext) -> Labels:
    """A better partition from groups made for it by column generation; `labels` if none is met.

    The pool and the groups of `labels` give the first prices; groups worth more are made among neighbours
    (and, if thorough, triples added) and a partition is chosen among them (`Generation.combined`). If
    thorough, both partitions are mended where they lose most (`polish`). Last, the best combination of the
    groups of both and of the pool. The bound that the certificate proves comes from the same LP: what is
    chosen here is seldom 0.2 % above it.

    O(n^2 (d + log n)) time and O(n^2) memory for the distances; the rounds grow exponentially with k.
    """
    pricing = Pricing(x, k, least_shares(x, k, run.silent()))
    progress = ProgressLatch(run)
    made = Generation(pricing, as_groups(labels, k), SETTINGS.rounds, progress)
    made.columns.add(pool)
    made.widen(WIDTHS[:3] if thorough else WIDTHS[:1])
    if thorough and made.prices is not None:
        made.add_triples(LITTLE * made.prices.value)
    if run.ended():
        return labels
    limits = Limits(QUICK.questions, progress)
    candidates = [as_groups(labels, k), made.combined(QUICK, limits)]
    if thorough:
        made.columns.add(candidates[1])
        candidates = [polish(made, groups, SETTINGS.polished_places, limits) for groups in candidates]
    candidates.sort(key=lambda groups: float(squared_errors(x, groups).sum()))
    best = as_labels(candidates[0], len(x))
    return recombine(x, best, k, np.concatenate([candidates[1], pool]), limits)
