"""Points in the plane, for methods that are watched step by step."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa


def five_clouds(seed: int = 2005, size: int = 60) -> pa.Table:
    """Five clouds of made-up points, `size` in each: columns x and y, each cloud with a slope of its own.

    >>> five_clouds().num_rows
    300
    """
    import numpy as np
    import pyarrow as pa

    rng = np.random.default_rng(seed)
    centres = np.array([[2.0, 2.0], [4.0, 8.0], [7.0, 4.5], [10.0, 9.0], [12.0, 2.5]])
    slopes = np.array([0.5, -0.6, 0.8, -0.3, 0.4])
    along = rng.normal(scale=0.9, size=(5, size))
    across = rng.normal(scale=0.45, size=(5, size))
    x = centres[:, :1] + along
    y = centres[:, 1:] + slopes[:, None] * along + across
    return pa.table({"x": x.ravel(), "y": y.ravel()})
