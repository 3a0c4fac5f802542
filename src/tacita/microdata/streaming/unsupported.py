"""Refuses plans whose promises do not hold if a file is processed in parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from tacita.core import ParameterError
from tacita.core.results.release import Requirement
from tacita.core.spec import registry
from tacita.microdata.measures.measure import Measure
from tacita.microdata.plans.plan import Protection
from tacita.microdata.protection.steps import Step


def check_streamable(
    protection: Protection, steps: Sequence[Step], columns: Sequence[str], executor: str
) -> None:
    """Raise, with the reason, if a promise about the file cannot be kept part by part.

    Groups of k records can: groups of a part are groups of the file. So can methods that change each value
    independently of the others.
    """
    for step in steps:
        reason = _reason(step)
        if reason:
            raise _refused(f"{step.method.display_name()} needs the whole file: {reason}", executor)
        if step.missing == "merge":
            raise _refused("missing 'merge' counts missing values over the whole file", executor)
    if protection.roles.pseudonyms:
        raise _refused("that no two identifiers share a pseudonym is verified over the whole file", executor)
    if protection.protect.shuffle:
        raise _refused("a random order needs all records at once", executor)
    if sum(step.method.kind == "microaggregation" for step in steps) > 1:
        raise _refused("two steps that group records would need two partitions of the file", executor)
    for requirement in protection.require.requirements:
        name = requirement.name
        measured = cast("type[Measure]", registry.lookup(name, *registry.MEASURING))
        if not (measured.of_files and measured.alone):
            raise _refused(f"{name} compares the whole file with its original", executor)
        if not columns_named([requirement], columns):
            raise _refused(f"{name} is judged on columns that it names, and it names none", executor)


def columns_named(requirements: Sequence[Requirement], columns: Sequence[str]) -> list[str]:
    """The columns that settings of requirements name, in the order of the file."""
    words: set[str] = set()

    def collect(value: object) -> None:
        if isinstance(value, str):
            words.add(value)
        elif isinstance(value, Mapping):
            for name, setting in value.items():
                collect(name)
                collect(setting)
        elif isinstance(value, Sequence):
            for item in value:
                collect(item)

    for requirement in requirements:
        collect(requirement.settings)
    return [name for name in columns if name in words]


def _reason(step: Step) -> str:
    if step.by_unit:
        return "columns that agree within a unit need all its records in one place"
    return step.method.needs_whole_file


def _refused(why: str, executor: str) -> ParameterError:
    return ParameterError(
        f"Executor: {why}, but the executor {executor} works in parts. Remove the executor, or change the "
        "plan.",
        field="executor",
    )
