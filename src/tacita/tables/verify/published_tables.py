"""Tables that are published of one system, each in a file of its own, and what all files show together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tacita.core import Table
from tacita.core.arrays import Floats, Ints
from tacita.io.tables.reading import Seen, differs, read_back
from tacita.io.tables.table_format import PublishedFormat


class Part(NamedTuple):
    """A published table, and where its cells stand among those that were attacked."""

    table: Table
    cells: Ints


def parts_or_whole(linked: tuple[Part, ...], whole: Table) -> tuple[Part, ...]:
    """The tables that are published: those that are linked, or the one."""
    return linked or (Part(whole, np.arange(whole.n)),)


def seen_together(
    contents: Sequence[bytes],
    forms: Sequence[PublishedFormat],
    parts: Sequence[Part],
    names: Sequence[str],
    n: int,
    meant: Floats | None = None,
) -> Seen:
    """What all files of linked tables show of n cells: one that a file publishes is published.

    Where two show different values of a cell, that which is not meant counts; `meant` are the values of the
    tables unless others are given.
    """
    suppressed, values = np.ones(n, dtype=bool), np.full(n, np.nan)
    hidden, torn, besides = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool), list[str]()
    for content, form, (table, cells), name in zip(contents, forms, parts, names, strict=True):
        own = table.values if meant is None else meant[cells]
        seen = read_back(content, form, table, name, own)
        open_cells = ~seen.withheld
        wrong = open_cells & differs(seen.values, own)
        known = ~np.isnan(values[cells])
        torn[cells[open_cells & known & differs(seen.values, values[cells])]] = True
        fresh = wrong | (open_cells & ~known)
        values[cells[fresh]] = seen.values[fresh]
        suppressed[cells[open_cells]], hidden[cells[seen.withheld]] = False, True
        besides += [kind for kind in seen.besides if kind not in besides]
    if half := int((hidden & ~suppressed).sum()):
        besides.append(f"cells that one table suppresses and another shows ({half})")
    if torn.any():
        besides.append(f"cells that two tables show with different values ({int(torn.sum())})")
    return Seen(suppressed, values, tuple(besides))
