"""The promise that rounding does not undo a masking: originals counted that come back."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from math import sqrt

import numpy as np

from tacita.core import Matrix

from .evidence import Evidence, named_units
from .maskings import Part, parts

# A hair over the half and the fifth that methods go by, whose last digit may round to the other side.
_MOST_OF_A_COLUMN = 0.501
_MOST_RECORDS = 0.201
_FEW = 3
_FINE = 1e-3
_EXPONENTS = (-15, 9)


def rounding_withstood(evidence: Evidence) -> str | None:
    """Half of a column, beyond chance, and a fifth of the records may come back; never a whole column."""
    names = evidence.claim.original.quasi
    strata = list(parts(evidence))
    steps, units = _steps(strata), named_units(evidence)
    back, cells = Counter[str](), Counter[str]()
    chance = dict.fromkeys(names, 0.0)
    records = 0
    for number, part in enumerate(strata):
        returned, bins = np.ones(len(part.x), dtype=bool), np.zeros_like(part.x)
        for j, name in enumerate(part.names):
            x, z = part.x[:, j], part.z[:, j]
            half = steps[name, number] / 2
            near = np.abs(z - x) <= half
            returned &= near
            bins[:, j] = np.rint(x / (2 * half)) if half > 0 else 0.0
            back[name] += int(near.sum())
            cells[name] += x.size
            chance[name] += _pairs_within(x, z, half) / x.size
        if len(names) > 1:
            records_of = map(tuple, bins.tolist())
            # several records of one unit count once
            shared = Counter(
                records_of
                if units is None
                else (record for record, _ in set(zip(records_of, units[part.rows].tolist(), strict=True)))
            )
            records += sum(shared[tuple(row)] < _FEW for row in bins[returned].tolist())
    wrong = sorted(name for name in names if _undone(back[name], chance[name], cells[name]))
    if wrong:
        return f"{len(wrong)} columns are restored by rounding: {', '.join(wrong)}"
    if records > _MOST_RECORDS * evidence.released.n:
        return f"{records} records are restored on all columns by rounding"
    return None


def _undone(back: int, chance: float, cells: int) -> bool:
    if chance >= cells:
        return False
    clear = back == cells or back - chance > 2 * sqrt(chance + 1)
    return clear and (back - chance) / (cells - chance) > _MOST_OF_A_COLUMN


def _pairs_within(x: Matrix, z: Matrix, half: float) -> int:
    """How many pairs of an original and a published value lie so near, over all pairs. O(n log n)."""
    published = np.sort(z)
    # seen from each original: published values that begin to reach it, less those that no longer do
    begun = np.searchsorted(published - half, x, side="right")
    passed = np.searchsorted(published + half, x, side="left")
    return int((begun - passed).sum())


def _steps(strata: list[Part]) -> dict[tuple[str, int], float]:
    """The step of each column in each stratum: of its digits, or a thousandth of its spread if coarser."""
    fine: dict[str, dict[int, float]] = {}
    values: dict[str, list[Matrix]] = {}
    for number, part in enumerate(strata):
        for name, x in zip(part.names, part.x.T, strict=True):
            fine.setdefault(name, {})[number] = _FINE * float(x.std(ddof=1)) if x.size > 1 else 0.0
            values.setdefault(name, []).append(x)
    steps: dict[tuple[str, int], float] = {}
    for name, widths in fine.items():
        varying = [width for width in widths.values() if width > 0]
        grain = _grain(np.concatenate(values[name]), min(varying, default=np.inf))
        steps |= {(name, number): max(grain, width) for number, width in widths.items()}
    return steps


def _grain(values: Matrix, enough: float) -> float:
    """The coarsest decimal step that all values are written in, from their digits; not finer than enough."""
    low, high = _EXPONENTS
    step = high
    for value in values[values != 0].tolist():
        exponent = Decimal(repr(value)).normalize().as_tuple().exponent
        step = min(step, int(exponent))
        if step < low or 10.0**step <= enough:
            return 0.0
    return float(10.0**step)
