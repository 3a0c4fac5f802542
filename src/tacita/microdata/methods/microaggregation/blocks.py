"""Blocks: any method inside blocks of a large file, then moves across their borders.

1. Balanced cuts, always across the widest axis, give the records an order. Every `block` consecutive
   records are grouped separately by the method `inside`, on several threads and in n log n instead of n^2.
   Groups at the borders of blocks are poor.
2. The nearest records of each record, at least 10, are searched in windows of 128 of three such orders; two
   of these use cuts along random directions.
3. `moves` annealing moves per record, as in `best`: a record goes to the group of one of its nearest
   records, by itself, against another, or with two others. The price is exact in O(d), and the move is made
   with probability exp(-price / T) while T falls. Even a few moves repair borders.
4. Descent over all records: each is moved to the group of a neighbour, or swapped with one of its members,
   while that lowers the error. Blocks do not matter any more.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, cast

import numpy as np
from pydantic import Field, field_validator

from tacita.core import Labels, Matrix, RunContext
from tacita.core.spec import registry

from .annealing import STAGE, Walks, varying
from .improvement import Improvement
from .microaggregation_method import Microaggregation
from .neighbours import cut_order, search_order
from .reassignment import split_large
from .repair import merge_short_groups


@dataclass(frozen=True)
class BlockSettings:
    """Sizes of blocks and neighbour lists; `python -m benchmarks blocks` prints loss and seconds."""

    # records of a block for each of a group, at least
    records_per_member: int = 4
    # neighbours that a record is weighed against, at least
    weighed: int = 10
    # the same beyond the members of its own group
    weighed_beyond_group: int = 6


SETTINGS = BlockSettings()


class Blocks(Improvement):
    """Groups inside blocks of neighbours, then moves and swaps across their borders: for large files.

    Lowers the within-group squared error, sum over groups of ||x_i - mean||^2. Records are cut into blocks of
    neighbours, and every block is grouped by the method `inside`. Annealing and descent over all records then
    repair the groups at the borders of blocks. Use it for more records than `mdav` or `best` can treat.

    Groups have k to 2k-1 records. With units a block has k of them (a block with fewer joins another), and
    every group keeps k after every move; groups of 2k records or more that units require stay as they are.
    Files of up to `block` records are grouped by `inside` and the same repairs, so the result is never
    worse than that of `inside`. It also improves a given partition. If it is stopped early, it returns the
    best groups so far.

    Time O(n (block d / k + window d + moves d + passes k d + log n)) with MDAV inside, memory O(n (d + k)).
    About a fifth of MDAV's time for a million records, at a smaller loss (`python -m benchmarks blocks`).
    Random: the seed of the run decides, by default always the same.
    Source: ours; blocks after Sole, Muntes-Mulero & Nin (2012), Int. J. Information Security 11, 253-267.

    >>> x = np.random.default_rng(0).normal(size=(400, 2))
    >>> found = Blocks(block=100).partition(x)
    >>> int(found.sizes.min()), int(found.sizes.max()), round(100 * found.sse(x) / float((x**2).sum()), 1)
    (3, 4, 1.4)
    """

    by_chance: ClassVar[bool] = True

    block: Annotated[
        int,
        Field(ge=100, le=10**9, description="records grouped together at most; never fewer than 4 k"),
    ] = 5000
    inside: Annotated[str, Field(description="the method that groups the records of a block")] = "mdav"
    moves: Annotated[
        int,
        Field(ge=0, le=1_000_000, description="moves of annealing for each record before the descent"),
    ] = 10

    @field_validator("inside")
    @classmethod
    def _known(cls, name: str) -> str:
        spelled = registry.canonical(name, "microaggregation")
        if not _serves(spelled):
            able = ", ".join(other for other in registry.names("microaggregation") if _serves(other))
            raise ValueError(f"{spelled} does not group blocks of several columns; these do: {able}")
        return spelled

    def group(self, x: Matrix, units: Labels | None, run: RunContext) -> Labels:
        """Groups inside blocks, borders and all."""
        method = _method(self.inside)(k=self.k)
        blocks = self._blocks(x, units)
        alone = replace(run.silent(), threads=1)
        labels = np.empty(len(x), dtype=np.int64)

        def grouped(first: int, _: int) -> Labels:
            rows = blocks[first]
            part = np.ascontiguousarray(x[rows])
            return method.partition(part, alone, units=None if units is None else units[rows]).labels

        made = 0
        for rows, inside in zip(
            blocks, run.map_blocks("grouping records", len(blocks), grouped, 1), strict=True
        ):
            labels[rows] = made + inside
            made += int(inside.max()) + 1
        return labels

    def improve(self, x: Matrix, labels: Labels, units: Labels | None, run: RunContext) -> Labels:
        labels = split_large(x, labels, self.k, run, units)
        x = varying(x)
        rows = np.flatnonzero(np.bincount(labels)[labels] < 2 * self.k)
        if not run.should_stop() and x.shape[1] > 0 and rows.size >= 2 * self.k:
            rows = rows[search_order(x[rows])]
            labels[rows] = int(labels.max()) + 1 + self._improved(x, labels, rows, units, run)
        run.report(STAGE, 1, 1)
        return labels

    def _improved(
        self, x: Matrix, labels: Labels, rows: Labels, units: Labels | None, run: RunContext
    ) -> Labels:
        seeds = run.search_generator().integers(1, 2**63, size=1, dtype=np.uint64)
        start = np.unique(labels[rows], return_inverse=True)[1].reshape(-1)
        weighed = max(SETTINGS.weighed, self.k + SETTINGS.weighed_beyond_group)
        walks = Walks(x[rows], start, self.k, seeds, run, weighed, None if units is None else units[rows])
        walks.anneal(self.moves * rows.size, remember=False)
        return walks.best()

    def _blocks(self, x: Matrix, units: Labels | None) -> list[Labels]:
        """The rows of each block. O(n log n)."""
        from tacita.kernels.records.pruning_tree import WIDTH

        n = len(x)
        count = -(-n // max(self.block, SETTINGS.records_per_member * self.k))
        if count == 1:
            return [np.arange(n)]
        # between leaves, which are parts that were cut off as such
        borders = np.arange(1, count) * n // count // WIDTH * WIDTH
        blocks = [np.sort(rows) for rows in np.split(cut_order(x), borders)]
        if units is None:
            return blocks
        number = np.empty(n, dtype=np.int64)
        for which, rows in enumerate(blocks):
            number[rows] = which
        number = merge_short_groups(x, number, self.k, units)
        return np.split(np.argsort(number, kind="stable"), np.cumsum(np.bincount(number))[:-1])


def _serves(name: str) -> bool:
    """Whether a method groups by several columns, and is not this one."""
    method = _method(name)
    return not (method.one_column or issubclass(method, Blocks))


def _method(name: str) -> type[Microaggregation]:
    return cast("type[Microaggregation]", registry.lookup(name, "microaggregation"))
