"""What an attacker knows beyond sums: shown zeros, whole numbers, sums of suppressed cells, the records."""

from dataclasses import replace
from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from scipy.optimize import LinearConstraint, linprog, milp

import tacita
from attacked_tables import REGIONS, odd_triangle
from tacita.core import Contributors, DataError, Table, VerificationError
from tacita.core.spec import registry
from tacita.tables.input.linked_tables import link_tables
from tacita.tables.input.tabulate import tabulate
from tacita.tables.release.suppress import suppress
from tacita.tables.rules.concentration import Dominance
from tacita.tables.rules.frequency import MinimumFrequency, ZeroCells
from tacita.tables.verify.audit import audit
from tacita.tables.verify.common import COMMON, with_common_table
from tacita.tables.verify.integers import PINNED, IntegerSearch
from tacita.tables.verify.singleton_and_sum_attacks import KNOWN_SUM
from tacita.tables.verify.unions import known_sums, sensitive_unions
from twins.attack import possible_range

METHODS = [name for name in registry.names("suppression") if name not in ("gauss", "genetic")]


def counts(values, threshold, rules=(), dimensions=None, **fields):
    """A table of counts in which cells below a threshold are sensitive."""
    made = (
        Table.from_array(values, frequency=True, **fields)
        if dimensions is None
        else Table.cross(dimensions, np.asarray(values, dtype=float), frequency=True, **fields)
    )
    table = replace(made, contributors=Contributors.counts(made.values))
    for rule in (MinimumFrequency(threshold=threshold), *rules):
        flags = rule.flag_table(table)
        table = table.with_primary(flags.mask, flags.lower, flags.upper, flags.sliding, (rule,))
    return table


def reasons(found):
    return {failure.reason for failure in found.failures}


def able(table, problem):
    """The methods that take a table and a problem."""
    known = {name: registry.lookup(name, "suppression") for name in METHODS}
    return [name for name, method in known.items() if problem in method.problems and method.fits(table)]


def matrix_of(table):
    relations = table.relations
    matrix = np.zeros((len(relations), table.n))
    matrix[relations.rows, relations.cells] = relations.signs
    return matrix


def whole_range(table, withheld, cell, least=1.0):
    """Least and largest count of a cell over all tables of whole numbers that show the same.

    Zeros are published, so that no suppressed count is below `least`.
    """
    hidden = np.flatnonzero(withheld)
    matrix = matrix_of(table)
    right = -matrix[:, ~withheld] @ table.values[~withheld]
    low = np.full(hidden.size, least)
    ends = []
    for sign in (1, -1):
        solved = milp(
            sign * (hidden == cell).astype(float),
            integrality=np.ones(hidden.size),
            bounds=(low, np.full(hidden.size, table.values.max() * 3)),
            constraints=LinearConstraint(matrix[:, hidden], right, right),
        )
        ends.append(round(sign * solved.fun))
    return ends


# zeros that are published


def test_three_counts_with_a_known_sum_of_three_are_all_one():
    table = counts([10, 1, 1, 1, 9], 3)
    found = audit(table, table.primary, "interval")
    assert found.exposed == 3
    # if zeros might be suppressed, each could be 0, 1, 2 or 3
    assert audit(table, table.primary, "interval", zeros="withhold").safe


@pytest.mark.parametrize("problem", ["exact", "interval"])
@pytest.mark.parametrize("values", [[10, 1, 1, 1, 9], [[1, 2, 1], [2, 1, 1], [9, 9, 9]]])
def test_every_method_knows_that_a_suppressed_count_is_at_least_one(values, problem):
    table = counts(values, 3, margins=True)
    for name in able(table, problem):
        claim = suppress(table, tacita.get_method(name), problem, zeros="publish")
        withheld = claim.pattern.withheld
        for cell in np.flatnonzero(table.primary).tolist():
            low, high = whole_range(table, withheld, cell)
            assert low < high, f"{name} gives a count away"


def test_a_suppressed_zero_leaves_open_which_cells_are_zero():
    table = counts([[4, 0, 1], [0, 3, 2], [5, 6, 0]], 3, rules=[ZeroCells(empty=True)])
    assert (table.primary & (table.values == 0)).any()
    assert table.with_zeros("publish").low.max() == 0.0
    claim = suppress(table, tacita.get_method("optimal"), "exact", zeros="publish")
    assert claim.audit.low.min() == 0.0


