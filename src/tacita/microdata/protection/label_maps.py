"""Labels of the source and the labels that the recodings of a release replaced them by.

If a release recodes a column and then protects it further, its tables and estimates are compared with those
of the recoded source, as in two consecutive plans. The loss by recoding itself is measured by NCP and
similar measures, and by RELATIONS.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np

from tacita.core import DataError, Ints, Microdata, RecordMethod
from tacita.core.results.release import LabelMaps
from tacita.microdata.measures.loss.survey_frame import label_levels

# Only classifications that the user declares; a search for coarser keys counts as loss.
_RECODING = ("recoding",)
_LEAVES_LABELS = ("withholding", "dropping")


class ProtectingStep(Protocol):
    """The attributes of a step that are read here."""

    @property
    def method(self) -> RecordMethod:
        """The method of the step."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it changes."""


def recodings_of(
    data: Microdata, steps: Sequence[ProtectingStep], stages: Sequence[Microdata], rows: Sequence[Ints]
) -> tuple[LabelMaps, ...]:
    """For each stage of a release: by column, the coarser label of each label of the source.

    `rows[i]` are the rows of the source in `stages[i]`. A column that a step changed in another way before
    it was recoded has no map, since its labels were no longer those of the source. O(n) a column.
    """
    maps: list[LabelMaps] = []
    known: dict[str, Mapping[str, str]] = {}
    other: set[str] = set()
    for step, stage, shown in zip(steps, stages, rows, strict=True):
        for name in step.columns if step.method.kind in _RECODING else ():
            labels = None if name in other else _label_map(data, stage, shown, name)
            if labels is None:
                other.add(name)
                known.pop(name, None)
            elif labels:
                known[name] = labels
        if step.method.kind not in (*_RECODING, *_LEAVES_LABELS):
            other.update(step.columns)
        maps.append(dict(known))
    return tuple(maps)


def _label_map(before: Microdata, after: Microdata, rows: Ints, name: str) -> Mapping[str, str] | None:
    """New labels by old ones, where they differ; None if a label became several."""
    if name not in after.columns:
        return None
    try:
        old, new = label_levels(before, name), label_levels(after, name)
    except DataError:
        return None
    present = ~(np.isnan(old.codes[rows]) | np.isnan(new.codes))
    codes = np.column_stack([old.codes[rows][present], new.codes[present]]).astype(np.int64)
    pairs = np.unique(codes, axis=0)
    if np.unique(pairs[:, 0]).size < len(pairs):
        return None
    labels = ((old.names[before], new.names[after]) for before, after in pairs.tolist())
    return {before: after for before, after in labels if before != after}
