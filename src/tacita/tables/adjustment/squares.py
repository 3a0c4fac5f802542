"""Least squares of changes that keep all sums and stay within ends."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

from tacita.core.arrays import Floats

_ROUNDS = 200
# Of the largest entry: what makes a singular system solvable, and of a change: what counts as none.
_RIDGE, _NOISE = 1e-13, 1e-11


def least_squares(matrix: sparse.csc_array, weights: Floats, low: Floats, high: Floats) -> Floats | None:
    """Changes d of least sum w d^2 with A d = 0 and low <= d <= high; None where none were found.

    A guess which changes stand at an end leaves a linear system for the multipliers of A; who then passes an
    end is put there, and who is pushed off one is let go, until nothing changes. O(rounds) factorisations.
    Source: the primal-dual active set method, Hintermueller, Ito & Kunisch (2002), SIAM J. Optim. 13(3),
    865-888.

    >>> matrix = sparse.csc_array(np.array([[1.0, 1.0, -1.0]]))
    >>> least_squares(matrix, np.ones(3), np.array([3.0, -9, -9]), np.full(3, 9.0)).round(6).tolist()
    [3.0, -1.5, 1.5]
    """
    below, above = low > 0, high < 0
    for _ in range(_ROUNDS):
        free = ~(below | above)
        fixed = np.where(below, low, np.where(above, high, 0.0))
        part = matrix[:, free]
        pull = part @ sparse.diags_array(1.0 / weights[free]) @ part.T
        ridge = _RIDGE * max(float(pull.diagonal().max(initial=0.0)), 1e-300)
        system = (pull + ridge * sparse.eye_array(matrix.shape[0])).tocsc()
        multipliers = splu(system).solve(-(matrix @ fixed))
        pushed = (matrix.T @ multipliers) / weights
        change = np.where(free, pushed, fixed)
        noise = _NOISE * max(1.0, float(np.abs(change).max(initial=0.0)))
        # at an end, a change stays only as long as the multipliers push it there
        now_below = np.where(below, pushed <= low + noise, free & (change < low - noise))
        now_above = np.where(above, pushed >= high - noise, free & (change > high + noise))
        same = (now_below == below).all() and (now_above == above).all()
        below, above = now_below, now_above
        if same:
            kept = np.abs(matrix @ change).max(initial=0.0) <= 1e-7 * max(
                1.0, float(np.abs(change).max(initial=0.0))
            )
            return change if kept else None
    return None
