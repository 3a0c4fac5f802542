"""Promises about columns and records that left: these alone are gone, by the values that the source has."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tacita.core import Microdata
from tacita.core.spec.conditions import Condition, condition_of

from .evidence import Evidence
from .generalisation import cells_of

SIGNS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def dropped(evidence: Evidence) -> str | None:
    """The named columns are gone, and what stayed stands in the order of the source."""
    claim = evidence.claim
    if "columns" not in claim.terms:
        return "the claim does not say which columns leave"
    left = [name for name in claim.terms["columns"] if name in evidence.released.columns]
    if left:
        return f"{len(left)} columns to drop are still released: {', '.join(left)}"
    if not claim.shuffled and (np.diff(claim.rows) <= 0).any():
        return "records that stayed do not stand in the order of the source"
    return None


def dropped_by_condition(evidence: Evidence) -> str | None:
    """Records whose original values meet a condition are gone, and no others for that reason."""
    claim = evidence.claim
    if "records" not in claim.terms or "unknown" not in claim.terms:
        return "the claim does not say which records leave"
    conditions = [condition_of(text, "Drop") for text in claim.terms["records"]]
    answers = _answers(claim.original, conditions)
    if claim.terms["unknown"] == "refuse" and (open_ones := answers.count(None)):
        return f"of {open_ones} records it is unknown whether they must be dropped"
    goes = {True: True, False: False, None: claim.terms["unknown"] == "drop"}
    wanted = np.array([goes[answer] for answer in answers], dtype=bool)
    there = np.zeros(claim.original.n, dtype=bool)
    there[claim.rows] = True
    there[claim.dropped_later] = True
    stayed, went = int((wanted & there).sum()), int((~wanted & ~there & ~evidence.incomplete).sum())
    if stayed or went:
        return f"{stayed} records to drop are still released, and {went} others were dropped"
    return None


def _answers(data: Microdata, conditions: Sequence[Condition]) -> list[bool | None]:
    """Of each record whether some condition is true of it; None where that hangs on a missing value."""
    names = {clause.column for condition in conditions for clause in condition}
    cells: dict[str, list[Any]] = {
        name: [None if value != value else value for value in data.numbers(name).tolist()]
        if data.kind(name) == "numeric"
        else list(cells_of(data, name))
        for name in names
    }
    answers: list[bool | None] = []
    for row in range(data.n):
        any_of: bool | None = False
        for condition in conditions:
            answer = _answer(condition, {name: cells[name][row] for name in names})
            any_of = True if answer or any_of else (None if answer is None else any_of)
        answers.append(any_of)
    return answers


def _answer(condition: Condition, record: dict[str, Any]) -> bool | None:
    answer: bool | None = True
    for clause in condition:
        value = record[clause.column]
        if clause.value is None:
            own: bool | None = (value is None) == (clause.sign == "=")
        else:
            own = None if value is None else bool(SIGNS[clause.sign](value, clause.value))
        if own is False:
            return False
        answer = None if own is None else answer
    return answer
