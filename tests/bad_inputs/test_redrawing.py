"""Categories asked to be drawn or swapped wrongly are refused with a way out and without a value."""

import numpy as np
import pyarrow as pa
import pytest

import tacita
from households_at_hand import REGIONS, persons
from tacita.cli import run_command
from tacita.core import DataError, ParameterError

SECRET = "Quxville"
HALF = {"f": {"f": 0.5, "m": 0.5}, "m": {"f": 0.5, "m": 0.5}}


def survey():
    table = persons(60, 1)
    towns = [SECRET if i % 5 == 0 else f"town {i % 3}" for i in range(table.num_rows)]
    return table.append_column("town", pa.array(towns))


def town(rows):
    return {"quasi": ["town"], "matrix": {"town": rows}}


def sex(rows):
    return {"quasi": ["sex"], "matrix": {"sex": rows}}


STAY = {f"town {i}": {f"town {i}": 0.5, f"town {(i + 1) % 3}": 0.5} for i in range(3)}
PRAM = {
    "a row that sums to less": (
        sex({"f": {"f": 0.5, "m": 0.4}, "m": {"m": 1.0}}),
        ParameterError,
        "1 of 2 rows.* do not sum to 1",
    ),
    "a row that sums to more": (
        sex({"f": {"f": 0.9, "m": 0.4}, "m": {"m": 1.0}}),
        ParameterError,
        "do not sum to 1",
    ),
    "percent for probabilities": (
        sex({"f": {"f": 70, "m": 30}, "m": {"m": 100}}),
        ParameterError,
        "no probabilities",
    ),
    "a negative probability": (
        sex({"f": {"f": 1.1, "m": -0.1}, "m": {"m": 1.0}}),
        ParameterError,
        "2 entries .* no probabilities",
    ),
    "a probability that is no number": (
        sex({"f": {"f": float("nan")}, "m": {"m": 1.0}}),
        ParameterError,
        "no probabilities",
    ),
    "an infinite probability": (
        sex({"f": {"f": float("inf")}, "m": {"m": 1.0}}),
        ParameterError,
        "no probabilities",
    ),
    "text for a probability": (
        sex({"f": {"f": "much"}, "m": {"m": 1.0}}),
        ParameterError,
        "matrix.sex.f.f must be a number",
    ),
    "the matrix that changes nothing": (
        sex({"f": {"f": 1.0}, "m": {"m": 1.0}}),
        ParameterError,
        "leaves every category as it is",
    ),
    "an empty matrix": ({"quasi": ["sex"], "matrix": {}}, ParameterError, "at least one column"),
    "an empty matrix of a column": (sex({}), ParameterError, "column sex is empty"),
    "rows in place of columns": ({"quasi": ["sex"], "matrix": HALF}, ParameterError, "matrix"),
    "a list": ({"quasi": ["sex"], "matrix": [0.5, 0.5]}, ParameterError, "COLUMN:OLD:NEW=P"),
    "a number": ({"quasi": ["sex"], "matrix": 3}, ParameterError, "matrix must be"),
    "a column without a matrix": (
        {"quasi": ["sex", "town"], "matrix": {"sex": HALF}},
        ParameterError,
        "town is not among them",
    ),
    "a matrix of a column that stays": (
        {"quasi": ["sex"], "matrix": {"sex": HALF, "town": STAY}},
        ParameterError,
        "town, which is not to be protected",
    ),
    "a category without a row": (town(STAY), DataError, "no row for 1 of 4 categories"),
    "a category that nobody has": (
        town({**STAY, SECRET: {"nowhere": 1.0}}),
        DataError,
        "leads to 1 categories that no record of the file has",
    ),
    "missing drawn without a row": (
        {
            "quasi": ["education"],
            "matrix": {
                "education": {name: {name: 0.5, "low": 0.5} for name in ("none", "high")}
                | {"low": {"low": 1.0}}
            },
            "missing_category": True,
        },
        DataError,
        "no row for 1 of 4 categories",
    ),
    "missing made where nothing is": (
        {**sex({"f": {"f": 0.5, "": 0.5}, "m": {"m": 1.0}}), "missing_category": True},
        DataError,
        "leads to 1 categories that no record",
    ),
    "missing made without asking": (
        sex({"f": {"f": 0.5, "": 0.5}, "m": {"m": 1.0}}),
        DataError,
        "leads to 1 categories that no record",
    ),
    "a matrix and how to make one": (
        {**sex(HALF), "pd": 0.5},
        ParameterError,
        "pd make a matrix, and one is given",
    ),
    "a matrix and its mixing": (
        {**sex(HALF), "alpha": 0.5, "pd": 0.1},
        ParameterError,
        "pd and alpha make a matrix",
    ),
    "a matrix of columns drawn jointly": (
        {**sex(HALF), "jointly": True},
        ParameterError,
        "of single columns",
    ),
    "publishing a generated matrix": (
        {"quasi": ["sex"], "publish_matrix": True},
        ParameterError,
        "needs a given matrix",
    ),
    "publishing an invariant matrix": (
        {**sex(HALF), "invariant": True, "publish_matrix": True},
        ParameterError,
        "gives these away",
    ),
    "no chance of change": ({"quasi": ["sex"], "pd": 1}, ParameterError, "pd must be less than 1"),
    "a negative diagonal": ({"quasi": ["sex"], "pd": -0.1}, ParameterError, "pd must be at least 0"),
    "no mixing": ({"quasi": ["sex"], "alpha": 0}, ParameterError, "alpha must be more than 0"),
    "more mixing than all": ({"quasi": ["sex"], "alpha": 1.5}, ParameterError, "alpha must be at most 1"),
    "one category": ({"quasi": ["one"]}, DataError, "constant or missing"),
    "numbers declared as such": (
        {"quasi": ["age"], "numeric": ["age"]},
        ParameterError,
        "works on categories, and column age is numeric",
    ),
    "every numeric column": ({"quasi": "numeric"}, ParameterError, "works on categories"),
    "merging what is missing": (
        {"quasi": ["education"], "missing": "merge"},
        ParameterError,
        "this method has no k",
    ),
    "a stratum of one record": ({"quasi": ["sex"], "strata": ["income"]}, DataError, "at least 3 records"),
    "an unknown parameter": ({"quasi": ["sex"], "diagonal": 0.5}, ParameterError, "no parameter diagonal"),
    "a short seed": ({"quasi": ["sex"], "seed": 5}, ParameterError, r"seed must be at least 2\*\*64"),
    "lists in cells": ({"quasi": ["lists"]}, DataError, "wanted categories, got list"),
    "an unknown column": ({"quasi": ["nosuch"]}, ParameterError, "no column nosuch"),
    "part of a chain": (
        {"quasi": ["sex"], "method": "pram+best"},
        ParameterError,
        "pram cannot be part of a chain",
    ),
}
SWAP = {
    "no unit": ({"unit": None}, ParameterError, r"names the household or firm \(unit\), got none"),
    "a rate of more than all": ({"rate": 101}, ParameterError, "rate must be at most 100"),
    "a rate as a share": ({"rate": 0.05}, ParameterError, "write 5 for 5 percent"),
    "no rate": ({"rate": 0}, ParameterError, "rate must be more than 0"),
    "a negative rate": ({"rate": -5}, ParameterError, "rate must be more than 0"),
    "an infinite rate": ({"rate": float("inf")}, ParameterError, "rate must be"),
    "k of one": ({"k": 1}, ParameterError, "k must be at least 2"),
    "regions from fine to coarse": (
        {"quasi": REGIONS[::-1]},
        DataError,
        "regions of column nuts2 lie in several",
    ),
    "regions that are not nested": (
        {"quasi": ["nuts3", "crossing"]},
        DataError,
        "column crossing lie in several regions",
    ),
    "members in several regions": ({"quasi": ["sex"]}, DataError, "units have members in several regions"),
    "a stratum within a household": ({"strata": ["sex"]}, DataError, "units have records in several strata"),
    "an unknown risk column": ({"risk_columns": ["nosuch"]}, ParameterError, "no column nosuch"),
    "an unknown similar column": ({"similar": [["sex", "nosuch"]]}, ParameterError, "no column nosuch"),
    "a region as risk": ({"risk_columns": ["nuts3"]}, ParameterError, "nuts3 is a region to be swapped"),
    "a region as profile": ({"similar": ["sex+nuts1"]}, ParameterError, "nuts1 is a region to be swapped"),
    "profiles that are numbers": ({"similar": [[3]]}, ParameterError, "similar"),
    "profiles that are one number": ({"similar": 3}, ParameterError, "similar must be a list"),
    "one region": ({"quasi": ["one"]}, DataError, "constant or missing"),
    "nobody alike": (
        {"similar": ["income"]},
        DataError,
        "none of .* records got another category",
    ),
    "a missing region": ({"quasi": ["education"]}, DataError, "missing values"),
    "merging what is missing": ({"missing": "merge"}, ParameterError, "this method has no k"),
    "a missing household": ({"unit": "education"}, DataError, "unit column education is missing in"),
    "a stratum of one household": (
        {"strata": ["household"], "unit": "lone"},
        DataError,
        "at least 3 records",
    ),
    "an unknown parameter": ({"swaprate": 5}, ParameterError, "no parameter swaprate"),
}


