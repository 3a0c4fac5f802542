"""How many of a population are unique by their keys, estimated from the class sizes of a sample."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from tacita.core import Floats, Ints

Estimator = Literal["zayatz", "pitman", "snb", "decision"]
# Dankar et al.: below it Pitman's model is best, above it the smaller of the two others.
_SMALL_FRACTION = 0.1


class Spectrum(NamedTuple):
    """How many classes of equal keys there are of each size that occurs."""

    sizes: Ints
    classes: Floats

    @classmethod
    def of(cls, class_sizes: Ints) -> Spectrum:
        """Out of the sizes of all classes."""
        sizes, classes = np.unique(class_sizes, return_counts=True)
        return cls(sizes.astype(np.int64), classes.astype(np.float64))

    @property
    def n(self) -> float:
        """How many records."""
        return float(self.sizes @ self.classes)

    @property
    def uniques(self) -> float:
        """How many records are alone."""
        return float(self.classes[self.sizes == 1].sum())


def zayatz(spectrum: Spectrum, population: float) -> float:
    """Uniques of the population: sample uniques times the chance that one of them is unique there too.

    Classes of the population are taken to be as large as those of the sample, and drawn without replacement:
    of a class of i just one is drawn with probability i n / N times (N - n - j) / (N - 1 - j), j up to i - 2.
    """
    if not spectrum.uniques:
        return 0.0
    n, j = spectrum.n, np.arange(int(spectrum.sizes.max()) - 1)
    with np.errstate(divide="ignore"):
        missed = np.log(np.maximum(0.0, population - n - j) / (population - 1 - j))
    log = np.concatenate([[0.0], np.cumsum(missed)])
    chance = spectrum.sizes * np.exp(log[spectrum.sizes - 1])
    return spectrum.uniques**2 * float(chance[0] / (spectrum.classes @ chance)) / (n / population)


class PitmanFit(NamedTuple):
    """Parameters of Pitman's sampling formula."""

    theta: float
    alpha: float


def fit_pitman(spectrum: Spectrum) -> PitmanFit:
    """Maximum likelihood, alpha between 0 and 1: by a simplex, then Newton's steps to the last digits."""
    from scipy.optimize import minimize, root
    from scipy.special import gammaln, polygamma, psi

    n, u = spectrum.n, float(spectrum.classes.sum())
    size, classes = spectrum.sizes.astype(np.float64), spectrum.classes

    def log_likelihood(theta: float, alpha: float) -> float:
        # products of theta + i alpha for i < u, 1 / (theta + i) for i < n, and i - alpha within classes
        up = (u - 1) * np.log(alpha) + gammaln(theta / alpha + u) - gammaln(theta / alpha + 1)
        down = gammaln(theta + n) - gammaln(theta + 1)
        within = classes @ (gammaln(size - alpha) - gammaln(1 - alpha))
        return float(up - down + within)

    def inside(place: Floats) -> tuple[float, float]:
        return float(np.exp(place[0])), float(1 / (1 + np.exp(-place[1])))

    best = min(
        (
            minimize(
                lambda place: -log_likelihood(*inside(place)),
                [np.log(start), odds],
                method="Nelder-Mead",
                bounds=[(-7.0, np.log(n) + 7), (-14.0, 14.0)],
                options={"xatol": 1e-10, "fatol": 1e-10, "maxiter": 4000},
            )
            # from alpha of a half alone, a simplex may end in a corner far below the best
            for start in (10.0, max(10.0, u / 4))
            for odds in (0.0, -2.0)
        ),
        key=lambda fit: fit.fun,
    )
    theta, alpha = inside(best.x)

    def slope(place: Floats) -> list[float]:
        t, a = float(place[0]), float(place[1])
        ratio, many = t / a, psi(t / a + u) - psi(t / a + 1)
        by_theta = many / a - psi(t + n) + psi(t + 1)
        by_alpha = (u - 1) / a - ratio / a * many - classes @ (psi(size - a) - psi(1 - a))
        return [float(by_theta), float(by_alpha)]

    def curve(place: Floats) -> list[list[float]]:
        t, a = float(place[0]), float(place[1])
        r = t / a
        many, more = psi(r + u) - psi(r + 1), polygamma(1, r + u) - polygamma(1, r + 1)
        tt = more / a**2 - polygamma(1, t + n) + polygamma(1, t + 1)
        ta = -many / a**2 - r / a**2 * more
        aa = -(u - 1) / a**2 + 2 * r / a**2 * many + (r / a) ** 2 * more
        aa += classes @ (polygamma(1, size - a) - polygamma(1, 1 - a))
        return [[float(tt), float(ta)], [float(ta), float(aa)]]

    polished = root(slope, [theta, alpha], jac=curve, tol=1e-13)
    t, a = polished.x
    if (
        polished.success
        and 0 < a < 1
        and t > 0
        and log_likelihood(t, a) >= log_likelihood(theta, alpha) - 1e-6
    ):
        theta, alpha = float(t), float(a)
    return PitmanFit(theta, alpha)


