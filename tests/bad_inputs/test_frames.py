"""The Python interface refuses what it cannot use, with its own errors and without a value of the data."""

import datetime
import shutil
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tacita
from bad_inputs.shared import SECRETS, everything_in, text
from tacita import DataError, ParameterError
from tacita.core import Comparison

N = 12
KINDS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
}


def columns(**changed: Any) -> dict[str, Any]:
    """Two quantities and a name, with some replaced."""
    secret = {4: 77123.456}
    return {
        "x": [secret.get(i, 1.5 * i) for i in range(N)],
        "y": [float(i * i) for i in range(N)],
        "name": ["Quixote"] * N,
        **changed,
    }


def protect(frame: Any, **options: Any) -> Any:
    return tacita.protect(frame, **{"quasi": ["x", "y"], **options})


# What is wrong with a column x, whatever frame it is in: its values, and a word of the message.
COLUMNS = {
    "text": (["Quixote"] * N, "numbers"),
    "numbers-written-as-text": (["77123.456"] * N, "numbers"),
    "booleans": ([True, False] * 6, "numbers"),
    "dates": ([datetime.date(2001, 2, 3)] * N, "numbers"),
    "times": ([datetime.datetime(2001, 2, 3, 4)] * N, "numbers"),
    "lists": ([[77123.456]] * N, "numbers"),
    "nothing-but-none": ([None] * N, "x"),
    "a-missing-value": ([None, *map(float, range(11))], r"x \(1\)"),
    "nan": ([float("nan"), *map(float, range(11))], r"x \(1\)"),
    "infinite": ([float("-inf"), *map(float, range(11))], "1 values are infinite"),
    "too-large": ([77123e150, *map(float, range(11))], "beyond"),
    "too-close-together": ([i * 1e-200 for i in range(N)], "smaller unit"),
}


@pytest.mark.each_once
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fault", COLUMNS)
def test_a_column_that_holds_no_quantities_is_refused_in_every_kind_of_frame(kind, fault):
    values, message = COLUMNS[fault]
    refused(lambda: protect(KINDS[kind](columns(x=values))), DataError, message)


@pytest.mark.each_once
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"k": 13}, DataError, "at least 13 records, got 12"),
        ({"k": 1}, ParameterError, "k must be at least 2, got 1"),
        ({"k": 2}, ParameterError, "accept_risks"),
        ({"k": 3.5}, ParameterError, "k must be a whole number"),
        ({"k": np.array([77123])}, ParameterError, "k must be a whole number, got ndarray"),
        ({"seed": -1}, ParameterError, "seed must be at least 0"),
        ({"seed": 1.5}, ParameterError, "seed must be a whole number"),
        ({"seed": "luck"}, ParameterError, "seed must be a whole number"),
        ({"quasi": []}, ParameterError, "at least one column"),
        ({"quasi": None}, ParameterError, "quasi must be a list"),
        ({"quasi": 5}, ParameterError, "quasi must be a list"),
        ({"quasi": [77123.456] * 99}, ParameterError, "quasi.0 must be text, got float.*more"),
        ({"quasi": ["x", "ghost"]}, ParameterError, "no column ghost"),
        ({"quasi": "name"}, DataError, "column name: wanted numbers"),
        ({"unit": ["name"]}, ParameterError, "unit must be text, got list"),
        ({"unit": "name"}, DataError, "distinct units, got 1"),
        ({"strata": ["y"]}, ParameterError, "y is named twice"),
        ({"measures": ["Magic"]}, ParameterError, "'Magic'"),
        ({"measures": 5}, ParameterError, "names must be a list"),
        ({"method": "bestest"}, ParameterError, "'bestest'"),
        ({"method": 5}, ParameterError, "method must be text"),
        ({"method": "hm"}, DataError, "one column, got 2"),
        ({"missing": "guess"}, ParameterError, "missing must be one of"),
        ({"accept_risks": "perhaps"}, ParameterError, "no risk named perhaps"),
        ({"depth": 3}, ParameterError, "no parameter depth"),
        ({"weight": "name"}, DataError, "column name"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else None,
)
def test_a_wrong_option_is_refused_for_every_kind_of_frame(kind, options, error, message):
    refused(lambda: protect(KINDS[kind](columns()), **options), error, message)


