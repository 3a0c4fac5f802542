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

from .file_aliases import owned, owned_path, with_owner_names
from .hierarchies import hierarchies
from .job_context import JobContext

# Names of the files of a release in its folder; `release` has the ending of its format.
REPORT = "report.html"
RECORD = "record.json"
NOTE = "note.html"
_MOST_ROWS = 50
# What a plan is of, as the page names it.
_KINDS: Mapping[type, str] = {
    Plan: "records",
    TabulatePlan: "tabulate",
    TablePlan: "table",
    LinkedPlan: "linked",
}


def demo(request: Mapping[str, Any], _context: JobContext) -> dict[str, Any]:
    """A made-up survey, that of firms unless another is named, written to `path`."""
    survey = datasets.describe(request.get("name", "business"))
    api.write_frame(datasets.load(survey.name), request["path"])
    return {"roles": survey.roles}


def plan(request: Mapping[str, Any], _context: JobContext) -> dict[str, Any]:
    """The sections of a plan file; `kind` says what it is of."""
    try:
        document = api.load_plan(request["path"])
    except TacitaError as error:
        spoken = str(error).replace(Path(request["path"]).name, request["shown_as"])
        raise type(error)(spoken.replace(f"{Path(request['path']).parent}/", "")) from None
    return {"kind": _KINDS.get(type(document), "other"), "sections": document.to_dict()}


def profile(request: Mapping[str, Any], context: JobContext) -> dict[str, Any]:
    """The columns of a file, each with a guess at its role; what `options` leave out is guessed too.

    `said` has the kinds of the columns in metadata of tau-ARGUS. Where a `plan` was opened for the file, one
    that lacks a column of it is refused; `quasi` are the columns that it protects.
    """
    source = dict(request["source"])
    options = source.get("options") or {}
    # metadata say themselves how a file of tau-ARGUS is read
    source["options"] = options if source.get("meta") else {**_reading(source["path"]), **options}
    with with_owner_names(request):
        data = context.records(source)
    quasi = _resolved(data, planned(source, request["plan"], ".")) if request.get("plan") else None
    described = api.describe_columns(data, context=context.run)
    guesses = api.suggest_roles(described)
    return {
        "records": described.records,
        "fingerprint": described.fingerprint,
        # of a workbook or the like nothing is guessed, and the request holds
        "options": source["options"] if described.dialect is not None else options,
        "quasi": quasi,
        "said": _kinds_by(source["meta"]) if source.get("meta") else None,
        "columns": [
            {**asdict(column), "guess": {"role": guess.role, "reason": guess.reason, "count": guess.count}}
            for column, guess in zip(described.columns, guesses, strict=True)
        ],
    }


def _reading(path: str) -> dict[str, Any]:
    guessed = api.sniff_csv(path)
    return guessed.model_dump(mode="json", include={"delimiter", "decimal", "encoding"})


def _kinds_by(meta: str) -> dict[str, str]:
    """The kind of each variable in metadata of tau-ARGUS."""
    text = content_of(Path(meta)).decode("utf-8", "replace")
    return {variable.name: variable.kind for variable in argus.parse_rda(text).variables}


def _resolved(data: Microdata, plan: Plan) -> list[str]:
    roles = data.with_roles(plan.whole).roles
    assert roles is not None, "they were just set"
    return list(roles.quasi)


def pseudonym_key(request: Mapping[str, Any], _context: JobContext) -> dict[str, Any]:
    """Refuse a file that is no key of pseudonyms."""
    with with_owner_names({"source": request}):
        read_key(Path(request["path"]))
    return {}


def preview(request: Mapping[str, Any], context: JobContext) -> dict[str, Any]:
    """The first records of a file, as text."""
    rows = min(int(request["rows"]), _MOST_ROWS)
    return {"rows": api.describe_columns(context.records(request["source"]), rows=rows).rows}


