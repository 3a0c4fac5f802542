"""How figures are spelled for people."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

MINUS = "\u2212"
NONE = "\u2013"
_SUPERSCRIPT = str.maketrans(
    "-0123456789", "\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"
)
_LETTERS = ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "k"))


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


def span(low: float, high: float | None) -> str:
    """The interval a figure can lie in.

    >>> span(0.0, 1.0), span(0.0, None)
    ('0 to 1', '0 or more')
    """
    return (
        f"{number(float(low))} or more" if high is None else f"{number(float(low))} to {number(float(high))}"
    )


def compact(values: Sequence[float]) -> list[str]:
    """Labels of one axis, short and never two alike for different values.

    >>> compact([-500.0, 1000.0, 2.5e6])
    ['−500', '1k', '2.5M']
    >>> compact([1990.0, 2000.0, 2010.0])
    ['1990', '2000', '2010']
    """
    plain = [f"{value:.10g}" for value in values]
    short = [_with_letter(value) for value in values]
    small = all(abs(value) < 10_000 for value in values)
    # a year is no clearer as 1.99k, and one axis should not mix both spellings
    longer = any(len(a) > len(b) for a, b in zip(short, plain, strict=True))
    return [text.replace("-", MINUS) for text in (plain if small and longer else short)]


def _with_letter(value: float) -> str:
    for size, letter in _LETTERS:
        if size <= abs(value) < size * 1000:
            return f"{value / size:.10g}{letter}"
    return f"{value:.10g}"


def spoken(name: str) -> str:
    """A name of the program as words at the start of a sentence.

    >>> spoken("nearly-unique-column"), spoken("round_integers")
    ('Nearly unique column', 'Round integers')
    """
    words = name.replace("-", " ").replace("_", " ")
    return words[:1].upper() + words[1:]


def setting(value: object) -> str:
    """The value of a parameter or option in words.

    >>> setting(True), setting(3), setting(("a", "b")), setting(None), setting("drop")
    ('yes', '3', 'a, b', '–', 'drop')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return NONE
    if isinstance(value, int | float):
        return number(value)
    if isinstance(value, list | tuple):
        return ", ".join(setting(part) for part in value)
    return str(value)
