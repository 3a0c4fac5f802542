"""The independent verifier of files beyond memory: source and written file read anew, part by part.

The maker of the file declares which part every record of the source belongs to, and the claim of each part.
Here both files are read again, stretch by stretch, every record of the source is looked for in exactly one
part, and every promise is checked on each part as on a whole file. What holds of every part holds of all: two
rows of one part are two rows of the file, so k records in a part are at least k in all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from tacita.core import Ints, Microdata, VerificationError
from tacita.core.data.global_statistics import Whole
from tacita.core.results.inferred_cells import Determined
from tacita.core.results.verdicts import Verdict
from tacita.io.canonical_arrow import without_memory
from tacita.io.claim_store import CLAIM_KINDS
from tacita.io.parquet_dataset import ParquetParts, in_one_piece, taken
from tacita.io.workdir import Scratch

from . import CHECKS, verify
from .file_metadata import parquet_says_more

PLAIN = "file-plain"


@dataclass(frozen=True)
class PairTask:
    """A stretch of the source, and where its records that stayed begin in the written file."""

    folder: Path
    source: ParquetParts
    written: ParquetParts
    parts: tuple[int, ...]
    number: int
    first: int
    count: int
    written_first: int
    written_count: int


def deal_pair(task: PairTask) -> None:
    """Sort a stretch of both files by the part that is claimed for each record. O(n log n)."""
    scratch = Scratch(task.folder)
    source = task.source.read(task.first, task.count)
    part, stays = claimed_parts(scratch, task)
    if int(stays.sum()) != task.written_count:
        raise VerificationError(_refused("other records were counted than are claimed"))
    written = task.written.read(task.written_first, task.written_count)
    for name, table, own in (("source", source, part), ("written", written, part[stays])):
        order = np.argsort(own, kind="stable")
        scratch.put_table(f"pair-{task.number}.{name}", taken(table, order))
        ends = np.cumsum(np.bincount(own, minlength=max(task.parts) + 1))
        scratch.put_array(f"pair-{task.number}.{name}-ends", ends)


def claimed_parts(scratch: Scratch, task: PairTask) -> tuple[Ints, np.ndarray]:
    """The part of each record of a stretch, and whether it stays; raises unless there is exactly one."""
    part = np.full(task.count, -1, dtype=np.int64)
    stays = np.zeros(task.count, dtype=bool)
    seen = 0
    for number in task.parts:
        for name, staying in (("rows", True), ("dropped", False)):
            rows = scratch.array(f"made-{number}.{name}")
            begin, end = np.searchsorted(rows, [task.first, task.first + task.count]).tolist()
            here = np.asarray(rows[begin:end]) - task.first
            part[here], stays[here] = number, staying
            seen += here.size
    if seen != task.count or (part < 0).any():
        raise VerificationError(_refused("a record of the source is in no part, or in several"))
    return part, stays


def _refused(what: str) -> str:
    return (
        f"The release failed its verification and was not written. rows-complete: {what}. This is a fault of "
        "the program or of a plug-in, not of the data: please report it."
    )


@dataclass(frozen=True)
class JudgeTask:
    """A part to be judged; the facts of the whole file that its promises speak of."""

    folder: Path
    source: str
    spans: int
    part: int
    whole: Whole
    accepted_risks: tuple[str, ...] = ()


def judge_part(task: JudgeTask) -> tuple[Verdict, ...]:
    """Try to refute every promise of a part, on its records as they were read again from both files."""
    scratch = Scratch(task.folder)
    source, written = (read_again(scratch, task.spans, task.part, name) for name in ("source", "written"))
    original = Microdata.of(source, source=task.source, whole=task.whole)
    claim = scratch.get(f"made-{task.part}.claim", CLAIM_KINDS).unpacked(original)
    claim = replace(claim, accepted_risks=(*claim.accepted_risks, *task.accepted_risks))
    claim = replace(
        claim, steps=tuple(replace(step, accepted_risks=claim.accepted_risks) for step in claim.steps)
    )
    # content of a file other than its cells is judged on the file itself, not on a piece of it
    released = Microdata.of(without_memory(written), source="release")
    return verify(released, claim)


def read_again(scratch: Scratch, spans: int, part: int, name: str) -> pa.Table:
    """The records of a part, of the source or as they were written, from what was read again."""
    pieces = []
    for number in range(spans):
        ends = scratch.array(f"pair-{number}.{name}-ends")
        begin, end = int(ends[part - 1]) if part else 0, int(ends[part])
        pieces.append(scratch.table(f"pair-{number}.{name}").slice(begin, end - begin))
    return in_one_piece(pa.concat_tables(pieces))


def together(by_part: Sequence[tuple[Verdict, ...]]) -> tuple[Verdict, ...]:
    """One verdict for each promise: it holds of the file where it holds of every part."""
    merged: dict[tuple[str, int | None], Verdict] = {}
    for number, part in enumerate(by_part, 1):
        for verdict in part:
            key = verdict.guarantee, verdict.step
            before = merged.get(key)
            if before is None or before.passed:
                where = "" if verdict.passed else f" (in part {number} of {len(by_part)})"
                merged[key] = replace(verdict, detail=verdict.detail + where)
            if before is not None and (before.inferred or verdict.inferred):
                merged[key] = replace(merged[key], inferred=_added((*before.inferred, *verdict.inferred)))
    return tuple(merged.values())


def _added(inferred: Sequence[Determined]) -> tuple[Determined, ...]:
    """What follows of the hidden cells of each column in all parts."""
    merged: dict[tuple[str, str], Determined] = {}
    for cells in inferred:
        before = merged.setdefault((cells.column, cells.hidden), cells)
        if before is not cells:
            counts = [count for count in (before.exposed, cells.exposed) if count is not None]
            merged[cells.column, cells.hidden] = replace(
                before,
                columns=tuple(dict.fromkeys((*before.columns, *cells.columns))),
                cells=before.cells + cells.cells,
                of=before.of + cells.of,
                exposed=sum(counts) if counts else None,
                refused=before.refused or cells.refused,
                narrowed=before.narrowed + cells.narrowed,
            )
    return tuple(merged.values())


def judge_file(path: Path, columns: Sequence[str]) -> Verdict:
    """Whether the written file holds nothing but names and cells."""
    with pa.memory_map(str(path)) as file:
        fault = parquet_says_more(file.read_buffer(), list(columns))
    return Verdict(
        guarantee=PLAIN, promise=CHECKS[PLAIN].promise, passed=fault is None, detail=fault or "holds"
    )
