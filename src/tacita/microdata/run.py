"""From the sections of a plan to a verified, measured release, and to many of them side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from tacita.core import (
    DataError,
    Microdata,
    ParameterError,
    Record,
    RecordsRelease,
    Release,
    Report,
    Roles,
    Run,
    Trial,
    Trials,
)
from tacita.core.microdata import speakable
from tacita.core.release import AttributeSummary
from tacita.core.seeds import as_seed
from tacita.core.trials import Origin
from tacita.io import fingerprint_of
from tacita.io.formats.parquet import Parquet
from tacita.io.versions import versions

from . import cautions, restoring, verify
from .advice import against_advice, insisted_on
from .alignment import coded_alike, refuse_other_order, same_numbers
from .assess import context_columns, measure
from .plan import CompareSection, MeasureSection, ProtectSection
from .protect import protect
from .summary import summarise, summarise_categories
from .uniqueness import FEW, examine


def make_release(
    data: Microdata,
    roles: Roles,
    section: ProtectSection,
    measures: MeasureSection,
    run: Run | None,
) -> RecordsRelease:
    """Protect, verify, measure; every release of tacita is made here."""
    chosen = section.build()
    section.refuse_other_roles(roles)
    given = run or Run()
    steered = given if section.seed is None else replace(given, seed=as_seed(section.seed))
    insisted = insisted_on(against_advice(chosen, steered.seed, shuffle=section.shuffle), section.insist)
    data = data.with_roles(roles)
    made = protect(
        data,
        chosen,
        steered,
        missing=section.missing,
        round_integers=section.round_integers,
        shuffle=section.shuffle,
    )
    insisted += insisted_on(restoring.against_advice(made), section.insist)
    made = replace(made, claim=replace(made.claim, insisted=insisted))
    steered.report("verifying", 0, 1)
    verdicts = verify.insist(verify.verify(made.data, made.claim))
    steered.report("verifying", 1, 1)
    kept = np.sort(made.claim.rows)
    unchanged = [name for name in made.data.columns if name not in data.quasi]
    report = measure(
        made.original,
        made.released,
        data.quasi,
        suited(measures, data).build(),
        steered,
        context=context_columns(data, unchanged, kept),
        domains=domain_codes(data, measures.domains or roles.strata, kept),
        kinds=data.scales,
    )
    uniqueness = examine(data, made.claim.rows, made.data, made.claim.k, steered)
    record = Record(
        source=data.source,
        fingerprint=data.fingerprint or _fingerprint(data),
        method=section.chain,
        parameters=made.method.own_parameters(),
        roles=(data.roles or roles).model_dump(mode="json"),
        options=section.model_dump(
            mode="json", include=set(ProtectSection.model_fields) - {"method", "seed"}
        ),
        seed=steered.seed,
        records_in=data.n,
        records_out=made.data.n,
        groups=None if made.partition is None else len(made.partition),
        group_sizes={} if made.partition is None else _histogram(made.partition.sizes),
        strata=int(made.strata.max()) + 1,
        versions=versions(),
        verdicts=verdicts,
        cautions=cautions.find(made, uniqueness, shuffled=section.shuffle),
        not_promised=cautions.not_promised(made.claim),
        uniqueness=uniqueness,
        summaries=tuple(
            _summary(data, name, made.original[:, j], made.released[:, j], made.claim.k or FEW)
            for j, name in enumerate(data.quasi)
            if not np.isnan(made.original[:, j]).all()
        ),
        gap=None if made.partition is None else made.partition.gap,
        insisted=insisted,
    )
    return Release(made.data.native, report, record, made.claim)


def assess(
    before: Microdata, after: Microdata, roles: Roles, measures: MeasureSection, run: Run | None
) -> Report:
    """Measure a release, whoever made it: the same records in the same order."""
    if roles.quasi == "numeric":
        # identifiers that the release no longer has are not to be compared
        shared = [name for name in before.columns if name in after.columns]
        numbers = before.numeric_columns([name for name in shared if name not in roles.categorical])
        quasi = tuple(name for name in shared if name in numbers or name in roles.categorical)
        roles = roles.model_copy(update={"quasi": quasi})
        if not quasi:
            raise ParameterError(f"{after.source}: quasi='numeric' found no numeric column in both files.")
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
    x, z = coded_alike(before, after.with_roles(roles))
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
    )
    unique = examine(before, rows, after, None)
    # a measure of what was protected says nothing of the columns beside
    return replace(found, notes=(*found.notes, unique.headline)) if unique.unchanged.below_k else found


def suited(measures: MeasureSection, data: Microdata) -> MeasureSection:
    """The measures, and where none are named and there are categories, those of categories too."""
    of_categories = [name for name in ("GOWER_loss", "CATEGORIES") if name not in measures.without]
    categorical = any(scale != "numeric" for scale in data.scales)
    return measures.including(*of_categories) if measures.names is None and categorical else measures


def _summary(
    data: Microdata, name: str, before: npt.NDArray[np.float64], after: npt.NDArray[np.float64], fewest: int
) -> AttributeSummary:
    if data.scale(name) == "numeric":
        return summarise(name, before, after, fewest)
    return summarise_categories(name, before, after, data.levels(name).names, fewest)


def compare(
    data: Microdata,
    roles: Roles,
    base: ProtectSection,
    section: CompareSection,
    measures: MeasureSection,
    run: Run | None,
) -> Trials:
    """Make the release of every trial of a grid, keep its figures, and find the front."""
    grid = section.grid(base)
    measured = measures.including(section.loss, section.risk)
    # what is wrong with these is wrong with every trial
    data = data.with_roles(roles)
    domain_codes(data, measures.domains, np.empty(0, dtype=np.int64))
    data = replace(data, fingerprint=data.fingerprint or _fingerprint(data))

    steered = run or Run()
    inner = Run(seed=steered.seed, threads=steered.threads, cancelled=steered.cancelled)
    trials: list[Trial] = []
    failures: list[DataError | ParameterError] = []
    origin: Origin | None = None
    for done, (method, parameters) in enumerate(grid):
        steered.report(f"comparing {done + 1} of {len(grid)}", done, len(grid))
        try:
            release = make_release(data, roles, _protecting(base, method, parameters), measured, inner)
        except (DataError, ParameterError) as problem:
            failures.append(problem)
            trials.append(Trial(method=method, parameters=parameters, reason=str(problem)))
            continue
        record = release.record
        origin = origin or _origin(data, record)
        trials.append(
            Trial(
                method=method,
                parameters=record.parameters,
                report=_without_records(release.report),
                groups=record.groups,
            )
        )
    if len(failures) == len(trials):
        raise type(failures[0])(
            f"Compare: each of the {len(trials)} trials failed, nothing is left. The first: {failures[0]}"
        )
    steered.report(f"comparing {len(grid)} of {len(grid)}", len(grid), len(grid))
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


def domain_codes(
    data: Microdata, columns: Sequence[str], rows: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64] | None:
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
