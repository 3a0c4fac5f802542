"""What all microaggregation methods share: the checks before, the proof after."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from tacita.core import DataError, GroupSize, Method, Partition, Run
from tacita.core.arrays import as_matrix


class Microaggregation(Method):
    """Divides records into groups of at least k. Subclasses say how, in `group`."""

    kind: ClassVar[str] = "microaggregation"
    guarantees: ClassVar[tuple[str, ...]] = ("groups-of-k", "group-means")

    k: GroupSize = 3

    def partition(
        self, x: npt.ArrayLike, run: Run | None = None, *, units: npt.ArrayLike | None = None
    ) -> Partition:
        """Group the rows of x, an (n, d) array taken as given: standardise before where scales differ.

        `units`, one whole number or text per record, names the firm or household behind it: every group then
        has records of at least k distinct ones.
        """
        matrix = as_matrix(x, self.spoken_name())
        n = matrix.shape[0]
        if n < self.k:
            raise DataError(
                f"{self.spoken_name()}: k={self.k} needs at least {self.k} records, got {n}. "
                "Lower k or merge strata."
            )
        codes = None if units is None else self._unit_codes(units, n)
        labels = self.group(matrix, codes, run or Run())
        return Partition(labels, self.k, codes)

    def _unit_codes(self, units: npt.ArrayLike, n: int) -> npt.NDArray[np.int64]:
        given = np.asarray(units)
        if given.shape != (n,):
            raise DataError(f"{self.spoken_name()}: wanted {n} units, one per record, got {given.shape}.")
        if given.dtype.kind not in "iuU":
            raise DataError(
                f"{self.spoken_name()}: wanted units as whole numbers or text, none missing, got an array of "
                f"type {given.dtype}."
            )
        distinct, codes = np.unique(given, return_inverse=True)
        if distinct.size < self.k:
            raise DataError(
                f"{self.spoken_name()}: k={self.k} needs records of at least {self.k} distinct units, "
                f"got {distinct.size}. Lower k or merge strata."
            )
        return codes.astype(np.int64)

    @abstractmethod
    def group(
        self, x: npt.NDArray[np.float64], units: npt.NDArray[np.int64] | None, run: Run
    ) -> npt.NDArray[np.int64]:
        """Labels of the rows of x (finite, C order, n >= k; units numbered from 0, k of them or more)."""
