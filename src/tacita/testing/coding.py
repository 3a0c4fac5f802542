"""The laws of methods that replace numbers by numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from tacita.core import RunContext
from tacita.testing import Findings

from .examples import SEED, released


def every_number_becomes_a_finite_number(method: Any) -> Findings:
    old = _numbers()
    values = old.copy()
    new = method.renumber("x", values, RunContext(seed=SEED))
    yield new.shape == old.shape, f"Of {old.size} numbers {new.size} came back."
    yield bool(np.isfinite(new).all()), "A new number is not finite."
    yield bool(np.array_equal(values, old)), "It changes its input."


def the_same_seed_gives_the_same_numbers(method: Any) -> Findings:
    one, other = (method.renumber("x", _numbers(), RunContext(seed=SEED)) for _ in range(2))
    yield bool(np.array_equal(one, other)), "Twice with one seed, it gives two results."


def what_it_keeps_of_earlier_steps_it_keeps(method: Any) -> Findings:
    if method.keeping():
        old = np.repeat(_numbers(), 2)
        new = method.renumber("x", old, RunContext()).reshape(-1, 2)
        yield bool((new[:, 0] == new[:, 1]).all()), "Equal numbers became different ones."


def a_number_far_below_or_above_does_not_stop_it(method: Any) -> Findings:
    new = method.renumber("x", np.append(_numbers(), [-1e12, 1e12]), RunContext(seed=SEED))
    yield bool(np.isfinite(new).all()), "A new number is not finite."


def it_never_promises_groups_of_k(method: Any) -> Findings:
    yield "coded" in method.guarantees, "coded is not among its guarantees."
    for promise in ("groups-of-k", "k-units"):
        yield promise not in method.guarantees, f"{promise} is among its guarantees."


def a_release_of_it_is_verified_with_strata_and_gaps(method: Any) -> Findings:
    yield from released(method, "stratum", quasi=["x", "z"])


def _numbers() -> Any:
    return np.random.default_rng(7).normal(9, 4, 80)
