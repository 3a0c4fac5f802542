"""On what paper, and in what type, a table is printed so that none of its columns is cut off."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil, floor
from typing import NamedTuple

# In points: the edges of a page, what they leave of A4 upright and on its side, the largest and least type.
EDGE = 45
_UPRIGHT = 500
_SIDEWAYS = 740
_LARGEST = 9
_LEAST = 6
# Of the size of type: what a sign takes, and what stands around a cell.
_SIGN = 0.65
_AROUND = 1.5


class Paper(NamedTuple):
    """The size of a page as style sheets have it, and that of type in points."""

    page: str
    size: int


def paper_for(columns: Iterable[int]) -> Paper:
    """The paper for columns of so many signs: A4 upright, on its side, in smaller type, or larger paper.

    >>> paper_for([8] * 5), paper_for([8] * 15), paper_for([8] * 60)
    (Paper(page='A4', size=9), Paper(page='A4 landscape', size=7), Paper(page='2502pt 1752pt', size=6))
    """
    wide = sum(_SIGN * signs + _AROUND for signs in columns)
    if _LARGEST * wide <= _UPRIGHT:
        return Paper("A4", _LARGEST)
    size = max(_LEAST, min(_LARGEST, floor(_SIDEWAYS / wide)))
    if size * wide <= _SIDEWAYS:
        return Paper("A4 landscape", size)
    across = ceil(size * wide) + 2 * EDGE
    return Paper(f"{across}pt {ceil(across * 0.7)}pt", size)
