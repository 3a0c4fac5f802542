"""Figures of all records of a file in parts: every part computes the partial statistics of the measures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from tacita.core import Matrix, Microdata, RunContext
from tacita.core.data.global_statistics import Whole
from tacita.executors import Executor
from tacita.io.frames import gathered
from tacita.io.packing import kinds_in
from tacita.io.workdir import Scratch
from tacita.microdata.measures.evaluate import OfAll, beside, compared, complete, finite_numbers
from tacita.microdata.measures.measure import Measure, with_inputs
from tacita.microdata.measures.partial_aggregation import Part, PartialStatistic, reduce_all
from tacita.microdata.measures.record_alignment import Aligned, aligned
from tacita.microdata.plans.plan import Protection
from tacita.microdata.verify.large_files import read_again

_HERE = "tacita.microdata.streaming.partial_measures"
_STAGE = "measuring all records"


@dataclass(frozen=True)
class StatisticTask:
    """A part, the unchanged columns that statistics read, and the stored list of statistics."""

    folder: Path
    protection: Protection
    source: str
    spans: int
    part: int
    whole: Whole
    threads: int
    columns: tuple[str, ...] = ()
    statistics: str = ""
    # the classes of the statistics and of their values
    kinds: tuple[type, ...] = ()


def measured_of_all(
    measures: Sequence[Measure],
    data: Microdata,
    columns: Sequence[str],
    tasks: Sequence[StatisticTask],
    executor: Executor,
    run: RunContext,
) -> OfAll:
    """The figures of all records, of the measures that can be computed from parts.

    `data` is a sample with the roles of its columns, `columns` are unchanged ones that hold numbers in it.
    The cost of the measures, and one pass over every part for each batch of statistics.
    """
    names = tuple(name for name in data.quasi if data.scale(name) == "numeric")
    able = with_inputs(measures)
    if len(names) < len(data.quasi):
        # of categories parts would have to agree on codes
        able = [measure for measure in able if not measure.of_categories]
    reductions = {
        measure: reduction for measure in able if (reduction := measure.in_parts(names, run)) is not None
    }
    if not names or not reductions:
        return OfAll()
    scratch = Scratch(tasks[0].folder)
    looks = executor.map(
        _STAGE, f"{_HERE}:look_at_part", [replace(task, columns=tuple(columns)) for task in tasks], run
    )
    usable = tuple(name for name in columns if all(name in own for own, _, _ in looks))
    left_out = sum(missing for _, missing, _ in looks)
    if not any(there for _, _, there in looks):
        return OfAll(left_out=left_out)
    batches = 0

    def evaluate(statistics: Sequence[PartialStatistic]) -> list[list[Any]]:
        nonlocal batches
        batches += 1
        name = f"statistics-{batches}"
        scratch.put(name, tuple(statistics))
        kinds = kinds_in(tuple(statistics))
        with_statistics = [replace(task, columns=usable, statistics=name, kinds=kinds) for task in tasks]
        partials = executor.map(_STAGE, f"{_HERE}:compute_part", with_statistics, run)
        return [list(values) for values in zip(*(own for own in partials if own), strict=True)]

    return OfAll(reduce_all(reductions, evaluate), left_out)


def look_at_part(task: StatisticTask) -> tuple[tuple[str, ...], int, int]:
    """Which columns hold numbers in all records of a part; records that miss a value, and that do not."""
    source, pair = _side_by_side(task)
    there = int(complete(pair.before, pair.after).sum())
    usable = tuple(name for name in task.columns if finite_numbers(source, name) is not None)
    return usable, len(pair.before) - there, there


def compute_part(task: StatisticTask) -> list[Any]:
    """The value of each statistic in a part; nothing where every record misses a value."""
    source, pair = _side_by_side(task)
    there = complete(pair.before, pair.after)
    if not there.any():
        return []
    context = {name: _known(finite_numbers(source, name)) for name in task.columns}
    compare = compared(
        pair.before[there], pair.after[there], source.quasi, pair.kinds, beside(context, len(there))[there]
    )
    part = Part(compare, task.part, RunContext(threads=task.threads), alone=False)
    statistics: tuple[PartialStatistic, ...] = Scratch(task.folder).get(task.statistics, task.kinds)
    return [statistic.compute(part) for statistic in statistics]


def _known(values: Matrix | None) -> Matrix:
    assert values is not None
    return values


def _side_by_side(task: StatisticTask) -> tuple[Microdata, Aligned]:
    """The records of a part that stayed: as they were, and as they were written."""
    scratch = Scratch(task.folder)
    source, written = (read_again(scratch, task.spans, task.part, name) for name in ("source", "written"))
    stayed, left = (scratch.array(f"made-{task.part}.{name}") for name in ("rows", "dropped"))
    every = np.sort(np.concatenate([stayed, left]))
    rows = gathered(Microdata.of(source).frame, np.searchsorted(every, stayed))
    before = Microdata(frame=rows, source=task.source, whole=task.whole).with_roles(task.protection.whole)
    return before, aligned(before, Microdata.of(written, source="release"))
