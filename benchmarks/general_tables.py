"""Exact suppression in tables of any shape: processor time to a proof, and the gap where there is none.

Made-up hierarchical tables (lognormal values, a fifth of them zero and published, primaries at random, levels
of 15 %, sums may be withheld, least value), and public ones in JJ format (their own levels, bounds and costs)
where a folder `instances` is at hand: TACITA_SHARED names its parent. One core.
"""

from __future__ import annotations

import gzip
import os
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from tacita.core import Hierarchy, Problem, Table
from tacita.io.tables.argus.jj import parse_jj
from tacita.tables.suppression.optimal.connected_parts import compile_kernels
from tacita.tables.suppression.optimal.optimal import Optimal
from tacita.tables.suppression.time_limit import processor_time

from .measuring import Result

MADE: tuple[tuple[str, Problem, tuple[tuple[int, ...], ...], int, float, str], ...] = (
    ("hierarchical two-way", "interval", ((5, 5), (4, 5)), 117, 60, "proven in 5 s"),
    ("three-way", "interval", ((3, 3), (3, 3), (3,)), 30, 60, "proven in 4 s"),
    ("three-way", "interval", ((4, 4), (3, 4), (4,)), 264, 120, "gap 8 % at 120 s"),
    ("three-way", "exact", ((4, 4), (3, 4), (4,)), 264, 120, "proven in 60 s"),
)
PUBLIC = (
    ("table1", 120, "proven in 40 s"),
    ("table7", 120, "proven in 120 s"),
    ("toysarah", 120, "gap 5 % at 120 s"),
)


def tree(name: str, children: tuple[int, ...]) -> Hierarchy:
    """A hierarchy with so many children of every label, level by level."""
    parents, level = [-1], [0]
    for count in children:
        before = len(parents)
        parents += [parent for parent in level for _ in range(count)]
        level = list(range(before, len(parents)))
    return Hierarchy(name, tuple(f"{name}{place}" for place in range(len(parents))), tuple(parents))


def table(shape: tuple[tuple[int, ...], ...], primaries: int, seed: int = 0) -> Table:
    """A cross of such hierarchies."""
    generator = np.random.default_rng(seed)
    dimensions = [tree("abcd"[at], children) for at, children in enumerate(shape)]
    leaves = tuple(each.leaves.size for each in dimensions)
    values = np.round(generator.lognormal(4, 1.2, size=leaves))
    values[generator.random(leaves) < 0.2] = 0
    primary = np.zeros(values.size, dtype=bool)
    primary[generator.choice(np.flatnonzero(values.ravel() > 0), primaries, replace=False)] = True
    return Table.cross(
        dimensions, values, primary=primary.reshape(leaves), lower=15, upper=15, margins=True
    ).with_zeros("publish")


def results() -> Iterator[Result]:
    """What the issue measures."""
    compile_kernels()
    with processor_time():
        for name, problem, shape, primaries, limit, asked in MADE:
            made = table(shape, primaries)
            yield from _measured(f"{name} {made.n} / {primaries}, {problem}", made, problem, limit, asked)
        folder = Path(os.environ.get("TACITA_SHARED", "")) / "instances"
        for name, limit, asked in PUBLIC:
            if (file := folder / f"{name}.jj.gz").exists():
                public = parse_jj(gzip.decompress(file.read_bytes()).decode())
                case = f"{name} {public.n} / {int(public.primary.sum())}, interval"
                yield from _measured(case, public, "interval", limit, asked)


def _measured(case: str, table: Table, problem: Problem, limit: float, asked: str) -> Iterator[Result]:
    start = time.process_time()
    found = Optimal(seconds=limit).suppress(table, problem)
    seconds = time.process_time() - start
    yield Result(f"{case}, CPU s", seconds, "", None, asked)
    yield Result(
        f"{case}, gap %", 100 * found.gap, "", None, f"{found.lower_bound:.12g} .. {found.cost:.12g}"
    )
