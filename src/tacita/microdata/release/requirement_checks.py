"""What a finished file must satisfy, whatever made it: measures with a limit, judged on the file itself."""

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


def counting_by(unit: str | None, asked: Sequence[Requirement]) -> tuple[Requirement, ...]:
    """The requirements, those that can count units counting these where they name none themselves."""
    if unit is None:
        return tuple(asked)
    counting = [
        "unit" in cast("type[Measure]", registry.lookup(each.name, *registry.MEASURING)).model_fields
        for each in asked
    ]
    return tuple(
        replace(each, settings={"unit": unit, **each.settings}) if counts else each
        for each, counts in zip(asked, counting, strict=True)
    )


def judge(asked: Sequence[Requirement], files: Files, run: RunContext | None = None) -> tuple[Verdict, ...]:
    """A verdict on each requirement, in counts and figures of the whole file. The cost of the measures."""
    return tuple(_judged(each, files, run or RunContext()) for each in asked)


def insist(verdicts: tuple[Verdict, ...]) -> tuple[Verdict, ...]:
    """The verdicts, if all requirements are met; otherwise an error, and nothing may be written."""
    if what := faults(verdicts):
        failed = [verdict.guarantee for verdict in verdicts if not verdict.passed]
        raise RequirementError(
            f"The release does not meet {len(failed)} of {len(verdicts)} requirements and was not written. "
            f"{what}. {_advice(failed)}",
            unmet=[verdict for verdict in verdicts if not verdict.passed],
        )
    return verdicts


def _advice(failed: Sequence[str]) -> str:
    """What may help where these requirements are not met."""
    kinds = registry.kinds_of(failed, registry.MEASURING)
    if "loss" not in kinds:
        return "Protect more strongly, or add a step."
    if set(kinds) == {"loss"}:
        return "Too much is lost: protect less, or by another method."
    return "Too much is lost, and too much is found: another method may serve both."


def files_of(released: Microdata, claim: Claim) -> Files:
    """A release, or what was read back of it, beside its source as its recodings left that."""
    return whole_files(released, claim.original, claim.rows, recodings=claim.recodings)


def required(
    claim: Claim, released: Microdata, run: RunContext | None = None, *, to_look_at: bool = False
) -> tuple[Verdict, ...]:
    """The requirements of a release, judged on its frame or what was read back from its bytes.

    What is not met raises, but not where the release is only `to_look_at`.
    """
    verdicts = judge(claim.requirements, files_of(released, claim), run)
    return verdicts if to_look_at else insist(verdicts)


# Columns that a message lists one by one.
_AT_A_GLANCE = 5


def _judged(asked: Requirement, files: Files, run: RunContext) -> Verdict:
    measured = _measure(asked.name, asked.settings)
    promise = _promise(measured, asked, files)
    score = _score(measured, files, run)
    if score is None:
        return Verdict(
            guarantee=asked.name, promise=promise, passed=False, detail=WITHOUT_ORIGINAL, judged=False
        )
    if score.value is None and files.original is None:
        # nobody said what the keys are, say: that is no fault of the file
        return Verdict(
            guarantee=asked.name,
            promise=promise,
            passed=False,
            detail=f"cannot be judged: {score.reason}",
            judged=False,
        )
    faults = [None if asked.limit is None else measured.fault(score, asked.limit, files)]
    if score.value is not None or asked.limit is None:
        faults.append(_fault_of_columns(measured, score, asked.by_column, files))
    found = "; ".join(fault for fault in faults if fault is not None)
    # columns that break a limit of their own are named already
    worst = "" if faults[-1] is not None and len(faults) > 1 else _worst_column(score)
    columns = _columns_at_fault(measured, score, asked.by_column, files) if found else ()
    return Verdict(
        guarantee=asked.name,
        promise=promise,
        passed=not found,
        detail=(found or "holds") + worst,
        columns=columns,
    )


def _promise(measured: Measure, asked: Requirement, files: Files) -> str:
    """What is required, of the whole and of columns, in a sentence."""
    said = [] if asked.limit is None else [measured.promise(asked.limit, files)]
    most = "most" if measured.direction == "lower" else "least"
    unit = f" {measured.measured_in}" if measured.measured_in else ""
    if isinstance(asked.by_column, Mapping):
        each = ", ".join(f"{limit:g}{unit} of {name}" for name, limit in asked.by_column.items())
        said.append(f"{measured.name} is at {most} {each}.")
    elif asked.by_column is not None:
        said.append(f"{measured.name} is at {most} {asked.by_column:g}{unit} of every column.")
    return " ".join(said)


def _fault_of_columns(
    measured: Measure, score: Score, limits: float | Mapping[str, float] | None, files: Files
) -> str | None:
    """Which columns break their limit, the worst first."""
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
    told = [
        f"{name} has {figures[name]:.4g}{unit}, {beyond:.3g} too {direction}"
        for name, beyond in list(broken.items())[:_AT_A_GLANCE]
    ]
    more = [f"{len(broken) - _AT_A_GLANCE} more columns"] if len(broken) > _AT_A_GLANCE else []
    return f"by column {'; '.join((*told, *more))}" if told else None


def _beyond_limit(
    measured: Measure, figures: Mapping[str, float], limits: float | Mapping[str, float]
) -> dict[str, float]:
    """By how much columns break their limit, the worst first."""
    asked = limits if isinstance(limits, Mapping) else dict.fromkeys(figures, limits)
    sign = 1.0 if measured.direction == "lower" else -1.0
    beyond = {name: sign * (figures[name] - limit) for name, limit in asked.items() if name in figures}
    return {name: beyond[name] for name in sorted(beyond, key=lambda name: -beyond[name]) if beyond[name] > 0}


def _columns_at_fault(
    measured: Measure, score: Score, limits: float | Mapping[str, float] | None, files: Files
) -> tuple[str, ...]:
    """The columns that break a limit of their own; else the worst one, or the keys that are counted by."""
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
    """The column with the worst figure, where there are several: what a mean does not show."""
    figures = score.per_attribute
    if score.value is None or len(figures) < 2:
        return ""
    worst = _worst(score)
    unit = f" {score.unit}" if score.unit else ""
    return f" (worst column: {worst} with {figures[worst]:.4g}{unit})"


def _score(measured: Measure, files: Files, run: RunContext) -> Score | None:
    """The figure of a measure; None where it compares, and there is nothing to compare with."""
    source, rows = files.original, files.rows
    if measured.of_files and (measured.alone or source is not None):
        return measured.score(Comparison.of_files(files), run)
    if source is None or rows is None:
        return None
    both = aligned(source, files.released)
    beside = [name for name in files.released.columns if name not in source.quasi]
    context = context_columns(source, beside, rows)
    (score,) = measure(
        both.before[rows], both.after, source.quasi, [measured], run, context=context, kinds=both.kinds
    )
    return score
