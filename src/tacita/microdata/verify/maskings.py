"""Promises of maskings, held against the originals stratum by stratum: marginals, moments, ranks, noise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import fsum

import numpy as np

from tacita.core import Ints, Mask, Matrix

from .evidence import Evidence

# What "exactly" means for moments: this part of sd_i sd_j, plus the last digit of the cells themselves.
_EXACT = 1e-12
_LAST_DIGIT = float(np.finfo(float).eps)
# A sound release fails a test of chance about this rarely.
_CHANCE = 1e-12
# Noise of a cell that lies so many of its standard deviations inside the bounds was not cut off.
_FAR = 8.0
# Axes shorter than this part of the longest carry rounding errors, not noise.
_FLAT = 1e-6


@dataclass(frozen=True, repr=False)
class Part:
    """One stratum: its original and published values in the columns that it has, and which are rounded.

    `rows` are its places in the release.
    """

    names: tuple[str, ...]
    x: Matrix
    z: Matrix
    rounded: Mask
    rows: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))


def parts(evidence: Evidence) -> Iterator[Part]:
    """Every stratum, as far as it has values at all."""
    claim = evidence.claim
    names = claim.original.quasi
    x = np.column_stack([evidence.originals(name) for name in names])
    z = np.column_stack([evidence.released.numbers(name) for name in names])
    order: Ints = np.argsort(evidence.strata, kind="stable")
    for rows in np.split(order, np.cumsum(np.bincount(evidence.strata))[:-1]):
        present = ~np.isnan(x[rows[0]])
        if present.any():
            kept = tuple(name for name, there in zip(names, present, strict=True) if there)
            rounded = np.array([name in claim.rounded for name in kept])
            yield Part(kept, x[np.ix_(rows, present)], z[np.ix_(rows, present)], rounded, rows)


def marginals_preserved(evidence: Evidence) -> str | None:
    """The same values in each column of a stratum, each as often as before."""
    wrong = {
        name
        for part in parts(evidence)
        for j, name in enumerate(part.names)
        if not np.array_equal(np.sort(part.x[:, j]), np.sort(part.z[:, j]))
    }
    return _listed(wrong, "columns hold other values than the originals")


def moments_preserved(evidence: Evidence) -> str | None:
    """Means and covariances to 1e-12 of the standard deviations, and to the last digit of the cells."""
    means: set[str] = set()
    pairs = 0
    for part in parts(evidence):
        x, z = _deviations(part.x), _deviations(part.z)
        scale = np.sqrt((x**2).sum(axis=0) / (len(x) - 1))
        digit = _LAST_DIGIT * np.maximum(np.abs(part.x).max(axis=0), np.abs(part.z).max(axis=0))
        off = np.abs(_mean_changes(part.x, part.z)) > _EXACT * scale + digit
        means |= {name for name, wrong in zip(part.names, off, strict=True) if wrong}
        gap = np.abs(z.T @ z - x.T @ x) / (len(x) - 1)
        room = _EXACT * np.outer(scale, scale) + np.outer(digit, scale) + np.outer(scale, digit)
        pairs += int(np.triu(gap > room + np.outer(digit, digit)).sum())
    if pairs:
        return f"{pairs} variances or covariances differ from those of the originals"
    return _listed(means, "columns have another mean than the originals")


def _mean_changes(x: Matrix, z: Matrix) -> Matrix:
    """The difference of the means of each column, its sum exact before one rounding."""
    return np.array([fsum([*a.tolist(), *(-b).tolist()]) / a.size for a, b in zip(z.T, x.T, strict=True)])


def _deviations(x: Matrix) -> Matrix:
    near = x - x.mean(axis=0)
    return near - near.mean(axis=0)


def ranks_near(evidence: Evidence) -> str | None:
    """Each published value has a rank among the originals at most p percent from the record's own."""
    p = evidence.claim.terms.get("p")
    if p is None:
        return "the claim does not say how far ranks may be apart"
    far = 0
    for part in parts(evidence):
        reach = int(p * len(part.x) / 100)
        for column, published in zip(part.x.T, part.z.T, strict=True):
            # looked up in the order of the originals: one after the other, what is looked at is at hand
            order = np.argsort(column, kind="stable")
            x, z = column[order], published[order]
            ordered = x
            # equal values may have stood in any order: what counts is the least distance of their ranks
            low, high = (np.searchsorted(ordered, x, "left"), np.searchsorted(ordered, x, "right") - 1)
            under, over = (np.searchsorted(ordered, z, "left"), np.searchsorted(ordered, z, "right") - 1)
            far += int((np.maximum(under - high, low - over) > reach).sum())
    return f"{far} values come from a rank more than p={p:g} percent away" if far else None


