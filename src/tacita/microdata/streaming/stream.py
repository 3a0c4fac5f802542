"""A plan on a file beyond memory, from the first look to a verified file that waits for its name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from tacita.core import InferenceError, Microdata, RecordsRelease, RunContext, Verdict
from tacita.core.results.inferred_cells import Determined
from tacita.core.results.score import Files
from tacita.core.spec.release_options import Missing
from tacita.core.spec.seeds import as_seed
from tacita.executors import Executor, ExecutorSection, opened
from tacita.io import fingerprint_of
from tacita.io.parquet_dataset import ParquetParts, write_pieces
from tacita.io.versions import versions
from tacita.io.workdir import Scratch
from tacita.microdata import verify
from tacita.microdata.measures.evaluate import OfAll, usable_numbers
from tacita.microdata.plans.plan import Protection
from tacita.microdata.protection.checks import check_stratum_sizes
from tacita.microdata.protection.safeguards import accepted_of_plan
from tacita.microdata.protection.steps import Step, steps_for
from tacita.microdata.release.record import only_coarser, suited
from tacita.microdata.release.requirement_checks import judge, require_met
from tacita.microdata.verify.large_files import JudgeTask, PairTask, judge_file, together

from .global_scan import Dealt, survey
from .merge import in_order
from .part_worker import PartMade, PartTask
from .partial_measures import StatisticTask, measured_of_all
from .partition import DEAL, DEAL_KINDS, SPAN, Deal, SpanTask, dealt_by_place
from .report import SAMPLE, Sample, release_of_parts
from .unsupported import check_streamable, columns_named

_HERE = "tacita.microdata.streaming"


@dataclass(frozen=True, repr=False)
class MadeInParts:
    """A release with its record, and the path of its verified file."""

    release: RecordsRelease
    file: Path


@contextmanager
def made_in_parts(
    source: ParquetParts,
    name: str,
    target: Path,
    protection: Protection,
    section: ExecutorSection,
    run: RunContext | None,
) -> Iterator[MadeInParts]:
    """Make, write and verify a release part by part; what lies on disk meanwhile is gone afterwards.

    Only a run that is killed leaves it, and the same plan on the same file then goes on from there. Time
    O(n log n) besides the method, memory that of a few parts.
    """
    context = run or RunContext()
    steered = replace(
        context, seed=context.seed if protection.protect.seed is None else as_seed(protection.protect.seed)
    )
    steered.report("looking at all records", 0, 1)
    fingerprint = source.fingerprint()
    as_folder = not target.suffix
    scratch = Scratch.beside(target, _mark(protection, section, fingerprint, steered, as_folder))
    with scratch.alone():
        try:
            with opened(section) as executor:
                made = _Work(
                    source=source,
                    name=name,
                    protection=protection,
                    section=section,
                    run=steered,
                    scratch=scratch,
                    executor=executor,
                    as_folder=as_folder,
                ).made()
            record = replace(made.release.record, fingerprint=fingerprint)
            yield replace(made, release=replace(made.release, record=record))
        finally:
            scratch.remove()


def _mark(
    protection: Protection, section: ExecutorSection, fingerprint: str, run: RunContext, as_folder: bool
) -> str:
    """Tells runs apart whose parts would differ, or what is written of them."""
    plan = protection.model_dump_json(include=set(Protection.model_fields))
    text = f"{plan} {section.part} {fingerprint} {run.seed} {as_folder} {versions()}"
    return fingerprint_of(text.encode())[:16]


@dataclass(frozen=True, repr=False)
class _Work:
    """One run in parts."""

    source: ParquetParts
    name: str
    protection: Protection
    section: ExecutorSection
    run: RunContext
    scratch: Scratch
    executor: Executor
    as_folder: bool

    def made(self) -> MadeInParts:
        accepted_risks = accepted_of_plan(self.protection, self.run.seed)
        first = Microdata.of(self.source.read(0, 2), source=self.name).with_roles(self.protection.whole)
        protection = self._resolved(first)
        steps = steps_for(first, protection.planned)
        check_streamable(protection, steps, self.source.names, self.section.name)
        again: list[str] = []
        deal = self._deal(protection, steps, first.skipped, again)
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
                protection=protection,
                source=self.name,
                part=part,
                spans=len(spans),
                seed=self.run.seed,
                threads=self._threads,
                share=share,
                accepted_risks=accepted_risks,
                requirements=protection.require.requirements,
            )
            for part in range(deal.parts)
        ]
        made: list[PartMade] = self._map("making parts", f"{_HERE}.part_worker:make_part", tasks)
        parts = [part for part, part_made in enumerate(made) if part_made.summary.came]
        summaries = [part_made.summary for part_made in made if part_made.summary.came]
        again = [*again, *chain(*damaged), *chain(*(part_made.damaged for part_made in made))]
        if any(part_made.anew for part_made in made):
            # without a seed a part that is made again has other values
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
        except InferenceError as refused:
            if not protection.protect.accepts(verify.GIVEN_BACK):
                raise
            given_back, accepted_risks = refused.determined, (*accepted_risks, verify.GIVEN_BACK)
            verdicts = self._verified(file, parts, deal, accepted_risks)
        verdicts += self._required(file)
        sample = Sample.of(self.scratch, protection, self.name, parts, deal.whole, first.skipped, share)
        of_all = self._measured(sample, protection, steps, parts, deal, len(spans))
        strata = max(len(deal.strata), 1)
        release = release_of_parts(
            sample,
            protection,
            summaries,
            verdicts,
            accepted_risks,
            strata,
            of_all,
            self.run,
            again,
            given_back,
        )
        return MadeInParts(release, file)

    def _measured(
        self,
        sample: Sample,
        protection: Protection,
        steps: Sequence[Step],
        parts: list[int],
        deal: Deal,
        spans: int,
    ) -> OfAll:
        """Figures of all records, unless the sample is all of them."""
        if not sample.sampled:
            return OfAll()
        data = sample.data
        measures = suited(protection.measure, data, coarser=only_coarser(steps)).build()
        written = ParquetParts.at(self.scratch.path("released.parquet"))
        beside = [name for name in written.names if name not in data.quasi]
        numbers = [name for name in beside if usable_numbers(data, name) is not None]
        tasks = [
            StatisticTask(
                folder=self.scratch.folder,
                protection=protection,
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
        """How many each process may use."""
        return max(1, self.run.threads // self.executor.workers)

    def _map(self, stage: str, function: str, tasks: Sequence[Any]) -> list[Any]:
        return self.executor.map(stage, function, tasks, self.run)

    def _resolved(self, first: Microdata) -> Protection:
        """The plan with its columns by name."""
        if self.protection.steps or self.protection.roles.quasi != "numeric":
            return self.protection
        return self.protection.model_copy(update={"roles": first.roles})

    def _deal(
        self, protection: Protection, steps: tuple[Step, ...], passed_over: Sequence[str], damaged: list[str]
    ) -> Deal:
        """How records are dealt: looked up where an earlier run left it, and named where that is damaged."""
        if self.scratch.sound("deal", damaged):
            deal: Deal = self.scratch.get(DEAL, DEAL_KINDS)
            return deal
        for beginning in ("span-", "made-", "released."):
            # they are of other parts, if any
            self.scratch.drop(beginning)
        grouping = [step for step in steps if step.method.kind == "microaggregation"]
        numeric = grouping[0].columns if grouping else ()
        gaps_apart = bool(grouping) and grouping[0].missing == "stratum"
        strata = protection.whole.strata if grouping else ()
        dealt = Dealt(numeric, strata, gaps_apart, _columns_of(steps, "drop"))
        complete = _columns_of(steps, "refuse")
        facts = survey(
            *(self.source, self.name, protection.whole, dealt, complete, self.run), passed_over=passed_over
        )
        if grouping:
            k = grouping[0].method.group_size or 1
            if grouping[0] is steps[0]:
                counts = np.array(list(facts.strata.values()))
                check_stratum_sizes(self.name, counts, k, "records", grouping[0].missing)
            # what is cut must leave k records on either side
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
        self, file: Path, parts: list[int], deal: Deal, accepted_risks: tuple[str, ...] = ()
    ) -> tuple[Verdict, ...]:
        """The verdicts on the file as it was written, or an error. Never taken from an earlier run."""
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
            verify.require_passed(
                (
                    Verdict(
                        guarantee="rows-complete",
                        promise=verify.CHECKS["rows-complete"].promise,
                        passed=False,
                        detail=fault,
                    ),
                )
            )
        self._map("reading both files again", "tacita.microdata.verify.large_files:deal_pair", tasks)
        judged = self._map(
            "verifying parts",
            "tacita.microdata.verify.large_files:judge_part",
            [
                JudgeTask(
                    folder=self.scratch.folder,
                    source=self.name,
                    spans=len(tasks),
                    part=part,
                    whole=deal.whole,
                    accepted_risks=accepted_risks,
                )
                for part in parts
            ],
        )
        plain = together([(judge_file(path, written.names),) for path in written.files])
        verdicts = (*together(judged), *plain)
        return verify.require_passed(verdicts)

    def _required(self, file: Path) -> tuple[Verdict, ...]:
        """What is required of the finished file, judged on the columns that the requirements name."""
        requirements = self.protection.require.requirements
        if not requirements:
            return ()
        written = ParquetParts.at(file)
        columns = columns_named(requirements, written.names)
        data = Microdata.of(written.read(0, written.rows, columns), source="release")
        return require_met(judge(requirements, Files(released=data), self.run))


def _columns_of(steps: Sequence[Step], missing: Missing) -> tuple[str, ...]:
    """The columns of steps that treat missing values in that way."""
    return tuple(dict.fromkeys(name for step in steps if step.missing == missing for name in step.columns))


def _between(rows: np.ndarray, first: int, count: int) -> int:
    begin, end = np.searchsorted(rows, [first, first + count]).tolist()
    return int(end - begin)
