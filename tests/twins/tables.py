"""Random tables for the tests of suppression."""

import numpy as np

from tacita.tables.suppression.twoway.grid import Grid


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
    return Grid.from_interior(values, primary, problem, **options)
