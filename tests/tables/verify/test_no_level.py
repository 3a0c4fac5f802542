"""Under interval protection no sensitive cell can be computed, whatever its levels ask for."""

import numpy as np
import pytest

import tacita
from table_commands import outcome, suppress, write_cells
from tables_at_hand import counted
from tacita.core import Table
from tacita.tables.verify.audit import audit

VALUES = [[11.0, 47, 58], [1, 0, 33], [2, 31, 20]]
PLACE = np.arange(9).reshape(3, 3) == 4
METHODS = ("optimal", "three-phase", "network", "hypercube", "genetic")


def table(value=0.0, lower=0.0, upper=0.0, sliding=0.0, bounds=None, **fields):
    """One sensitive cell in the middle, with these levels and bounds of its own."""
    values = np.array(VALUES)
    values[1, 1] = value
    levels = {"lower": lower, "upper": upper, "sliding": sliding}
    made = Table.from_array(
        values,
        primary=PLACE,
        **{name: np.where(PLACE, level, 0.0) for name, level in levels.items()},
        **fields,
    )
    if bounds is None:
        return made
    low, high = made.low.copy(), made.high.copy()
    low[5], high[5] = bounds
    return made.with_bounds(low, high)


ASKS_NOTHING = {
    "no-level-of-a-zero": {},
    "no-level-of-a-value": {"value": 15.0},
    "below-zero-alone": {"lower": 5.0},
    "above-what-is-known-to-be-the-most": {"value": 15.0, "upper": 5.0, "bounds": (0.0, 15.0)},
    "known-to-the-attacker": {
        "value": 15.0,
        "lower": 5.0,
        "upper": 5.0,
        "sliding": 9.0,
        "bounds": (15.0, 15.0),
    },
    "lost-in-rounding": {"value": 15.0, "lower": 1e-12, "upper": 1e-12, "sliding": 1e-12},
    "a-width-lost-in-rounding": {"value": 15.0, "sliding": 1e-9},
}


def alone(given):
    return given.primary.copy()


def in_a_circuit(given):
    mask = given.grid(given.primary).copy()
    mask[1:3, 1:3] = True
    return mask


@pytest.mark.parametrize("given", ASKS_NOTHING.values(), ids=ASKS_NOTHING)
class TestLevelsThatAskForNothing:
    def test_a_cell_that_is_withheld_alone_fails_the_audit(self, given):
        [failure] = audit(table(**given), alone(table(**given)), "interval").failures
        assert (failure.cell, failure.reason) == (5, "can be computed exactly")

    def test_the_audit_tells_of_them(self, given):
        made = table(**given)
        found = audit(made, in_a_circuit(made), "interval")
        assert [each.name for each in found.warnings] == ["no-level"]
        # nothing helps where the attacker knows the value
        assert found.safe == (made.low[5] < made.high[5])

    @pytest.mark.parametrize("method", METHODS)
    def test_no_method_is_asked_to_withhold_for_nothing(self, given, method):
        with pytest.raises(tacita.DataError, match=r"1 sensitive cells have no protection level .* exact"):
            tacita.suppress(table(**given), "interval", method)

    def test_exact_protection_needs_none(self, given):
        made = table(**given)
        if made.low[5] < made.high[5]:
            pattern = tacita.suppress(made, "exact", zeros="withhold")
            low, high = tacita.audit(made, pattern).range_of(5)
            assert low < high


@pytest.mark.each_once
@pytest.mark.parametrize(
    "given", [{"upper": 2.0}, {"value": 15.0, "lower": 2.0}, {"value": 15.0, "sliding": 2.0}]
)
@pytest.mark.parametrize("method", METHODS)
def test_one_level_is_enough_for_a_range(given, method):
    made = table(**given)
    low, high = tacita.audit(made, tacita.suppress(made, "interval", method)).range_of(5)
    assert high - low >= 2 - 1e-9


def test_a_level_far_beyond_the_bounds_does_not_count_as_room_for_rounding():
    made = table(value=0.5, lower=1e12)
    [failure] = audit(made, alone(made), "interval").failures
    assert failure.reason == "too close from below"


def test_a_lone_contributor_who_computes_a_cell_without_level_is_told_of():
    made = counted(table(value=15.0), np.where(np.arange(9).reshape(3, 3) == 8, 1, 5))
    assert audit(made, in_a_circuit(made), "interval").safe
    [failure] = audit(made, in_a_circuit(made), "interval", strict=True).failures
    assert failure.reason == "known to a lone contributor"


def test_a_command_refuses_a_sensitive_zero_with_levels_of_a_share(tmp_path, capsys):
    source = write_cells(tmp_path / "cells.csv", VALUES, PLACE, {"level": np.where(PLACE, 4, 0)})
    assert suppress(source, "--problem", "interval") == 1
    assert "1 sensitive cells have no protection level (first: a1 / r1)" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["cells.csv"]
    absolute = ["--problem", "interval", "--lower", "level", "--upper", "level"]
    assert suppress(source, *absolute) == 0
    [cell] = outcome(source)["audit"]
    assert cell["high"] >= 4
