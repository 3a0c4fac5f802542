"""What is said of all protecting patterns before and during a search, against patterns drawn at random."""

import numpy as np
import pytest

from tacita.core import DataError, Hierarchy, RunContext, Table
from tacita.tables.suppression.optimal.connected_parts import searches_of
from tacita.tables.suppression.optimal.implied_suppressions import with_forced
from tacita.tables.suppression.optimal.relation_patterns import Builder
from tacita.tables.suppression.optimal.relation_presolve import systems_of, unmet_demand_error
from tacita.tables.suppression.optimal.separation import Separation
from tacita.tables.suppression.optimal.single_relation_bounds import Lines
from tacita.tables.suppression.time_limit import Watch
from twins.relations import protects

REGIONS = Hierarchy("region", ("T", "A", "B", "a0", "a1", "b0", "b1"), (-1, 0, 0, 1, 1, 2, 2))


def made(seed, shape):
    """A table of small and large cells, two of them sensitive, sums open."""
    generator = np.random.default_rng(seed)
    leaves = (4, 3) if shape == "hierarchical" else (3, 3, 2)
    flat = [Hierarchy.flat(f"d{at}", [str(i) for i in range(size)]) for at, size in enumerate(leaves)]
    values = np.round(generator.lognormal(3, 1.3, size=leaves)) + 1
    primary = np.zeros(values.size, dtype=bool)
    primary[generator.choice(values.size, 2, replace=False)] = True
    dimensions = [REGIONS, *flat[1:]] if shape == "hierarchical" else flat
    levels = {"lower": 60, "upper": 60, "margins": True}
    return Table.cross(dimensions, values, primary=primary.reshape(leaves), **levels)


def open_systems(seeds, shape):
    """Tables that can be protected, with their systems."""
    for seed in seeds:
        table = made(seed, shape)
        try:
            systems = systems_of(table, "interval")
        except DataError:
            continue
        if systems and protects(table, "interval", table.primary | ~table.forced):
            yield table, systems


def patterns_of(system, generator, count=20):
    """Patterns of a system that protect, by no more than what they withhold: what is drawn is checked."""
    builder = Builder(system)
    for share in generator.uniform(0.5, 1.0, count):
        chosen = system.primary | (generator.random(system.edges) < share)
        if builder.protects(chosen):
            yield chosen


@pytest.mark.parametrize("shape", ["hierarchical", "three-way"])
def test_without_a_forced_cell_nothing_protects(shape):
    forced = 0
    for table, systems in open_systems(range(25), shape):
        for system in systems:
            for column in np.flatnonzero(with_forced(system).primary & ~system.primary):
                withheld = table.primary | ~table.forced
                withheld[system.of_table(np.arange(system.edges) == column)] = False
                assert not protects(table, "interval", withheld)
                forced += 1
    assert forced > 10


def test_what_protects_meets_what_forced_cells_are_asked_and_nothing_else_does():
    generator, drawn, more = np.random.default_rng(2), 0, 0
    for _, systems in open_systems(range(40), "hierarchical"):
        for system in systems:
            known = with_forced(system)
            more += known.demands - system.demands
            assert known.fixed_cost == system.fixed_cost + system.cost[known.primary].sum()
            for chosen in patterns_of(system, generator):
                assert chosen[known.primary].all()
                assert Builder(known).protects(chosen)
                drawn += 1
    assert drawn > 100
    assert more > 20


def test_no_row_excludes_a_pattern_that_protects():
    generator, rows, drawn = np.random.default_rng(3), 0, 0
    for _, systems in open_systems(range(30), "three-way"):
        for system in systems:
            patterns = np.array(list(patterns_of(system, generator)))
            if not len(patterns):
                continue
            separation = Separation(system)
            for x in generator.uniform(0.0, 1.0, (4, system.edges)) ** 2:
                x[system.primary] = 1.0
                separation.new(x, 40)
                for found in (separation.known(x, 300), separation.near(x)):
                    for row, right in enumerate(found.right):
                        span = slice(found.start[row], found.start[row + 1])
                        assert (patterns[:, found.at[span]] @ found.value[span] >= right - 1e-9).all()
                        rows += 1
            drawn += len(patterns)
    assert rows > 200
    assert drawn > 100


def test_rays_that_leave_nothing_short_still_give_rows():
    """Three cells carry 0.6 of a demand each: x = 5 / 9 of each does, by the plain row, yet two must be."""
    values = np.array([[10.0, 6.0, 6.0, 6.0], [50.0, 50.0, 50.0, 50.0], [50.0, 50.0, 50.0, 50.0]])
    table = Table.from_array(values, primary=np.arange(12).reshape(3, 4) == 0, upper=100, margins=False)
    (system,) = systems_of(table, "interval")
    x = np.ones(system.edges)
    x[1:4] = 5 / 9 + 1e-9
    separation = Separation(system)
    assert not len(separation.known(x, 300).right)
    found = separation.near(x)
    assert any(
        found.at[found.start[row] : found.start[row + 1]].tolist() == [1, 2, 3]
        and np.allclose(found.value[found.start[row] : found.start[row + 1]], 0.5)
        for row in range(len(found.right))
    )


def test_a_search_begins_where_single_lines_end():
    table = made(3, "three-way")
    searches, _, _ = searches_of(table, "interval", Watch(60.0), RunContext(), lambda _: None)
    for search in searches:
        lines = Lines(search.network)
        assert search.bound == lines.least
        assert search.master.solve()
        assert search.master.value == pytest.approx(lines.bound, rel=1e-6)


def test_a_refusal_names_a_primary_also_where_a_forced_cell_was_asked():
    values = [[10.0, 90.0, 20.0], [3.0, 80.0, 40.0], [4.0, 70.0, 90.0]]
    table = Table.from_array(values, primary=[[1, 0, 0], [0, 0, 0], [0, 0, 0]], upper=50)
    (system,) = systems_of(table, "interval")
    known = with_forced(system)
    beside = np.flatnonzero((known.primary & ~system.primary)[known.own])
    assert len(beside) == 2
    for demand in beside:
        assert "Primary cell 1 / 1 cannot be protected" in str(unmet_demand_error(table, known, int(demand)))
