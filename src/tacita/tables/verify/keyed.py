"""Whether noise is what keys and a table of noise give: looked up again, without any code of the method."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

import numpy as np

from tacita.core import NoiseTable, Table, Terms
from tacita.core.arrays import Floats

_ROUNDING = 1e-9
# Of a sum of probabilities, or a mean: what rounding may take from it.
_OFF = 1e-10


def other_noise(values: Floats, table: Table, terms: Terms) -> str | None:
    """What is wrong with the table of noise, with the keys, or with the values made of them."""
    noise, keys = terms.noise, terms.keys
    if noise is None or keys is None:
        return "no table of noise, or no keys"
    if table.keys is not None and not (
        np.array_equal(table.keys.key, keys.key) and np.array_equal(table.keys.count, keys.count)
    ):
        return "the keys are not those of the table"
    if wrong := _bad_rows(noise, terms):
        return wrong
    meant = _noisy_counts(table, terms) if terms.flex is None else _noisy_sizes(table, terms)
    off = int((np.abs(values - meant) > _ROUNDING * np.maximum(1.0, np.abs(meant))).sum())
    return f"{off} values are not what their keys give" if off else None


def _bad_rows(noise: NoiseTable, terms: Terms) -> str | None:
    wrong = 0
    for place, count in enumerate(noise.counts.tolist()):
        changes, p = noise.row(place)
        results = count + changes
        wrong += bool(
            abs(p.sum() - 1) > _OFF
            or abs(p @ changes) > _OFF
            or (p < 0).any()
            or p @ changes**2 > noise.variance * (1 + 1e-9)
            or np.abs(changes).max() > noise.largest
            or (results < -_ROUNDING).any()
            or (terms.flex is None and ((results > 0) & (results <= terms.hidden)).any())
            or (count == 0 and np.abs(changes).any())
        )
    return f"{wrong} rows of the table of noise break their conditions" if wrong else None


def _row(noise: NoiseTable, place: int) -> tuple[list[float], list[float]]:
    changes, p = noise.row(place)
    return changes.tolist(), list(accumulate(p.tolist()))


def _looked_up(changes: list[float], ends: list[float], key: float) -> float:
    """The first change whose cumulated probability exceeds the key."""
    return changes[min(bisect_right(ends, key), len(changes) - 1)]


def _noisy_counts(table: Table, terms: Terms) -> Floats:
    assert terms.noise is not None
    assert terms.keys is not None
    rows = [_row(terms.noise, place) for place in range(terms.noise.counts.size)]
    meant = []
    cells = zip(terms.keys.count.tolist(), terms.keys.key.tolist(), table.values.tolist(), strict=True)
    for count, key, value in cells:
        changes, ends = rows[min(count, len(rows) - 1)]
        shown = count + _looked_up(changes, ends, key)
        # a weighted count keeps the mean weight of its records
        meant.append(shown * value / count if count else 0.0)
    return np.array(meant)


def _noisy_sizes(table: Table, terms: Terms) -> Floats:
    assert terms.noise is not None
    assert terms.keys is not None
    assert terms.flex is not None
    flex, steps = terms.flex, terms.noise.counts.tolist()
    rows = [_row(terms.noise, place) for place in range(len(steps))]
    meant = []
    figures = (terms.keys.key, terms.keys.largest, table.values)
    for plain, largest, value in zip(*(values_of_cells.tolist() for values_of_cells in figures), strict=True):
        share = flex.small
        if flex.large != flex.small and largest >= flex.point:
            over = (flex.small * largest - flex.large * flex.point) / (flex.large * flex.point)
            share = flex.large * (1 + over * (2 * flex.point / (flex.point + largest)) ** flex.power)
        scale = share * largest
        at = min(abs(value) / scale, steps[-1]) if scale > 0 else 0.0
        above = max(1, next(place for place, step in enumerate(steps) if step >= at))
        part = (at - steps[above - 1]) / (steps[above] - steps[above - 1])
        key = (10.0 * plain) % 1.0
        (below, ends), (over, last) = rows[above - 1], rows[above]
        change = (1 - part) * _looked_up(below, ends, key) + part * _looked_up(over, last, key)
        meant.append(value + (change * scale if value > 0 else -change * scale))
    return np.array(meant)


def unlike_noise(values: Floats, table: Table, terms: Terms) -> str | None:
    """Cells of one key, one count and one value that are published in two ways."""
    if terms.keys is None:
        return "no keys"
    same = np.column_stack([terms.keys.key, terms.keys.count, table.values])
    _, group = np.unique(same, axis=0, return_inverse=True)
    least, most = np.full(group.max(initial=0) + 1, np.inf), np.full(group.max(initial=0) + 1, -np.inf)
    np.minimum.at(least, group.ravel(), values)
    np.maximum.at(most, group.ravel(), values)
    unlike = int((most - least > _ROUNDING * np.maximum(1.0, np.abs(most))).sum())
    return f"{unlike} sets of records have different noise in different cells" if unlike else None
