"""Releases of numbers and categories side by side, in every kind of frame and file."""

from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tacita
from planting import FRAMES, native
from seeds import SEED
from tacita import datasets
from tacita.core import Microdata

EDUCATION = ("none", "primary", "secondary", "bachelor", "master")
OPTIONS = {
    "quasi": ["age", "sex", "education", "employment", "wage"],
    "nominal": ["sex", "employment"],
    "ordinal": {"education": EDUCATION},
    "identifiers": ["person_id", "household_id", "total_income"],
    "method": "gower",
    "k": 4,
}


def persons(n=120):
    from tacita.datasets.persons import household

    return household(n=n)


def protect(frame, **options):
    return tacita.protect(frame, **{"measures": ["GOWER_loss", "CATEGORIES"], **OPTIONS, **options})


def cells(frame, name):
    return Microdata.of(frame).frame[name].to_list()


def groups(release):
    return [np.flatnonzero(release.claim.labels == g) for g in np.unique(release.claim.labels)]


@pytest.mark.parametrize("form", FRAMES)
def test_a_group_shares_mean_median_level_and_most_frequent_name(form):
    table = persons()
    release = protect(native(table, form), unit="household_id", strata=["region"])
    out = pa.table({name: cells(release.data, name) for name in OPTIONS["quasi"]})
    for members in groups(release):
        assert len(members) >= 4
        old, new = (frame.take(members).to_pydict() for frame in (table, out))
        assert len(set(old["region"])) == 1
        counts = Counter(old["employment"])
        best = min(word for word in counts if counts[word] == max(counts.values()))
        assert set(new["employment"]) == {best}
        middle = sorted(old["education"], key=EDUCATION.index)[(len(members) - 1) // 2]
        assert set(new["education"]) == {middle}
        assert len(set(new["age"])) == 1
        assert new["age"][0] == pytest.approx(np.mean(old["age"]))


@pytest.mark.parametrize("form", FRAMES)
def test_all_frames_give_the_same_cells(form):
    plain = protect(persons(), shuffle=True, seed=SEED).data
    other = protect(native(persons(), form), shuffle=True, seed=SEED).data
    assert all(cells(other, name) == cells(plain, name) for name in OPTIONS["quasi"])


@pytest.mark.parametrize("name", ["out.csv", "out.parquet"])
def test_the_file_as_written_is_verified_and_reads_back_as_released(tmp_path, name):
    release = protect(persons(), seed=1)
    tacita.save(release, tmp_path / name, report=tmp_path / "r.html", note=tmp_path / "n.html")
    back = tacita.read(tmp_path / name)
    assert back.frame["employment"].to_list() == release.data["employment"].to_pylist()
    assert "median level or most frequent category" in (tmp_path / "n.html").read_text()
    page = (tmp_path / "r.html").read_text()
    assert "Share of records." in page
    assert "group-categories" in page or "Group categories" in page


def category_frames():
    words = [*["b", "a", "b", "a"] * 4, "z"]
    x = [float(i % 4) for i in range(17)]
    yield "pyarrow", pa.table({"x": x, "c": pa.array(words).dictionary_encode()})
    yield "pandas", pd.DataFrame({"x": x, "c": pd.Categorical(words, ["a", "b", "q", "z"])})
    yield "enum", pl.DataFrame({"x": x, "c": pl.Series(words, dtype=pl.Enum(["b", "q", "a", "z"]))})
    yield "categorical", pl.DataFrame({"x": x, "c": pl.Series(words, dtype=pl.Categorical)})


@pytest.mark.parametrize("form", ["pyarrow", "pandas", "enum", "categorical"])
@pytest.mark.parametrize("name", ["o.csv", "o.parquet"])
def test_a_category_that_no_group_publishes_leaves_no_trace(tmp_path, form, name):
    frame = dict(category_frames())[form]
    release = tacita.protect(frame, quasi=["x", "c"], nominal="c", method="gower", k=4)
    left = Microdata.of(release.data).frame["c"].to_arrow()
    left = left.combine_chunks() if isinstance(left, pa.ChunkedArray) else left
    assert sorted(left.dictionary.to_pylist()) == ["a", "b"]
    if form == "enum":
        assert release.data["c"].dtype == pl.Enum(["b", "a"])
    tacita.save(release, tmp_path / name)
    assert set(tacita.read(tmp_path / name).frame["c"].to_list()) == {"a", "b"}


def test_the_order_of_an_ordered_type_serves_where_none_is_declared():
    words = ["low", "high", "mid"] * 4
    for frame in (
        pd.DataFrame({"c": pd.Categorical(words, ["low", "mid", "high"], ordered=True)}),
        pl.DataFrame({"c": pl.Series(words, dtype=pl.Enum(["low", "mid", "high"]))}),
    ):
        release = tacita.protect(frame, quasi="c", ordinal="c", method="gower", k=12)
        assert set(release.data["c"]) == {"mid"}


def test_numbers_give_the_order_of_a_text_file_and_keep_their_spelling(tmp_path):
    source = tmp_path / "in.csv"
    source.write_text(
        "size;n\n" + "".join(f"{word};{i}\n" for i, word in enumerate(["02", "10", "9", "02"] * 3))
    )
    release = tacita.protect(source, quasi=["size"], ordinal=["size"], method="gower", k=3)
    assert release.data["size"].to_pylist() == ["02", "10", "9", "02"] * 3


def test_whole_number_codes_stay_whole_numbers():
    frame = pa.table({"code": pa.array([1, 2, 2, 1, 2, 2], pa.int16()), "x": [1.0, 2, 3, 4, 5, 6]})
    release = tacita.protect(frame, quasi=["code", "x"], nominal="code", method="gower", k=3)
    assert release.data.schema.field("code").type == pa.int16()
    assert set(release.data["code"].to_pylist()) <= {1, 2}


@pytest.mark.parametrize("form", [*FRAMES, "csv"])
def test_missing_categories_follow_the_policy(form, tmp_path):
    words = [None if i % 5 == 0 else "ab"[i % 2] for i in range(30)]
    table = pa.table({"x": [float(i * i % 17) for i in range(30)], "c": words})
    given = native(table, form)
    if form == "csv":
        # three ways to spell a gap must not tell records apart
        gaps = iter(["NA", "", "."] * 2)
        lines = [
            f"{x},{next(gaps) if c is None else c}" for x, c in zip(*table.to_pydict().values(), strict=True)
        ]
        given = tmp_path / "in.csv"
        given.write_text("x,c\n" + "\n".join(lines) + "\n")
    options = {"quasi": ["x", "c"], "nominal": "c", "method": "gower", "k": 3}
    with pytest.raises(tacita.DataError, match=r"missing values in 6 records: c \(6\)"):
        tacita.protect(given, **options)
    assert len(tacita.protect(given, missing="drop", **options).data) == 24
    release = tacita.protect(given, missing="stratum", **options)
    published = zip(cells(release.data, "c"), words, strict=True)
    spelled = Counter(str(cell) for cell, word in published if word is None)
    assert list(spelled.values()) == [6]
    tacita.save(release, tmp_path / "out.csv")
    assert all(verdict.passed for verdict in release.record.verdicts)


def test_weights_go_with_their_columns_where_some_are_missing():
    table = pa.table({"x": [1.0, None] * 10, "c": list("abcd") * 5, "y": [float(i) for i in range(20)]})
    release = tacita.protect(
        table, quasi=["x", "c", "y"], nominal="c", method="gower", missing="stratum", k=3, weights=[1, 5, 2]
    )
    assert release.record.groups == 6
    with pytest.raises(tacita.ParameterError, match="wanted 3 weights"):
        tacita.protect(
            table, quasi=["x", "c", "y"], nominal="c", method="gower", missing="stratum", weights=[1, 5]
        )


def test_numeric_measures_look_at_numbers_and_categories_have_their_own():
    release = tacita.protect(persons(), **OPTIONS)
    report = release.report
    assert set(report["IL1"].per_attribute) == {"age", "wage"}
    assert set(report["CATEGORIES"].per_attribute) == {"sex", "education", "employment"}
    assert set(report["GOWER_loss"].per_attribute) == set(OPTIONS["quasi"])
    # of a nominal attribute, the mean Gower distance is the share of changed cells
    assert report["GOWER_loss"].per_attribute["sex"] == pytest.approx(
        report["CATEGORIES"].per_attribute["sex"]
    )
    assert {score.name for score in report} >= {*OF_SURVEYS}
    plain = {score.name for score in tacita.protect(persons(), quasi=["age"]).report}
    assert not plain & {"GOWER_loss", *OF_SURVEYS}


LINKED = ("DLD", "DBRL", "PRL")
OF_SURVEYS = ("SUPPRESSED", "TABLES_1", "TABLES_2", "CRAMER", "WEIGHTED")


def test_without_a_number_numeric_measures_say_so_and_linkage_goes_by_names():
    release = tacita.protect(
        persons(), quasi=["sex", "employment"], nominal=["sex", "employment"], method="gower"
    )
    of_labels = {"GOWER_loss", "CATEGORIES", "RELATIONS", "k_anonymity", "sample_uniques"}
    for score in release.report:
        if score.name in {*of_labels, *OF_SURVEYS, *LINKED}:
            assert score.value is not None
        else:
            assert "no protected attribute is numeric" in score.reason
    assert release.report["CATEGORIES"].value >= 0


def test_a_release_is_assessed_as_it_was_measured(tmp_path):
    release = protect(persons())
    tacita.save(release, tmp_path / "out.csv")
    roles = {name: OPTIONS[name] for name in ("quasi", "nominal", "ordinal")}
    report = tacita.evaluate(persons(), tmp_path / "out.csv", measures=["GOWER_loss", "CATEGORIES"], **roles)
    assert report["GOWER_loss"].value == pytest.approx(release.report["GOWER_loss"].value)
    assert report["CATEGORIES"].value == release.report["CATEGORIES"].value


def test_another_office_may_have_made_categories_of_its_own():
    before, after = pa.table({"c": ["a", "b", "c"]}), pa.table({"c": ["other", "b", "other"]})
    report = tacita.evaluate(before, after, quasi="c", nominal="c", measures=["CATEGORIES"])
    assert report["CATEGORIES"].value == pytest.approx(200 / 3)


def test_rare_categories_are_not_shown_by_themselves():
    table = pa.table({"c": ["a"] * 8 + ["b"] * 9 + ["rare"]})
    release = tacita.protect(table, quasi="c", nominal="c", method="gower", k=4)
    (summary,) = release.record.summaries
    assert summary.categories == ("b", "2 other categories")
    assert summary.before == (9, 9)


def test_household_is_released_from_its_own_description():
    table = datasets.load("household")
    release = protect(table, unit="household_id", confidential=["wealth"], weight="weight", shuffle=True)
    assert release.record.records_out == 900
    assert {"groups-of-k", "group-means", "group-categories", "k-units"} <= {
        verdict.guarantee for verdict in release.record.verdicts if verdict.passed
    }
