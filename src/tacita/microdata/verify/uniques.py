"""Uniques of a population by a hand other than that of the measures: plain likelihoods, searched by zooming.

Sizes are those of the classes that occur, `counts` how many classes have each.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tacita.core import Floats, Ints

# points along an axis of a grid, how much the next grid is smaller, and how many there are
_POINTS = 11
_SHRINKS = 0.6
_GRIDS = 48


def uniques(estimator: str, class_sizes: Ints, persons: float) -> float:
    """Persons of a population who are estimated to stand alone. O(grids sizes)."""
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
        found = (counts * np.log(expected)).sum(axis=-1) - (classes * (1 - unseen))[..., 0]
        return np.asarray(found)

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
        found = value(*np.meshgrid(*axes, indexing="ij"))
        best = np.unravel_index(int(np.argmax(found)), found.shape)
        at = [float(axis[place]) for axis, place in zip(axes, best, strict=True)]
        half = [width * _SHRINKS for width in half] if grid else [width / _POINTS for width in half]
    return at[0], at[1]
