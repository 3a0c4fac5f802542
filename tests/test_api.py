import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tacita
from seeds import SEED
from tacita import datasets


def survey(kind="pandas", n=60):
    rng = np.random.default_rng(0)
    columns = {
        "name": [f"firm {i}" for i in range(n)],
        "turnover": rng.lognormal(8, 1, n).round(2),
        "region": ["north", "south", "east"] * (n // 3),
        "staff": rng.integers(1, 500, n),
        "code": [f"{i:04d}" for i in range(n)],
        "group": [f"g{i // 2}" for i in range(n)],
    }
    make = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}[kind]
    return make(columns)


ROLES = {"quasi": ["turnover", "staff"], "identifiers": ["name"]}


@pytest.mark.parametrize(
    ("kind", "frame_type"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame), ("pyarrow", pa.Table)]
)
def test_the_same_kind_of_frame_comes_back_with_columns_in_order(kind, frame_type):
    frame = survey(kind)
    out = tacita.protect(frame, **ROLES, k=3).data
    assert isinstance(out, frame_type)
    columns = out.column_names if kind == "pyarrow" else list(out.columns)
    assert columns == ["turnover", "region", "staff", "code", "group"]


def test_all_kinds_of_frames_get_the_same_values():
    outs = [tacita.protect(survey(kind), **ROLES, k=3).data for kind in ("pandas", "polars", "pyarrow")]
    values = [np.asarray(out["turnover"]) for out in outs]
    assert np.array_equal(values[0], values[1])
    assert np.array_equal(values[0], values[2])


def test_pandas_index_and_untouched_types_are_kept():
    frame = survey().set_index(pd.Index(range(1000, 1060), name="key"))
    frame["kind"] = pd.Categorical(["a", "b"] * 30, categories=["b", "a"], ordered=True)
    frame["when"] = pd.Timestamp("2020-01-01")
    out = tacita.protect(frame, **ROLES, k=3).data
    assert out.index.equals(frame.index)
    for column in ("region", "code", "kind", "when", "group"):
        pd.testing.assert_series_equal(out[column], frame[column])
    assert out["staff"].dtype == np.float64


def test_the_input_frame_is_never_changed():
    frame = survey()
    before = frame.copy(deep=True)
    tacita.protect(frame, **ROLES, k=3, shuffle=True, round_integers=True)
    pd.testing.assert_frame_equal(frame, before)


def test_rounded_integer_columns_stay_whole_numbers():
    out = tacita.protect(survey(), **ROLES, k=3, round_integers=True).data
    assert out["staff"].dtype == np.int64
    assert out["turnover"].dtype == np.float64


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_groups_never_cross_strata(kind):
    release = tacita.protect(survey(kind), **ROLES, strata=["region"], k=3)
    out = pd.DataFrame({c: np.asarray(release.data[c]) for c in ("turnover", "staff", "region")})
    counts = out.groupby(["turnover", "staff"]).region.nunique()
    assert (counts == 1).all()
    assert out.groupby(["turnover", "staff", "region"]).size().min() >= 3


def test_with_a_unit_every_group_has_k_units():
    frame = survey()
    out = tacita.protect(frame, **ROLES, unit="group", k=3).data
    assert out.groupby(["turnover", "staff"])["group"].nunique().min() >= 3


def test_a_unit_may_be_an_identifier_and_is_then_left_out():
    out = tacita.protect(survey(), quasi=["staff"], identifiers=["name", "group"], unit="group", k=3).data
    assert "group" not in out.columns


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_missing_values_are_refused_dropped_or_kept_apart(kind):
    frame = survey("pandas")
    frame.loc[[1, 5, 9, 13], "turnover"] = np.nan
    given = frame if kind == "pandas" else pl.from_pandas(frame)
    with pytest.raises(tacita.DataError, match=r"missing values in 4 records: turnover \(4\)"):
        tacita.protect(given, **ROLES, k=3)
    dropped = tacita.protect(given, **ROLES, k=3, missing="drop")
    assert len(dropped.data) == 56
    assert dropped.record.records_out == 56
    apart = tacita.protect(given, **ROLES, k=3, missing="stratum").data
    gaps = np.flatnonzero(pd.isna(np.asarray(apart["turnover"], dtype=float)))
    assert gaps.tolist() == [1, 5, 9, 13]
    assert len(set(np.asarray(apart["staff"])[gaps])) == 1


def test_dropping_keeps_the_pandas_index_of_what_is_left():
    frame = survey()
    frame.loc[3, "turnover"] = np.nan
    out = tacita.protect(frame, **ROLES, k=3, missing="drop").data
    assert list(out.index) == [i for i in range(60) if i != 3]


def test_k_of_two_needs_insistence_and_is_recorded():
    with pytest.raises(tacita.ParameterError, match="each of two members can compute the other"):
        tacita.protect(survey(), **ROLES, k=2)
    assert tacita.protect(survey(), **ROLES, k=2, accept_risks=True).record.accepted_risks == ("k-of-2",)


