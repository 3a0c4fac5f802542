"""Broken rules and suppressions: each breaks the law that was meant for it, by name."""

# a planted part keeps the whole signature of the one that it stands for
# ruff: noqa: ARG001, ARG005

from dataclasses import replace

import numpy as np
import pytest

import tacita
from conformance.breakers import breakers, counted, expect_broken, planted, unbroken
from tacita.core import Pattern, RunContext
from tacita.tables.rules.frequency import MinimumFrequency
from tacita.tables.rules.rule import Flags, Rule
from tacita.tables.suppression.suppression_method import Suppression

tick = counted()


# rules


def rule(flag, **parts):
    return planted(Rule, flag=lambda self, cells: flag(cells), **parts)


def but_the_last(cells):
    found = MinimumFrequency(threshold=4).flag(cells)
    found.mask[-1] = False
    return found


def of_the_smallest(cells):
    return Flags.of(cells.count == cells.count[cells.count > 0].min(), cells.total)


RULES = {
    "some cells sensitive but not all": [
        rule(lambda cells: Flags.of(cells.count < 0, cells.total)),
        rule(lambda cells: Flags.of(cells.count >= 0, cells.total)),
    ],
    "by its own contributors alone": [
        rule(but_the_last),
        rule(of_the_smallest),
    ],
    "levels are finite and not negative": [
        rule(lambda cells: Flags.of(cells.count < 4, np.full(cells.total.size, np.inf))),
        rule(lambda cells: Flags.of(cells.count < 4, -cells.total)),
    ],
    "can be suppressed and audited": [rule(lambda cells: Flags.of(cells.count < 4, 0.0 * cells.total))],
}


# suppressions


def optimal(table, problem):
    return tacita.get_method("optimal").suppress(table, problem)


def suppression(choose, shapes=("two-way",), **parts):
    return planted(
        Suppression,
        choose=lambda self, table, problem, run: choose(table, problem),
        shapes=shapes,
        **parts,
    )


def an_open_one(table, problem):
    found = optimal(table, problem)
    withheld = found.withheld.copy()
    withheld[np.flatnonzero(table.primary)[:1]] = False
    return replace(found, withheld=withheld, cost=found.cost)


def a_sum_too(table, problem):
    found = optimal(table, problem)
    withheld = found.withheld | ~table.inner & table.primary.any()
    return Pattern(
        withheld, found.primary, float(table.cost[withheld & ~table.primary].sum()), 0.0, problem=problem
    )


def not_more_than_asked(table, problem):
    return Pattern.of(table, table.primary, problem=problem)


def dearer(table, problem):
    found = optimal(table, problem)
    return replace(
        found, cost=found.cost + 1, lower_bound=0.0, problem_cost=found.cost + 1, status="feasible"
    )


def all_of_them(table, problem, bound=1.0):
    found = Pattern.of(table, ~table.forced & table.primary.any(), problem=problem)
    return replace(found, lower_bound=bound * found.cost)


def by_the_clock(table, problem):
    found = all_of_them(table, problem, 0.0)
    return found if tick() % 2 else optimal(table, problem)


def whatever_is_asked(self, table, problem="interval", run=None):
    (run or RunContext()).report("choosing", 0, 1)
    return optimal(table, problem)


def stopped(broken):
    """A suppression that is right unless it is told that it is enough."""

    def suppress(self, table, problem="interval", run=None):
        steered = run or RunContext()
        steered.report("choosing", 0, 1)
        return broken(table, problem) if steered.should_stop() else optimal(table, problem)

    return suppression(optimal, suppress=suppress, anytime=True, shapes=("any",))


SUPPRESSIONS = {
    "every sensitive cell is suppressed": [suppression(an_open_one), suppression(a_sum_too)],
    "attack of the audit fails": [suppression(not_more_than_asked)],
    "its cost is that of the other cells": [suppression(dearer)],
    "no pattern is found below its bound": [suppression(all_of_them)],
    "same table gives the same pattern": [suppression(by_the_clock)],
    "not made for are refused by name": [
        suppression(optimal, suppress=whatever_is_asked, problems=("exact",)),
        suppression(optimal, problems=()),
    ],
    "no sensitive cell means nothing is suppressed": [
        suppression(
            lambda table, problem: (
                optimal(table, problem) if table.primary.any() else Pattern.of(table, ~table.forced)
            )
        )
    ],
    "cancelling stops it": [suppression(optimal)],
    "stopped early it protects": [
        stopped(not_more_than_asked),
        stopped(all_of_them),
        stopped(lambda table, problem: all_of_them(table, problem, 0.0)),
        suppression(optimal, suppress=whatever_is_asked, anytime=True, shapes=("any",)),
    ],
}


@breakers(RULES, SUPPRESSIONS)
def test_a_broken_method_breaks_the_law_that_says_so(law, method):
    expect_broken(law, method)


@pytest.mark.parametrize(("kind", "planted_for"), [("rule", RULES), ("suppression", SUPPRESSIONS)])
def test_every_law_has_a_method_that_breaks_it(kind, planted_for):
    assert not unbroken(kind, planted_for)
