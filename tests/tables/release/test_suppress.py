"""From a table to an audited pattern: no answer of a method is believed on its word."""

import sys
from copy import copy
from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from pydantic import Field

import tables_at_hand
import tacita
from tacita import DataError, ParameterError, Table, VerificationError, registry
from tacita.tables.release.suppress import suppress
from tacita.tables.rules.concentration import PPercent
from tacita.tables.suppression.heuristics.hypercube import Hypercube
from tacita.tables.suppression.optimal.optimal import Optimal
from tacita.tables.suppression.suppression_method import Suppression
from tacita.tables.verify.audit import audit
from tacita.tables.verify.certify import check_lower_bound
from tacita.tables.verify.claim import verify_file

PROBLEMS = ("general", "exact", "interval")
REGIONS = [[11, 47, 58], [1, 15, 33], [2, 31, 20]]
MIDDLE = np.arange(9).reshape(3, 3) == 4


def regions(**fields):
    return Table.from_array(REGIONS, primary=MIDDLE, lower=15, upper=15, **fields)


def random_table(seed, problem, shape=(4, 4), primaries=3):
    """A table of positive values with a few sensitive cells; costs are whole and differ."""
    generator = np.random.default_rng([seed, PROBLEMS.index(problem)])
    values = generator.integers(20, 80, size=shape).astype(float)
    primary = np.zeros(values.size, dtype=bool)
    primary[generator.choice(values.size, primaries, replace=False)] = True
    return Table.from_array(values, primary=primary.reshape(shape), lower=20, upper=20)


class TestThePattern:
    def test_of_the_source_costs_34_and_leaves_13_to_16(self):
        found = suppress(regions(), Optimal(), "exact")
        assert (found.pattern.cost, found.pattern.lower_bound, found.pattern.status) == (34, 34, "optimal")
        assert [found.table.label(cell) for cell in np.flatnonzero(found.pattern.secondary)] == [
            ("2", "1"),
            ("3", "1"),
            ("3", "2"),
        ]
        assert found.audit.range_of(found.table.cell("2", "2")) == (13, 16)

    @pytest.mark.parametrize("problem", PROBLEMS)
    def test_protects_by_the_audit_of_the_table_that_was_given(self, problem):
        for seed in range(5):
            table = random_table(seed, problem)
            pattern = tacita.suppress(table, problem=problem)
            assert tacita.audit(table, pattern).safe
            assert pattern.proven
            assert (pattern.problem, pattern.method) == (problem, "optimal")

    def test_is_told_apart_by_objective(self):
        table = regions()
        weights = np.full((3, 3), 10.0)
        weights[0] = 1.0
        by_value = tacita.suppress(table, "exact", objective="value")
        by_count = tacita.suppress(table, "exact", objective="count")
        by_weight = tacita.suppress(table, "exact", objective=weights)
        assert (by_value.cost, by_count.cost, by_weight.cost) == (34, 3, 12)

    def test_withholds_sums_at_their_value_only_where_allowed(self):
        values = [[5.0, 0.0, 0.0], [4.0, 7.0, 2.0], [6.0, 3.0, 9.0]]
        corner = np.arange(9).reshape(3, 3) == 0
        table = Table.from_array(values, primary=corner, lower=15, upper=15)
        with pytest.raises(DataError, match=r"1 / 1.*no other cell of row 1 may be suppressed"):
            tacita.suppress(table)
        pattern = tacita.suppress(table, margins=True, objective=np.ones((3, 3)))
        own = pattern.secondary & ~table.inner
        assert pattern.cost == (pattern.secondary & table.inner).sum() + table.values[own].sum()
        assert own[table.cell("1", "Total")]

    def test_takes_a_zero_for_the_cost_of_1_in_exact_protection_and_for_none_in_others(self):
        values = [[5, 0, 9], [0, 7, 9], [9, 9, 9]]
        table = Table.from_array(values, primary=np.arange(9).reshape(3, 3) == 0)
        pattern = tacita.suppress(table, "exact")
        # the zeros can rise, and the 7 between them fall
        assert pattern.cost == 1 + 1 + 7
        with_zeros_published = tacita.suppress(table, "exact", zeros="publish")
        assert with_zeros_published.cost > 9
        assert not (tacita.suppress(table, "general").withheld & (table.values == 0)).any()

    def test_keeps_a_sliding_level_and_proves_it_least(self):
        table = regions(sliding=0)
        for width in (4.0, 12.0, 40.0):
            wide = replace(table, sliding=np.where(table.primary, width, 0.0))
            found = suppress(wide, Optimal(), "interval")
            low, high = found.audit.range_of(5)
            assert high - low >= width
            assert found.pattern.proven

    def test_keeps_a_sliding_level_where_the_bound_above_is_near(self):
        near = replace(regions(), high=regions().values + 8)
        for width, reached in ((20.0, 12), (1e6, 15)):
            asked = replace(near, sliding=np.where(near.primary, width, 0.0))
            found = suppress(asked, Optimal(), "interval", margins=True)
            low, high = found.audit.range_of(5)
            # levels end at what everyone knows: the value lies in 0 .. 23
            assert high - low >= min(width, 23)
            assert low <= 15 - reached

    def test_a_width_that_no_pattern_gives_is_refused_by_name(self):
        asked = replace(regions(), sliding=np.where(regions().primary, 200.0, 0.0))
        with pytest.raises(DataError, match=r"sum must be published: 2 / 2.*too narrow.*margins=True"):
            suppress(asked, Optimal(), "interval")

    @pytest.mark.each_once
    @pytest.mark.parametrize("problem", PROBLEMS)
    @pytest.mark.parametrize("unit", [1e-9, 1e-3, 1e9, 1 / 3])
    def test_does_not_depend_on_the_unit_of_measurement(self, problem, unit):
        for seed in range(3):
            table = random_table(seed, problem)
            scaled = Table.from_array(
                table.grid(table.values)[:-1, :-1] * unit,
                primary=table.grid(table.primary)[:-1, :-1],
                lower=20,
                upper=20,
            )
            one, two = (tacita.suppress(each, problem) for each in (table, scaled))
            assert one.cost * unit == pytest.approx(two.cost, rel=1e-9)
            assert two.lower_bound == pytest.approx(two.cost, rel=1e-6)
            assert (one.status, two.status) == ("optimal", "optimal")


