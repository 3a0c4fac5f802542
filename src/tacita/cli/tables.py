"""The commands of tables: tabulate, suppress, adjust, audit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from cyclopts import Group
from pydantic.fields import FieldInfo

from tacita.core import ParameterError, VerificationError
from tacita.core.spec import registry
from tacita.executors.section import ExecutorSection
from tacita.io import toml_of
from tacita.tables.plans.plan import AnyTablePlan, TablePlan, TabulatePlan, kind_of
from tacita.tables.plans.sections import (
    AdjustSection,
    RecordInputSection,
    SuppressSection,
    TableInputSection,
    TableOutputSection,
    TableSection,
    TabulateSection,
    TrySection,
)
from tacita.tables.rules.rule_syntax import fields_of, rule_sections

from .console import print_audit, print_patterns, print_published, print_table, progress_bar
from .options import FORCE, command, flag, given, option, options, path_option, positional, required_path

_WHAT, _HOW, _TO, _FROM, _TALK = (
    Group.create_ordered(title)
    for title in ("Columns of the table", "Suppressing", "Writing", "Reading the file", "Running")
)
_CHANGE = Group.create_ordered("Adjusting")
_OUT_NAMES = {"path": "out", "json_report": "json"}
_EXECUTOR_NAMES = {"name": "executor"}
# [[rules]] of a plan, in words
_RULE = {
    "rule": FieldInfo(
        annotation=tuple[str, ...],
        default=(),
        description="rules for sensitive cells, separated by commas, with or without parameters: "
        "minimum-frequency:threshold=3:margin=10,request; see `tacita methods`",
    )
}
# fields of the section that methods declare too
_OF_SECTION = ("seconds", "solver")
# fields of adjusting alone
_OF_ADJUSTED = ("key",)
_RUNNING = (
    path_option("save_plan", "write the plan of this run, to repeat it with `tacita run`", _TALK),
    flag("dry_run", "do everything but write; show the plan and its script", _TALK),
    flag("force", FORCE, _TO),
    flag("quiet", "print nothing but errors", _TALK),
)


def carry_out_table(plan: AnyTablePlan, *, quiet: bool, dry_run: bool, **files: Any) -> None:
    """Publish a table, or write the table of records as a list; print the result."""
    from tacita import api

    if isinstance(plan, TabulatePlan) and plan.protection is None:
        with progress_bar(quiet) as run:
            table = api.tabulate_file(plan, run, dry_run=dry_run, **files)
        if not quiet:
            print_table(table, plan, dry_run=dry_run)
        return
    assert plan.protection is not None, "a table that is not to be published was written above"
    with progress_bar(quiet, anytime=plan.protection.build().anytime) as run:
        release = api.run_table(plan, run, dry_run=dry_run, **files)
    if not quiet:
        print_published(release.record, plan, dry_run=dry_run)


def suppress_with(words: Sequence[str]) -> Callable[..., None]:
    """The command `suppress` with the options of the chosen method."""
    named = _named_in(words, "--method") or str(SuppressSection.model_fields["method"].default)
    method = registry.canonical(named, *registry.SUPPRESSING)
    fields = registry.lookup(method, *registry.SUPPRESSING).model_fields
    own_fields = {name: field for name, field in fields.items() if name not in _OF_SECTION}
    return _publishing(
        "suppress",
        "Suppress cells of a table at the least cost, with a proof; audit, publish.\n\n"
        "Example: tacita suppress cells.csv --rows region --columns sector --value turnover "
        "--primary sensitive --problem interval --out published.csv --json result.json\n\n"
        "Of any number of dimensions, with subtotals: --dimensions region,sector,size --hierarchy "
        "region=nuts.hrc\n\n"
        "Of tau-ARGUS: tacita suppress table.tab --meta table.rda --problem interval --out published.csv",
        [
            *options(TableOutputSection, _TO, _OUT_NAMES, skip=["note"], required=["path"]),
            *options(TableSection, _WHAT, skip=_OF_ADJUSTED),
            *options(SuppressSection, _HOW),
            *options(own_fields, Group.create_ordered(f"Parameters of {method}")),
        ],
        SuppressSection,
        own_fields,
    )


def adjust_with(words: Sequence[str]) -> Callable[..., None]:
    """The command `adjust` with the options of the chosen method."""
    named, method_fields = _adjusting(words)
    return _publishing(
        "adjust",
        "Publish a table with adjusted values and no suppressed cells; audit.\n\n"
        "Example: tacita adjust cells.csv --rows region --columns sector --value persons --counts "
        "--method rounding --base 5 --out published.csv --note note.html\n\n"
        "Of any number of dimensions, with subtotals: --dimensions region,sector,size --hierarchy "
        "region=nuts.hrc\n\n"
        "Other methods: small-counts, cell-key, cta; `tacita methods` describes them.",
        [
            *options(TableOutputSection, _TO, _OUT_NAMES, required=["path"]),
            *options(TableSection, _WHAT),
            *options(AdjustSection, _CHANGE, required=["method"]),
            *options(method_fields, Group.create_ordered(f"Parameters of {named}")),
        ],
        AdjustSection,
        method_fields,
    )


def _publishing(
    verb: str,
    text: str,
    models: Sequence[Any],
    section: type[SuppressSection | AdjustSection],
    method_fields: dict[str, FieldInfo],
) -> Callable[..., None]:
    """A command that publishes a table; `method_fields` are the parameters of its method."""

    def body(table: Path, **values: Any) -> None:
        plan = TablePlan(
            input={"path": table, **given(TableInputSection, values)},
            table=given(TableSection, values),
            output=given(TableOutputSection, values, _OUT_NAMES),
            **{verb: {**given(section, values), **given(method_fields, values)}},
        )
        carry_out_table(plan, **{option.name: values[option.name] for option in _RUNNING})

    return command(
        verb,
        text,
        [
            positional("table", "CSV file with one line for each cell; or .tab or .jj of tau-ARGUS"),
            *models,
            *options(TableInputSection, _FROM, skip=["path"]),
            *_RUNNING,
        ],
        body,
    )


def _adjusting(words: Sequence[str]) -> tuple[str | None, dict[str, FieldInfo]]:
    """The chosen method of adjustment, and its own parameters."""
    named = _named_in(words, "--method")
    if named is None:
        return None, {}
    method = registry.canonical(named, *registry.ADJUSTING)
    fields = registry.lookup(method, *registry.ADJUSTING).model_fields
    return method, {name: field for name, field in fields.items() if name not in _OF_SECTION}


def tabulate_with(words: Sequence[str]) -> Callable[..., None]:
    """The command `tabulate` with the options of the chosen rules."""
    names = [name for name in (_named_in(words, "--rule") or "").split(",") if name]
    fields = fields_of(names)

    def body(records: Path, **values: Any) -> None:
        plan = TabulatePlan(
            input={"path": records, **given(RecordInputSection, values)},
            executor=given(ExecutorSection, values, _EXECUTOR_NAMES),
            table=given(TabulateSection, values),
            rules=rule_sections(given(_RULE, values).get("rule", ()), given(fields, values)),
            output={"path": values["out"]},
        )
        carry_out_table(plan, **{option.name: values[option.name] for option in _RUNNING})

    return command(
        "tabulate",
        "Sum up or count records by two columns or more, and mark sensitive cells.\n\n"
        "Example: tacita tabulate firms.csv --rows region --columns sector --value turnover --rule p-percent "
        "--p 15 --out cells.csv",
        [
            positional(
                "records",
                "file of records: CSV, Parquet, Stata, SPSS, SAS or Excel, or a folder of Parquet files; or "
                "a file of tau-ARGUS, with --meta",
            ),
            required_path("out", "the table, confidential: .csv, or .tab or .jj of tau-ARGUS", _TO),
            *options(TabulateSection, _WHAT, skip=["title"]),
            *options(_RULE, _WHAT),
            *options(fields, Group.create_ordered("Parameters of the rules")),
            *options(RecordInputSection, _FROM, skip=["path"]),
            *options(ExecutorSection, _TALK, _EXECUTOR_NAMES),
            *_RUNNING,
        ],
        body,
    )


def comparison_of(words: Sequence[str]) -> Callable[..., None] | None:
    """The command `compare` for a plan of a table; None if the arguments name no such plan."""
    files = [Path(word) for word in words if word.lower().endswith(".toml")]
    if not files or not files[0].is_file():
        return None
    try:
        of_table = kind_of(toml_of(files[0])) is not None
    except ParameterError:
        # the error is raised where the plan is read
        of_table = False
    return _compare if of_table else None


def _plan_of_table(file: Path) -> AnyTablePlan:
    from tacita import api

    plan = api.load_plan(file)
    if not isinstance(plan, AnyTablePlan):
        raise ParameterError(f"{file.name}: wanted a plan of a table, got one of records.")
    return plan


def _compare_tables(source: Path, **values: Any) -> None:
    from tacita import api

    plan = _plan_of_table(source)
    methods = given({"method": TrySection.model_fields["method"]}, values).get("method", ())
    with progress_bar(values["quiet"], anytime=True) as run:
        trials = api.compare_table(plan, methods, run, json_report=values["json"], force=values["force"])
    if not values["quiet"]:
        print_patterns(trials, values["json"])


_compare = command(
    "compare",
    "Compare methods of suppression on the table of a plan: their cells, costs, proofs and times.\n\n"
    "Example: tacita compare table.toml --method optimal,hypercube,gauss",
    [
        positional("source", "plan file (TOML) of a table, or of linked ones"),
        option("method", TrySection.model_fields["method"], _HOW),
        path_option("json", "all figures as JSON; confidential", _TO),
        *_RUNNING[2:],
    ],
    _compare_tables,
)


def _named_in(words: Sequence[str], sought: str) -> str | None:
    for word, following in pairwise([*words, ""]):
        if word == sought and following:
            return following
        if word.startswith(f"{sought}="):
            return word.partition("=")[2]
    return None


_PROBLEM = SuppressSection.model_fields["problem"]
# optional for the command, since a plan has it; required in a section
_REQUIREMENT_FIELDS = {
    "problem": FieldInfo(annotation=_PROBLEM.annotation, default=None, description=_PROBLEM.description),
    **{
        name: SuppressSection.model_fields[name]
        for name in ("zeros", "strict", "insiders", "insist", "accept")
    },
}
_METHOD = {
    "method": FieldInfo(
        annotation=str | None,
        default=None,
        description="method that adjusted the values, with its parameters; if no cell is suppressed",
    ),
    "signed": AdjustSection.model_fields["signed"],
}


def audit_with(words: Sequence[str]) -> Callable[..., None]:
    """The command `audit`, with the options of the chosen method of adjustment, if any."""
    named, method_fields = _adjusting(words)
    requirement_fields = {**_REQUIREMENT_FIELDS, **_METHOD, **method_fields}

    def body(table: Path, published: Path | None = None, **values: Any) -> None:
        from tacita import api

        writing = {"json_report": values["json"], "force": values["force"]}
        with progress_bar(values["quiet"]) as run:
            if table.suffix.lower() == ".toml":
                option_names = [
                    name
                    for model in (TableInputSection, TableSection, requirement_fields)
                    for name in given(model, values)
                ]
                file_audit = api.audit_plan(_audited(table, published, option_names), run, **writing)
            elif published is None:
                raise ParameterError(
                    "audit: wanted the published table after the confidential one. Only a plan (.toml) needs "
                    "no second file."
                )
            else:
                file_audit = api.audit_published(
                    TableInputSection(path=table, **given(TableInputSection, values)),
                    published,
                    TableSection(**given(TableSection, values)),
                    _published_how(named, given(requirement_fields, values)),
                    run,
                    **writing,
                )
        if not values["quiet"]:
            print_audit(file_audit, values["json"])
        if not file_audit.safe:
            raise VerificationError(file_audit.refusal())

    return command(
        "audit",
        "Attack a published table: compute the intervals of its suppressed cells, and find whatever else the "
        "file discloses. Fails if that is too much.\n\n"
        "Example: tacita audit cells.csv published.csv --rows region --columns sector --value turnover "
        "--primary sensitive --problem interval\n\n"
        "Of other values: tacita audit cells.csv rounded.csv --rows region --columns sector --value persons "
        "--counts --method rounding --base 5\n\n"
        "Of a plan, what it publishes; linked tables together: tacita audit tables.toml",
        [
            positional(
                "table", "CSV file of cells, or .tab or .jj of tau-ARGUS; confidential. Or a plan (TOML)"
            ),
            positional("published", "published table: .csv, .xlsx or .html; not of a plan", required=False),
            *options(TableSection, _WHAT),
            *options(_REQUIREMENT_FIELDS, _HOW),
            *options(_METHOD, _CHANGE),
            *options(method_fields, Group.create_ordered(f"Parameters of {named}")),
            *options(TableInputSection, _FROM, skip=["path"]),
            path_option("json", "ranges and verdict as JSON; confidential", _TO),
            *_RUNNING[2:],
        ],
        body,
    )


def _published_how(method: str | None, requirements: dict[str, Any]) -> SuppressSection | AdjustSection:
    """The section of the published table: suppressed cells, or the method that adjusted values."""
    if method is None:
        return SuppressSection(**{name: value for name, value in requirements.items() if name != "signed"})
    if odd := [name for name in ("problem", "zeros", "strict", "insiders") if name in requirements]:
        raise ParameterError(
            f"audit: --{odd[0]} is for suppressed cells, --method for adjusted values. Leave one out."
        )
    return AdjustSection(**requirements)


def _audited(file: Path, published: Path | None, option_names: Sequence[str]) -> AnyTablePlan:
    """The plan of a file; options that belong to a table are refused."""
    plan = _plan_of_table(file)
    if published is not None or option_names:
        odd = f"--{option_names[0].replace('_', '-')}" if option_names else "a published file"
        raise ParameterError(f"audit: {odd} needs a table; a plan has it already. Leave it out.")
    return plan


_FOR_WORDS = {
    "suppress": suppress_with,
    "adjust": adjust_with,
    "tabulate": tabulate_with,
    "audit": audit_with,
}


def __getattr__(name: str) -> Callable[..., None]:
    # the chosen command was built before; the others are built on demand
    if name in _FOR_WORDS:
        return _FOR_WORDS[name]([])
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
