"""Runs a plan on a file larger than memory, up to a verified file that is not yet renamed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from tacita.core import InferenceError, Microdata, RecordsRelease, Run, Verdict
from tacita.core.results.inferred_cells import Determined
from tacita.core.results.score import Files
from tacita.core.spec.options import Missing
from tacita.core.spec.seeds import as_seed
from tacita.executors import Executor, ExecutorSection, opened
from tacita.io import fingerprint_of
from tacita.io.parts import ParquetParts, write_pieces
from tacita.io.versions import versions
from tacita.io.workdir import Scratch
from tacita.microdata import verify
from tacita.microdata.measures.evaluate import OfAll, usable_numbers
from tacita.microdata.plans.plan import Protection
from tacita.microdata.protection.checks import refuse_small_strata
from tacita.microdata.protection.safeguards import accepted_of_plan
from tacita.microdata.protection.steps import Step, steps_for
from tacita.microdata.release.record import only_coarser, suited
from tacita.microdata.release.requirement_checks import insist, judge
from tacita.microdata.verify.parts import JudgeTask, PairTask, judge_file, together

from .global_scan import Dealt, survey
from .merge import in_order
from .part_worker import PartMade, PartTask
from .partial_measures import AnswerTask, measured_of_all
from .partition import DEAL, DEAL_KINDS, SPAN, Deal, SpanTask, dealt_by_place
from .report import SAMPLE, Sample, told
from .unsupported import columns_named, refuse_whole_files

_HERE = "tacita.microdata.streaming"


@dataclass(frozen=True, repr=False)
class MadeInParts:
    """The record of a release, and the path of its verified file."""

    release: RecordsRelease
    file: Path


@contextmanager
def made_in_parts(
    source: ParquetParts,
    name: str,
    target: Path,
    asked: Protection,
    section: ExecutorSection,
    run: Run | None,
) -> Iterator[MadeInParts]:
    """Make, write and verify a release part by part; temporary files are removed at the end.

    Only a run that is killed leaves them, and the same plan on the same file then resumes from them. Time
    O(n log n) plus that of the method; the memory of a few parts.
    """
    run = run or Run()
    run = replace(run, seed=run.seed if asked.protect.seed is None else as_seed(asked.protect.seed))
    run.report("looking at all records", 0, 1)
    fingerprint = source.fingerprint()
    as_folder = not target.suffix
    scratch = Scratch.beside(target, _run_id(asked, section, fingerprint, run, as_folder))
    with scratch.alone():
        try:
            with opened(section) as executor:
                made = _Work(
                    source=source,
                    name=name,
                    asked=asked,
                    section=section,
                    run=run,
                    scratch=scratch,
                    executor=executor,
                    as_folder=as_folder,
                ).made()
            record = replace(made.release.record, fingerprint=fingerprint)
            yield replace(made, release=replace(made.release, record=record))
        finally:
            scratch.remove()


def _run_id(asked: Protection, section: ExecutorSection, fingerprint: str, run: Run, as_folder: bool) -> str:
    """Identifies runs whose parts and written files are the same."""
    plan = asked.model_dump_json(include=set(Protection.model_fields))
    inputs = f"{plan} {section.part} {fingerprint} {run.seed} {as_folder} {versions()}"
    return fingerprint_of(inputs.encode())[:16]


@dataclass(frozen=True, repr=False)
class _Work:
    """One run in parts."""

    source: ParquetParts
    name: str
    asked: Protection
    section: ExecutorSection
    run: Run
    scratch: Scratch
    executor: Executor
    as_folder: bool

    def made(self) -> MadeInParts:
        insisted = accepted_of_plan(self.asked, self.run.seed)
        first = Microdata.of(self.source.read(0, 2), source=self.name).with_roles(self.asked.whole)
        asked = self._resolved(first)
        steps = steps_for(first, asked.planned)
        refuse_whole_files(asked, steps, self.source.names, self.section.name)
        again: list[str] = []
        deal = self._deal(asked, steps, first.skipped, again)
        spans = self.source.spans(SPAN)
        damaged = self._map(
            "dealing records into parts",
            f"{_HERE}.partition:deal_span",
            [SpanTask(self.scratch.folder, self.source, n, *span) for n, span in enumerate(spans)],
        )
        share = min(1.0, SAMPLE / self.source.rows)
        tasks = [
            PartTask(
                folder=self.scratch.folder,
                asked=asked,
                source=self.name,
                part=part,
                spans=len(spans),
                seed=self.run.seed,
                threads=self._threads,
                share=share,
                insisted=insisted,
                requirements=asked.require.requirements,
            )
            for part in range(deal.parts)
        ]
        made: list[PartMade] = self._map("making parts", f"{_HERE}.part_worker:make_part", tasks)
        parts = [number for number, part in enumerate(made) if part.told.came]
        answers = [part.told for part in made if part.told.came]
        again = [*again, *chain(*damaged), *chain(*(part.damaged for part in made))]
        if any(part.anew for part in made):
            # without a seed, a part that is made again has other values
            self.scratch.discard("released")
        file = self.scratch.path("released.parquet")
        if not self.scratch.sound("released", again):
            pieces = in_order(self.scratch, parts, self.source.rows, self.run)
            self.scratch.place(
                "released.parquet", lambda path: write_pieces(path, pieces, as_folder=self.as_folder)
            )
            self.scratch.seal("released", ("parquet",))
        given_back: tuple[Determined, ...] = ()
        try:
            verdicts = self._verified(file, parts, deal)
        except InferenceError as error:
            if not asked.protect.insist:
                raise
            given_back, insisted = error.found, (*insisted, verify.GIVEN_BACK)
            verdicts = self._verified(file, parts, deal, insisted)
        verdicts += self._required(file)
        sample = Sample.of(self.scratch, asked, self.name, parts, deal.whole, first.skipped, share)
        of_all = self._measured(sample, asked, steps, parts, deal, len(spans))
        strata = max(len(deal.strata), 1)
        release = told(
            sample, asked, answers, verdicts, insisted, strata, of_all, self.run, again, given_back
        )
        return MadeInParts(release, file)

    def _measured(
        self,
        sample: Sample,
        asked: Protection,
        steps: Sequence[Step],
        parts: list[int],
        deal: Deal,
        spans: int,
    ) -> OfAll:
        """Figures of all records, unless the sample is all of them."""
        if not sample.sampled:
            return OfAll()
        data = sample.data
        measures = suited(asked.measure, data, coarser=only_coarser(steps)).build()
        written = ParquetParts.at(self.scratch.path("released.parquet"))
        others = [name for name in written.names if name not in data.quasi]
        numbers = [name for name in others if usable_numbers(data, name) is not None]
        tasks = [
            AnswerTask(
                folder=self.scratch.folder,
                asked=asked,
                source=self.name,
                spans=spans,
                part=part,
                whole=deal.whole,
                threads=self._threads,
            )
            for part in parts
        ]
        return measured_of_all(measures, data, numbers, tasks, self.executor, self.run)

    @property
    def _threads(self) -> int:
        """Number of threads for each process."""
        return max(1, self.run.threads // self.executor.workers)

    def _map(self, stage: str, function: str, tasks: Sequence[Any]) -> list[Any]:
        return self.executor.map(stage, function, tasks, self.run)

    def _resolved(self, first: Microdata) -> Protection:
        """The plan with columns named one by one."""
        if self.asked.steps or self.asked.roles.quasi != "numeric":
            return self.asked
        return self.asked.model_copy(update={"roles": first.roles})

    def _deal(
        self, asked: Protection, steps: tuple[Step, ...], passed_over: Sequence[str], damaged: list[str]
    ) -> Deal:
        """The partition of the records: that of an earlier run if it is undamaged, otherwise a new one."""
        if self.scratch.sound("deal", damaged):
            deal: Deal = self.scratch.get(DEAL, DEAL_KINDS)
            return deal
        for beginning in ("span-", "made-", "released."):
            # files of another partition
            self.scratch.drop(beginning)
        grouping = [step for step in steps if step.method.kind == "microaggregation"]
        numeric = grouping[0].columns if grouping else ()
        gaps_apart = bool(grouping) and grouping[0].missing == "stratum"
        strata = asked.whole.strata if grouping else ()
        dealt = Dealt(numeric, strata, gaps_apart, _columns_of(steps, "drop"))
        complete = _columns_of(steps, "refuse")
        facts = survey(
            *(self.source, self.name, asked.whole, dealt, complete, self.run), passed_over=passed_over
        )
        if grouping:
            k = grouping[0].method.group_size or 1
            if grouping[0] is steps[0]:
                counts = np.array(list(facts.strata.values()))
                refuse_small_strata(self.name, counts, k, "records", grouping[0].missing)
            # both sides of a cut must have k records
            deal = dealt_by_place(facts, dealt, max(self.section.part, 2 * k))
        else:
            size = self.section.part
            deal = Deal(
                dealt=dealt,
                roles=facts.roles,
                whole=facts.whole,
                strata={},
                parts=-(-self.source.rows // size),
                by_number=size,
            )
        self.scratch.put(DEAL, deal)
        self.scratch.seal("deal", (DEAL.partition(".")[2],))
        return deal

    def _verified(
        self, file: Path, parts: list[int], deal: Deal, insisted: tuple[str, ...] = ()
    ) -> tuple[Verdict, ...]:
        """The verdicts on the written file, or an error. Never reused from an earlier run."""
        self.scratch.drop("pair-")
        written = ParquetParts.at(file)
        tasks, begin = [], 0
        for number, (first, count) in enumerate(self.source.spans(SPAN)):
            stayed = sum(_between(self.scratch.array(f"made-{p}.rows"), first, count) for p in parts)
            tasks.append(
                PairTask(
                    folder=self.scratch.folder,
                    source=self.source,
                    written=written,
                    parts=tuple(parts),
                    number=number,
                    first=first,
                    count=count,
                    written_first=begin,
                    written_count=stayed,
                )
            )
            begin += stayed
        if begin != written.rows:
            fault = f"wanted {begin} records, got {written.rows}"
            verify.insist(
                (
                    Verdict(
                        guarantee="rows-complete",
                        promise=verify.CHECKS["rows-complete"].promise,
                        passed=False,
                        detail=fault,
                    ),
                )
            )
        self._map("reading both files again", "tacita.microdata.verify.parts:deal_pair", tasks)
        judged = self._map(
            "verifying parts",
            "tacita.microdata.verify.parts:judge_part",
            [
                JudgeTask(
                    folder=self.scratch.folder,
                    source=self.name,
                    spans=len(tasks),
                    part=part,
                    whole=deal.whole,
                    insisted=insisted,
                )
                for part in parts
            ],
        )
        plain = together([(judge_file(path, written.names),) for path in written.files])
        verdicts = (*together(judged), *plain)
        return verify.insist(verdicts)

    def _required(self, file: Path) -> tuple[Verdict, ...]:
        """The verdicts on requirements of the finished file, read in the columns that they name."""
        requirements = self.asked.require.requirements
        if not requirements:
            return ()
        written = ParquetParts.at(file)
        columns = columns_named(requirements, written.names)
        data = Microdata.of(written.read(0, written.rows, columns), source="release")
        return insist(judge(requirements, Files(released=data), self.run))


def _columns_of(steps: Sequence[Step], missing: Missing) -> tuple[str, ...]:
    """The columns of steps with this treatment of missing values."""
    return tuple(dict.fromkeys(name for step in steps if step.missing == missing for name in step.columns))


def _between(rows: np.ndarray, first: int, count: int) -> int:
    begin, end = np.searchsorted(rows, [first, first + count]).tolist()
    return int(end - begin)
