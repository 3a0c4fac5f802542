"""Suppresses values so that k records of a stratum have the same pattern of missing values.

No value is imputed: records can only have more missing values. A pattern, the set of missing columns of a
record, is an integer with one bit per column.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from tacita.core import Ints, Mask, Matrix, RunContext
from tacita.microdata.statistics.standardise import standardise


def suppressed_cells(
    x: Matrix,
    strata: Ints,
    units: Ints | None,
    k: int,
    kinds: Sequence[str] = (),
    run: RunContext | None = None,
) -> Mask:
    """The values to suppress, stratum by stratum, so that every pattern has k records (k distinct units).

    A pattern with fewer than k records either joins another one, so that both miss the columns of either, or
    takes the nearest records with fewer missing values from patterns that keep k. The cheaper way is taken.
    Patterns are treated in decreasing order of missing columns. Afterwards every record returns to the
    pattern that shows most of its values, if its present pattern has k without it. The search is greedy and
    deterministic, and seldom suppresses more than the minimum. A pattern stays short if only suppressing all
    values of a record would help; k records without any value are a pattern too. O(p^2 + p n d), p patterns.
    Source: local suppression, Hundepool et al. (2012), Statistical Disclosure Control, 3.2.

    >>> x = np.array([[1.0, 5.0], [2.0, np.nan], [3.0, 6.0], [9.0, 7.0], [8.0, 5.0], [7.0, 4.0]])
    >>> suppressed_cells(x, np.zeros(6, dtype=int), None, 3).astype(int).tolist()
    [[0, 1], [0, 0], [0, 1], [0, 0], [0, 0], [0, 0]]
    """
    gaps = np.isnan(x)
    owners = np.arange(len(x)) if units is None else units
    z = standardise(x)
    # nominal codes have no distance
    z[:, [kind == "nominal" for kind in kinds] or [False] * x.shape[1]] = 0.0
    columns, pattern_of = np.unique(gaps, axis=0, return_inverse=True)
    bits = [sum(1 << j for j in np.flatnonzero(row).tolist()) for row in columns]
    missed = [bits[number] for number in pattern_of.reshape(-1).tolist()]
    parts = [
        (rows, Patterns.of([missed[row] for row in rows.tolist()], owners[rows].tolist(), k, z[rows]))
        for rows in _split(strata)
    ]
    suppressed = np.zeros_like(gaps)
    run, done = run or RunContext(), 0
    total = sum(len(patterns.short()) for _, patterns in parts)
    for rows, patterns in parts:
        at_first = len(patterns.short())
        for remaining in patterns.settling():
            run.report("suppressing values", done + at_first - remaining, total)
        done += at_first
        for row, before, after in zip(rows.tolist(), patterns.own, patterns.shown, strict=True):
            if before != after:
                suppressed[row, list(_columns(after & ~before))] = True
    return suppressed


def _split(strata: Ints) -> list[Ints]:
    order = np.argsort(strata, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(strata[order])) + 1)


def _columns(pattern: int) -> Iterator[int]:
    return (j for j in range(pattern.bit_length()) if pattern >> j & 1)


@dataclass(frozen=True)
class Move:
    """A change of patterns and single records to one pattern.

    `cost` is the number of values that it suppresses, plus the records still missing to k.
    """

    cost: int
    to: int
    whole: tuple[int, ...] = ()
    single: tuple[int, ...] = ()


@dataclass(repr=False)
class Patterns:
    """The records of one stratum by the pattern that they show.

    own         original pattern of each record
    shown       present pattern of each record
    rows        records of each present pattern
    records     by present pattern, the number of records of each unit
    """

    own: list[int]
    units: list[int]
    k: int
    z: Matrix
    shown: list[int]
    everything: int
    rows: dict[int, dict[int, None]] = field(default_factory=dict)
    records: dict[int, Counter[int]] = field(default_factory=dict)

    @classmethod
    def of(cls, own: list[int], units: list[int], k: int, z: Matrix) -> Patterns:
        patterns = cls(own=own, units=units, k=k, z=z, shown=list(own), everything=(1 << z.shape[1]) - 1)
        for row, pattern in enumerate(own):
            patterns._enter(row, pattern)
        # no record may lose all values, unless k records had none from the start
        if patterns.size(patterns.everything) >= k:
            patterns.everything = -1
        return patterns

    def size(self, pattern: int) -> int:
        """Number of units that show a pattern."""
        return len(self.records.get(pattern, ()))

    def short(self) -> list[int]:
        """Patterns with fewer than k units."""
        return [pattern for pattern in self.rows if self.size(pattern) < self.k]

    def settling(self) -> Iterator[int]:
        """Change patterns until k units show every one, as far as possible.

        Yields the number of patterns that are left before each change, and 0 at the end.
        """
        hopeless: set[int] = set()
        while short := [pattern for pattern in self.short() if pattern not in hopeless]:
            yield len(short)
            pattern = max(short, key=lambda p: (p.bit_count(), p))
            ways = [*self._joining(pattern), *self._lending(pattern, pattern)]
            if not ways:
                # slower and seldom needed: the pattern may also miss the columns of others
                wider = sorted({pattern | missed for missed in self.own})
                ways = [way for to in wider for way in self._lending(pattern, to)]
            if not ways:
                hopeless.add(pattern)
                continue
            best = min(ways, key=lambda way: (way.cost, way.to.bit_count(), way.to, way.whole))
            for row in [*(row for p in best.whole for row in self.rows[p]), *best.single]:
                self._move(row, best.to)
        self._give_back()
        self._narrow()
        yield 0

    def _joining(self, pattern: int) -> Iterator[Move]:
        """The pattern and another one both change to the union of their missing columns."""
        for other in self.rows:
            to = pattern | other
            if other == pattern or to == self.everything:
                continue
            cost = self._cost(pattern, to) + self._cost(other, to)
            if self.size(other) < self.k:
                units = [*self.records[pattern], *self.records[other], *self.records.get(to, ())]
                cost += max(self.k - len(set(units)), 0)
            yield Move(cost, to, tuple(p for p in (pattern, other) if p != to))

    def _lending(self, pattern: int, to: int) -> Iterator[Move]:
        """Records with fewer missing values join, from patterns that keep k without them."""
        if to == self.everything:
            return
        members = {*self.records[pattern], *self.records.get(to, ())}
        spare: dict[int, int] = {}
        taken: Counter[tuple[int, int]] = Counter()
        lent: list[int] = []
        for row in self._lenders(pattern, to):
            if len(members) >= self.k:
                break
            lender, unit = self.shown[row], self.units[row]
            last = self.records[lender][unit] - taken[lender, unit] == 1
            spare.setdefault(lender, self.size(lender) - self.k)
            if unit in members or spare[lender] < last:
                continue
            spare[lender] -= last
            taken[lender, unit] += 1
            members.add(unit)
            lent.append(row)
        if len(members) >= self.k:
            whole = (pattern,) if to != pattern else ()
            cost = sum(to.bit_count() - self.shown[row].bit_count() for row in lent)
            yield Move(cost + sum(self._cost(p, to) for p in whole), to, whole, tuple(lent))

    def _lenders(self, pattern: int, to: int) -> list[int]:
        """Records that could show a pattern: those that lose fewest values first, then the nearest."""
        candidates = [
            row
            for other, rows in self.rows.items()
            if other not in (pattern, to) and self.size(other) >= self.k
            for row in rows
            if not self.own[row] & ~to
        ]
        shown = [j for j in range(self.z.shape[1]) if not to >> j & 1]
        centre = self.z[np.ix_(list(self.rows[pattern]), shown)].mean(axis=0)
        distance = ((self.z[np.ix_(candidates, shown)] - centre) ** 2).sum(axis=1)
        lost = [to.bit_count() - self.shown[row].bit_count() for row in candidates]
        order = np.lexsort((np.array(candidates), distance, np.array(lost)))
        return [candidates[i] for i in order.tolist()]

    def _cost(self, pattern: int, to: int) -> int:
        """Number of values that the records of a pattern lose by changing to another."""
        return len(self.rows[pattern]) * (to.bit_count() - pattern.bit_count())

    def _give_back(self) -> None:
        """Move records that lost a value to the smallest pattern with k, if theirs keeps k without them."""
        for row, pattern in enumerate(self.shown):
            if pattern == self.own[row]:
                continue
            last = self.records[pattern][self.units[row]] == 1
            if self.size(pattern) - last < self.k:
                continue
            fitting = [p for p in self.rows if not self.own[row] & ~p and self.size(p) >= self.k]
            self._move(row, min(fitting, key=lambda p: (p.bit_count(), p)))

    def _narrow(self) -> None:
        """Restore columns that every record of a pattern originally has."""
        for pattern, rows in list(self.rows.items()):
            missed = 0
            for row in rows:
                missed |= self.own[row]
            for row in list(rows) if missed != pattern else ():
                self._move(row, missed)

    def _enter(self, row: int, pattern: int) -> None:
        self.rows.setdefault(pattern, {})[row] = None
        self.records.setdefault(pattern, Counter())[self.units[row]] += 1

    def _move(self, row: int, to: int) -> None:
        source, unit = self.shown[row], self.units[row]
        del self.rows[source][row]
        self.records[source][unit] -= 1
        if not self.records[source][unit]:
            del self.records[source][unit]
        if not self.rows[source]:
            del self.rows[source], self.records[source]
        self.shown[row] = to
        self._enter(row, to)
