"""Frequencies before post-randomisation, estimated from those after it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from tacita.core import ParameterError

# Beyond this condition the estimate is noise.
_SINGULAR = 1e10
_ROUNDED = 1e-6


class Estimate(NamedTuple):
    """An estimated frequency and its standard error."""

    frequency: float
    standard_error: float


def unpram(counts: Mapping[str, float], matrix: Mapping[str, Mapping[str, float]]) -> dict[str, Estimate]:
    """An unbiased estimate of how often each category stood in the originals, and its standard error.

    `counts` are those of the release by category, `matrix` the probabilities R_ij with which category i
    became category j, as given to the method pram. With t the true and t* the released counts E(t*) = R' t,
    hence the estimate R'^-1 t*; its variance given t is R'^-1 V R^-1 with
    V = sum_i t_i (diag(r_i) - r_i r_i'), r_i the rows of R, in which estimates stand for t. Estimates
    may be negative where counts are small. Sampling errors of the survey come on top.
    O(m^3) for m categories.
    Source: Gouweleeuw, Kooiman, Willenborg & De Wolf (1998), Journal of Official Statistics 14(4), 463-478.

    >>> found = unpram({"yes": 38, "no": 62}, {"yes": {"yes": 0.8, "no": 0.2}, "no": {"yes": 0.1, "no": 0.9}})
    >>> [(name, round(each.frequency, 6), round(each.standard_error, 3)) for name, each in found.items()]
    [('yes', 40.0, 4.907), ('no', 60.0, 4.907)]
    """
    names = list(matrix)
    strange = [name for name in counts if name not in matrix]
    beyond = {new for row in matrix.values() for new, p in row.items() if p > 0 and new not in matrix}
    if not names or strange or beyond:
        raise ParameterError(
            f"unpram: the matrix has no row for {len({*strange, *beyond})} categories. It needs one for each "
            "that is counted or led to."
        )
    r = np.array([[matrix[old].get(new, 0.0) for new in names] for old in names], dtype=np.float64)
    released = np.array([counts.get(name, 0.0) for name in names], dtype=np.float64)
    if not np.isfinite(r).all() or (r < 0).any() or (np.abs(r.sum(axis=1) - 1) > _ROUNDED).any():
        raise ParameterError("unpram: every row of the matrix must have probabilities that sum to 1.")
    if not np.isfinite(released).all() or (released < 0).any():
        raise ParameterError("unpram: counts must be numbers of at least 0.")
    if np.linalg.cond(r) > _SINGULAR:
        raise ParameterError(
            "unpram: the matrix has no inverse: two categories become others with the same probabilities, "
            "and nobody can tell how often each was there. Join them, or use another matrix."
        )
    inverse = np.linalg.inv(r)
    estimate = released @ inverse
    kept = np.maximum(estimate, 0.0)
    spread = np.diag(kept @ r) - (r.T * kept) @ r
    variance = np.diag(inverse.T @ spread @ inverse)
    errors = np.sqrt(np.maximum(variance, 0.0))
    return {
        name: Estimate(float(count), float(error))
        for name, count, error in zip(names, estimate, errors, strict=True)
    }
