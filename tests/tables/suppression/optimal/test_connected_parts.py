"""The exact method on tables of any shape, against exhaustive search and by its laws."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from tacita.core import DataError, Hierarchy, RunContext, Table
from tacita.tables.suppression.optimal import connected_parts
from tacita.tables.suppression.optimal.connected_parts import least_pattern, root_bound
from tacita.tables.suppression.optimal.optimal import Optimal
from tacita.tables.suppression.optimal.relation_patterns import Builder
from tacita.tables.suppression.optimal.relation_presolve import systems_of
from tacita.tables.suppression.time_limit import Watch
from tacita.tables.verify.audit import audit
from twins.relations import REGION, nothing_cheaper, protects, random_table

PROBLEMS = ("general", "exact", "interval")
SHAPES = ("hierarchical", "three-way", "deep", "linked")


def solved(table, problem, **parameters):
    """A proven pattern that passes the audit, or None where no pattern protects."""
    try:
        found = Optimal(**parameters).suppress(table, problem)
    except DataError:
        return None
    assert found.status == "optimal"
    assert audit(table, found.withheld, problem).safe
    return found


WIDE = {"lower": 0, "upper": 0, "sliding": 60}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("problem", "levels"), [*((each, {}) for each in PROBLEMS), ("interval", WIDE)])
def test_no_cheaper_pattern_protects_small_tables_by_exhaustive_search(some, shape, problem, levels):
    # linked ones are dear
    infeasible, seeds = 0, some(range(20), 6) if shape == "linked" else range(20)
    for seed in seeds:
        table = random_table(seed, shape, problem, **levels)
        found = solved(table, problem)
        if found is None:
            infeasible += 1
            assert not protects(table, problem, table.primary | ~table.forced), seed
            continue
        assert protects(table, problem, found.withheld), seed
        assert nothing_cheaper(table, problem, found.cost), seed
    assert infeasible < 0.8 * len(seeds)


def hierarchical(seed=0, shape=(6, 4), primaries=3, **fields):
    """Regions in two groups by columns; sums may be withheld."""
    generator = np.random.default_rng(seed)
    rows = ("T", "A", "B", *(f"a{i}" for i in range(3)), *(f"b{i}" for i in range(3)))
    region = Hierarchy("region", rows, (-1, 0, 0, 1, 1, 1, 2, 2, 2))
    values = generator.integers(1, 200, size=shape).astype(float)
    primary = np.zeros(values.size, dtype=bool)
    primary[generator.choice(values.size, primaries, replace=False)] = True
    columns = Hierarchy.flat("column", [str(column) for column in range(shape[1])])
    levels = {"lower": 20, "upper": 20, "margins": True} | fields
    return Table.cross([region, columns], values, primary=primary.reshape(shape), **levels)


def known_to(table, problem):
    """Before an attacker who knows what the problem says he does."""
    return table.with_bounds(-np.inf, np.inf) if problem == "general" else table


class TestWorkedExample:
    """Region R = {R1, R2}, R1 = {a, b}, R2 = {c, d}, columns x, y; (a, x) is sensitive."""

    VALUES = ((5.0, 3.0), (7.0, 9.0), (4.0, 6.0), (8.0, 2.0))

    def test_the_least_number_is_the_square_of_its_own_region(self):
        columns = Hierarchy.flat("column", ["x", "y"])
        primary = np.arange(8).reshape(4, 2) == 0
        table = Table.cross([REGION, columns], self.VALUES, primary=primary, cost="count")
        found = solved(table, "exact")
        withheld = {table.label(cell) for cell in np.flatnonzero(found.withheld)}
        assert withheld == {("a", "x"), ("a", "y"), ("b", "x"), ("b", "y")}


class TestLaws:
    @pytest.mark.parametrize("problem", PROBLEMS)
    @pytest.mark.parametrize("seed", range(3))
    def test_a_two_way_table_has_the_same_optimum_by_either_engine(self, problem, seed):
        generator = np.random.default_rng(seed)
        values = generator.integers(1, 100, size=(5, 5)).astype(float)
        primary = np.zeros(25, dtype=bool)
        primary[generator.choice(25, 4, replace=False)] = True
        table = Table.from_array(values, primary=primary.reshape(5, 5), lower=15, upper=15, margins=True)
        known = known_to(table, problem)
        by_network = Optimal().suppress(known, problem)
        withheld, bound, _ = least_pattern(known, problem, "highs", 60.0, RunContext())
        assert known.cost[withheld & ~known.primary].sum() == by_network.cost
        assert bound == pytest.approx(by_network.cost)

    @pytest.mark.parametrize("problem", PROBLEMS)
    def test_an_optimal_pattern_fails_the_audit_when_any_secondary_is_published(self, problem):
        table = known_to(hierarchical(1), problem)
        found = solved(table, problem)
        assert found.secondary_count
        for cell in np.flatnonzero(found.secondary):
            fewer = found.withheld.copy()
            fewer[cell] = False
            assert not audit(table, fewer, problem).safe

    def test_withholding_more_never_hurts(self):
        table = hierarchical(2)
        mask = solved(table, "interval").withheld.copy()
        generator = np.random.default_rng(0)
        for cell in generator.permutation(np.flatnonzero(~mask & ~table.forced))[:12]:
            mask[cell] = True
            assert audit(table, mask, "interval").safe

    @pytest.mark.parametrize("problem", PROBLEMS)
    def test_the_order_of_the_dimensions_and_of_their_labels_changes_nothing(self, problem):
        table = known_to(hierarchical(3), problem)
        values, primary = table.grid(table.values), table.grid(table.primary)
        turned = np.array([2, 0, 3, 1])
        shuffled = Hierarchy("column", ("Total", *(str(column) for column in turned)), (-1, 0, 0, 0, 0))
        places = np.array([4, *turned])
        fields = {"lower": 20, "upper": 20, "margins": True}
        swapped = Table.cross(
            [shuffled, table.dimensions[0]], values[:, places].T, primary=primary[:, places].T, **fields
        )
        assert solved(known_to(swapped, problem), problem).cost == solved(table, problem).cost

    @pytest.mark.parametrize("problem", PROBLEMS)
    def test_a_hierarchy_with_one_child_per_parent_is_the_flat_table(self, problem):
        generator = np.random.default_rng(4)
        values = generator.integers(1, 90, size=(4, 4)).astype(float)
        primary = np.arange(16).reshape(4, 4) % 7 == 2
        labels = ("T", *(f"over {i}" for i in range(4)), *(f"under {i}" for i in range(4)))
        nested = Hierarchy("row", labels, (-1, 0, 0, 0, 0, 1, 2, 3, 4))
        columns = Hierarchy.flat("column", list("abcd"))
        fields = {"primary": primary, "lower": 15, "upper": 15, "cost": "count", "margins": True}
        deep = known_to(Table.cross([nested, columns], values, **fields), problem)
        # both of a pair are withheld or none: together they cost what the one does in the flat table
        half = deep.with_cost(np.where(np.isin(deep.codes[:, 0], range(1, 9)), 0.5, 1.0))
        free = replace(half, cost=np.where(_twin_of_a_primary(half), 0.0, half.cost))
        flat = known_to(Table.from_array(values, **fields), problem)
        assert solved(free, problem).cost == pytest.approx(solved(flat, problem).cost)

    def test_linked_tables_are_the_same_system_given_as_one(self):
        table = hierarchical(5)
        as_list = replace(
            table,
            dimensions=(Hierarchy.flat("cell", [str(cell) for cell in range(table.n)]),),
            codes=np.arange(table.n)[:, None],
        )
        assert solved(as_list, "interval").cost == solved(table, "interval").cost

    @pytest.mark.parametrize("scale", [2.0**-30, 1e6, 3.7e9])
    def test_the_unit_of_the_values_does_not_matter(self, scale):
        plain = hierarchical(6, cost="count")
        grown = replace(
            plain, **{name: getattr(plain, name) * scale for name in ("values", "lower", "upper")}
        )
        assert solved(grown, "interval").cost == solved(plain, "interval").cost

    def test_the_same_table_gives_the_same_pattern(self):
        one, two = (solved(hierarchical(7), "interval") for _ in range(2))
        assert np.array_equal(one.withheld, two.withheld)


def _twin_of_a_primary(table):
    """Cells that say the same as a sensitive one."""
    above = np.where(table.codes[:, 0] >= 5, table.codes[:, 0] - 4, table.codes[:, 0])
    named = {(a, b) for a, b in zip(above[table.primary], table.codes[table.primary, 1], strict=True)}
    return np.array([(a, b) in named for a, b in zip(above, table.codes[:, 1], strict=True)])


@pytest.mark.each_once
@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("shape", SHAPES)
def test_both_solvers_find_the_same_cost(problem, shape):
    pytest.importorskip("pyscipopt")
    for seed in range(4):
        table = random_table(seed, shape, problem)
        one, two = (solved(table, problem, solver=solver) for solver in ("highs", "scip"))
        assert (one is None) == (two is None)
        if one is not None:
            assert one.cost == pytest.approx(two.cost)


def test_the_root_bound_lies_below_the_least_cost_and_above_nothing():
    table = hierarchical(8)
    everything = table.primary | ~table.forced
    bound = root_bound(table, "interval", everything, Watch(60.0), RunContext())
    assert 0 < bound <= solved(table, "interval").cost


def test_cleaning_that_is_ended_early_leaves_a_pattern_that_protects():
    table = hierarchical(8)
    (system,) = systems_of(table, "interval")
    sizes = []
    for looks in (1, 2, 3, 1000):
        left = iter([False] * looks)
        ending = Builder(system, over=lambda left=left: next(left, True))
        pattern = ending.clean(np.ones(system.edges, dtype=bool))
        assert ending.protects(pattern)
        sizes.append(int(pattern.sum()))
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[-1]


def test_a_time_limit_ends_with_a_pattern_and_a_bound_below_it():
    table = hierarchical(9, primaries=8)
    found = Optimal(seconds=1e-6).suppress(table, "interval")
    assert found.status == "time limit"
    assert 0 <= found.lower_bound < found.cost
    assert audit(table, found.withheld, "interval").safe


def test_a_large_table_begins_from_the_pattern_of_constructive_and_ends_at_the_same_cost(monkeypatch):
    table = hierarchical(9, primaries=8)
    before = solved(table, "interval")
    monkeypatch.setattr(connected_parts, "SETTINGS", replace(connected_parts.SETTINGS, large_cells=10))
    assert solved(table, "interval").cost == before.cost
    # with no time at all the first pattern is what there is
    found = Optimal(seconds=1e-3).suppress(table, "interval")
    assert audit(table, found.withheld, "interval").safe
    assert found.lower_bound <= before.cost <= found.cost


def test_parts_are_vast_by_their_cells_or_where_relations_outnumber_them(monkeypatch):
    (system,) = systems_of(hierarchical(9, primaries=8), "interval")
    tangled = replace(system, relations=sparse.vstack([system.relations] * 5).tocsr())
    assert [connected_parts._vast(each) for each in (system, tangled)] == [False, False]
    monkeypatch.setattr(connected_parts, "SETTINGS", replace(connected_parts.SETTINGS, tangled_cells=10))
    assert [connected_parts._vast(each) for each in (system, tangled)] == [False, True]
    monkeypatch.setattr(connected_parts, "SETTINGS", replace(connected_parts.SETTINGS, large_cells=10))
    assert [connected_parts._vast(each) for each in (system, tangled)] == [True, True]


def test_told_that_it_is_enough_it_ends_with_what_it_has():
    table = hierarchical(9, primaries=8)
    found = Optimal().suppress(table, "interval", RunContext(should_stop=lambda: True))
    assert found.status == "stopped"
    assert audit(table, found.withheld, "interval").safe


def test_cells_that_move_only_together_are_one_and_parts_stand_apart():
    table = hierarchical(10)
    # with all sums published the regions have nothing to do with each other
    own = table.codes[table.primary, 0] < 6
    assert len(systems_of(table.with_margins(False), "interval")) == len(np.unique(own))
    assert len(systems_of(table, "interval")) == 1
    two = Table.from_array(np.ones((2, 2, 2)), primary=np.arange(8).reshape(2, 2, 2) == 0, lower=50, upper=50)
    (system,) = systems_of(two, "interval")
    # in a cube of 2 x 2 x 2 with published sums all eight move by the same
    assert (system.edges, system.demands, system.fixed_cost) == (1, 2, 7.0)


def test_a_primary_that_nothing_protects_is_named():
    values = [[5.0, 0.0], [7.0, 9.0], [4.0, 6.0], [8.0, 2.0]]
    primary = np.arange(8).reshape(4, 2) == 0
    table = Table.cross(
        [REGION, Hierarchy.flat("column", ["x", "y"])], values, primary=primary, lower=20, upper=20
    )
    with pytest.raises(DataError, match=r"a / x cannot be protected.*margins"):
        Optimal().suppress(table.with_zeros("publish"), "interval")
