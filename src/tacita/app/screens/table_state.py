"""The state of a table on the page: its columns, its rules, its settings; and requests to a worker."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tacita.app.server.auxiliary_files import HIERARCHIES, lacking, names_of, placed
from tacita.app.server.uploads import Source
from tacita.app.server.workspaces import Work

MOST_DIMENSIONS = 4
SPANNING = tuple(f"dimension-{at}" for at in range(1, MOST_DIMENSIONS + 1))
# What a column may be: of records, and of a list of cells.
PARTS = {
    "records": (*SPANNING, "value", "weight", "unit", "request", "waiver", "key", "none"),
    "cells": (*SPANNING, "value", "primary", "contributors", "lower", "upper", "sliding", "key", "none"),
}
DIVISIONS = ("none", "prefixes", "parents", "file")
# Endings of files that describe themselves, and of records that cannot be read without metadata.
OF_ARGUS = {".tab": "tab", ".jj": "jj"}
RECORDS_OF_ARGUS = ".asc"
# The parts of columns by metadata; a weight is applied only where the user names it.
_PART_OF_KIND = {"value": "value", "holding": "unit", "request": "request"}
AUXILIARY = (*HIERARCHIES, ".rda")


@dataclass
class TableState:
    """A table on the page, step by step.

    `kind` is what the source is (records, cells, tab, jj), `divided` how labels of a column are. `built`
    has the figures of the table from the worker, `looked` the same with the rules; `settings` is the form of
    the last run, `foreign` the audit of a file of others. `kept` are settings of an opened plan that no form
    shows.
    """

    kind: str = "records"
    divided: dict[str, dict[str, str]] = field(default_factory=dict)
    total: str = ""
    title: str = ""
    fill_zeros: bool = False
    built: dict[str, Any] | None = None
    rules: dict[str, dict[str, Any]] = field(default_factory=dict)
    levels: dict[str, Any] = field(default_factory=dict)
    looked: dict[str, Any] | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    foreign: dict[str, Any] | None = None
    kept: dict[str, Any] = field(default_factory=dict)

    @property
    def of_records(self) -> bool:
        """Whether the table is made of records, so that rules can look at the contributors of a cell."""
        return self.kind == "records"

    @property
    def says_itself(self) -> bool:
        """Whether it is a file of tau-ARGUS."""
        return self.kind in OF_ARGUS.values()

    @property
    def sensitive(self) -> int | None:
        """How many cells are sensitive, where that is known."""
        counts = self.looked if self.looked is not None else None if self.of_records else self.built
        return None if counts is None else int(counts["sensitive"])

    @property
    def judged(self) -> bool:
        """Whether anything says which cells are sensitive: rules, a status, or marks; nothing may, as yet."""
        counts = self.looked if self.looked is not None else None if self.of_records else self.built
        return counts is None or bool(counts.get("judged", True))


def nothing_judged(answer: Mapping[str, Any]) -> bool:
    """Whether a release was made of a table without any rule, status or mark of sensitive cells.

    >>> nothing_judged({"accepted": ["no-sensitive-cells"]}), nothing_judged({"warnings": []})
    (True, False)
    """
    return bool(answer.get("accepted")) or any(
        warning["name"] == "nothing-judged" for warning in answer.get("warnings", ())
    )


# The settings of a table that a project keeps, by their keys there.
SAVED = {
    **{name: name for name in ("kind", "divided", "total", "title", "fill_zeros", "rules", "levels")},
    "asked": "settings",
    "kept": "kept",
}


def saved_state(work: Work) -> dict[str, Any]:
    """The settings of a table, as a project keeps them."""
    state = table_state(work)
    return {key: getattr(state, name) for key, name in SAVED.items()}


def check_saved(saved: Mapping[str, Any]) -> None:
    """Raise ValueError where that is not what a project keeps."""
    like = TableState()
    kinds = {key: type(getattr(like, name)) for key, name in SAVED.items()}
    if {key: type(value) for key, value in saved.items()} != kinds:
        raise ValueError("no project")


def restored(saved: Mapping[str, Any]) -> TableState:
    """The state of a table with the settings of a project or of a plan."""
    return TableState(**{SAVED[key]: value for key, value in saved.items()})


def table_state(work: Work) -> TableState:
    """The state of the table of a work."""
    state: TableState = work.draft.setdefault("table_state", TableState())
    return state


def spanning(work: Work) -> list[str]:
    """The columns that span the table, in order."""
    named = {part: column for column, part in work.roles.items() if part in SPANNING}
    return [named[part] for part in SPANNING if part in named]


def section_of(work: Work) -> dict[str, Any]:
    """The section [table] of a plan, from what was chosen column by column."""
    state, columns = table_state(work), spanning(work)
    section: dict[str, Any] = {"dimensions": columns} if columns else {}
    for column, part in work.roles.items():
        if part not in (*SPANNING, "none"):
            section[part] = column
    for column in columns:
        division = state.divided.get(column, {})
        if division.get("by") == "prefixes" and division.get("prefixes"):
            section.setdefault("prefixes", {})[column] = (
                division["prefixes"].replace(",", ":").replace(" ", "")
            )
        elif division.get("by") == "parents" and division.get("parents"):
            section.setdefault("parents", {})[column] = division["parents"]
        elif division.get("by") == "file" and division.get("file"):
            section.setdefault("hierarchy", {})[column] = division["file"]
    if state.total:
        section["total"] = state.total
    if state.title:
        section["title"] = state.title
    if state.fill_zeros and state.kind == "cells":
        section["fill_zeros"] = True
    return section | state.kept


def undivided(work: Work) -> bool:
    """Whether a dimension is to be divided, but the way is not set, or its file is missing."""
    state = table_state(work)
    for column in spanning(work):
        division = state.divided.get(column, {})
        by = division.get("by", "none")
        if by != "none" and not division.get(by):
            return True
        if by == "file" and lacking(work, {column: division["file"]}):
            return True
    return False


def plan_of(work: Work, **sections: Any) -> dict[str, Any]:
    """A plan but for its input and output: the table, its rules or levels, and other sections."""
    state, table = table_state(work), dict(work.draft.get("table") or {})
    if state.of_records:
        rules = [{"name": name, **parameters} for name, parameters in state.rules.items()]
        return {"table": table, "rules": rules, **sections}
    return {"table": {**table, **state.levels}, **sections}


def request_of(work: Work, plan: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The request to a worker: the source, the owner's names of files, the plan, where files go."""
    state, source = table_state(work), work.source
    assert source is not None, "steps after the first need a file"
    if state.kind == "tab":
        source.meta = metadata_of(work)
    argument = {**source.as_argument(), "kind": state.kind}
    table = dict(plan.get("table", {}))
    if files := table.get("hierarchy"):
        table["hierarchy"] = placed(work, files)
    return {
        "source": argument,
        "names": names_of(work),
        "plan": {**plan, "table": table},
        "folder": str(folder),
    }


