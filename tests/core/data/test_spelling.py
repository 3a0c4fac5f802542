"""Units are counted by who they are, not by how they are spelled."""

import unicodedata
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita
from planting import FRAMES, native
from tacita.core import Microdata
from tacita.core.data.spelling import _folded, plain_spelling
from tacita.microdata import verify
from tacita.microdata.verify.evidence import _unit_name, one_each

SAME = [
    ["ACME", "ACME ", " acme", "Ac\u200bme", "ＡＣＭＥ"],
    ["1", "1.0", "01", "1,00", "+1", "１", "\u0661"],
    ["Café", unicodedata.normalize("NFD", "Café"), "CAFÉ"],
    ["Straße", "STRASSE"],
    ["north  west", "north\u00a0west", "North\twest"],
    ["-0.5", "-0,50", "-00.5"],
    ["0", "-0", "0.0"],
    ["DIYARBAKIR", "diyarbakir", "diyarbak\u0131r", "D\u0130YARBAKIR", "d\u0130yarbak\u0131r".lower()],
    ["Bolt", "Bo\u034flt", "Bolt\ufe0f", "Bolt\u3164", "\u2800Bolt", "Bo\x00lt", "Bolt\x7f", "B\u115folt"],
    ["Caf\u00e9", "Cafe\u200b\u0301", "Cafe\ufe0f\u0301"],
]


@pytest.mark.parametrize("names", SAME, ids=lambda names: names[0])
def test_spellings_of_one_name_are_one_for_the_method_and_for_the_verifier(names):
    assert len({plain_spelling(name) for name in names}) == 1
    assert len({_unit_name(name) for name in names if not name.startswith("\u0661")}) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ACME", "ACNE"),
        ("1", "10"),
        ("1", "1.01"),
        ("A 1", "A1"),
        ("-1", "1"),
        ("a-1", "a1"),
        ("a\u017c", "az"),
    ],
)
def test_names_that_differ_stay_two(one, other):
    assert plain_spelling(one) != plain_spelling(other)
    assert _unit_name(one) != _unit_name(other)


near = st.text(alphabet="aA01.,+- i\u0307\u034f\u0130\u0131ſßéÉ\u0301\u200b\u0660²Ⅳ", max_size=6)


@given(near, near)
def test_what_the_verifier_takes_for_one_unit_the_method_does_too(one, other):
    if _unit_name(one) == _unit_name(other):
        assert plain_spelling(one) == plain_spelling(other)


@given(
    st.lists(st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([0.0, -0.0, 1.0]), min_size=1)
)
def test_numbers_are_units_by_their_value(values):
    data = Microdata.of(pa.table({"u": pa.array(values, pa.float64())}))
    ours, theirs = data.alike("u").codes, one_each(data, "u")
    assert len(set(ours.tolist())) == len(set(theirs.tolist())) == len(set(values))


def firms(spellings, form="arrow"):
    n = 12
    frame = pa.table(
        {"firm": [spellings[i % len(spellings)] for i in range(n)], "x": [float(i) for i in range(n)]}
    )
    return native(frame, form)


@pytest.mark.parametrize("form", FRAMES)
def test_one_firm_under_three_spellings_is_no_group_of_three_units(form):
    with pytest.raises(tacita.DataError, match="distinct units"):
        tacita.protect(firms(["ACME", "ACME ", "acme"], form), quasi="x", unit="firm", k=3)


def test_merged_spellings_are_told_with_their_number():
    frame = pa.table({"firm": [f"f{i % 4}" for i in range(11)] + ["F0 "], "x": [float(i) for i in range(12)]})
    made = tacita.protect(frame, quasi="x", unit="firm", k=3)
    told = {each.name: each for each in made.record.warnings}["units-merged"]
    assert told.count == 1
    assert "firm" in told.text
    assert "f0" not in (told.text + told.advice).lower()


def test_the_verifier_counts_spellings_of_one_unit_once():
    frame = pa.table({"firm": ["a", "b", "c", "d", "e", "f"], "x": [1.0, 2.0, 3.0, 10.0, 11.0, 12.0]})
    made = tacita.protect(frame, quasi="x", unit="firm", k=3)
    respelled = Microdata.of(frame.set_column(0, "firm", [["a", "A", "a ", "d", "e", "f"]]))
    claim = replace(made.claim, original=replace(respelled, roles=made.claim.original.roles))
    released = Microdata.of(made.data.set_column(0, "firm", respelled.native["firm"]))
    broken = {each.guarantee for each in verify.verify(released, claim) if not each.passed}
    assert broken == {"k-units"}


def test_holdings_of_a_table_are_counted_by_who_they_are():
    frame = pd.DataFrame(
        {"r": list("aabb"), "firm": ["ACME", "acme ", "Bolt", "Core"], "v": [5.0, 4.0, 3.0, 2.0]}
    )
    table = tacita.tabulate(frame, ["r"], "v", unit="firm")
    assert table.contributors.count[0] == 1
    assert np.isclose(table.contributors.largest[0, 0], 9.0)
    assert table.contributors.respelled == 1


def test_a_confidential_value_under_two_spellings_is_homogeneous():
    frame = pa.table(
        {"x": [1.0, 2.0, 3.0, 11.0, 12.0, 13.0], "illness": ["Flu", "flu ", "FLU", "a", "b", "c"]}
    )
    made = tacita.protect(frame, quasi="x", confidential=["illness"], k=3)
    assert {each.name: each.count for each in made.record.warnings}["homogeneous-confidential"] == 1


@given(st.text(st.characters(codec="ascii", categories=("L", "N", "P", "S", "Zs"))))
def test_plain_letters_and_digits_are_folded_as_any_others_are(name):
    assert " ".join(name.lower().split()) == " ".join(_folded(name).split())
