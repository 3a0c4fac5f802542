"""The shortcuts of the audit in tables that are no network, each against plain programmes."""

import numpy as np
import pytest

from attacked_tables import REGIONS
from tacita.core import Hierarchy, Table
from tacita.io.hierarchies import from_nested
from tacita.tables.input.linked_tables import link_tables
from tacita.tables.suppression.large.constructive import Constructive
from tacita.tables.verify import attacker as attackers
from tacita.tables.verify.audit import audit
from tacita.tables.verify.presolve import moving_together
from tacita.tables.verify.protection_criteria import Judge
from twins import attack

SIZES = from_nested("size", {"small": ["a", "b"], "large": ["c", "d"]})


def nested(generator, **fields):
    values = generator.integers(0, 30, size=(5, 4)).astype(float)
    primary = generator.random(values.shape) < 0.2
    return Table.cross([REGIONS, SIZES], values, primary=primary, margins=True, **fields)


def cube(generator, **fields):
    values = generator.integers(0, 30, size=(5, 3, 2)).astype(float)
    primary = generator.random(values.shape) < 0.15
    flat = [Hierarchy.flat("b", ["x", "y", "z"]), Hierarchy.flat("c", ["f", "m"])]
    return Table.cross([REGIONS, *flat], values, primary=primary, margins=True, **fields)


def linked(generator, **fields):
    values = generator.integers(0, 30, size=(5, 4, 2)).astype(float)
    primary = generator.random((5, 4)) < 0.2
    one = Table.cross([REGIONS, SIZES], values.sum(axis=2), primary=primary, margins=True, **fields)
    sexes = Hierarchy.flat("sex", ["f", "m"])
    return link_tables([one, Table.cross([REGIONS, sexes], values.sum(axis=1), margins=True, **fields)])


SHAPES = {"nested": nested, "cube": cube, "linked": linked}


def case(shape, seed, **fields):
    """A table, and cells withheld at random: few of them, so that some stand alone, or many."""
    generator = np.random.default_rng(seed)
    table = SHAPES[shape](generator, **fields)
    return table, table.primary | (generator.random(table.n) < generator.choice([0.2, 0.4, 0.7]))


@pytest.mark.parametrize("shape", SHAPES)
def test_every_range_is_that_of_plain_programmes(shape):
    for seed in range(4):
        table, withheld = case(shape, seed)
        found = audit(table, withheld, "exact")
        assert found.exact_ranges
        for cell in np.flatnonzero(withheld):
            assert found.range_of(cell) == pytest.approx(
                attack.possible_range(table, withheld, cell), abs=1e-6
            )


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("problem", ["exact", "interval"])
def test_verdicts_without_ranges_are_those_with_them(shape, problem, some):
    exposed = 0
    for seed in some(range(20), 10):
        table, withheld = case(shape, seed, lower=20, upper=20, sliding=30 * (seed % 2))
        full, brief = (audit(table, withheld, problem, ranges=ranges) for ranges in (True, False))
        assert [(each.cell, each.reason) for each in full.failures] == [
            (each.cell, each.reason) for each in brief.failures
        ]
        exposed += len(full.failures)
        # what is told of a range is never wider than it is
        assert (brief.low >= full.low - 1e-6).all()
        assert (brief.high <= full.high + 1e-6).all()
        assert [each.name for each in brief.warnings if each.name == "ranges-at-least"]
        assert not brief.exact_ranges
    assert exposed > 5


def test_ranges_that_would_take_long_are_sought_only_if_asked_for(monkeypatch):
    table, _ = case("cube", 0)
    withheld = np.ones(table.n, dtype=bool)
    attacker = Judge(table, "exact").attacker(withheld)
    assert attacker.work > 0
    assert audit(table, withheld, "exact").exact_ranges
    monkeypatch.setattr("tacita.tables.verify.audit._MUCH", attacker.work / 2)
    assert not audit(table, withheld, "exact").exact_ranges
    assert audit(table, withheld, "exact", ranges=True).exact_ranges


