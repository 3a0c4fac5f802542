"""What `make test` leaves to `make test-long`, and what it does not."""

from itertools import product
from types import SimpleNamespace

import pytest

from effort import first_of, first_of_each, holds_a_value_first, one_form_each

WAYS = {"one": 1, "other": 2, "third": 3}
AXES = {
    "way": WAYS,
    "size, k": [(5, 2), (6, 3), pytest.param(7, 4), pytest.param(8, 5), (9, 6)],
    "seed": range(1000, 1002),
    "asked": [None, (1, 2)],
}


def grid():
    """All cases of a grid, as pytest makes them."""
    marks = [pytest.mark.parametrize(names, cases).mark for names, cases in AXES.items()]
    for way, pair, seed, asked in product(*AXES.values()):
        size, k = getattr(pair, "values", pair)
        params = {"way": way, "size": size, "k": k, "seed": seed, "asked": asked}
        yield SimpleNamespace(
            callspec=SimpleNamespace(params=params), iter_markers=lambda _, marks=marks: iter(marks)
        )


def test_of_a_grid_the_fewest_cases_are_taken_that_hold_every_value():
    taken = [case.callspec.params for case in grid() if holds_a_value_first(case)]
    assert len(taken) == 5
    assert {params["way"] for params in taken} == set(WAYS)
    assert {params["size"] for params in taken} == {5, 6, 7, 8, 9}
    assert {params["seed"] for params in taken} == {1000, 1001}
    assert {params["asked"] for params in taken} == {None, (1, 2)}


def quick(cases):
    return [case.values for case in cases if not case.marks]


def test_of_a_list_the_first_are_taken_or_the_first_of_every_file():
    assert quick(first_of(range(5), 2)) == [(0,), (1,)]
    assert quick(first_of_each([("census", 3), ("census", 5), ("eia", 3)])) == [("census", 3), ("eia", 3)]


def test_of_cases_in_several_forms_each_is_taken_in_another():
    forms = {"a": ["csv", "parquet"], "b": ["csv", "parquet"], "c": ["csv"]}
    assert quick(one_form_each(forms)) == [("a", "csv"), ("b", "parquet"), ("c", "csv")]
