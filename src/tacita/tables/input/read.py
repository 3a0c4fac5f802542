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
    """A table as it was read, at the costs that are asked for, `objective` being what these were called.

    `cautions` tell what could not be read, or was not asked as it seems. `linked` are the tables that this
    one is made of, where it is of several.
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
    """Records, the dimensions to sum over with what divides them, and who stands behind a record."""

    data: Microdata | RecordParts
    division: Division
    inputs: Files
    unit: str | None = None
    request: str | None = None

    def tabulate(self, value: str | None, **fields: Any) -> Table:
        """Their table; holdings and requests are the source's own where no others are named."""
        from .tabulate import tabulate

        own = {"unit": self.unit, "request": self.request}
        named = own | {name: each for name, each in fields.items() if each is not None}
        return tabulate(self.data, self.division, value, **named)


def source_of(plan: AnyTablePlan, shown_as: str | None = None, run: RunContext | None = None) -> Source:
    """The table that a plan is about; of linked ones, all in one.

    `shown_as` is what the record calls the input, where that is not the name of its file. An executor tells
    `run` how far it has come.
    """
    if isinstance(plan, LinkedPlan):
        found = _joined([source_of(each, run=run) for each in plan.members()])
    elif isinstance(plan, TablePlan):
        found = read_source(plan.input, plan.table, plan.reading, plan.suppress is not None)
    else:
        found = tabulated(plan, run)
    return found if shown_as is None else replace(found, name=shown_as)


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
    warnings = tuple(dict.fromkeys(each for source in sources for each in source.warnings))
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
    given: TableInputSection, section: TableSection, asked: SuppressSection, sensitive: bool = True
) -> Source:
    """The table that a file describes, as a problem sees it, with what there is to warn of.

    Without `sensitive`, a list need not say which cells are.
    """
    source = _source(given, section, asked, sensitive)
    number = int(source.table.primary.sum())
    told = about_levels(section.asked_levels, asked.problem, number)
    table = replace(source.table, title=section.title or "")
    return replace(source, table=table, warnings=told + not_in_the_file(table, given.kind))


def _source(
    given: TableInputSection, section: TableSection, asked: SuppressSection, sensitive: bool
) -> Source:
    """The table of a file.

    Of a file of tau-ARGUS the status, levels, bounds and costs are its own. Levels it does not have are
    in percent of the value; an objective that is asked for replaces its costs, and sums may be withheld
    unless it protects them.
    """
    if given.kind == "cells":
        return _cells(given, section, asked, sensitive)
    from .cell_list import refuse_negative

    section.check_columns(given.path.name)
    content = content_of(given.path)
    text = _text(content, given.encoding, given.path.name)
    inputs: Files = {"input": given.path}
    if given.kind == "jj":
        table = _jj(text, section, asked, given.path.name)
    else:
        table, others = _tab(text, given, section)
        inputs |= others
        if asked.problem != "general":
            refuse_negative(table.values, f"{given.path.name}: {table.response}")
    if section.counts:
        table = replace(table, frequency=True).with_published_unit()
    said = "as in the file"
    if "objective" in asked.model_fields_set:
        if asked.objective not in ("value", "count"):
            raise ParameterError(
                f"{given.path.name}: the objective must be value or count, or that of the file."
            )
        table, said = table.with_cost(asked.objective), asked.objective
    if "margins" in asked.model_fields_set:
        table = table.with_margins(asked.margins)
    return Source(
        table=table,
        name=given.path.name,
        fingerprint=io.fingerprint_of(content),
        inputs=inputs,
        objective=said,
    )