def test_ranges_of_networks_and_of_cells_without_bounds_are_always_sought(monkeypatch):
    monkeypatch.setattr("tacita.tables.verify.audit._MUCH", 0.0)
    grid = Table.from_array([[5, 3, 2], [4, 7, 6], [1, 8, 9]], primary=[[1, 0, 0], [0, 0, 0], [0, 0, 0]])
    corners = np.zeros((4, 4), dtype=bool)
    corners[:2, :2] = True
    assert audit(grid, corners, "exact").exact_ranges
    table, withheld = case("cube", 0)
    free = table.with_bounds(-np.inf, np.inf)
    assert audit(free, withheld, "general", ranges=False).exact_ranges


@pytest.mark.parametrize("shape", SHAPES)
def test_no_movement_goes_beyond_the_limits_of_what_moves_together(shape):
    joined = 0
    for seed in range(6):
        table, withheld = case(shape, seed)
        places = np.cumsum(withheld) - 1
        rows, cells, signs = table.relations.among(withheld, only_basis=True)
        values = table.values[withheld]
        found = moving_together(rows, places[cells], signs, values, np.full(values.size, np.inf))
        joined += np.unique(found.group[found.group >= 0]).size < (found.group >= 0).sum()
        for place, cell in enumerate(np.flatnonzero(withheld)):
            low, high = attack.possible_range(table, withheld, cell)
            assert found.limit(place, 1) >= high - table.values[cell] - 1e-6
            assert found.limit(place, -1) >= table.values[cell] - low - 1e-6
    assert joined


def test_a_tree_and_a_single_circuit_need_no_programme(monkeypatch):
    table = Table.from_array(np.arange(1.0, 28.0).reshape(3, 3, 3))
    grid = table.grid(np.zeros(table.n, dtype=bool)).copy()
    grid[:2, :2, :2] = True
    grid[2, 2, 2] = True

    def never(*_):
        raise AssertionError("a programme was made")

    monkeypatch.setattr("tacita.tables.verify.linear_program.FarthestMovementLP.__init__", never)
    found = audit(table, grid.ravel(), "exact")
    for cell in np.flatnonzero(grid.ravel()):
        assert found.range_of(cell) == pytest.approx(attack.possible_range(table, grid.ravel(), cell))


def test_one_answer_settles_other_cells_too(monkeypatch):
    table, withheld = case("cube", 3)
    asked, honest = [], attackers._LinearPrograms.farthest

    def counting(self, cell, direction):
        asked.append((cell, direction))
        return honest(self, cell, direction)

    monkeypatch.setattr(attackers._LinearPrograms, "farthest", counting)
    audit(table, withheld, "exact")
    assert 0 < len(asked) < 1.5 * withheld.sum()


def test_an_answer_that_breaks_a_sum_settles_nobody(monkeypatch):
    table, withheld = case("cube", 5)
    attacker = Judge(table, "exact").attacker(withheld)
    everything = np.ones(int(withheld.sum()))
    monkeypatch.setattr(attackers._LinearPrograms, "farthest", lambda *_: everything)
    assert all(attacker.reach(cell, 1) == 0.0 for cell in range(everything.size))
    assert all(attacker.reach(cell, 1, enough=0.5) == 0.0 for cell in range(everything.size))


def broken():
    """Clean patterns with one secondary cell less, where plain programmes call what is left broken."""
    for shape in SHAPES:
        for seed in range(7):
            table = SHAPES[shape](np.random.default_rng(100 + seed), lower=20, upper=20)
            problem = ("exact", "interval")[seed % 2]
            withheld = Constructive(bound=0.0).suppress(table, problem).withheld
            for cell in np.flatnonzero(withheld & ~table.primary):
                fewer = withheld.copy()
                fewer[cell] = False
                if not attack.is_safe(table, fewer, problem):
                    yield table, fewer, problem


def test_a_hundred_broken_patterns_of_hierarchies_cubes_and_linked_tables_are_caught():
    caught = 0
    for table, withheld, problem in broken():
        told = [audit(table, withheld, problem, ranges=ranges).safe for ranges in (True, False)]
        assert told == [False, False]
        caught += 1
    assert caught >= 100
