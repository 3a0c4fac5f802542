"""Interval disclosure: how often a released value pins its original down to a narrow interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tacita.core import Comparison, Floats, Ints, Run, Score
from tacita.microdata.measure import CellMeasure, ColumnMeasure
from tacita.microdata.quantiles import Standing, standings
from tacita.microdata.rounds import Part, Question, Rounds
from tacita.microdata.sums import spreads, summed

# How many values are less than each of some, and how many are no larger.
_Ranks = tuple[Floats | Ints, Floats | Ints]

WIDTHS = np.arange(1, 11) / 100


class IDSd(CellMeasure):
    """Share of values that the released ones nearly give away: to 1 to 10 % of a standard deviation.

    Share of original values within p standard deviations of the released one, p = 1 % .. 10 % averaged.
    |x - z| <= p S_j, S_j with divisor n - 1; mean over p, records and attributes. 0: no value is pinned
    down; 100: every one is. O(n d).
    Source: Domingo-Ferrer & Torra (2001), A quantitative comparison of disclosure control methods for
    microdata, in Confidentiality, Disclosure and Data Access, North-Holland, 111-133.

    >>> IDSd().score(Comparison.of([[0.0], [1.0]], [[0.0], [9.0]])).value
    50.0
    """

    kind: ClassVar[str] = "risk"
    name: ClassVar[str] = "ID_sd"
    family: ClassVar[str] = "values pinned down"
    span: ClassVar[tuple[float, float | None]] = (0.0, 100.0)

    def cells(self, gap: Floats) -> Floats:
        # how many of the ten intervals hold the value: rounding must not decide at a border
        inside = WIDTHS.size - np.searchsorted(WIDTHS, np.abs(gap) * (1 - 1e-12))
        return np.asarray(10.0 * inside, dtype=np.float64)


class IDRank(ColumnMeasure):
    """Share of values that the released ones nearly give away: to within 1 to 10 % of the ranks.

    Share of original values between the released values p n ranks below and above, p = 1 % .. 10 %.
    With r the rank of the released value in its released column (ties share their middle rank), the
    original counts if it lies between the released order statistics of rank r - pn and r + pn (cut at the
    ends). 0: no value is pinned down; 100: every one is. O(n log n d). Of a file in parts, ranks are told to
    one in 16 000.
    Source: Domingo-Ferrer & Torra (2001), A quantitative comparison of disclosure control methods for
    microdata, in Confidentiality, Disclosure and Data Access, North-Holland, 111-133.

    >>> IDRank().score(Comparison.of([[0.0], [1.0], [2.0]], [[0.0], [1.0], [9.0]])).value
    66.66666666666667
    """

    kind: ClassVar[str] = "risk"
    name: ClassVar[str] = "ID_rank"
    family: ClassVar[str] = "values pinned down"
    span: ClassVar[tuple[float, float | None]] = (0.0, 100.0)

    def in_parts(self, names: tuple[str, ...], run: Run) -> Rounds[Score]:
        known = yield from spreads(len(names))
        if not known.varying.size:
            return self.none("no original column varies")
        standing = yield from standings()
        released = tuple(standing[len(names) + j] for j in known.varying)
        answers = yield RankQuestion(tuple(known.varying.tolist()), released, known.n)
        found = summed(answers) / known.n
        named = {names[j]: figure for j, figure in zip(known.varying, found.tolist(), strict=True)}
        return self.result(found.mean(), per_attribute=named)

    def figures(self, pair: Comparison, run: Run) -> tuple[Floats, Floats]:
        inside = np.zeros(pair.original.shape)
        for j in range(len(pair.attributes)):
            # in the order of the released values: what is looked up one after the other is at hand
            order = np.argsort(pair.released[:, j], kind="stable")
            x, z = pair.original[order, j], pair.released[order, j]
            original, released = (
                (np.searchsorted(z, each, "left"), np.searchsorted(z, each, "right")) for each in (x, z)
            )
            inside[order, j] = _pinned(original, released, pair.n)
        return inside.mean(axis=0), inside.mean(axis=1)


def _pinned(original: _Ranks, released: _Ranks, n: int) -> Floats:
    """How many intervals, in percent, hold each original; by how many released values are less or equal."""
    # the released values of ranks first .. last - 1 are those that equal the original, all before are lower
    (first, last), middle = original, (released[0] + released[1] - 1) / 2
    hits = np.zeros(middle.size)
    for width in WIDTHS:
        low = np.maximum(np.ceil(middle - width * n), 0)
        high = np.minimum(np.floor(middle + width * n), n - 1)
        hits += (low < last) & (high >= first)
    return 10.0 * hits


@dataclass(frozen=True, eq=False)
class RankQuestion(Question):
    """Sums over the cells of each varying column, by where their values stand among all released ones."""

    columns: tuple[int, ...]
    standing: tuple[Standing, ...]
    n: int

    def answer(self, part: Part) -> Floats:
        x, z = part.pair.original, part.pair.released
        return np.array(
            [
                _pinned(each.ranks(x[:, j]), each.ranks(z[:, j]), self.n).sum()
                for j, each in zip(self.columns, self.standing, strict=True)
            ]
        )
