"""Merge spellings with the same meaning: ACME, acme and "ACME "; 1, 1.0 and 01."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from tacita.core.arrays import Ints

_NUMBER = re.compile(r"([+-]?)0*([0-9]+)(?:[.,]([0-9]*?)0*)?")
# Unicode categories of invisible marks: joiners, directions, soft hyphens; controls
_INVISIBLE = ("Cf", "Cc")
# and others: a joiner, fillers of Hangul, vowels of Khmer, selectors of variants, an empty Braille cell;
# and the dot that a dotted capital I leaves behind
_ALSO_INVISIBLE = re.compile(
    "[\u0307\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)


class Alike(NamedTuple):
    """A number for each record that records share where their values mean the same, and how many merged.

    `merged` is the number of spellings that were merged with another.
    """

    codes: Ints
    merged: int


def plain_spelling(value: object) -> str:
    """One spelling for all that a reader would take for the same name.

    Compatible forms (NFKC) and case are folded, with the dotted and dotless i of Turkish. Invisible marks
    are dropped and runs of blanks become one. Numbers lose insignificant zeros, and a decimal comma becomes a
    point.

    >>> [plain_spelling(name) for name in ("ACME ", "acme", "01", 1.0, "-0,50")]
    ['acme', 'acme', '1', '1', '-0.5']
    """
    original = str(value)
    # printable ASCII only needs lower case; most names are ASCII, and there are millions
    plain = original.isascii() and original.isprintable()
    text = " ".join((original.lower() if plain else _folded(original)).split())
    number = _NUMBER.fullmatch(text)
    if number is None:
        return text
    sign, integer_part, rest = number.groups()
    spelled = f"{integer_part}.{rest}" if rest else integer_part
    return f"-{spelled}" if sign == "-" and spelled != "0" else spelled


def _folded(text: str) -> str:
    # composed first: a dot is part of a letter, where one has it
    composed = unicodedata.normalize("NFKC", _shown(unicodedata.normalize("NFC", text)))
    folded = _shown(unicodedata.normalize("NFKC", composed.casefold())).replace("\u0131", "i")
    # digits of other scripts are digits
    return "".join(str(unicodedata.decimal(mark, mark)) for mark in folded)


def _shown(text: str) -> str:
    # tabs and line ends are controls, but blanks as well
    return "".join(
        mark
        for mark in _ALSO_INVISIBLE.sub("", text)
        if mark.isspace() or unicodedata.category(mark) not in _INVISIBLE
    )


def alike(codes: Ints, spellings: Iterable[object]) -> Alike:
    """Merge the codes 0, 1, ... of values whose spellings, in the order of the codes, mean the same.

    >>> alike(np.array([0, 1, 2, 1]), ["ACME", "acme ", "Bolt"])
    Alike(codes=array([0, 0, 1, 0]), merged=1)
    """
    numbers: dict[str, int] = {}
    groups = np.array(
        [numbers.setdefault(plain_spelling(spelling), len(numbers)) for spelling in spellings], dtype=np.int64
    )
    return Alike(groups[codes], groups.size - len(numbers))
