"""Rows of a programme, and what may be added up of them, as the kernels take them."""

from __future__ import annotations

from typing import NamedTuple

from tacita.core.arrays import Floats, Ints


class Pooled(NamedTuple):
    """Rows a x >= b one behind the other, and the least number that makes a row whole (0: none is known)."""

    start: Ints
    at: Ints
    value: Floats
    right: Floats
    whole: Ints


class Terms(NamedTuple):
    """What may be added up: which row, times what before its entries are rounded up, and its slack then."""

    row: Ints
    times: Ints
    slack: Floats
