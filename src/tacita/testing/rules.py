"""The laws of rules for sensitive cells."""

from __future__ import annotations

from typing import Any

import numpy as np

from tacita.core import Contributors, Table
from tacita.core.spec import registry
from tacita.testing import Findings

from .examples import firms

_FLAGS = ("mask", "lower", "upper", "sliding")


def it_judges_every_cell_by_its_own_contributors_alone(method: Any) -> Findings:
    cells = _cells(method)
    n, all_flags = cells.total.size, method.flag(cells)
    order = np.random.default_rng(1).permutation(n)
    for name in _FLAGS:
        flags = getattr(all_flags, name)
        yield flags.shape == (n,), f"Of {n} cells, {flags.size} have a {name}."
        mixed = getattr(method.flag(cells.at(order)), name)
        yield np.array_equal(flags[order], mixed), f"The {name} of a cell is another in another order."
        flags_of_one = [float(getattr(method.flag(cells.at([cell])), name)[0]) for cell in range(n)]
        yield np.array_equal(flags, flags_of_one), f"The {name} of a cell is another where it stands alone."


def its_levels_are_finite_and_not_negative(method: Any) -> Findings:
    flags = method.flag(_cells(method))
    for name in _FLAGS[1:]:
        level = getattr(flags, name)
        yield bool((np.isfinite(level) & (level >= 0)).all()), f"A level ({name}) is not."


def it_finds_some_cells_sensitive_but_not_all_and_the_same_every_time(method: Any) -> Findings:
    one, other = _table(method), _table(method)
    advice = "of the firms at hand. Check it with parameters that flag some of them."
    yield bool(one.primary.any()), f"It flags no cell {advice}"
    yield not one.primary.all(), f"It flags every cell {advice}"
    yield np.array_equal(one.primary, other.primary), "The second table has other sensitive cells."
    yield one.rules == (method,), "The table does not record the rule."


def what_it_flags_can_be_suppressed_and_audited(method: Any) -> Findings:
    from tacita.tables.release.suppress import suppress

    pattern = suppress(_table(method), registry.lookup("optimal")(), "interval", zeros="withhold")  # type: ignore[arg-type]
    yield pattern.audit.safe, "The secondary suppressions do not protect its cells."


def _table(method: Any) -> Table:
    from tacita.tables.input.tabulate import tabulate

    return tabulate(firms(), ["region", "size"], "turnover", request="asked", rules=method)


def _cells(method: Any) -> Contributors:
    from tacita.tables.input.tabulate import tabulate

    table = tabulate(firms(), ["region", "size"], "turnover", request="asked", depth=method.depth)
    assert table.contributors is not None
    return table.contributors
