"""How many records, and how many units, share their keys in a file as it stands."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacita.core import Ints, Microdata
from tacita.core.release import Claim

from .evidence import Evidence, distinct, sizes


def sharing(released: Microdata, keys: Sequence[str]) -> Ints:
    """The class of each record: records that show the same in all keys, missing cells as one value.

    Where a file tells why a value is missing, records of different reasons show something else.
    """
    nothing = np.zeros(0, dtype=np.int64)
    evidence = Evidence(released, Claim(released, nothing, None, None, ()))
    notes = [] if released.notes is None else [released.notes.of(name).kinds for name in keys]
    reasons = [kinds for kinds in notes if kinds is not None]
    return distinct(*(evidence.spelling(name) for name in keys), *reasons)


def short_of(classes: Ints, k: int, units: Ints | None) -> tuple[int, int]:
    """Records whose class has fewer than k records, or than k units where there are any; and the fewest."""
    own = sizes(classes, units)[classes]
    return int((own < k).sum()), int(own.min(initial=k))
