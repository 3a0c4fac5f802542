"""What an audit calls a failure, what a warning, and what it says of both."""

from dataclasses import replace

import numpy as np
import pytest

from attacked_tables import PAIR, known_parts, linked_margins, odd_triangle, pair
from tacita.core import Contributors, ParameterError, Pattern, Table
from tacita.tables.rules.frequency import MinimumFrequency
from tacita.tables.verify.audit import audit
from tacita.tables.verify.common import COMMON
from tacita.tables.verify.insiders import INSIDER
from tacita.tables.verify.integers import PINNED, UNDECIDED
from tacita.tables.verify.protection_criteria import Failure, Judge
from tacita.tables.verify.singleton_and_sum_attacks import KNOWN_SUM, LONE
from tacita.tables.verify.unjudged import NOTHING_JUDGED


def test_failures_are_found_by_their_reason():
    found = audit(pair(), np.zeros(3, dtype=bool), "exact")
    assert found.cells_that_fail("published") == [0]
    assert found.cells_that_fail("can be computed exactly", "too narrow") == []


@pytest.mark.parametrize("demanded", [False, True])
def test_what_contributors_know_is_a_warning_or_where_they_were_demanded_a_failure(demanded):
    found = audit(known_parts(1.0, 5.5), PAIR, insiders=demanded)
    assert found.safe is not demanded
    assert {failure.reason for failure in found.failures} == ({INSIDER} if demanded else set())
    assert ("insiders" in {warning.name for warning in found.warnings}) is not demanded


def test_somebody_who_guesses_signs_knows_that_a_suppressed_zero_does_not_fall():
    table = pair(5.0, 0.0, lower=[1.0, 0.0], upper=[1.0, 0.0], bounds=(-np.inf, np.inf))
    found = audit(table, PAIR, "interval", zeros="withhold")
    assert found.safe
    assert {warning.name: warning.count for warning in found.warnings}["sign-guessed"] == 1


def warnings(found):
    return {warning.name: warning.count for warning in found.warnings}


def reasons(found):
    return [(failure.cell, failure.reason) for failure in found.failures]


# what a pattern says of itself


@pytest.mark.parametrize(("zeros", "ends"), [("publish", (1.0, 2.0)), ("withhold", (0.0, 3.0))])
def test_a_pattern_says_whether_zeros_are_published(zeros, ends):
    table = pair(2.0, 1.0, frequency=True)
    pattern = Pattern.of(table, PAIR, problem="exact", parameters={"zeros": zeros})
    assert audit(table, pattern).range_of(0) == ends
    # what is said of the audit itself counts more
    assert audit(table, pattern, zeros="publish").range_of(0) == (1.0, 2.0)


def test_a_pattern_says_whether_it_was_accepted_that_no_cell_is_sensitive():
    table = Table.from_array([2.0, 1.0])
    accepted = Pattern.of(table, PAIR, problem="exact", parameters={"accept": ("no-sensitive-cells",)})
    assert audit(table, accepted).safe
    assert not audit(table, Pattern.of(table, PAIR, problem="exact")).safe


# failures and warnings


@pytest.mark.parametrize(("insist", "safe"), [(False, False), (True, True)])
def test_whole_numbers_that_were_not_decided_may_be_accepted_and_what_they_give_away_not(
    insist, safe, monkeypatch
):
    table = odd_triangle()
    hidden = np.arange(7) < 4
    near = replace(table, lower=table.lower / 2, upper=table.upper / 2)
    assert reasons(audit(table, hidden, zeros="withhold", accept_risks=insist)) == [(3, PINNED)]
    monkeypatch.setattr("tacita.tables.verify.integers._SECONDS", -1.0)
    found = audit(near, hidden, zeros="withhold", accept_risks=insist)
    assert reasons(found) == ([] if safe else [(3, UNDECIDED)])
    assert warnings(found).get("whole-numbers-undecided") == (1 if safe else None)


def of_few_counts(known):
    """15 + 5 + 3, of which counts below 11 are sensitive; everybody may know the 15."""
    low, high = np.array([15.0, 0, 0]), np.array([15.0, np.inf, np.inf])
    bounds = (low, high) if known else (0.0, np.inf)
    table = Table.from_array([15.0, 5, 3], frequency=True, bounds=bounds)
    table = replace(table, contributors=Contributors.counts(table.values))
    rule = MinimumFrequency(threshold=11)
    flags = rule.flag_table(table)
    return table.with_primary(flags.mask, flags.lower, flags.upper, flags.sliding, (rule,))


@pytest.mark.parametrize("known", [False, True])
def test_a_cell_that_can_be_computed_leaves_the_sum_of_the_others_known(known):
    found = audit(of_few_counts(known), np.array([True, True, True, False]), zeros="withhold")
    assert found.computable.tolist() == [known, False, False, False]
    assert {cell for cell, reason in reasons(found) if reason == KNOWN_SUM} == ({1, 2} if known else set())