FRAME = pd.DataFrame(columns())
FRAMES = {
    "a-dict": (columns(), "got dict"),
    "a-list": ([77123.456], "got list"),
    "an-array": (np.full((5, 2), 77123.456), "got ndarray"),
    "a-series": (FRAME["x"], "got Series"),
    "nothing": (None, "got NoneType"),
    "a-lazy-frame": (pl.LazyFrame(columns()), "Collect a lazy frame first"),
    "a-frame-of-no-rows": (FRAME[:0], "got none"),
    "a-polars-frame-of-nothing": (pl.DataFrame(), "got none"),
    "an-arrow-table-of-nothing": (pa.table({}), "got none"),
    "a-frame-of-no-columns": (FRAME[[]], "Columns: none"),
    "names-that-are-numbers": (pd.DataFrame(np.ones((5, 2))), "names of text, got 2"),
    "names-on-two-levels": (pd.concat({"Quixote": FRAME}, axis=1), "names of text, got 3"),
    "names-repeated-in-pandas": (FRAME[["x", "y", "y"]], "got y more than once"),
    "names-repeated-in-arrow": (pa.table([[1.0]] * 2, ["x", "x"]), "got x more than once"),
    "names-that-are-values": (FRAME.rename(columns={"x": "77123.456"}), "not shown"),
    "mixed-objects": (FRAME.assign(x=["Quixote", 77123.456] * 6), "numbers, got Object"),
    "numbers-as-objects": (FRAME.assign(x=FRAME["x"].astype(object)), "numbers, got Object"),
    "numbers-as-categories": (FRAME.assign(x=FRAME["x"].astype("category")), "numbers, got Categorical"),
    "complex-numbers": (FRAME.assign(x=FRAME["x"] * 1j), "numbers"),
    "durations": (FRAME.assign(x=pd.to_timedelta(FRAME["x"], "D")), "numbers, got Duration"),
    "nullable-integers": (FRAME.assign(x=pd.array([None, *range(11)], "Int64")), r"x \(1\)"),
}


@pytest.mark.parametrize("fault", FRAMES)
def test_what_is_no_frame_of_records_is_refused(fault):
    frame, message = FRAMES[fault]
    refused(lambda: protect(frame), (DataError, ParameterError), message)


SIX = np.array([0.0, 1.0, 2.0, 10.0, 11.0, 12.0]).reshape(-1, 1)
ARRAYS = {
    "text": (np.array([["Quixote"]] * 6), "real numbers"),
    "numbers-as-text": (np.array([["77123.456"]] * 6), "real numbers"),
    "lists-of-text": ([["77123.456"]] * 6, "real numbers"),
    "objects": (np.array([["77123.456"]] * 6, dtype=object), "real numbers"),
    "none": ([[None]] * 6, "real numbers"),
    "complex": (SIX * 1j, "real numbers"),
    "dates": (np.array([["2001-02-03"]] * 6, dtype="M8[D]"), "real numbers"),
    "nan": (np.where(SIX > 10, np.nan, SIX), "2 values are missing or infinite"),
    "infinite": (np.where(SIX > 10, np.inf, SIX), "2 values are missing or infinite"),
    "beyond-a-double": (np.full((6, 1), np.finfo(np.longdouble).max), "infinite"),
    "masked": (np.ma.masked_greater(SIX, 10), "2 values are missing or infinite"),
    "huge": (SIX * 1e200, "beyond"),
    "tiny": (SIX * 1e-200, "smaller unit"),
    "one-dimension": (SIX[:, 0], "1 dimension"),
    "three-dimensions": (SIX[:, :, None], "3 dimension"),
    "a-number": (77123.456, "0 dimension"),
    "a-word": ("Quixote", "0 dimension"),
    "ragged-rows": ([[1.0], [1.0, 2.0]], "unlike length"),
    "no-rows": (SIX[:0], "at least one record"),
    "no-columns": (SIX[:, :0], "at least one record"),
    "too-few-rows": (SIX[:2], "at least 3 records, got 2"),
}


@pytest.mark.parametrize("fault", ARRAYS)
def test_an_array_that_holds_no_records_is_refused_by_a_method(fault):
    x, message = ARRAYS[fault]
    refused(lambda: tacita.get_method("mdav", k=3).partition(x), DataError, message)


UNITS = {
    "too-short": ([1, 2], "wanted 6 units"),
    "two-dimensions": ([[1]] * 6, "wanted 6 units"),
    "missing": ([1.0, 2.0, np.nan, 3.0, 4.0, 5.0], "none missing"),
    "mixed": (["Quixote", 1, None, "a", "b", "c"], "none missing"),
    "too-few": ([1, 1, 1, 2, 2, 2], "3 distinct units, got 2"),
}


@pytest.mark.parametrize("fault", UNITS)
def test_units_that_do_not_tell_who_is_who_are_refused(fault):
    units, message = UNITS[fault]
    refused(lambda: tacita.get_method("mdav", k=3).partition(SIX, units=units), DataError, message)


