"""Seeds of randomness: read in any spelling, drawn on request, and long enough where they protect."""

from __future__ import annotations

import re
import secrets
from numbers import Integral

from tacita.core.errors import ParameterError

# Below, seeds are tried one by one: at 10^9 a second 2^32 take four seconds, 2^64 centuries.
LEAST = 2**64

_DRAWN_BITS = 128
_MOST_BITS = 256
_DIGITS = re.compile(r"-?[0-9]{1,80}|0x[0-9a-fA-F]{1,64}")
# Above, readers of JSON and TOML that know floating-point or 64 bits only would change the number.
_SAFE_AS_NUMBER = 2**53


def as_seed(value: object, who: str = "RunContext") -> int | None:
    """A seed as a number: a whole number, its digits as text (0x for hexadecimal), "new" to draw one, None.

    >>> as_seed("0xff"), as_seed("255"), as_seed(None)
    (255, 255, None)
    >>> as_seed("new").bit_length() > 64
    True
    """
    if value is None:
        return None
    if isinstance(value, str) and value == "new":
        # the highest bit is set, so that a drawn seed is never short by chance
        return secrets.randbits(_DRAWN_BITS - 1) | 1 << (_DRAWN_BITS - 1)
    if isinstance(value, str) and _DIGITS.fullmatch(value.strip()):
        value = int(value.strip(), 0 if "x" in value else 10)
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise ParameterError(
            # a mistyped seed is nearly the seed: it is not repeated
            f'{who}: seed must be a whole number, its digits as text, or "new" to draw one; got another '
            f"{type(value).__name__}."
        )
    if value < 0:
        raise ParameterError(f"{who}: seed must be at least 0, got a negative number.")
    if int(value).bit_length() > _MOST_BITS:
        raise ParameterError(f"{who}: seed must have at most {_MOST_BITS} bits, got more.")
    return int(value)


def is_guessable(seed: int | None) -> bool:
    """Whether somebody can try all seeds up to this one.

    >>> is_guessable(40607), is_guessable(as_seed("new")), is_guessable(None)
    (True, False, False)
    """
    return seed is not None and seed < LEAST


def portable(seed: int | None) -> int | str | None:
    """A seed as other programs read it unchanged: a long one as text.

    >>> portable(5), portable(2**100)
    (5, '1267650600228229401496703205376')
    """
    return seed if seed is None or seed < _SAFE_AS_NUMBER else str(seed)
