"""The exact method against exhaustive search, a compact model and the tables of the source."""

import numpy as np
import pytest
from experiments.tables.experiments import solve
from experiments.tables.setting import Case

import tacita
from tacita import DataError, registry
from tacita.core import RunContext
from tacita.tables.suppression.optimal.optimal import Optimal
from twins.attacker import change_range, compact_least_cost, nothing_cheaper, protects
from twins.tables import asked, pattern_of, random_grid

PROBLEMS = ("general", "exact", "interval")
REGIONS = [[11, 47, 58], [1, 15, 33], [2, 31, 20]]


def solved(grid):
    """A proven solution, or None where no pattern protects."""
    try:
        found = pattern_of(Optimal(), grid)
    except DataError:
        return None
    assert found.status == "optimal"
    assert found.proven
    return found


# Levels that matter less than the width: it lies where it costs least.
WIDE = {"lower": 10, "upper": 0, "sliding": 80}
CASES = [*((problem, {}) for problem in PROBLEMS), ("interval", WIDE)]


@pytest.mark.parametrize(("problem", "levels"), CASES)
def test_no_cheaper_pattern_protects_small_tables_by_exhaustive_search(some, problem, levels):
    infeasible, seeds = 0, some(range(100), 30)
    for seed in seeds:
        grid = random_grid(seed, problem, **levels)
        assert (grid.allowed & ~grid.primary).sum() <= 12
        found = solved(grid)
        if found is None:
            infeasible += 1
            assert not protects(grid, grid.primary | grid.allowed)
            continue
        assert protects(grid, found.withheld)
        assert (found.withheld <= (grid.primary | grid.allowed)).all()
        assert found.cost == pytest.approx(grid.cost[found.withheld & ~grid.primary].sum())
        assert nothing_cheaper(grid, found.cost), seed
    assert infeasible < 0.6 * len(seeds)


@pytest.mark.parametrize(("problem", "levels"), CASES)
def test_the_compact_model_has_the_same_cost(problem, levels):
    for seed in range(4):
        shape = (5 + seed % 2, 6)
        grid = random_grid(
            seed, problem, shape=shape, primaries=4, margins=seed % 2 == 0, largest=60, **levels
        )
        found = solved(grid)
        if found is not None:
            assert found.cost == pytest.approx(compact_least_cost(grid), abs=1e-5)


def test_the_compact_model_has_the_same_cost_at_20_by_10():
    grid = random_grid(5, "general", shape=(20, 10), primaries=5, largest=500, cost="value", zeros=None)
    assert solved(grid).cost == pytest.approx(compact_least_cost(grid), abs=1e-5)


@pytest.mark.parametrize("problem", ["general", "exact"])
def test_a_pattern_of_cells_that_came_in_last_is_kept(problem):
    # only the last cells to enter the programme lower the number from 29 to 28
    case = Case(problem, 100, 100, "dense", "count")
    assert solve(case, 5, 240.0, RunContext()).cost == 28


def test_the_sources_pattern_for_regions_is_found_and_least():
    primary = np.array([[0, 0, 0], [0, 1, 0], [0, 0, 0]], dtype=bool)
    found = solved(asked(REGIONS, primary, "exact"))
    assert found.cost == 34
    assert np.argwhere(found.withheld & ~found.primary).tolist() == [[1, 0], [2, 0], [2, 1]]
    fall, rise = change_range(asked(REGIONS, primary, "exact"), found.withheld, 4 + 1)
    assert (15 + fall, 15 + rise) == pytest.approx((13, 16))


def test_a_bounded_column_total_fixes_what_signs_would_leave_free():
    # X1 3 X2 | 1 4 1 | X3 5 X4, column total 1 of the third column: X2 and X4 are zero and cannot fall
    values = [[2, 3, 0], [1, 4, 1], [1, 5, 0]]
    primary = np.array([[1, 0, 0], [0, 0, 0], [0, 0, 0]], dtype=bool)
    corners = np.array([[1, 0, 1], [0, 0, 0], [1, 0, 1]], dtype=bool)
    assert solved(asked(values, primary, "general", allowed=corners, zeros="withhold")).cost == 3
    with pytest.raises(DataError, match="row 0, column 0"):
        pattern_of(Optimal(), asked(values, primary, "exact", allowed=corners))


