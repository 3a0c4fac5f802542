"""How far from the best a partition can be at most, proven."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import fsum
from time import perf_counter

import numpy as np
import numpy.typing as npt

from tacita.core import DataError, ParameterError, Partition, Run
from tacita.core.arrays import as_matrix

from .base import Labels, Matrix
from .bounding import Priced, Pricing, least_shares
from .master import Columns, Prices, broken_triples
from .univariate import HM

_WHO = "Certificate"
_STAGE = "proving the bound"
# Neighbours that groups are first made of: without this the first prices run wild.
_WIDTHS = (12, 20, 40, 80)
_ROUNDS = 120
# Beyond that the distances of all pairs no longer fit: the instant bound stands alone.
_MOST_RECORDS = 8000
_MOST_GROUPS = 25_000
_GAPS = 15
_MOST_NODES = 1_000_000
_MOST_BRANCHES = 100
_CUTS = 300
_PASSES = 4
_PROOFS = 5
# A gain, as a share of the error, that is not worth another round.
_LITTLE = 1e-5
# What a gap must be to count as none: the solver's own tolerance.
_CLOSED = 1e-7


@dataclass(frozen=True, eq=False)
class Certificate:
    """No partition into groups of at least k has a squared error below `lower_bound`.

    `sse` is that of the best partition known, `partition`: the given one, or a better one met on the way.
    `proven_optimal`: no partition is better (up to 1e-7 of its error, the tolerance of the solver).
    """

    lower_bound: float
    sse: float
    proven_optimal: bool
    columns: int
    rounds: int
    seconds: float
    partition: Partition

    @property
    def gap(self) -> float:
        """(sse - lower_bound) / sse: the most that any other partition could save, as a share."""
        return max(0.0, self.sse - self.lower_bound) / self.sse if self.sse > 0 else 0.0


def instant_bound(x: npt.ArrayLike, k: int, run: Run | None = None) -> float:
    """A lower bound on the squared error of any partition of the rows of x into groups of at least k.

        sum over i of min over m = k..2k-1 of 1/(2m) (sum of the m-1 smallest squared distances from i)

    SSE(S) is 1/(2m) times the squared distances over ordered pairs of S, so each record of a group pays at
    least its term; groups of 2k or more can be cut at no loss. O(n^2 d) time, O(n k) memory.

    >>> instant_bound([[0.0], [1.0], [5.0], [6.0]], k=2) <= 1.0
    True
    """
    return _instant(_checked(x, k), k, run or Run())[1]


def _checked(x: npt.ArrayLike, k: int) -> Matrix:
    if not isinstance(k, int | np.integer) or k < 1:
        raise ParameterError(f"{_WHO}: k must be a whole number of at least 1, got {k!r}.")
    matrix = as_matrix(x, _WHO)
    if len(matrix) < k:
        raise DataError(f"{_WHO}: k={k} needs at least {k} records, got {len(matrix)}. Lower k.")
    return matrix


def _instant(x: Matrix, k: int, run: Run) -> tuple[Matrix, float]:
    if k == 1:
        return np.zeros(len(x)), 0.0
    shares = least_shares(x, k, run)
    return shares, fsum(shares) * (1.0 - 1e-15)


def certify(
    x: npt.ArrayLike,
    k: int,
    partition: Partition,
    run: Run | None = None,
    *,
    seconds: float | None = None,
    effort: int | None = None,
    pool: Iterable[Partition] | None = None,
) -> Certificate:
    """Prove how good `partition` is, and improve it where the proof meets something better.

    Choosing groups so that each record is in one, at least cost, is a set-partitioning programme. Its linear
    relaxation is solved by column generation: prices per record from the groups known, the group worth most
    under these prices by exact search (`kernels.pricing`), first among 12, 20, 40, 80 neighbours, then
    among all. Prices that allow no group worth more than it costs add up to a lower bound; prices that do
    are lowered until they allow none, so a bound is proven at any time. Triples of records (of all groups
    that hold two of them a partition uses one) raise the bound further. Last, a group whose price lacks
    more than the gap cannot be in a better partition: if few enough are left, choosing among them settles
    the optimum.

    One column: exact, by HM. More than 8000 records: the instant bound alone. `effort` limits the rounds of
    pricing and makes the result repeat exactly; `seconds` limits elapsed time. `pool`: partitions whose
    groups help to start, such as those met by a search. Never worse than `instant_bound`, whenever it ends.

    Time: O(n^2 (d + log n)) and the rounds, each one linear programme and one search, exponential in k at
    worst; memory O(n^2).
    Source: du Merle, Hansen, Jaumard & Mladenovic (2000), SIAM J. Scientific Computing 21(4), 1485-1505
    (column generation for the squared error); Aloise, Hansen, Rocha & Santi (2014), J. Global Optimization
    60(2), 165-182 (for microaggregation); triples: see `broken_triples`.

    >>> from tacita.core import Partition
    >>> x = np.array([[0.0, 0.0], [1.0, 0.0], [9.0, 5.0], [9.0, 6.0], [20.0, 1.0], [21.0, 1.0]])
    >>> proof = certify(x, 2, Partition([0, 0, 1, 1, 2, 2], k=2))
    >>> proof.proven_optimal, round(proof.sse, 6)
    (True, 1.5)
    """
    started = perf_counter()
    run = run or Run()
    matrix = _checked(x, k)
    if partition.n != len(matrix) or partition.sizes.min() < k:
        raise DataError(
            f"{_WHO}: wanted a partition of {len(matrix)} records in groups of at least {k}, got "
            f"{partition.n} records in groups of at least {int(partition.sizes.min())}."
        )
    if effort is not None and effort < 0:
        raise ParameterError(f"{_WHO}: effort must be at least 0 rounds, got {effort}.")
    centred = matrix - matrix.mean(axis=0)
    proof = _Proof(matrix, centred, k, partition, run, started, seconds, effort)
    proof.run_all(pool or ())
    run.report(_STAGE, 1, 1)
    return proof.certificate()


class _Proof:
    """One certificate in the making: what is known so far, and the stages that add to it."""

    def __init__(
        self,
        x: Matrix,
        centred: Matrix,
        k: int,
        partition: Partition,
        run: Run,
        started: float,
        seconds: float | None,
        effort: int | None,
    ) -> None:
        self.x, self.centred, self.k, self.run = x, centred, k, run
        self.started, self.seconds = started, seconds
        self.rounds_left = effort if effort is not None else (_ROUNDS if seconds is None else 1_000_000)
        self.rounds = 0
        self.best, self.sse = partition, partition.sse(centred)
        self.shares, self.bound = _instant(x, k, run)
        self.optimal = False
        self.columns: Columns | None = None
        self.triples: Labels = np.empty((0, 3), dtype=np.int64)
        # the best repaired prices, with the bound they prove and the triples and fines they go with
        self.proving: tuple[float, Matrix, Labels, Matrix] | None = None

    def certificate(self) -> Certificate:
        bound = min(self.bound, self.sse)
        closed = self.optimal or self.sse - bound <= _CLOSED * self.sse
        columns = 0 if self.columns is None else len(self.columns)
        elapsed = perf_counter() - self.started
        return Certificate(bound, self.sse, closed, columns, self.rounds, elapsed, self.best)

    def late(self) -> bool:
        return self.seconds is not None and perf_counter() - self.started > self.seconds

    def tell(self) -> bool:
        """Report how far the proof is; true when its time is over."""
        spent = perf_counter() - self.started
        share = (
            self.rounds / (self.rounds_left + 1) if self.seconds is None else spent / (self.seconds + spent)
        )
        self.run.report(_STAGE, min(share, 0.99), 1)
        return self.late()

    def left(self, share: float = 1.0) -> float | None:
        """Seconds that a step may take, of those left."""
        if self.seconds is None:
            return None
        return share * max(0.0, self.seconds - (perf_counter() - self.started))

    def closed(self) -> bool:
        return self.sse - self.bound <= _CLOSED * self.sse

    def consider(self, partition: Partition) -> None:
        # a partition whose groups hold k units each is not to be replaced by one whose groups may not
        sse = self.sse if self.best.units is not None else partition.sse(self.centred)
        if sse < self.sse * (1.0 - 1e-12):
            self.best, self.sse = partition, sse

    def settle(self, partition: Partition) -> None:
        """Nothing is better than this partition."""
        self.consider(partition)
        self.bound = partition.sse(self.centred)

    def run_all(self, pool: Iterable[Partition]) -> None:
        n, d = self.x.shape
        if self.k == 1:
            return self.settle(Partition(np.arange(n), 1))
        if n < 2 * self.k:
            return self.settle(Partition(np.zeros(n, dtype=np.int64), self.k))
        if d == 1:
            return self.settle(HM(k=self.k).partition(self.x, self.run))
        if self.closed() or n > _MOST_RECORDS or self.rounds_left == 0:
            return None
        self.pricing = Pricing(self.x, self.k, self.shares)
        self.columns = Columns(self.pricing.distances, self.k)
        for known in (self.best, *pool):
            if known.n == n and known.sizes.min() >= self.k:
                self.consider(known)
                self.columns.add(_as_groups(known.labels, self.k))
        self.columns.add(self.pricing.nearest_groups(self.k))
        return self.bound_by_prices()

    def bound_by_prices(self) -> None:
        for width in _WIDTHS:
            if width < self.pricing.n - 1:
                self.generate(width)
        # one proof at once, in case time is short; exact rounds are dear, so the others wait for the triples
        self.prove(1)
        for _ in range(_PASSES):
            before = self.bound
            self.add_triples()
            self.generate(_WIDTHS[-1])
            self.prove(_PROOFS)
            if self.ended() or self.bound - before <= _LITTLE * self.sse:
                break
        if self.best.units is not None:
            return
        if not self.closed() and not self.late():
            self.choose_among_columns()
        if not self.closed() and not self.late():
            self.choose_among_all()

    def add_triples(self) -> None:
        """Triples and the groups they call for, until they raise the value next to nothing."""
        value = -np.inf
        while not self.ended():
            raised = self.cut()
            if raised is None or raised - value <= _LITTLE * self.sse:
                break
            value = raised
            self.generate(_WIDTHS[-2] if self.k > 3 else _WIDTHS[-1])

    def ended(self) -> bool:
        return self.closed() or self.late() or self.rounds >= self.rounds_left

    def step(self, width: int, repair: bool, tolerance: float) -> tuple[Prices, Priced, int] | None:
        """One round: prices, groups worth more; None if there is no time for it or the solver fails."""
        columns = self.columns
        if columns is None or self.rounds >= self.rounds_left or self.late():
            return None
        self.rounds += 1
        prices = columns.prices(self.triples, tolerance)
        if prices is None:
            return None
        self.pricing.fined(self.triples, prices.fines)
        priced = self.pricing.price(prices.records, width, repair, _MOST_NODES, self.tell)
        return prices, priced, columns.add(priced.groups)

    def generate(self, width: int) -> None:
        """Rounds among `width` neighbours until they add next to nothing."""
        while (done := self.step(width, False, 1e-5)) is not None:
            prices, priced, fresh = done
            if not priced.complete or fresh == 0 or priced.excess <= 1e-4 * prices.value:
                break

    def prove(self, most: int) -> None:
        """Up to `most` rounds among all records: each proves a bound."""
        for _ in range(most):
            done = self.step(0, True, 1e-7)
            if done is None:
                break
            prices, priced, fresh = done
            self.keep(priced.prices)
            if self.closed() or fresh == 0 or priced.excess <= _LITTLE * prices.value:
                break

    def keep(self, prices: Matrix) -> None:
        bound = self.pricing.proven(prices)
        if bound > self.bound:
            self.bound = bound
        if self.proving is None or bound > self.proving[0]:
            self.proving = (bound, prices, self.pricing.triples, self.pricing.fines)

    def cut(self) -> float | None:
        """Add triples that the weights break, drop those that cost nothing; the value without the new ones.

        None if there are no new ones.
        """
        columns = self.columns
        prices = None if columns is None else columns.prices(self.triples, 1e-6)
        if columns is None or prices is None:
            return None
        fresh = broken_triples(columns, prices.weights, self.triples, _CUTS)
        worthless = prices.fines <= 1e-9 * self.sse / self.pricing.n
        self.triples = np.concatenate([self.triples[~worthless], fresh])
        return prices.value if len(fresh) else None

    def choose_among_columns(self) -> None:
        """A better partition of the groups known, if there is one."""
        columns = self.columns
        if columns is None:
            return
        start = _rows_of(columns, _as_groups(self.best.labels, self.k))
        choice = columns.choose(self.triples, start, _MOST_BRANCHES, self.left(0.5))
        self.tell()
        if choice.chosen is not None:
            self.consider(_as_partition(columns.groups[choice.chosen], self.pricing.n, self.k))

    def choose_among_all(self) -> None:
        """Choose among all groups that a partition below some error could hold; that settles it up to there.

        With the error of the best partition known this settles the optimum. Where that leaves too many
        groups, a lower error is tried: no partition is then below it, or the best one is found.
        """
        if self.proving is None:
            return
        bound, prices, triples, fines = self.proving
        self.pricing.fined(triples, fines)
        few, gap = None, (self.sse - bound) * (1.0 + 1e-9) + self.pricing.floor
        for _ in range(_GAPS):
            few = self.pricing.within(prices, gap, _MOST_GROUPS, _MOST_NODES, self.tell)
            if few is not None or self.late():
                break
            gap *= 0.6
        if few is None:
            return
        candidates = Columns(self.pricing.distances, self.k)
        own = _as_groups(self.best.labels, self.k)
        candidates.add(own)
        candidates.add(few)
        choice = candidates.choose(triples, _rows_of(candidates, own), _MOST_BRANCHES, self.left())
        self.tell()
        if choice.chosen is not None:
            self.consider(_as_partition(candidates.groups[choice.chosen], self.pricing.n, self.k))
        # what holds another group has an error of bound + gap at least
        settled = min(self.sse, bound + gap, choice.bound if np.isfinite(choice.bound) else -np.inf)
        if choice.closed and self.sse <= bound + gap:
            self.bound, self.optimal = self.sse, True
        else:
            self.bound = max(self.bound, settled - _CLOSED * self.sse)


def _as_groups(labels: Labels, k: int) -> Labels:
    """The groups of a partition as rows, ended by -1; those of 2k or more cut into pieces of k to 2k-1."""
    order = np.argsort(labels, kind="stable")
    sizes = np.bincount(labels)
    place = np.arange(len(labels)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    # the last piece takes what is left over, up to k-1 more
    piece = np.minimum(place // k, np.repeat(sizes // k - 1, sizes))
    starts = np.concatenate([[0], np.cumsum(sizes // k)[:-1]])
    number = np.repeat(starts, sizes) + piece
    groups = np.full((int(number.max()) + 1, 2 * k - 1), -1, dtype=np.int64)
    # groups keep whole up to 2k-1 records: sizes // k is 1 there
    groups[number, place - piece * k] = order
    return groups


def _rows_of(columns: Columns, groups: Labels) -> Labels:
    """Where these groups stand among the columns; each is one of them."""
    n = int(columns.groups.max()) + 1
    rows = np.where(groups < 0, n, groups)
    rows.sort(axis=1)
    rows[rows == n] = -1
    both = np.concatenate([columns.groups, rows])
    _, index, inverse = np.unique(both, axis=0, return_index=True, return_inverse=True)
    return np.asarray(index[inverse.reshape(-1)[len(columns) :]])


def _as_partition(groups: Labels, n: int, k: int) -> Partition:
    labels = np.full(n, -1, dtype=np.int64)
    members = groups >= 0
    labels[groups[members]] = np.repeat(np.arange(len(groups)), members.sum(axis=1))
    return Partition(labels, k)
