"""What all microaggregation methods share: the checks before, the proof after, the rounds in a kernel."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from tacita.core import (
    DataError,
    GroupSize,
    Ints,
    Labels,
    Mask,
    Matrix,
    ParameterError,
    Partition,
    RecordMethod,
    RunContext,
)
from tacita.core.arrays import as_matrix
from tacita.core.spec.roles import Kind

from .repair import merge_short_groups

Growth = Annotated[
    Literal["seed", "centroid"],
    Field(description="what a group grows around: its seed, as published, or its centroid so far"),
]


class Microaggregation(RecordMethod):
    """Divides records into groups of at least k. Subclasses say how, in `group`.

    A method that keeps k distinct units in a group by itself sets `unit_aware`; for the others groups that
    fall short are merged afterwards. `one_column` marks methods for a single column, `improves` those that
    can start from the groups of another. `added` names parameters that a record leaves out at their defaults,
    so that it reads as before the method had them.
    """

    kind: ClassVar[str] = "microaggregation"
    guarantees: ClassVar[tuple[str, ...]] = ("groups-of-k", "group-means")
    one_column: ClassVar[bool] = False
    improves: ClassVar[bool] = False
    by_chance: ClassVar[bool] = False
    added: ClassVar[tuple[str, ...]] = ()

    k: GroupSize = 3

    @property
    def needs_whole_file(self) -> str:
        return (
            "" if self.takes == ("numeric",) else "parts are cut along numbers, and it groups by categories"
        )

    def own_parameters(self) -> dict[str, Any]:
        usual = {name for name in self.added if getattr(self, name) == type(self).model_fields[name].default}
        return {name: value for name, value in super().own_parameters().items() if name not in usual}

    def partition(
        self,
        x: npt.ArrayLike,
        run: RunContext | None = None,
        *,
        units: npt.ArrayLike | None = None,
        start: Partition | None = None,
        kinds: Sequence[Kind] | None = None,
    ) -> Partition:
        """Group the rows of x, an (n, d) array taken as given: standardise before where scales differ.

        `units`, one whole number or text per record, names the firm or household behind it: every group then
        has records of at least k distinct ones. `start` is for methods that improve a partition. `kinds`
        says which columns are numeric, and which hold codes of ordinal or nominal categories.
        """
        matrix = as_matrix(x, self.display_name())
        n = matrix.shape[0]
        if n < self.k:
            raise DataError(
                f"{self.display_name()}: k={self.k} needs at least {self.k} records, got {n}. "
                "Lower k or merge strata."
            )
        codes = None if units is None else self._unit_codes(units, n)
        if kinds is None or all(kind == "numeric" for kind in kinds):
            labels = self._labels(matrix, codes, start, run or RunContext())
        else:
            self.check_takes_categories()
            labels = self.group_mixed(matrix, tuple(kinds), codes, run or RunContext())
        return self.proven(matrix, Partition(labels, self.k, codes), run or RunContext())

    def check_takes_categories(self) -> None:
        """Raise where this method has no distance between categories."""
        if self.takes == ("numeric",):
            raise ParameterError(
                f"{self.display_name()}: this method groups by numbers and cannot group by nominal or "
                "ordinal columns. Use the method gower, or protect numeric columns only."
            )

    def among(self, columns: Mask) -> Microaggregation:
        """The same method for some of the columns: those that records have where others are missing."""
        return self

    def group_mixed(
        self, x: Matrix, kinds: tuple[Kind, ...], units: Labels | None, run: RunContext
    ) -> Labels:
        """As `group`, for methods that take categories: columns of another kind than numeric hold codes."""
        raise NotImplementedError

    def _labels(self, x: Matrix, units: Labels | None, start: Partition | None, run: RunContext) -> Labels:
        if start is not None:
            raise ParameterError(
                f"{self.display_name()}: this method makes a partition of its own and cannot improve one. "
                "Name it first in a chain."
            )
        labels = self.group(x, units, run)
        return labels if units is None or self.unit_aware else merge_short_groups(x, labels, self.k, units)

    def _unit_codes(self, units: npt.ArrayLike, n: int) -> Ints:
        owners = np.asarray(units)
        if owners.shape != (n,):
            raise DataError(f"{self.display_name()}: wanted {n} units, one per record, got {owners.shape}.")
        if owners.dtype.kind not in "iuU":
            raise DataError(
                f"{self.display_name()}: wanted units as whole numbers or text, none missing, got an array "
                f"of type {owners.dtype}."
            )
        distinct, codes = np.unique(owners, return_inverse=True)
        if distinct.size < self.k:
            raise DataError(
                f"{self.display_name()}: k={self.k} needs records of at least {self.k} distinct units, "
                f"got {distinct.size}. Lower k or merge strata."
            )
        return codes.astype(np.int64)

    def proven(self, x: Matrix, partition: Partition, run: RunContext) -> Partition:
        """The partition with a lower bound of the squared error, where the method proves one."""
        return partition

    def sized(self, x: Matrix, run: RunContext) -> Microaggregation:
        """The method whose parameters repeat the result: itself, unless it is given a time (see `best`)."""
        return self

    @abstractmethod
    def group(self, x: Matrix, units: Labels | None, run: RunContext) -> Labels:
        """Labels of the rows of x (finite, C order, n >= k; units numbered from 0, k of them or more).

        Every group has k records or more; with units and `unit_aware`, of k distinct units or more.
        """


# Enough rounds between two looks at the clock to be fast, few enough to stop soon when cancelled.
WORK_PER_CALL = 20_000_000


def finish(
    step: Callable[[int], bool],
    work: int,
    left: Callable[[], float],
    run: RunContext,
    stage: str = "grouping records",
) -> None:
    """Call step(rounds) until it is True. work: that of a round; left(): the share of records still left."""
    done = False
    while not done:
        done = step(1 + WORK_PER_CALL // work)
        # the work left falls with the square of the records left
        run.report(stage, 1 - left() ** 2, 1)


class Given(Microaggregation):
    """Groups of a method that has run already, to publish and tell of some of its records again.

    Not in the registry: users cannot choose it. O(1).

    >>> grouped = Given.of({"k": 2}, np.array([0, 0, 1, 1]), 2)
    >>> grouped.group(np.zeros((4, 1)), None, RunContext()).tolist(), grouped.own_parameters()
    ([0, 0, 1, 1], {'k': 2})
    """

    _groups: Any = None
    _parameters: Any = None

    @classmethod
    def of(cls, parameters: Mapping[str, Any], labels: Ints, k: int) -> Given:
        """Groups by their labels, and the parameters of the method that made them."""
        made = cls(k=k)
        made._groups = labels
        made._parameters = dict(parameters)
        return made

    @property
    def labels(self) -> Labels:
        """The group of each record."""
        labels: Labels = self._groups
        return labels

    def own_parameters(self) -> dict[str, Any]:
        """Those of the method that made the groups."""
        return dict(self._parameters)

    def group(self, x: Matrix, units: Labels | None, run: RunContext) -> Labels:
        return np.asarray(self.labels, dtype=np.int64)
