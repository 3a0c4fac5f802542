"""Columns that may not leave: roles, other steps, requirements and measures speak of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tacita.core import ParameterError, RecordMethod, Roles
from tacita.core.spec.roles import OF_STEPS
from tacita.microdata.methods.dropping.dropping_method import Dropping


def refuse_needed(steps: Sequence[tuple[RecordMethod, Roles]], asked: Mapping[str, Any]) -> None:
    """Raise where a step drops a column that is needed, or asks for one that was changed before it.

    `asked` are requirements and settings of measures, by the words a message uses.
    """
    for number, (method, roles) in enumerate(steps):
        if not isinstance(method, Dropping):
            continue
        dropped = set(method.columns)
        needed = [*_by_role(roles), *_by_steps(steps, number)]
        needed += [(what, word) for what, given in asked.items() for word in _words(given)]
        for what, name in needed:
            if name in dropped:
                raise ParameterError(
                    f"{_who(steps, number)}: column {name} cannot leave the file, it is needed: {what}. Keep "
                    "it, or take it out there."
                )
        before = {name for _, each in steps[:number] for name in _columns(each)}
        if changed := [name for name in method.asks if name in before]:
            raise ParameterError(
                f"{_who(steps, number)}: the condition asks for column {', '.join(changed)}, which an "
                "earlier step changes. Conditions are about the values of the source: drop records first."
            )


def _who(steps: Sequence[Any], number: int) -> str:
    return "Drop" if len(steps) == 1 else f"Drop (step {number + 1})"


def _by_role(roles: Roles) -> Iterator[tuple[str, str]]:
    for role in Roles.model_fields:
        if role not in OF_STEPS:
            yield from ((f"it has a role ({role})", name) for name in roles.columns_of(role))


def _by_steps(steps: Sequence[tuple[RecordMethod, Roles]], number: int) -> Iterator[tuple[str, str]]:
    for place, (method, roles) in enumerate(steps):
        if place == number:
            continue
        if isinstance(method, Dropping):
            # what a step before asked for was there when it asked
            spoken: tuple[str, ...] = (*method.columns, *(method.asks if place > number else ()))
        else:
            spoken = (*_columns(roles), *roles.independent, *method.reads, *method.context_columns)
        yield from ((f"step {place + 1} speaks of it", name) for name in spoken)


def _columns(roles: Roles) -> tuple[str, ...]:
    quasi = roles.dependent or roles.quasi
    return () if isinstance(quasi, str) else quasi


def _words(given: Any) -> Iterator[str]:
    """Every word in some settings: some of them are columns."""
    if isinstance(given, str):
        yield given
    elif isinstance(given, Mapping | list | tuple):
        for each in given.values() if isinstance(given, Mapping) else given:
            yield from _words(each)
