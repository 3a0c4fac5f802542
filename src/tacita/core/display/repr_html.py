"""A value as a small page of its own in a notebook: counts and figures, every text escaped.

No value of the data stands in one. What a page shows is for whoever works with the data: notebooks are kept
and passed on, so each page says that it is confidential.
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
    tables = "".join(_table(each) for each in sections if each.rows)
    below = "".join(f"<p>{escape(note)}</p>" for note in (*notes, "Confidential."))
    return f'<div class="tacita" style="{_PAGE}"><p><strong>{escape(title)}</strong></p>{tables}{below}</div>'


def _table(section: Section) -> str:
    head = "".join(f'<th style="{_HEAD}">{escape(name)}</th>' for name in section.head)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in section.rows)
    head = f"<thead><tr>{head}</tr></thead>" if head else ""
    return f'<table style="{_TABLE}">{head}<tbody>{body}</tbody></table>'


def _cell(value: object) -> str:
    # words from the left, figures from the right
    side = "left" if isinstance(value, str) else "right"
    return f'<td style="text-align: {side}; {_CELL}">{escape(setting(value))}</td>'
