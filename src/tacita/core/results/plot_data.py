"""What the pictures of a review are drawn from: counts and correlations, never a record. Confidential."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

# How many of the largest changes are listed.
_MOST_PAIRS = 8


@dataclass(frozen=True)
class RiskByRecord:
    """How many records an attacker finds, and with which chance; None where some are, but fewer than `k`.

    The attacker knows `columns`, which are those that were protected, or those released unchanged. `ends` are
    the upper ends of the classes in percent: a class holds the chances above the end before it up to its own,
    the first those of zero. `before` counts what would hold had the columns gone out as they were; it is
    empty where they did.
    """

    of: Literal["protected", "unchanged"]
    columns: tuple[str, ...]
    k: int
    ends: tuple[float, ...]
    before: tuple[int | None, ...]
    after: tuple[int | None, ...]


@dataclass(frozen=True)
class Interval:
    """An estimate with the ends of its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Estimate:
    """A weighted estimate of the population (`domain` None) or a part of it, before and after.

    `label` is the category that is counted, None of numbers; `overlap` how much the intervals have in common,
    in percent; `after` None where nothing is left to estimate from. `records` stand behind it in the source.
    """

    column: str
    statistic: str
    label: str | None
    domain: str | None
    records: int
    before: Interval
    after: Interval | None
    overlap: float


@dataclass(frozen=True)
class Relation:
    """The correlation of two columns before and after; None where one of them does not vary."""

    one: str
    other: str
    before: float | None
    after: float | None

    @property
    def change(self) -> float | None:
        """What was added to it.

        >>> Relation("age", "wage", 0.5, 0.25).change
        -0.25
        """
        return None if self.before is None or self.after is None else self.after - self.before


@dataclass(frozen=True)
class Correlations:
    """Correlations of numeric columns before and after.

    `names` are the columns shown, protected ones before those released unchanged: all of `columns` where
    they are few, else those that changed most. `relations` are their pairs: the second with the first, the
    third with the first, with the second, and so on. `largest` are the pairs that changed most of all, where
    not all are shown.
    """

    columns: int
    names: tuple[str, ...]
    relations: tuple[Relation, ...]
    largest: tuple[Relation, ...] = ()

    @property
    def changed_most(self) -> tuple[Relation, ...]:
        """Pairs that changed most, the largest change first; those that did not change are no part of it.

        >>> pairs = Relation("b", "a", 0.5, 0.4), Relation("c", "a", 0.5, -0.5), Relation("c", "b", 0.1, 0.1)
        >>> [pair.one for pair in Correlations(3, ("a", "b", "c"), pairs).changed_most]
        ['c', 'b']
        """
        changes = [(abs(relation.change or 0.0), relation) for relation in self.relations]
        changed = sorted((pair for pair in changes if pair[0] > 0), key=lambda pair: -pair[0])
        return self.largest or tuple(relation for _, relation in changed[:_MOST_PAIRS])
