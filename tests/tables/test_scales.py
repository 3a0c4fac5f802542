"""Values of billions beside thousandths: nothing small is taken for rounding, by no side."""

from fractions import Fraction

import numpy as np
import pytest

import tacita
from tacita.core import Table
from tacita.tables.verify.protection_criteria import Judge


def mixed(seed, least=-3, most=10, shape=None):
    """A table whose values spread evenly over powers of ten, with two sensitive cells."""
    generator = np.random.default_rng(seed)
    shape = shape or tuple(generator.integers(3, 6, 2))
    values = np.round(10 ** generator.uniform(least, most, size=shape), 5 - min(0, least + 3))
    primary = np.zeros(values.size, dtype=bool)
    primary[generator.choice(values.size, 2, replace=False)] = True
    return Table.from_array(values, primary=primary.reshape(shape), lower=15, upper=15, margins=True)


def farthest(capacities, source, sink):
    """A largest flow in fractions, by shortest augmenting paths; capacities by pair of nodes."""
    room, total = dict(capacities), Fraction(0)
    while True:
        came, queue = {source: None}, [source]
        for node in queue:
            for (tail, head), left in room.items():
                if tail == node and left > 0 and head not in came:
                    came[head] = node
                    queue.append(head)
        if sink not in came:
            return total
        path, node = [], sink
        while node != source:
            path.append((came[node], node))
            node = came[node]
        amount = min(room[arc] for arc in path)
        for tail, head in path:
            room[tail, head] -= amount
            room[head, tail] = room.get((head, tail), Fraction(0)) + amount
        total += amount


def falls_by(table, withheld, cell):
    """How far an inner cell can fall, if inner cells alone are withheld and none may be negative."""
    wide = table.shape[1]
    endless = sum((Fraction(float(value)) for value in table.values), Fraction(1))
    capacities = {}
    for other in np.flatnonzero(withheld).tolist():
        if other != cell:
            row, column = ("row", other // wide), ("column", other % wide)
            capacities[row, column] = endless
            capacities[column, row] = Fraction(float(table.values[other]))
    # what the cell gives up in its row, others of the row take, and give up in their columns
    own = farthest(capacities, ("row", cell // wide), ("column", cell % wide))
    return min(own, Fraction(float(table.values[cell])))


@pytest.mark.parametrize("seed", range(12))
def test_the_attacker_moves_small_cells_as_far_as_fractions_do(seed):
    table = mixed(seed, shape=(4, 4))
    generator = np.random.default_rng([seed, 1])
    withheld = table.inner & (generator.random(table.n) < 0.7)
    attacker = Judge(table, "interval").attacker(withheld)
    for place, cell in enumerate(np.flatnonzero(withheld).tolist()):
        expected = float(falls_by(table, withheld, cell))
        assert attacker.reach(place, -1) == pytest.approx(expected, rel=1e-9, abs=0)


# 6 and 28 were refused once, by the second opinion and by the audit
@pytest.mark.each_once
@pytest.mark.parametrize("seed", [0, 1, 6, 28])
@pytest.mark.parametrize("method", ["optimal", "three-phase", "network", "hypercube", "genetic"])
def test_small_sensitive_cells_beside_large_ones_are_protected(seed, method):
    table = mixed(seed)
    pattern = tacita.suppress(table, problem="interval", method=method)
    assert tacita.audit(table, pattern).safe
    if method == "optimal":
        assert pattern.proven


@pytest.mark.parametrize("factor", [2.0**-40, 2.0**40])
def test_the_unit_of_the_values_changes_no_pattern(factor):
    table = mixed(28)
    scaled = Table.from_array(
        table.grid(table.values)[:-1, :-1] * factor,
        primary=table.grid(table.primary)[:-1, :-1],
        lower=15,
        upper=15,
        margins=True,
    )
    one, two = (tacita.suppress(each, problem="interval") for each in (table, scaled))
    assert np.array_equal(one.withheld, two.withheld)


def test_what_moves_by_less_than_its_own_rounding_is_not_called_protected():
    values = np.array([[1e12, 1e-6], [1e-6, 1e-6]])
    table = Table.from_array(values, primary=[[True, False], [False, False]])
    assert not tacita.audit(table, table.inner, "exact").safe
    assert tacita.audit(table, table.inner, "exact").range_of(0) == (1e12, 1e12)
