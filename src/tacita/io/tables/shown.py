"""The published table: values, and a mark where one is withheld. Safe to publish once the audit has passed.

Says nothing of which cells are sensitive, of levels, ranges or costs: a cell is published or withheld.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tacita.core import DataError, Floats, Hierarchy, Ints, Mask, Pattern, Table

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

    @property
    def labels(self) -> list[tuple[str, ...]]:
        """The labels of each cell."""
        return [
            tuple(each.labels[code] for each, code in zip(self.dimensions, codes, strict=True))
            for codes in self.codes.tolist()
        ]

    @property
    def is_grid(self) -> bool:
        """Whether rows and columns can be laid out; other tables are listed."""
        return len(self.dimensions) == 2 and len(self.texts) == np.prod(
            [len(each) for each in self.dimensions]
        )

    def laid_out(self) -> tuple[list[str], list[tuple[list[str], list[str | None]]]]:
        """Head, and rows of labels and texts: two dimensions as a grid, others as a list."""
        if not self.is_grid:
            head = [*(each.name for each in self.dimensions), self.response]
            return head, [([*label], [text]) for label, text in zip(self.labels, self.texts, strict=True)]
        down, across = self.dimensions
        width = len(across)
        rows = [
            ([label], [*self.texts[at * width : (at + 1) * width]]) for at, label in enumerate(down.labels)
        ]
        return [f"{down.name} / {across.name}", *across.labels], rows

    def listed(self) -> tuple[list[str], list[tuple[list[str], str | None, str]]]:
        """Head, and per cell its labels, its text, and published or withheld."""
        head = [*(each.name for each in self.dimensions), "value", "status"]
        if taken := [name for at, name in enumerate(head[:-2]) if name in head[:at] or name in head[-2:]]:
            raise DataError(f"Published table: a dimension cannot be called {taken[0]}. Rename it.")
        cells = zip(self.labels, self.texts, strict=True)
        return head, [([*label], text, _WORDS[text is None]) for label, text in cells]


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