def pitman(spectrum: Spectrum, population: float) -> float:
    """Uniques of a population of Pitman's model: Gamma(theta + 1) / Gamma(theta + alpha) N^alpha."""
    from scipy.special import gammaln

    theta, alpha = fit_pitman(spectrum)
    return float(np.exp(gammaln(theta + 1) - gammaln(theta + alpha) + alpha * np.log(population)))


def slide_negative_binomial(spectrum: Spectrum, population: float) -> float:
    """Uniques where classes of the population have 1 + a negative binomial number of records: K b^a.

    The K classes have 1 + a (1 - b) / b records on average, N together. Of each, a sample of fraction p
    shows a negative binomial number of b' = b / (b + p (1 - b)), and one more with probability p. a and b
    maximise the Poisson likelihood of the numbers of classes that the sample shows of each size.
    """
    from scipy.optimize import minimize
    from scipy.special import gammaln

    fraction, size, classes = spectrum.n / population, spectrum.sizes.astype(np.float64), spectrum.classes

    def log_mass(count: Floats, a: float, b: float) -> Floats:
        inside = np.maximum(count, 0.0)
        log = gammaln(inside + a) - gammaln(inside + 1) - gammaln(a) + a * np.log(b) + inside * np.log1p(-b)
        return np.where(count < 0, -np.inf, log)

    def parameters(place: Floats) -> tuple[float, float, float]:
        a, b = float(np.exp(place[0])), float(1 / (1 + np.exp(-place[1])))
        return a, b, population / (1 + a * (1 - b) / b)

    def cost(place: Floats) -> float:
        a, b, many = parameters(place)
        thinned = b / (b + fraction * (1 - b))
        shown = np.logaddexp(
            np.log1p(-fraction) + log_mass(size, a, thinned),
            np.log(fraction) + log_mass(size - 1, a, thinned),
        )
        seen = many * (1 - (1 - fraction) * thinned**a)
        return float(seen - classes @ (np.log(many) + shown))

    starts = [(np.log(a), np.log(b / (1 - b))) for a in (0.1, 2.0) for b in (0.001, 0.05, 0.5)]
    fits = [
        minimize(
            cost,
            start,
            method="Nelder-Mead",
            bounds=[(-12.0, 8.0), (-18.0, 12.0)],
            options={"xatol": 1e-9, "fatol": 1e-9, "maxiter": 4000},
        )
        for start in starts
    ]
    a, b, many = parameters(min(fits, key=lambda fit: fit.fun).x)
    return float(many * b**a)


def estimated(estimator: Estimator, spectrum: Spectrum, population: float) -> tuple[str, float]:
    """Uniques of the population, and the model that gave them: counted where the file is all of it.

    >>> estimated("decision", Spectrum.of(np.array([1, 2, 2])), 5.0)
    ('count', 1.0)
    """
    if population <= spectrum.n:
        # the whole population is there to be counted
        return "count", spectrum.uniques
    if not spectrum.uniques:
        return "count", 0.0
    if estimator == "zayatz":
        return "zayatz", zayatz(spectrum, population)
    small = spectrum.n / population <= _SMALL_FRACTION
    if estimator == "pitman" or (estimator == "decision" and small):
        return "pitman", pitman(spectrum, population)
    if estimator == "snb":
        return "snb", slide_negative_binomial(spectrum, population)
    return min(
        ("zayatz", zayatz(spectrum, population)),
        ("snb", slide_negative_binomial(spectrum, population)),
        key=lambda estimate: estimate[1],
    )
