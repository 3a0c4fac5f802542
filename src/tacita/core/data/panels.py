"""Panels of a table: rows and columns in hierarchy order, one panel per combination of other labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from tacita.core.arrays import Ints

from .hierarchy import Hierarchy


@dataclass(frozen=True)
class Label:
    """A label, how deep its hierarchy has it, and what it is part of; flat dimensions have no depth."""

    text: str
    depth: int = 0
    within: str = ""


@dataclass(frozen=True)
class Panel:
    """Rows and columns of a table, or of a part of it that `caption` names; cells are numbered.

    `corner` stands above the labels of rows.
    """

    caption: str
    corner: list[str]
    across: list[Label]
    rows: list[tuple[list[Label], list[int]]]


def reading_order(dimensions: Sequence[Hierarchy], codes: Ints) -> list[int]:
    """Cells by label; what sums up the labels of a hierarchy before them. O(n log n)."""
    ranks = [np.argsort(_order(dimension))[codes[:, at]] for at, dimension in enumerate(dimensions)]
    order: list[int] = np.lexsort(ranks[::-1]).tolist()
    return order


def panels_of(dimensions: Sequence[Hierarchy], codes: Ints, response: str) -> list[Panel]:
    """Rows and columns of the last two dimensions, for every combination of labels of those before.

    What is no full cross of two dimensions or more is one list. O(n log n).

    >>> region = Hierarchy("region", ("PT", "North", "Porto", "South"), (-1, 0, 1, 0))
    >>> size = Hierarchy.flat("size", ["small", "large"])
    >>> codes = np.stack(np.unravel_index(np.arange(12), (4, 3)), axis=1)
    >>> [panel] = panels_of([region, size], codes, "turnover")
    >>> [("  " * label.depth + label.text, cells) for [label], cells in panel.rows][2]
    ('    Porto', [6, 7, 8])
    """
    order = reading_order(dimensions, codes)
    if len(dimensions) < 2 or len(codes) != np.prod([len(dimension) for dimension in dimensions]):
        return [_list(dimensions, codes.tolist(), order, response)]
    *still, down, across = dimensions
    rows, columns = _labels(down), _labels(across)
    cells = np.array(order).reshape(-1, len(down), len(across)).tolist()
    panels = []
    for combination, part in zip(product(*map(_labels, still)), cells, strict=True):
        named = zip((dimension.name for dimension in still), combination, strict=True)
        caption = ", ".join(f"{name}: {_caption_label(label)}" for name, label in named)
        lines = [([label], line) for label, line in zip(rows, part, strict=True)]
        panels.append(Panel(caption, [f"{down.name} / {across.name}"], columns, lines))
    return panels


def _caption_label(label: Label) -> str:
    """A label in a caption, with its parent unless that is the total."""
    return f"{label.text} (part of {label.within})" if label.depth > 1 else label.text


def _list(dimensions: Sequence[Hierarchy], codes: list[list[int]], order: list[int], response: str) -> Panel:
    known = [
        dict(zip(_order(dimension).tolist(), _labels(dimension), strict=True)) for dimension in dimensions
    ]
    rows = [([names[code] for names, code in zip(known, codes[cell], strict=True)], [cell]) for cell in order]
    return Panel("", [dimension.name for dimension in dimensions], [Label(response)], rows)


def _order(dimension: Hierarchy) -> Ints:
    # a flat dimension keeps its order, usually with the total last
    return np.arange(len(dimension)) if dimension.is_flat else dimension.top_down


def _labels(dimension: Hierarchy) -> list[Label]:
    if dimension.is_flat:
        return [Label(text) for text in dimension.labels]
    above = [dimension.labels[parent] if parent >= 0 else "" for parent in dimension.parents]
    return [
        Label(dimension.labels[node], int(dimension.depths[node]), above[node])
        for node in dimension.top_down.tolist()
    ]
