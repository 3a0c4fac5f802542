"""What is looked up of a column once: nobody can write into it, and other cells have their own."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.core import Microdata
from tacita.core.arrays import first_places, numbered
from tacita.core.data.microdata import CsvDialect
from tacita.core.data.number_parsing import few_words, parse_numbers

_TABLE = pa.table({"firm": ["ACME", "acme ", "", "Bolt"], "wage": ["1", "2", "", "4"]})


def _look_up(data: Microdata) -> None:
    for name in data.columns:
        data.column(name), data.missing(name), data.alike(name), data.codes([name]), data.kind(name)


def test_other_cells_are_looked_up_anew() -> None:
    data = Microdata.of(_TABLE, dialect=CsvDialect(), source="firms")
    _look_up(data)
    other = data.with_frame(data.frame.tail(2))
    assert other.source == "firms"
    assert other.missing("firm").tolist() == [True, False]
    assert other.alike("firm").codes.tolist() == [0, 1]
    assert other.codes(["firm"]).tolist() == [0, 1]
    assert other.column("wage").to_list() == ["", "4"]
    # and the former frame keeps its own
    assert data.missing("firm").tolist() == [False, False, True, False]


def test_what_is_kept_cannot_be_written_into() -> None:
    data = Microdata.of(_TABLE)
    for kept in (data.missing("firm"), data.alike("firm").codes):
        with pytest.raises(ValueError, match="read-only"):
            kept[0] = 1
    codes = data.codes(["firm"])
    own = codes.copy()
    codes[:] = 7
    assert np.array_equal(data.codes(["firm"]), own)


@given(st.lists(st.integers(0, 12), max_size=40))
def test_first_places_are_those_of_a_plain_loop(numbers: list[int]) -> None:
    first = [numbers.index(number) if number in numbers else -1 for number in range(13)]
    assert first_places(np.array(numbers, dtype=np.int64), 13).tolist() == first


@given(st.lists(st.integers(-(10**12), 10**12) | st.integers(-3, 3), max_size=40))
def test_numbers_are_dense_and_keep_their_order(keys: list[int]) -> None:
    place = {key: number for number, key in enumerate(sorted(set(keys)))}
    assert numbered(np.array(keys, dtype=np.int64)).tolist() == [place[key] for key in keys]


@given(st.lists(st.sampled_from(["1", " 2 ", "x", "NA", "", "01", "inf", None]), min_size=1, max_size=12))
def test_few_words_read_as_every_cell_does(cells: list[str | None]) -> None:
    """A column that is long enough to be read word by word gives what its short parts give."""
    long = pa.chunked_array([pa.array(cells * 1000, pa.string())])
    assert few_words(long)[1] is not None
    short = parse_numbers(pa.array(cells, pa.string()), missing=("", "NA"))
    found = parse_numbers(long, missing=("", "NA"))
    assert np.array_equal(found.values, np.tile(short.values, 1000), equal_nan=True)
    assert (found.bad, found.first_bad) == (1000 * short.bad, short.first_bad)


def test_chunks_of_unlike_dictionaries_share_their_words() -> None:
    cells = pa.chunked_array([["a"] * 600, ["b", None] * 300])
    words, places = few_words(cells)
    assert words.to_pylist() == ["a", "b"]
    assert places is not None
    assert places[[0, 599, 600, 601]].tolist() == [0, 0, 1, -1]
