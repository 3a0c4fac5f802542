"""The best node of a lattice, proven: what is not looked at cannot be better or cannot be allowed."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from tacita.core import DataError, Floats, Mask, RunContext
from tacita.core.results.progress import Bounds

from .lattice import Checked, Lattice, Node
from .quality import Quality

# a bound that arithmetic raised by less than this is not a better score
_CLOSE = 1e-12
_PAIRS_WORTH = 64


@dataclass(frozen=True, repr=False)
class Certificate:
    """Why no other node is better: nodes at and below which none is allowed, and single ones that are not.

    Those that are `worse` have a higher score, or the same. All others have at least this score by their
    levels alone, or by that of a node below them in `costlier`, whose score without suppression none above it
    can beat. `proven` is False where a search was stopped; then `lower` bounds what is left.
    """

    best: Node
    score: tuple[float, ...]
    too_many: tuple[Node, ...]
    refused: tuple[Node, ...]
    worse: tuple[Node, ...]
    costlier: tuple[Node, ...]
    proven: bool
    lower: tuple[float, ...]
    checked: int


@dataclass(frozen=True, repr=False)
class Outcome:
    """The best node, the classes at it, and the proof."""

    checked: Checked
    certificate: Certificate


def search(lattice: Lattice, quality: Quality, run: RunContext, seconds: float | None = None) -> Outcome:
    """Look at the highest open node that may be better, until none is left. O(nodes) a step and one check.

    Where too many records fail, no node below can be allowed (k, k-map and distinct values; of most others
    where nothing may be suppressed). If nothing may be suppressed, an allowed node is the best of all above
    it, and paths of open nodes are bisected. Raises where no node is allowed.
    """
    state = _State(lattice, quality)
    until = None if seconds is None else time.monotonic() + seconds
    total = int(state.open.sum())
    while (node := state.next()) is not None:
        state.take(node)
        if state.looked % 16 == 0:
            left = state.left()
            run.report("searching the lattice", total - left, total)
            if state.best is not None:
                run.on_bounds(Bounds(float(state.lower()[0]), float(state.score[0])))
            if until is not None and time.monotonic() > until and state.best is not None:
                break
    run.report("searching the lattice", 1, 1)
    if state.best is None:
        raise DataError(
            f"No level of generalisation satisfies the requirements with at most {lattice.most} of "
            f"{lattice.n} records suppressed. Raise the limit, lower k, or require less of the models."
        )
    return Outcome(state.best, state.certificate())


class _State:
    """What is open, what the best is so far, and why the rest is closed."""

    def __init__(self, lattice: Lattice, quality: Quality) -> None:
        self.lattice, self.quality = lattice, quality
        self.floors = quality.floors(lattice)
        self.open: Mask = np.ones(lattice.shape, dtype=bool)
        # levels of all nodes together, as the lattice has them
        self.heights = np.indices(lattice.shape).sum(axis=0).astype(np.int32).reshape(-1)
        self.strict = lattice.most == 0
        models = lattice.models
        # a unit with records in two classes may have other values in effect in both together
        lasting = lattice.keys.parted or not (models.rows or models.whole or models.populations)
        self.prunes_down = lasting and (models.monotone or (self.strict and models.monotone_whole))
        self.best: Checked | None = None
        self.score: Floats = np.array([np.inf])
        self.too_many: list[Node] = []
        self.refused: list[Node] = []
        self.worse: list[Node] = []
        self.bounded: list[tuple[Node, Floats]] = []
        self.looked = 0
        self.pending: list[Node] = []
        if lattice.nodes >= _PAIRS_WORTH:
            self._close_by_pairs()

    def _close_by_pairs(self) -> None:
        """Close what two keys alone forbid, and count from the lowest levels that are left."""
        lattice, m = self.lattice, len(self.lattice.shape)
        for (i, j), short in lattice.short_of_pairs().items():
            wrong = np.argwhere(short > lattice.most)
            for a, b in wrong.tolist():
                top = [size - 1 for size in lattice.shape]
                top[i], top[j] = a, b
                at = tuple(top)
                if self.open[at]:
                    self.too_many.append(at)
                    self.open[tuple(slice(0, level + 1) for level in at)] = False
        if self.open.any():
            least = [int(self.open.any(axis=tuple(x for x in range(m) if x != j)).argmax()) for j in range(m)]
            lattice.keep(tuple(least))

    def next(self) -> Node | None:
        """The highest open node that may be better; where nothing may be suppressed, the middle of a path."""
        if self.strict:
            return self._middle()
        candidates = np.flatnonzero(self._may_be_better())
        if candidates.size == 0:
            return None
        highest = candidates[self.heights[candidates] == self.heights[candidates].max()]
        if highest.size > 1:
            highest = highest[np.lexsort(self.floors[highest].T[::-1])]
        return self._node(int(highest[0]))

    def _middle(self) -> Node | None:
        candidates = np.flatnonzero(self._may_be_better())
        if candidates.size == 0:
            return None
        open_ = np.zeros(self.open.size, dtype=bool)
        open_[candidates] = True
        grid = open_.reshape(self.open.shape)
        # from the cheapest open node up, always to the cheapest open one above
        cheapest = candidates[np.lexsort(self.floors[candidates].T[::-1])[0]]
        path = [self._node(int(cheapest))]
        while True:
            at = path[-1]
            above = [
                (*at[:j], level + 1, *at[j + 1 :])
                for j, level in enumerate(at)
                if level + 1 < self.open.shape[j] and grid[(*at[:j], level + 1, *at[j + 1 :])]
            ]
            if not above:
                break
            places = [int(np.ravel_multi_index(node, self.open.shape)) for node in above]
            path.append(above[min(range(len(above)), key=lambda i: (*self.floors[places[i]], above[i]))])
        return path[len(path) // 2]

    def _node(self, place: int) -> Node:
        return tuple(int(level) for level in np.unravel_index(place, self.open.shape))

    def _may_be_better(self) -> Mask:
        return self.open.reshape(-1) & less(self.floors, self.score)

    def left(self) -> int:
        """Open nodes that may still be better."""
        return int(self._may_be_better().sum())

    def lower(self) -> Floats:
        """No allowed node has a score below this."""
        places = np.flatnonzero(self._may_be_better())
        if places.size == 0:
            return self.score
        bound: Floats = self.floors[places[np.lexsort(self.floors[places].T[::-1])[0]]]
        return bound

    def take(self, node: Node) -> None:
        """Look at a node, and close what it tells of others."""
        lattice = self.lattice
        checked = lattice.check(node)
        self.looked += 1
        too_many = checked.suppressed > lattice.most
        # of a node that is not allowed, only what it tells of nodes above is of interest
        idle = too_many and self.quality.separable
        score, floor = (self.score, self.score) if idle else self.quality.score(lattice, checked)
        below = tuple(slice(0, level + 1) for level in node)
        above = tuple(slice(level, None) for level in node)
        self.open[node] = False
        if too_many and (self.prunes_down or checked.short > lattice.most):
            self.too_many.append(node)
            self.open[below] = False
        elif too_many or not checked.permitted:
            self.refused.append(node)
        elif self.best is None or less(score[None], self.score)[0]:
            self.worse += [] if self.best is None else [self.best.node]
            self.best, self.score = checked, score
        else:
            self.worse.append(node)
        if not self.quality.separable or (self.strict and not too_many):
            # no node above costs less than this one without suppression
            self.bounded.append((node, floor))
            if not less(floor[None], self.score)[0]:
                self.open[above] = False
            elif not self.quality.separable:
                grid = self.floors.reshape(*self.open.shape, -1)
                grid[above] = np.maximum(grid[above], floor)

    def certificate(self) -> Certificate:
        """Why nothing better is left, or how much better what is left may be."""
        assert self.best is not None
        return Certificate(
            best=self.best.node,
            score=tuple(self.score.tolist()),
            too_many=tuple(self.too_many),
            refused=tuple(self.refused),
            worse=tuple(self.worse),
            costlier=tuple(node for node, floor in self.bounded if not less(floor[None], self.score)[0]),
            proven=self.left() == 0,
            lower=tuple(self.lower().tolist()),
            checked=self.looked,
        )


def less(rows: Floats, score: Floats) -> Mask:
    """Which rows are smaller than a score, number by number from the first, by more than arithmetic loses."""
    smaller = np.zeros(len(rows), dtype=bool)
    even = np.ones(len(rows), dtype=bool)
    for at in range(rows.shape[1]):
        limit = score[min(at, score.size - 1)]
        room = _CLOSE * max(1.0, abs(limit)) if np.isfinite(limit) else 0.0
        smaller |= even & (rows[:, at] < limit - room)
        even &= np.abs(rows[:, at] - limit) <= room if np.isfinite(limit) else False
    return smaller
