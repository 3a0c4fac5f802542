"""Text of JSON that a browser sent: parsed where its values are not nested too deep to be worked with."""

from __future__ import annotations

import json
import re
from itertools import accumulate
from typing import Any

MOST_LEVELS = 60
# A string may lack its end; possessive, so that looking for it costs no more than its length.
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"?', re.DOTALL)
_BRACKET = re.compile(r"[\[\]{}]")


def values_of(text: str) -> Any:
    """The values of a text; ValueError where it is no JSON, or too deep.

    >>> values_of('{"a": ["[[[["]}')
    {'a': ['[[[[']}
    >>> values_of("[" * 100 + "]" * 100)
    Traceback (most recent call last):
    ValueError: nested too deep
    """
    signs = _BRACKET.findall(_STRING.sub("", text))
    if max(accumulate(1 if sign in "[{" else -1 for sign in signs), default=0) > MOST_LEVELS:
        raise ValueError("nested too deep")
    return json.loads(text)
