"""The laws of methods that put records into groups."""

from __future__ import annotations

from typing import Any

import numpy as np

from tacita.core import DataError, Matrix, Partition, RunContext
from tacita.testing import Findings

from .examples import StopAfter, numbers, refusal, released, steered, varied


def every_group_has_k_records_whatever_n(method: Any) -> Findings:
    for k in (2, 3, 7):
        for n in (7, 8, 13, 14, 20, 21, 60):
            partition = varied(method, k=k).partition(_records(method, n))
            yield (
                partition.sizes.min() >= k,
                f"With k={k} and n={n}, a group has {partition.sizes.min()} records.",
            )
            yield partition.n == n, f"With k={k} and n={n}, {partition.n} records are in groups."


def groups_are_numbered_by_their_lowest_row(method: Any) -> Findings:
    labels = _labels(method, _records(method))
    _, first = np.unique(labels, return_index=True)
    yield bool((np.diff(first) > 0).all()), "A group that begins later has a lower number."


def the_same_records_give_the_same_groups(method: Any) -> Findings:
    x = _records(method)
    yield _same(method, x, x.copy()), "The second run gave others."


def the_order_of_rows_only_renames_them_where_nothing_ties(method: Any) -> Findings:
    if not method.by_chance:
        x = _records(method)
        order = np.random.default_rng(1).permutation(len(x))
        pairs = set(zip(_labels(method, x)[order].tolist(), _labels(method, x[order]).tolist(), strict=True))
        alike = len(pairs) == len({one for one, _ in pairs}) == len({other for _, other in pairs})
        yield alike, "Other groups come out when the rows are mixed, and by_chance is False."


def a_constant_column_changes_nothing(method: Any) -> Findings:
    if not method.one_column:
        x = _records(method)
        yield _same(method, x, np.column_stack([x, np.zeros(len(x))])), "A column of zeros changed groups."


def the_scale_of_all_columns_changes_nothing(method: Any) -> Findings:
    x = _records(method)
    yield _same(method, x, x * 1024), "Values times 1024 gave other groups."


def an_improvement_is_never_worse_than_its_start(method: Any) -> Findings:
    from tacita.microdata.methods.microaggregation.improvement import Improvement
    from tacita.microdata.methods.microaggregation.mdav import MDAV

    if isinstance(method, Improvement):
        x = _records(method)
        for start in (MDAV(k=3).partition(x), Partition(np.arange(60) % 15, 3)):
            partition = varied(method, k=3).partition(x, start=start)
            yield partition.sse(x) <= start.sse(x), f"From an error of {start.sse(x)} to {partition.sse(x)}."


def equal_records_are_no_obstacle(method: Any) -> Findings:
    for x, description in (
        (np.repeat(_records(method, 5), 4, axis=0), "four of each"),
        (np.ones((10, 1)), "equal"),
    ):
        yield (
            varied(method, k=3).partition(x).sizes.min() >= 3,
            f"Records that are {description} gave small groups.",
        )


def with_units_every_group_has_k_of_them(method: Any) -> Findings:
    x = _records(method, 90)
    for units in (np.arange(90) // 4, np.arange(90) % 5, np.minimum(np.arange(90), 6)):
        labels = varied(method, k=3).partition(x, units=units).labels
        fewest = min(len(np.unique(units[labels == group])) for group in range(labels.max() + 1))
        yield fewest >= 3, f"With {len(np.unique(units))} units and k=3, a group has {fewest}."


def what_comes_in_is_left_as_it_was(method: Any) -> Findings:
    x = _records(method, d=1)
    before = x.copy()
    varied(method, k=3).partition(x)
    yield np.array_equal(x, before), "It changes its input."


def fewer_than_k_records_are_refused(method: Any) -> Findings:
    message = refusal(DataError, varied(method, k=5).partition, _records(method, 4))
    yield (
        "needs at least 5 records, got 4" in message,
        "Four records with k=5 are not refused in these words.",
    )


def cancelling_stops_it_and_progress_ends_at_one(method: Any) -> Findings:
    yield from steered(lambda run: varied(method, k=3).partition(_records(method), run))


def stopped_early_it_keeps_groups_of_k_no_worse_than_its_start(method: Any) -> Findings:
    from tacita.microdata.methods.microaggregation.improvement import Improvement
    from tacita.microdata.methods.microaggregation.mdav import MDAV

    x = _records(method)
    for questions in (0, 1, 2, 5, 20):
        budget = StopAfter(questions)
        partition = varied(method, k=3).partition(x, RunContext(should_stop=budget))
        fewest = int(partition.sizes.min())
        yield fewest >= 3, f"Stopped at question {questions + 1}, a group has {fewest} records with k=3."
        yield (
            budget.count > 0 or not method.anytime,
            "It says that it can be stopped, and never checks whether to stop.",
        )
        if isinstance(method, Improvement):
            start = MDAV(k=3).partition(x)
            partition = varied(method, k=3).partition(
                x, RunContext(should_stop=StopAfter(questions)), start=start
            )
            yield (
                partition.sse(x) <= start.sse(x),
                f"Stopped at question {questions + 1}, worse than its start.",
            )


def a_release_of_it_is_verified_with_strata_and_gaps(method: Any) -> Findings:
    yield from released(method, "stratum", quasi=["z"] if method.one_column else ["x", "z"])


def _records(method: Any, n: int = 60, d: int = 3) -> Matrix:
    return numbers(n, 1 if method.one_column else d)


def _labels(method: Any, x: Matrix) -> Any:
    return varied(method, k=3).partition(x).labels


def _same(method: Any, one: Matrix, other: Matrix) -> bool:
    return bool(np.array_equal(_labels(method, one), _labels(method, other)))
