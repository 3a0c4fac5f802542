"""Build hierarchies from nested dicts, codes with parents, columns, code prefixes, numbers and dates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from itertools import pairwise
from math import inf
from typing import Any

import numpy as np

from tacita.core import DataError, Hierarchy, ParameterError
from tacita.core.data.hierarchy import check_step_count
from tacita.core.data.labels import interval_label, natural_order

from .arx import from_rows

Nested = Mapping[str, Any] | Sequence[str] | None


def from_nested(name: str, nested: Nested, total: str = "Total") -> Hierarchy:
    """A hierarchy from a dict of labels, whose values are their children: a dict, a list or None.

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
        check_step_count(name, depth)
        for label in below:
            labels.append(str(label))
            parents.append(parent)
            add(below[label] if isinstance(below, Mapping) else None, len(labels) - 1, depth + 1)

    add(nested, 0, 1)
    return Hierarchy(name, tuple(labels), tuple(parents))


def from_parents(
    name: str, labels: Sequence[str], parents: Sequence[str | None], total: str = "Total"
) -> Hierarchy:
    """A hierarchy from labels and their parents; labels without a parent are under the total.

    >>> from_parents("region", ["N1", "N2", "north", "south"], ["north", "north", None, None]).parents
    (-1, 3, 3, 0, 0)
    """
    if len(labels) != len(parents):
        raise DataError(
            f"Hierarchy {name}: wanted one parent per label, got {len(parents)} for {len(labels)}."
        )
    categories = [str(label) for label in labels if str(label) != total]
    above = [
        None if parent is None or parent != parent or str(parent) in ("", total) else str(parent)
        for label, parent in zip(labels, parents, strict=True)
        if str(label) != total
    ]
    index = {label: at + 1 for at, label in enumerate(categories)}
    if unknown := sum(parent is not None and parent not in index for parent in above):
        raise DataError(f"Hierarchy {name}: {unknown} parents are not among the labels. Add a row for each.")
    return Hierarchy(
        name, (total, *categories), (-1, *(0 if parent is None else index[parent] for parent in above))
    )


def from_levels(name: str, columns: Sequence[Sequence[str]], total: str = "Total") -> Hierarchy:
    """A hierarchy from columns of records, coarse to fine, such as province and municipality.

    >>> from_levels("region", [["north", "north", "south"], ["N1", "N2", "S1"]]).labels
    ('Total', 'north', 'N1', 'N2', 'south', 'S1')
    """
    tree: dict[str, Any] = {}
    above: dict[str, str | None] = {}
    conflicting = set()
    texts = [[str(label) for label in column] for column in columns]
    places = [{label: at for at, label in enumerate(natural_order(column))} for column in texts]
    paths = set(zip(*texts, strict=True))
    for path in sorted(paths, key=lambda path: [at[label] for at, label in zip(places, path, strict=True)]):
        node, parent = tree, None
        for label in path:
            if above.setdefault(label, parent) != parent:
                conflicting.add(label)
            node, parent = node.setdefault(label, {}), label
    if conflicting:
        raise DataError(
            f"Hierarchy {name}: {len(conflicting)} labels have several parents. Make the finer labels unique."
        )
    return from_nested(name, tree, total)


def from_prefixes(
    name: str, codes: Sequence[str], lengths: Sequence[int] | None = None, mark: str = "*"
) -> Hierarchy:
    """A hierarchy of code prefixes; the other characters are marked, and the top is all marks.

    `lengths` are the characters kept on each level above the codes; by default one less per level. Shorter
    codes are padded with blanks.

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
    """Numbers in intervals of growing width, each a multiple of the previous; level 0 has the numbers.

    Below `bottom` and from `top` on there is one open interval each, on every level above the numbers.
    `texts` are the numbers as the file spells them, such as 3.50; by default the shortest spelling.

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
    numbers, texts = numbers[order], [texts[index] for index in order.tolist()]
    if numbers.size == 0 or not np.isfinite(numbers).all():
        raise DataError(f"Hierarchy {name}: wanted finite numbers, got none, or some that are not finite.")
    if any(width <= 0 for width in widths):
        raise ParameterError(f"Hierarchy {name}: every width must be greater than 0.")
    for finer, coarser in pairwise(widths):
        if coarser <= finer or not float(coarser / finer).is_integer():
            raise ParameterError(f"Hierarchy {name}: every width must be a multiple of the one before.")
    edges = [start, *widths, *(edge for edge in (bottom, top) if edge is not None)]
    is_integer = all(float(edge).is_integer() for edge in edges) and bool((numbers == np.rint(numbers)).all())
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
        columns.append([interval_label(a, b, is_integer) for a, b in np.column_stack([low, high]).tolist()])
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
    """A hierarchy of dates such as 2024-05-17 in months, quarters, years and decades.

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
        raise ParameterError(f"Hierarchy {name}: periods must go from short to long, each once.")
    days: list[date] = []
    wrong = 0
    for text in known:
        try:
            days.append(date.fromisoformat(text[:10]))
        except ValueError:
            wrong += 1
    if wrong or not days:
        raise DataError(
            f"Hierarchy {name}: {wrong} of {len(known)} values are not dates such as 2024-05-17. Correct "
            "them."
        )
    rows = [
        [text, *(_PERIODS[level](day) for level in levels), "*"]
        for text, day in zip(known, days, strict=True)
    ]
    return from_rows(name, rows)