def metadata_of(work: Work) -> Path | None:
    """The newest metadata among the auxiliary files."""
    paths = [source.path for source in work.auxiliary.values() if source.path.suffix == ".rda"]
    return paths[-1] if paths else None


def of_fixed_columns(source: Source | None) -> bool:
    """Whether a file is one of records that need metadata."""
    return source is not None and source.path.suffix == RECORDS_OF_ARGUS


def looked_folder(work: Work) -> Path:
    """The folder of the table before suppression."""
    place = work.folder / "table"
    place.mkdir(mode=0o700, exist_ok=True)
    return place


def guess_kind(columns: list[dict[str, Any]]) -> str:
    """Whether a file lists cells: it says which are sensitive."""
    names = {column["name"].casefold() for column in columns}
    return "cells" if names & {"primary", "sensitive"} else "records"


def guess_parts(kind: str, columns: list[dict[str, Any]]) -> dict[str, str]:
    """What each column may be, for a person to check: two of few labels span the table.

    >>> named = [("region", "nominal", 5), ("turnover", "numeric", 500), ("name", "nominal", 600)]
    >>> columns = [
    ...     {"name": name, "kind": kind, "distinct": count, "guess": {"role": "other"}}
    ...     for name, kind, count in named
    ... ]
    >>> guess_parts("records", columns)
    {'region': 'dimension-1', 'turnover': 'value', 'name': 'none'}
    """
    parts = dict.fromkeys((column["name"] for column in columns), "none")
    known = {"primary": "primary", "sensitive": "primary"}
    known |= {name: name for name in ("lower", "upper", "sliding", "contributors")}
    places, most = iter(SPANNING), 2 if kind == "records" else MOST_DIMENSIONS
    for column in columns:
        name, role = column["name"], column["guess"]["role"]
        low = name.casefold()
        if kind == "cells" and low in known:
            parts[name] = known[low]
        elif kind == "cells" and low.startswith("parent_of_"):
            continue
        elif kind == "records" and role == "unit":
            parts[name] = "unit"
        elif column["kind"] != "numeric":
            few = 2 <= column["distinct"] <= 200
            if few and role not in ("identifiers", "weight") and _spanned(parts) < most:
                parts[name] = next(places)
        elif "value" not in parts.values() and role not in ("weight", "identifiers"):
            parts[name] = "value"
    return parts


def parts_from_metadata(kinds: Mapping[str, str]) -> dict[str, str]:
    """The same by metadata of tau-ARGUS: of all that may be the value, the first.

    >>> parts_from_metadata({"region": "dimension", "size": "dimension", "paid": "value", "taxes": "value"})
    {'region': 'dimension-1', 'size': 'dimension-2', 'paid': 'value', 'taxes': 'none'}
    """
    places, parts = iter(SPANNING), dict[str, str]()
    for name, kind in kinds.items():
        part = next(places, "none") if kind == "dimension" else _PART_OF_KIND.get(kind, "none")
        parts[name] = "none" if part in parts.values() else part
    return parts


def _spanned(parts: Mapping[str, str]) -> int:
    return sum(part in SPANNING for part in parts.values())
