"""Prices that no group is worth more than: the two ways to find them, and what they prove."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import fsum
from typing import TYPE_CHECKING

import numpy as np

from tacita.core import Labels, Matrix, RunContext

from .neighbours import neighbours

if TYPE_CHECKING:
    from tacita.kernels.records.pricing import PricingProblem

_ROUNDING = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class BoundingSettings:
    """How far one exact search for groups goes; `python -m benchmarks certificate` times it."""

    # roots that are priced between two looks at the clock
    roots_per_call: int = 4
    # nodes of one pass over all roots: a search that needs more proves nothing useful
    nodes: int = 30_000_000
    # searches of a root, which begin anew where a group is found
    searches_per_root: int = 6


SETTINGS = BoundingSettings()


def least_shares(x: Matrix, k: int, run: RunContext) -> Matrix:
    """What each record costs at least in any group: min over m of 1/(2m) times its m-1 smallest distances.

    A group of m records has SSE = 1/(2m) times the sum over ordered pairs, hence at least the sum of these
    shares. O(n^2 d) time, O(n k) memory.
    """
    n, d = x.shape
    _, gaps = neighbours(x, 2 * k - 2, run)
    sums = np.cumsum(gaps**2, axis=1)
    sizes = np.arange(k, min(2 * k - 1, n) + 1)
    shares = (sums[:, sizes - 2] / (2 * sizes)).min(axis=1)
    return np.asarray(shares * (1.0 - (d + 4 * k + 16) * _ROUNDING))


@dataclass(frozen=True)
class Priced:
    """One pass over all roots: groups found, and, after repair, prices that allow none."""

    prices: Matrix
    groups: Labels
    excess: float
    complete: bool


class Pricing:
    """The records of one problem, laid out for the search of `kernels.records.pricing`. O(n^2) memory."""

    def __init__(self, x: Matrix, k: int, shares: Matrix) -> None:
        from tacita.kernels.records.distance import pairwise

        n, d = x.shape
        self.x, self.shares = x, shares
        self.n, self.d, self.k = n, d, k
        self.distances = np.empty((n, n))
        pairwise(x, self.distances)
        self._by_distance = np.argsort(self.distances, axis=1, kind="stable").astype(np.int32)
        nearest = np.sort(self.distances + np.diag(np.full(n, np.inf)), axis=1)[:, : 2 * k - 2]
        self._near = np.full((n, 2 * k - 1), np.inf)
        self._near[:, 0] = 0.0
        self._near[:, 1 : nearest.shape[1] + 1] = 0.5 * np.cumsum(nearest, axis=1)
        self._neighbours: dict[int, tuple[Labels, Labels]] = {
            0: (np.zeros(n + 1, np.int64), np.empty(0, np.int64))
        }
        self.floor = 1e-10 * float(shares.mean())
        self.fined(np.empty((0, 3), dtype=np.int64), np.empty(0))

    def fined(self, triples: Labels, fines: Matrix) -> None:
        """From now on these fines hold."""
        self.triples, self.fines = triples, fines
        corners = triples.ravel()
        self._entries = np.argsort(corners, kind="stable") // 3
        counts = np.bincount(corners, minlength=self.n)
        self._first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)

    def errors_of(self, groups: Labels) -> Matrix:
        """Squared errors of groups, rows ended by -1."""
        from tacita.kernels.records.distance import group_costs

        errors = np.empty(len(groups))
        group_costs(self.distances, groups, errors)
        return errors

    def nearest_groups(self, m: int) -> Labels:
        """Every record with its m-1 nearest."""
        groups = np.full((self.n, 2 * self.k - 1), -1, dtype=np.int64)
        # of records at the same place the record itself need not be the first
        rows = np.arange(self.n)[:, None]
        others = self._by_distance[:, :m]
        lacks_itself = ~(others == rows).any(axis=1)
        groups[:, :m] = others
        groups[lacks_itself, m - 1] = rows[lacks_itself, 0]
        return groups

    def _lists(self, width: int) -> tuple[Labels, Labels]:
        """Neighbours of each record: its `width` nearest, and those it is among the nearest of; 0 for all."""
        if width + 1 >= self.n:
            width = 0
        if width not in self._neighbours:
            linked = np.zeros((self.n, self.n), dtype=np.bool_)
            np.put_along_axis(linked, self._by_distance[:, : width + 1].astype(np.int64), True, axis=1)
            linked |= linked.T
            np.fill_diagonal(linked, False)
            first = np.concatenate([[0], np.cumsum(linked.sum(axis=1))])
            self._neighbours = {0: self._neighbours[0], width: (first, np.flatnonzero(linked) % self.n)}
        return self._neighbours[width]

    def price(self, prices: Matrix, width: int, repair: bool, nodes: int, late: Callable[[], bool]) -> Priced:
        """The best group of every root within `width` nearest; with repair, prices that allow none.

        A root that takes more than `nodes`, or comes after 30 million in all or after `late()` turned true,
        pays the bound that is known by then, so that repaired prices prove what they claim whenever the
        search ends.
        """
        from tacita.kernels.records.pricing import GroupList, Neighbours, Search, price_roots

        tries = SETTINGS.searches_per_root if repair else 1
        repaired = prices.copy()
        problem = self._problem(repaired)
        order = _most_expensive_first(prices)
        rank = np.empty(self.n, dtype=np.int64)
        rank[order] = np.arange(self.n)
        neighbours = Neighbours(order, rank, *self._lists(width))
        groups, total, complete = [np.empty((0, 2 * self.k - 1), dtype=np.int64)], np.zeros(3), True
        for begin in range(0, self.n, SETTINGS.roots_per_call):
            out_of_time = late() or total[0] > SETTINGS.nodes
            if out_of_time:
                complete = False
                if not repair:
                    break
            rows = SETTINGS.roots_per_call * tries
            out = np.full((rows, 2 * self.k - 1), -1, dtype=np.int64)
            sizes, values = np.zeros(rows, dtype=np.int64), np.zeros(rows)
            search = Search(self.floor, 1 if out_of_time else nodes, repair, tries)
            end, listed = min(begin + SETTINGS.roots_per_call, self.n), GroupList(out, sizes, values)
            written = price_roots(begin, end, neighbours, problem, search, listed, total)
            best = out[:written]
            groups.append(np.where(np.arange(2 * self.k - 1) < sizes[:written, None], best, -1))
        return Priced(repaired, np.concatenate(groups), float(total[1] + total[2]), complete)

    def _problem(self, prices: Matrix) -> PricingProblem:
        from tacita.kernels.records.pricing import PricingProblem

        return PricingProblem(
            k=self.k,
            distances=self.distances,
            near=self._near,
            prices=prices,
            first=self._first,
            entries=self._entries,
            triples=self.triples,
            fines=self.fines,
        )

    def proven(self, prices: Matrix) -> float:
        """The lower bound that repaired prices and the present fines prove, rounding taken off.

        Distances, sums of them and prices carry relative errors of a few units in the last place, so a value
        found to be at most `floor` is at most that plus `slip`; there are at most n/k groups.
        """
        largest = np.sort(np.abs(prices))[-(2 * self.k - 1) :].sum() + float(self.fines.sum())
        slip = 8 * (self.d + 8 * self.k**2 + 32) * _ROUNDING * largest
        bound = fsum(prices) - fsum(self.fines) - (self.n / self.k) * (self.floor + slip)
        return float(bound - 4 * _ROUNDING * abs(bound))

    def within(
        self, prices: Matrix, gap: float, most: int, nodes: int, late: Callable[[], bool]
    ) -> Labels | None:
        """Every group that lacks less than `gap` to being worth its cost; None if more than `most` do."""
        from tacita.kernels.records.pricing import GroupList, enumerate_roots

        groups = np.full((most, 2 * self.k - 1), -1, dtype=np.int64)
        listed = GroupList(groups, np.zeros(most, dtype=np.int64), np.zeros(most))
        problem = self._problem(prices)
        written = 0
        order = _most_expensive_first(prices)
        for begin in range(0, self.n, SETTINGS.roots_per_call):
            if late():
                return None
            end = min(begin + SETTINGS.roots_per_call, self.n)
            written = enumerate_roots(begin, end, order, problem, -gap, nodes, listed, written)
            if written < 0:
                return None
        return groups[:written]


def _most_expensive_first(prices: Matrix) -> Labels:
    """The order of roots: records far out, whose prices are high, are tried with one another only once.

    The other way round every cheap record would meet all sets of expensive ones again.
    """
    return np.argsort(-prices, kind="stable")
