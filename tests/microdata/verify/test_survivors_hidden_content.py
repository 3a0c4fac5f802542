"""As test_survivors.py, of memory: arrays made of buffers that hide something, and that do not."""

from __future__ import annotations

import struct

import pyarrow as pa
import pytest

from planting import beside, failed, judge, spelled
from tacita.microdata.verify import hidden_content

PRESENT = [True, False, True, True, False, True]
BITS = pa.array(PRESENT).buffers()[1]


def numbers(code, *hidden, more=0):
    """Six numbers as Arrow stores them; the second and the fifth are missing, these stand in their slots."""
    cells = [hidden[0], 5, 6, hidden[-1], 7] + [8] * more
    return pa.py_buffer(struct.pack(f"<6{code}" if not more else f"<{6 + more}{code}", 4, *cells))


FILLED = {
    "nothing": (pa.int64(), numbers("q", 0, 0), False),
    "a filler": (pa.int64(), numbers("q", 1, 1), False),
    "no category": (pa.int8(), numbers("b", -1, -1), False),
    "not a time": (pa.timestamp("ns"), numbers("q", -(2**63), -(2**63)), False),
    "not a number": (pa.float64(), numbers("d", float("nan"), float("nan")), False),
    "nought": (pa.float64(), numbers("d", 0.0, 0.0), False),
    "a value": (pa.int64(), numbers("q", 9, 9), True),
    "a small value": (pa.int8(), numbers("b", 2, 2), True),
    "two fillers": (pa.int64(), numbers("q", 0, 1), True),
    "a float": (pa.float64(), numbers("d", 0.25, 0.25), True),
    "one float": (pa.float64(), numbers("d", float("nan"), 0.25), True),
    "a time": (pa.timestamp("ns"), numbers("q", 0, 77), True),
    "a slot more": (pa.int64(), numbers("q", 0, 0, more=1), True),
}


@pytest.mark.parametrize("what", FILLED)
def test_only_one_and_the_same_filler_may_stand_under_missing_numbers(what):
    kind, slots, hides = FILLED[what]
    cells = pa.Array.from_buffers(kind, 6, [BITS, slots])
    assert hidden_content._hides(cells) == hides
    assert list(hidden_content._walk(cells, True)) == [hidden_content._STALE] * hides
    assert list(hidden_content._walk(cells, False)) == []


@pytest.mark.parametrize(("slots", "hides"), [(0b101101, False), (0b101111, True), (0b111101, True)])
def test_a_flag_under_a_missing_one_is_seen(slots, hides):
    cells = pa.Array.from_buffers(pa.bool_(), 6, [BITS, pa.py_buffer(bytes([slots]))])
    assert hidden_content._hides(cells) == hides


def test_numbers_under_a_column_that_is_missing_as_a_whole_are_seen():
    gone = pa.py_buffer(bytes(1))
    assert hidden_content._hides(pa.Array.from_buffers(pa.int64(), 6, [gone, numbers("q", 0, 0)]))
    assert not hidden_content._hides(pa.Array.from_buffers(pa.int64(), 6, [gone, pa.py_buffer(bytes(48))]))
    assert not hidden_content._hides(pa.nulls(6, pa.int64()))


@pytest.mark.parametrize("length", [0, 1, 12, 13, 40])
def test_texts_of_any_length_stand_behind_their_views(length):
    for kind, letter in ((pa.string_view(), "a"), (pa.binary_view(), b"a")):
        cells = pa.array([letter * length, letter, None] * 2, kind)
        assert not hidden_content._hides(cells)
        assert list(hidden_content._walk(cells, True)) == []


def test_a_fixed_list_has_no_more_entries_than_its_lists_and_none_under_a_missing_one():
    kind = pa.list_(pa.int64(), 2)
    told = {}
    for what, entries in {
        "as many": [1, 2, None, None, 5, 6, 7, 8, None, None, 11, 12],
        "more": [1, 2, None, None, 5, 6, 7, 8, None, None, 11, 12, 13, 14],
        "under a missing one": [1, 2, None, 4, 5, 6, 7, 8, None, None, 11, 12],
    }.items():
        cells = pa.Array.from_buffers(kind, 6, [BITS], children=[pa.array(entries)])
        told[what] = list(hidden_content._walk(cells, False))
    stale = [hidden_content._STALE]
    assert told == {"as many": [], "more": stale, "under a missing one": stale}


@pytest.mark.parametrize(
    ("ends", "hides"),
    [
        ([0, 1, 1, 2, 3, 3, 4], False),
        ([0, 1, 2, 2, 3, 3, 4], True),
        ([1, 1, 1, 2, 3, 3, 4], True),
        ([0, 1, 1, 2, 2, 2, 3], True),
    ],
    ids=spelled,
)
def test_every_entry_of_a_list_belongs_to_a_list_that_is_there(ends, hides):
    offsets = pa.array(ends, pa.int32()).buffers()[1]
    cells = pa.Array.from_buffers(pa.list_(pa.int64()), 6, [BITS, offsets], children=[pa.array([1, 2, 3, 4])])
    assert list(hidden_content._walk(cells, False)) == [hidden_content._STALE] * hides


def test_a_known_type_of_others_is_looked_into_and_not_refused():
    words = [bytes(range(16)), None, bytes(16)] * 2
    made = beside(pa.array(words, pa.binary(16)).cast(pa.uuid()))
    assert failed(judge("pyarrow", made.data, made.claim)) == set()
    inside = pa.ExtensionArray.from_storage(pa.uuid(), pa.array([bytes(16)] * 7, pa.binary(16)).slice(1))
    assert list(hidden_content._walk(inside, True))[:1] == [hidden_content._STALE]


def test_what_a_whole_does_not_have_its_parts_do_not_have_either():
    parts = {"all there": [1, None, 3, 4, None, 6], "one under a gap": [1, 2, 3, 4, None, 6]}
    kind = pa.struct([("p", pa.int64())])
    for what, cells in parts.items():
        whole = pa.Array.from_buffers(kind, 6, [BITS], children=[pa.array(cells)])
        assert list(hidden_content._walk(whole, False)) == [hidden_content._STALE] * (what != "all there")
