"""The laws of methods that drop columns and records."""

from __future__ import annotations

from typing import Any

import numpy as np

from tacita.core import Microdata, RunContext
from tacita.core.spec.roles import RolesOfFile
from tacita.microdata.protection.context_columns import numbers_or_texts
from tacita.testing import Findings

from .examples import SEED, persons


def every_record_either_stays_or_leaves(method: Any) -> Findings:
    rows, n = _requested_columns(method)
    dropped = np.asarray(method.dropped_rows(rows, n))
    yield dropped.shape == (n,), f"Of {n} records {dropped.size} have an answer."
    yield dropped.dtype == bool, "The answers are neither true nor false."


def the_order_of_the_records_changes_nothing(method: Any) -> Findings:
    rows, n = _requested_columns(method)
    order = np.random.default_rng(3).permutation(n)
    moved = method.dropped_rows({name: cells[order] for name, cells in rows.items()}, n)
    same = np.array_equal(np.asarray(moved), np.asarray(method.dropped_rows(rows, n))[order])
    yield same, "In another order, others leave."


def it_leaves_the_cells_that_it_is_given_as_they_are(method: Any) -> Findings:
    rows, n = _requested_columns(method)
    method.dropped_rows(rows, n)
    for name, cells in _requested_columns(method)[0].items():
        same = [a is b or a == b or (a != a and b != b) for a, b in zip(cells, rows[name], strict=True)]
        yield all(same), "It changes a cell of its input."


def it_promises_what_the_verifier_sees_and_never_groups_of_k(method: Any) -> Findings:
    yield "dropped" in method.guarantees, "dropped is not among its guarantees."
    for promise in ("groups-of-k", "k-units", "k-anonymous"):
        yield promise not in method.guarantees, f"{promise} is among its guarantees."


def a_release_of_it_is_verified_with_strata_and_gaps(method: Any) -> Findings:
    from tacita.microdata import verify
    from tacita.microdata.protection.protect import protect

    roles = RolesOfFile(strata=["region"], unit="unit", identifiers=["unit"])
    data = Microdata.of(persons()).with_roles(roles)
    for shuffle in (False, True):
        one, other = (protect(data, method, RunContext(seed=SEED), shuffle=shuffle) for _ in range(2))
        broken = [verdict.guarantee for verdict in verify.verify(one.data, one.claim) if not verdict.passed]
        yield not broken, f"With shuffle={shuffle}, it does not hold: {', '.join(broken)}."
        yield one.data.native.equals(other.data.native), "The same seed gives another release."
        yield not set(method.columns) & set(one.data.columns), "A column that should be dropped is there."


def _requested_columns(method: Any) -> tuple[dict[str, Any], int]:
    data = Microdata.of(persons())
    return {name: numbers_or_texts(data, name).copy() for name in method.asks}, data.n