def test_amounts_of_contributors_are_at_least_the_unit_of_all_amounts():
    records = {"sector": list("abcde"), "turnover": [500, 1, 1, 1, 40]}
    table = tabulate(pa.table(records), ["sector"], "turnover")
    table = table.with_primary(np.isin(np.arange(table.n), [1, 2, 3]), 50, 50)
    assert table.smallest_unit == 1.0
    assert not audit(table, table.primary, "interval").safe
    # of a list of amounts nobody says the unit; who is told that zeros are published reads it off the values
    bare = Table.from_array([500, 1, 1, 1, 40], primary=[0, 1, 1, 1, 0], lower=50, upper=50)
    assert bare.smallest_unit == 0.0
    found = audit(bare, bare.primary, "interval")
    assert found.safe
    assert {warning.name: warning.count for warning in found.warnings}["zeros-guessed"] == 3
    assert not audit(bare, bare.primary, "interval", zeros="publish").safe
    withheld = audit(bare, bare.primary, "interval", zeros="withhold")
    assert withheld.safe
    assert not withheld.warnings
    fine = Table.from_array([500, 0.25, 0.25, 0.25, 40], primary=[0, 1, 1, 1, 0], lower=50, upper=50)
    assert fine.with_published_unit().smallest_unit == 0.01
    assert audit(fine, fine.primary, "interval", zeros="publish").safe
    # nothing is known of values that may be negative
    assert Table.from_array([500, -1]).with_published_unit().smallest_unit == 0.0


def test_whoever_guesses_that_zeros_are_published_is_warned_of():
    table = replace(counts([10, 1, 1, 1, 9], 3), contributors=None, rules=())
    for zeros, warned in ((None, {"zeros-guessed"}), ("withhold", set())):
        found = audit(table, table.primary, "exact", zeros=zeros)
        assert found.safe
        assert {warning.name for warning in found.warnings} == warned
    assert audit(table, table.primary, "exact", zeros="publish").exposed == 3
    # a zero among them leaves open which cells are zero
    spread = replace(counts([10, 1, 1, 0, 9], 3), contributors=None, rules=())
    assert not audit(spread, np.isin(np.arange(6), [1, 2, 3]), "exact").warnings


LISTS = {
    "cells.csv": "area,n,s\na,10,0\nb,1,1\nc,1,1\nd,1,1\ne,9,0\n",
    "cells.jj": "0\n6\n0 10 10 s 0 1e+20 0 0 0\n"
    + "".join(f"{cell} 1 1 u 0 1e+20 0.3 0.3 0\n" for cell in (1, 2, 3))
    + "4 9 9 s 0 1e+20 0 0 0\n5 22 22 z 0 1e+20 0 0 0\n1\n0 6 : 0 (1) 1 (1) 2 (1) 3 (1) 4 (1) 5 (-1)\n",
}


@pytest.mark.parametrize("name", LISTS)
def test_three_counts_of_a_ready_list_are_not_given_away(tmp_path, name):
    (tmp_path / name).write_text(LISTS[name])
    columns = {} if name.endswith(".jj") else {"dimensions": ["area"], "value": "n", "primary": "s"}
    table = tacita.read_table(tmp_path / name, **columns)
    mask = table.primary
    assert audit(table, mask, "interval", zeros="publish").exposed == 3
    assert [each.name for each in audit(table, mask, "interval").warnings] == ["zeros-guessed"]
    assert tacita.suppress(table, "interval", zeros="publish").secondary_count == 1
    counted = tacita.read_table(tmp_path / name, counts=True, **columns)
    assert (counted.frequency, counted.smallest_unit) == (True, 1.0)
    assert audit(counted, mask, "interval").exposed == 3
    assert tacita.suppress(counted, "interval").secondary_count == 1


def test_a_table_of_tau_argus_whose_values_are_its_frequencies_holds_counts(tmp_path):
    records = {"area": [*"aaaabbc"], "v": [1, 2, 3, 4, 5, 6, 7]}
    rules = tacita.get_method("minimum-frequency", threshold=3)
    for value, whole in ((None, True), ("v", False)):
        table = tabulate(pa.table(records), ["area"], value, rules=rules)
        tacita.save_cells(table, tmp_path / f"{value}.tab")
        assert tacita.read_table(tmp_path / f"{value}.tab").frequency == whole


# sums of suppressed cells


