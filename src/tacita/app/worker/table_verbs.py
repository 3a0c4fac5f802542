"""Verbs about tables: made of records or of lists, published by withholding or adjusting, attacked.

A source has `kind` (records, cells, tab or jj) beside what those of records have, and `meta` where a file of
tau-ARGUS needs one. `names` says what their owner calls files that lie under names of our own.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tacita import api
from tacita.core import TacitaError
from tacita.tables.plans.plan import TablePlan, TabulatePlan

from .file_aliases import as_its_owner_says, owned
from .job_context import JobContext
from .records import NOTE, RECORD, REPORT

# What a published table is called in the folder that was named for it, in each form that it takes.
ENDINGS = (".csv", ".xlsx", ".html")
# A table as a person reviews it: confidential, beside the report.
VIEW = "view.json"
# Cells up to which a panel is shown with its numbers; larger ones are a map, with a window of numbers.
_MOST_CELLS = 900
_WINDOW = 24, 12
_MOST_ROWS = 500

_OF_PATTERN = (
    *("problem", "method", "status", "cost", "problem_cost", "lone_cost", "lone_count", "gap", "proven"),
    *("lower_bound", "secondary_count", "primary_count"),
)
_OF_VALUES = ("method", "status", "changed", "distance", "lower_bound", "gap", "proven", "relaxed")


def table(given: Mapping[str, Any], context: JobContext) -> dict[str, Any]:
    """The table of a plan before anything is published; what `cells` shows of it goes into `folder`.

    Cells that do not add up are an answer, not a refusal: they are listed for whoever mends the file.
    """
    context.run.report("making the table", 0, 1)
    try:
        with as_its_owner_says(given):
            plan = planned(given, looking=True)
            look = api.look_at_table(plan, shown_as=given["source"]["shown_as"])
    except TacitaError as problem:
        if not problem.places:
            raise
        return {"message": str(problem), "wrong_sums": [list(each) for each in problem.places]}
    made = look.table
    _write_view(given["folder"], api.view_table(made).as_dict())
    context.run.report("making the table", 1, 1)
    return {
        "dimensions": [{"name": each.name, "labels": len(each)} for each in made.dimensions],
        "response": made.response,
        "cells": made.n,
        "inner": int(made.inner.sum()),
        "sensitive": look.sensitive,
        "judged": bool(made.judged),
        "by_rule": list(look.by_rule),
        "contributors": made.contributors is not None,
        "counts": made.frequency,
    }


def publish(given: Mapping[str, Any], context: JobContext) -> dict[str, Any]:
    """Carry out a plan of a table; its files go into `folder`, all of them or none, audited before.

    `plan` has the sections of a plan but for its input and output.
    """
    began, place = time.monotonic(), Path(given["folder"])
    with as_its_owner_says(given):
        plan = planned(given)
        others = [place / f"release{ending}" for ending in ENDINGS[1:]]
        release = api.run_table(plan, context.run, shown_as=given["source"]["shown_as"], also=others)
    _write_view(given["folder"], api.view_table(release).as_dict())
    seconds = round(time.monotonic() - began, 2)
    return {**_told(release), **_to_repeat(plan, given), "seconds": seconds}


def planned(given: Mapping[str, Any], *, looking: bool = False) -> TablePlan | TabulatePlan:
    """A plan for the files of the page; one that is only for `looking` publishes nothing."""
    source, sections, place = given["source"], dict(given["plan"]), Path(given["folder"])
    reading = {"path": source["path"], **(source.get("options") or {})}
    if source.get("meta"):
        reading["meta"] = source["meta"]
    output: dict[str, Any] = {"path": place / "release.csv"}
    kind = TabulatePlan if source["kind"] == "records" else TablePlan
    if looking:
        sections = {name: sections[name] for name in ("table", "rules") if name in sections}
        # the heading is one of what is published
        sections["table"] = {key: said for key, said in sections.get("table", {}).items() if key != "title"}
        if kind is TablePlan:
            # nothing is taken to be known of the values before somebody says so
            sections["suppress"] = {"problem": "general"}
    else:
        output |= {"report": place / REPORT, "json": place / RECORD}
        if "adjust" in sections:
            output["note"] = place / NOTE
            sections["adjust"] = {"seed": "new", **sections["adjust"]}
    if kind is TablePlan:
        reading["kind"] = source["kind"]
        sections.pop("rules", None)
    return kind(**sections, input=reading, output=output)


def _to_repeat(plan: TablePlan | TabulatePlan, given: Mapping[str, Any]) -> dict[str, Any]:
    """The plan as its owner would have written it, with the names of files that the owner knows."""
    names, shown_as = given["names"], given["source"]["shown_as"]
    stem = Path(shown_as).stem

    def own(path: Path | None) -> Path | None:
        return None if path is None else Path(names.get(path.name, path.name))

    note = None if plan.output.note is None else Path(f"{stem}-note.html")
    pages = {"report": Path(f"{stem}-report.html"), "json_report": Path(f"{stem}-record.json"), "note": note}
    output = {"path": Path(f"{stem}-published.csv"), **pages}
    hierarchy = owned(given, plan.table.hierarchy)
    said = plan.model_copy(
        update={
            "input": plan.input.model_copy(update={"path": Path(shown_as), "meta": own(plan.input.meta)}),
            "output": plan.output.model_copy(update=output),
        }
    )
    if hierarchy:
        said = said.model_copy(update={"table": plan.table.model_copy(update={"hierarchy": hierarchy})})
    return {"toml": said.to_toml(), "script": said.to_python() + "\n", "ending": ENDINGS[0]}


def _told(release: Any) -> dict[str, Any]:
    told = release.record.as_dict()
    common = {
        "headline": release.record.headline,
        "cells": release.claim.table.n,
        "warnings": [asdict(each) for each in release.record.warnings],
        "safe": told["safe"],
    }
    if "promises" not in told:
        return {
            "way": "suppress",
            **common,
            **{name: told[name] for name in _OF_PATTERN},
            "accepted": told["accepted"],
        }
    more = {"verdicts": told["promises"], "sensitive": told["sensitive"], "seed": told["seed"]}
    return {"way": "adjust", **common, **{name: told[name] for name in _OF_VALUES}, **more}


def _write_view(folder: str, told: Mapping[str, Any]) -> None:
    path = Path(folder) / VIEW
    beside = path.with_suffix(".new")
    beside.touch(mode=0o600)
    beside.write_text(json.dumps(told), "utf-8")
    # whoever looks at the table meanwhile sees the one before
    beside.replace(path)


def cells(given: Mapping[str, Any], _context: JobContext) -> dict[str, Any]:
    """One panel of a table that was looked at or published; of a large one a map, and a window of it.

    With `published` it says no more than what is published.
    """
    view = json.loads((Path(given["folder"]) / VIEW).read_text("utf-8"))
    at = min(max(int(given.get("panel", 0)), 0), len(view["panels"]) - 1)
    panel = view["panels"][at]
    height, width = len(panel["rows"]), len(panel["across"])
    large = height * width > _MOST_CELLS
    rows, columns = _WINDOW if large else (height, width)
    top = min(max(int(given.get("row", 0)), 0), max(height - rows, 0))
    left = min(max(int(given.get("column", 0)), 0), max(width - columns, 0))
    shown = _published if given.get("published") else _reviewed
    lines = [
        {"labels": labels, "cells": [shown(view, cell) for cell in numbers[left : left + columns]]}
        for labels, numbers in panel["rows"][top : top + rows]
    ]
    return {
        "captions": [each["caption"] for each in view["panels"]],
        "panel": at,
        "corner": panel["corner"],
        "across": panel["across"][left : left + columns],
        "rows": lines,
        "response": view["response"],
        "at": [top, left],
        "window": [rows, columns],
        "size": [height, width],
        "map": _mapped(view["states"], panel, bool(given.get("published"))) if large else None,
    }


def _reviewed(view: Mapping[str, Any], cell: int) -> dict[str, Any]:
    told = {
        "state": view["states"][cell],
        "shade": view["shades"][cell],
        "value": view["values"][cell],
        "contributors": None if view["contributors"] is None else view["contributors"][cell],
        "range": view["ranges"].get(str(cell)),
    }
    return told if view["published"] is None else {**told, "published": view["published"][cell]}


def _published(view: Mapping[str, Any], cell: int) -> dict[str, Any]:
    values = view["values"] if view["published"] is None else view["published"]
    # of adjusted tables every cell goes out, the sensitive ones too
    out = view["published"] is None and view["states"][cell] in "ps"
    # whether a cell is a sum is public, how large it is for its kind is not
    shade = None if view["shades"][cell] is None else 0
    return {"state": "x" if out else "o", "shade": shade, "value": None if out else values[cell]}


def _mapped(states: str, panel: Mapping[str, Any], published: bool) -> dict[str, list[list[int]]]:
    found: dict[str, list[list[int]]] = {"p": [], "s": [], "x": []}
    for row, (_, numbers) in enumerate(panel["rows"]):
        for column, cell in enumerate(numbers):
            if states[cell] in "ps":
                found["x" if published else states[cell]].append([row, column])
    return found


def audited(given: Mapping[str, Any], _context: JobContext) -> dict[str, Any]:
    """What an attacker computes of each sensitive cell of a published table, closest first."""
    view = json.loads((Path(given["folder"]) / VIEW).read_text("utf-8"))
    rows = [
        {**view["ranges"][str(cell)], "value": view["values"][cell]} for cell in view["closest"][:_MOST_ROWS]
    ]
    return {"names": view["names"], "rows": rows, "count": len(view["closest"])}


def audit(given: Mapping[str, Any], context: JobContext) -> dict[str, Any]:
    """Attack a file that was published, by whomever, as the table of a plan would be attacked."""
    with as_its_owner_says(given):
        plan = planned(given)
        path = Path(given["published"])
        plan = plan.model_copy(update={"output": plan.output.model_copy(update={"path": path})})
        found = api.audit_plan(plan, context.run, shown_as=given["source"]["shown_as"])
    told = found.as_dict()
    kept = ("safe", "accepted", "problem", "withheld_count", "values_changed", "besides", "places")
    return {
        **{name: told[name] for name in kept},
        "message": "" if found.safe else found.refusal(),
        "rows": _closest(told["audit"], told["places"])[:_MOST_ROWS],
        "count": len(told["audit"]),
        "warnings": told["warnings"],
    }


def _closest(entries: Sequence[Mapping[str, Any]], places: Sequence[str]) -> list[dict[str, Any]]:
    return [
        {
            "labels": [each[name] for name in places],
            **{name: each.get(name) for name in ("low", "high", "wanted_low", "wanted_high", "protected")},
        }
        for each in sorted(entries, key=lambda each: bool(each["protected"]))
    ]
