"""Columns of all kinds as a synthesis sees them: what each is, and what of it may be published."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from tacita.core import Floats, Ints, Mask
from tacita.core.arrays import decimals
from tacita.core.spec.roles import Kind


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
    """What may be published of one dependent column: nothing that fewer than k units stand behind.

    Numbers lie between the means of the smallest values of k units and of the largest of k, and have the
    decimals of the originals; `shared` are the values, or codes of categories, that k units hold. `ordered`
    are the values of all donors, `units` the unit of each (None where each record is a unit of its own), and
    `missing` tells whether k units have none.
    """

    numeric: bool
    k: int
    lowest: float
    highest: float
    digits: int | None
    shared: Floats
    ordered: Floats
    missing: bool
    units: Ints | None = None

    @classmethod
    def of(cls, values: Floats, kind: Kind, k: int, units: Ints | None = None) -> Margin:
        """Of the values of a column, NaN where missing, and of the unit of each record. O(n log n).

        >>> made = Margin.of(np.array([0.0, 0, 0, 7, 9, 10]), "numeric", 3)
        >>> made.lowest, made.highest, made.shared.tolist()
        (0.0, 8.0, [0.0])
        >>> made = Margin.of(np.array([0.0, 0, 0, 7, 9, 10]), "numeric", 2, np.array([0, 0, 0, 1, 2, 2]))
        >>> made.lowest, made.highest, made.shared.tolist()
        (4.0, 8.0, [])
        """
        gaps = np.isnan(values)
        order = np.argsort(values, kind="stable")[: int((~gaps).sum())]
        present, owners = values[order], None if units is None else units[order]
        distinct, counts = _values_by_unit(present, owners)
        shared = distinct[counts >= k]
        missing = int(gaps.sum()) >= k if units is None else np.unique(units[gaps]).size >= k
        if kind != "numeric":
            donors = np.isin(present, shared)
            whose = None if owners is None else owners[donors]
            return cls(
                numeric=False,
                k=k,
                lowest=-np.inf,
                highest=np.inf,
                digits=None,
                shared=shared,
                ordered=present[donors],
                missing=missing,
                units=whose,
            )
        # where it begins: the first value of each unit from below, and from above
        first = present if owners is None else np.sort(present[np.unique(owners, return_index=True)[1]])
        last = present if owners is None else np.sort(_last_values(present, owners))
        if first.size < k:
            return cls(
                numeric=True,
                k=k,
                lowest=np.nan,
                highest=np.nan,
                digits=None,
                shared=shared,
                ordered=present[:0],
                missing=missing,
            )
        lowest, highest = float(first[:k].mean()), float(last[-k:].mean())
        digits = decimals(present)
        if digits is not None:
            step = 10.0**-digits
            inner = (
                float(np.round(np.ceil(lowest / step - 1e-9) * step, digits)) + 0.0,
                float(np.round(np.floor(highest / step + 1e-9) * step, digits)) + 0.0,
            )
            # where no written number lies between the ends, numbers come with more decimals
            (lowest, highest), digits = (inner, digits) if inner[0] <= inner[1] else ((lowest, highest), None)
        return cls(
            numeric=True,
            k=k,
            lowest=lowest,
            highest=highest,
            digits=digits,
            shared=shared,
            ordered=present,
            missing=missing,
            units=owners,
        )

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
        """From where to where the values of k units around each donor reach; values that are shared stand
        for themselves. O(n log n)."""
        if self.units is not None:
            return self._unit_neighbourhoods(values)
        among, _ = self._around
        reach, last = self.k // 2, among.size - 1
        first = np.clip(np.searchsorted(among, values) - reach, 0, max(last - 2 * reach, 0))
        low, high = among[first], among[np.minimum(first + 2 * reach, last)]
        alone = ~np.isin(values, self.shared)
        return np.where(alone, low, values), np.where(alone, high, values)

    @cached_property
    def _around(self) -> tuple[Floats, Ints | None]:
        """Values that donors are hidden among, and whose they are: those not shared, if k units have some.

        A value that many share would stand for its neighbours too: an income of nothing for the smallest.
        """
        alone = ~np.isin(self.ordered, self.shared)
        owners = None if self.units is None else self.units[alone]
        if _held_by(self.ordered[alone], owners) >= self.k:
            return self.ordered[alone], owners
        return self.ordered, self.units

    @cached_property
    def _ends(self) -> Ints:
        """Where the shortest run of these from each place that holds those of k units ends."""
        from tacita.kernels.records.segments import window_ends

        owners = self._around[1]
        assert owners is not None
        _, dense = np.unique(owners, return_inverse=True)
        return np.asarray(window_ends(dense.reshape(-1).astype(np.int64), self.k))

    def _unit_neighbourhoods(self, values: Floats) -> tuple[Floats, Floats]:
        ends = self._ends[self._ends >= 0]
        among, _ = self._around
        at = np.minimum(np.searchsorted(among, values), among.size - 1)
        # the run whose middle is nearest from above: both its ends move up with its beginning
        first = np.clip(np.searchsorted(np.arange(ends.size) + ends, 2 * at), 0, ends.size - 1)
        low, high = among[np.minimum(first, at)], among[np.maximum(ends[first], at)]
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
        if _held_by(others, None if self.units is None else self.units[alone]) < self.k:
            # their mean would be that of too few: the nearest value that is shared stands for each
            return self.settled(self._nearest_shared(drawn))
        groups = self._knots(alone)
        sizes = np.bincount(groups)
        knots = np.bincount(groups, weights=others) / sizes
        ranks = np.cumsum(sizes) - (sizes + 1) / 2
        own = np.cumsum(alone)[place] - 1 + (shares * ordered.size - place) - 0.5
        smooth = np.interp(own, ranks, knots)
        return self.settled(np.where(alone[place], smooth, drawn))

    def _nearest_shared(self, values: Floats) -> Floats:
        above = np.minimum(np.searchsorted(self.shared, values), self.shared.size - 1)
        below = np.maximum(above - 1, 0)
        nearer = np.abs(self.shared[below] - values) < np.abs(self.shared[above] - values)
        return np.asarray(np.where(nearer, self.shared[below], self.shared[above]))

    def _knots(self, chosen: Mask) -> Ints:
        """Which ordered values make a knot together: those of k units, the last takes the remainder."""
        if self.units is None:
            size = int(chosen.sum())
            return np.minimum(np.arange(size) // self.k, max(size // self.k - 1, 0))
        from tacita.kernels.records.segments import consecutive_runs, window_ends

        _, dense = np.unique(self.units[chosen], return_inverse=True)
        return np.asarray(consecutive_runs(window_ends(dense.reshape(-1).astype(np.int64), self.k)))


def _values_by_unit(present: Floats, owners: Ints | None) -> tuple[Floats, Ints]:
    """The distinct values, and how many units have each. O(n log n)."""
    if owners is not None:
        pairs = np.unique(np.column_stack([present, owners.astype(np.float64)]), axis=0)
        present = pairs[:, 0]
    values, counts = np.unique(present, return_counts=True)
    return values, counts


def _last_values(present: Floats, owners: Ints) -> Floats:
    """The largest value of each unit; values ascend."""
    return present[::-1][np.unique(owners[::-1], return_index=True)[1]]


def _held_by(values: Floats, owners: Ints | None) -> int:
    """How many units some values are of."""
    return int(values.size if owners is None else np.unique(owners).size)