def test_the_known_sum_of_two_small_counts_is_small_too():
    table = counts([15, 5, 3], 11)
    found = audit(table, table.primary, "interval")
    assert reasons(found) == {KNOWN_SUM}
    assert found.exposed == 2
    for name in able(table, "interval"):
        claim = suppress(table, tacita.get_method(name), "interval")
        assert claim.pattern.withheld.tolist() == [True, True, True, False]
        assert (claim.pattern.problem_cost, claim.pattern.lone_count) == (0, 1)


def test_a_sensitive_sum_that_cannot_be_widened_is_refused_unless_accepted():
    # the large cell must be published
    table = counts([15, 5, 3], 11, forced=[True, False, False])
    with pytest.raises((DataError, VerificationError)):
        suppress(table, tacita.get_method("optimal"), "interval")
    claim = suppress(table, tacita.get_method("optimal"), "interval", accept_less_protection=True)
    assert "sensitive-sums" in {warning.name for warning in claim.audit.warnings}


def test_a_suppressed_subtotal_is_replaced_by_its_suppressed_parts():
    table = Table.cross([REGIONS], np.array([4.0, 9, 20, 3, 30]), primary=[1, 0, 0, 1, 0])
    label = {table.label(cell)[0]: cell for cell in range(table.n)}
    hidden = np.isin(np.arange(table.n), [label[name] for name in ("n1", "s1", "north", "south")])
    sums = {frozenset(cells.tolist()) for cells, _ in known_sums(table, hidden)}
    assert frozenset({label["n1"], label["s1"]}) in sums


def test_a_cell_that_can_be_computed_hides_no_sum():
    table = counts([15, 5, 3], 11)
    mask = np.array([True, True, True, False])
    assert not sensitive_unions(table, mask)
    [union] = sensitive_unions(table, mask, fixed=np.array([True, False, False, False]))
    assert union.cells.tolist() == [1, 2]


# whole numbers


def test_a_count_that_linear_programs_leave_open_is_given_away_by_whole_numbers():
    table = odd_triangle()
    mask = np.arange(7) < 4
    assert reasons(audit(table, mask, "interval", zeros="withhold")) == {PINNED}
    # of amounts nobody knows that they are whole
    assert audit(replace(table, frequency=False), mask, "interval", zeros="withhold").safe


@pytest.mark.parametrize("seed", range(4))
def test_integer_programs_agree_with_all_whole_tables(seed):
    generator = np.random.default_rng(seed)
    table = Table.from_array(generator.integers(0, 3, (2, 2, 2)), frequency=True)
    mask = table.inner
    hidden = np.flatnonzero(mask)
    matrix = matrix_of(table)[:, hidden]
    right = matrix @ table.values[hidden]
    most = int(table.values[hidden].max()) + 2
    guesses = np.stack(
        np.unravel_index(np.arange((most + 1) ** hidden.size), (most + 1,) * hidden.size), axis=1
    )
    fitting = guesses[(guesses @ matrix.T == right).all(axis=1)] - table.values[hidden]
    search = IntegerSearch(table, mask)
    for place in range(hidden.size):
        for by in (1.0, 2.0, -1.0):
            moved = fitting[:, place] * np.sign(by)
            expected = bool((moved >= abs(by)).any())
            assert search.moves(place, by, 10.0) == expected


# the records behind linked tables


def linked(seed):
    generator = np.random.default_rng(seed)
    n, sizes = int(generator.integers(20, 60)), generator.integers(2, 5, 3)
    columns = {f"d{at}": [f"{at}{v}" for v in generator.integers(0, sizes[at], n)] for at in range(3)}
    columns |= {"v": np.round(generator.lognormal(3, 1, n)), "u": [str(at) for at in range(n)]}
    pairs = [("d0", "d1"), ("d0", "d2"), ("d1", "d2")]
    rules = [Dominance(n=1, k=70)]
    return link_tables(
        [tabulate(pa.table(columns), list(p), "v", unit="u", rules=rules, margins=True) for p in pairs]
    )


def range_by_entries(table, withheld, cell):
    """The range of a linked cell over all tables of all dimensions with these published margins."""
    dimensions = table.dimensions
    entries = np.array(list(product(*(each.leaves.tolist() for each in dimensions))))
    tops = [each.top for each in dimensions]
    inside = np.stack(
        [((entries == code) | (np.array(code) == tops)).all(axis=1) for code in table.codes.tolist()]
    ).astype(float)
    ends = []
    for sign in (1, -1):
        solved = linprog(
            sign * inside[cell],
            A_eq=inside[~withheld],
            b_eq=table.values[~withheld],
            A_ub=-inside[withheld],
            b_ub=-table.low[withheld],
        )
        ends.append(-sign * np.inf if solved.status == 3 else sign * solved.fun)
    return ends


