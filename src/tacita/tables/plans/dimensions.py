"""The division of the labels of a column: by a hierarchy, first characters, parents, or none."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tacita.core import DataError, Hierarchy, ParameterError
from tacita.core.data.labels import natural_order
from tacita.io.hierarchies import as_hierarchy, from_parents
from tacita.io.hierarchies.arx import TOP
from tacita.io.hierarchies.hrc import from_digits

TOTAL = "Total"


@dataclass(frozen=True)
class Division:
    """How the labels of each dimension are divided; those of other dimensions are under one total.

    `hierarchy` has a Hierarchy, nested labels or the path of a file for a dimension, `prefixes` how many
    first characters name what a code is part of, `parents` the column that has the label above each. `total`
    is the label of the sum of all, of every dimension or by name.

    >>> division = Division(["nace"], prefixes={"nace": [1]}, total="all")
    >>> division.of("nace", ["A1", "A2", "B1"], lambda column: []).labels
    ('all', 'A', 'A1', 'A2', 'B', 'B1')
    """

    names: Sequence[str]
    hierarchy: Mapping[str, Any] = field(default_factory=dict)
    prefixes: Mapping[str, Sequence[int]] = field(default_factory=dict)
    parents: Mapping[str, str] = field(default_factory=dict)
    total: str | Mapping[str, str] = TOTAL

    @classmethod
    def named(cls, dimensions: Sequence[str] | Mapping[str, Any], **more: Any) -> Division:
        """Of columns by name, or with the hierarchy of each, None where it has none."""
        hierarchies = dimensions if isinstance(dimensions, Mapping) else dict.fromkeys(dimensions)
        own = {name: hierarchy for name, hierarchy in hierarchies.items() if hierarchy is not None}
        return cls([*hierarchies], own, **more)

    def __post_init__(self) -> None:
        options = {key: getattr(self, key) for key in ("hierarchy", "prefixes", "parents")}
        if not isinstance(self.total, str):
            options["total"] = self.total
        for key, by_name in options.items():
            if stray := [name for name in by_name if name not in self.names]:
                raise ParameterError(
                    f"Table: {key} is of dimensions, as COLUMN={_SPOKEN[key]}; {', '.join(stray)} is none. "
                    f"Dimensions: {', '.join(self.names) or 'none'}."
                )
        for name in self.names:
            if (
                len(twice := [key for key in ("hierarchy", "prefixes", "parents") if name in options[key]])
                > 1
            ):
                raise ParameterError(f"Table: {' and '.join(twice)} both divide {name}. Choose one.")

    @property
    def files(self) -> dict[str, Path]:
        """The files among the hierarchies, by the words a message uses."""
        named = {
            name: hierarchy for name, hierarchy in self.hierarchy.items() if isinstance(hierarchy, str | Path)
        }
        return {f"hierarchy of {name}": Path(path) for name, path in named.items()}

    def total_of(self, name: str) -> str:
        """What the sum of all labels of a dimension is called."""
        return self.total if isinstance(self.total, str) else self.total.get(name, TOTAL)

    def of(
        self, name: str, labels: Sequence[str], column: Callable[[str], Sequence[str]]
    ) -> Hierarchy | None:
        """The hierarchy of a dimension; None where nothing divides it.

        `labels` are those that the data have, and `column` gives another column in the same order.
        """
        total = self.total_of(name)
        if name in self.prefixes:
            return _by_prefixes(
                name, [label for label in labels if label != total], self.prefixes[name], total
            )
        if name in self.parents:
            return _by_parents(name, labels, column(self.parents[name]), total)
        source = self.hierarchy.get(name)
        if source is None:
            return None
        hierarchy = as_hierarchy(name, source, total)
        if hierarchy.labels[hierarchy.top] != TOP:
            return hierarchy
        # the label of ARX for a suppressed value
        renamed = tuple(
            total if place == hierarchy.top else label for place, label in enumerate(hierarchy.labels)
        )
        return replace(hierarchy, labels=renamed)


_SPOKEN = {"hierarchy": "FILE.hrc", "prefixes": "1:3", "parents": "OTHER COLUMN", "total": "LABEL"}


def _by_prefixes(name: str, labels: Sequence[str], lengths: Sequence[int], total: str) -> Hierarchy:
    longest = max(map(len, labels), default=0)
    kept = sorted(set(lengths))
    if not kept or kept[0] < 1 or kept[-1] >= longest:
        raise ParameterError(
            f"Table: prefixes of {name} must be numbers of first characters, 1 to {max(longest - 1, 1)}: its "
            f"longest code has {longest}."
        )
    codes = [label for label in labels if len(label) == longest]
    made = from_digits(
        name, codes, [end - start for start, end in zip([0, *kept], [*kept, longest], strict=True)], total
    )
    known = set(made.labels)
    if stray := sum(label not in known for label in set(labels)):
        raise DataError(
            f"Table: {stray} labels of {name} are neither codes of {longest} characters nor the first "
            f"{', '.join(map(str, kept))} of one. Lengthen them, or give a hierarchy."
        )
    return made


def _by_parents(name: str, labels: Sequence[str], above: Sequence[str], total: str) -> Hierarchy:
    """Labels with the one above each; where a single label has none, it is the total itself."""
    parent = dict[str, str]()
    torn = {
        label for label, over in zip(labels, above, strict=True) if parent.setdefault(label, over) != over
    }
    if torn:
        raise DataError(
            f"Table: {len(torn)} labels of {name} stand under several others. A label has one place."
        )
    groups = natural_order(
        {over for over in parent.values() if over and over not in parent and over != total}
    )
    tops = [label for label, over in parent.items() if not over]
    if not groups and len(tops) == 1 and tops[0] in parent.values():
        total = tops[0]
    return from_parents(name, [*parent, *groups], [*parent.values(), *("" for _ in groups)], total)
