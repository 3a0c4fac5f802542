"""The shape of a cloud of records: its principal axes, those without extent left out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float64]

# An axis shorter than this part of the longest is a linear relation among columns, not a direction.
_FLAT = 1e-10


@dataclass(frozen=True, repr=False)
class Spectrum:
    """x = centre + scores diag(sizes) axes' diag(scale), with orthonormal scores (n, r) and axes (d, r).

    `scale` are the standard deviations of the columns, 0 where a column does not vary; r is the rank.
    """

    centre: Matrix
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
    centre = x.mean(axis=0)
    # a second pass takes away what the first one rounded
    centre = np.where(varies, centre + (x - centre).mean(axis=0), x[0])
    scale = np.where(varies, (x - centre).std(axis=0, ddof=1), 0.0)
    z = (x - centre) / np.where(varies, scale, 1.0)
    scores, sizes, axes = np.linalg.svd(z, full_matrices=False)
    kept = sizes > _FLAT * max(float(sizes[0]), np.finfo(float).tiny)
    return Spectrum(centre, scale, scores[:, kept], sizes[kept], axes[kept].T)
