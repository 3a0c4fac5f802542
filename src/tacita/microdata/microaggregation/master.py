"""The choice among known groups: a linear programme for prices, an integer one for partitions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sparse

from .base import Labels, Matrix


@dataclass(frozen=True)
class Prices:
    """The answer of the linear programme: prices per record, fines per triple, weights per group."""

    records: Matrix
    fines: Matrix
    weights: Matrix
    value: float


@dataclass(frozen=True)
class Choice:
    """The answer of the integer programme: chosen rows or None, proven bound, closed or not."""

    chosen: Labels | None
    bound: float
    closed: bool


class Columns:
    """Distinct groups of k to 2k-1 records and their squared errors; rows sorted, ended by -1."""

    def __init__(self, distances: Matrix, k: int) -> None:
        self._distances = distances
        self.groups: Labels = np.empty((0, 2 * k - 1), dtype=np.int64)
        self.costs: Matrix = np.empty(0)

    def __len__(self) -> int:
        return len(self.groups)

    def add(self, groups: Labels) -> int:
        """Append those not yet known; returns how many. O(c log c) for c groups in all."""
        from tacita.kernels.pricing import group_costs

        n = self._distances.shape[0]
        rows = np.where(groups < 0, n, groups)
        rows.sort(axis=1)
        rows[rows == n] = -1
        before = len(self)
        both = np.concatenate([self.groups, rows])
        _, index = np.unique(both, axis=0, return_index=True)
        fresh = both[np.sort(index[index >= before])]
        costs = np.empty(len(fresh))
        group_costs(self._distances, fresh, costs)
        self.groups = np.concatenate([self.groups, fresh])
        self.costs = np.concatenate([self.costs, costs])
        return len(fresh)

    def membership(self) -> sparse.csc_matrix:
        """n rows, one column per group, 1 where the record is a member."""
        inside = self.groups >= 0
        ends = np.concatenate([[0], np.cumsum(inside.sum(axis=1))])
        ones = np.ones(int(ends[-1]))
        return sparse.csc_matrix(
            (ones, self.groups[inside], ends), shape=(self._distances.shape[0], len(self))
        )

    def prices(self, triples: Labels, tolerance: float) -> Prices | None:
        """Solve the linear programme over these groups by an interior point method without a final corner.

        Prices from the middle of the best face change less from round to round than those of a corner.
        None where the solver has no answer.
        """
        import highspy

        solver = self._solver(triples, whole=False)
        solver.setOptionValue("solver", "ipx")
        solver.setOptionValue("run_crossover", "off")
        solver.setOptionValue("ipm_optimality_tolerance", tolerance)
        solver.run()
        answer = self._read(solver)
        if answer is None:
            solver.setOptionValue("solver", "simplex")
            solver.clearSolver()
            solver.run()
            if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
                return None
            answer = self._read(solver)
        return answer

    def _read(self, solver: Any) -> Prices | None:
        solution = solver.getSolution()
        dual, weights = np.array(solution.row_dual), np.array(solution.col_value)
        n = self._distances.shape[0]
        if (
            dual.size < n
            or weights.size != len(self)
            or not (np.isfinite(dual).all() and solution.dual_valid)
        ):
            return None
        return Prices(dual[:n], np.maximum(0.0, -dual[n:]), weights, float(self.costs @ weights))

    def choose(self, triples: Labels, start: Labels | None, most_nodes: int, seconds: float | None) -> Choice:
        """Solve the integer programme over these groups from the rows `start`, within nodes and seconds."""
        import highspy

        solver = self._solver(triples, whole=True)
        solver.setOptionValue("mip_rel_gap", 0.0)
        solver.setOptionValue("mip_abs_gap", 1e-9 * max(1e-300, float(self.costs.max())))
        solver.setOptionValue("mip_max_nodes", most_nodes)
        if seconds is not None:
            solver.setOptionValue("time_limit", max(0.1, seconds))
        if start is not None:
            given = highspy.HighsSolution()
            weights = np.zeros(len(self))
            weights[start] = 1.0
            given.col_value = weights.tolist()
            solver.setSolution(given)
        solver.run()
        information = solver.getInfo()
        weights = np.array(solver.getSolution().col_value)
        feasible = information.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
        chosen = np.flatnonzero(weights > 0.5) if feasible and weights.size == len(self) else None
        closed = solver.getModelStatus() == highspy.HighsModelStatus.kOptimal
        return Choice(chosen, float(information.mip_dual_bound), closed)

    def _solver(self, triples: Labels, whole: bool) -> Any:
        import highspy

        members = self.membership()
        n = members.shape[0]
        if len(triples):
            corners = sparse.csr_matrix(
                (np.ones(triples.size), (np.repeat(np.arange(len(triples)), 3), triples.ravel())),
                shape=(len(triples), n),
            )
            two = (corners @ members).tocsr()
            two.data = (two.data >= 2).astype(np.float64)
            two.eliminate_zeros()
            members = sparse.vstack([members, two]).tocsc()
        rows, columns = members.shape
        model = highspy.HighsLp()
        model.num_col_, model.num_row_ = columns, rows
        model.col_cost_ = self.costs
        model.col_lower_ = np.zeros(columns)
        model.col_upper_ = np.full(columns, 1.0 if whole else highspy.kHighsInf)
        model.row_lower_ = np.concatenate([np.ones(n), np.full(rows - n, -highspy.kHighsInf)])
        model.row_upper_ = np.ones(rows)
        model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        model.a_matrix_.start_ = members.indptr.astype(np.int32)
        model.a_matrix_.index_ = members.indices.astype(np.int32)
        model.a_matrix_.value_ = members.data
        if whole:
            model.integrality_ = [highspy.HighsVarType.kInteger] * columns
        solver = highspy.Highs()
        solver.setOptionValue("output_flag", False)
        solver.setOptionValue("parallel", "off")
        solver.passModel(model)
        return solver


def broken_triples(columns: Columns, weights: Matrix, known: Labels, most: int, each: int = 3) -> Labels:
    """Up to `most` triples of which the weights use more than one group, worst first, `each` per record.

    Subset-row inequalities: Jepsen, Petersen, Spoorendonk & Pisinger (2008), Operations Research 56(2),
    497-511.
    """
    from tacita.kernels.triples import broken_triples as find

    used = weights > 1e-4
    groups = columns.groups[used]
    members = columns.membership()[:, np.flatnonzero(used)].tocsr()
    n = members.shape[0]
    found = np.empty((200_000, 3), dtype=np.int64)
    excess = np.empty(len(found))
    first, entries = members.indptr.astype(np.int64), members.indices.astype(np.int64)
    count = find(first, entries, groups, weights[used], 0.02, found, excess)
    triples, index = np.unique(np.concatenate([known, found[:count]]), axis=0, return_index=True)
    fresh = index >= len(known)
    triples, over = triples[fresh], excess[index[fresh] - len(known)]
    # rounded, so that equal excesses are taken in order of rows on every machine
    order = np.argsort(-np.round(over, 6), kind="stable")
    taken = np.zeros(n, dtype=np.int64)
    chosen = []
    for triple in triples[order]:
        if taken[triple].max() < each:
            taken[triple] += 1
            chosen.append(triple)
            if len(chosen) == most:
                break
    return np.array(chosen, dtype=np.int64).reshape(-1, 3)
