"""Facts about an SPSS file that ReadStat omits: the weight variable, and whether strings are complete."""

from __future__ import annotations

import struct
from typing import BinaryIO

_HEADER = 176
_MAGIC = (b"$FL2", b"$FL3")
_VARIABLE = 2
_LABELS = 3
_OF_VARIABLES = 4
_DOCUMENT = 6
_EXTENSION = 7
_END = 999
_LONG_NAMES = 13
# The width that marks a slot as a continuation of a string, and the widest string in slots.
_CONTINUED = -1
_WIDEST = 255


def weight_of(file: BinaryIO) -> str | None:
    """The name of the weight variable, if one is set; the file is rewound. O(variables).

    The header has the number of an 8-byte slot, counted from 1; the dictionary has the variable of that slot.
    Source: GNU PSPP, developers guide, system file format.
    """
    try:
        return _Dictionary(file).weight()
    except (struct.error, ValueError):
        # the reader reports what is wrong with the file
        return None
    finally:
        file.seek(0)


def strings_are_whole(file: BinaryIO) -> bool:
    """Whether every string has as many slots as its width needs; the file is rewound.

    ReadStat does not check this, and crashes the process if a string has too few. It reports other faults
    itself. O(variables).
    """
    try:
        return _Dictionary(file).strings_complete()
    except (struct.error, ValueError):
        return True
    finally:
        file.seek(0)


class _Dictionary:
    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        head = file.read(_HEADER)
        self.known = head[:4] in _MAGIC and len(head) == _HEADER
        self.order = "<" if head[64:68] in (b"\2\0\0\0", b"\3\0\0\0") else ">"
        self.slot = struct.unpack(f"{self.order}i", head[76:80])[0] if self.known else 0

    def weight(self) -> str | None:
        if self.slot <= 0:
            return None
        short: str | None = None
        at, kind = 0, self._int()
        while kind == _VARIABLE:
            at += 1
            _, name = self._variable()
            short = name.decode() if at == self.slot else short
            kind = self._int()
        return None if short is None else self._long_names(kind).get(short.upper(), short)

    def strings_complete(self) -> bool:
        if not self.known:
            return True
        missing_slots = 0
        while self._int() == _VARIABLE:
            width, _ = self._variable()
            if (width == _CONTINUED) != (missing_slots > 0) or not _CONTINUED <= width <= _WIDEST:
                return False
            missing_slots = missing_slots - 1 if missing_slots else max(0, -(-width // 8) - 1)
        return not missing_slots

    def _int(self) -> int:
        number: int = struct.unpack(f"{self.order}i", self.file.read(4))[0]
        return number

    def _skip(self, bytes_: int) -> None:
        if bytes_ < 0:
            raise ValueError("a file that leads back would be read without end")
        self.file.seek(bytes_, 1)

    def _variable(self) -> tuple[int, bytes]:
        """The width and name of the next variable."""
        width, labelled, missing, _, _ = struct.unpack(f"{self.order}5i", self.file.read(20))
        name = self.file.read(8).rstrip()
        if labelled:
            length = self._int()
            self._skip(-(-length // 4) * 4)
        self._skip(8 * abs(missing))
        return width, name

    def _long_names(self, kind: int) -> dict[str, str]:
        """Full names of variables, by their short names in the dictionary."""
        while kind != _END:
            if kind == _LABELS:
                for _ in range(self._int()):
                    self._skip(8)
                    (length,) = self.file.read(1)
                    self._skip(-(-(length + 1) // 8) * 8 - 1)
            elif kind == _OF_VARIABLES:
                self._skip(4 * self._int())
            elif kind == _DOCUMENT:
                self._skip(80 * self._int())
            elif kind == _EXTENSION:
                subtype, size, count = (self._int() for _ in range(3))
                content = self.file.read(max(0, size * count))
                if subtype == _LONG_NAMES:
                    pairs = (pair.partition("=") for pair in content.decode().split("\t"))
                    return {name.upper(): long for name, _, long in pairs}
            else:
                return {}
            kind = self._int()
        return {}
