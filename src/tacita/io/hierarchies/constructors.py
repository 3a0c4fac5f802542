"""Hierarchies from what offices have: a nested dict, parents beside codes, or columns from coarse to fine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from itertools import pairwise
from math import inf
from typing import Any

import numpy as np

from tacita.core import DataError, Hierarchy, ParameterError
from tacita.core.data.hierarchy import refuse_steps
from tacita.core.data.labels import interval_label, natural_order

from .arx import from_rows

Nested = Mapping[str, Any] | Sequence[str] | None


def from_nested(name: str, nested: Nested, total: str = "Total") -> Hierarchy:
    """A dict whose keys are labels and whose values are what stands under them: a dict, a list, or nothing.

    >>> region = from_nested("region", {"north": ["N1", "N2"], "south": None})
    >>> region.labels, region.parents
    (('Total', 'north', 'N1', 'N2', 'south'), (-1, 0, 1, 1, 0))
    """
    labels, parents = [total], [-1]

    def add(below: Nested, parent: int, depth: int) -> None:
        if below is None:
            return
        if isinstance(below, str):
            raise ParameterError(f"Hierarchy {name}: wanted lists or dicts of labels, got bare text.")
        refuse_steps(name, depth)
        for label in below:
            labels.append(str(label))
            parents.append(parent)
            add(below[label] if isinstance(below, Mapping) else None, len(labels) - 1, depth + 1)

    add(nested, 0, 1)
    return Hierarchy(name, tuple(labels), tuple(parents))


def from_parents(
    name: str, labels: Sequence[str], parents: Sequence[str | None], total: str = "Total"
) -> Hierarchy:
    """A column of labels and one of their parents; without a parent, a label stands under the total.

    >>> from_parents("region", ["N1", "N2", "north", "south"], ["north", "north", None, None]).parents
    (-1, 3, 3, 0, 0)
    """
    if len(labels) != len(parents):
        raise DataError(
            f"Hierarchy {name}: wanted one parent per label, got {len(parents)} for {len(labels)}."
        )
    own = [str(label) for label in labels if str(label) != total]
    above = [
        None if parent is None or parent != parent or str(parent) in ("", total) else str(parent)
        for label, parent in zip(labels, parents, strict=True)
        if str(label) != total
    ]
    place = {label: at + 1 for at, label in enumerate(own)}
    if unknown := sum(parent is not None and parent not in place for parent in above):
        raise DataError(f"Hierarchy {name}: {unknown} parents are no labels themselves. Add a row for each.")
    return Hierarchy(name, (total, *own), (-1, *(0 if parent is None else place[parent] for parent in above)))


def from_levels(name: str, columns: Sequence[Sequence[str]], total: str = "Total") -> Hierarchy:
    """Columns of records from coarse to fine, such as province and municipality.

    >>> from_levels("region", [["north", "north", "south"], ["N1", "N2", "S1"]]).labels
    ('Total', 'north', 'N1', 'N2', 'south', 'S1')
    """
    tree: dict[str, Any] = {}
    above: dict[str, str | None] = {}
    torn = set()
    spoken = [[str(label) for label in column] for column in columns]
    places = [{label: at for at, label in enumerate(natural_order(column))} for column in spoken]
    paths = set(zip(*spoken, strict=True))
    for path in sorted(paths, key=lambda path: [at[label] for at, label in zip(places, path, strict=True)]):
        node, parent = tree, None
        for label in path:
            if above.setdefault(label, parent) != parent:
                torn.add(label)
            node, parent = node.setdefault(label, {}), label
    if torn:
        raise DataError(
            f"Hierarchy {name}: {len(torn)} labels stand under several others. Make the finer labels unique."
        )
    return from_nested(name, tree, total)


def from_prefixes(
    name: str, codes: Sequence[str], lengths: Sequence[int] | None = None, mark: str = "*"
) -> Hierarchy:
    """Codes whose first characters name what they belong to; the rest is marked, the top is all marks.

    `lengths` are the characters that stay on each level above the codes; if not given, one less each time.
    Shorter codes are read as if blanks followed them.

    >>> from_prefixes("postcode", ["4000", "4050", "1000"], [2]).relabelled(1)
    {'1000': '10**', '4000': '40**', '4050': '40**'}
    """
    known = natural_order({str(code) for code in codes})
    if not known:
        raise DataError(f"Hierarchy {name}: wanted codes, got none.")
    width = max(map(len, known))
    kept = list(range(width - 1, 0, -1)) if lengths is None else sorted(lengths, reverse=True)
    if any(not 0 < length < width for length in kept) or len(set(kept)) != len(kept):
        raise ParameterError(
            f"Hierarchy {name}: lengths must be different, between 1 and {width - 1} characters."
        )
    rows = [
        [code, *(code.ljust(width)[:length] + mark * (width - length) for length in kept), mark * width]
        for code in known
    ]
    return from_rows(name, rows)


def from_intervals(
    name: str,
    values: Sequence[float],
    widths: Sequence[float] = (),
    *,
    start: float = 0.0,
    bottom: float | None = None,
    top: float | None = None,
    texts: Sequence[str] | None = None,
) -> Hierarchy:
    """Numbers in intervals of growing width, each a multiple of the last; level 0 are the numbers themselves.

    Below `bottom` and from `top` on there is one interval each, on every level above the numbers. `texts` are
    the numbers as a file spells them, such as 3.50; if not given, as short as they can be.

    >>> age = from_intervals("age", [17, 23, 41, 88], [5, 10, 20], top=65)
    >>> age.relabelled(1)
    {'17': '15-19', '23': '20-24', '41': '40-44', '88': '65 or more'}
    >>> age.relabelled(3)
    {'17': '0-19', '23': '20-39', '41': '40-59', '88': '65 or more'}
    """
    numbers = np.asarray(values, dtype=np.float64)
    if texts is None:
        numbers = np.unique(numbers)
        texts = [f"{number:.15g}" for number in numbers]
    order = np.argsort(numbers, kind="stable")
    numbers, texts = numbers[order], [texts[place] for place in order.tolist()]
    if numbers.size == 0 or not np.isfinite(numbers).all():
        raise DataError(f"Hierarchy {name}: wanted finite numbers, got none or others.")
    if any(width <= 0 for width in widths):
        raise ParameterError(f"Hierarchy {name}: every width must be more than nothing.")
    for finer, coarser in pairwise(widths):
        if coarser <= finer or not float(coarser / finer).is_integer():
            raise ParameterError(
                f"Hierarchy {name}: every width must be a multiple of the one before, got others."
            )
    edges = [start, *widths, *(edge for edge in (bottom, top) if edge is not None)]
    whole = all(float(edge).is_integer() for edge in edges) and bool((numbers == np.rint(numbers)).all())
    columns = [texts]
    for width in widths:
        low = np.floor((numbers - start) / width) * width + start
        high = low + width
        if bottom is not None:
            below = numbers < bottom
            low, high = np.where(below, -inf, np.maximum(low, bottom)), np.where(below, bottom, high)
        if top is not None:
            beyond = numbers >= top
            low, high = np.where(beyond, top, low), np.where(beyond, inf, np.minimum(high, top))
        columns.append([interval_label(a, b, whole) for a, b in np.column_stack([low, high]).tolist()])
    columns.append(["*"] * numbers.size)
    return from_rows(name, list(zip(*columns, strict=True)))


_PERIODS: dict[str, Callable[[date], str]] = {
    "month": lambda day: f"{day.year:04}-{day.month:02}",
    "quarter": lambda day: f"{day.year:04}-Q{(day.month + 2) // 3}",
    "year": lambda day: f"{day.year:04}",
    "decade": lambda day: f"{day.year // 10 * 10}s",
}


def from_dates(
    name: str, values: Sequence[str], levels: Sequence[str] = ("month", "quarter", "year", "decade")
) -> Hierarchy:
    """Dates such as 2024-05-17 in months, quarters, years and decades.

    >>> from_dates("born", ["1984-05-17", "1991-12-02"], ["year", "decade"]).relabelled(2)
    {'1984-05-17': '1980s', '1991-12-02': '1990s'}
    """
    known = sorted({str(value) for value in values})
    order = [*_PERIODS]
    if unknown := [level for level in levels if level not in order]:
        raise ParameterError(
            f"Hierarchy {name}: there is no period {', '.join(unknown)}. Known: {', '.join(order)}."
        )
    if [order.index(level) for level in levels] != sorted({order.index(level) for level in levels}):
        raise ParameterError(f"Hierarchy {name}: periods must stand from short to long, each once.")
    days: list[date] = []
    wrong = 0
    for text in known:
        try:
            days.append(date.fromisoformat(text[:10]))
        except ValueError:
            wrong += 1
    if wrong or not days:
        raise DataError(
            f"Hierarchy {name}: {wrong} of {len(known)} values are no dates such as 2024-05-17. Correct them."
        )
    rows = [
        [text, *(_PERIODS[level](day) for level in levels), "*"]
        for text, day in zip(known, days, strict=True)
    ]
    return from_rows(name, rows)
