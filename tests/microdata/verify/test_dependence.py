"""The quick search for columns that give hidden values back finds what the long way finds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from tacita.microdata.verify import learning
from tacita.microdata.verify.dependence import dependences
from tacita.microdata.verify.learning import Known, Target, by_few, by_groups
from twins import dependence as twin


def file_of(rng, n, columns, *, own, most, gaps):
    """Hidden values of two columns and columns beside them, some of which tell something of a value."""
    kinds, groups = int(rng.integers(2, 9)), int(rng.integers(2, max(3, n // rng.integers(3, 30))))
    key = rng.integers(0, groups, n)
    targets, codes, filled, ranks = [], {}, {}, {}
    for number in range(2):
        of_group = rng.integers(0, kinds, groups)
        values = of_group[key]
        # a value of its own, or one of two of the group
        odd = rng.random(n) < rng.choice([0.0, 0.002, 0.01, 0.3])
        values[odd] = rng.integers(0, kinds, int(odd.sum()))
        halves = rng.random(n) < rng.choice([0.0, 0.0, 0.4])
        values[halves] = (values[halves] + 1) % kinds
        values[rng.random(n) < gaps] = -1
        hidden = (rng.random(n) < rng.choice([0.02, 0.2])) & (values >= 0)
        if rng.random() < 0.2:
            # those that are hidden are not as the others are
            hidden &= values == 0
        counts = np.bincount(values[values >= 0], minlength=kinds) + 1e-9
        alike = np.arange(kinds) // 2 if own and rng.random() < 0.5 else None
        targets.append(
            Target(
                column=f"key{number}",
                values=values,
                taught=values >= 0 if own else (values >= 0) & ~hidden,
                hidden=hidden,
                share=counts / counts.sum(),
                fewest=4 if own else 1,
                most=most,
                alike=alike,
            )
        )
        codes[f"key{number}"] = np.where(hidden, -1, values)
        filled[f"key{number}"] = values
    for number in range(columns):
        kind = rng.integers(0, 5)
        if kind == 0:
            told = rng.integers(0, rng.integers(2, 2 * n), n)
        elif kind == 1:
            told = key // (number + 1)
        elif kind == 2:
            told = key % (number + 2)
        elif kind == 3:
            told = np.where(rng.random(n) < 0.02, rng.integers(0, groups, n), key)
        else:
            told = np.argsort(np.argsort(key, kind="stable"), kind="stable")
            ranks[f"c{number}"] = told
        told = np.where(rng.random(n) < gaps, -1, told)
        codes[f"c{number}"] = told.astype(np.int64)
    return targets, Known(codes, filled, ranks)


def plain(found):
    """Findings as lists."""
    return [
        [
            (
                each.columns,
                np.flatnonzero(each.determined).tolist(),
                None if each.few is None else np.flatnonzero(each.few.narrowed).tolist(),
                None if each.few is None else each.few.values.tolist(),
            )
            for each in by
        ]
        for by in found
    ]


@settings(deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(20, 1_500),
    st.integers(1, 5),
    st.booleans(),
    st.integers(1, 4),
    st.sampled_from([0.0, 0.05]),
)
def test_the_search_finds_what_the_long_way_finds(seed, n, columns, own, most, gaps):
    targets, known = file_of(np.random.default_rng(seed), n, columns, own=own, most=most, gaps=gaps)
    found = dependences(targets, known)
    event(f"found: {any(found)}, a few: {any(each.few is not None for by in found for each in by)}")
    assert plain(found) == plain(twin.dependences(targets, known))


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_files_of_which_some_thousand_records_are_looked_at_first_give_the_same(seed, own):
    rng = np.random.default_rng(seed)
    targets, known = file_of(rng, 12_000, 5, own=own, most=2, gaps=0.02)
    found = dependences(targets, known)
    assert plain(found) == plain(twin.dependences(targets, known))


@settings(deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(5, 600),
    st.booleans(),
    st.integers(1, 6),
    st.sampled_from([0.5, 5.0, 20.0]),
)
def test_one_set_of_groups_teaches_what_the_long_way_teaches(seed, n, own, most, surprise):
    rng = np.random.default_rng(seed)
    targets, known = file_of(rng, n, 3, own=own, most=most, gaps=0.05)
    for target in targets:
        for name in ("c0", "c1", "c2"):
            codes = known.codes[name]
            usual = float(rng.choice([0.0, 0.5]))
            one, other = (each.by_groups(codes, codes, target, surprise, usual) for each in (learning, twin))
            assert (one is None) == (other is None)
            assert one is None or np.array_equal(one, other)
            few, long = (each.by_few(codes, codes, target, surprise, usual) for each in (learning, twin))
            assert (few is None) == (long is None)
            if few is not None:
                assert np.array_equal(few.narrowed, long.narrowed)
                assert np.array_equal(few.values, long.values)


@given(st.integers(0, 2**32 - 1), st.sampled_from([3, 400]), st.booleans())
def test_values_of_groups_are_ranked_alike_by_a_table_and_by_sorting(seed, kinds, tested):
    rng = np.random.default_rng(seed)
    codes, values = rng.integers(0, 30, 80), rng.integers(0, kinds, 80)
    which = rng.random(80) < 0.3 if tested else None
    one, other = (of(codes, values, 31, which) for of in (learning._Ranked.of, twin.ranked))
    for name in ("size", "owner", "value", "times", "place", "tested"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name


def test_what_hidden_values_refute_is_not_looked_at_among_all(monkeypatch):
    rng = np.random.default_rng(0)
    codes = np.repeat(np.arange(50), 20)
    values = codes % 7
    hidden = rng.random(codes.size) < 0.2
    # what is shown follows from the group, what is hidden does not
    values[hidden] = (values[hidden] + 1 + rng.integers(0, 6, int(hidden.sum()))) % 7
    target = Target("key", values, ~hidden, hidden, np.bincount(values) / values.size, 1, 2)
    monkeypatch.setattr(learning, "_trusted", None)
    monkeypatch.setattr(learning, "_trusted_few", None)
    assert by_groups(codes, codes, target, 20.0) is None
    assert by_few(codes, codes, target, 20.0) is None
