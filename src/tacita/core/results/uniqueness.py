"""How many records are unique on the columns that a release shows, and which columns make them so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class Combination:
    """Some columns together: how many records are unique on them, how many stand with fewer than k."""

    columns: tuple[str, ...]
    alone: int
    below_k: int


@dataclass(frozen=True)
class Left:
    """The same figures where it is plain which columns are meant."""

    alone: int
    below_k: int


@dataclass(frozen=True)
class Uniqueness:
    """Unique records in a release of `records` records. Confidential.

    `unchanged`: on the columns that are released as they were; what an attacker may know exactly. `before`
    and `after`: on all released columns, as they stood in the source and as they are published. `enough`
    grows a set of unchanged columns, each time by the one that makes most records unique, until it does
    nearly what all of them do. `by_itself` has the figures of each of them, `without` those if one of them
    were not released. `pairs` and `triples` are the worst of `examined` columns; `alone_in_pairs` counts
    records that are unique on one pair or more.

    Every missing cell counts as one value of its own. Where a column of units is named (`unit`), records
    count as unique that share their values with no other unit, and as below k with fewer than k units;
    but by itself the column of units makes records unique.
    """

    k: int
    records: int
    unchanged: Combination
    before: Combination
    after: Combination
    by_itself: Mapping[str, Left] = field(default_factory=dict)
    enough: tuple[Combination, ...] = ()
    without: Mapping[str, Left] = field(default_factory=dict)
    examined: tuple[str, ...] = ()
    pairs: tuple[Combination, ...] = ()
    triples: tuple[Combination, ...] = ()
    alone_in_pairs: int = 0
    alone_in_triples: int = 0
    unit: str | None = None

    @property
    def mattering(self) -> tuple[str, ...]:
        """The columns that matter most, first the one that makes most records unique."""
        return self.enough[-1].columns if self.enough else ()

    @property
    def headline(self) -> str:
        """The first thing to know, in a sentence.

        >>> nobody = Combination(("sex", "age"), 2, 7)
        >>> Uniqueness(3, 90, nobody, nobody, nobody).headline
        '2 of 90 records are unique on the 2 columns released unchanged, 7 have fewer than 3 like them.'
        """
        on = self.unchanged
        if not on.columns:
            return "No column is released unchanged."
        columns = "the column" if len(on.columns) == 1 else f"the {len(on.columns)} columns"
        if self.unit is not None:
            return (
                f"{on.alone} of {self.records} records belong to the only unit ({self.unit}) with their "
                f"values on {columns} released unchanged, {on.below_k} have fewer than {self.k} units like "
                "them."
            )
        return (
            f"{on.alone} of {self.records} records are unique on {columns} released unchanged, "
            f"{on.below_k} have fewer than {self.k} like them."
        )

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        values = asdict(self)
        return values if self.unit is not None else {key: values[key] for key in values if key != "unit"}