def bounds_kept(evidence: Evidence) -> str | None:
    """No published value beyond the bounds of the claim (rounded, where values are).

    Where negative values were excluded, 0 is a bound of columns whose originals have none in a stratum.
    """
    lowest, highest = _bounds(evidence)
    nonnegative = bool(evidence.claim.terms.get("nonnegative"))
    beyond = 0
    for part in parts(evidence):
        low = np.where(part.rounded, np.rint(lowest), lowest)
        low = np.where(nonnegative & (part.x.min(axis=0) >= 0), np.maximum(low, 0.0), low)
        high = np.where(part.rounded, np.rint(highest), highest)
        beyond += int(((part.z < low) | (part.z > high)).sum())
    return f"{beyond} values are outside the bounds" if beyond else None


def _bounds(evidence: Evidence) -> tuple[float, float]:
    lowest, highest = (evidence.claim.terms.get(name) for name in ("lowest", "highest"))
    return -np.inf if lowest is None else lowest, np.inf if highest is None else highest


def noise_independent(evidence: Evidence) -> str | None:
    """In each column, noise of the declared variance, as far as chance can tell."""
    alpha = evidence.claim.terms.get("alpha")
    if alpha is None:
        return "the claim does not say how strong the noise is"
    bounds = _bounds(evidence)
    tally = NoiseTally()
    for part in parts(evidence):
        spread = np.sqrt(alpha) * part.x.std(axis=0, ddof=1)
        for j, name in enumerate(part.names):
            x, z = part.x[:, j], part.z[:, j]
            if np.ptp(x) == 0:
                tally.alike(name, x, z)
            elif part.rounded[j]:
                far = _far(x, spread[j], bounds)
                tally.add(name, x[far], (z[far] - x[far]) / spread[j], rounded=True)
            else:
                tally.add(name, x, _standard_normal(x, z, spread[j], bounds))
    return tally.fault()


def noise_correlated(evidence: Evidence) -> str | None:
    """Along each principal axis of a stratum noise of the declared variance, and none between axes."""
    alpha = evidence.claim.terms.get("alpha")
    if alpha is None:
        return "the claim does not say how strong the noise is"
    shrinking = 1 / np.sqrt(1 + alpha) if evidence.claim.terms.get("shrink") else 1.0
    bounds = _bounds(evidence)
    tally = NoiseTally()
    axes = 0
    for part in parts(evidence):
        centre, scale = part.x.mean(axis=0), part.x.std(axis=0, ddof=1)
        varies = np.ptp(part.x, axis=0) > 0
        # where the published value would lie without noise, and how far noise moves it
        middle, spread = centre + shrinking * (part.x - centre), shrinking * np.sqrt(alpha) * scale
        inside = (middle - bounds[0] >= _FAR * spread) & (bounds[1] - middle >= _FAR * spread)
        rows = inside[:, varies].all(axis=1)
        for j, name in enumerate(part.names):
            at, z = middle[rows, j], part.z[rows, j]
            if not varies[j]:
                tally.alike(name, part.x[:, j], part.z[:, j])
            elif part.rounded[j]:
                far = _far(at, spread[j], bounds)
                tally.add(name, at[far], (z[far] - at[far]) / spread[j], rounded=True)
            else:
                tally.add(name, at, (z - at) / spread[j])
        if varies.any() and not part.rounded.any():
            noise = (part.z - middle)[np.ix_(rows, varies)] / spread[varies]
            axes += _wrong_axes((part.x - centre)[:, varies] / scale[varies], noise)
    shape = f"{axes} pairs of principal axes carry noise of another shape than declared" if axes else None
    return tally.fault() or shape


