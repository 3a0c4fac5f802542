"""Suppressed or changed cells that other released columns determine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Unpack

from tacita.core.errors import DataError, ErrorDetails

# What stands in for the order of the records where it is that of the source.
ROW_ORDER = "the order of the records"


@dataclass(frozen=True)
class Determined:
    """How many of the suppressed or changed cells of a column follow from other columns, and from which.

    `hidden` says how they were hidden: suppressed, or changed. `exposed` counts records of the release that
    stand with fewer than k once all that follows is filled in; None where no k was promised. `refused` says
    that this is more than a release may give back. Of so many cells (`narrowed`) fewer than k values are left
    rather than one.
    """

    column: str
    columns: tuple[tuple[str, ...], ...]
    hidden: str
    cells: int
    of: int
    exposed: int | None
    refused: bool
    narrowed: int = 0

    @property
    def text(self) -> str:
        """What is found, in a sentence without a full stop.

        >>> Determined("region", (("weight",),), "suppressed", 14, 14, 7, True).text
        '14 of 14 suppressed cells of region follow from weight'
        >>> Determined("region", (("weight",),), "suppressed", 14, 14, 7, True, 5).text
        '14 of 14 suppressed cells of region follow from weight (5 of them up to fewer than k values)'
        """
        few = f" ({self.narrowed} of them up to fewer than k values)" if self.narrowed else ""
        return f"{self.cells} of {self.of} {self.hidden} cells of {self.column} follow from {self.by}{few}"

    @property
    def by(self) -> str:
        """The columns, as a sentence has them.

        >>> Determined("size", (("weight", "scale"), ("rooms",)), "suppressed", 9, 9, 0, False).by
        'weight with scale, or from rooms'
        >>> Determined("wage", (("total", "rent", "grants"),), "changed", 9, 9, None, True).by
        'total with rent and grants'
        """
        return ", or from ".join(together(names) for names in self.columns)


class InferenceError(DataError):
    """Columns of a release determine what was suppressed or changed in others. Nothing was written.

    `determined` has what follows, and from which columns.
    """

    def __init__(
        self, message: str = "", *, determined: Sequence[Determined] = (), **about: Unpack[ErrorDetails]
    ) -> None:
        super().__init__(message, **about)
        self.determined = tuple(determined)


def together(names: Sequence[str], word: str = "with", last: str = "and") -> str:
    """Columns that determine something only together.

    >>> together(["total"]), together(["total", "rent", "grants", "tax"])
    ('total', 'total with rent, grants and tax')
    """
    first, others = list(names[:1]), list(names[1:])
    tail = f" {last} ".join(part for part in (", ".join(others[:-1]), *others[-1:]) if part)
    return f" {word} ".join(part for part in (*first, tail) if part)


def bare(names: Sequence[str], hidden: Sequence[str]) -> tuple[str, ...]:
    """Those of some columns of which nothing is hidden, or all where there are none.

    >>> bare(["weight", "size"], ["size", "region"]), bare(["size"], ["size"])
    (('weight',), ('size',))
    """
    return tuple(name for name in names if name not in hidden) or tuple(names)
