"""A table, or the records of one, out of the files people have: lists of cells, records, tau-ARGUS."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PureWindowsPath
from typing import Any

import numpy as np

from tacita import io
from tacita.core import DataError, DisclosureWarning, Microdata, ParameterError, RunContext, Table
from tacita.core.data.labels import natural_order
from tacita.core.data.percent import SHARE_TAKEN, is_share
from tacita.executors.section import ExecutorSection
from tacita.io import content_of
from tacita.io.formats.parquet import Parquet
from tacita.io.formats.record_format import refuse_huge
from tacita.io.parquet_dataset import ParquetParts
from tacita.io.tables import argus
from tacita.tables.plans.dimensions import Division
from tacita.tables.plans.plan import AnyTablePlan, LinkedPlan, TablePlan, TabulatePlan
from tacita.tables.plans.sections import (
    LEVELS,
    RecordInputSection,
    SuppressSection,
    TableInputSection,
    TableSection,
)
from tacita.tables.rules.rule_syntax import build_rules
from tacita.tables.verify.published_tables import Part

from .aggregation.parquet_aggregation import RecordParts

Files = dict[str, Path | None]


@dataclass(frozen=True, eq=False)
class Source:
    """A table as it was read, at the requested costs, named by `objective`.

    `warnings` state what could not be read, or was probably meant otherwise. `linked` are the tables that
    this one is made of, if several.
    """

    table: Table
    name: str
    fingerprint: str | None
    inputs: Files
    objective: str
    warnings: tuple[DisclosureWarning, ...] = ()
    linked: tuple[Part, ...] = ()


@dataclass(frozen=True, eq=False)
class RecordSource:
    """Records, the dimensions to sum over with their hierarchies, and the columns about contributors."""

    data: Microdata | RecordParts
    division: Division
    inputs: Files
    unit: str | None = None
    request: str | None = None

    def tabulate(self, value: str | None, **fields: Any) -> Table:
        """Their table; holdings and requests are the source's own where no others are named."""
        from .tabulate import tabulate

        own = {"unit": self.unit, "request": self.request}
        named = own | {name: field for name, field in fields.items() if field is not None}
        return tabulate(self.data, self.division, value, **named)


def source_of(plan: AnyTablePlan, shown_as: str | None = None, run: RunContext | None = None) -> Source:
    """The table that a plan is about; of linked ones, all in one.

    `shown_as` is the name of the input in the record, if other than that of its file. An executor reports its
    progress to `run`.
    """
    if isinstance(plan, LinkedPlan):
        source = _joined([source_of(member, run=run) for member in plan.members()])
    elif isinstance(plan, TablePlan):
        source = read_source(plan.input, plan.table, plan.reading, plan.suppress is not None)
    else:
        source = tabulated(plan, run)
    return source if shown_as is None else replace(source, name=shown_as)


def _joined(sources: Sequence[Source]) -> Source:
    """Several sources as one, whose `linked` are the tables that are published."""
    from .linked_tables import link_tables, parts_of

    tables = [source.table for source in sources]
    whole = link_tables(tables)
    names = ", ".join(dict.fromkeys(source.name for source in sources))
    prints = ", ".join(dict.fromkeys(source.fingerprint or "" for source in sources))
    inputs: Files = {
        f"{what} of table {at}": path
        for at, source in enumerate(sources, start=1)
        for what, path in source.inputs.items()
    }
    warnings = tuple(dict.fromkeys(warning for source in sources for warning in source.warnings))
    return Source(
        table=whole,
        name=names,
        fingerprint=prints,
        inputs=inputs,
        objective=sources[0].objective,
        warnings=warnings,
        linked=parts_of(whole, tables),
    )


def read_source(
    file: TableInputSection, section: TableSection, suppression: SuppressSection, sensitive: bool = True
) -> Source:
    """The table that a file describes, as a problem sees it, with what there is to warn of.

    Without `sensitive`, a list need not say which cells are.
    """
    source = _source(file, section, suppression, sensitive)
    number = int(source.table.primary.sum())
    warnings = about_levels(section.requested_levels, suppression.problem, number)
    table = replace(source.table, title=section.title or "")
    return replace(source, table=table, warnings=warnings + not_in_the_file(table, file.kind))


