"""From the sections of a plan to a verified, measured release, and to many of them side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tacita.core import (
    Cancelled,
    DataError,
    Floats,
    Ints,
    Microdata,
    ParameterError,
    Record,
    RecordsRelease,
    Release,
    Report,
    RequirementError,
    Roles,
    Run,
    Trial,
    Trials,
    Verdict,
    registry,
)
from tacita.core.door import setting
from tacita.core.microdata import speakable
from tacita.core.notes import ColumnNotes
from tacita.core.options import ReleaseOptions
from tacita.core.pictures import Correlations, RiskByRecord
from tacita.core.progress import Heard
from tacita.core.release import AttributeSummary, Claim, Requirement, StepRecord, search_stopped
from tacita.core.score import Files
from tacita.core.seeds import as_seed
from tacita.core.trials import Origin
from tacita.io import fingerprint_of
from tacita.io.formats.parquet import Parquet
from tacita.io.versions import versions

from . import by_record, cautions, restoring, verify
from .advice import against_advice, insisted_on
from .alignment import Aligned, aligned, refuse_other_order, same_numbers
from .assess import context_columns, measure, whole_files
from .correlations import correlate
from .estimated import by_domain
from .plan import Protection
from .protect import Protected
from .require import RequireSection, judge, required
from .sections import CompareSection, MeasureSection, ProtectSection
from .steps import Made, Step, make, steps_for
from .summary import summarise, summarise_categories
from .uniqueness import FEW, examine


def make_release(data: Microdata, asked: Protection, run: Run | None) -> RecordsRelease:
    """Protect, verify, measure, judge by what is required; every release of tacita is made here."""
    section = asked.protect
    given = run or Run()
    # what a release hears is told in its record, not what one before it heard
    heard = Heard(given.enough)
    steered = replace(given, seed=given.seed if section.seed is None else as_seed(section.seed), enough=heard)
    planned = asked.planned
    insisted: tuple[str, ...] = ()
    for each in planned:
        unwise = against_advice(each.section.build(), steered.seed, shuffle=section.shuffle)
        insisted += insisted_on(unwise, section.insist)
    data = data.with_roles(asked.whole)
    made = make(data, steps_for(data, planned), steered, section)
    for protected in made.protected:
        insisted += insisted_on(restoring.against_advice(protected), section.insist)
    insisted = tuple(dict.fromkeys(insisted))
    claim = _insisting(made.claim, insisted, asked.require.requirements)
    made = replace(made, claim=claim, protected=tuple(_told(each, insisted) for each in made.protected))
    steered.report("verifying", 0, 1)
    verdicts = verify.insist(verify.verify(made.data, claim))
    verdicts += required(claim, made.data, steered)
    steered.report("verifying", 1, 1)
    kept = np.sort(claim.rows)
    stages = _measured(made, data, asked.measure, steered, kept)
    uniqueness = examine(data, claim.rows, made.data, claim.k, steered)
    shown, fewest = stages[-1], claim.k or FEW
    grouped = [each.partition for each in made.protected if each.partition is not None]
    partition = grouped[0] if len(grouped) == 1 else None
    record = Record(
        source=data.source,
        fingerprint=data.fingerprint or _fingerprint(data),
        method=tuple(name for each in planned for name in each.section.chain),
        parameters=made.protected[0].method.own_parameters() if len(planned) == 1 else {},
        roles=(data.roles or asked.whole).model_dump(mode="json", exclude=_unsaid(asked.roles)),
        options=section.model_dump(mode="json", include=set(ReleaseOptions.model_fields) - {"seed"}),
        seed=steered.seed,
        records_in=data.n,
        records_out=made.data.n,
        groups=None if partition is None else len(partition),
        group_sizes={} if partition is None else _histogram(partition.sizes),
        strata=max(int(each.strata.max()) + 1 for each in made.protected),
        versions=versions(),
        verdicts=verdicts,
        cautions=(
            *(() if heard.after is None else (search_stopped(heard.after),)),
            *cautions.find(made, uniqueness, shuffled=section.shuffle),
        ),
        not_promised=cautions.not_promised(claim),
        uniqueness=uniqueness,
        summaries=tuple(
            _summary(shown, j, name, fewest)
            for j, name in enumerate(data.quasi)
            if not np.isnan(shown.pair.after[:, j]).all()
        ),
        risks=_risks(made, data, shown, fewest, steered),
        correlations=_correlations(data.quasi, shown, fewest),
        estimates=by_domain(shown.files, steered),
        user_missing={name: each.user_missing for name, each in _noted(data) if each.user_missing},
        gap=None if partition is None else partition.gap,
        insisted=insisted,
        steps=tuple(
            StepRecord(
                step.method.kind,
                step.names,
                protected.method.own_parameters(),
                step.columns,
                step.by_unit,
                None if protected.partition is None else len(protected.partition),
                standing.guarantees,
                stage.report,
                protected.search,
            )
            for step, protected, standing, stage in zip(
                made.steps, made.protected, claim.steps or (claim,), stages, strict=True
            )
        ),
        withdrawn=made.withdrawn,
    )
    return Release(made.data.native, shown.report, record, claim)


def _noted(data: Microdata) -> Iterable[tuple[str, ColumnNotes]]:
    return () if data.notes is None else data.notes.columns.items()


def _unsaid(roles: Roles) -> set[str]:
    # told where it is asked for: records of earlier releases do not know it
    return set() if roles.unit_columns else {"unit_columns"}


def _insisting(claim: Claim, insisted: tuple[str, ...], asked: tuple[Requirement, ...]) -> Claim:
    steps = tuple(replace(step, insisted=insisted) for step in claim.steps)
    return replace(claim, insisted=insisted, requirements=asked, steps=steps)


def _told(protected: Protected, insisted: tuple[str, ...]) -> Protected:
    return replace(protected, claim=replace(protected.claim, insisted=insisted))


@dataclass(frozen=True, repr=False)
class _Stage:
    """The file after a step beside the source: protected columns on both sides, and the figures of it."""

    pair: Aligned
    report: Report
    beside: Mapping[str, Floats]
    files: Files


def _measured(made: Made, data: Microdata, measures: MeasureSection, run: Run, kept: Ints) -> list[_Stage]:
    """Loss and risk after each step, of the columns that any step protects, against the source."""
    present = made.present or (kept,)
    if not made.stages:
        (one,) = made.protected
        texts = one.texts or {n: data.levels(n).names for n in data.quasi if data.scale(n) != "numeric"}
        # what a value was counts although it was taken away
        before = one.original if one.claim.suppressed is None else data.coded(data.quasi)[kept]
        pairs = [Aligned(before, one.released, data.scales, texts)]
        files = [whole_files(made.data, data, made.claim.rows, measures.domains)]
    else:
        both = [aligned(data, stage) for stage in made.stages]
        pairs = [replace(each, before=each.before[rows]) for each, rows in zip(both, present, strict=True)]
        files = [
            whole_files(stage, data, rows, measures.domains)
            for stage, rows in zip(made.stages, present, strict=True)
        ]
    unchanged = [name for name in made.data.columns if name not in data.quasi]
    roles = data.roles
    domains = measures.domains or (roles.strata if roles is not None else ())
    context = [context_columns(data, unchanged, rows) for rows in present]
    return [
        _Stage(
            pair,
            measure(
                pair.before,
                pair.after,
                data.quasi,
                suited(measures, data, coarser=_only_coarser(made.steps)).build(),
                run,
                context=beside,
                domains=domain_codes(data, domains, rows),
                kinds=pair.kinds,
                files=whole,
            ),
            beside,
            whole,
        )
        for pair, whole, rows, beside in zip(pairs, files, present, context, strict=True)
    ]


def assess(before: Microdata, after: Microdata, asked: Protection, run: Run | None) -> Report:
    """Measure a release, whoever made it: the same records in the same order."""
    roles, measures = asked.roles, asked.measure
    if roles.quasi == "numeric":
        # identifiers that the release no longer has are not to be compared
        shared = [name for name in before.columns if name in after.columns]
        numbers = before.numeric_columns([name for name in shared if name not in roles.categorical])
        quasi = tuple(name for name in shared if name in numbers or name in roles.categorical)
        roles = roles.model_copy(update={"quasi": quasi})
        if not quasi:
            said = setting("roles", "quasi", "numeric")
            raise ParameterError(f"{after.source}: {said} found no numeric column in both files.")
    before = before.with_roles(roles)
    absent = [name for name in before.quasi if name not in after.columns]
    if absent:
        raise ParameterError(f"{after.source}: the release has no column {', '.join(absent)}.")
    if before.n != after.n:
        raise DataError(
            f"{after.source}: wanted the {before.n} records of the original in its order, got {after.n}. "
            "Assess against the records that were released."
        )
    refuse_other_order(before, after, before.quasi)
    pair = aligned(before, after)
    x, z = pair.before, pair.after
    if (np.isnan(x) | np.isnan(z)).any(axis=1).all():
        raise DataError(f"{after.source}: every record has a missing value, there is nothing to measure.")
    beside = [name for name in before.columns if name in after.columns and name not in before.quasi]
    unchanged = [name for name in beside if same_numbers(before, after, name)]
    rows = np.arange(before.n)
    found = measure(
        x,
        z,
        before.quasi,
        suited(measures, before).build(),
        run or Run(),
        context=context_columns(before, unchanged, rows),
        domains=domain_codes(before, measures.domains, rows),
        kinds=before.scales,
        files=whole_files(after, before, rows, measures.domains),
    )
    unique = examine(before, rows, after, None)
    # a measure of what was protected says nothing of the columns beside
    return replace(found, notes=(*found.notes, unique.headline)) if unique.unchanged.below_k else found


def check(
    released: Microdata,
    limits: RequireSection,
    original: Microdata | None,
    roles: Roles | None,
    run: Run | None,
) -> tuple[Verdict, ...]:
    """Judge anybody's file by requirements; with its original, the same records in the same order."""
    if original is None or roles is None:
        return judge(limits.requirements, Files(released), run)
    original = original.with_roles(roles)
    if original.n != released.n:
        raise DataError(
            f"{released.source}: wanted the {original.n} records of the original in its order, got "
            f"{released.n}. Check against the records that were released."
        )
    refuse_other_order(original, released, original.quasi)
    return judge(limits.requirements, whole_files(released, original, np.arange(original.n)), run)


