"""What all methods of adjustment share: they give other values for the cells of a table."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from tacita.core import Adjusted, DataError, Method, RunContext, Table, Terms
from tacita.core.arrays import Floats


class Adjustment(Method):
    """Publishes other values in place of the true ones. Subclasses say which, in `revalue`.

    `guarantees` name what the audit of adjusted tables checks on the finished file. `leans_on_sensitive`
    marks methods that do nothing where no cell is sensitive.
    """

    kind: ClassVar[str] = "adjustment"
    leans_on_sensitive: ClassVar[bool] = False

    def adjust(self, table: Table, run: RunContext | None = None) -> Adjusted:
        """Other values for all cells; DataError where there are none that keep what the method promises."""
        return self.revalue(table, run or RunContext())

    @abstractmethod
    def revalue(self, table: Table, run: RunContext) -> Adjusted:
        """The values, with their distance from the true ones and what is proven of it."""

    def terms(self, table: Table, values: Floats) -> Terms:
        """The terms of the promises, if this method with these parameters made these values."""
        return Terms()

    def claimed(self, table: Table, values: Floats) -> Adjusted:
        """Values of a file that is declared to be of this method, for an audit; nothing is proven of them."""
        terms, parameters = self.terms(table, values), self.own_parameters()
        return Adjusted.of(table, values, method=self.display_name(), parameters=parameters, terms=terms)

    def require_whole(self, table: Table) -> None:
        """Check that all values are counts; DataError if not."""
        if odd := int(((table.values < 0) | (table.values != table.values.round())).sum()):
            raise DataError(
                f"{self.display_name()}: wanted counts, whole numbers of at least 0, {odd} cells are none. "
                "Count records, or choose another method."
            )
