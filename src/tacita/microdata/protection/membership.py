"""Whether synthetic records tell who was in the file: measured on halves, by comparison with the other half.

A model that was fitted on half of the units may give back unique records of that half (its members) because
it has learnt them, and of the other half only because such records are likely. What comes back of members
beyond what comes back of others is the advantage of an attacker who asks whether somebody was in the file.
The released model is fitted on all records: the figures are those of halves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import inf, sqrt
from typing import Any, Literal

import numpy as np

from tacita.core import DataError, Floats, Ints, Labels, Mask, Matrix, ParameterError, RunContext, TacitaError
from tacita.core.spec.roles import Kind
from tacita.microdata.methods.synthesis.column_margins import Columns
from tacita.microdata.methods.synthesis.mixed import SMALLEST_K, MixedSynthesis, counted

# The name by which a release above the limit is accepted.
ACCEPTED_AS = "membership"
# The promise of a release within the limit.
PROMISE = "membership-bounded"

# Halvings that are always made.
_HALVINGS = 5
# Halvings that are made where a few leave the answer open, at most.
_MOST_HALVINGS = 160
# Records that are drawn for halvings beyond the first.
_MOST_DRAWN = 200_000
# After so many halvings, an advantage over twice the limit in each of them rules out a k.
_AT_ONCE = 2
# A number of which a column has more values than this is compared by tenths of the column.
_FEW_VALUES = 100
_TENTHS = 10
# With fewer unique records in all halvings, chance alone moves the figure by more than the limit.
_ENOUGH = 3_200
# Streams of chance of their own: halves never share theirs with what is published.
_STREAM = 2**20

Outcome = Literal["within", "above", "undecided"]


@dataclass(frozen=True, repr=False)
class Halving:
    """One division of the units: the records of the half that was fitted, and the unique ones that came back.

    `judged` are the records of strata that could be fitted; `values` counts, among numbers that one unit has,
    those of members, those of them that came back to the digit, and the same of others.
    """

    members: Mask
    found: Mask
    judged: Mask
    values: tuple[int, int, int, int]


@dataclass(frozen=True, repr=False)
class Membership:
    """What the halvings show of a method with one k, in percentage points where a share is meant.

    `unique` marks the records that are compared: one of each combination that one unit alone has.
    """

    k: int
    limit: float
    unique: Mask
    halvings: tuple[Halving, ...] = field(default=())

    def shares(self) -> Matrix:
        """Of each halving, the percentage of unique members that came back, and that of the others."""
        found = np.zeros((len(self.halvings), 2))
        for row, each in zip(found, self.halvings, strict=True):
            for side, half in enumerate((each.members, ~each.members)):
                chosen = self.unique & each.judged & half
                row[side] = 100 * each.found[chosen].mean() if chosen.any() else 0.0
        return found

    @property
    def advantages(self) -> Floats:
        """Share of members less share of others, of each halving."""
        shares = self.shares()
        return np.asarray(shares[:, 0] - shares[:, 1])

    @property
    def advantage(self) -> float:
        """The mean over the halvings."""
        return float(self.advantages.mean())

    @property
    def interval(self) -> tuple[float, float]:
        """Of 95 %, by Student's t over the halvings."""
        return t_interval(self.advantages)

    @property
    def compared(self) -> int:
        """How many unique records of members were compared, over all halvings."""
        return sum(int((self.unique & each.judged & each.members).sum()) for each in self.halvings)

    @property
    def judged(self) -> int:
        """How many records were of strata that could be fitted, in the halving that had fewest."""
        return min(int(each.judged.sum()) for each in self.halvings)

    @property
    def outcome(self) -> Outcome:
        """Undecided only where unique records are so few that chance moves the figure over the limit."""
        low, high = self.interval
        if high <= self.limit:
            return "within"
        few = self.compared < _ENOUGH and self.advantage <= self.limit and low <= self.limit
        return "undecided" if few else "above"

    @property
    def value_shares(self) -> tuple[float, float] | None:
        """Percentages of numbers that one unit has which came back: members, others; None where none has."""
        counts = np.array([each.values for each in self.halvings]).sum(axis=0)
        if not counts[0] or not counts[2]:
            return None
        return float(100 * counts[1] / counts[0]), float(100 * counts[3] / counts[2])

    @property
    def values_by_chance(self) -> bool:
        """Whether numbers of members come back no more often than those of others, as far as chance tells."""
        gaps = [
            100 * (each.values[1] / each.values[0] - each.values[3] / each.values[2])
            for each in self.halvings
            if each.values[0] and each.values[2]
        ]
        return not gaps or t_interval(np.array(gaps))[0] <= 0

    @property
    def by_chance(self) -> bool:
        """Whether unique records of members come back no more often than those of others."""
        return self.interval[0] <= 0

    def promised(self) -> tuple[str, ...]:
        """What may be promised of the release."""
        return (PROMISE,) if self.outcome == "within" else ()

    def witness(self) -> dict[str, Any]:
        """What a verifier counts again: the halves, and what was judged and found in each."""
        halves = {
            "unique": self.unique,
            "members": tuple(each.members for each in self.halvings),
            "judged": tuple(each.judged for each in self.halvings),
            "found": tuple(each.found for each in self.halvings),
        }
        return {"halves": halves}

    def as_dict(self) -> dict[str, Any]:
        """The figures for a record, none of which tells of a single person."""
        members, others = self.shares().mean(axis=0).tolist()
        low, high = self.interval
        found: dict[str, Any] = {
            "k": self.k,
            "halvings": len(self.halvings),
            "unique_records": int(self.unique.sum()),
            "members": members,
            "others": others,
            "advantage": self.advantage,
            "low": low,
            "high": high,
            "worst": float(self.advantages.max()),
            "limit": self.limit,
            "outcome": self.outcome,
        }
        if self.value_shares is not None:
            found["numbers_of_members"], found["numbers_of_others"] = self.value_shares
        return found


