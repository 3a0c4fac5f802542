"""Rules that follow a wish: of a contributor, or of the office."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from pydantic import Field

from tacita.core import Contributors, ParameterError, Percent, Table

from .rule import Flags, Rule


class Request(Rule):
    """A cell is sensitive if a contributor who requested protection has a large enough share of it.

    Sensitive if the largest contribution of those who requested it exceeds `share` percent of the total.
    Protection level: `margin` percent of the cell's value. Some trade statistics protect only the firms that
    request it.

    O(cells).
    Source: Hundepool et al. (2012), Statistical Disclosure Control, Wiley, ch. 4 (request rule).

    >>> import dataclasses
    >>> cells = dataclasses.replace(Contributors.of([[60, 40], [60, 40]]), requested=np.array([40.0, 0.0]))
    >>> Request(share=30).flag(cells).mask.tolist()
    [True, False]
    """

    share: Percent = Field(
        default=0.0,
        ge=0,
        lt=100,
        description="largest share that needs no protection, in percent of the value",
    )
    margin: Percent = Field(default=30.0, ge=0, description="protection level, in percent of the value")

    def flag(self, cells: Contributors) -> Flags:
        mask = cells.requested > cells.total * self.share / 100.0
        return Flags.of(np.asarray(mask, dtype=bool), cells.total * self.margin / 100.0)


class Listed(Rule):
    """The cells that are named are sensitive.

    Cells are named by their labels, in the order of the dimensions. Protection level: `margin` percent of
    the cell's value.

    O(cells named).
    Source: the manual status of tau-ARGUS, after its manual.

    >>> table = Table.from_array([[5, 3], [2, 4]])
    >>> np.flatnonzero(Listed(cells=[("1", "2")]).flag_table(table).mask).tolist()
    [1]
    """

    of_sums: ClassVar[bool] = False

    cells: tuple[tuple[str, ...], ...] = Field(default=(), description="labels of each sensitive cell")
    margin: Percent = Field(default=30.0, ge=0, description="protection level, in percent of the value")

    def flag(self, cells: Contributors) -> Flags:
        """Nothing: without labels no cell is named."""
        return Flags.of(np.zeros(cells.total.size, dtype=bool), np.zeros(cells.total.size))

    def flag_table(self, table: Table) -> Flags:
        mask = np.zeros(table.n, dtype=bool)
        try:
            for labels in self.cells:
                mask[table.cell(*labels)] = True
        except ParameterError:
            raise ParameterError(
                f"Listed: there is no cell {' / '.join(labels)}. Name one label of each dimension: "
                f"{', '.join(dimension.name for dimension in table.dimensions)}."
            ) from None
        return Flags.of(mask, np.abs(table.values) * self.margin / 100.0)
