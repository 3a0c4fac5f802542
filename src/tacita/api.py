"""The verbs. Every interface, ours or yours, builds on these and computes nothing itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tacita.core import (
    Microdata,
    ParameterError,
    RecordsRelease,
    Report,
    RiskProfile,
    Roles,
    Run,
    Trials,
    Verdict,
)
from tacita.core.results.interrupt import interruptible
from tacita.core.spec import registry
from tacita.demo import prepare_demo
from tacita.io.csv_sniffer import guess_reading
from tacita.io.formats.record_format import unfolding_at_most
from tacita.microdata.explore.column_profile import exposure, guess_roles, profile
from tacita.microdata.explore.hierarchies import look_at_hierarchy, make_hierarchy
from tacita.microdata.explore.risk_profile import profile as _risk_profile
from tacita.microdata.methods.masking.transitions import unpram
from tacita.microdata.plans.plan import Plan, Protection
from tacita.microdata.plans.requirements import RequireSection
from tacita.microdata.plans.risk_plan import RiskSection
from tacita.microdata.plans.sections import MeasureSection
from tacita.microdata.release.assess import assess as _assess
from tacita.microdata.release.assess import check as _check
from tacita.microdata.release.compare import compare as _compare
from tacita.microdata.release.iterations import Round
from tacita.microdata.release.iterations import watch as _watch
from tacita.microdata.release.release import make_release
from tacita.precompile import compiling_told, warmup
from tacita.tables.input.linked_tables import link
from tacita.tables.input.read import read_argus
from tacita.tables.release.compare import compare_patterns
from tacita.tables.release.release import adjust, read_table, suppress, tabulate
from tacita.tables.release.review_view import view_table

from . import io
from .io import write_frame
from .plans import (
    load_plan,
    run,
    run_comparison,
    run_risk,
    save,
    save_comparison,
    save_hierarchy,
    save_plan,
    save_report,
    save_risk,
    save_verdicts,
)
from .plans import run as _run
from .plans.table_plans import (
    audit_plan,
    audit_published,
    compare_table,
    look_at_table,
    run_table,
    save_adjusted,
    save_adjusted_tables,
    save_cells,
    save_table,
    save_tables,
    tabulate_file,
)
from .tables.verify.audit import audit

__all__ = [
    "Round",
    "adjust",
    "assess",
    "audit",
    "audit_plan",
    "audit_published",
    "check",
    "compare",
    "compare_patterns",
    "compare_table",
    "compiling_told",
    "exposure",
    "guess_reading",
    "guess_roles",
    "interruptible",
    "link",
    "load_plan",
    "look_at_hierarchy",
    "look_at_table",
    "make_hierarchy",
    "method",
    "prepare_demo",
    "profile",
    "protect",
    "protect_file",
    "read",
    "read_argus",
    "read_table",
    "risk",
    "run",
    "run_comparison",
    "run_risk",
    "run_table",
    "save",
    "save_adjusted",
    "save_adjusted_tables",
    "save_cells",
    "save_comparison",
    "save_hierarchy",
    "save_plan",
    "save_report",
    "save_risk",
    "save_table",
    "save_tables",
    "save_verdicts",
    "suppress",
    "synthesize",
    "tabulate",
    "tabulate_file",
    "unfolding_at_most",
    "unpram",
    "view_table",
    "warmup",
    "watch",
    "write_frame",
]


def method(name: str, **parameters: Any) -> Any:
    """A method or measure by its registry name, in any case.

    >>> import numpy as np
    >>> method("mdav", k=2).partition(np.array([[0.0], [1.0], [9.0], [10.0]])).labels.tolist()
    [0, 0, 1, 1]
    """
    return registry.lookup(name)(**parameters)


def read(path: str | Path, *, shown_as: str | None = None, **options: Any) -> Microdata:
    """Read a file of records: CSV, Parquet, Stata, SPSS, SAS or Excel, by its ending.

    Options as in the plan's [input]: delimiter, decimal, encoding, missing_values, value_labels, sheet.
    `guess_reading` guesses the first three. Messages call the file by its name, or as `shown_as` says.
    """
    return io.read(path, io.InputOptions(**options), shown_as=shown_as)


def protect(
    data: Any,
    *,
    quasi: str | Sequence[str] = (),
    method: str = "mdav",
    steps: Sequence[Mapping[str, Any]] = (),
    require: Mapping[str, Any] | str | Path | None = None,
    numeric: Sequence[str] = (),
    nominal: Sequence[str] = (),
    ordinal: Sequence[str] | Mapping[str, Sequence[str]] = (),
    identifiers: Sequence[str] = (),
    pseudonyms: Sequence[str] = (),
    confidential: Sequence[str] = (),
    strata: Sequence[str] = (),
    unit: str | None = None,
    unit_columns: Sequence[str] = (),
    weight: str | None = None,
    measures: Sequence[str] | None = None,
    without: Sequence[str] = (),
    domains: Sequence[str] = (),
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    run: Run | None = None,
    **options: Any,
) -> RecordsRelease:
    """Protect records: group them and publish means, or mask their values; verify, measure.

    `data` is a pandas, polars or pyarrow frame (the same kind comes back in `Release.data`), a path, or
    what `read` returned. `quasi` names the columns to protect, or is "numeric" for every numeric column
    without another role. Those among them that are categories are named in `nominal`, or in `ordinal` with
    their levels from lowest to highest (by name alone where numbers, or the column's type, give the order);
    the method gower groups by them. A column of few whole numbers is warned of as codes that were averaged,
    unless `numeric` says that they are quantities. `options` are those of the plan's [protect] section
    (missing, round_integers, shuffle, insist, seed, then) and the parameters of the method (k, ...).

    `steps` are several methods in place of one, each with columns of its own, as the [[steps]] of a plan:
    [{"method": "recode", "quasi": ["town"], "map": {...}}, {"method": "mdav", "quasi": ["wage"], "k": 5}].
    `require` names what the result must satisfy ({"k_anonymity": {"k": 3, "keys": ["sex", "town"]}}), or a
    file. `unit_columns` agree within a unit and must do so after. `pseudonyms` are identifiers replaced.

    Raises ParameterError, DataError, VerificationError or RequirementError; returns nothing unverified.

    >>> import pyarrow as pa
    >>> frame = pa.table({"x": [1.0, 2.0, 3.0, 10.0, 11.0, 12.0], "name": list("abcdef")})
    >>> protect(frame, quasi=["x"], identifiers=["name"], k=3).data["x"].to_pylist()
    [2.0, 2.0, 2.0, 11.0, 11.0, 11.0]
    """
    return make_release(io.taken_in(data), Protection.asked(**_by_name(locals())), run)


def protect_file(
    source: str | Path,
    path: str | Path,
    *,
    executor: str | Mapping[str, Any] = "serial",
    report: str | Path | None = None,
    json_report: str | Path | None = None,
    note: str | Path | None = None,
    force: bool = False,
    run: Run | None = None,
    **options: Any,
) -> RecordsRelease:
    """Protect a file beyond memory: Parquet, one file or a folder of them, to a Parquet file.

    `executor` works in parts: "serial" in this process, "processes" in several, "dask" on a cluster; or a
    mapping with name, workers, scheduler and part, the records of a part. `options` are those of `protect`.
    All records are verified, in the file as it was written; scores are those of a sample. What comes back has
    no frame: its `data` is the path.
    """
    # what the executor was called in version 0.1
    where = {"engine": options.pop("engine")} if "engine" in options else {"executor": executor}
    asked = Protection.asked(**options)
    given = {name: getattr(asked, name) for name in Protection.model_fields}
    output = {"path": path, "report": report, "json_report": json_report, "note": note}
    return _run(Plan(input={"path": source}, output=output, **where, **given), run, force=force)


def synthesize(
    data: Any,
    *,
    dependent: str | Sequence[str],
    independent: str | Sequence[str] = (),
    method: str = "ipso-c",
    require: Mapping[str, Any] | str | Path | None = None,
    numeric: Sequence[str] = (),
    nominal: Sequence[str] = (),
    ordinal: Sequence[str] | Mapping[str, Sequence[str]] = (),
    identifiers: Sequence[str] = (),
    pseudonyms: Sequence[str] = (),
    confidential: Sequence[str] = (),
    strata: Sequence[str] = (),
    unit: str | None = None,
    unit_columns: Sequence[str] = (),
    weight: str | None = None,
    measures: Sequence[str] | None = None,
    without: Sequence[str] = (),
    domains: Sequence[str] = (),
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    run: Run | None = None,
    **options: Any,
) -> RecordsRelease:
    """Draw dependent columns anew, given independent ones that are kept; verify, measure.

    As `protect`, with `dependent` (columns that are replaced) and `independent` (columns that explain them,
    released unchanged) in place of `quasi`. Both are numeric; with `copula` and `trees` they may be
    categories too, named under `nominal` or `ordinal`, and none need be independent. Each stratum is drawn by
    itself, so that what a method keeps exactly it keeps in every stratum, and hence in all. `options` are
    missing ("refuse" or "drop"; "level" draws what is missing too), shuffle, insist, seed, round_integers
    where the method can, and the parameters of the method.

    >>> import numpy as np
    >>> import pyarrow as pa
    >>> s = np.random.default_rng(0).normal(size=60)
    >>> frame = pa.table({"s": s, "y": s + np.sin(9 * s)})
    >>> made = synthesize(frame, dependent=["y"], independent=["s"], method="ipso-c")
    >>> bool(np.isclose(np.mean(made.data["y"]), np.mean(frame["y"]))), made.data["s"].equals(frame["s"])
    (True, True)
    """
    return make_release(io.taken_in(data), Protection.asked(**_by_name(locals())), run)


def watch(
    data: Any,
    *,
    dependent: str | Sequence[str],
    independent: str | Sequence[str] = (),
    on_round: Callable[[Round], None],
    measures: Sequence[str] = ("PIL", "DR", "SCORE"),
    run: Run | None = None,
    **options: Any,
) -> RecordsRelease:
    """`synthesize` by fuzzy c-regression, heard round by round, each as the release would be with it.

    `on_round` gets what a round found (memberships, curves of the clusters, released values, objective) and,
    where it asks for `report`, its scores. The run goes on when it returns: a listener that waits makes
    steps. Told that it is enough, the run ends with the round that it is in. What is returned is verified as
    ever; a release that is refused was heard all the same.

    >>> from tacita import datasets
    >>> heard = []
    >>> made = watch(
    ...     datasets.five_clouds(), dependent="y", independent="x", on_round=heard.append, c=5, rmax=4
    ... )
    >>> [round.iteration.iteration for round in heard], heard[-1].report["PIL"] == made.report["PIL"]
    ([1, 2, 3, 4], True)
    """
    asked = Protection.asked(
        **options, dependent=dependent, independent=independent, measures=measures, method="fcrm"
    )
    return _watch(io.taken_in(data), asked, on_round, run)


def compare(
    data: Any,
    *,
    quasi: str | Sequence[str] = (),
    dependent: str | Sequence[str] = (),
    independent: str | Sequence[str] = (),
    method: str | Sequence[str] = "mdav",
    numeric: Sequence[str] = (),
    nominal: Sequence[str] = (),
    ordinal: Sequence[str] | Mapping[str, Sequence[str]] = (),
    identifiers: Sequence[str] = (),
    pseudonyms: Sequence[str] = (),
    confidential: Sequence[str] = (),
    strata: Sequence[str] = (),
    unit: str | None = None,
    unit_columns: Sequence[str] = (),
    weight: str | None = None,
    require: Mapping[str, Any] | str | Path | None = None,
    loss: str = "PIL",
    risk: str = "DR",
    measures: Sequence[str] | None = None,
    without: Sequence[str] = (),
    domains: Sequence[str] = (),
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    run: Run | None = None,
    **options: Any,
) -> Trials:
    """Try methods and parameters on the same records, and find those that no other beats.

    Takes what `protect` or `synthesize` takes, with lists: `method=["mdav", "hm"]`, `k=[3, 5, 10]`. A
    parameter goes to the methods that have it. Each trial is a verified release, of which only the figures
    are kept. One that fails keeps its reason and does not stop the others; if all fail, the first error is
    raised.

    >>> import pyarrow as pa
    >>> frame = pa.table({"x": [1.0, 2.0, 3.0, 4.0, 10.0, 11.0, 12.0, 13.0]})
    >>> trials = compare(frame, quasi="x", method=["mdav", "hm"], k=[3, 4], loss="IL1", risk="DLD")
    >>> [(trial.method, trial.parameters["k"], trial.groups) for trial in trials]
    [('hm', 3, 2), ('hm', 4, 2), ('mdav', 3, 2), ('mdav', 4, 2)]
    """
    return _compare(io.taken_in(data), *Protection.compared(**_by_name(locals())), run)


def assess(
    original: Any,
    released: Any,
    *,
    quasi: str | Sequence[str],
    nominal: Sequence[str] = (),
    ordinal: Sequence[str] | Mapping[str, Sequence[str]] = (),
    unit: str | None = None,
    measures: Sequence[str] | None = None,
    without: Sequence[str] = (),
    domains: Sequence[str] = (),
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    run: Run | None = None,
) -> Report:
    """Measure loss and risk of a release, whoever made it: same records in the same order, same columns.

    Frames, paths, or what `read` returned. Records with a missing value on either side are left out and
    counted in the report's notes. `nominal`, `ordinal` and `unit` are as in `protect`. `measures` names those
    to compute (["all"] for every one), `without` those to leave out, `settings` gives their parameters
    ({"DBRL": {"attributes": [3, 5]}}); `domains` names columns whose values are parts of the population to
    look into.

    >>> import pyarrow as pa
    >>> frame = pa.table({"x": [1.0, 2.0, 3.0]})
    >>> assess(frame, frame, quasi=["x"])["IL1"].value
    0.0
    """
    asked = Protection.asked(**_by_name(locals()))
    return _assess(io.taken_in(original), io.taken_in(released), asked, run)


def risk(
    data: Any,
    *,
    keys: str | Sequence[str],
    weight: str | None = None,
    unit: str | None = None,
    sensitive: str | Sequence[str] = (),
    fraction: float | None = None,
    population: float | None = None,
    missing_as: str = "category",
    measures: Sequence[str] | None = None,
    without: Sequence[str] = (),
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    run: Run | None = None,
) -> RiskProfile:
    """Measure what the keys of a file give away, before anything is protected. Confidential.

    `keys` are columns that an attacker may know. Whom they stand for in the population is known by `weight`,
    a column of sampling weights, or by a sampling `fraction` or the size of the `population`; without these
    the file is taken for the population. `unit` names households or firms, `sensitive` the columns that
    nobody should learn. A missing key is a value of its own, or with missing_as="wildcard" any value.
    `measures` are names of measures, by default all that look at a file by itself; `settings` gives their
    parameters, as in `assess`.

    >>> import pyarrow as pa
    >>> frame = pa.table({"sex": list("ffmm"), "town": list("aabc"), "w": [9.0, 9.0, 9.0, 9.0]})
    >>> profile = risk(frame, keys=["sex", "town"], weight="w")
    >>> profile.headline
    '2 of 4 records (50 %) are alone on sex, town.'
    >>> round(profile["individual_risk_max"].value, 3)
    0.275
    """
    asked = RiskSection(**{name: each for name, each in locals().items() if name in RiskSection.model_fields})
    chosen = MeasureSection(names=measures, without=without, settings=settings or {})
    return _risk_profile(io.taken_in(data), asked, chosen, run)


def check(
    released: Any,
    require: Mapping[str, Any] | str | Path,
    *,
    original: Any = None,
    quasi: str | Sequence[str] = (),
    nominal: Sequence[str] = (),
    ordinal: Sequence[str] | Mapping[str, Sequence[str]] = (),
    unit: str | None = None,
    run: Run | None = None,
) -> tuple[Verdict, ...]:
    """Judge a file, whoever made it, by requirements: one verdict each.

    `require` is as in `protect`: names of measures with limits, or the TOML file of an office. Measures that
    compare need the `original`, the same records in the same order, and `quasi`, the columns that were
    changed. Where a `unit` is named, a column of the original or else of the file, measures that can count
    its units do.

    >>> import pyarrow as pa
    >>> found = check(pa.table({"sex": list("ffmmm")}), {"k_anonymity": {"k": 3, "keys": ["sex"]}})
    >>> found[0].passed, found[0].detail
    (False, '2 of 5 records share their keys with fewer than 3 records by sex (fewest: 2)')
    """
    limits = RequireSection.given(require)
    if original is None:
        return _check(io.taken_in(released), limits, unit=unit, run=run)
    if not quasi:
        raise ParameterError("Check: an original needs the columns that were changed (quasi), got none.")
    roles = Roles(quasi=quasi, nominal=nominal, ordinal=ordinal, unit=unit)
    return _check(io.taken_in(released), limits, io.taken_in(original).with_roles(roles), run=run)


def _by_name(arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a verb as it was called, but for the records and the run; its options among them."""
    apart = ("data", "original", "released", "run", "options")
    named = {name: each for name, each in arguments.items() if name not in apart}
    return {**named, **arguments.get("options", {})}