def _source(
    file: TableInputSection, section: TableSection, suppression: SuppressSection, sensitive: bool
) -> Source:
    """The table of a file.

    A file of tau-ARGUS has its own status, levels, bounds and costs. Levels it does not have are in percent
    of the value; a requested objective replaces its costs, and sums may be suppressed unless it protects
    them.
    """
    if file.kind == "cells":
        return _cells(file, section, suppression, sensitive)
    from .cell_list import check_nonnegative

    section.check_no_columns(file.path.name)
    content = content_of(file.path)
    text = _text(content, file.encoding, file.path.name)
    inputs: Files = {"input": file.path}
    if file.kind == "jj":
        table = _jj(text, section, suppression, file.path.name)
    else:
        table, others = _tab(text, file, section)
        inputs |= others
        if suppression.problem != "general":
            check_nonnegative(table.values, f"{file.path.name}: {table.response}")
    if section.counts:
        table = replace(table, frequency=True).with_published_unit()
    objective = "as in the file"
    if "objective" in suppression.model_fields_set:
        if suppression.objective not in ("value", "count"):
            raise ParameterError(
                f"{file.path.name}: the objective must be value or count, or that of the file."
            )
        table, objective = table.with_cost(suppression.objective), suppression.objective
    if "margins" in suppression.model_fields_set:
        table = table.with_margins(suppression.margins)
    return Source(
        table=table,
        name=file.path.name,
        fingerprint=io.fingerprint_of(content),
        inputs=inputs,
        objective=objective,
    )


def _cells(
    file: TableInputSection, section: TableSection, suppression: SuppressSection, sensitive: bool
) -> Source:
    from .cell_list import from_cells, rules_of

    data = io.read(file.path, io.InputOptions(**file.model_dump(include=set(io.InputOptions.model_fields))))
    signed = suppression.problem == "general"
    own = _own_columns(section, data)
    section.require_columns(own, sensitive)
    division = Division(own.pop("dimensions"), **section.divided)
    named = section.model_dump(include={"value", "primary", "contributors", "key", "counts", "fill_zeros"})
    table = from_cells(
        data, dimensions=division, **named | section.levels | own, cost=suppression.objective, signed=signed
    )
    if words := rules_of(data):
        table = replace(table, rules=tuple(build_rules(words.split(","))), judged=True)
    inputs: Files = {"input": file.path, **division.files}
    return Source(
        table=table.with_margins(suppression.margins),
        name=data.source,
        fingerprint=data.fingerprint,
        inputs=inputs,
        objective=suppression.objective,
    )


def _own_columns(section: TableSection, data: Microdata) -> dict[str, Any]:
    """The columns that a list of `tacita tabulate` names itself, where no others are requested."""
    from .contributor_columns import CELL_KEY, COUNT, is_kept

    columns: dict[str, Any] = {"dimensions": [*section.dimensions] or [section.rows, section.columns]}
    if not is_kept(data.columns) or "primary" not in data.columns:
        return columns
    if section.contributors not in (None, COUNT):
        raise ParameterError(
            f"{data.source}: the list says itself who stands behind its cells, from column {COUNT} on. Leave "
            "away --contributors."
        )
    # as `to_cells` writes them: the dimensions first, then the values, then which are sensitive
    *spanning, value = data.columns[: data.columns.index("primary")]
    spanning = [*section.dimensions] or spanning
    for at, named in enumerate((section.rows, section.columns)):
        spanning[at : at + 1] = [named] if named is not None else spanning[at : at + 1]
    columns = {name: name for name in ("primary", *LEVELS, COUNT) if name in data.columns} | {"value": value}
    columns |= {"key": CELL_KEY} if CELL_KEY in data.columns else {}
    kept = {name: column for name, column in columns.items() if name not in section.model_fields_set}
    return {"dimensions": spanning, **kept}


def _jj(text: str, section: TableSection, suppression: SuppressSection, name: str) -> Table:
    _check_no_levels(section, LEVELS, name)
    if "margins" in suppression.model_fields_set:
        raise ParameterError(f"{name}: a JJ problem marks what must be published by z. Leave --margins away.")
    return argus.parse_jj(text)


