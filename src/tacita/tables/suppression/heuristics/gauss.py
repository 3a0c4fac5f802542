"""Gaussian elimination: publish the cells that do not reveal a primary, most expensive first."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from tacita.core import Pattern, Problem, RunContext, Table
from tacita.core.arrays import Ints, Mask
from tacita.tables.suppression.optimal.flow_network import Network
from tacita.tables.suppression.optimal.network_patterns import Builder
from tacita.tables.suppression.optimal.two_way_method import TwoWay
from tacita.tables.suppression.suppression_method import Shape
from tacita.tables.suppression.time_limit import Watch


class Gauss(TwoWay):
    """Publishes cells one by one, most expensive first, unless that would reveal a primary.

    What an attacker can compute is the linear span of what is published; a cell may be published if no
    primary lies in the span with it. The changes that the published cells do not show form a vector space;
    each cell is a coordinate on it, and publishing a cell eliminates one dimension. With the fundamental
    circuits of a cheapest spanning tree (primaries first) as a basis, the cells outside the tree are
    eliminated without arithmetic, and only the few that stay are worked on: entries remain 0 and 1 or -1, so
    that there is no rounding.

    In tables of any other shape circuits are those of the relations M a = 0: columns of M enter one by one,
    primaries first, then the cheapest, and one that depends on those before it closes a circuit. There a cell
    counts as up to 95 % cheaper than it is, in proportion to its value in the LP over single relations, which
    also gives a lower bound. Coefficients are counted modulo a large prime, so that there is no rounding
    there either.

    Signs and bounds are not seen: only for the general problem. In two-way tables no lower bound is known.
    O(primaries m n + kept^2 (m + n)) time, O(m n) memory; elsewhere O(entries of M, and their fill).
    Source: Langsrud (2024), Gaussian elimination for secondary suppression, as in the package
    GaussSuppression; the circuits as a basis are ours.

    >>> from tacita import Table
    >>> regions = [[11, 47, 58], [1, 15, 33], [2, 31, 20]]
    >>> table = Table.from_array(regions, primary=[[0, 0, 0], [0, 1, 0], [0, 0, 0]])
    >>> Gauss().suppress(table, "general").cost
    34.0
    """

    problems: ClassVar[tuple[Problem, ...]] = ("general",)
    shapes: ClassVar[tuple[Shape, ...]] = ("any",)
    anytime: ClassVar[bool] = False

    def choose(self, table: Table, problem: Problem, run: RunContext) -> Pattern:
        if table.is_two_way:
            return super().choose(table, problem, run)
        from tacita.tables.suppression.optimal.relation_presolve import systems_of, unmet_demand_error
        from tacita.tables.suppression.optimal.single_relation_bounds import Lines

        from .elimination import eliminated

        watch, suppressed, least = Watch(np.inf), table.primary.copy(), 0.0
        run.report("reading the table", 0, 1)
        for system in systems_of(table, problem):
            lines = Lines(system)
            chosen = eliminated(system, lines.x, run)
            if chosen is None:
                raise unmet_demand_error(table, system, 0)
            suppressed[system.of_table(chosen)] = True
            least += lines.table_bound
        run.report("suppressing cells", 1, 1)
        return self.made(table, problem, suppressed, least, watch)

    def search(self, network: Network, watch: Watch, run: RunContext) -> tuple[Mask, float]:
        run.report("eliminating", 0, 1)
        # cheapest last, primaries never: the order in which cells stay
        order = np.lexsort((np.arange(network.edges), network.cost, ~network.primary))
        in_tree = spanning_tree(network, order)
        tree = order[in_tree[order]]
        outside = order[~in_tree[order]]
        circuits = tree_circuits(network, tree, outside, network.primary)
        kept = _kept_outside(network, outside, circuits)
        vectors = {int(e): v for e, v in zip(tree, tree_circuits(network, tree, kept, None), strict=True)}
        for at, e in enumerate(kept.tolist()):
            vectors[e] = np.eye(len(kept), dtype=np.int64)[at]
        chosen = network.primary.copy()
        chosen[kept] = True
        _eliminate(network, tree[::-1], vectors, chosen)
        # cells outside the tree that can no longer move after the elimination need not be suppressed
        return Builder(network, chosen).clean(chosen), 0.0


def spanning_tree(network: Network, order: Ints) -> Mask:
    """Edges of the forest that takes edges in the given order (Kruskal). O(edges)."""
    leader = list(range(network.nodes))

    def find(v: int) -> int:
        while leader[v] != v:
            leader[v] = leader[leader[v]]
            v = leader[v]
        return v

    taken = np.zeros(network.edges, dtype=bool)
    for e, r, c in zip(
        order.tolist(), network.row[order].tolist(), network.column[order].tolist(), strict=True
    ):
        a, b = find(r), find(c)
        if a != b:
            leader[a] = b
            taken[e] = True
    return taken


def tree_circuits(network: Network, tree: Ints, outside: Ints, only: Mask | None) -> Ints:
    """How the fundamental circuit of each outside edge runs through each tree edge: 1, -1 or 0.

    One line per tree edge (of `only`, if given). The circuit of an edge passes a tree edge if the latter's
    removal parts the ends of the former. O(lines (nodes + outside)).
    """
    lines = tree if only is None else tree[only[tree]]
    made = np.zeros((len(lines), len(outside)), dtype=np.int64)
    near: list[list[tuple[int, int]]] = [[] for _ in range(network.nodes)]
    for e in tree.tolist():
        near[network.row[e]].append((int(network.column[e]), e))
        near[network.column[e]].append((int(network.row[e]), e))
    for at, e in enumerate(lines.tolist()):
        side = np.zeros(network.nodes, dtype=np.int64)
        side[network.row[e]] = 1
        stack = [int(network.row[e])]
        while stack:
            for w, f in near[stack.pop()]:
                if f != e and not side[w]:
                    side[w] = 1
                    stack.append(w)
        made[at] = side[network.column[outside]] - side[network.row[outside]]
    return made


def _kept_outside(network: Network, outside: Ints, circuits: Ints) -> Ints:
    """Edges outside the tree that must stay: primaries, and the last one that hides a primary of the tree."""
    stays = network.primary[outside].copy()
    hides = circuits != 0
    # `outside` runs from those that stay longest; a primary needs one of its circuits to survive
    hidden = (hides & stays).any(axis=1)
    first = np.where(hides.any(axis=1), hides.argmax(axis=1), -1)
    for at in np.argsort(-first, kind="stable").tolist():
        if not hidden[at] and first[at] >= 0:
            stays[first[at]] = True
            hidden |= hides[:, first[at]]
    return outside[stays]


def _eliminate(network: Network, candidates: Ints, vectors: dict[int, Ints], chosen: Mask) -> None:
    """Publish tree cells, most expensive first, and drop their dimension, unless a primary is a multiple."""
    secret = np.flatnonzero(network.primary).tolist()
    later = [e for e in candidates.tolist() if not network.primary[e]]
    table = np.array([vectors[e] for e in secret + later])
    at = {e: i for i, e in enumerate(secret + later)}
    count = len(secret)
    for e in later:
        vector = table[at[e]].copy()
        if not vector.any():
            continue  # moves with nothing: published or not, it tells nothing
        same = (table[:count] == vector).all(axis=1) | (table[:count] == -vector).all(axis=1)
        if same.any():
            chosen[e] = True
            continue
        pivot = int(np.flatnonzero(vector)[0])
        factor = table[:, pivot] * vector[pivot]
        table -= factor[:, None] * vector[None, :]
