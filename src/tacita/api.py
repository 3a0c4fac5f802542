"""The verbs. Every interface, ours or yours, builds on these and computes nothing itself."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from . import io, registry
from ._version import __version__
from .core import (
    Comparison,
    DataError,
    Microdata,
    ParameterError,
    Record,
    Release,
    Report,
    Roles,
    Run,
)
from .core.microdata import speakable
from .io.atomic import refuse_bad_targets
from .microdata import cautions, verify
from .microdata.alignment import refuse_other_order, same_numbers
from .microdata.assess import context_columns, measure
from .microdata.microaggregation.base import Microaggregation
from .microdata.protect import protect as _protect
from .microdata.summary import summarise
from .plan import MeasureSection, OutputSection, Plan, ProtectSection

__all__ = [
    "assess",
    "method",
    "prepare_demo",
    "protect",
    "read",
    "run",
    "save",
    "save_plan",
    "save_report",
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
    """Protect records: group them, publish means, verify, measure.

    `data` is a pandas, polars or pyarrow frame (the same kind comes back in `Release.data`), a path, or
    what `read` returned. `quasi` names the columns to protect, or is "numeric" for every numeric column
    without another role. `options` are those of the plan's [protect] section (missing, round_integers,
    shuffle, insist, seed) and the parameters of the method (k, ...).

    Raises ParameterError, DataError, or VerificationError; never returns an unverified release.

    >>> import pyarrow as pa
    >>> frame = pa.table({"x": [1.0, 2.0, 3.0, 10.0, 11.0, 12.0], "name": list("abcdef")})
    >>> protect(frame, quasi=["x"], identifiers=["name"], k=3).data["x"].to_pylist()
    [2.0, 2.0, 2.0, 11.0, 11.0, 11.0]
    """
    roles = Roles(
        quasi=quasi,
        identifiers=identifiers,
        confidential=confidential,
        strata=strata,
        unit=unit,
        weight=weight,
    )
    section = ProtectSection(method=method, **options)
    measuring = MeasureSection(names=measures, without=without, domains=domains, settings=settings or {})
    return _release(_taken_in(data), roles, section, measuring, run)


def save(
    release: Release,
    path: str | Path,
    *,
    report: str | Path | None = None,
    json_report: str | Path | None = None,
    note: str | Path | None = None,
    source: str | Path | None = None,
) -> None:
    """Write a release, after checking the very bytes that are written; all files appear or none.

    `path` (CSV or Parquet by its ending) and `note` are public; `report` (HTML) and `json_report` are
    confidential. The file that was read is never overwritten, nor is `source` if given.
    """
    section = OutputSection(path=path, report=report, json_report=json_report, note=note)
    original = release.claim.original
    form = _refuse_bad_output(section, {"input": original.path, "source": _path(source)})
    content, options = io.encode(
        Microdata.of(release.data, dialect=original.dialect, source=section.path.name), form
    )
    verify.insist(verify.verify_file(content, form, options, release.claim))

    from . import report as page

    files = {section.path: content}
    for target, render in (
        (section.report, page.review_html),
        (section.json_report, page.review_json),
        (section.note, page.note_html),
    ):
        if target is not None:
            files[target] = render(release).encode()
    io.write_all(files)


def run(plan: Plan, run: Run | None = None, *, dry_run: bool = False) -> Release:
    """Carry out a plan; with `dry_run` everything but the writing."""
    # before any work: nobody wants to hear of a wrong path after an hour
    _refuse_bad_output(plan.output, {"input": plan.input.path})
    options = plan.input.model_dump(exclude={"path"})
    release = _release(read(plan.input.path, **options), plan.roles, plan.protect, plan.measure, run)
    if not dry_run:
        targets = plan.output.model_dump(exclude={"path"})
        save(release, plan.output.path, source=plan.input.path, **targets)
    return release


def _refuse_bad_output(section: OutputSection, sources: Mapping[str, Path | None]) -> str:
    """The format of the output, if every target can be written and none is a source."""
    refuse_bad_targets(section.targets, sources)
    return io.format_of(section.path)


def assess(
    original: Any,
    released: Any,
    *,
    quasi: str | Sequence[str],
    measures: Sequence[str] | None = None,
    without: Sequence[str] = (),
    domains: Sequence[str] = (),
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    run: Run | None = None,
) -> Report:
    """Measure loss and risk of a release, whoever made it: same records in the same order, same columns.

    Frames, paths, or what `read` returned. Records with a missing value on either side are left out and
    counted in the report's notes. `measures` names those to compute (["all"] for every one), `without`
    those to leave out, `settings` gives their parameters ({"DBRL": {"attributes": [3, 5]}}); `domains`
    names columns whose values are parts of the population to look into.

    >>> import pyarrow as pa
    >>> frame = pa.table({"x": [1.0, 2.0, 3.0]})
    >>> assess(frame, frame, quasi=["x"])["IL1"].value
    0.0
    """
    section = MeasureSection(names=measures, without=without, domains=domains, settings=settings or {})
    before, after = _taken_in(original), _taken_in(released)
    if quasi == "numeric":
        # identifiers that the release no longer has are not to be compared
        quasi = [name for name in before.columns if name in after.columns and before.kind(name) == "numeric"]
    before = before.with_roles(Roles(quasi=quasi))
    absent = [name for name in before.quasi if name not in after.columns]
    if absent:
        raise ParameterError(f"{after.source}: the release has no column {', '.join(absent)}.")
    if before.n != after.n:
        raise DataError(
            f"{after.source}: wanted the {before.n} records of the original in its order, got {after.n}. "
            "Assess against the records that were released."
        )
    refuse_other_order(before, after, before.quasi)
    x, z = before.matrix(before.quasi), after.matrix(before.quasi)
    if (np.isnan(x) | np.isnan(z)).any(axis=1).all():
        raise DataError(f"{after.source}: every record has a missing value, there is nothing to measure.")
    beside = [name for name in before.columns if name in after.columns and name not in before.quasi]
    unchanged = [name for name in beside if same_numbers(before, after, name)]
    return measure(
        x,
        z,
        before.quasi,
        section.build(),
        run or Run(),
        context=context_columns(before, unchanged, np.arange(before.n)),
        domains=_domains(before, section.domains, np.arange(before.n)),
    )


def save_report(report: Report, path: str | Path, *, inputs: Sequence[str | Path] = ()) -> None:
    """Write scores as JSON."""
    target = Path(path)
    refuse_bad_targets({"JSON report": target}, {f"input {i}": Path(given) for i, given in enumerate(inputs)})
    content = json.dumps(report.as_dict(), indent=2, allow_nan=False) + "\n"
    io.write_all({target: content.encode()})


def save_plan(plan: Plan, path: str | Path) -> None:
    """Write a plan as TOML, paths relative to its folder."""
    target = Path(path)
    refuse_bad_targets({"plan": target}, {"input": plan.input.path, **plan.output.targets})
    io.write_all({target: plan.to_toml(target.absolute().parent).encode()})


def write_frame(frame: Any, path: str | Path) -> None:
    """Write a frame as it is, unprotected, as CSV or Parquet by the path's ending."""
    target = Path(path)
    form = io.format_of(target)
    refuse_bad_targets({"output": target}, {})
    content, _ = io.encode(Microdata.of(frame, source=target.name), form)
    io.write_all({target: content})


