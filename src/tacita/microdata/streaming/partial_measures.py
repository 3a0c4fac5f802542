"""Figures of all records of a file in parts: what measures ask is asked of every part."""

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
from tacita.microdata.measures.measure import Measure, with_those_asked
from tacita.microdata.measures.partial_aggregation import Part, Question, told_of_all
from tacita.microdata.measures.record_alignment import Aligned, aligned
from tacita.microdata.plans.plan import Protection
from tacita.microdata.verify.large_files import read_again

_HERE = "tacita.microdata.streaming.partial_measures"
_STAGE = "measuring all records"


@dataclass(frozen=True)
class AnswerTask:
    """A part that is asked, unchanged columns that some questions look at, and where the questions lie."""

    folder: Path
    asked: Protection
    source: str
    spans: int
    part: int
    whole: Whole
    threads: int
    columns: tuple[str, ...] = ()
    questions: str = ""
    # the classes of what the questions are made of
    kinds: tuple[type, ...] = ()


def measured_of_all(
    measures: Sequence[Measure],
    data: Microdata,
    columns: Sequence[str],
    tasks: Sequence[AnswerTask],
    executor: Executor,
    run: RunContext,
) -> OfAll:
    """The figures of all records, of measures that can tell them from what parts answer.

    `data` is a sample with the roles of its columns, `columns` are unchanged ones that hold numbers in it.
    The cost of the measures, and one look at every part for each round of questions.
    """
    names = tuple(name for name in data.quasi if data.scale(name) == "numeric")
    able = with_those_asked(measures)
    if len(names) < len(data.quasi):
        # of categories parts would have to agree on codes
        able = [each for each in able if not each.of_categories]
    rounds = {each: asking for each in able if (asking := each.in_parts(names, run)) is not None}
    if not names or not rounds:
        return OfAll()
    scratch = Scratch(tasks[0].folder)
    looks = executor.map(
        _STAGE, f"{_HERE}:look_at_part", [replace(each, columns=tuple(columns)) for each in tasks], run
    )
    usable = tuple(name for name in columns if all(name in own for own, _, _ in looks))
    left_out = sum(missing for _, missing, _ in looks)
    if not any(there for _, _, there in looks):
        return OfAll(left_out=left_out)
    rounds_asked = 0

    def ask(questions: Sequence[Question]) -> list[list[Any]]:
        nonlocal rounds_asked
        rounds_asked += 1
        name = f"questions-{rounds_asked}"
        scratch.put(name, tuple(questions))
        kinds = kinds_in(tuple(questions))
        told = [replace(each, columns=usable, questions=name, kinds=kinds) for each in tasks]
        answers = executor.map(_STAGE, f"{_HERE}:answer_part", told, run)
        return [list(each) for each in zip(*(own for own in answers if own), strict=True)]

    return OfAll(told_of_all(rounds, ask), left_out)


def look_at_part(task: AnswerTask) -> tuple[tuple[str, ...], int, int]:
    """Which columns hold numbers in all records of a part; records that miss a value, and that do not."""
    source, pair = _side_by_side(task)
    there = int(complete(pair.before, pair.after).sum())
    usable = tuple(name for name in task.columns if finite_numbers(source, name) is not None)
    return usable, len(pair.before) - there, there


def answer_part(task: AnswerTask) -> list[Any]:
    """What a part answers to each question; nothing where every record misses a value."""
    source, pair = _side_by_side(task)
    there = complete(pair.before, pair.after)
    if not there.any():
        return []
    context = {name: _known(finite_numbers(source, name)) for name in task.columns}
    compare = compared(
        pair.before[there], pair.after[there], source.quasi, pair.kinds, beside(context, len(there))[there]
    )
    part = Part(compare, task.part, RunContext(threads=task.threads), alone=False)
    questions: tuple[Question, ...] = Scratch(task.folder).get(task.questions, task.kinds)
    return [each.answer(part) for each in questions]


def _known(values: Matrix | None) -> Matrix:
    assert values is not None
    return values


def _side_by_side(task: AnswerTask) -> tuple[Microdata, Aligned]:
    """The records of a part that stayed, as they were and beside them as they were written."""
    scratch = Scratch(task.folder)
    source, written = (read_again(scratch, task.spans, task.part, name) for name in ("source", "written"))
    stayed, left = (scratch.array(f"made-{task.part}.{name}") for name in ("rows", "leaving"))
    every = np.sort(np.concatenate([stayed, left]))
    rows = gathered(Microdata.of(source).frame, np.searchsorted(every, stayed))
    before = Microdata(frame=rows, source=task.source, whole=task.whole).with_roles(task.asked.whole)
    return before, aligned(before, Microdata.of(written, source="release"))
