"""The laws of methods that replace values by others."""

from __future__ import annotations

from typing import Any

import numpy as np

from tacita.core import DataError, Matrix, RunContext
from tacita.testing import Findings

from .examples import codes, numbers, refusal, released, steered


def every_value_gets_a_finite_one_and_some_are_others(method: Any) -> Findings:
    x = _records(method)
    masked = method.mask(x)
    yield masked.shape == x.shape, f"Of {x.shape} values {masked.shape} came back."
    yield bool(np.isfinite(masked).all()), "A value is missing or infinite."
    yield not np.array_equal(masked, x), "The values are unchanged."


def what_comes_in_is_left_as_it_was(method: Any) -> Findings:
    x = _records(method)
    before = x.copy()
    method.mask(x)
    yield np.array_equal(x, before), "It changes its input."


def the_same_seed_gives_the_same_bytes(method: Any) -> Findings:
    x = _records(method)
    one, other = method.mask(x, RunContext(seed=5)), method.mask(x.copy(), RunContext(seed=5))
    yield one.tobytes() == other.tobytes(), "With seed 5 the second run gave others."


def without_a_seed_chance_is_never_the_same(method: Any) -> Findings:
    x = _records(method)
    same = np.array_equal(method.mask(x), method.mask(x))
    yield same != method.by_chance, f"by_chance is {method.by_chance}, and two runs agree: {same}."


def the_unit_of_measurement_changes_nothing(method: Any) -> Findings:
    # scale categories too, which keeps their order
    x, units = _records(method), np.array([1.0, 1024.0, 0.125] if _of_numbers(method) else [2.0, 3.0, 5.0])
    scaled = method.mask(x * units, RunContext(seed=5)) / units
    yield (
        np.allclose(scaled, method.mask(x, RunContext(seed=5)), rtol=0, atol=1e-9),
        "Columns in other units differ.",
    )


def a_constant_column_stays_and_is_no_obstacle(method: Any) -> Findings:
    sevens, x = np.full(60, 7.0), _records(method)
    # the coarsest region comes first
    last = _of_numbers(method)
    masked = method.mask(np.column_stack([x, sevens] if last else [sevens, x]))
    constant = masked[:, 3 if last else 0]
    yield np.allclose(constant, 7.0, rtol=1e-15), "A constant column of sevens changed."
    yield bool(np.isfinite(masked).all()), "A value is missing or infinite."


def equal_records_and_linear_relations_are_no_obstacle(method: Any) -> Findings:
    x = np.repeat(_records(method, 8), 4, axis=0)
    masked = method.mask(np.column_stack([x, x[:, 0] - 2 * x[:, 1]]) if _of_numbers(method) else x)
    yield bool(np.isfinite(masked).all()), "A value is missing or infinite."


def too_few_records_are_refused(method: Any) -> Findings:
    yield " records" in refusal(DataError, method.mask, _records(method, 2)), "Two records are not refused."


def cancelling_stops_it_and_progress_ends_at_one(method: Any) -> Findings:
    yield from steered(lambda run: method.mask(_records(method), run))


def it_promises_masked_cells_and_never_groups_of_k(method: Any) -> Findings:
    yield "masked-cells" in method.guarantees, "masked-cells is not among its guarantees."
    for promise in ("groups-of-k", "k-units"):
        yield promise not in method.guarantees, f"{promise} is among its guarantees."


def a_release_of_it_is_verified_with_strata_and_gaps(method: Any) -> Findings:
    columns = {"quasi": ["x", "z"]} if _of_numbers(method) else {"quasi": ["town"], "nominal": ["town"]}
    for missing in ("drop", "stratum"):
        yield from released(method, missing, **columns)


def _of_numbers(method: Any) -> bool:
    return "numeric" in method.takes


def _records(method: Any, n: int = 60) -> Matrix:
    """Numbers, or codes for a masking of categories."""
    return numbers(n) if _of_numbers(method) else codes(n)
