"""The laws of methods that make values coarser."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tacita.core import DataError
from tacita.testing import Findings

from .examples import persons, refusal, released


def every_value_becomes_one_text(method: Any) -> Findings:
    old = _values(_column(method))
    new = method.relabel(_column(method), old)
    yield len(new) == len(old), f"Of {len(old)} values {len(new)} came back."
    yield all(isinstance(label, str) for label in new), "A new value is no text."


def equal_values_become_equal_ones_in_any_context(method: Any) -> Findings:
    values = _values(_column(method))
    known = _map(method, values)
    yield known == _map(method, values[::-1]), "In another order of the values, one became another."
    twice = method.relabel(_column(method), [*values, *values])
    yield list(twice) == 2 * list(known.values()), "A value that came twice became two."
    for part in (values[:2], values[2:]):
        yield _map(method, part).items() <= known.items(), "Among fewer values, one became another."


def values_that_it_cannot_recode_are_refused_without_quoting_them(method: Any) -> Findings:
    for value in ("SECRET", "-SECRET-1"):
        yield "SECRET" not in refusal(DataError, method.relabel, _column(method), [value]), "It quotes one."


def it_promises_what_the_verifier_sees_and_never_groups_of_k(method: Any) -> Findings:
    yield "recoded" in method.guarantees, "recoded is not among its guarantees."
    for promise in ("groups-of-k", "k-units"):
        yield promise not in method.guarantees, f"{promise} is among its guarantees."


def a_release_of_it_is_verified_with_strata_and_gaps(method: Any) -> Findings:
    column = _column(method)
    yield from released(method, "stratum", quasi=[column], nominal=[column])


def _column(method: Any) -> str:
    """One of words, or where these are refused, one of whole numbers."""
    return "age" if refusal(DataError, method.relabel, "town", _values("town")) else "town"


def _values(column: str) -> list[str]:
    return sorted({str(cell) for cell in persons()[column].to_pylist() if cell is not None})


def _map(method: Any, values: Sequence[str]) -> dict[str, str]:
    return dict(zip(values, method.relabel(_column(method), values), strict=True))
