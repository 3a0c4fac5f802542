"""How figures are spelled on pages: beside those of `core`, spans, axes and names."""

from __future__ import annotations

from collections.abc import Sequence

from tacita.core.display.number_format import MINUS, number, setting

__all__ = ["compact", "measured", "number", "percent", "setting", "span", "spoken"]

_LETTERS = ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "k"))


def span(low: float, high: float | None) -> str:
    """The interval a figure can lie in.

    >>> span(0.0, 1.0), span(0.0, None)
    ('0 to 1', '0 or more')
    """
    return (
        f"{number(float(low))} or more" if high is None else f"{number(float(low))} to {number(float(high))}"
    )


def percent(share: float) -> str:
    """A share to a tenth of a percent; a little is not nothing.

    >>> percent(100 / 3), percent(25.0), percent(0.01), percent(0.0)
    ('33.3 %', '25 %', '< 0.1 %', '0 %')
    """
    text = f"{share:.1f}".removesuffix(".0")
    return "< 0.1 %" if share and text == "0" else f"{text} %"


def measured(value: float | None) -> str:
    """A figure of a measure; what is left of a difference that cancelled says nothing.

    >>> measured(4e-14), measured(12.5)
    ('0', '12.5')
    """
    return number(0.0 if value is not None and abs(value) < 1e-9 else value)


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