def suited(measures: MeasureSection, data: Microdata, *, coarser: bool = False) -> MeasureSection:
    """The measures, and where none are named and there are categories, those of categories too."""
    categorical = any(scale != "numeric" for scale in data.scales)
    return measures.with_categories(coarser=coarser) if categorical else measures


def _only_coarser(steps: Sequence[Step]) -> bool:
    """Whether labels were made coarser or withheld, and none exchanged: each stands for what it replaced."""
    of_labels = [step.method.kind for step in steps if set(step.method.takes) != {"numeric"}]
    return bool(of_labels) and set(of_labels) <= set(registry.CATEGORICAL)


def _summary(stage: _Stage, j: int, name: str, fewest: int) -> AttributeSummary:
    before, after = stage.pair.before[:, j], stage.pair.after[:, j]
    if stage.pair.kinds[j] == "numeric":
        return summarise(name, before, after, fewest)
    return summarise_categories(name, before, after, stage.pair.texts[name], fewest)


def _risks(made: Made, data: Microdata, stage: _Stage, fewest: int, run: Run) -> tuple[RiskByRecord, ...]:
    # what a value became is plain where it was recoded, or is shown at all
    plain = registry.CATEGORICAL
    changed = {name for step in made.steps if step.method.kind not in plain for name in step.columns}
    recoded = {name for name in data.quasi if name not in changed}
    unchanged = [name for name in made.data.columns if name not in data.quasi]
    pair = stage.pair
    found = (
        by_record.of_protected(
            pair.before, pair.after, data.quasi, pair.kinds, recoded, stage.report, fewest, run
        ),
        by_record.of_unchanged(made.data, unchanged, fewest),
    )
    return tuple(each for each in found if each is not None)