def _cells(
    given: TableInputSection, section: TableSection, asked: SuppressSection, sensitive: bool
) -> Source:
    from .cell_list import from_cells, rules_of

    data = io.read(given.path, io.InputOptions(**given.model_dump(include=set(io.InputOptions.model_fields))))
    signed = asked.problem == "general"
    own = _own_columns(section, data)
    section.require_columns(own, sensitive)
    division = Division(own.pop("dimensions"), **section.divided)
    named = section.model_dump(include={"value", "primary", "contributors", "key", "counts", "fill_zeros"})
    table = from_cells(
        data, dimensions=division, **named | section.levels | own, cost=asked.objective, signed=signed
    )
    if words := rules_of(data):
        table = replace(table, rules=tuple(build_rules(words.split(","))), judged=True)
    inputs: Files = {"input": given.path, **division.files}
    return Source(
        table=table.with_margins(asked.margins),
        name=data.source,
        fingerprint=data.fingerprint,
        inputs=inputs,
        objective=asked.objective,
    )


def _own_columns(section: TableSection, data: Microdata) -> dict[str, Any]:
    """What a list of `tacita tabulate` says itself, where nothing else is asked for: which column is what."""
    from .contributor_columns import CELL_KEY, COUNT, is_kept

    said: dict[str, Any] = {"dimensions": [*section.dimensions] or [section.rows, section.columns]}
    if not is_kept(data.columns) or "primary" not in data.columns:
        return said
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
    said = {name: name for name in ("primary", *LEVELS, COUNT) if name in data.columns} | {"value": value}
    said |= {"key": CELL_KEY} if CELL_KEY in data.columns else {}
    kept = {name: column for name, column in said.items() if name not in section.model_fields_set}
    return {"dimensions": spanning, **kept}


def _jj(text: str, section: TableSection, asked: SuppressSection, name: str) -> Table:
    _check_levels(section, LEVELS, name)
    if "margins" in asked.model_fields_set:
        raise ParameterError(f"{name}: a JJ problem marks what must be published by z. Leave --margins away.")
    return argus.parse_jj(text)


def _tab(text: str, given: TableInputSection, section: TableSection) -> tuple[Table, Files]:
    beside = given.meta or given.path.with_suffix(".rda")
    metadata = _metadata(beside, given.encoding)
    hierarchies, files = _hierarchy_files(metadata.variables, beside, given.encoding)
    table = argus.decode_tab(text, metadata, hierarchies)
    own = [level for level in LEVELS if metadata.of(level)]
    _check_levels(section, own, given.path.name)
    levels = {name: 0.0 if name in own else float(level) for name, level in section.levels.items()}
    if any(not 0 <= level < np.inf for level in levels.values()):
        raise ParameterError(f"suppress: {', '.join(LEVELS)} must be at least 0 percent.")
    if not table.judged:
        return table, {"metadata": beside, **files}
    leveled = table.with_primary(table.primary, levels["lower"], levels["upper"], levels["sliding"])
    return leveled, {"metadata": beside, **files}


def _check_levels(section: TableSection, own: Iterable[str], name: str) -> None:
    if twice := [side for side in own if side in section.model_fields_set]:
        raise ParameterError(
            f"{name}: the file has levels of its own. Leave away {', '.join('--' + side for side in twice)}."
        )


def tabulated(plan: TabulatePlan, run: RunContext | None = None) -> Source:
    """The table that a plan makes of records, sensitive cells marked by its rules."""
    from .cell_list import refuse_negative

    section, asked = plan.table, plan.suppress
    behind = section.model_dump(include={"weight", "unit", "request", "waiver", "key"})
    needed = (section.value, *behind.values())
    working = Working(plan.executor, plan.output.path, run or RunContext())
    records = read_records(plan.input, section.spanning, needed, working, **section.divided)
    rules = [rule.build() for rule in plan.rules]
    table = records.tabulate(section.value, **behind, rules=rules, title=section.title or "")
    name, objective = records.data.source, "value"
    if plan.adjust is not None and not plan.adjust.signed:
        refuse_negative(table.values, f"{name}: {table.response}")
    if asked is not None:
        if asked.problem != "general":
            refuse_negative(table.values, f"{name}: {table.response}")
        objective = asked.objective
        table = table.with_cost(objective).with_margins(asked.margins)
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
    """What works on records, what beside its files may lie meanwhile, and who is told how far it has come."""

    executor: ExecutorSection
    beside: Path
    run: RunContext

    def refuse(self, given: RecordInputSection) -> None:
        """Raise where the executor is none for tables, or none for the file."""
        if self.executor.device != "cpu":
            raise ParameterError(
                f"Executor: the device {self.executor.device} is for methods that group records. Leave it "
                "out.",
                field="device",
            )
        if self.executor.in_parts and given.meta is not None:
            raise ParameterError(
                f"{given.path.name}: the executor {self.executor.name} works in parts and reads Parquet, "
                "this is a file of tau-ARGUS. Leave out the executor.",
                field="executor",
            )


