"""Columns of a survey as terms of a regression, and regressions fitted to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from tacita.core import Floats, Matrix

from .models import factor, independent
from .survey_frame import Survey

Link = Literal["logistic", "poisson"]
# A label of its own in a model have the commonest ones; all others share one.
MOST_TERMS = 12
_ITERATIONS = 50
_HALVINGS = 30
_NEAR = 1e-10
# Beyond it a chance is as good as certain, and a count beyond belief.
_FARTHEST = 30.0


@dataclass(frozen=True, eq=False)
class Terms:
    """One column as terms on both sides; records come in rows."""

    column: str
    before: Matrix
    after: Matrix


def terms_of(survey: Survey, name: str) -> Terms:
    """Numbers on the scale of the source and whether they are missing; labels but the commonest as 0 or 1.

    Missing is a label of its own, as are together all labels beyond the commonest. O(n labels).
    """
    if survey.is_numeric(name):
        x, z = survey.values(name)
        known = x[~np.isnan(x)]
        middle, scale = (known.mean(), known.std() or 1.0) if known.size else (0.0, 1.0)
        sides = [np.column_stack([np.nan_to_num((v - middle) / scale), np.isnan(v)]) for v in (x, z)]
    else:
        coded = survey.recoded(name)
        both = np.concatenate([coded.before, coded.after]) + 1
        common = np.argsort(-np.bincount(both, minlength=coded.size + 1), kind="stable")
        place = np.full(coded.size + 1, MOST_TERMS)
        place[common[:MOST_TERMS]] = np.arange(min(MOST_TERMS, common.size))
        # the commonest is what the others are compared with
        labels = np.arange(1, min(MOST_TERMS, coded.size) + 1)
        sides = [
            (place[codes + 1][:, None] == labels).astype(np.float64) for codes in (coded.before, coded.after)
        ]
    varies = np.ptp(np.vstack(sides), axis=0) > 0
    return Terms(name, sides[0][:, varies], sides[1][:, varies])


def estimable(x: Matrix) -> list[int]:
    """Columns, from the left, that neither a constant nor those before make up. O(n d^2)."""
    return independent(factor(x - x.mean(axis=0)))


class Fitted(NamedTuple):
    """Coefficients and their variances, the constant first; the mean of each record; whether it ended."""

    coefficients: Floats
    variances: Floats
    expected: Floats
    ended: bool


def fit(x: Matrix, y: Floats, link: Link) -> Fitted:
    """Maximum likelihood by iteratively reweighted least squares, without a penalty. O(n d^2) a step.

    >>> x, y = np.array([[0.0], [0.0], [1.0], [1.0], [1.0]]), np.array([0.0, 1.0, 1.0, 1.0, 0.0])
    >>> made = fit(x, y, "logistic")
    >>> made.coefficients[1:].round(6).tolist(), made.expected.round(4).tolist()
    ([0.693147], [0.5, 0.5, 0.6667, 0.6667, 0.6667])
    """
    design = np.column_stack([np.ones(len(x)), x])
    mean = float(y.mean())
    start = np.log(mean / (1 - mean)) if link == "logistic" else np.log(mean)
    coefficients, step = np.zeros(design.shape[1]), np.zeros(design.shape[1])
    coefficients[0] = start
    deviance, ended = np.inf, False
    for _ in range(_ITERATIONS):
        coefficients, linear, now = _descended(design, y, link, coefficients, step, deviance)
        expected, information = _model(design, linear, link)
        ended = abs(deviance - now) <= _NEAR * (abs(now) + 1)
        deviance = now
        step = np.linalg.lstsq(information, design.T @ (y - expected), rcond=None)[0]
        if ended:
            # each step squares the error: after this one, where it ended no longer shows in the figures
            coefficients = coefficients + step
            linear = np.clip(design @ coefficients, -_FARTHEST, _FARTHEST)
            expected, information = _model(design, linear, link)
            break
    variances = np.diag(np.linalg.pinv(information))
    return Fitted(coefficients, variances, expected, bool(ended))


def _model(design: Matrix, linear: Floats, link: Link) -> tuple[Floats, Matrix]:
    """The mean of each record, and the information matrix there."""
    expected = _expected(linear, link)
    weights = np.maximum(expected * (1 - expected) if link == "logistic" else expected, 1e-12)
    weighted = design * np.sqrt(weights)[:, None]
    return expected, weighted.T @ weighted


def _descended(
    design: Matrix, y: Floats, link: Link, coefficients: Floats, step: Floats, deviance: float
) -> tuple[Floats, Floats, float]:
    """Coefficients after the longest halved step that does not raise the deviance, and where they lead.

    A full step may overshoot where labels all but tell the outcome; what it then ends in is a matter of
    rounding.
    """
    for halvings in range(_HALVINGS + 1):
        candidate = coefficients + step / 2**halvings
        linear = np.clip(design @ candidate, -_FARTHEST, _FARTHEST)
        now = _deviance(y, _expected(linear, link), linear, link)
        if now <= deviance:
            return candidate, linear, now
    linear = np.clip(design @ coefficients, -_FARTHEST, _FARTHEST)
    return coefficients, linear, deviance


def _expected(linear: Floats, link: Link) -> Floats:
    return 1 / (1 + np.exp(-linear)) if link == "logistic" else np.exp(linear)


def _deviance(y: Floats, expected: Floats, linear: Floats, link: Link) -> float:
    if link == "logistic":
        return float(2 * (np.logaddexp(0, linear) - y * linear).sum())
    return float(2 * (expected - y * linear).sum())


def beside(parts: Sequence[Matrix], n: int) -> Matrix:
    """Terms of several columns side by side."""
    return np.hstack([np.empty((n, 0)), *parts])
