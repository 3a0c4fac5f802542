"""Groups of numbers and categories by Gower's distance, against its plain twin."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import tacita
from tacita.core import Floats
from tacita.core.spec.roles import Kind
from twins.gower import gower_mdav

from .measuring import Result, cpu_seconds

_KINDS: list[Kind] = ["numeric"] * 6 + ["nominal"] * 2 + ["ordinal"] * 2


def results() -> Iterator[Result]:
    """Six numbers and four categories, k = 3: 600 records beside the twin, and 20 000 as asked."""
    method = tacita.get_method("gower", k=3)
    small, large = _records(600), _records(20_000)
    yield Result(
        "gower n=600 6+4 k=3, CPU s",
        cpu_seconds(lambda: method.partition(small, kinds=_KINDS)),
        "plain numpy twin",
        cpu_seconds(lambda: gower_mdav(small, 3, _KINDS), 1),
    )
    seconds = cpu_seconds(lambda: method.partition(large, kinds=_KINDS), 1)
    yield Result("gower n=20000 6+4 k=3, CPU s", seconds, "", None, "30 CPU s")


def _records(n: int) -> Floats:
    rng = np.random.default_rng(0)
    return np.column_stack([rng.normal(size=(n, 6)), rng.integers(0, 8, (n, 4))])
