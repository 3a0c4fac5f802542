"""The linear programme behind the bound: cells as columns, cuts as rows, both added as they are needed."""

from __future__ import annotations

from dataclasses import dataclass

import highspy
import numpy as np

from tacita.core.arrays import Floats, Ints, Mask
from tacita.kernels.ways import EITHER_WAY, ONE_WAY

from .circuit import Network
from .pool import Pool

_VIOLATION = 1e-4
# Solutions after which a row that was never tight leaves the programme for the pool.
_PATIENCE = 12
# Of a demand: sets that are short of such a part may be short once rounded.
_SHARES = (0.5, 0.25, 0.12, 0.06)
_DIVISORS = 24


@dataclass
class Rows:
    """All cuts so far, in the form from which the entry of any cell follows."""

    nodes: int
    count: int = 0

    def __post_init__(self) -> None:
        self.sides = np.zeros((256, self.nodes), dtype=np.bool_)
        self.others = np.zeros((256, self.nodes), dtype=np.bool_)
        self.form = np.zeros((4, 256))
        self.counted = np.zeros(256, dtype=np.bool_)
        self.seen: set[bytes] = set()

    def append(self, side: Mask, other: Mask, form: Floats, counted: bool) -> None:
        if self.count == len(self.sides):
            self.sides = np.concatenate([self.sides, np.zeros_like(self.sides)])
            self.others = np.concatenate([self.others, np.zeros_like(self.others)])
            self.form = np.concatenate([self.form, np.zeros_like(self.form)], axis=1)
            self.counted = np.concatenate([self.counted, np.zeros_like(self.counted)])
        self.sides[self.count] = side
        self.others[self.count] = other
        self.form[:, self.count] = form
        self.counted[self.count] = counted
        self.count += 1

    def drop(self, keep: Mask) -> None:
        kept = np.flatnonzero(keep)
        for array in (self.sides, self.others, self.counted):
            array[: len(kept)] = array[kept]
        self.form[:, : len(kept)] = self.form[:, kept]
        self.count = len(kept)
        self.seen.clear()

    def forget(self) -> None:
        self.count = 0
        self.seen.clear()

    def arrays(self) -> tuple[Mask, Mask, Floats, Floats, Floats, Floats, Mask]:
        return (self.sides, self.others, *self.form, self.counted)


