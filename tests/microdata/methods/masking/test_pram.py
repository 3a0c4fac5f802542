"""Post-randomisation: drawn from the matrix, frequencies as expected, nothing that was not asked for."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita
from households_at_hand import persons, sdcmicro
from seeds import SEED
from tacita import api
from tacita.core import RunContext
from tacita.microdata.methods.masking.pram import PRAM
from tacita.microdata.methods.masking.transitions import draw, generated, invariant
from tacita.microdata.plans.plan import Plan
from twins.transitions import drawn as plainly_drawn

SEX = {"sex": {"f": {"f": 0.7, "m": 0.3}, "m": {"f": 0.4, "m": 0.6}}}


def released(table=None, seed=SEED, **options):
    given = {"method": "pram", "measures": ["CATEGORIES"], "seed": seed, **options}
    return tacita.protect(persons() if table is None else table, **given)


def promised(release):
    return {verdict.guarantee for verdict in release.record.verdicts if verdict.passed}


def warned(release):
    return {warning.name for warning in release.record.warnings}


def frequencies(draws):
    weights = np.array(draws, dtype=float)
    return weights / weights.sum()


Frequencies = st.lists(st.integers(1, 1000), min_size=2, max_size=9).map(frequencies)


@pytest.mark.parametrize("case", range(4))
def test_a_generated_matrix_is_that_of_sdcmicro(case):
    theirs = sdcmicro()["pram"][case]
    ours = generated(np.array(theirs["p"]), np.array(theirs["diag_P"]), theirs["alpha"])
    assert np.allclose(ours, theirs["Rs"], rtol=0, atol=1e-14)


@given(Frequencies, st.floats(0, 0.99), st.floats(0.01, 1), st.integers(0, 10**6))
def test_a_generated_matrix_has_probabilities_and_leaves_expected_frequencies(p, least, alpha, seed):
    diagonal = np.random.default_rng(seed).uniform(least, 1, p.size)
    r = generated(p, diagonal, alpha)
    assert (r >= 0).all()
    assert np.allclose(r.sum(axis=1), 1, rtol=0, atol=1e-14)
    assert np.allclose(p @ r, p, rtol=0, atol=1e-13)
    assert (np.diag(r) >= 1 - alpha - 1e-12).all()


@given(Frequencies, st.integers(0, 10**6))
def test_any_matrix_is_made_invariant_with_categories_that_nobody_has_too(p, seed):
    rng = np.random.default_rng(seed)
    matrix = rng.random((p.size, p.size)) * (rng.random((p.size, p.size)) < 0.7) + 1e-3 * np.eye(p.size)
    matrix /= matrix.sum(axis=1, keepdims=True)
    p = np.where(rng.random(p.size) < 0.3, 0.0, p)
    p[0] += 1 - p.sum()
    r = invariant(matrix, p)
    assert np.allclose(p @ r, p, rtol=0, atol=1e-13)
    assert np.allclose(r.sum(axis=1), 1, rtol=0, atol=1e-14)


@given(st.integers(1, 6), st.integers(1, 80), st.integers(0, 10**6))
def test_draws_are_those_of_the_plain_twin_and_never_of_probability_nought(m, n, seed):
    rng = np.random.default_rng(seed)
    matrix = rng.random((m, m)) * (rng.random((m, m)) < 0.5) + 1e-6 * np.eye(m)[rng.permutation(m)]
    matrix /= matrix.sum(axis=1, keepdims=True)
    codes = rng.integers(0, m, n)
    found = draw(codes, matrix, np.random.default_rng(seed))
    assert (matrix[codes, found] > 0).all()
    assert found.tolist() == plainly_drawn(
        codes.tolist(), matrix.tolist(), np.random.default_rng(seed).random(n)
    )


def test_transitions_are_as_frequent_as_the_matrix_says():
    matrix = np.array([[0.6, 0.3, 0.1], [0.0, 0.9, 0.1], [0.25, 0.25, 0.5]])
    codes = np.arange(300_000) % 3
    found = draw(codes, matrix, np.random.default_rng(11))
    counts = np.bincount(3 * codes + found, minlength=9).reshape(3, 3)
    spread = np.sqrt(1e5 * matrix * (1 - matrix))
    assert (np.abs(counts - 1e5 * matrix) <= 4.5 * spread).all()


def test_frequencies_of_many_releases_are_those_of_the_originals_on_average():
    codes = np.repeat([0.0, 1.0, 2.0], [120, 60, 20]).reshape(-1, 1)
    method = PRAM(pd=0.3, alpha=1)
    runs = [
        np.bincount(method.mask(codes, RunContext(seed=seed))[:, 0].astype(int), minlength=3)
        for seed in range(800)
    ]
    mean, error = np.mean(runs, axis=0), np.std(runs, axis=0) / np.sqrt(800)
    assert (np.abs(mean - [120, 60, 20]) <= 4.5 * error).all()
    assert (error > 0.05).all()


def test_the_corrected_counts_are_unbiased_and_their_standard_error_is_true():
    truth = np.array([500, 300, 200])
    names = ["a", "b", "c"]
    r = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.3, 0.1, 0.6]])
    matrix = {old: dict(zip(names, row.tolist(), strict=True)) for old, row in zip(names, r, strict=True)}
    codes = np.repeat(np.arange(3), truth)
    estimates, errors = [], []
    for seed in range(1500):
        counts = np.bincount(draw(codes, r, np.random.default_rng(seed)), minlength=3)
        found = tacita.estimate_pram_frequencies(dict(zip(names, counts.tolist(), strict=True)), matrix)
        estimates.append([found[name].frequency for name in names])
        errors.append([found[name].standard_error for name in names])
    spread = np.std(estimates, axis=0)
    assert (np.abs(np.mean(estimates, axis=0) - truth) <= 4.5 * spread / np.sqrt(1500)).all()
    assert np.allclose(np.mean(errors, axis=0), spread, rtol=0.08)


@pytest.mark.parametrize(
    ("counts", "matrix", "words"),
    [
        ({"a": 1}, {}, "no row for 1 categories"),
        ({"a": 1, "c": 2}, {"a": {"a": 1.0}}, "no row for 1 categories"),
        ({"a": 1}, {"a": {"a": 0.5, "b": 0.5}}, "no row for 1 categories"),
        ({"a": 1}, {"a": {"a": 0.9}}, "sum to 1"),
        ({"a": 1}, {"a": {"a": float("nan")}}, "sum to 1"),
        ({"a": -1}, {"a": {"a": 1.0}}, "at least 0"),
        ({"a": 1}, {"a": {"a": 0.5, "b": 0.5}, "b": {"a": 0.5, "b": 0.5}}, "no inverse"),
    ],
)
def test_counts_that_cannot_be_corrected_are_refused(counts, matrix, words):
    with pytest.raises(tacita.ParameterError, match=words):
        tacita.estimate_pram_frequencies(counts, matrix)


def test_a_release_promises_its_matrix_and_an_invariant_one_its_frequencies():
    assert {"masked-cells", "drawn-from-matrix", "expected-frequencies"} <= promised(released(quasi=["sex"]))
    plain = released(quasi=["sex"], matrix=SEX)
    assert "drawn-from-matrix" in promised(plain)
    assert "expected-frequencies" not in promised(plain)
    assert "expected-frequencies" in promised(released(quasi=["sex"], matrix=SEX, invariant=True))


def test_missing_values_stay_missing_and_need_no_stratum():
    release = released(quasi=["sex", "education"])
    before, after = persons()["education"].to_pylist(), release.data["education"].to_pylist()
    assert [each is None for each in before] == [each is None for each in after]
    assert before != after
    assert release.record.strata == 1


def test_missing_values_are_drawn_where_they_are_a_category():
    release = released(quasi=["education"], missing_category=True, pd=0.2, alpha=1)
    pairs = list(zip(persons()["education"].to_pylist(), release.data["education"].to_pylist(), strict=True))
    assert any(old is None and new is not None for old, new in pairs)
    assert any(old is not None and new is None for old, new in pairs)


def test_a_matrix_names_missing_values_by_the_empty_text():
    stays = {name: {name: 1.0} for name in ("none", "low", "high")}
    matrix = {"education": {**stays, "": {"": 0.5, "low": 0.5}}}
    release = released(quasi=["education"], matrix=matrix, missing_category=True)
    pairs = set(zip(persons()["education"].to_pylist(), release.data["education"].to_pylist(), strict=True))
    assert pairs == {(name, name) for name in ("none", "low", "high")} | {(None, None), (None, "low")}


def test_combinations_drawn_together_are_some_that_were_there():
    table = persons().filter(pa.array(np.arange(persons().num_rows) % 3 > 0))
    columns = ["sex", "age", "education"]
    release = released(table, quasi=columns, jointly=True, pd=0.1, alpha=1)
    old, new = (
        set(zip(*(each[name].to_pylist() for name in columns), strict=True)) for each in (table, release.data)
    )
    assert new <= old
    alone = released(table.take(list(range(40))), quasi=columns, pd=0.1, alpha=1)
    few = table.take(list(range(40)))
    old, new = (
        set(zip(*(each[name].to_pylist() for name in columns), strict=True)) for each in (few, alone.data)
    )
    assert not new <= old


def test_every_stratum_has_a_matrix_of_its_own_and_keeps_to_its_categories():
    table = pa.table({"s": ["x"] * 60 + ["y"] * 60, "c": ["a", "b"] * 30 + ["c", "d", "e"] * 20})
    release = released(table, quasi=["c"], strata=["s"], pd=0.1, alpha=1)
    found = release.data["c"].to_pylist()
    assert set(found[:60]) == {"a", "b"}
    assert set(found[60:]) == {"c", "d", "e"}
    assert [len(blocks[0].categories) for blocks in release.claim.terms["transitions"]] == [2, 3]


def test_columns_of_a_household_are_drawn_once_a_household():
    release = released(quasi=["nuts3", "sex"], unit="household", unit_columns=["nuts3"], pd=0.2, alpha=1)
    frame = release.data.to_pandas()
    assert (frame.groupby("household")["nuts3"].nunique() == 1).all()
    assert (frame["nuts3"] != persons().to_pandas()["nuts3"]).any()
    assert "units-agree" in promised(release)


def test_columns_change_independently_of_each_other():
    codes = np.random.default_rng(0).integers(0, 4, (20_000, 2)).astype(float)
    changed = PRAM(pd=0.5, alpha=1).mask(codes, RunContext(seed=3)) != codes
    both, apart = changed.all(axis=1).mean(), changed.mean(axis=0).prod()
    assert abs(both - apart) < 4.5 * np.sqrt(apart / 20_000)


# of no use to tell the other column by
CODES = np.repeat([1, 2, 3, 4], 30).tolist()


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"c": pd.Categorical(["a", "b", "c", "b"] * 30), "code": CODES}),
        pl.DataFrame(
            {"c": ["a", "b", "c", "b"] * 30, "code": CODES},
            schema_overrides={"c": pl.Enum(["a", "b", "c", "d"])},
        ),
        pa.table({"c": pa.array(["a", "b", "c", "b"] * 30).dictionary_encode(), "code": CODES}),
    ],
    ids=["pandas", "polars", "pyarrow"],
)
def test_types_of_columns_stay_and_numbers_are_taken_for_codes(frame):
    release = released(frame, quasi=["c", "code"])
    assert isinstance(release.data, type(frame))
    assert set(release.data["code"].to_numpy().tolist()) <= {1, 2, 3, 4}
    assert "drawn-from-matrix" in promised(release)
    kinds = [
        str(each["code"].dtype if hasattr(each["code"], "dtype") else each["code"].type)
        for each in (frame, release.data)
    ]
    assert kinds[0] == kinds[1]


def test_ordered_levels_that_nobody_has_are_never_drawn():
    table = pa.table({"size": ["small", "large", "middle"] * 40})
    order = {"size": ["tiny", "small", "middle", "large"]}
    release = released(table, quasi=["size"], ordinal=order, pd=0.1, alpha=1)
    assert set(release.data["size"].to_pylist()) == {"small", "middle", "large"}


def test_the_plan_the_steps_and_the_file_take_columns_for_categories_alike(tmp_path):
    api.write_frame(persons(), tmp_path / "in.csv")
    around = {"input": {"path": tmp_path / "in.csv"}, "measure": {"names": ["CATEGORIES"]}}
    one = Plan(
        **around,
        roles={"quasi": ["sex", "age"]},
        protect={"method": "PRAM", "seed": SEED},
        output={"path": tmp_path / "a.csv"},
    )
    step = {"method": "pram", "quasi": ["sex", "age"]}
    other = Plan(
        **around, roles={}, steps=[step], protect={"seed": SEED}, output={"path": tmp_path / "b.csv"}
    )
    assert one.roles.nominal == ("sex", "age")
    for plan in (one, other):
        again = Plan.from_toml(plan.to_toml(tmp_path), tmp_path)
        assert again == plan
        first = api.run_plan(again)
        assert "drawn-from-matrix" in {verdict.guarantee for verdict in first.record.verdicts}
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


def test_a_column_declared_ordinal_stays_so():
    release = released(quasi=["age"], ordinal=["age"], measures=["GOWER_loss"])
    assert release.record.roles["ordinal"] == {"age": []}
    assert not release.record.roles["nominal"]


def test_rare_categories_and_weak_matrices_are_warned_of_with_a_count():
    table = pa.table({"c": ["a"] * 60 + ["b"] * 59 + ["rare"]})
    rare = next(c for c in released(table, quasi=["c"]).record.warnings if c.name == "rare-categories")
    assert rare.count == 1
    matrix = {"c": {"a": {"a": 0.96, "b": 0.04}, "b": {"a": 0.5, "b": 0.5}, "rare": {"rare": 0.5, "a": 0.5}}}
    weak = released(table, quasi=["c"], matrix=matrix)
    assert next(c for c in weak.record.warnings if c.name == "likely-unchanged").count == 60
    strong = released(persons(), quasi=["sex"], matrix=SEX)
    assert not {"rare-categories", "likely-unchanged"} & warned(strong)


def test_what_is_not_promised_says_that_most_values_are_true():
    release = released(quasi=["sex"])
    assert any("most are" in line for line in release.record.not_promised)
    assert "rounding-withstood" not in promised(release)


def test_a_later_step_withdraws_the_matrix_and_recoding_after_it_too():
    steps = [
        {"method": "pram", "quasi": ["education"]},
        {"method": "recode", "quasi": ["education"], "map": {"none": "low"}},
    ]
    release = tacita.protect(persons(), steps=steps, seed=SEED, measures=["CATEGORIES"])
    assert "drawn-from-matrix" in {each.guarantee for each in release.record.withdrawn}
    assert release.record.steps[0].promises == ()


def test_the_note_shows_a_matrix_only_where_it_was_asked_for(tmp_path):
    hidden, shown = (released(quasi=["sex"], matrix=SEX, publish_matrix=asked) for asked in (False, True))
    for name, release in (("hidden", hidden), ("shown", shown)):
        tacita.save(release, tmp_path / f"{name}.csv", note=tmp_path / f"{name}.html")
    assert "0.7" not in (tmp_path / "hidden.html").read_text().partition("<main>")[2]
    page = (tmp_path / "shown.html").read_text()
    assert "<td><bdi>f</bdi></td><td><bdi>m</bdi></td><td>0.3</td>" in page
    assert "replaced by others at random" in page


def test_the_note_does_not_say_that_missing_values_stay_where_they_are_drawn(tmp_path):
    for drawn in (False, True):
        release = released(quasi=["education"], missing_category=drawn)
        tacita.save(release, tmp_path / f"{drawn}.csv", note=tmp_path / f"{drawn}.html")
        assert ("treated missing values as a category" in (tmp_path / f"{drawn}.html").read_text()) == drawn


def test_records_of_one_unit_drawn_one_by_one_are_warned_of():
    assert "unit-unused" in warned(released(quasi=["sex"], unit="household"))
    by_unit = released(quasi=["nuts3"], unit="household", unit_columns=["nuts3"])
    assert "unit-unused" not in warned(by_unit)


def test_the_matrix_can_be_given_in_words():
    words = ["sex:f:f=0.7", "sex:f:m=0.3", "sex:m:f=0.4", "sex:m:m=0.6"]
    assert PRAM(matrix=words).matrix == SEX
