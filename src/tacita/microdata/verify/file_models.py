"""What a whole file, and the population that it is of, must satisfy: counted plainly, class by class."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tacita import io
from tacita.core import DataError, Floats, Hierarchy, Ints, Mask, Microdata

from .classes import settings_of
from .evidence import distinct
from .recoding import shown_at

Labels = Sequence[str | None]
Reader = Callable[[Microdata, str], Labels]
# what arithmetic on shares may lose
_SLACK = 1e-9
_OF_THE_FILE = ("average_risk", "sample_uniqueness", "population_uniqueness")
_OF_A_TABLE = ("k_map", "delta_presence")


def of_the_file(terms: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    """The models that speak of the whole file."""
    return [(name, settings) for name, settings in settings_of(terms) if name in _OF_THE_FILE]


def of_a_table(terms: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    """The models that speak of a table of the population."""
    models = [(name, settings) for name, settings in settings_of(terms) if name in _OF_A_TABLE]
    return [(name, settings) for name, settings in models if settings.get("population") is not None]


def whole_fault(name: str, settings: Mapping[str, Any], class_sizes: Ints, n: int) -> str | None:
    """By how much a file with classes of these sizes, out of n records of the input, breaks a model."""
    size = float(class_sizes.sum())
    alone = int((class_sizes == 1).sum())
    if name == "average_risk":
        risk = class_sizes.size / max(size, 1.0)
        return f"the average risk is {risk:.4g}" if risk > settings["risk"] + _SLACK else None
    if name == "sample_uniqueness":
        share = alone / max(size, 1.0)
        return f"{alone} records are unique" if share > settings["share"] + _SLACK else None
    if not alone:
        return None
    persons = n / settings["fraction"]
    share = uniques(settings.get("estimator", "decision"), class_sizes, persons) / persons
    if 0 < share <= settings["share"] * (1 + _SLACK):
        return None
    return f"{100 * share:.4g} % of the population are estimated to be unique"


def least_kept(terms: Mapping[str, Any], class_sizes: Ints, n: int) -> int:
    """The size from which on classes may stay, all smaller ones gone; one more than the largest if none."""
    models = of_the_file(terms)
    for least in sorted(set(class_sizes.tolist())) if models else ():
        kept = class_sizes[class_sizes >= least]
        if not any(whole_fault(name, settings, kept, n) for name, settings in models):
            return int(least)
    return int(class_sizes.max(initial=0)) + 1 if models else 0


def too_few_behind(name: str, settings: Mapping[str, Any], records: Ints, persons: Ints) -> Mask:
    """Which classes of so many records and persons break a model of a table of the population."""
    if name == "k_map":
        return np.asarray(persons < settings["k"])
    share = np.where(persons > 0, records / np.maximum(persons, 1), np.inf)
    return np.asarray((share < settings.get("least", 0.0) - _SLACK) | (share > settings["most"] + _SLACK))


class People:
    """The table of a population and some records: the label of each row for each key at each level."""

    def __init__(self, path: str, names: Sequence[str], strata: Sequence[str], read: Reader) -> None:
        people = io.read(path)
        if any(name not in people.columns for name in (*names, *strata)):
            raise DataError("the population lacks a column")
        self.n, self.names = people.n, tuple(names)
        self.strata: list[Labels] = [read(people, name) for name in strata]
        self.cells: list[Labels] = [read(people, name) for name in names]

    def shows(self, j: int, hierarchy: Hierarchy, level: int) -> list[str | None]:
        """What persons show of a key at a level: a value that its hierarchy lacks, itself until the top."""
        known = shown_at(hierarchy, level)
        top = hierarchy.labels[hierarchy.top]
        if level and level == hierarchy.height:
            return [top] * self.n
        return [None if cell is None else known.get(cell, cell) for cell in self.cells[j]]


def codes_together(one: Labels, other: Labels) -> Ints:
    """Numbers that equal texts of two lists share, those of the first list first."""
    known: dict[str | None, int] = {}
    return np.array([known.setdefault(text, len(known)) for text in (*one, *other)], dtype=np.int64)


def behind(together: Sequence[Ints], n: int) -> tuple[Ints, bool]:
    """Persons behind each of n records, and whether a person is behind none; codes of records come first."""
    of = distinct(*together)
    persons = np.bincount(of[n:], minlength=int(of.max(initial=0)) + 1)
    records = np.bincount(of[:n], minlength=persons.size)
    return persons[of[:n]], bool(((persons > 0) & (records == 0)).any())


def persons_by_weight(data: Microdata, settings: Mapping[str, Any], classes: Ints, rows: Ints) -> Mask:
    """Which classes of some rows stand, by their weights, for too few persons."""
    weights: Floats = data.numbers(settings["weight"])[rows]
    persons = np.bincount(classes, weights)
    return np.asarray(~(persons >= settings["k"] * (1 - _SLACK)))


# points along an axis of a grid, how much the next grid is smaller, and how many there are
_POINTS = 11
_SHRINKS = 0.6
_GRIDS = 48


# Uniques of a population, by a hand other than that of the measures: plain likelihoods, searched by zooming.
# Sizes are those of the classes that occur, `counts` how many classes have each.


def uniques(estimator: str, class_sizes: Ints, persons: float) -> float:
    """Persons of a population who are estimated to be unique. O(grids sizes)."""
    sizes, counts = np.unique(class_sizes, return_counts=True)
    alone = float(counts[sizes == 1].sum())
    n = float((sizes * counts).sum())
    if n >= persons or not alone:
        return alone
    if estimator == "decision":
        if 10 * n <= persons:
            return _pitman(sizes, counts, persons)
        return min(_zayatz(sizes, counts, persons), _negative_binomial(sizes, counts, persons))
    estimate = {"zayatz": _zayatz, "pitman": _pitman, "snb": _negative_binomial}[estimator]
    return estimate(sizes, counts, persons)


def _zayatz(sizes: Ints, counts: Ints, persons: float) -> float:
    """By the hypergeometric law: of a class of i, one is drawn in (N - i over n - 1) i of (N over n) ways."""
    from scipy.special import gammaln

    n, alone = float((sizes * counts).sum()), float(counts[0])
    left = persons - sizes - n + 2
    ways = gammaln(persons - sizes + 1) - gammaln(np.maximum(left, 1e-300)) - gammaln(n)
    every = gammaln(persons + 1) - gammaln(n + 1) - gammaln(persons - n + 1)
    drawn = np.where(left > 0, sizes * np.exp(ways - every), 0.0)
    return float(alone * (counts[0] * drawn[0] / (counts * drawn).sum()) * persons / n)


def _pitman(sizes: Ints, counts: Ints, persons: float) -> float:
    """Gamma(theta + 1) / Gamma(theta + alpha) N^alpha at the most likely theta and alpha."""
    from scipy.special import gammaln

    n, classes = float((sizes * counts).sum()), float(counts.sum())

    def likelihood(log_theta: Floats, logit: Floats) -> Floats:
        theta, alpha = np.exp(log_theta), 1 / (1 + np.exp(-logit))
        rising = gammaln(theta / alpha + classes) - gammaln(theta / alpha + 1) + (classes - 1) * np.log(alpha)
        falling = gammaln(theta + n) - gammaln(theta + 1)
        inside = gammaln(sizes - alpha[..., None]) - gammaln(1 - alpha[..., None])
        return np.asarray(rising - falling + (counts * inside).sum(axis=-1))

    log_theta, logit = _highest(likelihood, (-7.0, np.log(n) + 7), (-14.0, 14.0))
    theta, alpha = np.exp(log_theta), 1 / (1 + np.exp(-logit))
    return float(np.exp(gammaln(theta + 1) - gammaln(theta + alpha) + alpha * np.log(persons)))


def _negative_binomial(sizes: Ints, counts: Ints, persons: float) -> float:
    """K b^a, where K classes have one person more than a negative binomial number with a and b.

    A class shows i records with the probability that i, or i - 1 and the one, of its persons are drawn.
    """
    from scipy.special import gammaln

    drawn = float((sizes * counts).sum()) / persons

    def mass(number: Ints, a: Floats, b: Floats) -> Floats:
        choices = gammaln(number + a) - gammaln(number + 1) - gammaln(a)
        return np.asarray(np.exp(choices + a * np.log(b) + number * np.log1p(-b)))

    def likelihood(log_a: Floats, logit: Floats) -> Floats:
        a, b = np.exp(log_a)[..., None], (1 / (1 + np.exp(-logit)))[..., None]
        classes = persons / (1 + a * (1 - b) / b)
        thinned = b / (b + drawn * (1 - b))
        shown = (1 - drawn) * mass(sizes, a, thinned) + drawn * mass(sizes - 1, a, thinned)
        unseen = (1 - drawn) * thinned**a
        expected = np.maximum(classes * shown, 1e-300)
        log_likelihood = (counts * np.log(expected)).sum(axis=-1) - (classes * (1 - unseen))[..., 0]
        return np.asarray(log_likelihood)

    log_a, logit = _highest(likelihood, (-12.0, 8.0), (-18.0, 12.0))
    a, b = np.exp(log_a), 1 / (1 + np.exp(-logit))
    return float(persons / (1 + a * (1 - b) / b) * b**a)


def _highest(
    value: Callable[[Floats, Floats], Floats], one: tuple[float, float], other: tuple[float, float]
) -> tuple[float, float]:
    """Where a smooth function of two numbers is highest: grids, each around the best point of the last."""
    at = [sum(one) / 2, sum(other) / 2]
    half = [(one[1] - one[0]) / 2, (other[1] - other[0]) / 2]
    for grid in range(_GRIDS):
        # the first must not miss a narrow peak
        points = _POINTS if grid else 4 * _POINTS + 1
        axes = [
            np.clip(np.linspace(centre - width, centre + width, points), *ends)
            for centre, width, ends in zip(at, half, (one, other), strict=True)
        ]
        heights = value(*np.meshgrid(*axes, indexing="ij"))
        best = np.unravel_index(int(np.argmax(heights)), heights.shape)
        at = [float(axis[place]) for axis, place in zip(axes, best, strict=True)]
        half = [width * _SHRINKS for width in half] if grid else [width / _POINTS for width in half]
    return at[0], at[1]
