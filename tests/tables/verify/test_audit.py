"""The audit on tables whose answers are known, and against plain linear programmes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita
from tacita.core import Contributors, Hierarchy, Pattern, RunContext, Table
from tacita.io.hierarchies import from_nested
from tacita.tables.rules.concentration import Dominance, PPercent
from tacita.tables.rules.frequency import MinimumFrequency
from tacita.tables.verify.attacker import Attacker
from tacita.tables.verify.audit import audit, require_safe
from twins import attack

INF = np.inf


def corners(table, *cells):
    mask = np.zeros(table.n, dtype=bool)
    for row, column in cells:
        mask[row * table.shape[1] + column] = True
    return mask


def three_by_three(**fields):
    inner = [[11, 47, 58], [1, 15, 33], [2, 31, 20]]
    fields = {"primary": np.eye(3, dtype=bool) & [[0] * 3, [1] * 3, [0] * 3], **fields}
    return Table.from_array(inner, labels=[["I", "II", "III"], ["A", "B", "C"]], **fields)


class TestTheExamplesOfTheSource:
    def test_the_margins_of_the_table_of_regions_and_activities(self):
        table = three_by_three()
        grid = table.grid(table.values)
        assert grid[:, 3].tolist() == [116, 49, 53, 218]
        assert grid[3].tolist() == [14, 93, 111, 218]

    def test_its_pattern_leaves_13_to_16_for_the_cell_of_15_and_costs_34(self):
        table = three_by_three()
        mask = corners(table, (1, 0), (1, 1), (2, 0), (2, 1))
        found = audit(table, mask, "exact")
        assert found.safe
        assert found.range_of(table.cell("II", "B")) == (13, 16)
        assert Pattern.of(table, mask).cost == 34

    def test_no_pattern_of_fewer_or_cheaper_cells_protects_it(self):
        table = three_by_three()
        free = np.flatnonzero(table.inner & ~table.primary)
        for choice in range(2**free.size):
            mask = table.primary.copy()
            mask[free[[bool(choice >> bit & 1) for bit in range(free.size)]]] = True
            if audit(table, mask, "exact").safe:
                pattern = Pattern.of(table, mask)
                assert pattern.secondary_count >= 3
                assert pattern.cost >= 34

    def test_a_signed_table_with_four_corners_withheld_allows_any_value(self):
        table = Table.from_array(
            [[0, -1, 4], [2, 1, 1], [0, 0, 2]], primary=np.eye(3, dtype=bool) & [1, 0, 0]
        )
        assert table.grid(table.values)[:3, 3].tolist() == [3, 4, 2]
        assert table.grid(table.values)[3, :3].tolist() == [2, 0, 7]
        found = audit(table, corners(table, (0, 0), (0, 2), (2, 0), (2, 2)), "general")
        assert found.safe
        assert found.range_of(0) == (-INF, INF)

    def test_the_counter_example_gives_2_away_although_it_lies_on_a_circuit(self):
        table = Table.from_array([[2, 3, 0], [1, 4, 1], [1, 5, 0]], primary=np.eye(3, dtype=bool) & [1, 0, 0])
        assert table.grid(table.values)[3].tolist() == [4, 12, 1, 17]
        found = audit(table, corners(table, (0, 0), (0, 2), (2, 0), (2, 2)), "exact")
        assert found.range_of(0) == (2, 2)
        assert [each.reason for each in found.failures] == ["can be computed exactly"]

    def test_the_interval_example_reaches_only_103_of_115(self):
        table = Table.from_array(
            [[100, 20, 35, 3], [15, 10, 40, 10], [10, 15, 30, 5]],
            primary=np.arange(12).reshape(3, 4) == 0,
            lower=15,
            upper=15,
        )
        found = audit(table, corners(table, (0, 0), (0, 3), (2, 0), (2, 3)), "interval")
        assert found.range_of(0)[1] == 103
        assert [each.reason for each in found.failures] == ["too close from above"]
        assert found.failures[0].shortfall == 12


def random_table(seed, shape=(4, 5), margins=True, signed=False, flat=True):
    generator = np.random.default_rng(seed)
    low = -20 if signed else 0
    if flat:
        dimensions = [Hierarchy.flat(f"d{at}", [f"{at}{i}" for i in range(n)]) for at, n in enumerate(shape)]
    else:
        rows = from_nested("d0", {"a": ["a1", "a2"], "b": ["b1", "b2", "b3"]})
        dimensions = [rows, *(Hierarchy.flat(f"d{at}", ["x", "y", "z"]) for at in range(1, len(shape)))]
    inner = generator.integers(low, 30, size=[d.leaves.size for d in dimensions])
    return Table.cross(dimensions, inner, margins=margins), generator


@pytest.mark.each_once
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("shape", "flat", "network"),
    [
        ((4, 5), True, True),
        ((6,), True, True),
        ((5, 3), False, True),
        ((3, 3, 3), True, False),
        ((5, 3, 3), False, False),
    ],
)
def test_every_range_is_that_of_a_plain_linear_programme(seed, shape, flat, network):
    table, generator = random_table(seed, shape, flat=flat)
    mask = generator.random(table.n) < 0.4
    attacker = Attacker(table.relations, mask, table.values[mask], np.full(mask.sum(), INF))
    assert attacker.network or not network
    found = audit(table, mask, "interval")
    for cell in np.flatnonzero(mask)[::7]:
        assert found.range_of(cell) == pytest.approx(attack.possible_range(table, mask, cell), abs=1e-6)


@pytest.mark.parametrize("seed", range(6))
def test_flows_and_programmes_find_the_same_ranges(seed):
    from tacita.tables.verify import attacker as module

    table, generator = random_table(seed, (6, 6))
    mask = generator.random(table.n) < 0.5
    spans = table.values[mask], np.full(mask.sum(), 40.0)
    flows, programmes = (Attacker(table.relations, mask, *spans) for _ in range(2))
    programmes.network, programmes._engine, programmes._build = (
        False,
        module._LinearPrograms,
        programmes._basis,
    )
    for place in range(flows.n):
        assert flows.moves(place) == programmes.moves(place)
        for direction in (1, -1):
            assert flows.reach(place, direction) == pytest.approx(
                programmes.reach(place, direction), abs=1e-6
            )


@given(st.integers(0, 10_000), st.floats(1e-6, 1e9))
def test_ranges_grow_with_the_unit_of_measurement(seed, unit):
    table, generator = random_table(seed, (3, 4), margins=False)
    mask = (generator.random(table.n) < 0.6) & table.inner
    small = audit(table, mask, "interval")
    large = audit(Table.cross(table.dimensions, table.grid(table.values * unit)), mask, "interval")
    assert large.low == pytest.approx(small.low * unit, rel=1e-9, abs=1e-9 * unit)
    assert large.high == pytest.approx(small.high * unit, rel=1e-9, abs=1e-9 * unit)


@given(st.integers(0, 10_000))
def test_the_truth_lies_in_every_range_and_more_withheld_never_narrows_one(seed):
    table, generator = random_table(seed, (4, 4))
    mask = generator.random(table.n) < 0.4
    more = mask | (generator.random(table.n) < 0.2)
    narrow, wide = audit(table, mask, "interval"), audit(table, more, "interval")
    assert (narrow.low <= table.values[mask]).all()
    assert (narrow.high >= table.values[mask]).all()
    for cell in np.flatnonzero(mask):
        assert wide.range_of(cell)[0] <= narrow.range_of(cell)[0] + 1e-9
        assert wide.range_of(cell)[1] >= narrow.range_of(cell)[1] - 1e-9


@given(st.integers(0, 10_000))
def test_without_bounds_a_cell_is_free_unless_the_sums_fix_it(seed):
    table, generator = random_table(seed, (4, 4), signed=True)
    table = table.with_bounds(-INF, INF)
    mask = generator.random(table.n) < 0.35
    found = audit(table, mask, "general")
    for cell in np.flatnonzero(mask):
        fixed = attack.determined(table, mask, cell)
        value = table.values[cell]
        assert found.range_of(cell) == ((value, value) if fixed else (-INF, INF))


def test_a_claim_that_breaks_a_relation_or_a_bound_does_not_count(monkeypatch):
    table = three_by_three()
    mask = corners(table, (1, 0), (1, 1), (2, 0), (2, 1))
    attacker = Attacker(table.relations, mask, table.values[mask], np.full(4, INF))
    assert attacker.reach(1, 1) == 1
    for wrong in ([0, 5, 0, 0], [-9, 9, 9, -9], [np.nan] * 4):
        # one that has not seen how far a cell goes
        attacker = Attacker(table.relations, mask, table.values[mask], np.full(4, INF))
        monkeypatch.setattr(
            attacker._within_spans(), "farthest", lambda *_, wrong=wrong: np.array(wrong, dtype=float)
        )
        assert attacker.reach(1, 1) == 0
        assert not attacker._finite._risen.any()
        assert not attacker._finite._fallen.any()


def test_a_flow_shows_that_all_cells_on_its_way_move(monkeypatch):
    table = three_by_three()
    mask = corners(table, (1, 0), (1, 1), (2, 0), (2, 1))
    attacker = Attacker(table.relations, mask, table.values[mask], np.full(4, INF))
    assert attacker.network
    engine = attacker._within_spans()
    sought = []
    farthest = engine.farthest
    monkeypatch.setattr(engine, "farthest", lambda *asked: sought.append(asked) or farthest(*asked))
    assert [
        attacker.reach(cell, direction, 1.0) for cell, direction in [(0, -1), (1, 1), (2, 1), (3, -1)]
    ] == [1.0] * 4
    assert sought == [(0, -1)]
    # of cells that can be taken farther, or the other way, it shows nothing
    assert attacker.reach(0, 1, 1.0) == attacker.reach(0, 1)
    assert len(sought) == 3


class TestPeopleWhoKnowMore:
    def lone(self, **fields):
        # two cells of one contributor each protect each other: each of the two knows the other's
        table = Table.from_array(
            [[10, 20, 30], [40, 5, 60], [70, 80, 90]], primary=np.arange(9).reshape(3, 3) == 4, **fields
        )
        count = np.full(table.n, 9)
        count[[table.cell("1", "1"), table.cell("2", "2")]] = 1
        who = Contributors(
            table.values,
            count,
            np.minimum(table.values, 10.0)[:, None],
            np.full((table.n, 1), -1),
            count.astype(float),
            np.zeros(table.n),
            np.minimum(table.values, 10.0),
        )
        from dataclasses import replace

        return replace(table, contributors=who), corners(table, (0, 0), (0, 1), (1, 0), (1, 1))

    def test_a_lone_contributor_who_can_compute_a_cell_is_a_warning(self):
        table, mask = self.lone()
        found = audit(table, mask, "exact")
        assert found.safe
        told = [(each.name, each.count) for each in found.warnings]
        assert told == [("lone-contributors", 1), ("holders-unknown", 2)]

    def test_and_a_failure_in_a_strict_audit(self):
        table, mask = self.lone()
        found = audit(table, mask, "exact", strict=True)
        assert [each.reason for each in found.failures] == ["known to a lone contributor"]

    def test_a_second_way_around_silences_it(self):
        table, mask = self.lone()
        mask |= corners(table, (0, 2), (1, 2))
        assert [each.name for each in audit(table, mask, "exact").warnings] == ["holders-unknown"]

    def test_a_sum_that_is_sensitive_itself_is_told(self):
        who = Contributors.of([[60, 3], [50, 1], [40, 30, 30], [60, 50, 40]], depth=3)
        table = Table.cross([Hierarchy.flat("d", ["a", "b", "c"])], [63, 51, 100, 214], contributors=who)
        from tacita.tables.rules import apply_rules

        table = apply_rules(table, PPercent(p=20))
        assert table.primary.tolist() == [True, True, False, False]
        mask = np.array([True, True, False, False])
        assert not audit(table, mask).safe
        accepted = audit(table, mask, accept_risks=True)
        assert accepted.safe
        assert {each.name for each in accepted.warnings} == {"sensitive-sums"}
        assert not audit(table, np.array([True, True, True, False])).warnings

    def test_one_holding_behind_all_withheld_cells_of_a_line_counts_as_one(self):
        who = Contributors.of([[5], [7], [1, 1, 1], [7, 5, 1, 1, 1]])
        whose = np.full((4, 3), -1)
        whose[:2, 0] = 8
        from dataclasses import replace

        table = Table.cross(
            [Hierarchy.flat("d", ["a", "b", "c"])],
            [5, 7, 3, 15],
            primary=[True, True, False, False],
            contributors=replace(who, holders=whose),
        )
        found = audit(table, np.array([True, True, False, False]), "exact", strict=True)
        assert "part of a sensitive sum" in {each.reason for each in found.failures}

    def test_a_line_with_one_count_that_is_not_zero_is_told(self):
        table = Table.from_array([[4, 0], [2, 3]], frequency=True)
        names = {each.name: each.count for each in audit(table, np.zeros(9, dtype=bool), "exact").warnings}
        assert names == {"single-count": 2}  # the first row and the second column

    def test_someone_who_guesses_the_sign_is_told(self):
        table = Table.from_array(
            [[2, 3, 0], [1, 4, 1], [1, 5, 0]], primary=np.eye(3, dtype=bool) & [1, 0, 0], bounds=(-INF, INF)
        )
        found = audit(table, corners(table, (0, 0), (0, 2), (2, 0), (2, 2)), "general")
        assert found.safe
        assert {each.name for each in found.warnings} == {"sign-guessed"}


class TestWhatIsRefused:
    def test_a_failed_audit_raises_without_any_figure(self):
        table = three_by_three()
        found = audit(table, table.primary, "exact")
        with pytest.raises(tacita.VerificationError, match=r"1 of 1 sensitive cells .* II / B") as problem:
            require_safe(found)
        assert "15" not in str(problem.value)
        assert require_safe(audit(table, corners(table, (1, 0), (1, 1), (2, 0), (2, 1)), "exact")).safe

    @pytest.mark.parametrize("rule", [PPercent(), Dominance()])
    @pytest.mark.parametrize("problem", ["general", "exact"])
    def test_less_than_intervals_where_a_rule_asks_for_them(self, rule, problem):
        from dataclasses import replace

        table = replace(three_by_three(), rules=(rule,))
        with pytest.raises(tacita.ParameterError, match="interval"):
            audit(table, table.primary, problem)
        assert audit(table, table.primary, problem, accept_risks=True)
        assert audit(replace(table, rules=(MinimumFrequency(),)), table.primary, problem)

    def test_a_mask_of_another_size_or_type_and_an_unknown_problem(self):
        table = three_by_three()
        with pytest.raises(tacita.DataError, match="16 cells"):
            audit(table, [True])
        with pytest.raises(tacita.DataError, match="true or false"):
            audit(table, np.zeros(16))
        with pytest.raises(tacita.ParameterError, match="general, exact, interval"):
            audit(table, table.primary, "none")

    def test_a_cancelled_audit_stops(self):
        table = three_by_three()
        with pytest.raises(tacita.Cancelled):
            audit(table, table.primary, "exact", RunContext(should_cancel=lambda: True))

    def test_neither_audit_nor_failure_shows_figures_when_printed(self):
        found = audit(three_by_three(), three_by_three().primary, "exact")
        assert repr(found) == "<Audit of 1 suppressed cells, exact: 1 cells not protected>"
        assert "15" not in repr(found.failures)


def test_a_level_beyond_what_everyone_knows_asks_no_more_than_that():
    table = Table.from_array([[5, 9], [9, 9]], primary=[[1, 0], [0, 0]], lower=[[50, 0], [0, 0]])
    assert audit(table, table.inner, "interval").safe


def test_sliding_levels_ask_for_a_width_wherever_it_lies():
    table = Table.from_array([[5, 9], [9, 9]], primary=[[1, 0], [0, 0]], sliding=[[14, 0], [0, 0]])
    assert audit(table, table.inner, "interval").safe
    wider = Table.from_array([[5, 9], [9, 9]], primary=[[1, 0], [0, 0]], sliding=[[14.5, 0], [0, 0]])
    assert [each.reason for each in audit(wider, wider.inner, "interval").failures] == ["too narrow"]


def test_counts_are_whole_and_a_range_without_a_second_whole_number_is_none():
    generator = np.random.default_rng(72)
    counts = generator.integers(0, 3, size=(3, 3, 3))
    hidden = generator.random((3, 3, 3)) < 0.8
    primary = np.arange(27).reshape(3, 3, 3) == 1
    amounts, table = (Table.from_array(counts, primary=primary, frequency=whole) for whole in (False, True))
    mask = np.zeros(table.n, dtype=bool)
    mask[table.inner] = hidden.ravel()
    cell = int(np.flatnonzero(table.primary)[0])
    assert whole_range(table, mask, cell) == (table.values[cell], table.values[cell])
    assert audit(amounts, mask, "exact").safe
    found = audit(table, mask, "exact")
    assert found.range_of(cell) == (table.values[cell], table.values[cell])
    assert not found.safe


def whole_range(table, withheld, cell):
    """The least and largest whole number a count can be."""
    from scipy.optimize import LinearConstraint, milp

    m = attack.matrix(table)
    hidden = np.flatnonzero(withheld)
    right = -m[:, ~withheld] @ table.values[~withheld]
    sums = LinearConstraint(m[:, hidden], right, right)
    aim = (hidden == cell) * 1.0
    return tuple(sign * milp(sign * aim, integrality=1, constraints=sums).fun for sign in (1, -1))


def test_one_negative_value_does_not_silently_free_all_others_of_their_signs():
    values = np.array([[5, 0.1, 90], [0.1, 7, -1], [80, 30, 60]])
    level = np.where(values == 5, 0.75, 0.0)
    table = Table.from_array(values, primary=values == 5, lower=level, upper=level)
    withheld = np.isin(np.arange(table.n), [0, 1, 4, 5])
    found = audit(table, withheld, "interval")
    assert found.safe
    assert [(each.name, each.count) for each in found.warnings] == [("sign-guessed", 1)]
    below = np.where(values < 0, -np.inf, 0.0)
    known = Table.from_array(
        values, primary=values == 5, lower=level, upper=level, bounds=(below, np.full((3, 3), np.inf))
    )
    assert not audit(known, withheld, "interval").safe
    assert not audit(table, table.inner, "interval").warnings