def exposure(request: Mapping[str, Any], context: JobContext) -> dict[str, Any]:
    """Unique records before anything is protected, and the coverage of hierarchies, if any are requested."""
    data = context.records(request["source"])
    figures = asdict(api.sample_uniqueness(data, columns=request["columns"], unit=request.get("unit")))
    return {**figures, "hierarchies": hierarchies(request, data)} if "hierarchies" in request else figures


def protect(request: Mapping[str, Any], context: JobContext) -> dict[str, Any]:
    """Carry out a plan of records; its files go into `folder`, all of them or none, verified before.

    Of a release that is refused for what it is, the confidential report goes there, and its JSON. `plan` has
    the sections of a plan but for its input and output; `names` says what their owner calls files that it
    names. The seed is part of the plan: where none is named, one is drawn that cannot be guessed.
    """
    source, began = request["source"], time.monotonic()
    with with_owner_names(request):
        plan = planned(source, request["plan"], request["folder"], request.get("ending"))
        release = api.run_plan(plan, context.run, shown_as=source["shown_as"], report_refused=True)
    seconds = time.monotonic() - began
    return {**_to_dict(release), **_to_repeat(plan, request), "seconds": round(seconds, 2)}


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


def _to_repeat(plan: Plan, request: Mapping[str, Any]) -> dict[str, Any]:
    """The plan as its owner would have written it, with the names of files that the owner knows."""
    shown_as = request["source"]["shown_as"]
    stem = Path(shown_as).stem
    hierarchy, key = owned(request, plan.roles.hierarchy), plan.protect.pseudonym_key
    ending = plan.output.path.suffix if plan.output.path is not None else ""
    own = plan.model_copy(
        update={
            "input": plan.input.model_copy(update={"path": Path(shown_as)}),
            "roles": plan.roles.model_copy(update={"hierarchy": hierarchy} if hierarchy else {}),
            "protect": plan.protect.model_copy(
                update={} if key is None else {"pseudonym_key": owned_path(request, key)}
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


def _to_dict(release: RecordsRelease) -> dict[str, Any]:
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
        "verdicts": [verdict.as_dict() for verdict in record.verdicts],
        "warnings": [asdict(warning) for warning in record.warnings],
        "warned": [
            {**asdict(kind), "level": level_of(kind.name)}
            for kind in grouped(record.warnings, record.uniqueness.before.columns)
        ],
        "not_promised": list(record.not_promised),
        "accepted_risks": list(record.accepted_risks),
        "levels": record.levels,
        "uniqueness": record.uniqueness.headline,
        "pictures": _pictures(record),
    }


def _pictures(record: Record) -> dict[str, Any]:
    """Counts of every protected column before and after, and correlations; never a record."""
    correlations = None
    if (matrix := record.correlations) is not None:
        correlations = {
            "names": list(matrix.names),
            "relations": [astuple(relation) for relation in matrix.relations],
            "largest": [astuple(relation) for relation in matrix.changed_most],
        }
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


def grid(request: Mapping[str, Any], _context: JobContext) -> dict[str, Any]:
    """The sections [protect] of every trial of a comparison: each of them is a plan, and run as one."""
    base = ProtectSection(**request["protect"])
    around = base.model_dump(mode="json", exclude={"method", *base.parameters}, exclude_defaults=True)
    trials = CompareSection(**request["compare"]).grid(base)
    if not trials:
        raise ParameterError("Compare: there is nothing to try. Name a value to vary.", field="method")
    return {"trials": [{**around, "method": method, **parameters} for method, parameters in trials]}


def assess(request: Mapping[str, Any], context: JobContext) -> dict[str, Any]:
    """Loss and risk of a file that was made from another by any program."""
    original, released = (
        api.read(file["path"], shown_as=file["shown_as"], **(file.get("options") or {}))
        for file in (request["original"], request["released"])
    )
    named = request["roles"]
    roles = {name: named[name] for name in ("quasi", "nominal", "ordinal") if named.get(name)}
    report = api.evaluate(original, released, **roles, context=context.run)
    return {"scores": _scores(report), "notes": list(report.notes)}
