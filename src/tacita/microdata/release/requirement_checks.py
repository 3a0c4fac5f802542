"""Checks requirements, measures with a limit, on the finished file itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from tacita.core import Comparison, Microdata, RequirementError, RunContext, Score
from tacita.core.results.release import Claim, Requirement
from tacita.core.results.score import Files
from tacita.core.results.verdicts import WITHOUT_ORIGINAL, Verdict, faults
from tacita.core.spec import registry
from tacita.microdata.measures.evaluate import context_columns, measure, whole_files
from tacita.microdata.measures.measure import Measure
from tacita.microdata.measures.record_alignment import aligned


def _measure(name: str, settings: Mapping[str, Any]) -> Measure:
    return cast("Measure", registry.lookup(name, *registry.MEASURING)(**settings))


def counting_by(unit: str | None, requirements: Sequence[Requirement]) -> tuple[Requirement, ...]:
    """The requirements; those that can count units and name no unit column count these units."""
    if unit is None:
        return tuple(requirements)
    counts_units = [
        "unit" in cast("type[Measure]", registry.lookup(requirement.name, *registry.MEASURING)).model_fields
        for requirement in requirements
    ]
    return tuple(
        replace(requirement, settings={"unit": unit, **requirement.settings}) if counts else requirement
        for requirement, counts in zip(requirements, counts_units, strict=True)
    )


def judge(
    requirements: Sequence[Requirement], files: Files, run: RunContext | None = None
) -> tuple[Verdict, ...]:
    """A verdict on each requirement, in counts and figures of the file. The cost of the measures."""
    return tuple(_judged(requirement, files, run or RunContext()) for requirement in requirements)


def require_met(verdicts: tuple[Verdict, ...]) -> tuple[Verdict, ...]:
    """The verdicts if all requirements are met; raises otherwise, and nothing may be written."""
    if what := faults(verdicts):
        failed = [verdict.guarantee for verdict in verdicts if not verdict.passed]
        raise RequirementError(
            f"The release does not meet {len(failed)} of {len(verdicts)} requirements and was not written. "
            f"{what}. {_advice(failed)}",
            unmet=[verdict for verdict in verdicts if not verdict.passed],
        )
    return verdicts


def _advice(failed: Sequence[str]) -> str:
    """Advice for the requirements that are not met."""
    kinds = registry.kinds_of(failed, registry.MEASURING)
    if "loss" not in kinds:
        return "Protect more strongly, or add a step."
    if set(kinds) == {"loss"}:
        return "The loss is too high: protect less, or use another method."
    return "Both loss and risk are too high: try another method."


def files_of(released: Microdata, claim: Claim) -> Files:
    """A release, or the records read back from its file, with its recoded source."""
    return whole_files(released, claim.original, claim.rows, recodings=claim.recodings)


def required(
    claim: Claim, released: Microdata, run: RunContext | None = None, *, to_look_at: bool = False
) -> tuple[Verdict, ...]:
    """The requirements of a release, judged on its frame or on the records read back from its bytes.

    Raises if one is not met, unless the release is only `to_look_at`.
    """
    verdicts = judge(claim.requirements, files_of(released, claim), run)
    return verdicts if to_look_at else require_met(verdicts)


# Columns that a message lists one by one.
_LISTED = 5


def _judged(requirement: Requirement, files: Files, run: RunContext) -> Verdict:
    measured = _measure(requirement.name, requirement.settings)
    promise = _promise(measured, requirement, files)
    score = _score(measured, files, run)
    if score is None:
        return Verdict(
            guarantee=requirement.name, promise=promise, passed=False, detail=WITHOUT_ORIGINAL, judged=False
        )
    if score.value is None and files.original is None:
        # a setting is missing, such as the keys: this is no fault of the file
        return Verdict(
            guarantee=requirement.name,
            promise=promise,
            passed=False,
            detail=f"cannot be judged: {score.reason}",
            judged=False,
        )
    faults = [None if requirement.limit is None else measured.fault(score, requirement.limit, files)]
    if score.value is not None or requirement.limit is None:
        faults.append(_fault_of_columns(measured, score, requirement.by_column, files))
    detail = "; ".join(fault for fault in faults if fault is not None)
    # columns that break a limit of their own are named already
    worst = "" if faults[-1] is not None and len(faults) > 1 else _worst_column(score)
    columns = _columns_at_fault(measured, score, requirement.by_column, files) if detail else ()
    return Verdict(
        guarantee=requirement.name,
        promise=promise,
        passed=not detail,
        detail=(detail or "holds") + worst,
        columns=columns,
    )


def _promise(measured: Measure, requirement: Requirement, files: Files) -> str:
    """The requirement as a sentence: limits of the file and of columns."""
    sentences = [] if requirement.limit is None else [measured.promise(requirement.limit, files)]
    most = "most" if measured.direction == "lower" else "least"
    unit = f" {measured.measured_in}" if measured.measured_in else ""
    if isinstance(requirement.by_column, Mapping):
        limits = ", ".join(f"{limit:g}{unit} of {name}" for name, limit in requirement.by_column.items())
        sentences.append(f"{measured.name} is at {most} {limits}.")
    elif requirement.by_column is not None:
        sentences.append(f"{measured.name} is at {most} {requirement.by_column:g}{unit} of every column.")
    return " ".join(sentences)


def _fault_of_columns(
    measured: Measure, score: Score, limits: float | Mapping[str, float] | None, files: Files
) -> str | None:
    """The columns that break their limit, the worst first, as a sentence."""
    if limits is None:
        return None
    if score.value is None:
        return measured.fault(score, 0.0, files)
    figures = score.per_attribute
    if not figures:
        return "it has no figures by column"
    if isinstance(limits, Mapping) and (unknown := [name for name in limits if name not in figures]):
        return f"it has no figure of column {', '.join(unknown)}"
    broken = _beyond_limit(measured, figures, limits)
    unit = f" {measured.measured_in}" if measured.measured_in else ""
    direction = "much" if measured.direction == "lower" else "little"
    listed = [
        f"{name} has {figures[name]:.4g}{unit}, {beyond:.3g} too {direction}"
        for name, beyond in list(broken.items())[:_LISTED]
    ]
    more = [f"{len(broken) - _LISTED} more columns"] if len(broken) > _LISTED else []
    return f"by column {'; '.join((*listed, *more))}" if listed else None


def _beyond_limit(
    measured: Measure, figures: Mapping[str, float], limits: float | Mapping[str, float]
) -> dict[str, float]:
    """By how much columns break their limit, the worst first."""
    by_column = limits if isinstance(limits, Mapping) else dict.fromkeys(figures, limits)
    sign = 1.0 if measured.direction == "lower" else -1.0
    beyond = {name: sign * (figures[name] - limit) for name, limit in by_column.items() if name in figures}
    return {name: beyond[name] for name in sorted(beyond, key=lambda name: -beyond[name]) if beyond[name] > 0}


def _columns_at_fault(
    measured: Measure, score: Score, limits: float | Mapping[str, float] | None, files: Files
) -> tuple[str, ...]:
    """The columns that break a limit of their own; else the worst one, or the keys of the measure."""
    figures = score.per_attribute
    if figures and limits is not None and (broken := _beyond_limit(measured, figures, limits)):
        return tuple(broken)
    if figures:
        return (_worst(score),)
    return measured.key_names(files)


def _worst(score: Score) -> str:
    figures = score.per_attribute
    return (max if score.direction == "lower" else min)(figures, key=lambda name: figures[name])


def _worst_column(score: Score) -> str:
    """The column with the worst figure, if there are several: a mean does not show it."""
    figures = score.per_attribute
    if score.value is None or len(figures) < 2:
        return ""
    worst = _worst(score)
    unit = f" {score.unit}" if score.unit else ""
    return f" (worst column: {worst} with {figures[worst]:.4g}{unit})"


def _score(measured: Measure, files: Files, run: RunContext) -> Score | None:
    """The figure of a measure; None if it needs an original and there is none."""
    source, rows = files.original, files.rows
    if measured.of_files and (measured.alone or source is not None):
        return measured.score(Comparison.of_files(files), run)
    if source is None or rows is None:
        return None
    pair = aligned(source, files.released)
    others = [name for name in files.released.columns if name not in source.quasi]
    context = context_columns(source, others, rows)
    (score,) = measure(
        pair.before[rows], pair.after, source.quasi, [measured], run, context=context, kinds=pair.kinds
    )
    return score
