"""Public tables of any shape, what is known of them, and what our methods find."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from experiments.document import Document
from tacita.core import RunContext

from .page import page
from .trials import Setting, Trial, Trials, gather, kept, numbers


def document(
    run: RunContext,
    quick: bool,
    *,
    earlier: Mapping[str, Any] | None = None,
    save: Callable[[Document], None] | None = None,
    **settings: Any,
) -> Document:
    """All tables by all methods, as a page and numbers.

    `cap` is how many seconds of processor time a search may take. `earlier` are the numbers of a run to go on
    with, and `save` is handed what there is after every trial.
    """
    setting = replace(Setting.usual(quick), **settings)
    told = None if save is None else lambda trials: save(_document(setting, trials))
    return _document(setting, gather(setting, run, kept(setting, earlier), told))


def rendered(numbers: Mapping[str, Any]) -> Document:
    """The page of an earlier run from its numbers."""
    trials = [Trial(**each) for each in numbers["trials"]]
    return _document(Setting(**numbers["setting"]), {(each.name, each.method): each for each in trials})


def _document(setting: Setting, trials: Trials) -> Document:
    return Document("instances", page(setting, trials), numbers(setting, trials))