def prepare_demo(folder: str | Path) -> Plan:
    """A folder with a made-up survey and the plan that protects it."""
    from . import datasets

    place = Path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise ParameterError(f"{place.name}: this folder cannot be made ({problem.strerror}).") from None
    roles = {role: names for role, names in datasets.describe("business").roles.items() if names}
    # the unit serves for grouping and then goes: released, it would tie records together
    roles["identifiers"] = [*datasets.describe("business").identifiers, roles["unit"]]
    plan = Plan(
        input={"path": place / "survey.csv"},
        roles=roles,
        protect={"method": "mdav", "k": 3, "round_integers": True, "shuffle": True, "seed": 1},
        output={
            "path": place / "protected.csv",
            "report": place / "report.html",
            "json": place / "report.json",
            "note": place / "quality.html",
        },
    )
    write_frame(datasets.load("business"), plan.input.path)
    save_plan(plan, place / "plan.toml")
    return plan


def warmup(run: Run | None = None) -> None:
    """Run every built-in method and measure once on a few records, which compiles their kernels."""
    steps = [(kind, name) for kind, names in registry.BUILT_IN.items() for name in names]
    x = np.arange(24.0).reshape(-1, 1) % 7
    for done, (kind, name) in enumerate(steps):
        found: Any = registry.lookup(name, kind)()
        if kind in registry.MEASURING:
            found.score(Comparison.of(x, x[::-1]))
        else:
            found.partition(x)
            found.partition(x, units=np.arange(24))
        (run or Run()).report("compiling", done + 1, len(steps))


