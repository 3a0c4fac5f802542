"""Small lattices over records drawn at random, and the plain way to their best node."""

from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import get_args

import numpy as np

from tacita.core import Hierarchy
from tacita.microdata.methods.generalisation.key_hierarchies import Keys, Ladder, Population
from tacita.microdata.methods.generalisation.quality import Aggregate, Quality, QualityName
from tacita.microdata.methods.generalisation.search import less

DEEP = Hierarchy("deep", ("a", "b", "c", "d", "e", "ab", "cd", "abcd", "*"), (5, 5, 6, 6, 8, 7, 7, 8, -1))
# in place of a file
PEOPLE = Path("people.csv")


def keys_at(seed, n=90, units=False):
    generator = np.random.default_rng(seed)
    flat = Hierarchy.flat("flat", ["1", "2", "3"], "*")
    ladders = (Ladder.of(DEEP, False), Ladder.of(flat, True), Ladder.of(replace(DEEP, name="deeper"), False))
    leaves = np.array([generator.choice(size, n, p=None) for size in (5, 4, 5)], dtype=np.int64)
    leaves[2] = np.minimum(leaves[2], leaves[0])
    tree = Hierarchy("s", ("0", "1", "2", "3", "low", "high", "*"), (4, 4, 5, 5, 6, 6, -1)).levels
    values = np.concatenate([np.arange(4), generator.choice(4, n - 4, p=[0.4, 0.3, 0.2, 0.1])])
    return Keys(
        ladders,
        leaves,
        np.zeros(n, dtype=np.int64),
        np.arange(n) // 2 if units else None,
        {"s": values.astype(np.int64)},
        {"s": np.arange(4)},
        {"s": tree},
        weighing={"w": generator.uniform(1, 4, n)},
        populations={PEOPLE: people_at(generator, leaves)},
    )


def people_at(generator, leaves):
    """The records among twice as many others, of whom some have a value of the second key that none has."""
    others = np.array([generator.choice(size, 2 * leaves.shape[1]) for size in (5, 5, 5)])
    both, counts = np.unique(np.hstack([leaves, others]), axis=1, return_counts=True)
    return Population(both, np.zeros(counts.size, dtype=np.int64), counts)


def by_looking_at_all(lattice, quality):
    best = None
    for node in product(*(range(size) for size in lattice.shape)):
        checked = lattice.check(node, lattice.every)
        if checked.suppressed > lattice.most or not checked.permitted:
            continue
        score = quality.score(lattice, checked)[0]
        if best is None or less(score[None], best)[0]:
            best = score
    return best


QUALITIES = [Quality(name) for name in get_args(QualityName)]
QUALITIES += [Quality("loss", each) for each in get_args(Aggregate)]
QUALITIES += [Quality("loss", "rank", {"deep": 3.0}, 0.2), Quality("loss", "mean", {"flat": 2.0}, 0.8)]
