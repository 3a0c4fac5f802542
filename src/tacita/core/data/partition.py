"""Partitions of records into groups, validated on construction."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from tacita.core.arrays import Labels, Matrix
from tacita.core.errors import DataError, VerificationError


@dataclass(frozen=True, eq=False)
class Partition:
    """Groups of records, checked when they are made: every group has at least k records.

    With `units`, every group also has records of at least k distinct units. Labels are numbered 0, 1, 2, ...
    in order of the lowest row of each group. O(n log n).

    Attributes
    ----------
    labels : array of int
        The group of each record.
    k : int
        Smallest group size.
    units : array of int, optional
        The unit of each record, such as its firm or household.
    lower_bound : float, optional
        Proven lower bound on the squared error of any groups of at least k records.
    gap : float, optional
        Share of the squared error of these groups that any others could save at most.

    Raises
    ------
    VerificationError
        If a group is too small.
    DataError
        If labels are not one whole number for each record.

    Examples
    --------
    >>> Partition([7, 7, 2, 2], k=2).labels.tolist()
    [0, 0, 1, 1]
    >>> Partition([0, 0, 1], k=2)
    Traceback (most recent call last):
    tacita.core.errors.VerificationError: Partition: 1 of 2 groups have fewer than k=2 records (smallest: 1).
    """

    labels: Labels
    k: int
    units: Labels | None = field(default=None, repr=False)
    lower_bound: float | None = None
    gap: float | None = None

    def __post_init__(self) -> None:
        labels = np.asarray(self.labels)
        if labels.ndim != 1 or labels.size == 0 or not np.issubdtype(labels.dtype, np.integer):
            raise DataError("Partition: wanted one whole-number label per record, and at least one record.")
        object.__setattr__(self, "labels", _numbered_by_lowest_row(labels))
        self.labels.setflags(write=False)
        self._check_sizes(self.sizes, "records")
        if self.units is not None:
            self._check_sizes(self._units_per_group(), "distinct units")

    def _check_sizes(self, counts: Labels, of_what: str) -> None:
        short = int((counts < self.k).sum())
        if short:
            raise VerificationError(
                f"Partition: {short} of {counts.size} groups have fewer than k={self.k} {of_what} "
                f"(smallest: {int(counts.min())})."
            )

    def _units_per_group(self) -> Labels:
        pairs = np.unique(np.column_stack([self.labels, np.asarray(self.units)]), axis=0)
        return np.bincount(pairs[:, 0], minlength=len(self))

    def __len__(self) -> int:
        return int(self.labels.max()) + 1

    @property
    def n(self) -> int:
        """Number of records."""
        return int(self.labels.size)

    @property
    def sizes(self) -> Labels:
        """Number of records of each group."""
        return np.bincount(self.labels)

    def centroids(self, x: Matrix) -> Matrix:
        """Compute the mean of each group. O(n d).

        Parameters
        ----------
        x : array of float, n x d
            The records.

        Returns
        -------
        array of float
            One row for each group.

        Examples
        --------
        >>> Partition([0, 0, 1, 1], k=2).centroids(np.array([[0.0], [2.0], [5.0], [7.0]])).tolist()
        [[1.0], [6.0]]
        """
        sums = np.column_stack([np.bincount(self.labels, weights=column) for column in x.T])
        return np.asarray(sums / self.sizes[:, None], dtype=np.float64)

    def sse(self, x: Matrix) -> float:
        """Compute the squared error within groups. O(n d).

        The sum over records of ||x_i - mean of its group||^2.

        Parameters
        ----------
        x : array of float, n x d
            The records.

        Returns
        -------
        float
            The squared error.

        Examples
        --------
        >>> Partition([0, 0, 1, 1], k=2).sse(np.array([[0.0], [2.0], [5.0], [7.0]]))
        4.0
        """
        return float(((x - self.centroids(x)[self.labels]) ** 2).sum())

    def bounded(self, x: Matrix, lower_bound: float) -> Partition:
        """Copy the groups with a proven bound on the squared error of any groups.

        Parameters
        ----------
        x : array of float, n x d
            The records.
        lower_bound : float
            What no groups of at least k records can go below.

        Returns
        -------
        Partition
            The same groups, with `lower_bound` and `gap`.

        Examples
        --------
        >>> Partition([0, 0, 1, 1], k=2).bounded(np.array([[0.0], [1.0], [5.0], [6.0]]), 0.9).gap
        0.1
        """
        sse = self.sse(x)
        # the bound is proven, the sum rounded: a bound above the sum by rounding is the sum
        gap = max(0.0, sse - lower_bound) / sse if sse > 0 else 0.0
        return replace(self, lower_bound=min(lower_bound, sse), gap=round(gap, 15))


def _numbered_by_lowest_row(labels: npt.NDArray[np.integer]) -> Labels:
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(first.size, dtype=np.int64)
    rank[np.argsort(first, kind="stable")] = np.arange(first.size)
    numbered: Labels = rank[inverse.reshape(-1)]
    return numbered
