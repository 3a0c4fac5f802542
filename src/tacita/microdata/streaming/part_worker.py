"""The plan on one part: made as a file of its own, and put on disk. It is verified once it is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from tacita.core import DataError, Ints, Microdata, RunContext
from tacita.core.results.release import Requirement
from tacita.io.claim_store import PackedClaim
from tacita.io.formats.record_format import to_arrow
from tacita.io.hashing import fractions
from tacita.io.parquet_dataset import in_one_piece, taken
from tacita.io.workdir import Scratch
from tacita.microdata.plans.plan import Protection
from tacita.microdata.protection.steps import Made, make, steps_for

from .global_scan import SAMPLING
from .partition import DEAL, DEAL_KINDS, Deal


@dataclass(frozen=True)
class PartTask:
    """A part to be made; `share` of its groups go into the sample that is measured."""

    folder: Path
    asked: Protection
    source: str
    part: int
    spans: int
    seed: int | None
    threads: int
    share: float
    insisted: tuple[str, ...]
    requirements: tuple[Requirement, ...]


@dataclass(frozen=True)
class PartTold:
    """What is told of a part: records that came and stayed, groups by size, parameters as the method ran."""

    came: int
    stayed: int
    sizes: Mapping[int, int]
    parameters: Mapping[str, Any]


@dataclass(frozen=True)
class PartMade:
    """What is told of a part; whether this run made it, and the name of what an earlier one left damaged."""

    told: PartTold
    anew: bool
    damaged: tuple[str, ...] = ()


_KEPT = ("records", "rows", "leaving", "claim", "sample", "labels", "told")


def make_part(task: PartTask) -> PartMade:
    """A part as an earlier run left it, if nothing of it is damaged; made otherwise."""
    scratch, damaged = Scratch(task.folder), list[str]()
    name = f"made-{task.part}"
    if scratch.sound(name, damaged):
        return PartMade(scratch.get(f"{name}.told", (PartTold,)), anew=False)
    return PartMade(_made(task, scratch, name), anew=True, damaged=tuple(damaged))


def _made(task: PartTask, scratch: Scratch, name: str) -> PartTold:
    """Carry out the plan on a part, and keep it with its claim and a sample of its groups."""
    deal: Deal = scratch.get(DEAL, DEAL_KINDS)
    table, rows = scratch.dealt(task.spans, task.part)
    if not rows.size:
        told = PartTold(0, 0, {}, {})
        scratch.put(f"{name}.told", told)
        scratch.seal(name, ("told",))
        return told
    # a part that is all of it knows all by itself
    whole = deal.whole if deal.parts > 1 else None
    data = Microdata.of(table, source=task.source, whole=whole).with_roles(task.asked.whole)
    run = RunContext(seed=task.seed, threads=task.threads, stream=(task.part,))
    try:
        made = make(data, steps_for(data, task.asked.planned), run, task.asked.protect)
    except DataError as problem:
        if deal.parts == 1:
            raise
        larger = "; larger ones may have enough" if problem.fields else ""
        raise DataError(
            f"{problem} This is so in a part of {data.n} records{larger}.", fields=problem.fields
        ) from None
    made = made.accepting(task.insisted)
    claim = replace(made.claim, requirements=task.requirements)
    chosen, labels = _sampled(made, rows, task)
    scratch.put_table(f"{name}.records", in_one_piece(to_arrow(made.data)))
    scratch.put_array(f"{name}.rows", rows[claim.rows])
    scratch.put_array(f"{name}.leaving", rows[claim.leaving])
    scratch.put(f"{name}.claim", PackedClaim.of(claim))
    scratch.put_table(f"{name}.sample", taken(table, chosen))
    scratch.put_array(f"{name}.labels", labels)
    grouped = [each.partition for each in made.protected if each.partition is not None]
    sizes = np.unique(grouped[0].sizes, return_counts=True) if grouped else (np.zeros(0), np.zeros(0))
    told = PartTold(
        data.n,
        made.data.n,
        dict(zip(*(each.tolist() for each in sizes), strict=True)),
        made.protected[-1].method.own_parameters(),
    )
    scratch.put(f"{name}.told", told)
    scratch.seal(name, _KEPT)
    return told


def _sampled(made: Made, rows: Ints, task: PartTask) -> tuple[Ints, Ints]:
    """Some of the part's records: those of groups that are drawn, each whole, and their labels.

    Where there are no groups, records are drawn.
    """
    grouping = [n for n, each in enumerate(made.protected) if each.partition is not None]
    if not grouping:
        return np.flatnonzero(fractions(rows, SAMPLING) < task.share), np.zeros(0, dtype=np.int64)
    claim = made.protected[grouping[0]].claim
    assert claim.labels is not None
    there = claim.rows if not made.stages else made.present[grouping[0]]
    drawn = fractions(claim.labels, SAMPLING + 1 + task.part) < task.share
    return there[drawn], claim.labels[drawn]
