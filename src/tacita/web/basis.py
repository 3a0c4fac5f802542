"""What a plan stands on: the file, how it is read, and what each column is. Other roles, another basis.

Of a table that is also what it is made of: its section of the plan, in `work.draft["table"]`.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from .workspaces import Work

# Roles of a plan that are lists of columns, by what a page calls them.
_LISTS = ("quasi", "dependent", "independent", "identifiers", "confidential", "strata")
# A unit that is also left out of the release.
UNIT_LEFT_OUT = "unit-left-out"
ROLES = (*_LISTS, "unit", UNIT_LEFT_OUT, "weight", "other")
KINDS = ("numeric", "nominal", "ordinal")


def basis_of(work: Work) -> str:
    """A short name of it: nodes of the history that were made on another are stale."""
    source = work.source
    told = [
        None if source is None else [source.fingerprint, source.options],
        sorted(work.roles.items()),
        sorted(work.kinds.items()),
        work.draft.get("table"),
    ]
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()[:16]


def roles_of(work: Work) -> dict[str, Any]:
    """The section [roles] of a plan, from what was chosen column by column.

    Kinds are said of the columns that a method looks at, where they are no quantities.
    """
    named: dict[str, Any] = {
        role: [column for column, chosen in work.roles.items() if chosen == role] for role in _LISTS
    }
    for column, chosen in work.roles.items():
        if chosen in ("unit", UNIT_LEFT_OUT):
            named["unit"] = column
        if chosen == UNIT_LEFT_OUT:
            named["identifiers"].append(column)
        if chosen == "weight":
            named["weight"] = column
    looked_at = {*named["quasi"], *named["dependent"], *named["independent"]}
    for kind in ("nominal", "ordinal"):
        named[kind] = [column for column in work.roles if column in looked_at and work.kinds[column] == kind]
    # an order that a file does not give is that of the numbers
    named["ordinal"] = {column: [] for column in named["ordinal"]}
    return {role: columns for role, columns in named.items() if columns}


def chosen_from(section: dict[str, Any], columns: list[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Role and kind of each column by the section [roles] of a plan; others stay as they are."""
    roles = dict.fromkeys(columns, "other")
    for role in _LISTS:
        for name in section.get(role) or ():
            if name in roles:
                roles[name] = role
    if (unit := section.get("unit")) in roles:
        roles[unit] = UNIT_LEFT_OUT if unit in (section.get("identifiers") or ()) else "unit"
    if (weight := section.get("weight")) in roles:
        roles[weight] = "weight"
    declared = {kind: section.get(kind) or () for kind in ("nominal", "ordinal")}
    return roles, {name: kind for kind, names in declared.items() for name in names if name in roles}
