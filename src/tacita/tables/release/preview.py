"""A table before anything of it is published: what it is made of, and which rule marks how many cells."""

from __future__ import annotations

from dataclasses import dataclass

from tacita.core import Caution, Table
from tacita.tables.input.read import Source
from tacita.tables.plans.plan import AnyTablePlan, TabulatePlan


@dataclass(frozen=True, eq=False)
class TableLook:
    """A table, how many cells each rule marks by itself, in the order of the plan, and what to warn of.

    Confidential: it holds the table.
    """

    table: Table
    by_rule: tuple[int, ...]
    cautions: tuple[Caution, ...]

    @property
    def sensitive(self) -> int:
        """How many cells are sensitive, by any rule or by the list itself."""
        return int(self.table.primary.sum())


def looked_at(source: Source, plan: AnyTablePlan) -> TableLook:
    """The table of a source as the rules of its plan see it. O(cells rules)."""
    rules = [rule.build() for rule in plan.rules] if isinstance(plan, TabulatePlan) else []
    counts = tuple(int(rule.flag_table(source.table).mask.sum()) for rule in rules)
    return TableLook(source.table, counts, source.cautions)
