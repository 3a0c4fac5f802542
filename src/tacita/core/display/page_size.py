"""Page and font size for printing a table, so that no column is cut off."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil, floor
from typing import NamedTuple

# In points: page margins, the width of A4 within them (portrait, landscape), largest and smallest font.
EDGE = 45
_UPRIGHT = 500
_SIDEWAYS = 740
_LARGEST = 9
_LEAST = 6
# Relative to the font size: the width of a character, and the padding of a cell.
_SIGN = 0.65
_AROUND = 1.5


class Paper(NamedTuple):
    """The page size in CSS, and the font size in points."""

    page: str
    size: int


def paper_for(columns: Iterable[int]) -> Paper:
    """The page for columns of these widths in characters: A4, A4 landscape, smaller font, or larger page.

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
