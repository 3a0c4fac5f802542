"""Compares methods and parameters: makes one release for each and keeps its figures."""

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
    Run,
    Trial,
    Trials,
)
from tacita.core.results.progress import Heard
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
    run: Run | None,
) -> Trials:
    """Make the release of every trial of a grid, keep its figures, and find the front.

    When the user stops the comparison, finished trials are kept and the others are marked as not tried. The
    running trial counts as not tried, unless it is the first.
    """
    base = protection.protect
    grid = section.grid(base)
    # a trial that loses all relations with unchanged columns must show it
    always = {RelationsLost.name} - {*protection.measure.without}
    measures = protection.measure.including(section.loss, section.risk, *always)
    # errors of roles and domains concern every trial
    data = data.with_roles(protection.roles)
    domain_codes(data, measures.domains, np.empty(0, dtype=np.int64))
    data = replace(data, fingerprint=data.fingerprint or fingerprint_of_frame(data))

    run = run or Run()
    stop = Heard(run.enough)
    trials: list[Trial] = []
    failures: list[DataError | ParameterError | RequirementError] = []
    origin: Origin | None = None

    def cancelled() -> bool:
        return run.cancelled() or (origin is not None and stop())

    # results that trials share, such as a tour through all records, are computed once
    inner = replace(run.silent().keeping(), cancelled=cancelled)
    for done, (method, parameters) in enumerate(grid):
        run.report(f"comparing {done + 1} of {len(grid)}", done, len(grid))
        try:
            trial = protection.trying(_protecting(base, method, parameters), measures)
            release = make_release(data, trial, inner)
        except Cancelled:
            if run.cancelled():
                raise
            break
        except (DataError, ParameterError, RequirementError) as error:
            failures.append(error)
            trials.append(Trial(method=method, parameters=parameters, reason=str(error)))
            run.on_trial(trials[-1])
            continue
        record = release.record
        origin = origin or _origin(data, record)
        figures = _without_records(release.report)
        trials.append(
            Trial(
                method=method,
                # a record omits some defaults; the requested values distinguish trials
                parameters={**parameters, **record.parameters},
                report=figures,
                reason=next(
                    (warning.text for warning in record.cautions if warning.name == "search-stopped"), None
                ),
                groups=record.groups,
            )
        )
        run.on_trial(trials[-1])
    if len(failures) == len(trials):
        raise type(failures[0])(
            f"Compare: each of the {len(trials)} trials failed, nothing is left. The first: {failures[0]}"
        )
    run.report(f"comparing {len(grid)} of {len(grid)}", len(grid), len(grid))
    if not_tried := grid[len(trials) :]:
        why = f"Not tried: the comparison was stopped by the user after {stop.after or 0.0:.1f} s."
        trials += [
            Trial(method=method, parameters=parameters, reason=why) for method, parameters in not_tried
        ]
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
    # figures of single records are confidential, and those of sixty trials would fill the memory
    return replace(report, scores=tuple(replace(score, per_record=None) for score in report))
