"""Metadata of columns in a file: no more than the cells bear out and the source declares."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from tacita.core import Microdata
from tacita.core.data.column_metadata import Code, ColumnNotes
from tacita.core.results.release import Claim

from .cells import as_array
from .evidence import Evidence


def says_more(evidence: Evidence, plain: Sequence[Microdata]) -> str | None:
    """Metadata that is wrong, or must not be published; `plain` are such files without metadata."""
    released_notes, source_notes = evidence.released.notes, evidence.claim.original.notes
    if released_notes is None:
        return None
    stray = [name for name in released_notes.columns if name not in evidence.released.columns]
    if stray:
        return f"the file speaks of {len(stray)} columns that it does not have"
    wrong: dict[str, list[str]] = {}
    for name, own in released_notes.columns.items():
        source = source_notes.of(name) if source_notes is not None else ColumnNotes()
        usual = [file.notes.of(name) for file in plain if file.notes is not None]
        for fault in _faults(evidence, name, own, source, usual):
            wrong.setdefault(fault, []).append(name)
    if wrong:
        return "; ".join(
            f"{len(names)} columns {fault}: {', '.join(names)}" for fault, names in wrong.items()
        )
    return None


def _faults(
    evidence: Evidence, name: str, own: ColumnNotes, source: ColumnNotes, usual: Sequence[ColumnNotes]
) -> Iterator[str]:
    if own.label not in (None, source.label):
        yield "have a label that the source has not"
    if own.display not in (None, source.display, *(notes.display for notes in usual)):
        yield "have a format that the source has not"
    if own.weighs and not source.weighs:
        yield "weigh records, which those of the source do not"
    if own.measure not in (None, source.measure, *(notes.measure for notes in usual)):
        yield "have a level of measurement that the source has not"
    cells = as_array(evidence.released.column(name))
    shown = _shown(cells)
    reasons = set() if own.kinds is None else {own.codes[kind] for kind in np.unique(own.kinds) if kind >= 0}
    if set(own.codes) - reasons:
        yield "name codes of missing values that no record has"
    if set(own.values) - shown - reasons:
        yield "label codes that no record has"
    meant = _meant(evidence, own, source, cells)
    if meant is None:
        yield "give other reasons for missing values than the source"
    elif any(source.values.get(meant.get(code, code)) != label for code, label in own.values.items()):
        yield "label codes otherwise than the source"
    if reasons and name in _counted(evidence.claim):
        yield "tell apart missing values that promises count as one"


def _shown(cells: pa.Array) -> set[Code]:
    plain = cells.cast(cells.type.value_type) if pa.types.is_dictionary(cells.type) else cells
    if pa.types.is_temporal(plain.type):
        return set()
    present = plain.drop_null().unique().to_pylist()
    return {value if isinstance(value, str) else float(value) for value in present}


def _meant(
    evidence: Evidence, own: ColumnNotes, source: ColumnNotes, cells: pa.Array
) -> dict[Code, Code] | None:
    """The code of the source behind each code of missing values; None where they are not one to one."""
    released_notes, source_notes = evidence.released.notes, evidence.claim.original.notes
    meaning: dict[Code, Code] = {}
    if own.kinds is None:
        return meaning
    if source.kinds is None or released_notes is None or source_notes is None:
        return None
    missing = cells.is_null().to_pylist()
    for kind, row, gap in zip(own.kinds.tolist(), evidence.claim.rows.tolist(), missing, strict=True):
        if kind < 0:
            continue
        before = int(source.kinds[row])
        if not gap or before < 0:
            return None
        if meaning.setdefault(own.codes[kind], source.codes[before]) != source.codes[before]:
            return None
    kept = released_notes.system != source_notes.system or all(
        code == other for code, other in meaning.items()
    )
    return meaning if kept and len({*meaning.values()}) == len(meaning) else None


def _counted(claim: Claim) -> set[str]:
    """Columns in which promises or requirements see one kind of missing value."""
    columns = {name for requirement in claim.requirements for name in _words(requirement.settings)}
    for part in (claim, *claim.steps):
        roles = part.original.roles
        if roles is not None:
            columns |= {*roles.strata, *roles.unit_columns, *roles.independent, *roles.dependent}
            columns |= set() if isinstance(roles.quasi, str) else set(roles.quasi)
    return columns


def _words(settings: Any) -> Iterable[str]:
    if isinstance(settings, str):
        return [settings]
    if isinstance(settings, Mapping):
        return [word for setting in settings.values() for word in _words(setting)]
    return (
        [word for setting in settings for word in _words(setting)]
        if isinstance(settings, list | tuple)
        else []
    )
