"""Record of a release made in parts: counts and figures of all records, the rest of a sample."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from tacita.core import DisclosureWarning, Microdata, RecordsRelease, RunContext, Verdict
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

from .part_worker import PartSummary

# Approximate number of records of the sample.
SAMPLE = 100_000
# Names of parts that a warning lists.
_LISTED = 10


@dataclass(frozen=True, repr=False)
class Sample:
    """Whole groups of all parts, and the steps that reproduce their released values.

    If the file is no larger than a sample these are all groups, and `sampled` is False.
    """

    data: Microdata
    steps: tuple[Step, ...]
    parts: int
    sampled: bool

    @classmethod
    def of(
        cls,
        scratch: Scratch,
        protection: Protection,
        source: str,
        parts: Sequence[int],
        whole: Whole,
        passed_over: tuple[str, ...],
        share: float,
    ) -> Sample:
        """Read the sample that the parts kept; the steps reuse its groups."""
        tables = [scratch.table(f"made-{part}.sample") for part in parts]
        data = Microdata.of(pa.concat_tables(tables).combine_chunks(), source=source, whole=whole)
        data = replace(data.with_roles(protection.whole), skipped=passed_over)
        labels = np.concatenate(
            [
                np.column_stack([np.full(len(part_labels), part), part_labels])
                for part in parts
                for part_labels in [scratch.array(f"made-{part}.labels")]
            ]
        )
        steps = steps_for(data, protection.planned)
        if len(labels):
            groups = np.unique(labels, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)
            steps = tuple(
                replace(step, method=Given.of(step.method.own_parameters(), groups, step.method.group_size))
                if step.method.kind == "microaggregation" and step.method.group_size is not None
                else step
                for step in steps
            )
        return cls(data, steps, len(parts), share < 1)


def release_of_parts(
    sample: Sample,
    protection: Protection,
    summaries: Sequence[PartSummary],
    verdicts: tuple[Verdict, ...],
    accepted_risks: tuple[str, ...],
    strata: int,
    of_all: OfAll,
    run: RunContext,
    again: Sequence[str] = (),
    given_back: Sequence[Determined] = (),
) -> RecordsRelease:
    """Record and scores of the release; its data are the sample.

    `again` names parts that an earlier run left damaged and that were made again.
    """
    made = make(sample.data, sample.steps, run.branch(sample.parts), protection.protect)
    made = made.accepting(accepted_risks)
    release = recorded(made, sample.data, protection, verdicts, run, None, of_all, given_back)
    sizes: Counter[int] = Counter()
    for part in summaries:
        sizes.update(part.sizes)
    measures = suited(protection.measure, sample.data, coarser=only_coarser(made.steps)).build()
    of_sample = [measure.name for measure in measures if not _of_all(measure, of_all)]
    record = replace(
        release.record,
        records_in=sum(part.came for part in summaries),
        records_out=sum(part.stayed for part in summaries),
        groups=sum(sizes.values()) if sizes else None,
        group_sizes=dict(sorted(sizes.items())),
        strata=strata,
        verdicts=verdicts,
        warnings=gravest_first(
            (
                *((_of_a_sample(sample, of_sample),) if sample.sampled else ()),
                *((_made_again(again),) if again else ()),
                *release.record.warnings,
            )
        ),
    )
    return replace(release, record=record)


def _of_all(measure: Measure, of_all: OfAll) -> bool:
    """Whether a figure is computed from all records."""
    inputs = measure.asks()
    return measure in of_all.scores or (bool(inputs) and all(_of_all(part, of_all) for part in inputs))


def _of_a_sample(sample: Sample, names: Sequence[str]) -> DisclosureWarning:
    others = f"{'the measures ' if len(names) > 1 else ''}{spoken(names)}, " if names else ""
    return DisclosureWarning(
        "measured-on-a-sample",
        f"The file was made in {sample.parts} parts. All records were verified and measured; only "
        f"{others}pictures, warnings and counts of unique records are those of a sample of {sample.data.n} "
        "records, whole groups of all parts. A sample has relatively more unique records, so these counts "
        "are rather too high; but a warning may miss values that only few records have.",
        sample.data.n,
        "To compute these for all records, run tacita assess if they fit into memory.",
    )


def _made_again(names: Sequence[str]) -> DisclosureWarning:
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    listed = ", ".join(names[:_LISTED]) + more
    return DisclosureWarning(
        "parts-made-again",
        f"An earlier run of the same plan was interrupted, and parts of it were damaged: {listed}. They were "
        "discarded and made again from the source; the release was verified as usual.",
        len(names),
        "Check the disk of the output, and who may write to it.",
    )
