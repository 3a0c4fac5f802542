"""Small tables from the top down."""

from __future__ import annotations

from typing import Annotated, cast

import numpy as np
from pydantic import Field, field_validator

from tacita.core import DataError, Run, Table
from tacita.core.arrays import Mask
from tacita.core.spec import registry
from tacita.tables.suppression.suppression_method import Suppression
from tacita.tables.suppression.time_limit import Watch

from .large_table_method import Large, replaced, spared
from .movement_certificates import Proofs
from .subtables import Inside, by_elimination, top_down

# Seconds for the pattern of a small table.
_SECONDS = 2.0


class HiTaS(Large):
    """Withholds in small tables, each a label with those below it in every dimension, from the top down.

    What is withheld above is sensitive below. A cell that a table above publishes stays published, unless a
    table below cannot be protected without it: then it is withheld, and the tables above that share it are
    done again. Inside, a method chooses cells from which nobody can compute a withheld one: Gaussian
    elimination, or any other that takes tables of any shape, such as `optimal` or `constructive`. Small
    tables do not see each other: a range that is wide enough in each may be too narrow in all together, and
    in large sparse tables most of what they withhold can be computed. So at last the whole table is looked at
    as one, as by `constructive`: every demand gets a proof, cells are added where none is left, and
    dropped or replaced where no proof needs them.

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

    inside: Annotated[
        str, Field(description="the method that chooses in a small table: any that takes its shape")
    ] = "gauss"

    @field_validator("inside")
    @classmethod
    def _known(cls, name: str) -> str:
        spelled = registry.canonical(name, "suppression")
        if not _serves(spelled):
            able = ", ".join(each for each in registry.names("suppression") if _serves(each))
            raise ValueError(f"{spelled} does not choose in small tables of any shape; these do: {able}")
        return spelled

    def start(self, table: Table, run: Run) -> Mask:
        return top_down(table, by_elimination if self.inside == "gauss" else _by(self.inside), run)

    def search(self, parts: list[Proofs], watch: Watch, run: Run) -> float:
        spared(parts, watch, run)
        replaced(parts, watch, run)
        return 0.0


def _serves(name: str) -> bool:
    method = cast("type[Suppression]", registry.lookup(name, "suppression"))
    return not issubclass(method, HiTaS) and "general" in method.problems and "any" in method.shapes


def _by(name: str) -> Inside:
    """A method of the registry in a small table: cells from which no withheld cell can be computed."""
    method = cast("type[Suppression]", registry.lookup(name, "suppression"))
    given = {"seconds": _SECONDS, "bound": 0.0}
    chooses = method(**{name: value for name, value in given.items() if name in method.model_fields})

    def chosen(small: Table) -> Mask | None:
        try:
            return chooses.suppress(small.with_bounds(-np.inf, np.inf), "general").withheld
        except DataError:
            return None

    return chosen
