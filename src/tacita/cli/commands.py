"""The commands on records: parse the arguments, build a plan or call the API, print the results.

Commands import the API when they run, so that `--help` is fast.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Group, Parameter
from pydantic.fields import FieldInfo
from rich.table import Table

from tacita.core import ParameterError, Roles
from tacita.core.spec import registry
from tacita.core.spec.release_options import ReleaseOptions
from tacita.executors.section import ExecutorSection
from tacita.io import InputSection
from tacita.microdata.plans.plan import Plan
from tacita.microdata.plans.sections import CompareSection, MeasureSection, OutputSection, ProtectSection

from .console import (
    Out,
    print_json,
    print_outcome,
    print_parameters,
    print_scores,
    print_trials,
    print_verdicts,
    progress_bar,
)
from .judged import refuse_unmet
from .options import (
    FORCE,
    Fields,
    command,
    flag,
    given,
    option,
    options,
    path_option,
    positional,
    required_path,
)

_FROM, _WHAT, _HOW, _FIGURES, _TO, _TALK = (
    Group.create_ordered(title)
    for title in ("Reading the file", "Roles of the columns", "Protecting", "Measuring", "Writing", "Running")
)
_OUT_NAMES = {"path": "out", "json_report": "json"}
_MEASURE_NAMES = {"names": "measures"}
_EXECUTOR_NAMES = {"name": "executor"}
_ASSESSED = ("quasi", "nominal", "ordinal", "unit")

_EVERY = "print every figure, not only the main ones"
_Every = Annotated[bool, Parameter(name="--all", negative="", help=_EVERY)]
_Quiet = Annotated[bool, Parameter(negative="", help="print nothing but errors")]
_Force = Annotated[bool, Parameter(negative="", help=FORCE)]
_AsJson = Annotated[bool, Parameter(name="--json", negative="", help="as JSON, with parameter schemas")]


_DRAWN = ("dependent", "independent")
_PAGES = {name: OutputSection.model_fields[name] for name in ("report", "json_report")}
_AXES = {name: CompareSection.model_fields[name] for name in ("loss", "risk")}


def protect_with(words: Sequence[str]) -> Callable[..., None]:
    """The command `protect` with the options of the chosen method."""
    roles = options(Roles, _WHAT, skip=_DRAWN, required=["quasi"])
    if _drops(words):
        roles = options(Roles, _WHAT, skip=[*_DRAWN, "quasi"])
    return _releasing(
        "protect",
        "Protect a file: group its records or mask their values, verify, report.\n\n"
        "Example: tacita protect survey.csv --out protected.csv --method mdav --k 3 --quasi turnover,wages",
        words,
        roles,
        ProtectSection.model_fields,
    )


def _drops(words: Sequence[str]) -> bool:
    """Whether the chosen method only drops columns or records."""
    named = registry.canonical_chain(_chain_named_in(words, default="mdav"))
    return registry.record_method(named.partition("+")[0]).kind == "dropping"


def synthesize_with(words: Sequence[str]) -> Callable[..., None]:
    """The command `synthesize` with the options of the chosen method."""
    around = dict(ProtectSection.model_fields)
    # nothing follows a synthesis
    del around["then"]
    for name, default, words_of_help in (
        ("method", "ipso-c", "name of a synthesis, see `tacita methods`"),
        (
            "missing",
            "refuse",
            "records without a dependent or independent value: refuse, drop, or (copula, trees) draw missing "
            "values like any other value (level)",
        ),
    ):
        around[name] = FieldInfo(annotation=str, default=default, description=words_of_help)
    named = registry.canonical_chain(_chain_named_in(words, default="ipso-c"))
    if not registry.record_method(named.partition("+")[0]).roundable:
        # rounding would break the promises
        del around["round_integers"]
    return _releasing(
        "synthesize",
        "Replace dependent columns by synthetic ones, given independent ones that stay; verify, report.\n\n"
        "Example: tacita synthesize survey.csv --out synthetic.csv --method ipso-c "
        "--dependent turnover,wages --independent employees,costs",
        words,
        options(Roles, _WHAT, skip=["quasi"], required=["dependent"]),
        around,
    )


def _releasing(
    name: str, words_of_help: str, words: Sequence[str], roles: list[inspect.Parameter], around: Fields
) -> Callable[..., None]:
    method = registry.canonical_chain(_chain_named_in(words, default=str(around["method"].default)))
    chosen = registry.parameters_of(method)
    of_method = Group.create_ordered(f"Parameters of {method}")

    def body(input: Path, **values: Any) -> None:
        plan = Plan(
            input={"path": input, **given(InputSection, values)},
            roles=given(Roles, values),
            protect={**given(around, {**values, "then": None}), **given(chosen, values), "method": method},
            measure=given(MeasureSection, values, _MEASURE_NAMES),
            **({} if values["require"] is None else {"require": values["require"]}),
            executor=given(ExecutorSection, values, _EXECUTOR_NAMES),
            output=given(OutputSection, values, _OUT_NAMES),
        )
        files = {name: values[name] for name in ("dry_run", "save_plan", "force")}
        _carry_out(plan, values["quiet"], every=values["all"], **files)

    return command(
        name,
        words_of_help,
        [
            positional(
                "input",
                "file of records: CSV, Parquet, Stata, SPSS, SAS or Excel; for an executor, a folder of "
                "Parquet files too",
            ),
            *options(OutputSection, _TO, _OUT_NAMES, required=["path"]),
            *roles,
            *options(around, _HOW),
            *options(chosen, of_method),
            *options(MeasureSection, _FIGURES, _MEASURE_NAMES, skip=["settings"]),
            path_option(
                "require", "TOML file of what the result must satisfy, or nothing is written", _FIGURES
            ),
            *options(InputSection, _FROM, skip=["path"]),
            *options(ExecutorSection, _TALK, _EXECUTOR_NAMES),
            path_option("save_plan", "write the plan of this run, to repeat it with `tacita run`", _TALK),
            flag("dry_run", "do everything but write; show the plan and its script", _TALK),
            flag("force", FORCE, _TO),
            flag("all", _EVERY, _TALK),
            flag("quiet", "print nothing but errors", _TALK),
        ],
        body,
    )


def _chain_named_in(words: Sequence[str], default: str) -> str:
    """The method and its following methods, joined by +."""
    chain = (_named_in(words, "--method", default), _named_in(words, "--then", ""))
    return "+".join(named for named in chain if named).replace(",", "+")


def _named_in(words: Sequence[str], option: str, default: str) -> str:
    for word, following in pairwise([*words, ""]):
        if word == option and following:
            return following
        if word.startswith(f"{option}="):
            return word.partition("=")[2]
    return default


def _assess(original: Path, released: Path, **values: Any) -> None:
    from tacita import api

    reading, chosen = given(InputSection, values), given(MeasureSection, values, _MEASURE_NAMES)
    roles = given({name: Roles.model_fields[name] for name in _ASSESSED}, values)
    every = values["all"] or "names" in chosen
    with progress_bar(values["quiet"]) as run:
        report = api.evaluate(
            api.read(original, **reading),
            api.read(released, **reading),
            **roles,
            measures=chosen.pop("names", None),
            **chosen,
            context=run,
        )
    if values["json"] is not None:
        api.save_report(report, values["json"], inputs=(original, released), force=values["force"])
    if not values["quiet"]:
        print_scores(report, every=every)


assess = command(
    "assess",
    "Measure information loss and disclosure risk of a release. Both files have the same record order.\n\n"
    "Example: tacita assess survey.csv protected.csv --quasi turnover,wages",
    [
        positional("original", "file before protection"),
        positional("released", "file after protection"),
        *[option(name, Roles.model_fields[name], _WHAT, required=name == "quasi") for name in _ASSESSED],
        *options(MeasureSection, _FIGURES, _MEASURE_NAMES, skip=["settings"]),
        *options(InputSection, _FROM, skip=["path"]),
        path_option("json", "scores as JSON", _TO),
        flag("force", FORCE, _TO),
        flag("all", _EVERY, _TALK),
        flag("quiet", "print nothing but errors", _TALK),
    ],
    _assess,
)


def _check(released: Path, **values: Any) -> None:
    from tacita import api

    reading = given(InputSection, values)
    original = values["original"]
    with progress_bar(values["quiet"]) as run:
        verdicts = api.check_requirements(
            api.read(released, **reading),
            values["require"],
            original=None if original is None else api.read(original, **reading),
            **given({name: Roles.model_fields[name] for name in _ASSESSED}, values),
            context=run,
        )
    if values["json"] is not None:
        named = [path for path in (released, original, values["require"]) if path is not None]
        api.save_verdicts(verdicts, values["json"], inputs=named, force=values["force"])
    if not values["quiet"]:
        print_verdicts(verdicts)
    refuse_unmet(released.name, verdicts)


check = command(
    "check",
    "Check any file against the requirements of an office.\n\n"
    "Example: tacita check protected.csv --require office.toml",
    [
        positional("released", "file to judge"),
        required_path("require", "TOML file of requirements, such as k_anonymity = 3", _HOW),
        path_option("original", "file before protection, same order, for measures that compare", _FROM),
        *[option(name, Roles.model_fields[name], _WHAT) for name in _ASSESSED],
        *options(InputSection, _FROM, skip=["path"]),
        path_option("json", "verdicts as JSON; confidential", _TO),
        flag("force", FORCE, _TO),
        flag("quiet", "print nothing but errors", _TALK),
    ],
    _check,
)


def run(
    plan: Annotated[Path, Parameter(help="plan file (TOML)")],
    /,
    *,
    dry_run: Annotated[bool, Parameter(negative="", help="do everything but write")] = False,
    script: Annotated[
        bool, Parameter(negative="", help="print the Python script that does the same")
    ] = False,
    force: _Force = False,
    every: _Every = False,
    quiet: _Quiet = False,
) -> None:
    """Carry out a plan file, of records or of tables.

    Example: tacita run plan.toml

    Look first, and write nothing: tacita run plan.toml --dry-run
    """
    from tacita import api
    from tacita.microdata.plans.risk_plan import RiskPlan
    from tacita.tables.plans.plan import AnyTablePlan

    from .risk import carry_out_risk
    from .tables import carry_out_table

    loaded = api.load_plan(plan)
    if script:
        Out.print(loaded.to_python(), markup=False, soft_wrap=True)
    elif isinstance(loaded, AnyTablePlan):
        carry_out_table(loaded, quiet=quiet, dry_run=dry_run, plan_file=plan, force=force)
    elif isinstance(loaded, RiskPlan):
        carry_out_risk(loaded, quiet=quiet, dry_run=dry_run, plan_file=plan, force=force)
    else:
        _carry_out(loaded, quiet, every=every, dry_run=dry_run, plan_file=plan, force=force)


def compare_with(words: Sequence[str]) -> Callable[..., None]:
    """The command `compare` with lists of values for the parameters of the chosen methods."""
    from .tables import comparison_of

    if (of_table := comparison_of(words)) is not None:
        return of_table
    named = _named_in(words, "--method", default=str(ProtectSection.model_fields["method"].default))
    methods = [registry.canonical_chain(chain) for chain in named.split(",")]
    # every parameter of a chosen method takes several values, separated by commas
    varied = {
        name: FieldInfo(
            annotation=tuple[str, ...], default=(), description=f"{field.description}; or several"
        )
        for chain in methods
        for name, field in registry.parameters_of(chain).items()
    }

    def body(source: Path, **values: Any) -> None:
        from tacita import api

        if source.suffix.lower() == ".toml":
            plan = _compared(Plan.load(source), values, varied)
        else:
            plan = Plan(
                input={"path": source, **given(InputSection, values)},
                roles=given(Roles, values),
                protect=given(ReleaseOptions, values),
                measure=given(MeasureSection, values, _MEASURE_NAMES),
                compare={"method": methods, **given(_AXES, values), **given(varied, values)},
                output=given(_PAGES, values, _OUT_NAMES),
            )
        with progress_bar(values["quiet"], anytime=True) as steering:
            trials = api.run_comparison(plan, steering, plan_file=source, force=values["force"])
        if not values["quiet"]:
            print_trials(trials, plan)

    return command(
        "compare",
        "Try methods and parameters side by side, and draw their risk-utility map.\n\n"
        "Example: tacita compare survey.csv --quasi turnover,wages --method mdav,hm --k 3,5,10 "
        "--report map.html\n\n"
        "With a plan file (TOML), the grid is its [compare] section. An option that names a file replaces "
        "the plan's.\n\n"
        "With a plan of a table: tacita compare table.toml --method optimal,hypercube",
        [
            positional("source", "plan file (TOML) with a [compare] section, or file of records"),
            *options(_PAGES, _TO, _OUT_NAMES),
            *options(Roles, _WHAT),
            option("method", CompareSection.model_fields["method"], _HOW),
            *options(varied, Group.create_ordered(f"Parameters of {', '.join(methods)}")),
            *options(_AXES, _FIGURES),
            *options(ReleaseOptions, _HOW),
            *options(MeasureSection, _FIGURES, _MEASURE_NAMES, skip=["settings"]),
            *options(InputSection, _FROM, skip=["path"]),
            flag("force", FORCE, _TO),
            flag("quiet", "print nothing but errors", _TALK),
        ],
        body,
    )


def _compared(plan: Plan, values: dict[str, Any], varied: Fields) -> Plan:
    """The plan with the pages of the options; other options are refused."""
    models = (Roles, ReleaseOptions, MeasureSection, InputSection, _AXES, varied)
    if named := [name for model in models for name in given(model, values)]:
        raise ParameterError(
            f"compare: --{named[0].replace('_', '-')} needs a file of records. With a plan, set it in the "
            "plan."
        )
    pages = {name: values[_OUT_NAMES.get(name, name)] for name in _PAGES}
    chosen = {name: path for name, path in pages.items() if path is not None}
    return plan.model_copy(update={"output": plan.output.model_copy(update=chosen)})


def methods(
    name: Annotated[str | None, Parameter(help="describe this one")] = None, /, *, as_json: _AsJson = False
) -> None:
    """List methods and measures, or describe one.

    Example: tacita methods mdav
    """
    known = [(kind, entry_name) for kind, names in registry.locations().items() for entry_name in names]
    if name is None:
        described = [registry.describe(*entry) for entry in known]
        if as_json:
            print_json(described)
            return
        table = Table("kind", "name", "what it does", box=None)
        for entry in described:
            table.add_row(entry["kind"], entry["name"], entry["summary"])
        Out.print(table)
        return
    name = registry.canonical(name)
    registered = registry.lookup(name)
    if as_json:
        print_json(registry.describe(registered.kind, name))
        return
    aliases = registry.aliases_of(registered.kind, name)
    also = f"; also known as {', '.join(aliases)}" if aliases else ""
    Out.print(f"{name} ({registered.kind}{also})\n\n{registered.prose}", markup=False)
    print_parameters(registered)


def demo(
    *,
    folder: Annotated[Path, Parameter(help="where to write")] = Path("demo"),
    force: _Force = False,
    every: _Every = False,
    quiet: _Quiet = False,
) -> None:
    """Protect a made-up business survey, from start to report.

    Example: tacita demo --folder demo
    """
    from tacita import api

    plan = api.prepare_demo(folder, force=force)
    _carry_out(plan, quiet, every=every, plan_file=folder / "plan.toml", force=force)
    if not quiet:
        Out.print(
            f"Open {plan.output.report} in a browser. `tacita run {folder / 'plan.toml'} --force` "
            "repeats this run.",
            markup=False,
        )


def warmup() -> None:
    """Compile the inner loops once, so that the first run need not wait.

    Example: tacita warmup
    """
    from tacita import api

    with progress_bar(quiet=False) as steering:
        api.warmup(steering)
    Out.print("Ready.")


def reproduce(*_: Annotated[str, Parameter(allow_leading_hyphen=True)]) -> None:
    """Raise: this command moved to the repository."""
    raise ParameterError(
        "reproduce: published experiments are not part of the installed package. In a clone of the "
        "repository, run `python -m experiments NAME`."
    )


def _carry_out(plan: Plan, quiet: bool, *, dry_run: bool = False, every: bool = False, **files: Any) -> None:
    from tacita import api

    with progress_bar(quiet, anytime=plan.anytime) as steering:
        release = api.run_plan(plan, steering, dry_run=dry_run, **files)
    if not quiet:
        print_outcome(release, plan, dry_run=dry_run, every=every, saved=files.get("save_plan"))


_FOR_WORDS = {"protect": protect_with, "synthesize": synthesize_with, "compare": compare_with}


def __getattr__(name: str) -> Callable[..., None]:
    # the chosen command was built before; the others are built on demand
    if name in _FOR_WORDS:
        return _FOR_WORDS[name]([])
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
