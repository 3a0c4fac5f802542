"""Membership test of a synthesis: does it reveal who was in the file? Measured on halves of the file.

A model fitted on half of the units may reproduce sample uniques of that half (the members) because it
memorised them, but those of the other half only because such records are likely. The difference of the two
shares is the advantage of an attacker who wants to know whether a person was in the file. The released model
is fitted on all records; the figures are those of the halves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import inf, sqrt
from typing import Any, Literal

import numpy as np

from tacita.core import DataError, Floats, Ints, Labels, Mask, Matrix, ParameterError, RunContext, TacitaError
from tacita.core.spec.roles import Kind
from tacita.core.spec.setting_syntax import accepting
from tacita.microdata.methods.synthesis.column_margins import Columns
from tacita.microdata.methods.synthesis.mixed import SMALLEST_K, MixedSynthesis, counted

# The name by which a release above the limit is accepted.
ACCEPTED_AS = "membership"
# The promise of a release within the limit.
PROMISE = "membership-bounded"

# Halvings that are always made, and the most if few of them do not decide.
_HALVINGS = 5
_MOST_HALVINGS = 160
# Records that further halvings may draw in all.
_MOST_DRAWN = 200_000
# After so many halvings, an advantage over twice the limit in each of them rules out a k.
_AT_ONCE = 2
# Numeric columns with more values than this are compared by deciles.
_FEW_VALUES = 100
_TENTHS = 10
# With fewer unique records in all halvings, chance alone moves the figure by more than the limit.
_ENOUGH = 3_200
# Random streams of their own, never shared with the published values.
_STREAM = 2**20

Outcome = Literal["within", "above", "undecided"]


@dataclass(frozen=True, repr=False)
class Halving:
    """One division of the units into halves.

    members     records of the half that the model was fitted on
    reproduced  unique records that were reproduced
    judged      records of strata that could be fitted
    values      numbers of a single unit: of members, of these reproduced exactly, and the same for others
    """

    members: Mask
    reproduced: Mask
    judged: Mask
    values: tuple[int, int, int, int]


@dataclass(frozen=True, repr=False)
class Membership:
    """Result of the halvings for a method with one k; shares are in percent.

    `unique` marks the records that are compared: one of each combination that only one unit has.
    """

    k: int
    limit: float
    unique: Mask
    halvings: tuple[Halving, ...] = field(default=())

    def shares(self) -> Matrix:
        """For each halving, the percentages of unique members and of unique others that are reproduced."""
        shares = np.zeros((len(self.halvings), 2))
        for row, halving in zip(shares, self.halvings, strict=True):
            for side, half in enumerate((halving.members, ~halving.members)):
                chosen = self.unique & halving.judged & half
                row[side] = 100 * halving.reproduced[chosen].mean() if chosen.any() else 0.0
        return shares

    @property
    def advantages(self) -> Floats:
        """Share of members minus share of others, by halving."""
        shares = self.shares()
        return np.asarray(shares[:, 0] - shares[:, 1])

    @property
    def advantage(self) -> float:
        """Mean advantage over the halvings."""
        return float(self.advantages.mean())

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval of the advantage, by Student's t over the halvings."""
        return t_interval(self.advantages)

    @property
    def compared(self) -> int:
        """Number of unique records of members compared, over all halvings."""
        return sum(int((self.unique & half.judged & half.members).sum()) for half in self.halvings)

    @property
    def judged(self) -> int:
        """Number of records of strata that could be fitted, in the halving with fewest."""
        return min(int(halving.judged.sum()) for halving in self.halvings)

    @property
    def outcome(self) -> Outcome:
        """Undecided only if unique records are so few that chance may exceed the limit."""
        low, high = self.interval
        if high <= self.limit:
            return "within"
        few = self.compared < _ENOUGH and self.advantage <= self.limit and low <= self.limit
        return "undecided" if few else "above"

    @property
    def value_shares(self) -> tuple[float, float] | None:
        """Percentages of numbers of a single unit that are reproduced: members, others; None without any."""
        counts = np.array([halving.values for halving in self.halvings]).sum(axis=0)
        if not counts[0] or not counts[2]:
            return None
        return float(100 * counts[1] / counts[0]), float(100 * counts[3] / counts[2])

    @property
    def values_by_chance(self) -> bool:
        """Whether numbers of members are not reproduced significantly more often than those of others."""
        counts = [halving.values for halving in self.halvings]
        gaps = [
            100 * (back / members - back_of_others / others)
            for members, back, others, back_of_others in counts
            if members and others
        ]
        return not gaps or t_interval(np.array(gaps))[0] <= 0

    @property
    def by_chance(self) -> bool:
        """Whether unique records of members are not reproduced significantly more often than others."""
        return self.interval[0] <= 0

    def promised(self) -> tuple[str, ...]:
        """The promises that the result allows."""
        return (PROMISE,) if self.outcome == "within" else ()

    def witness(self) -> dict[str, Any]:
        """Evidence for the verifier, which counts again: the halves, and the records reproduced in each."""
        halves = {
            "unique": self.unique,
            "members": tuple(halving.members for halving in self.halvings),
            "judged": tuple(halving.judged for halving in self.halvings),
            "found": tuple(halving.reproduced for halving in self.halvings),
        }
        return {"halves": halves}

    def as_dict(self) -> dict[str, Any]:
        """The figures for the record; none is about a single person."""
        members, others = self.shares().mean(axis=0).tolist()
        low, high = self.interval
        figures: dict[str, Any] = {
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
            figures["numbers_of_members"], figures["numbers_of_others"] = self.value_shares
        return figures


def t_interval(values: Floats) -> tuple[float, float]:
    """95 % confidence interval of a mean.

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
    """The records of a file prepared for the attack, once for all values of k."""

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
        """Prepare the dependent (the first p) and independent columns. O(n d log n)."""
        comparing = _Comparing.of(x, columns.kinds)
        owners = np.arange(len(x)) if units is None else units
        unique = _of_one_unit(comparing.keys(x, strata), owners)
        rare = []
        for j in (j for j in range(p) if columns.kinds[j] == "numeric"):
            present = np.flatnonzero(~np.isnan(x[:, j]))
            of_one_unit = np.zeros(len(x), dtype=bool)
            of_one_unit[present] = _of_one_unit(x[present, j], owners[present])
            rare.append((j, of_one_unit))
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
        """Result of the halvings for a method; None if no stratum is large enough.

        At least five halvings; more while the limit lies within their interval, up to the cost of drawing a
        large file once. If another k may still be tried (`searching`), two can be enough to reject this one.
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
            # few halvings of a small file are mostly chance and refuse no release
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
            # independent columns of all records are published, members and others
            published = part if self.x.shape[1] == self.p else np.arange(rows.size)
            y, s = self.x[rows, : self.p], self.x[rows, self.p :]
            try:
                new = method.synthesize_from_part(
                    y, s, part, published, fixed.branch(stratum), columns=self.columns, units=units
                )
            except DataError:
                continue
            judged[rows] = True
            drawn.append(np.hstack([new, s[published]]))
            drawn_strata.append(np.full(published.size, self.strata[rows[0]]))
        if not drawn:
            return None
        synthetic, strata = np.vstack(drawn), np.concatenate(drawn_strata)
        chosen = np.flatnonzero(self.unique & judged)
        reproduced = np.zeros(len(self.x), dtype=bool)
        keys = self.comparing.keys(self.x[chosen], self.strata[chosen])
        reproduced[chosen] = np.isin(keys, self.comparing.keys(synthetic, strata))
        counts = np.zeros(4, dtype=np.int64)
        for j, rare in self.rare:
            back = np.isin(self.x[:, j], synthetic[:, j])
            for side, half in enumerate((members, ~members)):
                compared = rare & judged & half
                counts[2 * side : 2 * side + 2] += compared.sum(), (compared & back).sum()
        of_members, back_of_members, of_others, back_of_others = counts.tolist()
        values = (of_members, back_of_members, of_others, back_of_others)
        return Halving(members, reproduced, judged, values)

    def _half(self, generator: np.random.Generator) -> Mask:
        """The records of every second unit, in random order within strata, so that halves share strata."""
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
    """Marks the first record of each key that only one owner has. O(n log n)."""
    values, first, at = np.unique(keys, return_index=True, return_inverse=True)
    at = at.reshape(-1)
    highest, lowest = (
        np.full(values.size, -1, dtype=np.int64),
        np.full(values.size, owners.max(initial=0) + 1),
    )
    np.maximum.at(highest, at, owners)
    np.minimum.at(lowest, at, owners)
    of_one_owner = np.zeros(len(keys), dtype=bool)
    of_one_owner[first[highest == lowest]] = True
    return of_one_owner


@dataclass(frozen=True, repr=False)
class _Comparing:
    """Keys by which records are compared: their values; deciles for numeric columns with many values."""

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
        """Hash of each record; records that differ share one with a probability of 2^-60."""
        hashes: np.ndarray = strata.astype(np.uint64) * self.factors[-1]
        for values, edge, factor in zip(x.T, self.edges, self.factors[:-1], strict=True):
            gaps = np.isnan(values)
            cells = values if edge is None else np.searchsorted(edge, values, "right").astype(np.float64)
            # plus zero: -0.0 equals 0.0; missing is a value of its own
            plain = np.where(gaps, np.nan, cells) + 0.0
            bits = np.ascontiguousarray(plain).view(np.uint64)
            bits = (bits ^ (bits >> np.uint64(32))) * factor
            hashes = (hashes ^ (hashes >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9) + bits
        return hashes


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
    """The method with its k, and the result of the membership test; None if it cannot be measured.

    A k that the user sets is measured and kept. Otherwise k is doubled until the limit is met, as long as
    halves of the smallest stratum can be fitted with it.
    """
    attack = Attack.of(x, p, strata, units, columns)
    if method.k is not None:
        return method, attack.strength(method, run, searching=False)
    sizes = [
        counted(None if units is None else units[rows], rows.size) for rows in _parts(strata) if rows.size
    ]
    # halves of a stratum must have 2k records
    most = max(min(sizes) // 4, 1)
    k = min(method.first_k(sum(sizes) // len(sizes)), max(most, SMALLEST_K))
    before: tuple[MixedSynthesis, Membership] | None = None
    while True:
        trial = method.with_k(k)
        membership = attack.strength(trial, run, searching=k < most)
        if membership is None or (before is not None and membership.judged < before[1].judged):
            # so large a k leaves nothing, or less of the file, to compare
            return before or (trial, membership)
        if membership.outcome != "above" or k >= most:
            return trial, membership
        before, k = (trial, membership), min(2 * k, most)


def against_advice(method: Any, membership: Membership | None) -> dict[str, TacitaError]:
    """The error that refuses a synthesis that reveals who was in the file."""
    if membership is None or membership.outcome != "above":
        return {}
    members, others = membership.shares().mean(axis=0).tolist()
    return {
        ACCEPTED_AS: ParameterError(
            f"{method.display_name()}: fitted on halves of the file with k = {membership.k}, the model "
            f"reproduces {members:.1f} % of the sample uniques of its own half and {others:.1f} % of those "
            f"of the other half: {membership.advantage:.2f} points more, up to {membership.interval[1]:.2f} "
            f"(95 %; limit {membership.limit:g}). Raise k as far as categories have so many records, coarsen "
            f"columns, synthesise fewer, use copula, or {accepting(ACCEPTED_AS)}."
        )
    }