class NoiseTally:
    """Noise of each column, stratum by stratum, as numbers that should be standard normal; what it lies on.

    A shift of all values, or one in proportion to them, can have the size of noise and hides nothing.
    """

    def __init__(self) -> None:
        self.noise: dict[str, list[Matrix]] = {}
        self.below: dict[str, list[Matrix]] = {}
        self.rounded: set[str] = set()
        self.changed: set[str] = set()

    def add(self, name: str, x: Matrix, normal: Matrix, *, rounded: bool = False) -> None:
        """The noise of one column in one stratum, and the values that it lies on."""
        self.noise.setdefault(name, []).append(normal)
        deviations = x - x.mean() if x.size else x
        self.below.setdefault(name, []).append(deviations / (np.abs(deviations).max(initial=0.0) or 1.0))
        if rounded:
            self.rounded.add(name)

    def alike(self, name: str, x: Matrix, z: Matrix) -> None:
        """A column without spread in a stratum has no noise; drawing to the mean may cost the last digit."""
        if not np.allclose(z, x, rtol=1e-15, atol=0):
            self.changed.add(name)

    def fault(self) -> str | None:
        """Columns whose noise is too weak or too strong, in a stratum or over all."""
        wrong = set(self.changed)
        for name, strata in self.noise.items():
            slack = 0.1 if name in self.rounded else 0.0
            below = self.below[name]
            for normal, x in (
                *zip(strata, below, strict=True),
                (np.concatenate(strata), np.concatenate(below)),
            ):
                drawn = _unrelated(normal, np.ones_like(x)) and _unrelated(normal, x)
                if not _plausible(normal, slack) or not drawn:
                    wrong.add(name)
        return _listed(wrong, "columns carry other noise than declared")


def _wrong_axes(x: Matrix, noise: Matrix) -> int:
    """How many pairs of axes of x (standardised) carry noise that is not standard normal along them."""
    _, sizes, axes = np.linalg.svd(x, full_matrices=False)
    kept = sizes > _FLAT * sizes[0]
    along = noise @ axes[kept].T / (sizes[kept] / np.sqrt(len(x) - 1))
    wrong = sum(not _plausible(column) for column in along.T)
    products = along.T @ along
    # a sum of products of independent normal numbers: about normal, with longer tails
    room = 8 * np.sqrt(len(noise)) + 64
    return wrong + int((np.abs(np.triu(products, 1)) > room).sum())


def _standard_normal(x: Matrix, z: Matrix, spread: float, bounds: tuple[float, float]) -> Matrix:
    """Noise as standard normal numbers, through the distribution cut off at the bounds."""
    noise = (z - x) / spread
    if not np.isfinite(bounds).any():
        return noise
    from scipy.special import ndtr, ndtri

    low, high = ndtr((bounds[0] - x) / spread), ndtr((bounds[1] - x) / spread)
    share = (ndtr(noise) - low) / (high - low)
    return np.asarray(ndtri(np.clip(share, 1e-15, 1 - 1e-15)), dtype=np.float64)


def _far(x: Matrix, spread: float, bounds: tuple[float, float]) -> Mask:
    """Rounded values far from bounds; none where noise looks like rounding."""
    room = _FAR * spread + 1
    return (x - bounds[0] >= room) & (bounds[1] - x >= room) & (spread >= 2)


def _unrelated(normal: Matrix, x: Matrix) -> bool:
    """Whether standard normal numbers can be independent of others, by their sum of products."""
    return bool(abs(normal @ x) <= 8 * np.sqrt(x @ x))


def _plausible(normal: Matrix, slack: float = 0.0) -> bool:
    """Whether numbers can be standard normal, by the sum of their squares."""
    if normal.size == 0:
        return True
    from scipy.special import chdtr, chdtri

    total = float((normal**2).sum())
    too_high = total > float(chdtri(normal.size, _CHANCE)) * (1 + slack)
    too_low = float(chdtr(normal.size, total / (1 - slack))) < _CHANCE
    return not too_high and not too_low


def _listed(wrong: set[str], what: str) -> str | None:
    return f"{len(wrong)} {what}: {', '.join(sorted(wrong))}" if wrong else None