def refused(options, error, words):
    table = survey()
    n = table.num_rows
    table = (
        table.append_column("one", pa.array(["x"] * n))
        .append_column("lists", pa.array([[1]] * n))
        .append_column("lone", pa.array([f"p{i}" for i in range(n)]))
        .append_column(
            "crossing", pa.array([f"r{int(name[1:]) % 2}" for name in table["household"].to_pylist()])
        )
    )
    with pytest.raises(error, match=words) as caught:
        tacita.protect(table, **options)
    assert SECRET not in str(caught.value)
    assert "town 1" not in str(caught.value)


@pytest.mark.parametrize(("options", "error", "words"), PRAM.values(), ids=PRAM)
def test_a_draw_is_refused_in_words_that_help_and_quote_no_cell(options, error, words):
    refused({"method": "pram", **options}, error, words)


@pytest.mark.parametrize(("options", "error", "words"), SWAP.values(), ids=SWAP)
def test_a_swap_is_refused_in_words_that_help_and_quote_no_cell(options, error, words):
    refused({"method": "record-swap", "quasi": REGIONS, "unit": "household", **options}, error, words)


def test_the_command_line_refuses_a_matrix_that_it_cannot_read(tmp_path, capsys):
    (tmp_path / "in.csv").write_text("sex\n" + "f\nm\n" * 10)
    words = ["protect", str(tmp_path / "in.csv"), "--out", str(tmp_path / "out.csv"), "--quasi", "sex"]
    words += ["--method", "pram", "--matrix"]
    for matrix, says in {
        "sex:f=0.5": "COLUMN:OLD:NEW=P",
        "sex:f:f=0.5,sex:f:f=0.5": "has an entry twice",
        "sex:f:f=much": "must be a number",
        "sex:f:f=0.5": "do not sum to 1",
    }.items():
        assert run_command([*words, matrix]) == 2
        assert says in capsys.readouterr().err
    assert not (tmp_path / "out.csv").exists()
    good = "sex:f:f=0.5,sex:f:m=0.5,sex:m:m=0.5,sex:m:f=0.5"
    assert run_command([*words, good, "--quiet"]) == 0


def test_few_records_that_stay_by_chance_are_refused_and_not_published():
    table = pa.table({"c": ["a", "b"] * 4})
    with pytest.raises(DataError, match="none of 8 records"):
        tacita.protect(table, quasi=["c"], method="pram", pd=0.98, alpha=0.05, seed=2**90, measures=())


@pytest.mark.parametrize("jointly", [False, True])
def test_more_categories_than_a_matrix_can_hold_are_refused(jointly):
    table = pa.table({"c": [f"c{i}" for i in range(2001)] * 2})
    with pytest.raises(DataError, match="2001 categories in a stratum are too many"):
        tacita.protect(table, quasi=["c"], method="pram", jointly=jointly, seed=2**90, measures=())


def test_categories_beyond_all_number_are_drawn_as_they_are():
    table = pa.table({"c": [f"c{i}" for i in range(300)], "x": np.arange(300.0)})
    release = tacita.protect(table, quasi=["c"], method="pram", seed=2**90, measures=["CATEGORIES"])
    assert next(c.count for c in release.record.warnings if c.name == "rare-categories") == 300