OTHERS: dict[str, tuple[Callable[[], Any], str]] = {
    "assess-other-row-counts": (lambda: tacita.evaluate(FRAME, FRAME[:5], quasi="x"), "12 records"),
    "assess-without-the-column": (lambda: tacita.evaluate(FRAME, FRAME[["y"]], quasi="x"), "no column x"),
    "assess-all-missing": (lambda: tacita.evaluate(FRAME, FRAME.assign(x=np.nan), quasi="x"), "every record"),
    "assess-text": (lambda: tacita.evaluate(FRAME, FRAME.assign(x="Quixote"), quasi="x"), "numbers"),
    "assess-infinite": (lambda: tacita.evaluate(FRAME, FRAME.assign(x=np.inf), quasi="x"), "infinite"),
    "assess-a-dict": (lambda: tacita.evaluate(FRAME, columns(), quasi="x"), "got dict"),
    "assess-a-file-not-there": (lambda: tacita.evaluate("nowhere.csv", FRAME, quasi="x"), "no such file"),
    "a-misspelt-reading-option": (lambda: tacita.read("a.csv", delimeter=";"), "no parameter delimeter"),
    "a-run-with-a-negative-seed": (lambda: tacita.RunContext(seed=-1), "at least 0"),
    "a-run-with-a-seed-not-whole": (lambda: tacita.RunContext(seed=1.5), "whole number"),  # type: ignore[arg-type]
    "a-method-nobody-knows": (lambda: tacita.get_method("bestest"), "'bestest'"),
    "labels-of-text": (lambda: tacita.Partition(["Quixote"] * 3, 3), "label"),  # type: ignore[arg-type]
    "comparing-text": (lambda: Comparison.of([["Quixote"]], [["Quixote"]]), "real numbers"),
    "a-frame-as-quasi": (lambda: protect(FRAME, quasi={"x": FRAME}), "quasi must be a list, got dict"),
    "a-column-as-quasi": (lambda: protect(FRAME, quasi=FRAME["x"]), "quasi.0 must be text, got float"),
    "a-frame-as-k": (lambda: protect(FRAME, k=FRAME), "k must be a whole number, got DataFrame"),
}


@pytest.mark.parametrize("call", OTHERS)
def test_a_wrong_call_is_refused(call):
    act, message = OTHERS[call]
    refused(act, tacita.TacitaError, message)


def test_a_mixed_column_can_be_protected_around_but_not_written(tmp_path):
    release = protect(FRAME.assign(odd=["Quixote", 77123.456] * 6))
    for ending in (".csv", ".parquet"):
        refused(lambda name=f"out{ending}": tacita.save(release, tmp_path / name), DataError, "mixed types")
    assert everything_in(tmp_path) == {}


def test_extreme_values_are_no_reason_to_refuse_a_column_that_is_only_passed_on():
    odd = {"a": [np.inf] * N, "b": [i * 1e300 for i in range(N)], "c": [i * 1e-300 for i in range(N)]}
    assert protect(pl.DataFrame(columns(**odd))).data["b"].to_list() == odd["b"]


def test_whole_numbers_beyond_the_exact_range_are_rounded_not_wrapped():
    for make in KINDS.values():
        frame = make(columns(x=[2**63 - 1 - i for i in range(N)]))
        released = protect(frame, round_integers=True).data["x"]
        assert {float(value) for value in np.asarray(released)} == {2.0**63}


def test_the_file_that_was_read_is_never_overwritten_by_its_release(tmp_path):
    source = tmp_path / "survey.csv"
    source.write_text(text())
    shutil.copy(source, tmp_path / "plain.csv")
    (tmp_path / "hard.csv").hardlink_to(source)
    (tmp_path / "soft.csv").symlink_to(source)
    release = tacita.protect(source, quasi=["turnover", "wages"])
    before = everything_in(tmp_path)
    for name in ("survey.csv", "hard.csv", "soft.csv"):
        refused(lambda name=name: tacita.save(release, tmp_path / name), ParameterError, "same file")
    refused(
        lambda: tacita.save(release, tmp_path / "plain.csv", source=tmp_path / "plain.csv"),
        ParameterError,
        "same file",
    )
    assert everything_in(tmp_path) == before


def refused(act: Callable[[], Any], error: Any, message: str) -> None:
    """A refusal in our own words that repeats no value, nor drags one along as its cause."""
    with pytest.raises(error, match=message) as told:
        act()
    problem: BaseException | None = told.value
    assert isinstance(problem, tacita.TacitaError)
    assert problem.__cause__ is None
    assert problem.__context__ is None or problem.__suppress_context__
    assert not any(secret in str(problem) for secret in SECRETS)
