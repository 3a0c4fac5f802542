"""What a browser has said of a table: what its columns are, which rules hold; what a child is asked."""

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
# Endings of files that say themselves what is what, and of records that cannot be read without metadata.
OF_ARGUS = {".tab": "tab", ".jj": "jj"}
RECORDS_OF_ARGUS = ".asc"
# a weight is applied only where a person names it
_SAID = {"value": "value", "holding": "unit", "request": "request"}
BESIDE = (*HIERARCHIES, ".rda")


@dataclass
class TableState:
    """A table on the page, step by step.

    `kind` is what the source is (records, cells, tab, jj), `divided` how labels of a column are. `built` is
    what a child said of the table, `looked` the same with the rules; `asked` is the form of the last run,
    `foreign` the audit of a file of others. `kept` is what an opened plan says of the table that no form
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
    asked: dict[str, Any] = field(default_factory=dict)
    foreign: dict[str, Any] | None = None
    kept: dict[str, Any] = field(default_factory=dict)

    @property
    def of_records(self) -> bool:
        """Whether the table is made of records, so that rules can look at who stands behind a cell."""
        return self.kind == "records"

    @property
    def says_itself(self) -> bool:
        """Whether it is a file of tau-ARGUS."""
        return self.kind in OF_ARGUS.values()

    @property
    def sensitive(self) -> int | None:
        """How many cells are sensitive, where that is known."""
        found = self.looked if self.looked is not None else None if self.of_records else self.built
        return None if found is None else int(found["sensitive"])

    @property
    def judged(self) -> bool:
        """Whether anything says which cells are sensitive: rules, a status, or marks; nothing may, as yet."""
        found = self.looked if self.looked is not None else None if self.of_records else self.built
        return found is None or bool(found.get("judged", True))


def nothing_judged(answer: Mapping[str, Any]) -> bool:
    """Whether a release was made of a table of which nothing said which cells are sensitive.

    >>> nothing_judged({"accepted": ["no-sensitive-cells"]}), nothing_judged({"warnings": []})
    (True, False)
    """
    return bool(answer.get("accepted")) or any(
        each["name"] == "nothing-judged" for each in answer.get("warnings", ())
    )


# What a person said of a table, and a project keeps; the rest is what children answered, and files.
SAID = ("kind", "divided", "total", "title", "fill_zeros", "rules", "levels", "asked", "kept")


def said_of(work: Work) -> dict[str, Any]:
    """What was said of a table, as a project keeps it."""
    told = table_state(work)
    return {name: getattr(told, name) for name in SAID}


def check_said(said: Mapping[str, Any]) -> None:
    """Raise ValueError where that is not what a project kept."""
    like = TableState()
    if set(said) != set(SAID) or any(type(said[name]) is not type(getattr(like, name)) for name in SAID):
        raise ValueError("no project")


def table_state(work: Work) -> TableState:
    """What was said of the table of a work."""
    found: TableState = work.draft.setdefault("table_state", TableState())
    return found


def spanning(work: Work) -> list[str]:
    """The columns that span the table, in order."""
    named = {part: column for column, part in work.roles.items() if part in SPANNING}
    return [named[part] for part in SPANNING if part in named]


def section_of(work: Work) -> dict[str, Any]:
    """The section [table] of a plan, from what was chosen column by column."""
    told, columns = table_state(work), spanning(work)
    section: dict[str, Any] = {"dimensions": columns} if columns else {}
    for column, part in work.roles.items():
        if part not in (*SPANNING, "none"):
            section[part] = column
    for column in columns:
        said = told.divided.get(column, {})
        if said.get("by") == "prefixes" and said.get("prefixes"):
            section.setdefault("prefixes", {})[column] = said["prefixes"].replace(",", ":").replace(" ", "")
        elif said.get("by") == "parents" and said.get("parents"):
            section.setdefault("parents", {})[column] = said["parents"]
        elif said.get("by") == "file" and said.get("file"):
            section.setdefault("hierarchy", {})[column] = said["file"]
    if told.total:
        section["total"] = told.total
    if told.title:
        section["title"] = told.title
    if told.fill_zeros and told.kind == "cells":
        section["fill_zeros"] = True
    return section | told.kept


def undivided(work: Work) -> bool:
    """Whether a dimension is to be divided, and it is not said by what, or that file is not there."""
    told = table_state(work)
    for column in spanning(work):
        said = told.divided.get(column, {})
        by = said.get("by", "none")
        if by != "none" and (not said.get(by) or (by == "file" and lacking(work, {column: said["file"]}))):
            return True
    return False


def plan_of(work: Work, **sections: Any) -> dict[str, Any]:
    """A plan but for its input and output: the table, its rules or levels, and what else is said."""
    told, table = table_state(work), dict(work.draft.get("table") or {})
    if told.of_records:
        rules = [{"name": name, **given} for name, given in told.rules.items()]
        return {"table": table, "rules": rules, **sections}
    return {"table": {**table, **told.levels}, **sections}


def asked_of(work: Work, plan: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """What a child is given: the source, the names its owner uses, the plan, where files go."""
    told, source = table_state(work), work.source
    assert source is not None, "steps after the first need a file"
    if told.kind == "tab":
        source.meta = metadata_of(work)
    given = {**source.as_argument(), "kind": told.kind}
    table = dict(plan.get("table", {}))
    if files := table.get("hierarchy"):
        table["hierarchy"] = placed(work, files)
    return {"source": given, "names": names_of(work), "plan": {**plan, "table": table}, "folder": str(folder)}


def metadata_of(work: Work) -> Path | None:
    """Those that were given beside the file, the newest of them."""
    found = [each.path for each in work.auxiliary.values() if each.path.suffix == ".rda"]
    return found[-1] if found else None


def of_fixed_columns(source: Source | None) -> bool:
    """Whether a file is one of records that need metadata."""
    return source is not None and source.path.suffix == RECORDS_OF_ARGUS


def looked_folder(work: Work) -> Path:
    """Where the table lies that nothing was withheld of."""
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


def parts_said(said: Mapping[str, str]) -> dict[str, str]:
    """The same by metadata of tau-ARGUS: of all that may be the value, the first.

    >>> parts_said({"region": "dimension", "size": "dimension", "paid": "value", "taxes": "value"})
    {'region': 'dimension-1', 'size': 'dimension-2', 'paid': 'value', 'taxes': 'none'}
    """
    places, parts = iter(SPANNING), dict[str, str]()
    for name, kind in said.items():
        part = next(places, "none") if kind == "dimension" else _SAID.get(kind, "none")
        parts[name] = "none" if part in parts.values() else part
    return parts


def _spanned(parts: Mapping[str, str]) -> int:
    return sum(part in SPANNING for part in parts.values())
