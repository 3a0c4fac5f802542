"""MDAV for records with numeric, ordinal and nominal columns, by Gower's distance."""

from __future__ import annotations

from functools import partial
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from tacita.core import Floats, Labels, Mask, Matrix, ParameterError, RunContext
from tacita.core.spec.roles import KINDS, Kind
from tacita.microdata.statistics.group_statistics import lower_medians, modes

from .microaggregation_method import Microaggregation, finish
from .repair import centroids_of


class Gower(Microaggregation):
    """MDAV for numbers and categories together, by Gower's distance.

    d(i, j) = sum_c w_c d_c(i, j) / sum_c w_c, with d_c = |x_ic - x_jc| / range_c for numbers, the same on
    ranks for ordinal levels, and 0 or 1 for equal or different nominal ones. The centre of some records is
    their mean, lower median and mode. Rounds are those of MDAV with end rule 3k. Ties go to the lowest row;
    categories have many ties, so the order of rows matters more than for numbers.

    A group publishes the mean of numeric columns, the lower median of ordinal ones (always a level of the
    scale) and the mode of nominal ones (of several, the first in the order of their texts). If fewer than k
    records have that combination, it is a real record. It is then replaced at the least cost: by another
    category in one column, or by categories of members in two. Groups without a replacement are counted
    (`published-true-record`). The verifier computes all of this again (`group-categories`). With units, a
    group takes the nearest records of k-1 other units; records left over when fewer than k units remain
    join the group with the nearest centre. `partition` takes numbers and ordinal codes as they are;
    `protect` scales them to the range 0 to 1. Use it if numeric and categorical columns must form groups of
    k together.

    O(n^2 d / k) time, O(n d) memory.
    Source: Gower (1971), A general coefficient of similarity and some of its properties, Biometrics 27(4),
    857-871 (distance); Domingo-Ferrer & Torra (2005), doi:10.1007/s10618-005-0007-5 (rounds, median, mode).

    >>> x = np.array([[0.0, 1.0], [0.1, 0.0], [0.9, 0.0], [0.0, 1.0], [1.0, 0.0], [0.2, 0.0]])
    >>> Gower(k=3).partition(x, kinds=["numeric", "nominal"]).labels.tolist()
    [0, 0, 1, 0, 1, 1]
    """

    unit_aware: ClassVar[bool] = True
    takes: ClassVar[tuple[Kind, ...]] = KINDS

    weights: Annotated[
        tuple[Annotated[float, Field(gt=0, allow_inf_nan=False)], ...],
        Field(description="weight of each protected attribute in the distance; empty: all alike"),
    ] = ()

    def among(self, columns: Mask) -> Gower:
        if not self.weights:
            return self
        self._check_weight_count(columns.size)
        kept = tuple(weight for weight, here in zip(self.weights, columns, strict=True) if here)
        return self.model_copy(update={"weights": kept})

    def group(self, x: Matrix, units: Labels | None, run: RunContext) -> Labels:
        return self.group_mixed(x, ("numeric",) * x.shape[1], units, run)

    def group_mixed(
        self, x: Matrix, kinds: tuple[Kind, ...], units: Labels | None, run: RunContext
    ) -> Labels:
        from tacita.kernels.records.gower import gower_rounds
        from tacita.kernels.records.unassigned import ALIVE, GROUPS, UNITS_LEFT, Measure, all_left

        n, d = x.shape
        self._check_weight_count(d)
        if len(kinds) != d:
            raise ParameterError(f"Gower: wanted the kinds of {d} columns, got {len(kinds)}.")
        weights = np.array(self.weights or (1.0,) * d)
        nominal = np.array([kind == "nominal" for kind in kinds])
        coded = np.flatnonzero([kind != "numeric" for kind in kinds])
        codes, values, counts = _counted(x[:, coded])
        k, measure, left = self.k, Measure(weights, nominal, coded, values), all_left(x, units, codes, counts)
        labels, state = left.labels, left.state

        finish(partial(gower_rounds, left, measure, k, 2, 3 * k), n * d, lambda: state[ALIVE] / n, run)
        gower_rounds(left, measure, k, 1, 2 * k, 1)

        if state[ALIVE] >= k and state[UNITS_LEFT] >= k:
            labels[labels < 0] = state[GROUPS]
        labels = _join_nearest(x, kinds, weights, nominal, labels)
        run.report("grouping records", 1, 1)
        return labels

    def _check_weight_count(self, d: int) -> None:
        if self.weights and len(self.weights) != d:
            raise ParameterError(f"Gower: wanted {d} weights, one per attribute, got {len(self.weights)}.")


def _counted(categories: Matrix) -> tuple[Labels, Matrix, Labels]:
    """Dense codes of some columns (by column), the coordinate of each code, and how many have it."""
    columns = [np.unique(column, return_inverse=True) for column in categories.T]
    most = max((values.size for values, _ in columns), default=1)
    codes = np.empty((len(columns), categories.shape[0]), dtype=np.int64)
    values, counts = np.zeros((len(columns), most)), np.zeros((len(columns), most), dtype=np.int64)
    for j, (levels, place) in enumerate(columns):
        codes[j] = place.reshape(-1)
        values[j, : levels.size] = levels
        counts[j, : levels.size] = np.bincount(codes[j])
    return codes, values, counts


def _join_nearest(
    x: Matrix,
    kinds: tuple[Kind, ...],
    weights: Floats,
    nominal: Mask,
    labels: Labels,
) -> Labels:
    """Records without a group (-1) join the one with the nearest middle, as it was before any did."""
    from tacita.kernels.records.gower import nearest_middle

    left, grouped = np.flatnonzero(labels < 0), np.flatnonzero(labels >= 0)
    if left.size == 0:
        return labels
    centres, _ = centroids_of(x[grouped], labels[grouped])
    for j, kind in enumerate(kinds):
        if kind == "ordinal":
            centres[:, j] = lower_medians(x[grouped, j], labels[grouped])
        elif kind == "nominal":
            centres[:, j] = modes(x[grouped, j], labels[grouped])
    nearest = np.empty(left.size, dtype=np.int64)
    nearest_middle(x[left], centres, weights, nominal, nearest)
    joined = labels.copy()
    joined[left] = nearest
    return joined
