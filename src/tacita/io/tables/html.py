"""A published table as a page of HTML."""

from __future__ import annotations

import html
from collections import Counter
from html.parser import HTMLParser
from typing import ClassVar

from tacita.core import DataError
from tacita.core.data.panels import Label, Panel
from tacita.core.display.page_size import EDGE, paper_for

from .published_table import MARK, Shown
from .reading import OTHER, Things, beyond
from .table_format import PublishedFormat

Attributes = list[tuple[str, str | None]]

_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;margin:2rem;color:#1d2733;background:#fff}"
    "table{border-collapse:collapse}th,td{padding:.3rem .7rem;border-bottom:1px solid #d7dde4}"
    "th{text-align:left;font-weight:600}td,thead th+th{text-align:right}"
    "td{font-variant-numeric:tabular-nums}"
    ".withheld{color:#8a4b00}"
)
# a wide table scrolls inside the page, and its row labels stay in view
_ON_SCREEN = ".wide{overflow-x:auto}tbody th:first-child{position:sticky;left:0;background:#fff}"

# labels of a hierarchy are indented in rows, and dotted in columns
_INDENTED = "tbody .level-{0}{{padding-left:{1}rem}}thead .level-{0}::before{{content:'{2}';color:#6b7a89}}"
_DEEP = ".level-{0}{{font-weight:400}}"
_PARTED = ".wide{margin-bottom:2rem}caption{text-align:left;font-weight:600;padding:.6rem 0}"

# The names that messages may repeat; other names could disclose something.
# fmt: off
_ELEMENTS = {
    "a", "br", "caption", "col", "details", "div", "embed", "figure", "form", "h1", "h2", "iframe",
    "img", "input", "link", "math", "meta", "noscript", "object", "option", "p", "pre", "script",
    "select", "span", "style", "summary", "svg", "table", "td", "template", "textarea", "tfoot", "th",
    "title", "tr", "video",
}
_ATTRIBUTES = {
    "alt", "aria-description", "class", "colspan", "content", "hidden", "href", "id", "label", "lang",
    "name", "onclick", "rowspan", "scope", "src", "style", "summary", "title", "value",
}
# fmt: on


