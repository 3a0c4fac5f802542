"""What is told of a release made in parts: counts of all records, figures of a sample of whole groups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from tacita.core import Caution, Microdata, RecordsRelease, Run, Verdict
from tacita.core.whole import Whole
from tacita.io.scratch import Scratch
from tacita.microdata.microaggregation.given import Given
from tacita.microdata.plan import Protection
from tacita.microdata.recording import recorded
from tacita.microdata.steps import make, steps_for

from .making import PartTold

# Records that are measured, about.
SAMPLE = 100_000


def told(
    scratch: Scratch,
    asked: Protection,
    source: str,
    parts: Sequence[int],
    answers: Sequence[PartTold],
    whole: Whole,
    verdicts: tuple[Verdict, ...],
    insisted: tuple[str, ...],
    strata: int,
    passed_over: tuple[str, ...],
    run: Run,
) -> RecordsRelease:
    """Record and scores of the release, and as its data the sample that they are of.

    The sample is made again from its own records, with the groups that they have: groups are drawn whole, so
    that what is published of a record is what the file has for it.
    """
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
    made = make(data, steps, run.branch(len(parts)), asked.protect)
    claim = replace(made.claim, insisted=insisted)
    made = replace(
        made,
        claim=claim,
        protected=tuple(
            replace(each, claim=replace(each.claim, insisted=insisted)) for each in made.protected
        ),
    )
    release = recorded(made, data, asked, verdicts, run, None)
    sizes: Counter[int] = Counter()
    for each in answers:
        sizes.update(each.sizes)
    record = replace(
        release.record,
        records_in=sum(each.came for each in answers),
        records_out=sum(each.stayed for each in answers),
        groups=sum(sizes.values()) if sizes else None,
        group_sizes=dict(sorted(sizes.items())),
        strata=strata,
        verdicts=verdicts,
        cautions=(_sampled(data.n, len(parts)), *release.record.cautions),
    )
    return replace(release, record=record)


def _sampled(records: int, parts: int) -> Caution:
    return Caution(
        "measured-on-a-sample",
        f"The file was made in {parts} parts. All records were verified; scores, warnings and counts of "
        f"unique records are those of a sample of {records} records, whole groups of all parts. Among fewer "
        "records more are alone and more are linked: the risks told here are rather too high than too low.",
        records,
        "For figures of all records, run tacita assess where they fit into memory.",
    )