def test_same_seed_same_order_and_no_seed_another_order():
    orders = [
        tuple(tacita.protect(survey(), **ROLES, k=3, shuffle=True, seed=seed).data["code"])
        for seed in (SEED, SEED, None, None)
    ]
    assert orders[0] == orders[1]
    assert len(set(orders)) == 3


def test_measures_can_be_chosen():
    report = tacita.protect(survey(), **ROLES, k=3, measures=["IL2"]).report
    assert [score.name for score in report] == ["IL2"]


def test_assess_agrees_with_the_report_of_protect():
    frame = survey()
    release = tacita.protect(frame, **ROLES, k=3)
    again = tacita.evaluate(frame, release.data, quasi=["turnover", "staff"])
    for score in again:
        assert score.value == pytest.approx(release.report[score.name].value)


def test_assess_counts_what_it_leaves_out():
    frame = survey()
    other = frame.assign(turnover=frame.turnover.where(frame.index != 4))
    notes = tacita.evaluate(frame, other, quasi=["turnover"]).notes
    assert notes[0] == "1 records with missing values are left out of measures that compare values."


def test_published_means_are_those_of_the_originals():
    frame = survey()
    out = tacita.protect(frame, **ROLES, k=3).data
    means = frame.groupby([out["turnover"], out["staff"]])["turnover"].mean()
    assert np.allclose(means.to_numpy(), means.index.get_level_values(0), rtol=1e-12)


def test_means_do_not_depend_on_row_order():
    frame = survey()
    mixed = frame.sample(frac=1, random_state=1)
    straight = tacita.protect(frame, **ROLES, k=3).data
    again = tacita.protect(mixed, **ROLES, k=3).data.loc[straight.index]
    assert straight["turnover"].equals(again["turnover"])


@pytest.mark.parametrize("name", ["business", "household"])
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_demonstration_surveys_run_with_all_their_roles(name, suffix, tmp_path):
    roles = {role: value for role, value in datasets.describe(name).roles.items() if value}
    release = tacita.protect(datasets.load(name), **roles, k=3)
    tacita.save(release, tmp_path / f"out.{suffix}")
    again = tacita.read(tmp_path / f"out.{suffix}")
    assert again.n == release.record.records_out
    assert all(verdict.passed for verdict in release.record.verdicts)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_same_seed_same_bytes(tmp_path, suffix):
    for run in ("one", "two"):
        release = tacita.protect(survey(), **ROLES, k=3, shuffle=True, seed=SEED)
        tacita.save(release, tmp_path / f"{run}.{suffix}", json_report=tmp_path / f"{run}.json")
    assert (tmp_path / f"one.{suffix}").read_bytes() == (tmp_path / f"two.{suffix}").read_bytes()
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()


def test_cancelling_leaves_nothing_behind(tmp_path):
    tacita.api.write_frame(survey("pyarrow"), tmp_path / "in.csv")
    plan = tacita.Plan(
        input={"path": tmp_path / "in.csv"}, roles=ROLES, output={"path": tmp_path / "out.csv"}
    )
    with pytest.raises(tacita.Cancelled):
        tacita.run_plan(plan, tacita.RunContext(should_cancel=lambda: True))
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]


def test_a_dry_run_writes_nothing(tmp_path):
    tacita.api.write_frame(survey("pyarrow"), tmp_path / "in.csv")
    plan = tacita.Plan(
        input={"path": tmp_path / "in.csv"}, roles=ROLES, output={"path": tmp_path / "out.csv"}
    )
    assert tacita.run_plan(plan, dry_run=True).record.groups > 0
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]


def test_a_release_shows_no_values_when_printed():
    assert repr(tacita.protect(survey(), **ROLES, k=3)) == "<Release of 60 records by mdav, 20 groups>"


def test_assess_refuses_a_shuffled_release_instead_of_comparing_strangers():
    frame = survey()
    release = tacita.protect(frame, **ROLES, k=3, shuffle=True, seed=SEED)
    with pytest.raises(tacita.DataError, match="in another order"):
        tacita.evaluate(frame, release.data, quasi=["turnover", "staff"])


def test_assess_of_all_numeric_columns_leaves_out_what_was_not_released():
    frame = survey().assign(key=range(60))
    release = tacita.protect(frame, quasi=["turnover", "staff"], identifiers=["key"], k=3)
    assert set(tacita.evaluate(frame, release.data, quasi="numeric")["IL1"].per_attribute) == {
        "turnover",
        "staff",
    }


def test_whole_numbers_held_as_floats_are_rounded_too():
    frame = survey().assign(staff=lambda f: f.staff.astype(float))
    out = tacita.protect(frame, **ROLES, k=3, round_integers=True).data
    assert (out["staff"] % 1 == 0).all()
