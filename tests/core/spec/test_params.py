from typing import Annotated, Literal

import numpy as np
import pytest
from pydantic import Field

import tacita
from tacita import ParameterError
from tacita.core import GroupSize, Parameters


class Example(Parameters):
    k: GroupSize = 3
    share: Annotated[float, Field(gt=0, lt=1, description="a share")] = 0.5
    rule: Literal["a", "b"] = "a"
    names: tuple[str, ...] = ()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"k": 1}, "Example: k must be at least 2, got 1."),
        ({"k": 2.5}, "Example: k must be a whole number, got 2.5."),
        ({"k": "x"}, "Example: k must be a whole number, got 'x'."),
        ({"k": None}, "Example: k must be a whole number, got None."),
        ({"share": 1.5}, "Example: share must be less than 1.0, got 1.5."),
        ({"share": 0}, "Example: share must be more than 0.0, got 0."),
        ({"rule": "c"}, "Example: rule must be one of 'a' or 'b', got 'c'."),
        ({"names": 5}, "Example: names must be a list, got 5."),
        ({"bogus": 1}, "Example: there is no parameter bogus. Known: k, share, rule, names."),
        ({"k": 0, "rule": "z"}, "Example: k must be at least 2, got 0. Example: rule must be"),
    ],
)
def test_a_wrong_parameter_is_told_in_our_words(values, message):
    with pytest.raises(ParameterError) as told:
        Example(**values)
    assert str(told.value).startswith(message)


def test_numpy_integers_are_whole_numbers():
    assert Example(k=np.int64(4)).k == 4


def test_long_values_are_cut_in_messages():
    with pytest.raises(ParameterError) as told:
        Example(k="x" * 500)
    assert len(str(told.value)) < 120


@pytest.mark.parametrize(
    ("call", "field"),
    [
        (lambda: tacita.get_method("mdav", k=1), "k"),
        (lambda: tacita.get_method("noise", alpha="much"), "alpha"),
        (lambda: tacita.get_method("mdav", bogus=1), "bogus"),
        (
            lambda: tacita.Plan(input={"path": "a.csv"}, roles={"quasi": "x"}, protect={"missing": "so"}),
            "missing",
        ),
        (lambda: tacita.Plan(roles={"quasi": "x"}, output={"path": "b.csv"}), "input"),
    ],
)
def test_an_error_carries_the_field_it_is_about(call, field):
    with pytest.raises(tacita.ParameterError) as refused:
        call()
    assert refused.value.field == field
