"""A partition mended where prices say that it loses most."""

from __future__ import annotations

import numpy as np

from tacita.core import Labels, Matrix

from .column_generation import QUICK, Generation
from .set_partitioning import Columns, Limits

# Records that are grouped anew together, times k.
_TOGETHER = 360
# A group that lacks less than this share of the error is left alone.
_NOTHING = 1e-6


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
        if limits.ended() or not worst or lack[worst[0]] <= _NOTHING * prices.value:
            break
        tried.add(held.groups[worst[0]].tobytes())
        around = _around(made.pricing.x, held.groups, worst[0], _TOGETHER // made.pricing.k)
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
    found = part.combined(QUICK, limits)
    found = np.where(found >= 0, records[found], -1)
    return found if float(made.pricing.errors_of(found).sum()) < before * (1.0 - 1e-12) else groups
