"""Methods that start from a partition and lower its error, and several methods in a row."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from tacita.core import DataError, Labels, Matrix, ParameterError, Partition, RunContext

from .mdav import MDAV
from .microaggregation_method import Microaggregation
from .repair import merge_short_groups

START = "where to start if no partition is given"


class Improvement(Microaggregation):
    """Lowers the squared error of a partition. Subclasses say how, in `improve`; a better start is kept.

    `of_start` names parameters that say where to start, and nothing where a partition is given.
    """

    anytime: ClassVar[bool] = True
    improves: ClassVar[bool] = True
    of_start: ClassVar[tuple[str, ...]] = ()

    def _labels(self, x: Matrix, units: Labels | None, start: Partition | None, run: RunContext) -> Labels:
        if start is not None and (start.n != x.shape[0] or start.sizes.min() < self.k):
            raise DataError(
                f"{self.display_name()}: wanted a start partition of {x.shape[0]} records in groups of at "
                f"least {self.k}, got {start.n} records in groups of at least {int(start.sizes.min())}."
            )
        before = self.group(x, units, run) if start is None else start.labels
        after = self.improve(x, before, units, run)
        if units is not None:
            # a start made without units may fall short of them too
            before, after = (merge_short_groups(x, labels, self.k, units) for labels in (before, after))
        return min(after, before, key=lambda labels: Partition(labels, 1).sse(x))

    def group(self, x: Matrix, units: Labels | None, run: RunContext) -> Labels:
        """The start partition, if none is given: MDAV's."""
        return MDAV(k=self.k).group(x, units, run)

    @abstractmethod
    def improve(self, x: Matrix, labels: Labels, units: Labels | None, run: RunContext) -> Labels:
        """Labels in groups of at least k, from labels that are."""


class Chain(Microaggregation):
    """Runs its methods in turn: the first makes a partition, each other one improves it.

    >>> import numpy as np
    >>> from .mdav import MDAV
    >>> Chain.of([MDAV(k=2)]).partition(np.array([[0.0], [1.0], [9.0], [10.0]])).labels.tolist()
    [0, 0, 1, 1]
    """

    methods: tuple[Microaggregation, ...]

    @classmethod
    def of(cls, methods: Sequence[Microaggregation]) -> Chain:
        """A chain whose members agree on k, and all but the first of which improve."""
        sizes = {method.k for method in methods}
        if len(sizes) != 1:
            raise ParameterError(f"Chain: all methods need the same k, got {sorted(sizes)}.")
        for method in methods[1:]:
            if not isinstance(method, Improvement):
                raise ParameterError(
                    f"Chain: {method.display_name()} makes a partition of its own and cannot improve one. "
                    "Name it first."
                )
            for name in method.of_start:
                usual = type(method).model_fields[name].default
                if getattr(method, name) != usual and name not in type(methods[0]).model_fields:
                    who = method.display_name()
                    raise ParameterError(
                        f"Chain: {name} says where {who} starts, which here is the partition of "
                        f"{methods[0].display_name()}. Leave {name} out, or name {who} alone."
                    )
        return cls(k=methods[0].k, methods=tuple(methods))

    def group(self, x: Matrix, units: Labels | None, run: RunContext) -> Labels:
        return self._labels(x, units, None, run)

    def _labels(self, x: Matrix, units: Labels | None, start: Partition | None, run: RunContext) -> Labels:
        partition = start
        for method in self.methods:
            partition = method.partition(x, run, units=units, start=partition)
        assert partition is not None
        return partition.labels if units is None else merge_short_groups(x, partition.labels, self.k, units)

    @property
    def needs_whole_file(self) -> str:
        return next((why for method in self.methods if (why := method.needs_whole_file)), "")

    @property
    def reads(self) -> tuple[str, ...]:
        return self.methods[0].reads

    def promised_of_read(self, names: Iterable[str]) -> tuple[str, ...]:
        return self.methods[0].promised_of_read(names)

    def proven(self, x: Matrix, partition: Partition, run: RunContext) -> Partition:
        return self.methods[-1].proven(x, partition, run)

    def sized(self, x: Matrix, run: RunContext) -> Chain:
        return Chain(k=self.k, methods=tuple(method.sized(x, run) for method in self.methods))

    def own_parameters(self) -> dict[str, Any]:
        return {name: value for method in self.methods for name, value in method.own_parameters().items()}
