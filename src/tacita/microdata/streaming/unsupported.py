"""Plans whose promises do not survive that a file is cut into parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from tacita.core import ParameterError
from tacita.core.results.release import Requirement
from tacita.core.spec import registry
from tacita.microdata.measures.measure import Measure
from tacita.microdata.plans.plan import Protection
from tacita.microdata.protection.steps import Step


def refuse_whole_files(
    asked: Protection, steps: Sequence[Step], columns: Sequence[str], executor: str
) -> None:
    """Raise, with the reason, where parts by themselves could not keep what is promised of the file.

    Groups of k records survive any cut: those of a part are groups of the file. So do methods that change a
    value by itself, whatever the others are.
    """
    around = asked.protect
    for step in steps:
        reason = _reason(step)
        if reason:
            raise _refused(f"{step.method.spoken_name()} needs the whole file: {reason}", executor)
        if step.missing == "merge":
            raise _refused("missing 'merge' counts who misses which columns over the whole file", executor)
    if asked.roles.pseudonyms:
        raise _refused("that no two identifiers share a pseudonym is verified over the whole file", executor)
    if around.shuffle:
        raise _refused("a random order needs all records at once", executor)
    if sum(step.method.kind == "microaggregation" for step in steps) > 1:
        raise _refused("two steps that group records would need two ways to deal them into parts", executor)
    for each in asked.require.requirements:
        measured = cast("type[Measure]", registry.lookup(each.name, *registry.MEASURING))
        if not (measured.of_files and measured.alone):
            raise _refused(f"{each.name} compares the whole file with its original", executor)
        if not columns_named([each], columns):
            raise _refused(f"{each.name} is judged on columns that it names, and it names none", executor)


def columns_named(asked: Sequence[Requirement], columns: Sequence[str]) -> list[str]:
    """The columns that settings of requirements name, in the order of the file."""
    said: set[str] = set()

    def look(value: object) -> None:
        if isinstance(value, str):
            said.add(value)
        elif isinstance(value, Mapping):
            for name, each in value.items():
                look(name)
                look(each)
        elif isinstance(value, Sequence):
            for each in value:
                look(each)

    for each in asked:
        look(each.settings)
    return [name for name in columns if name in said]


def _reason(step: Step) -> str:
    if step.by_unit:
        return "columns that agree within a unit need all its records in one place"
    return step.method.needs_whole_file


def _refused(why: str, executor: str) -> ParameterError:
    return ParameterError(
        f"Executor: {why}, and the executor {executor} works in parts. Leave out the executor, or choose "
        "otherwise.",
        field="executor",
    )
