"""What all methods of suppression share: which problems and shapes of tables they take, and their verb."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import ClassVar, Literal, get_args

from tacita.core import Method, ParameterError, Pattern, Problem, RunContext, Table
from tacita.core.arrays import Mask
from tacita.core.spec import registry

from .time_limit import Watch, ended

# Shapes of tables: two dimensions without hierarchy, or any additive table.
Shape = Literal["two-way", "any"]


class Suppression(Method):
    """Chooses the secondary suppressions of a table. Subclasses implement `choose`.

    A table has all that the choice depends on: costs, bounds, levels, and the cells that must be published.
    """

    kind: ClassVar[str] = "suppression"
    problems: ClassVar[tuple[Problem, ...]] = get_args(Problem)
    shapes: ClassVar[tuple[Shape, ...]] = ("any",)

    def suppress(self, table: Table, problem: Problem = "interval", run: RunContext | None = None) -> Pattern:
        """A pattern that protects every primary cell of the table; DataError if there is none."""
        self.check_supported(table, problem)
        return self.choose(table, problem, run or RunContext())

    def check_supported(self, table: Table, problem: Problem) -> None:
        """Check that the method takes the problem and the shape of the table; ParameterError if not."""
        if problem not in self.problems:
            raise ParameterError(
                f"{self.display_name()}: made for {' and '.join(self.problems)} protection, got {problem}. "
                f"{_who_takes(table, problem)}"
            )
        if not self.fits(table):
            raise ParameterError(
                f"{self.display_name()}: suppresses in two-way tables, of two dimensions without hierarchy; "
                f"this table has others. {_who_takes(table, problem)}"
            )

    @classmethod
    def fits(cls, table: Table) -> bool:
        """Whether the method is made for tables of this shape."""
        return "any" in cls.shapes or ("two-way" in cls.shapes and table.is_two_way)

    def made(self, table: Table, problem: Problem, suppressed: Mask, bound: float, watch: Watch) -> Pattern:
        """The pattern of some cells, with its proven bound and its status."""
        pattern = Pattern.of(
            table,
            suppressed,
            lower_bound=min(bound, float(table.cost[suppressed & ~table.primary].sum())),
            seconds=watch.seconds,
            method=self.display_name(),
            problem=problem,
            parameters=self.own_parameters(),
        )
        return replace(pattern, status="optimal" if pattern.proven else ended(watch))

    @abstractmethod
    def choose(self, table: Table, problem: Problem, run: RunContext) -> Pattern:
        """The pattern, of a problem and a shape that the method takes."""


def _who_takes(table: Table, problem: Problem) -> str:
    known = {name: registry.lookup(name, "suppression") for name in registry.names("suppression")}
    able = [
        name
        for name, method in known.items()
        if issubclass(method, Suppression) and problem in method.problems and method.fits(table)
    ]
    return f"Choose a method that takes it: {', '.join(able)}."
