"""Records into parts on disk: each stretch of the source is sorted by part, and a part is read from all."""

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

# Records of a stretch, and of a row group that is written.
SPAN = 2**20


@dataclass(frozen=True, repr=False)
class Deal:
    """Which part every record goes to: by its stratum, and where that is large by cuts; or by its number."""

    dealt: Dealt
    roles: Roles
    whole: Whole
    strata: dict[int, int | Cut]
    parts: int
    # records of a part where neither stratum nor place matters
    by_number: int | None = None

    def parts_of(self, table: pa.Table, first: int) -> Ints:
        """The part of each record of a table whose first is of that number."""
        rows = first + np.arange(table.num_rows)
        if self.by_number is not None:
            return rows // self.by_number
        data = Microdata.of(table, whole=self.whole).with_roles(self.roles)
        x = data.coded(self.dealt.columns)
        # who leaves may leave from anywhere: where others are too, so that no part is left without records
        found = rows % self.parts
        stays = np.flatnonzero(self.dealt.staying(data))
        own, place = np.unique(self.dealt.stratum_of(table, x)[stays], return_inverse=True)
        z, ties = standardised(data, self.dealt), fractions(rows, TIES)
        for number, stratum in enumerate(own.tolist()):
            here = stays[place.reshape(-1) == number] if own.size > 1 else stays
            found[here] = part_of(self.strata[stratum], z[here], ties[here])
        return found


# Where it is kept, and the classes of what it holds.
DEAL = "deal.kept"
DEAL_KINDS = (Deal, Dealt, Roles, RolesOfFile, RolesOfSteps, Whole, Cut)


def dealt_by_place(facts: Facts, dealt: Dealt, size: int) -> Deal:
    """Small strata together, up to `size` records; large ones cut into parts of about so many. O(strata)."""
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
            own = facts.sample_strata == np.uint64(stratum)
            pieces = -(-count // size)
            strata[stratum] = planted(facts.sample[own], ties[own], pieces, parts)
            parts += pieces
    return Deal(dealt=dealt, roles=facts.roles, whole=facts.whole, strata=strata, parts=parts)


@dataclass(frozen=True)
class SpanTask:
    """A stretch of the source to be dealt."""

    folder: Path
    source: ParquetParts
    number: int
    first: int
    count: int


def deal_span(task: SpanTask) -> tuple[str, ...]:
    """Sort the records of a stretch by part; the name of what an earlier run left damaged. O(n log n)."""
    scratch, damaged = Scratch(task.folder), list[str]()
    if scratch.sound(f"span-{task.number}", damaged):
        return ()
    deal: Deal = scratch.get(DEAL, DEAL_KINDS)
    table = task.source.read(task.first, task.count)
    parts = deal.parts_of(table, task.first)
    scratch.deal(task.number, table, task.first, parts, deal.parts)
    return tuple(damaged)
