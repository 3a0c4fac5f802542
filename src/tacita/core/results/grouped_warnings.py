"""Warnings of one kind reported once, with the columns they are about."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from .release import DisclosureWarning


@dataclass(frozen=True)
class Warned:
    """One line of a kind of warning: its own words (a column name where all say the same), and a count."""

    text: str
    count: int


@dataclass(frozen=True)
class Kind:
    """All warnings of one name. `text` is what they say together, in halves around the column's name."""

    name: str
    text: tuple[str, str] | None
    advice: tuple[str, ...]
    lines: tuple[Warned, ...]


def grouped(warnings: Sequence[DisclosureWarning], columns: Collection[str]) -> tuple[Kind, ...]:
    """By name, in the order they first come.

    >>> both = [DisclosureWarning("unique", f"Column {c} is unique.", 7, "Drop it.") for c in ("a", "b")]
    >>> grouped(both, {"a", "b"})[0].lines
    (Warned(text='a', count=7), Warned(text='b', count=7))
    """
    kinds: dict[str, list[DisclosureWarning]] = {}
    for warning in warnings:
        kinds.setdefault(warning.name, []).append(warning)
    return tuple(_kind(name, members, columns) for name, members in kinds.items())


def _kind(name: str, members: list[DisclosureWarning], columns: Collection[str]) -> Kind:
    common = _common_text([member.text for member in members], columns) if len(members) > 1 else None
    if common is None:
        texts = [member.text for member in members]
    else:
        texts = [_inside(member.text, *common) for member in members]
    lines = tuple(Warned(text, member.count) for text, member in zip(texts, members, strict=True))
    return Kind(name, common, tuple(dict.fromkeys(member.advice for member in members)), lines)


def _common_text(texts: list[str], columns: Collection[str]) -> tuple[str, str] | None:
    """The words before and after, if the texts differ in the name of one column only."""
    first = texts[0]
    # the longest name first: one column's name may lie inside another's
    for name in sorted(columns, key=lambda column: (-len(column), column)):
        before, matched, after = first.partition(name)
        if matched and all(
            len(text) > len(before) + len(after)
            and text.startswith(before)
            and text.endswith(after)
            and _inside(text, before, after) in columns
            for text in texts
        ):
            return before, after
    return None


def _inside(text: str, before: str, after: str) -> str:
    return text[len(before) : len(text) - len(after)]
