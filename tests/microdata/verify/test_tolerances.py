"""Every tolerance of the verifier stands where it should: a little more is caught, a little less passes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from scipy.special import chdtri, gammaincinv

import tacita
from planting import failed, judge
from seeds import SEED

N = 200
RNG = np.random.default_rng(3)
# two columns of mean 0 and spread 1 that are not related, so that a change of one figure changes no other
U = np.linalg.qr(np.column_stack([np.ones(N), RNG.normal(size=(N, 3))]))[0][:, 1:] * np.sqrt(N - 1)
REGIONS = ["north"] * (N // 2) + ["south"] * (N // 2)


def masked(method, **options):
    """The claim of a masking of those two columns."""
    table = pa.table({"x": U[:, 0], "y": U[:, 1]})
    given = {"quasi": ["x", "y"], "seed": SEED, "measures": ["IL1"], **options}
    return tacita.protect(table, method=method, **given).claim


def synthetic(method="ipso-c", **options):
    """The claim of a synthesis of them beside a third column."""
    table = pa.table({"x": U[:, 0], "y": U[:, 1], "s": U[:, 2]})
    given = {"dependent": ["x", "y"], "independent": ["s"], "seed": SEED, "measures": ["IL1"], **options}
    return tacita.synthesize(table, method=method, **given).claim


def published(x, y, claim):
    """What fails where other values are published in the two columns."""
    table = pa.table({"x": x, "y": y, **({"s": U[:, 2]} if "s" in claim.original.columns else {})})
    return failed(judge("pyarrow", table, claim))


MOMENTS = {
    "a mean": lambda size: (U[:, 0], U[:, 1] + size),
    "a mean, the other way": lambda size: (U[:, 0] - size, U[:, 1]),
    "a variance": lambda size: (U[:, 0], U[:, 1] * (1 + size / 2)),
    "a variance, the other way": lambda size: (U[:, 0] * (1 - size / 2), U[:, 1]),
    "a covariance": lambda size: (U[:, 0], U[:, 1] + size * U[:, 0]),
    "a covariance, the other way": lambda size: (U[:, 0], U[:, 1] - size * U[:, 0]),
}
# in standard deviations; the promise is 1e-12 of them
TOO_MUCH, LITTLE = 4e-12, 3e-13


@pytest.mark.parametrize("what", MOMENTS)
def test_moments_of_a_masking_hold_to_their_tolerance(what):
    claim = masked("romm")
    assert "moments-preserved" in published(*MOMENTS[what](TOO_MUCH), claim)
    assert "moments-preserved" not in published(*MOMENTS[what](LITTLE), claim)


@pytest.mark.parametrize("what", MOMENTS)
def test_moments_of_a_synthesis_hold_to_their_tolerance(what):
    claim = synthetic()
    broken = "means-preserved" if "mean" in what else "covariances-preserved"
    assert {"means-preserved", "covariances-preserved"} & published(*MOMENTS[what](TOO_MUCH), claim) == {
        broken
    }
    little = published(*MOMENTS[what](LITTLE), claim)
    assert not {"means-preserved", "covariances-preserved", "coefficients-preserved"} & little


@pytest.mark.parametrize("sign", [1, -1])
def test_a_covariance_with_an_independent_column_holds_to_its_tolerance(sign):
    claim = synthetic()
    both = {"covariances-preserved", "coefficients-preserved"}
    assert both <= published(U[:, 0], U[:, 1] + sign * TOO_MUCH * U[:, 2], claim)
    assert not both & published(U[:, 0], U[:, 1] + sign * LITTLE * U[:, 2], claim)


@pytest.mark.parametrize(
    ("low", "high", "fine", "beyond"),
    [
        (-1.0, None, [-1.0, 5.0], [-1.001]),
        (None, 2.0, [2.0, -5.0], [2.001]),
        (-1.0, 2.0, [-1.0, 2.0], [-1.001, 2.001]),
    ],
    ids=["lowest", "highest", "both"],
)
def test_a_value_on_a_bound_passes_and_one_beyond_it_does_not(low, high, fine, beyond):
    claim = masked("noise")
    terms = {**claim.terms, "lowest": low, "highest": high}
    claim = replace(claim, terms=terms, guarantees=(*claim.guarantees, "bounds-kept"))
    inside = np.clip(U[:, 0], -1.0, 2.0)
    for value in fine:
        assert "bounds-kept" not in published(np.r_[value, inside[1:]], inside, claim)
    for value in beyond:
        assert "bounds-kept" in published(np.r_[value, inside[1:]], inside, claim)


@pytest.mark.parametrize(("value", "kept"), [(1, True), (0, False), (10, True), (11, False)])
def test_bounds_of_rounded_values_are_rounded_themselves(value, kept):
    whole = np.rint(5 + U[:, 0]).astype(np.int64)
    table = pa.table({"x": np.clip(whole, 3, 7)})
    claim = tacita.protect(
        table,
        quasi=["x"],
        method="noise",
        seed=SEED,
        round_integers=True,
        measures=["IL1"],
        accept_risks=True,
    ).claim
    terms = {**claim.terms, "lowest": 0.6, "highest": 9.6}
    claim = replace(claim, terms=terms, guarantees=(*claim.guarantees, "bounds-kept"))
    cells = np.r_[value, np.clip(whole, 3, 7)[1:]]
    assert ("bounds-kept" not in failed(judge("pyarrow", pa.table({"x": cells}), claim))) == kept


@pytest.mark.parametrize("method", ["noise", "correlated-noise"])
@pytest.mark.parametrize(("change", "kept"), [(0.0, True), (1e-13, False), (-1e-13, False)])
def test_a_column_without_spread_gets_no_noise(method, change, kept):
    table = pa.table({"x": U[:, 0], "y": [0.7] * N})
    made = tacita.protect(table, quasi=["x", "y"], method=method, seed=SEED, measures=["IL1"])
    planted = pa.table({"x": made.data["x"], "y": [0.7] * (N - 1) + [0.7 * (1 + change)]})
    breaks = "noise-independent" if method == "noise" else "noise-correlated"
    assert (breaks not in failed(judge("pyarrow", planted, made.claim))) == kept


@pytest.mark.parametrize("method", ["noise", "correlated-noise"])
@pytest.mark.parametrize("name", ["x", "y"])
@pytest.mark.parametrize("region", ["north", "south"])
def test_noise_that_is_missing_in_one_column_of_one_stratum_is_caught(method, name, region):
    table = pa.table({"x": U[:, 0], "y": U[:, 1], "region": REGIONS})
    made = tacita.protect(
        table, quasi=["x", "y"], strata=["region"], method=method, alpha=0.1, seed=SEED, measures=["IL1"]
    )
    there = np.array(REGIONS) == region
    true = np.array(table[name].to_pylist())
    # a quarter as much noise in one stratum leaves the size of all of it nearly as declared
    cells = np.where(there, true + 0.25 * (np.array(made.data[name]) - true), made.data[name])
    planted = made.data.set_column(made.data.column_names.index(name), name, pa.array(cells))
    breaks = "noise-independent" if method == "noise" else "noise-correlated"
    assert failed(judge("pyarrow", made.data, made.claim)) == set()
    assert breaks in failed(judge("pyarrow", planted, made.claim))


def near(count, distance):
    """Far from the originals but for so many values, which are off by this part of the spread."""
    off = np.where(np.arange(N) < count, distance, 0.5)
    return U[:, 0] + off


@pytest.mark.parametrize(
    ("count", "distance", "limit", "kept"),
    [
        (20, 0.9e-3, 0.1, True),
        (21, 0.9e-3, 0.1, False),
        (21, -0.9e-3, 0.1, False),
        (21, 1.1e-3, 0.1, True),
        (2, 0.0, 0.0, True),
        (3, 0.0, 0.0, False),
        (200, 0.9e-3, 1.0, True),
    ],
)
def test_so_many_values_may_be_near_and_no_more(count, distance, limit, kept):
    claim = synthetic("ipso-a")
    claim = replace(claim, terms={**claim.terms, "max_unchanged": limit})
    found = published(near(count, distance), U[:, 1] + 0.5, claim)
    assert ("values-changed" not in found) == kept
    swapped = published(U[:, 0] + 0.5, U[:, 1] + (near(count, distance) - U[:, 0]), claim)
    assert ("values-changed" not in swapped) == kept


@pytest.mark.parametrize(("size", "kept"), [(3e-10, True), (4e-9, False), (-4e-9, False)])
def test_a_sum_holds_to_its_tolerance_in_every_record(size, kept):
    total = U[:, 0] + U[:, 1]
    table = pa.table({"x": U[:, 0], "total": total, "y": U[:, 1], "s": U[:, 2]})
    options = {"dependent": ["x", "total"], "independent": ["y", "s"], "seed": SEED, "measures": ["IL1"]}
    made = tacita.synthesize(table, method="ipso-a", max_unchanged=1, max_leverage=1, **options)
    # in units of the columns' spreads, the relation x + y - total has a length of about sqrt(3)
    cells = np.array(made.data["total"].to_pylist())
    cells[7] += size * 2
    planted = made.data.set_column(1, "total", pa.array(cells))
    assert ("linear-relations" not in failed(judge("pyarrow", planted, made.claim))) == kept


@pytest.mark.parametrize("method", ["noise", "correlated-noise"])
@pytest.mark.parametrize(("chance", "kept"), [(3e-12, True), (3e-13, False)])
@pytest.mark.parametrize("strong", [True, False])
def test_noise_is_refused_where_chance_is_less_than_one_in_a_million_million(method, chance, kept, strong):
    claim = tacita.protect(
        pa.table({"x": U[:, 0]}), quasi=["x"], method=method, alpha=0.1, seed=SEED, measures=["IL1"]
    ).claim
    wanted = chdtri(N, chance) if strong else gammaincinv(N / 2, chance) * 2
    cells = U[:, 0] + np.sqrt(0.1) * U[:, 2] * np.sqrt(wanted / (N - 1))
    breaks = "noise-independent" if method == "noise" else "noise-correlated"
    assert (breaks not in failed(judge("pyarrow", pa.table({"x": cells}), claim))) == kept


@pytest.mark.parametrize(("width", "kept"), [(6e-6, False), (6e-7, True)])
def test_noise_along_a_short_axis_counts_unless_rounding_could_make_it(width, kept):
    x, y = U[:, 0], U[:, 0] + width * U[:, 1]
    claim = tacita.protect(
        pa.table({"x": x, "y": y}),
        quasi=["x", "y"],
        method="correlated-noise",
        alpha=0.1,
        seed=SEED,
        measures=["IL1"],
    ).claim
    # the same noise in both columns, and so none along their difference
    noise = np.sqrt(0.1) * U[:, 2] * np.sqrt(N / (N - 1))
    planted = pa.table({"x": x + noise, "y": y + noise * y.std(ddof=1)})
    assert ("noise-correlated" not in failed(judge("pyarrow", planted, claim))) == kept


def whole(method, alpha):
    """A release of whole numbers with rounded noise."""
    table = pa.table(
        {"x": np.rint(100 * U[:, 0]).astype(np.int64), "y": np.rint(80 * U[:, 1]).astype(np.int64)}
    )
    options = {
        "quasi": ["x", "y"],
        "seed": SEED,
        "round_integers": True,
        "measures": ["IL1"],
        "accept_risks": True,
    }
    return tacita.protect(table, method=method, alpha=alpha, **options)


@pytest.mark.each_once
@pytest.mark.parametrize("method", ["noise", "correlated-noise"])
@pytest.mark.parametrize("factor", [0.0, 0.5, 2.0])
@pytest.mark.parametrize("name", ["x", "y"])
def test_too_little_or_too_much_rounded_noise_is_caught(method, factor, name):
    made = whole(method, 0.1)
    true, cells = made.claim.original.numbers(name), np.array(made.data[name].to_pylist())
    other = np.rint(true + factor * (cells - true)).astype(np.int64)
    planted = made.data.set_column(made.data.column_names.index(name), name, pa.array(other))
    breaks = "noise-independent" if method == "noise" else "noise-correlated"
    assert failed(judge("pyarrow", made.data, made.claim)) == set()
    # without noise the true values stand there
    restored = set() if factor else {"rounding-withstood"}
    assert failed(judge("pyarrow", planted, made.claim)) == {breaks} | restored


@pytest.mark.parametrize("method", ["noise", "correlated-noise"])
def test_rounded_noise_too_weak_to_be_told_from_rounding_passes(method):
    made = whole(method, 1e-5)
    assert failed(judge("pyarrow", made.data, made.claim)) == set()
