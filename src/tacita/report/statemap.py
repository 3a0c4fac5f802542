"""A large table as a drawing: one square per cell in the colour of its state, with row and column labels."""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tacita.core import Ints
from tacita.core.display.svg import shortened

# Red, green and blue of each state, as in the style of the page.
Palette = tuple[tuple[int, int, int], ...]
_WIDTH = 700.0
_LARGEST = 20.0
_SMALLEST = 3.0
_LETTER = 6.6
_LINE = 12.0
_MOST_LETTERS = 14
# Tooltips per drawing: more would slow the page down; the JSON report has all cells.
_MOST_SPOTS = 2000


@dataclass(frozen=True)
class Label:
    """The name of a row or column, and the position of its end."""

    x: float
    y: float
    text: str


@dataclass(frozen=True)
class Spot:
    """A cell with its tooltip."""

    x: float
    y: float
    words: str


@dataclass(frozen=True)
class StateMap:
    """A drawing, with lengths in its units; the picture has one pixel per cell."""

    size: float
    left: float
    top: float
    across: float
    down: float
    picture: str
    rows: list[Label]
    columns: list[Label]
    spots: list[Spot]


def state_map(
    states: Ints,
    rows: Sequence[str],
    columns: Sequence[str],
    words: Mapping[tuple[int, int], str],
    palette: Palette,
) -> StateMap:
    """The drawing of states (indices of the palette), with tooltips `words` by cell. O(cells).

    >>> grey, red = (226, 232, 238), (178, 34, 34)
    >>> said = {(0, 1): "a / Total"}
    >>> drawn = state_map(np.array([[0, 1], [0, 0]]), ["a", "Total"], ["b", "Total"], said, (grey, red))
    >>> drawn.size, [label.text for label in drawn.rows], len(drawn.spots)
    (20.0, ['a', 'Total'], 1)
    """
    height, width = states.shape
    size = round(min(_LARGEST, max(_SMALLEST, _WIDTH / width)), 2)
    every = int(np.ceil(_LINE / size))
    down = [(at, shortened(rows[at], _MOST_LETTERS)) for at in range(0, height, every)]
    across = [(at, shortened(columns[at], _MOST_LETTERS)) for at in range(0, width, every)]
    left, top = (8 + _LETTER * max(len(text) for _, text in lines) for lines in (down, across))
    return StateMap(
        size=size,
        left=left,
        top=top,
        across=size * width,
        down=size * height,
        picture=_picture(states, palette),
        rows=[Label(left - 5, top + size * (at + 0.5) + 4, text) for at, text in down],
        columns=[Label(left + size * (at + 0.5) + 4, top - 5, text) for at, text in across],
        spots=[
            Spot(left + size * column, top + size * row, text)
            for (row, column), text in list(words.items())[:_MOST_SPOTS]
        ],
    )


def _picture(states: Ints, palette: Palette) -> str:
    """A PNG with a palette and one pixel per cell, base64-encoded."""
    height, width = states.shape
    lines = b"".join(b"\0" + row.astype(np.uint8).tobytes() for row in states)
    parts = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
        (b"PLTE", bytes(part for colour in palette for part in colour)),
        (b"IDAT", zlib.compress(lines, 9)),
        (b"IEND", b""),
    )
    chunks = (
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        for name, body in parts
    )
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"".join(chunks)).decode()
