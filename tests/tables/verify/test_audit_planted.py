"""Broken patterns, each proven broken by plain linear programmes, and every one caught by the audit."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from tables_at_hand import CASES, made
from tacita.core import Contributors
from tacita.tables.verify.audit import audit
from twins import attack


@cache
def minimal():
    """Tables with a pattern from which no secondary cell can be spared."""
    found = []
    for name, problem, seed in CASES:
        table, generator = made(name, problem, seed)
        withheld = attack.minimal_pattern(table, problem, generator)
        if withheld is not None and (withheld & ~table.primary).any():
            found.append((name, problem, table, withheld))
    return found


def without(withheld, cell):
    fewer = withheld.copy()
    fewer[cell] = False
    return fewer


def dropped():
    """Every secondary cell of every minimal pattern published again."""
    for name, problem, table, withheld in minimal():
        for cell in np.flatnonzero(withheld & ~table.primary):
            yield name, problem, table, without(withheld, cell)


def published():
    """A sensitive cell published by mistake."""
    for name, problem, table, withheld in minimal():
        for cell in np.flatnonzero(table.primary)[:1]:
            yield name, problem, table, without(withheld, cell)


def overstretched():
    """Levels a little beyond what the pattern gives."""
    for name, problem, table, withheld in minimal():
        if problem != "interval":
            continue
        cell = int(np.flatnonzero(table.primary)[0])
        low, high = attack.possible_range(table, withheld, cell)
        for side, reach in (("upper", high - table.values[cell]), ("sliding", high - low)):
            if np.isfinite(reach):
                more = getattr(table, side).copy()
                more[cell] = reach * 1.01 + 0.01
                yield name, problem, replace(table, **{side: more}), withheld


def better_informed():
    """An attacker who knows a little less room above a sensitive cell than its level needs."""
    for name, problem, table, withheld in minimal():
        if problem != "interval" or name == "cube":
            continue
        # everyone knows all other withheld cells to within a hundredth
        tight = 0.01 * np.abs(table.values) + 0.01
        others = ~table.primary
        low = np.where(others, np.maximum(table.low, table.values - tight), table.low)
        high = np.where(others, np.minimum(table.high, table.values + tight), table.high)
        yield name, problem, replace(table, low=low, high=high), withheld


def signs_forgotten():
    """Patterns for values of any sign, on a table of which everyone knows that none is negative."""
    generator = np.random.default_rng(5)
    for seed in range(60):
        table, _ = made("sparse", "general", seed)
        withheld = attack.minimal_pattern(table.with_bounds(-np.inf, np.inf), "general", generator)
        if withheld is not None:
            yield "sparse", "general", table, withheld


BROKEN = [dropped, published, overstretched, better_informed, signs_forgotten]
LEAST = {"dropped": 150, "published": 40, "overstretched": 15, "better_informed": 8, "signs_forgotten": 8}


def truly_broken(plant):
    """Those that plain linear programmes call broken too."""
    return [each for each in plant() if not attack.is_safe(each[2], each[3], each[1])]


@cache
def planted():
    return {plant.__name__: truly_broken(plant) for plant in BROKEN}


def test_at_least_200_broken_patterns_are_planted():
    counts = {name: len(each) for name, each in planted().items()}
    assert all(counts[name] >= least for name, least in LEAST.items()), counts
    assert sum(counts.values()) >= 200, counts


@pytest.mark.parametrize("name", [plant.__name__ for plant in BROKEN])
def test_every_broken_pattern_is_caught(name):
    missed = [
        (case, problem)
        for case, problem, table, withheld in planted()[name]
        if audit(table, withheld, problem).safe
    ]
    assert not missed


def test_the_cells_that_fail_are_those_the_linear_programmes_name():
    for _, problem, table, withheld in planted()["dropped"][::4]:
        exposed = {
            int(cell)
            for cell in np.flatnonzero(table.primary)
            if not attack.is_protected(table, withheld, cell, problem)
        }
        assert {each.cell for each in audit(table, withheld, problem).failures} == exposed


def test_no_sound_pattern_is_refused():
    for name, problem, table, withheld in minimal():
        assert audit(table, withheld, problem).safe, (name, problem)


def lone(table, cell):
    """The table with one contributor in that cell and many in all others."""
    count = np.full(table.n, 9)
    count[cell] = 1
    one = np.abs(table.values) / count
    who = Contributors(
        np.abs(table.values),
        count,
        one[:, None],
        np.full((table.n, 1), -1),
        count.astype(float),
        np.zeros(table.n),
        one,
    )
    return replace(table, contributors=who)


def test_every_pattern_that_leans_on_a_lone_contributor_is_caught_and_no_other():
    leaning = 0
    for _, problem, table, withheld in minimal():
        for cell in np.flatnonzero(withheld & ~table.primary)[:2]:
            known = without(withheld, cell)
            leans = not attack.is_safe(table, known, problem)
            found = audit(lone(table, cell), withheld, problem, strict=True)
            told = "known to a lone contributor" in {each.reason for each in found.failures}
            assert told == leans
            leaning += leans
    assert leaning >= 40
