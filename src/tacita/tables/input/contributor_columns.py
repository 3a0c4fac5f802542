"""The contributors of the cells of a list, as columns next to the values: all that an audit needs.

A contributor who is the only one in several cells knows all of them, so numbers of contributors are not
enough: the list identifies the largest contributors, by numbers that mean nothing elsewhere. Sums have lines
of their own, since a contributor may belong to several of their cells. Confidential.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count, takewhile

import numpy as np

from tacita.core import Contributors, DataError
from tacita.core.arrays import Floats, Ints

COUNT = "contributors"
RULES = "rules"
CELL_KEY = "cell_key"
# one figure per cell, by the field of Contributors that it fills
_SINGLE = {
    "count": COUNT,
    "frequency": "contributors_weighted",
    "total": "contributed",
    "requested": "largest_asked",
    "open": "largest_open",
}


def columns_of(behind: Contributors) -> dict[str, Floats | Ints]:
    """The columns of a list about the contributors of its cells."""
    single = {column: getattr(behind, name) for name, column in _SINGLE.items()}
    ranked = {f"largest_{place + 1}": behind.largest[:, place] for place in range(behind.depth)}
    whose = _renumbered(behind.holders)
    return single | ranked | {f"holder_{place + 1}": whose[:, place] for place in range(behind.depth)}


def _renumbered(holders: Ints) -> Ints:
    """Holders by the order of their first appearance, since a number of the source could be looked up."""
    known, first, place = np.unique(holders.ravel(), return_index=True, return_inverse=True)
    order = np.argsort(np.argsort(np.where(known < 0, -1, first)))
    numbers = np.where(known < 0, -1, order - int((known < 0).any()))
    return np.asarray(numbers[place.ravel()].reshape(holders.shape), dtype=np.int64)


def is_kept(columns: Sequence[str]) -> bool:
    """Whether a list with these columns identifies the contributors of its cells."""
    return {*_SINGLE.values(), "largest_1", "holder_1", RULES} <= set(columns)


def kept_contributors(columns: Sequence[str], laid_out: Callable[..., Floats]) -> Contributors:
    """The same again; `laid_out` gives the figures of a column for all cells and sums."""
    depth = len(list(takewhile(lambda place: f"holder_{place}" in columns, count(1))))

    def ranked(name: str, **how: float) -> Floats:
        return np.column_stack([laid_out(f"{name}_{place + 1}", **how).ravel() for place in range(depth)])

    def single(name: str) -> Floats:
        return laid_out(_SINGLE[name], least=0.0).ravel()

    return Contributors(
        total=single("total"),
        count=as_whole_counts(single("count")),
        largest=ranked("largest", least=0.0),
        holders=np.rint(ranked("holder", least=-1.0, absent=-1.0)).astype(np.int64),
        frequency=single("frequency"),
        requested=single("requested"),
        open=single("open"),
        listed=True,
    )


def counted(number: Floats, size: Floats) -> Contributors:
    """Contributors known by number only; the size of a contribution is known only for singletons."""
    whole = as_whole_counts(number)
    largest = np.where(whole == 1, size, 0.0)
    nobody = np.full((whole.size, 1), -1, dtype=np.int64)
    # nobody waived protection, also where it is not known how much the largest contributed
    unwaived = np.where(whole > 0, size, 0.0)
    return Contributors(
        total=size,
        count=whole,
        largest=largest[:, None],
        holders=nobody,
        frequency=number.astype(np.float64),
        requested=np.zeros(whole.size),
        open=unwaived,
    )


def as_whole_counts(number: Floats) -> Ints:
    """Numbers of contributors as whole ones."""
    if odd := int((number != np.rint(number)).sum()):
        raise DataError(f"The number of contributors must be whole, it is not in {odd} cells.")
    return number.astype(np.int64)
