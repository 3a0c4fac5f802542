"""Every heuristic protects, is never below the least cost, and never claims a bound above it."""

import numpy as np
import pytest

import tacita
from tacita import DataError, ParameterError, registry
from tacita.core import RunContext
from tacita.tables.suppression.optimal.optimal import Optimal
from twins.attacker import protects, published_by_elimination
from twins.tables import asked, pattern_of, random_grid

PROBLEMS = ("general", "exact", "interval")
CASES = [
    (name, problem)
    for name in registry.names("suppression")
    for problem in registry.lookup(name, "suppression").problems
]


def quick(name):
    return tacita.get_method(name, **({"generations": 15, "population": 5} if name == "genetic" else {}))


def small_tables(problem, some):
    # of intervals, some ask more for their width than for their ends
    wide = some(range(12, 18), 2) if problem == "interval" else []
    for seed in [*some(range(12), 7), *wide]:
        levels = {"lower": 10, "upper": 0, "sliding": 80} if seed >= 12 else {}
        grid = random_grid(seed, problem, shape=(4 + seed % 3, 5), primaries=4, largest=40, **levels)
        try:
            yield grid, pattern_of(Optimal(), grid)
        except DataError:
            continue


@pytest.fixture(scope="module")
def solved(some):
    return {problem: list(small_tables(problem, some)) for problem in PROBLEMS}


@pytest.mark.parametrize(("name", "problem"), CASES)
def test_protects_and_brackets_the_least_cost(name, problem, solved):
    assert len(solved[problem]) >= 5
    for grid, least in solved[problem]:
        found = pattern_of(quick(name), grid)
        assert protects(grid, found.withheld)
        assert found.lower_bound <= least.cost + 1e-9 <= found.cost + 2e-9
        assert found.cost == pytest.approx(grid.cost[found.withheld & ~grid.primary].sum())
        assert (found.withheld <= (grid.primary | grid.allowed)).all()
        assert found.proven == (found.status == "optimal")


@pytest.mark.parametrize(("name", "problem"), CASES)
def test_repeats_itself_and_ends_its_progress(name, problem):
    grid = random_grid(2, problem, shape=(10, 9), primaries=6, largest=90)
    heard = []
    one = pattern_of(quick(name), grid, RunContext(on_progress=heard.append))
    assert heard[-1].share == 1
    assert np.array_equal(one.withheld, pattern_of(quick(name), grid).withheld)


@pytest.mark.parametrize(("name", "problem"), CASES)
def test_says_which_primary_cannot_be_protected(name, problem):
    values = [[5.0, 1.0], [2.0, 3.0]]
    grid = asked(values, np.arange(4).reshape(2, 2) == 3, problem, allowed=[[1, 1], [0, 0]])
    with pytest.raises(DataError, match=r"row 1, column 1|2 / 2"):
        pattern_of(quick(name), grid)


def test_methods_refuse_the_problems_they_are_not_made_for():
    for name in registry.names("suppression"):
        made = quick(name)
        for problem in set(PROBLEMS) - set(made.problems):
            with pytest.raises(ParameterError, match="made for"):
                pattern_of(made, random_grid(0, problem))


def test_gauss_withholds_what_plain_elimination_does_not_publish():
    for seed in range(30):
        grid = random_grid(seed, "general", shape=(3 + seed % 3, 4), primaries=1 + seed % 4, zeros="withhold")
        # no ties: the order of publication decides
        prices = np.random.default_rng(seed).permutation(grid.values.size).reshape(grid.values.shape) + 1.0
        grid = grid.priced(prices)
        try:
            found = pattern_of(tacita.get_method("gauss"), grid)
        except DataError:
            continue
        assert np.array_equal(found.withheld, published_by_elimination(grid))


def test_lagrange_and_three_phase_prove_most_small_tables(solved):
    for name, problem in (("lagrange", "general"), ("lagrange", "exact"), ("three-phase", "interval")):
        found = [pattern_of(tacita.get_method(name), grid) for grid, _ in solved[problem]]
        assert sum(each.proven for each in found) >= 0.6 * len(found)
