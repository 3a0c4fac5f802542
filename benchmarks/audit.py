"""The audit against plain linear programmes, one question at a time, and on large tables by itself."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tacita.core import Table
from tacita.tables.verify.audit import audit
from twins import attack

from .measuring import Result, cpu_seconds


def case(shape: tuple[int, ...], withheld: int) -> tuple[Table, np.ndarray]:
    """Values 0..499, one in a thousand sensitive to within 15 percent, and that many inner cells withheld."""
    rng = np.random.default_rng(0)
    values = rng.integers(0, 500, size=shape)
    table = Table.from_array(values, primary=rng.random(shape) < 0.001, lower=15, upper=15)
    mask = table.primary.copy()
    mask[rng.choice(np.flatnonzero(table.inner), withheld, replace=False)] = True
    return table, mask


def plain(table: Table, mask: np.ndarray, cells: int) -> None:
    """The ranges of the first few cells by the twin."""
    for cell in np.flatnonzero(mask)[:cells]:
        attack.possible_range(table, mask, cell)


def results() -> Iterator[Result]:
    """Ranges of all withheld cells; the twin answers for a few, and its time is scaled up."""
    for shape, withheld in (((20, 20), 100), ((50, 50), 300), ((8, 8, 8), 150)):
        table, mask = case(shape, withheld)
        few = 20
        twin_seconds = cpu_seconds(lambda table=table, mask=mask, few=few: plain(table, mask, few), 1)
        yield Result(
            f"audit {' x '.join(map(str, shape))}, {int(mask.sum())} withheld, CPU s",
            cpu_seconds(lambda table=table, mask=mask: audit(table, mask)),
            "plain linear programmes",
            twin_seconds * int(mask.sum()) / few,
        )
    for shape, withheld in (((200, 200), 800), ((500, 500), 2_000)):
        table, mask = case(shape, withheld)
        yield Result(
            f"audit {' x '.join(map(str, shape))}, {int(mask.sum())} withheld, CPU s",
            cpu_seconds(lambda table=table, mask=mask: audit(table, mask), 1),
            "",
            None,
        )
