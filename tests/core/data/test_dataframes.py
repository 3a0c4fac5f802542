"""Results as frames of pandas and polars: one row a score, a trial, a withheld cell."""

import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tacita
from tacita import ParameterError
from tacita.core import Report, Score, Trial, Trials

REPORT = Report(
    (
        Score(name="IL1", value=5.5, span=(0.0, 100.0), error=0.25, covers=("a", "b")),
        Score(name="DLD", value=None, reason="too few records", unit=""),
    )
)
TRIALS = Trials.of(
    [
        Trial(method="mdav", parameters={"k": 3, "by": "all"}, report=REPORT, groups=4),
        Trial(method="noise", parameters={"alpha": 0.5, "by": ["a", "b"]}, report=REPORT),
        Trial(method="hm", parameters={"k": 40, "reason": 7}, reason="too few records"),
    ],
    loss="IL1",
    risk="DLD",
)


def audit():
    table = tacita.Table.from_array(
        [[11, 47, 58], [1, 15, 33], [2, 31, 20]],
        names=["activity", "low"],
        primary=[[0, 0, 0], [0, 1, 0], [0, 0, 0]],
    )
    return tacita.audit(table, tacita.suppress(table, problem="exact"), "exact")


@pytest.mark.parametrize("result", [REPORT, TRIALS, audit()], ids=["report", "trials", "audit"])
def test_pandas_and_polars_get_the_same_cells_and_columns(result):
    left, right = result.to_pandas(), result.to_polars()
    assert isinstance(left, pd.DataFrame)
    assert isinstance(right, pl.DataFrame)
    assert list(left.columns) == right.columns
    same = left.astype(object).where(left.notna(), None)
    assert same.to_dict("list") == right.to_dict(as_series=False)


def test_a_report_has_one_row_a_score():
    frame = REPORT.to_polars()
    assert frame["name"].to_list() == ["IL1", "DLD"]
    assert frame.row(0, named=True) == {
        "name": "IL1",
        "value": 5.5,
        "unit": "%",
        "direction": "lower",
        "least": 0.0,
        "most": 100.0,
        "standard_error": 0.25,
        "covers": "a, b",
        "reading": None,
        "reason": None,
    }
    assert frame.row(1, named=True)["reason"] == "too few records"


def test_a_column_keeps_its_type_where_every_cell_is_empty():
    frame = Report(()).to_polars()
    assert frame.height == 0
    assert frame.schema["value"] == pl.Float64
    assert frame.schema["reason"] == pl.String


def test_trials_have_one_row_each_with_parameters_and_scores():
    frame = TRIALS.to_pandas()
    assert frame["method"].tolist() == [trial.method for trial in TRIALS] == ["hm", "mdav", "noise"]
    assert frame["k"].tolist()[:2] == [40, 3]
    assert frame["alpha"].isna().tolist() == [True, True, False]
    assert frame["by"].tolist()[1:] == ["all", "a, b"]
    assert frame["IL1"].tolist()[1:] == [5.5, 5.5]
    assert frame["groups_made"].tolist()[1] == 4
    assert frame["on_front"].dtype == bool


def test_a_name_of_others_gives_way_to_one_of_ours():
    assert TRIALS.to_pandas()["reason"].tolist()[0] == "too few records"
    assert TRIALS.to_pandas()["reason_"].tolist()[0] == 7
    found = audit()
    frame = found.to_pandas()
    assert list(frame.columns) == ["activity", "low_", "sensitive", "low", "high", "reason"]


def test_an_audit_has_one_row_a_withheld_cell_with_its_range():
    found = audit()
    frame = found.to_pandas()
    for row, cell in zip(frame.itertuples(), found.cells.tolist(), strict=True):
        assert (row.activity, row.low_) == found.table.label(cell)
        assert (row.low, row.high) == found.range_of(cell)
        assert row.sensitive == found.table.primary[cell]
    assert frame["reason"].isna().all()
    bare = tacita.audit(found.table, found.table.primary, "exact").to_pandas()
    assert bare["reason"].tolist() == ["can be computed exactly"]


@pytest.mark.parametrize("package", ["pandas", "polars"])
def test_an_absent_package_is_named(monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ParameterError, match=f"Report: wanted the package {package}, which is not installed"):
        getattr(REPORT, f"to_{package}")()


def test_the_report_of_a_release_becomes_a_frame():
    frame = pa.table({"x": np.arange(12.0)})
    release = tacita.protect(frame, quasi="x", k=3, measures=["IL1", "DLD"])
    found = release.report.to_pandas().set_index("name")["value"]
    assert found["IL1"] == release.report["IL1"].value
