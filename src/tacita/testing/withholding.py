"""The laws of methods of local suppression."""

from __future__ import annotations

from typing import Any

import numpy as np

from tacita.core import DataError, RunContext
from tacita.testing import Findings

from .examples import StopAfter, refusal, released, steered


def it_marks_only_cells_that_have_a_value(method: Any) -> Findings:
    codes = _keys()
    suppressed = _suppressed_cells(method, codes)
    yield suppressed.cells.shape == codes.shape, "It does not mark every cell as suppressed or not."
    yield not (suppressed.cells & (codes < 0)).any(), "It marks a cell that is missing."
    yield bool(np.array_equal(codes, _keys())), "It changes its input."


def its_bound_is_at_most_its_cost(method: Any) -> Findings:
    suppressed = _suppressed_cells(method, _keys())
    yield 0 <= suppressed.lower_bound <= suppressed.cells.sum() + 1e-9, "The bound is above the cost."


def the_same_keys_give_the_same_cells(method: Any) -> Findings:
    one, other = (_suppressed_cells(method, _keys()) for _ in range(2))
    yield bool(np.array_equal(one.cells, other.cells)), "Twice on the same keys, it gives two results."


def records_that_are_all_alike_lose_nothing(method: Any) -> Findings:
    yield (
        not _suppressed_cells(method, np.zeros((3 * method.k, 2), dtype=np.int64)).cells.any(),
        "A cell is suppressed.",
    )


def too_few_records_or_units_are_refused(method: Any) -> Findings:
    few = np.zeros((method.k - 1, 2), dtype=np.int64)
    yield bool(refusal(DataError, _suppressed_cells, method, few)), "It takes fewer than k records."
    keys, one = _keys(), np.zeros(len(_keys()), dtype=np.int64)
    yield (
        bool(refusal(DataError, _suppressed_cells, method, keys, one)),
        "It takes the records of one single unit.",
    )


def it_reports_to_the_end_and_can_be_cancelled(method: Any) -> Findings:
    yield from steered(lambda run: method.suppress(_keys(), np.ones(3), run))


def stopped_early_it_returns_what_it_has(method: Any) -> Findings:
    if method.anytime:
        run = RunContext(should_stop=StopAfter(0))
        yield method.suppress(_keys(), np.ones(3), run).cells.shape == (90, 3), "It has nothing."


def it_promises_that_cells_are_only_suppressed_and_never_groups_of_k(method: Any) -> Findings:
    yield "only-withheld" in method.promised(), "only-withheld is not among its promises."
    for promise in ("groups-of-k", "k-units"):
        yield promise not in method.guarantees, f"{promise} is among its guarantees."


def a_release_of_it_is_verified_with_strata_units_and_gaps(method: Any) -> Findings:
    yield from released(method, "stratum", quasi=["town", "age"], nominal=["town", "age"])


def _suppressed_cells(method: Any, codes: Any, units: Any = None) -> Any:
    return method.suppress(codes, np.ones(codes.shape[1]), RunContext(), units=units)


def _keys() -> Any:
    """Three keys of 90 records, some of them missing."""
    return np.random.default_rng(3).integers(-1, 4, (90, 3))
