"""FCRM as the thesis writes it: no intercept, values as in the file, and its own generalised inverse.

Sections 2.6, 2.7 and 4.1 line by line: fuzzy c-means on all attributes from drawn memberships, models
x'beta without an intercept, [X'DX]^-1 by the seven steps of section 2.6, which pivot on the first product
that is not zero. Every sum is taken in one order and no function but the square root is called, so that the
figures do not depend on the processor's libraries, though they depend on the last bit of every sum.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Literal, get_args

import numba
import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float64]
Memberships = Literal["joint", "separate"]
Scale = Literal["file", "standardised"]

# What a squared error of nothing counts as (section 4.1, step 3).
_NOTHING = 1e-100
# A product under this share of the largest of its row is rounding.
TOLERANCE = 1e-9
EPS, ROUNDS, ROUNDS_OF_START = 1e-4, 30, 100


@dataclass(frozen=True)
class Writing:
    """A reading of the text; the defaults are what it says.

    `tolerance`: products under this share of the largest of their row count as zero in the seven steps; 0 is
    literal. `scale`: values as in the file, or standardised.
    """

    memberships: Memberships = "joint"
    tolerance: float = 0.0
    intercept: bool = False
    scale: Scale = "file"

    def synthesize(self, y: Matrix, s: Matrix, c: int, seed: int = 0) -> tuple[Matrix, float, float]:
        """The release of y given s, its objective and the last change of a membership."""
        centre, spread = np.zeros(y.shape[1]), np.ones(y.shape[1])
        if self.scale == "standardised":
            centre, spread = y.mean(axis=0), y.std(axis=0)
            y, s = (y - centre) / spread, (s - s.mean(axis=0)) / s.std(axis=0)
        terms = np.column_stack([np.ones(len(s)), s]) if self.intercept else np.ascontiguousarray(s)
        start = np.random.default_rng(seed).random((len(y), c))
        start = fuzzy_start(np.hstack([s, y]), start / start.sum(axis=1, keepdims=True))
        p = y.shape[1]
        blocks = [slice(0, p)] if self.memberships == "joint" else [slice(j, j + 1) for j in range(p)]
        found = [alternate(terms, np.ascontiguousarray(y[:, b]), start, self.tolerance) for b in blocks]
        released = centre + spread * np.hstack([each[0] for each in found])
        return released, sum(each[1] for each in found), max(each[2] for each in found)


# What the text says, of one model for all dependent attributes (the norm of step 2) and of one for each.
AS_WRITTEN = (Writing("joint"), Writing("separate"))
EVERY_WRITING = tuple(
    Writing(memberships, tolerance, intercept, scale)
    for memberships, tolerance, intercept, scale in product(
        get_args(Memberships), (0.0, TOLERANCE), (False, True), get_args(Scale)
    )
)


@numba.njit(cache=True)
def seven_steps(a: Matrix, tolerance: float) -> Matrix:
    """A generalised inverse of a square matrix (section 2.6), G with A G A = A where nothing is rounded.

    >>> seven_steps(np.array([[2.0, 0.0], [0.0, 0.0]]), 0.0).tolist()
    [[0.5, 0.0], [0.0, 0.0]]
    """
    n = len(a)
    w, u, t = np.eye(n), np.full(n, -1), np.empty(n)
    for i in range(n):
        largest = 0.0
        for j in range(n):
            t[j] = 0.0
            for k in range(n):
                t[j] += a[i, k] * w[k, j]
            largest = max(largest, abs(a[i, j]))
        pivot = -1
        for j in range(n):
            if u[j] < 0 and abs(t[j]) > tolerance * largest:
                pivot = j
                break
        if pivot < 0:
            continue
        u[pivot] = i
        for k in range(n):
            w[k, pivot] /= t[pivot]
        for j in range(n):
            if j != pivot and t[j] != 0.0:
                for k in range(n):
                    w[k, j] -= t[j] * w[k, pivot]
    inverse = np.zeros((n, n))
    for p in range(n):
        for q in range(n):
            if u[p] >= 0 and u[q] >= 0:
                inverse[p, u[q]] = w[p, q]
    return inverse


@numba.njit(cache=True)
def shared(errors: Matrix) -> Matrix:
    """Memberships of fuzziness 1.5: the inverse squares of errors, which add up to 1."""
    n, c = errors.shape
    found = np.empty((n, c))
    for i in range(n):
        least = np.inf
        for k in range(c):
            least = min(least, max(errors[i, k], _NOTHING))
        total = 0.0
        for k in range(c):
            ratio = least / max(errors[i, k], _NOTHING)
            found[i, k] = ratio * ratio
            total += found[i, k]
        for k in range(c):
            found[i, k] /= total
    return found


@numba.njit(cache=True)
def fuzzy_start(x: Matrix, memberships: Matrix) -> Matrix:
    """Fuzzy c-means (section 2.7) from given memberships; memberships."""
    n, c = memberships.shape
    d = x.shape[1]
    for _ in range(ROUNDS_OF_START):
        errors = np.zeros((n, c))
        for k in range(c):
            centre, total = np.zeros(d), 0.0
            for i in range(n):
                weight = memberships[i, k] * np.sqrt(memberships[i, k])
                total += weight
                for j in range(d):
                    centre[j] += weight * x[i, j]
            for i in range(n):
                for j in range(d):
                    gap = x[i, j] - centre[j] / total
                    errors[i, k] += gap * gap
        before, memberships = memberships, shared(errors)
        if np.abs(memberships - before).max() < EPS:
            break
    return memberships


@numba.njit(cache=True)
def alternate(x: Matrix, y: Matrix, memberships: Matrix, tolerance: float) -> tuple[Matrix, float, float]:
    """Steps 2 to 4 of section 4.1; predictions of the strongest clusters, objective and last change."""
    n, c = memberships.shape
    f, p = x.shape[1], y.shape[1]
    models = np.zeros((c, f, p))
    change, objective = np.inf, np.inf
    for _ in range(ROUNDS):
        errors = np.zeros((n, c))
        for k in range(c):
            square, moments = np.zeros((f, f)), np.zeros((f, p))
            for i in range(n):
                weight = memberships[i, k] * np.sqrt(memberships[i, k])
                for a in range(f):
                    scaled = weight * x[i, a]
                    for b in range(f):
                        square[a, b] += scaled * x[i, b]
                    for b in range(p):
                        moments[a, b] += scaled * y[i, b]
            inverse = seven_steps(square, tolerance)
            for a in range(f):
                for b in range(p):
                    models[k, a, b] = 0.0
                    for e in range(f):
                        models[k, a, b] += inverse[a, e] * moments[e, b]
            for i in range(n):
                for b in range(p):
                    gap = y[i, b]
                    for a in range(f):
                        gap -= x[i, a] * models[k, a, b]
                    errors[i, k] += gap * gap
        before, memberships = memberships, shared(errors)
        change, objective = 0.0, 0.0
        for i in range(n):
            for k in range(c):
                change = max(change, abs(memberships[i, k] - before[i, k]))
                objective += memberships[i, k] * np.sqrt(memberships[i, k]) * errors[i, k]
        if change < EPS:
            break
    released = np.zeros((n, p))
    for i in range(n):
        strongest = 0
        for k in range(1, c):
            if memberships[i, k] > memberships[i, strongest]:
                strongest = k
        for b in range(p):
            for a in range(f):
                released[i, b] += x[i, a] * models[strongest, a, b]
    return released, objective, change
