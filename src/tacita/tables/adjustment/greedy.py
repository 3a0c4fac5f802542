"""Which parts to raise by a step so that all sums come near what they should be."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from tacita.core.arrays import Floats, Ints


@dataclass(frozen=True)
class GreedySettings:
    """How long a greedy choice of parts is improved.

    `python -m benchmarks adjustment` prints distances and seconds of the methods.
    """

    # exchanges for every part that is raised, and in all, at most
    exchanges_per_part: int = 8
    exchanges: int = 20_000
    # times that a small problem is begun anew, with ties in another order
    starts: int = 20
    # parts times starts, at most
    started_parts: int = 8_000


SETTINGS = GreedySettings()


def nearest_sums(
    matrix: sparse.csr_array, lacking: Floats, step: float, number: int | None, generator: np.random.Generator
) -> Ints:
    """Columns of a 0-1 matrix whose sum, times `step`, is nearest in squares to what cells lack.

    Forward selection: the column with the largest inner product with the remaining lack, repeatedly;
    `number` of them, or as long as that brings the sums nearer. Then exchanges of one column for a better
    one, as long as there is any. O(columns times the cells of one, for each column that is chosen).
    Source: Langsrud & Heldal (2018), PSD 2018, in the manner of partial least squares.

    >>> matrix = sparse.csr_array(np.array([[1, 0], [0, 1], [1, 1]]))
    >>> nearest_sums(matrix, np.array([1.0, 2.0, 3.0]), 3.0, 1, np.random.default_rng(0)).tolist()
    [1]
    """
    n = matrix.shape[1]
    best, least = np.zeros(0, dtype=np.int64), np.inf
    for _ in range(max(1, min(SETTINGS.starts, SETTINGS.started_parts // max(n, 1)))):
        order = generator.permutation(n)
        chosen = np.sort(order[_chosen(matrix[:, order], lacking, step, number)])
        left = lacking - step * np.asarray(matrix[:, chosen].sum(axis=1)).ravel()
        if (square := float(left @ left)) < least:
            best, least = chosen, square
    return best


def _chosen(matrix: sparse.csr_array, lacking: Floats, step: float, number: int | None) -> Ints:
    by_column, by_row = matrix.tocsc(), matrix.tocsr()
    n = by_column.shape[1]
    size = np.diff(by_column.indptr) * step
    useful = np.asarray(by_column.T @ lacking, dtype=np.float64)
    chosen = np.zeros(n, dtype=bool)

    def change(column: int, by: float) -> None:
        for cell in by_column.indices[by_column.indptr[column] : by_column.indptr[column + 1]]:
            useful[by_row.indices[by_row.indptr[cell] : by_row.indptr[cell + 1]]] -= by * step
        chosen[column] = by > 0

    def best(among: Floats, open_: Floats) -> int:
        return int(np.argmax(np.where(open_, among, -np.inf)))

    wanted = n if number is None else min(max(number, 0), n)
    for _ in range(wanted):
        # twice the inner product must exceed the square of the step for sums to come nearer
        gain = useful if number is not None else 2 * useful - size
        column = best(gain, ~chosen)
        if number is None and gain[column] <= 0:
            break
        change(column, 1.0)
    still = 0
    for turn in range(min(SETTINGS.exchanges, SETTINGS.exchanges_per_part * int(chosen.sum()))):
        members = np.flatnonzero(chosen)
        # the least useful one first; when that stays, each in turn
        out = best(-useful, chosen) if turn == 0 or still == 0 else int(members[turn % members.size])
        change(out, -1.0)
        gain = 2 * useful - size
        into = best(gain, ~chosen)
        into = into if gain[into] > gain[out] + 1e-9 * step else out
        change(into, 1.0)
        still = still + 1 if into == out else 0
        if still > members.size:
            break
    return np.flatnonzero(chosen)
