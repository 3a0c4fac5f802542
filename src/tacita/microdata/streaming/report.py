"""What is told of a release made in parts: counts and figures of all records, the rest of a sample."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from tacita.core import Caution, Microdata, RecordsRelease, RunContext, Verdict
from tacita.core.data.global_statistics import Whole
from tacita.core.results.inferred_cells import Determined
from tacita.core.results.warning_severity import gravest_first
from tacita.io.workdir import Scratch
from tacita.microdata.measures.evaluate import OfAll
from tacita.microdata.measures.measure import Measure
from tacita.microdata.methods.microaggregation.microaggregation_method import Given
from tacita.microdata.plans.plan import Protection
from tacita.microdata.protection.steps import Step, make, steps_for
from tacita.microdata.release.record import only_coarser, recorded, suited
from tacita.microdata.statistics.sample_uniqueness import spoken

from .part_worker import PartTold

# Records of the sample, about.
SAMPLE = 100_000
# Names of parts that a warning lists.
_SHOWN = 10


@dataclass(frozen=True, repr=False)
class Sample:
    """Whole groups of all parts, and the steps that make of them what the file has for them.

    Of a file that is no larger than a sample they are all groups: then nothing is `sampled`.
    """

    data: Microdata
    steps: tuple[Step, ...]
    parts: int
    sampled: bool

    @classmethod
    def of(
        cls,
        scratch: Scratch,
        asked: Protection,
        source: str,
        parts: Sequence[int],
        whole: Whole,
        passed_over: tuple[str, ...],
        share: float,
    ) -> Sample:
        """What the parts have kept: groups are drawn whole, and given to the steps as they were."""
        tables = [scratch.table(f"made-{part}.sample") for part in parts]
        data = Microdata.of(pa.concat_tables(tables).combine_chunks(), source=source, whole=whole)
        data = replace(data.with_roles(asked.whole), skipped=passed_over)
        labels = np.concatenate(
            [
                np.column_stack([np.full(len(own), part), own])
                for part in parts
                for own in [scratch.array(f"made-{part}.labels")]
            ]
        )
        steps = steps_for(data, asked.planned)
        if len(labels):
            groups = np.unique(labels, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)
            steps = tuple(
                replace(step, method=Given.of(step.method.own_parameters(), groups, step.method.group_size))
                if step.method.kind == "microaggregation" and step.method.group_size is not None
                else step
                for step in steps
            )
        return cls(data, steps, len(parts), share < 1)


def told(
    sample: Sample,
    asked: Protection,
    answers: Sequence[PartTold],
    verdicts: tuple[Verdict, ...],
    insisted: tuple[str, ...],
    strata: int,
    of_all: OfAll,
    run: RunContext,
    again: Sequence[str] = (),
    given_back: Sequence[Determined] = (),
) -> RecordsRelease:
    """Record and scores of the release, and as its data the sample that the rest is told of.

    `again` names what an earlier run left damaged, and was made again.
    """
    made = make(sample.data, sample.steps, run.branch(sample.parts), asked.protect)
    made = made.accepting(insisted)
    release = recorded(made, sample.data, asked, verdicts, run, None, of_all, given_back)
    sizes: Counter[int] = Counter()
    for each in answers:
        sizes.update(each.sizes)
    measures = suited(asked.measure, sample.data, coarser=only_coarser(made.steps)).build()
    of_few = [each.name for each in measures if not _of_all(each, of_all)]
    record = replace(
        release.record,
        records_in=sum(each.came for each in answers),
        records_out=sum(each.stayed for each in answers),
        groups=sum(sizes.values()) if sizes else None,
        group_sizes=dict(sorted(sizes.items())),
        strata=strata,
        verdicts=verdicts,
        cautions=gravest_first(
            (
                *((_of_a_sample(sample, of_few),) if sample.sampled else ()),
                *((_made_again(again),) if again else ()),
                *release.record.cautions,
            )
        ),
    )
    return replace(release, record=record)


def _of_all(measure: Measure, of_all: OfAll) -> bool:
    """Whether a figure is one of all records."""
    asked = measure.asks()
    return measure in of_all.scores or (bool(asked) and all(_of_all(each, of_all) for each in asked))


def _of_a_sample(sample: Sample, names: Sequence[str]) -> Caution:
    others = f"{'the measures ' if len(names) > 1 else ''}{spoken(names)}, " if names else ""
    return Caution(
        "measured-on-a-sample",
        f"The file was made in {sample.parts} parts. All records were verified and measured; only "
        f"{others}pictures, warnings and counts of unique records are told of a sample of {sample.data.n} "
        "records, whole groups of all parts. Among fewer records more are alone, so these counts are rather "
        "too high; but what only few records have may be missed by a warning.",
        sample.data.n,
        "For these of all records, run tacita assess where they fit into memory.",
    )


def _made_again(names: Sequence[str]) -> Caution:
    shown = ", ".join(names[:_SHOWN]) + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")
    return Caution(
        "parts-made-again",
        f"An earlier run of the same plan was interrupted, and some of what it left was damaged: {shown}. It "
        "was discarded and made again from the source; the release was verified as ever.",
        len(names),
        "Check the disk that holds the output, and who may write to it.",
    )
