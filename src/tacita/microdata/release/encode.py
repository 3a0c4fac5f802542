"""Encodes a release as the bytes of a file, in the format that the file's ending names."""

from __future__ import annotations

from pathlib import Path

from tacita import io
from tacita.core import Microdata
from tacita.core.results.release import Claim
from tacita.io.column_types import refuse_words_for_missing, typed
from tacita.microdata.verify import WrittenFile

from .column_metadata import notes_of


def encode(released: Microdata, claim: Claim, target: Path) -> WrittenFile:
    """The content of the file `target`. Raises if the format cannot store the records."""
    native = released.native
    data = Microdata.of(
        native, dialect=claim.original.dialect, notes=notes_of(claim, native), source=target.name
    )
    form = io.format_of(target, writing=True)().like(data)
    if form.spells:
        refuse_words_for_missing(data, claim)
    content = form.encode(data if form.spells else typed(data, claim))
    return WrittenFile(content, form, target.name)
