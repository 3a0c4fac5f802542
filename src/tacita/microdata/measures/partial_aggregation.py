"""Figures of a file out of partial statistics of its parts, in one pass over the parts or in several.

A file in memory is one part and a file beyond memory has many: both take the same path.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from tacita.core import Comparison, RunContext


@dataclass(frozen=True, eq=False)
class Part:
    """Records before and after, the number of the part that they are, and whether they are all."""

    pair: Comparison
    number: int
    run: RunContext
    alone: bool


class PartialStatistic(ABC):
    """A statistic of a part of the records. Equal statistics are computed once."""

    @abstractmethod
    def compute(self, part: Part) -> Any:
        """The statistic of a part, which has at least one record."""


Reduced = TypeVar("Reduced")
Key = TypeVar("Key")
# Yields statistics one by one, is sent the values of each in all parts, in their order, and returns the
# figure.
Reduction = Generator[PartialStatistic, Sequence[Any], Reduced]


def reduce_in_memory(reduction: Reduction[Reduced], pair: Comparison, run: RunContext) -> Reduced:
    """Run a reduction on records that are all in memory; the comparison remembers its statistics.

    >>> from tacita.microdata.measures.moments import spreads
    >>> pair = Comparison.of([[1.0], [3.0]], [[2.0], [2.0]])
    >>> reduce_in_memory(spreads(1), pair, RunContext()).scale.tolist()
    [1.4142135623730951]
    """
    part = Part(pair, 0, run, alone=True)

    def evaluate(statistics: Sequence[PartialStatistic]) -> list[Sequence[Any]]:
        return [(pair.remember(statistic, partial(statistic.compute, part)),) for statistic in statistics]

    return reduce_all({0: reduction}, evaluate)[0]


def reduce_all(
    reductions: Mapping[Key, Reduction[Reduced]],
    evaluate: Callable[[Sequence[PartialStatistic]], Sequence[Sequence[Any]]],
) -> dict[Key, Reduced]:
    """Run several reductions side by side: the statistics that they wait for are evaluated in one batch.

    `evaluate` returns, for each statistic, its values in all parts. No statistic is evaluated twice.
    """
    known: dict[PartialStatistic, Sequence[Any]] = {}
    reduced: dict[Key, Reduced] = {}
    waiting: dict[Key, PartialStatistic | None] = dict.fromkeys(reductions)
    while waiting:
        for key, statistic in list(waiting.items()):
            try:
                values = None if statistic is None else known[statistic]
                waiting[key] = reductions[key].send(values)  # type: ignore[arg-type]
            except StopIteration as end:
                reduced[key] = end.value
                del waiting[key]
        new = [
            statistic
            for statistic in dict.fromkeys(waiting.values())
            if statistic is not None and statistic not in known
        ]
        known.update(zip(new, evaluate(new) if new else (), strict=True))
    return {key: reduced[key] for key in reductions}
