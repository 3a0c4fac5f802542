"""How large and deep a plan may be, held before it is parsed: a small text can cost a parser minutes."""

from __future__ import annotations

import json
import re
from itertools import accumulate
from typing import Any

from tacita.core.errors import ParameterError

# Bytes of a plan or of requirements; levels of values in values; parts of one dotted key.
MOST_BYTES = 2**20
MOST_LEVELS = 40
MOST_PARTS = 10

# Strings come first, so that nothing in them counts. Possessive, and their end may be missing: linear.
_TOML_STRING = re.compile(
    r'"""(?:[^"\\]|\\.|"{1,2}(?!"))*+"{0,5}'
    r"|'''(?:[^']|'{1,2}(?!'))*+'{0,5}"
    r'|"(?:[^"\\\n]|\\.)*+"?'
    r"|'[^'\n]*+'?"
    r"|#[^\n]*+",
    re.DOTALL,
)
_JSON_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"?', re.DOTALL)
_BRACKET = re.compile(r"[\[\]{}]")
_END_OF_KEY = re.compile(r"[=,\n\[\]{}]")


def check_size(count: int, who: str, most: int = MOST_BYTES) -> None:
    """Raise where a text is larger than any plan."""
    if count > most:
        raise ParameterError(
            f"{who}: wanted at most {most:,} bytes of text, got {count:,}. Keep long lists, such as "
            "hierarchies, in files of their own, and name these."
        )


def check_toml_depth(text: str, who: str) -> None:
    """Raise where a text of TOML is too large or too deep to be parsed. O(characters)."""
    check_size(len(text), who)
    bare = _TOML_STRING.sub("", text)
    parts = 1 + max(part.count(".") for part in _END_OF_KEY.split(bare))
    if parts > MOST_PARTS:
        raise ParameterError(
            f"{who}: wanted keys of at most {MOST_PARTS} parts with dots between, got one of {parts}. "
            "Is this a plan?"
        )
    _check_levels(_levels(bare), who)


def check_depth(values: object, who: str) -> None:
    """Raise where values stand in values more often than in any plan. O(values)."""
    level, below = 0, [values]
    while below := [
        inner
        for outer in below
        if isinstance(outer, dict | list)
        for inner in (outer.values() if isinstance(outer, dict) else outer)
    ]:
        level += 1
        _check_levels(level, who)


def values_of_json(
    text: str, who: str, *, most_bytes: int = MOST_BYTES, most_levels: int = MOST_LEVELS
) -> Any:
    """The values of a text of JSON; ValueError where it is none, raises too where it is too large or deep."""
    check_size(len(text), who, most_bytes)
    _check_levels(_levels(_JSON_STRING.sub("", text)), who, most_levels)
    return json.loads(text)


def _levels(bare: str) -> int:
    """How many brackets are open at most, of a text without strings."""
    return max(accumulate(1 if sign in "[{" else -1 for sign in _BRACKET.findall(bare)), default=0)


def _check_levels(levels: int, who: str, most: int = MOST_LEVELS) -> None:
    if levels > most:
        raise ParameterError(
            f"{who}: values are nested too deep for any plan (at most {most} levels). Check the "
            "brackets and dots."
        )
