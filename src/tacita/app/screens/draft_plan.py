"""The plan that is about to be run: out of a form, or out of a node of the history, and back.

A draft has the sections of a plan but for its roles, input and output: `protect` for one method, `steps` for
several, each with columns of its own, `require` and `measure`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from starlette.datastructures import ImmutableMultiDict

from tacita.app.server.plan_basis import KEY, REPLACED, replaces_identifiers, roles_of
from tacita.app.server.workspaces import Work
from tacita.core.spec.schema_forms import Field, each_of, fields_of, of_columns, text_of, value_of, values_of

SECTIONS = ("protect", "steps", "require", "measure")
_COLUMNS = ("quasi", "dependent", "independent")
# Settings of a step of an opened plan that have no field.
_KEPT = ("numeric", "nominal", "ordinal", "missing", "round_integers", "independent")
KINDS = (
    "microaggregation",
    "masking",
    "recoding",
    "generalisation",
    "coding",
    "withholding",
    "synthesis",
    "dropping",
)
# Boxes for columns beyond so many are no form; those that are protected are shown in any case.
_MOST_COLUMNS = 60


class Catalogue:
    """The methods, options and measures to choose from, as the worker lists them."""

    def __init__(self, catalogue: Mapping[str, Any]) -> None:
        self.methods = {entry["name"]: entry for entry in catalogue["methods"] if entry["kind"] in KINDS}
        self.options: Mapping[str, Any] = catalogue["options"]["properties"]
        self.measures = list(catalogue["measures"])

    def chain(self, method: str) -> list[Mapping[str, Any]]:
        """The methods of a name, which may be several with + between."""
        return [self.methods[name] for name in method.split("+") if name in self.methods]

    def kind(self, method: str) -> str:
        """The kind of a method; of one that is not known, none."""
        chain = self.chain(method)
        return chain[0]["kind"] if chain else ""

    def parameters(self, method: str) -> dict[str, Any]:
        """The schemas of its parameters."""
        return {
            name: schema
            for entry in self.chain(method)
            for name, schema in entry["parameters"].get("properties", {}).items()
        }

    def anytime(self, draft: Mapping[str, Any]) -> bool:
        """Whether a method of a draft keeps its best result so far when it is stopped."""
        return any(entry["anytime"] for step in steps_of(draft) for entry in self.chain(step["method"]))

    def groups(self, method: str) -> bool:
        """Whether a method makes groups, which others may improve."""
        return self.kind(method) == "microaggregation"

    def improving(self) -> list[Mapping[str, Any]]:
        """The methods that may come after one that makes groups."""
        return [entry for entry in self.methods.values() if entry["improves"]]

    def families(self, work: Work, in_steps: bool) -> list[tuple[str, list[dict[str, Any]]]]:
        """Methods by kind, as a menu lists them: those that the roles allow, and what each cannot take."""
        drawing = "dependent" in work.roles.values()
        kinds = [kind for kind in KINDS if in_steps or drawing == (kind == "synthesis")]
        looked_at = {work.kinds[name] for name in protected(work)}
        return [
            (
                kind,
                [
                    {**entry, "lacks": sorted(looked_at - set(entry["takes"]))}
                    for entry in self.methods.values()
                    if entry["kind"] == kind
                ],
            )
            for kind in kinds
        ]


@dataclass(frozen=True)
class StepForm:
    """A step as a form shows it: its `method`, and those that come `then`, None where none can.

    `kept` are settings without a field, `columns_one_by_one` the columns that may have values of their own,
    with the position of each.
    """

    chain: str
    method: str
    then: str | None
    about: tuple[Mapping[str, Any], ...]
    fields: list[Field]
    columns: frozenset[str]
    kept: Mapping[str, str]
    columns_one_by_one: list[tuple[int, str]]


def protected(work: Work) -> list[str]:
    """Columns that are protected, or synthesised."""
    return [name for name, role in work.roles.items() if role in ("quasi", "dependent")]


def offered(work: Work) -> list[str]:
    """Columns that a step may be given."""
    named = {name for step in current(work).get("steps") or () for name in _columns_of(step)}
    first = [name for name in work.roles if name in {*protected(work), *named}]
    apart = ("identifiers", *REPLACED)
    others = [name for name, role in work.roles.items() if name not in first and role not in apart]
    return first + (others if len(first) + len(others) <= _MOST_COLUMNS else [])


def _columns_of(step: Mapping[str, Any]) -> tuple[str, ...]:
    return (*step.get("quasi", ()), *step.get("dependent", ()))


def current(work: Work) -> dict[str, Any]:
    """What the form shows: what was typed last, else the plan of the chosen node, else the first method."""
    draft = {name: work.draft[name] for name in SECTIONS if work.draft.get(name)}
    if draft:
        return draft
    node = work.history.current
    if node is not None:
        return {name: node.plan[name] for name in SECTIONS if node.plan.get(name)}
    drawing = "dependent" in work.roles.values()
    mixed = any(work.kinds[name] != "numeric" for name in protected(work))
    first = ("trees" if mixed else "ipso-c") if drawing else ("gower" if mixed else "mdav")
    return {"protect": {"method": first}}


def steps_of(draft: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The steps of a draft; one method is a single one."""
    if draft.get("steps"):
        return [{"method": "mdav", **step} for step in draft["steps"]]
    return [{"method": "mdav", **draft.get("protect", {})}]


