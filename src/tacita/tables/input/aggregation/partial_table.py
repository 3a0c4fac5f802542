"""Some of the records of a table, or all: their labels and their sums."""

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
from .table_request import Labels, Looked, TableRequest

# Words that mark records whose contributors requested protection, or waived it.
_YES = ("1", "1.0", "true", "yes", "y", "x")
_NO = ("", "0", "0.0", "false", "no", "n", "none", "nan")


@dataclass(frozen=True, eq=False)
class Summed:
    """The sums of records by leaf, figures of contributors, and how many names of units were merged.

    Where every record is a holding of its own (`alone`), figures are by leaf as well; otherwise of all cells,
    since the contribution of a holding to a sum does not follow from its contributions to the parts.
    """

    sums: Sums
    figures: Figures
    alone: bool
    respelled: int = 0

    @staticmethod
    def joined(parts: Sequence[Summed], depth: int) -> Summed:
        """Of several, each of other holdings."""
        return Summed(
            Sums.joined([part.sums for part in parts]),
            Figures.joined([part.figures for part in parts], depth),
            parts[0].alone,
            sum(part.respelled for part in parts),
        )

    def behind(
        self, dimensions: Sequence[Hierarchy], depth: int
    ) -> tuple[Floats, Contributors, CellKeys | None]:
        """Values, contributors and keys of all cells. O(cells log cells) for each combination of levels."""
        cells = int(np.prod([len(dimension) for dimension in dimensions]))
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
    spec: TableRequest
    rows: Ints | None = None
    _coded: dict[str, tuple[Ints, list[Any]]] = field(default_factory=dict, repr=False)

    def looked(self) -> Looked:
        """Scan the records before they are summed. O(n), and each distinct label once."""
        spec, data = self.spec, self.data
        numeric = {name: data.floats(name) for name in (spec.value, spec.weight) if name is not None}
        keys = None if spec.key is None else data.floats(spec.key)
        return Looked(
            records=data.n,
            labels=tuple(self._labels(name) for name in spec.division.names),
            unlabelled={name: int(data.missing(name).sum()) for name in spec.division.names},
            extents={name: Extent.of(numbers) for name, numbers in numeric.items()}
            | ({} if keys is None else {str(spec.key): Extent.of(keys)}),
            lacking={
                name: int((~(numbers >= (0.0 if name == spec.weight else -np.inf))).sum())
                for name, numbers in numeric.items()
            },
            unnamed=0 if spec.unit is None else int(data.missing(spec.unit).sum()),
            odd={
                column: self._marks(column)[1] for column in (spec.request, spec.waiver) if column is not None
            },
            keyless=0 if keys is None else int((~((keys >= 0) & (keys < 1))).sum()),
        )

    def different_keys(self) -> Floats:
        """The keys of these records, each once."""
        assert self.spec.key is not None
        return np.unique(self.data.floats(self.spec.key))

    def summed(self, dimensions: Sequence[Hierarchy]) -> Summed:
        """The sums of these records, over dimensions that have all their labels.

        O(n log n), and where units are named, so much for each combination of levels.
        """
        cell = self._leaves(dimensions)
        # numbers of 16 bits are sorted digit by digit
        short = cell.astype(np.uint16) if int(cell.max(initial=0)) < 1 << 16 else cell
        order = np.argsort(short, kind="stable")
        sums = self._of_records(cell, order)
        if self.spec.unit is None:
            return Summed(sums, self._of_each(cell, order), alone=True)
        del order
        return Summed(sums, self._of_holdings(cell, dimensions), False, self._records.respelled)

    def _of_records(self, cell: Ints, order: Ints) -> Sums:
        records, spec = self._records, self.spec
        amount, weight = records.amount[order], records.weight[order]
        keys = None
        if spec.key is not None:
            known = self.data.numbers(spec.key)[order]
            keys = KeySums.of(known, None if spec.value is None else amount, weight)
        return Sums.of(cell[order], weight * amount, keys)

    def _of_each(self, cell: Ints, order: Ints) -> Figures:
        """The figures of records, each of which is a holding of its own."""
        records = self._records
        size, weight = np.abs(records.amount[order]), records.weight[order]
        one = Contributions(
            cell[order], records.holder[order], size, mean_weight(size * weight, size, weight.copy())
        )
        return Figures.of(one, records.requested[order], records.waived[order], self.spec.depth)

    def _of_holdings(self, cell: Ints, dimensions: Sequence[Hierarchy]) -> Figures:
        records = self._records
        holdings = Holdings.of(
            cell, records.holder, records.amount, records.weight, records.requested, records.waived
        )
        parts = []
        for deep, above in levels(dimensions, holdings.cell):
            own = holdings.at(above, deep)
            parts.append(Figures.of(own.contributions(), own.requested, own.waived, self.spec.depth))
        return Figures.joined(parts, self.spec.depth)

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
        if (parent := self.spec.division.parents.get(name)) is None:
            return {str(label): frozenset() for label in labels}
        above, over = self._code(parent)
        pairs = np.unique(codes * len(over) + above)
        parents: dict[str, set[str | None]] = {}
        for own, its in zip((pairs // len(over)).tolist(), (pairs % len(over)).tolist(), strict=True):
            parents.setdefault(str(labels[own]), set()).add(None if over[its] is None else str(over[its]))
        return {label: frozenset(above_label) for label, above_label in parents.items()}

    def _code(self, name: str) -> tuple[Ints, list[Any]]:
        """The number of each record's value among the different ones of a column, and these."""
        if name not in self._coded:
            series = self.data.column(name)
            codes = column_codes(series)
            first = _first(codes)
            self._coded[name] = codes, series[first.tolist()].to_list()
        return self._coded[name]

    def _marks(self, column: str | None) -> tuple[Mask, int]:
        """Where a column says yes, and how many words are neither yes nor no."""
        if column is None:
            return np.zeros(self.data.n, dtype=bool), 0
        codes, words = self._code(column)
        spelled = np.array([str(word).strip().lower() for word in words])
        yes, no = np.isin(spelled, _YES)[codes], np.isin(spelled, _NO)[codes] | self.data.missing(column)
        return np.asarray(yes & ~no, dtype=bool), int((~yes & ~no).sum())

    @cached_property
    def _records(self) -> _Records:
        data, spec = self.data, self.spec
        rows = np.arange(data.n) if self.rows is None else self.rows
        respelled = 0
        if spec.unit is not None:
            codes, respelled = data.alike(spec.unit)
            rows = rows[_first(codes)][codes]
        return _Records(
            amount=np.ones(data.n) if spec.value is None else data.numbers(spec.value),
            weight=np.ones(data.n) if spec.weight is None else data.numbers(spec.weight),
            holder=rows,
            requested=self._marks(spec.request)[0],
            waived=self._marks(spec.waiver)[0],
            respelled=respelled,
        )


@dataclass(frozen=True, eq=False)
class _Records:
    """The data of each record: amount, weight, holding, and whether it requested or waived protection."""

    amount: Floats
    weight: Floats
    holder: Ints
    requested: Mask
    waived: Mask
    respelled: int


def _first(codes: Ints) -> Ints:
    """The place of the first of each code 0, 1, ..."""
    first = np.zeros(int(codes.max(initial=-1)) + 1, dtype=np.int64)
    # of several assignments to one code, the last stays
    first[codes[::-1]] = np.arange(codes.size)[::-1]
    return first


@dataclass(frozen=True, eq=False)
class Holdings:
    """One entry per cell and holding, in the order of cells, then of holdings.

    For its records in the cell: the sum, the sum of sizes, the weighted sum of sizes, the sum of weights, the
    number of records, whether one requested protection, and whether all waived it.
    """

    cell: Ints
    holder: Ints
    amount: Floats
    size: Floats
    spread: Floats
    weight: Floats
    records: Floats
    requested: Mask
    waived: Mask

    @classmethod
    def of(
        cls, cell: Ints, holder: Ints, amount: Floats, weight: Floats, requested: Mask, waived: Mask
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
            requested=requested,
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
        requested, lasting = np.zeros(keys.size, dtype=bool), np.zeros(keys.size, dtype=bool)
        requested[entry[own(self.requested)]] = True
        lasting[entry[~own(self.waived)]] = True
        return Holdings(
            cell=keys // span,
            holder=keys % span,
            amount=amount,
            size=size,
            spread=spread,
            weight=weight,
            records=records,
            requested=requested,
            waived=~lasting,
        )

    def contributions(self) -> Contributions:
        """Their sizes, at the weight at which a sum is what its records stand for."""
        mean = mean_weight(self.spread, self.size, self.weight / np.maximum(self.records, 1))
        return Contributions(self.cell, self.holder, np.abs(self.amount), mean)


def mean_weight(spread: Floats, size: Floats, plain: Floats) -> Floats:
    """The weight of each sum: the weighted sum of sizes over their sum; the plain mean where that is zero."""
    return np.divide(spread, size, out=plain, where=size > 0)
