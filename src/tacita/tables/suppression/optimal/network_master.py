"""The linear program behind the bound: cells as columns, cuts as rows, both added as they are needed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tacita.core.arrays import Floats, Ints, Mask
from tacita.kernels.interpreted import dispatch
from tacita.kernels.tables.network import EITHER_WAY, ONE_WAY, CutRows, Cuts, Demands, Graph

from .cutting_planes import CuttingPlaneLP
from .flow_network import Network


@dataclass(frozen=True)
class NetworkMasterSettings:
    """Which sets of nodes are separated by rounded cuts."""

    # share of its length by which a row must be violated
    violation: float = 1e-4
    # shares of a demand: sets that are short of such a part may be short once rounded
    shortfalls: tuple[float, ...] = (0.5, 0.25, 0.12, 0.06)
    # divisors that a row is rounded by, about
    divisors: int = 24


SETTINGS = NetworkMasterSettings()


class Rows:
    """All cuts so far, in the form from which the entry of any cell follows."""

    def __init__(self, nodes: int) -> None:
        sides = np.zeros((256, nodes), dtype=np.bool_)
        self.cuts = CutRows(sides, sides.copy(), np.zeros((256, 4)), np.zeros(256, dtype=np.bool_))
        self.count = 0
        self.seen: set[bytes] = set()

    def append(self, side: Mask, other: Mask, form: Floats, counted: bool) -> None:
        if self.count == len(self.cuts.counted):
            self.cuts = CutRows(*(np.concatenate([part, np.zeros_like(part)]) for part in self.cuts))
        line: tuple[Any, ...] = (side, other, form, counted)
        for part, value in zip(self.cuts, line, strict=True):
            part[self.count] = value
        self.count += 1

    def drop(self, keep: Mask) -> None:
        kept = np.flatnonzero(keep)
        for part in self.cuts:
            part[: len(kept)] = part[kept]
        self.count = len(kept)
        self.seen.clear()

    def forget(self) -> None:
        self.count = 0
        self.seen.clear()


class Support(NamedTuple):
    """Edges with x above 0, primaries first."""

    edges: Ints
    x: Floats
    graph: Graph
    demands: Demands


class Master(CuttingPlaneLP):
    """Least cost of fractional patterns that satisfy all cuts found so far."""

    def __init__(self, network: Network, columns: Ints) -> None:
        super().__init__()
        self.network = network
        self.rows = Rows(network.nodes)
        self.active = np.zeros(network.edges, dtype=bool)
        self.primaries = np.flatnonzero(network.primary)
        self.add_columns(columns)

    def add_columns(self, edges: Ints) -> None:
        """Let more cells take part."""
        from tacita.kernels.tables.cuts import entries

        edges = edges[~self.active[edges] & ~self.network.primary[edges]]
        if not len(edges):
            return
        network = self.network
        dense = dispatch(entries)(self.rows.cuts, 0, self.rows.count, network.among(edges)[0]).T
        places, at = np.nonzero(dense)
        starts = np.searchsorted(places, np.arange(len(edges)))
        ends = np.zeros(len(edges)), np.ones(len(edges))
        self.lp.add_columns(network.cost[edges], *ends, starts, at, dense[places, at])
        self.columns = np.concatenate([self.columns, edges])
        self.fixed = np.concatenate([self.fixed, np.zeros(len(edges), dtype=bool)])
        self.active[edges] = True

    def drop(self, old: Mask) -> None:
        """Take out rows, and the cuts that they came from."""
        super().drop(old)
        if self.pool is None:
            self.rows.drop(~old)

    def separate(self, nested: int = 1, most: int = 300, shares: tuple[float, ...] = (1.0,)) -> int:
        """Add cuts that the present x violates; how many."""
        from tacita.kernels.tables.cuts import separate

        support = self.support()
        added = 0
        for share in shares:
            cuts = self.room((2 * nested + 3) * len(self.network.source) + 4)
            dispatch(separate)(support.graph, support.x, support.demands, cuts, nested, share)
            added += self._add_cuts(cuts, support, most)
        return added

    def separate_rounded(self, most: int = 300) -> int:
        """Add cuts that x violates only once they are rounded; how many."""
        from tacita.kernels.tables.covers import separate_rounded

        network = self.network
        support = self.support()
        divisors = np.unique(np.concatenate([support.graph.forward, support.graph.backward]))
        divisors = divisors[(divisors > 0) & (divisors < network.amount.max())]
        # in one piece: of strided values the kernel would be compiled again
        divisors = divisors[:: 1 + len(divisors) // SETTINGS.divisors].copy()
        cuts = self.room(2 * len(network.source) * len(divisors) + 2)
        dispatch(separate_rounded)(support.graph, support.x, support.demands, divisors, cuts)
        count = cuts.filled[0]
        lines = np.column_stack([cuts.whose[:count], cuts.sides[:count]])
        kept = np.sort(np.unique(lines, axis=0, return_index=True)[1])
        once = Cuts(cuts.sides[kept], cuts.others[kept], cuts.whose[kept], np.array([len(kept)]))
        return self._add_cuts(once, support, most)

    def separate_amounts(self) -> int:
        """Add cuts that show only where cells carry amounts: short of part of a demand, or once rounded."""
        return self.separate(nested=0, shares=SETTINGS.shortfalls) + self.separate_rounded()

    def room(self, lines: int) -> Cuts:
        """For so many cuts to be found."""
        sides = np.empty((lines, self.network.nodes), dtype=np.bool_)
        return Cuts(sides, np.empty_like(sides), np.empty(lines, dtype=np.int64), np.zeros(1, dtype=np.int64))

    def support(self) -> Support:
        """The present x, where it is above 0."""
        support = np.flatnonzero(self.x > 1e-9)
        edges = np.concatenate([self.primaries, self.columns[support]])
        x = np.concatenate([np.ones(len(self.primaries)), np.minimum(self.x[support], 1.0)])
        return Support(edges, x, *self.network.among(edges))

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
        stars = Cuts(sides, others, np.tile(np.arange(count), 2), np.array([2 * count]))
        self._add_cuts(stars, self.support(), 2 * count)

    def separate_bridges(self, most: int = 200) -> int:
        """Add cuts on which a secondary cell would be a bridge; how many."""
        from tacita.kernels.tables.cuts import separate_bridges

        edges, x, graph, _ = self.support()
        cuts = self.room(most)
        dispatch(separate_bridges)(graph, x, self.network.primary[edges], cuts)
        first = self.rows.count
        bridges = []
        for side, other, e in zip(*(values[: cuts.filled[0]] for values in cuts[:3]), strict=True):
            key = np.packbits(side).tobytes() + int(e).to_bytes(8, "little")
            if key not in self.rows.seen:
                self.rows.seen.add(key)
                self.rows.append(side, other, np.array([1.0, 0.0, 0.0, 1.0]), True)
                bridges.append(edges[e])
        self._push(first, [], bridges)
        return len(bridges)

    def _add_cuts(self, cuts: Cuts, support: Support, most: int) -> int:
        from tacita.kernels.tables.covers import tighten
        from tacita.kernels.tables.cuts import outflows

        edges, x, graph, demands = support
        sides, others = cuts.sides, cuts.others
        fixed = self.network.primary[edges]
        candidates = []
        taken = np.zeros(len(edges), dtype=np.bool_)
        form = np.zeros(4)
        leaving, strengthen = dispatch(outflows), dispatch(tighten)
        for i, q in enumerate(cuts.whose[: cuts.filled[0]]):
            out = leaving(sides[i], others[i], graph, demands.amount[q], demands.ways[q] == EITHER_WAY)
            short = strengthen(out, x, fixed, demands.own[q], demands.amount[q], taken, form)
            if short > SETTINGS.violation:
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
        from tacita.kernels.tables.cuts import entries

        network, columns = self.network, self.columns
        count = self.rows.count - first
        if not count:
            return
        column_of = np.full(network.edges, -1)
        column_of[columns] = np.arange(len(columns))
        dense = dispatch(entries)(self.rows.cuts, first, self.rows.count, network.among(columns)[0])
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

    def share_rows(self) -> None:
        """Let rows go to a pool; forget columns kept at 0 for good, and from which cuts rows came."""
        self.rows.forget()
        super().share_rows()

    def reduced_costs(self) -> Floats:
        """Of every edge of the network, primaries and inactive ones included."""
        from tacita.kernels.tables.cuts import prices

        network = self.network
        graph = network.among()[0]
        reduced: Floats = dispatch(prices)(self.rows.cuts, self.dual, self.rows.count, graph, network.cost)
        return reduced