def read_records(
    given: RecordInputSection,
    dimensions: Sequence[str],
    behind: Iterable[str | None],
    working: Working,
    **divided: Any,
) -> RecordSource:
    """A file of records with the dimensions to sum over, and how they are `divided`; or one of tau-ARGUS.

    `behind` are the other columns that the table needs. Of Parquet, a file or a folder of files, no others
    are read, and texts as codes; an executor that works in parts reads them when they are summed.

    Of tau-ARGUS (with `meta`), dimensions, hierarchies, holdings and requests are as the metadata say unless
    given.
    """
    working.refuse(given)
    if given.meta is not None:
        return _argus_records(given, dimensions, divided)
    if not dimensions:
        raise ParameterError(
            "tabulate: wanted the columns that span the table. Name them by --dimensions, or by --rows and "
            "--columns (in a plan: dimensions under [table])."
        )
    division = Division(dimensions, **divided)
    inputs: Files = {"input": given.path, **division.files}
    if working.executor.in_parts:
        parts = ParquetParts.at(given.path)
        found = RecordParts(parts, given.path.name, working.executor, working.beside, working.run)
        return RecordSource(found, division, inputs)
    needed = [*division.names, *division.parents.values(), *(name for name in behind if name is not None)]
    return RecordSource(_needed(given, needed), division, inputs)


def _needed(given: RecordInputSection, columns: Sequence[str]) -> Microdata:
    """The records of a file; of Parquet only some columns, unless one is not there and has to be told of."""
    path = given.path
    if not path.is_dir() and io.by_ending(path, "records") is not Parquet:
        return io.read(path, io.InputOptions(**given.model_dump(exclude={"path", "meta"})))
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
        The records. A column of requests is 1 for the codes that ask for protection, and 0 for others.

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
    given = RecordInputSection(path=path, meta=meta, encoding=encoding)
    name = shown_as or given.path.name
    return _as_microdata(_argus_columns(given, _metadata_of_records(given, name), name), name)


def _argus_columns(given: RecordInputSection, metadata: argus.Metadata, name: str) -> dict[str, list[str]]:
    columns = argus.decode_records(_text(content_of(given.path), given.encoding, name), metadata)
    request = metadata.of("request")
    if request and request[0].request:
        # the codes that ask are named; every other code does not
        asks = set(request[0].request)
        columns[request[0].name] = ["1" if code in asks else "0" for code in columns[request[0].name]]
    return columns


