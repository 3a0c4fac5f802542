"""Measures a release and writes its record."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tacita.core import (
    Floats,
    Ints,
    Microdata,
    ParameterError,
    Record,
    RecordsRelease,
    Release,
    Report,
    Roles,
    RunContext,
    Verdict,
)
from tacita.core.data.column_metadata import ColumnNotes
from tacita.core.data.microdata import join_names
from tacita.core.results.inferred_cells import Determined
from tacita.core.results.plot_data import Correlations, RiskByRecord
from tacita.core.results.release import AttributeSummary, Claim, StepRecord, search_stopped
from tacita.core.results.score import Files
from tacita.core.results.warning_severity import gravest_first
from tacita.core.spec import registry
from tacita.core.spec.release_options import ReleaseOptions
from tacita.core.spec.roles import OF_STEPS
from tacita.io.versions import versions
from tacita.microdata import warnings
from tacita.microdata.measures import record_risk
from tacita.microdata.measures.correlations import correlate
from tacita.microdata.measures.distributions import summarise, summarise_categories
from tacita.microdata.measures.evaluate import OfAll, context_columns, measure, whole_files
from tacita.microdata.measures.population_estimates import by_domain
from tacita.microdata.measures.record_alignment import Aligned, aligned
from tacita.microdata.plans.plan import Protection
from tacita.microdata.plans.sections import MeasureSection
from tacita.microdata.protection.fingerprint import fingerprint_of_frame
from tacita.microdata.protection.steps import PipelineResult, Step
from tacita.microdata.statistics.sample_uniqueness import FEW, examine
from tacita.microdata.statistics.unit_counts import unit_codes


def recorded(
    made: PipelineResult,
    data: Microdata,
    protection: Protection,
    verdicts: tuple[Verdict, ...],
    run: RunContext,
    stopped: float | None,
    of_all: OfAll | None = None,
    given_back: Sequence[Determined] = (),
) -> RecordsRelease:
    """The release with its figures and its record; `stopped` says after how many seconds a search was.

    `of_all` has the figures of all records, where the data is a sample of them; `given_back` the hidden cells
    that other columns determine, where that risk was accepted.
    """
    claim, planned, section = made.claim, protection.planned, protection.protect
    kept = np.sort(claim.rows)
    stages = _measured(made, data, protection.measure, run, kept, of_all)
    uniqueness = examine(data, claim.rows, made.data, _hiding(claim), run)
    shown, fewest = stages[-1], claim.k or FEW
    estimates = by_domain(shown.files, run)
    grouped = [step.partition for step in made.protected if step.partition is not None]
    partition = grouped[0] if len(grouped) == 1 else None
    record = Record(
        source=data.source,
        fingerprint=data.fingerprint or fingerprint_of_frame(data),
        method=tuple(name for step in planned for name in step.section.chain),
        parameters=made.protected[0].method.own_parameters() if len(planned) == 1 else {},
        roles=(data.roles or protection.whole).model_dump(
            mode="json", exclude=_unrecorded_roles(protection.roles)
        ),
        options=section.model_dump(
            mode="json", include=set(ReleaseOptions.model_fields) - _unrecorded(protection.roles, section)
        ),
        seed=run.seed,
        records_in=data.n,
        records_out=made.data.n,
        groups=None if partition is None else len(partition),
        group_sizes={} if partition is None else _histogram(partition.sizes),
        strata=max(int(step.strata.max()) + 1 for step in made.protected),
        versions=versions(),
        verdicts=verdicts,
        warnings=gravest_first(
            (
                *(() if stopped is None else (search_stopped(stopped),)),
                *warnings.find(
                    warnings.Finished(
                        made=made,
                        uniqueness=uniqueness,
                        files=shown.files,
                        report=shown.report,
                        estimates=estimates,
                        inferred=(*given_back, *(cell for verdict in verdicts for cell in verdict.inferred)),
                        shuffled=section.shuffle,
                    )
                ),
            )
        ),
        not_promised=warnings.not_promised(claim),
        uniqueness=uniqueness,
        summaries=tuple(
            _summary(shown, j, name, fewest)
            for j, name in enumerate(data.quasi)
            if not np.isnan(shown.pair.after[:, j]).all()
        ),
        risks=_risks(made, data, shown, fewest, run),
        correlations=_correlations(data.quasi, shown, fewest),
        estimates=estimates,
        user_missing={name: note.user_missing for name, note in _noted(data) if note.user_missing},
        gap=None if partition is None else partition.gap,
        accepted_risks=claim.accepted_risks,
        steps=tuple(
            StepRecord(
                kind=step.method.kind,
                method=step.names,
                parameters=protected.method.own_parameters(),
                columns=step.columns,
                by_unit=step.by_unit,
                groups=None if protected.partition is None else len(protected.partition),
                promises=standing.guarantees,
                report=stage.report,
                search=protected.search,
                as_they_were=warnings.as_they_were(protected),
            )
            for step, protected, standing, stage in zip(
                made.steps, made.protected, claim.steps or (claim,), stages, strict=True
            )
        ),
        withdrawn=made.withdrawn,
    )
    return Release(made.data.native, shown.report, record, claim)


def _hiding(claim: Claim) -> int | None:
    """The smallest k for which records, or the values of a column, still hide among k; None without one.

    The k of a synthesis is no such number: k records stand behind a drawn value, but the other columns of
    a record hide nothing.
    """
    steps = [step for step in claim.steps or (claim,) if _OF_RECORDS & set(step.guarantees)]
    return min((step.k for step in steps if step.k is not None), default=None)


def _noted(data: Microdata) -> Iterable[tuple[str, ColumnNotes]]:
    return () if data.notes is None else data.notes.columns.items()


# Roles that every record of a release lists, whether columns have them or not.
_ALWAYS_RECORDED = (*OF_STEPS, "identifiers", "confidential", "strata", "unit", "weight", "hierarchy")


def _unrecorded_roles(roles: Roles) -> set[str]:
    # other roles are recorded where they are set: records of earlier releases do not know them
    return {name for name in Roles.model_fields if name not in _ALWAYS_RECORDED and not getattr(roles, name)}


def _unrecorded(roles: Roles, options: ReleaseOptions) -> set[str]:
    # the seed has a place of its own; where the key lies is no business of a report
    empty = {"pseudonym_length": roles.pseudonyms, "accept": options.accept}
    return {"seed", "pseudonym_key", *(name for name, needed in empty.items() if not needed)}


@dataclass(frozen=True, repr=False)
class _Stage:
    """The file after a step and the source: protected columns on both sides, and their scores."""

    pair: Aligned
    report: Report
    beside: Mapping[str, Floats]
    files: Files


def _measured(
    made: PipelineResult,
    data: Microdata,
    measures: MeasureSection,
    run: RunContext,
    kept: Ints,
    of_all: OfAll | None,
) -> list[_Stage]:
    """Loss and risk after each step, of the columns that any step protects, against the source."""
    present = made.present or (kept,)
    if not made.stages:
        (one,) = made.protected
        texts = one.texts or {n: data.levels(n).names for n in data.quasi if data.scale(n) != "numeric"}
        # what a value was counts although it was taken away
        before = one.original if one.claim.suppressed is None else data.coded(data.quasi)[kept]
        pairs = [Aligned(before, one.released, data.scales, texts)]
        files = [
            whole_files(
                made.data,
                data,
                made.claim.rows,
                measures.domains,
                recodings=made.claim.recodings,
                keys=_keys(made),
            )
        ]
    else:
        keys = _keys(made)
        both = [aligned(data, stage) for stage in made.stages]
        pairs = [replace(pair, before=pair.before[rows]) for pair, rows in zip(both, present, strict=True)]
        files = [
            whole_files(stage, data, rows, measures.domains, recodings=recodings, keys=keys)
            for stage, rows, recodings in zip(made.stages, present, made.recodings, strict=True)
        ]
    unchanged = [name for name in made.data.columns if name not in data.quasi]
    roles, measures = data.roles, _read_as_promised(measures, made)
    domains = measures.domains or (roles.strata if roles is not None else ())
    context = [context_columns(data, unchanged, rows) for rows in present]
    return [
        _Stage(
            pair,
            measure(
                pair.before,
                pair.after,
                data.quasi,
                suited(measures, data, coarser=only_coarser(made.steps)).build(),
                run,
                context=beside,
                domains=domain_codes(data, domains, rows),
                kinds=pair.kinds,
                files=whole,
                # all records are known as they are after the last step
                of_all=of_all if rows is present[-1] else None,
            ),
            beside,
            whole,
        )
        for pair, whole, rows, beside in zip(pairs, files, present, context, strict=True)
    ]


# Promises of k records, or units, behind every combination of some columns.
_OF_KEYS = frozenset(("groups-of-k", "k-anonymous", "k-anonymous-to-all"))
# And behind the values of each column by itself.
_OF_RECORDS = _OF_KEYS | {"column-groups"}


def _keys(made: PipelineResult) -> tuple[str, ...]:
    """The columns for which k is still promised, where other columns were protected too.

    Only sets with categories count, if there are any: an attacker mostly knows categories, and numbers next
    to them are masked because they are sensitive.
    """
    promised = [
        step.columns
        for step, claim in zip(made.steps, made.claim.steps or (made.claim,), strict=True)
        if _OF_KEYS & set(claim.guarantees)
    ]
    data = made.claim.original
    coded = [names for names in promised if any(data.scale(name) != "numeric" for name in names)]
    names = tuple(dict.fromkeys(name for columns in coded or promised for name in columns))
    return () if set(names) >= set(data.quasi) else names


def _read_as_promised(measures: MeasureSection, made: PipelineResult) -> MeasureSection:
    """The measures, an empty key read as the promise of k reads it where the plan does not say how."""
    readings = {step.method.missing_keys for step in made.steps}
    if "wildcard" not in readings or "category" in readings:
        return measures
    settings = {
        name: {"missing_as": "wildcard", **measures.settings.get(name, {})}
        for name in registry.names("risk")
        if "missing_as" in registry.lookup(name, "risk").model_fields
    }
    return measures.model_copy(update={"settings": {**measures.settings, **settings}})


def suited(measures: MeasureSection, data: Microdata, *, coarser: bool = False) -> MeasureSection:
    """The measures, and where none are named and there are categories, those of categories too."""
    categorical = any(scale != "numeric" for scale in data.scales)
    return measures.with_categories(coarser=coarser) if categorical else measures


def only_coarser(steps: Sequence[Step]) -> bool:
    """Whether labels were only made coarser or suppressed: each still stands for what it replaced."""
    of_labels = [step.method.kind for step in steps if set(step.method.takes) != {"numeric"}]
    return bool(of_labels) and set(of_labels) <= set(registry.CATEGORICAL)


def _summary(stage: _Stage, j: int, name: str, fewest: int) -> AttributeSummary:
    before, after = stage.pair.before[:, j], stage.pair.after[:, j]
    if stage.pair.kinds[j] == "numeric":
        return summarise(name, before, after, fewest)
    return summarise_categories(name, before, after, stage.pair.texts[name], fewest)


def _risks(
    made: PipelineResult, data: Microdata, stage: _Stage, fewest: int, run: RunContext
) -> tuple[RiskByRecord, ...]:
    # what a value became is plain where it was recoded, or is shown at all
    plain = registry.CATEGORICAL
    changed = {name for step in made.steps if step.method.kind not in plain for name in step.columns}
    recoded = {name for name in data.quasi if name not in changed}
    apart = {*data.quasi, *(data.roles.pseudonyms if data.roles else ())}
    unchanged = [name for name in made.data.columns if name not in apart]
    pair = stage.pair
    risks = (
        record_risk.of_protected(
            pair.before,
            pair.after,
            data.quasi,
            pair.kinds,
            recoded,
            stage.report,
            fewest,
            run,
            unit_codes(data, np.sort(made.claim.rows)),
        ),
        record_risk.of_unchanged(made.data, unchanged, fewest, unit_codes(data, made.claim.rows)),
    )
    return tuple(risk for risk in risks if risk is not None)


def _correlations(quasi: Sequence[str], stage: _Stage, fewest: int) -> Correlations | None:
    numeric = [j for j, kind in enumerate(stage.pair.kinds) if kind == "numeric"]
    if not numeric:
        return None
    beside = list(stage.beside.values())
    before, after = (
        np.column_stack([side[:, numeric], *beside]) for side in (stage.pair.before, stage.pair.after)
    )
    return correlate(before, after, [*(quasi[j] for j in numeric), *stage.beside], fewest)


def domain_codes(data: Microdata, columns: Sequence[str], rows: Ints) -> Ints | None:
    """The part of the population each of some rows is in; None where no columns are named."""
    unknown = [name for name in columns if name not in data.columns]
    if unknown:
        raise ParameterError(f"{data.source}: there is no column {join_names(unknown)}. Name other domains.")
    return data.codes(columns)[rows] if columns else None


def _histogram(sizes: np.ndarray) -> dict[int, int]:
    size, count = np.unique(sizes, return_counts=True)
    return dict(zip(size.tolist(), count.tolist(), strict=True))
