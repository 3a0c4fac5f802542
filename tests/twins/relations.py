"""Plain twins for tables of any shape: the attacker by linear programmes, and exhaustive search."""

import itertools
from dataclasses import replace

import numpy as np
from scipy.optimize import linprog

from tacita.core import Hierarchy, Relations, Table

# Far enough for any level, near enough for the solver.
FAR = 1e5


def matrix(table):
    """M, dense."""
    rows = np.zeros((len(table.relations), table.n))
    rows[table.relations.rows, table.relations.cells] = table.relations.signs
    return rows


def change_range(table, problem, withheld, cell):
    """How far a withheld cell can fall and rise while published cells stay and sums hold."""
    free = np.flatnonzero(withheld)
    low, high = (table.low - table.values)[free], (table.high - table.values)[free]
    if problem == "general":
        low, high = np.full(free.size, -FAR), np.full(free.size, FAR)
    elif problem == "exact":
        low, high = np.where(low < 0, -FAR, 0.0), np.where(high > 0, FAR, 0.0)
    bounds = np.column_stack([np.maximum(low, -FAR), np.minimum(high, FAR)])
    rows = matrix(table)[:, free]
    aim = (free == cell).astype(float)
    ends = []
    for sign in (1, -1):
        found = linprog(sign * aim, A_eq=rows, b_eq=np.zeros(len(rows)), bounds=bounds, method="highs")
        assert found.status == 0
        ends.append(sign * found.fun)
    return ends


def protects(table, problem, withheld):
    """Whether every primary is protected, by two linear programmes each."""
    low, high, width = table.needed()
    for cell in np.flatnonzero(table.primary):
        fall, rise = change_range(table, problem, withheld, cell)
        if problem == "interval":
            value = table.values[cell]
            short = (value + fall - low[cell], high[cell] - value - rise, width[cell] - (rise - fall))
            if max(short) > 1e-6:
                return False
        elif rise - fall < 1e-3:
            return False
    return True


def nothing_cheaper(table, problem, cost):
    """Whether no pattern below `cost` protects: all largest sets of free cells under it are tried."""
    free = np.flatnonzero(~table.forced & ~table.primary)
    prices = table.cost[free]
    bits = np.array(list(itertools.product((False, True), repeat=len(free))), dtype=bool)
    totals = bits @ prices
    below = totals < cost - 1e-9
    # a set to which a cell can be added at no more than the cost is part of one that is tried
    largest = ~((totals[:, None] + prices < cost - 1e-9) & ~bits).any(axis=1)
    rows = matrix(table) != 0
    lone = table.primary[None, :] & rows
    for taken in bits[below & largest]:
        withheld = table.primary.copy()
        withheld[free[taken]] = True
        # the only withheld cell of a relation is a mere difference
        if (lone.any(axis=1) & ((rows & withheld).sum(axis=1) == 1)).any():
            continue
        if protects(table, problem, withheld):
            return False
    return True


REGION = Hierarchy("region", ("R", "R1", "R2", "a", "b", "c", "d"), (-1, 0, 0, 1, 1, 2, 2))
SHAPES = {
    "hierarchical": (REGION, Hierarchy.flat("column", ["x", "y"])),
    "three-way": tuple(Hierarchy.flat(name, ["1", "2"]) for name in "rst"),
    "deep": (Hierarchy("one", ("T", "A", "B", "a", "b", "c", "d", "e"), (-1, 0, 0, 1, 1, 1, 2, 2)),),
}


