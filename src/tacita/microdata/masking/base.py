"""What all maskings share: the checks before, and what they hand back."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from tacita.core import DataError, Labels, Matrix, Method, Run
from tacita.core.arrays import as_matrix


@dataclass(frozen=True, repr=False)
class Masked:
    """Masked values; where each column was grouped by itself, also the group of each cell."""

    values: Matrix
    labels: Labels | None = None


class Masking(Method):
    """Replaces the values of records by others. Subclasses say how, in `change`.

    Never promises groups of k: whatever records share, they share by chance or column by column. The values
    come in on their own scale; a masking may not depend on the unit of measurement. `by_chance` marks those
    whose result depends on drawn numbers: from the operating system, unless the run has a seed; `roundable`
    is False where rounding would break a promise.
    """

    kind: ClassVar[str] = "masking"
    guarantees: ClassVar[tuple[str, ...]] = ("masked-cells",)
    by_chance: ClassVar[bool] = True
    roundable: ClassVar[bool] = True

    def mask(
        self,
        x: npt.ArrayLike,
        run: Run | None = None,
        *,
        units: npt.ArrayLike | None = None,
        beside: npt.ArrayLike | None = None,
    ) -> Matrix:
        """Values to publish in place of x, an (n, d) array; the rows stay where they are.

        `units` names the firm or household behind each record, for methods that count them; `beside` holds
        columns that are released as they are, for methods that look at them.
        """
        return self.masked(x, run, units=units, beside=beside).values

    def masked(
        self,
        x: npt.ArrayLike,
        run: Run | None = None,
        *,
        units: npt.ArrayLike | None = None,
        beside: npt.ArrayLike | None = None,
    ) -> Masked:
        """The same, with the group of each cell where there are groups."""
        matrix = as_matrix(x, self.spoken_name())
        n, d = matrix.shape
        context = self._context(np.empty((n, 0)) if beside is None else np.asarray(beside), n)
        needed = self.fewest(d + context.shape[1])
        if n < needed:
            raise DataError(
                f"{self.spoken_name()}: {d} columns need at least {needed} records (a stratum), got {n}. "
                "Merge strata or mask fewer columns."
            )
        steered = run or Run()
        made = self.change(matrix, units, context, steered)
        steered.report("masking records", 1, 1)
        return made

    def _context(self, beside: npt.NDArray[Any], n: int) -> Matrix:
        if beside.size == 0:
            return np.empty((n, 0))
        context = as_matrix(beside, self.spoken_name())
        if context.shape[0] != n:
            raise DataError(
                f"{self.spoken_name()}: wanted {n} records beside the masked ones, got {context.shape[0]}."
            )
        return context

    def fewest(self, columns: int) -> int:
        """How many records it takes; with fewer, the result would nearly be the originals."""
        return 3

    @abstractmethod
    def change(self, x: Matrix, units: npt.ArrayLike | None, beside: Matrix, run: Run) -> Masked:
        """Masked values of x (finite, C order, enough records; `beside` may have no columns)."""
