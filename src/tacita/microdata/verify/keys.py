"""How many records, and how many units, share their keys in a file as it stands."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacita.core import Ints, Microdata
from tacita.core.release import Claim

from .evidence import Evidence, distinct, one_each


def sharing(released: Microdata, keys: Sequence[str]) -> Ints:
    """The class of each record: records that show the same in all keys, missing cells as one value."""
    nothing = np.zeros(0, dtype=np.int64)
    evidence = Evidence(released, Claim(released, nothing, None, None, ()))
    return distinct(*(evidence.spelling(name) for name in keys))


def short_of(classes: Ints, k: int, units: Ints | None) -> tuple[int, int]:
    """Records whose class has fewer than k records, or than k units where there are any; and the fewest."""
    chosen = classes if units is None else classes[np.unique(distinct(classes, units), return_index=True)[1]]
    own = np.bincount(chosen)[classes]
    return int((own < k).sum()), int(own.min(initial=k))


def units_in(data: Microdata, unit: str) -> Ints:
    """The unit of each record, however it is spelled."""
    return one_each(data, unit)
