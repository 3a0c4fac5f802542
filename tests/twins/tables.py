"""Random tables for the tests of suppression."""

from dataclasses import dataclass, replace

import numpy as np

from tacita.core import Table
from tacita.tables.suppression.optimal.two_way_grid import Grid, grid_of


@dataclass(frozen=True, eq=False)
class Asked(Grid):
    """A table as its network sees it, and the table."""

    table: Table | None = None

    def priced(self, cost):
        """The same at other costs, laid out as the grid is."""
        return of_table(self.table.with_cost(cost.ravel()), self.problem)


def of_table(table, problem):
    return Asked(**vars(grid_of(table, problem)), table=table)


def asked(
    values, primary, problem="general", *, cost="value", lower=15.0, upper=15.0, sliding=0.0, margins=False,
    zeros=None, allowed=None, low=None, high=None,
):  # fmt: skip
    """A table from inner cells; zeros cost 1, and are published unless the problem is exact."""
    full = Table.from_array(values).values.reshape(np.array(np.shape(values)) + 1)
    may = np.full(full.shape, margins)
    may[:-1, :-1] = True if allowed is None else allowed
    if (zeros or ("withhold" if problem == "exact" else "publish")) == "publish":
        may &= full != 0
    may[:-1, :-1] |= primary
    free = problem == "general"
    table = Table.from_array(
        values,
        primary=primary,
        lower=lower,
        upper=upper,
        sliding=sliding,
        cost=np.where(full == 0, 1.0, np.abs(full)) if cost == "value" else cost,
        bounds=(
            (-np.inf if free else 0.0) if low is None else low,
            np.inf if high is None else high,
        ),
        margins=True,
        forced=~may,
    )
    return of_table(table, problem)


def pattern_of(method, grid, run=None):
    """The pattern of a method, laid out as the grid is."""
    found = method.suppress(grid.table, grid.problem, run)
    shape = grid.values.shape
    return replace(found, withheld=found.withheld.reshape(shape), primary=found.primary.reshape(shape))


def random_grid(seed, problem, shape=None, primaries=None, largest=20, **options):
    """A small table with zeros, ties and primaries among all cells; the least options are drawn too."""
    generator = np.random.default_rng(seed)
    shape = shape or [(2, 2), (2, 3), (3, 3), (3, 4), (2, 5), (4, 3)][generator.integers(6)]
    values = generator.integers(0, largest, size=shape).astype(float)
    count = primaries or int(generator.integers(1, 4))
    primary = np.zeros(values.size, dtype=bool)
    pool = np.arange(values.size) if problem != "interval" else np.flatnonzero(values.ravel() > 0)
    primary[generator.choice(pool, min(count, len(pool)), replace=False)] = True
    primary = primary.reshape(shape)
    if problem == "general":
        values *= generator.choice([-1, 1], size=shape)
    options.setdefault("cost", ["value", "count"][generator.integers(2)])
    options.setdefault("lower", float(generator.choice([15, 50])))
    options.setdefault("upper", float(generator.choice([15, 50])))
    options.setdefault("zeros", "withhold" if generator.random() < 0.5 else None)
    # the corner of small tables stays within 12 free cells with their margins
    options.setdefault("margins", shape in ((2, 2), (2, 3)) and generator.random() < 0.5)
    return asked(values, primary, problem, **options)
