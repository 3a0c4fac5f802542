"""What may be said of the columns of a release beside their cells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import narwhals as nw

from tacita.core.data.column_metadata import Notes
from tacita.core.results.release import Claim


def notes_of(claim: Claim, frame: Any) -> Notes | None:
    """The notes of the source, cut down to what a released frame shows; None where there were none.

    Where a promise or a requirement counts missing values as one, the reasons why they are missing go.
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
    for each in claim.requirements:
        counted.update(_words(each.settings))
    shown = nw.from_native(frame, eager_only=True)
    return original.notes.shown(shown, claim.rows, changed, changed | counted)


def _words(settings: Any) -> Iterator[str]:
    """Every word in the settings of a requirement: some of them are columns."""
    if isinstance(settings, str):
        yield settings
    elif isinstance(settings, Mapping | list | tuple):
        for each in settings.values() if isinstance(settings, Mapping) else settings:
            yield from _words(each)
