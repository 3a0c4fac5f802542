"""Branch and cut: cells decided one by one, with the cuts of every branch kept for all others."""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np

from tacita.core.arrays import Floats, Ints, Mask

from .search_state import Search


@dataclass(frozen=True)
class BranchAndCutSettings:
    """How the tree branches, cuts and looks for incumbents.

    `python -m benchmarks suppression` prints what the engine reaches with these on two-way tables. `python -m
    benchmarks solvers` compares it with SCIP.
    """

    # tolerance: x that is nearer to 0 or 1 counts as whole
    integrality: float = 1e-6
    # strong branches after which the pseudocost of a cell is relied on
    reliable_tries: int = 3
    # cells that strong branching tries in a node, at most
    candidates: int = 10
    # dual simplex steps of one try
    strong_steps: int = 60
    # share of the columns that reduced costs must rule out for the root to begin anew without them
    barred_share: float = 0.2
    # branches from one look for a better incumbent to the next
    branches_between_patterns: int = 2
    # rounds of cuts at the root
    root_rounds: int = 200
    # share of all that cuts have won at the root: a round that wins less has stalled
    root_gain: float = 0.02
    # rounds of cuts in every other node
    child_rounds: int = 8
    # rounds from one look for rows that are no longer tight to the next
    rounds_between_purges: int = 4
    # cuts of a round below which zero-half cuts are sought too, which take longest
    few_cuts: int = 20


SETTINGS = BranchAndCutSettings()


@dataclass
class Branch:
    """Patterns that hold some cells and leave out others: the bound for all of them, and where it was met."""

    bound: float
    held: Mask
    left_out: Mask
    # x where it is not 0: thousands of branches may be open
    at: Ints
    value: Floats

    @property
    def x(self) -> Floats:
        """The fractional pattern of the bound."""
        x = np.zeros(len(self.held))
        x[self.at] = self.value
        return x

    def __lt__(self, other: Branch) -> bool:
        return self.bound < other.bound