class Master:
    """Least cost of fractional patterns that satisfy all cuts found so far."""

    def __init__(self, network: Network, columns: Ints) -> None:
        self.network = network
        self.rows = Rows(network.nodes)
        self.columns = np.zeros(0, dtype=np.int64)
        self.fixed = np.zeros(0, dtype=bool)
        self.active = np.zeros(network.edges, dtype=bool)
        self.idle = np.zeros(0, dtype=np.int64)
        self.primaries = np.flatnonzero(network.primary)
        self.lp = highspy.Highs()
        self.lp.silent()
        self.lp.setOptionValue("threads", 1)
        self.lp.setOptionValue("presolve", "off")
        self.lp.setOptionValue("solver", "simplex")
        self.x = np.zeros(0)
        self.reduced = np.zeros(0)
        self.dual = np.zeros(0)
        self.value = 0.0
        self.infeasible = False
        self.pool: Pool | None = None
        self.add_columns(columns)

    def add_columns(self, edges: Ints) -> None:
        """Let more cells take part."""
        from tacita.kernels.cuts import entries

        edges = edges[~self.active[edges] & ~self.network.primary[edges]]
        if not len(edges):
            return
        network = self.network
        part = (network.row[edges], network.column[edges], network.forward[edges], network.backward[edges])
        dense = entries(*self.rows.arrays(), 0, self.rows.count, *part).T
        places, at = np.nonzero(dense)
        starts = np.searchsorted(places, np.arange(len(edges))).astype(np.int32)
        self.lp.addCols(
            len(edges), network.cost[edges], np.zeros(len(edges)), np.ones(len(edges)), len(at), starts,
            at.astype(np.int32), dense[places, at],
        )  # fmt: skip
        self.columns = np.concatenate([self.columns, edges])
        self.fixed = np.concatenate([self.fixed, np.zeros(len(edges), dtype=bool)])
        self.active[edges] = True

    def solve(self) -> bool:
        """Solve from the last basis; False if no fractional pattern is left, or the solver gave up."""
        self.lp.run()
        status = self.lp.getModelStatus()
        self.infeasible = status == highspy.HighsModelStatus.kInfeasible
        if status != highspy.HighsModelStatus.kOptimal:
            if self.infeasible:
                return False
            self.lp.clearSolver()
            self.lp.run()
            self.infeasible = self.lp.getModelStatus() == highspy.HighsModelStatus.kInfeasible
            if self.lp.getModelStatus() != highspy.HighsModelStatus.kOptimal:
                return False
        solution = self.lp.getSolution()
        self.x = np.array(solution.col_value)
        self.dual = np.maximum(0.0, np.array(solution.row_dual))
        self.reduced = np.array(solution.col_dual)
        self.value = self.lp.getInfo().objective_function_value
        self.idle = np.where(self.dual > 1e-9, 0, self.idle + 1)
        return True

    def fix(self, zero: Mask) -> None:
        """Keep some more columns at 0 for good."""
        columns = np.flatnonzero(zero & ~self.fixed).astype(np.int32)
        self.lp.changeColsBounds(len(columns), columns, np.zeros(len(columns)), np.zeros(len(columns)))
        self.fixed |= zero

    def purge(self, patience: int) -> None:
        """Take out rows that have not been tight for some time."""
        old = self.idle > patience
        if old.sum() >= 50:
            self.drop(old)

    def drop(self, old: Mask) -> None:
        """Take out rows."""
        self.lp.deleteRows(int(old.sum()), np.flatnonzero(old).astype(np.int32))
        if self.pool is None:
            self.rows.drop(~old)
        self.idle = self.idle[~old]
        self.dual = self.dual[~old]

    def separate(self, nested: int = 1, most: int = 300, shares: tuple[float, ...] = (1.0,)) -> int:
        """Add cuts that the present x violates; how many."""
        from tacita.kernels.cuts import separate

        network = self.network
        edges, x, place, part, graph = self.support()
        demands = np.arange(len(network.source))
        room = (2 * nested + 3) * len(demands) + 4
        added = 0
        for share in shares:
            sides = np.empty((room, network.nodes), dtype=np.bool_)
            others = np.empty((room, network.nodes), dtype=np.bool_)
            whose = np.empty(room, dtype=np.int64)
            found = separate(  # type: ignore[call-arg]
                *graph, *part, x, network.source, network.sink, place[network.own], network.amount,
                network.ways, demands, sides, others, whose, nested, share,
            )  # fmt: skip
            added += self._add_cuts(sides[:found], others[:found], whose[:found], edges, x, place, part, most)
        return added

    def separate_rounded(self, most: int = 300) -> int:
        """Add cuts that x violates only once they are rounded; how many."""
        from tacita.kernels.covers import separate_rounded

        network = self.network
        edges, x, place, part, graph = self.support()
        divisors = np.unique(np.concatenate(part[2:]))
        divisors = divisors[(divisors > 0) & (divisors < network.amount.max())]
        divisors = divisors[:: 1 + len(divisors) // _DIVISORS]
        room = 2 * len(network.source) * len(divisors) + 2
        sides = np.zeros((room, network.nodes), dtype=np.bool_)
        whose = np.empty(room, dtype=np.int64)
        found = separate_rounded(  # type: ignore[call-arg]
            *graph, *part, x, network.source, network.sink, place[network.own], network.amount, network.ways,
            divisors, sides, whose,
        )  # fmt: skip
        kept = np.unique(np.column_stack([whose[:found], sides[:found]]), axis=0, return_index=True)[1]
        kept.sort()
        sides, whose = sides[kept], whose[kept]
        return self._add_cuts(sides, np.zeros_like(sides), whose, edges, x, place, part, most)

    def separate_amounts(self) -> int:
        """Add cuts that show only where cells carry amounts: short of part of a demand, or once rounded."""
        return self.separate(nested=0, shares=_SHARES) + self.separate_rounded()

    def support(self) -> tuple[Ints, Floats, Ints, tuple[Ints, Ints, Floats, Floats], tuple[Ints, Ints]]:
        """Edges with x above 0, primaries first: their numbers, x, places, arrays and graph."""
        from tacita.kernels.flows import adjacency

        network = self.network
        support = np.flatnonzero(self.x > 1e-9)
        edges = np.concatenate([self.primaries, self.columns[support]])
        x = np.concatenate([np.ones(len(self.primaries)), np.minimum(self.x[support], 1.0)])
        place = np.full(network.edges, -1)
        place[edges] = np.arange(len(edges))
        part = (network.row[edges], network.column[edges], network.forward[edges], network.backward[edges])
        return edges, x, place, part, adjacency(part[0], part[1], network.nodes)

    def add_stars(self) -> None:
        """The two simplest cuts of every demand: all that leaves its source, all that enters its sink."""
        network = self.network
        count = len(network.source)
        sides = np.zeros((2 * count, network.nodes), dtype=np.bool_)
        sides[np.arange(count), network.source] = True
        sides[count:] = True
        sides[count + np.arange(count), network.sink] = False
        others = np.where(np.tile(network.ways != ONE_WAY, 2)[:, None], ~sides, False)
        self.x = np.zeros(len(self.columns))
        edges, x, place, part, _ = self.support()
        self._add_cuts(sides, others, np.tile(np.arange(count), 2), edges, x, place, part, 2 * count)

    def separate_bridges(self, most: int = 200) -> int:
        """Add cuts on which a secondary cell would be a bridge; how many."""
        from tacita.kernels.cuts import separate_bridges

        edges, x, _, part, graph = self.support()
        sides = np.empty((most, self.network.nodes), dtype=np.bool_)
        whose = np.empty(most, dtype=np.int64)
        found = separate_bridges(*graph, part[0], part[1], x, self.network.primary[edges], sides, whose)  # type: ignore[call-arg]
        first = self.rows.count
        bridges = []
        for side, e in zip(sides[:found], whose[:found], strict=True):
            key = np.packbits(side).tobytes() + int(e).to_bytes(8, "little")
            if key not in self.rows.seen:
                self.rows.seen.add(key)
                self.rows.append(side, ~side, np.array([1.0, 0.0, 0.0, 1.0]), True)
                bridges.append(edges[e])
        self._push(first, [], bridges)
        return len(bridges)

    def _add_cuts(
        self,
        sides: Mask,
        others: Mask,
        whose: Ints,
        edges: Ints,
        x: Floats,
        place: Ints,
        part: tuple[Ints, Ints, Floats, Floats],
        most: int,
    ) -> int:
        from tacita.kernels.covers import tighten
        from tacita.kernels.cuts import outflows

        network = self.network
        fixed = network.primary[edges]
        candidates = []
        taken = np.zeros(len(edges), dtype=np.bool_)
        form = np.zeros(4)
        for i, q in enumerate(whose):
            out = outflows(sides[i], others[i], *part, network.amount[q], bool(network.ways[q] == EITHER_WAY))  # type: ignore[call-arg]
            short = tighten(out, x, fixed, place[network.own[q]], network.amount[q], taken, form)
            if short > _VIOLATION:
                candidates.append((short, i, form.copy(), edges[taken & ~fixed & (out > 0)]))
        candidates.sort(key=lambda one: (-one[0], one[1]))
        first = self.rows.count
        zeroed = []
        for _, i, form, subtracted in candidates:
            key = np.packbits(sides[i]).tobytes() + np.packbits(others[i]).tobytes() + form.tobytes()
            key += subtracted.tobytes()
            if key in self.rows.seen:
                continue
            self.rows.seen.add(key)
            self.rows.append(sides[i], others[i], form, False)
            zeroed.append(subtracted)
            if len(zeroed) == most:
                break
        self._push(first, zeroed)
        return len(zeroed)

    def _push(self, first: int, zeroed: list[Ints], bridges: list[int] | None = None) -> None:
        from tacita.kernels.cuts import entries

        network, columns = self.network, self.columns
        count = self.rows.count - first
        if not count:
            return
        column_of = np.full(network.edges, -1)
        column_of[columns] = np.arange(len(columns))
        part = (
            network.row[columns],
            network.column[columns],
            network.forward[columns],
            network.backward[columns],
        )
        dense = entries(*self.rows.arrays(), first, self.rows.count, *part)
        right = np.ones(count)
        for i, cells in enumerate(zeroed):
            dense[i, column_of[cells]] = 0.0
        for i, cell in enumerate(bridges or ()):
            dense[i, column_of[cell]] = -1.0
            right[i] = 0.0
        lines, at = np.nonzero(dense)
        starts = np.searchsorted(lines, np.arange(count))
        self.restore(right, starts, at, dense[lines, at])
        if self.pool is not None:
            self.pool.note(right, starts, at, dense[lines, at])
            self.rows.forget()

    def restore(self, right: Floats, starts: Ints, at: Ints, value: Floats) -> None:
        """Add rows to the programme as they are."""
        count = len(right)
        self.lp.addRows(
            count, right, np.full(count, highspy.kHighsInf), len(at), starts.astype(np.int32),
            at.astype(np.int32), value,
        )  # fmt: skip
        self.idle = np.concatenate([self.idle, np.zeros(count, dtype=np.int64)])
        self.dual = np.concatenate([self.dual, np.zeros(count)])

    def recall(self) -> int:
        """Put rows of the pool back that the present x violates; how many."""
        assert self.pool is not None
        rows = self.pool.call(self.x)
        if len(rows[0]):
            self.restore(*rows)
        return len(rows[0])

    def rest(self) -> None:
        """Leave rows to the pool that have not been tight for some time."""
        assert self.pool is not None
        old = self.idle > _PATIENCE
        if old.sum() >= 20:
            self.drop(old)
            self.pool.let_out(old)
        self.pool.keep_small()

    def share_rows(self) -> None:
        """Let rows go to a pool; forget columns kept at 0 for good, and from which cuts rows came."""
        gone = np.flatnonzero(self.fixed)
        self.lp.deleteCols(len(gone), gone.astype(np.int32))
        self.columns = self.columns[~self.fixed]
        self.fixed = np.zeros(len(self.columns), dtype=bool)
        self.rows.forget()
        self.pool = Pool(self.lp)

    def reduced_costs(self) -> Floats:
        """Of every edge of the network, primaries and inactive ones included."""
        from tacita.kernels.cuts import prices

        network = self.network
        return prices(
            *self.rows.arrays(), self.dual, self.rows.count, network.row, network.column, network.forward,
            network.backward, network.cost,
        )  # fmt: skip
