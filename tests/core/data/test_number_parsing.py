import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.core.data.number_parsing import looks_like_code, parse_numbers


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_every_finite_number_survives_text_to_the_last_bit(values):
    parsed = parse_numbers(pa.array([repr(v) for v in values]))
    assert parsed.bad == 0
    assert np.array_equal(parsed.values.view(np.int64), np.array(values).view(np.int64))


@pytest.mark.parametrize("text", ["1", "-1", "+1", "1.", ".5", "1e3", "1E-3", " 7 ", "007", "-0.0"])
def test_numbers_as_people_write_them_are_read(text):
    assert parse_numbers(pa.array([text])).values[0] == float(text)


@pytest.mark.parametrize(
    "text", ["1,5", "1 000", "1.000.000", "0x10", "1_000", "one", "--1", "1e", "e5", "½", "٣"]
)
def test_what_is_not_a_plain_number_is_counted_as_bad(text):
    parsed = parse_numbers(pa.array(["1", text]))
    assert (parsed.bad, parsed.first_bad) == (1, 1)


def test_with_a_decimal_comma_a_point_is_no_number():
    parsed = parse_numbers(pa.array(["1,5", "1.5"]), ",")
    assert parsed.values[0] == 1.5
    assert (parsed.bad, parsed.first_bad) == (1, 1)


def test_infinite_words_are_numbers_so_that_they_can_be_refused_as_infinite():
    assert np.isinf(parse_numbers(pa.array(["inf", "-Infinity", "1e999"])).values).all()


def test_declared_missing_values_are_missing():
    parsed = parse_numbers(pa.array(["", "NA", "-99", "5"]), ".", ["", "NA", "-99"])
    assert np.isnan(parsed.values[:3]).all()
    assert parsed.bad == 0


def test_codes_with_leading_zeros_are_told_from_quantities():
    assert looks_like_code(pa.array(["12", "034"]))
    assert not looks_like_code(pa.array(["0", "0.5", "10"]))