class PublishedHTML(PublishedFormat):
    """A published table as a page of its own.

    The last two dimensions are rows and columns, with one panel for each label of the others. Labels of a
    hierarchy are indented, subtotals stand above their parts, and a multiplication sign replaces each
    suppressed value. O(cells).
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
        panels = shown.panels
        parts = [
            "<!doctype html>",
            f'<html lang="en"><head><meta charset="utf-8"><title>{heading}</title>',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<style>{_STYLE}{_ON_SCREEN}{_levels(shown, panels)}"
            f"@media print{{{_on_paper(shown, panels)}}}</style></head><body>",
        ]
        before = f"<h1>{heading}</h1>"
        for panel in panels:
            parts += _table(panel, shown, before)
            before = ""
        parts[-1] += f"<p>{MARK} suppressed to protect the contributors.</p></body></html>"
        return "\n".join([*parts, ""]).encode()

    def read(self, content: bytes, expected: Shown, source: str) -> list[str | None]:
        """The text of each cell of the first table of a page, None if it is suppressed."""
        panels = expected.panels
        try:
            parsed = _parsed(content, len(panels))
        except UnicodeDecodeError:
            raise DataError(f"{source}: wanted a page of UTF-8 text.") from None
        except AssertionError:
            # the parser's error for broken declarations
            raise DataError(f"{source}: this page cannot be read.") from None
        if len(parsed.tables) != len(panels):
            raise DataError(
                f"{source}: wanted the labels of the table in {len(panels)} parts, got {len(parsed.tables)}."
            )
        texts: list[str | None] = [None] * len(expected.texts)
        for panel, rows, caption in zip(panels, parsed.tables, parsed.captions, strict=True):
            body = _body(panel, rows, source)
            if panel.caption and caption != panel.caption:
                raise DataError(f"{source}: wanted the parts of the table in order, got others.")
            for cell, text in body:
                texts[cell] = None if text == MARK else text
        return texts

    def besides(self, content: bytes, shown: Shown) -> list[str]:
        """What a page holds besides the table, as tacita writes it."""
        plain = self.encode(shown)
        if content == plain:
            return []
        count = len(shown.panels)
        return beyond(_parsed(content, count).things, _parsed(plain, count).things) or [OTHER]


def _table(panel: Panel, shown: Shown, before: str) -> list[str]:
    """The lines of one table of a page."""
    caption = f"<caption>{html.escape(panel.caption)}</caption>" if panel.caption else ""
    parts = [
        f'{before}<div class="wide"><table>{caption}<thead><tr>',
        *(f'<th scope="col">{html.escape(name)}</th>' for name in panel.corner),
        *(_heading("col", label) for label in panel.across),
        "</tr></thead><tbody>",
    ]
    for labels, cells in panel.rows:
        row = [_heading("row", label) for label in labels]
        row += [_html_cell(shown.texts[cell]) for cell in cells]
        parts.append(f"<tr>{''.join(row)}</tr>")
    return [*parts, "</tbody></table></div>"]


def _heading(scope: str, label: Label) -> str:
    """A label, with a description for screen readers of what it is part of."""
    css_class = f' class="level-{label.depth}"' if label.depth else ""
    css_class += f' aria-description="part of {html.escape(label.within)}"' if label.within else ""
    return f'<th scope="{scope}"{css_class}>{html.escape(label.text)}</th>'


def _body(panel: Panel, rows: list[list[str]], source: str) -> list[tuple[int, str]]:
    """The text of each cell of a panel, by its number."""
    head = [*panel.corner, *(label.text for label in panel.across)]
    wide = len(panel.corner)
    wanted = [[label.text for label in labels] for labels, _ in panel.rows]
    if not rows or rows[0] != head or [row[:wide] for row in rows[1:]] != wanted:
        raise DataError(f"{source}: wanted the labels of the table down and across, got others.")
    cells = [cell for _, line in panel.rows for cell in line]
    texts = [text for row in rows[1:] for text in row[wide:]]
    if len(texts) != len(cells) or any(len(row) != len(head) for row in rows):
        raise DataError(f"{source}: wanted {len(cells)} cells, got {len(texts)}.")
    return [*zip(cells, texts, strict=True)]


class _Page(HTMLParser):
    """Labels and cells of the first tables, row by row, and counts of all other contents."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.tables: list[list[list[str]]] = []
        self.captions: list[str] = []
        self.things: Things = Counter()
        self._most, self._depth, self._ended = most, 0, 0
        self._inside = self._above = False

    def handle_starttag(self, tag: str, attrs: Attributes) -> None:
        self.things[f"element {tag}" if tag in _ELEMENTS else "other elements", ""] += 1
        for name, value in attrs:
            kind = f"attribute {name}" if name in _ATTRIBUTES else "other attributes"
            self.things[kind, f"{name}={value}"] += 1
        self._depth += tag == "table"
        if self._ended == self._most or self._depth != 1:
            return
        if tag == "table":
            self.tables.append([])
            self.captions.append("")
        self._above = tag == "caption"
        if tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th") and self.tables[-1]:
            self._inside = True
            self.tables[-1][-1].append("")

    def handle_endtag(self, tag: str) -> None:
        if self._depth == 1 and tag in ("td", "th", "table"):
            self._inside = False
            self._ended = min(self._most, self._ended + (tag == "table"))
        self._above = self._above and tag != "caption"
        self._depth -= tag == "table"

    def handle_data(self, data: str) -> None:
        if self._inside and self._depth == 1:
            self.tables[-1][-1][-1] += data
            return
        if self._above:
            self.captions[-1] += data
        if data.strip():
            self.things["text besides the table", data] += 1

    def handle_comment(self, data: str) -> None:
        self.things["comments", data] += 1

    def handle_decl(self, decl: str) -> None:
        self.things["declarations", decl] += 1

    def unknown_decl(self, data: str) -> None:
        self.things["declarations", data] += 1

    def handle_pi(self, data: str) -> None:
        self.things["instructions", data] += 1


def _parsed(content: bytes, tables: int) -> _Page:
    page = _Page(tables)
    page.feed(content.decode())
    page.close()
    return page


def _levels(shown: Shown, panels: list[Panel]) -> str:
    """The style of hierarchy labels and of panels, if there are any."""
    deepest = max(
        (int(dimension.depths.max()) for dimension in shown.dimensions if not dimension.is_flat), default=0
    )
    styles = []
    for depth in range(1, deepest + 1):
        styles.append(_INDENTED.format(depth, round(0.7 + 1.2 * depth, 1), "· " * (depth - 1)))
        styles.append(_DEEP.format(depth) if depth > 1 else "")
    return "".join([*styles, _PARTED * (len(panels) > 1)])


def _on_paper(shown: Shown, panels: list[Panel]) -> str:
    """The print style: all columns fit, and every sheet repeats their labels."""
    wide = [0] * (len(panels[0].corner) + len(panels[0].across))
    for panel in panels:
        lines = [[*panel.corner, *(label.text for label in panel.across)]]
        for labels, cells in panel.rows:
            indented = ["  " * label.depth + label.text for label in labels]
            lines.append([*indented, *(shown.texts[cell] or MARK for cell in cells)])
        wide = [
            max(most, *map(len, column)) for most, column in zip(wide, zip(*lines, strict=True), strict=True)
        ]
    paper = paper_for(wide)
    return (
        f"@page{{size:{paper.page};margin:{EDGE}pt}}body{{margin:0}}.wide{{overflow:visible}}"
        f"table{{font-size:{paper.size}pt}}th,td{{padding:.15em .6em}}thead{{display:table-header-group}}"
        "tr{break-inside:avoid}tbody th:first-child{position:static}"
    )


def _html_cell(text: str | None) -> str:
    return f'<td class="withheld">{MARK}</td>' if text is None else f"<td>{html.escape(text)}</td>"