def _tab(text: str, file: TableInputSection, section: TableSection) -> tuple[Table, Files]:
    meta_path = file.meta or file.path.with_suffix(".rda")
    metadata = _metadata(meta_path, file.encoding)
    hierarchies, files = _hierarchy_files(metadata.variables, meta_path, file.encoding)
    table = argus.decode_tab(text, metadata, hierarchies)
    own = [level for level in LEVELS if metadata.of(level)]
    _check_no_levels(section, own, file.path.name)
    levels = {name: 0.0 if name in own else float(level) for name, level in section.levels.items()}
    if any(not 0 <= level < np.inf for level in levels.values()):
        raise ParameterError(f"suppress: {', '.join(LEVELS)} must be at least 0 percent.")
    if not table.judged:
        return table, {"metadata": meta_path, **files}
    leveled = table.with_primary(table.primary, levels["lower"], levels["upper"], levels["sliding"])
    return leveled, {"metadata": meta_path, **files}


def _check_no_levels(section: TableSection, own: Iterable[str], name: str) -> None:
    if twice := [side for side in own if side in section.model_fields_set]:
        raise ParameterError(
            f"{name}: the file has levels of its own. Leave away {', '.join('--' + side for side in twice)}."
        )


def tabulated(plan: TabulatePlan, run: RunContext | None = None) -> Source:
    """The table that a plan makes of records, sensitive cells marked by its rules."""
    from .cell_list import check_nonnegative

    section, suppression = plan.table, plan.suppress
    behind = section.model_dump(include={"weight", "unit", "request", "waiver", "key"})
    needed = (section.value, *behind.values())
    working = Working(plan.executor, plan.output.path, run or RunContext())
    records = read_records(plan.input, section.spanning, needed, working, **section.divided)
    rules = [rule.build() for rule in plan.rules]
    table = records.tabulate(section.value, **behind, rules=rules, title=section.title or "")
    name, objective = records.data.source, "value"
    if plan.adjust is not None and not plan.adjust.signed:
        check_nonnegative(table.values, f"{name}: {table.response}")
    if suppression is not None:
        if suppression.problem != "general":
            check_nonnegative(table.values, f"{name}: {table.response}")
        objective = suppression.objective
        table = table.with_cost(objective).with_margins(suppression.margins)
    return Source(
        table=table,
        name=name,
        fingerprint=records.data.fingerprint,
        inputs=records.inputs,
        objective=objective,
        warnings=respelled_units(table),
    )


@dataclass(frozen=True)
class Working:
    """The executor of a table, the file next to which its working files are, and its context."""

    executor: ExecutorSection
    beside: Path
    run: RunContext

    def check(self, file: RecordInputSection) -> None:
        """Check that the executor can make tables, and read the file; ParameterError if not."""
        if self.executor.device != "cpu":
            raise ParameterError(
                f"Executor: the device {self.executor.device} is for methods that group records. Leave it "
                "out.",
                field="device",
            )
        if self.executor.in_parts and file.meta is not None:
            raise ParameterError(
                f"{file.path.name}: the executor {self.executor.name} works in parts and reads Parquet, "
                "this is a file of tau-ARGUS. Leave out the executor.",
                field="executor",
            )


def read_records(
    file: RecordInputSection,
    dimensions: Sequence[str],
    behind: Iterable[str | None],
    working: Working,
    **divided: Any,
) -> RecordSource:
    """A file of records with the dimensions to sum over, and how they are `divided`; or one of tau-ARGUS.

    `behind` are the other columns that the table needs. Of Parquet, a file or a folder of files, no others
    are read, and texts as codes; an executor that works in parts reads them when they are summed.

    For tau-ARGUS (with `meta`), dimensions, hierarchies, holdings and requests are those of the metadata
    unless set.
    """
    working.check(file)
    if file.meta is not None:
        return _argus_records(file, dimensions, divided)
    if not dimensions:
        raise ParameterError(
            "tabulate: wanted the columns that span the table. Name them by --dimensions, or by --rows and "
            "--columns (in a plan: dimensions under [table])."
        )
    division = Division(dimensions, **divided)
    inputs: Files = {"input": file.path, **division.files}
    if working.executor.in_parts:
        parts = ParquetParts.at(file.path)
        record_parts = RecordParts(parts, file.path.name, working.executor, working.beside, working.run)
        return RecordSource(record_parts, division, inputs)
    needed = [*division.names, *division.parents.values(), *(name for name in behind if name is not None)]
    return RecordSource(_needed(file, needed), division, inputs)


