"""Which values to take away so that k records of a stratum miss the same columns.

No value is ever invented: a record may only come to miss more. A pattern, the set of columns that a record
misses, is an integer with a bit for each column.
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
    """The values to take away, stratum by stratum, so that every pattern has k records (k distinct units).

    A pattern that is short of k either joins another (both then miss the columns of either), or is lent
    records that miss less, the nearest first, by patterns that can spare them: whichever takes fewest values.
    Patterns are settled from the one that misses most; afterwards every record goes back to the pattern that
    shows most of it and has k without it. This is greedy, and the same for the same records: seldom more than
    the fewest. Where nothing helps, or only taking all values of a record, a pattern stays short; k records
    that miss everything are a pattern like others. O(p^2 + p n d) for p patterns.
    Source: local suppression, Hundepool et al. (2012), Statistical Disclosure Control, 3.2.

    >>> x = np.array([[1.0, 5.0], [2.0, np.nan], [3.0, 6.0], [9.0, 7.0], [8.0, 5.0], [7.0, 4.0]])
    >>> suppressed_cells(x, np.zeros(6, dtype=int), None, 3).astype(int).tolist()
    [[0, 1], [0, 0], [0, 1], [0, 0], [0, 0], [0, 0]]
    """
    gaps = np.isnan(x)
    counted = np.arange(len(x)) if units is None else units
    z = standardise(x)
    # names have no distance
    z[:, [kind == "nominal" for kind in kinds] or [False] * x.shape[1]] = 0.0
    columns, own = np.unique(gaps, axis=0, return_inverse=True)
    bits = [sum(1 << j for j in np.flatnonzero(row).tolist()) for row in columns]
    missed = [bits[number] for number in own.reshape(-1).tolist()]
    parts = [
        (rows, Patterns.of([missed[row] for row in rows.tolist()], counted[rows].tolist(), k, z[rows]))
        for rows in _split(strata)
    ]
    found = np.zeros_like(gaps)
    told, done = run or RunContext(), 0
    total = sum(len(patterns.short()) for _, patterns in parts)
    for rows, patterns in parts:
        at_first = len(patterns.short())
        for left in patterns.settling():
            told.report("suppressing values", done + at_first - left, total)
        done += at_first
        for row, before, after in zip(rows.tolist(), patterns.own, patterns.shown, strict=True):
            if before != after:
                found[row, list(_columns(after & ~before))] = True
    return found


def _split(strata: Ints) -> list[Ints]:
    order = np.argsort(strata, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(strata[order])) + 1)


def _columns(pattern: int) -> Iterator[int]:
    return (j for j in range(pattern.bit_length()) if pattern >> j & 1)


@dataclass(frozen=True)
class Move:
    """Patterns and single records that would change to a pattern, and how many values this takes, the records
    counted that it would still be short of."""

    cost: int
    to: int
    whole: tuple[int, ...] = ()
    single: tuple[int, ...] = ()


@dataclass(repr=False)
class Patterns:
    """The records of one stratum by the pattern that they show: `own` is what they miss themselves.

    `rows[p]` are the records that show p, `records[p][u]` counts those of unit u.
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
        made = cls(own=own, units=units, k=k, z=z, shown=list(own), everything=(1 << z.shape[1]) - 1)
        for row, pattern in enumerate(own):
            made._enter(row, pattern)
        # nobody may lose all values, unless k have none to begin with
        if made.size(made.everything) >= k:
            made.everything = -1
        return made

    def size(self, pattern: int) -> int:
        """Units that show a pattern."""
        return len(self.records.get(pattern, ()))

    def short(self) -> list[int]:
        """Patterns of fewer than k units."""
        return [pattern for pattern in self.rows if self.size(pattern) < self.k]

    def settling(self) -> Iterator[int]:
        """Change what records show until k units show every pattern, as far as that can be; tells how many
        patterns are left before each change, and 0 at the end."""
        hopeless: set[int] = set()
        while short := [pattern for pattern in self.short() if pattern not in hopeless]:
            yield len(short)
            pattern = max(short, key=lambda p: (p.bit_count(), p))
            ways = [*self._joining(pattern), *self._lending(pattern, pattern)]
            if not ways:
                # dearer to find, and seldom needed: it also misses the columns of others
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
        """Both it and another show what either misses."""
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
        """Records that miss less come to it, from patterns that keep k without them."""
        if to == self.everything:
            return
        there = {*self.records[pattern], *self.records.get(to, ())}
        spare: dict[int, int] = {}
        left: Counter[tuple[int, int]] = Counter()
        lent: list[int] = []
        for row in self._lenders(pattern, to):
            if len(there) >= self.k:
                break
            lender, unit = self.shown[row], self.units[row]
            last = self.records[lender][unit] - left[lender, unit] == 1
            spare.setdefault(lender, self.size(lender) - self.k)
            if unit in there or spare[lender] < last:
                continue
            spare[lender] -= last
            left[lender, unit] += 1
            there.add(unit)
            lent.append(row)
        if len(there) >= self.k:
            whole = (pattern,) if to != pattern else ()
            taken = sum(to.bit_count() - self.shown[row].bit_count() for row in lent)
            yield Move(taken + sum(self._cost(p, to) for p in whole), to, whole, tuple(lent))

    def _lenders(self, pattern: int, to: int) -> list[int]:
        """Records that could show a pattern, from those that lose fewest values; then from the nearest."""
        able = [
            row
            for other, rows in self.rows.items()
            if other not in (pattern, to) and self.size(other) >= self.k
            for row in rows
            if not self.own[row] & ~to
        ]
        there = [j for j in range(self.z.shape[1]) if not to >> j & 1]
        centre = self.z[np.ix_(list(self.rows[pattern]), there)].mean(axis=0)
        far = ((self.z[np.ix_(able, there)] - centre) ** 2).sum(axis=1)
        lost = [to.bit_count() - self.shown[row].bit_count() for row in able]
        return [able[i] for i in np.lexsort((np.array(able), far, np.array(lost))).tolist()]

    def _cost(self, pattern: int, to: int) -> int:
        """Values that all records of a pattern lose by changing to another."""
        return len(self.rows[pattern]) * (to.bit_count() - pattern.bit_count())

    def _give_back(self) -> None:
        """Every record that lost a value shows the least pattern that has k, if its own has k without it."""
        for row, pattern in enumerate(self.shown):
            if pattern == self.own[row]:
                continue
            last = self.records[pattern][self.units[row]] == 1
            if self.size(pattern) - last < self.k:
                continue
            fitting = [p for p in self.rows if not self.own[row] & ~p and self.size(p) >= self.k]
            self._move(row, min(fitting, key=lambda p: (p.bit_count(), p)))

    def _narrow(self) -> None:
        """A column that no record of a pattern misses itself is shown again."""
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
