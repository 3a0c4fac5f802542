"""Results save and convert themselves, and say in a line what they are."""

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tacita
from tacita import tables

X = [1.0, 2.0, 3.0, 10.0, 11.0, 12.0]
MEANS = [2.0, 2.0, 2.0, 11.0, 11.0, 11.0]
PRIMARY = [[0, 0, 0], [0, 1, 0], [0, 0, 0]]
REGIONS = [[11, 47, 58], [1, 15, 33], [2, 31, 20]]


def of(frame):
    return tacita.protect(frame({"x": X}), quasi="x", k=3, measures=["IL1"])


def suppressed():
    return tacita.suppress(tacita.Table.from_array(REGIONS, primary=PRIMARY), problem="exact")


def adjusted():
    return tacita.adjust(tacita.Table.from_array([[4, 7], [2, 1]], frequency=True), "rounding", base=5)


RESULTS = {
    "release": lambda: of(pa.table),
    "report": lambda: of(pa.table).report,
    "trials": lambda: tacita.compare_methods(pa.table({"x": X}), quasi="x", k=[3, 4], loss="IL1", risk="DLD"),
    "risk profile": lambda: tacita.risk_profile(pa.table({"sex": list("ffmmm")}), keys=["sex"]),
    "table": lambda: suppressed().table,
    "suppressed table": suppressed,
    "audit": lambda: suppressed().audit,
    "adjusted table": adjusted,
    "adjusted audit": lambda: adjusted().audit,
}


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_converts_to_three_kinds_of_frame_and_says_in_a_line_what_it_is(name):
    result = RESULTS[name]()
    arrow, pandas, polars = result.to_arrow(), result.to_pandas(), result.to_polars()
    assert (type(arrow), type(pandas), type(polars)) == (pa.Table, pd.DataFrame, pl.DataFrame)
    assert arrow.num_rows == len(pandas) == len(polars)
    assert arrow.column_names == list(pandas.columns) == polars.columns
    assert len(repr(result)) <= 160
    assert "\n" not in repr(result)
    assert result._repr_html_().startswith('<div class="tacita" style=')


@pytest.mark.parametrize("frame", [pa.table, pd.DataFrame, pl.DataFrame])
def test_a_release_holds_a_frame_like_the_one_that_came_in(frame):
    assert type(of(frame).data) is type(frame({"x": X}))
    assert of(frame).to_arrow()["x"].to_pylist() == MEANS


@pytest.mark.parametrize(
    ("name", "path", "pages"),
    [
        ("release", "out.csv", {"report": "review.html", "json_report": "review.json", "note": "note.html"}),
        ("report", "scores.json", {}),
        ("trials", None, {"report": "trials.html", "json_report": "trials.json"}),
        ("risk profile", None, {"report": "risk.html", "json_report": "risk.json", "records": "risk.csv"}),
        ("table", "cells.csv", {}),
        ("suppressed table", "table.csv", {"report": "review.html", "json_report": "review.json"}),
        ("audit", "ranges.csv", {}),
        ("adjusted table", "table.html", {"note": "note.html", "json_report": "review.json"}),
        ("adjusted audit", "ranges.parquet", {}),
    ],
)
def test_a_result_writes_itself_and_overwrites_nothing(name, path, pages, tmp_path):
    result = RESULTS[name]()
    places = {page: tmp_path / file for page, file in pages.items()}
    arguments = [] if path is None else [tmp_path / path]
    result.save(*arguments, **places)
    assert all(place.stat().st_size for place in (*arguments, *places.values()))
    with pytest.raises(tacita.ParameterError, match="force"):
        result.save(*arguments, **places)
    result.save(*arguments, **places, force=True)


def test_a_suppressed_table_shows_no_value_that_is_suppressed():
    result = suppressed()
    assert result.withheld.sum() == 4
    shown = result.to_arrow()["value"].to_pylist()
    assert [value is None for value in shown] == result.withheld.tolist()
    assert result.outcome.withheld.tolist() == result.withheld.tolist()
    assert type(result.outcome) is tacita.Pattern
    assert result.audit.safe


def test_an_adjusted_table_shows_its_new_values():
    result = adjusted()
    assert result.to_arrow()["value"].to_pylist() == result.values.tolist()
    assert type(result.outcome) is tacita.Adjusted
    assert isinstance(result, tables.AdjustedTable)


def test_records_in_a_file_are_read_from_there(tmp_path):
    source, target = tmp_path / "in.parquet", tmp_path / "out.parquet"
    tacita.io.write_frame(pa.table({"x": X}), source)
    release = tacita.protect_file(source, target, quasi="x", k=3)
    if release.data == target:
        with pytest.raises(tacita.ParameterError, match="in the file that was written"):
            release.to_pandas()


def test_the_former_name_of_a_conversion_works_with_a_warning():
    with pytest.warns(DeprecationWarning, match=r"Trials.frame\(\) is to_arrow\(\) now"):
        assert RESULTS["trials"]().frame().num_rows == 2