def _needed(file: RecordInputSection, columns: Sequence[str]) -> Microdata:
    """The records of a file; of Parquet only some columns, unless one is missing and must be reported."""
    path = file.path
    if not path.is_dir() and io.by_ending(path, "records") is not Parquet:
        return io.read(path, io.InputOptions(**file.model_dump(exclude={"path", "meta"})))
    parts = ParquetParts.at(path)
    chosen = list(dict.fromkeys(columns)) if set(columns) <= set(parts.names) else None
    refuse_huge(parts.rows, len(chosen or parts.names), path.name)
    table = parts.read(0, parts.rows, chosen, coded=True)
    return Microdata.of(table, source=path.name, fingerprint=parts.fingerprint(), path=path.absolute())


def read_tau_argus(
    path: str | Path, meta: str | Path, *, encoding: str = "utf-8", shown_as: str | None = None
) -> Microdata:
    """Read records of tau-ARGUS, in fixed columns or separated, by their metadata. No header line.

    Parameters
    ----------
    path : path
        The records.
    meta : path
        Their metadata (.rda).
    encoding : str, default="utf-8"
        Text encoding of both files.
    shown_as : str, optional
        What messages call the file; its name by default.

    Returns
    -------
    Microdata
        The records. A column of requests is 1 for the codes that request protection, and 0 for others.

    Raises
    ------
    ParameterError
        If a file cannot be read.
    DataError
        If records and metadata do not fit.

    See Also
    --------
    tabulate : Make a table of them.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     records, meta = Path(folder, "firms.asc"), Path(folder, "firms.rda")
    ...     _ = records.write_text("NA 10\\nSB  7\\n")
    ...     _ = meta.write_text("Region 1 1\\n<RECODEABLE>\\nTurnover 3 3\\n<NUMERIC>\\n")
    ...     read_tau_argus(records, meta).columns
    ['Region', 'Turnover']
    """
    file = RecordInputSection(path=path, meta=meta, encoding=encoding)
    name = shown_as or file.path.name
    return _as_microdata(_argus_columns(file, _metadata_of_records(file, name), name), name)


def _argus_columns(file: RecordInputSection, metadata: argus.Metadata, name: str) -> dict[str, list[str]]:
    columns = argus.decode_records(_text(content_of(file.path), file.encoding, name), metadata)
    request = metadata.of("request")
    if request and request[0].request:
        # the metadata name the codes that request protection
        requesting = set(request[0].request)
        columns[request[0].name] = ["1" if code in requesting else "0" for code in columns[request[0].name]]
    return columns


def _argus_records(
    file: RecordInputSection, requested: Sequence[str], divided: Mapping[str, Any]
) -> RecordSource:
    assert file.meta is not None
    if odd := sorted(file.model_fields_set & {"delimiter", "decimal", "missing_values"}):
        raise ParameterError(
            f"{file.path.name}: {', '.join(odd)} cannot be chosen for a file of tau-ARGUS. Leave it away."
        )
    metadata = _metadata_of_records(file, file.path.name)
    variables = {variable.name: variable for variable in metadata.variables}
    spanning = [variable.name for variable in metadata.of("dimension")]
    names = [*(requested or spanning)]
    if not requested and len(spanning) != 2:
        raise ParameterError(
            f"tabulate: {file.meta.name} has {len(spanning)} dimensions. Name two by --rows and --columns, "
            "or others by --dimensions."
        )
    division = Division(names, **divided)
    inputs: Files = {"input": file.path, "metadata": file.meta, **division.files}
    if unknown := [name for name in names if name not in variables]:
        raise ParameterError(
            f"{file.meta.name}: there is no variable {', '.join(unknown)}. There are: {', '.join(variables)}."
        )
    columns = _argus_columns(file, metadata, file.path.name)
    own = {*division.hierarchy, *division.prefixes, *division.parents}
    chosen = [variables[name] for name in names if name not in own]
    hierarchies, files = _hierarchy_files(chosen, file.meta, file.encoding)
    # codes of several levels are digits of a hierarchy, not numbers
    labels = {e.name: (sorted if e.levels else natural_order)(set(columns[e.name])) for e in chosen}
    dimensions = {
        variable.name: argus.dimension_of(variable, labels[variable.name], hierarchies) for variable in chosen
    }
    request, holding = metadata.of("request"), metadata.of("holding")
    return RecordSource(
        _as_microdata(columns, file.path.name),
        replace(division, hierarchy={**dimensions, **division.hierarchy}),
        inputs | files,
        holding[0].name if holding else None,
        request[0].name if request else None,
    )


def _as_microdata(columns: Mapping[str, list[str]], source: str) -> Microdata:
    """Columns of text as if they came from CSV, whose numbers are read when they are needed."""
    import pyarrow as pa

    from tacita.core import CsvDialect
    from tacita.io.formats import csv

    return csv.CSV(delimiter=",").decode(csv.encode(pa.table(dict(columns)), CsvDialect()), source)


