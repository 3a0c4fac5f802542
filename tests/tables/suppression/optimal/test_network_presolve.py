"""What is settled before the search, and parts of a pattern that are searched again: no cost is lost."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import maximum_flow

from tacita.core import DataError, RunContext
from tacita.kernels.tables.dominated_cells import joined
from tacita.tables.suppression.optimal import local_branching
from tacita.tables.suppression.optimal.flow_network import network_of, require_feasible
from tacita.tables.suppression.optimal.local_branching import Excess, give_up, near, search_nearby
from tacita.tables.suppression.optimal.network_patterns import Builder
from tacita.tables.suppression.optimal.network_presolve import needless, reduced, without_met
from tacita.tables.suppression.optimal.network_search import Search
from tacita.tables.suppression.time_limit import Watch
from twins.attacker import compact_least_cost
from twins.tables import asked, random_grid

WIDE = {"lower": 10, "upper": 0, "sliding": 80}
CASES = [("general", {}), ("exact", {}), ("interval", {}), ("interval", WIDE)]


def network(seed, problem, **options):
    """A network that has a pattern, else None."""
    try:
        made = network_of(random_grid(seed, problem, **options))
        require_feasible(made)
    except DataError:
        return None
    return made


def least_cost(net):
    """By trying every set of cells, and no cheaper one after it."""
    builder, free = Builder(net), np.flatnonzero(~net.primary)
    best = np.inf
    for cells in itertools.product((False, True), repeat=len(free)):
        chosen = net.primary.copy()
        chosen[free] = cells
        cost = float(net.cost[chosen].sum())
        if cost < best and builder.protects(chosen):
            best = cost
    return best


@pytest.mark.parametrize(("problem", "levels"), CASES)
def test_the_reduced_network_has_patterns_of_the_same_least_cost_and_they_protect_in_the_whole(
    problem, levels
):
    fewer_cells, fewer_demands, merged = 0, 0, 0
    for seed in range(30):
        shape, primaries = ((4, 4), 6) if seed % 2 else ((3, 5), 7)
        net = network(seed, problem, shape=shape, primaries=primaries, margins=False, **levels)
        if net is None:
            continue
        rest, left = reduced(net)
        fewer_cells += (~net.primary).sum() > (~rest.primary).sum()
        fewer_demands += len(rest.source) < len(net.source)
        merged += not np.array_equal(rest.row, net.row[left])
        if not len(rest.source):
            assert Builder(net).protects(net.primary)
            continue
        found = Builder(rest).clean(np.ones(rest.edges, dtype=bool))
        whole = net.primary.copy()
        whole[left[found]] = True
        assert Builder(net).protects(whole)
        assert least_cost(rest) == pytest.approx(least_cost(net))
    assert min(fewer_cells, fewer_demands, merged) > 0


def test_a_demand_is_dropped_if_and_only_if_primaries_meet_it():
    kept = dropped = 0
    for seed in range(40):
        net = network(seed, "interval", shape=(4, 5), primaries=9)
        if net is None:
            continue
        rest = without_met(net)
        stays = {(int(own), int(source)) for own, source in zip(rest.own, rest.source, strict=True)}
        for own, source, sink, amount in zip(net.own, net.source, net.sink, net.amount, strict=True):
            others = np.flatnonzero(net.primary)
            met = plain_flow(net, others[others != own], source, sink) >= amount - 1e-6
            assert met == ((int(own), int(source)) not in stays)
            dropped, kept = dropped + met, kept + (not met)
    assert min(kept, dropped) > 0


def plain_flow(net, edges, source, sink):
    """Maximum flow along some edges, in thousandths."""
    matrix = np.zeros((net.nodes, net.nodes), dtype=np.int32)
    for e in edges:
        matrix[net.row[e], net.column[e]] += round(1000 * net.forward[e])
        matrix[net.column[e], net.row[e]] += round(1000 * net.backward[e])
    return maximum_flow(csr_matrix(matrix), int(source), int(sink)).flow_value / 1000


def test_joined_nodes_carry_the_largest_demand_though_any_primary_be_missing(some):
    pairs = 0
    for seed in some(range(8), 4):
        net = network(seed, "interval", shape=(5, 5), primaries=16, largest=30)
        if net is None:
            continue
        most, primaries = float(net.amount.max()), np.flatnonzero(net.primary)
        leader = joined(net.among(primaries)[0], most)
        for one, other in itertools.permutations(range(net.nodes), 2):
            if leader[one] != leader[other]:
                continue
            pairs += 1
            for missing in primaries:
                assert plain_flow(net, primaries[primaries != missing], one, other) >= most - 1e-6
    assert pairs


def test_a_cell_that_costs_more_than_a_way_round_of_able_cells_is_needless_and_no_other():
    values = np.array([[50.0, 20, 90], [20, 20, 60], [70, 80, 20]])
    primary = np.zeros((3, 3), dtype=bool)
    primary[0, 0] = True
    grid = asked(values, primary, "interval", lower=20, upper=20)
    net = network_of(grid)
    row, column = net.lines(np.arange(net.edges))
    found = {(int(r), int(c)) for r, c in zip(row[needless(net)], column[needless(net)], strict=True)}
    plain = set()
    for r, c in itertools.product(range(3), repeat=2):
        around = min(
            values[r, j] + values[i, j] + values[i, c]
            for i, j in itertools.product(range(3), repeat=2)
            if i != r and j != c and not {(r, j), (i, j), (i, c)} & {(0, 0)}
        )
        if not primary[r, c] and around < values[r, c]:
            plain.add((r, c))
    assert found == plain


@pytest.mark.parametrize("seed", range(4))
def test_giving_up_the_whole_pattern_ends_at_the_cost_of_the_compact_model(seed):
    grid = random_grid(seed, "interval", shape=(6, 7), primaries=5, largest=60, lower=50, upper=50)
    search = Search(network_of(grid), Watch(np.inf), RunContext(), per_line=20)
    secondary = np.flatnonzero(search.best & ~search.network.primary)
    alike = np.zeros(search.network.edges)
    assert sorted(near(search, search.best, alike, len(secondary))) == secondary.tolist()
    better, proven = give_up(search, search.best, secondary)
    assert proven
    assert search.offer(better) == (better is not None)
    assert search.cost == pytest.approx(compact_least_cost(grid), abs=1e-5)
    assert Builder(search.network).protects(search.best)


@pytest.mark.parametrize("seed", range(6))
def test_what_a_pattern_costs_beyond_the_bound_is_told_cell_by_cell(seed):
    grid = random_grid(seed, "interval", shape=(14, 14), primaries=12, largest=90, lower=40, upper=40)
    search = Search(network_of(grid), Watch(np.inf), RunContext())
    search.relax()
    master, dearer = search.master, search.best.copy()
    spare = master.columns[~dearer[master.columns]][:3]
    dearer[spare] = True
    excess = Excess(master)
    for pattern in (search.best, dearer):
        held = pattern[master.columns[: len(master.reduced)]]
        # cells that the programme is sure of, and the pattern does without
        missed = -np.minimum(master.reduced, 0.0)[~held].sum()
        assert (excess.of(pattern) >= 0).all()
        assert not excess.of(pattern)[~pattern].any()
        told = excess.of(pattern).sum() + missed
        assert told == pytest.approx(search.network.cost[pattern].sum() - master.value, abs=1e-6)
    assert (excess.of(dearer)[spare] > 0).all()


def test_parts_grow_from_cells_that_cost_more_than_the_bound():
    grid = random_grid(5, "interval", shape=(14, 14), primaries=12, largest=90, lower=40, upper=40)
    search = Search(network_of(grid), Watch(np.inf), RunContext())
    secondary = np.flatnonzero(search.best & ~search.network.primary)
    for dear in secondary:
        excess = np.zeros(search.network.edges)
        excess[dear] = 1.0
        for size in (1, 4):
            part = near(search, search.best, excess, 2 * local_branching.SETTINGS.seeds * size)
            assert dear in part
            assert (
                len(set(part)) == len(part) == min(len(secondary), 2 * local_branching.SETTINGS.seeds * size)
            )


def test_parts_of_a_pattern_are_given_up_only_for_cheaper_ones_that_protect():
    grid = random_grid(5, "interval", shape=(14, 14), primaries=12, largest=90, lower=40, upper=40)
    search = Search(network_of(grid), Watch(np.inf), RunContext())
    before = search.cost
    search_nearby(search)
    assert search.cost < before
    assert search.cost == search.network.cost[search.best].sum()
    assert Builder(search.network).protects(search.best)


@pytest.mark.parametrize(
    ("alike", "steps", "starts"), [(False, 1, 10), (False, 2, 1), (True, 1, 40), (True, 6, 40), (True, 7, 1)]
)
def test_other_patterns_are_begun_with_where_the_best_is_hardly_dearer_than_the_bound(
    alike, steps, starts, monkeypatch
):
    grid = random_grid(5, "interval", shape=(14, 14), primaries=12, largest=90, lower=40, upper=40)
    grid = replace(grid, cost=np.ones_like(grid.cost)) if alike else grid
    search = Search(network_of(grid), Watch(np.inf), RunContext())
    begun = []
    monkeypatch.setattr(local_branching, "_descend", lambda _search, pattern, *_: begun.append(pattern))
    monkeypatch.setattr(local_branching, "SETTINGS", replace(local_branching.SETTINGS, first=2))
    search.bound = search.cost - steps
    search_nearby(search)
    assert len(begun) == starts
    assert all(Builder(search.network).protects(pattern) for pattern in begun)
