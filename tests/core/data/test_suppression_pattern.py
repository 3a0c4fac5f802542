"""A pattern says nothing of its cost that its own figures contradict."""

import numpy as np
import pytest

from tacita import VerificationError
from tacita.core import Pattern, Table

TABLE = Table.from_array([[5.0, 3.0], [2.0, 4.0]], primary=[[True, False], [False, False]])


@pytest.mark.parametrize(
    ("claims", "said"),
    [
        ({"lower_bound": 9.1}, "lies above the cost"),
        ({"lower_bound": 8.0, "status": "optimal"}, "do not meet"),
        # the bound is that of the problem, and so is the proof
        ({"lower_bound": 7.0, "problem_cost": 6.0, "lone_count": 1}, "lies above the cost"),
        ({"lower_bound": 5.0, "problem_cost": 6.0, "lone_count": 1, "status": "optimal"}, "do not meet"),
        ({"problem_cost": 10.0}, "part of those"),
        ({"problem_cost": -1.0, "lone_count": 1}, "part of those"),
        ({"problem_cost": 6.0, "lone_count": 4}, "part of those"),
        ({"problem_cost": 6.0, "lone_count": -1}, "part of those"),
        ({"problem_cost": 6.0}, "exactly if they take cells"),
        ({"lone_count": 1}, "exactly if they take cells"),
    ],
)
def test_claims_that_contradict_each_other_are_refused(claims, said):
    with pytest.raises(VerificationError, match=said):
        Pattern.of(TABLE, TABLE.inner, **claims)


def test_gap_and_proof_are_those_of_the_problem_alone():
    part = Pattern.of(TABLE, TABLE.inner, lower_bound=3.0, problem_cost=6.0, lone_count=1)
    assert (part.cost, part.lone_cost, part.gap, part.proven) == (9, 3, 0.5, False)
    whole = Pattern.of(TABLE, TABLE.inner, lower_bound=6.0, problem_cost=6.0, lone_count=1, status="optimal")
    assert (whole.gap, whole.proven) == (0, True)


@pytest.mark.parametrize(("cost", "bound"), [(np.inf, 0.0), (np.nan, 0.0), (1.0, np.nan), (1.0, -1.0)])
def test_a_cost_without_end_or_a_bound_below_nothing_is_refused(cost, bound):
    mask = np.array([True, False])
    with pytest.raises(VerificationError, match="a finite cost and a lower bound of at least 0"):
        Pattern(mask, mask, cost, bound)


def test_what_costs_nothing_is_proven_to_be_the_least():
    mask = np.array([True, False])
    nothing = Pattern(mask, mask, 0.0, 0.0, status="optimal")
    assert (nothing.proven, nothing.gap) == (True, 0.0)