def _metadata(path: Path, encoding: str) -> argus.Metadata:
    return argus.parse_rda(_text(content_of(path), encoding, path.name))


def _metadata_of_records(file: RecordInputSection, name: str) -> argus.Metadata:
    """The metadata of records; DataError where they describe cells, each of which would count as one."""
    assert file.meta is not None
    words = argus.words_of_cells(_text(content_of(file.meta), file.encoding, file.meta.name))
    if words:
        raise DataError(
            f"{name}: this is a table, whose lines are cells that are summed already ({', '.join(words)} in "
            f"{file.meta.name}), and no file of records. Give it to `tacita suppress` or `tacita adjust` as "
            "a .tab, which read the status of its cells; rules are applied to its counts and largest "
            "contributions in Python: tacita.tables.rules.apply_rules(tacita.read_table(path), rules)."
        )
    return _metadata(file.meta, file.encoding)


def _hierarchy_files(
    variables: Iterable[argus.Variable], meta_path: Path, encoding: str
) -> tuple[dict[str, str], Files]:
    """Text and path of every hierarchy file that the metadata name, as they say or next to the metadata."""
    texts: dict[str, str] = {}
    files: Files = {}
    for variable in variables:
        if variable.hierarchy is not None:
            # tau-ARGUS runs on Windows: its paths lead nowhere else
            places = [
                meta_path.parent / variable.hierarchy,
                meta_path.parent / PureWindowsPath(variable.hierarchy).name,
            ]
            place = next((place for place in places if place.is_file()), places[-1])
            texts[variable.hierarchy] = _text(content_of(place), encoding, place.name)
            files[f"hierarchy of {variable.name}"] = place
    return texts, files


def _text(content: bytes, encoding: str, name: str) -> str:
    try:
        return content.decode(encoding)
    except LookupError:
        raise ParameterError(f"{name}: there is no encoding {encoding}.") from None
    except UnicodeDecodeError:
        raise DataError(
            f"{name}: this is not text in {encoding}. Name its encoding, such as latin-1."
        ) from None


def not_in_the_file(table: Table, kind: str | None) -> tuple[DisclosureWarning, ...]:
    """Warnings of what an audit could not try because the file does not say it."""
    sensitive, advice = int(table.primary.sum()), "Go from records to a .csv list, which keeps both."
    warnings = []
    if kind == "jj":
        text = (
            f"A JJ problem does not name the contributors of a cell: around {sensitive} sensitive cells no "
            "suppressed cell was taken to have a single contributor."
        )
        warnings.append(DisclosureWarning("contributors-unknown", text, sensitive, advice))
    elif table.contributors is not None and not table.rules:
        text = (
            f"The file does not say which rules made {sensitive} cells sensitive: whether suppressed cells "
            "of a line add up to a sensitive sum was checked only for sums of one contributor."
        )
        warnings.append(DisclosureWarning("rules-unknown", text, sensitive, advice))
    return tuple(warnings) if sensitive else ()


def respelled_units(table: Table) -> tuple[DisclosureWarning, ...]:
    """A warning where names of units were taken for the same although they are spelled otherwise."""
    merged = 0 if table.contributors is None else table.contributors.respelled
    text = f"{merged} names of units differ from another only in spelling, and were counted as the same unit."
    return (
        (DisclosureWarning("units-respelled", text, merged, "Spell each unit in one way."),) if merged else ()
    )


def about_levels(
    requested: Mapping[str, str | float], problem: str, sensitive: int
) -> tuple[DisclosureWarning, ...]:
    """Warnings of levels that the problem does not keep, and of shares that were given for percents."""
    warnings = []
    if problem != "interval" and (kept := [name for name, level in requested.items() if level]):
        what = f"{', '.join(kept)}: {problem} protection keeps no levels"
        text = f"{what}; {sensitive} sensitive cells go without."
        warnings.append(DisclosureWarning("levels-not-kept", text, sensitive, "Use interval protection."))
    for name, level in requested.items():
        if is_share(level):
            text = f"{name}: {SHARE_TAKEN.format(level, 100 * level)}"
            advice = f"Write {100 * level:g}."
            warnings.append(DisclosureWarning("share-for-percent", text, sensitive, advice))
    return tuple(warnings) if sensitive else ()
