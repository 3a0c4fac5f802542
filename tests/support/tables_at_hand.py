"""Small random tables with sensitive cells, of every shape and for every problem."""

from dataclasses import replace

import numpy as np

import tacita
from tacita.core import Contributors, Hierarchy, Table
from tacita.io.hierarchies import from_nested
from tacita.io.tables.published_table import Shown
from tacita.testing import examples

positive, firms = examples.two_way, examples.firms

PROBLEMS = ("general", "exact", "interval")
PUBLISHED = {form: tacita.get_method(f"published-{form}") for form in ("csv", "excel", "html")}
NAMES = ("square", "wide", "sparse", "margins", "nested", "cube")
# few of those that need linear programmes: they take long
SEEDS = {"square": 5, "wide": 5, "sparse": 5, "margins": 4, "nested": 2, "cube": 1}
CASES = [(name, problem, seed) for name in NAMES for problem in PROBLEMS for seed in range(SEEDS[name])]


def file_of(table, withheld, form="csv"):
    """The bytes of a published table without the cells of a pattern or mask, not audited."""
    return PUBLISHED[form].encode(Shown.of(table, withheld))


def made(name, problem, seed):
    """A table and a generator; general tables have signs nobody knows."""
    generator = np.random.default_rng([seed, NAMES.index(name), PROBLEMS.index(problem)])
    sizes = {"square": (4, 4), "wide": (3, 6), "sparse": (4, 4), "margins": (3, 3), "cube": (2, 3, 2)}
    if name == "nested":
        rows = from_nested("region", {"north": ["n1", "n2"], "south": ["s1", "s2"]})
        dimensions = [rows, Hierarchy.flat("size", ["small", "large"])]
    else:
        dimensions = [
            Hierarchy.flat(f"d{at}", [f"{at}.{place}" for place in range(size)])
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
        lower=20,
        upper=20,
        margins=name in ("margins", "nested", "cube"),
    )
    return (table.with_bounds(-np.inf, np.inf) if signed else table), generator


def counted(table, counts, holders=None):
    """The same table with a number of contributors in each inner cell, all of them different ones."""
    inner = np.asarray(counts, dtype=float)
    wide = np.column_stack([inner, inner.sum(axis=1)])
    number = np.vstack([wide, wide.sum(axis=0)]).ravel()
    largest = np.where(number == 1, np.abs(table.values), 0.0)
    whose = np.full((table.n, 1), -1) if holders is None else np.asarray(holders)[:, None]
    who = Contributors(
        np.abs(table.values), number.astype(int), largest[:, None], whose, number, np.zeros(table.n), largest
    )
    return replace(table, contributors=who)


# parameters with which each rule finds some cells of the firms sensitive, but not all
RULES = {
    "minimum-frequency": {"threshold": 4},
    "dominance": {"n": 1, "k": 60},
    "p-percent": {"p": 60},
    "pq": {"p": 60, "q": 90},
    "request": {"share": 10},
    "listed": {"cells": [("n", "large")]},
}
