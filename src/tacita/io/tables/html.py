"""A published table as a page of HTML."""

from __future__ import annotations

import html
from collections import Counter
from html.parser import HTMLParser
from typing import ClassVar

from tacita.core import DataError
from tacita.core.paper import EDGE, paper_for

from .base import PublishedFormat
from .kinds import OTHER, Things, beyond
from .shown import MARK, Shown

Attributes = list[tuple[str, str | None]]

_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;margin:2rem;color:#1d2733;background:#fff}"
    "table{border-collapse:collapse}th,td{padding:.3rem .7rem;border-bottom:1px solid #d7dde4}"
    "th{text-align:left;font-weight:600}td,thead th+th{text-align:right}"
    "td{font-variant-numeric:tabular-nums}"
    ".withheld{color:#8a4b00}"
)
# a wide table moves inside the page, beside labels that stay
_ON_SCREEN = ".wide{overflow-x:auto}tbody th:first-child{position:sticky;left:0;background:#fff}"

# What may be named in a message; the rest is not, since a name can tell something too.
# fmt: off
_ELEMENTS = {
    "a", "br", "caption", "col", "details", "div", "embed", "figure", "form", "h1", "h2", "iframe",
    "img", "input", "link", "math", "meta", "noscript", "object", "option", "p", "pre", "script",
    "select", "span", "style", "summary", "svg", "table", "td", "template", "textarea", "tfoot", "th",
    "title", "tr", "video",
}
_ATTRIBUTES = {
    "alt", "class", "colspan", "content", "hidden", "href", "id", "label", "lang", "name", "onclick",
    "rowspan", "scope", "src", "style", "summary", "title", "value",
}
# fmt: on


class PublishedHTML(PublishedFormat):
    """A published table as a page of its own.

    Two dimensions as rows and columns, others as a list; a multiplication sign where a value is withheld.
    O(cells).
    Source: HTML Living Standard (WHATWG), without script or anything to load.

    >>> from tacita.core import Table
    >>> shown = Shown.of(Table.from_array([[5, 3]]), [True, True, False, True, True, False])
    >>> page = PublishedHTML().encode(shown)
    >>> PublishedHTML().read(page, shown, "a page")[:3], PublishedHTML().besides(page + b"<!-- 5 -->", shown)
    ([None, None, '8'], ['comments (1)'])
    """

    endings: ClassVar[tuple[str, ...]] = (".html", ".htm")

    def encode(self, shown: Shown) -> bytes:
        """A heading, the table, and what the mark means."""
        heading = html.escape(shown.heading)
        head, rows = shown.laid_out()
        parts = [
            "<!doctype html>",
            f'<html lang="en"><head><meta charset="utf-8"><title>{heading}</title>',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<style>{_STYLE}{_ON_SCREEN}@media print{{{_on_paper(shown)}}}</style></head><body>",
            f'<h1>{heading}</h1><div class="wide"><table><thead><tr>',
            *(f'<th scope="col">{html.escape(name)}</th>' for name in head),
            "</tr></thead><tbody>",
        ]
        for labels, texts in rows:
            row = [f'<th scope="row">{html.escape(label)}</th>' for label in labels]
            row += [_html_cell(text) for text in texts]
            parts.append(f"<tr>{''.join(row)}</tr>")
        parts += [
            "</tbody></table></div>"
            f"<p>{MARK} withheld to protect those behind the figures.</p></body></html>",
            "",
        ]
        return "\n".join(parts).encode()

    def read(self, content: bytes, expected: Shown, source: str) -> list[str | None]:
        """The text of each cell of the first table of a page, None where it is marked as withheld."""
        try:
            rows = _parsed(content).rows
        except UnicodeDecodeError:
            raise DataError(f"{source}: wanted a page of UTF-8 text.") from None
        except AssertionError:
            # how the parser refuses broken declarations
            raise DataError(f"{source}: this page cannot be read.") from None
        head, body = expected.laid_out()
        wide = len(body[0][0])
        labels = [row[:wide] for row in rows[1:]]
        if not rows or rows[0] != head or labels != [each for each, _ in body]:
            raise DataError(f"{source}: wanted the labels of the table down and across, got others.")
        texts = [text for row in rows[1:] for text in row[wide:]]
        if len(texts) != len(expected.texts):
            raise DataError(f"{source}: wanted {len(expected.texts)} cells, got {len(texts)}.")
        return [None if text == MARK else text for text in texts]

    def besides(self, content: bytes, shown: Shown) -> list[str]:
        """What a page has that is not the table, as tacita writes it."""
        plain = self.encode(shown)
        if content == plain:
            return []
        return beyond(_parsed(content).things, _parsed(plain).things) or [OTHER]


class _Page(HTMLParser):
    """Labels and cells of the first table, row by row; and how often each kind of thing is there."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.things: Things = Counter()
        self._depth = 0
        self._inside = self._ended = False

    def handle_starttag(self, tag: str, attrs: Attributes) -> None:
        self.things[f"element {tag}" if tag in _ELEMENTS else "other elements", ""] += 1
        for name, value in attrs:
            kind = f"attribute {name}" if name in _ATTRIBUTES else "other attributes"
            self.things[kind, f"{name}={value}"] += 1
        self._depth += tag == "table"
        if self._ended or self._depth != 1:
            return
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th") and self.rows:
            self._inside = True
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        if self._depth == 1 and tag in ("td", "th", "table"):
            self._inside = False
            self._ended = self._ended or tag == "table"
        self._depth -= tag == "table"

    def handle_data(self, data: str) -> None:
        if self._inside and self._depth == 1:
            self.rows[-1][-1] += data
        elif data.strip():
            self.things["text besides the table", data] += 1

    def handle_comment(self, data: str) -> None:
        self.things["comments", data] += 1

    def handle_decl(self, decl: str) -> None:
        self.things["declarations", decl] += 1

    def unknown_decl(self, data: str) -> None:
        self.things["declarations", data] += 1

    def handle_pi(self, data: str) -> None:
        self.things["instructions", data] += 1


def _parsed(content: bytes) -> _Page:
    page = _Page()
    page.feed(content.decode())
    page.close()
    return page


def _on_paper(shown: Shown) -> str:
    """How a page is printed, so that all columns fit and every sheet has their labels."""
    head, rows = shown.laid_out()
    lines = [[*labels, *(text or MARK for text in texts)] for labels, texts in rows]
    paper = paper_for(max(map(len, column)) for column in zip(head, *lines, strict=True))
    return (
        f"@page{{size:{paper.page};margin:{EDGE}pt}}body{{margin:0}}.wide{{overflow:visible}}"
        f"table{{font-size:{paper.size}pt}}th,td{{padding:.15em .6em}}thead{{display:table-header-group}}"
        "tr{break-inside:avoid}tbody th:first-child{position:static}"
    )


def _html_cell(text: str | None) -> str:
    return f'<td class="withheld">{MARK}</td>' if text is None else f"<td>{html.escape(text)}</td>"
