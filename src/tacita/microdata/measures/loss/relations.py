"""Loss across the line between protected and unchanged columns: what analysts of both find no more."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np

from tacita.core import Comparison, Floats, Ints, Mask, RunContext, Score

from .survey_frame import Survey, SurveyLoss

# Unchanged columns beyond so many are left out.
_MOST_UNCHANGED = 24
# Beyond so many cells two columns of categories make no table.
_MOST_CELLS = 1_000_000
# A relation weaker than that in the source is none that anybody would report.
_WEAKEST = 0.05


class _Side(NamedTuple):
    """A column on one side: numbers, or codes of so many labels; and which records have a value."""

    numbers: Floats | None
    codes: Ints
    labels: int
    known: Mask


class RelationsLost(SurveyLoss):
    """How much of what ties protected columns to unchanged ones is gone: regressions of both see it.

    100 sum |a' - a| / sum |a| over all pairs of a protected and an unchanged column (the first 24) with
    |a| of at least 0.05. a is the correlation of two columns of numbers, the correlation ratio of numbers and
    categories, sqrt(phi^2 / (min(r, c) - 1)) of two columns of categories with r and c labels in the source;
    each corrected for what chance alone brings (adjusted r^2, epsilon^2, phi^2 - (r - 1)(c - 1) / (n - 1)),
    over the records that have both values, weighted where a column of weights is named. 0: all relations as
    before; 100: none is left, as after a shuffle that does not look at the unchanged columns. IL1 and most
    parts of PIL, and so SCORE, look at protected columns alone. O(n d u).
    Source: Pearson (1905) for the correlation ratio, Kelley (1935), PNAS 21, 554-559 for its correction,
    Bergsma (2013), J. Korean Statistical Society 42(3), 323-328 for that of phi^2; their change is ours.

    >>> import pyarrow as pa
    >>> from tacita.core import Microdata, Roles
    >>> from tacita.core.results.score import Files
    >>> x, y = np.arange(40.0), np.arange(40.0) % 8
    >>> sides = [pa.table({"age": x, "wage": wage}) for wage in (x, y)]
    >>> before, after = map(Microdata.of, sides)
    >>> files = Files(after, before.with_roles(Roles(quasi="wage")), np.arange(40))
    >>> round(RelationsLost().score(Comparison.of_files(files)).value)
    88
    """

    name: ClassVar[str] = "RELATIONS"
    family: ClassVar[str] = "relations with unchanged columns"
    by_default: ClassVar[bool] = True
    headline: ClassVar[bool] = True

    def figure(self, survey: Survey, pair: Comparison, run: RunContext) -> Score:
        weights = survey.weights()
        unchanged = [_sides(survey, name) for name in survey.beside[:_MOST_UNCHANGED]]
        if not unchanged:
            return self.none("no column was released unchanged that says what a record is like")
        moved: dict[str, float] = {}
        lost = held = 0.0
        for done, name in enumerate(survey.protected):
            run.report("comparing relations", done, len(survey.protected))
            own = _sides(survey, name)
            pairs = np.array([_strengths(own, other, weights) for other in unchanged])
            pairs = pairs[np.abs(pairs[:, 0]) >= _WEAKEST]
            there, gone = np.abs(pairs[:, 0]).sum(), np.abs(pairs[:, 1] - pairs[:, 0]).sum()
            if there > 0:
                moved[name] = 100 * float(gone / there)
                lost, held = lost + float(gone), held + float(there)
        run.report("comparing relations", len(survey.protected), len(survey.protected))
        if not moved:
            return self.none("no unchanged column goes with a protected one")
        return self.result(100 * lost / held, per_attribute=moved)


def _sides(survey: Survey, name: str) -> tuple[_Side, _Side]:
    """A column before and after."""
    if survey.is_numeric(name):
        before, after = survey.values(name)
        none = np.empty(0, dtype=np.int64)
        return _Side(before, none, 0, ~np.isnan(before)), _Side(after, none, 0, ~np.isnan(after))
    coded = survey.coded(name)
    one, other = (_Side(None, codes, coded.size, codes >= 0) for codes in (coded.before, coded.after))
    return one, other


def _strengths(
    own: tuple[_Side, _Side], other: tuple[_Side, _Side], weights: tuple[Floats, Floats]
) -> tuple[float, float]:
    """How strong a relation is before and after, on the scale that it has before."""
    scale = _scale(own[0], other[0])
    before, after = (
        _strength(one, two, weight, scale) for one, two, weight in zip(own, other, weights, strict=True)
    )
    return before, after


def _scale(one: _Side, other: _Side) -> int:
    """The most that phi^2 of two columns of categories can be: one less than the fewer labels."""
    if one.numbers is not None or other.numbers is not None:
        return 1
    both = one.known & other.known
    return max(1, min(int(np.count_nonzero(np.bincount(side.codes[both]))) for side in (one, other)) - 1)


def _strength(one: _Side, other: _Side, weights: Floats, scale: int) -> float:
    known = one.known & other.known & (weights > 0)
    n, weights = int(known.sum()), weights[known]
    if n < 3:
        return 0.0
    if one.numbers is not None and other.numbers is not None:
        return _correlation(one.numbers[known], other.numbers[known], weights)
    if one.numbers is not None:
        return _ratio(one.numbers[known], other.codes[known], weights)
    if other.numbers is not None:
        return _ratio(other.numbers[known], one.codes[known], weights)
    return _association(one, other, known, weights, scale)


def _correlation(x: Floats, y: Floats, weights: Floats) -> float:
    total = weights.sum()
    # sums, not products of vectors: those are dealt to threads, which costs more and adds in another order
    x, y = x - (weights * x).sum() / total, y - (weights * y).sum() / total
    size = np.sqrt((weights * x**2).sum() * (weights * y**2).sum())
    if not size > 0:
        return 0.0
    r = float(np.clip((weights * x * y).sum() / size, -1.0, 1.0))
    n = x.size
    return float(np.sign(r) * np.sqrt(max(0.0, 1 - (1 - r**2) * (n - 1) / (n - 2))))


def _ratio(x: Floats, codes: Ints, weights: Floats) -> float:
    """The correlation ratio, by epsilon squared."""
    total = weights.sum()
    x = x - (weights * x).sum() / total
    every = float((weights * x**2).sum())
    held = np.bincount(codes, weights)
    there = held > 0
    groups = int(there.sum())
    if not every > 0 or groups < 2 or x.size <= groups:
        return 0.0
    between = float((np.bincount(codes, weights * x)[there] ** 2 / held[there]).sum())
    share = min(1.0, between / every)
    return float(np.sqrt(max(0.0, 1 - (1 - share) * (x.size - 1) / (x.size - groups))))


def _association(one: _Side, other: _Side, known: Mask, weights: Floats, scale: int) -> float:
    shape = one.labels, other.labels
    if shape[0] * shape[1] > _MOST_CELLS:
        return 0.0
    place = one.codes[known] * shape[1] + other.codes[known]
    p = np.bincount(place, weights, minlength=shape[0] * shape[1]).reshape(shape)
    p = p[p.sum(axis=1) > 0][:, p.sum(axis=0) > 0]
    if min(p.shape) < 2:
        return 0.0
    p = p / p.sum()
    apart = np.outer(p.sum(axis=1), p.sum(axis=0))
    squared = float(((p - apart) ** 2 / apart).sum())
    squared -= (p.shape[0] - 1) * (p.shape[1] - 1) / (place.size - 1)
    return float(np.sqrt(min(1.0, max(0.0, squared) / scale)))
