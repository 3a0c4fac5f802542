"""Verbs about files of records."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict, astuple
from pathlib import Path
from typing import Any

from tacita import api, datasets
from tacita.core import Microdata, ParameterError, RecordsRelease, Report, TacitaError
from tacita.core.results.grouped_warnings import grouped
from tacita.core.results.release import Record
from tacita.core.results.warning_severity import level_of
from tacita.core.spec import registry
from tacita.core.spec.seeds import portable
from tacita.io import argus, content_of, format_of
from tacita.io.secret import read_key
from tacita.microdata.plans.plan import Plan
from tacita.microdata.plans.sections import CompareSection, ProtectSection
from tacita.tables.plans.plan import LinkedPlan, TablePlan, TabulatePlan

from .file_aliases import as_its_owner_says, owned, owned_path
from .hierarchies import hierarchies
from .job_context import JobContext

# What a release is called in the folder that was named for it; `release` has the ending of its format.
REPORT = "report.html"
RECORD = "record.json"
NOTE = "note.html"
_MOST_ROWS = 50
# What a plan is of, as the page tells them apart.
_KINDS: Mapping[type, str] = {
    Plan: "records",
    TabulatePlan: "tabulate",
    TablePlan: "table",
    LinkedPlan: "linked",
}


def demo(given: Mapping[str, Any], _context: JobContext) -> dict[str, Any]:
    """A made-up survey, that of firms unless another is named, written to `path`."""
    survey = datasets.describe(given.get("name", "business"))
    api.write_frame(datasets.load(survey.name), given["path"])
    return {"roles": survey.roles}


def plan(given: Mapping[str, Any], _context: JobContext) -> dict[str, Any]:
    """What a plan file says, section by section; `kind` says of what it is."""
    try:
        found = api.load_plan(given["path"])
    except TacitaError as problem:
        spoken = str(problem).replace(Path(given["path"]).name, given["shown_as"])
        raise type(problem)(spoken.replace(f"{Path(given['path']).parent}/", "")) from None
    return {"kind": _KINDS.get(type(found), "other"), "sections": found.to_dict()}


def profile(given: Mapping[str, Any], context: JobContext) -> dict[str, Any]:
    """The columns of a file, each with a guess at its role; what `options` leave out is guessed too.

    `said` is what metadata of tau-ARGUS say of the columns. Where a `plan` was opened for the file, one that
    lacks a column of it is refused; `quasi` are the columns that it protects.
    """
    source = dict(given["source"])
    asked = source.get("options") or {}
    # metadata say themselves how a file of tau-ARGUS is read
    source["options"] = asked if source.get("meta") else {**_reading(source["path"]), **asked}
    with as_its_owner_says(given):
        data = context.records(source)
    quasi = _resolved(data, planned(source, given["plan"], ".")) if given.get("plan") else None
    found = api.describe_columns(data, context=context.run)
    guesses = api.suggest_roles(found)
    return {
        "records": found.records,
        "fingerprint": found.fingerprint,
        # of a workbook or the like nothing is guessed, and what was asked for holds
        "options": source["options"] if found.dialect is not None else asked,
        "quasi": quasi,
        "said": _said_by(source["meta"]) if source.get("meta") else None,
        "columns": [
            {**asdict(column), "guess": {"role": guess.role, "reason": guess.reason, "count": guess.count}}
            for column, guess in zip(found.columns, guesses, strict=True)
        ],
    }


def _reading(path: str) -> dict[str, Any]:
    guessed = api.sniff_csv(path)
    return guessed.model_dump(mode="json", include={"delimiter", "decimal", "encoding"})


def _said_by(meta: str) -> dict[str, str]:
    """What metadata say of each variable."""
    text = content_of(Path(meta)).decode("utf-8", "replace")
    return {each.name: each.kind for each in argus.parse_rda(text).variables}


def _resolved(data: Microdata, plan: Plan) -> list[str]:
    roles = data.with_roles(plan.whole).roles
    assert roles is not None, "they were just given"
    return list(roles.quasi)


def pseudonym_key(given: Mapping[str, Any], _context: JobContext) -> dict[str, Any]:
    """Refuse a file that is no key of pseudonyms."""
    with as_its_owner_says({"source": given}):
        read_key(Path(given["path"]))
    return {}


def preview(given: Mapping[str, Any], context: JobContext) -> dict[str, Any]:
    """The first records of a file, as text."""
    rows = min(int(given["rows"]), _MOST_ROWS)
    return {"rows": api.describe_columns(context.records(given["source"]), rows=rows).rows}


def exposure(given: Mapping[str, Any], context: JobContext) -> dict[str, Any]:
    """Who stands alone before anything is protected; and what is said of hierarchies, if anything."""
    data = context.records(given["source"])
    found = asdict(api.sample_uniqueness(data, columns=given["columns"], unit=given.get("unit")))
    return {**found, "hierarchies": hierarchies(given, data)} if "hierarchies" in given else found


def protect(given: Mapping[str, Any], context: JobContext) -> dict[str, Any]:
    """Carry out a plan of records; its files go into `folder`, all of them or none, verified before.

    Of a release that is refused for what it is, the confidential report goes there, and its JSON. `plan` has
    the sections of a plan but for its input and output; `names` says what their owner calls files that it
    names. The seed is part of the plan: where none is named, one is drawn that nobody guesses.
    """
    source, began = given["source"], time.monotonic()
    with as_its_owner_says(given):
        plan = planned(source, given["plan"], given["folder"], given.get("ending"))
        release = api.run_plan(plan, context.run, shown_as=source["shown_as"], report_refused=True)
    seconds = time.monotonic() - began
    return {**_told(release), **_to_repeat(plan, given), "seconds": round(seconds, 2)}


def planned(
    source: Mapping[str, Any], sections: Mapping[str, Any], folder: str, ending: str | None = None
) -> Plan:
    """A plan for the files of the page."""
    place = Path(folder)
    around = {"seed": "new", **sections.get("protect", {})}
    form = format_of(Path(source["path"]))
    suffix = ending or (Path(source["path"]).suffix if form.writes else form.instead)
    output = {"path": place / f"release{suffix}", "report": place / REPORT}
    return Plan(
        **{**sections, "protect": around},
        input={"path": source["path"], **(source.get("options") or {})},
        output={**output, "json": place / RECORD, "note": place / NOTE},
    )


def _to_repeat(plan: Plan, given: Mapping[str, Any]) -> dict[str, Any]:
    """The plan as its owner would have written it, with the names of files that the owner knows."""
    shown_as = given["source"]["shown_as"]
    stem = Path(shown_as).stem
    hierarchy, key = owned(given, plan.roles.hierarchy), plan.protect.pseudonym_key
    ending = plan.output.path.suffix if plan.output.path is not None else ""
    own = plan.model_copy(
        update={
            "input": plan.input.model_copy(update={"path": Path(shown_as)}),
            "roles": plan.roles.model_copy(update={"hierarchy": hierarchy} if hierarchy else {}),
            "protect": plan.protect.model_copy(
                update={} if key is None else {"pseudonym_key": owned_path(given, key)}
            ),
            "output": plan.output.model_copy(
                update={
                    "path": Path(f"{stem}-protected{ending}"),
                    "report": Path(f"{stem}-report.html"),
                    "json_report": Path(f"{stem}-record.json"),
                    "note": Path(f"{stem}-note.html"),
                }
            ),
        }
    )
    return {"toml": own.to_toml(), "script": own.to_python() + "\n", "ending": ending}


def _told(release: RecordsRelease) -> dict[str, Any]:
    record = release.record
    return {
        "headline": record.headline,
        "records": record.records_out,
        "groups": record.groups,
        "gap": record.gap,
        "method": list(record.method),
        "parameters": dict(record.parameters),
        "seed": portable(record.seed),
        "scores": _scores(release.report),
        "verdicts": [each.as_dict() for each in record.verdicts],
        "warnings": [asdict(each) for each in record.warnings],
        "warned": [
            {**asdict(each), "level": level_of(each.name)}
            for each in grouped(record.warnings, record.uniqueness.before.columns)
        ],
        "not_promised": list(record.not_promised),
        "accepted_risks": list(record.accepted_risks),
        "levels": record.levels,
        "uniqueness": record.uniqueness.headline,
        "pictures": _pictures(record),
    }


def _pictures(record: Record) -> dict[str, Any]:
    """Every protected column before and after, and how columns hang together: counts, never a record."""
    told = record.correlations
    plots = [
        {
            "name": summary.name,
            "edges": list(summary.edges),
            "categories": list(summary.categories),
            "others": summary.others,
            "before": list(summary.before),
            "after": list(summary.after),
            "spread": summary.spread_change,
        }
        for summary in record.summaries
    ]
    correlations = told and {
        "names": list(told.names),
        "relations": [astuple(each) for each in told.relations],
        "largest": [astuple(each) for each in told.changed_most],
    }
    return {"plots": plots, "correlations": correlations}


def _scores(report: Report) -> list[dict[str, Any]]:
    return [
        {
            **score.as_dict(),
            "headline": registry.is_headline(score.name),
            "meaning": " ".join(
                filter(None, (registry.meaning_of(score.name, *registry.MEASURING), score.sampled_as))
            ),
        }
        for score in report
    ]


def grid(given: Mapping[str, Any], _context: JobContext) -> dict[str, Any]:
    """The sections [protect] of every trial of a comparison: each of them is a plan, and run as one."""
    base = ProtectSection(**given["protect"])
    around = base.model_dump(mode="json", exclude={"method", *base.parameters}, exclude_defaults=True)
    trials = CompareSection(**given["compare"]).grid(base)
    if not trials:
        raise ParameterError("Compare: there is nothing to try. Name a value to vary.", field="method")
    return {"trials": [{**around, "method": method, **parameters} for method, parameters in trials]}


def assess(given: Mapping[str, Any], context: JobContext) -> dict[str, Any]:
    """Loss and risk of a file that anybody made of another."""
    original, released = (
        api.read(each["path"], shown_as=each["shown_as"], **(each.get("options") or {}))
        for each in (given["original"], given["released"])
    )
    named = given["roles"]
    roles = {name: named[name] for name in ("quasi", "nominal", "ordinal") if named.get(name)}
    report = api.evaluate(original, released, **roles, context=context.run)
    return {"scores": _scores(report), "notes": list(report.notes)}
