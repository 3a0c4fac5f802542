"""Which labels the recodings of a release put in place of which.

Tables and estimates of a release that makes a column coarser and then protects it further are compared with
those of the coarser labels in the source, as if two plans had done it one after the other. What the recoding
itself lost is told by the measures of coarser values (NCP and its kin) and by RELATIONS.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np

from tacita.core import DataError, Ints, Microdata, RecordMethod
from tacita.core.results.release import LabelMaps
from tacita.microdata.measures.loss.survey_frame import label_levels

# The classification that an office declares. What a search for coarser keys takes away is a loss.
_RECODING = ("recoding",)
_LEAVES_LABELS = ("withholding", "dropping")


class ProtectingStep(Protocol):
    """What is looked at of a step."""

    @property
    def method(self) -> RecordMethod:
        """What it does."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Those that it changes."""


def recodings_of(
    data: Microdata, steps: Sequence[ProtectingStep], stages: Sequence[Microdata], rows: Sequence[Ints]
) -> tuple[LabelMaps, ...]:
    """For each stage of a release, by column the coarser label of each label of the source.

    `rows[i]` are the rows of the source that `stages[i]` shows. A column is there until a step changes it
    otherwise than by recoding; what such a step changed before is no recoding of the source. O(n) a column.
    """
    found: list[LabelMaps] = []
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
        found.append(dict(known))
    return tuple(found)


def _label_map(before: Microdata, after: Microdata, rows: Ints, name: str) -> Mapping[str, str] | None:
    """New labels by old ones, those alone that changed; None where a label became several."""
    if name not in after.columns:
        return None
    try:
        old, new = label_levels(before, name), label_levels(after, name)
    except DataError:
        return None
    there = ~(np.isnan(old.codes[rows]) | np.isnan(new.codes))
    pairs = np.unique(np.column_stack([old.codes[rows][there], new.codes[there]]).astype(np.int64), axis=0)
    if np.unique(pairs[:, 0]).size < len(pairs):
        return None
    named = ((old.names[one], new.names[other]) for one, other in pairs.tolist())
    return {one: other for one, other in named if one != other}
