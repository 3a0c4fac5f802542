"""Hierarchies from what offices have: a nested dict, parents beside codes, or columns from coarse to fine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tacita.core import DataError, Hierarchy, ParameterError
from tacita.core.labels import natural_order

Nested = Mapping[str, Any] | Sequence[str] | None


def from_nested(name: str, nested: Nested, total: str = "Total") -> Hierarchy:
    """A dict whose keys are labels and whose values are what stands under them: a dict, a list, or nothing.

    >>> region = from_nested("region", {"north": ["N1", "N2"], "south": None})
    >>> region.labels, region.parents
    (('Total', 'north', 'N1', 'N2', 'south'), (-1, 0, 1, 1, 0))
    """
    labels, parents = [total], [-1]

    def add(below: Nested, parent: int) -> None:
        if below is None:
            return
        if isinstance(below, str):
            raise ParameterError(f"Hierarchy {name}: wanted lists or dicts of labels, got bare text.")
        for label in below:
            labels.append(str(label))
            parents.append(parent)
            add(below[label] if isinstance(below, Mapping) else None, len(labels) - 1)

    add(nested, 0)
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
