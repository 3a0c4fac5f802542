"""Verbs about tables: made from records or lists, published by suppression or adjustment, attacked.

A source has `kind` (records, cells, tab or jj) in addition to what those of records have, and `meta` where a
file of tau-ARGUS needs one. `names` has the owner's names of files that lie here under other names.
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

from .file_aliases import owned, with_owner_names
from .job_context import JobContext
from .records import NOTE, RECORD, REPORT

# The endings of the files of a published table, one of each format.
ENDINGS = (".csv", ".xlsx", ".html")
# A table as a person reviews it: confidential, as the report is.
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


def table(request: Mapping[str, Any], context: JobContext) -> dict[str, Any]:
    """The table of a plan before anything is published; what `cells` shows of it goes into `folder`.

    Cells that do not add up are an answer, not a refusal: they are listed, so that the file can be corrected.
    """
    context.run.report("making the table", 0, 1)
    try:
        with with_owner_names(request):
            plan = planned(request, looking=True)
            look = api.look_at_table(plan, shown_as=request["source"]["shown_as"])
    except TacitaError as error:
        if not error.places:
            raise
        return {"message": str(error), "wrong_sums": [list(position) for position in error.places]}
    made = look.table
    _write_view(request["folder"], api.view_table(made).as_dict())
    context.run.report("making the table", 1, 1)
    return {
        "dimensions": [{"name": dimension.name, "labels": len(dimension)} for dimension in made.dimensions],
        "response": made.response,
        "cells": made.n,
        "inner": int(made.inner.sum()),
        "sensitive": look.sensitive,
        "judged": bool(made.judged),
        "by_rule": list(look.by_rule),
        "contributors": made.contributors is not None,
        "counts": made.frequency,
    }


def publish(request: Mapping[str, Any], context: JobContext) -> dict[str, Any]:
    """Carry out a plan of a table; its files go into `folder`, all of them or none, audited before.

    `plan` has the sections of a plan but for its input and output.
    """
    began, place = time.monotonic(), Path(request["folder"])
    with with_owner_names(request):
        plan = planned(request)
        others = [place / f"release{ending}" for ending in ENDINGS[1:]]
        release = api.run_table(plan, context.run, shown_as=request["source"]["shown_as"], also=others)
    _write_view(request["folder"], api.view_table(release).as_dict())
    seconds = round(time.monotonic() - began, 2)
    return {**_to_dict(release), **_to_repeat(plan, request), "seconds": seconds}


def planned(request: Mapping[str, Any], *, looking: bool = False) -> TablePlan | TabulatePlan:
    """A plan for the files of the page; one that is only for `looking` publishes nothing."""
    source, sections, place = request["source"], dict(request["plan"]), Path(request["folder"])
    reading = {"path": source["path"], **(source.get("options") or {})}
    if source.get("meta"):
        reading["meta"] = source["meta"]
    output: dict[str, Any] = {"path": place / "release.csv"}
    kind = TabulatePlan if source["kind"] == "records" else TablePlan
    if looking:
        sections = {name: sections[name] for name in ("table", "rules") if name in sections}
        # the heading is one of what is published
        sections["table"] = {key: value for key, value in sections.get("table", {}).items() if key != "title"}
        if kind is TablePlan:
            # nothing is assumed of the values until the user states it
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


def _to_repeat(plan: TablePlan | TabulatePlan, request: Mapping[str, Any]) -> dict[str, Any]:
    """The plan as its owner would have written it, with the names of files that the owner knows."""
    names, shown_as = request["names"], request["source"]["shown_as"]
    stem = Path(shown_as).stem

    def own(path: Path | None) -> Path | None:
        return None if path is None else Path(names.get(path.name, path.name))

    note = None if plan.output.note is None else Path(f"{stem}-note.html")
    pages = {"report": Path(f"{stem}-report.html"), "json_report": Path(f"{stem}-record.json"), "note": note}
    output = {"path": Path(f"{stem}-published.csv"), **pages}
    hierarchy = owned(request, plan.table.hierarchy)
    own_plan = plan.model_copy(
        update={
            "input": plan.input.model_copy(update={"path": Path(shown_as), "meta": own(plan.input.meta)}),
            "output": plan.output.model_copy(update=output),
        }
    )
    if hierarchy:
        own_plan = own_plan.model_copy(
            update={"table": plan.table.model_copy(update={"hierarchy": hierarchy})}
        )
    return {"toml": own_plan.to_toml(), "script": own_plan.to_python() + "\n", "ending": ENDINGS[0]}


def _to_dict(release: Any) -> dict[str, Any]:
    record = release.record.as_dict()
    common = {
        "headline": release.record.headline,
        "cells": release.claim.table.n,
        "warnings": [asdict(warning) for warning in release.record.warnings],
        "safe": record["safe"],
    }
    if "promises" not in record:
        return {
            "way": "suppress",
            **common,
            **{name: record[name] for name in _OF_PATTERN},
            "accepted": record["accepted"],
        }
    more = {"verdicts": record["promises"], "sensitive": record["sensitive"], "seed": record["seed"]}
    return {"way": "adjust", **common, **{name: record[name] for name in _OF_VALUES}, **more}


def _write_view(folder: str, view: Mapping[str, Any]) -> None:
    path = Path(folder) / VIEW
    unfinished = path.with_suffix(".new")
    unfinished.touch(mode=0o600)
    unfinished.write_text(json.dumps(view), "utf-8")
    # a reader meanwhile sees the previous view
    unfinished.replace(path)


def cells(request: Mapping[str, Any], _context: JobContext) -> dict[str, Any]:
    """One panel of a table that was looked at or published; of a large one a map, and a window of it.

    With `published` it says no more than what is published.
    """
    view = json.loads((Path(request["folder"]) / VIEW).read_text("utf-8"))
    at = min(max(int(request.get("panel", 0)), 0), len(view["panels"]) - 1)
    panel = view["panels"][at]
    height, width = len(panel["rows"]), len(panel["across"])
    large = height * width > _MOST_CELLS
    rows, columns = _WINDOW if large else (height, width)
    top = min(max(int(request.get("row", 0)), 0), max(height - rows, 0))
    left = min(max(int(request.get("column", 0)), 0), max(width - columns, 0))
    shown = _published if request.get("published") else _reviewed
    lines = [
        {"labels": labels, "cells": [shown(view, cell) for cell in numbers[left : left + columns]]}
        for labels, numbers in panel["rows"][top : top + rows]
    ]
    return {
        "captions": [shown_panel["caption"] for shown_panel in view["panels"]],
        "panel": at,
        "corner": panel["corner"],
        "across": panel["across"][left : left + columns],
        "rows": lines,
        "response": view["response"],
        "at": [top, left],
        "window": [rows, columns],
        "size": [height, width],
        "map": _mapped(view["states"], panel, bool(request.get("published"))) if large else None,
    }


def _reviewed(view: Mapping[str, Any], cell: int) -> dict[str, Any]:
    reviewed = {
        "state": view["states"][cell],
        "shade": view["shades"][cell],
        "value": view["values"][cell],
        "contributors": None if view["contributors"] is None else view["contributors"][cell],
        "range": view["ranges"].get(str(cell)),
    }
    return reviewed if view["published"] is None else {**reviewed, "published": view["published"][cell]}


def _published(view: Mapping[str, Any], cell: int) -> dict[str, Any]:
    values = view["values"] if view["published"] is None else view["published"]
    # of adjusted tables every cell goes out, the sensitive ones too
    out = view["published"] is None and view["states"][cell] in "ps"
    # whether a cell is a sum is public, how large it is for its kind is not
    shade = None if view["shades"][cell] is None else 0
    return {"state": "x" if out else "o", "shade": shade, "value": None if out else values[cell]}


def _mapped(states: str, panel: Mapping[str, Any], published: bool) -> dict[str, list[list[int]]]:
    positions: dict[str, list[list[int]]] = {"p": [], "s": [], "x": []}
    for row, (_, numbers) in enumerate(panel["rows"]):
        for column, cell in enumerate(numbers):
            if states[cell] in "ps":
                positions["x" if published else states[cell]].append([row, column])
    return positions


def audited(request: Mapping[str, Any], _context: JobContext) -> dict[str, Any]:
    """What an attacker computes of each sensitive cell of a published table, closest first."""
    view = json.loads((Path(request["folder"]) / VIEW).read_text("utf-8"))
    rows = [
        {**view["ranges"][str(cell)], "value": view["values"][cell]} for cell in view["closest"][:_MOST_ROWS]
    ]
    return {"names": view["names"], "rows": rows, "count": len(view["closest"])}


def audit(request: Mapping[str, Any], context: JobContext) -> dict[str, Any]:
    """Attack a file that was published, by any program, as the table of a plan would be attacked."""
    with with_owner_names(request):
        plan = planned(request)
        path = Path(request["published"])
        plan = plan.model_copy(update={"output": plan.output.model_copy(update={"path": path})})
        attack = api.audit_plan(plan, context.run, shown_as=request["source"]["shown_as"])
    values = attack.as_dict()
    kept = ("safe", "accepted", "problem", "withheld_count", "values_changed", "besides", "places")
    return {
        **{name: values[name] for name in kept},
        "message": "" if attack.safe else attack.refusal(),
        "rows": _closest(values["audit"], values["places"])[:_MOST_ROWS],
        "count": len(values["audit"]),
        "warnings": values["warnings"],
    }


def _closest(entries: Sequence[Mapping[str, Any]], places: Sequence[str]) -> list[dict[str, Any]]:
    return [
        {
            "labels": [entry[name] for name in places],
            **{name: entry.get(name) for name in ("low", "high", "wanted_low", "wanted_high", "protected")},
        }
        for entry in sorted(entries, key=lambda entry: bool(entry["protected"]))
    ]