def test_a_sensitive_sum_that_was_insisted_on_is_a_warning():
    found = audit(
        of_few_counts(True), np.array([True, True, True, False]), zeros="withhold", accept_risks=True
    )
    assert KNOWN_SUM not in {reason for _, reason in reasons(found)}
    assert warnings(found)["sensitive-sums"] == 2


def known_to_one(upper):
    """The second cell is one contributor's, who computes the first."""
    table = known_parts(1.0, upper)
    alone = Contributors.of([[60.0, 40.0], [50.0], [60.0, 50.0, 40.0]], 2)
    return replace(table, contributors=replace(alone, holders=np.array([[0, 1], [2, -1], [0, 2]])))


@pytest.mark.parametrize(
    ("words", "failures"), [({}, []), ({"strict": True}, [(0, LONE)]), ({"insiders": True}, [(0, LONE)])]
)
def test_what_singletons_know_is_a_warning_or_a_failure_and_never_both(words, failures):
    found = audit(known_to_one(5.0), PAIR, **words)
    assert reasons(found) == failures
    assert warnings(found).get("lone-contributors") == (None if failures else 1)
    assert "sensitive-sums" not in warnings(found)
    # who is alone in a cell is no other contributor
    assert (len(found.lone), found.insiders) == (1, ())


@pytest.mark.parametrize("table", [known_to_one(200.0), known_parts(1.0, 200.0)], ids=["lone", "insiders"])
def test_of_a_cell_that_fails_for_all_nothing_is_said_of_some(table):
    found = audit(table, PAIR, strict=True, insiders=True)
    assert reasons(found) == [(0, "too close from above")]
    assert (found.lone, found.insiders, found.exposed) == ((), (), 1)


def test_contributors_for_whom_there_was_no_time_are_reported(monkeypatch):
    monkeypatch.setattr("tacita.tables.verify.insiders._SECONDS", -1.0)
    assert warnings(audit(known_parts(1.0, 5.5), PAIR))["insiders-not-tried"] == 1


# the table behind linked ones


def behind(one_knows=False):
    """a x b suppressed, the others published: with no negative record the latter leave a x b no choice.

    Of the second sector nobody is in a1, of the first nobody in b1. If a x c is suppressed too, only who
    knows a cell of it knows that.
    """
    table = linked_margins(np.array([[[3.0, 4], [2, 0]], [[0, 5], [0, 0]]]))
    top = table.codes == np.array([each.top for each in table.dimensions])
    hidden = (~top).sum(axis=1) == 2
    hidden &= top[:, 2] | one_knows & top[:, 1]
    sensitive = hidden & top[:, 2] & (table.values == 2)
    table = replace(table, primary=sensitive)
    if one_knows:
        number = np.where(hidden & top[:, 1] & (table.values == 5) & (table.codes[:, 0] != 1), 1, 9)
        part = np.where(number == 1, table.values, 0.0)
        nobody = np.full((table.n, 1), -1)
        made = Contributors(table.values, number, part[:, None], nobody, number * 1.0, part * 0, part)
        table = replace(table, contributors=made)
    return table, hidden, np.flatnonzero(sensitive).tolist()


def test_what_the_table_behind_linked_ones_gives_away_is_a_failure():
    table, hidden, cells = behind()
    assert len(cells) == 1
    judge = Judge(table, "exact")
    assert not list(judge.failures(hidden, cells))
    assert reasons(audit(table, hidden, "exact")) == [(cells[0], COMMON)]


def test_singletons_write_down_the_table_behind_linked_ones(monkeypatch):
    table, hidden, cells = behind(one_knows=True)
    assert table.contributors.lone.sum() == 1
    found = audit(table, hidden, "exact", strict=True)
    assert reasons(found) == [(cells[0], LONE)]
    assert "common-table-not-judged" not in warnings(found)
    alone = audit(replace(table, contributors=None), hidden, "exact", strict=True)
    assert not alone.failures
    monkeypatch.setattr("tacita.tables.verify.audit._SECONDS", -1.0)
    assert warnings(audit(table, hidden, "exact"))["common-table-not-judged"] == 1


@pytest.mark.parametrize("insist", [False, True])
def test_what_time_did_not_decide_is_attacked_in_other_ways_all_the_same(insist, monkeypatch):
    table, hidden, cells = behind()
    doubt = [Failure(cell, table.label(cell), UNDECIDED, 2.0, 2.0, 1.0) for cell in cells]
    monkeypatch.setattr("tacita.tables.verify.audit.given_away_by_integers", lambda *_: doubt)
    found = audit(table, hidden, "exact", accept_risks=insist)
    assert reasons(found) == [(cells[0], COMMON if insist else UNDECIDED)]
    doubt[:] = [replace(doubt[0], cell=0, labels=("1",))]
    inside = audit(known_parts(1.0, 5.5), PAIR, accept_risks=insist, insiders=True)
    assert reasons(inside) == [(0, INSIDER if insist else UNDECIDED)]


# guesses


