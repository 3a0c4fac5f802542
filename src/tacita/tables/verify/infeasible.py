"""Which sensitive cells no pattern can protect, and why; found without the methods."""

from __future__ import annotations

import numpy as np

from tacita.core import DataError, Problem, Table
from tacita.core.spec.setting_syntax import setting

from .integers import UNDECIDED, failures_of
from .protection_criteria import Judge


def explain_infeasible(table: Table, problem: Problem, refusal: DataError) -> DataError:
    """An error that names the cells, where the attacker agrees that there is no pattern; else the refusal.

    Suppressing more cells never reveals more: if suppressing all allowed cells does not protect a cell,
    nothing does. Two largest flows per sensitive cell, and again where sums must be published, to see whether
    suppressing some of them would help.
    """
    everything = table.primary | ~table.forced
    judge, secret = Judge(table, problem), np.flatnonzero(table.primary).tolist()
    lost = [failure for failure in failures_of(judge, everything, secret) if failure.reason != UNDECIDED]
    if not lost:
        return refusal
    first, named = lost[0], ", ".join(" / ".join(failure.labels) for failure in lost[:5])
    more = f" and {len(lost) - 5} more" if len(lost) > 5 else ""
    lost_cells = f"suppress: {len(lost)} of {int(table.primary.sum())} sensitive cells cannot be protected"
    # a sum of zero is kept: a line of zeros has no value that could hide it
    kept = table.forced & (table.inner | (table.values == 0))
    cells = [failure.cell for failure in lost]
    why = f"The first: {first.reason}; {_why(table, first.cell, everything)}."
    if kept.sum() < table.forced.sum() and not [*failures_of(judge, ~kept, cells)]:
        return DataError(
            f"{lost_cells} while every other sum must be published: {named}{more}. {why} Sums that are "
            f"sensitive themselves: {int((table.primary & ~table.inner).sum())}. Let sums be suppressed too: "
            f"{setting('suppress', 'margins', True)}."
        )
    return DataError(f"{lost_cells} by any pattern: {named}{more}. {why} {_advice(table, kept)}")


def _advice(table: Table, kept: np.ndarray) -> str:
    """Settings that may help, as the caller spells them; none that is set already."""
    ways = []
    if kept.sum() < table.forced.sum():
        ways.append(setting("suppress", "margins", True))
    if (table.forced & table.inner & (table.values == 0)).any():
        ways.append(setting("suppress", "zeros", "withhold"))
    more = f"Let more cells be suppressed ({', '.join(ways)}), lower" if ways else "Lower"
    return f"{more} its levels, or merge labels."


def _why(table: Table, cell: int, everything: np.ndarray) -> str:
    """The line that leaves a cell no room, if it is a single line."""
    relations = table.relations
    down, up = table.values - table.low, table.high - table.values
    tightest, where = np.inf, ""
    for row in np.unique(relations.rows[relations.cells == cell]).tolist():
        cells, signs = relations.line(int(row))
        others = (cells != cell) & everything[cells]
        total = _line_name(table, cells)
        if not others.any():
            return f"no other cell of {total} may be suppressed"
        own = float(signs[cells == cell][0])
        same = signs[others] == own
        # raised, the cell is balanced by others that fall, or rise on the other side of the sum
        room = np.where(same, down[cells[others]], up[cells[others]]).sum()
        if room < tightest:
            tightest, where = float(room), total
    return (
        f"the other cells of {where} leave it too little room" if where else "the other cells are too tight"
    )


def _line_name(table: Table, cells: np.ndarray) -> str:
    """The label that all cells of a line share."""
    for at, dimension in enumerate(table.dimensions):
        codes = np.unique(table.codes[cells, at])
        if codes.size == 1:
            return f"{dimension.name} {dimension.labels[int(codes[0])]}"
    return "its line"