def random_table(seed, shape, problem, free=11, **levels):
    """A small table with zeros, ties and a few primaries; `free` cells besides may be withheld at most."""
    generator = np.random.default_rng([seed, 77])
    made = linked(generator) if shape == "linked" else crossed(generator, SHAPES[shape])
    if problem == "general":
        signs = generator.choice([-1.0, 1.0], size=made.n)
        # sums of other signs would no longer add up: only inner cells have them
        made = made if shape == "linked" else crossed(generator, SHAPES[shape], signs)
        made = made.with_bounds(-np.inf, np.inf)
    able = (made.values > 0) | (problem != "interval")
    pool = np.flatnonzero(able & made.inner if shape == "three-way" and seed % 4 else able)
    primary = np.zeros(made.n, dtype=bool)
    primary[generator.choice(pool, min(len(pool), int(generator.integers(1, 4))), replace=False)] = True
    given = {name: float(generator.choice([10, 40])) for name in ("lower", "upper")} | levels
    made = made.with_primary(primary, **given) if problem == "interval" else made.with_primary(primary)
    price = "count" if generator.random() < 0.4 else np.where(made.values == 0, 1.0, np.abs(made.values))
    made = made.with_cost(np.ones(made.n) if isinstance(price, str) else price)
    # cells near a primary stay free, for far ones alone seldom protect it
    rows = (matrix(made) != 0).astype(float)
    near = rows.T @ (rows @ made.primary)
    far = -near - rows.T @ (rows @ (near > 0)) / 10 + generator.random(made.n)
    if shape in SHAPES:
        # in three dimensions a cube is the least that protects
        far -= (20.0 if shape == "three-way" else 2.0) * made.inner
    others = np.flatnonzero(~made.primary)[np.argsort(far[~made.primary])]
    forced = np.zeros(made.n, dtype=bool)
    forced[others[free:]] = True
    return replace(made, forced=forced)


def crossed(generator, dimensions, signs=None):
    leaves = tuple(d.leaves.size for d in dimensions)
    values = generator.integers(0, 20, size=leaves).astype(float)
    # a few zeros are enough
    values[(values == 0) & (generator.random(leaves) < 0.5)] = 7.0
    if signs is not None:
        values *= signs[: values.size].reshape(leaves)
    return Table.cross(dimensions, values, margins=True)


def linked(generator):
    """Two two-way tables with a common margin: rows by columns, and rows by sizes, cells without labels."""
    one, two = (generator.integers(1, 20, size=(2, 2)).astype(float) for _ in range(2))
    two[:, 1] = np.maximum(one.sum(axis=1) - two[:, 0], 0.0)
    two[:, 0] = one.sum(axis=1) - two[:, 1]
    # cells: 0-3 one, 4-7 two, 8-9 row sums, 10-11 columns of one, 12-13 of two, 14 the total
    values = np.concatenate(
        [one.ravel(), two.ravel(), one.sum(axis=1), one.sum(axis=0), two.sum(axis=0), [one.sum()]]
    )
    lines = [
        *(([2 * i, 2 * i + 1, 8 + i], [1, 1, -1]) for i in range(2)),
        *(([4 + 2 * i, 5 + 2 * i, 8 + i], [1, 1, -1]) for i in range(2)),
        *(([i, 2 + i, 10 + i], [1, 1, -1]) for i in range(2)),
        *(([4 + i, 6 + i, 12 + i], [1, 1, -1]) for i in range(2)),
        ([8, 9, 14], [1, 1, -1]),
        ([10, 11, 14], [1, 1, -1]),
        ([12, 13, 14], [1, 1, -1]),
    ]
    return of_relations(values, Relations.of(lines))


def of_relations(values, relations):
    """Cells without labels, tied by relations alone."""
    n, nought = len(values), np.zeros(len(values))
    return Table(
        dimensions=(Hierarchy.flat("cell", [str(cell) for cell in range(n)]),),
        codes=np.arange(n)[:, None],
        values=np.asarray(values, dtype=float),
        relations=relations,
        primary=np.zeros(n, dtype=bool),
        lower=nought.copy(),
        upper=nought.copy(),
        sliding=nought.copy(),
        low=nought.copy(),
        high=np.full(n, np.inf),
        cost=np.abs(np.asarray(values, dtype=float)),
        forced=np.zeros(n, dtype=bool),
    )
