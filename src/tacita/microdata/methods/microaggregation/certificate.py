"""How far from the best a partition can be at most, proven."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import fsum
from time import perf_counter

import numpy as np
import numpy.typing as npt

from tacita.core import Bounds, DataError, Labels, Matrix, ParameterError, Partition, RunContext
from tacita.core.arrays import as_matrix

from .bounding import Pricing, least_shares
from .column_generation import LITTLE, QUICK, THOROUGH, WIDTHS, Generation, tightened
from .mhm import HM
from .recombination import polish
from .set_partitioning import Columns, Limits, as_groups, as_labels

_WHO = "Certificate"
_STAGE = "proving the bound"


@dataclass(frozen=True)
class CertificateSettings:
    """How much work a proof may be, and its tolerance.

    `python -m benchmarks certificate` prints bounds and seconds.
    """

    # rounds of prices where neither effort nor seconds are given
    rounds: int = 120
    # records up to which the distances of all pairs fit in memory; beyond, the instant bound stands alone
    most_records: int = 8000
    # groups per record that the MIP chooses among, at most
    groups_per_record: int = 50
    # gaps that are tried, one smaller than the other, until so few groups are left
    gap_trials: int = 15
    # nodes of one exact search for groups, at most
    pricing_nodes: int = 300_000
    # callbacks of the solver before it is stopped: a measure of its work that repeats
    solver_calls: int = 400
    # times that groups are chosen anew once a better partition is found
    choices: int = 3
    # share of the gap that the choice must be able to close to be worth its time
    least_closed: float = 0.3
    # places where the incumbent is mended
    polished_places: int = 40
    # passes of triples, prices and proofs
    passes: int = 4
    # rounds of proofs in a pass
    proofs_per_pass: int = 5
    # share of the error: a smaller gap is none, as for the solver
    tolerance: float = 1e-7


SETTINGS = CertificateSettings()


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


def instant_bound(x: npt.ArrayLike, k: int, run: RunContext | None = None) -> float:
    """A lower bound on the squared error of any partition of the rows of x into groups of at least k.

        sum over i of min over m = k..2k-1 of 1/(2m) (sum of the m-1 smallest squared distances from i)

    SSE(S) is 1/(2m) times the squared distances over ordered pairs of S, so each record of a group pays at
    least its term; groups of 2k or more can be cut at no loss. O(n^2 d) time, O(n k) memory.

    >>> instant_bound([[0.0], [1.0], [5.0], [6.0]], k=2) <= 1.0
    True
    """
    return _instant(_checked(x, k), k, run or RunContext())[1]


def _checked(x: npt.ArrayLike, k: int) -> Matrix:
    if not isinstance(k, int | np.integer) or k < 1:
        raise ParameterError(f"{_WHO}: k must be a whole number of at least 1, got {k!r}.")
    matrix = as_matrix(x, _WHO)
    if len(matrix) < k:
        raise DataError(f"{_WHO}: k={k} needs at least {k} records, got {len(matrix)}. Lower k.")
    return matrix


def _instant(x: Matrix, k: int, run: RunContext) -> tuple[Matrix, float]:
    if k == 1:
        return np.zeros(len(x)), 0.0
    shares = least_shares(x, k, run)
    return shares, fsum(shares) * (1.0 - 1e-15)


def certify(
    x: npt.ArrayLike,
    k: int,
    partition: Partition,
    run: RunContext | None = None,
    *,
    seconds: float | None = None,
    effort: int | None = None,
    pool: Iterable[Partition] | None = None,
) -> Certificate:
    """Prove how good `partition` is, and improve it where the proof meets something better.

    Choosing groups so that each record is in one, at least cost, is a set-partitioning problem. Its linear
    relaxation is solved by column generation: prices per record from the groups known, the group worth most
    under these prices by exact search, first among 12, 20, 40, 80 neighbours, then
    among all. Prices that allow no group worth more than it costs add up to a lower bound; prices that do
    are lowered until they allow none, so a bound is proven at any time. Triples of records (of all groups
    that hold two of them a partition uses one) raise the bound further. A dive from the weights of groups
    looks for a better partition, which is mended where prices say that it loses most. Last, a group whose
    price lacks more than the gap cannot be in a better partition: the few that are left are listed, at most
    50 for each record. Choosing among them by a MIP settles the optimum, or, if there were
    more, raises the bound; it is left out where that could close little of the gap.

    One column: exact, by HM. More than 8000 records: the instant bound alone. `effort` limits the rounds of
    pricing and makes the result repeat exactly; `seconds` limits elapsed time. `pool`: partitions whose
    groups help to start, such as those met by a search. Never worse than `instant_bound`, whenever it ends.

    Time: O(n^2 (d + log n)) and the rounds, each one LP and one search, exponential in k at
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
    run = run or RunContext()
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
        run: RunContext,
        started: float,
        seconds: float | None,
        effort: int | None,
    ) -> None:
        self.x, self.centred, self.k, self.run = x, centred, k, run
        self.started, self.seconds = started, seconds
        self.most_rounds = (
            effort if effort is not None else (SETTINGS.rounds if seconds is None else 1_000_000)
        )
        self.best, self.sse = partition, partition.sse(centred)
        self.shares, self.bound = _instant(x, k, run)
        self.optimal = False
        self.generation: Generation | None = None
        # the best repaired prices, with the bound they prove and the triples and fines they go with
        self.proving: tuple[float, Matrix, Labels, Matrix] | None = None

    def certificate(self) -> Certificate:
        bound = min(self.bound, self.sse)
        closed = self.optimal or self.sse - bound <= SETTINGS.tolerance * self.sse
        made = self.generation
        columns, rounds = (0, 0) if made is None else (len(made.columns), made.rounds)
        elapsed = perf_counter() - self.started
        return Certificate(
            lower_bound=bound,
            sse=self.sse,
            proven_optimal=closed,
            columns=columns,
            rounds=rounds,
            seconds=elapsed,
            partition=self.best,
        )

    def late(self) -> bool:
        in_time = self.seconds is None or perf_counter() - self.started <= self.seconds
        return not in_time or self.run.should_stop()

    def ended(self) -> bool:
        return self.late() or self.run.should_cancel()

    def tell(self) -> bool:
        """Report how far the proof is; true when it should end."""
        spent = perf_counter() - self.started
        rounds = 0 if self.generation is None else self.generation.rounds
        share = rounds / (self.most_rounds + 1) if self.seconds is None else spent / (self.seconds + spent)
        self.run.report(_STAGE, min(share, 0.99), 1)
        self.run.on_bounds(Bounds(min(self.bound, self.sse), self.sse))
        return self.late()

    def limits(self, questions: int) -> Limits:
        """For a MIP: ended when this is, in half of the seconds left."""
        if self.seconds is None:
            return Limits(questions, self.ended)
        left = max(0.0, self.seconds - (perf_counter() - self.started))
        return Limits(10**9, self.ended, 0.5 * left)

    def closed(self) -> bool:
        return self.sse - self.bound <= SETTINGS.tolerance * self.sse

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
        if self.closed() or n > SETTINGS.most_records or self.most_rounds == 0 or self.late():
            return None
        known = [partition for partition in pool if partition.n == n and partition.sizes.min() >= self.k]
        for partition in known:
            self.consider(partition)
        start = as_groups(self.best.labels, self.k)
        made = Generation(Pricing(self.x, self.k, self.shares), start, self.most_rounds, self.tell)
        self.generation = made
        for partition in known:
            made.columns.add(as_groups(partition.labels, self.k))
        self.bound_by_prices(made)
        if self.best.units is None:
            self.look_for_better(made)
            for _ in range(SETTINGS.choices):
                before = self.sse
                self.choose_among_all(made)
                # a better partition leaves fewer groups to choose among
                if self.sse >= before:
                    break
        return None

    def bound_by_prices(self, made: Generation) -> None:
        made.widen()
        # one proof at once, in case time is short
        if not self.prove(made, 1):
            return
        for _ in range(SETTINGS.passes):
            before = self.bound
            made.add_triples(LITTLE * self.sse)
            made.generate(WIDTHS[-1])
            if not self.prove(made, SETTINGS.proofs_per_pass) or self.closed() or made.over():
                break
            if self.bound - before <= LITTLE * self.sse:
                break

    def prove(self, made: Generation, most: int) -> bool:
        """Up to `most` rounds among all records: each proves a bound. False if the search is too large."""
        for _ in range(most):
            done = made.step(0, True, 1e-7)
            if done is None:
                break
            prices, priced, fresh = done
            self.keep(made.pricing, priced.prices)
            if not priced.complete:
                return False
            if self.closed() or fresh == 0 or priced.excess <= LITTLE * prices.value:
                break
        return True

    def keep(self, pricing: Pricing, prices: Matrix) -> None:
        bound = pricing.proven(prices)
        if bound > self.bound:
            self.bound = bound
        if self.proving is None or bound > self.proving[0]:
            self.proving = (bound, prices, pricing.triples, pricing.fines)

    def look_for_better(self, made: Generation) -> None:
        """A better partition of the groups known and those next to them, if there is one."""
        for care in (QUICK, THOROUGH):
            if self.closed() or self.late():
                return
            groups = made.combined(care, self.limits(care.questions))
            self.tell()
            self.consider(Partition(as_labels(groups, made.pricing.n), self.k))
            made.columns.add(groups)
        if self.closed() or self.late():
            return
        few = Limits(QUICK.questions, self.ended)
        groups = polish(made, as_groups(self.best.labels, self.k), SETTINGS.polished_places, few)
        self.tell()
        self.consider(Partition(as_labels(groups, made.pricing.n), self.k))

    def choose_among_all(self, made: Generation) -> None:
        """Choose among all groups that a partition below some error could hold; that settles it up to there.

        With the error of the best partition known this settles the optimum. Where that leaves too many
        groups, a lower error is tried: no partition is then below it, or the best one is found.
        """
        if self.proving is None or self.closed() or self.late():
            return
        bound, prices, triples, fines = self.proving
        pricing = made.pricing
        pricing.fined(triples, fines)
        few, gap = None, (self.sse - bound) * (1.0 + 1e-9) + pricing.floor
        for _ in range(SETTINGS.gap_trials):
            few = pricing.within(
                prices, gap, SETTINGS.groups_per_record * pricing.n, SETTINGS.pricing_nodes, self.tell
            )
            if few is not None or self.late():
                break
            gap *= 0.6
        if few is None:
            return
        candidates = Columns(pricing.n, self.k, pricing.errors_of)
        candidates.add(few)
        # what holds another group has an error of bound + gap at least
        self.settle_below(
            min(self.sse, bound + gap), candidates, triples, gap >= SETTINGS.least_closed * (self.sse - bound)
        )

    def settle_below(self, error: float, candidates: Columns, triples: Labels, whole: bool) -> None:
        """Prove what partitions below `error` there are, all of whose groups are among the candidates.

        By a MIP if `whole` groups are to be chosen, by its LP relaxation alone otherwise.
        """
        candidates, triples, bound = tightened(candidates, triples, error, self.tell)
        if bound >= error:
            self.bound = max(self.bound, error)
            return
        self.bound = max(self.bound, bound)
        if self.late() or not whole:
            return
        own = as_groups(self.best.labels, self.k)
        candidates.add(own)
        choice = candidates.choose(triples, candidates.rows_of(own), self.limits(SETTINGS.solver_calls))
        self.tell()
        if choice.chosen is not None:
            self.consider(Partition(as_labels(candidates.groups[choice.chosen], candidates.n), self.k))
        if choice.closed and self.sse <= error:
            self.bound, self.optimal = self.sse, True
        elif np.isfinite(choice.bound):
            self.bound = max(self.bound, min(self.sse, error, choice.bound) - SETTINGS.tolerance * self.sse)
