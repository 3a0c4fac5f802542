"""Columns that leave a hidden cell fewer than k values: found, and counted with what else follows."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import tacita
from determining_columns import persons, planted
from tacita.core import InferenceError
from tacita.microdata.verify.dependence import Dependence, dependences
from tacita.microdata.verify.exposure import exposed_records
from tacita.microdata.verify.hidden import HiddenColumn
from tacita.microdata.verify.learning import Few, Known, Target, by_few, by_groups

SURPRISE = 20.0


def target(values, hidden, most=2, **more):
    values = np.asarray(values, dtype=np.int64)
    share = np.bincount(values) / values.size
    return Target("key", values, ~hidden, hidden, share, 1, most, **more)


def drawn(groups=60, size=20, kinds=10, seed=0):
    """Groups of which each has two values of ten, and a tenth of the records hidden."""
    rng = np.random.default_rng(seed)
    codes = np.repeat(np.arange(groups), size)
    values = (codes % (kinds // 2)) * 2 + rng.integers(0, 2, codes.size)
    return rng, codes, values, rng.random(codes.size) < 0.1


def test_the_two_values_of_a_group_are_found_and_no_single_one():
    _, codes, values, hidden = drawn()
    of = target(values, hidden)
    assert by_groups(codes, codes, of, SURPRISE) is None
    found = by_few(codes, codes, of, SURPRISE)
    assert np.array_equal(found.narrowed, hidden)
    assert np.array_equal(np.sort(found.values[hidden]), np.sort(values[hidden, None] // 2 * 2 + [0, 1]))
    assert (found.values[~hidden] == -1).all()


@pytest.mark.parametrize(("most", "count"), [(1, 0), (2, 0), (3, 1), (4, 1)])
def test_so_many_values_must_be_fewer_than_k(most, count):
    rng = np.random.default_rng(1)
    codes = np.repeat(np.arange(60), 30)
    values = (codes % 5) * 3 + rng.integers(0, 3, codes.size)
    hidden = rng.random(codes.size) < 0.1
    found = by_few(codes, codes, target(values, hidden, most), SURPRISE)
    assert (found is not None) == count
    if count:
        assert (np.sort(found.values[hidden], axis=1)[:, -3:] // 3 == values[hidden, None] // 3).all()


def test_small_groups_and_values_that_go_along_leave_nothing_out():
    rng, codes, values, hidden = drawn()
    other = rng.integers(0, 10, codes.size)
    # three in four are of the two values of their group
    going_along = np.where(rng.random(codes.size) < 0.75, values, other)
    assert by_few(codes, codes, target(going_along, hidden), SURPRISE) is None
    # groups of three have few values by chance
    of_three = rng.permutation(codes.size) // 3
    assert by_few(of_three, of_three, target(other, hidden), SURPRISE) is None
    # of three values two are more than a third of all
    few = values % 3
    halves = few // 2
    assert by_few(halves, halves, target(few, hidden), SURPRISE) is None


def test_hidden_values_that_are_others_than_those_in_view_are_not_known():
    _, codes, values, hidden = drawn()
    others = np.where(hidden, (values + 2) % 10, values)
    assert by_few(codes, codes, target(others, hidden), SURPRISE) is None


def test_a_changed_value_is_one_of_those_that_are_shown_alike():
    rng = np.random.default_rng(2)
    codes = np.repeat(np.arange(60), 30)
    # of ten values each group has four; the release shows five and five alike
    values = (codes % 5) + 5 * rng.integers(0, 2, codes.size)
    every = np.ones(codes.size, dtype=bool)
    alike = np.arange(10) // 5
    of = Target("key", values, every, every, np.full(10, 0.2), 4, 4, alike)
    found = by_few(codes, codes, of, SURPRISE)
    assert found.narrowed.all()
    left = [set(row[row >= 0].tolist()) for row in found.values]
    assert left == [{value} for value in values.tolist()]


def test_pairs_are_looked_at_where_they_agree_better_than_their_parts():
    rng = np.random.default_rng(3)
    first, second = rng.integers(0, 6, (2, 4000))
    values = 2 * ((first + second) % 6) + rng.integers(0, 2, 4000)
    hidden = rng.random(4000) < 0.1
    ((found,),) = dependences([target(values, hidden)], Known({"first": first, "second": second}))
    assert found.columns == ("first", "second")
    assert not found.determined.any()
    assert np.array_equal(found.cells, hidden)


# how many records that exposes


def column(name, originals, suppressed):
    labels = np.where(suppressed, -1, originals)
    return HiddenColumn(
        name,
        originals,
        labels,
        np.arange(originals.max() + 1),
        True,
        suppressed,
        np.zeros(originals.size, dtype=bool),
    )


def counted(keys, hidden, few, units, row, chosen):
    """Of how many units the originals are that agree with a record, one by one."""
    agree = np.ones(units.size, dtype=bool)
    for at in chosen:
        if not hidden[at][row]:
            agree &= keys[at] == keys[at][row]
        elif few[at] is not None and few[at].narrowed[row]:
            agree &= np.isin(keys[at], few[at].values[row][few[at].values[row] >= 0])
    return np.unique(units[agree]).size


@pytest.mark.each_once
@pytest.mark.parametrize("m", [None, 2])
@pytest.mark.parametrize("seed", range(6))
def test_exposed_records_are_those_that_are_counted_one_by_one(seed, m):
    rng = np.random.default_rng(seed)
    n, k = 80, 4
    keys = [rng.integers(0, most, n) for most in (3, 5, 6)]
    hidden = [rng.random(n) < share for share in (0.0, 0.3, 0.4)]
    units = np.arange(n) if seed % 2 else rng.integers(0, 30, n)
    few, targets, found, columns = [None], [], [], [column("c0", keys[0], hidden[0])]
    for at in (1, 2):
        values = np.full((n, 3), -1)
        some = hidden[at] & (rng.random(n) < 0.7)
        for row in np.flatnonzero(some):
            others = rng.permutation(keys[at].max() + 1)[: rng.integers(0, 3)]
            own = np.unique([keys[at][row], *others])[-3:]
            own = own if keys[at][row] in own else np.array([keys[at][row]])
            values[row, : own.size] = own
        few.append(Few(some, values))
        columns.append(column(f"c{at}", keys[at], hidden[at]))
        targets.append(Target(f"c{at}", keys[at], ~hidden[at], hidden[at], np.ones(9), 1, 3))
        found.append([Dependence(("w",), np.zeros(n, dtype=bool), few[at])])
    strata = np.zeros(n, dtype=np.int64)
    shown = exposed_records(columns, targets, found, strata, units if seed % 2 == 0 else None, k, m)
    expected = np.zeros(n, dtype=bool)
    for chosen in combinations(range(3), m or 3):
        for row in range(n):
            if any(few[at] is not None and few[at].narrowed[row] for at in chosen):
                expected[row] |= counted(keys, hidden, few, units, row, chosen) < k
    assert np.array_equal(shown, expected)
    assert shown.any()


def test_what_two_columns_leave_together_is_less():
    n = 12
    originals = np.arange(n) % 6
    hidden = np.arange(n) < 6
    one = np.column_stack([originals, (originals + 1) % 6])
    other = np.column_stack([originals, (originals + 2) % 6])
    of = Target("c", originals, ~hidden, hidden, np.ones(6), 1, 2)
    by = [
        Dependence((name,), np.zeros(n, dtype=bool), Few(hidden, np.where(hidden[:, None], values, -1)))
        for name, values in (("one", one), ("other", other))
    ]
    strata = np.zeros(n, dtype=np.int64)

    def exposed(found):
        return exposed_records([column("c", originals, hidden)], [of], [found], strata, None, 3, None).sum()

    # two records have each value: four agree with two of them
    assert exposed(by[:1]) == 0
    assert exposed(by) == 6


def test_a_weight_that_leaves_two_regions_is_refused_and_says_so():
    frame, how, _ = planted(17, "two regions", 3000)
    with pytest.raises(InferenceError) as caught:
        tacita.protect(frame, **how)
    (found,) = [each for each in caught.value.determined if each.column == "region"]
    assert 0 < found.narrowed <= found.cells
    assert "of them up to fewer than k values" in str(caught.value)


def test_where_no_k_is_promised_nothing_is_left_open():
    frame = persons(3).drop(columns="years")
    codes = frame["region"].astype("category").cat.codes.to_numpy()
    frame["w"] = 100 + codes // 2
    halves = {"method": "pram", "quasi": ["region"], "nominal": ["region"], "measures": ["CATEGORIES"]}
    release = tacita.protect(frame, **halves)
    assert not [each for each in release.record.warnings if each.name == "cells-determined"]


def test_units_are_counted_no_further_than_k(monkeypatch):
    """Of many records that may be many others, a few at a time are looked at; the answer is the same."""
    rng = np.random.default_rng(8)
    n, k = 3000, 4
    keys = [np.zeros(n, dtype=np.int64), rng.integers(0, 400, n)]
    hidden = rng.random(n) < 0.3
    values = np.where(hidden[:, None], np.column_stack([keys[1], (keys[1] + 1) % 400]), -1)
    units = rng.integers(0, 900, n)
    of = Target("c1", keys[1], ~hidden, hidden, np.ones(400), 1, 3)
    found = [Dependence(("w",), np.zeros(n, dtype=bool), Few(hidden, values))]
    columns = [column("c0", keys[0], np.zeros(n, dtype=bool)), column("c1", keys[1], hidden)]
    strata = np.zeros(n, dtype=np.int64)

    def exposed():
        return exposed_records(columns, [of], [found], strata, units, k, None)

    whole = exposed()
    monkeypatch.setattr("tacita.microdata.verify.exposure._AT_ONCE", 100)
    assert np.array_equal(exposed(), whole)
    for row in np.flatnonzero(hidden)[:200]:
        agree = np.isin(keys[1], values[row])
        assert whole[row] == (np.unique(units[agree]).size < k)