def forms_of(work: Work, draft: Mapping[str, Any], catalogue: Catalogue) -> list[StepForm]:
    """Each step with its fields."""
    default_columns = [] if draft.get("steps") else protected(work)
    shown = [_one_by_one(work, step, default_columns) for step in steps_of(draft)]
    return [
        StepForm(
            chain=step["method"],
            method=step["method"].partition("+")[0],
            then=step["method"].partition("+")[2] if catalogue.groups(step["method"]) else None,
            about=tuple(catalogue.chain(step["method"])),
            fields=fields_of(catalogue.parameters(step["method"]), step),
            columns=frozenset(_columns_of(step)),
            kept={name: text_of(step[name]) for name in _KEPT if step.get(name)},
            columns_one_by_one=one_by_one,
        )
        for step, one_by_one in zip(steps_of(draft), shown, strict=True)
    ]


def _one_by_one(work: Work, step: Mapping[str, Any], default_columns: Sequence[str]) -> list[tuple[int, str]]:
    """Columns that may have values of their own in a step, and those that have."""
    with_values = {name for value in step.values() if isinstance(value, dict) for name in value}
    taken = {*default_columns, *_columns_of(step)}
    listed = [(place, name) for place, name in enumerate(work.roles) if name in taken | with_values]
    return listed if len(listed) <= _MOST_COLUMNS else [entry for entry in listed if entry[1] in with_values]


def options_of(draft: Mapping[str, Any], catalogue: Catalogue) -> dict[str, Field]:
    """The rules around the methods."""
    fields = fields_of(catalogue.options, draft.get("protect", {}))
    return {field.name: field for field in fields}


