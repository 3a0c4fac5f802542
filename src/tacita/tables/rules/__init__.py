"""Which cells are sensitive. Rules are small, and combine: a cell is sensitive if one of them says so."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tacita.core import ParameterError, Table

from .rule import Flags, Rule

__all__ = ["Flags", "Rule", "apply_rules", "rules_of"]


def rules_of(rules: Rule | Sequence[Rule]) -> tuple[Rule, ...]:
    """One or several rules as a tuple; ParameterError where one is no rule, such as a bare name."""
    several = isinstance(rules, Iterable) and not isinstance(rules, Rule | str)
    checked: list[Rule] = []
    for rule in rules if several else (rules,):
        if not isinstance(rule, Rule):
            came = f"the class {rule.__name__}" if isinstance(rule, type) else type(rule).__name__
            raise ParameterError(
                "rules: wanted rules with their parameters, such as PPercent(p=15) from "
                f"tacita.tables.rules.concentration; got {came}. In a plan they go by name."
            )
        checked.append(rule)
    return tuple(checked)


def apply_rules(table: Table, rules: Rule | Sequence[Rule]) -> Table:
    """The table with its sensitive cells and their protection levels, the largest that any rule requires.

    >>> from tacita.core import Contributors, Hierarchy
    >>> from .concentration import PPercent
    >>> from .frequency import MinimumFrequency
    >>> who = Contributors.of([[60, 30, 10], [40, 35, 30], [60, 40, 35, 30, 30, 10]])
    >>> table = Table.cross([Hierarchy.flat("region", ["a", "b"])], [100, 105, 205], contributors=who)
    >>> apply_rules(table, [PPercent(p=20), MinimumFrequency(threshold=3)]).primary.tolist()
    [True, False, False]
    """
    for rule in rules_of(rules):
        flags = rule.flag_table(table)
        table = table.with_primary(flags.mask, flags.lower, flags.upper, flags.sliding, (rule,))
    return table
