"""Protected attributes of all kinds side by side, as Gower's distance compares them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tacita.core import Comparison, Mask, Matrix


@dataclass(frozen=True, eq=False)
class Mixed:
    """Numbers, levels and names before and after; `weights` turns a gap into a share of the original range.

    Of a nominal attribute any difference counts as 1. Attributes that do not vary in the original are left
    out, since they have no range.

    >>> from tacita.core import Categories
    >>> codes = Categories(np.array([[0.0], [2.0]]), np.array([[0.0], [0.0]]), ("sex",), (False,))
    >>> mixed = Mixed.of(Comparison.of([[0.0], [4.0]], [[1.0], [4.0]], ["age"], categories=codes))
    >>> mixed.attributes, mixed.gaps().tolist()
    (('age', 'sex'), [[0.25, 0.0], [0.0, 1.0]])
    """

    attributes: tuple[str, ...]
    original: Matrix
    released: Matrix
    weights: Matrix
    nominal: Mask

    @classmethod
    def of(cls, pair: Comparison) -> Mixed:
        """The attributes of a comparison, numbers first. O(n d)."""
        names, x, z = pair.attributes, pair.original, pair.released
        nominal = [False] * len(names)
        if (categories := pair.categories) is not None:
            names = (*names, *categories.attributes)
            x, z = np.hstack([x, categories.original]), np.hstack([z, categories.released])
            nominal += [not ordinal for ordinal in categories.ordinal]
        span = np.ptp(x, axis=0)
        kept = np.flatnonzero(span > 0)
        unordered = np.array(nominal, dtype=bool)[kept]
        return cls(
            tuple(names[j] for j in kept),
            np.ascontiguousarray(x[:, kept]),
            np.ascontiguousarray(z[:, kept]),
            np.where(unordered, 1.0, 1.0 / span[kept]),
            unordered,
        )

    def only(self, weight: Mapping[str, float]) -> Mixed:
        """Some of the attributes, each with a weight of its own on top."""
        kept = [j for j, name in enumerate(self.attributes) if name in weight]
        own = np.array([weight[self.attributes[j]] for j in kept])
        return Mixed(
            tuple(self.attributes[j] for j in kept),
            np.ascontiguousarray(self.original[:, kept]),
            np.ascontiguousarray(self.released[:, kept]),
            self.weights[kept] * own,
            self.nominal[kept],
        )

    def gaps(self) -> Matrix:
        """How far each released value is from its own original, as a share of the range."""
        apart = np.where(self.nominal, self.original != self.released, np.abs(self.original - self.released))
        return np.asarray(apart * self.weights, dtype=np.float64)