class TestWhatIsRefused:
    def test_less_than_a_rule_asks_for_unless_insisted_and_then_it_is_recorded(self):
        asked = replace(regions(), rules=(PPercent(p=15),))
        with pytest.raises(ParameterError, match="PPercent"):
            tacita.suppress(asked, "exact")
        assert tacita.suppress(asked, "exact", accept_risks=True).parameters["insist"] is True

    def test_general_protection_that_falls_to_who_knows_the_signs(self):
        # the counter-example of the source: a column total of 1 leaves X2 and X4 no room below zero
        values = [[2, 3, 0], [1, 4, 1], [1, 5, 0]]
        corners = np.array([[1, 0, 1], [0, 0, 0], [1, 0, 1]], dtype=bool)
        table = Table.from_array(
            values, primary=np.arange(9).reshape(3, 3) == 0, bounds=(-np.inf, np.inf), forced=~corners
        )
        with pytest.raises(DataError, match=r"1 sensitive cells.*Use exact protection"):
            tacita.suppress(table, "general", zeros="withhold")
        pattern = tacita.suppress(table, "general", zeros="withhold", accept_risks=True)
        assert pattern.parameters["computed_from_signs"] == 1
        with pytest.raises(DataError, match="can be computed exactly"):
            tacita.suppress(table.with_bounds(0, np.inf), "exact", zeros="withhold")

    def test_a_general_pattern_of_signed_values_needs_no_signs(self):
        values = [[2, -1, 2], [2, 1, 1], [-2, 0, 4]]
        table = Table.from_array(values, primary=np.arange(9).reshape(3, 3) == 0)
        found = suppress(table, Optimal(), "general")
        assert found.audit.range_of(0) == (-np.inf, np.inf)

    def test_what_cannot_be_protected_is_named_with_the_reason(self):
        table = Table.from_array(
            [[9, 0, 0], [3, 4, 5], [0, 6, 8]], primary=np.eye(3, dtype=bool), lower=50, upper=50
        )
        with pytest.raises(DataError, match=r"1 of 3 .*: 1 / 1\. The first: too close") as refusal:
            tacita.suppress(table)
        assert "9" not in str(refusal.value)

    def test_a_refusal_that_the_attacker_does_not_share_is_handed_on(self):
        class Lazy(Suppression):
            def choose(self, table, problem, run):
                raise DataError("Lazy: not today.")

        with pytest.raises(DataError, match="not today"):
            suppress(regions(), Lazy(), "exact")

    def test_wrong_words(self):
        with pytest.raises(ParameterError, match="general, exact, interval"):
            tacita.suppress(regions(), "total")
        with pytest.raises(ParameterError, match="'publish' or 'withhold'"):
            tacita.suppress(regions(), "exact", zeros="hide")
        with pytest.raises(ParameterError, match="Known: optimal"):
            tacita.suppress(regions(), "exact", method="mdav")
        with pytest.raises(ParameterError, match="no parameter bogus"):
            tacita.suppress(regions(), "exact", bogus=1)
        with pytest.raises(ParameterError, match="made for general"):
            tacita.suppress(regions(), "exact", method="gauss")
        cube = Table.from_array(np.ones((2, 2, 2)), primary=np.ones((2, 2, 2)), lower=50, upper=50)
        with pytest.raises(ParameterError, match="two dimensions"):
            tacita.suppress(cube, method="hypercube")


