"""Columns that agreed within every unit and no longer do."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tacita.core import Caution, Ints
from tacita.microdata.protection.steps import Made


def no_longer_alike(made: Made) -> Iterator[Caution]:
    """Members of one household in two regions: nobody asked for it, and everybody sees it. O(n log n)."""
    source, rows = made.claim.original, made.claim.rows
    unit = source.roles.unit if source.roles else None
    if unit is None:
        return
    units = source.alike(unit).codes[rows]
    if np.bincount(units).max() < 2:
        return
    for name in source.quasi:
        if _apart(units, source.codes([name])[rows]):
            continue
        broken = _apart(units, made.data.codes([name]))
        if broken:
            yield Caution(
                "unit-broken-up",
                f"Column {name} agreed within every unit of {unit}, and differs within these in the release.",
                broken,
                "Name it under unit_columns: it is then protected once a unit, and still agrees.",
            )


def _apart(units: Ints, values: Ints) -> int:
    """Units whose records do not agree."""
    pairs = np.unique(np.column_stack([units, values]), axis=0)
    return int((np.bincount(pairs[:, 0]) > 1).sum())
