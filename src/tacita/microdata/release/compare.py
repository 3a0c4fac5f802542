"""The releases of many methods and parameters side by side, of which the figures are kept."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from tacita.core import (
    Cancelled,
    DataError,
    Microdata,
    ParameterError,
    Record,
    Report,
    RequirementError,
    RunContext,
    Trial,
    Trials,
)
from tacita.core.results.progress import StopLatch
from tacita.core.results.trials import Origin
from tacita.microdata.measures.loss.relations import RelationsLost
from tacita.microdata.plans.plan import Protection
from tacita.microdata.plans.sections import CompareSection, ProtectSection
from tacita.microdata.protection.fingerprint import fingerprint_of_frame

from .record import domain_codes
from .release import make_release


def compare(
    data: Microdata,
    protection: Protection,
    section: CompareSection,
    run: RunContext | None,
) -> Trials:
    """Make the release of every trial of a grid, keep its figures, and find the front.

    A run that should stop keeps the trials made so far; the others, and the one that was interrupted unless
    it is the first, say that they were not tried.
    """
    base = protection.protect
    grid = section.grid(base)
    # a trial that loses all relations with unchanged columns must not look good for want of this figure
    watched = {RelationsLost.name} - {*protection.measure.without}
    measured = protection.measure.including(section.loss, section.risk, *watched)
    # what is wrong with these is wrong with every trial
    data = data.with_roles(protection.roles)
    domain_codes(data, measured.domains, np.empty(0, dtype=np.int64))
    data = replace(data, fingerprint=data.fingerprint or fingerprint_of_frame(data))

    steered = run or RunContext()
    stop_latch = StopLatch(steered.should_stop)
    trials: list[Trial] = []
    failures: list[DataError | ParameterError | RequirementError] = []
    origin: Origin | None = None

    def over() -> bool:
        return steered.should_cancel() or (origin is not None and stop_latch())

    # what the trials have in common, such as a tour through all records, is found once
    inner = replace(steered.silent().keeping(), should_cancel=over)
    for done, (method, parameters) in enumerate(grid):
        steered.report(f"comparing {done + 1} of {len(grid)}", done, len(grid))
        try:
            tried = protection.trying(_protecting(base, method, parameters), measured)
            release = make_release(data, tried, inner)
        except Cancelled:
            if steered.should_cancel():
                raise
            break
        except (DataError, ParameterError, RequirementError) as error:
            failures.append(error)
            trials.append(Trial(method=method, parameters=parameters, reason=str(error)))
            steered.on_trial(trials[-1])
            continue
        record = release.record
        origin = origin or _origin(data, record)
        figures = _without_records(release.report)
        trials.append(
            Trial(
                method=method,
                # a record leaves some defaults out; the requested parameters distinguish the trials
                parameters={**parameters, **record.parameters},
                report=figures,
                reason=next(
                    (warning.text for warning in record.warnings if warning.name == "search-stopped"), None
                ),
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
        why = f"Not tried: the comparison was stopped by the user after {stop_latch.after or 0.0:.1f} s."
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
