"""Flows and cuts against peers and plain arithmetic."""

import itertools

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import dijkstra, maximum_flow

from tacita.kernels.tables.covers import tighten
from tacita.kernels.tables.cuts import rounded
from tacita.kernels.tables.flows import (
    adjacency,
    cheapest_path,
    flow_along,
    max_flow,
    remove_redundant,
    route_through,
    short_demand,
)
from tacita.kernels.tables.network import BOTH_WAYS, EITHER_WAY, ONE_WAY, Demands, Graph


def random_network(seed, rows=6, columns=5, share=0.6):
    generator = np.random.default_rng(seed)
    row, column = np.nonzero(generator.random((rows, columns)) < share)
    column = column + rows
    forward, backward = generator.integers(0, 9, size=(2, len(row))).astype(float)
    row, column = row.astype(np.int64), column.astype(np.int64)
    return Graph(*adjacency(row, column, rows + columns), row, column, forward, backward)


def test_max_flow_is_that_of_scipy_and_its_cut_has_the_same_capacity():
    for seed in range(60):
        graph = random_network(seed)
        flow = flow_along(graph, np.ones(len(graph.row), dtype=bool))
        sent = max_flow(graph, flow, 6, 0, -1, np.inf)
        capacity = np.zeros((11, 11), dtype=np.int32)
        capacity[graph.row, graph.column] = graph.forward
        capacity[graph.column, graph.row] = graph.backward
        assert sent == maximum_flow(csr_matrix(capacity), 6, 0).flow_value
        side = flow.parent >= -1
        assert capacity[np.ix_(side, ~side)].sum() == sent
        assert (flow.net <= graph.forward).all()
        assert (-flow.net <= graph.backward).all()


def test_the_cheapest_path_is_as_long_as_that_of_scipy():
    for seed in range(60):
        graph = random_network(seed, share=0.8)
        row, column = graph.row, graph.column
        generator = np.random.default_rng(seed)
        weight = generator.integers(1, 9, size=len(row)).astype(float)
        withheld = generator.random(len(row)) < 0.2
        need = 3.0
        flow = flow_along(graph, withheld)
        length = cheapest_path(graph, flow, weight, 6, 0, 1, need, route_through(graph))
        rooms = np.concatenate([graph.forward, graph.backward])
        ends = (np.append(row, column), np.append(column, row))
        price = np.tile(weight, 2) * np.maximum(1.0, need / np.maximum(rooms, 1e-9))
        price[np.tile(withheld, 2)] = 0.0
        usable = (rooms > 0) & (np.tile(np.arange(len(row)), 2) != 1)
        graph = csr_matrix((price[usable], (ends[0][usable], ends[1][usable])), shape=(11, 11))
        expected = dijkstra(graph, indices=6)[0]
        assert length == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("ways", [ONE_WAY, EITHER_WAY, BOTH_WAYS])
def test_clean_up_leaves_nothing_that_could_go(ways):
    for seed in range(40):
        graph = random_network(seed, share=0.9)
        row, column = graph.row, graph.column
        own = np.array([0, len(row) // 3, len(row) // 2])
        amounts = np.array([2.0, 3.0, 1.5])
        demands = Demands(column[own], row[own], own, amounts, np.full(3, ways))
        alive = np.ones(len(row), dtype=bool)
        order = np.setdiff1d(np.arange(len(row)), own)
        if not remove_redundant(graph, demands, alive, order):
            continue
        assert short_demand(graph, demands, alive) < 0
        for e in np.setdiff1d(np.flatnonzero(alive), own):
            fewer = alive.copy()
            fewer[e] = False
            assert short_demand(graph, demands, fewer) >= 0


@pytest.mark.parametrize("seed", range(40))
def test_a_tightened_cut_holds_for_every_set_of_cells_that_meets_the_demand(seed):
    generator = np.random.default_rng(seed)
    edges = 8
    out = generator.integers(0, 12, size=edges).astype(float)
    x = np.where(generator.random(edges) < 0.3, 1.0, generator.random(edges))
    fixed = np.zeros(edges, dtype=bool)
    fixed[0] = True
    demand = float(generator.integers(3, 20))
    taken, form = np.zeros(edges, dtype=bool), np.zeros(4)
    short = tighten(out, x, fixed, 1, demand, taken, form)
    if short <= 0:
        return
    clip, delta, fraction, scale = form
    entry = np.array([0.0 if taken[e] else min(out[e], clip) for e in range(edges)])
    if delta > 0:
        entry = np.array([rounded(a, delta, fraction) if a > 0 else 0.0 for a in entry])
    entry *= scale
    assert entry @ x < 1
    for cells in itertools.product((0, 1), repeat=edges - 2):
        chosen = np.array([1, 0, *cells])
        if out @ chosen >= demand:
            assert entry @ chosen >= 1 - 1e-9
