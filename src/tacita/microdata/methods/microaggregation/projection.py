"""MHM along a single line through the data."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from tacita.core import Labels, Matrix, Run

from .mhm import PathCutting
from .orderings import first_component, sum_of_scores


class Projection(PathCutting):
    """The best cut of the records sorted along one line.

    The line is the first principal component, or the sum of z-scores. MHM cuts the sorted records into
    stretches of k to 2k-1 (with units, of k distinct units) by shortest path. Much faster than methods that
    compare records in all columns, and with many columns much coarser. Ties go to the lowest row.

    O(n d^2 + n log n + n k d) time, O(n d) memory.
    Source: Domingo-Ferrer & Mateo-Sanz (2002), IEEE Trans. Knowledge and Data Engineering 14(1), 189-201.

    >>> Projection(k=2, by="sum").partition([[0.], [9.], [1.], [10.], [2.]]).labels.tolist()
    [0, 1, 0, 1, 0]
    """

    by: Literal["component", "sum"] = Field(
        "component", description="what to sort by: first principal component, or sum of z-scores"
    )

    def path(self, x: Matrix, run: Run) -> Labels:
        run.report("ordering records", 0, 1)
        return first_component(x) if self.by == "component" else sum_of_scores(x)
