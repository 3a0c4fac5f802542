"""Runs the plan on one part as on a file of its own; the result is verified after it is written."""

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
from tacita.microdata.protection.steps import PipelineResult, make, steps_for

from .global_scan import SAMPLING
from .partition import DEAL, DEAL_KINDS, Deal


@dataclass(frozen=True)
class PartTask:
    """A part to make; `share` of its groups belong to the sample that is measured."""

    folder: Path
    protection: Protection
    source: str
    part: int
    spans: int
    seed: int | None
    threads: int
    share: float
    accepted_risks: tuple[str, ...]
    requirements: tuple[Requirement, ...]


@dataclass(frozen=True)
class PartSummary:
    """Summary of a part: records before and after, groups by size, parameters as the method ran."""

    came: int
    stayed: int
    sizes: Mapping[int, int]
    parameters: Mapping[str, Any]


@dataclass(frozen=True)
class PartMade:
    """Summary of a part, whether this run made it, and names of damaged files of an earlier run."""

    summary: PartSummary
    anew: bool
    damaged: tuple[str, ...] = ()


_KEPT = ("records", "rows", "dropped", "claim", "sample", "labels", "summary")


def make_part(task: PartTask) -> PartMade:
    """The part of an earlier run if it is undamaged; otherwise makes it."""
    scratch, damaged = Scratch(task.folder), list[str]()
    name = f"made-{task.part}"
    if scratch.sound(name, damaged):
        return PartMade(scratch.get(f"{name}.summary", (PartSummary,)), anew=False)
    return PartMade(_made(task, scratch, name), anew=True, damaged=tuple(damaged))


def _made(task: PartTask, scratch: Scratch, name: str) -> PartSummary:
    """Run the plan on a part, and store it with its claim and a sample of its groups."""
    deal: Deal = scratch.get(DEAL, DEAL_KINDS)
    table, rows = scratch.dealt(task.spans, task.part)
    if not rows.size:
        summary = PartSummary(0, 0, {}, {})
        scratch.put(f"{name}.summary", summary)
        scratch.seal(name, ("summary",))
        return summary
    # a single part is the whole file and needs no statistics of it
    whole = deal.whole if deal.parts > 1 else None
    data = Microdata.of(table, source=task.source, whole=whole).with_roles(task.protection.whole)
    run = RunContext(seed=task.seed, threads=task.threads, stream=(task.part,))
    try:
        made = make(data, steps_for(data, task.protection.planned), run, task.protection.protect)
    except DataError as error:
        if deal.parts == 1:
            raise
        larger = "; larger ones may have enough" if error.fields else ""
        raise DataError(
            f"{error} This is so in a part of {data.n} records{larger}.", fields=error.fields
        ) from None
    made = made.accepting(task.accepted_risks)
    claim = replace(made.claim, requirements=task.requirements)
    chosen, labels = _sampled(made, rows, task)
    scratch.put_table(f"{name}.records", in_one_piece(to_arrow(made.data)))
    scratch.put_array(f"{name}.rows", rows[claim.rows])
    scratch.put_array(f"{name}.dropped", rows[claim.dropped_rows])
    scratch.put(f"{name}.claim", PackedClaim.of(claim))
    scratch.put_table(f"{name}.sample", taken(table, chosen))
    scratch.put_array(f"{name}.labels", labels)
    grouped = [step.partition for step in made.protected if step.partition is not None]
    sizes = np.unique(grouped[0].sizes, return_counts=True) if grouped else (np.zeros(0), np.zeros(0))
    summary = PartSummary(
        data.n,
        made.data.n,
        dict(zip(*(counts.tolist() for counts in sizes), strict=True)),
        made.protected[-1].method.own_parameters(),
    )
    scratch.put(f"{name}.summary", summary)
    scratch.seal(name, _KEPT)
    return summary


def _sampled(made: PipelineResult, rows: Ints, task: PartTask) -> tuple[Ints, Ints]:
    """The records of a random sample of the groups of a part, and their labels.

    Without groups, a random sample of records.
    """
    grouping = [n for n, step in enumerate(made.protected) if step.partition is not None]
    if not grouping:
        return np.flatnonzero(fractions(rows, SAMPLING) < task.share), np.zeros(0, dtype=np.int64)
    claim = made.protected[grouping[0]].claim
    assert claim.labels is not None
    rows_of_step = claim.rows if not made.stages else made.present[grouping[0]]
    drawn = fractions(claim.labels, SAMPLING + 1 + task.part) < task.share
    return rows_of_step[drawn], claim.labels[drawn]
