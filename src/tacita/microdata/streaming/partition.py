"""Partitions records into parts on disk: each span of the source is sorted by part.

A part is then read from all spans.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from tacita.core import Ints, Microdata, Roles
from tacita.core.data.global_statistics import Whole
from tacita.core.spec.roles import RolesOfFile, RolesOfSteps
from tacita.io.hashing import fractions
from tacita.io.parquet_dataset import ParquetParts
from tacita.io.workdir import Scratch

from .cut_points import Cut, part_of, planted
from .global_scan import TIES, Dealt, Facts, standardised

# Records of a span, and of a row group that is written.
SPAN = 2**20


@dataclass(frozen=True, repr=False)
class Deal:
    """The part of every record: by its stratum, and by cuts if that is large; or by its number."""

    dealt: Dealt
    roles: Roles
    whole: Whole
    strata: dict[int, int | Cut]
    parts: int
    # records of a part, if neither strata nor values matter
    by_number: int | None = None

    def parts_of(self, table: pa.Table, first: int) -> Ints:
        """The part of each record of a table; `first` is the number of its first record."""
        rows = first + np.arange(table.num_rows)
        if self.by_number is not None:
            return rows // self.by_number
        data = Microdata.of(table, whole=self.whole).with_roles(self.roles)
        x = data.coded(self.dealt.columns)
        # records that will be dropped are spread over all parts, so that no part has only such records
        parts = rows % self.parts
        stays = np.flatnonzero(self.dealt.staying(data))
        strata, stratum_of = np.unique(self.dealt.stratum_of(table, x)[stays], return_inverse=True)
        z, ties = standardised(data, self.dealt), fractions(rows, TIES)
        for number, stratum in enumerate(strata.tolist()):
            members = stays[stratum_of.reshape(-1) == number] if strata.size > 1 else stays
            parts[members] = part_of(self.strata[stratum], z[members], ties[members])
        return parts


# File name of the partition, and the classes that it contains.
DEAL = "deal.kept"
DEAL_KINDS = (Deal, Dealt, Roles, RolesOfFile, RolesOfSteps, Whole, Cut)


def dealt_by_place(facts: Facts, dealt: Dealt, size: int) -> Deal:
    """Combines small strata up to `size` records; cuts large ones into parts of that size. O(strata)."""
    strata: dict[int, int | Cut] = {}
    parts, held = 0, 0
    for stratum, count in sorted(facts.strata.items()):
        if count > size:
            continue
        if held and held + count > size:
            parts, held = parts + 1, 0
        strata[stratum] = parts
        held += count
    parts += bool(held)
    ties = fractions(facts.sample_rows, TIES)
    for stratum, count in sorted(facts.strata.items()):
        if count > size:
            of_stratum = facts.sample_strata == np.uint64(stratum)
            pieces = -(-count // size)
            strata[stratum] = planted(facts.sample[of_stratum], ties[of_stratum], pieces, parts)
            parts += pieces
    return Deal(dealt=dealt, roles=facts.roles, whole=facts.whole, strata=strata, parts=parts)


@dataclass(frozen=True)
class SpanTask:
    """A span of the source to partition."""

    folder: Path
    source: ParquetParts
    number: int
    first: int
    count: int


def deal_span(task: SpanTask) -> tuple[str, ...]:
    """Sort the records of a span by part; returns names of damaged files of an earlier run. O(n log n)."""
    scratch, damaged = Scratch(task.folder), list[str]()
    if scratch.sound(f"span-{task.number}", damaged):
        return ()
    deal: Deal = scratch.get(DEAL, DEAL_KINDS)
    table = task.source.read(task.first, task.count)
    parts = deal.parts_of(table, task.first)
    scratch.deal(task.number, table, task.first, parts, deal.parts)
    return tuple(damaged)
