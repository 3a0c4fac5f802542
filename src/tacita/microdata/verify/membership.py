"""The promise that a synthesis does not remember its records, counted again from the halves of its trial."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Any

import numpy as np

from tacita.core import Ints, Mask

from .categories import sorting_keys
from .evidence import Evidence, distinct, sizes
from .mixed import is_numeric

# Halvings without which there is no interval.
_FEWEST_HALVINGS = 5
# What the last digits of an interval may be off.
_LAST_DIGITS = 1e-5
# Numbers of which a column has more are compared by tenths.
_MANY = 100
_TENTHS = 10
# Student's t that 2.5 % of the law lie above, by degrees of freedom from 1; then by an expansion.
_T = (12.706205, 4.302653, 3.182446, 2.776445, 2.570582, 2.446912, 2.364624, 2.306004, 2.262157, 2.228139)
_NORMAL = 1.959963985


def membership_bounded(evidence: Evidence) -> str | None:
    """Halves of units, unique records counted afresh, and the upper end of the interval of the advantage."""
    terms = evidence.claim.terms
    halves, limit = terms.get("halves"), terms.get("max_advantage")
    if halves is None or limit is None:
        return "the claim does not say how the method was tried on halves"
    order = _order(evidence)
    unique, members = np.asarray(halves["unique"]), [np.asarray(half) for half in halves["members"]]
    judged, reproduced = ([np.asarray(marks) for marks in halves[name]] for name in ("judged", "found"))
    if order is None or any(
        marks.shape != (order.size,) for marks in (unique, *members, *judged, *reproduced)
    ):
        return "the halves are not of the records that were released"
    if len(members) < _FEWEST_HALVINGS or len({len(members), len(judged), len(reproduced)}) > 1:
        return f"wanted {_FEWEST_HALVINGS} halvings, got {len(members)}"
    strata, owners = evidence.strata[order], _owners(evidence)[order]
    fault = _wrong_halves(members, judged, strata, owners) or _wrong_unique(evidence, order, unique, owners)
    if fault:
        return fault
    if any((came & ~(unique & part)).any() for came, part in zip(reproduced, judged, strict=True)):
        return "records came back that were not compared"
    highest = _upper_end(_advantages(unique, members, judged, reproduced))
    if not highest <= limit * (1 + _LAST_DIGITS):
        return (
            f"unique records of a half that was fitted came back up to {highest:.1f} points more often than "
            f"others, where {limit:g} are stated"
        )
    return None


def _order(evidence: Evidence) -> Ints | None:
    """The released rows in the order in which the method saw their records; None where some are not there."""
    rows, standing = evidence.claim.rows, evidence.claim.representing
    if evidence.claim.dropped_later.size:
        return None
    if standing is None:
        return np.argsort(rows, kind="stable")
    place = np.argsort(rows, kind="stable")
    at = np.searchsorted(rows[place], standing)
    fits = standing.size == rows.size and np.array_equal(rows[place][at % rows.size], standing)
    return place[at] if fits else None


def _owners(evidence: Evidence) -> Ints:
    """The unit of each released row, or the row itself where no unit was named."""
    units = evidence.units
    return np.arange(evidence.claim.rows.size) if isinstance(units, str) else units


def _wrong_halves(members: Sequence[Mask], judged: Sequence[Mask], strata: Ints, owners: Ints) -> str | None:
    """Units stay together, and neither half has more than one unit a stratum above the other."""
    most = int(strata.max(initial=0)) + 1
    for half, part in zip(members, judged, strict=True):
        if distinct(owners, half.astype(np.int64)).max(initial=0) != distinct(owners).max(initial=0):
            return "a unit has records in both halves"
        inside, outside = (np.unique(owners[side]).size for side in (half, ~half))
        if abs(inside - outside) > most:
            return f"halves have {inside} and {outside} units"
        if distinct(strata, part.astype(np.int64)).max(initial=0) != distinct(strata).max(initial=0):
            return "a stratum was judged in part"
        if not part.any():
            return "no stratum was judged"
    return None


def _wrong_unique(evidence: Evidence, order: Ints, unique: Mask, owners: Ints) -> str | None:
    """One record is marked of each combination of all columns that one unit alone has, and none else."""
    original, rows = evidence.claim.original, evidence.claim.rows[order]
    columns = [_compared(evidence, name)[rows] for name in original.used]
    combination = distinct(evidence.strata[order], *columns)
    alone = sizes(combination, owners) == 1
    marked = np.bincount(combination[unique], minlength=alone.size)
    wrong = int((marked != alone).sum())
    return f"{wrong} combinations were taken for unique, or not, and are not so" if wrong else None


def _compared(evidence: Evidence, name: str) -> Ints:
    """A number for each value of a column of the original, for each tenth of it where it has many."""
    original = evidence.claim.original
    if not is_numeric(original, name):
        known: dict[object, int] = {}
        return np.array(
            [known.setdefault(key, len(known)) for key in sorting_keys(original, name)], dtype=int
        )
    values = original.numbers(name)
    seen = values[evidence.claim.rows]
    present = seen[~np.isnan(seen)]
    kinds = np.unique(present)
    if kinds.size > _MANY:
        kinds = np.quantile(present, [tenth / _TENTHS for tenth in range(1, _TENTHS)])
    codes = np.searchsorted(kinds, values, "right")
    return np.where(np.isnan(values), -1, codes).astype(np.int64)


def _advantages(
    unique: Mask, members: Sequence[Mask], judged: Sequence[Mask], reproduced: Sequence[Mask]
) -> Any:
    shares = []
    for half, part, came in zip(members, judged, reproduced, strict=True):
        of_side = [came[unique & part & side] for side in (half, ~half)]
        share = [float(side.sum()) / side.size if side.size else 0.0 for side in of_side]
        shares.append(100 * (share[0] - share[1]))
    return np.array(shares)


def _upper_end(figures: Any) -> float:
    """The mean of some figures and what it may be off, at 95 %."""
    spread = sqrt(float(((figures - figures.mean()) ** 2).sum()) / (figures.size - 1))
    return float(figures.mean()) + _student(figures.size - 1) * spread / sqrt(figures.size)


def _student(freedom: int) -> float:
    """The quantile of Student's t at 97.5 %. Abramowitz & Stegun (1964), 26.7.5.

    >>> round(_student(4), 4), round(_student(30), 4)
    (2.7764, 2.0423)
    """
    if freedom <= len(_T):
        return _T[freedom - 1]
    z, n = _NORMAL, float(freedom)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + sum(term / n ** (power + 1) for power, term in enumerate(terms))
