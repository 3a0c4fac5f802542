"""A genetic algorithm over group labels, in one piece or block by block."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from tacita.core import Labels, Matrix, RunContext

from .brkga import CLOSE
from .mdav import MDAV
from .microaggregation_method import Microaggregation
from .neighbours import neighbours
from .repair import centroids_of

_STAGE = "evolving groups"
_PASSES = 50
_TOURNAMENT = 2


class GA(Microaggregation):
    """Evolves whole partitions: children inherit whole groups of two parents.

    A gene is the group of a record; valid are groups of k to 2k-1. The first population is MDAV's partition
    and shaken copies of it. A child takes the groups of one parent whose means lie nearer to one of two
    random records, and for all other records the groups of the other parent. Mutation sends a share of
    the records to the group of a random neighbour. Then every child is made valid (groups short of k are
    filled or dissolved, groups of 2k or more cut) and improved by moves and swaps between neighbouring
    groups while the squared error falls. Parents win a tournament of two; the best of parents and children
    stay. Never worse than MDAV.

    With more than `block` records it works in two steps: MDAV's groups are gathered in blocks of about that
    many records, by MDAV on their means; each block evolves alone, then moves and swaps run over all.

    Time O(n^2 d + generations x population x n k d), the k for the swaps a record weighs;
    memory O(n (population + d)). Random: the seed of the run decides, by default always the same.
    Source: after Solanas, Martinez-Balleste, Mateo-Sanz & Domingo-Ferrer (2006), Multivariate
    microaggregation based genetic algorithms, IEEE Conf. Intelligent Systems, 65-70 (labels as genes, the
    fixed-size split first); inheriting whole groups after Falkenauer (1996), Journal of Heuristics 2, 5-30.

    >>> x = np.array([[0.], [1.], [9.], [10.], [20.], [21.]])
    >>> GA(k=2, generations=5).partition(x).labels.tolist()
    [0, 0, 1, 1, 2, 2]
    """

    by_chance: ClassVar[bool] = True
    anytime: ClassVar[bool] = True

    population: Annotated[int, Field(ge=2, le=10_000, description="partitions per generation")] = 20
    generations: Annotated[int, Field(ge=1, le=100_000, description="most generations per block")] = 100
    patience: Annotated[
        int, Field(ge=1, description="generations without improvement after which a block is done")
    ] = 20
    mutation: Annotated[
        float, Field(ge=0, le=1, description="share of records that mutation moves, 0 to 1")
    ] = 0.01
    block: Annotated[
        int | None, Field(ge=10, description="records evolved together at most, roughly; none: all")
    ] = 2000

    def group(self, x: Matrix, units: Labels | None, run: RunContext) -> Labels:
        from tacita.kernels.records.genetic_ops import settle

        labels = MDAV(k=self.k).group(x, None, run)
        near, _ = neighbours(x, CLOSE, run)
        least = 1e-12 * float(((x - x.mean(axis=0)) ** 2).sum())
        rng = run.search_generator()
        blocks = self._blocks(x, labels, run)
        offset = 0
        evolved = np.empty_like(labels)
        for number, rows in enumerate(blocks):
            inside = x[rows]
            _, start = np.unique(labels[rows], return_inverse=True)
            close = near if len(blocks) == 1 else neighbours(inside, near.shape[1], run.silent())[0]
            best = self._evolve(inside, start.astype(np.int64), close, least, rng, run, number, len(blocks))
            evolved[rows] = best + offset
            offset += int(best.max()) + 1
        if len(blocks) > 1 and not run.should_stop():
            settle(x, evolved, near, self.k, _PASSES, least)
        run.report(_STAGE, 1, 1)
        return evolved

    def _blocks(self, x: Matrix, labels: Labels, run: RunContext) -> list[Labels]:
        """Rows evolved together: whole groups of MDAV, neighbours by MDAV on their means."""
        n = x.shape[0]
        groups = int(labels.max()) + 1
        wanted = groups if self.block is None else max(2, groups * self.block // n)
        if wanted >= groups or groups < 4:
            return [np.arange(n)]
        means, _ = centroids_of(x, labels)
        of_group = MDAV(k=wanted).group(np.ascontiguousarray(means), None, run)
        of_record = of_group[labels]
        return [np.flatnonzero(of_record == b) for b in range(int(of_group.max()) + 1)]

    def _evolve(
        self,
        x: Matrix,
        start: Labels,
        near: np.ndarray,
        least: float,
        rng: np.random.Generator,
        run: RunContext,
        number: int,
        blocks: int,
    ) -> Labels:
        from tacita.kernels.records.genetic_ops import settle

        def settled(labels: Labels) -> tuple[float, Labels]:
            return settle(x, labels, near, self.k, _PASSES, least), labels

        def shaken(labels: Labels, share: float) -> Labels:
            rows = np.flatnonzero(rng.random(len(labels)) < share)
            to = near[rows, rng.integers(near.shape[1], size=rows.size)]
            mutated = labels.copy()
            mutated[rows] = labels[to]
            return mutated

        people = [settled(start.copy())]
        while len(people) < self.population and not run.should_stop():
            people.append(settled(shaken(start, rng.uniform(0.05, 0.3))))
        idle = 0
        for generation in range(self.generations):
            run.report(_STAGE, number + generation / self.generations, blocks)
            people.sort(key=lambda one: one[0])
            if idle >= self.patience or people[0][0] <= least or run.should_stop():
                break
            before = people[0][0]
            parents = len(people)
            for _ in range(self.population):
                if run.should_stop():
                    break
                first, second = (people[rng.integers(parents, size=_TOURNAMENT).min()][1] for _ in "ab")
                people.append(settled(shaken(_crossed(x, first, second, rng), self.mutation)))
            # of equal partitions one is enough: copies would breed copies
            distinct = dict(reversed(people))
            people = sorted(distinct.items(), key=lambda one: one[0])[: self.population]
            idle = 0 if people[0][0] < before - least else idle + 1
        return people[0][1]


def _crossed(x: Matrix, first: Labels, second: Labels, rng: np.random.Generator) -> Labels:
    """The groups of `first` on one side of a random cut through space, and what is left of `second`'s."""
    here, there = x[rng.integers(len(x), size=2)]
    means, _ = centroids_of(x, first)
    nearer = ((means - here) ** 2).sum(axis=1) < ((means - there) ** 2).sum(axis=1)
    return np.where(nearer[first], first, second + len(means))
