"""Formatting of numbers and settings for readers of reports, the page and notebooks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite

MINUS = "\u2212"
NONE = "\u2013"
_SUPERSCRIPT = str.maketrans(
    "-0123456789", "\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"
)
_UNITS = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


@dataclass(frozen=True)
class NumberStyle:
    """The thousands separator and the decimal sign of a language."""

    thousands: str = ","
    decimal: str = "."

    def write(self, text: str) -> str:
        """A figure as Python writes it, with the signs of this style.

        >>> NumberStyle(" ", ",").write("-1,234.5")
        '−1 234,5'
        """
        return text.translate({ord(","): self.thousands, ord("."): self.decimal, ord("-"): MINUS})


ENGLISH = NumberStyle()
# a thin space, which no language uses as a decimal sign
SPACED = NumberStyle("\u202f")


def number(value: float | None, digits: int | None = None, style: NumberStyle = ENGLISH) -> str:
    """A number with thousands separators: `digits` decimals, or four significant digits.

    Without `digits`, very large and small figures are powers of ten.

    >>> number(1080), number(-1234567.891), number(5.6891), number(0.1), number(None)
    ('1,080', '−1,234,568', '5.689', '0.1', '–')
    >>> number(0.0000123), number(2.5e17), number(0.0), number(-3.5, 2, NumberStyle(" ", ","))
    ('1.23×10⁻⁵', '2.5×10¹⁷', '0', '−3,50')
    """
    if value is None or not isfinite(value):
        return NONE
    if digits is not None:
        return style.write(f"{value:,.{digits}f}")
    if isinstance(value, int):
        return style.write(f"{value:,}")
    size = abs(value)
    if size != 0 and (size < 1e-3 or size >= 1e15):
        mantissa, _, power = f"{value:.3e}".partition("e")
        mantissa = mantissa.rstrip("0").rstrip(".")
        return style.write(mantissa) + f"×10{str(int(power)).translate(_SUPERSCRIPT)}"
    return style.write(f"{value:,.0f}" if size >= 1000 else f"{value:.4g}")


def figure(value: float | None, digits: int | None = None, style: NumberStyle = SPACED) -> str:
    """A short number: `digits` decimals, or as many as are significant.

    >>> figure(84949), figure(40.412), figure(5.6891), figure(-3.5, 1, NumberStyle(decimal=",")), figure(None)
    ('84\u202f949', '40.4', '5.69', '\u22123,5', '\u2013')
    """
    if value is not None and digits is None:
        digits = 0 if float(value).is_integer() or abs(value) >= 1000 else 2 if abs(value) < 10 else 1
    return number(value, digits, style)


def short(value: float | None, style: NumberStyle = ENGLISH, digits: int = 3) -> str:
    """A number of few digits with a letter for thousands, millions and so on; empty for None.

    >>> short(889), short(10_812), short(1_650_000), short(-0.5), short(99_960), short(20_000)
    ('889', '10.8k', '1.65M', '\u22120.5', '100k', '20k')
    """
    if value is None:
        return ""
    rounds_up = 1 - 0.5 / 10**digits
    size, unit = next(((s, u) for s, u in _UNITS if abs(value) >= s * rounds_up), (1.0, ""))
    scaled = value / size
    text = f"{scaled:.{digits}g}" if abs(scaled) < 10**digits * rounds_up else f"{scaled:.0f}"
    return f"{style.write(text)}{unit}"


def compact(values: Sequence[float], style: NumberStyle = ENGLISH) -> list[str]:
    """Labels of an axis, short and distinct for distinct values.

    >>> compact([-500.0, 1000.0, 2.5e6])
    ['−500', '1k', '2.5M']
    >>> compact([1990.0, 2000.0, 2010.0])
    ['1990', '2000', '2010']
    """
    plain = [style.write(f"{value:.10g}") for value in values]
    lettered = [short(value, style, 10) for value in values]
    small = all(abs(value) < 10_000 for value in values)
    # 1.99k is not clearer for a year, and one axis should not mix both spellings
    longer = any(len(a) > len(b) for a, b in zip(lettered, plain, strict=True))
    return plain if small and longer else lettered


def percent(share: float, style: NumberStyle = ENGLISH) -> str:
    """A share to a tenth of a percent; tiny shares are not shown as 0.

    >>> percent(100 / 3), percent(25.0), percent(0.01), percent(0.0)
    ('33.3 %', '25 %', '< 0.1 %', '0 %')
    """
    text = f"{share:.1f}".removesuffix(".0")
    return f"< {style.write('0.1')} %" if share and text == "0" else f"{style.write(text)} %"


def correlation(value: float | None, style: NumberStyle = ENGLISH) -> str:
    """A correlation without its leading zero.

    >>> correlation(0.504), correlation(-1.0), correlation(-0.001), correlation(None)
    ('.50', '−1', '0', '–')
    """
    if value is None:
        return NONE
    text = f"{abs(value):.2f}"
    if text == "0.00":
        return "0"
    text = text.removeprefix("0").removesuffix(".00")
    return style.write(f"-{text}" if value < 0 else text)


def span(low: float, high: float | None) -> str:
    """The range of a measure.

    >>> span(0.0, 1.0), span(0.0, None)
    ('0 to 1', '0 or more')
    """
    ends = number(float(low)), None if high is None else number(float(high))
    return f"{ends[0]} or more" if ends[1] is None else f"{ends[0]} to {ends[1]}"


def measured(value: float | None) -> str:
    """A figure of a measure; tiny remainders of differences are shown as 0.

    >>> measured(4e-14), measured(12.5)
    ('0', '12.5')
    """
    return number(0.0 if value is not None and abs(value) < 1e-9 else value)


def byte_size(count: int) -> str:
    """Bytes in a unit that fits.

    >>> byte_size(812), byte_size(65_200), byte_size(200_000_000)
    ('812 B', '65 kB', '200 MB')
    """
    for unit, power in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= power:
            return f"{count / power:.0f} {unit}" if count >= 10 * power else f"{count / power:.1f} {unit}"
    return f"{count} B"


def spoken(name: str) -> str:
    """An identifier as words at the start of a sentence.

    >>> spoken("nearly-unique-column"), spoken("round_integers")
    ('Nearly unique column', 'Round integers')
    """
    words = name.replace("-", " ").replace("_", " ")
    return words[:1].upper() + words[1:]


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
    """A nested setting, in brackets if it has parts."""
    text = setting(value)
    return f"({text})" if isinstance(value, list | tuple | Mapping) else text
