"""Each attribute before and after, in bins that hold at least k records."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, log10

import numpy as np

from tacita.core import Floats, Ints
from tacita.core.results.release import AttributeSummary

# Enough to see a shape, few enough to read the labels.
_BINS = 12
_MOST_CATEGORIES = 12


def summarise(name: str, before: Floats, after: Floats, k: int) -> AttributeSummary:
    """Counts and moments of one attribute; missing values aside. O(n log n).

    >>> summary = summarise("x", np.arange(100.0), np.arange(100.0), 3)
    >>> sum(summary.before), min(summary.before) >= 3
    (100, True)
    """
    before, after = before[~np.isnan(before)], after[~np.isnan(after)]
    edges = safe_edges(before, k)
    return AttributeSummary(
        name=name,
        edges=tuple(edges.tolist()),
        before=tuple(_counts(before, edges).tolist()),
        after=tuple(_counts(after, edges).tolist()),
        mean_before=float(before.mean()),
        mean_after=float(after.mean()),
        sd_before=_sd(before),
        sd_after=_sd(after),
        constant=bool(before.min() == before.max()),
    )


def summarise_categories(
    name: str, before: Floats, after: Floats, names: Sequence[str], k: int
) -> AttributeSummary:
    """Counts of categories by their codes; small ones, and all beyond the largest, are counted together.

    A category is counted by itself if it has k records or none on either side. O(n + m log m).

    >>> codes = np.repeat([0.0, 1.0, 2.0, 3.0], [5, 1, 1, 9])
    >>> summary = summarise_categories("x", codes, codes, ["a", "b", "c", "d"], 3)
    >>> summary.categories, summary.before
    (('d', '3 other categories'), (9, 7))
    """
    present = [codes[~np.isnan(codes)].astype(np.int64) for codes in (before, after)]
    old, new = (np.bincount(codes, minlength=len(names)) for codes in present)
    # of a recoded column, those that nobody had are the ones to see
    size = np.maximum(old, new)
    shown = ((old >= k) | (old == 0)) & ((new >= k) | (new == 0)) & (size > 0)
    shown[np.argsort(-np.where(shown, size, 0), kind="stable")[_MOST_CATEGORIES:]] = False
    # what stands together must be k records too; the smallest category joins until it is
    while shown.any() and any(0 < counts[~shown].sum() < k for counts in (old, new)):
        shown[np.where(shown, size, size.max() + 1).argmin()] = False
    together = ~shown & ((old > 0) | (new > 0))
    others = int(together.sum())
    rest = [int(counts[together].sum()) for counts in (old, new)] if others else [0, 0]
    labels = [names[code] for code in np.flatnonzero(shown).tolist()]
    return AttributeSummary(
        name=name,
        edges=(),
        before=(*old[shown].tolist(), *([rest[0]] if others else [])),
        after=(*new[shown].tolist(), *([rest[1]] if others else [])),
        mean_before=None,
        mean_after=None,
        sd_before=None,
        sd_after=None,
        constant=bool(np.count_nonzero(old) == 1),
        categories=(*labels, *([f"{others} other categories"] if others else [])),
        others=others,
    )


def _sd(values: Floats) -> float:
    return float(values.std(ddof=1)) if values.size > 1 else 0.0


def _counts(values: Floats, edges: Floats) -> Ints:
    return np.bincount(np.searchsorted(edges, values, side="right"), minlength=edges.size + 1)


def safe_edges(values: Floats, k: int) -> Floats:
    """Round inner borders such that every bin, the two open ones at the ends included, holds k or more."""
    low, high = np.quantile(values, [0.02, 0.98])
    edges = _round_borders(float(low), float(high), values)
    while edges.size:
        counts = _counts(values, edges)
        smallest = int(counts.argmin())
        if counts[smallest] >= k:
            break
        # merge with the smaller neighbour by dropping the border between them
        left = counts[smallest - 1] if smallest > 0 else np.inf
        right = counts[smallest + 1] if smallest < edges.size else np.inf
        edges = np.delete(edges, smallest - 1 if left <= right else smallest)
    return edges


def _round_borders(low: float, high: float, values: Floats) -> Floats:
    if not high > low:
        return np.empty(0)
    spread = np.quantile(np.abs(values), [0.5, 0.98])
    skewed = spread[1] > 20 * max(spread[0], 1e-300) or (
        low >= 0 and high > 50 * max(float(np.median(values)), 0)
    )
    long_tail = spread[0] > 0 and spread[1] > 8 * spread[0]
    return _log_borders(low, high, spread) if skewed or long_tail else _even_borders(low, high)


def _even_borders(low: float, high: float) -> Floats:
    raw = (high - low) / (_BINS - 2)
    step = _rounded_up(raw)
    return np.arange(ceil(low / step), floor(high / step) + 1).astype(np.float64) * step


def _log_borders(low: float, high: float, spread: Floats) -> Floats:
    """1, 2, 5, 10, ... on both sides of zero, for attributes that span powers of ten."""
    largest = max(abs(low), abs(high))
    smallest = max(float(spread[0]) / 10, largest / 1e4)
    exponents = range(floor(log10(smallest)), ceil(log10(largest)) + 1)
    steps = (1, 2, 5) if len(exponents) <= 4 else (1, 3) if len(exponents) <= 6 else (1,)
    positive = np.array([step * 10.0**e for e in exponents for step in steps])
    borders = np.concatenate([-positive[::-1], [0.0] if low < 0 else [], positive])
    return borders[(borders >= low) & (borders <= high)]


def _rounded_up(value: float) -> float:
    power = 10.0 ** floor(log10(value))
    return next(step * power for step in (1, 2, 2.5, 5, 10) if step * power >= value * (1 - 1e-9))
