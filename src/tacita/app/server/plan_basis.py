"""The basis of a plan: the file, how it is read, and what each column is. Other roles make another basis.

Of a table that is also what it is made of (its section of the plan, in `work.draft["table"]`) and its rules.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from .workspaces import Work

# Roles of a plan that are lists of columns, by what a page calls them.
_LISTS = ("quasi", "dependent", "independent", "identifiers", "pseudonyms", "confidential", "strata")
# Those that steps name themselves.
_OF_STEPS = ("quasi", "dependent", "independent")
# A unit that is also left out of the release, and one that a pseudonym replaces: by the second role of each.
UNIT_LEFT_OUT = "unit-left-out"
UNIT_REPLACED = "unit-pseudonyms"
_UNIT_AND = {"identifiers": UNIT_LEFT_OUT, "pseudonyms": UNIT_REPLACED}
UNITS = ("unit", *_UNIT_AND.values())
# Roles whose columns show pseudonyms, and what a plan calls the file of their key.
REPLACED = ("pseudonyms", UNIT_REPLACED)
KEY = "pseudonym_key"
ROLES = (*_LISTS, *UNITS, "weight", "other")
KINDS = ("numeric", "nominal", "ordinal")


def basis_of(work: Work) -> str:
    """A short name of it: nodes of the history that were made on another are stale."""
    source = work.source
    ground = [
        None if source is None else [source.fingerprint, source.options],
        sorted(work.roles.items()),
        sorted(work.kinds.items()),
        work.draft.get("table"),
        work.declared,
        _marked(work),
    ]
    return hashlib.sha256(json.dumps(ground, sort_keys=True).encode()).hexdigest()[:16]


def _marked(work: Work) -> list[Any]:
    """The rules of a table and its auxiliary files; of records, the auxiliary files in use."""
    state = work.draft.get("table_state")
    used = work.auxiliary if state is not None else work.declared.get("hierarchy", {}).values()
    files = sorted((name, source.fingerprint) for name, source in work.auxiliary.items() if name in used)
    if replaces_identifiers(work) and work.key is not None:
        files.append((KEY, work.key.fingerprint))
    return files if state is None else [state.rules, state.levels, files]


def replaces_identifiers(work: Work) -> bool:
    """Whether a column is released as pseudonyms, which takes a key."""
    return any(role in REPLACED for role in work.roles.values())


def roles_of(work: Work, steps: Sequence[Mapping[str, Any]] = ()) -> dict[str, Any]:
    """The section [roles] of a plan, from what was chosen column by column.

    Kinds are declared for the columns that a method uses, those of `steps` too, where they are no quantities.
    """
    named: dict[str, Any] = {
        role: [column for column, chosen in work.roles.items() if chosen in (role, _UNIT_AND.get(role))]
        for role in _LISTS
    }
    places = {name: at for at, name in enumerate(work.declared.get("order", ()))}
    for role in _OF_STEPS:
        named[role].sort(key=lambda name: places.get(name, len(places)))
    for column, chosen in work.roles.items():
        if chosen in UNITS:
            named["unit"] = column
        if chosen == "weight":
            named["weight"] = column
    looked_at = {*named["quasi"], *named["dependent"], *named["independent"]}
    looked_at |= {name for step in steps for role in _OF_STEPS for name in step.get(role, ())}
    kinds = {column: work.kinds[column] for column in work.roles if column in looked_at}
    named["numeric"] = [name for name in work.declared.get("numeric", ()) if kinds.get(name) == "numeric"]
    named["nominal"] = [name for name, kind in kinds.items() if kind == "nominal"]
    # an order that nobody gives is that of the numbers
    orders = work.declared.get("orders", {})
    named["ordinal"] = {name: orders.get(name, []) for name, kind in kinds.items() if kind == "ordinal"}
    named["unit_columns"] = work.declared.get("unit_columns", [])
    named["hierarchy"] = work.declared.get("hierarchy", {})
    return {role: columns for role, columns in named.items() if columns}


def declared_from(section: Mapping[str, Any], around: Mapping[str, Any]) -> dict[str, Any]:
    """What the section [roles] of a plan declares beyond a role and a kind for each column.

    `around` is its section [protect], which names the file of a key.
    """
    orders = {name: list(levels) for name, levels in section.get("ordinal", {}).items() if levels}
    order = [name for role in _OF_STEPS for name in section.get(role, ())]
    declared: dict[str, Any] = {"order": order if len(order) > 1 else [], "orders": orders}
    declared |= {name: section.get(name) for name in ("numeric", "unit_columns", "hierarchy")}
    declared[KEY] = around.get(KEY)
    return {name: value for name, value in declared.items() if value}


def orders_text(orders: Mapping[str, Sequence[str]]) -> str:
    """Orders of categories as they are typed.

    >>> orders_text({"size": ["small", "large"]}), orders_of("size = small < large;")
    ('size=small<large', {'size': ['small', 'large']})
    """
    return "; ".join(f"{name}={'<'.join(levels)}" for name, levels in orders.items())


def orders_of(text: str) -> dict[str, list[str]]:
    """The reverse of it."""
    parted = [entry.partition("=") for entry in text.split(";") if entry.strip()]
    return {name.strip(): [level.strip() for level in levels.split("<")] for name, _, levels in parted}


def chosen_from(
    section: Mapping[str, Any], columns: Sequence[str], steps: Sequence[Mapping[str, Any]] = ()
) -> tuple[dict[str, str], dict[str, str]]:
    """Role and kind of each column by a plan; others stay as they are.

    A role that the file declares for a column of a step, such as that of a stratum, is its role.
    """
    roles = dict.fromkeys(columns, "other")
    for role in reversed(_OF_STEPS):
        roles |= dict.fromkeys((name for step in steps for name in step.get(role, ())), role)
    for role in _LISTS:
        for name in section.get(role) or ():
            if name in roles:
                roles[name] = role
    if (unit := section.get("unit")) in roles:
        both = (name for role, name in _UNIT_AND.items() if unit in (section.get(role) or ()))
        roles[unit] = next(both, "unit")
    if (weight := section.get("weight")) in roles:
        roles[weight] = "weight"
    declared = {kind: section.get(kind) or () for kind in ("nominal", "ordinal")}
    return roles, {name: kind for kind, names in declared.items() for name in names if name in roles}
