"""Controlled rounding against all roundings there are, and by chance against the mean it must keep."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seeds import SEED
from tacita.core import DataError, Hierarchy, Relations, RunContext, Table
from tacita.io.hierarchies import from_nested
from tacita.tables.adjustment.rounding import Rounding
from tacita.tables.release.adjust import adjust


def least(table, base):
    """The least distance of all additive roundings of the parts to a neighbour, sums to a neighbour too."""
    inner = np.flatnonzero(table.inner)
    floors = np.floor(table.values / base) * base
    choices = [(floors[c],) if floors[c] == table.values[c] else (floors[c], floors[c] + base) for c in inner]
    best = np.inf
    for chosen in product(*choices):
        full = np.asarray(chosen).reshape([d.leaves.size for d in table.dimensions])
        values = Table.cross(table.dimensions, full).values
        off = np.abs(values - table.values)
        if (off < base).all():
            best = min(best, off.sum())
    return best


@given(
    st.lists(st.integers(0, 20), min_size=9, max_size=9),
    st.sampled_from([2, 3, 5, 7]),
)
def test_no_rounding_of_a_two_way_table_is_nearer(cells, base):
    table = Table.from_array(np.array(cells, dtype=float).reshape(3, 3))
    made = Rounding(base=base).adjust(table)
    assert made.proven
    assert made.distance == pytest.approx(least(table, base))


@pytest.mark.parametrize("seed", range(6))
def test_no_rounding_of_a_three_way_table_is_nearer(seed):
    values = np.random.default_rng(seed).integers(0, 12, (2, 2, 3)).astype(float)
    table = Table.from_array(values, names=["a", "b", "c"])
    made = Rounding(base=3, seconds=3).adjust(table)
    nearest = least(table, 3)
    if np.isfinite(nearest):
        assert not made.relaxed
        assert made.distance == pytest.approx(nearest)
        assert made.proven
    else:
        assert made.relaxed


@pytest.mark.parametrize("seed", range(4))
def test_no_rounding_of_a_table_with_subtotals_is_nearer(seed):
    regions = from_nested("region", {"north": ["n1", "n2"], "south": ["s1", "s2"]})
    values = np.random.default_rng(seed).integers(0, 30, (4, 2)).astype(float)
    table = Table.cross([regions, Hierarchy.flat("sex", ["f", "m"])], values)
    made = Rounding(base=5).adjust(table)
    assert made.distance == pytest.approx(least(table, 5))


def test_where_no_zero_restricted_rounding_exists_it_says_so_and_goes_further():
    # a + b = t, b + c = t, a + c = t, t = 2: halves of a base of 2, but t is a multiple and must stay
    relations = Relations.of([([0, 1, 3], [1, 1, -1]), ([1, 2, 3], [1, 1, -1]), ([0, 2, 3], [1, 1, -1])])
    values = np.array([1.0, 1.0, 1.0, 2.0])
    n = values.size
    nought, no = np.zeros(n), np.zeros(n, dtype=bool)
    table = Table(
        dimensions=(Hierarchy.flat("cell", ["a", "b", "c"], "t"),),
        codes=np.arange(n)[:, None],
        values=values,
        relations=relations,
        primary=no,
        lower=nought,
        upper=nought,
        sliding=nought,
        low=nought,
        high=np.full(n, np.inf),
        cost=nought,
        forced=no,
    )
    # the only additive multiples of 2 have a = b = c, so that t is 0 or 4, and never 2
    made = Rounding(base=2, seconds=2).adjust(table)
    assert "does not exist" in made.relaxed
    assert made.values.tolist() in ([0, 0, 0, 0], [2, 2, 2, 4])
    assert made.terms.reach == 4


def test_a_knot_in_three_ways_is_rounded_to_neighbours_or_said_to_be_wider():
    knot = np.array([1.0 if sum(place) % 3 else 0.0 for place in product(range(3), repeat=3)]).reshape(
        3, 3, 3
    )
    table = Table.from_array(knot, names=["a", "b", "c"])
    made = Rounding(base=2, seconds=3).adjust(table)
    assert not np.abs(table.relations.residuals(made.values)).any()
    assert bool(made.relaxed) == (made.terms.reach > 2)
    assert (np.abs(made.values - table.values) < made.terms.reach).all()


@pytest.mark.parametrize("seed", range(2))
def test_larger_three_way_tables_are_additive_and_their_gap_is_told(seed):
    values = np.random.default_rng(seed).poisson(3, (6, 6, 5)).astype(float)
    table = Table.from_array(values, names=["a", "b", "c"])
    made = Rounding(base=5, seconds=1).adjust(table)
    assert not np.abs(table.relations.residuals(made.values)).any()
    assert (np.abs(made.values - table.values) < made.terms.reach).all()
    assert 0 <= made.gap < 1


@given(
    st.integers(1, 8), st.integers(1, 8), st.integers(0, 10**6), st.sampled_from([0.5, 2.0, 3.0, 7.5, 100.0])
)
def test_every_base_and_shape_keeps_all_promises(rows, columns, seed, base):
    values = np.random.default_rng(seed).gamma(1.0, 40.0, (rows, columns)).round(2)
    table = Table.from_array(values)
    for random in (False, True):
        claim = adjust(table, Rounding(base=base, random=random), run=RunContext(seed=SEED + seed))
        assert claim.audit.safe
        assert not claim.adjusted.relaxed


def test_by_chance_every_cell_keeps_its_expected_value():
    regions = from_nested("region", {"north": ["n1", "n2"], "south": ["s1", "s2"]})
    values = np.random.default_rng(8).integers(0, 30, (4, 3)).astype(float)
    table = Table.cross([regions, Hierarchy.flat("size", ["s", "m", "l"])], values)
    drawn = np.array(
        [Rounding(base=7, random=True).adjust(table, RunContext(seed=s)).values for s in range(800)]
    )
    off = np.abs(drawn.mean(axis=0) - table.values)
    # five standard errors of a rounding to 7
    assert (off <= 5 * 3.5 / np.sqrt(800)).all()
    assert not drawn[:, table.values % 7 == 0].std(axis=0).any()


def test_by_chance_three_way_tables_are_rounded_inside_and_added_up():
    table = Table.from_array(np.random.default_rng(2).integers(0, 20, (3, 3, 3)).astype(float), names="abc")
    made = Rounding(base=5, random=True).adjust(table, RunContext(seed=SEED))
    assert "no network" in made.relaxed
    assert not np.abs(table.relations.residuals(made.values)).any()
    assert (np.abs(made.values - table.values)[table.inner] < 5).all()


def test_multiples_stay_and_a_table_of_them_is_not_changed():
    table = Table.from_array([[5, 10], [0, 15]])
    made = Rounding(base=5).adjust(table)
    assert made.changed == 0
    assert made.proven


def test_a_base_that_is_too_small_is_refused():
    with pytest.raises(DataError, match="too small for the values"):
        Rounding(base=1e-9).adjust(Table.from_array([[5e12]]))


def test_scaling_values_and_base_scales_the_rounding():
    values = np.random.default_rng(3).integers(0, 40, (4, 4)).astype(float)
    one = Rounding(base=5).adjust(Table.from_array(values))
    other = Rounding(base=5000).adjust(Table.from_array(1000 * values))
    assert other.distance == pytest.approx(1000 * one.distance)
