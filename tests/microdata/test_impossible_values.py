"""Values that no original could be are counted, and bounds keep them out at a price that is told."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import tacita
from planting import failed, judge
from seeds import SEED
from tacita import DataError, ParameterError, datasets, registry
from tacita.microdata.methods.synthesis.synthesis_method import Synthesis

N = 400
SYNTHESES = [name for name in registry.names("synthesis") if issubclass(registry.lookup(name), Synthesis)]


def table():
    """Skewed parts and their total, counts, and a column of both signs; s explains some of it."""
    rng = np.random.default_rng(5)
    s = rng.normal(size=N)
    one = np.where(rng.random(N) < 0.3, 0.0, rng.lognormal(1 + 0.4 * s, 1.0))
    other = rng.lognormal(1.0, 0.8, N)
    return pa.table(
        {
            "s": s,
            "one": one,
            "other": other,
            "total": one + other,
            "staff": rng.poisson(9, N),
            "balance": rng.normal(size=N) + s,
        }
    )


def drawn(method="ipso-c", dependent=("one", "other", "total", "staff"), **options):
    fixed = {"independent": ["s"], "measures": ["IL1"], "seed": SEED, "max_unchanged": 0.5}
    names = list(dependent)
    frame = table().select([*names, "s"])
    return tacita.synthesize(frame, dependent=names, method=method, **{**fixed, **options})


def masked(method, quasi, **options):
    return tacita.protect(table(), quasi=list(quasi), method=method, measures=["IL1"], seed=SEED, **options)


def warned(release, name):
    return [warning for warning in release.record.warnings if warning.name == name]


@pytest.mark.parametrize(
    "made", [drawn, lambda: masked("romm", ["one", "other", "staff"])], ids=["ipso-c", "romm"]
)
def test_negative_values_where_no_original_is_are_counted_by_column(made):
    release = made()
    told = {warning.text.split()[1]: warning.count for warning in warned(release, "negative-values")}
    below = {
        name: int((np.array(release.data[name]) < 0).sum()) for name in ("one", "other", "total", "staff")
    }
    assert told == {name: count for name, count in below.items() if count}
    assert told["one"] > 20


def test_a_column_with_negative_originals_is_not_warned_of():
    assert not warned(drawn(dependent=["balance"]), "negative-values")


def test_census_synthesis_makes_hundreds_of_values_negative_and_says_so(benchmark):
    benchmark("census")
    census = datasets.load("census")
    dependent = [census.column_names[i] for i in (0, 2, 3, 5, 6, 8, 10, 11, 12)]
    independent = [census.column_names[i] for i in (1, 4, 7, 9)]
    roles = {"dependent": dependent, "independent": independent, "measures": ["IL1"], "seed": SEED}
    # most wages follow from earnings that stay
    roles["accept_risks"] = True
    plain = tacita.synthesize(census, **roles)
    below = sum((np.array(plain.data[name]) < 0).sum() for name in dependent)
    assert sum(warning.count for warning in warned(plain, "negative-values")) == below > 300
    assert not warned(tacita.synthesize(census, nonnegative=True, **roles), "negative-values")


def test_decimals_in_whole_numbers_are_counted():
    (warning,) = warned(drawn(), "fractional-values")
    assert "staff" in warning.text
    assert warning.count == N
    assert warned(masked("noise", ["staff"]), "fractional-values")
    assert not warned(masked("noise", ["staff"], round_integers=True), "fractional-values")
    assert not warned(masked("rank-swap", ["staff"]), "fractional-values")


@pytest.mark.parametrize(("method", "kept"), [("noise", False), ("correlated-noise", True), ("romm", True)])
def test_broken_sums_are_counted(method, kept):
    release = masked(method, ["one", "other", "total"])
    found = warned(release, "broken-relations")
    gap = np.array(release.data["one"]) + np.array(release.data["other"]) - np.array(release.data["total"])
    assert bool(found) is not kept
    assert bool((np.abs(gap) > 1e-5).all()) is not kept
    if found:
        assert found[0].count == N
        assert "(one, other, total)" in found[0].text


def test_a_sum_with_a_column_that_is_released_as_it_is_breaks_too():
    (warning,) = warned(masked("correlated-noise", ["one", "total"]), "broken-relations")
    assert "(one, total, other)" in warning.text


@pytest.mark.each_once
@pytest.mark.parametrize("method", SYNTHESES)
@pytest.mark.parametrize("bounds", [{"lowest": 0}, {"nonnegative": True}, {"lowest": 0, "highest": 5000}])
def test_bounds_hold_in_every_synthesis_and_sums_stay(method, bounds):
    release = drawn(method, **bounds)
    released = {name: np.array(release.data[name]) for name in ("one", "other", "total", "staff")}
    assert min(column.min() for column in released.values()) >= 0
    assert np.allclose(released["one"] + released["other"], released["total"], rtol=0, atol=1e-7)
    kept = {verdict.guarantee for verdict in release.record.verdicts}
    assert {"bounds-kept", "linear-relations", "values-changed"} <= kept
    assert not kept & {"means-preserved", "covariances-preserved", "coefficients-preserved"}
    assert not warned(release, "exact-moments")


def test_without_bounds_exact_moments_are_promised_as_before():
    kept = {verdict.guarantee for verdict in drawn().record.verdicts}
    assert {"means-preserved", "covariances-preserved"} <= kept
    assert "bounds-kept" not in kept


def test_nonnegative_leaves_columns_of_both_signs_alone():
    release = drawn(dependent=["one", "balance"], nonnegative=True)
    assert np.array(release.data["one"]).min() >= 0
    assert np.array(release.data["balance"]).min() < 0
    with pytest.raises(DataError, match="original values lie outside the bounds"):
        drawn(dependent=["one", "balance"], lowest=0)


def test_bounds_without_room_are_refused():
    with pytest.raises(ParameterError, match="lowest must be less than highest"):
        drawn(lowest=1, highest=1)


def test_a_record_within_bounds_stays_where_it_was_drawn():
    free, bounded = drawn(), drawn(nonnegative=True)
    names = ["one", "other", "total", "staff"]
    before, after = (np.column_stack([np.array(each.data[n]) for n in names]) for each in (free, bounded))
    inside = (before > 0.01).all(axis=1)
    assert inside.sum() > N / 4
    assert np.allclose(before[inside], after[inside], rtol=0, atol=1e-9)


@pytest.mark.parametrize("form", ["pyarrow", "csv"])
def test_the_verifier_finds_a_planted_value_beyond_the_bounds(form):
    for bounds in ({"lowest": 0}, {"nonnegative": True}):
        release = drawn(**bounds)
        assert not failed(judge(form, release.data, release.claim))
        cells = release.data["staff"].to_numpy().copy()
        cells[3] = -1e-9
        planted = release.data.set_column(3, "staff", pa.array(cells))
        assert failed(judge(form, planted, release.claim)) == {"bounds-kept"}


def test_the_verifier_counts_true_values_that_lie_on_no_bound():
    release = drawn(dependent=["one", "staff"], nonnegative=True)
    cells = release.data["one"].to_numpy().copy()
    true = np.array(table()["one"])
    positive = np.flatnonzero(true > 0)[: int(0.6 * N)]
    cells[positive] = true[positive]
    planted = release.data.set_column(0, "one", pa.array(cells))
    claim = replace(release.claim, accepted_risks=("rounding-restores",))
    assert failed(judge("pyarrow", planted, claim)) == {"values-changed"}
