"""Made-up households in regions of three levels, and figures of other tools where they are at hand."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

REGIONS = ["nuts1", "nuts2", "nuts3"]


def persons(households: int = 300, seed: int = 0, areas: int = 12) -> pa.Table:
    """Persons of households of one to four, in regions from coarse to fine; some have no education."""
    rng = np.random.default_rng(seed)
    household = np.repeat(np.arange(households), rng.integers(1, 5, households))
    n = household.size
    area = rng.integers(0, areas, households)[household]
    return pa.table(
        {
            "household": [f"h{each}" for each in household],
            "nuts1": [f"A{each // 6}" for each in area],
            "nuts2": [f"B{each // 3}" for each in area],
            "nuts3": [f"C{each}" for each in area],
            "sex": rng.choice(["f", "m"], n),
            "age": rng.integers(0, 6, n),
            "education": pa.array(rng.choice(["none", "low", "high"], n), mask=rng.random(n) < 0.1),
            "half": [f"half {each % 2}" for each in household],
            "income": rng.lognormal(7, 1, n),
        }
    )


def sdcmicro() -> dict:
    """The figures of sdcMicro in the folder that TACITA_SHARED names; skips where they are not."""
    folder = os.environ.get("TACITA_SHARED")
    path = Path(folder or "") / "reference" / "r" / "A_sdcmicro" / "misc.json"
    if not folder or not path.exists():
        pytest.skip("the reference figures of sdcMicro are not here: TACITA_SHARED names no folder with them")
    return json.loads(path.read_text())
