"""Numbers coded at the ends of a column, or rounded; and what the verifier catches of it."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita
from seeds import SEED
from tacita import DataError, ParameterError
from tacita.core import Microdata
from tacita.microdata import verify

VALUES = [1.0, 2.0, 2.0, 3.0, 7.0, 8.0, 9.0, 40.0]


def made(method, values=VALUES, **options):
    frame = pa.table({"x": values, "y": range(len(values))})
    return tacita.protect(frame, quasi=["x"], method=method, measures=["IL1"], **options)


def shown(*arguments, **options):
    return made(*arguments, **options).data["x"].to_pylist()


def test_what_is_beyond_the_limit_becomes_it():
    assert shown("top-code", limit=7) == [1, 2, 2, 3, 7, 7, 7, 7]
    assert shown("bottom-code", limit=3) == [3, 3, 3, 3, 7, 8, 9, 40]


def test_the_ends_may_be_a_count_or_a_share_and_become_their_mean_or_median():
    assert shown("top-code", count=3, by="mean") == [1, 2, 2, 3, 7, 19, 19, 19]
    assert shown("top-code", share=0.4, by="median") == [1, 2, 2, 3, 7, 9, 9, 9]
    assert shown("bottom-code", count=3, by="mean") == [5 / 3, 5 / 3, 5 / 3, 3, 7, 8, 9, 40]
    assert shown("top-code", count=1) == [1, 2, 2, 3, 7, 8, 9, 9]


def test_numbers_that_tie_with_the_largest_that_stays_stay_too():
    assert shown("bottom-code", count=2) == [2, 2, 2, 3, 7, 8, 9, 40]
    assert shown("bottom-code", count=1) == [2, 2, 2, 3, 7, 8, 9, 40]


def test_what_is_missing_is_not_counted_and_stays_missing():
    assert shown("top-code", [None, *VALUES], count=1, missing="stratum") == [None, 1, 2, 2, 3, 7, 8, 9, 9]


def test_numbers_become_multiples_of_the_base():
    assert shown("round", base=5) == [0, 0, 0, 5, 5, 10, 10, 40]
    assert shown("round", [1.26, 1.24], base=0.5) == [1.5, 1.0]


def test_rounding_by_chance_is_right_on_average():
    rng = np.random.default_rng(1)
    x = rng.uniform(-50, 50, 20_000)
    y = np.array(shown("round", x.tolist(), base=7, random=True, seed=SEED))
    assert abs((y - x).mean()) < 4 * 3.5 / np.sqrt(x.size)
    assert (np.abs(y - x) <= 7).all()


def test_a_step_of_coding_keeps_groups_and_rounding_by_chance_does_not():
    frame = pa.table({"x": np.random.default_rng(2).normal(50, 20, 40)})
    steps = [{"method": "mdav", "quasi": ["x"], "k": 4}, {"method": "top-code", "quasi": ["x"], "limit": 60}]
    release = tacita.protect(frame, steps=steps, measures=["IL1"])
    kept = [each.guarantee for each in release.record.verdicts]
    assert "groups-of-k" in kept
    assert {each.guarantee for each in release.record.withdrawn} == {"group-means"}
    steps[1] = {"method": "round", "quasi": ["x"], "base": 3, "random": True}
    release = tacita.protect(frame, steps=steps, measures=["IL1"], seed=SEED)
    assert "groups-of-k" in {each.guarantee for each in release.record.withdrawn}


@given(
    st.lists(st.integers(-30, 30) | st.none(), min_size=4, max_size=40),
    st.sampled_from(["top-code", "bottom-code"]),
    st.integers(1, 6),
    st.sampled_from(["limit", "mean", "median"]),
)
def test_every_coded_file_is_verified(values, method, count, by):
    known = [value for value in values if value is not None]
    if len(set(known)) < 2:
        return
    sign = 1 if method == "top-code" else -1
    largest = sorted(known, key=lambda value: -sign * value)
    beyond = [value for value in known if sign * value > sign * largest[min(count, len(known) - 1)]]
    if by != "limit" and 0 < len(beyond) < 3:
        with pytest.raises(DataError, match="would give them away"):
            shown(method, values, count=count, by=by, missing="stratum")
        return
    new = shown(method, values, count=count, by=by, missing="stratum")
    changed = [(a, b) for a, b in zip(values, new, strict=True) if a is not None and a != b]
    assert len({b for _, b in changed}) <= 1
    assert len(changed) <= count
    assert all(b is None for a, b in zip(values, new, strict=True) if a is None)


BROKEN = {
    "top-code": ({"limit": 7}, ["top-coded"], [0, 3, 4, 5, 7]),
    "bottom-code": ({"limit": 3}, ["bottom-coded"], [0, 3, 4, 7]),
    "round": ({"base": 5}, ["rounded-to-base"], [0, 3, 7]),
}


@pytest.mark.each_once
@pytest.mark.parametrize("method", BROKEN)
@pytest.mark.parametrize("by", [0.001, -0.001, 5.0, 10.0, "original", None])
def test_a_planted_number_is_caught_wherever_it_stands(method, by):
    options, promises, places = BROKEN[method]
    release = made(method, **options)
    for place in places:
        cells = release.data["x"].to_pylist()
        old = cells[place]
        cells[place] = VALUES[place] if by == "original" else None if by is None else old + by
        if cells[place] == old or (method == "round" and by == "original" and VALUES[place] % 5 == 0):
            continue
        broken = release.data.set_column(0, "x", pa.array(cells, pa.float64()))
        verdicts = verify.verify(Microdata.of(broken), release.claim)
        failed = [each.guarantee for each in verdicts if not each.passed]
        assert {*promises, "coded"} & set(failed), place


@pytest.mark.parametrize(
    ("method", "options", "told"),
    [
        ("top-code", {}, "one of limit, share or count, got none"),
        ("top-code", {"limit": 3, "count": 2}, "got limit and count"),
        ("top-code", {"share": 0.7}, "at most 0.5"),
        ("top-code", {"count": 0}, "at least 1"),
        ("top-code", {"limit": float("nan")}, "finite"),
        ("top-code", {"limit": {"y": 3}}, "x is not one of them"),
        ("top-code", {"count": 2, "by": "mean"}, "2 records of column x are beyond the limit"),
        ("top-code", {"limit": 3, "by": "mode"}, "one of"),
        ("bottom-code", {"count": 1, "by": "median"}, "would give them away"),
        ("round", {}, "base is required"),
        ("round", {"base": 0}, "more than 0"),
        ("round", {"base": -1}, "more than 0"),
        ("round", {"base": float("inf")}, "finite"),
    ],
)
def test_what_cannot_be_coded_is_refused_in_words(method, options, told):
    with pytest.raises((ParameterError, DataError), match=told):
        made(method, **options)


def test_words_are_no_numbers():
    frame = pa.table({"x": ["a", "b", "c"]})
    with pytest.raises((ParameterError, DataError), match="x"):
        tacita.protect(frame, quasi=["x"], method="top-code", limit=3)
