"""What an audit calls a failure, what a warning, and what it says of both."""

import numpy as np
import pytest

from attacked_tables import PAIR, known_parts, pair
from tacita.tables.verify.audit import audit
from tacita.tables.verify.insiders import INSIDER


def test_failures_are_found_by_their_reason():
    found = audit(pair(), np.zeros(3, dtype=bool), "exact")
    assert found.cells_that_fail("published") == [0]
    assert found.cells_that_fail("can be computed exactly", "too narrow") == []


@pytest.mark.parametrize("demanded", [False, True])
def test_what_contributors_know_is_a_warning_or_where_they_were_demanded_a_failure(demanded):
    found = audit(known_parts(1.0, 5.5), PAIR, insiders=demanded)
    assert found.safe is not demanded
    assert {failure.reason for failure in found.failures} == ({INSIDER} if demanded else set())
    assert ("insiders" in {caution.name for caution in found.cautions}) is not demanded


def test_somebody_who_guesses_signs_knows_that_a_suppressed_zero_does_not_fall():
    table = pair(5.0, 0.0, lower=[1.0, 0.0], upper=[1.0, 0.0], bounds=(-np.inf, np.inf))
    found = audit(table, PAIR, "interval", zeros="withhold")
    assert found.safe
    assert {caution.name: caution.count for caution in found.cautions}["sign-guessed"] == 1
