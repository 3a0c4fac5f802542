"""What the thesis measured, by the one method of which every figure is known: its IPSO-A draws nothing.

Its listing in R is a plain regression, so that PIL and DR of Tables 6 and 7 are exact targets for any reading
of the two measures. Section 2.4 leaves open over which pairs the parts of PIL run and by which variances, how
many attributes the linkage knows, how PRL lets values agree and how wide the interval of ID is; section 2.3
lists the attributes in another order than the public file, which decides what S1 and S2 are. All of these
readings are tried together, and the nearest of them printed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from experiments.printed import thesis
from tacita.core import Comparison, RunContext
from tacita.microdata.measures.loss.probabilistic import moved
from tacita.microdata.measures.measure import Measure
from tacita.microdata.measures.risk.interval import IDRank, IDSd
from tacita.microdata.measures.risk.linkage import DBRL
from tacita.microdata.measures.risk.probabilistic import PRL
from tacita.microdata.methods.synthesis.regression import Regression

Matrix = npt.NDArray[np.float64]
Pair = tuple[float, float]

ORDERS = ("of the file", "of Table 4")
SINGLE = ("dependent", "all")
PAIRS = (
    "with a dependent attribute",
    "of dependent attributes",
    "all",
    "with a dependent attribute, by attribute",
    "of dependent attributes and with itself",
    "with a dependent attribute and with itself, by attribute",
)
VARIANCES = ("of the sample", "of a normal distribution")
QUANTILES = (19, 99, 9)
MEANS = ("of five parts", "of all statistics")

KNOWN: dict[str, tuple[int, ...]] = {"all": (), "3": (3,), "3, 5, 8": (3, 5, 8)}
SCALES = ("standardised", "as in the file")
AGREEING: dict[str, float | None] = {"within 0.1": 0.1, "equal": 0.0, "no PRL": None}
INTERVALS = ("standard deviation", "rank", "value")
WIDTHS: dict[str, tuple[float, ...]] = {
    "1 to 10 %": tuple(p / 100 for p in range(1, 11)),
    "1 %": (0.01,),
    "5 %": (0.05,),
    "10 %": (0.1,),
}


@dataclass(frozen=True)
class Reading:
    """One reading of one measure and what it makes of IPSO-A on S1 and S2."""

    measure: str
    order: str
    settings: tuple[str, ...]
    s1: float
    s2: float

    @property
    def gap(self) -> float:
        """The larger distance from the two targets."""
        first, second = targets(self.measure)
        return max(abs(self.s1 - first), abs(self.s2 - second))


@dataclass(frozen=True)
class Calibration:
    """How many readings were tried of each measure, under each order, and the nearest of each."""

    tried: dict[str, int]
    nearest: list[Reading]

    @classmethod
    def from_numbers(cls, numbers: Mapping[str, Any]) -> Calibration:
        """Of an earlier run."""
        readings = [Reading(**{**one, "settings": tuple(one["settings"])}) for one in numbers["nearest"]]
        return cls(dict(numbers["tried"]), readings)


def targets(measure: str) -> Pair:
    """What the thesis prints of IPSO-A on S1 and S2.

    >>> targets("PIL"), targets("DR")
    ((49.163, 44.44), (10.044, 14.493))
    """
    first, second = (getattr(thesis.IPSO[split]["IPSO-A"], measure.lower()) for split in ("S1", "S2"))
    return first, second


def calibrate(x: Matrix, names: Sequence[str], run: RunContext) -> Calibration:
    """Every reading of both measures under both orders of Census; the three nearest of each are kept."""
    found: list[Reading] = []
    for done, order in enumerate(ORDERS):
        ordered = x if order == ORDERS[0] else np.ascontiguousarray(x[:, np.argsort(list(names))])
        releases = [_released(ordered, thesis.SPLITS[split]) for split in ("S1", "S2")]
        for measure, read in (("PIL", _losses), ("DR", _risks)):
            both = [dict(read(y, z, s)) for y, z, s in releases]
            found += [
                Reading(measure, order, settings, both[0][settings], both[1][settings])
                for settings in both[0]
            ]
        run.report("reading PIL and DR", done + 1, len(ORDERS))
    tried = {measure: sum(one.measure == measure for one in found) for measure in ("PIL", "DR")}
    nearest = []
    for measure, order in product(tried, ORDERS):
        here = [one for one in found if (one.measure, one.order) == (measure, order)]
        nearest += sorted(here, key=lambda one: one.gap)[:3]
    return Calibration(tried, nearest)


def _released(x: Matrix, dependent: Sequence[int]) -> tuple[Matrix, Matrix, Matrix]:
    """Dependent values, their predictions and the others: the listing of appendix A.1, without refusals."""
    y, s = x[:, list(dependent)], np.delete(x, list(dependent), axis=1)
    regression = Regression.of(y, s)
    return y, regression.original_scale(regression.fitted), s


def _losses(y: Matrix, z: Matrix, s: Matrix) -> Iterator[tuple[tuple[str, ...], float]]:
    """PIL by every reading."""
    p = y.shape[1]
    before, after = np.hstack([y, s]), np.hstack([z, s])
    centre, scale = before.mean(axis=0), before.std(axis=0)
    before, after = (before - centre) / scale, (after - centre) / scale
    pairs, own = _pairs(p, before.shape[1])
    for single, variance, count in product(SINGLE, VARIANCES, QUANTILES):
        means, variances, covariances, correlations = _moments(before, after, variance)
        points = _quantiles(before, after, count)
        chosen = slice(0, p if single == "dependent" else None)
        alone = [means[chosen], variances[chosen], points[:, chosen].ravel()]
        for kind, mean in product(PAIRS, MEANS):
            weight = pairs[kind]
            both = [(covariances, weight + own[kind]), (correlations, weight)]
            figures = [(each, np.ones(each.size)) for each in alone]
            figures += [(each.ravel(), by.ravel()) for each, by in both]
            if mean == "of five parts":
                value = float(np.mean([np.average(each, weights=by) for each, by in figures]))
            else:
                value = float(
                    np.average(
                        np.concatenate([each for each, _ in figures]),
                        weights=np.concatenate([by for _, by in figures]),
                    )
                )
            settings = (f"attributes: {single}", f"pairs: {kind}", f"variances {variance}")
            yield (*settings, f"{count} quantiles", f"mean {mean}"), value


def _pairs(p: int, d: int) -> tuple[dict[str, Matrix], dict[str, Matrix]]:
    """Weights of pairs, and of an attribute with itself in the covariances; the first p are dependent."""
    upper, dependent = np.triu(np.ones((d, d)), 1), np.arange(d) < p
    some, both = dependent[:, None] | dependent, dependent[:, None] & dependent
    nothing, itself = np.zeros((d, d)), np.diag(dependent.astype(float))
    by_attribute = upper * some * (1 + both)
    of_pairs = (upper * some, upper * both, upper, by_attribute, upper * both, by_attribute)
    own = (nothing, nothing, nothing, nothing, itself, itself)
    return dict(zip(PAIRS, of_pairs, strict=True)), dict(zip(PAIRS, own, strict=True))


def _moments(before: Matrix, after: Matrix, variance: str) -> tuple[Matrix, Matrix, Matrix, Matrix]:
    """How far means, variances, covariances and correlations moved, of z-scores of the original."""
    n = len(before)
    r, mu22, mu31 = before.T @ before / n, (before**2).T @ before**2 / n, (before**3).T @ before / n
    covariance = np.cov(after, rowvar=False, bias=True)
    spread = np.sqrt(np.diag(covariance))
    correlation = covariance / spread / spread[:, None]
    if variance == "of the sample":
        fourth = np.diag(mu22)
        of_cov = mu22 - r**2
        of_r = mu22 + r**2 / 4 * (fourth[:, None] + fourth + 2 * mu22) - r * (mu31 + mu31.T)
    else:
        of_cov, of_r = 1 + r**2, (1 - r**2) ** 2
    covariances = moved(r, covariance, of_cov / n)
    means = moved(np.zeros(len(spread)), after.mean(axis=0), np.full(len(spread), 1 / n))
    return means, np.diag(covariances).copy(), covariances, moved(r, correlation, of_r / n)


def _quantiles(before: Matrix, after: Matrix, count: int) -> Matrix:
    """How far quantiles moved, by the density of the original as PIL_quantile estimates it."""
    n, q = len(before), np.arange(1, count + 1) / (count + 1)
    first, second = np.quantile(before, q, axis=0), np.quantile(after, q, axis=0)
    width = np.sqrt(n / (n - 1)) * (0.75 * n) ** -0.2
    density = np.exp(-0.5 * ((first[:, None, :] - before) / width) ** 2).sum(axis=1)
    density /= n * width * np.sqrt(2 * np.pi)
    return moved(first, second, (q * (1 - q))[:, None] / (n * density**2))


def _risks(y: Matrix, z: Matrix, s: Matrix) -> Iterator[tuple[tuple[str, ...], float]]:
    """DR by every reading."""
    pair = Comparison.of(y, z, context=s)

    def value(measure: Measure) -> float:
        return float(measure.score(pair, RunContext(threads=1)).value or 0.0)

    plain = tuple((y.std(axis=0, ddof=1) ** 2).tolist())
    by_distance = {
        (known, scale): value(DBRL(attributes=first, weights=plain if scale == SCALES[1] else ()))
        for (known, first), scale in product(KNOWN.items(), SCALES)
    }
    by_chance = {
        name: 0.0 if tolerance is None else value(PRL(tolerance=tolerance))
        for name, tolerance in AGREEING.items()
    }
    by_interval = {
        (kind, name): value(IDSd(widths=widths))
        if kind == INTERVALS[0]
        else value(IDRank(widths=widths))
        if kind == INTERVALS[1]
        else _within_share(y, z, widths)
        for kind, (name, widths) in product(INTERVALS, WIDTHS.items())
    }
    for (distance, a), (agreeing, b), (interval, c) in product(
        by_distance.items(), by_chance.items(), by_interval.items()
    ):
        known, scale = distance
        kind, widths = interval
        settings = (f"attributes known: {known}", f"distance {scale}", f"PRL {agreeing}")
        yield (*settings, f"ID by {kind}, {widths}"), 0.25 * (a + b) + 0.5 * c


def _within_share(y: Matrix, z: Matrix, widths: Sequence[float]) -> float:
    """Percent of original values within a share of the released value itself, averaged over widths."""
    return 100 * float(np.mean([np.abs(y - z) <= width * np.abs(z) for width in widths]))
