"""Verbs about tacita itself: what there is to choose from, and getting ready."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tacita import api
from tacita.core.spec import registry
from tacita.core.spec.release_options import ReleaseOptions
from tacita.io.formats.reading_options import TextOptions

from .job_context import JobContext

_CHOSEN = (*registry.PROTECTING, *registry.SUPPRESSING, *registry.ADJUSTING, "rule")


def methods(_given: Mapping[str, Any], _context: JobContext) -> dict[str, Any]:
    """Every method with the JSON schema of its parameters, the options around them, and what can be read."""
    return {
        "methods": [_described(kind, name) for kind in _CHOSEN for name in registry.names(kind)],
        "options": ReleaseOptions.model_json_schema(),
        "reading": TextOptions.model_json_schema(),
        "formats": [registry.describe("format", name) for name in registry.names("format")],
        "measures": [_measure(kind, name) for kind in registry.MEASURING for name in registry.names(kind)],
    }


def _measure(kind: str, name: str) -> dict[str, Any]:
    """A figure that can be required of a release."""
    return {"kind": kind, "name": name, "summary": registry.meaning_of(name, kind)}


def _described(kind: str, name: str) -> dict[str, Any]:
    method = registry.lookup(name, kind)
    # rules are no methods of records: they say nothing of kinds of columns
    about = {
        "takes": list(getattr(method, "takes", ())),
        "anytime": getattr(method, "anytime", False),
        # those that may come after a method that makes groups
        "improves": getattr(method, "improves", False),
    }
    return registry.describe(kind, name) | about


def warmup(_given: Mapping[str, Any], context: JobContext) -> dict[str, Any]:
    """Compile everything once."""
    api.warmup(context.run)
    return {}
