"""Codes that are averaged are warned of, and quasi='numeric' passes nothing over in silence."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tacita
from tacita.core import Roles


def survey(n=60):
    rng = np.random.default_rng(3)
    return pa.table(
        {
            "sex": rng.integers(1, 3, n),
            "rooms": rng.integers(1, 7, n),
            "age": rng.integers(16, 90, n),
            "income": rng.lognormal(8, 1, n),
            "name": [f"p{i}" for i in range(n)],
        }
    )


def warned(release):
    return {each.name: each for each in release.record.warnings}


def of_codes(release):
    return [each for each in release.record.warnings if each.name == "codes-averaged"]


ROLES = {"quasi": ["sex", "rooms", "age", "income"], "identifiers": ["name"]}


def test_columns_of_few_whole_numbers_that_are_averaged_are_warned_of():
    release = tacita.protect(survey(), **ROLES, k=9)
    told = of_codes(release)
    assert [each.text.split()[1] for each in told] == ["sex", "rooms"]
    published = np.asarray(release.data["sex"])
    assert told[0].count == int((~np.isin(published, [1, 2])).sum()) > 0
    assert "nominal" in told[0].advice


def test_what_is_declared_numeric_or_nominal_is_not():
    release = tacita.protect(survey(), **ROLES, numeric=["rooms"], nominal=["sex"], method="gower", k=3)
    assert not of_codes(release)


def test_methods_that_keep_every_value_average_none():
    release = tacita.protect(survey(), **ROLES, method="rank-swap", p=10, accept_risks=True)
    assert not of_codes(release)


def test_synthetic_and_noisy_codes_are_warned_of_too():
    noisy = tacita.protect(survey(), **ROLES, method="noise", alpha=0.5, accept_risks=True)
    assert [each.text.split()[1] for each in of_codes(noisy)] == ["sex", "rooms"]
    drawn = tacita.synthesize(
        survey(), dependent=["sex"], independent=["age", "income"], identifiers=["name"]
    )
    assert len(of_codes(drawn)) == 1
    declared = tacita.synthesize(
        survey(), dependent=["sex"], independent=["age", "income"], numeric=["sex"], identifiers=["name"]
    )
    assert not of_codes(declared)


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ({"numeric": ["x"], "nominal": ["x"]}, "named numeric and nominal"),
        ({"numeric": ["y"]}, "is no quasi-identifier"),
    ],
)
def test_a_column_has_one_kind_and_only_where_it_is_protected(given, what):
    with pytest.raises(tacita.ParameterError, match=what):
        Roles(quasi=["x"], **given)


DIRTY = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "none of your business"]


@pytest.mark.parametrize(
    "frame",
    [
        pa.table({"x": list(map(float, range(10))), "y": DIRTY}),
        pd.DataFrame({"x": range(10), "y": [*range(9), "none of your business"]}),
        pl.DataFrame({"x": range(10), "y": DIRTY}),
    ],
    ids=["arrow", "pandas", "polars"],
)
def test_a_column_of_numbers_with_one_dirty_cell_is_refused_by_quasi_numeric(frame):
    with pytest.raises(tacita.DataError, match="y, which has 9 numbers and 1 cells") as refused:
        tacita.protect(frame, quasi="numeric", k=3)
    assert "business" not in str(refused.value)
    with pytest.raises(tacita.DataError, match="would pass over column y"):
        tacita.evaluate(frame, frame, quasi="numeric")


def test_a_dirty_file_is_refused_too_unless_the_word_means_missing(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text("x,y\n" + "".join(f"{i},{cell}\n" for i, cell in enumerate(DIRTY)))
    with pytest.raises(tacita.DataError, match=r"in\.csv: quasi='numeric' would pass over column y"):
        tacita.protect(path, quasi="numeric", k=3)
    read = tacita.read(path, missing_values=["none of your business"])
    assert tacita.protect(read, quasi="numeric", missing="drop", k=3).claim.original.quasi == ("x", "y")


def test_columns_that_hold_no_numbers_are_named():
    frame = survey().append_column("postcode", [[f"0{i}" for i in range(60)]])
    frame = frame.append_column("remark", [["ok"] * 59 + ["7"]])
    release = tacita.protect(frame, quasi="numeric", identifiers=["name"], k=3)
    told = warned(release)["not-numeric"]
    assert told.count == 2
    assert "postcode and remark" in told.text
    assert "not-numeric" not in warned(tacita.protect(survey(), **ROLES, k=3))