def _correlations(quasi: Sequence[str], stage: _Stage, fewest: int) -> Correlations | None:
    numeric = [j for j, kind in enumerate(stage.pair.kinds) if kind == "numeric"]
    if not numeric:
        return None
    beside = list(stage.beside.values())
    before, after = (
        np.column_stack([side[:, numeric], *beside]) for side in (stage.pair.before, stage.pair.after)
    )
    return correlate(before, after, [*(quasi[j] for j in numeric), *stage.beside], fewest)


def compare(
    data: Microdata,
    asked: Protection,
    section: CompareSection,
    run: Run | None,
) -> Trials:
    """Make the release of every trial of a grid, keep its figures, and find the front.

    Told that it is enough, it keeps the trials made so far; those that were not made say so. The one at work
    is among these, unless it is the first.
    """
    base = asked.protect
    grid = section.grid(base)
    measured = asked.measure.including(section.loss, section.risk)
    # what is wrong with these is wrong with every trial
    data = data.with_roles(asked.roles)
    domain_codes(data, measured.domains, np.empty(0, dtype=np.int64))
    data = replace(data, fingerprint=data.fingerprint or _fingerprint(data))

    steered = run or Run()
    heard = Heard(steered.enough)
    trials: list[Trial] = []
    failures: list[DataError | ParameterError | RequirementError] = []
    origin: Origin | None = None

    def over() -> bool:
        return steered.cancelled() or (origin is not None and heard())

    inner = replace(steered.silent(), cancelled=over)
    for done, (method, parameters) in enumerate(grid):
        steered.report(f"comparing {done + 1} of {len(grid)}", done, len(grid))
        try:
            tried = asked.trying(_protecting(base, method, parameters), measured)
            release = make_release(data, tried, inner)
        except Cancelled:
            if steered.cancelled():
                raise
            break
        except (DataError, ParameterError, RequirementError) as problem:
            failures.append(problem)
            trials.append(Trial(method=method, parameters=parameters, reason=str(problem)))
            steered.on_trial(trials[-1])
            continue
        record = release.record
        origin = origin or _origin(data, record)
        figures = _without_records(release.report)
        trials.append(
            Trial(
                method=method,
                parameters=record.parameters,
                report=figures,
                reason=next((each.text for each in record.cautions if each.name == "search-stopped"), None),
                groups=record.groups,
            )
        )
        steered.on_trial(trials[-1])
    if len(failures) == len(trials):
        raise type(failures[0])(
            f"Compare: each of the {len(trials)} trials failed, nothing is left. The first: {failures[0]}"
        )
    steered.report(f"comparing {len(grid)} of {len(grid)}", len(grid), len(grid))
    if left := grid[len(trials) :]:
        why = f"Not tried: the comparison was stopped by the user after {heard.after or 0.0:.1f} s."
        trials += [Trial(method=method, parameters=parameters, reason=why) for method, parameters in left]
    return Trials.of(trials, loss=section.loss, risk=section.risk, origin=origin)


