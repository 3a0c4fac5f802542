"""Rules, edits and conditions are read as they are written, and nothing else is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.core import ParameterError
from tacita.core.spec.conditions import Clause, condition_of, edit_of, rule_of
from tacita.testing.examples import refusal

NAMES = st.sampled_from(["age", "_x", "income.net", "größe", "my column", "2nd", "and so on"])
SIGNS = st.sampled_from(["=", "!=", "<", "<=", ">", ">="])
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
LABELS = st.text(st.characters(exclude_characters="'", exclude_categories=["Cs"]), max_size=9)


def written(name):
    return name if name.replace(".", "").isidentifier() else f"`{name}`"


@given(
    clauses=st.lists(
        st.one_of(
            st.builds(Clause, NAMES, SIGNS, NUMBERS),
            st.builds(Clause, NAMES, SIGNS, LABELS),
            st.builds(Clause, NAMES, st.sampled_from(["=", "!="]), st.none()),
        ),
        min_size=1,
        max_size=4,
    ),
    blank=st.sampled_from(["", " ", "\t"]),
)
def test_a_condition_is_read_as_it_is_written(clauses, blank):
    words = [
        f"{written(each.column)}{blank}{each.sign}{blank}"
        + (
            "missing"
            if each.value is None
            else f"'{each.value}'"
            if isinstance(each.value, str)
            else f"{each.value!r}"
        )
        for each in clauses
    ]
    text = " and ".join(words)
    assert condition_of(text, "Zeros") == tuple(clauses)
    assert rule_of(f"{text}: {words[0]}", "Rules").then == (clauses[0],)


@given(terms=st.dictionaries(NAMES, st.integers(1, 99), min_size=1, max_size=5), constant=st.integers(0, 999))
def test_an_edit_brings_all_columns_to_the_left_and_numbers_to_the_right(terms, constant):
    left = " + ".join(f"{factor} * {written(name)}" for name, factor in terms.items())
    assert dict(edit_of(f"{left} <= {constant}", "Edits").terms) == terms
    turned = edit_of(f"{constant} >= {left}", "Edits")
    assert {name: -factor for name, factor in turned.terms} == terms
    assert (turned.sign, turned.constant) == (">=", -constant)
    assert edit_of(f"-5 + {left} = -{constant}", "Edits").constant == 5 - constant


@given(st.text(max_size=30))
def test_any_other_text_is_refused_in_words(text):
    told = [refusal(ParameterError, reader, text, "Rules") for reader in (condition_of, rule_of, edit_of)]
    assert all(each == "" or each.startswith("Rules: wanted") for each in told)


@pytest.mark.parametrize(
    "text", ["a = 1 and", "and = 1 and a", "a == 1", "a = 'x", "a = 1 = 2", "`` = 1", "a = --1", "1 = a"]
)
def test_what_is_nearly_a_condition_is_none(text):
    with pytest.raises(ParameterError, match="Rules: wanted"):
        condition_of(text, "Rules")
