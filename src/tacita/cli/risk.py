"""The command `risk`: the disclosure risk of the keys of an unprotected file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cyclopts import Group

from tacita.io import InputSection
from tacita.microdata.plans.risk_plan import RiskOutputSection, RiskPlan, RiskSection
from tacita.microdata.plans.sections import MeasureSection

from .console import Out, print_scores, progress_bar
from .options import FORCE, command, flag, given, options, positional

_FROM, _WHAT, _FIGURES, _TO, _TALK = (
    Group.create_ordered(title)
    for title in ("Reading the file", "What an attacker knows", "Measuring", "Writing", "Running")
)
_MEASURE_NAMES = {"names": "measures"}
_OUT_NAMES = {"json_report": "json"}


def _risk(input: Path, **values: Any) -> None:
    plan = RiskPlan(
        input={"path": input, **given(InputSection, values)},
        risk=given(RiskSection, values),
        measure=given(MeasureSection, values, _MEASURE_NAMES),
        output=given(RiskOutputSection, values, _OUT_NAMES),
    )
    carry_out_risk(plan, quiet=values["quiet"], force=values["force"])


def carry_out_risk(plan: RiskPlan, *, quiet: bool, **files: Any) -> None:
    """Measure, write, and print the results."""
    from tacita import api

    with progress_bar(quiet) as run:
        profile = api.run_risk(plan, run, **files)
    if quiet:
        return
    Out.print(profile.headline, markup=False)
    Out.print()
    print_scores(profile.report, every=True)
    for role, path in plan.output.targets.items():
        if path is not None and not files.get("dry_run"):
            Out.print(f"{role} (confidential): {path}", markup=False)


risk = command(
    "risk",
    "Measure the disclosure risk of key variables before anything is protected.\n\n"
    "Example: tacita risk survey.csv --keys region,sex,age --weight w --json risk.json --report risk.html",
    [
        positional("input", "file of records: CSV, Parquet, Stata, SPSS, SAS or Excel"),
        *options(RiskSection, _WHAT, required=["keys"]),
        *options(MeasureSection, _FIGURES, _MEASURE_NAMES, skip=["settings", "domains"]),
        *options(InputSection, _FROM, skip=["path"]),
        *options(RiskOutputSection, _TO, _OUT_NAMES),
        flag("force", FORCE, _TO),
        flag("quiet", "print nothing but errors", _TALK),
    ],
    _risk,
)
