"""Sums without loss: what a slow exact sum finds, in any order and however split."""

import math
from fractions import Fraction

import numpy as np
import pandas as pd
from hypothesis import example, given
from hypothesis import strategies as st

from tacita.tables.input.aggregation.exact_sum import ExactSums
from tacita.tables.input.aggregation.ranking import running_sums
from tacita.tables.input.tabulate import tabulate

AMOUNTS = st.one_of(
    st.floats(-1e150, 1e150, allow_nan=False, allow_subnormal=False),
    st.floats(-1e6, 1e6, allow_nan=False).map(lambda value: round(value, 2)),
    st.integers(-(10**9), 10**9).map(float),
)


# the last one lies above the middle between two numbers by the 1.0 alone
@example([[1.0, 9.085484053695086e133, 9.428493609105e149], [-0.0], [2.0**64, 2.0**11, 2.0**-900]])
@given(st.lists(st.lists(AMOUNTS, min_size=1, max_size=12), min_size=1, max_size=5))
def test_sums_are_those_of_fractions_rounded_once(cells):
    values = np.array([each for cell in cells for each in cell])
    starts = np.cumsum([0, *map(len, cells)])[:-1]
    found = ExactSums.of(values, starts).rounded()
    assert found.tolist() == [float(sum(map(Fraction, cell))) for cell in cells]
    assert found.tolist() == [math.fsum(cell) for cell in cells]


@given(st.lists(AMOUNTS, min_size=1, max_size=30), st.randoms(use_true_random=False))
def test_neither_order_nor_split_can_be_told(values, random):
    whole = ExactSums.of(np.array(values), np.array([0])).rounded()
    random.shuffle(values)
    at = random.randrange(len(values) + 1)
    pieces = [np.array(each) for each in (values[:at], values[at:]) if each]
    parts = ExactSums.joined([ExactSums.of(each, np.array([0])) for each in pieces])
    assert parts.added(np.array([0])).rounded().tobytes() == whole.tobytes()


def test_no_digit_is_lost_in_a_long_sum_of_both_signs():
    large = np.tile([2.0**52, -(2.0**52) + 0.5], 200_000)
    assert ExactSums.of(large, np.array([0])).rounded().tolist() == [100_000.0]


def test_running_sums_do_not_hang_on_what_stands_before():
    values = np.random.default_rng(0).random(60)
    many, few = np.arange(0, 60, 3), np.array([0, 20])
    for starts in (many, few):
        pieces = [np.cumsum(each) for each in np.split(values, starts[1:])]
        assert running_sums(values, starts).tobytes() == np.concatenate(pieces).tobytes()


def test_records_in_another_order_make_the_same_table_to_the_last_bit():
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(
        {"d": rng.choice(list("abc"), 4000), "x": rng.lognormal(3, 3, 4000), "w": rng.random(4000) * 4}
    )
    one, other = (
        tabulate(each, ["d"], "x", weight="w") for each in (frame, frame.sample(frac=1.0, random_state=1))
    )
    assert one.values.tobytes() == other.values.tobytes()
    for name in ("total", "frequency", "largest", "open"):
        assert getattr(one.contributors, name).tobytes() == getattr(other.contributors, name).tobytes()
