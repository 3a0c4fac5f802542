"""Why something was refused, as figures and names; the page words them in its own language."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from tacita.core import InferenceError, RequirementError, TacitaError, Verdict
from tacita.core.results.inferred_cells import ROW_ORDER, Determined
from tacita.core.spec import registry


def refusal_of(error: TacitaError) -> dict[str, Any]:
    """The reason, the columns that it is about, and the name by which the risk can be accepted.

    Empty where the message says all there is.
    """
    accepted_as = {"accepted_as": error.accepted_as} if error.accepted_as else {}
    if isinstance(error, InferenceError):
        given_back = [_given_back(cells) for cells in error.determined if cells.refused]
        return {"reason": "inference", "given_back": given_back, **accepted_as}
    if isinstance(error, RequirementError):
        return {"reason": "requirement", "unmet": [_unmet(verdict) for verdict in error.unmet]}
    return {"reason": "advice", **accepted_as} if accepted_as else {}


def _given_back(cells: Determined) -> dict[str, Any]:
    values = asdict(cells)
    return {
        "column": cells.column,
        # None is the order of the records, which a page calls by a name of its language
        "columns": [[None if name == ROW_ORDER else name for name in names] for names in cells.columns],
        "suppressed": cells.hidden == "suppressed",
        "cells": cells.cells,
        "of": cells.of,
        "exposed": cells.exposed or 0,
        "narrowed": values.get("narrowed", 0),
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
