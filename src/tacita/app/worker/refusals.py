"""Why something was refused, as figures and names that a page puts into words of its own language."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from tacita.core import InferenceError, RequirementError, TacitaError, Verdict
from tacita.core.results.inferred_cells import ROW_ORDER, Determined
from tacita.core.spec import registry


def refusal_of(problem: TacitaError) -> dict[str, Any]:
    """The reason, the columns that it is about, and the name by which the risk can be accepted.

    Empty where the message says all there is.
    """
    accepted_as = {"accepted_as": problem.accepted_as} if problem.accepted_as else {}
    if isinstance(problem, InferenceError):
        given_back = [_given_back(each) for each in problem.determined if each.refused]
        return {"reason": "inference", "given_back": given_back, **accepted_as}
    if isinstance(problem, RequirementError):
        return {"reason": "requirement", "unmet": [_unmet(each) for each in problem.unmet]}
    return {"reason": "advice", **accepted_as} if accepted_as else {}


def _given_back(found: Determined) -> dict[str, Any]:
    told = asdict(found)
    return {
        "column": found.column,
        # None is the order of the records, which a page calls by a name of its language
        "columns": [[None if name == ROW_ORDER else name for name in names] for names in found.columns],
        "suppressed": found.hidden == "suppressed",
        "cells": found.cells,
        "of": found.of,
        "exposed": found.exposed or 0,
        "narrowed": told.get("narrowed", 0),
    }


def _unmet(verdict: Verdict) -> dict[str, Any]:
    (kind,) = registry.kinds_of([verdict.guarantee], registry.MEASURING)
    return {
        "measure": verdict.guarantee,
        "kind": kind,
        "columns": list(verdict.columns),
        "promise": verdict.promise,
        "detail": verdict.detail,
    }
