"""The published table: values, and a mark where one is withheld. Safe to publish once the audit has passed.

Says nothing of which cells are sensitive, of levels, ranges or costs: a cell is published or withheld.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from tacita.core import DataError, Floats, Hierarchy, Ints, Mask, Pattern, Table
from tacita.core.data.panels import Panel, panels_of, reading_order

MARK = "×"
_WORDS = ("published", "withheld")


@dataclass(frozen=True, eq=False)
class Shown:
    """All that a published table shows: labels, and one text per cell, None where it is withheld.

    `title` is public text that somebody declared; none stands for what the names say.

    Writers get this and nothing else. So a file that a writer makes of what a reader found in another, and
    that is the same to the last byte, proves that the other shows nothing more than the reader found.
    """

    dimensions: tuple[Hierarchy, ...]
    codes: Ints
    response: str
    texts: tuple[str | None, ...]
    title: str = ""

    @classmethod
    def of(cls, table: Table, withheld: Pattern | npt.ArrayLike) -> Shown:
        """A table without the values of some cells."""
        mask = _mask(table, withheld)
        texts = [None if hidden else spelled(value) for value, hidden in zip(table.values, mask, strict=True)]
        return cls(table.dimensions, table.codes, table.response, tuple(texts), table.title)

    @classmethod
    def of_values(cls, table: Table, values: Floats) -> Shown:
        """Other values in all cells of a table.

        >>> Shown.of_values(Table.from_array([[5, 3]]), np.array([6.0, 3, 9, 6, 3, 9])).texts[:3]
        ('6', '3', '9')
        """
        texts = [spelled(value) for value in values.tolist()]
        return cls(table.dimensions, table.codes, table.response, tuple(texts), table.title)

    @property
    def heading(self) -> str:
        """What the table is: its title, or its response by its dimensions.

        >>> Shown.of(Table.from_array([[5, 3]], response="turnover"), [False] * 6).heading
        'turnover by row and column'
        """
        *first, last = (each.name for each in self.dimensions)
        return self.title or f"{self.response} by {', '.join(first)}{' and ' if first else ''}{last}"

    @cached_property
    def order(self) -> list[int]:
        """Cells in the order in which they are shown."""
        return reading_order(self.dimensions, self.codes)

    @cached_property
    def panels(self) -> list[Panel]:
        """Rows and columns, of each part."""
        return panels_of(self.dimensions, self.codes, self.response)

    def listed(self, *, levels: bool = True) -> tuple[list[str], list[tuple[list[str], str | None, str]]]:
        """Head, and per cell its labels, its text, and published or withheld.

        The label of a hierarchy is followed by its level, 0 for the total, unless they are left away.
        """
        deep = [levels and not each.is_flat for each in self.dimensions]
        head = [*label_columns(self.dimensions, levels=levels), "value", "status"]
        if taken := [name for at, name in enumerate(head) if name in head[:at]]:
            raise DataError(f"Published table: a dimension cannot be called {taken[0]}. Rename it.")
        spoken = [
            [
                [label, str(depth)] if told else [label]
                for label, depth in zip(each.labels, each.depths, strict=True)
            ]
            for each, told in zip(self.dimensions, deep, strict=True)
        ]
        codes = self.codes.tolist()
        lines = []
        for cell in self.order:
            places = zip(spoken, codes[cell], strict=True)
            text = self.texts[cell]
            lines.append(
                ([word for known, code in places for word in known[code]], text, _WORDS[text is None])
            )
        return head, lines


def label_columns(dimensions: tuple[Hierarchy, ...], *, levels: bool = True) -> list[str]:
    """The columns of a list that say which cell a line is of."""
    return [
        name
        for each in dimensions
        for name in ([each.name, level_column(each)] if levels and not each.is_flat else [each.name])
    ]


def level_column(dimension: Hierarchy) -> str:
    """The column of the levels of a hierarchy."""
    return f"{dimension.name}_level"


def spelled(value: float) -> str:
    """Whole numbers without a point; others to 15 digits, so that rounding of sums does not show."""
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else format(value, ".15g")


def _mask(table: Table, withheld: Pattern | npt.ArrayLike) -> Mask:
    mask = np.asarray(withheld.withheld if isinstance(withheld, Pattern) else withheld, dtype=bool).reshape(
        -1
    )
    if mask.size != table.n:
        raise DataError(f"Published table: wanted a mask of {table.n} cells, got {mask.size}.")
    if shown := int((table.primary & ~mask).sum()):
        raise DataError(f"Published table: {shown} sensitive cells are not withheld. Nothing was written.")
    return mask