class Tree:
    """Branches still open, least bound first, over the columns that remain once the LP is sealed."""

    def __init__(self, search: Search) -> None:
        self.search, self.master = search, search.master
        self.open: list[Branch] = []
        self.value = -np.inf
        self.gave_up = False
        self.entered = 0
        self.clear()

    def clear(self) -> None:
        """Begin with the columns that are left, and nothing learnt."""
        master = self.master
        master.share_rows()
        self.columns = len(master.columns)
        self.cost = self.search.network.cost[master.columns]
        self.lower, self.upper = np.zeros(self.columns), np.ones(self.columns)
        self.reduced = np.zeros(self.columns)
        # mean gain per unit of a cell that is left out, or held, and how often it was seen
        self.gains = np.zeros((2, self.columns))
        self.seen = np.zeros((2, self.columns), dtype=np.int64)

    def grow(self, most: float = np.inf) -> None:
        """Open branches until the least bound meets the best pattern, time is over, or `most` are opened."""
        first = self.plant()
        if first is not None:
            heapq.heappush(self.open, first)
        while self.raise_bound() and self.search.nodes < most:
            branch = heapq.heappop(self.open)
            for child in self.children(branch):
                heapq.heappush(self.open, child)
            self.search.nodes += 1

    def plant(self) -> Branch | None:
        """The first branch. If a better pattern rules out many columns, begin without them."""
        nothing = np.zeros(self.columns, dtype=bool)
        first = (
            self.enter(nothing, nothing, SETTINGS.root_rounds, SETTINGS.root_gain) if self.columns else None
        )
        if first is None:
            return None
        self.value, self.reduced = self.master.value, self.master.reduced
        # a small gap is closed sooner by branches than by looking for patterns
        if self.room(self.value) > 0.01 * self.search.cost:
            self.search.follow(self.search.fractional(), 10, 100)
        barred = self.reduced > self.room(self.value)
        if barred.mean() > SETTINGS.barred_share and not self.over:
            self.set_bounds(nothing, nothing)
            self.master.fix(barred)
            self.clear()
            nothing = np.zeros(self.columns, dtype=bool)
            again = (
                self.enter(nothing, nothing, SETTINGS.root_rounds, SETTINGS.root_gain)
                if self.columns
                else None
            )
            if again is None:
                # proven, unless it was time that ended it
                none = np.zeros(0, dtype=np.int64)
                return Branch(first.bound, nothing, nothing, none, np.zeros(0)) if self.over else None
            again.bound = max(again.bound, first.bound)
            self.value, self.reduced = self.master.value, self.master.reduced
            return again
        return first

    @property
    def over(self) -> bool:
        """Whether branches can no longer be solved: out of time, or left by the solver."""
        return self.gave_up or self.search.watch.over

    def room(self, value: float) -> float:
        """Beyond which reduced cost, at a bound, no cheaper pattern holds a cell."""
        search = self.search
        step = max(search.network.whole_costs, 1e-6)
        return float(search.cost - step - value + 1e-5 * max(1.0, search.cost))

    def raise_bound(self) -> bool:
        """Note the least bound of the open branches; whether to go on."""
        search = self.search
        self.open = [branch for branch in self.open if not self.hopeless(branch.bound)]
        heapq.heapify(self.open)
        least = self.open[0].bound if self.open else search.cost
        if self.open or not self.over:
            search.bound = min(max(search.bound, least), search.cost)
        search.tell("proving")
        return bool(self.open) and not self.over and not search.closed

    def hopeless(self, bound: float) -> bool:
        """Whether nothing cheaper than the best pattern can lie under a bound."""
        search = self.search
        return bool(search.network.rounded_up(bound) >= search.cost - 1e-7 * max(1.0, search.cost))

    def enter(self, held: Mask, left_out: Mask, rounds: int, worth: float = 0.0) -> Branch | None:
        """Solve a branch, with cuts; None if no cheaper pattern is in it.

        At most `rounds` rounds of cuts, but no more than three in a row that hardly close the gap to the best
        pattern. With `worth`, a round also counts as such if it gains less than this share of all that cuts
        have gained in this branch.
        """
        master, search = self.master, self.search
        left_out = left_out | ((self.reduced > self.room(self.value)) & ~held)
        self.set_bounds(held, left_out)
        first, before, slow = np.inf, -np.inf, 0
        for i in range(rounds + 1):
            if search.watch.over:
                break
            if not self.solve() or self.hopeless(master.value):
                return None
            if worth:
                # what holds at the root holds for all, and many rounds are a long time to be silent
                search.bound = max(search.bound, min(master.value, search.cost))
                search.tell("proving")
            room = search.cost - master.value
            first = min(first, master.value)
            gain = master.value - before
            wanted = worth * (before - first) if worth and i else 0.02 * room
            slow = 0 if gain > min(wanted, 0.02 * room) else slow + 1
            before = master.value
            if slow > 2 or i == rounds or not self.cut():
                break
            if i % SETTINGS.rounds_between_purges == SETTINGS.rounds_between_purges - 1:
                master.rest()
        if before == -np.inf:
            # no time for a single solution: nothing is known, and the caller finds that time is over
            return None
        master.rest()
        room = self.room(master.value)
        left_out = left_out | ((master.x < SETTINGS.integrality) & (master.reduced > room))
        held = held | ((master.x > 1 - SETTINGS.integrality) & (master.reduced < -room))
        self.entered += 1
        if self.entered % SETTINGS.branches_between_patterns == 1:
            self.search.mend()
        at = np.flatnonzero(master.x)
        return Branch(master.value, held, left_out, at, master.x[at])

    def solve(self) -> bool:
        """Solve the LP; no solution means an empty branch only if the solver says so."""
        solved: bool = self.master.solve()
        self.gave_up |= not solved and not self.master.infeasible
        return solved

    def cut(self) -> int:
        """Add rows of the pool that x violates; if there are few, new ones; how many."""
        master = self.master
        added: int = master.recall()
        if added < 3:
            added += master.separate(nested=1)
        if added < 3 and not self.over:
            added += master.separate_bridges() + master.separate_amounts()
        if added < SETTINGS.few_cuts and not self.over:
            added += master.separate_half_sums(self.search.generator)
        return added

    def set_bounds(self, held: Mask, left_out: Mask) -> None:
        lower, upper = held.astype(float), np.where(left_out, 0.0, 1.0)
        changed = np.flatnonzero((lower != self.lower) | (upper != self.upper))
        self.master.lp.bound(changed, lower[changed], upper[changed])
        self.lower, self.upper = lower, upper

    def children(self, branch: Branch) -> list[Branch]:
        """The two branches of the cell that promises most, each solved; fewer where one is hopeless."""
        cell = self.choose(branch)
        if cell < 0:
            # a branch that could not be judged stays open
            return [branch] if self.gave_up else []
        made, x = [], branch.x
        for side in (0, 1):
            held, left_out = branch.held.copy(), branch.left_out.copy()
            (held if side else left_out)[cell] = True
            child = self.enter(held, left_out, SETTINGS.child_rounds)
            if self.over:
                # a branch whose child was not finished stays open
                return [branch]
            if child is not None:
                child.bound = max(child.bound, branch.bound)
                made.append(child)
            self.learn(cell, side, branch, x, self.search.cost if child is None else child.bound)
        return made

    def learn(self, cell: int, side: int, branch: Branch, x: Floats, bound: float) -> None:
        """Note what leaving out (side 0) or holding (side 1) a cell has gained."""
        way = 1.0 - x[cell] if side else x[cell]
        gain = max(0.0, bound - branch.bound) / max(way, 0.05)
        self.seen[side, cell] += 1
        self.gains[side, cell] += (gain - self.gains[side, cell]) / self.seen[side, cell]

    def choose(self, branch: Branch) -> int:
        """A fractional cell whose two branches both raise the bound; tried out where little is known."""
        x = branch.x
        fractional = np.flatnonzero((x > SETTINGS.integrality) & (x < 1 - SETTINGS.integrality))
        if not len(fractional):
            return self.whole(branch)
        score = self.scores(fractional, x)
        order = fractional[np.argsort(-score, kind="stable")]
        new = [c for c in order if self.seen[:, c].min() < SETTINGS.reliable_tries][: SETTINGS.candidates]
        if new:
            self.set_bounds(branch.held, branch.left_out)
            self.try_out(branch, x, np.array(new))
            score = self.scores(fractional, x)
        return int(fractional[np.argmax(score)])

    def scores(self, cells: Ints, x: Floats) -> Floats:
        """Product of what leaving out and holding each cell would gain."""
        known = self.seen > 0
        mean = [self.gains[side][known[side]].mean() if known[side].any() else 1.0 for side in (0, 1)]
        # unseen cells by their cost, the larger the more is decided
        scale = self.cost[cells] / max(1e-9, float(self.cost.mean()))
        out = np.where(known[0][cells], self.gains[0][cells], mean[0] * scale) * x[cells]
        hold = np.where(known[1][cells], self.gains[1][cells], mean[1] * scale) * (1 - x[cells])
        product: Floats = np.maximum(out, 1e-6) * np.maximum(hold, 1e-6)
        return product

    def try_out(self, branch: Branch, x: Floats, cells: Ints) -> None:
        """Some dual simplex steps with each cell left out, then held."""
        lp = self.master.lp
        if not self.solve():
            return
        basis = lp.basis
        lp.set(simplex_iteration_limit=SETTINGS.strong_steps)
        for cell in cells:
            if self.over:
                break
            only = np.array([cell])
            for side in (0, 1):
                decided = np.array([float(side)])
                lp.bound(only, decided, decided)
                value = self.search.cost
                if lp.solve() != "infeasible":
                    value = min(value, lp.value)
                if self.seen[side, cell] < SETTINGS.reliable_tries:
                    self.learn(int(cell), side, branch, x, value)
                lp.bound(only, self.lower[only], self.upper[only])
                lp.basis = basis
        lp.set(simplex_iteration_limit=2**31 - 1)

    def whole(self, branch: Branch) -> int:
        """A branch that ended at a whole pattern: known, or any cell not decided yet."""
        search, master = self.search, self.master
        chosen = np.zeros(search.network.edges, dtype=bool)
        chosen[master.columns] = branch.x > 0.5
        search.offer(search.builder.build(search.generator, search.network.cost, chosen))
        if self.hopeless(branch.bound):
            return -1
        undecided = np.flatnonzero(~branch.held & ~branch.left_out)
        if len(undecided):
            return int(undecided[0])
        # neither cut off nor protecting: a matter of rounding, which proves nothing
        self.gave_up = True
        return -1
