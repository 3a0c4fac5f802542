"""Keys of cells in a list, as columns beside the values: what noise hangs on. Confidential."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from tacita.core import CellKeys, DataError, Hierarchy
from tacita.core.arrays import Floats, Ints
from tacita.core.data.cell_keys import sums_of_keys
from tacita.core.data.cell_layout import sums_of_leaves

from .contributor_columns import CELL_KEY

_RECORDS, _LARGEST = "cell_records", "cell_largest"


def columns_of_keys(keys: CellKeys) -> dict[str, Floats | Ints]:
    """The columns of a list that hold the keys of its cells."""
    return {CELL_KEY: keys.key, _RECORDS: keys.count, _LARGEST: keys.largest}


def kept_keys(
    columns: Sequence[str],
    column: str,
    laid_out: Callable[..., Floats],
    values: Floats,
    inner: Sequence[Hierarchy] | None,
) -> CellKeys:
    """The same again. Of another list, keys of inner cells are enough: sums have theirs from their parts.

    How many records are behind a cell is its value there, and the largest contribution is not known. `inner`
    are the dimensions where no sums are listed.
    """
    key = laid_out(column)
    if bad := int(((key < 0) | (key >= 1)).sum()):
        raise DataError(
            f"Keys: column {column} wants keys from 0 up to, but not including, 1; {bad} are not."
        )
    own = column == CELL_KEY and inner is None and {_RECORDS, _LARGEST} <= set(columns)
    if own:
        count, largest = laid_out(_RECORDS, 0.0), laid_out(_LARGEST, 0.0)
    else:
        count, largest = np.where(values > 0, values, 0.0), np.zeros_like(values)
    if odd := int((count != np.rint(count)).sum()):
        raise DataError(f"Keys: wanted whole numbers of records behind cells, {odd} are not.")
    if inner is not None:
        key = sums_of_keys(inner, np.where(values == 0, 0.0, key))
        count, largest = (sums_of_leaves(inner, each) for each in (count, largest))
    return CellKeys(key.ravel(), count.ravel().astype(np.int64), largest.ravel())
