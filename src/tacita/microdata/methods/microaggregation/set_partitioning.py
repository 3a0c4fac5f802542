"""The choice among known groups: a linear program for prices, an integer one for partitions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sparse

from tacita.core import Labels, Mask, Matrix

if TYPE_CHECKING:
    from tacita.solvers.highs import LinearProgram


def as_groups(labels: Labels, k: int) -> Labels:
    """The groups of a partition; those of 2k or more cut into pieces of k to 2k-1. O(n log n).

    >>> as_groups(np.array([0, 1, 0, 1, 1]), 2).tolist()
    [[0, 2, -1], [1, 3, 4]]
    """
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


def as_labels(groups: Labels, n: int) -> Labels:
    """The partition whose groups these are; -1 for records in none.

    >>> as_labels(np.array([[0, 2, -1], [1, 3, 4]]), 5).tolist()
    [0, 1, 0, 1, 1]
    """
    labels = np.full(n, -1, dtype=np.int64)
    members = groups >= 0
    labels[groups[members]] = np.repeat(np.arange(len(groups)), members.sum(axis=1))
    return labels


def squared_errors(x: Matrix, groups: Labels) -> Matrix:
    """Of each group. O(sum of sizes x d) time, and memory for as many at a time as make a million numbers.

    >>> squared_errors(np.array([[0.0], [2.0], [9.0]]), np.array([[0, 1, -1]])).tolist()
    [2.0]
    """
    errors = np.empty(len(groups))
    step = max(1, 1_000_000 // (groups.shape[1] * x.shape[1]))
    for first in range(0, len(groups), step):
        rows = groups[first : first + step]
        counts = (rows >= 0)[:, :, None]
        points = np.where(counts, x[rows], 0.0)
        away = np.where(
            counts, points - points.sum(axis=1, keepdims=True) / counts.sum(axis=1, keepdims=True), 0.0
        )
        errors[first : first + step] = (away**2).sum(axis=(1, 2))
    return errors


@dataclass(frozen=True)
class Prices:
    """The answer of the linear program: prices per record, fines per triple, weights per group."""

    records: Matrix
    fines: Matrix
    weights: Matrix
    value: float


@dataclass(frozen=True)
class Choice:
    """The answer of the integer program: chosen rows or None, proven bound, closed or not."""

    chosen: Labels | None
    bound: float
    closed: bool


@dataclass(frozen=True)
class Limits:
    """When an integer program ends before its proof.

    A solver asks now and then whether to go on: a limit on its questions repeats, one on seconds does not.
    """

    questions: int
    ended: Callable[[], bool] = lambda: False
    seconds: float | None = None


def no_triples() -> Labels:
    """For programs without any."""
    return np.empty((0, 3), dtype=np.int64)


def sorted_rows(groups: Labels, n: int) -> Labels:
    """Each row ascending, its padding of -1 last.

    >>> sorted_rows(np.array([[4, -1, 2]]), 5).tolist()
    [[2, 4, -1]]
    """
    rows = np.where(groups < 0, n, groups)
    rows.sort(axis=1)
    rows[rows == n] = -1
    return rows


class Columns:
    """Distinct groups of k to 2k-1 of n records and their squared errors; rows sorted, ended by -1.

    `errors_of` gives the squared errors of rows of this form.
    """

    def __init__(self, n: int, k: int, errors_of: Callable[[Labels], Matrix]) -> None:
        self.n, self.k, self._errors_of = n, k, errors_of
        self.groups: Labels = np.empty((0, 2 * k - 1), dtype=np.int64)
        self.costs: Matrix = np.empty(0)

    def __len__(self) -> int:
        return len(self.groups)

    def copy(self) -> Columns:
        """The same groups, to be added to separately."""
        other = Columns(self.n, self.k, self._errors_of)
        other.groups, other.costs = self.groups, self.costs
        return other

    def only(self, kept: Mask) -> Columns:
        """Those kept, in the same order."""
        other = Columns(self.n, self.k, self._errors_of)
        other.groups, other.costs = self.groups[kept], self.costs[kept]
        return other

    def add(self, groups: Labels) -> int:
        """Append those not yet known; returns how many. O(c log c) for c groups in all."""
        before = len(self)
        both = np.concatenate([self.groups, sorted_rows(groups, self.n)])
        _, index = np.unique(both, axis=0, return_index=True)
        fresh = both[np.sort(index[index >= before])]
        self.groups = np.concatenate([self.groups, fresh])
        self.costs = np.concatenate([self.costs, self._errors_of(fresh)])
        return len(fresh)

    def rows_of(self, groups: Labels) -> Labels:
        """Where these groups stand, each of which is one of them."""
        both = np.concatenate([self.groups, sorted_rows(groups, self.n)])
        _, index, inverse = np.unique(both, axis=0, return_index=True, return_inverse=True)
        return np.asarray(index[inverse.reshape(-1)[len(self) :]])

    def membership(self) -> sparse.csc_matrix:
        """n rows, one column per group, 1 where the record is a member."""
        inside = self.groups >= 0
        ends = np.concatenate([[0], np.cumsum(inside.sum(axis=1))])
        ones = np.ones(int(ends[-1]))
        return sparse.csc_matrix((ones, self.groups[inside], ends), shape=(self.n, len(self)))

    def touched(self, triples: Labels) -> sparse.csr_matrix:
        """One row per triple, 1 for groups that hold two or three of its records."""
        corners = sparse.csr_matrix(
            (np.ones(triples.size), (np.repeat(np.arange(len(triples)), 3), triples.ravel())),
            shape=(len(triples), self.n),
        )
        two = (corners @ self.membership()).tocsr()
        two.data = (two.data >= 2).astype(np.float64)
        two.eliminate_zeros()
        return two

    def lacking(self, records: Matrix, triples: Labels, fines: Matrix) -> Matrix:
        """What each group lacks to being worth its cost: error + fines - prices (its reduced cost)."""
        lack = self.costs - self.membership().T @ records
        return np.asarray(lack + self.touched(triples).T @ fines if len(triples) else lack)

    def prices(self, triples: Labels, tolerance: float) -> Prices | None:
        """Solve the linear program over these groups by an interior point method without a final corner.

        Prices from the middle of the best face change less from round to round than those of a corner.
        None where the solver has no answer.
        """
        model = self.linear_program(triples, solver="ipx", run_crossover="off")
        model.set(ipm_optimality_tolerance=tolerance)
        model.solve()
        prices = self._read(model)
        if prices is None:
            model.set(solver="simplex")
            model.forget()
            if model.solve() == "optimal":
                prices = self._read(model)
        return prices

    def _read(self, model: LinearProgram) -> Prices | None:
        weights, dual, _, valid = model.answer()
        n = self.n
        if dual.size < n or weights.size != len(self) or not (np.isfinite(dual).all() and valid):
            return None
        dual *= self._unit()
        return Prices(dual[:n], np.maximum(0.0, -dual[n:]), weights, float(self.costs @ weights))

    def _unit(self) -> float:
        """What costs are measured in: a power of two near their mean. Tolerances of solvers are absolute."""
        mean = float(self.costs.mean()) if len(self) else 0.0
        return float(2.0 ** np.round(np.log2(mean))) if mean > 0 else 1.0

    def choose(self, triples: Labels, start: Labels | None, limits: Limits) -> Choice:
        """Solve the integer program over these groups, from the rows `start` if given.

        Records that no group holds are left out of it.
        """
        unit = self._unit()
        largest = max(1e-9, float(self.costs.max(initial=0.0)) / unit)
        options: dict[str, Any] = {"parallel": "off", "mip_abs_gap": 1e-9 * largest, "random_seed": 0}
        if limits.seconds is not None:
            options["time_limit"] = max(0.1, limits.seconds)
        weights = None
        if start is not None:
            weights = np.zeros(len(self))
            weights[start] = 1.0
        calls = 0

        def late() -> bool:
            nonlocal calls
            calls += 1
            return calls > limits.questions or limits.ended()

        answer = self.linear_program(triples, whole=True).choose(weights, late, **options)
        chosen = None if answer.x is None else np.flatnonzero(answer.x > 0.5)
        closed = answer.status == "optimal"
        # a solver's feasibility has tolerances, a partition has none
        if chosen is not None and not self._covers_once(chosen):
            chosen, closed = None, False
        return Choice(chosen, answer.bound * unit, closed)

    def _covers_once(self, rows: Labels) -> bool:
        """Whether these groups hold every record once that any group holds."""
        counts = [
            np.bincount(groups[groups >= 0], minlength=self.n) for groups in (self.groups, self.groups[rows])
        ]
        return bool(np.array_equal(counts[0] > 0, counts[1] == 1) and counts[1].max(initial=0) <= 1)

    def linear_program(self, triples: Labels, whole: bool = False, **options: Any) -> LinearProgram:
        """A row per record, = 1, and one per triple, at most 1; `whole`: of records some group holds."""
        from tacita.solvers.highs import LinearProgram

        members = self.membership()
        held = np.flatnonzero(members.getnnz(axis=1)) if whole else np.arange(self.n)
        members = members[held]
        if len(triples):
            members = sparse.vstack([members, self.touched(triples)])
        rows, columns = members.shape
        least = np.concatenate([np.ones(len(held)), np.full(rows - len(held), -np.inf)])
        ends = np.zeros(columns), np.full(columns, 1.0 if whole else np.inf)
        costs = self.costs / self._unit()
        right = (members.tocsc(), least, np.ones(rows))
        return LinearProgram.of(costs, *ends, *right, parallel="off", **options)


def broken_triples(
    columns: Columns, weights: Matrix, known: Labels, most: int, per_record: int = 3
) -> Labels:
    """Up to `most` triples of which the weights use more than one group, worst first.

    Subset-row inequalities: Jepsen, Petersen, Spoorendonk & Pisinger (2008), Operations Research 56(2),
    497-511.
    """
    from tacita.kernels.records.subset_row_cuts import broken_triples as find

    used = weights > 1e-4
    groups = columns.groups[used]
    members = columns.membership()[:, np.flatnonzero(used)].tocsr()
    n = members.shape[0]
    triples_found = np.empty((200_000, 3), dtype=np.int64)
    excess = np.empty(len(triples_found))
    first, entries = members.indptr.astype(np.int64), members.indices.astype(np.int64)
    count = find(first, entries, groups, weights[used], 0.02, triples_found, excess)
    triples, index = np.unique(np.concatenate([known, triples_found[:count]]), axis=0, return_index=True)
    fresh = index >= len(known)
    triples, over = triples[fresh], excess[index[fresh] - len(known)]
    # rounded, so that equal excesses are taken in order of rows on every machine
    order = np.argsort(-np.round(over, 6), kind="stable")
    taken = np.zeros(n, dtype=np.int64)
    chosen = []
    for triple in triples[order]:
        if taken[triple].max() < per_record:
            taken[triple] += 1
            chosen.append(triple)
            if len(chosen) == most:
                break
    return np.array(chosen, dtype=np.int64).reshape(-1, 3)
