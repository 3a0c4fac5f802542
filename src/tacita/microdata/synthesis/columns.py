"""Columns of all kinds as a synthesis sees them: what each is, and what of it may be published."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from tacita.core import Floats, Mask
from tacita.core.arrays import decimals
from tacita.core.roles import Kind


@dataclass(frozen=True)
class Columns:
    """Names, kinds and categories (in the order of their codes) of the dependent, then independent columns.

    >>> Columns.numbered(2, 1).names
    ('y1', 'y2', 's1')
    """

    names: tuple[str, ...]
    kinds: tuple[Kind, ...]
    texts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def numbered(cls, dependent: int, independent: int) -> Columns:
        """Numeric columns without names of their own."""
        names = [f"y{j + 1}" for j in range(dependent)] + [f"s{j + 1}" for j in range(independent)]
        kinds: list[Kind] = ["numeric"] * len(names)
        return cls(tuple(names), tuple(kinds))


@dataclass(frozen=True, eq=False)
class Margin:
    """What may be published of one dependent column: nothing that fewer than k records stand behind.

    Numbers lie between the means of the k smallest and of the k largest values and have the decimals of the
    originals; `shared` are the values, or codes of categories, that k records hold. `ordered` are the
    values of all donors, `missing` tells whether k records have none.
    """

    numeric: bool
    k: int
    lowest: float
    highest: float
    digits: int | None
    shared: Floats
    ordered: Floats
    missing: bool

    @classmethod
    def of(cls, values: Floats, kind: Kind, k: int) -> Margin:
        """Of the values of a column, NaN where missing. O(n log n).

        >>> made = Margin.of(np.array([0.0, 0, 0, 7, 9, 10]), "numeric", 3)
        >>> made.lowest, made.highest, made.shared.tolist()
        (0.0, 8.0, [0.0])
        """
        present = np.sort(values[~np.isnan(values)])
        found, counts = np.unique(present, return_counts=True)
        shared, missing = found[counts >= k], bool(values.size - present.size >= k)
        if kind != "numeric":
            donors = present[np.isin(present, shared)]
            return cls(False, k, -np.inf, np.inf, None, shared, donors, missing)
        if present.size < k:
            return cls(True, k, np.nan, np.nan, None, shared, present[:0], missing)
        lowest, highest = float(present[:k].mean()), float(present[-k:].mean())
        digits = decimals(present)
        if digits is not None:
            step = 10.0**-digits
            inner = (
                float(np.round(np.ceil(lowest / step - 1e-9) * step, digits)) + 0.0,
                float(np.round(np.floor(highest / step + 1e-9) * step, digits)) + 0.0,
            )
            # where no written number lies between the ends, numbers come with more decimals
            (lowest, highest), digits = (inner, digits) if inner[0] <= inner[1] else ((lowest, highest), None)
        return cls(True, k, lowest, highest, digits, shared, present, missing)

    def donors(self, values: Floats) -> Mask:
        """Which records of the column others may be drawn from."""
        present = ~np.isnan(values)
        return (present & (self.ordered.size > 0)) if self.numeric else np.isin(values, self.shared)

    def settled(self, values: Floats) -> Floats:
        """The nearest numbers that may be published."""
        if not self.numeric:
            return values
        rounded = values if self.digits is None else np.round(values, self.digits)
        return np.asarray(np.clip(rounded, self.lowest, self.highest) + 0.0)

    def beyond(self, values: Floats) -> Mask:
        """Which numbers lie outside the ends; what is missing does not."""
        return np.asarray((values < self.lowest) | (values > self.highest))

    def neighbourhoods(self, values: Floats) -> tuple[Floats, Floats]:
        """From where to where the k values of the column around each donor reach; values that are shared
        stand for themselves. O(n log n)."""
        reach, last = self.k // 2, self.ordered.size - 1
        first = np.clip(np.searchsorted(self.ordered, values) - reach, 0, max(last - 2 * reach, 0))
        low, high = self.ordered[first], self.ordered[np.minimum(first + 2 * reach, last)]
        alone = ~np.isin(values, self.shared)
        return np.where(alone, low, values), np.where(alone, high, values)

    def quantiles(self, shares: Floats) -> Floats:
        """The smoothed quantile function: steps at shared values, straight between means of k others.

        >>> made = Margin.of(np.array([0.0, 0, 0, 1, 2, 3, 4, 5, 6.5]), "numeric", 3)
        >>> made.quantiles(np.array([0.1, 0.5, 0.75, 1.0])).tolist()
        [0.0, 2.0, 4.4, 5.1]
        """
        ordered = self.ordered
        place = np.clip((shares * ordered.size).astype(np.int64), 0, ordered.size - 1)
        drawn = ordered[place]
        if not self.numeric:
            return drawn
        alone = ~np.isin(ordered, self.shared)
        others = ordered[alone]
        if others.size == 0:
            return self.settled(drawn)
        # k neighbours a knot, the last takes the remainder
        groups = np.minimum(np.arange(others.size) // self.k, max(others.size // self.k - 1, 0))
        sizes = np.bincount(groups)
        knots = np.bincount(groups, weights=others) / sizes
        ranks = np.cumsum(sizes) - (sizes + 1) / 2
        own = np.cumsum(alone)[place] - 1 + (shares * ordered.size - place) - 0.5
        smooth = np.interp(own, ranks, knots)
        return self.settled(np.where(alone[place], smooth, drawn))
