"""Some of the records of a table, or all: what they have, and what they add up to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from tacita.core import CellKeys, Contributors, Hierarchy, Microdata
from tacita.core.arrays import Extent, Floats, Ints, Mask
from tacita.core.data.cell_keys import KeySums
from tacita.core.data.microdata import column_codes

from .contributor_aggregates import Figures, Sums, levels
from .ranking import Contributions
from .table_request import Asked, Labels, Looked

# What marks who asked for protection, or renounced it.
_YES = ("1", "1.0", "true", "yes", "y", "x")
_NO = ("", "0", "0.0", "false", "no", "n", "none", "nan")


@dataclass(frozen=True, eq=False)
class Summed:
    """What records add up to: sums of the leaves, figures of contributors, and names that fell together.

    Where every record is `alone`, figures are of leaves as well; otherwise of all cells, since what a holding
    contributes to a sum is not known from what it contributes to the parts.
    """

    sums: Sums
    figures: Figures
    alone: bool
    respelled: int = 0

    @staticmethod
    def joined(parts: Sequence[Summed], depth: int) -> Summed:
        """Of several, each of other holdings."""
        return Summed(
            Sums.joined([each.sums for each in parts]),
            Figures.joined([each.figures for each in parts], depth),
            parts[0].alone,
            sum(each.respelled for each in parts),
        )

    def behind(
        self, dimensions: Sequence[Hierarchy], depth: int
    ) -> tuple[Floats, Contributors, CellKeys | None]:
        """Values, contributors and keys of all cells. O(cells log cells) for each combination of levels."""
        cells = int(np.prod([len(each) for each in dimensions]))
        figures = self.figures.rolled_up(dimensions, depth) if self.alone else self.figures
        sums = self.sums.rolled_up(dimensions)
        return (
            sums.values(cells),
            figures.contributors(cells, depth, self.respelled),
            sums.cell_keys(cells),
        )


@dataclass(frozen=True, eq=False)
class Portion:
    """Records, with the columns that a table asks for; the number of each in its file, if these are not all.

    Where units are named, all records of a unit are in one portion.
    """

    data: Microdata
    asked: Asked
    rows: Ints | None = None
    _coded: dict[str, tuple[Ints, list[Any]]] = field(default_factory=dict, repr=False)

    def looked(self) -> Looked:
        """What there is to know before anything is summed. O(n) and one look at each different label."""
        asked, data = self.asked, self.data
        numeric = {each: data.floats(each) for each in (asked.value, asked.weight) if each is not None}
        keys = None if asked.key is None else data.floats(asked.key)
        return Looked(
            records=data.n,
            labels=tuple(self._labels(name) for name in asked.division.names),
            unlabelled={name: int(data.missing(name).sum()) for name in asked.division.names},
            extents={name: Extent.of(found) for name, found in numeric.items()}
            | ({} if keys is None else {str(asked.key): Extent.of(keys)}),
            lacking={
                name: int((~(found >= (0.0 if name == asked.weight else -np.inf))).sum())
                for name, found in numeric.items()
            },
            unnamed=0 if asked.unit is None else int(data.missing(asked.unit).sum()),
            odd={each: self._marks(each)[1] for each in (asked.request, asked.waiver) if each is not None},
            keyless=0 if keys is None else int((~((keys >= 0) & (keys < 1))).sum()),
        )

    def different_keys(self) -> Floats:
        """The keys of these records, each once."""
        assert self.asked.key is not None
        return np.unique(self.data.floats(self.asked.key))

    def summed(self, dimensions: Sequence[Hierarchy]) -> Summed:
        """What these records add up to, over dimensions that have all their labels.

        O(n log n), and where units are named, so much for each combination of levels.
        """
        cell = self._leaves(dimensions)
        # numbers of 16 bits are sorted digit by digit
        short = cell.astype(np.uint16) if int(cell.max(initial=0)) < 1 << 16 else cell
        order = np.argsort(short, kind="stable")
        sums = self._of_records(cell, order)
        if self.asked.unit is None:
            return Summed(sums, self._of_each(cell, order), alone=True)
        del order
        return Summed(sums, self._of_holdings(cell, dimensions), False, self._records.respelled)

    def _of_records(self, cell: Ints, order: Ints) -> Sums:
        records, asked = self._records, self.asked
        amount, weight = records.amount[order], records.weight[order]
        keys = None
        if asked.key is not None:
            known = self.data.numbers(asked.key)[order]
            keys = KeySums.of(known, None if asked.value is None else amount, weight)
        return Sums.of(cell[order], weight * amount, keys)

    def _of_each(self, cell: Ints, order: Ints) -> Figures:
        """Of records, each of which is a holding of its own."""
        records = self._records
        size, weight = np.abs(records.amount[order]), records.weight[order]
        one = Contributions(
            cell[order], records.holder[order], size, mean_weight(size * weight, size, weight.copy())
        )
        return Figures.of(one, records.asked[order], records.waived[order], self.asked.depth)

    def _of_holdings(self, cell: Ints, dimensions: Sequence[Hierarchy]) -> Figures:
        records = self._records
        found = Holdings.of(
            cell, records.holder, records.amount, records.weight, records.asked, records.waived
        )
        parts = []
        for deep, above in levels(dimensions, found.cell):
            own = found.at(above, deep)
            parts.append(Figures.of(own.contributions(), own.asked, own.waived, self.asked.depth))
        return Figures.joined(parts, self.asked.depth)

    def _leaves(self, dimensions: Sequence[Hierarchy]) -> Ints:
        """The cell of each record where all its labels are leaves."""
        at = []
        for dimension in dimensions:
            codes, labels = self._code(dimension.name)
            place = {dimension.labels[leaf]: int(leaf) for leaf in dimension.leaves}
            at.append(np.array([place[str(label)] for label in labels], dtype=np.int64)[codes])
        shape = tuple(len(dimension) for dimension in dimensions)
        return np.ravel_multi_index(at, shape).astype(np.int64)

    def _labels(self, name: str) -> Labels:
        codes, labels = self._code(name)
        if (parent := self.asked.division.parents.get(name)) is None:
            return {str(label): frozenset() for label in labels}
        above, over = self._code(parent)
        pairs = np.unique(codes * len(over) + above)
        found: dict[str, set[str | None]] = {}
        for own, its in zip((pairs // len(over)).tolist(), (pairs % len(over)).tolist(), strict=True):
            found.setdefault(str(labels[own]), set()).add(None if over[its] is None else str(over[its]))
        return {label: frozenset(each) for label, each in found.items()}

    def _code(self, name: str) -> tuple[Ints, list[Any]]:
        """The number of each record's value among the different ones of a column, and these."""
        if name not in self._coded:
            series = self.data.column(name)
            codes = column_codes(series)
            first = _first(codes)
            self._coded[name] = codes, series[first.tolist()].to_list()
        return self._coded[name]

    def _marks(self, column: str | None) -> tuple[Mask, int]:
        """Where a column says yes, and how many words are neither yes nor no: a waiver lays open."""
        if column is None:
            return np.zeros(self.data.n, dtype=bool), 0
        codes, words = self._code(column)
        spelled = np.array([str(word).strip().lower() for word in words])
        yes, no = np.isin(spelled, _YES)[codes], np.isin(spelled, _NO)[codes] | self.data.missing(column)
        return np.asarray(yes & ~no, dtype=bool), int((~yes & ~no).sum())

    @cached_property
    def _records(self) -> _Records:
        data, asked = self.data, self.asked
        rows = np.arange(data.n) if self.rows is None else self.rows
        respelled = 0
        if asked.unit is not None:
            codes, respelled = data.alike(asked.unit)
            rows = rows[_first(codes)][codes]
        return _Records(
            amount=np.ones(data.n) if asked.value is None else data.numbers(asked.value),
            weight=np.ones(data.n) if asked.weight is None else data.numbers(asked.weight),
            holder=rows,
            asked=self._marks(asked.request)[0],
            waived=self._marks(asked.waiver)[0],
            respelled=respelled,
        )


