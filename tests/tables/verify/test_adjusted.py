"""Adjusted tables one step beyond what is promised, beside those that are just right."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from seeds import SEED
from tacita.core import Adjusted, CellKeys, RunContext, Table, Terms, VerificationError
from tacita.core.data.cell_keys import Flex
from tacita.core.results.verdicts import verdicts
from tacita.io.tables.reading import Seen
from tacita.tables.adjustment.rounding import Rounding
from tacita.tables.verify.adjusted import (
    FILE_CHECKS,
    AdjustmentClaim,
    audit_adjusted,
    require_safe,
)
from tacita.tables.verify.claim import FileEvidence


def broken(table: Table, values: list[float], promise: str, **terms: Any) -> bool:
    """Whether a promise about adjusted values is refuted."""
    made = Adjusted.of(table, np.array(values), terms=Terms(**terms))
    return any(not each.passed for each in audit_adjusted(table, made, [promise]).verdicts)


@pytest.mark.each_once
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
    made = method.adjust(table, RunContext(seed=SEED + seed))
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


LINE = Table.from_array([2.0, 3.0, 7.0, 0.0])
TINY = Table.from_array([0.1, 0.2])
LARGE = Table.from_array([1e6, 5.0])
LIMITED = Table.from_array([4.0, 0.5], bounds=(0.0, 10.0))
SECRET = Table.from_array([100.0, 50.0], primary=[True, False], lower=[10.0, 0.0], upper=[20.0, 0.0])
ABOVE = replace(SECRET, lower=np.zeros(3))
BELOW = replace(SECRET, upper=np.zeros(3))
NEGATIVE = replace(SECRET.with_bounds(-np.inf, np.inf), values=np.array([-100.0, 50, -50]))
FLEX = Flex(0.1, 0.1, 1.0, 1.0)
WEIGHTED = replace(
    Table.from_array([6.0, 30.0], frequency=True),
    keys=CellKeys(np.array([0.2, 0.4, 0.6]), np.array([2, 10, 12]), np.array([3.0, 3, 3])),
)
EMPTY = replace(
    Table.from_array([0.0, 30.0], frequency=True),
    keys=CellKeys(np.array([0.2, 0.4, 0.6]), np.array([0, 10, 10]), np.array([3.0, 3, 3])),
)


@pytest.mark.parametrize(
    ("promise", "table", "shown", "terms", "refuted"),
    [
        # whole numbers add up without loss, others to the last digit of the line
        ("adds-up", LINE, [2.0, 3, 7, 0, 12], {}, False),
        ("adds-up", LINE, [2.0, 3, 7, 0, 13], {}, True),
        ("adds-up", TINY, [0.1, 0.2, 0.3], {}, False),
        ("adds-up", TINY, [0.1, 0.2, 0.3], {"whole": True}, True),
        ("adds-up", TINY, [0.1, 0.2, 0.3 + 1e-9], {}, True),
        ("adds-up", LARGE, [1e6 + 0.1, 5, 1e6 + 5.1 + 1e-6], {}, False),
        ("adds-up", LARGE, [1e6 + 0.1, 5, 1e6 + 5.1 + 1e-5], {}, True),
        ("adds-up", LARGE, [1e13, 5, 1e13 + 6], {}, True),
        # a large number of bases is one to the digits that it has, and so is none
        ("multiples-of-base", LARGE, [1e6 + 1e-6, 5, 0], {"base": 1.0}, False),
        ("multiples-of-base", LARGE, [1e6 + 1e-2, 5, 0], {"base": 1.0}, True),
        ("multiples-of-base", LARGE, [5e-10, 5, 0], {"base": 1.0}, False),
        ("multiples-of-base", LARGE, [1e-8, 5, 0], {"base": 1.0}, True),
        ("multiples-of-base", LARGE, [6.0, 3, 9], {"base": 2.0}, True),
        ("multiples-of-base", LARGE, [6.0, 3, 9], {}, True),
        ("within-reach", LINE, [2.0, 3, 7, 0, 12], {}, True),
        # a fraction is not subtracted without loss, and a whole number is
        ("within-reach", LARGE, [1e6, 5.1 + 1e-12, 1000005], {"reach": 0.1}, False),
        ("within-reach", LARGE, [1e6, 6.0, 1000005], {"reach": 1.0}, True),
        ("zeros-stay", LINE, [0.0, 3, 7, 0, 12], {}, False),
        ("zeros-stay", LINE, [2.0, 3, 7, 1, 12], {}, True),
        ("zeros-stay", LINE, [2.0, 3, 7, -1, 12], {}, True),
        *(
            ("none-hidden", LINE, [shown, 3, 7, 0, 12], {"hidden": 2}, refuted)
            for shown, refuted in [
                (-1.0, True),
                (0.0, False),
                (1e-9, False),
                (1e-8, True),
                (1.0, True),
                (2.0, True),
                (3 - 2e-6, True),
                (3 - 5e-7, False),
                (3.0, False),
            ]
        ),
        # of weighted counts the records are counted: 3 stands for one, 9 for three
        ("none-hidden", WEIGHTED, [3.0, 30, 36], {"hidden": 2, "keys": WEIGHTED.keys}, True),
        ("none-hidden", WEIGHTED, [9.0, 30, 36], {"hidden": 2, "keys": WEIGHTED.keys}, False),
        ("none-hidden", EMPTY, [1.0, 30, 31], {"hidden": 2, "keys": EMPTY.keys}, True),
        ("none-hidden", EMPTY, [1.0, 30, 31], {"hidden": 2, "keys": WEIGHTED.keys}, True),
        ("none-hidden", LINE, [-1.0, 1, 7, 0, 12], {"hidden": 2}, True),
        # magnitudes may be of any size and sign
        ("none-hidden", LINE, [-1.0, 1, 7, 0, 12], {"hidden": 2, "flex": FLEX}, False),
        # inner cells alone, of which those below the base become 0 or the base
        ("small-are-rounded", LINE, [0.0, 3, 7, 0, 99], {"small": 3}, False),
        ("small-are-rounded", LINE, [3.0, 3, 7, 0, 12], {"small": 3}, False),
        ("small-are-rounded", LINE, [2.0, 3, 7, 0, 12], {"small": 3}, True),
        ("small-are-rounded", LINE, [0.0, 0, 7, 0, 12], {"small": 3}, True),
        ("small-are-rounded", LINE, [0.0, 3, 8, 0, 12], {"small": 3}, True),
        ("small-are-rounded", LINE, [0.0, 3, 7, 3, 12], {"small": 3}, True),
        ("small-are-rounded", LINE, [2.0, 3, 7, 0, 12], {}, True),
        *(
            ("within-bounds", LIMITED, [shown, 0.5, 4.5], {"whole": whole}, refuted)
            for shown, whole, refuted in [
                (10.0, False, False),
                (10 + 3e-9, False, False),
                (10 + 5e-9, False, True),
                (0.0, False, False),
                (-3e-9, False, False),
                (-5e-9, False, True),
                (3.0, True, True),
            ]
        ),
        ("within-bounds", LIMITED, [4.0, 10 + 5e-10, 4.5], {}, False),
        ("within-bounds", LIMITED, [4.0, 10 + 5e-9, 4.5], {}, True),
        ("within-bounds", LIMITED, [4.0, 1.0, 5.0], {"whole": True}, False),
        *(
            ("outside-intervals", table, [shown, 50, 150], {}, refuted)
            for table, shown, refuted in [
                (SECRET, 120.0, False),
                (SECRET, 120 - 5e-8, False),
                (SECRET, 120 - 5e-7, True),
                (SECRET, 100.0, True),
                (SECRET, 90 + 5e-7, True),
                (SECRET, 90 + 5e-8, False),
                (SECRET, 90.0, False),
                # on a side without a level there is no end of the interval
                (ABOVE, 90.0, True),
                (ABOVE, 120.0, False),
                (BELOW, 110.0, True),
                (BELOW, 90.0, False),
                (replace(BELOW, upper=BELOW.lower / 20), 100.5, False),
                (NEGATIVE, -80 - 5e-8, False),
                (NEGATIVE, -80 - 5e-7, True),
            ]
        ),
    ],
)
def test_every_promise_is_kept_up_to_its_border_and_refuted_beyond(promise, table, shown, terms, refuted):
    assert broken(table, shown, promise, **terms) is refuted


# what the audit says


def warnings(audit):
    return {each.name: each.count for each in audit.warnings}


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        (TINY, {"nothing-changed": 3, "nothing-judged": 3}),
        (replace(TINY, frequency=True), {"nothing-changed": 3}),
        (SECRET, {"nothing-changed": 3}),
    ],
)
def test_the_true_table_and_one_that_nobody_judged_are_reported(table, expected):
    unchanged = Adjusted.of(table, table.values.copy())
    assert warnings(audit_adjusted(table, unchanged, ["adds-up"])) == expected


def test_what_was_given_up_is_reported():
    shown = np.array([120.0, 50, 150])
    made = replace(Adjusted.of(SECRET, shown), relaxed="values further than a base away", drawn=2)
    assert warnings(audit_adjusted(SECRET, made, ["adds-up"])) == {"relaxed": 1}
    assert warnings(audit_adjusted(SECRET, made, [])) == {"relaxed": 1, "additivity-lost": 1}
    by_half = Adjusted.of(SECRET, np.array([120.0, 50, 170.5]))
    assert warnings(audit_adjusted(SECRET, by_half, [])) == {"additivity-lost": 1}
    grid = Table.from_array([[1.0, 2.0], [3.0, 4.0]], frequency=True)
    one_more = Adjusted.of(grid, grid.values + (np.arange(grid.n) == 0))
    # a row and a column
    assert warnings(audit_adjusted(grid, one_more, [])) == {"additivity-lost": 2}
    keyed = replace(made, terms=Terms(keys=WEIGHTED.keys), relaxed="")
    assert warnings(audit_adjusted(SECRET, keyed, ["adds-up"])) == {"keys-drawn": 2}
    assert not warnings(audit_adjusted(SECRET, replace(keyed, drawn=0), ["adds-up"]))


@pytest.mark.parametrize(
    ("shown", "inside"), [(120.0, None), (119.0, 1), (90.0, None), (91.0, 1), (130.0, None)]
)
def test_magnitudes_that_stay_within_their_levels_are_counted(shown, inside):
    made = Adjusted.of(SECRET, np.array([shown, 50, 150]), terms=Terms(flex=FLEX))
    assert warnings(audit_adjusted(SECRET, made, ["adds-up"])).get("inside-intervals") == inside


def test_an_audit_shows_which_cells_give_too_much_away_and_how_many():
    table = replace(SECRET, upper=np.array([60.0, 0, 0]))
    made = Adjusted.of(table, np.array([100.0, 60, 160]), terms=Terms(base=20, reach=20))
    found = audit_adjusted(table, made, ["within-reach", "adds-up", "multiples-of-base"])
    assert found.headline.endswith("3 of 3 promises kept, 3 attacked, 1 cells not protected")
    columns = {each.name: list(each.cells) for each in found._columns()}
    assert columns[table.dimensions[0].name] == [table.label(cell)[0] for cell in range(3)]
    assert columns["sensitive"] == [True, False, False]
    assert (columns["low"][0], columns["high"][0]) == (80.0, 120.0)
    assert columns["reason"] == ["too close from above", None, None]
    with pytest.raises(VerificationError, match="1 cells of the adjusted table"):
        require_safe(found)
    accepted = audit_adjusted(table, made, ["adds-up"], accept_less_protection=True)
    assert (accepted.safe, accepted.accepted, accepted.exposed) == (True, 1, 0)
    assert warnings(accepted) == {"levels-not-kept": 1}
    assert accepted.headline.endswith("3 attacked, safe")
    assert "levels" in accepted._repr_html_()


def test_pinned_counts_are_reported_of_noise_alone():
    table = replace(LINE, frequency=True)
    made = Adjusted.of(table, table.values.copy(), terms=Terms(base=1, reach=1))
    found = audit_adjusted(table, made, ["adds-up"])
    assert found.inferred.pinned == 1
    assert warnings(found) == {"nothing-changed": 5}


# what a file shows


def claimed(promises=("adds-up",), **terms):
    """SECRET at the end of its interval, which keeps all promises and gives nothing away."""
    made = Adjusted.of(SECRET, np.array([120.0, 50, 170]), terms=Terms(**terms))
    return AdjustmentClaim(made, audit_adjusted(SECRET, made, promises))


@pytest.mark.parametrize(
    ("claim", "fault", "failed"),
    [
        (claimed(), {}, set()),
        (claimed(), {"withheld": np.array([True, False, False])}, {"cells-published"}),
        (claimed(), {"besides": ("a note",)}, {"nothing-besides"}),
        (claimed(), {"values": np.array([121.0, 50, 171])}, {"values-audited"}),
        (claimed(), {"values": np.array([120.0, 50, 171])}, {"values-audited", "promises-on-file"}),
        (claimed(("zeros-stay", "multiples-of-base")), {}, {"promises-on-file", "truth-attacked"}),
        (replace(claimed(), adjusted=claimed().adjusted), {}, {"truth-attacked"}),
    ],
    ids=range(7),
)
def test_each_check_of_a_file_finds_its_own_fault(claim, fault, failed):
    seen = {"withheld": np.zeros(3, dtype=bool), "besides": (), "values": claim.adjusted.values} | fault
    found = verdicts(FileEvidence(Seen(**seen), claim), FILE_CHECKS, FILE_CHECKS)
    assert {each.guarantee for each in found if not each.passed} == failed
