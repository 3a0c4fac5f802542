"""How much of a test is for `make test`; the rest is for `make test-long`, and nothing is for neither.

- a law (Hypothesis): 10 examples of 100; half as many where it says `@DEAR`, 50 of 150 where it says `@MANY`
- a grid of cases: of all pairs of two `parametrize`, `@pytest.mark.each_once` runs as few as hold every value
- cases in several forms: `one_form_each({case: forms})` runs every case in one form, each in another
- a list of cases: `parametrize("seed", first_of(range(50), 5))`, or `first_of_each(cases)`, of each file one
"""

import pytest
from hypothesis import settings

THOROUGH = settings.get_current_profile_name() == "thorough"
# laws whose examples are dear
DEAR = settings(max_examples=settings.default.max_examples // 2)
# laws whose examples cost next to nothing
MANY = settings(max_examples=150 if THOROUGH else 50)


def one_form_each(cases):
    """Cases and the forms of each: the first case in its first form, the second in its second ..."""
    return [
        pytest.param(case, form, marks=_long_if(at != number % len(forms)), id=f"{case}, {form}")
        for number, (case, forms) in enumerate(cases.items())
        for at, form in enumerate(forms)
    ]


def first_of_each(cases):
    """The first case of every first value is for every run, the others are long."""
    cases = list(cases)
    first = {case[0]: at for at, case in reversed([*enumerate(cases)])}
    return [pytest.param(*case, marks=_long_if(first[case[0]] != at)) for at, case in enumerate(cases)]


def first_of(cases, count):
    """So many cases are for every run, the others are long."""
    return [pytest.param(case, marks=_long_if(at >= count)) for at, case in enumerate(cases)]


def _long_if(it_is):
    return [pytest.mark.long] if it_is else []


def holds_a_value_first(case):
    """Whether a case lies on the diagonal of its grid, on which every value of every parameter is held."""
    places = [_place_in(mark, case.callspec.params) for mark in case.iter_markers("parametrize")]
    steps = range(max(length for _, length in places))
    return any(all(at == step % length for at, length in places) for step in steps)


def _place_in(mark, params):
    """Which of its values a case has of one `parametrize`, and of how many."""
    names, cases = mark.args[:2]
    names = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    own = [params[name] for name in names]
    held = [_values_of(case, len(names)) for case in cases]
    return next(at for at, values in enumerate(held) if all(map(_same, values, own))), len(held)


def _values_of(case, count):
    """What one case of a `parametrize` of so many names gives to them."""
    if isinstance(case, type(pytest.param())):
        return case.values
    return case if count > 1 else (case,)


def _same(one, other):
    return one is other or (type(one) is int and one == other)