def required_of(draft: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Requirements as rows of a measure and its limit; a blank one is the last."""
    rows = [
        (name, text_of(limit))
        for name, value in draft.get("require", {}).items()
        for limit in (value if isinstance(value, list) else [value])
    ]
    return [*rows, ("", "")]


def typed(
    work: Work, form: ImmutableMultiDict[str, str], catalogue: Catalogue
) -> tuple[dict[str, Any], list[tuple[dict[str, Any], list[str]]]]:
    """The contents of a form: the options, and the steps, each with its columns."""
    before = steps_of(current(work))
    steps = []
    for at in count():
        method = form.get(f"s{at}.method", "")
        if method not in catalogue.methods:
            break
        if (then := form.get(f"s{at}.then", "")) and catalogue.groups(method) and catalogue.chain(then):
            method = f"{method}+{then}"
        was = catalogue.parameters(form.get(f"s{at}.was", ""))
        properties = catalogue.parameters(method)
        named = {name: form[f"s{at}.{name}"] for name in properties if f"s{at}.{name}" in form}
        values = values_of(properties, named, list(was), always=_telling(properties))
        shown = {name: properties[name] for name in was if name in properties}
        kept = before[at] if at < len(before) and before[at]["method"] == method else {}
        values |= dict(_by_column(work, form, f"s{at}.", shown, kept))
        columns = [name for name in form.getlist(f"s{at}.columns") if name in work.roles]
        if {*columns} == {*_columns_of(kept)}:
            # boxes stand in the order of the file, columns in that of the plan
            columns = [*_columns_of(kept)]
        step = {name: kept[name] for name in _KEPT if name in kept}
        # apart from it: a method may have a parameter of that name
        steps.append(({**step, "method": method, **values}, columns))
    around = values_of(
        catalogue.options,
        {name: form[f"o.{name}"] for name in catalogue.options if f"o.{name}" in form},
        list(catalogue.options),
    )
    return around, steps


def _by_column(
    work: Work,
    form: Mapping[str, str],
    prefix: str,
    properties: Mapping[str, Mapping[str, Any]],
    kept: Mapping[str, Any],
) -> Iterator[tuple[str, Any]]:
    """The fields of single columns; the values of other columns stay."""
    for name, schema in properties.items():
        texts = {
            column: form[key]
            for place, column in enumerate(work.roles)
            if (key := f"{prefix}{name}.{place}") in form
        }
        if each_of(schema) is None:
            continue
        before = kept.get(name)
        rest = {} if not isinstance(before, dict) else {c: v for c, v in before.items() if c not in texts}
        if rest or any(text.strip() for text in texts.values()):
            typed_values = of_columns(schema, form.get(f"{prefix}{name}", ""), texts)
            yield name, {**rest, **typed_values} if isinstance(typed_values, dict) else typed_values or rest


def _telling(properties: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The parameter that the title of a method always shows: the first number that has a default."""
    named = [name for name, schema in properties.items() if type(schema.get("default")) in (int, float)]
    return named[:1]


def drafted(
    work: Work, form: ImmutableMultiDict[str, str], catalogue: Catalogue, *, several: bool
) -> dict[str, Any]:
    """A form as a draft; `several` where steps have columns of their own."""
    around, steps = typed(work, form, catalogue)
    if not steps:
        return current(work)
    draft: dict[str, Any] = {}
    if several:
        draft = {
            "protect": around,
            "steps": [_step(work, step, columns, catalogue) for step, columns in steps],
        }
    else:
        single = {name: value for name, value in steps[0][0].items() if name not in _KEPT}
        draft = {"protect": {**single, **around}}
    if require := _required(form):
        draft["require"] = require
    if measure := current(work).get("measure"):
        draft["measure"] = measure
    return draft


def _step(work: Work, step: dict[str, Any], columns: list[str], catalogue: Catalogue) -> dict[str, Any]:
    kind = catalogue.kind(step["method"])
    if kind == "dropping":
        return step
    if kind == "synthesis":
        independent = [name for name, role in work.roles.items() if role == "independent"]
        return {"dependent": columns, "independent": independent, **step}
    return {"quasi": columns, **step}


def fitting(work: Work, method: str, catalogue: Catalogue) -> list[str]:
    """Columns that a new step begins with: those to be protected that its method can take."""
    takes = {kind for entry in catalogue.chain(method) for kind in entry["takes"]}
    return [name for name in protected(work) if work.kinds[name] in takes]


def _required(form: ImmutableMultiDict[str, str]) -> dict[str, Any]:
    required: dict[str, list[Any]] = {}
    for at in count():
        if f"r{at}.name" not in form:
            break
        name, limit = form[f"r{at}.name"], form.get(f"r{at}.limit", "").strip()
        if name and limit:
            required.setdefault(name, []).append(value_of({"type": "object"}, limit))
    return {name: limits[0] if len(limits) == 1 else limits for name, limits in required.items()}


def plan_of(work: Work, draft: Mapping[str, Any], catalogue: Catalogue) -> dict[str, Any]:
    """The sections of a plan: steps, and methods that only leave out, name the columns themselves."""
    roles = roles_of(work, draft.get("steps") or ())
    apart = draft.get("steps") or catalogue.kind(steps_of(draft)[0]["method"]) == "dropping"
    if apart:
        roles = {name: value for name, value in roles.items() if name not in _COLUMNS}
    around = {name: value for name, value in draft.get("protect", {}).items() if name != KEY}
    if replaces_identifiers(work):
        around[KEY] = work.declared.get(KEY, "")
    return {"roles": roles, **draft, "protect": around}
