"""Refuses to drop columns that roles, other steps, requirements or measures need."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tacita.core import ParameterError, RecordMethod, Roles
from tacita.core.spec.roles import OF_STEPS
from tacita.microdata.methods.dropping.dropping_method import Dropping


def check_dropped_columns(steps: Sequence[tuple[RecordMethod, Roles]], settings: Mapping[str, Any]) -> None:
    """Raise if a step drops a column that is needed, or has a condition on one that was changed before it.

    `settings` are requirements and settings of measures, by the words that a message uses for them.
    """
    for number, (method, roles) in enumerate(steps):
        if not isinstance(method, Dropping):
            continue
        dropped = set(method.columns)
        needed = [*_by_role(roles), *_by_steps(steps, number)]
        needed += [(what, word) for what, values in settings.items() for word in _words(values)]
        for what, name in needed:
            if name in dropped:
                raise ParameterError(
                    f"{_who(steps, number)}: column {name} cannot be dropped because it is needed: {what}. "
                    "Keep it, or remove it there."
                )
        before = {name for _, roles_before in steps[:number] for name in _columns(roles_before)}
        if changed := [name for name in method.asks if name in before]:
            raise ParameterError(
                f"{_who(steps, number)}: the condition uses column {', '.join(changed)}, which an earlier "
                "step changes. Conditions are about the values of the source: drop records first."
            )


def _who(steps: Sequence[Any], number: int) -> str:
    return "Drop" if len(steps) == 1 else f"Drop (step {number + 1})"


def _by_role(roles: Roles) -> Iterator[tuple[str, str]]:
    for role in Roles.model_fields:
        if role not in OF_STEPS:
            yield from ((f"it has a role ({role})", name) for name in roles.columns_of(role))


def _by_steps(steps: Sequence[tuple[RecordMethod, Roles]], number: int) -> Iterator[tuple[str, str]]:
    for other, (method, roles) in enumerate(steps):
        if other == number:
            continue
        if isinstance(method, Dropping):
            # an earlier drop evaluated its condition before the column was dropped
            used: tuple[str, ...] = (*method.columns, *(method.asks if other > number else ()))
        else:
            used = (*_columns(roles), *roles.independent, *method.reads, *method.context_columns)
        yield from ((f"step {other + 1} uses it", name) for name in used)


def _columns(roles: Roles) -> tuple[str, ...]:
    quasi = roles.dependent or roles.quasi
    return () if isinstance(quasi, str) else quasi


def _words(settings: Any) -> Iterator[str]:
    """All strings in some settings: some of them are columns."""
    if isinstance(settings, str):
        yield settings
    elif isinstance(settings, Mapping | list | tuple):
        for value in settings.values() if isinstance(settings, Mapping) else settings:
            yield from _words(value)
