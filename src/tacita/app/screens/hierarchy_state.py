"""What values of a column become when coarser: a file, or a hierarchy that is made of the values it has."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from starlette.datastructures import ImmutableMultiDict

from tacita.app.server.auxiliary_files import lacking, placed
from tacita.app.server.auxiliary_files import place_of as folder_of
from tacita.app.server.uploads import Source
from tacita.app.server.workspaces import Work
from tacita.core.spec.schema_forms import value_of

# Ways to build one, and the schemas of their parameters.
_NUMBERS = {"type": "array", "items": {"type": "number"}}
MADE: Mapping[str, Mapping[str, Any]] = {
    "intervals": {
        "widths": _NUMBERS,
        "start": {"type": "number"},
        "bottom": {"type": "number"},
        "top": {"type": "number"},
    },
    "prefixes": {"lengths": {"type": "array", "items": {"type": "integer"}}},
    "dates": {"periods": {"type": "array", "items": {"type": "string"}}},
}
PERIODS = ("month", "quarter", "year", "decade")
WAYS = ("none", "file", *MADE)
# Without these nothing can be made; of codes one character less each time.
_NEEDED = {"intervals": "widths", "dates": "periods"}
_LOOKED_AT = ("quasi", "confidential")
# More columns than these are no form; those that have a hierarchy are shown in any case.
_MOST = 60


@dataclass(frozen=True)
class HierarchyColumn:
    """A column on the page: the hierarchy that it has or is to have, and its coverage by the worker.

    `labels` are those of the plan that was opened, where it names no file.
    """

    place: int
    name: str
    by: str
    file: str
    lacking: bool
    labels: bool
    typed: Mapping[str, str]
    coverage: Mapping[str, Any]


def declared(work: Work) -> dict[str, Any]:
    """Hierarchies by column: the name of a file, or nested labels."""
    hierarchies: dict[str, Any] = work.declared.get("hierarchy", {})
    return hierarchies


def columns_of(work: Work) -> list[HierarchyColumn]:
    """The columns that may have one."""
    hierarchies = declared(work)
    known = {*hierarchies, *work.making}
    free = [name for name, role in work.roles.items() if role in _LOOKED_AT and name not in known][:_MOST]
    return [
        _column(work, place, name, hierarchies.get(name))
        for place, name in enumerate(work.roles)
        if name in known or name in free
    ]


def _column(work: Work, place: int, name: str, hierarchy: Any) -> HierarchyColumn:
    typed = work.making.get(name, {})
    has = "labels" if isinstance(hierarchy, dict | list) else "file" if hierarchy else "none"
    coverage = (work.exposure or {}).get("hierarchies", {}).get(name, {})
    file = hierarchy if isinstance(hierarchy, str) else ""
    gone = file != "" and file not in work.auxiliary
    return HierarchyColumn(
        place=place,
        name=name,
        by=typed.get("by") or has,
        file=file,
        lacking=gone,
        labels=has == "labels",
        typed=typed,
        coverage=coverage,
    )


def take(work: Work, form: ImmutableMultiDict[str, str]) -> None:
    """Take the hierarchies of a form for the columns that it shows."""
    hierarchies = dict(declared(work))
    for place, name in enumerate(work.roles):
        by = form.get(f"by.{place}", "")
        if by in MADE:
            typed = {key: ", ".join(form.getlist(f"{key}.{place}")) for key in MADE[by]}
            work.making[name] = {**work.making.get(name, {}), **typed, "by": by}
        elif by in WAYS:
            work.making.get(name, {}).pop("by", None)
            file = form.get(f"file.{place}", "") if by == "file" else ""
            hierarchies = {**hierarchies, name: file} if file else _without(hierarchies, name)
    _declare(work, hierarchies)


def _without(hierarchies: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {column: hierarchy for column, hierarchy in hierarchies.items() if column != name}


def _declare(work: Work, hierarchies: dict[str, Any]) -> None:
    # in the order of the file
    ordered = {name: hierarchies[name] for name in work.roles if name in hierarchies}
    rest = {name: value for name, value in work.declared.items() if name != "hierarchy"}
    work.declared = {**rest, "hierarchy": ordered} if ordered else rest


def choose_by_name(work: Work, file: str) -> None:
    """A file that is called as a column is that of the column, unless that has another."""
    hierarchies, stem = declared(work), PurePosixPath(file).stem.casefold()
    own = [name for name in work.roles if name.casefold() == stem and name not in hierarchies]
    if len(own) == 1:
        _declare(work, {**hierarchies, own[0]: file})


def problem(work: Work) -> str | None:
    """What stands in the way of a run, as a key of the texts."""
    if any(typed.get("by") for typed in work.making.values()):
        return "roles.not-made"
    return "roles.no-hierarchy" if lacking(work, declared(work)) else None


def request_of(work: Work) -> dict[str, Any]:
    """The request to a worker: hierarchies to examine, and to build."""
    present = {
        name: hierarchy for name, hierarchy in declared(work).items() if not lacking(work, {name: hierarchy})
    }
    return {"hierarchies": placed(work, present), "make": dict(_to_make(work))}


def _to_make(work: Work) -> Iterator[tuple[str, dict[str, Any]]]:
    for place, name in enumerate(work.roles):
        typed = work.making.get(name, {})
        if not (by := typed.get("by")):
            continue
        texts = {key: typed.get(key, "").strip() for key in MADE[by]}
        if texts.get(_NEEDED.get(by, ""), "?"):
            how = {key: value_of(MADE[by][key], text) for key, text in texts.items() if text}
            how = {"lengths": [], **how} if by == "prefixes" else how
            # no file that is added is called like this
            yield name, {"how": how, "path": str(folder_of(work) / f"_made-{place}.csv")}


def learn(
    work: Work, coverage: Mapping[str, Mapping[str, Any]], made: Mapping[str, Mapping[str, Any]]
) -> None:
    """What came of it: what was made is a file like any other from now on."""
    hierarchies = dict(declared(work))
    for name, how in made.items():
        about = coverage.get(name, {})
        if "message" in about:
            continue
        path = folder_of(work) / PurePosixPath(how["path"]).name
        shown = _called(work, name)
        work.auxiliary[shown] = Source(
            path=path, shown_as=shown, size=about["size"], fingerprint=about["fingerprint"]
        )
        work.making[name].pop("by", None)
        hierarchies[name] = shown
    _declare(work, hierarchies)


def _called(work: Work, column: str) -> str:
    """A name for the file of a column, different from all others."""
    plain = re.sub(r"[^\w.-]+", "_", column)[:60].lstrip(".") or "column"
    others = {file for name, file in declared(work).items() if name != column and isinstance(file, str)}
    shown = f"{plain}-hierarchy.csv"
    return shown if shown not in others else f"{plain}-{list(work.roles).index(column)}-hierarchy.csv"


def files_of(plan: Mapping[str, Any]) -> list[str]:
    """The files of hierarchies that a plan of records names."""
    named = plan.get("roles", {}).get("hierarchy", {})
    return list(dict.fromkeys(file for file in named.values() if isinstance(file, str)))
