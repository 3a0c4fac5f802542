"""Tables of which nothing says which cells are sensitive, no rule, status or mark: no verdict on them."""

from __future__ import annotations

from collections.abc import Sequence

from tacita.core import DisclosureWarning, ParameterError, Table
from tacita.core.spec.accepted_risks import NO_SENSITIVE_CELLS, accepted_names
from tacita.core.spec.setting_syntax import setting

NOTHING_JUDGED = "no verdict, since nothing says which cells are sensitive"


def accepted_risks(table: Table, accept: Sequence[str] | str) -> tuple[str, ...]:
    """Of the risks that are accepted, those that this table has: where a rule was applied there is none."""
    return () if table.judged else accepted_names(accept)


def check_judged(table: Table, accept: Sequence[str] | str) -> None:
    """Check that something says which cells are sensitive, or that the risk is accepted by name.

    ParameterError if not.

    >>> check_judged(Table.from_array([[5, 3]]), accept="no-sensitive-cells")
    >>> check_judged(Table.from_array([[5, 3]], primary=[[False, False]]), accept=())
    """
    if table.judged or NO_SENSITIVE_CELLS in accepted_names(accept):
        return
    raise ParameterError(
        "suppress: nothing says which cells are sensitive: no rule was applied, and there is no status and "
        "no mark. Nothing would be protected, and nothing audited. Name rules when the table is made "
        "(`--rule` of `tacita tabulate`, [[rules]] of a plan, rules= in Python), or mark sensitive cells "
        "(primary). If no cell is sensitive, accept that by name, which is recorded "
        f"({setting('suppress', 'accept', NO_SENSITIVE_CELLS)}).",
        field="accept",
    )


def about_acceptance(table: Table, accepted: Sequence[str]) -> list[DisclosureWarning]:
    """The warning for a release where no cell is sensitive and that was accepted."""
    if NO_SENSITIVE_CELLS not in accepted:
        return []
    text = (
        f"No rule, status or mark says which of {table.n} cells are sensitive: that none is was accepted, "
        "and nothing was audited."
    )
    return [DisclosureWarning(NO_SENSITIVE_CELLS, text, table.n, "Name rules, or mark the sensitive cells.")]
