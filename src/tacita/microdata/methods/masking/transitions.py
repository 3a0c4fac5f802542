"""Matrices of transitions between categories: read, made invariant, drawn from, and undone on average."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import NamedTuple

import numpy as np

from tacita.core import DataError, Floats, Ints, Matrix, ParameterError

Rows = Mapping[str, Mapping[str, float]]

# Rows that are written down with a few digits sum to one no better than this.
_ROUNDED = 1e-6
# A matrix of more does not fit where others have to work too, and hides nobody among its rare categories.
_MOST = 2000


def check_matrix_size(categories: int, who: str) -> None:
    """Raise where a matrix would be larger than anybody can use."""
    if categories > _MOST:
        raise DataError(
            f"{who}: {categories} categories in a stratum are too many for a matrix, at most {_MOST} are "
            "drawn from. Recode rare ones into larger ones, or draw columns one by one instead of jointly."
        )


def generated(frequencies: Floats, diagonal: Floats, alpha: float) -> Matrix:
    """R = alpha P Q + (1 - alpha) I: P has the diagonal and equal probabilities off it. O(m^3).

    >>> generated(np.array([0.5, 0.5]), np.array([0.8, 0.8]), 1.0).round(2).tolist()
    [[0.68, 0.32], [0.32, 0.68]]
    """
    m = frequencies.size
    if m < 2:
        return np.ones((m, m))
    p = np.repeat(((1 - diagonal) / (m - 1))[:, None], m, axis=1)
    np.fill_diagonal(p, diagonal)
    return alpha * invariant(p, frequencies) + (1 - alpha) * np.eye(m)


def invariant(p: Matrix, frequencies: Floats) -> Matrix:
    """P Q with the Bayes reverse Q of P: expected frequencies stay what they were. O(m^3).

    Q_ij = f_j P_ji / sum_k f_k P_ki is the probability that a published i was a j, hence f P Q = f.
    Categories that nobody has, and that nobody gets, stay themselves.

    >>> frequencies = np.array([0.75, 0.25])
    >>> (frequencies @ invariant(np.array([[0.9, 0.1], [0.2, 0.8]]), frequencies)).tolist()
    [0.75, 0.25]
    """
    joint = frequencies[:, None] * p
    published = joint.sum(axis=0)
    nobody = published <= 0
    reverse = joint.T / np.where(nobody, 1.0, published)[:, None]
    reverse[nobody, nobody] = 1.0
    made: Matrix = p @ reverse
    return made / made.sum(axis=1, keepdims=True)


def draw(codes: Ints, matrix: Matrix, chance: np.random.Generator) -> Ints:
    """A category for each code, by its row of the matrix; none of probability zero. O(n log m).

    >>> draw(np.array([0, 1, 1]), np.array([[0.0, 1.0], [1.0, 0.0]]), np.random.default_rng(0)).tolist()
    [1, 0, 0]
    """
    uniform = chance.random(codes.size)
    order = np.argsort(codes, kind="stable")
    ends = np.cumsum(np.bincount(codes, minlength=matrix.shape[0]))
    drawn = np.empty_like(codes)
    for row, members in enumerate(np.split(order, ends[:-1])):
        if members.size:
            upto = np.cumsum(matrix[row])
            # the last that can be drawn ends at one, whatever the sum rounds to
            upto[upto >= upto[-1]] = 1.0
            drawn[members] = np.searchsorted(upto, uniform[members], side="right")
    return drawn


def declared(
    rows: Rows, texts: Sequence[str], present: Sequence[bool], held: Sequence[bool], who: str
) -> Matrix:
    """A matrix that is written down, in the order of the codes.

    `present` are the categories that some record of the file has, `held` those of this stratum.
    """
    place = {text: code for code, text in enumerate(texts)}
    without = sum(here and text not in rows for text, here in zip(texts, held, strict=True))
    if without:
        raise DataError(
            f"{who}: the matrix has no row for {without} of {sum(held)} categories that records have. Add a "
            "row for each (1 on itself where it must stay). Spaces and capitals count."
        )
    matrix = np.eye(len(texts))
    for old, row in rows.items():
        if old not in place:
            continue
        nobody = sum(p > 0 and not (new in place and present[place[new]]) for new, p in row.items())
        if nobody:
            raise DataError(
                f"{who}: the matrix leads to {nobody} categories that no record of the file has. Correct "
                "their names (spaces and capitals count), or leave them out."
            )
        matrix[place[old]] = 0.0
        for new, probability in row.items():
            if new in place:
                matrix[place[old], place[new]] = probability
        matrix[place[old]] /= matrix[place[old]].sum()
    return matrix


def check_probabilities(column: str, rows: Rows, who: str) -> None:
    """Raise where rows are no probabilities, or change nothing."""
    if not rows:
        raise ParameterError(f"{who}: the matrix of column {column} is empty. Give a row for each category.")
    values = [p for row in rows.values() for p in row.values()]
    odd = sum(not (isfinite(p) and 0 <= p <= 1) for p in values)
    if odd:
        raise ParameterError(
            f"{who}: {odd} entries of the matrix of column {column} are no probabilities. Each must be "
            "between 0 and 1."
        )
    short = sum(abs(sum(row.values()) - 1) > _ROUNDED for row in rows.values())
    if short:
        raise ParameterError(
            f"{who}: {short} of {len(rows)} rows of the matrix of column {column} do not sum to 1. A row "
            "has the probabilities of all that a category may become, itself among them."
        )
    if all(row.get(old, 0.0) >= 1 for old, row in rows.items()):
        raise ParameterError(
            f"{who}: the matrix of column {column} leaves every category as it is, which protects nothing. "
            "Lower its diagonal, or leave the column out."
        )


# Beyond this condition the estimate is noise.
_SINGULAR = 1e10


class Estimate(NamedTuple):
    """An estimated frequency and its standard error."""

    frequency: float
    standard_error: float


def estimate_pram_frequencies(
    counts: Mapping[str, float], matrix: Mapping[str, Mapping[str, float]]
) -> dict[str, Estimate]:
    """Estimate without bias how often each category stood in the originals, with standard errors.

    With t the true and t* the released counts, E(t*) = R' t, hence the estimate R'^-1 t*. Its variance
    given t is R'^-1 V R^-1 with V = sum_i t_i (diag(r_i) - r_i r_i'), r_i the rows of R, in which estimates
    stand for t. Estimates may be negative where counts are small. Sampling errors of the survey come on
    top. O(m^3) for m categories.

    Parameters
    ----------
    counts : mapping of str to float
        Released counts by category.
    matrix : mapping of str to mapping of str to float
        The probability R_ij with which category i became category j, as in the method `pram`.

    Returns
    -------
    dict of str to Estimate
        `frequency` and `standard_error` of each category.

    Raises
    ------
    ParameterError
        If the matrix lacks a category, has rows that do not sum to 1, or has no inverse.

    References
    ----------
    Gouweleeuw, Kooiman, Willenborg & De Wolf (1998), Journal of Official Statistics 14(4), 463-478.

    Examples
    --------
    >>> matrix = {"yes": {"yes": 0.8, "no": 0.2}, "no": {"yes": 0.1, "no": 0.9}}
    >>> found = estimate_pram_frequencies({"yes": 38, "no": 62}, matrix)
    >>> [(name, round(each.frequency, 6), round(each.standard_error, 3)) for name, each in found.items()]
    [('yes', 40.0, 4.907), ('no', 60.0, 4.907)]
    """
    names = list(matrix)
    strange = [name for name in counts if name not in matrix]
    beyond = {new for row in matrix.values() for new, p in row.items() if p > 0 and new not in matrix}
    if not names or strange or beyond:
        raise ParameterError(
            f"estimate_pram_frequencies: the matrix has no row for {len({*strange, *beyond})} categories. "
            "It needs one for each that is counted or led to."
        )
    r = np.array([[matrix[old].get(new, 0.0) for new in names] for old in names], dtype=np.float64)
    released = np.array([counts.get(name, 0.0) for name in names], dtype=np.float64)
    if not np.isfinite(r).all() or (r < 0).any() or (np.abs(r.sum(axis=1) - 1) > _ROUNDED).any():
        raise ParameterError(
            "estimate_pram_frequencies: every row of the matrix must have probabilities that sum to 1."
        )
    if not np.isfinite(released).all() or (released < 0).any():
        raise ParameterError("estimate_pram_frequencies: counts must be numbers of at least 0.")
    if np.linalg.cond(r) > _SINGULAR:
        raise ParameterError(
            "estimate_pram_frequencies: the matrix has no inverse: two categories become others with the "
            "same probabilities, and nobody can tell how often each was there. Join them, or use "
            "another matrix."
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
