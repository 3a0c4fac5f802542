"""Which warnings come first: who is found, what is given away, what was not done, what is of no use."""

from __future__ import annotations

from collections.abc import Iterable

from .release import DisclosureWarning

_FINDS_RECORDS = (
    "guessable-seed",
    "rounding-restores",
    "cells-determined",
    "membership",
    "alone-by-keys",
    "unique-combinations",
    "nearly-unique-column",
    "recomputable-column",
    "published-true-record",
    "not-k-anonymous",
    "unit-released",
    "pseudonyms-released",
    "frame-index",
)
_GIVES_VALUES_AWAY = (
    "homogeneous-confidential",
    "likely-unchanged",
    "value-unchanged",
    "replicated-uniques",
    "near-copies",
    "rare-values",
    "membership-undecided",
    "membership-not-measured",
    "rare-categories",
    "group-equals-members",
    "mean-at-bound",
    "extremes-reproduced",
    "exact-moments",
    "unit-unused",
    "not-swapped",
    "swap-rate-not-met",
    "thin-strata",
    "few-records",
    "row-order",
    "unrounded-integers",
    "beside-synthetic",
)
_NOT_AS_REQUESTED = (
    "nothing-changed",
    "not-numeric",
    "units-merged",
    "pseudonyms-merged",
    "condition-undecided",
    "promise-withdrawn",
    "constant-column",
    "search-stopped",
    "measured-on-a-sample",
    "parts-made-again",
)
_OF_LITTLE_USE = (
    "one-value-left",
    "little-left",
    "relations-lost",
    "estimate-moved",
    "much-withheld",
    "records-dropped",
    "records-suppressed",
    "keys-withheld",
    "records-left-out",
    "values-suppressed",
    "weights-not-rescaled",
    "broken-relations",
    "unit-broken-up",
    "levels-lost",
    "codes-averaged",
    "negative-values",
    "fractional-values",
    "spreadsheet-formulas",
    "format-keeps-less",
)
_LEVELS = (_FINDS_RECORDS, _GIVES_VALUES_AWAY, _NOT_AS_REQUESTED, _OF_LITTLE_USE)
# What a level is called, from the gravest on.
LEVELS = ("finds-records", "gives-values-away", "not-as-asked", "of-little-use")
# Of each kind of warning the level and the place in it.
PLACES = {name: (level, at) for level, names in enumerate(_LEVELS) for at, name in enumerate(names)}
# What no list knows comes after what finds records: nothing shows that it is less.
_UNKNOWN = (0, len(_FINDS_RECORDS))


def level_of(name: str) -> str:
    """The level of a kind of warning.

    >>> level_of("row-order"), level_of("one-value-left")
    ('gives-values-away', 'of-little-use')
    """
    return LEVELS[PLACES.get(name, _UNKNOWN)[0]]


def gravest_first(warnings: Iterable[DisclosureWarning]) -> tuple[DisclosureWarning, ...]:
    """Warnings in order: those of one kind stay together, and in the order in which they were found.

    >>> names = "levels-lost", "row-order", "unique-combinations"
    >>> [warning.name for warning in gravest_first(DisclosureWarning(name, "", 1, "") for name in names)]
    ['unique-combinations', 'row-order', 'levels-lost']
    """
    return tuple(sorted(warnings, key=lambda warning: (PLACES.get(warning.name, _UNKNOWN), warning.name)))
