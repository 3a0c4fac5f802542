"""Hierarchies of labels, for dimensions of tables and for recoding values of records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tacita.core.arrays import Floats, Ints, Mask
from tacita.core.errors import DataError

# The most steps from a leaf to the top. Classifications have about ten, digits of codes about twenty.
MOST_STEPS = 250


@dataclass(frozen=True)
class Hierarchy:
    """Labels and the index of the parent of each; -1 for the top, of which there is one.

    A label without children is a leaf; in a table the value of any other is the sum of its children's. For
    recoding, level 0 shows every leaf as itself and the last level only the top. `replaced_from` has for each
    label the level from which its parent stands in its place; if not given, the lowest that suits all under
    that parent. O(labels).

    >>> region = Hierarchy.flat("region", ["north", "south"])
    >>> region.labels, region.parents, region.leaves.tolist()
    (('north', 'south', 'Total'), (2, 2, -1), [0, 1])
    >>> region.relabelled(1)
    {'north': 'Total', 'south': 'Total'}
    """

    name: str
    labels: tuple[str, ...]
    parents: tuple[int, ...]
    replaced_from: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        n = len(self.labels)
        subject = f"Hierarchy {self.name}"
        if n == 0 or len(self.parents) != n:
            raise DataError(
                f"{subject}: wanted labels with one parent each, got {n} and {len(self.parents)}."
            )
        if repeated := n - len(set(self.labels)):
            raise DataError(f"{subject}: {repeated} labels occur twice. Make the labels unique.")
        if any(not isinstance(label, str) or not label for label in self.labels):
            raise DataError(f"{subject}: wanted labels of text, none empty.")
        if self.parents.count(-1) != 1 or any(not -1 <= parent < n for parent in self.parents):
            raise DataError(f"{subject}: wanted one label without a parent, the total, got others.")
        if (self.depths < 0).any():
            if not self._ends():
                raise DataError(f"{subject}: some labels are their own ancestors. Check the parents.")
            check_step_count(self.name, MOST_STEPS + 1)
        if self.replaced_from and not self._rises():
            raise DataError(f"{subject}: wanted levels that rise from every label to the one above it.")

    @classmethod
    def flat(cls, name: str, labels: Sequence[str], total: str = "Total") -> Hierarchy:
        """Labels side by side under a total, which comes last."""
        if total in labels:
            raise DataError(
                f"Hierarchy {name}: the label {total} is reserved for the total. Rename it, or the total."
            )
        return cls(name, (*labels, total), (len(labels),) * len(labels) + (-1,))

    def __len__(self) -> int:
        return len(self.labels)

    @cached_property
    def top(self) -> int:
        """Index of the top label."""
        return self.parents.index(-1)

    @cached_property
    def depths(self) -> Ints:
        """Steps from each label up to the top; -1 if there are too many, or no top."""
        parents = np.array(self.parents, dtype=np.int64)
        depths = np.zeros(len(self), dtype=np.int64)
        reached = parents.copy()
        for _ in range(MOST_STEPS):
            inside = reached >= 0
            if not inside.any():
                return depths
            depths += inside
            reached = np.where(inside, parents[reached], -1)
        depths[reached >= 0] = -1
        return depths

    def _ends(self) -> bool:
        """Whether every label reaches the top, by pointer doubling. O(n log n)."""
        # the top, and all above it, have the index after the last label
        above = np.append(np.array(self.parents, dtype=np.int64), -1)
        above[above < 0] = len(self)
        for _ in range(len(self).bit_length()):
            above = above[above]
        return bool((above == len(self)).all())

    @cached_property
    def is_leaf(self) -> Mask:
        """A mask of the labels without children."""
        leaf = np.ones(len(self), dtype=bool)
        leaf[[parent for parent in self.parents if parent >= 0]] = False
        return leaf

    @property
    def leaves(self) -> Ints:
        """Indices of the labels without children."""
        return np.flatnonzero(self.is_leaf)

    @property
    def is_flat(self) -> bool:
        """Whether all labels but the top are leaves."""
        return bool(self.is_leaf.sum() == len(self) - 1)

    def _rises(self) -> bool:
        codes = np.array(self.replaced_from)
        below = np.array([node for node, parent in enumerate(self.parents) if parent >= 0], dtype=np.int64)
        if codes.size != len(self) or (codes < 1).any():
            return False
        return bool((codes[below] < codes[np.array(self.parents)[below]]).all())

    @cached_property
    def gives_way(self) -> Ints:
        """The level from which each label's parent stands in its place; of the top, one beyond the last."""
        if self.replaced_from:
            return np.array(self.replaced_from, dtype=np.int64)
        heights = np.zeros(len(self), dtype=np.int64)
        for node in np.argsort(-self.depths, kind="stable").tolist():
            if (parent := self.parents[node]) >= 0:
                heights[parent] = max(heights[parent], heights[node] + 1)
        return np.array(
            [heights[parent] if parent >= 0 else heights[self.top] + 1 for parent in self.parents]
        )

    @property
    def height(self) -> int:
        """The last level, at which only the top is left."""
        return int(self.gives_way[self.top]) - 1

    @cached_property
    def levels(self) -> Ints:
        """Place of the label that stands for each leaf (a column) at each level (a row). O(height leaves)."""
        parents, gives_way = np.array(self.parents, dtype=np.int64), self.gives_way
        shown = np.empty((self.height + 1, self.leaves.size), dtype=np.int64)
        now = self.leaves
        for level in range(self.height + 1):
            now = np.where(gives_way[now] <= level, parents[now], now)
            shown[level] = now
        return shown

    @cached_property
    def shares(self) -> Floats:
        """The share of all leaves that the label shown for each leaf has at each level, as `levels`."""
        counts = [np.bincount(shown, minlength=len(self))[shown] for shown in self.levels]
        return np.array(counts) / self.leaves.size

    def relabelled(self, level: int) -> dict[str, str]:
        """The label of each leaf at a level."""
        return {
            self.labels[leaf]: self.labels[node]
            for leaf, node in zip(self.leaves.tolist(), self.levels[level].tolist(), strict=True)
        }

    def sums(self) -> Iterator[tuple[int, Ints]]:
        """Every label that is a sum, with its children, in order of place."""
        parents = np.array(self.parents)
        for parent in np.flatnonzero(~self.is_leaf):
            yield int(parent), np.flatnonzero(parents == parent)

    @cached_property
    def top_down(self) -> Ints:
        """Places as an indented list has them: every label before those under it, these in order of place.

        >>> Hierarchy("region", ("N1", "north", "all", "N2"), (1, 2, -1, 1)).top_down.tolist()
        [2, 1, 0, 3]
        """
        below = {parent: children[::-1].tolist() for parent, children in self.sums()}
        waiting, order = [self.top], list[int]()
        while waiting:
            order.append(waiting.pop())
            waiting += below.get(order[-1], ())
        return np.array(order, dtype=np.int64)

    def ancestors(self) -> Ints:
        """For every label (a row) the one at or above it of depth 0, 1, ...; -1 beyond its own depth."""
        parents = np.array(self.parents, dtype=np.int64)
        path = np.full((len(self), int(self.depths.max()) + 1), -1, dtype=np.int64)
        reached, labels = np.arange(len(self)), np.arange(len(self))
        while (inside := reached >= 0).any():
            path[labels[inside], self.depths[reached[inside]]] = reached[inside]
            reached = np.where(inside, parents[reached], -1)
        return path


def check_step_count(name: str, steps: int) -> None:
    """Raise where a hierarchy has more steps than any."""
    if steps > MOST_STEPS:
        raise DataError(
            f"Hierarchy {name}: wanted at most {MOST_STEPS} steps from a label to the top, got more. Leave "
            "out levels that are never shown."
        )
