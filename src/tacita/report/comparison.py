"""The confidential page of a comparison: the risk-utility map, and all trials with their figures."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from tacita.core import Score, Trials
from tacita.core.display.page_size import Paper, paper_for
from tacita.core.spec import registry
from tacita.core.spec.release_options import ReleaseOptions

from .pages import render
from .review import ROLES, Entry, described, finite, names_of
from .riskmap import risk_map

# Widths in characters: of the mark of the front, of parameters, of a figure.
_FRONT = 9
_PARAMETERS = 16
_FIGURE = 6


def comparison_html(trials: Trials) -> str:
    """A self-contained page of all trials, with those on the risk-utility front marked. Confidential."""
    return render(
        "comparison.html",
        trials=trials,
        map=risk_map(trials),
        paper=_paper(trials),
        origin=trials.origin,
        columns=_scales(trials),
        measures=[(name, registry.meaning_of(name, *registry.MEASURING)) for name in trials.columns],
        methods=[(name, registry.meaning_of(name, *registry.PROTECTING)) for name in trials.methods],
        roles=_roles(trials),
        options=described(trials.origin.options, ReleaseOptions.model_fields) if trials.origin else [],
    )


def _paper(trials: Trials) -> Paper:
    """The page size that holds the trials; their parameters break between words."""
    names = [f"{name} ({scale.unit})" if scale and scale.unit else name for name, scale in _scales(trials)]
    methods = max((len(trial.method) for trial in trials), default=0)
    figures = [max(len(name), _FIGURE) for name in names]
    return paper_for([_FRONT, methods, _PARAMETERS, *figures, _FIGURE])


def comparison_json(trials: Trials) -> str:
    """The comparison as JSON. Confidential."""
    content: dict[str, Any] = finite(trials.as_dict())
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _scales(trials: Trials) -> list[tuple[str, Score | None]]:
    return [(name, trials.scale(name)) for name in trials.columns]


def _roles(trials: Trials) -> list[Entry]:
    roles = trials.origin.roles if trials.origin else {}
    shown = [replace(entry, value=names_of(roles.get(role))) for role, entry in ROLES.items()]
    return [entry for entry in shown if entry.value]
