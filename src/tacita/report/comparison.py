"""The confidential page about a comparison: the risk-utility map, and every trial with its figures."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from tacita.core import Trials, registry
from tacita.core.options import ReleaseOptions

from .pages import render
from .review import ROLES, Entry, described, finite, meaning_of, names_of
from .riskmap import risk_map


def comparison_html(trials: Trials) -> str:
    """One page with nothing outside it: which trials no other beats, and what each costs. Confidential."""
    return render(
        "comparison.html",
        trials=trials,
        map=risk_map(trials),
        origin=trials.origin,
        columns=[(name, trials.scale(name)) for name in trials.columns],
        measures=[(name, meaning_of(name, *registry.MEASURING)) for name in trials.columns],
        methods=[(name, meaning_of(name, *registry.PROTECTING)) for name in trials.methods],
        roles=_roles(trials),
        options=described(trials.origin.options, ReleaseOptions.model_fields) if trials.origin else [],
    )


def comparison_json(trials: Trials) -> str:
    """The same as text for programs. Confidential."""
    content: dict[str, Any] = finite(trials.as_dict())
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _roles(trials: Trials) -> list[Entry]:
    given = trials.origin.roles if trials.origin else {}
    shown = [replace(entry, value=names_of(given.get(role))) for role, entry in ROLES.items()]
    return [entry for entry in shown if entry.value]
