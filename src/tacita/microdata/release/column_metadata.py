"""Column metadata (labels, missing-value codes) that a release may publish."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import narwhals as nw

from tacita.core.data.column_metadata import Notes
from tacita.core.results.release import Claim


def notes_of(claim: Claim, frame: Any) -> Notes | None:
    """The column metadata of the source, restricted to what a released frame shows; None if it has none.

    If a promise or a requirement counts missing values as one category, the reasons why they are missing are
    removed.
    """
    original = claim.original
    if original.notes is None:
        return None
    changed: set[str] = set()
    counted: set[str] = set()
    for part in claim.steps or (claim,):
        roles = part.original.roles
        changed.update(part.original.quasi)
        counted.update(part.original.used, roles.strata if roles else (), roles.unit_columns if roles else ())
    for requirement in claim.requirements:
        counted.update(_words(requirement.settings))
    shown = nw.from_native(frame, eager_only=True)
    return original.notes.shown(shown, claim.rows, changed, changed | counted)


def _words(settings: Any) -> Iterator[str]:
    """All strings in the settings of a requirement: some of them are columns."""
    if isinstance(settings, str):
        yield settings
    elif isinstance(settings, Mapping | list | tuple):
        for value in settings.values() if isinstance(settings, Mapping) else settings:
            yield from _words(value)
