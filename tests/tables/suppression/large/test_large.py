"""Methods for tables of any shape: proofs hold, small tables are exact, what is said of bounds is true."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from tacita.core import DataError, Hierarchy, ParameterError, RunContext, Table
from tacita.io.hierarchies import from_nested
from tacita.tables.release.suppress import suppress
from tacita.tables.suppression.heuristics.elimination import eliminated
from tacita.tables.suppression.heuristics.gauss import Gauss
from tacita.tables.suppression.heuristics.hypercube import Hypercube
from tacita.tables.suppression.large import large_table_method as large_table
from tacita.tables.suppression.large import movement_certificates as certificates
from tacita.tables.suppression.large.constructive import Constructive
from tacita.tables.suppression.large.hitas import HiTaS, by_elimination, subtables, top_down
from tacita.tables.suppression.large.large_table_method import systems_for
from tacita.tables.suppression.large.movement_certificates import Proofs
from tacita.tables.suppression.large.neighbourhood_search import Improve
from tacita.tables.suppression.optimal.relation_presolve import systems_of
from tacita.tables.suppression.optimal.single_relation_bounds import Lines
from tacita.tables.verify.audit import audit
from twins import attack

REGIONS = from_nested("region", {"north": ["n1", "n2"], "south": ["s1", "s2"]})
SIZES = Hierarchy.flat("size", ["small", "large"])
METHODS = [Constructive(bound=0.0), HiTaS(bound=0.0), Improve(bound=0.0, seconds=20.0)]


def nested(seed, share=0.25, **fields):
    generator = np.random.default_rng(seed)
    values = generator.integers(1, 30, size=(4, 2)).astype(float)
    given = {"primary": generator.random(values.shape) < share, "lower": 20, "upper": 20, **fields}
    return Table.cross([REGIONS, SIZES], values, margins=True, **given)


def cube(seed, shape=(4, 4, 3), share=0.15, **fields):
    generator = np.random.default_rng(seed)
    values = generator.integers(0, 12, size=shape).astype(float)
    given = {"primary": (generator.random(shape) < share) & (values > 0), "lower": 20, "upper": 20, **fields}
    return Table.from_array(values, margins=True, **given).with_zeros("publish")


def least_cost(table, problem):
    """The cheapest protecting pattern by trying all, the cheapest first; inf where there is none."""
    free = np.flatnonzero(~table.forced & ~table.primary)
    if not attack.is_safe(table, ~table.forced, problem):
        return np.inf
    choices = [np.array(each) for count in range(free.size + 1) for each in combinations(free, count)]
    costs = [float(table.cost[each].sum()) if each.size else 0.0 for each in choices]
    for at in np.argsort(costs, kind="stable"):
        mask = table.primary.copy()
        mask[choices[at].astype(int)] = True
        if attack.is_safe(table, mask, problem):
            return costs[at]
    return np.inf


def test_the_worked_example_of_a_hierarchy_withholds_four_cells_of_one_region():
    values = np.array([[5.0, 3.0], [7.0, 9.0], [4.0, 6.0], [8.0, 2.0]])
    rows = from_nested("region", {"R1": ["a", "b"], "R2": ["c", "d"]})
    table = Table.cross(
        [rows, Hierarchy.flat("column", ["x", "y"])], values, primary=values == 5.0, cost="count"
    )
    for method in METHODS:
        pattern = method.suppress(table, "exact")
        labels = {table.label(cell) for cell in np.flatnonzero(pattern.withheld)}
        assert labels == {("a", "x"), ("a", "y"), ("b", "x"), ("b", "y")}


@pytest.mark.parametrize("problem", ["exact", "interval"])
def test_improve_finds_what_trying_all_patterns_finds_and_proves_it(problem):
    met = set()
    for seed in range(6):
        table = nested(seed, share=0.1)
        # few cells may be withheld, so that all patterns can be tried
        table = replace(table, forced=~table.inner & ~table.primary)
        least = least_cost(table, problem)
        met.add(bool(np.isinf(least)))
        if np.isinf(least):
            with pytest.raises(DataError, match="cannot be protected"):
                Improve(seconds=20.0).suppress(table, problem)
            continue
        found = Improve(seconds=20.0).suppress(table, problem)
        assert found.cost == pytest.approx(least)
        assert found.status == "optimal"
    assert False in met


@pytest.mark.parametrize("method", METHODS, ids=lambda each: each.display_name())
@pytest.mark.parametrize("problem", ["exact", "interval"])
def test_patterns_of_cubes_are_safe_by_plain_programmes(method, problem):
    for seed in range(3):
        table = cube(seed)
        pattern = method.suppress(table, problem)
        assert attack.is_safe(table, pattern.withheld, problem)


@pytest.mark.parametrize("large", [False, True, "hurried"])
@pytest.mark.parametrize("problem", ["exact", "interval"])
def test_every_proof_is_a_movement_of_withheld_cells_that_meets_its_demand(monkeypatch, problem, large):
    if large is True:
        monkeypatch.setattr(certificates, "SETTINGS", replace(certificates.SETTINGS, whole_columns=10))
        monkeypatch.setattr("tacita.tables.suppression.large.neighbourhood._NEAREST", (20, 60))
    table = cube(3, shape=(5, 4, 4), sliding=50)
    for system in systems_for(table, problem):
        proofs = Proofs(system, table.primary)
        assert all(proofs.prove(demand, large == "hurried") for demand in range(system.demands))
        proofs.price_plainly()
        costs = [proofs.cost]
        for change in (proofs.spare, proofs.replace):
            for column in proofs.secondary.tolist():
                if proofs.chosen[column]:
                    gained = change(column)
                    costs.append(proofs.cost)
                    assert costs[-1] < costs[-2] if gained else costs[-1] == costs[-2]
        assert costs[-1] < costs[0] or problem == "exact"
        # asked again of the whole programme
        monkeypatch.undo()
        for demand, columns in enumerate(proofs.proofs):
            assert proofs.chosen[columns].all()
            inside = np.zeros(system.edges, dtype=bool)
            inside[columns] = True
            alone = Proofs(system, np.zeros(table.n, dtype=bool))
            alone.chosen[:] = inside | system.primary
            assert alone.find(demand, inside, inside) is not None


def test_when_it_is_over_no_other_proof_is_sought_and_those_at_hand_stay():
    table = cube(3, shape=(5, 4, 4))
    (system,) = systems_for(table, "interval")
    proofs = Proofs(system, table.primary, over=lambda: True)
    assert all(proofs.prove(demand, hurried=True) for demand in range(system.demands))
    before = proofs.chosen.copy()
    assert not any(change(column) for change in (proofs.spare, proofs.replace) for column in proofs.secondary)
    assert np.array_equal(proofs.chosen, before)
    assert audit(table, _withheld(table, system, proofs), "interval").safe


def _withheld(table, system, proofs):
    withheld = table.primary.copy()
    withheld[system.of_table(proofs.chosen)] = True
    return withheld


def test_in_a_hurry_from_the_start_a_pattern_is_safe_and_named_with_its_bound(monkeypatch):
    monkeypatch.setattr(large_table, "SETTINGS", replace(large_table.SETTINGS, hurry_share=0.0))
    for seed in range(3):
        table = cube(seed, sliding=50)
        found = Constructive().suppress(table, "interval")
        assert attack.is_safe(table, found.withheld, "interval")
        assert 0 < found.lower_bound <= found.cost


def test_a_clean_pattern_needs_every_cell_that_it_withholds():
    table = cube(4)
    pattern = Constructive(bound=0.0).suppress(table, "interval")
    columns = [
        system.of_table(np.eye(system.edges, dtype=bool)[at])
        for system in systems_for(table, "interval")
        for at in range(system.edges)
    ]
    for cells in columns:
        if pattern.secondary[cells].any():
            fewer = pattern.withheld.copy()
            fewer[cells[~table.primary[cells]]] = False
            assert not audit(table, fewer, "interval").safe


def test_counts_that_could_move_by_less_than_one_are_protected_as_whole_numbers():
    generator = np.random.default_rng(1)
    values = generator.integers(0, 6, size=(6, 5, 4)).astype(float)
    table = Table.from_array(values, margins=True, frequency=True)
    table = table.with_primary((table.values > 0) & (table.values < 3)).with_zeros("publish")
    for method in METHODS[:2]:
        assert suppress(table, method, "exact", zeros="publish").audit.safe
    # by sums alone more seems enough
    gauss = Gauss().suppress(table.with_bounds(-np.inf, np.inf), "general")
    assert audit(table.with_bounds(-np.inf, np.inf), gauss, "general").safe


@pytest.mark.parametrize("shape", [(5, 4), (4, 3, 3), (3, 3, 2, 2)])
def test_gauss_publishes_nothing_that_reveals_a_primary_and_withholds_nothing_in_vain(shape):
    for seed in range(6):
        table = cube(seed, shape).with_bounds(-np.inf, np.inf)
        for system in systems_of(table, "general"):
            chosen = eliminated(system, Lines(system).x, RunContext())
            primaries = np.flatnonzero(system.primary)
            matrix = system.relations.toarray()

            def hidden(mask, matrix=matrix, primaries=primaries):
                free = np.flatnonzero(mask)
                rank = np.linalg.matrix_rank(matrix[:, free])
                return all(np.linalg.matrix_rank(matrix[:, free[free != cell]]) == rank for cell in primaries)

            assert hidden(chosen)
            for column in np.flatnonzero(chosen & ~system.primary):
                fewer = chosen.copy()
                fewer[column] = False
                assert not hidden(fewer)


def test_small_tables_cover_all_sums_and_come_from_the_top_down():
    table = nested(0)
    parts = subtables(table)
    top = {table.cell("Total", "Total")}
    assert top <= set(parts[0].tolist())
    closed = set()
    for cells in parts:
        inside = np.zeros(table.n, dtype=bool)
        inside[cells] = True
        closed |= {row for row in range(len(table.relations)) if inside[table.relations.line(row)[0]].all()}
    assert closed == set(range(len(table.relations)))


def test_what_small_tables_withhold_hides_every_primary_from_whoever_adds_up():
    for seed in range(10):
        table = cube(seed, (4, 4, 4), share=0.05).with_bounds(-np.inf, np.inf)
        withheld = top_down(table, by_elimination, RunContext())
        assert audit(table, withheld, "general").safe


def test_a_primary_that_nothing_hides_is_named():
    table = nested(1, share=0.0).with_primary(np.arange(21) == 0, 20, 20)
    table = replace(table, forced=~table.primary)
    for method in METHODS:
        with pytest.raises(DataError, match="cannot be protected"):
            method.suppress(table, "interval")
    with pytest.raises(DataError, match="cannot be protected"):
        Gauss().suppress(table.with_bounds(-np.inf, np.inf), "general")


def test_a_system_too_large_for_one_programme_is_proven_around_each_cell(monkeypatch):
    monkeypatch.setattr(certificates, "SETTINGS", replace(certificates.SETTINGS, whole_columns=10))
    monkeypatch.setattr("tacita.tables.suppression.large.neighbourhood._NEAREST", (12, 24))
    table = cube(7, (5, 5, 4))
    for problem in ("exact", "interval"):
        assert suppress(table, Constructive(bound=0.0), problem, zeros="publish").audit.safe


def test_small_tables_are_protected_by_any_method_that_takes_their_shape():
    table = cube(5)
    for inside in ("gauss", "optimal", "constructive", "improve"):
        pattern = HiTaS(inside=inside, bound=0.0).suppress(table, "exact")
        assert attack.is_safe(table, pattern.withheld, "exact")
    for refused in ("hitas", "hypercube"):
        with pytest.raises(ParameterError, match="these do: optimal, gauss, constructive, improve"):
            HiTaS(inside=refused)


def test_only_methods_that_take_the_problem_are_named_to_who_asks_another():
    with pytest.raises(ParameterError, match="Choose a method that takes it: optimal, constructive, hitas"):
        Hypercube().suppress(cube(0), "exact")
    with pytest.raises(ParameterError) as told:
        Gauss().suppress(cube(0), "interval")
    assert "gauss" not in str(told.value).partition("Choose")[2]
