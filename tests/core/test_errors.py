"""Errors that tacita raises on purpose."""

from typing import Annotated

import pytest
from pydantic import AfterValidator, model_validator

from tacita.core import ParameterError
from tacita.core.spec.params import Parameters
from tacita.io.content import content_of


def no_odd_number(value: int) -> int:
    if value % 2:
        raise ParameterError("Inner: wanted an even number.", field="number")
    return value


class Inner(Parameters):
    number: Annotated[int, AfterValidator(no_odd_number)] = 2
    size: int = 0


class Outer(Parameters):
    inner: Inner = Inner()
    name: str = ""

    @model_validator(mode="after")
    def _is_named(self):
        if self.name == "nobody":
            raise ParameterError("Outer: choose another name.", field="name")
        return self


def test_a_parameter_error_is_a_value_error():
    with pytest.raises(ValueError, match="k must be at least 2"):
        raise ParameterError("k must be at least 2, got 1.", field="k")


@pytest.mark.parametrize(
    ("wrong", "message", "field"),
    [
        ({"inner": {"number": 3}}, "Inner: wanted an even number.", "number"),
        ({"inner": {"number": 3}, "name": 5}, "Inner: wanted an even number.", "number"),
        ({"name": "nobody"}, "Outer: choose another name.", "name"),
    ],
)
def test_an_error_that_a_validator_raises_reaches_the_caller_as_it_was_raised(wrong, message, field):
    with pytest.raises(ParameterError) as caught:
        Outer(**wrong)
    assert (str(caught.value), caught.value.field) == (message, field)


def test_a_folder_in_place_of_a_file_is_refused_in_one_sentence(tmp_path):
    with pytest.raises(ParameterError) as caught:
        content_of(tmp_path)
    assert str(caught.value) == f"{tmp_path.name}: wanted a file, got a folder."
