"""Small random tables with sensitive cells, of every shape and for every problem."""

import numpy as np

from tacita.core import Dimension, Table
from tacita.tables.hierarchy import from_nested

PROBLEMS = ("general", "exact", "interval")
NAMES = ("square", "wide", "sparse", "margins", "nested", "cube")
# few of those that need linear programmes: they take long
SEEDS = {"square": 5, "wide": 5, "sparse": 5, "margins": 4, "nested": 2, "cube": 1}
CASES = [(name, problem, seed) for name in NAMES for problem in PROBLEMS for seed in range(SEEDS[name])]


def made(name, problem, seed):
    """A table and a generator; general tables have signs nobody knows."""
    generator = np.random.default_rng([seed, NAMES.index(name), PROBLEMS.index(problem)])
    sizes = {"square": (4, 4), "wide": (3, 6), "sparse": (4, 4), "margins": (3, 3), "cube": (2, 3, 2)}
    if name == "nested":
        rows = from_nested("region", {"north": ["n1", "n2"], "south": ["s1", "s2"]})
        dimensions = [rows, Dimension.flat("size", ["small", "large"])]
    else:
        dimensions = [
            Dimension.flat(f"d{at}", [f"{at}.{place}" for place in range(size)])
            for at, size in enumerate(sizes[name])
        ]
    inner = generator.integers(1, 50, size=[d.leaves.size for d in dimensions]).astype(float)
    if name == "sparse":
        inner[generator.random(inner.shape) < 0.35] = 0
    signed = problem == "general" and name != "sparse"
    if signed:
        inner *= generator.choice([-1, 1], size=inner.shape)
    primary = np.zeros(inner.size, dtype=bool)
    primary[generator.choice(inner.size, 2, replace=False)] = True
    table = Table.cross(
        dimensions,
        inner,
        primary=primary.reshape(inner.shape),
        lower=0.2,
        upper=0.2,
        margins=name in ("margins", "nested", "cube"),
    )
    return (table.with_bounds(-np.inf, np.inf) if signed else table), generator
