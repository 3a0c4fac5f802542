"""As test_survivors.py, of what is counted and computed: noise, ranks, originals that come back.

Columns are planted as they stand, without a method; where a figure has a plain definition, it is a twin.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from scipy.special import chdtri
from scipy.stats import norm

from planting import spelled
from tacita.core import Microdata, Roles
from tacita.core.results.release import Claim
from tacita.microdata.verify import CHECKS, Evidence, maskings, rounding_attack

N = 200
RNG = np.random.default_rng(11)


def told(guarantee, before, after, strata=None, **claimed):
    """What a check says of columns published instead of others."""
    beside = {} if strata is None else {"part": strata}
    roles = Roles(quasi=list(before), strata=list(beside))
    original = Microdata.of(pa.table({**before, **beside})).with_roles(roles)
    released = Microdata.of(pa.table({**after, **beside}))
    claim = Claim(original, np.arange(original.n), None, None, (guarantee,), **claimed)
    return CHECKS[guarantee].find_fault(Evidence(released, claim))


def synthetic(guarantee, before, after, beside, **claimed):
    """The same of dependent columns, with independent ones beside them and two strata at most."""
    strata = {name: beside.pop(name) for name in ("part",) if name in beside}
    roles = Roles(dependent=list(before), independent=list(beside), strata=list(strata))
    original = Microdata.of(pa.table({**before, **beside, **strata})).with_roles(roles)
    released = Microdata.of(pa.table({**after, **beside, **strata}))
    claim = Claim(original, np.arange(original.n), None, None, (guarantee,), **claimed)
    return CHECKS[guarantee].find_fault(Evidence(released, claim))


ALPHA = {"terms": {"alpha": 1.0}}
KINDS = ("noise-independent", "noise-correlated")


def apart(*columns):
    """Numbers of length 1 that are unrelated to a constant and to some columns."""
    basis = np.linalg.qr(np.column_stack([np.ones(len(columns[0])), *columns, RNG.normal(size=N)]))[0]
    return basis[:, -1]


@pytest.mark.parametrize("guarantee", KINDS)
@pytest.mark.parametrize(("over", "kept"), [(1.0, True), (1.08, True), (1.2, False)])
def test_rounded_noise_may_be_a_tenth_stronger_than_chance_and_no_more(guarantee, over, kept):
    x = np.rint(1000 * RNG.normal(size=N))
    spread = x.std(ddof=1)
    noise = apart(x) * spread * np.sqrt(over * chdtri(N, 1e-12))
    found = told(
        guarantee, {"x": x.astype(int)}, {"x": np.rint(x + noise)}, rounded=frozenset(["x"]), **ALPHA
    )
    assert (found is None) == kept


@pytest.mark.parametrize("guarantee", KINDS)
@pytest.mark.parametrize(("strength", "kept"), [(3.0, True), (5.0, False)])
def test_noise_that_leans_on_the_values_a_little_in_every_stratum_is_caught_over_all(
    guarantee, strength, kept
):
    strata, values, published = [], [], []
    for part in range(4):
        # the first stratum has one value far below all others
        x = np.append(np.full(N - 1, 1.0), -float(N - 1)) if part == 0 else RNG.normal(size=N)
        x = (x - x.mean()) / x.std(ddof=1)
        leaning = strength * x / np.linalg.norm(x) + apart(x) * np.sqrt(N - strength**2)
        # strata of any size count alike
        size = 10.0**part
        strata += [part] * N
        values.append(size * x)
        published.append(size * (x + leaning))
    found = told(guarantee, {"x": np.concatenate(values)}, {"x": np.concatenate(published)}, strata, **ALPHA)
    assert (found is None) == kept


@pytest.mark.parametrize(
    ("bounds", "spread", "far"),
    [
        ((-np.inf, np.inf), 2.0, [True] * 5),
        # rounding hides noise so weak
        ((-np.inf, np.inf), 1.9, [False] * 5),
        ((0.0, np.inf), 2.0, [False, False, True, True, True]),
        ((-np.inf, 51.0), 2.0, [True, True, True, True, False]),
        ((0.0, 51.0), 2.0, [False, False, True, True, False]),
        ((0.0, 50.0), 2.0, [False, False, True, False, False]),
    ],
    ids=spelled,
)
def test_rounded_values_count_eight_deviations_and_one_inside_both_bounds(bounds, spread, far):
    x = np.array([0.0, 16.0, 17.0, 34.0, 35.0])
    assert maskings._far(x, spread, bounds).tolist() == far


@pytest.mark.parametrize("bounds", [(-1.0, np.inf), (-np.inf, 2.5), (-1.0, 2.5)], ids=spelled)
def test_noise_cut_off_at_bounds_is_read_through_the_distribution_that_is_left(bounds):
    x = np.array([-0.5, 0.0, 1.0, 2.0])
    share = np.array([0.02, 0.3, 0.6, 0.97])
    low, high = norm.cdf(bounds[0], x, 1.5), norm.cdf(bounds[1], x, 1.5)
    z = norm.ppf(low + share * (high - low), x, 1.5)
    normal = maskings._standard_normal(x, z, 1.5, bounds)
    np.testing.assert_allclose(normal, norm.ppf(share), rtol=1e-9)
    at_bounds = maskings._standard_normal(x, np.clip(z - 99.0, *bounds), 1.5, bounds)
    assert np.isfinite(at_bounds).all()


@pytest.mark.parametrize(("sign", "bound"), [(1, "highest"), (-1, "lowest")])
@pytest.mark.parametrize("guarantee", ["noise-correlated"])
def test_noise_near_a_bound_is_cut_off_and_does_not_count(guarantee, sign, bound):
    x = np.concatenate([RNG.normal(size=N), 100 + RNG.normal(size=N)])
    spread = x.std(ddof=1)
    noise = np.concatenate([apart(x[:N]) * np.sqrt(N) * spread, np.zeros(N)])
    for room, kept in ((8.5 * spread, True), (8.5 * spread + 100, False)):
        terms = {"alpha": 1.0, bound: sign * room}
        found = told(guarantee, {"x": sign * x}, {"x": sign * (x + noise)}, terms=terms)
        assert (found is None) == kept


@pytest.mark.parametrize("count", [2, 3])
def test_every_pair_of_axes_that_carries_the_same_noise_is_counted(count):
    g = np.linalg.qr(RNG.normal(size=(N, 2 * count)))[0] * np.sqrt(N)
    x = g[:, :count] @ np.triu(np.ones((count, count)))
    x = (x - x.mean(axis=0)) / x.std(axis=0, ddof=1)
    _, sizes, axes = np.linalg.svd(x, full_matrices=False)
    own = g[:, count:]
    same = own[:, [0, 0, 2][:count]]
    turned = same * np.array([1, -1, 1])[:count]
    for along, wrong in ((own, 0), (same, 1), (turned, 1), (own[:, [0, 1, 1][:count]], count - 2)):
        assert maskings._wrong_axes(x, along * (sizes / np.sqrt(N - 1)) @ axes) == wrong


def test_noise_of_two_records_is_noise():
    for guarantee in KINDS:
        assert told(guarantee, {"x": [0.0, 1.0]}, {"x": [0.6, 0.5]}, **ALPHA) is None


def test_moments_hold_to_the_last_digit_of_large_cells_and_no_further():
    x = np.array([1e6 + 1, 1e6 + 2, 1e6 + 3, 1e6 + 5])
    y = np.array([1.0, 2.0, 4.0, 3.0])
    for off, kept in ((np.nextafter(x[0], np.inf) - x[0], True), (1e-8, False)):
        moved = x + np.array([off, 0.0, 0.0, 0.0])
        assert (told("moments-preserved", {"x": x, "y": y}, {"x": moved, "y": y}) is None) == kept
        assert (synthetic("means-preserved", {"x": x}, {"x": moved}, {"y": y}) is None) == kept
        assert (synthetic("covariances-preserved", {"x": x}, {"x": moved}, {"y": y}) is None) == kept


@pytest.mark.parametrize("up", [True, False])
@pytest.mark.parametrize(("distance", "kept"), [(98, True), (99, True), (100, False)])
def test_ranks_may_be_as_far_apart_as_whole_records_in_the_percentage(distance, kept, up):
    # 33 percent of 302 records are 99.66
    x = np.arange(302.0)
    z = np.where(x == 150, 150.0 + (distance if up else -distance), x)
    found = told("ranks-near", {"x": x}, {"x": z}, terms={"p": 33})
    assert (found is None) == kept


@pytest.mark.parametrize("half", [0.0, 0.5, 1.0, 2.5])
def test_pairs_that_lie_near_are_counted_one_by_one(half):
    x, z = RNG.integers(0, 12, 40) / 2, RNG.integers(0, 12, 40) / 2
    near = sum(abs(one - other) <= half for one in x.tolist() for other in z.tolist())
    assert rounding_attack._pairs_within(x, z, half) == near


def parts(**columns):
    """Strata of one column each."""
    return [maskings.Part((name,), x[:, None], x[:, None], np.array([False])) for name, x in columns.items()]


@pytest.mark.parametrize(
    ("values", "step"),
    [
        ([[1.5, 20.0, 7.0]], 0.1),
        ([[1000.0, 20000.0, 7000.0]], 1000.0),
        ([[0.0, 0.0, 20.0]], 10.0),
        # the step is one of the column, not of a stratum
        ([[10.0, 20.0, 30.0], [1.0, 2.0, 4.0]], 1.0),
        ([[10.0, 20.0, 30.0], [7.0]], 1.0),
        # digits finer than a thousandth of the least spread
        ([[0.001, 2000.0, 4000.0], [1.0, 2.0, 3.0]], None),
        ([[0.1234567, 0.5, 0.9]], None),
        ([[1.0, 3.0]], 1.0),
        ([[1.25, 2000.25]], None),
        # what has no spread itself is written in the same digits, or in none that count
        ([[0.0001, 2000.0, 4000.0], [7.0]], None),
        ([[-999.0, 1.0, 1001.0], [7.0]], None),
        ([[10.0, 20000.0, 40000.0], [1.5, 2.5, 3.5]], 0.1),
        # neither digits that rounding makes nor more noughts than anyone rounds to
        ([[1e-15, 2e-15, 4e-15]], 1e-15),
        ([[1e-16, 2e-16, 4e-16]], None),
        ([[1e10, 2e10, 4e10]], 1e9),
    ],
    ids=spelled,
)
def test_the_step_of_a_column_is_that_of_its_digits_or_a_thousandth_of_its_spread(values, step):
    strata = [part for each in values for part in parts(x=np.array(each))]
    found = rounding_attack._steps(strata)
    for number, each in enumerate(values):
        fine = np.std(each, ddof=1) / 1000 if len(each) > 1 else 0.0
        assert found["x", number] == pytest.approx(max(step or 0.0, fine), rel=1e-12, abs=0.0)


@pytest.mark.parametrize(
    ("back", "chance", "cells", "undone"),
    [
        (10, 0.0, 10, True),
        (2, 0.0, 2, True),
        (1, 0.0, 2, False),
        (52, 0.0, 100, True),
        (50, 0.0, 100, False),
        # chance gives back all of a constant
        (10, 10.0, 10, False),
        (99, 50.0, 100, True),
        (75, 50.0, 100, False),
        (76, 50.0, 100, True),
        # few cells: more than chance, not clearly
        (4, 1.3, 6, False),
        (4, 0.5, 6, True),
        (5, 3.0, 6, False),
        (6, 3.0, 6, True),
        (3, 0.3, 5, True),
        (2, 0.0, 3, False),
        (501, 0.0, 1000, False),
        (502, 0.0, 1000, True),
    ],
    ids=spelled,
)
def test_a_column_is_undone_where_more_than_half_comes_back_beyond_chance(back, chance, cells, undone):
    assert rounding_attack._undone(back, chance, cells) == undone


@pytest.mark.parametrize(("rows", "kept"), [(201, True), (202, False)])
@pytest.mark.parametrize("alike", [1, 2, 3])
def test_a_fifth_of_the_records_may_come_back_those_of_three_alike_not_counted(rows, kept, alike):
    # so many records share their values on both columns
    x = np.repeat(np.arange(0.0, 3000.0, 3.0), alike)[:1000]
    columns = {"x": x, "y": 7.0 - x}
    away = {name: np.where(np.arange(1000) < rows, each, each + 5000.5) for name, each in columns.items()}
    found = told("rounding-withstood", columns, away)
    assert (found is None) == (kept or alike > 2)
    assert found in (None, "202 records are restored on all columns by rounding")
    # nor is a record of one column its column
    assert told("rounding-withstood", {"x": x}, {"x": away["x"]}) is None


@pytest.mark.parametrize(("apart", "kept"), [(0.4, True), (0.7, False)])
def test_three_records_are_alike_where_they_round_to_the_same(apart, kept):
    middles = 30.0 * np.arange(-33, 34)
    x = (middles[:, None] + np.array([-apart, 0.0, apart])).ravel()
    # two more, so that a thousandth of the spread is 1
    far = np.sqrt((1e6 * (x.size + 1) - (x**2).sum()) / 2)
    x = np.array([*x, far, -far])
    columns = {"x": x, "y": 2.0 * x}
    away = {name: np.where(np.arange(x.size) < 45, each, each + 9000.5) for name, each in columns.items()}
    assert (told("rounding-withstood", columns, away) is None) == kept


def test_what_lies_half_a_step_away_comes_back_and_two_true_values_are_a_column():
    x = np.array([3.0, 17.0, 29.0, 41.0, 58.0, 66.0])
    assert told("rounding-withstood", {"x": x}, {"x": x + 0.5}) is not None
    assert told("rounding-withstood", {"x": x}, {"x": x + 0.51}) is None
    assert told("rounding-withstood", {"x": [3.0, 17.0]}, {"x": [3.0, 17.0]}) is not None


def test_a_column_without_spread_in_a_stratum_of_fine_digits_comes_back_as_it_is():
    x = np.array([0.0001, 2000.0, 4000.0, 7.0, 7.0, 7.0])
    y = np.arange(6.0)
    moved = {"x": np.where(x == 7, x, x + 99), "y": y + 9}
    assert told("rounding-withstood", {"x": x, "y": y}, moved, list("aaabbb")) is None


@pytest.mark.parametrize(("bound", "value", "kept"), [("lowest", -3.0, True), ("highest", 7.0, True)])
def test_values_on_a_bound_that_is_known_are_not_taken_for_true_ones(bound, value, kept):
    y = RNG.normal(size=N)
    y[:50] = value
    z = np.where(np.arange(N) < 50, value, y + 1.0)
    terms = {"max_unchanged": 0.1}
    check = "values-changed"
    assert synthetic(check, {"y": y}, {"y": z}, {}, terms=terms) is not None
    assert (synthetic(check, {"y": y}, {"y": z}, {}, terms={**terms, bound: value}) is None) == kept


def test_zero_is_a_bound_only_where_no_value_may_be_negative():
    y = np.abs(RNG.normal(size=N)) + 2.0
    for value, passes in ((0.0, True), (1.0, False)):
        y[:50] = value
        z = np.where(np.arange(N) < 50, value, y + 1.0)
        terms = {"max_unchanged": 0.1, "nonnegative": True}
        found = synthetic("values-changed", {"y": y}, {"y": z}, {}, terms=terms)
        assert (found is None) == passes
        found = synthetic("values-changed", {"y": y}, {"y": z}, {}, terms={**terms, "nonnegative": False})
        assert found is not None


@pytest.mark.parametrize("check", ["covariances-preserved", "coefficients-preserved"])
def test_a_product_with_an_independent_column_counts_in_a_stratum_of_two_records(check):
    y, s, part = [1.0, 2.0, 5.0, 6.0, 8.0], [0.0, 1.0, 0.0, 2.0, 3.0], list("aabbb")
    assert synthetic(check, {"y": y}, {"y": y}, {"s": s, "part": part}) is None
    # means and variances stay
    turned = [2.0, 1.0, *y[2:]]
    assert synthetic(check, {"y": y}, {"y": turned}, {"s": s, "part": part}) is not None


@pytest.mark.parametrize(("size", "distance", "kept"), [(1e3, 0.5, False), (1e-3, 1e-5, True)])
def test_near_is_a_thousandth_of_the_spread_in_any_unit(size, distance, kept):
    y = size * np.linalg.qr(np.column_stack([np.ones(N), RNG.normal(size=N)]))[0][:, 1] * np.sqrt(N - 1)
    z = y + np.where(np.arange(N) < 50, distance, size)
    found = synthetic("values-changed", {"y": y}, {"y": z}, {}, terms={"max_unchanged": 0.1})
    assert (found is None) == kept


@pytest.mark.parametrize("y", [[-1.0, 0.0, 1.0], [-1.0, 1.0]], ids=spelled)
@pytest.mark.parametrize(("part", "kept"), [(0.8, True), (1.3, False)])
def test_variances_of_two_or_three_records_hold_to_their_tolerance(y, part, kept):
    z = np.array(y) * (1 + part * 1e-12 / 2)
    assert (synthetic("covariances-preserved", {"y": y}, {"y": z}, {}) is None) == kept


@pytest.mark.parametrize(("part", "kept"), [(0.8, True), (1.3, False)])
def test_products_of_three_records_hold_to_their_tolerance(part, kept):
    y, s = np.array([1.0, -2.0, 1.0]), np.array([-1.0, 0.0, 1.0])
    z = y + part * 1e-12 * y.std(ddof=1) * s
    assert (synthetic("coefficients-preserved", {"y": y}, {"y": z}, {"s": s}) is None) == kept
