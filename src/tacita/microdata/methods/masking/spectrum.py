"""The shape of a cloud of records: its principal axes, those without extent left out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacita.core import Matrix

# An axis shorter than this part of the longest is a linear relation among columns, not a direction.
_FLAT = 1e-10


@dataclass(frozen=True, repr=False)
class Spectrum:
    """x = centre + drift + scores diag(sizes) axes' diag(scale), with orthonormal scores (n, r), axes (d, r).

    The mean is `centre`, and `drift` the part of it that a double cannot hold.
    `scale` are the standard deviations of the columns, 0 where a column does not vary; r is the rank.
    """

    centre: Matrix
    drift: Matrix
    scale: Matrix
    scores: Matrix
    sizes: Matrix
    axes: Matrix


def spectrum(x: Matrix) -> Spectrum:
    """Singular values of the standardised columns. O(n d^2) time, O(n d) memory.

    >>> found = spectrum(np.array([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]]))
    >>> found.sizes.size, found.scale.tolist()
    (1, [1.0, 2.0])
    """
    varies = np.ptp(x, axis=0) > 0
    centre = np.where(varies, x.mean(axis=0), x[0])
    # differences to a number near the mean are exact, or nearly so, and so is their own mean
    drift = (x - centre).mean(axis=0)
    deviations = x - centre - drift
    scale = np.where(varies, deviations.std(axis=0, ddof=1), 0.0)
    z = deviations / np.where(varies, scale, 1.0)
    scores, sizes, axes = np.linalg.svd(z, full_matrices=False)
    kept = sizes > _FLAT * max(float(sizes[0]), np.finfo(float).tiny)
    return Spectrum(
        centre=centre, drift=drift, scale=scale, scores=scores[:, kept], sizes=sizes[kept], axes=axes[kept].T
    )
