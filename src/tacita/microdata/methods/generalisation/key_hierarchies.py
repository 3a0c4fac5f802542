"""What each key may become: its hierarchy as places, with missing values as one more leaf."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from tacita.core import DataError, Floats, Hierarchy, Ints, Matrix

TOP = "*"

# Of each column of a table of persons: the code of each row, and the texts of the codes.
Columns = Mapping[str, tuple[Ints, Sequence[str]]]


@dataclass(frozen=True, repr=False)
class Ladder:
    """A key, and the places that its values may be shown as.

    `labels` has the text of each place, None for what is missing; `parents` the place above, -1 for the top;
    `levels` the place of each leaf (a column) at each level (a row). A missing value stays missing until
    the last level, at which all show the top.
    """

    name: str
    labels: tuple[str | None, ...]
    parents: Ints
    levels: Ints

    @classmethod
    def of(cls, hierarchy: Hierarchy, missing: bool) -> Ladder:
        """Of a hierarchy, with one more leaf where values are missing. O(labels + height leaves)."""
        levels, parents = hierarchy.levels, np.array(hierarchy.parents, dtype=np.int64)
        if not missing:
            return cls(hierarchy.name, hierarchy.labels, parents, levels)
        gap = np.full((levels.shape[0], 1), len(hierarchy), dtype=np.int64)
        if levels.shape[0] > 1:
            gap[-1] = hierarchy.top
        return cls(
            hierarchy.name,
            (*hierarchy.labels, None),
            np.append(parents, hierarchy.top),
            np.hstack([levels, gap]),
        )

    @property
    def height(self) -> int:
        """The last level."""
        return int(self.levels.shape[0] - 1)

    @property
    def leaves(self) -> int:
        """How many values there may be, a missing one included."""
        return int(self.levels.shape[1])

    @cached_property
    def shares(self) -> Floats:
        """The share of all leaves at or under each place."""
        covered = np.zeros(len(self.labels))
        for place in self.levels[0].tolist():
            while place >= 0:
                covered[place] += 1
                place = int(self.parents[place])
        return covered / self.leaves


@dataclass(frozen=True, repr=False)
class Population:
    """Different persons as leaves of ladders, with how many are alike.

    `leaves[j, i]` is that of person i in key j; one place beyond the last leaf is for values that no record
    of the file can have. `strata` are those of the file, one beyond them is another.
    """

    leaves: Ints
    strata: Ints
    counts: Ints

    @classmethod
    def of(cls, ladders: Sequence[Ladder], columns: Columns, strata: Ints, who: str) -> Population:
        """Of the columns of a table. Raises where a value has no place in a hierarchy, with counts."""
        leaves = [_leaves_of(ladder, *columns[ladder.name], who) for ladder in ladders]
        rows, counts = np.unique(np.vstack([*leaves, strata]), axis=1, return_counts=True)
        return cls(rows[:-1], rows[-1], counts.astype(np.int64))

    def strangers(self, leaves: Ints, strata: Ints) -> int:
        """Records that no person of the population is left for. O(n log n)."""
        own = np.vstack([leaves, strata])
        both = np.hstack([np.vstack([self.leaves, self.strata]), own])
        of = np.unique(both, axis=1, return_inverse=True)[1].reshape(-1)
        left = np.bincount(of[self.counts.size :], minlength=int(of.max()) + 1)
        left[of[: self.counts.size]] -= self.counts
        return int(np.maximum(left, 0).sum())


def _leaves_of(ladder: Ladder, codes: Ints, texts: Sequence[str], who: str) -> Ints:
    labels = [ladder.labels[place] for place in ladder.levels[0].tolist()]
    place = {"" if label is None else label: leaf for leaf, label in enumerate(labels)}
    beyond = ladder.leaves
    known = np.array([place.get(text, beyond) for text in texts], dtype=np.int64)
    flat = ladder.height == 1
    unknown = [text != "" and text not in place for text in texts]
    if any(unknown) and not flat:
        raise DataError(
            f"{who}: {sum(unknown)} of {len(texts)} values of column {ladder.name} of the population are not "
            "in its hierarchy. Add them. Spaces and capitals count."
        )
    return known[codes]


@dataclass(frozen=True, repr=False)
class Keys:
    """Records as leaves of ladders: `leaves[j, i]` is that of record i in key j.

    Records of different `strata` never share a class; `units` tell whose a record is, if that is known:
    shares are of units then, each spread evenly over its records.
    `confidential` has codes from 0 of columns that models speak of, `frequencies` the shares of their values
    in the input, of which these records may be a part, `orders` the places of their values from
    low to high where they have an order, and `trees` the hierarchies of their values where they have one.
    `weighing` has the persons that each record stands for, by column of weights, and `populations` those of
    whom the records are a part, by file.
    """

    ladders: tuple[Ladder, ...]
    leaves: Ints
    strata: Ints
    units: Ints | None = None
    confidential: Mapping[str, Ints] | None = None
    orders: Mapping[str, Ints] | None = None
    trees: Mapping[str, Ints] | None = None
    frequencies: Mapping[str, Floats] | None = None
    weighing: Mapping[str, Floats] | None = None
    populations: Mapping[Path, Population] | None = None

    @property
    def input_shares(self) -> Mapping[str, Floats]:
        """The share of each value of each confidential column in the input."""
        if self.frequencies is not None:
            return self.frequencies
        confidential = self.confidential or {}
        if self.units is None:
            return {name: np.bincount(codes) / codes.size for name, codes in confidential.items()}
        # every unit counts once, spread over its records
        of = np.unique(self.units, return_inverse=True)[1].reshape(-1)
        own = np.bincount(of)
        parts = (1 / own)[of]
        return {name: np.bincount(codes, parts) / own.size for name, codes in confidential.items()}

    @property
    def people(self) -> int:
        """How many units the records are of; without units each is one."""
        return self.n if self.units is None else int(np.unique(self.units).size)

    @cached_property
    def parted(self) -> bool:
        """Whether no two classes ever share a unit: none are known, or all records of one have its keys."""
        if self.units is None:
            return True
        rows = np.unique(np.vstack([self.units, self.strata, self.leaves]), axis=1)
        return bool(rows.shape[1] == self.people)

    @property
    def n(self) -> int:
        """Number of records."""
        return int(self.leaves.shape[1])

    def taken(self, rows: Ints) -> Keys:
        """Some of the records."""
        return replace(
            self,
            leaves=self.leaves[:, rows],
            strata=self.strata[rows],
            units=None if self.units is None else self.units[rows],
            confidential={name: codes[rows] for name, codes in (self.confidential or {}).items()},
            frequencies=self.input_shares,
            weighing={name: own[rows] for name, own in (self.weighing or {}).items()},
        )


def ladders_of(
    names: Sequence[str],
    texts: Mapping[str, Sequence[str]],
    codes: Matrix,
    hierarchies: Mapping[str, Hierarchy],
    who: str,
) -> tuple[tuple[Ladder, ...], Ints]:
    """The ladder of each key and the leaf of each record; a key without hierarchy is shown or not.

    codes: (n, keys), NaN where missing. Raises where a value has no place in its hierarchy, with counts.
    """
    ladders, leaves = [], np.empty(codes.shape[::-1], dtype=np.int64)
    for j, name in enumerate(names):
        gaps = np.isnan(codes[:, j])
        hierarchy = hierarchies.get(name) or _flat(name, texts[name], who)
        ladders.append(Ladder.of(hierarchy, bool(gaps.any())))
        place = {hierarchy.labels[leaf]: at for at, leaf in enumerate(hierarchy.leaves.tolist())}
        known = np.array([place.get(text, -1) for text in texts[name]] or [0], dtype=np.int64)
        own = known[np.where(gaps, 0, codes[:, j]).astype(np.int64)]
        if unknown := int((own[~gaps] < 0).sum()):
            raise DataError(
                f"{who}: {int((known < 0).sum())} of {len(texts[name])} values of column {name} ({unknown} "
                "records) are not in its hierarchy. Add them, or recode them first. Spaces and capitals "
                "count."
            )
        leaves[j] = np.where(gaps, hierarchy.leaves.size, own)
    return tuple(ladders), leaves


def _flat(name: str, labels: Sequence[str], who: str) -> Hierarchy:
    if not all(labels):
        raise DataError(
            f"{who}: column {name} has an empty text among its values, which reads as missing. Recode it, or "
            "leave these cells without a value."
        )
    if TOP in labels:
        raise DataError(
            f"{who}: column {name} has the value {TOP}, which stands for any value. Recode it, or give the "
            "column a hierarchy."
        )
    return Hierarchy.flat(name, list(labels) or ["-"], TOP)