def _path(path: str | Path | None) -> Path | None:
    return None if path is None else Path(path)


def _taken_in(data: Any) -> Microdata:
    if isinstance(data, Microdata):
        return data
    if isinstance(data, str | Path):
        return io.read(data)
    return Microdata.of(data)


def _release(
    data: Microdata,
    roles: Roles,
    section: ProtectSection,
    measures: MeasureSection,
    run: Run | None,
) -> Release:
    chosen = section.build()
    if not isinstance(chosen, Microaggregation):
        raise ParameterError(
            f"{section.method}: this is a {chosen.kind} method, not one that protects a file."
        )
    if chosen.k == 2 and not section.insist:
        raise ParameterError(
            f"{chosen.spoken_name()}: k must be at least 3, got 2: each of two members can compute the "
            "other. Raise k, or insist (--insist; it is recorded)."
        )
    given = run or Run()
    steered = given if section.seed is None else replace(given, seed=section.seed)
    data = data.with_roles(roles)
    made = _protect(
        data,
        chosen,
        steered,
        missing=section.missing,
        round_integers=section.round_integers,
        shuffle=section.shuffle,
    )
    steered.report("verifying", 0, 1)
    verdicts = verify.insist(verify.verify(made.data, made.claim))
    steered.report("verifying", 1, 1)
    kept = np.sort(made.claim.rows)
    unchanged = [name for name in made.data.columns if name not in data.quasi]
    report = measure(
        made.original,
        made.released,
        data.quasi,
        measures.build(),
        steered,
        context=context_columns(data, unchanged, kept),
        domains=_domains(data, measures.domains or roles.strata, kept),
    )
    record = Record(
        source=data.source,
        fingerprint=data.fingerprint or _fingerprint(data),
        method=(section.method,),
        parameters=chosen.model_dump(mode="json"),
        roles=(data.roles or roles).model_dump(mode="json"),
        options=section.model_dump(
            mode="json", include=set(ProtectSection.model_fields) - {"method", "seed"}
        ),
        seed=steered.seed,
        records_in=data.n,
        records_out=made.data.n,
        groups=len(made.partition),
        group_sizes=_histogram(made.partition.sizes),
        strata=int(made.strata.max()) + 1,
        versions=_versions(),
        verdicts=verdicts,
        cautions=cautions.find(made, shuffled=section.shuffle),
        not_promised=cautions.NOT_PROMISED,
        summaries=tuple(
            summarise(name, made.original[:, j], made.released[:, j], chosen.k)
            for j, name in enumerate(data.quasi)
            if not np.isnan(made.original[:, j]).all()
        ),
    )
    return Release(made.data.native, report, record, made.claim)


def _domains(
    data: Microdata, columns: Sequence[str], rows: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64] | None:
    unknown = [name for name in columns if name not in data.columns]
    if unknown:
        raise ParameterError(f"{data.source}: there is no column {speakable(unknown)}. Name other domains.")
    return data.codes(columns)[rows] if columns else None


def _histogram(sizes: np.ndarray) -> dict[int, int]:
    size, count = np.unique(sizes, return_counts=True)
    return dict(zip(size.tolist(), count.tolist(), strict=True))


def _fingerprint(data: Microdata) -> str | None:
    """SHA-256 of a frame's content, None where it has no canonical form."""
    try:
        content, _ = io.encode(data, "parquet")
    except DataError:
        return None
    return hashlib.sha256(content).hexdigest()


def _versions() -> dict[str, str]:
    found = {"tacita": __version__, "python": platform.python_version()}
    for package in ("numpy", "numba", "pyarrow", "narwhals"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "unknown"
    return found
