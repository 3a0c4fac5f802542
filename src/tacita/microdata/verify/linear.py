"""Numbers that a sum, a difference, a product or a ratio of released columns gives back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tacita.core import Floats, Ints, Mask
from tacita.core.arrays import decimal_step

# Fewer records for each column than this fit anything, as do fewer than so many in all.
_RECORDS_A_COLUMN, _FEWEST = 8, 24
# Columns beyond which a relation is no longer looked for; those with most distinct values are kept.
_MOST_COLUMNS = 60
# Of so many records some are looked at first.
_MANY, _SOME = 20_000, 5_000
# The share of records on which the relation is fitted again: some may break it, by an error or an exception.
_BEST, _ROUNDS = 0.75, 3
# A value is known to half the step in which it is written, or to half a thousandth of its spread.
_FINE = 1e-3
# What a column may add, in spreads of what is found, and still count as no part of the relation.
_NO_PART = 1e-4
# Of the values that chance leaves open, those that come back where a relation is no mere correlation.
_RELATION = 0.5


@dataclass(frozen=True, repr=False)
class Relation:
    """Columns from which a column of numbers can be computed, and the records whose original that gives."""

    columns: tuple[str, ...]
    found: Mask


def relation(values: Floats, hidden: Mask, beside: Mapping[str, Floats]) -> Relation | None:
    """A linear relation, or one of logarithms, that gives back more than half of a column. O(n p^2).

    >>> a, b = np.random.default_rng(0).integers(1, 900, (2, 60)).astype(float)
    >>> relation(a + b, np.ones(60, dtype=bool), {"a": a, "b": b}).columns
    ('a', 'b')
    """
    names = [each for each, column in beside.items() if np.isfinite(column).sum() > values.size // 2]
    if len(names) > _MOST_COLUMNS:
        names = sorted(names, key=lambda each: -np.unique(beside[each]).size)[:_MOST_COLUMNS]
    present = np.isfinite(values)
    for each in names:
        present &= np.isfinite(beside[each])
    rows = np.flatnonzero(present)
    names = [each for each in names if np.ptp(beside[each][rows]) > 0] if rows.size else []
    if (
        not names
        or rows.size < max(_FEWEST, _RECORDS_A_COLUMN * (len(names) + 1))
        or np.ptp(values[rows]) == 0
    ):
        return None
    if rows.size > _MANY and not _relation(values, hidden, beside, rows[:: rows.size // _SOME], names):
        return None
    return _relation(values, hidden, beside, rows, names)


def _relation(
    values: Floats, hidden: Mask, beside: Mapping[str, Floats], rows: Ints, names: Sequence[str]
) -> Relation | None:
    y = values[rows]
    if np.ptp(y) == 0:
        return None
    tolerance = 0.5 * max(decimal_step(y), _FINE * float(y.std())) * (1 + 1e-6)
    x = np.column_stack([beside[each][rows] for each in names])
    positive = np.flatnonzero((x > 0).all(axis=0))
    for logarithms in (False, True):
        if logarithms and not (positive.size and (y > 0).all()):
            continue
        design = np.log(x[:, positive]) if logarithms else x
        used = [names[at] for at in positive.tolist()] if logarithms else names
        fitted, parts = _fitted(design, np.log(y) if logarithms else y)
        with np.errstate(over="ignore"):
            fitted = np.exp(fitted) if logarithms else fitted
        near = np.abs(y - fitted) <= tolerance
        # the same numbers dealt to other records: what everybody shares comes back anyway
        chance = float((np.abs(y - np.roll(fitted, max(1, y.size // 2))) <= tolerance).sum())
        if y.size > chance and near.sum() - chance > _RELATION * (y.size - chance):
            found = np.zeros(values.size, dtype=bool)
            found[rows[near]] = True
            chosen = tuple(each for each, part in zip(used, parts.tolist(), strict=True) if part)
            return Relation(chosen or tuple(used), found & hidden)
    return None


def _fitted(x: Floats, y: Floats) -> tuple[Floats, Mask]:
    """What least squares gives, fitted again on the records that it gives best; which columns take part."""
    spread = x.std(axis=0)
    spread[spread == 0] = 1.0
    design = np.column_stack([np.ones(y.size), (x - x.mean(axis=0)) / spread])
    rows = np.arange(y.size)
    for _ in range(_ROUNDS):
        beta = np.linalg.lstsq(design[rows], y[rows], rcond=None)[0]
        off = np.abs(y - design @ beta)
        rows = np.argsort(off, kind="stable")[: max(design.shape[1] + 1, int(_BEST * y.size))]
        if off[rows[-1]] <= 1e-9 * (np.abs(y).max() + 1):
            break
    return design @ beta, np.abs(beta[1:]) > _NO_PART * y.std()
