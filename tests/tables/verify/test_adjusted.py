"""Adjusted tables one step beyond what is promised, beside those that are just right."""

from __future__ import annotations

import numpy as np
import pytest

from seeds import SEED
from tacita.core import Adjusted, Run, Table, Terms
from tacita.tables.adjustment.rounding import Rounding
from tacita.tables.verify.adjusted import audit_adjusted


def broken(table: Table, values: list[float], promise: str, **terms: float) -> bool:
    """Whether a promise about adjusted values is refuted."""
    made = Adjusted.of(table, np.array(values), terms=Terms(**terms))
    return any(not each.passed for each in audit_adjusted(table, made, [promise]).verdicts)


@pytest.mark.parametrize("frequency", [True, False])
@pytest.mark.parametrize(
    ("shown", "refuted"),
    [
        ([5.0, 10.0, 15.0], False),
        ([0.0, 10.0, 10.0], False),
        # the total is 11, and 16 or 6 is as far away as the reach
        ([5.0, 11.0, 16.0], True),
        ([1.0, 5.0, 6.0], True),
        ([1.0, 6.0, 7.0], False),
        ([9.0, 7.0, 16.0], True),
    ],
    ids=str,
)
def test_a_value_as_far_away_as_the_reach_is_too_far(shown, refuted, frequency):
    table = Table.from_array([[4, 7]], frequency=frequency, names=["a", "b"])
    values = [*shown, *shown]
    assert broken(table, values, "within-reach", base=5, reach=5) is refuted
    assert not broken(table, values, "within-reach", base=5, reach=6)


def test_the_last_digits_of_a_fraction_are_no_step_too_far():
    table = Table.from_array([[0.3, 0.7]], names=["a", "b"])
    near = [0.3 + 0.1 * (1 + 1e-12), 0.7, 1.0] * 2
    assert not broken(table, near, "within-reach", base=0.1, reach=0.1)
    assert broken(table, [0.3 + 0.1001, *near[1:]], "within-reach", base=0.1, reach=0.1)


@pytest.mark.parametrize("seed", range(6))
def test_a_rounding_by_chance_tells_a_reach_that_no_value_comes_to(seed):
    rng = np.random.default_rng(seed)
    # inner cells that are tied among themselves: sums of those that were rounded go further than a base
    values = rng.integers(0, 4, (3, 3, 3)).astype(float) * 5 + rng.integers(0, 2, (3, 3, 3))
    table = Table.from_array(values, frequency=True, names=["a", "b", "c"])
    method = Rounding(base=5, random=True)
    made = method.adjust(table, Run(seed=SEED + seed))
    away = np.abs(made.values - table.values)
    assert made.terms.reach is not None
    assert (away < made.terms.reach).all()
    assert all(each.passed for each in audit_adjusted(table, made, method.guarantees).verdicts)
    # what a file shows tells the same reach
    assert method.claimed(table, made.values).terms.reach <= made.terms.reach


def test_a_file_whose_values_move_by_a_whole_base_tells_the_next_reach():
    table = Table.from_array([[5, 10]], frequency=True, names=["a", "b"])
    method = Rounding(base=5)
    assert method.terms(table, np.array([5.0, 10, 15] * 2)).reach == 5
    assert method.terms(table, np.array([10.0, 10, 20] * 2)).reach == 10
    assert method.terms(table, np.array([15.0, 10, 25] * 2)).reach == 15
    made = method.claimed(table, np.array([10.0, 10, 20] * 2))
    assert "further than" in made.relaxed
    assert all(each.passed for each in audit_adjusted(table, made, method.guarantees[:3]).verdicts)
