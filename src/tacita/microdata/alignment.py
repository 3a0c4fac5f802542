"""Whether two files hold the same records in the same order, as far as their unchanged columns tell."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa

from tacita.core import CsvDialect, DataError, Microdata
from tacita.io.csv import cells_as_text

from .assess import usable_numbers


def refuse_other_order(before: Microdata, after: Microdata, quasi: tuple[str, ...]) -> None:
    """Raise where a column holds the same cells in another order: rows would be compared with strangers.

    O(n) where the order is the same, O(n log n) a column where cells differ.
    """
    for name in before.columns:
        if name in quasi or name not in after.columns:
            continue
        old, new = _as_text(before.frame[name]), _as_text(after.frame[name])
        if old is None or new is None or old.equals(new):
            continue
        if old.sort().equals(new.sort()):
            raise DataError(
                f"{after.source}: column {name} holds the cells of the original in another order, so the "
                "records do not line up. Assess the release before shuffling it, or sort both alike."
            )


def _as_text(series: nw.Series[Any]) -> pa.Array | None:
    """Cells as text, or None where they have none: such a column cannot tell."""
    try:
        cells = series.to_arrow()
    except (pa.ArrowException, TypeError):
        return None
    try:
        return cells_as_text(cells, CsvDialect()).combine_chunks()
    except DataError:
        return None


def same_numbers(before: Microdata, after: Microdata, name: str) -> bool:
    """Whether a numeric column is the same in both files."""
    old, new = usable_numbers(before, name), usable_numbers(after, name)
    return old is not None and new is not None and np.array_equal(old, new)
