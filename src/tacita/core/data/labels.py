"""Natural order of labels, and labels of intervals."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from decimal import Decimal
from math import inf
from typing import Any

_DIGITS = re.compile("([0-9]+)")
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?(e[+-]?[0-9]{1,3})?")
_PADDED = re.compile("(?<![0-9])0[0-9]")


def natural_order(labels: Iterable[str]) -> list[str]:
    """Labels each once: numbers by value, others as text in which numbers count by value too.

    Codes with leading zeros are text to the last digit: of these, 011 belongs between 01 and 02. O(n log n).

    >>> natural_order(["1", "10", "11", "2", "-3", "2.5"])
    ['-3', '1', '2', '2.5', '10', '11']
    >>> natural_order(["10-19", "100+", "5-9"]), natural_order(["02", "011", "01"])
    (['5-9', '10-19', '100+'], ['01', '011', '02'])
    """
    known = set(labels)
    key: Callable[[str], Any] = _by_parts
    if all(_NUMBER.fullmatch(label) for label in known):
        key = _by_value
    elif any(_PADDED.search(label) for label in known):
        key = str
    return sorted(known, key=key)


def _by_value(label: str) -> tuple[Decimal, str]:
    # 1 and 1.0 are two labels of one value
    return Decimal(label), label


def _by_parts(label: str) -> list[Any]:
    """Sort key of alternating text and numbers; of numbers without leading zeros, the longer is larger."""
    parts = _DIGITS.split(label)
    return [(len(part), part) if at % 2 else part for at, part in enumerate(parts)]


def interval_label(low: float, high: float, is_integer: bool) -> str:
    """From `low` on and below `high`, as people write it; of whole numbers with both ends.

    >>> interval_label(15, 20, True), interval_label(0.5, 1, False), interval_label(65, float("inf"), True)
    ('15-19', '0.5 to under 1', '65 or more')
    """
    if low == -inf:
        return f"under {high:.15g}"
    if high == inf:
        return f"{low:.15g} or more"
    if is_integer:
        return f"{low:.15g}-{high - 1:.15g}" if high - low > 1 else f"{low:.15g}"
    return f"{low:.15g} to under {high:.15g}"