def t_interval(values: Floats) -> tuple[float, float]:
    """Mean of some figures with its 95 % interval.

    >>> [round(end, 2) for end in t_interval(np.array([1.0, 2.0, 3.0, 2.0, 2.0]))]
    [1.12, 2.88]
    """
    from scipy.special import stdtrit

    if values.size < 2:
        return -inf, inf
    reach = float(stdtrit(values.size - 1, 0.975)) * float(values.std(ddof=1)) / sqrt(values.size)
    return float(values.mean()) - reach, float(values.mean()) + reach


@dataclass(frozen=True, repr=False)
class Attack:
    """The records of a file as the attack sees them: made once, then tried with each k."""

    x: Matrix
    p: int
    strata: Labels
    units: Labels | None
    columns: Columns
    unique: Mask
    rare: tuple[tuple[int, Mask], ...]
    comparing: _Comparing

    @classmethod
    def of(cls, x: Matrix, p: int, strata: Labels, units: Labels | None, columns: Columns) -> Attack:
        """Of dependent (the first p) and independent columns. O(n d log n)."""
        comparing = _Comparing.of(x, columns.kinds)
        owners = np.arange(len(x)) if units is None else units
        unique = _of_one_unit(comparing.keys(x, strata), owners)
        rare = []
        for j in (j for j in range(p) if columns.kinds[j] == "numeric"):
            here = np.flatnonzero(~np.isnan(x[:, j]))
            alone = np.zeros(len(x), dtype=bool)
            alone[here] = _of_one_unit(x[here, j], owners[here])
            rare.append((j, alone))
        return cls(
            x=x,
            p=p,
            strata=strata,
            units=units,
            columns=columns,
            unique=unique,
            rare=tuple(rare),
            comparing=comparing,
        )

    def strength(self, method: MixedSynthesis, run: RunContext, *, searching: bool) -> Membership | None:
        """What halvings show of the method; None where no stratum is large enough for one.

        Five at least; more where the limit lies within their interval, as far as that takes no longer than
        drawing a large file once. Where another k may still be tried (`searching`), two may be enough to
        rule this one out.
        """
        limit, n, done = method.max_advantage, len(self.x), 0
        membership = Membership(method.fewest, limit, self.unique)
        most = int(np.clip(_MOST_DRAWN // n, _HALVINGS, _MOST_HALVINGS))
        goal = _HALVINGS
        while done < goal:
            run.report("measuring membership", done, goal)
            halving = self._halving(method, done, run)
            if halving is None:
                return None
            done += 1
            membership = Membership(method.fewest, limit, self.unique, (*membership.halvings, halving))
            advantages = membership.advantages
            if searching and done == _AT_ONCE and (advantages > 2 * limit).all():
                return membership
            low, high = membership.interval
            # a few halvings of a small file are mostly chance: no release is refused for that
            hopeful = not searching or membership.advantage <= limit or done < 2 * _HALVINGS
            if done == goal and low <= limit < high and hopeful:
                goal = min(2 * goal, most)
        run.report("measuring membership", 1, 1)
        return membership

    def _halving(self, method: MixedSynthesis, number: int, run: RunContext) -> Halving | None:
        # the same halves for each k, and the same every time: nothing of them is published
        fixed = RunContext(seed=0, threads=run.threads, should_cancel=run.should_cancel).branch(
            _STREAM, number
        )
        generator = fixed.protective_generator()
        members, judged = self._half(generator), np.zeros(len(self.x), dtype=bool)
        drawn: list[Matrix] = []
        drawn_strata: list[Labels] = []
        for stratum, rows in enumerate(_parts(self.strata)):
            part = np.flatnonzero(members[rows])
            units = None if self.units is None else self.units[rows]
            if counted(None if units is None else units[part], part.size) < 2 * method.fewest:
                continue
            # independent columns are published of all records, so that they tell of members and others alike
            given = part if self.x.shape[1] == self.p else np.arange(rows.size)
            y, s = self.x[rows, : self.p], self.x[rows, self.p :]
            try:
                new = method.synthesize_from_part(
                    y, s, part, given, fixed.branch(stratum), columns=self.columns, units=units
                )
            except DataError:
                continue
            judged[rows] = True
            drawn.append(np.hstack([new, s[given]]))
            drawn_strata.append(np.full(given.size, self.strata[rows[0]]))
        if not drawn:
            return None
        made, strata = np.vstack(drawn), np.concatenate(drawn_strata)
        chosen = np.flatnonzero(self.unique & judged)
        found = np.zeros(len(self.x), dtype=bool)
        keys = self.comparing.keys(self.x[chosen], self.strata[chosen])
        found[chosen] = np.isin(keys, self.comparing.keys(made, strata))
        counts = np.zeros(4, dtype=np.int64)
        for j, rare in self.rare:
            back = np.isin(self.x[:, j], made[:, j])
            for side, half in enumerate((members, ~members)):
                here = rare & judged & half
                counts[2 * side : 2 * side + 2] += here.sum(), (here & back).sum()
        mine, back_of_mine, others, back_of_others = counts.tolist()
        return Halving(members, found, judged, (mine, back_of_mine, others, back_of_others))

    def _half(self, generator: np.random.Generator) -> Mask:
        """The records of every other unit, in random order within strata: both halves have all of them."""
        owners, first = np.arange(len(self.x)), np.arange(len(self.x))
        if self.units is not None:
            _, first, owners = np.unique(self.units, return_index=True, return_inverse=True)
            owners = owners.reshape(-1)
        order = np.lexsort((generator.random(first.size), self.strata[first]))
        chosen = np.zeros(first.size, dtype=bool)
        chosen[order[int(generator.integers(0, 2)) :: 2]] = True
        return np.asarray(chosen[owners])


def _parts(strata: Labels) -> Iterator[Ints]:
    order: Ints = np.argsort(strata, kind="stable")
    yield from np.split(order, np.cumsum(np.bincount(strata))[:-1])


def _of_one_unit(keys: np.ndarray, owners: Labels) -> Mask:
    """The first record of each key that one owner alone has. O(n log n)."""
    values, first, at = np.unique(keys, return_index=True, return_inverse=True)
    at = at.reshape(-1)
    highest, lowest = (
        np.full(values.size, -1, dtype=np.int64),
        np.full(values.size, owners.max(initial=0) + 1),
    )
    np.maximum.at(highest, at, owners)
    np.minimum.at(lowest, at, owners)
    found = np.zeros(len(keys), dtype=bool)
    found[first[highest == lowest]] = True
    return found


@dataclass(frozen=True, repr=False)
class _Comparing:
    """How records are compared: by their values, numbers of many values by the tenth that they lie in."""

    edges: tuple[Floats | None, ...]
    factors: np.ndarray

    @classmethod
    def of(cls, x: Matrix, kinds: Sequence[Kind]) -> _Comparing:
        edges: list[Floats | None] = []
        for values, kind in zip(x.T, kinds or ["numeric"] * x.shape[1], strict=True):
            present = values[~np.isnan(values)]
            many = kind == "numeric" and np.unique(present).size > _FEW_VALUES
            shares = np.arange(1, _TENTHS) / _TENTHS
            edges.append(np.quantile(present, shares) if many else None)
        factors = np.random.default_rng(0).integers(1, 2**63, x.shape[1] + 1, dtype=np.int64)
        return cls(tuple(edges), factors.astype(np.uint64) * np.uint64(2) + np.uint64(1))

    def keys(self, x: Matrix, strata: Labels) -> np.ndarray:
        """A number for each record that two share only if they compare as equal, but for chance of 2^-60."""
        found: np.ndarray = strata.astype(np.uint64) * self.factors[-1]
        for values, edge, factor in zip(x.T, self.edges, self.factors[:-1], strict=True):
            gaps = np.isnan(values)
            cells = values if edge is None else np.searchsorted(edge, values, "right").astype(np.float64)
            # plus zero: minus zero is zero; what is missing is a value of its own
            plain = np.where(gaps, np.nan, cells) + 0.0
            bits = np.ascontiguousarray(plain).view(np.uint64)
            bits = (bits ^ (bits >> np.uint64(32))) * factor
            found = (found ^ (found >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9) + bits
        return found


def settled(
    method: MixedSynthesis,
    x: Matrix,
    p: int,
    strata: Labels,
    columns: Columns,
    run: RunContext,
    *,
    units: Labels | None = None,
) -> tuple[MixedSynthesis, Membership | None]:
    """The method with the k that it is to run with, and what halvings show of it; None if they cannot tell.

    A given k is measured and kept. Where none is, it is doubled until the limit is met, as long as halves of
    the smallest stratum can still be fitted with it.
    """
    attack = Attack.of(x, p, strata, units, columns)
    if method.k is not None:
        return method, attack.strength(method, run, searching=False)
    sizes = [
        counted(None if units is None else units[rows], rows.size) for rows in _parts(strata) if rows.size
    ]
    # halves of a stratum need twice k
    most = max(min(sizes) // 4, 1)
    k = min(method.first_k(sum(sizes) // len(sizes)), max(most, SMALLEST_K))
    before: tuple[MixedSynthesis, Membership] | None = None
    while True:
        tried = method.with_k(k)
        found = attack.strength(tried, run, searching=k < most)
        if found is None or (before is not None and found.judged < before[1].judged):
            # nothing, or less of the file, can be drawn with so large a k
            return before or (tried, found)
        if found.outcome != "above" or k >= most:
            return tried, found
        before, k = (tried, found), min(2 * k, most)


def against_advice(method: Any, membership: Membership | None) -> dict[str, TacitaError]:
    """The error that refuses a synthesis which remembers its records."""
    if membership is None or membership.outcome != "above":
        return {}
    members, others = membership.shares().mean(axis=0).tolist()
    return {
        ACCEPTED_AS: ParameterError(
            f"{method.spoken_name()}: with k = {membership.k}, fitted on halves of the file, {members:.1f} % "
            f"of the unique records of the half that it saw come back, and {others:.1f} % of those of the "
            "other: "
            f"{membership.advantage:.2f} points more, up to {membership.interval[1]:.2f} (95 %), where "
            f"{membership.limit:g} are allowed. Raise k as far as categories have so many, coarsen columns, "
            "draw fewer, take copula, or insist (--insist; it is recorded)."
        )
    }
