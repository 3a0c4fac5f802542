"""The laws of methods that generate synthetic values."""

from __future__ import annotations

from typing import Any

import numpy as np

from tacita.core import DataError, RunContext
from tacita.testing import Findings

from .examples import explained, refusal, released, steered

_SIZES = ("small", "middle", "large")


def every_dependent_value_gets_a_finite_and_other_one(method: Any) -> Findings:
    y, s = explained()
    for context, prefix in ((s, "With"), (None, "Without")):
        drawn = method.synthesize(y, context)
        yield drawn.shape == y.shape, f"{prefix} independent columns, of {y.shape} values {drawn.shape} came."
        yield bool(np.isfinite(drawn).all()), f"{prefix} independent columns, a value is missing or infinite."
        moved = np.abs(drawn - y).max(axis=0) > 0.1
        yield bool(moved.all()), f"{prefix} independent columns, a column came out unchanged."


def what_comes_in_is_left_as_it_was(method: Any) -> Findings:
    y, s = explained()
    before = y.copy(), s.copy()
    method.synthesize(y, s)
    same = np.array_equal(y, before[0]) and np.array_equal(s, before[1])
    yield same, "It changes its input."


def the_same_seed_gives_the_same_bytes(method: Any) -> Findings:
    y, s = explained()
    one, other = (
        method.synthesize(y, s, RunContext(seed=5)),
        method.synthesize(y.copy(), s.copy(), RunContext(seed=5)),
    )
    yield one.tobytes() == other.tobytes(), "With seed 5 the second run gave others."


def without_a_seed_chance_is_never_the_same(method: Any) -> Findings:
    y, s = explained()
    same = np.array_equal(method.synthesize(y, s), method.synthesize(y, s))
    yield same != method.by_chance, f"by_chance is {method.by_chance}, and two runs agree: {same}."


def the_order_of_rows_only_renames_them_where_nothing_is_searched_or_drawn(method: Any) -> Findings:
    if not method.by_chance and "c" not in type(method).model_fields:
        y, s = explained()
        order = np.random.default_rng(1).permutation(len(y))
        mixed = method.synthesize(y[order], s[order])
        yield np.allclose(mixed, method.synthesize(y, s)[order], atol=1e-12), "Mixed rows got other values."


def the_unit_of_measurement_changes_nothing(method: Any) -> Findings:
    (y, s), units = explained(), np.array([1.0, 1024.0, 0.125])
    scaled = method.synthesize(y * units, s * [0.5, 4096.0], RunContext(seed=5)) / units
    same = np.allclose(scaled, method.synthesize(y, s, RunContext(seed=5)), rtol=0, atol=1e-8)
    yield same, "Columns in other units differ."


def too_few_records_are_refused(method: Any) -> Findings:
    message = refusal(DataError, method.synthesize, *explained(2))
    yield "wanted at least" in message and "records" in message, "Two records are not refused."


def what_would_come_out_unchanged_is_refused(method: Any) -> Findings:
    _, s = explained()
    message = refusal(DataError, method.synthesize, s[:, :1] * 3 - 1, s)
    yield "would come out unchanged" in message, "A column that follows from the others is not refused."


def cancelling_stops_it_and_progress_ends_at_one(method: Any) -> Findings:
    yield from steered(lambda run: method.synthesize(*explained(), run))


def it_promises_changed_cells_and_never_groups(method: Any) -> Findings:
    changed = "values-redrawn" if "nominal" in method.takes else "values-changed"
    for promise in ("synthetic-cells", changed):
        yield promise in method.guarantees, f"{promise} is not among its guarantees."
    for promise in ("groups-of-k", "k-units", "masked-cells"):
        yield promise not in method.guarantees, f"{promise} is among its guarantees."


def categories_come_back_as_codes_that_were_there(method: Any) -> Findings:
    if "nominal" not in method.takes:
        return
    from tacita.microdata.methods.synthesis.column_margins import Columns

    y, s = explained()
    codes = np.random.default_rng(3).integers(0, 3, len(y)).astype(float)
    gaps = np.where(np.arange(len(y)) % 6 == 0, np.nan, y[:, 0])
    columns = Columns(("size", "y", "s", "t"), ("nominal", "numeric", "numeric", "numeric"), {"size": _SIZES})
    drawn = method.synthesize(np.column_stack([codes, gaps]), s, RunContext(seed=5), columns=columns)
    yield set(drawn[:, 0].tolist()) <= {0.0, 1.0, 2.0}, "A code came out that no record has."
    known = ~np.isnan(drawn[:, 1])
    yield known.any(), "A column with a few gaps came out empty."
    yield bool(np.isfinite(drawn[known]).all()), "A number is infinite."


def a_release_of_it_is_verified_with_strata_and_gaps(method: Any) -> Findings:
    yield from released(method, dependent=["y", "z"], independent=["x"])
    if "nominal" in method.takes:
        mixed: dict[str, Any] = {"dependent": ["y", "z", "town"], "independent": ["x"], "nominal": ["town"]}
        yield from released(method, **mixed)
        if method.draws_missing:
            yield from released(method, "level", **mixed)
