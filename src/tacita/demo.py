"""What runs without anybody's data: the demonstration."""

from __future__ import annotations

from pathlib import Path

from tacita.io.atomic import made_folder, refuse_bad_targets
from tacita.microdata.plans.plan import Plan

from . import io


def prepare_demo(folder: str | Path, *, force: bool = False) -> Plan:
    """A folder with a made-up survey and the plan that protects it. Files that are there need `force`."""
    from . import datasets

    place = made_folder(folder)
    survey = datasets.describe("business")
    plan = Plan(
        input={"path": place / "survey.csv"},
        roles={
            # debts and margins are nearly unique, so they are masked too
            "quasi": [*survey.quasi, *survey.confidential],
            "strata": survey.strata,
            "unit": survey.unit,
            # a unit serves for grouping and would then tie records together; weights tell them apart
            "identifiers": [*survey.identifiers, survey.unit, survey.weight],
        },
        protect={"method": "mdav", "k": 3, "round_integers": True, "shuffle": True, "seed": "new"},
        output={
            "path": place / "protected.csv",
            "report": place / "report.html",
            "json": place / "report.json",
            "note": place / "quality.html",
        },
    )
    written = {"survey": plan.input.path, "plan": place / "plan.toml"}
    refuse_bad_targets({**written, **plan.output.targets}, {}, force=force)
    io.write_frame(datasets.load("business"), plan.input.path, force=force)
    io.write_all(plan.as_file(written["plan"]), force=force)
    return plan
