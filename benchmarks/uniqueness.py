"""Counting who is alone, on all columns, pairs and triples, against a Counter of tuples."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pyarrow as pa

from tacita.core import Microdata, Roles
from tacita.microdata.statistics.sample_uniqueness import examine
from twins.uniqueness import apart

from .measuring import Result, cpu_seconds


def results() -> Iterator[Result]:
    """Twelve columns of few values; a wide file; a million records, of which fewer pairs are asked."""
    rng = np.random.default_rng(0)
    for n, columns, repeats in ((4_580, 12, 3), (100_000, 12, 1), (300, 5_000, 1), (1_000_000, 12, 1)):
        cells = {f"c{j}": rng.integers(0, 2 + 3 * (j % 12), n) for j in range(columns)}
        data = Microdata.of(pa.table({**cells, "x": rng.normal(size=n)})).with_roles(Roles(quasi="x"))
        rows = np.arange(n)
        ours = cpu_seconds(lambda d=data, r=rows: examine(d, r, d, 3), repeats)
        case = f"unique records, n={n}, {columns} columns, CPU s"
        if n * columns > 100_000:
            yield Result(case, ours, "", None)
            continue
        lists = {name: column.tolist() for name, column in cells.items()}

        def plain(lists: dict[str, list[int]] = lists) -> None:
            for size in (len(lists), 2, 3):
                for some in combinations(lists, size):
                    apart([lists[name] for name in some], 3)

        yield Result(case, ours, "Counter of tuples", cpu_seconds(plain, 1))
