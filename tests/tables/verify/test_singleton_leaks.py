"""What lone contributors can compute: the shortcut of movements apart, against an attack for each of them."""

from dataclasses import replace

import numpy as np
import pytest

from attacked_tables import REGIONS
from tacita.core import Contributors, Hierarchy, RunContext, Table
from tacita.io.hierarchies import from_nested
from tacita.tables.verify.protection_criteria import Judge
from tacita.tables.verify.singleton_and_sum_attacks import lone_leaks

SHAPES = {
    "two-way": [Hierarchy.flat("a", list("pqrs")), Hierarchy.flat("b", list("tuvw"))],
    "nested": [REGIONS, from_nested("size", {"small": ["a", "b"], "large": ["c", "d"]})],
    "cube": [REGIONS, Hierarchy.flat("b", ["x", "y", "z"]), Hierarchy.flat("c", ["f", "m"])],
}
# fewer of those that need linear programmes: they take long
SEEDS = {"two-way": 20, "nested": 11, "cube": 8}
KINDS = {"general": {}, "exact": {}, "interval": {}, "wide": {"sliding": 90}, "counts": {"frequency": True}}


def case(shape, kind, seed):
    """A table of a few contributors to each cell, one in some, and cells withheld at random."""
    generator = np.random.default_rng(seed)
    dimensions = SHAPES[shape]
    values = generator.integers(0, 9, size=[each.leaves.size for each in dimensions]).astype(float)
    secret = generator.random(values.shape) < 0.25
    table = Table.cross(dimensions, values, primary=secret, lower=30, upper=30, margins=True, **KINDS[kind])
    if kind == "general" and seed % 2:
        table = table.with_bounds(-np.inf, np.inf)
    number = generator.integers(1, 4, size=table.n)
    holders = np.where(number == 1, generator.integers(-1, 5, size=table.n), -1)[:, None]
    largest = np.abs(table.values)[:, None]
    who = Contributors(
        table.values, number, largest, holders, number.astype(float), largest[:, 0], largest[:, 0]
    )
    withheld = table.primary | (generator.random(table.n) < generator.choice([0.3, 0.6, 0.9]))
    return replace(table, contributors=who), withheld


def one_by_one(judge, withheld):
    """Every sensitive cell attacked again for every lone contributor, with nothing carried over."""
    table, found = judge.table, set()
    alone = np.flatnonzero(withheld & table.contributors.lone)
    holders = table.contributors.holders[alone, 0]
    known = [frozenset([cell]) for cell in alone[holders < 0].tolist()]
    known += [frozenset(alone[holders == each].tolist()) for each in np.unique(holders[holders >= 0])]
    for own in known:
        left = withheld.copy()
        left[list(own)] = False
        asked = [cell for cell in np.flatnonzero(table.primary & withheld).tolist() if cell not in own]
        found |= {(own, each.cell) for each in judge.failures(left, asked)}
    return found


@pytest.mark.each_once
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", KINDS)
def test_movements_apart_settle_nothing_that_an_attack_for_each_contributor_does_not(shape, kind):
    problem = {"wide": "interval", "counts": "exact"}.get(kind, kind)
    leaking = safe = 0
    for seed in range(SEEDS[shape]):
        table, withheld = case(shape, kind, seed)
        judge = Judge(table, problem)
        exposed = {each.cell for each in judge.failures(withheld, np.flatnonzero(table.primary).tolist())}
        leaks = lone_leaks(judge, withheld, frozenset(), RunContext())
        told = {(leak.known, leak.failure.cell) for leak in leaks}
        plain = one_by_one(judge, withheld)
        # of cells that fail anyway nothing new is learnt from contributors who stand apart from them
        assert {pair for pair in told if pair[1] not in exposed} == {
            pair for pair in plain if pair[1] not in exposed
        }
        assert told <= plain
        leaking += bool(told)
        safe += not told
    assert leaking
    assert safe or kind == "wide"


def test_cells_that_nobody_alone_touches_are_attacked_once(monkeypatch):
    table, withheld = case("cube", "exact", 3)
    judge, built = Judge(table, "exact"), []
    before = Judge.attacker
    monkeypatch.setattr(Judge, "attacker", lambda self, mask: built.append(1) or before(self, mask))
    withheld = table.primary | ~table.forced
    leaks = lone_leaks(judge, withheld, frozenset(), RunContext())
    alone = int((withheld & table.contributors.lone).sum())
    # one for all, and one for each who learns something
    assert len(built) <= 1 + len({leak.known for leak in leaks}) < alone
