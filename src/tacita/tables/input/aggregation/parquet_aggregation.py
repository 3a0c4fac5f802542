"""Records of Parquet that an executor sums up: part by part, the same table to the last bit.

1. Every part is scanned for its labels and for records that cannot be summed. Where units are named, its
   records are partitioned by unit into as many heaps, so that all records of a unit are in one.
2. The labels of all parts make the dimensions, and records that cannot be summed are refused with their count
   in the file.
3. Every part, or heap, is summed, and the sums are merged.

Working files are readable by their owner alone, and removed afterwards. Tasks and their results hold paths
and numbers of parts, no values.
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
from .table_request import REQUEST_KINDS, Looked, TableRequest, check_distinct_keys

_HERE = "tacita.tables.input.aggregation.parquet_aggregation"
# Cells and contributions that are merged at a time, in addition to those merged before.
_AT_ONCE = 1_000_000
# Scratch entries that all parts share, and the classes they may hold.
_REQUEST = "request"
_DIMENSIONS = "dimensions"
_SUMMED = (Summed, Sums, ExactSums, KeySums, Figures, Contributions)
# Names of parts that a message lists.
_SHOWN = 10


@dataclass(frozen=True, eq=False)
class RecordParts:
    """The records of Parquet, a file or a folder of them, with their name and their executor.

    Working files are in a folder next to the file `beside`, such as the one that is to be written.
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
        """Check that all columns are there."""
        # an empty record: reading a real one would read its whole row group
        nothing = pa.table({name: [None] for name in self.parts.names})
        Microdata.of(nothing, source=self.source).require(columns)

    @cached_property
    def fingerprint(self) -> str:
        """That of the file, or of all files."""
        return self.parts.fingerprint()

    def summed(self, spec: TableRequest) -> tuple[list[Hierarchy], Summed]:
        """The dimensions of the records, and their sums.

        O(n log n) time. Each process holds the records of a part, or where units are named about as many: it
        holds all records of its units, even of a unit with more records than a part. This process holds
        figures of all cells that have records, and the largest contributions of each. Where units are named,
        the requested columns are written to disk.
        """
        self.run.report("looking at all records", 0, 1)
        spanning = [*spec.division.names], dict(spec.division.parents)
        inputs = (spanning, spec.behind, self.source, self.section.part, versions(), self.fingerprint)
        mark = fingerprint_of(repr(inputs).encode())[:16]
        scratch = Scratch.beside(self.beside, mark)
        with scratch.alone():
            try:
                with opened(self.section) as executor:
                    return _Work(self, spec, scratch, executor).done()
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
    spec: TableRequest
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
        self.scratch.put(_REQUEST, (self.spec, self.records.source))
        damaged = self.executor.map("looking at all records", f"{_HERE}:look_at_part", tasks, run)
        if again := [name for names in damaged for name in names]:
            run.report(f"made again, for they were damaged: {', '.join(again[:_SHOWN])}", 1, 1)
        made = self._dimensions(tasks)
        self.scratch.put(_DIMENSIONS, made)
        # where an earlier run was killed, its hierarchies may have been others
        self.scratch.drop("sums-")
        self.executor.map("summing records", f"{_HERE}:sum_part", tasks, run)
        return made, self._together(tasks)

    def _dimensions(self, tasks: Sequence[_Task]) -> list[Hierarchy]:
        """The dimensions of all labels; refuses records that cannot be summed, with their count."""
        name = self.records.source
        looked: Looked = reduce(add, (self._looked(task) for task in tasks))
        looked.check(self.spec, name)
        made = self.spec.dimensions(looked, name)
        if self.spec.key is not None:
            keys = [self.scratch.array(f"looked-{task.number}.keys") for task in tasks]
            check_distinct_keys(self.spec, name, _different(keys), looked.records)
        return made

    def _looked(self, task: _Task) -> Looked:
        looked: Looked = self.scratch.get(f"looked-{task.number}.kept", (Looked, Extent))
        return looked

    def _together(self, tasks: Sequence[_Task]) -> Summed:
        """Merge the sums of all parts, several at a time, so that cells are not visited for each part."""
        run, depth = self.records.run, self.spec.depth
        summed, held = list[Summed](), 0
        for done, task in enumerate(tasks):
            run.report("putting sums together", done, len(tasks))
            part: Summed | None = self.scratch.get(f"sums-{task.number}", _SUMMED)
            if part is None:
                # this heap has no records
                continue
            summed.append(part)
            held += part.figures.cell.size + part.figures.leading.cell.size
            if held > _AT_ONCE + 2 * summed[0].figures.cell.size:
                summed, held = [Summed.joined(summed, depth)], 0
        whole = Summed.joined(summed, depth)
        run.report("putting sums together", 1, 1)
        return whole


def look_at_part(task: _Task) -> tuple[str, ...]:
    """Scan a part, and partition its records by unit; names the damaged files of an earlier run."""
    scratch, damaged = Scratch(task.folder), list[str]()
    spec, name = scratch.get(_REQUEST, REQUEST_KINDS)
    dealt = spec.unit is None or scratch.sound(f"span-{task.number}", damaged)
    if scratch.sound(f"looked-{task.number}", damaged) and dealt:
        return ()
    table = task.parts.read(task.first, task.count, spec.columns, coded=True)
    part = Portion(Microdata.of(table, source=name), spec)
    if spec.key is not None:
        scratch.put_array(f"looked-{task.number}.keys", part.different_keys())
    if spec.unit is not None:
        heaps = (alike_of(table, spec.unit) % np.uint64(task.spans)).astype(np.int64)
        scratch.deal(task.number, _spelled_out(table, spec.unit), task.first, heaps, task.spans)
    scratch.put(f"looked-{task.number}.kept", part.looked())
    scratch.seal(f"looked-{task.number}", ("kept", *(() if spec.key is None else ("keys",))))
    return tuple(damaged)


def sum_part(task: _Task) -> None:
    """Sum the records of a part, or of a heap."""
    scratch = Scratch(task.folder)
    spec, name = scratch.get(_REQUEST, REQUEST_KINDS)
    table, rows = _records(task, scratch, spec)
    part = Portion(Microdata.of(table, source=name), spec, rows) if table.num_rows else None
    # an empty heap is stored as such, to tell it from a lost one
    dimensions = scratch.get(_DIMENSIONS, (Hierarchy,))
    scratch.put(f"sums-{task.number}", None if part is None else part.summed(dimensions))


def _records(task: _Task, scratch: Scratch, spec: TableRequest) -> tuple[pa.Table, Ints]:
    if spec.unit is not None:
        return scratch.dealt(task.spans, task.number)
    table = task.parts.read(task.first, task.count, spec.columns, coded=True)
    return table, task.first + np.arange(table.num_rows)


def _spelled_out(table: pa.Table, column: str) -> pa.Table:
    """The same table with a column as plain text: a heap has few of the names that a part has."""
    cells = table[column]
    if not pa.types.is_dictionary(cells.type):
        return table
    return table.set_column(table.column_names.index(column), column, cells.cast(cells.type.value_type))


def _different(keys: Sequence[np.ndarray]) -> int:
    """How many different ones there are in several rising arrays of keys in [0, 1): a stretch at a time.

    As many stretches as arrays, so that one holds as many keys as an array where they were drawn evenly.
    """
    distinct, count = 0, len(keys)
    for number in range(count):
        low, high = number / count, (number + 1) / count
        ends = [np.searchsorted(array, [low, high]) for array in keys]
        distinct += np.unique(
            np.concatenate([array[a:b] for array, (a, b) in zip(keys, ends, strict=True)])
        ).size
    return distinct
