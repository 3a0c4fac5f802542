"""Tables and patterns that cannot be made wrong."""

from dataclasses import replace

import numpy as np
import pytest

import tacita
from tacita.core import Contributors, Hierarchy, Pattern, Table

ONE = [[True, False], [False, False]]


def two_by_two(**fields):
    return Table.from_array([[5, 3], [2, 4]], **{"primary": ONE, **fields})


def test_sums_are_computed_in_any_number_of_dimensions():
    inner = np.arange(24.0).reshape(2, 3, 4)
    table = Table.from_array(inner)
    grid = table.grid(table.values)
    assert grid[-1, -1, -1] == inner.sum()
    assert grid[:-1, 1, -1].tolist() == inner[:, 1].sum(axis=1).tolist()


def test_one_number_is_in_percent_of_the_value_and_an_array_is_absolute():
    assert two_by_two(lower=20).lower[:2].tolist() == [1.0, 3 * 0.2]
    assert two_by_two(lower=[[2, 0], [0, 0]]).lower[:3].tolist() == [2, 0, 0]


def test_an_attacker_knows_that_values_are_not_negative_where_none_is():
    assert two_by_two().nonnegative
    assert not Table.from_array([[-1, 2]]).nonnegative
    assert not two_by_two(bounds=(-np.inf, np.inf)).nonnegative


def test_states_and_the_ways_to_change_them():
    table = two_by_two()
    assert table.states.count("forced") == 5
    assert table.with_margins(True).states.count("forced") == 0
    more = table.with_margins(True).with_primary(np.arange(9) == 8, lower=50, upper=[3.0] * 9)
    assert more.primary.sum() == 2
    assert (more.lower[8], more.upper[8]) == (7, 3)
    assert more.with_margins(False).states.count("forced") == 4


def test_zeros_are_published_or_cost_one():
    table = Table.from_array([[0, 3], [0, 4]], primary=ONE)
    assert table.with_zeros("publish").forced[[0, 3]].tolist() == [False, True]
    assert table.with_zeros("withhold").cost[[0, 3]].tolist() == [0, 1]
    with pytest.raises(tacita.ParameterError, match="'publish' or 'withhold'"):
        table.with_zeros("hide")


def test_costs_by_value_count_log_contributors_or_figures():
    table = replace(two_by_two(), contributors=Contributors.counts(np.arange(9)))
    assert table.with_cost("value").cost.tolist() == table.values.tolist()
    assert table.with_cost("count").cost.tolist() == [1] * 9
    assert table.with_cost("log").cost[0] == np.log(6)
    assert table.with_cost("contributors").cost.tolist() == list(range(9))
    assert table.with_cost([[1, 2], [3, 4]]).cost[:2].tolist() == [1, 2]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"lower": -0.1}, "at least 0"),
        ({"cost": [[1, -1], [1, 1]]}, "at least 0"),
        ({"upper": [[np.nan, 0], [0, 0]]}, "missing or infinite"),
        ({"bounds": (0, 4)}, "outside the bounds"),
        ({"forced": ONE}, "Choose one"),
        ({"primary": [[True]]}, "wanted primary of shape"),
        ({"cost": "nosuch"}, "cost must be"),
        ({"cost": "contributors"}, "this table has none"),
        ({"labels": [["a"], ["b"]]}, "labels"),
        ({"contributors": Contributors.counts([1.0])}, "contributors of 9 cells"),
    ],
)
def test_what_makes_no_sense_is_refused(fields, message):
    with pytest.raises(tacita.TacitaError, match=message):
        two_by_two(**fields)


@pytest.mark.parametrize("values", [[[np.nan]], [[np.inf]], [["a"]], [], [[1j]]])
def test_what_is_no_number_is_refused(values):
    with pytest.raises(tacita.DataError):
        Table.from_array(values)


def test_nothing_of_a_table_can_be_changed_and_its_values_are_not_shown():
    table = Table.from_array([[987654, 3]])
    with pytest.raises(ValueError, match="read-only"):
        table.values[0] = 1
    assert "987654" not in repr(table)


def test_two_way_puts_sums_last_wherever_they_stand():
    rows = Hierarchy("r", ("all", "a", "b"), (-1, 0, 0))
    table = Table.cross([rows, Hierarchy.flat("c", ["x", "y"])], [[1, 2], [3, 4]])
    assert table.values[table.two_way()].tolist() == [[1, 2, 3], [3, 4, 7], [4, 6, 10]]
    with pytest.raises(tacita.ParameterError, match="two dimensions"):
        Table.from_array([1, 2]).two_way()


class TestPatterns:
    def test_cost_counts_secondary_cells_only(self):
        table = two_by_two()
        pattern = Pattern.of(table, table.inner, lower_bound=4.5)
        assert (pattern.cost, pattern.secondary_count, pattern.gap, pattern.proven) == (9, 3, 0.5, False)

    def test_a_sensitive_cell_must_be_withheld_and_a_forced_one_may_not(self):
        table = two_by_two()
        with pytest.raises(tacita.VerificationError, match="1 sensitive cells are not suppressed"):
            Pattern.of(table, np.zeros(9, dtype=bool))
        with pytest.raises(tacita.VerificationError, match="5 cells are suppressed that must be published"):
            Pattern.of(table, np.ones(9, dtype=bool))
        with pytest.raises(tacita.DataError, match="9 cells"):
            Pattern.of(table, [True])

    @pytest.mark.parametrize(
        ("fields", "message"),
        [
            ({"lower_bound": 10.0}, "above the cost"),
            ({"lower_bound": 5.0, "status": "optimal"}, "do not meet"),
            ({"lower_bound": float("nan")}, "lower bound"),
        ],
    )
    def test_a_wrong_proof_cannot_be_stated(self, fields, message):
        with pytest.raises(tacita.VerificationError, match=message):
            Pattern.of(two_by_two(), two_by_two().inner, **fields)
