"""Which columns of records make a table, and the labels that records were found to have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from tacita.core import DataError, Hierarchy
from tacita.core.arrays import Extent
from tacita.core.data.labels import natural_order
from tacita.tables.plans.dimensions import Division

# Cells of a table, with its sums. Each takes some 300 bytes.
MOST_CELLS = 10**8
# The labels of a column, each with its labels in the column of parents; None for none.
Labels = Mapping[str, frozenset[str | None]]


@dataclass(frozen=True)
class TableRequest:
    """The dimensions of a table, the column to sum, and the columns about contributors."""

    division: Division
    value: str | None = None
    weight: str | None = None
    unit: str | None = None
    request: str | None = None
    waiver: str | None = None
    key: str | None = None
    depth: int = 3

    @property
    def behind(self) -> tuple[str | None, ...]:
        """The columns other than the dimensions: value, weight, unit, request, waiver and key."""
        return (self.value, self.weight, self.unit, self.request, self.waiver, self.key)

    @property
    def columns(self) -> list[str]:
        """All columns that are read, each once."""
        spanning = (*self.division.names, *self.division.parents.values())
        return list(dict.fromkeys([*spanning, *(name for name in self.behind if name is not None)]))

    def dimensions(self, looked: Looked, source: str) -> list[Hierarchy]:
        """The dimensions of all labels that were found; a label that is in none of them is refused."""
        made = [
            _dimension(self.division, name, labels, source)
            for name, labels in zip(self.division.names, looked.labels, strict=True)
        ]
        if (cells := prod(len(dimension) for dimension in made)) > MOST_CELLS:
            raise DataError(
                f"{source}: {len(made)} dimensions with all their labels span {cells} cells; a table has at "
                f"most {MOST_CELLS}. Leave out a dimension, or recode one into fewer labels."
            )
        return made


# The classes of a stored request.
REQUEST_KINDS = (TableRequest, Division, Hierarchy)


@dataclass(frozen=True, eq=False)
class Looked:
    """What was found in some records: their labels, and how many cannot be summed, and why.

    By the name of a column: `unlabelled` records, those `lacking` a number (of at least 0 for a weight), how
    far numbers go, and words of marks that are `odd`. `unnamed` are those without a unit, `keyless` those
    without a key.
    """

    records: int
    labels: tuple[Labels, ...]
    unlabelled: Mapping[str, int]
    extents: Mapping[str, Extent]
    lacking: Mapping[str, int]
    unnamed: int
    odd: Mapping[str, int]
    keyless: int

    def __add__(self, other: Looked) -> Looked:
        """In both."""
        return Looked(
            records=self.records + other.records,
            labels=tuple(_united(own, theirs) for own, theirs in zip(self.labels, other.labels, strict=True)),
            unlabelled=_added(self.unlabelled, other.unlabelled),
            extents={name: extent + other.extents[name] for name, extent in self.extents.items()},
            lacking=_added(self.lacking, other.lacking),
            unnamed=self.unnamed + other.unnamed,
            odd=_added(self.odd, other.odd),
            keyless=self.keyless + other.keyless,
        )

    def check(self, spec: TableRequest, source: str) -> None:
        """Check that all records can be summed; DataError with the number of those that cannot, no value."""
        for name, missing in self.unlabelled.items():
            if missing:
                raise DataError(
                    f"{source}: column {name} has no label in {missing} records. Give them one, such as "
                    "unknown."
                )
        if self.unnamed:
            raise DataError(
                f"{source}: column {spec.unit} names no unit in {self.unnamed} records. Name one in each."
            )
        for name, extent in self.extents.items():
            extent.refuse(f"{source}: column {name}")
        for name, bad in self.lacking.items():
            if bad:
                wanted = "a number of at least 0" if name == spec.weight else "a number"
                raise DataError(f"{source}: column {name} wants {wanted} in every record, {bad} have none.")
        for name, odd in self.odd.items():
            if odd:
                raise DataError(
                    f"{source}: column {name} marks records by 1 or 0 (or yes, true, no, false), {odd} "
                    "records have another word. Recode it."
                )
        if self.keyless:
            raise DataError(
                f"{source}: column {spec.key} wants a key from 0 up to, but not including, 1 in every "
                f"record, {self.keyless} have none. Draw one for each record once, and keep them."
            )


def check_distinct_keys(spec: TableRequest, source: str, different: int, records: int) -> None:
    """Check that there are about as many different keys as records; DataError if not."""
    if records > 1 and different < max(2, records // 2):
        raise DataError(
            f"{source}: column {spec.key} has {different} different keys for {records} records. Records "
            "that share a key share its noise: draw one for each record."
        )


def _united(one: Labels, other: Labels) -> Labels:
    nothing = frozenset[str | None]()
    return {label: one.get(label, nothing) | other.get(label, nothing) for label in {**one, **other}}


def _added(one: Mapping[str, int], other: Mapping[str, int]) -> Mapping[str, int]:
    return {name: count + other[name] for name, count in one.items()}


def _dimension(division: Division, name: str, labels: Labels, source: str) -> Hierarchy:
    ordered = natural_order(labels)

    def parents(column: str) -> list[str]:
        if several := sum(len(above) > 1 for above in labels.values()):
            raise DataError(f"{source}: {several} labels of {name} have several labels above ({column}).")
        return [next(iter(labels[label])) or "" for label in ordered]

    dimension = division.of(name, ordered, parents) or Hierarchy.flat(name, ordered, division.total_of(name))
    leaves = {dimension.labels[leaf] for leaf in dimension.leaves}
    if not leaves >= set(labels):
        raise DataError(f"{source}: column {name} has {_unmatched(dimension, list(labels))}")
    return dimension


def _unmatched(dimension: Hierarchy, texts: Sequence[str]) -> str:
    """How many labels of records are no leaves; of these and of the rest, only what the hierarchy says."""
    leaves = [dimension.labels[leaf] for leaf in dimension.leaves]
    known = set(texts)
    stray = known - set(leaves)
    parts = [f"{len(stray)} labels that are no leaves of its hierarchy."]
    if groups := [label for label in dimension.labels if label in stray]:
        parts.append(f"Groups of it, where a leaf under them is wanted: {_some(groups)}.")
    if len(groups) < len(stray) and (unused := [label for label in leaves if label not in known]):
        parts.append(f"Leaves that no record has: {_some(unused)}. Are they spelled in another way?")
    return " ".join([*parts, "Add the labels to the hierarchy, or recode the records."])


def _some(labels: Sequence[str], most: int = 10) -> str:
    shown = ", ".join(label if label.isprintable() else repr(label) for label in labels[:most])
    return shown if len(labels) <= most else f"{shown} and {len(labels) - most} more"
