"""HTML representations of values in notebooks: counts and figures, with every text escaped.

They contain no data values. Notebooks are stored and shared, so every representation is marked as
confidential.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import NamedTuple

from .number_format import setting

# A notebook keeps no style sheet of ours, so each element has its own style; colours are the notebook's.
_PAGE = "font-family: system-ui, sans-serif; font-size: 90%; max-width: 60em"
_TABLE = "border-collapse: collapse; margin: 0.5em 0"
_CELL = "padding: 0.2em 0.8em; border-bottom: 1px solid rgba(128, 128, 128, 0.3)"
_HEAD = "text-align: left; padding: 0.2em 0.8em; border-bottom: 1px solid currentColor"


class Section(NamedTuple):
    """A small table: the names of its columns, or none, and its rows."""

    head: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]


def page(title: str, sections: Iterable[Section], notes: Iterable[str] = ()) -> str:
    """A title, tables (those without rows are left out), and sentences below them.

    >>> page("A <b>", [Section((), (("n", 3),))], ["Fine."])[:58]
    '<div class="tacita" style="font-family: system-ui, sans-se'
    """
    tables = "".join(_table(section) for section in sections if section.rows)
    below = "".join(f"<p>{escape(note)}</p>" for note in (*notes, "Confidential."))
    return f'<div class="tacita" style="{_PAGE}"><p><strong>{escape(title)}</strong></p>{tables}{below}</div>'


def _table(section: Section) -> str:
    head = "".join(f'<th style="{_HEAD}">{escape(name)}</th>' for name in section.head)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in section.rows)
    head = f"<thead><tr>{head}</tr></thead>" if head else ""
    return f'<table style="{_TABLE}">{head}<tbody>{body}</tbody></table>'


def _cell(value: object) -> str:
    # align text left, numbers right
    side = "left" if isinstance(value, str) else "right"
    return f'<td style="text-align: {side}; {_CELL}">{escape(setting(value))}</td>'