def _protecting(base: ProtectSection, method: str, parameters: dict[str, Any]) -> ProtectSection:
    options = {name: getattr(base, name) for name in ProtectSection.model_fields}
    return ProtectSection(**{**options, "method": method}, **parameters)


def _origin(data: Microdata, record: Record) -> Origin:
    return Origin(
        source=record.source,
        fingerprint=record.fingerprint,
        records=record.records_in,
        roles=record.roles,
        options=record.options,
        seed=record.seed,
        versions=record.versions,
        uniqueness=record.uniqueness,
        path=data.path,
    )


def _without_records(report: Report) -> Report:
    # figures per record belong to single people, and sixty trials of them would fill the memory
    return replace(report, scores=tuple(replace(score, per_record=None) for score in report))


def domain_codes(data: Microdata, columns: Sequence[str], rows: Ints) -> Ints | None:
    """The part of the population each of some rows is in; None where no columns are named."""
    unknown = [name for name in columns if name not in data.columns]
    if unknown:
        raise ParameterError(f"{data.source}: there is no column {speakable(unknown)}. Name other domains.")
    return data.codes(columns)[rows] if columns else None


def _histogram(sizes: np.ndarray) -> dict[int, int]:
    size, count = np.unique(sizes, return_counts=True)
    return dict(zip(size.tolist(), count.tolist(), strict=True))


def _fingerprint(data: Microdata) -> str | None:
    """SHA-256 of a frame's content, None where it has no canonical form."""
    try:
        return fingerprint_of(Parquet().encode(data))
    except DataError:
        return None
