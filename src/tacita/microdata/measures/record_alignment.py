"""Whether two files hold the same records in the same order, as far as their unchanged columns tell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa

from tacita.core import CsvDialect, DataError, Matrix, Microdata
from tacita.core.spec.roles import KINDS, Kind, Roles
from tacita.io.formats.csv import cells_as_text

from .evaluate import usable_numbers


def check_record_order(before: Microdata, after: Microdata, quasi: tuple[str, ...]) -> None:
    """Raise where a column holds the same cells in another order: rows would be compared with strangers.

    O(n) where the order is the same, O(n log n) a column where cells differ.
    """
    for name in before.columns:
        if name in quasi or name not in after.columns:
            continue
        old, new = _as_text(before.column(name)), _as_text(after.column(name))
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


@dataclass(frozen=True, repr=False)
class Aligned:
    """The protected columns of two files: numbers, or codes that mean the same category on both sides.

    `texts` has the categories of a column in the order of their codes.
    """

    before: Matrix
    after: Matrix
    kinds: tuple[Kind, ...]
    texts: Mapping[str, tuple[str, ...]]


def aligned(before: Microdata, after: Microdata) -> Aligned:
    """Both files by the roles of the first; records need not stand in one order. O(n d)."""
    roles = before.roles
    assert roles is not None
    after = after.with_roles(roles.model_copy(update=_KEPT_ROLES))
    x, z = before.coded(before.quasi), after.coded(before.quasi)
    texts: dict[str, tuple[str, ...]] = {}
    for j, name in enumerate(before.quasi):
        if before.scale(name) == "numeric":
            continue
        old, new = before.levels(name).keys, after.levels(name).keys
        if set(new) <= set(old):
            both = list(old)
        elif before.scale(name) == "nominal" or not isinstance(new[0], str):
            both = sorted({*old, *new}, key=lambda key: (isinstance(key, str), key))
        else:
            raise DataError(
                f"{after.source}: column {name} has levels that the order of the original does not know. "
                "Declare the order of all levels."
            )
        place = {key: float(i) for i, key in enumerate(both)}
        for codes, keys in ((x, old), (z, new)):
            known = ~np.isnan(codes[:, j])
            places = np.array([place[key] for key in keys])
            codes[known, j] = places[codes[known, j].astype(np.int64)]
        texts[name] = tuple(key if isinstance(key, str) else f"{key:.15g}" for key in both)
    return Aligned(x, z, before.scales, texts)


# Roles that say what is compared. A release may not have the columns of the others any more.
_COMPARED = ("quasi", "dependent", *KINDS, "hierarchy")
_KEPT_ROLES = {
    role: field.get_default(call_default_factory=True)
    for role, field in Roles.model_fields.items()
    if role not in _COMPARED
}
