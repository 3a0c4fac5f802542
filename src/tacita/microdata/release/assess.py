"""Measures and requirements of a release that any program made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tacita.core import DataError, Microdata, ParameterError, Report, RunContext, Verdict
from tacita.core.results.score import Files
from tacita.core.spec.setting_syntax import setting
from tacita.microdata.measures.evaluate import context_columns, measure, whole_files
from tacita.microdata.measures.record_alignment import aligned, check_record_order, same_numbers
from tacita.microdata.plans.plan import Protection
from tacita.microdata.plans.requirements import RequireSection
from tacita.microdata.statistics.sample_uniqueness import examine

from .record import domain_codes, suited
from .requirement_checks import counting_by, judge


def assess(before: Microdata, after: Microdata, protection: Protection, run: RunContext | None) -> Report:
    """Measure a release that any program made: the same records in the same order."""
    roles, measures = protection.roles, protection.measure
    if roles.quasi == "numeric":
        # identifiers that the release no longer has are not to be compared
        shared = [name for name in before.columns if name in after.columns]
        numbers = before.numeric_columns([name for name in shared if name not in roles.categorical])
        quasi = tuple(name for name in shared if name in numbers or name in roles.categorical)
        roles = roles.model_copy(update={"quasi": quasi})
        if not quasi:
            quasi_setting = setting("roles", "quasi", "numeric")
            raise ParameterError(f"{after.source}: {quasi_setting} found no numeric column in both files.")
    before = before.with_roles(roles)
    absent = [name for name in before.quasi if name not in after.columns]
    if absent:
        raise ParameterError(f"{after.source}: the release has no column {', '.join(absent)}.")
    if before.n != after.n:
        raise DataError(
            f"{after.source}: wanted the {before.n} records of the original in its order, got {after.n}. "
            "Assess against the records that were released."
        )
    check_record_order(before, after, before.quasi)
    pair = aligned(before, after)
    x, z = pair.before, pair.after
    if (np.isnan(x) | np.isnan(z)).any(axis=1).all():
        raise DataError(f"{after.source}: every record has a missing value, there is nothing to measure.")
    beside = [name for name in before.columns if name in after.columns and name not in before.quasi]
    unchanged = [name for name in beside if same_numbers(before, after, name)]
    rows = np.arange(before.n)
    report = measure(
        x,
        z,
        before.quasi,
        suited(measures, before).build(),
        run or RunContext(),
        context=context_columns(before, unchanged, rows),
        domains=domain_codes(before, measures.domains, rows),
        kinds=before.scales,
        files=whole_files(after, before, rows, measures.domains),
    )
    unique = examine(before, rows, after, None)
    # the measures cover protected columns, not the unchanged ones
    return replace(report, notes=(*report.notes, unique.headline)) if unique.unchanged.below_k else report


def check(
    released: Microdata,
    limits: RequireSection,
    original: Microdata | None = None,
    *,
    keys: Sequence[str] = (),
    unit: str | None = None,
    run: RunContext | None = None,
) -> tuple[Verdict, ...]:
    """Judge anybody's file by requirements; with its original, the same records in the same order.

    The original has roles; where there is none, `keys` are the columns of the file that were changed, and
    `unit` is the one whose units are counted.
    """
    if original is None:
        files = Files(released=released, keys=tuple(keys))
        return judge(counting_by(unit, limits.requirements), files, run)
    if original.n != released.n:
        raise DataError(
            f"{released.source}: wanted the {original.n} records of the original in its order, got "
            f"{released.n}. Check against the records that were released."
        )
    check_record_order(original, released, original.quasi)
    return judge(limits.requirements, whole_files(released, original, np.arange(original.n)), run)
