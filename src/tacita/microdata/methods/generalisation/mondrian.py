"""Mondrian: ranges of numbers and places of hierarchies, halved until no part may stand."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from tacita.core import DataError, Ints, RunContext

from .generalisation_method import COARSER, Generalisation, Generalised, Guarded
from .key_hierarchies import TOP, Keys, Ladder
from .local_recoding import depths_of

# With a point or a comma; what else Python takes for a number (1_0, nan) is none to a reader of the file.
_NUMBER = re.compile(r"[+-]?([0-9]+[.,]?[0-9]*|[.,][0-9]+)([eE][+-]?[0-9]+)?")


class Mondrian(Generalisation):
    """Ranges of several keys at once: records are halved at the median of a key as long as both halves stand.

    Of the keys that a part spreads over, the widest is cut that can be: numbers (a key without a hierarchy
    that holds nothing else) at their median, others by the children of the place that covers them. A part
    that cannot be cut is a class; it shows the range of its numbers and the lowest places that cover
    its values. Of several spellings of a number (1, 1.0, 01) all records show the shortest.
    `relaxed` lets equal numbers fall on both sides. Every part has k records (k units, where they are named)
    and satisfies the models. O(n keys log n).
    Source: LeFevre, DeWitt & Ramakrishnan (2006), ICDE, 25.

    >>> import numpy as np
    >>> from tacita.core import Hierarchy
    >>> from tacita.microdata.methods.generalisation.key_hierarchies import Keys, Ladder
    >>> age = Ladder.of(Hierarchy.flat("age", ["20", "25", "31", "60"], "*"), False)
    >>> keys = Keys((age,), np.array([[0, 1, 2, 3]]), np.zeros(4, dtype=np.int64))
    >>> made = Mondrian(k=2).generalise(keys)
    >>> [made.labels[0][place] for place in made.shown[0]]
    ['20 to 25', '20 to 25', '31 to 60', '31 to 60']
    """

    guarantees: ClassVar[tuple[str, ...]] = COARSER

    relaxed: bool = Field(default=False, description="let equal numbers fall on both sides of a median")

    def generalise(self, keys: Keys, run: RunContext | None = None) -> Generalised:
        """Cut the records of every stratum by themselves."""
        from tacita.kernels.records.mondrian import halved

        run = run or RunContext()
        run.report("cutting ranges", 0, 1)
        guarded = Guarded(keys, self)
        numbers = [_numbers(ladder, own) for ladder, own in zip(keys.ladders, keys.leaves, strict=True)]
        ranks, spans, kinds = [], [], []
        parents: list[Ints] = [np.zeros(0, dtype=np.int64)]
        depths: list[Ints] = [np.zeros(0, dtype=np.int64)]
        for ladder, own, values in zip(keys.ladders, keys.leaves, numbers, strict=True):
            start = sum(parent.size for parent in parents)
            kinds.append(-1 if values is not None else start)
            if values is not None:
                ranks.append(np.unique(values[own], return_inverse=True)[1].reshape(-1))
                spans.append(float(ranks[-1].max()))
                continue
            ranks.append(ladder.levels[0][own] + start)
            spans.append(1.0)
            parents.append(np.where(ladder.parents < 0, -1, ladder.parents + start))
            depths.append(depths_of(ladder.parents))
        order = np.argsort(keys.strata, kind="stable").astype(np.int64)
        starts = np.concatenate([[0], np.cumsum(np.bincount(keys.strata))]).astype(np.int64)
        for low, high in zip(starts.tolist(), starts[1:].tolist(), strict=False):
            if high > low and not guarded.stands(order[low:high]):
                raise DataError(
                    f"Mondrian: {high - low} records of one stratum cannot satisfy what is required, not "
                    "even all together. Lower k, or require less of the models."
                )
        of = np.zeros(keys.n, dtype=np.int64)
        classes = halved(
            np.array(ranks, dtype=np.int64),
            np.array(spans),
            np.array(kinds, dtype=np.int64),
            np.concatenate(parents),
            np.concatenate(depths),
            starts[np.concatenate([[True], np.diff(starts) > 0])],
            order,
            guarded.guard,
            guarded.room,
            self.relaxed,
            of,
        )
        run.report("cutting ranges", 1, 1)
        shown = [
            _ranges(ladder, own, values, of) if values is not None else _places(ladder, own, of)
            for ladder, own, values in zip(keys.ladders, keys.leaves, numbers, strict=True)
        ]
        ranges = [
            ladder.name for ladder, values in zip(keys.ladders, numbers, strict=True) if values is not None
        ]
        summary: dict[str, Any] = {"classes": int(classes), "proven": False}
        return Generalised(
            labels=tuple(labels for labels, _ in shown),
            shown=np.array([places for _, places in shown]),
            gone=np.zeros(keys.n, dtype=bool),
            summary=summary,
            terms={"ranges": ranges},
        )


def _numbers(ladder: Ladder, own: Ints) -> np.ndarray[Any, Any] | None:
    """The numbers of the leaves of a flat key, None where it has a hierarchy, other text or gaps."""
    labels = [ladder.labels[place] for place in ladder.levels[0].tolist()]
    if ladder.height != 1 or ladder.labels[int(ladder.levels[1][0])] != TOP or None in labels:
        return None
    texts = [str(label).strip() for label in labels]
    if not all(_NUMBER.fullmatch(text) for text in texts):
        return None
    # plus zero: minus zero is no other number
    values = np.array([float(text.replace(",", ".")) for text in texts]) + 0.0
    return values if np.isfinite(values).all() and np.unique(own).size > 1 else None


def _spellings(ladder: Ladder, values: Any) -> list[str]:
    """One spelling for each leaf, the same for all that spell one number: the shortest, such as 1 of 01, 1.0.

    Which of them a record had must not be seen, since it may be the only one that had it.
    """
    texts = [str(ladder.labels[place]).strip() for place in ladder.levels[0].tolist()]
    shortest: dict[float, str] = {}
    for value, text in sorted(
        zip(values.tolist(), texts, strict=True), key=lambda leaf: (len(leaf[1]), leaf[1])
    ):
        shortest.setdefault(value, text)
    return [shortest[value] for value in values.tolist()]


def _ranges(ladder: Ladder, own: Ints, values: Any, of: Ints) -> tuple[Sequence[str], Ints]:
    """The least and largest number of each class, as one label; where they are one number, that number."""
    order = np.lexsort((values[own], of))
    first = np.flatnonzero(np.diff(of[order], prepend=-1))
    last = np.append(first[1:], order.size) - 1
    texts = _spellings(ladder, values)
    labels = []
    for low, high in zip(own[order[first]].tolist(), own[order[last]].tolist(), strict=True):
        same = values[low] == values[high]
        labels.append(texts[low] if same else f"{texts[low]} to {texts[high]}")
    known = sorted(set(labels))
    place = {label: at for at, label in enumerate(known)}
    return known, np.array([place[label] for label in labels], dtype=np.int64)[of]


def _places(ladder: Ladder, own: Ints, of: Ints) -> tuple[Sequence[str | None], Ints]:
    """The lowest place that covers the values of each class. O(n height)."""
    places, depths = ladder.levels[0][own], depths_of(ladder.parents)
    covering = np.full(int(of.max()) + 1, -1, dtype=np.int64)
    for number, place in {*zip(of.tolist(), places.tolist(), strict=True)}:
        at, other = place, int(covering[number])
        while other >= 0 and at != other:
            if depths[at] >= depths[other]:
                at = int(ladder.parents[at])
            else:
                other = int(ladder.parents[other])
        covering[number] = at
    return ladder.labels, covering[of]
