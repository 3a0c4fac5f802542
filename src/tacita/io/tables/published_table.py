"""The published table: values, and a mark for each suppressed one. Safe to publish once the audit has passed.

A cell is published or suppressed; nothing shows which cells are sensitive, nor levels, ranges or costs.
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
    """All that a published table shows: labels, and one text per cell, None if it is suppressed.

    `title` is declared public text; an empty one is replaced by the names of response and dimensions.

    Writers get this object and nothing else. If a writer, applied to what a reader extracted from a file,
    reproduces that file byte for byte, then the file shows nothing beyond what the reader extracted.
    """

    dimensions: tuple[Hierarchy, ...]
    codes: Ints
    response: str
    texts: tuple[str | None, ...]
    title: str = ""

    @classmethod
    def of(cls, table: Table, suppressed: Pattern | npt.ArrayLike) -> Shown:
        """A table without the values of suppressed cells."""
        mask = _mask(table, suppressed)
        texts = [None if hidden else spelled(value) for value, hidden in zip(table.values, mask, strict=True)]
        return cls(table.dimensions, table.codes, table.response, tuple(texts), table.title)

    @classmethod
    def of_values(cls, table: Table, values: Floats) -> Shown:
        """A table with other values in all cells.

        >>> Shown.of_values(Table.from_array([[5, 3]]), np.array([6.0, 3, 9, 6, 3, 9])).texts[:3]
        ('6', '3', '9')
        """
        texts = [spelled(value) for value in values.tolist()]
        return cls(table.dimensions, table.codes, table.response, tuple(texts), table.title)

    @property
    def heading(self) -> str:
        """The title, or the response by the dimensions.

        >>> Shown.of(Table.from_array([[5, 3]], response="turnover"), [False] * 6).heading
        'turnover by row and column'
        """
        *first, last = (dimension.name for dimension in self.dimensions)
        return self.title or f"{self.response} by {', '.join(first)}{' and ' if first else ''}{last}"

    @cached_property
    def order(self) -> list[int]:
        """Cells in the order in which they are shown."""
        return reading_order(self.dimensions, self.codes)

    @cached_property
    def panels(self) -> list[Panel]:
        """The panels of the table, with rows and columns."""
        return panels_of(self.dimensions, self.codes, self.response)

    def listed(self, *, levels: bool = True) -> tuple[list[str], list[tuple[list[str], str | None, str]]]:
        """The header, and for each cell its labels, its text and its status.

        The label of a hierarchy is followed by its level, 0 for the total, unless `levels` is false.
        """
        deep = [levels and not dimension.is_flat for dimension in self.dimensions]
        head = [*label_columns(self.dimensions, levels=levels), "value", "status"]
        if repeated := [name for at, name in enumerate(head) if name in head[:at]]:
            raise DataError(f"Published table: a dimension cannot have the name {repeated[0]}. Rename it.")
        words = [
            [
                [label, str(depth)] if with_levels else [label]
                for label, depth in zip(dimension.labels, dimension.depths, strict=True)
            ]
            for dimension, with_levels in zip(self.dimensions, deep, strict=True)
        ]
        codes = self.codes.tolist()
        lines = []
        for cell in self.order:
            places = zip(words, codes[cell], strict=True)
            text = self.texts[cell]
            lines.append(
                ([word for known, code in places for word in known[code]], text, _WORDS[text is None])
            )
        return head, lines


def label_columns(dimensions: tuple[Hierarchy, ...], *, levels: bool = True) -> list[str]:
    """The columns of a list that identify the cell of a line."""
    return [
        name
        for dimension in dimensions
        for name in (
            [dimension.name, level_column(dimension)]
            if levels and not dimension.is_flat
            else [dimension.name]
        )
    ]


def level_column(dimension: Hierarchy) -> str:
    """The name of the column of hierarchy levels."""
    return f"{dimension.name}_level"


def spelled(value: float) -> str:
    """Whole numbers without a point; others to 15 digits, so that rounding of sums does not show."""
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else format(value, ".15g")


def _mask(table: Table, suppressed: Pattern | npt.ArrayLike) -> Mask:
    cells = suppressed.withheld if isinstance(suppressed, Pattern) else suppressed
    mask = np.asarray(cells, dtype=bool).reshape(-1)
    if mask.size != table.n:
        raise DataError(f"Published table: wanted a mask of {table.n} cells, got {mask.size}.")
    if shown := int((table.primary & ~mask).sum()):
        raise DataError(f"Published table: {shown} sensitive cells are not suppressed. Nothing was written.")
    return mask