def test_somebody_who_guesses_that_zeros_are_published_is_reported_of_once():
    near = pair(2.0, 1.0, lower=[0.0, 0.0], upper=[1.0, 0.0])
    found = audit(near, PAIR)
    assert found.safe
    assert warnings(found)["zeros-guessed"] == 1
    assert "zeros-guessed" not in warnings(audit(near, PAIR, zeros="withhold"))
    assert not audit(near, PAIR, zeros="publish").safe
    # of a cell that fails anyway nothing is said
    fails = replace(near, upper=near.upper * 2)
    assert not audit(fails, PAIR).safe
    assert "zeros-guessed" not in warnings(audit(fails, PAIR))


def test_guesses_are_tried_only_where_that_takes_little(monkeypatch):
    near = pair(2.0, 1.0, lower=[0.0, 0.0], upper=[1.0, 0.0])
    work = Judge(near, "interval").attacker(PAIR).work
    for limit, tried in ((work, True), (work - 1.0, False)):
        monkeypatch.setattr("tacita.tables.verify.audit._LITTLE", limit)
        assert ("zeros-guessed" in warnings(audit(near, PAIR))) is tried


def test_ranges_that_are_not_sought_are_said_to_be_at_least_so_wide():
    sought, brief = (audit(pair(), PAIR, ranges=ranges) for ranges in (None, False))
    assert (sought.exact_ranges, brief.exact_ranges) == (True, False)
    assert "ranges-at-least" not in warnings(sought)
    assert warnings(brief)["ranges-at-least"] == 2


@pytest.mark.parametrize(("values", "count"), [((0.0, 0.0), 1), ((5.0, 0.0), None), ((0.0, -1.0), None)])
def test_of_cells_without_bounds_those_are_counted_that_a_guess_of_signs_fixes(values, count):
    found = audit(pair(*values, bounds=(-np.inf, np.inf)), PAIR, "general")
    assert warnings(found).get("sign-guessed") == count


def test_without_bounds_nobody_guesses_a_unit():
    assert warnings(audit(pair(1.0, 1.0, bounds=(-np.inf, np.inf)), PAIR, "general")) == {}


# what it shows


def test_the_headline_says_whether_cells_are_protected_or_nobody_said_which():
    for table, problem, told in (
        (pair(), "exact", "safe"),
        (pair(lower=[1.0, 0.0], upper=[200.0, 0.0]), "interval", "1 cells not protected"),
    ):
        assert audit(table, PAIR, problem).headline == f"Audit of 2 suppressed cells, {problem}: {told}"
    bare = Table.from_array([2.0, 1.0])
    accepted = audit(bare, PAIR, "exact", accept_risks="no-sensitive-cells")
    assert accepted.headline.endswith("that no cell is sensitive was accepted, not judged")
    assert audit(bare, PAIR, "exact").headline.endswith(NOTHING_JUDGED)


def test_cells_without_a_level_are_counted():
    assert warnings(audit(pair(), PAIR, "interval", zeros="withhold")) == {"no-level": 1}
    assert not warnings(audit(pair(), PAIR, "exact"))


def test_a_frame_has_a_row_for_each_withheld_cell_and_the_reason_where_it_fails():
    table = pair(100.0, 50.0, lower=[1.0, 0.0], upper=[200.0, 0.0])
    found = audit(table, PAIR)
    columns = {each.name: list(each.cells) for each in found._columns()}
    assert columns["sensitive"] == [True, False]
    assert (columns["low"], columns["high"]) == ([0.0, 0.0], [150.0, 150.0])
    assert columns["reason"] == ["too close from above", None]
    assert columns[table.dimensions[0].name] == [table.label(0)[0], table.label(1)[0]]
    assert found.failures[0].shortfall == 150.0
    assert "too close from above" in found._repr_html_()
    with pytest.raises(ParameterError, match="published"):
        found.range_of(2)
    published = audit(table, ~PAIR).failures[0]
    assert (published.reason, published.low, published.high) == ("published", 100.0, 100.0)
    assert published.shortfall == np.inf


def test_of_guesses_sensitive_cells_alone_are_counted():
    assert warnings(audit(pair(1.0, 1.0), PAIR, "exact"))["zeros-guessed"] == 1


def test_a_pattern_is_attacked_for_the_problem_that_it_is_for():
    pattern = Pattern.of(pair(), PAIR, problem="exact")
    assert (audit(pair(), pattern).problem, audit(pair(), pattern, "interval").problem) == (
        "exact",
        "interval",
    )


def test_a_single_count_is_reported_of_counts_alone():
    for frequency, count in ((True, 1), (False, None)):
        table = Table.from_array([4.0, 0.0], frequency=frequency)
        assert warnings(audit(table, np.zeros(3, dtype=bool), "exact")).get("single-count") == count


def test_single_contributors_of_lists_that_number_them_by_themselves_are_reported():
    made = Contributors.of([[100.0], [50.0], [100.0, 50.0]], 2)
    made = replace(made, holders=np.array([[0, -1], [1, -1], [0, 1]]))
    for apart, count in ((True, 2), (False, None)):
        found = audit(replace(pair(), contributors=replace(made, apart=apart)), PAIR, "exact")
        assert warnings(found).get("holders-apart") == count
