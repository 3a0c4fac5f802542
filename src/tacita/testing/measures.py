"""The laws of measures of loss and risk, and of their balance."""

from __future__ import annotations

from typing import Any

import numpy as np

from tacita.core import Comparison, Partition
from tacita.testing import Findings

from .examples import compared, numbers


def the_figure_lies_in_its_range_under_its_name(method: Any) -> Findings:
    x = numbers()
    score = method.score(compared(x, x[::-1], np.arange(len(x)) % 2))
    low, high = score.span
    inside = score.value is not None and low <= score.value <= (np.inf if high is None else high)
    yield inside, f"{score.value} is not between {low} and {high}."
    yield score.name == method.name, f"The score is called {score.name}, the measure {method.name}."
    yield score.direction in ("lower", "higher"), f"{score.direction} is no direction."


def nothing_is_lost_where_nothing_varies_or_it_says_why(method: Any) -> Findings:
    score = method.score(Comparison.of(np.ones((4, 2)), np.ones((4, 2))))
    yield score.value == 0 or bool(score.reason), f"Of equal records it finds {score.value}."


def the_order_of_rows_changes_nothing(method: Any) -> Findings:
    x = np.random.default_rng(3).integers(0, 5, size=(60, 3)).astype(float)
    labels = Partition(np.argsort(np.argsort(x[:, 0], kind="stable"), kind="stable") // 3, 3).labels
    z = Partition(labels, 3).centroids(x)[labels]
    order, domains = np.random.default_rng(1).permutation(len(x)), np.arange(60) % 3
    one = method.score(compared(x, z, domains))
    other = method.score(compared(x[order], z[order], domains[order]))
    yield one.reason == other.reason, f"In one order: {one.reason}; in another: {other.reason}."
    if one.value is not None and other.value is not None:
        same = np.isclose(other.value, one.value, rtol=1e-9, atol=1e-9)
        yield bool(same), f"{one.value} in one order, {other.value} in another."


def it_is_computed_once_per_comparison(method: Any) -> Findings:
    pair = Comparison.of(numbers(), numbers(seed=1))
    yield method.score(pair) is method.score(pair), "The second time it was computed again."
