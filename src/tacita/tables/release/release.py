"""The verbs of tables: tabulate, suppress, adjust, attack, publish. `api` exports them.

Modules that need compiled code are imported when used: a list of methods should not wait for it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, Unpack

from tacita import io
from tacita.core import (
    Adjusted,
    DataError,
    DisclosureWarning,
    Method,
    ParameterError,
    Pattern,
    Problem,
    Report,
    RunContext,
    Table,
)
from tacita.core.results.release import search_stopped
from tacita.core.spec import registry
from tacita.core.spec.accepted_risks import LESS_PROTECTION, accepted_of_table
from tacita.core.spec.deprecated import renamed_arguments
from tacita.core.spec.method_params import AdjustmentParams, SuppressionParams
from tacita.core.spec.seeds import as_seed
from tacita.executors.section import ExecutorSection, executor_of
from tacita.io import content_of
from tacita.io.formats.csv import CSV
from tacita.io.tables.reading import Seen
from tacita.io.versions import versions
from tacita.tables.input.linked_tables import link_tables, parts_of
from tacita.tables.input.read import Source, Working, read_records, read_source
from tacita.tables.plans.dimensions import Division
from tacita.tables.plans.sections import (
    AdjustSection,
    RecordInputSection,
    SuppressSection,
    TableInputSection,
    TableSection,
)
from tacita.tables.rules.rule_syntax import describe_rules, spell_rules
from tacita.tables.verify.adjusted import AdjustedAudit, AdjustmentClaim, audit_adjusted
from tacita.tables.verify.adjusted import require_safe as require_adjusted_safe
from tacita.tables.verify.audit import audit, require_safe
from tacita.tables.verify.claim import encoded, encoded_all
from tacita.tables.verify.published_tables import parts_or_whole, seen_together
from tacita.tables.verify.suppressed import SuppressionClaim, changed

from .adjustment_record import AdjustedFileAudit, AdjustmentRecord
from .record import FileAudit, Provenance, TableRecord, TableRelease
from .results import AdjustedTable, SuppressedTable
from .suppression_record import SuppressedFileAudit, SuppressionRecord


@renamed_arguments(run="context")
def tabulate(
    data: Any,
    dimensions: Sequence[str] | Mapping[str, Any] = (),
    value: str | None = None,
    *,
    executor: str | Mapping[str, Any] = "in-memory",
    context: RunContext | None = None,
    **fields: Any,
) -> Table:
    """Sum a column of records, or count records, over all combinations of some columns.

    Sums are exact and rounded once: they are the same in whatever order records come.

    Parameters
    ----------
    data : data frame, path, or what `read` returned
        The records.
    dimensions : list of str or mapping
        Columns, or a mapping from each to its hierarchy: nested labels, a Hierarchy, or the path of a .hrc or
        .csv file.
    value : str, optional
        The column to sum. Without one the table counts.
    executor : str or mapping, default="in-memory"
        For the path of Parquet, a file or a folder of files: "serial" sums in parts in this process,
        "processes" in several, "dask" on a cluster; or a mapping with name, workers, scheduler and part,
        the records of a part. The table is the same to the last bit. Working files are in a folder next to
        the source, readable by their owner alone.
    context : RunContext, optional
        Listens to progress, and cancels the work.
    **fields
        `rules` say which cells are sensitive: ``rules=[tacita.tables.PPercent(p=15)]``. `weight`, `unit`,
        `request`, `waiver` and `key` name columns: sampling weights, the firm or household that
        contributes, who requested protection, who waived it, and keys for noise. `prefixes` tells of a
        column of codes how many first characters name each level above (``{"nace": [1, 3]}``), `parents`
        names the column with the label above, `total` the label of all. `depth` is the number of
        contributions that a cell keeps; `margins` whether there are sums. Other fields are those of
        `Table.cross`. Of a path, how to read it (`delimiter` and so on, or `meta` for records of
        tau-ARGUS).

    Returns
    -------
    Table
        The table with its sensitive cells.

    Raises
    ------
    ParameterError
        If an argument is wrong, or a column is missing.
    DataError
        If the records cannot be used.

    See Also
    --------
    read_table : Read a table that was summed before.
    suppress : Choose the cells to suppress.
    adjust : Replace the values.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from tacita.tables import MinimumFrequency
    >>> firms = pa.table({"region": list("aabb"), "size": list("slss"), "turnover": [1, 90, 5, 4]})
    >>> tabulate(firms, ["region", "size"], "turnover", rules=MinimumFrequency())
    <Table of 9 cells (3 x 3), 6 of them sensitive>
    """
    from tacita.tables.input.tabulate import tabulate as build

    executor = executor_of(executor, fields.pop("engine", None))
    named = executor if isinstance(executor, Mapping) else {"name": executor}
    section = ExecutorSection(**named)
    if not isinstance(data, str | Path):
        if section.in_parts:
            raise ParameterError(
                f"tabulate: the executor {section.name} works on files, and this is a frame. Give the path "
                "of a Parquet file, or leave out the executor.",
                field="executor",
            )
        return build(data, dimensions, value, **fields)
    more = {name: option for name in ("prefixes", "parents", "total") if (option := fields.pop(name, None))}
    reading = {name: fields.pop(name) for name in RecordInputSection.model_fields if name in fields}
    own = {"hierarchy": Division.named(dimensions).hierarchy, **more}
    contributor_columns = (
        value,
        *(fields.get(name) for name in ("weight", "unit", "request", "waiver", "key")),
    )
    records = RecordInputSection(path=data, **reading)
    working = Working(section, records.path, context or RunContext())
    source = read_records(records, [*dimensions], contributor_columns, working, **own)
    return source.tabulate(value, **fields)


def read_table(
    path: str | Path,
    *,
    problem: str = "interval",
    objective: str | None = None,
    sensitive: bool = True,
    **fields: Any,
) -> Table:
    """Read a table from a file: a list of its cells, or a .tab or .jj file of tau-ARGUS.

    Files of tau-ARGUS say themselves what columns mean. Values below zero are refused unless the `problem` is
    general.

    Parameters
    ----------
    path : path
        The file.
    problem : {"interval", "exact", "general"}, default="interval"
        The problem that the table will be protected for; see `suppress`.
    objective : str, optional
        What suppressing a cell costs: value, count, or a column of weights.
    sensitive : bool, default=True
        Whether a list must name the column of sensitive cells. False for tables to be adjusted.
    **fields
        Of a list, the columns: `dimensions` (or `rows` and `columns`), `value`, `primary` (1 for sensitive
        cells, 0 for others), `contributors`, `key` (a column of keys), and the levels `lower` and `upper`
        (in percent of the value, by default 15, or a column) and `sliding` (by default 0). `hierarchy`,
        `prefixes`, `parents` and `total` as in `tabulate`. `fill_zeros` for combinations that are not
        listed, `counts=True` where values count records. How to read the file: `delimiter`, `decimal`,
        `encoding`, `missing_values`; `meta` is the .rda of a .tab.

    Returns
    -------
    Table
        The table. Sums that are not listed are computed.

    Raises
    ------
    ParameterError
        If an argument is wrong.
    DataError
        If the cells cannot be used: sums that do not add up, missing or negative values.

    See Also
    --------
    tabulate : Make a table from records.
    save_cells : Write a table as a list or for tau-ARGUS.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     cells = Path(folder, "cells.csv")
    ...     _ = cells.write_text("r,c,v,p\\na,x,5,1\\na,y,3,0\\nb,x,2,0\\nb,y,4,0\\n")
    ...     read_table(cells, rows="r", columns="c", value="v", primary="p")
    <Table of 9 cells (3 x 3), 1 of them sensitive>
    """
    reading = {name: fields.pop(name) for name in tuple(fields) if name in TableInputSection.model_fields}
    suppression = {"problem": problem} if objective is None else {"problem": problem, "objective": objective}
    return read_source(
        TableInputSection(path=path, **reading),
        TableSection(**fields),
        SuppressSection(**suppression),
        sensitive,
    ).table


@renamed_arguments(insist="accept_risks", accept="accept_risks", run="context")
def suppress(
    table: Table,
    problem: Problem = "interval",
    method: str | Method = "optimal",
    *,
    objective: Any = None,
    margins: bool | None = None,
    zeros: Literal["publish", "withhold"] | None = None,
    strict: bool = False,
    insiders: bool = False,
    accept_risks: bool | str | Sequence[str] = False,
    context: RunContext | None = None,
    **method_params: Unpack[SuppressionParams],
) -> SuppressedTable:
    """Choose the cells of a table to suppress besides its sensitive ones, and audit them.

    Parameters
    ----------
    table : Table
        The table with its sensitive cells.
    problem : {"interval", "exact", "general"}, default="interval"
        What an attacker must not learn: values nearer than the protection levels, exact values, or values
        nearer than the levels where cells may be negative or have bounds of their own.
    method : str or method, default="optimal"
        Name of a method of suppression, or one with its parameters: ``tacita.methods.Optimal(seconds=60)``.
    objective : str or array, optional
        What suppressing a cell costs: value, count, log, contributors, or figures. None keeps the costs of
        the table.
    margins : bool, optional
        Whether sums may be suppressed. None: as the table says.
    zeros : {"publish", "withhold"}, optional
        None suppresses zeros for the exact problem and publishes them otherwise.
    strict : bool, default=False
        Refuse what singletons give away.
    insiders : bool, default=False
        Protect from contributors who know their own part of every suppressed cell.
    accept_risks : bool or list of str, default=False
        Risks that are accepted, and recorded: "less-protection" than a rule asks for (or True), and
        "no-sensitive-cells", where no rule, status or mark says which cells are sensitive.
    context : RunContext, optional
        Listens to progress, and stops or cancels the search.
    **method_params
        Parameters of the method, such as ``seconds=60``.

    Returns
    -------
    SuppressedTable
        The suppressed cells, with their cost and a proven lower bound, their table and their audit.

    Raises
    ------
    ParameterError
        If an argument is wrong, or a risk is not accepted. It is a ValueError too.
    DataError
        If the table cannot be protected.
    VerificationError
        If the audit finds a sensitive cell that is not protected.

    Examples
    --------
    >>> regions = [[11, 47, 58], [1, 15, 33], [2, 31, 20]]
    >>> table = Table.from_array(regions, primary=[[0, 0, 0], [0, 1, 0], [0, 0, 0]])
    >>> pattern = suppress(table, problem="exact")
    >>> pattern.cost, pattern.proven, pattern.secondary_count
    (34.0, True, 3)
    """
    from .suppress import suppress as choose

    less_protection, accept = accepted_of_table(accept_risks)
    name, chosen = _built(method, registry.SUPPRESSING, method_params)
    claim = choose(
        table,
        chosen,
        problem,
        objective=objective,
        margins=margins,
        zeros=zeros,
        accept_less_protection=less_protection,
        strict=strict,
        insiders=insiders,
        accept=accept,
        run=context,
        name=name,
    )
    return SuppressedTable.audited(table, claim)


@renamed_arguments(insist="accept_risks", run="context")
def adjust(
    table: Table,
    method: str | Method,
    *,
    seed: int | str | None = None,
    accept_risks: bool | str | Sequence[str] = False,
    context: RunContext | None = None,
    **method_params: Unpack[AdjustmentParams],
) -> AdjustedTable:
    """Replace the values of a table, none of them suppressed, and audit the result.

    Parameters
    ----------
    table : Table
        The table. Its sensitive cells must stay as uncertain as their protection levels ask.
    method : str or method
        Name of a method of adjustment ("rounding", "small-counts", "cell-key", "cta"), or one with its
        parameters: ``tacita.methods.Rounding(base=5)``.
    seed : int or str, optional
        Makes what is drawn repeatable. None draws from the operating system.
    accept_risks : bool or list of str, default=False
        ["less-protection"] or True accepts less protection and a short seed, and is recorded.
    context : RunContext, optional
        Listens to progress, and stops or cancels the search.
    **method_params
        Parameters of the method, such as ``base=5``.

    Returns
    -------
    AdjustedTable
        The new values, with their distance from the true ones, their table and their audit.

    Raises
    ------
    ParameterError
        If an argument is wrong, or a risk is not accepted. It is a ValueError too.
    DataError
        If the table cannot be adjusted.
    VerificationError
        If the audit finds a sensitive cell that is not protected.

    Examples
    --------
    >>> table = Table.from_array([[4, 7], [2, 1]], frequency=True)
    >>> adjusted = adjust(table, "rounding", base=5)
    >>> table.grid(adjusted.values).tolist(), adjusted.proven
    ([[5.0, 5.0, 10.0], [0.0, 5.0, 5.0], [5.0, 10.0, 15.0]], True)
    """
    from .adjust import adjust as move

    less_protection, unknown = accepted_of_table(accept_risks)
    if unknown:
        raise ParameterError(
            f"adjust: there is no risk named {', '.join(unknown)}. Known: {LESS_PROTECTION}.",
            field="accept_risks",
        )
    name, chosen = _built(method, registry.ADJUSTING, method_params)
    claim = move(
        table,
        chosen,
        accept_less_protection=less_protection,
        run=_seeded(context, seed),
        name=name,
    )
    return AdjustedTable.audited(table, claim)


def _built(method: str | Method, kinds: tuple[str, ...], params: Mapping[str, Any]) -> tuple[str, Any]:
    """The name of a method, and the method with its parameters."""
    name, own = registry.named_with_params(method, *kinds)
    if twice := [param for param in params if param in own and own[param] != params[param]]:
        raise ParameterError(
            f"{name}: {', '.join(twice)} is given with the method and as an argument, with different values. "
            "Give it once."
        )
    name = registry.canonical(name, *kinds)
    return name, registry.lookup(name, *kinds)(**{**own, **params})


def _seeded(run: RunContext | None, seed: int | str | None) -> RunContext:
    context = run or RunContext()
    return context if seed is None else replace(context, seed=as_seed(seed, "adjust"))


def publish(
    section: SuppressSection | AdjustSection,
    source: Source,
    published: Sequence[Path],
    run: RunContext | None = None,
) -> TableRelease:
    """Suppress or adjust, attack, encode, read back: a file for each table that is published."""
    forms = [io.format_of(path, "published")() for path in published]
    claim = (
        _adjusted(section, source, run)
        if isinstance(section, AdjustSection)
        else _suppressed(section, source, run)
    )
    return _release(claim, forms, source)


def _suppressed(section: SuppressSection, source: Source, run: RunContext | None) -> SuppressionClaim:
    from .suppress import suppress as choose

    claim = choose(
        source.table,
        section.build(),  # type: ignore[arg-type]
        section.problem,
        **section.model_dump(include={"zeros", "strict", "insiders", "accept"}),
        accept_less_protection=section.insist,
        run=run,
        name=section.method,
    )
    return replace(claim, linked=source.linked)


def _adjusted(section: AdjustSection, source: Source, run: RunContext | None) -> AdjustmentClaim:
    from .adjust import adjust as move

    claim = move(
        source.table,
        section.build(),  # type: ignore[arg-type]
        accept_less_protection=section.insist,
        run=_seeded(run, section.seed),
        name=section.method,
    )
    return replace(claim, linked=source.linked)


def release_of(
    tables: Sequence[Table],
    outcome: Pattern | Adjusted,
    published: Sequence[Path],
    run: RunContext | None = None,
) -> TableRelease:
    """The release of tables by an outcome from any source, attacked once, and read back as bytes.

    For several tables, the outcome is that of their link.
    """
    table, forms = _linked(tables, published)
    attack = _attacked_pattern if isinstance(outcome, Pattern) else _attacked_values
    claim = attack(table, outcome, run)  # type: ignore[arg-type]
    return _release(replace(claim, linked=parts_of(table, tables) if len(tables) > 1 else ()), forms)


def _attacked_pattern(table: Table, pattern: Pattern, run: RunContext | None) -> SuppressionClaim:
    from .suppress import against_bounds

    less_protection = bool(pattern.parameters.get("insist"))
    seen = table
    if pattern.problem == "general":
        against_bounds(table, pattern, less_protection, run or RunContext())
        seen = table.with_bounds(-math.inf, math.inf)
    insiders = bool(pattern.parameters.get("insiders"))
    result = audit(seen, pattern, None, run, accept_risks=less_protection, insiders=insiders)
    return SuppressionClaim(pattern, require_safe(result))


def _attacked_values(table: Table, adjusted: Adjusted, run: RunContext | None) -> AdjustmentClaim:
    # the promises of an unknown method could not be checked
    name = registry.canonical(adjusted.method, *registry.ADJUSTING)
    promises = registry.lookup(name, *registry.ADJUSTING).guarantees
    less_protection = bool(adjusted.parameters.get("insist"))
    result = audit_adjusted(table, adjusted, promises, run, accept_less_protection=less_protection)
    return AdjustmentClaim(adjusted, require_adjusted_safe(result))


def _linked(tables: Sequence[Table], published: Sequence[Path]) -> tuple[Table, list[Any]]:
    """The table, or the link of several, and the form of the file of each."""
    if len(tables) != len(published):
        raise ParameterError(
            f"save_tables: wanted a file for each of {len(tables)} tables, got {len(published)}."
        )
    forms = [io.format_of(path, "published")() for path in published]
    return tables[0] if len(tables) == 1 else link_tables(tables), forms


def _release(
    claim: SuppressionClaim | AdjustmentClaim, forms: Sequence[Any], source: Source | None = None
) -> TableRelease:
    contents = encoded_all(claim, forms)
    warnings = _stopped(claim.outcome) + claim.audit.warnings + (() if source is None else source.warnings)
    provenance = _provenance(claim.table, contents, source)
    record: TableRecord
    if isinstance(claim, AdjustmentClaim):
        record = AdjustmentRecord(provenance, claim, warnings)
    else:
        record = SuppressionRecord(provenance, claim, warnings, None if source is None else source.objective)
    return TableRelease(contents if claim.linked else contents[0], Report(()), record, claim)


def _stopped(outcome: Pattern | Adjusted) -> tuple[DisclosureWarning, ...]:
    if outcome.status != "stopped":
        return ()
    left = ""
    if isinstance(outcome, Pattern):
        left = f", with a proven bound {100 * outcome.gap:.3g} % below its cost"
    return (search_stopped(outcome.seconds, left),)


def in_other_forms(release: TableRelease, paths: Sequence[Path]) -> dict[Path, bytes]:
    """The one table of a release in other forms, each read back and compared with what was audited."""
    return {path: encoded(release.claim, io.format_of(path, "published")()) for path in paths}


def attack_files(
    source: Source,
    published: Sequence[Path],
    section: SuppressSection | AdjustSection,
    run: RunContext | None = None,
) -> FileAudit:
    """Attack published files of a table, or of linked ones, from any source.

    A cell with the status `withheld` counts as suppressed even if the file shows its value, which is reported
    as well. The values of an adjusted table are those of the named method and parameters; files that suppress
    cells, or show one cell with two values, are no adjusted tables.
    """
    contents, seen = _read(source, published)
    provenance = _provenance(source.table, contents, source)
    if isinstance(section, AdjustSection):
        values = _attack_values(source.table, seen, section, published[0].name, run)
        return AdjustedFileAudit(provenance, values, values.warnings + source.warnings, seen.besides)
    options = section.model_dump(include={"strict", "zeros", "insiders"})
    accepted = [*section.accept, *([LESS_PROTECTION] if section.insist else [])]
    result = audit(source.table, seen.withheld, section.problem, run, accept_risks=accepted, **options)
    wrong = int(changed(source.table, seen).sum())
    return SuppressedFileAudit(provenance, result, result.warnings + source.warnings, seen.besides, wrong)


def _attack_values(
    table: Table, seen: Seen, section: AdjustSection, name: str, run: RunContext | None
) -> AdjustedAudit:
    if missing := int(seen.withheld.sum()):
        raise DataError(
            f"{name}: wanted a value for each of {table.n} cells, {missing} are suppressed. Audit "
            "it as a table with suppressed cells (problem)."
        )
    method = section.build()
    made = replace(method.claimed(table, seen.values), method=section.method)  # type: ignore[attr-defined]
    return audit_adjusted(table, made, method.promised(), run, accept_less_protection=section.insist)


def _read(source: Source, published: Sequence[Path]) -> tuple[list[bytes], Seen]:
    """The bytes of published files, and what they show together."""
    contents, n = [content_of(path) for path in published], source.table.n
    forms = [io.format_of(path, "published")() for path in published]
    parts = parts_or_whole(source.linked, source.table)
    return contents, seen_together(contents, forms, parts, [path.name for path in published], n)


def _provenance(table: Table, contents: Sequence[bytes], source: Source | None = None) -> Provenance:
    return Provenance(
        source=None if source is None else source.name,
        fingerprint=None if source is None else source.fingerprint,
        release_fingerprint=", ".join(map(io.fingerprint_of, contents)),
        rules=describe_rules(table.rules),
        versions=versions(),
    )


def encoded_cells(table: Table, out: Path) -> dict[Path, bytes]:
    """A table with its true values as a list of cells, or as files of tau-ARGUS, by the ending."""
    from tacita.tables.input.cell_list import to_cells

    if (form := io.by_ending(out, "cells")) is not None:
        files: dict[Path, bytes] = form().encode(table, out)
        return files
    if io.format_of(out) is not CSV:
        raise ParameterError(f"{out.name}: wanted a table ending in .csv, .tab or .jj.")
    return {out: to_cells(table, spell_rules(table.rules))}
