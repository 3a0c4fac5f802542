"""Promises about units that changed places: who with whom, what stays in each region, who had to."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable
from functools import cached_property
from math import ceil

import numpy as np

from tacita.core import Ints

from .evidence import Evidence, distinct, sizes
from .pram import categories_of, plain_text

_NO_PAIRS = "the claim does not say which units changed places"


class Swaps:
    """The units of a release: their regions before and after, their partners, strata and profiles."""

    def __init__(self, evidence: Evidence, units: Ints) -> None:
        self.evidence = evidence
        self.units = distinct(units)
        self.count = int(self.units.max()) + 1
        self.members: list[list[int]] = [[] for _ in range(self.count)]
        for row, unit in enumerate(self.units.tolist()):
            self.members[unit].append(row)
        columns = [categories_of(evidence, name) for name in evidence.claim.original.quasi]
        self.before = list(zip(*(column.before.tolist() for column in columns), strict=True))
        self.after = list(zip(*(column.after.tolist() for column in columns), strict=True))
        terms = evidence.claim.terms
        self.similar: list[list[str]] = [list(profile) for profile in terms.get("similar") or [()]]
        self.strata = evidence.strata.tolist()

    @property
    def levels(self) -> int:
        """How many columns of regions."""
        return len(self.evidence.claim.original.quasi)

    def home(self, unit: int) -> tuple[int, ...]:
        """Where a unit was."""
        return self.before[self.members[unit][0]]

    def stratum(self, unit: int) -> int:
        """In which it is."""
        return int(self.strata[self.members[unit][0]])

    @cached_property
    def pairs(self) -> list[list[int]] | str:
        """The units of each label, or what is wrong with the labels."""
        labels = self.evidence.claim.labels
        if labels is None or labels.ndim != 1:
            return _NO_PAIRS
        by_label: dict[int, list[int]] = {}
        for unit, rows in enumerate(self.members):
            own = {int(labels[row]) for row in rows}
            if len(own) > 1:
                return "a unit has several partners by the claim"
            by_label.setdefault(own.pop(), []).append(unit)
        return list(by_label.values())

    def read(self, name: str) -> list[str | None]:
        """The cells of a column that nobody changed."""
        texts = plain_text(self.evidence.claim.original, name)
        return [texts[row] for row in self.evidence.claim.rows.tolist()]

    @cached_property
    def profiles(self) -> list[list[Hashable]]:
        """For each list of columns, what the members of each unit have there, whatever their order."""
        profiles: list[list[Hashable]] = []
        for names in self.similar:
            cells = [self.read(name) for name in names]
            of_record = list(zip(*cells, strict=True)) if cells else [()] * len(self.before)
            profiles.append(
                [frozenset(Counter(of_record[row] for row in rows).items()) for rows in self.members]
            )
        return profiles

    def partners(self) -> dict[int, int]:
        """Who changed places with whom."""
        assert not isinstance(self.pairs, str)
        partners = {}
        for pair in self.pairs:
            if len(pair) == 2:
                partners[pair[0]], partners[pair[1]] = pair[1], pair[0]
        return partners

    def levels_at_risk(self) -> dict[int, int]:
        """The coarsest level at which each unit at risk is so."""
        terms, original = self.evidence.claim.terms, self.evidence.claim.original
        names = terms.get("risk_columns") or ()
        coarsest: dict[int, int] = {}
        if not names:
            return coarsest
        known = [original.codes([name])[self.evidence.claim.rows] for name in names]
        for level in range(self.levels):
            places: dict[Hashable, int] = {}
            area = np.array([places.setdefault(home[: level + 1], len(places)) for home in self.before])
            combination = distinct(self.evidence.strata, area, *known)
            few = sizes(combination, self.units)[combination] < terms["k"]
            for unit in np.unique(self.units[few]).tolist():
                coarsest.setdefault(unit, level)
        return coarsest


def _swaps(evidence: Evidence) -> Swaps | str:
    units = evidence.units
    return units if isinstance(units, str) else Swaps(evidence, units)


def swapped_in_pairs(evidence: Evidence) -> str | None:
    """Each has the regions of one other, which has its own, is of its profile and stratum; or its own."""
    swaps = _swaps(evidence)
    if isinstance(swaps, str):
        return swaps
    if isinstance(swaps.pairs, str):
        return swaps.pairs
    wrong = unlike = 0
    for pair in swaps.pairs:
        if len(pair) > 2:
            return f"{len(pair)} units were swapped with each other, not two"
        # in a pair each looks at the other, alone at itself
        for unit, other in zip(pair, pair[::-1], strict=True):
            wrong += any(swaps.after[row] != swaps.home(other) for row in swaps.members[unit])
        if len(pair) == 2:
            alike = any(profile[pair[0]] == profile[pair[1]] for profile in swaps.profiles)
            wrong += swaps.home(pair[0]) == swaps.home(pair[1])
            unlike += not alike or swaps.stratum(pair[0]) != swaps.stratum(pair[1])
    if wrong:
        return (
            f"{wrong} units do not have the regions of their partner, or of themselves where they have none"
        )
    return f"{unlike} pairs of units differ in their profile or stratum" if unlike else None


def profiles_kept(evidence: Evidence) -> str | None:
    """The same counts in every region: records by what all profiles share, and units by their size."""
    swaps = _swaps(evidence)
    if isinstance(swaps, str):
        return swaps
    shared = [name for name in swaps.similar[0] if all(name in profile for profile in swaps.similar)]
    cells = [swaps.read(name) for name in shared]
    profile = list(zip(*cells, strict=True)) if cells else [()] * len(swaps.before)
    size = [len(swaps.members[unit]) for unit in swaps.units.tolist()]
    off = 0
    for level in range(swaps.levels):
        was, now = (
            Counter(
                (swaps.strata[row], region[: level + 1], profile[row], size[row])
                for row, region in enumerate(regions)
            )
            for regions in (swaps.before, swaps.after)
        )
        off += sum(was[key] != now[key] for key in was.keys() | now.keys())
    return f"{off} counts of a profile in a region are other than they were" if off else None


def swapped_as_stated(evidence: Evidence) -> str | None:
    """All at risk, and as many as the rate asks for; where not, nobody was free to change places with."""
    swaps = _swaps(evidence)
    if isinstance(swaps, str):
        return swaps
    if isinstance(swaps.pairs, str):
        return swaps.pairs
    terms, partner = evidence.claim.terms, swaps.partners()
    levels = swaps.levels_at_risk()
    left = {
        unit: level
        for unit, level in levels.items()
        if unit not in partner or swaps.home(unit)[: level + 1] == swaps.home(partner[unit])[: level + 1]
    }
    if len(left) != sum(terms.get("not_swapped", ())):
        return f"{len(left)} units at risk stayed in their area, which is not the stated number"
    free = _Free(swaps, partner)
    missed = sum(free.partner_of(unit, level) for unit, level in left.items())
    if missed:
        return f"{missed} units at risk stayed in their area although others were free to change places with"
    return _rate(swaps, partner, free)


class _Free:
    """In which areas units stand that did not change places, by profile, stratum and level."""

    def __init__(self, swaps: Swaps, partner: dict[int, int]) -> None:
        self.swaps = swaps
        self.areas: dict[Hashable, set[Hashable]] = defaultdict(set)
        for unit in range(swaps.count):
            if unit not in partner:
                for level in range(swaps.levels):
                    for key in self._keys(unit, level):
                        self.areas[key].add(swaps.home(unit)[: level + 1])

    def _keys(self, unit: int, level: int) -> list[Hashable]:
        swaps = self.swaps
        return [
            (number, profile[unit], swaps.stratum(unit), level)
            for number, profile in enumerate(swaps.profiles)
        ]

    def partner_of(self, unit: int, level: int) -> bool:
        """Whether somebody of its profile stands in another area of the level."""
        own = {self.swaps.home(unit)[: level + 1]}
        return any(self.areas.get(key, own) - own for key in self._keys(unit, level))


def _rate(swaps: Swaps, partner: dict[int, int], free: _Free) -> str | None:
    """Whether each stratum swapped its share, or all that it could."""
    terms = swaps.evidence.claim.terms
    there, swapped = Counter[int](), Counter[int]()
    for unit in range(swaps.count):
        there[swaps.stratum(unit)] += 1
        swapped[swaps.stratum(unit)] += unit in partner
    # an odd one out cannot change places; half a pair is a pair
    least = {stratum: min(terms["rate"] / 100 * count, count - count % 2) for stratum, count in there.items()}
    short = {stratum: 2 * ceil(wanted / 2 - 1e-9) - swapped[stratum] for stratum, wanted in least.items()}
    if sum(count for count in short.values() if count > 0) != sum(terms.get("too_few", ())):
        return f"{len(partner)} of {swaps.count} units were swapped, fewer than stated"
    lacking = {stratum for stratum, count in short.items() if count > 0}
    could = sum(
        unit not in partner and swaps.stratum(unit) in lacking and free.partner_of(unit, swaps.levels - 1)
        for unit in range(swaps.count)
    )
    return f"{could} more units could have been swapped, and the rate is not met" if could else None
