"""Promises of synthesis, held against the originals stratum by stratum: changes, moments, relations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import fsum

import numpy as np

from tacita.core import Ints, Matrix

from .checks import masked_cells
from .evidence import Evidence
from .mixed import mixed_cells

# What "exactly" means for moments: this part of sd_i sd_j, plus the last digit of the cells themselves.
_EXACT = 1e-12
_LAST_DIGIT = float(np.finfo(float).eps)
# A value so near, in standard deviations of its column, was not drawn anew. A hair under the thousandth
# that methods go by, whose last digit may round to the other side.
_NEAR = 0.999e-3
# So few near values can be chance, however few records there are.
_BY_CHANCE = 2
# Columns of spread 1 that cancel to this part of it (root mean square) hold a relation in the originals;
# in the release it must hold to the second figure in every record.
_RELATED = 1e-12
_KEPT = 1e-9


@dataclass(frozen=True, repr=False)
class Part:
    """One stratum: original and published dependent columns, and the independent ones."""

    names: tuple[str, ...]
    y: Matrix
    z: Matrix
    s: Matrix

    @property
    def spread(self) -> Matrix:
        """Standard deviation of every original dependent column."""
        return np.asarray(self.y.std(axis=0, ddof=1) if len(self.y) > 1 else np.zeros(self.y.shape[1]))

    @property
    def digit(self) -> Matrix:
        """The last digit of the largest value of every dependent column, before or after."""
        digit: Matrix = _LAST_DIGIT * np.maximum(np.abs(self.y).max(axis=0), np.abs(self.z).max(axis=0))
        return digit


def parts(evidence: Evidence) -> Iterator[Part]:
    """Every stratum; independent columns as published, which another check holds against the originals."""
    claim = evidence.claim
    names = claim.original.quasi
    beside = claim.original.used[len(names) :]
    y = claim.original.matrix(names)[claim.rows]
    z = np.column_stack([evidence.released.numbers(name) for name in names])
    s = np.column_stack([np.empty((len(y), 0)), *(evidence.unchanged_numbers(name) for name in beside)])
    order: Ints = np.argsort(evidence.strata, kind="stable")
    for rows in np.split(order, np.cumsum(np.bincount(evidence.strata))[:-1]):
        yield Part(names, y[rows], z[rows], s[rows])


def synthetic_cells(evidence: Evidence) -> str | None:
    """Numbers or categories of the original, typed and spelled as declared, in every cell."""
    original = evidence.claim.original
    if original.roles is None or not original.roles.dependent:
        return "the claim names no dependent column"
    if evidence.claim.missing_drawn or original.roles.categorical:
        return mixed_cells(evidence)
    empty = sum(int(np.isnan(evidence.released.numbers(name)).sum()) for name in original.quasi)
    return f"{empty} dependent values are missing" if empty else masked_cells(evidence)


def values_changed(evidence: Evidence) -> str | None:
    """Few values near the true ones, and never all of a column equal to them.

    Values on a bound of the claim lie there whatever the original was; others count.
    """
    terms = evidence.claim.terms
    limit = terms.get("max_unchanged")
    if limit is None:
        return "the claim does not say how many values may come out unchanged"
    bounds = [terms.get("lowest"), terms.get("highest"), 0.0 if terms.get("nonnegative") else None]
    known = [bound for bound in bounds if bound is not None]
    equal: set[str] = set()
    near: set[str] = set()
    for part in parts(evidence):
        near_truth = np.abs(part.z - part.y) <= _NEAR * part.spread
        close = (near_truth & ~np.isin(part.z, known)).sum(axis=0)
        for j, name in enumerate(part.names):
            if np.array_equal(part.y[:, j], part.z[:, j]):
                equal.add(name)
            elif close[j] > limit * len(part.y) and close[j] > _BY_CHANCE:
                near.add(name)
    return _listed(equal, "columns are published as they were in a stratum") or _listed(
        near, f"columns have more than {100 * limit:g} % of their values all but unchanged"
    )


def means_preserved(evidence: Evidence) -> str | None:
    """The mean of every dependent column, to 1e-12 of its spread and to the last digit of the cells."""
    wrong: set[str] = set()
    for part in parts(evidence):
        off = np.abs(_mean_changes(part.y, part.z)) > _EXACT * part.spread + part.digit
        wrong |= {name for name, moved in zip(part.names, off, strict=True) if moved}
    return _listed(wrong, "columns have another mean than the originals")


def covariances_preserved(evidence: Evidence) -> str | None:
    """Variances and covariances of dependent columns, and their covariances with independent ones."""
    pairs = 0
    for part in parts(evidence):
        y, z = _deviations(part.y), _deviations(part.z)
        spread, digit = part.spread, part.digit
        gap = np.abs(z.T @ z - y.T @ y) / max(len(y) - 1, 1)
        room = _EXACT * np.outer(spread, spread) + np.outer(digit, spread) + np.outer(spread, digit)
        pairs += int(np.triu(gap > room + np.outer(digit, digit)).sum()) + _moved_products(part)
    return f"{pairs} variances or covariances differ from those of the originals" if pairs else None


def coefficients_preserved(evidence: Evidence) -> str | None:
    """X'Z = X'Y for X = [1, S]: then least squares gives the same coefficients, unique or not."""
    products = sum(_moved_products(part) for part in parts(evidence))
    if products:
        return f"{products} normal equations differ from those of the originals"
    return means_preserved(evidence)


def _moved_products(part: Part) -> int:
    """How many covariances of a dependent with an independent column differ."""
    if not part.s.size or len(part.y) < 2:
        return 0
    s, change = _deviations(part.s), _deviations(part.z) - _deviations(part.y)
    scale = np.sqrt((s**2).sum(axis=0) / (len(s) - 1))
    room = np.outer(scale, _EXACT * part.spread + part.digit)
    return int((np.abs(s.T @ change) / (len(s) - 1) > room).sum())


def linear_relations(evidence: Evidence) -> str | None:
    """Every combination of columns that is constant in the originals is the same constant in the release."""
    broken = 0
    for part in parts(evidence):
        both = np.hstack([part.s, part.y])
        centre, scale = both.mean(axis=0), both.std(axis=0, ddof=1)
        varies = np.ptp(both, axis=0) > 0
        unit = np.where(varies, scale, 1.0)
        before = ((both - centre) / unit)[:, varies]
        after = ((np.hstack([part.s, part.z]) - centre) / unit)[:, varies]
        # singular values from the triangle of a QR: exact where those of X'X would have lost half the digits
        triangle = np.linalg.qr(before, mode="r")
        _, sizes, axes = np.linalg.svd(triangle)
        sizes = np.concatenate([sizes, np.zeros(len(axes) - sizes.size)])
        relations = axes[sizes <= _RELATED * np.sqrt(len(before))]
        digits = _LAST_DIGIT * (np.abs(both).max(axis=0) / unit)[varies]
        room = _KEPT + 4 * np.abs(relations) @ digits
        broken += int((np.abs(after @ relations.T).max(axis=0, initial=0.0) > room).sum())
    return f"{broken} linear relations of the originals no longer hold" if broken else None


def _mean_changes(y: Matrix, z: Matrix) -> Matrix:
    """The difference of the means of each column, its sum exact before one rounding."""
    return np.array([fsum([*b.tolist(), *(-a).tolist()]) / a.size for a, b in zip(y.T, z.T, strict=True)])


def _deviations(x: Matrix) -> Matrix:
    near = x - x.mean(axis=0)
    return np.asarray(near - near.mean(axis=0))


def _listed(wrong: set[str], what: str) -> str | None:
    return f"{len(wrong)} {what}: {', '.join(sorted(wrong))}" if wrong else None
