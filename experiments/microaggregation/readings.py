"""Readings of document 001's IL2, whose equation is illegible: what gives its two printed maxima?

One group of all records leaves a method nothing to choose, so the measure alone decides.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from experiments.document import Cell, table
from experiments.files import SPOKEN, Matrix, standardised
from experiments.printed import kmedoids

_SHOWN = 5


@dataclass(frozen=True)
class Reading:
    """One definition, and IL2 of one group by it, in percent, for each file."""

    centre: str
    change: str
    unit: str
    average: str
    factor: str
    values: dict[str, float]

    @property
    def gap(self) -> float:
        """How far it is from print, in percent of the printed figure, on the worse file."""
        printed = kmedoids.IL2_MAXIMA
        return max(100 * abs(self.values[file] / printed[file] - 1) for file in self.values)


def _medoid(x: Matrix) -> Matrix:
    z = standardised(x)
    away = [np.sqrt(((z - row) ** 2).sum(axis=1)).sum() for row in z]
    found: Matrix = x[int(np.argmin(away))]
    return found


def _deviation(x: Matrix) -> Matrix:
    found: Matrix = np.median(np.abs(x - np.median(x, axis=0)), axis=0)
    return found


# what one group is published as
CENTRES: Mapping[str, Callable[[Matrix], Matrix]] = {
    "mean": lambda x: x.mean(axis=0),
    "median": lambda x: np.median(x, axis=0),
    "medoid": _medoid,
}
CHANGES: Mapping[str, Callable[[Matrix], Matrix]] = {"absolute": np.abs, "squared": np.square}
# what a change is divided by: a number, or one for each column or cell
UNITS: Mapping[str, Callable[[Matrix], Matrix]] = {
    "deviation, n - 1": lambda x: x.std(axis=0, ddof=1),
    "deviation, n": lambda x: x.std(axis=0),
    "deviation of all cells": lambda x: np.full(x.shape[1], x.std(ddof=1)),
    "deviations recycled down the columns, as R does": lambda x: (
        np.resize(x.std(axis=0, ddof=1), x.size).reshape(x.shape[::-1]).T
    ),
    "range": lambda x: np.ptp(x, axis=0),
    "quartile range": lambda x: np.subtract(*np.percentile(x, [75, 25], axis=0)),
    "median deviation": _deviation,
    "largest value": lambda x: np.abs(x).max(axis=0),
    "mean value": lambda x: np.abs(x).mean(axis=0),
    "the value itself": lambda x: np.where(x == 0, np.nan, np.abs(x)),
}
AVERAGES: Mapping[str, Callable[[Matrix], float]] = {
    "mean of cells": lambda a: float(np.nanmean(a)),
    "median of cells": lambda a: float(np.nanmedian(a)),
    "mean of medians of columns": lambda a: float(np.nanmean(np.nanmedian(a, axis=0))),
    "median of means of records": lambda a: float(np.nanmedian(np.nanmean(a, axis=1))),
    "root of the mean": lambda a: float(np.sqrt(np.nanmean(a))),
    "mean of roots of sums of records, over d": lambda a: (
        float(np.nanmean(np.sqrt(np.nansum(a, axis=1)))) / a.shape[1]
    ),
}
FACTORS = {"1": 1.0, "1/√2": 2**-0.5, "1/2": 0.5}


def readings(data: Mapping[str, Matrix]) -> list[Reading]:
    """Every combination, nearest to print first."""
    files = [file for file in data if file in kmedoids.IL2_MAXIMA]
    centres = {(file, name): each(data[file]) for file in files for name, each in CENTRES.items()}
    found = []
    for centre, change, unit in product(CENTRES, CHANGES, UNITS):
        changes = {
            file: CHANGES[change]((data[file] - centres[file, centre]) / UNITS[unit](data[file]))
            for file in files
        }
        for average, factor in product(AVERAGES, FACTORS):
            values = {file: 100 * FACTORS[factor] * AVERAGES[average](each) for file, each in changes.items()}
            found.append(Reading(centre, change, unit, average, factor, values))
    return sorted(found, key=lambda one: one.gap)


def section(found: Sequence[Reading], tried: int) -> str:
    """How many were tried, and the nearest of them."""
    rows: list[list[Cell]] = []
    for one in found:
        values = [f"{kmedoids.IL2_MAXIMA[file]:.2f} / {value:.2f}" for file, value in one.values.items()]
        rows.append([one.centre, one.change, one.unit, one.average, one.factor, *values, f"{one.gap:.1f} %"])
    head = ["centre", "change", "divided by", "averaged", "times"]
    head += [SPOKEN[file] for file in found[0].values]
    return (
        f"{tried} readings were tried: every combination of {len(CENTRES)} centres, {len(CHANGES)} changes, "
        f"{len(UNITS)} divisors, {len(AVERAGES)} averages and {len(FACTORS)} factors. None gives both "
        f"figures; the nearest {len(found)} are these, by the larger of their two gaps (printed / ours):\n\n"
        + table([*head, "gap"], rows)
    )


def nearest(data: Mapping[str, Matrix]) -> tuple[list[Reading], int]:
    """The nearest few, and how many were tried."""
    found = readings(data)
    return found[:_SHOWN], len(found)