@pytest.mark.parametrize("seed", [0, 1, 55, 85])
def test_linked_tables_withstand_whoever_writes_down_the_table_behind_them(seed):
    table = linked(seed)
    if not table.primary.any():
        return
    claim = suppress(table, tacita.get_method("constructive"), "interval")
    attacked = claim.table
    down, up, _ = attacked.needed()
    for cell in np.flatnonzero(attacked.primary).tolist():
        low, high = range_by_entries(attacked, claim.pattern.withheld, cell)
        assert low <= down[cell] + 1e-5
        assert high >= up[cell] - 1e-5


def test_a_pattern_that_holds_by_linked_sums_alone_is_refused_for_the_table_behind_them():
    refused = 0
    for seed in (55, 85, 141):
        table = linked(seed).with_zeros("publish")
        pattern = tacita.get_method("constructive").suppress(table, "interval")
        found = audit(table, pattern)
        refused += COMMON in reasons(found)
        for failure in found.failures:
            if failure.reason == COMMON:
                low, high = range_by_entries(found.table, pattern.withheld, failure.cell)
                down, up, _ = found.table.needed()
                assert low > down[failure.cell] + 1e-6 or high < up[failure.cell] - 1e-6
    assert refused == 3


def test_tables_that_are_not_linked_have_no_table_behind_them():
    table = counts([[4, 5], [6, 7]], 3)
    assert with_common_table(table, table.primary) is None


# one's own part


def firms(seed):
    generator = np.random.default_rng(seed)
    n = int(generator.integers(25, 50))
    columns = {name: generator.integers(0, size, n).astype(str) for name, size in (("r", 4), ("s", 4))}
    columns |= {
        "v": np.round(generator.lognormal(3, 1, n)),
        "u": generator.integers(0, n // 2, n).astype(str),
    }
    rules = [Dominance(n=1, k=75)]
    return columns, tabulate(pa.table(columns), ["r", "s"], "v", unit="u", rules=rules, margins=True)


def range_for(table, withheld, cell, own):
    """The range of a cell for somebody who knows that each cell is at least what is their own."""
    attacked = table.with_bounds(np.maximum(table.low, own), table.high)
    return possible_range(attacked, withheld, cell), attacked.needed()


@pytest.mark.parametrize("seed", range(4))
def test_a_pattern_for_insiders_protects_from_every_contributor_by_the_records(seed):
    columns, table = firms(seed)
    if not table.primary.any():
        return
    claim = suppress(table, tacita.get_method("optimal"), "interval", insiders=True)
    withheld, attacked = claim.pattern.withheld, claim.table
    for unit in np.unique(columns["u"]):
        own = own_parts(attacked, columns, unit)
        for cell in np.flatnonzero(attacked.primary).tolist():
            if own[cell] >= attacked.values[cell]:
                continue
            (low, high), (down, up, _) = range_for(attacked, withheld, cell, own)
            assert low <= down[cell] + 1e-6
            assert high >= up[cell] - 1e-6


def own_parts(table, columns, unit):
    mine = columns["u"] == unit
    parts = np.zeros(table.n)
    for cell in range(table.n):
        inside = mine.copy()
        for name, label, dimension in zip("rs", table.label(cell), table.dimensions, strict=True):
            if label != dimension.labels[dimension.top]:
                inside &= columns[name] == label
        parts[cell] = columns["v"][inside].sum()
    return parts


def test_the_audit_counts_cells_that_a_contributor_comes_too_close_to():
    counted = 0
    for seed in range(12):
        _, table = firms(seed)
        if not table.primary.any():
            continue
        claim = suppress(table, tacita.get_method("optimal"), "interval")
        leaks = claim.audit.insiders
        warned = {warning.name: warning.count for warning in claim.audit.warnings}
        assert warned.get("insiders", 0) == len(leaks)
        counted += len(leaks)
        for leak in leaks:
            (low, high), (down, up, _) = range_for(
                claim.table, claim.pattern.withheld, leak.failure.cell, leak.low
            )
            cell = leak.failure.cell
            assert low > down[cell] or high < up[cell]
            assert not audit(claim.table, claim.pattern, insiders=True).safe
    assert counted