@dataclass(frozen=True, eq=False)
class _Records:
    """What a table needs of each record: amount, weight, holding, and whether it asked or waived."""

    amount: Floats
    weight: Floats
    holder: Ints
    asked: Mask
    waived: Mask
    respelled: int


def _first(codes: Ints) -> Ints:
    """The place of the first of each code 0, 1, ..."""
    found = np.zeros(int(codes.max(initial=-1)) + 1, dtype=np.int64)
    # of several, the last that is written stays
    found[codes[::-1]] = np.arange(codes.size)[::-1]
    return found


@dataclass(frozen=True, eq=False)
class Holdings:
    """One entry per cell and holding, in the order of cells, then of holdings.

    Of its records there: the sum, the sum of sizes, that of sizes with their weights, the sum of weights, how
    many they are, whether one asked for protection, and whether all renounced it.
    """

    cell: Ints
    holder: Ints
    amount: Floats
    size: Floats
    spread: Floats
    weight: Floats
    records: Floats
    asked: Mask
    waived: Mask

    @classmethod
    def of(
        cls, cell: Ints, holder: Ints, amount: Floats, weight: Floats, asked: Mask, waived: Mask
    ) -> Holdings:
        """Of records, those of a holding added in their order. O(n log n)."""
        plain = bool((weight == 1).all())
        # one array under several names is held, and summed, once
        size = amount if (amount >= 0).all() else np.abs(amount)
        spread = size if plain else size * weight
        records = weight if plain else np.ones(cell.size)
        return cls(
            cell=cell,
            holder=holder,
            amount=amount,
            size=size,
            spread=spread,
            weight=weight,
            records=records,
            asked=asked,
            waived=waived,
        ).at(cell)

    def at(self, cell: Ints, chosen: Ints | None = None) -> Holdings:
        """The same, or some of the entries, in other cells; entries of one cell and holding become one."""

        def own(column: np.ndarray) -> np.ndarray:
            return column if chosen is None or chosen.size == column.size else column[chosen]

        holder = own(self.holder)
        span = int(holder.max(initial=0)) + 1
        keys, entry = np.unique(cell * span + holder, return_inverse=True)
        columns = (self.amount, self.size, self.spread, self.weight, self.records)
        sums = {
            number: np.bincount(entry, weights=own(column), minlength=keys.size)
            for number, column in {id(column): column for column in columns}.items()
        }
        amount, size, spread, weight, records = (
            sums[id(column)].astype(np.float64, copy=False) for column in columns
        )
        asked, lasting = np.zeros(keys.size, dtype=bool), np.zeros(keys.size, dtype=bool)
        asked[entry[own(self.asked)]] = True
        lasting[entry[~own(self.waived)]] = True
        return Holdings(
            cell=keys // span,
            holder=keys % span,
            amount=amount,
            size=size,
            spread=spread,
            weight=weight,
            records=records,
            asked=asked,
            waived=~lasting,
        )

    def contributions(self) -> Contributions:
        """Their sizes, at the weight at which a sum is what its records stand for."""
        mean = mean_weight(self.spread, self.size, self.weight / np.maximum(self.records, 1))
        return Contributions(self.cell, self.holder, np.abs(self.amount), mean)


def mean_weight(spread: Floats, size: Floats, plain: Floats) -> Floats:
    """The weight of each sum: what its sizes stand for, by their sum; a plain mean where that is nought."""
    return np.divide(spread, size, out=plain, where=size > 0)