class Everything(Suppression):
    """Withholds all that may be, in tables of any shape."""

    def choose(self, table, problem, run):
        return tacita.Pattern.of(table, table.primary | ~table.forced, problem=problem)


class TestShapes:
    @pytest.mark.parametrize("name", ["cube", "nested", "margins"])
    def test_a_method_for_any_shape_gets_every_additive_table_and_is_audited(self, name):
        table, _ = tables_at_hand.made(name, "exact", 1)
        claim = suppress(table, Everything(), "exact")
        assert claim.audit.safe
        assert claim.pattern.method == "Everything"
        form = tables_at_hand.PUBLISHED["csv"]
        assert verify_file(tables_at_hand.file_of(claim.table, claim.pattern), form, claim)[0].passed

    def test_lone_contributors_of_a_cube_are_heeded_by_the_method_itself(self):
        table, _ = tables_at_hand.made("cube", "exact", 1)
        alone = np.ones(table.n)
        who = replace(
            tables_at_hand.counted(Table.from_array([[1.0]]), [[1]]).contributors,
            total=table.values,
            count=alone.astype(int),
            largest=table.values[:, None],
            holders=np.full((table.n, 1), -1),
            frequency=alone,
            requested=np.zeros(table.n),
            open=table.values,
        )
        assert suppress(replace(table, contributors=who), Everything(), "exact").audit.safe

    def test_a_shape_that_a_method_does_not_take_is_refused_with_those_that_would(self, monkeypatch):
        table, _ = tables_at_hand.made("cube", "exact", 1)
        with pytest.raises(ParameterError, match=r"Hypercube: .*two-way.*that takes it: optimal"):
            Hypercube().suppress(table, "exact")
        module = ModuleType("plugged_in")
        module.Everything = Everything
        monkeypatch.setitem(sys.modules, "plugged_in", module)
        monkeypatch.setitem(registry.locations()["suppression"], "everything", "plugged_in:Everything")
        with pytest.raises(ParameterError, match=r"Choose a method that takes it: optimal, .*everything"):
            tacita.suppress(table, "exact", "hypercube")
        assert tacita.suppress(table, "exact", "everything").method == "everything"


class Liar(Optimal):
    """Solves, and then says something else."""

    lie: Any = Field(None, exclude=True)
    heard: list = Field(default_factory=list, exclude=True)

    def choose(self, table, problem, run):
        if not self.heard:
            self.heard.append(super().choose(table, problem, run))
        return self.lie(table, self.heard[0])


def forged(pattern, **fields):
    """A pattern that says anything, whatever its own checks would say."""
    other = copy(pattern)
    for name, value in fields.items():
        object.__setattr__(other, name, value)
    return other


def claimed(table, pattern, withheld):
    """A pattern with other cells, which claims to be optimal at its own cost."""
    cost = float(table.cost[withheld & ~table.primary].sum())
    return forged(pattern, withheld=withheld, cost=cost, lower_bound=cost)


def without(table, pattern, cells):
    mask = pattern.withheld.copy()
    mask[cells] = False
    return claimed(table, pattern, mask)


