"""Records of Parquet that an executor sums up: part by part, the same table to the last bit.

1. Every part is looked at: its labels, and what cannot be summed. Where units are named, its records are
   dealt into as many heaps by what the names mean, so that all records of a unit are in one.
2. Labels of all parts make the dimensions, and what cannot be summed is refused with its number in the file.
3. Every part, or heap, is summed up, and what they add up to is put together.

What lies on disk meanwhile is readable by its owner alone, and gone afterwards. Tasks and their answers hold
paths and numbers of parts, no values.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from operator import add
from pathlib import Path

import numpy as np
import pyarrow as pa

from tacita.core import Hierarchy, Microdata, RunContext
from tacita.core.arrays import Extent, Ints
from tacita.core.data.cell_keys import KeySums
from tacita.executors import Executor, ExecutorSection, opened
from tacita.io import fingerprint_of
from tacita.io.hashing import alike_of
from tacita.io.parquet_dataset import ParquetParts
from tacita.io.versions import versions
from tacita.io.workdir import Scratch

from .contributor_aggregates import Figures, Sums
from .exact_sum import ExactSums
from .partial_table import Portion, Summed
from .ranking import Contributions
from .table_request import ASKED_KINDS, Asked, Looked, refuse_shared_keys

_HERE = "tacita.tables.input.aggregation.parquet_aggregation"
# Cells and contributions that are put together at a time, besides those that were.
_AT_ONCE = 1_000_000
# Where it lies what all parts must know, and the classes of what is kept.
_ASKED = "asked"
_DIMENSIONS = "dimensions"
_SUMMED = (Summed, Sums, ExactSums, KeySums, Figures, Contributions)
# Names of parts that a message lists.
_SHOWN = 10


@dataclass(frozen=True, eq=False)
class RecordParts:
    """The records of Parquet, a file or a folder of them, what they are called, and what works on them.

    What is needed meanwhile lies in a folder beside a file, such as the one that is to be written.
    """

    parts: ParquetParts
    source: str
    section: ExecutorSection
    beside: Path
    run: RunContext = field(default_factory=RunContext)

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return [*self.parts.names]

    def require(self, columns: Iterable[str]) -> None:
        """Raise where a column is not there."""
        # a record of nothing: to read one is to read all that was written with it
        nothing = pa.table({name: [None] for name in self.parts.names})
        Microdata.of(nothing, source=self.source).require(columns)

    @cached_property
    def fingerprint(self) -> str:
        """That of the file, or of all files."""
        return self.parts.fingerprint()

    def summed(self, asked: Asked) -> tuple[list[Hierarchy], Summed]:
        """The dimensions of the records, and what these add up to.

        O(n log n) time. Each process holds the records of a part, or where units are named about as many:
        those of whole units, so all of a unit that has more. This one holds figures of all cells that have
        records, and the largest contributions of each. On disk, where units are named, lie the columns that
        are asked for.
        """
        self.run.report("looking at all records", 0, 1)
        spanning = [*asked.division.names], dict(asked.division.parents)
        said = (spanning, asked.behind, self.source, self.section.part, versions(), self.fingerprint)
        mark = fingerprint_of(repr(said).encode())[:16]
        scratch = Scratch.beside(self.beside, mark)
        with scratch.alone():
            try:
                with opened(self.section) as executor:
                    return _Work(self, asked, scratch, executor).done()
            finally:
                scratch.remove()


@dataclass(frozen=True)
class _Task:
    """A part of the records, by its number; or, of so many `spans` that were dealt, a heap."""

    folder: Path
    parts: ParquetParts
    number: int
    first: int
    count: int
    spans: int


@dataclass(frozen=True, eq=False)
class _Work:
    """One run in parts."""

    records: RecordParts
    asked: Asked
    scratch: Scratch
    executor: Executor

    def done(self) -> tuple[list[Hierarchy], Summed]:
        parts, run = self.records.parts, self.records.run
        spans = parts.spans(self.records.section.part)
        tasks = [
            _Task(
                folder=self.scratch.folder,
                parts=parts,
                number=number,
                first=first,
                count=count,
                spans=len(spans),
            )
            for number, (first, count) in enumerate(spans)
        ]
        self.scratch.put(_ASKED, (self.asked, self.records.source))
        damaged = self.executor.map("looking at all records", f"{_HERE}:look_at_part", tasks, run)
        if again := [name for each in damaged for name in each]:
            run.report(f"made again, for they were damaged: {', '.join(again[:_SHOWN])}", 1, 1)
        made = self._dimensions(tasks)
        self.scratch.put(_DIMENSIONS, made)
        # where an earlier run was killed, its hierarchies may have been others
        self.scratch.drop("sums-")
        self.executor.map("summing records", f"{_HERE}:sum_part", tasks, run)
        return made, self._together(tasks)

    def _dimensions(self, tasks: Sequence[_Task]) -> list[Hierarchy]:
        """The dimensions of all labels; refuses what cannot be summed, counted over all records."""
        name = self.records.source
        looked: Looked = reduce(add, (self._looked(each) for each in tasks))
        looked.refuse(self.asked, name)
        made = self.asked.dimensions(looked, name)
        if self.asked.key is not None:
            keys = [self.scratch.array(f"looked-{each.number}.keys") for each in tasks]
            refuse_shared_keys(self.asked, name, _different(keys), looked.records)
        return made

    def _looked(self, task: _Task) -> Looked:
        found: Looked = self.scratch.get(f"looked-{task.number}.kept", (Looked, Extent))
        return found

    def _together(self, tasks: Sequence[_Task]) -> Summed:
        """What all parts add up to; several at a time, so that no cell is looked at for every part."""
        run, depth = self.records.run, self.asked.depth
        found, held = list[Summed](), 0
        for done, each in enumerate(tasks):
            run.report("putting sums together", done, len(tasks))
            part: Summed | None = self.scratch.get(f"sums-{each.number}", _SUMMED)
            if part is None:
                # nobody fell into this heap
                continue
            found.append(part)
            held += part.figures.cell.size + part.figures.leading.cell.size
            if held > _AT_ONCE + 2 * found[0].figures.cell.size:
                found, held = [Summed.joined(found, depth)], 0
        whole = Summed.joined(found, depth)
        run.report("putting sums together", 1, 1)
        return whole


def look_at_part(task: _Task) -> tuple[str, ...]:
    """What a part has; and deal its records by their units. Names what an earlier run left damaged."""
    scratch, damaged = Scratch(task.folder), list[str]()
    asked, name = scratch.get(_ASKED, ASKED_KINDS)
    dealt = asked.unit is None or scratch.sound(f"span-{task.number}", damaged)
    if scratch.sound(f"looked-{task.number}", damaged) and dealt:
        return ()
    table = task.parts.read(task.first, task.count, asked.columns, coded=True)
    part = Portion(Microdata.of(table, source=name), asked)
    if asked.key is not None:
        scratch.put_array(f"looked-{task.number}.keys", part.different_keys())
    if asked.unit is not None:
        heaps = (alike_of(table, asked.unit) % np.uint64(task.spans)).astype(np.int64)
        scratch.deal(task.number, _spelled_out(table, asked.unit), task.first, heaps, task.spans)
    scratch.put(f"looked-{task.number}.kept", part.looked())
    scratch.seal(f"looked-{task.number}", ("kept", *(() if asked.key is None else ("keys",))))
    return tuple(damaged)


def sum_part(task: _Task) -> None:
    """What a part, or the records of a heap, add up to."""
    scratch = Scratch(task.folder)
    asked, name = scratch.get(_ASKED, ASKED_KINDS)
    table, rows = _records(task, scratch, asked)
    part = Portion(Microdata.of(table, source=name), asked, rows) if table.num_rows else None
    # a heap of nobody is kept as such, so that one that is lost is not taken for it
    dimensions = scratch.get(_DIMENSIONS, (Hierarchy,))
    scratch.put(f"sums-{task.number}", None if part is None else part.summed(dimensions))


def _records(task: _Task, scratch: Scratch, asked: Asked) -> tuple[pa.Table, Ints]:
    if asked.unit is not None:
        return scratch.dealt(task.spans, task.number)
    table = task.parts.read(task.first, task.count, asked.columns, coded=True)
    return table, task.first + np.arange(table.num_rows)


def _spelled_out(table: pa.Table, column: str) -> pa.Table:
    """The same with the texts of a column as they are: a heap has few of the names that a part has."""
    cells = table[column]
    if not pa.types.is_dictionary(cells.type):
        return table
    return table.set_column(table.column_names.index(column), column, cells.cast(cells.type.value_type))


def _different(keys: Sequence[np.ndarray]) -> int:
    """How many different ones there are in several rising arrays of keys in [0, 1): a stretch at a time.

    As many stretches as arrays, so that one holds as many keys as an array where they were drawn evenly.
    """
    found, count = 0, len(keys)
    for number in range(count):
        low, high = number / count, (number + 1) / count
        ends = [np.searchsorted(each, [low, high]) for each in keys]
        found += np.unique(np.concatenate([each[a:b] for each, (a, b) in zip(keys, ends, strict=True)])).size
    return found
