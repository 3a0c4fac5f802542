"""Small tables from the top down."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from tacita.core import DataError, Run, Table
from tacita.core.arrays import Mask
from tacita.tables.suppression.twoway.optimal import Optimal
from tacita.tables.suppression.watch import Watch

from .base import Large, spared
from .proofs import Proofs
from .subtables import by_elimination, top_down

# Seconds for the least pattern of a small table.
_SECONDS = 2.0


class HiTaS(Large):
    """Withholds in small tables, each a label with those below it in every dimension, from the top down.

    What is withheld above is sensitive below. A cell that a table above publishes stays published, unless a
    table below cannot be protected without it: then it is withheld, and the tables above that share it are
    done again. Inside, either Gaussian elimination, or the least pattern from which nobody can compute a
    withheld cell. Small tables do not see each other, and a range that is wide enough in each may be too
    narrow in all together: so at last the whole table is looked at as one, as by `constructive`: every demand
    gets a proof, cells are added where none is left, and dropped where no proof needs them.

    As many small tables as there are combinations of labels with others below, O(their cells and fill) each;
    then that of `constructive`, within the withheld cells. The lower bound is that of `constructive`.
    Source: de Wolf (2002), HiTaS: a heuristic approach to cell suppression in hierarchical tables, LNCS 2316.

    >>> from tacita.io.hierarchies import from_nested
    >>> region = from_nested("R", {"R1": ["a", "b"], "R2": ["c", "d"]})
    >>> from tacita.core import Hierarchy
    >>> values = np.array([[5.0, 3.0], [7.0, 9.0], [4.0, 6.0], [8.0, 2.0]])
    >>> table = Table.cross([region, Hierarchy.flat("size", ["x", "y"])], values, primary=values == 5.0)
    >>> pattern = HiTaS().suppress(table, "exact")
    >>> [table.label(cell) for cell in np.flatnonzero(pattern.withheld)]
    [('a', 'x'), ('a', 'y'), ('b', 'x'), ('b', 'y')]
    """

    inside: Annotated[Literal["gauss", "optimal"], Field(description="what chooses in a small table")] = (
        "gauss"
    )

    def start(self, table: Table, run: Run) -> Mask:
        return top_down(table, by_elimination if self.inside == "gauss" else _least, run)

    def search(self, parts: list[Proofs], watch: Watch, run: Run) -> float:
        spared(parts, watch, run)
        return 0.0


def _least(small: Table) -> Mask | None:
    """The cheapest cells of a small table from which no withheld cell can be computed."""
    try:
        return Optimal(seconds=_SECONDS).suppress(small.with_bounds(-np.inf, np.inf), "general").withheld
    except DataError:
        return None
