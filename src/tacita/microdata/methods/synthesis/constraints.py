"""What must hold in every record: bounds, and one attribute below another."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacita.core import DataError, Matrix, ParameterError

from .regression import Regression

_TOLERANCE = 1e-12
_SWEEPS = 50_000
_BLOCK = 16_384


@dataclass(frozen=True, eq=False)
class Constraints:
    """Bounds of the p dependent columns, and pairs (a, b) with column a <= column b in every record.

    In a pair, columns 0 .. p-1 are the dependent ones and p, p+1, ... the independent ones.
    """

    lower: Matrix
    upper: Matrix
    ordered: tuple[tuple[int, int], ...] = ()

    @classmethod
    def from_data(cls, y: Matrix, s: Matrix, *, nonnegative: bool, order: bool) -> Constraints:
        """Those that the data keep: 0 below columns without negative values, and orders. O(n p (p + q)).

        >>> y = np.array([[1.0, 2.0], [3.0, 3.0], [0.0, 5.0]])
        >>> Constraints.from_data(y, np.empty((3, 0)), nonnegative=True, order=True).ordered
        ((0, 1),)
        """
        p = y.shape[1]
        lower = np.where((y.min(axis=0) >= 0) & nonnegative, 0.0, -np.inf)
        both = np.hstack([y, s])
        pairs = []
        for a in range(both.shape[1] if order else 0):
            for b in range(both.shape[1]):
                # two columns that are equal throughout are a linear relation, not an order
                if (a < p or b < p) and a != b and (both[:, a] <= both[:, b]).all():
                    pairs.append((a, b))
        equal = {(a, b) for a, b in pairs if (b, a) in pairs}
        return cls(lower, np.full(p, np.inf), tuple(pair for pair in pairs if pair not in equal))

    def within(self, lowest: float | None, highest: float | None) -> Constraints:
        """The same, and no column beyond these bounds."""
        low, high = (-np.inf if lowest is None else lowest), (np.inf if highest is None else highest)
        return Constraints(np.maximum(self.lower, low), np.minimum(self.upper, high), self.ordered)

    @property
    def empty(self) -> bool:
        """Whether there is nothing to keep."""
        return not (np.isfinite(self.lower).any() or np.isfinite(self.upper).any() or self.ordered)

    def project(self, z: Matrix, regression: Regression, s: Matrix, *, relations: bool) -> Matrix:
        """The nearest standardised values that keep all, on the original scale; s as it stands in the file.

        With `relations`, exact linear relations of the data are kept meanwhile. O(n m p), and Hildreth's
        method for the records that break something.
        """
        p, d = z.shape[1], z.shape[1] + s.shape[1]
        if not self.lower.shape == self.upper.shape == (p,):
            raise ParameterError(f"Constraints: wanted a lower and an upper bound for each of {p} columns.")
        if any(not (0 <= a < d and 0 <= b < d) or min(a, b) >= p for a, b in self.ordered):
            raise ParameterError(
                f"Constraints: wanted orders of columns 0 to {d - 1} with one of the first {p} in each."
            )
        if relations:
            z = regression.keep_relations(z)
        if self.empty:
            return regression.original_scale(z)
        directions = regression.right if relations else np.eye(z.shape[1])
        normals = self._normals(regression)
        free = normals @ directions
        # an inequality that the relations decide by themselves cannot be broken, nor mended
        open_ones = np.flatnonzero((free**2).sum(axis=1) > _TOLERANCE)
        z = z.copy()
        for start in range(0, z.shape[0], _BLOCK):
            rows = slice(start, min(start + _BLOCK, z.shape[0]))
            bounds = self._bounds(regression, s[rows])
            self._mend(z[rows], normals[open_ones], free[open_ones], bounds[:, open_ones], directions)
        return self._to_the_last_bit(regression.original_scale(z), s, 10 * _TOLERANCE * regression.scale)

    @staticmethod
    def _mend(z: Matrix, normals: Matrix, free: Matrix, bounds: Matrix, directions: Matrix) -> None:
        from tacita.kernels.records.halfspaces import nearest_inside

        slack = z @ normals.T - bounds
        broken = np.flatnonzero((slack < 0).any(axis=1))
        if not broken.size or not free.size:
            return
        steps = np.zeros((broken.size, free.shape[1]))
        restless = nearest_inside(
            steps, np.ascontiguousarray(free), np.ascontiguousarray(-slack[broken]), _TOLERANCE, _SWEEPS
        )
        if restless:
            raise DataError(
                f"Constraints: {restless} records could not be brought within bounds and order. "
                "Ask for fewer constraints."
            )
        z[broken] += steps @ directions.T

    def _normals(self, regression: Regression) -> Matrix:
        """One row per inequality, over standardised dependent columns."""
        p, scale = regression.y.shape[1], regression.scale
        unit = np.eye(p)
        rows = [unit[j] for j in np.flatnonzero(np.isfinite(self.lower))]
        rows += [-unit[j] for j in np.flatnonzero(np.isfinite(self.upper))]
        for a, b in self.ordered:
            row = np.zeros(p)
            if a < p:
                row[a] -= scale[a]
            if b < p:
                row[b] += scale[b]
            rows.append(row / np.abs(row).max())
        return np.array(rows)

    def _bounds(self, regression: Regression, s: Matrix) -> Matrix:
        """What normals @ z must reach, for every record and inequality."""
        p, centre, scale = regression.y.shape[1], regression.centre, regression.scale
        low, high = np.isfinite(self.lower), np.isfinite(self.upper)
        fixed = [
            (self.lower[low] - centre[low]) / scale[low],
            (centre[high] - self.upper[high]) / scale[high],
        ]
        columns = [np.broadcast_to(value, s.shape[:1]) for value in np.concatenate(fixed)]
        for a, b in self.ordered:
            largest = max(scale[a] if a < p else 0.0, scale[b] if b < p else 0.0)
            smaller = centre[a] if a < p else s[:, a - p]
            columns.append(
                np.broadcast_to((smaller - (centre[b] if b < p else s[:, b - p])) / largest, len(s))
            )
        return np.column_stack(columns)

    def _to_the_last_bit(self, y: Matrix, s: Matrix, hair: Matrix) -> Matrix:
        """Rounding can leave a value a hair off a bound: put it there."""
        p = y.shape[1]
        y = np.where(y <= self.lower + hair, self.lower, np.where(y >= self.upper - hair, self.upper, y))
        both = np.hstack([y, s])
        centre = both.mean(axis=0)
        # from the largest attribute down, so that no later step undoes an earlier one
        for a, b in sorted(self.ordered, key=lambda pair: -centre[pair[1]]):
            if a < p:
                both[:, a] = np.minimum(both[:, a], both[:, b])
            else:
                both[:, b] = np.maximum(both[:, a], both[:, b])
        return np.clip(both[:, :p], self.lower, self.upper)
