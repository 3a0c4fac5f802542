"""Which cells are sensitive. Rules are small, and combine: a cell is sensitive if one of them says so."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tacita.core import ParameterError, Table

from .rule import Flags, Rule

__all__ = ["Flags", "Rule", "apply_rules", "rules_of"]


def rules_of(given: Rule | Sequence[Rule]) -> tuple[Rule, ...]:
    """One rule or several as several; ParameterError where one is none, as a name by itself."""
    several = isinstance(given, Iterable) and not isinstance(given, Rule | str)
    rules: list[Rule] = []
    for each in given if several else (given,):
        if not isinstance(each, Rule):
            came = f"the class {each.__name__}" if isinstance(each, type) else type(each).__name__
            raise ParameterError(
                "rules: wanted rules with their parameters, such as PPercent(p=15) from "
                f"tacita.tables.rules.concentration; got {came}. In a plan they go by name."
            )
        rules.append(each)
    return tuple(rules)


def apply_rules(table: Table, rules: Rule | Sequence[Rule]) -> Table:
    """The table with its sensitive cells and their protection levels, the largest any rule asks for.

    >>> from tacita.core import Contributors, Hierarchy
    >>> from .concentration import PPercent
    >>> from .frequency import MinimumFrequency
    >>> who = Contributors.of([[60, 30, 10], [40, 35, 30], [60, 40, 35, 30, 30, 10]])
    >>> table = Table.cross([Hierarchy.flat("region", ["a", "b"])], [100, 105, 205], contributors=who)
    >>> apply_rules(table, [PPercent(p=20), MinimumFrequency(threshold=3)]).primary.tolist()
    [True, False, False]
    """
    for rule in rules_of(rules):
        found = rule.flag_table(table)
        table = table.with_primary(found.mask, found.lower, found.upper, found.sliding, (rule,))
    return table
