"""Groups worth knowing, made as prices call for them: column generation for the choice of groups."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tacita.core import Labels, Mask, Matrix, RunContext

from .annealing import Walks
from .bounding import Priced, Pricing
from .mdav import MDAV
from .set_partitioning import Columns, Limits, Prices, as_groups, broken_triples, no_triples


@dataclass(frozen=True)
class ColumnGenerationSettings:
    """How many groups and cuts column generation adds, and when its rounds end.

    `python -m benchmarks best certificate` prints the losses and bounds that they lead to.
    """

    # weight in the LP from which on a group is taken along with the heaviest
    sure_weight: float = 0.9
    # nodes of one exact search for groups, at most
    pricing_nodes: int = 300_000
    # triples that are added in a round, at most
    cuts: int = 300
    # share of the error that groups near to their price may lack at first; it is doubled
    near_lack: float = 1e-5
    # so often, at most
    near_doublings: int = 18
    # moves per record by which the start of a part is annealed
    annealing_moves: int = 5000
    # rounds of triples in a row that stall before they end
    stalled_rounds: int = 3
    # share of the gap: a round that closes less has stalled
    least_gain: float = 0.01
    # share of the error: a smaller gain of the triples of a part is not worth another round
    little_inside: float = 5e-4


SETTINGS = ColumnGenerationSettings()


def dive(
    columns: Columns, triples: Labels, left: int, ended: Callable[[], bool] = lambda: False
) -> tuple[Labels, Mask]:
    """Groups that a good partition may well hold, as rows of `columns`, and which records are still free.

    The linear program gives each group a weight. Those of weight 0.9 and the heaviest are fixed, what
    overlaps them is taken out, and the program solved again from where it stood, until at most `left`
    records are free, or the groups known cannot cover those any more: then the last step is taken back. Each
    step takes a few simplex iterations; at most n/k of them.

    >>> columns = Columns(4, 2, lambda groups: np.array([1.0, 1.0, 3.0, 3.0][: len(groups)]))
    >>> columns.add(np.array([[0, 1, -1], [2, 3, -1], [0, 2, -1], [1, 3, -1]]))
    4
    >>> rows, free = dive(columns, np.empty((0, 3), dtype=np.int64), 0)
    >>> rows.tolist(), free.tolist()
    ([0, 1], [False, False, False, False])
    """
    padded = np.where(columns.groups < 0, columns.n, columns.groups)
    model = columns.linear_program(triples, solver="simplex")
    model.solve()
    model.set(presolve="off")
    # one more than there are records, for the padding, which is always free
    free = np.ones(columns.n + 1, dtype=np.bool_)
    possible = np.ones(len(columns), dtype=np.bool_)
    fixed = np.empty(0, dtype=np.int64)
    before = free.copy(), fixed
    while not ended():
        if model.status != "optimal":
            free, fixed = before
            break
        if free.sum() - 1 <= left:
            break
        before = free.copy(), fixed
        taken = _heaviest(model.x, possible, padded, free)
        if not taken.size:
            break
        fixed = np.concatenate([fixed, taken])
        gone = possible & ~free[padded].all(axis=1)
        possible &= ~gone
        gone[taken] = False
        for rows, at in ((np.flatnonzero(gone), 0.0), (taken, 1.0)):
            model.bound(rows, np.full(len(rows), at), np.full(len(rows), at))
        model.solve()
    return np.sort(fixed), free[:-1]


def _heaviest(weights: Matrix, possible: Mask, padded: Labels, free: Mask) -> Labels:
    """The heaviest group and those next to certain, no two of which overlap; they are struck off `free`."""
    rows = np.flatnonzero(possible & (weights > 1e-6))
    rows = rows[np.argsort(-np.round(weights[rows], 9), kind="stable")]
    taken: list[int] = []
    for row in rows.tolist():
        if taken and weights[row] < SETTINGS.sure_weight:
            break
        if free[padded[row]].all():
            taken.append(row)
            free[padded[row]] = False
            free[-1] = True
    return np.array(taken, dtype=np.int64)


# Neighbours that groups are first made of: without this the first prices run wild.
WIDTHS = (12, 20, 40, 80)
# A gain, as a share of the error, that is not worth another round.
LITTLE = 1e-5


@dataclass(frozen=True)
class Care:
    """How much is done to combine groups.

    near: groups that lack little, at most; left: records that an integer program chooses groups for, times
    k^2, since larger groups are harder to choose among; questions: how often it may ask to go on.
    """

    near: int
    left: int
    questions: int


QUICK = Care(near=1000, left=1000, questions=30)
THOROUGH = Care(near=8000, left=3600, questions=300)


class Generation:
    """The groups of one problem known so far, the triples that hold among them, and rounds that add more.

    `start` are the groups of a partition; `late` is called often, and ends a round; `rounds` is their
    largest number.
    """

    def __init__(self, pricing: Pricing, start: Labels, rounds: int, late: Callable[[], bool]) -> None:
        self.pricing = pricing
        self.start = start
        self.columns = Columns(pricing.n, pricing.k, pricing.errors_of)
        self.columns.add(start)
        self.columns.add(pricing.nearest_groups(pricing.k))
        self.triples: Labels = no_triples()
        self.rounds, self.most_rounds = 0, rounds
        self.late = late
        self.prices: Prices | None = None

    def over(self) -> bool:
        """Whether there are no more rounds."""
        return self.rounds >= self.most_rounds or self.late()

    def step(self, width: int, repair: bool, tolerance: float) -> tuple[Prices, Priced, int] | None:
        """One round: prices, groups worth more; None if there is no time for it or the solver fails."""
        if self.over():
            return None
        self.rounds += 1
        prices = self.columns.prices(self.triples, tolerance)
        if prices is None:
            return None
        self.prices = prices
        self.pricing.fined(self.triples, prices.fines)
        priced = self.pricing.price(prices.records, width, repair, SETTINGS.pricing_nodes, self.late)
        return prices, priced, self.columns.add(priced.groups)

    def generate(self, width: int) -> None:
        """Rounds among `width` neighbours until they add next to nothing."""
        while (done := self.step(width, False, 1e-5)) is not None:
            prices, priced, fresh = done
            if not priced.complete or fresh == 0 or priced.excess <= 1e-4 * prices.value:
                break

    def widen(self, widths: tuple[int, ...] = WIDTHS) -> None:
        """Rounds among more and more neighbours, up to all."""
        for width in widths:
            self.generate(width)
            if width >= self.pricing.n - 1:
                break

    def add_triples(self, little: float) -> None:
        """Triples and the groups they call for, until they raise the value by `little` or less."""
        value = -np.inf
        while not self.over():
            raised = self.cut()
            if raised is None or raised - value <= little:
                break
            value = raised
            self.generate(WIDTHS[-2] if self.pricing.k > 3 else WIDTHS[-1])

    def cut(self) -> float | None:
        """Add triples that the weights break, drop those that cost nothing; the value without the new ones.

        None if there are no new ones.
        """
        prices = self.columns.prices(self.triples, 1e-6)
        if prices is None:
            return None
        fresh = broken_triples(self.columns, prices.weights, self.triples, SETTINGS.cuts)
        worthless = prices.fines <= 1e-9 * prices.value / self.pricing.n
        self.triples = np.concatenate([self.triples[~worthless], fresh])
        return prices.value if len(fresh) else None

    def combined(self, care: Care, limits: Limits) -> Labels:
        """The groups, as rows, of a good partition made of those known and those that lack little.

        What the linear program is next to sure of is fixed; for the records left over groups are made
        anew, and so on, until few enough are left for the integer program. Never worse than the start
        there.
        """
        if limits.ended():
            return self.start
        prices = self.columns.prices(self.triples, 1e-7)
        rich = self.columns.copy()
        if prices is not None and not self.late():
            few = self._near(prices, care.near)
            if few is not None:
                rich.add(few)
        left = care.left // self.pricing.k**2
        if self.pricing.n > left:
            fixed, free = dive(rich, self.triples, left, limits.ended)
            if not free.any():
                return rich.groups[fixed]
            if fixed.size and not limits.ended():
                records = np.flatnonzero(free)
                k = self.pricing.k
                part = self.part(rich, records, as_groups(_annealed(self.pricing.x[records], k), k))
                part.make_enough()
                inner = part.combined(care, limits)
                inner = np.where(inner >= 0, records[inner], -1)
                return np.concatenate([rich.groups[fixed], inner])
        start = rich.rows_of(self.start)
        choice = rich.choose(self.triples, start, limits)
        return rich.groups[start if choice.chosen is None else choice.chosen]

    def part(self, known: Columns, records: Labels, start: Labels) -> Generation:
        """The same for some of the records: `start` holds their places, `known` are groups of all records."""
        number = np.full(self.pricing.n + 1, -1)
        number[records] = np.arange(len(records))
        groups = np.where(known.groups >= 0, number[known.groups], -2)
        inside = (groups != -1).all(axis=1)
        pricing = Pricing(self.pricing.x[records], self.pricing.k, self.pricing.shares[records])
        part = Generation(pricing, start, self.most_rounds, self.late)
        part.columns.add(np.maximum(groups[inside], -1))
        return part

    def make_enough(self) -> None:
        """What groups a part needs: those of few neighbours, and triples."""
        self.widen(WIDTHS[:2])
        if self.prices is not None:
            self.add_triples(SETTINGS.little_inside * self.prices.value)

    def _near(self, prices: Prices, most: int) -> Labels | None:
        """Groups that lack little to being worth their cost, as many as are quickly found."""
        self.pricing.fined(self.triples, prices.fines)
        lack, listed = SETTINGS.near_lack * prices.value, None
        for _ in range(SETTINGS.near_doublings):
            few = self.pricing.within(prices.records, lack, most, SETTINGS.pricing_nodes, self.late)
            if few is None:
                break
            listed = few
            if len(few) > most // 3:
                break
            lack *= 2
        return listed


def _annealed(x: Matrix, k: int) -> Labels:
    """A fair partition, quickly."""
    labels = MDAV(k=k).group(x, None, RunContext(threads=1))
    if len(x) < 4 * k:
        return labels
    walks = Walks(x, labels, k, np.array([1], dtype=np.uint64), RunContext(threads=1))
    walks.anneal(SETTINGS.annealing_moves * len(x), False)
    return walks.best()


def tightened(
    candidates: Columns, triples: Labels, most: float, late: Callable[[], bool]
) -> tuple[Columns, Labels, float]:
    """Candidates that a partition with an error below `most` can still hold, more triples, and the bound.

    The candidates are all groups that such a partition can hold, so prices need no search any more: for
    prices p and fines f of triples, every partition of candidates has an error of at least sum p - sum f +
    (n/k) min(0, least lack of a candidate), exactly, whatever the solver's tolerance. A candidate that lacks
    more than `most` minus this is in none. Repeated while triples are found that raise it. O(linear
    program) a round.
    """
    bound, stalled = -np.inf, 0
    while not late():
        prices = candidates.prices(triples, 1e-8)
        if prices is None:
            break
        lack = candidates.lacking(prices.records, triples, prices.fines)
        value = float(prices.records.sum() - prices.fines.sum())
        value += candidates.n / candidates.k * min(0.0, float(lack.min()))
        value -= 1e-12 * abs(value)
        stalled = 0 if value > bound + SETTINGS.least_gain * (most - value) else stalled + 1
        bound = max(bound, value)
        if bound >= most:
            break
        fresh = broken_triples(candidates, prices.weights, triples, SETTINGS.cuts)
        kept = lack <= (most - value) * (1.0 + 1e-9)
        candidates = candidates.only(kept)
        worthless = prices.fines <= 1e-9 * value / candidates.n
        triples = np.concatenate([triples[~worthless], fresh])
        if not len(fresh) or stalled == SETTINGS.stalled_rounds:
            break
    return candidates, triples, bound
