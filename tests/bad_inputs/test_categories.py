"""Categories declared wrongly, or not at all, are refused with a way out and without a value."""

import pyarrow as pa
import pytest

import tacita
from tacita.core import DataError, ParameterError

SECRET = "Quxville"
TABLE = {
    "x": [float(i) for i in range(12)],
    "place": [SECRET, "north", "south"] * 4,
    "size": ["small", "large", SECRET] * 4,
    "mean": [[1]] * 12,
    "grade": [1, 2, 3] * 4,
}

CASES = {
    "text without a kind": ({"quasi": ["x", "place"]}, DataError, "must be declared nominal or ordinal"),
    "a kind for a column that is not protected": (
        {"quasi": ["x"], "nominal": ["place"]},
        ParameterError,
        "column place is named nominal but is no quasi-identifier",
    ),
    "two kinds": (
        {"quasi": ["place"], "nominal": ["place"], "ordinal": ["place"]},
        ParameterError,
        "named nominal and ordinal",
    ),
    "another role beside": (
        {"quasi": "numeric", "nominal": ["place"], "strata": ["place"]},
        ParameterError,
        "column place is named twice",
    ),
    "an unknown column": ({"quasi": "numeric", "nominal": ["nosuch"]}, ParameterError, "no column nosuch"),
    "a level outside the order": (
        {"quasi": ["size"], "ordinal": {"size": ["small", "large"]}},
        DataError,
        r"column size: 4 cells hold a level that is not in .* order of 2 levels \(first in record 3\)",
    ),
    "text without an order": (
        {"quasi": ["size"], "ordinal": ["size"]},
        ParameterError,
        "declared ordinal without an order.*--ordinal",
    ),
    "a level twice": (
        {"quasi": ["size"], "ordinal": {"size": ["small", "small"]}},
        ParameterError,
        "two levels or more, each once",
    ),
    "one level": ({"quasi": ["size"], "ordinal": {"size": ["small"]}}, ParameterError, "two levels or more"),
    "lists in cells": ({"quasi": ["mean"], "nominal": ["mean"]}, DataError, "wanted categories, got list"),
    "a kind that is no name": ({"quasi": ["x"], "nominal": [3]}, ParameterError, "nominal"),
    "an order that is no list": ({"quasi": ["x"], "ordinal": {"x": 3}}, ParameterError, "ordinal"),
}


@pytest.mark.parametrize(("roles", "error", "words"), CASES.values(), ids=CASES)
def test_is_refused_in_words_that_help_and_quote_no_cell(roles, error, words):
    with pytest.raises(error, match=words) as caught:
        tacita.protect(pa.table(TABLE), method="gower", k=3, **roles)
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize("method", ["mdav", "hm", "gsms-t2", "onedims", "mdav+dfo", "gower+dfo"])
def test_a_method_of_numbers_refuses_categories_and_names_the_one_that_takes_them(method):
    with pytest.raises(ParameterError, match=r"column place is declared nominal or ordinal.*gower"):
        tacita.protect(pa.table(TABLE), quasi=["x", "place"], nominal="place", method=method, k=3)


def test_an_enum_is_refused_without_listing_its_categories():
    import polars as pl

    frame = pl.DataFrame({"place": pl.Series(TABLE["place"], dtype=pl.Enum([SECRET, "north", "south"]))})
    with pytest.raises(DataError, match="got Enum") as caught:
        tacita.protect(frame, quasi="place", k=3)
    assert SECRET not in str(caught.value)


def test_mixed_python_objects_are_no_categories():
    import pandas as pd

    frame = pd.DataFrame({"place": pd.Series([1, "a", SECRET] * 4, dtype=object)})
    with pytest.raises(DataError, match="Python objects of mixed types") as caught:
        tacita.protect(frame, quasi="place", nominal="place", method="gower", k=3)
    assert SECRET not in str(caught.value)


def test_a_text_file_says_how_to_declare_its_text(tmp_path):
    (tmp_path / "in.csv").write_text("place,x\n" + f"{SECRET},1\nnorth,2\nsouth,3\n" * 4)
    with pytest.raises(DataError, match="nominal or ordinal") as caught:
        tacita.protect(tmp_path / "in.csv", quasi=["place", "x"], k=3)
    assert SECRET not in str(caught.value)


def test_only_constant_categories_leave_nothing_to_protect():
    with pytest.raises(DataError, match="constant"):
        tacita.protect(pa.table({"c": ["a"] * 9}), quasi="c", nominal="c", method="gower", k=3)


def test_numeric_and_declared_categories_together_are_all_quasi_identifiers():
    table = pa.table({name: TABLE[name] for name in ("x", "place", "grade")})
    release = tacita.protect(table, quasi="numeric", nominal="place", ordinal="grade", method="gower", k=3)
    assert release.claim.original.quasi == ("x", "place", "grade")


def test_text_of_a_typed_frame_that_says_na_is_no_missing_number():
    table = pa.table({"grade": ["1", "2", "NA"] * 4})
    with pytest.raises(ParameterError, match="4 cells are no numbers"):
        tacita.protect(table, quasi="grade", ordinal="grade", method="gower", k=3)
    release = tacita.protect(
        pa.table({"grade": ["1", "10", None, "9"] * 4}),
        quasi="grade",
        ordinal="grade",
        method="gower",
        missing="stratum",
        k=4,
    )
    assert set(release.data["grade"].to_pylist()) == {"1", "10", None, "9"}