def test_interval_levels_ask_for_more_than_a_circuit():
    values = [[100, 20, 35, 3], [15, 10, 40, 10], [10, 15, 30, 5]]
    primary = np.arange(12).reshape(3, 4) == 0
    found = solved(asked(values, primary, "interval"))
    failing = np.zeros((4, 5), dtype=bool)
    failing[[0, 0, 2, 2], [0, 3, 0, 3]] = True
    grid = asked(values, primary, "interval")
    assert change_range(grid, failing, 0)[1] == pytest.approx(3)
    assert not np.array_equal(found.withheld, failing)
    assert nothing_cheaper(grid, found.cost)


def test_a_width_may_lie_above_where_that_is_cheaper_than_on_both_sides():
    # 5 cannot fall by more than 5: where 8 are asked the rest must come from above, wherever 6 may lie
    values = [[5, 9, 40], [2, 3, 50], [30, 60, 70]]
    primary = np.arange(9).reshape(3, 3) == 0
    both = solved(asked(values, primary, "interval", lower=60, upper=60))
    for width, least in ((5, 2), (8, 3)):
        sliding = np.where(primary, float(width), 0.0)
        grid = asked(values, primary, "interval", lower=0, upper=0, sliding=sliding)
        found = solved(grid)
        fall, rise = change_range(grid, found.withheld, 0)
        assert rise - fall >= width
        assert rise >= least
        assert nothing_cheaper(grid, found.cost)
        assert found.cost <= both.cost


def test_withheld_margins_can_save_a_primary_alone_in_its_row():
    values = [[5.0, 0.0, 0.0], [4.0, 7.0, 2.0], [6.0, 3.0, 9.0]]
    primary = np.arange(9).reshape(3, 3) == 0
    with pytest.raises(DataError, match=r"the other cells of row 0 .*margins"):
        pattern_of(Optimal(), asked(values, primary, "interval"))
    found = solved(asked(values, primary, "interval", margins=True))
    assert found.withheld[0, 3]


def test_a_level_ends_at_the_attackers_own_bound():
    for room in (1.0, 10.0):
        high = np.where(np.eye(3), np.array(REGIONS) + room, np.inf)
        grid = asked(REGIONS, np.eye(3, dtype=bool), "interval", high=high)
        assert grid.upper.max() <= room
        assert protects(grid, solved(grid).withheld)


@pytest.mark.parametrize("scale", [2.0**-30, 1e6, 3.7e9])
def test_the_unit_of_the_values_does_not_matter(scale):
    plain = random_grid(
        7, "interval", shape=(8, 8), primaries=5, largest=200, cost="count", lower=20, upper=20
    )
    values = plain.values[:-1, :-1] * scale
    scaled = asked(values, plain.primary[:-1, :-1], "interval", cost="count", lower=20, upper=20)
    assert solved(scaled).cost == solved(plain).cost


def test_patterns_that_were_cut_off_do_not_come_back():
    """A table on which rows that rested, and were taken out, let the same patterns return without end."""
    generator = np.random.default_rng([200, 200, 0, 0])
    values = generator.integers(0, 500, size=200 * 200).astype(np.float64)
    small = np.flatnonzero((values > 0) & (values <= np.quantile(values, 0.2)))
    primary = np.zeros(values.size, dtype=bool)
    primary[generator.choice(small, 50, replace=False)] = True
    found = pattern_of(Optimal(), asked(values.reshape(200, 200), primary.reshape(200, 200)))
    assert found.status == "optimal"
    assert found.cost == 313


def test_no_primaries_need_no_pattern():
    found = pattern_of(Optimal(), asked(REGIONS, np.zeros((3, 3), dtype=bool), "interval"))
    assert (found.cost, found.secondary_count, found.status) == (0, 0, "optimal")


def test_same_table_same_pattern():
    grid = random_grid(3, "interval", shape=(12, 12), primaries=8, largest=200)
    one, two = pattern_of(Optimal(), grid), pattern_of(Optimal(), grid)
    assert np.array_equal(one.withheld, two.withheld)


def test_a_time_limit_ends_with_a_pattern_and_a_bound_below_it():
    grid = random_grid(
        1, "interval", shape=(60, 60), primaries=20, largest=500, cost="value", lower=15, upper=15
    )
    found = pattern_of(Optimal(seconds=0.01), grid)
    assert found.status == "time limit"
    assert 0 <= found.lower_bound < found.cost
    assert 0 < found.gap <= 1


def test_cancelling_stops():
    grid = random_grid(1, "interval", shape=(12, 12), primaries=8, largest=200)
    for name in registry.names("suppression"):
        method = tacita.get_method(name)
        if "interval" in method.problems:
            with pytest.raises(tacita.Cancelled):
                pattern_of(method, grid, RunContext(should_cancel=lambda: True))
