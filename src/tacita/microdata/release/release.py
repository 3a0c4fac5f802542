"""From the sections of a plan to a verified, measured release, and to many of them side by side."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from tacita.core import (
    Cancelled,
    DataError,
    InferenceError,
    Microdata,
    ParameterError,
    Record,
    RecordsRelease,
    Report,
    RequirementError,
    Run,
    Trial,
    Trials,
    Verdict,
)
from tacita.core.results.inferred_cells import Determined
from tacita.core.results.progress import Heard
from tacita.core.results.release import Claim
from tacita.core.results.score import Files
from tacita.core.results.trials import Origin
from tacita.core.spec.seeds import as_seed
from tacita.core.spec.setting_syntax import setting
from tacita.microdata import verify
from tacita.microdata.measures.evaluate import context_columns, measure, whole_files
from tacita.microdata.measures.loss.relations import RelationsLost
from tacita.microdata.measures.record_alignment import aligned, refuse_other_order, same_numbers
from tacita.microdata.plans.plan import Protection
from tacita.microdata.plans.requirements import RequireSection
from tacita.microdata.plans.sections import CompareSection, ProtectSection
from tacita.microdata.protection import membership
from tacita.microdata.protection.fingerprint import fingerprint_of_frame
from tacita.microdata.protection.pseudonyms import with_pseudonyms
from tacita.microdata.protection.safeguards import against_advice, insisted_on
from tacita.microdata.protection.steps import Made, make, steps_for
from tacita.microdata.statistics.sample_uniqueness import examine
from tacita.microdata.verify import WrittenFile
from tacita.microdata.warnings import rounding_attack

from .encode import encode
from .record import domain_codes, recorded, suited
from .requirement_checks import counting_by, judge, required


@dataclass(frozen=True, repr=False)
class ReleasedFile:
    """A release, and the verified bytes of its file."""

    release: RecordsRelease
    content: bytes


@dataclass(frozen=True, repr=False)
class _Verified:
    """What verification found of masked records: the verdicts, and what stands since somebody accepted it."""

    verdicts: tuple[Verdict, ...]
    accepted: tuple[str, ...]
    inferred: tuple[Determined, ...] = ()


def make_release(
    data: Microdata, asked: Protection, run: Run | None, *, to_look_at: bool = False
) -> RecordsRelease:
    """Protect, verify and measure records in memory, and judge them by what is required.

    A release `to_look_at` comes back although it does not meet a requirement, or other columns give back what
    it hid: for its confidential report alone.
    """
    return _released(data, asked, run, None, to_look_at)[0]


def make_file(
    data: Microdata, asked: Protection, run: Run | None, target: Path, *, to_look_at: bool = False
) -> ReleasedFile:
    """The same of the file that `target` will be: what is verified are its bytes. Nothing is written."""
    release, written = _released(data, asked, run, target, to_look_at)
    assert written is not None
    return ReleasedFile(release, written.content)


def _released(
    data: Microdata, asked: Protection, run: Run | None, target: Path | None, to_look_at: bool
) -> tuple[RecordsRelease, WrittenFile | None]:
    """The stages of every release: prepare and apply the steps, encode, verify, record."""
    steered, heard = _steered(run, asked)
    accepted = _accepted_of_plan(asked, steered)
    data, identified = with_pseudonyms(data.with_roles(asked.whole), asked.protect)
    made = make(data, steps_for(data, asked.planned), steered, asked.protect)
    accepted = tuple(dict.fromkeys((*accepted, *_accepted_of_values(made, asked))))
    claim = replace(made.claim, identified=identified, requirements=asked.require.requirements)
    made = _accepting(replace(made, claim=claim), accepted)
    steered.report("verifying", 0, 1)
    written = None if target is None else encode(made.data, made.claim, target)
    found = _verified(made, written, steered, insist=asked.protect.insist, to_look_at=to_look_at)
    steered.report("verifying", 1, 1)
    made = _accepting(made, found.accepted)
    release = recorded(made, data, asked, found.verdicts, steered, heard.after, given_back=found.inferred)
    return release, written


def _steered(run: Run | None, asked: Protection) -> tuple[Run, Heard]:
    """The run with the seed of the plan; its record tells what this run heard, not one before it."""
    given = run or Run()
    heard = Heard(given.enough)
    seed = given.seed if asked.protect.seed is None else as_seed(asked.protect.seed)
    return replace(given, seed=seed, enough=heard), heard


def _accepted_of_plan(asked: Protection, run: Run) -> tuple[str, ...]:
    """What is accepted although it is unwise, before any work; raises where it is not accepted."""
    section = asked.protect
    return tuple(
        name
        for step in asked.planned
        for name in insisted_on(
            against_advice(step.section.build(), run.seed, shuffle=section.shuffle), section.insist
        )
    )


def _accepted_of_values(made: Made, asked: Protection) -> tuple[str, ...]:
    """The same of what the steps made of the values."""
    accepted: list[str] = []
    for protected in made.protected:
        accepted += insisted_on(rounding_attack.against_advice(protected), asked.protect.insist)
        unwise = membership.against_advice(protected.method, protected.membership)
        accepted += insisted_on(unwise, asked.protect.insist)
    return tuple(accepted)


def _accepting(made: Made, accepted: tuple[str, ...]) -> Made:
    """The same, every claim of it with what was accepted."""
    steps = tuple(replace(step, insisted=accepted) for step in made.claim.steps)
    protected = tuple(replace(each, claim=replace(each.claim, insisted=accepted)) for each in made.protected)
    return replace(made, claim=replace(made.claim, insisted=accepted, steps=steps), protected=protected)


def _verified(
    made: Made, written: WrittenFile | None, run: Run, *, insist: bool, to_look_at: bool
) -> _Verified:
    """The verdicts on what is to be published, or an error.

    With `insist`, what other columns give back is accepted by name, and all else must hold.
    """
    accepted = made.claim.insisted
    try:
        verdicts = verify_release(made.data, made.claim, written, run, to_look_at=to_look_at)
        if to_look_at and insist:
            verify.insist(tuple(each for each in verdicts if each.inferred))
        return _Verified(verdicts, accepted)
    except InferenceError as refused:
        if not insist:
            raise
        accepted = (*accepted, verify.GIVEN_BACK)
        claim = _accepting(made, accepted).claim
        verdicts = verify_release(made.data, claim, written, run, to_look_at=to_look_at)
        return _Verified(verdicts, accepted, refused.found)


def verify_release(
    released: Microdata, claim: Claim, written: WrittenFile | None, run: Run, *, to_look_at: bool = False
) -> tuple[Verdict, ...]:
    """What a frame, or the file written of it, keeps of its promises and of what is required; or an error."""
    if written is None:
        kept = verify.insist(verify.verify(released, claim), to_look_at=to_look_at)
        return kept + required(claim, released, run, to_look_at=to_look_at)
    verify.insist(verify.verify_frame(released, claim))
    kept = verify.insist(verify.verify_file(written, claim), to_look_at=to_look_at)
    if claim.requirements:
        kept += required(claim, written.records(claim), run, to_look_at=to_look_at)
    # of the file alone, which a release in memory has not
    return tuple(each for each in kept if each.guarantee not in verify.OF_FILES)


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
    original: Microdata | None = None,
    *,
    unit: str | None = None,
    run: Run | None = None,
) -> tuple[Verdict, ...]:
    """Judge anybody's file by requirements; with its original, the same records in the same order.

    The original has roles; where there is none, `unit` is the column of the file whose units are counted.
    """
    if original is None:
        return judge(counting_by(unit, limits.requirements), Files(released), run)
    if original.n != released.n:
        raise DataError(
            f"{released.source}: wanted the {original.n} records of the original in its order, got "
            f"{released.n}. Check against the records that were released."
        )
    refuse_other_order(original, released, original.quasi)
    return judge(limits.requirements, whole_files(released, original, np.arange(original.n)), run)


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
    # a trial that loses all relations with unchanged columns must not look good for want of this figure
    watched = {RelationsLost.name} - {*asked.measure.without}
    measured = asked.measure.including(section.loss, section.risk, *watched)
    # what is wrong with these is wrong with every trial
    data = data.with_roles(asked.roles)
    domain_codes(data, measured.domains, np.empty(0, dtype=np.int64))
    data = replace(data, fingerprint=data.fingerprint or fingerprint_of_frame(data))

    steered = run or Run()
    heard = Heard(steered.enough)
    trials: list[Trial] = []
    failures: list[DataError | ParameterError | RequirementError] = []
    origin: Origin | None = None

    def over() -> bool:
        return steered.cancelled() or (origin is not None and heard())

    # what the trials have in common, such as a tour through all records, is found once
    inner = replace(steered.silent().keeping(), cancelled=over)
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
                # a record leaves some defaults out; what was asked for tells trials apart
                parameters={**parameters, **record.parameters},
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
