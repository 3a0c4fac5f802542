"""The verbs. Every interface, ours or yours, builds on these and computes nothing itself."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from . import io, registry
from .core import (
    Microdata,
    ParameterError,
    Release,
    Report,
    Roles,
    Run,
    Trials,
)
from .demonstration import prepare_demo
from .io import write_frame
from .io.atomic import refuse_bad_targets
from .microdata import verify
from .pipeline import assess as _assess
from .pipeline import compare as _compare
from .pipeline import make_release
from .plan import CompareSection, MeasureSection, OutputSection, Plan, ProtectSection
from .tableplan import TablePlan, load_plan, plan_in_bytes
from .tabular import (
    audit,
    audit_published,
    audit_refusal,
    read_table,
    run_table,
    save_table,
    suppress,
    tabulate,
    tabulate_file,
)
from .warming import warmup

__all__ = [
    "assess",
    "audit",
    "audit_published",
    "audit_refusal",
    "compare",
    "load_plan",
    "method",
    "prepare_demo",
    "protect",
    "read",
    "read_table",
    "run",
    "run_comparison",
    "run_table",
    "save",
    "save_comparison",
    "save_plan",
    "save_report",
    "save_table",
    "suppress",
    "synthesize",
    "tabulate",
    "tabulate_file",
    "warmup",
    "write_frame",
]


def method(name: str, **parameters: Any) -> Any:
    """A method or measure by its registry name.

    >>> import numpy as np
    >>> method("mdav", k=2).partition(np.array([[0.0], [1.0], [9.0], [10.0]])).labels.tolist()
    [0, 0, 1, 1]
    """
    return registry.lookup(name)(**parameters)


def read(path: str | Path, **options: Any) -> Microdata:
    """Read a CSV or Parquet file.

    Options as in the plan's [input]: delimiter, decimal, encoding, missing_values.
    """
    return io.read(path, io.InputOptions(**options))


def protect(
    data: Any,
    *,
    quasi: str | Sequence[str],
    method: str = "mdav",
    numeric: Sequence[str] = (),
    nominal: Sequence[str] = (),
    ordinal: Sequence[str] | Mapping[str, Sequence[str]] = (),
    identifiers: Sequence[str] = (),
    confidential: Sequence[str] = (),
    strata: Sequence[str] = (),
    unit: str | None = None,
    weight: str | None = None,
    measures: Sequence[str] | None = None,
    without: Sequence[str] = (),
    domains: Sequence[str] = (),
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    run: Run | None = None,
    **options: Any,
) -> Release:
    """Protect records: group them and publish means, or mask their values; verify, measure.

    `data` is a pandas, polars or pyarrow frame (the same kind comes back in `Release.data`), a path, or
    what `read` returned. `quasi` names the columns to protect, or is "numeric" for every numeric column
    without another role. Those among them that are categories are named in `nominal`, or in `ordinal` with
    their levels from lowest to highest (by name alone where numbers, or the column's type, give the order);
    the method gower groups by them. A column of few whole numbers is warned of as codes that were averaged,
    unless `numeric` says that they are quantities. `options` are those of the plan's [protect] section
    (missing, round_integers, shuffle, insist, seed) and the parameters of the method (k, ...).

    Raises ParameterError, DataError, or VerificationError; never returns an unverified release.

    >>> import pyarrow as pa
    >>> frame = pa.table({"x": [1.0, 2.0, 3.0, 10.0, 11.0, 12.0], "name": list("abcdef")})
    >>> protect(frame, quasi=["x"], identifiers=["name"], k=3).data["x"].to_pylist()
    [2.0, 2.0, 2.0, 11.0, 11.0, 11.0]
    """
    roles = Roles(
        quasi=quasi,
        numeric=numeric,
        nominal=nominal,
        ordinal=ordinal,
        identifiers=identifiers,
        confidential=confidential,
        strata=strata,
        unit=unit,
        weight=weight,
    )
    section = ProtectSection(method=method, **options)
    measuring = MeasureSection(names=measures, without=without, domains=domains, settings=settings or {})
    return make_release(_taken_in(data), roles, section, measuring, run)


def synthesize(
    data: Any,
    *,
    dependent: str | Sequence[str],
    independent: str | Sequence[str] = (),
    method: str = "ipso-c",
    numeric: Sequence[str] = (),
    identifiers: Sequence[str] = (),
    confidential: Sequence[str] = (),
    strata: Sequence[str] = (),
    unit: str | None = None,
    weight: str | None = None,
    measures: Sequence[str] | None = None,
    without: Sequence[str] = (),
    domains: Sequence[str] = (),
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    run: Run | None = None,
    **options: Any,
) -> Release:
    """Draw dependent columns anew, given independent ones that are kept; verify, measure.

    As `protect`, with `dependent` (numeric columns that are replaced) and `independent` (numeric columns
    that explain them, released unchanged) in place of `quasi`. Each stratum is drawn by itself, so that what
    a method keeps exactly it keeps in every stratum, and hence in all. `options` are missing ("refuse" or
    "drop"), shuffle, insist, seed, and the parameters of the method.

    >>> import numpy as np
    >>> import pyarrow as pa
    >>> s = np.random.default_rng(0).normal(size=60)
    >>> frame = pa.table({"s": s, "y": s + np.sin(9 * s)})
    >>> made = synthesize(frame, dependent=["y"], independent=["s"], method="ipso-c")
    >>> bool(np.isclose(np.mean(made.data["y"]), np.mean(frame["y"]))), made.data["s"].equals(frame["s"])
    (True, True)
    """
    roles = Roles(
        dependent=dependent,
        independent=independent,
        numeric=numeric,
        identifiers=identifiers,
        confidential=confidential,
        strata=strata,
        unit=unit,
        weight=weight,
    )
    section = ProtectSection(method=method, **options)
    measuring = MeasureSection(names=measures, without=without, domains=domains, settings=settings or {})
    return make_release(_taken_in(data), roles, section, measuring, run)


def save(
    release: Release,
    path: str | Path,
    *,
    report: str | Path | None = None,
    json_report: str | Path | None = None,
    note: str | Path | None = None,
    source: str | Path | None = None,
    force: bool = False,
) -> None:
    """Write a release, after checking the very bytes that are written; all files appear or none.

    `path` (CSV or Parquet by its ending) and `note` are public; `report` (HTML) and `json_report` are
    confidential, and readable by their owner alone. Files that are there are overwritten with `force` only;
    the file that was read never is, nor is `source` if given.
    """
    section = OutputSection(path=Path(path), report=report, json_report=json_report, note=note)
    inputs = {"input": release.claim.original.path, "source": _path(source)}
    refuse_bad_targets(section.targets, inputs, force=force)
    io.write_all(_files_of(release, section), public=section.public, force=force)


def _files_of(release: Release, section: OutputSection) -> dict[Path, bytes]:
    """The release in bytes, verified, and the pages beside it."""
    from . import report as page

    target = cast(Path, section.path)
    form = io.format_of(target)
    content, options = io.encode(
        Microdata.of(release.data, dialect=release.claim.original.dialect, source=target.name), form
    )
    verify.insist(verify.verify_file(content, form, options, release.claim))
    files = {target: content}
    written = replace(release.record, release_fingerprint=io.fingerprint_of(content))
    release = replace(release, record=written)
    for beside, render in (
        (section.report, page.review_html),
        (section.json_report, page.review_json),
        (section.note, page.note_html),
    ):
        if beside is not None:
            files[beside] = render(release).encode()
    return files


def run(
    plan: Plan,
    run: Run | None = None,
    *,
    dry_run: bool = False,
    plan_file: str | Path | None = None,
    save_plan: str | Path | None = None,
    force: bool = False,
) -> Release:
    """Carry out a plan; with `dry_run` everything but the writing.

    `plan_file`, where the plan was read from, is never overwritten; `save_plan` is where to write it,
    together with the release (in a dry run, alone). Files that are there need `force`.
    """
    # before any work: nobody wants to hear of a wrong path after an hour
    if plan.output.path is None:
        raise ParameterError(
            "Plan: output.path is required to protect a file; this plan only compares. Name one in [output], "
            "or carry it out with `tacita compare`."
        )
    inputs = {"input": plan.input.path, "plan file": _path(plan_file)}
    refuse_bad_targets(plan.output.targets, inputs, force=force or dry_run)
    refuse_bad_targets({"plan": _path(save_plan)}, {**inputs, **plan.output.targets}, force=force)
    io.format_of(plan.output.path)
    release = make_release(_read_for(plan), plan.roles, plan.protect, plan.measure, run)
    files = {} if dry_run else _files_of(release, plan.output)
    io.write_all({**files, **plan_in_bytes(plan, save_plan)}, public=plan.output.public, force=force)
    return release


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
    confidential: Sequence[str] = (),
    strata: Sequence[str] = (),
    unit: str | None = None,
    weight: str | None = None,
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
    roles = Roles(
        quasi=quasi,
        numeric=numeric,
        nominal=nominal,
        ordinal=ordinal,
        dependent=dependent,
        independent=independent,
        identifiers=identifiers,
        confidential=confidential,
        strata=strata,
        unit=unit,
        weight=weight,
    )
    around = {name: value for name, value in options.items() if name in ProtectSection.model_fields}
    values = {name: value for name, value in options.items() if name not in around}
    section = CompareSection(method=method, loss=loss, risk=risk, **values)
    base = ProtectSection(**around)
    measuring = MeasureSection(names=measures, without=without, domains=domains, settings=settings or {})
    return _compare(_taken_in(data), roles, base, section, measuring, run)


def run_comparison(
    plan: Plan, run: Run | None = None, *, plan_file: str | Path | None = None, force: bool = False
) -> Trials:
    """Carry out the [compare] section of a plan, and write the pages that [output] names.

    Neither the input nor `plan_file`, where the plan was read from, is ever overwritten; other files are
    with `force` only.
    """
    if plan.compare is None:
        raise ParameterError(
            'Plan: there is no [compare] section. Add one, such as method = ["mdav"] and k = [3, 5, 10].'
        )
    pages = {"report": plan.output.report, "JSON report": plan.output.json_report}
    refuse_bad_targets(pages, {"input": plan.input.path, "plan": _path(plan_file)}, force=force)
    trials = _compare(_read_for(plan), plan.roles, plan.protect, plan.compare, plan.measure, run)
    save_comparison(trials, report=plan.output.report, json_report=plan.output.json_report, force=force)
    return trials


def save_comparison(
    trials: Trials,
    *,
    report: str | Path | None = None,
    json_report: str | Path | None = None,
    force: bool = False,
) -> None:
    """Write a comparison as a page and as JSON, both confidential; both appear or none."""
    from . import report as page

    pages = {"report": _path(report), "JSON report": _path(json_report)}
    refuse_bad_targets(pages, {"input": trials.origin.path if trials.origin else None}, force=force)
    renderers = (page.comparison_html, page.comparison_json)
    io.write_all(
        {
            target: render(trials).encode()
            for target, render in zip(pages.values(), renderers, strict=True)
            if target is not None
        },
        force=force,
    )


def save_plan(plan: Plan | TablePlan, path: str | Path, *, force: bool = False) -> None:
    """Write a plan as TOML, paths relative to its folder where they lie below it; confidential."""
    target = Path(path)
    read = {"input": plan.input.path, "metadata": getattr(plan.input, "meta", None)}
    refuse_bad_targets({"plan": target}, {**read, **plan.output.targets}, force=force)
    io.write_all(plan_in_bytes(plan, target), force=force)


def _read_for(plan: Plan) -> Microdata:
    return read(plan.input.path, **plan.input.model_dump(exclude={"path"}))


def assess(
    original: Any,
    released: Any,
    *,
    quasi: str | Sequence[str],
    nominal: Sequence[str] = (),
    ordinal: Sequence[str] | Mapping[str, Sequence[str]] = (),
    measures: Sequence[str] | None = None,
    without: Sequence[str] = (),
    domains: Sequence[str] = (),
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    run: Run | None = None,
) -> Report:
    """Measure loss and risk of a release, whoever made it: same records in the same order, same columns.

    Frames, paths, or what `read` returned. Records with a missing value on either side are left out and
    counted in the report's notes. `nominal` and `ordinal` are as in `protect`. `measures` names those to
    compute (["all"] for every one), `without` those to leave out, `settings` gives their parameters
    ({"DBRL": {"attributes": [3, 5]}}); `domains` names columns whose values are parts of the population to
    look into.

    >>> import pyarrow as pa
    >>> frame = pa.table({"x": [1.0, 2.0, 3.0]})
    >>> assess(frame, frame, quasi=["x"])["IL1"].value
    0.0
    """
    section = MeasureSection(names=measures, without=without, domains=domains, settings=settings or {})
    roles = Roles(quasi=quasi, nominal=nominal, ordinal=ordinal)
    return _assess(_taken_in(original), _taken_in(released), roles, section, run)


def save_report(
    report: Report, path: str | Path, *, inputs: Sequence[str | Path] = (), force: bool = False
) -> None:
    """Write scores as JSON, confidential; never over one of the inputs."""
    target = Path(path)
    known = {f"input {i}": Path(given) for i, given in enumerate(inputs)}
    refuse_bad_targets({"JSON report": target}, known, force=force)
    content = json.dumps(report.as_dict(), indent=2, allow_nan=False) + "\n"
    io.write_all({target: content.encode()}, force=force)


def _path(path: str | Path | None) -> Path | None:
    return None if path is None else Path(path)


def _taken_in(data: Any) -> Microdata:
    if isinstance(data, Microdata):
        return data
    if isinstance(data, str | Path):
        return io.read(data)
    return Microdata.of(data)
