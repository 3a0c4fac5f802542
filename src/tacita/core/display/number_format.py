"""How figures and settings are spelled for people, wherever they read them."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite

MINUS = "\u2212"
NONE = "\u2013"
_SUPERSCRIPT = str.maketrans(
    "-0123456789", "\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"
)


def number(value: float | None) -> str:
    """A figure with four digits that count, thousands apart; very large and small ones as powers of ten.

    >>> number(1080), number(-1234567.891), number(5.6891), number(0.1), number(None)
    ('1,080', '−1,234,568', '5.689', '0.1', '–')
    >>> number(0.0000123), number(2.5e17), number(0.0)
    ('1.23×10⁻⁵', '2.5×10¹⁷', '0')
    """
    if value is None or not isfinite(value):
        return NONE
    if isinstance(value, int):
        return f"{value:,}".replace("-", MINUS)
    size = abs(value)
    if size != 0 and (size < 1e-3 or size >= 1e15):
        digits, _, power = f"{value:.3e}".partition("e")
        digits = digits.rstrip("0").rstrip(".")
        return f"{digits}×10{str(int(power)).translate(_SUPERSCRIPT)}".replace("-", MINUS)
    if size >= 1000:
        return f"{value:,.0f}".replace("-", MINUS)
    return f"{value:.4g}".replace("-", MINUS)


def setting(value: object) -> str:
    """The value of a parameter or option in words.

    >>> setting(True), setting(3), setting(("a", "b")), setting(None), setting("drop")
    ('yes', '3', 'a, b', '–', 'drop')
    >>> setting({"age": 2.0, "town": {"Porto": "North"}}), setting([["sex", "age"], ["sex"]])
    ('age 2, town (Porto North)', '(sex, age), (sex)')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return NONE
    if isinstance(value, int | float):
        return number(value)
    if isinstance(value, list | tuple):
        return ", ".join(_part(part) for part in value)
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_part(part)}" for name, part in value.items())
    return str(value)


def _part(value: object) -> str:
    """A setting within another, in brackets where it has parts of its own."""
    said = setting(value)
    return f"({said})" if isinstance(value, list | tuple | Mapping) else said
