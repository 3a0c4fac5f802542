"""A plan that is opened: the settings that the page supports. A plan with others is refused by their names.

No setting is dropped silently: a field that is not named here is refused, and one that is comes
back in the plan of every run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from tacita.app.server.plan_basis import KEY

from .table_state import MOST_DIMENSIONS, RECORDS_OF_ARGUS, SPANNING

Sections = Mapping[str, Any]

_READING = ("delimiter", "decimal", "encoding", "missing_values", "value_labels", "sheet")
_DIVIDED = ("dimensions", "rows", "columns", "hierarchy", "prefixes", "parents", "total")
# A plan that is read back has joined what is to come `then` to the method.
_OF_A_METHOD = ("method", "then")
_AROUND = (
    *("missing", "round_integers", "shuffle", "insist", "seed"),
    *(KEY, "pseudonym_length"),
)
_TABLE_OUTPUT = ("path", "json", "report", "note")
_PUBLISHING = {
    "suppress": (
        *("problem", "objective", "margins", "zeros", "method", "solver", "time"),
        *("strict", "insiders", "insist", "accept", "seconds"),
    ),
    "adjust": ("method", "time", "seed", "signed", "insist", "seconds"),
    "output": _TABLE_OUTPUT,
}
# What the page holds of each kind of plan, section by section; parameters of a method are held besides.
HELD: Mapping[str, Mapping[str, Sequence[str]]] = {
    "records": {
        "input": ("path", *_READING),
        "roles": (
            *("quasi", "numeric", "nominal", "ordinal", "dependent", "independent", "identifiers"),
            *("pseudonyms", "confidential", "strata", "unit", "unit_columns", "weight", "hierarchy"),
        ),
        "protect": (*_OF_A_METHOD, *_AROUND),
        "steps": (
            *_OF_A_METHOD,
            *("quasi", "dependent", "independent", "numeric", "nominal", "ordinal"),
            *("missing", "round_integers"),
        ),
        "measure": ("names", "without", "domains", "settings"),
        "require": (),
        "output": ("path", "report", "json", "note"),
    },
    "tabulate": {
        "input": ("path", *_READING, "meta"),
        "table": (*_DIVIDED, "value", "weight", "unit", "request", "waiver", "key", "title"),
        "rules": ("name",),
        **_PUBLISHING,
    },
    "table": {
        "input": ("path", *_READING, "meta", "kind"),
        "table": (
            *(*_DIVIDED, "value", "primary", "lower", "upper", "sliding", "contributors", "key"),
            *("counts", "fill_zeros", "title"),
        ),
        **_PUBLISHING,
    },
}
# What no menu of the page shows, and a plan of a table keeps.
KEPT_OF_TABLES = ("counts",)
# The method where none is named.
_WITHOUT_A_NAME = {"protect": "mdav", "suppress": "optimal"}
_ROLES_TO_PROTECT = ("quasi", "dependent")


class NotHeld(Exception):
    """Settings of a plan that the page does not support."""

    def __init__(self, fields: Sequence[str]) -> None:
        super().__init__(", ".join(fields))
        self.fields = tuple(fields)


def check_supported(kind: str, sections: Sections, parameters: Mapping[str, Sequence[str]]) -> None:
    """Raise where a plan has settings that the page does not support.

    `parameters` are those of every method and rule by its name.
    """
    if kind not in HELD:
        known = {name for held in HELD.values() for name in held}
        raise NotHeld(["[[tables]]"] if kind == "linked" else [f"[{part}]" for part in {*sections} - known])
    beyond = [f"[{name}]" for name in sections if name not in HELD[kind]]
    for name, held in HELD[kind].items():
        section = sections.get(name) or {}
        for part in section if isinstance(section, list) else [section]:
            # requirements are measures, and each of them is a row of the form
            own = part if name == "require" else _parameters(name, part, parameters)
            known = {*held, *own}
            beyond += [f"{name}.{key}" for key in part if key not in known]
    if beyond:
        raise NotHeld(list(dict.fromkeys(beyond)))


def _parameters(
    section_name: str, section: Sections, parameters: Mapping[str, Sequence[str]]
) -> Iterator[str]:
    named = section.get("method") or section.get("name") or _WITHOUT_A_NAME.get(section_name, "")
    for method in str(named).split("+"):
        yield from parameters.get(method, ())


def name_of(path: str) -> str:
    """What a file is called, without the folders that a plan names."""
    return PurePosixPath(PureWindowsPath(path).name).name


def source_of(sections: Sections) -> dict[str, Any]:
    """The file that a plan names, as a work waits for it."""
    section = sections.get("input", {})
    reading = {key: section[key] for key in _READING if key in section}
    return {"shown_as": name_of(section.get("path", "")), "options": reading or None, "fingerprint": None}


def records_from(sections: Sections) -> tuple[dict[str, Any], dict[str, Any]]:
    """What waits for the file of a plan of records, and the draft of its run."""
    draft = {key: sections[key] for key in ("protect", "steps", "measure", "require") if key in sections}
    roles = dict(sections.get("roles", {}))
    if files := roles.get("hierarchy"):
        roles["hierarchy"] = {
            column: name_of(file) if isinstance(file, str) else file for column, file in files.items()
        }
    if key := draft.get("protect", {}).get(KEY):
        draft["protect"] = {**draft["protect"], KEY: name_of(key)}
    if not draft.get("steps") and not any(roles.get(role) for role in _ROLES_TO_PROTECT):
        # what only leaves out has no columns to protect, as a step that does
        draft = _as_step(draft)
    ending = PurePosixPath(name_of(sections.get("output", {}).get("path", ""))).suffix.lower()
    own = PurePosixPath(name_of(sections.get("input", {}).get("path", ""))).suffix.lower()
    opened = {
        "from": "plan",
        "source": source_of(sections),
        "plan": {"roles": roles, **draft},
        "ending": ending if ending != own else None,
    }
    return opened, draft


def _as_step(draft: dict[str, Any]) -> dict[str, Any]:
    protect = draft.get("protect", {})
    step = {key: value for key, value in protect.items() if key not in _AROUND}
    rest = {key: value for key, value in protect.items() if key in _AROUND}
    return {**draft, "protect": rest, "steps": [step]}


def table_from(kind: str, sections: Sections) -> tuple[dict[str, Any], dict[str, str]]:
    """The settings of a table, as its screens hold them, and the part of each column that is named."""
    table, section = dict(sections.get("table", {})), sections.get("input", {})
    of_records = kind == "tabulate"
    if of_records and ("meta" in section) != section.get("path", "").lower().endswith(RECORDS_OF_ARGUS):
        # separated records of tau-ARGUS are a text file like any other on the page
        raise NotHeld(["input.meta" if "meta" in section else f"input.path ({RECORDS_OF_ARGUS})"])
    dimensions = [*table.pop("dimensions", ())] or [
        dimension for dimension in (table.pop("rows", None), table.pop("columns", None)) if dimension
    ]
    if len(dimensions) > MOST_DIMENSIONS:
        raise NotHeld([f"table.dimensions ({len(dimensions)} > {MOST_DIMENSIONS})"])
    parts = list(zip(dimensions, SPANNING, strict=False))
    divided = dict(_divisions(table, dimensions))
    levels = {name: table.pop(name) for name in ("lower", "upper", "sliding") if _is_number(table.get(name))}
    state = {
        "kind": "records" if of_records else section.get("kind", "cells"),
        "divided": divided,
        "total": _total(table.pop("total", "")),
        "title": table.pop("title", ""),
        "fill_zeros": table.pop("fill_zeros", False),
        "kept": {name: table.pop(name) for name in KEPT_OF_TABLES if name in table},
        "rules": _rules(sections.get("rules", ())),
        "levels": levels,
        "asked": dict(sections.get("suppress") or sections.get("adjust") or {}),
    }
    # all that is left names a column
    parts += [(column, part) for part, column in table.items()]
    if twice := [part for at, (column, part) in enumerate(parts) if column in dict(parts[:at])]:
        raise NotHeld([f"table.{part}" for part in twice])
    return state, dict(parts)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float)


def _divisions(table: dict[str, Any], dimensions: Sequence[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """How the labels of each dimension are divided: in one way each, and of those that are named."""
    divisions: dict[str, dict[str, str]] = {}
    for key, by in (("prefixes", "prefixes"), ("parents", "parents"), ("hierarchy", "file")):
        for column, division in table.pop(key, {}).items():
            if column in divisions or column not in dimensions or isinstance(division, dict):
                raise NotHeld([f"table.{key}"])
            text = (
                ":".join(map(str, division))
                if by == "prefixes"
                else name_of(division)
                if by == "file"
                else division
            )
            divisions[column] = {"by": by, "prefixes": "", "parents": "", "file": "", by: text}
    yield from divisions.items()


def _total(labels: str | Mapping[str, str]) -> str:
    if isinstance(labels, str):
        return labels
    if any(sign in text for pair in labels.items() for text in pair for sign in ",="):
        raise NotHeld(["table.total"])
    return ", ".join(f"{column}={label}" for column, label in labels.items())


def _rules(sections: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    rules = {section["name"]: {key: section[key] for key in section if key != "name"} for section in sections}
    if len(rules) < len(sections):
        raise NotHeld(["rules (one rule twice)"])
    return rules


def parameters_in(catalogue: Mapping[str, Any]) -> dict[str, list[str]]:
    """The parameters of every method by its name; kinds may share one."""
    parameters: dict[str, list[str]] = {}
    for method in catalogue["methods"]:
        parameters.setdefault(method["name"], []).extend(method["parameters"].get("properties", {}))
    return parameters