class TestEveryWrongAnswerIsCaught:
    def test_one_secondary_cell_too_few_wherever_it_was(self, some):
        planted, seeds = 0, some(range(12), 4)
        for problem in PROBLEMS:
            for seed in seeds:
                table = random_table(seed, problem, (6, 6), 5)
                honest = Liar(lie=lambda _, pattern: pattern)
                count = suppress(table, honest, problem).pattern.secondary_count
                for at in range(count):

                    def drop(table, pattern, at=at):
                        return without(table, pattern, np.flatnonzero(pattern.secondary)[at])

                    with pytest.raises(VerificationError):
                        suppress(table, Liar(lie=drop, heard=honest.heard), problem)
                    planted += 1
        assert planted > 100 * len(seeds) // 12

    @pytest.mark.parametrize("problem", PROBLEMS)
    def test_a_dearer_pattern_called_optimal(self, problem):
        planted = 0
        for seed in range(8):
            table = random_table(seed, problem, (4, 4), 1)

            def other(table, pattern):
                # the best pattern at other costs protects, with no needless cell, but is not the best
                upside_down = table.with_cost(table.values.max() - table.cost)
                return claimed(table, pattern, Optimal().suppress(upside_down, pattern.problem).withheld)

            best = tacita.suppress(table, problem).cost
            try:
                kept = suppress(table, Liar(lie=other), problem)
            except VerificationError:
                planted += 1
            else:
                assert kept.pattern.cost == best
        assert planted >= 6

    @pytest.mark.parametrize("problem", PROBLEMS)
    def test_a_needless_cell(self, problem, some):
        for seed in some(range(10), 6):
            table = random_table(seed, problem, (8, 8), 5)

            def add(table, pattern):
                mask = pattern.withheld.copy()
                spare = np.flatnonzero(~table.forced & ~mask)
                mask[spare[np.argmax(table.cost[spare])]] = True
                return claimed(table, pattern, mask)

            with pytest.raises(VerificationError, match="bound it claims is wrong"):
                suppress(table, Liar(lie=add), problem)

    @pytest.mark.each_once
    @pytest.mark.parametrize(
        "lie",
        [
            lambda table, pattern: without(table, pattern, np.flatnonzero(pattern.primary)[:1]),
            lambda _, pattern: forged(pattern, cost=pattern.cost - 1, lower_bound=pattern.cost - 1),
            lambda _, pattern: forged(pattern, cost=0.0, lower_bound=0.0),
            lambda _, pattern: forged(pattern, lower_bound=pattern.cost + 1),
            lambda _, pattern: forged(pattern, lower_bound=pattern.cost - 1, status="optimal"),
            lambda _, pattern: forged(pattern, cost=float("nan")),
            lambda _, pattern: forged(pattern, lower_bound=float("nan")),
            lambda _, pattern: forged(pattern, lower_bound=-1.0),
            lambda _, pattern: forged(pattern, withheld=pattern.withheld[:-1]),
            lambda _, pattern: forged(pattern, withheld=pattern.withheld.astype(int)),
            lambda table, pattern: claimed(table, pattern, np.ones_like(pattern.withheld)),
            lambda table, pattern: claimed(table, pattern, table.primary),
            lambda table, pattern: claimed(table, pattern, np.roll(pattern.withheld, 1) | table.primary),
        ],
        ids=[
            "primary published",
            "cost too low",
            "cost nothing",
            "bound above cost",
            "optimal with a gap",
            "no cost",
            "no bound",
            "negative bound",
            "rows missing",
            "not a mask",
            "sums withheld",
            "no secondaries",
            "shifted",
        ],
    )
    @pytest.mark.parametrize("problem", PROBLEMS)
    def test_an_answer_that_cannot_be(self, problem, lie):
        with pytest.raises(VerificationError):
            suppress(regions(), Liar(lie=lie), problem)

    def test_the_truth_is_believed(self):
        for problem in PROBLEMS:
            found = suppress(regions(), Liar(lie=lambda _, pattern: pattern), problem)
            assert found.pattern.proven

    def test_a_bound_above_the_least_cost_is_refuted_and_one_at_it_is_not(self):
        for problem in PROBLEMS:
            for seed in range(6):
                table = random_table(seed, problem, (3, 4), 2)
                if seed >= 4:
                    table = replace(table, sliding=table.values)
                found = suppress(table, Optimal(), problem)
                everything = tacita.Pattern.of(
                    found.table,
                    found.table.primary | ~found.table.forced,
                    lower_bound=found.pattern.cost,
                    problem=problem,
                    method="made up",
                )
                check_lower_bound(found.table, everything)
                higher = replace(everything, lower_bound=found.pattern.cost + 0.5)
                with pytest.raises(VerificationError, match="made up: the bound it claims is wrong"):
                    check_lower_bound(found.table, higher)


@pytest.mark.parametrize("name", registry.names("suppression"))
def test_every_method_reports_a_bound_that_the_second_model_does_not_refute(name):
    method = tacita.get_method(name)
    for problem in method.problems:
        for seed in range(3):
            table = random_table(seed, problem, (4, 4), 2)
            pattern = tacita.suppress(table, problem, method=name)
            assert pattern.lower_bound <= pattern.cost
            assert audit(table, pattern).safe