def _argus_records(
    given: RecordInputSection, asked: Sequence[str], divided: Mapping[str, Any]
) -> RecordSource:
    assert given.meta is not None
    if odd := sorted(given.model_fields_set & {"delimiter", "decimal", "missing_values"}):
        raise ParameterError(
            f"{given.path.name}: {', '.join(odd)} cannot be chosen for a file of tau-ARGUS. Leave it away."
        )
    metadata = _metadata_of_records(given, given.path.name)
    variables = {each.name: each for each in metadata.variables}
    spanning = [each.name for each in metadata.of("dimension")]
    names = [*(asked or spanning)]
    if not asked and len(spanning) != 2:
        raise ParameterError(
            f"tabulate: {given.meta.name} has {len(spanning)} dimensions. Name two by --rows and --columns, "
            "or others by --dimensions."
        )
    division = Division(names, **divided)
    inputs: Files = {"input": given.path, "metadata": given.meta, **division.files}
    if unknown := [name for name in names if name not in variables]:
        raise ParameterError(
            f"{given.meta.name}: there is no variable {', '.join(unknown)}. There are: "
            f"{', '.join(variables)}."
        )
    columns = _argus_columns(given, metadata, given.path.name)
    own = {*division.hierarchy, *division.prefixes, *division.parents}
    chosen = [variables[name] for name in names if name not in own]
    hierarchies, files = _hierarchy_files(chosen, given.meta, given.encoding)
    # codes of several levels are digits of a hierarchy, not numbers
    labels = {e.name: (sorted if e.levels else natural_order)(set(columns[e.name])) for e in chosen}
    dimensions = {each.name: argus.dimension_of(each, labels[each.name], hierarchies) for each in chosen}
    request, holding = metadata.of("request"), metadata.of("holding")
    return RecordSource(
        _as_microdata(columns, given.path.name),
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


def _metadata_of_records(given: RecordInputSection, name: str) -> argus.Metadata:
    """The metadata of records; DataError where they describe cells, each of which would count as one."""
    assert given.meta is not None
    words = argus.words_of_cells(_text(content_of(given.meta), given.encoding, given.meta.name))
    if words:
        raise DataError(
            f"{name}: this is a table, whose lines are cells that are summed already ({', '.join(words)} in "
            f"{given.meta.name}), and no file of records. Give it to `tacita suppress` or `tacita adjust` as "
            "a .tab, which read the status of its cells; rules are applied to its counts and largest "
            "contributions in Python: tacita.tables.rules.apply_rules(tacita.read_table(path), rules)."
        )
    return _metadata(given.meta, given.encoding)


def _hierarchy_files(
    variables: Iterable[argus.Variable], beside: Path, encoding: str
) -> tuple[dict[str, str], Files]:
    """Text of every hierarchy file that the metadata name, and where each is: where it says, or beside it."""
    texts: dict[str, str] = {}
    files: Files = {}
    for each in variables:
        if each.hierarchy is not None:
            # tau-ARGUS runs on Windows: its paths lead nowhere else
            places = [beside.parent / each.hierarchy, beside.parent / PureWindowsPath(each.hierarchy).name]
            place = next((place for place in places if place.is_file()), places[-1])
            texts[each.hierarchy] = _text(content_of(place), encoding, place.name)
            files[f"hierarchy of {each.name}"] = place
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
    found = []
    if kind == "jj":
        text = (
            f"A JJ problem does not say who stands behind a cell: around {sensitive} sensitive cells nobody "
            "was taken to be alone in a withheld one."
        )
        found.append(DisclosureWarning("contributors-unknown", text, sensitive, advice))
    elif table.contributors is not None and not table.rules:
        text = (
            f"The file does not say which rules made {sensitive} cells sensitive: whether withheld cells "
            "of a line add up to a sensitive sum was asked only of sums of one contributor."
        )
        found.append(DisclosureWarning("rules-unknown", text, sensitive, advice))
    return tuple(found) if sensitive else ()


def respelled_units(table: Table) -> tuple[DisclosureWarning, ...]:
    """A warning where names of units were taken for the same although they are spelled otherwise."""
    merged = 0 if table.contributors is None else table.contributors.respelled
    text = f"{merged} names of units differ from another only in spelling, and were counted as the same unit."
    return (
        (DisclosureWarning("units-respelled", text, merged, "Spell each unit in one way."),) if merged else ()
    )


def about_levels(
    asked: Mapping[str, str | float], problem: str, sensitive: int
) -> tuple[DisclosureWarning, ...]:
    """Warnings of levels that the problem does not keep, and of shares that were given for percents."""
    found = []
    if problem != "interval" and (kept := [name for name, level in asked.items() if level]):
        what = f"{', '.join(kept)}: {problem} protection keeps no levels"
        text = f"{what}; {sensitive} sensitive cells go without."
        found.append(DisclosureWarning("levels-not-kept", text, sensitive, "Use interval protection."))
    for name, level in asked.items():
        if is_share(level):
            text = f"{name}: {SHARE_TAKEN.format(level, 100 * level)}"
            advice = f"Write {100 * level:g}."
            found.append(DisclosureWarning("share-for-percent", text, sensitive, advice))
    return tuple(found) if sensitive else ()
