"""A search in a table that is stopped at any point: what it returns protects, and it proves nothing false."""

import pytest

import tacita
from tacita.core import RunContext
from tacita.tables.verify.audit import audit
from tacita.testing.examples import StopAfter, two_way
from twins.tables import random_grid

SEARCHES = ["optimal", "lagrange", "three-phase", "genetic", "network", "hypercube"]
PROOFS = [(solver, problem) for solver in ("highs", "scip") for problem in ("interval", "exact", "general")]


@pytest.mark.parametrize(("solver", "problem"), PROOFS)
def test_optimal_stopped_at_any_question_never_claims_a_proof_that_it_has_not(solver, problem):
    table = random_grid(3, problem, shape=(12, 12), primaries=8, largest=200).table
    method = tacita.get_method("optimal", solver=solver)
    never = StopAfter(10**9)
    least = method.suppress(table, problem, RunContext(should_stop=never))
    assert least.status == "optimal"
    assert never.count > 1
    ended = set()
    for questions in range(0, never.count, 1 + never.count // 40):
        found = method.suppress(table, problem, RunContext(should_stop=StopAfter(questions)))
        assert found.lower_bound <= least.cost
        assert found.cost >= least.cost
        assert audit(table, found.withheld, problem).safe
        assert (found.status == "optimal") == found.proven == (found.lower_bound == found.cost)
        ended.add(found.status)
    assert ended >= {"stopped"}
    assert ended <= {"stopped", "optimal"}


@pytest.mark.parametrize("name", SEARCHES)
def test_every_search_in_tables_can_be_stopped_and_elimination_cannot(name):
    assert tacita.get_method(name).anytime
    assert not tacita.get_method("gauss").anytime


def test_time_that_was_over_first_is_named_and_not_the_user():
    table = two_way(3, (9, 9), 8)
    found = tacita.get_method("optimal", seconds=1e-9).suppress(
        table, "interval", RunContext(should_stop=lambda: True)
    )
    assert found.status == "time limit"
