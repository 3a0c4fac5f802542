"""As test_survivors.py, of single cells: nested ones, Python objects, units of time, categories."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import tacita
from planting import beside, failed, judge
from tacita.core import Microdata
from tacita.microdata import verify

X = [1.0, 2.0, 3.0, 19.0, 20.0, 21.0]


class Odd:
    """Not equal to anything, itself included."""

    def __eq__(self, other: object) -> bool:
        return False

    __hash__ = None


@dataclass(repr=False)
class Coin:
    """Equal to its like, which is spelled otherwise."""

    worth: int


@dataclass(repr=False)
class Blank(Coin):
    """Spelled as all others are."""

    def __repr__(self) -> str:
        return "blank"


MIXED = [1, "a", -0.0, float("nan"), None, (0.0, 1), [0.0], {"a": 0.0}, True, Odd(), Coin(1), Blank(1)]


@pytest.mark.parametrize(
    ("row", "other"),
    [
        (0, 2),
        (0, 1.0),
        (0, True),
        (1, "b"),
        (2, 0.0),
        (3, None),
        (3, 1.0),
        (4, float("nan")),
        (5, (-0.0, 1)),
        (5, [0.0, 1]),
        (6, [-0.0]),
        (7, {"a": -0.0}),
        (8, 1),
        (9, Odd()),
        (10, Coin(2)),
        (11, Blank(2)),
    ],
)
def test_a_change_among_mixed_python_objects_is_caught(row, other):
    frame = pd.DataFrame({"x": np.arange(12.0), "o": pd.Series(MIXED, dtype=object)})
    made = tacita.protect(frame, quasi=["x"], measures=["IL1"])
    assert failed(verify.verify(Microdata.of(made.data), made.claim)) == set()
    planted = made.data.copy()
    planted.at[row, "o"] = other
    assert failed(verify.verify(Microdata.of(planted), made.claim)) == {"others-identical"}


def test_equal_objects_pass_and_those_that_do_not_equal_themselves_where_they_are_spelled_alike():
    cells = [Decimal("NaN"), Coin(1), "a"] * 2
    frame = pd.DataFrame({"x": X, "o": pd.Series(cells, dtype=object)})
    made = tacita.protect(frame, quasi=["x"], measures=["IL1"])
    again = made.data.assign(o=pd.Series([Decimal("NaN"), Coin(1), "a"] * 2, dtype=object))
    assert failed(verify.verify(Microdata.of(again), made.claim)) == set()


def structs(**fields: list) -> pa.StructArray:
    return pa.StructArray.from_arrays([pa.array(cells) for cells in fields.values()], list(fields))


NESTED = {
    "a field renamed": (structs(a=range(6)), structs(b=range(6))),
    "fields in another order": (structs(a=range(6), b=range(6)), structs(b=range(6), a=range(6))),
    "a field less": (structs(a=range(6), b=range(6)), structs(a=range(6))),
    "a field more": (structs(a=range(6)), structs(a=range(6), b=range(6))),
    "the second field changed": (structs(a=range(6), b=range(6)), structs(a=range(6), b=range(1, 7))),
    "the first field changed": (structs(a=range(6), b=range(6)), structs(a=range(1, 7), b=range(6))),
    "minus zero in a record": (structs(a=[0.0] * 6), structs(a=[0.0] * 5 + [-0.0])),
    "a gap moved in a record": (structs(a=[None, 1.0] * 3), structs(a=[1.0, None] * 3)),
    "records become text": (structs(a=range(6)), pa.array(list("abcdef"))),
    "an item in the list before": (pa.array([[1, 2], [3]] * 3), pa.array([[1], [2, 3]] * 3)),
    "an item changed": (pa.array([[1, 2], [3]] * 3), pa.array([[1, 2], [4]] * 3)),
    "minus zero in a list": (pa.array([[0.0], [1.0]] * 3), pa.array([[-0.0], [1.0]] * 3)),
    "an empty list becomes a gap": (pa.array([[1], []] * 3), pa.array([[1], None] * 3)),
    "lists become large lists": (pa.array([[1]] * 6), pa.array([[1]] * 6, pa.large_list(pa.int64()))),
    "lists become fixed lists": (pa.array([[1]] * 6), pa.array([[1]] * 6, pa.list_(pa.int64(), 1))),
    "items of another type": (pa.array([[1]] * 6), pa.array([[1]] * 6, pa.list_(pa.int32()))),
    "an item of a large list changed": (
        pa.array([[1]] * 6, pa.large_list(pa.int64())),
        pa.array([[1]] * 5 + [[2]], pa.large_list(pa.int64())),
    ),
    "minus zero in a large list": (
        pa.array([[0.0]] * 6, pa.large_list(pa.float64())),
        pa.array([[0.0]] * 5 + [[-0.0]], pa.large_list(pa.float64())),
    ),
    "minus zero in a fixed list": (
        pa.array([[0.0]] * 6, pa.list_(pa.float64(), 1)),
        pa.array([[0.0]] * 5 + [[-0.0]], pa.list_(pa.float64(), 1)),
    ),
    "minus zero in a map": (
        pa.array([[("a", 0.0)]] * 6, pa.map_(pa.string(), pa.float64())),
        pa.array([[("a", 0.0)]] * 5 + [[("a", -0.0)]], pa.map_(pa.string(), pa.float64())),
    ),
    "a map becomes a list of records": (
        pa.array([[("a", 1)]] * 6, pa.map_(pa.string(), pa.int64())),
        pa.array([[{"key": "a", "value": 1}]] * 6),
    ),
    "a text view changed": (
        pa.array(list("abcdef"), pa.string_view()),
        pa.array(list("abcdee"), pa.string_view()),
    ),
    "bytes in a view changed": (
        pa.array([b"a", b"b"] * 3, pa.binary_view()),
        pa.array([b"a", b"c"] * 3, pa.binary_view()),
    ),
}


@pytest.mark.parametrize("what", NESTED)
def test_a_change_inside_nested_or_unusual_cells_is_caught(what):
    before, after = NESTED[what]
    made = beside(before)
    assert failed(judge("pyarrow", made.data, made.claim)) == set()
    assert failed(judge("pyarrow", made.data.set_column(1, "o", after), made.claim)) == {"others-identical"}


STORED = {
    "seconds": (pa.timestamp("s"), pa.timestamp("ms"), [0, 1000, 2000]),
    "seconds of a zone": (
        pa.timestamp("s", "Europe/Paris"),
        pa.timestamp("ms", "Europe/Paris"),
        [0, 1000, 2000],
    ),
    "time of day": (pa.time32("s"), pa.time32("ms"), [0, 1000, 2000]),
    "dates": (pa.date64(), pa.date32(), [0, 1, 2]),
}


@pytest.mark.parametrize("what", STORED)
def test_a_unit_that_parquet_does_not_have_may_change_but_no_moment(what):
    kind, stored, numbers = STORED[what]
    scale = 86_400_000 if what == "dates" else 1
    made = beside(pa.array([0, scale, 2 * scale] * 2, kind))
    table = made.data
    kept = pa.array(numbers * 2, stored)
    assert failed(judge("pyarrow", table.set_column(1, "o", kept), made.claim)) == set()
    moved = pa.array([*(numbers * 2)[:-1], numbers[-1] + 1], stored)
    assert failed(judge("pyarrow", table.set_column(1, "o", moved), made.claim)) == {"others-identical"}
    for other in (pa.int64(), pa.timestamp("us"), pa.timestamp("ms", "UTC"), pa.time64("us")):
        planted = pa.array(numbers * 2, pa.int64()).cast(other)
        found = failed(judge("pyarrow", table.set_column(1, "o", planted), made.claim))
        assert found == {"others-identical"}


def ladder(words: list[str], order: list[str], *, ordered: bool = True) -> pa.DictionaryArray:
    codes = pa.array([order.index(word) for word in words], pa.int8())
    return pa.DictionaryArray.from_arrays(codes, order, ordered=ordered)


SIZES = ["small", "large", "small"] * 2
CATEGORIES = {
    "an order is lost": ladder(SIZES, ["small", "large"], ordered=False),
    "an order is turned round": ladder(SIZES, ["large", "small"]),
    "a cell changes": ladder(["large", *SIZES[1:]], ["small", "large"]),
    "categories become text": pa.array(SIZES),
    "categories become numbers": pa.array([0, 1, 0] * 2).dictionary_encode(),
}


@pytest.mark.parametrize("what", CATEGORIES)
def test_a_changed_ladder_of_categories_is_caught(what):
    made = beside(ladder(SIZES, ["small", "large"]))
    assert failed(judge("pyarrow", made.data, made.claim)) == set()
    planted = made.data.set_column(1, "o", CATEGORIES[what])
    assert failed(judge("pyarrow", planted, made.claim)) == {"others-identical"}


def test_categories_of_numbers_may_come_back_as_their_values_but_not_as_others():
    made = beside(pa.array([3, 1, 3] * 2).dictionary_encode())
    table = made.data
    assert failed(judge("pyarrow", table.set_column(1, "o", pa.array([3, 1, 3] * 2)), made.claim)) == set()
    narrow = pa.array([3, 1, 3] * 2, pa.int32())
    texts, floats = pa.array(["3", "1", "3"] * 2), pa.array([3.0, 1.0, 3.0] * 2)
    for planted in (pa.array([3, 1, 1] * 2), texts, floats, narrow, narrow.dictionary_encode()):
        found = failed(judge("pyarrow", table.set_column(1, "o", planted), made.claim))
        assert found == {"others-identical"}
