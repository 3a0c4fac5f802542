"""Synthesis of mixed data at 100 000 records and 12 columns, and one tree beside that of scikit-learn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import tacita
from tacita.datasets import household
from tacita.kernels.records.cart import grow

from .measuring import Result, cpu_seconds

_DRAWN = (
    *("region", "sex", "age", "education", "employment", "wage", "self_employment", "transfers"),
    *("total_income", "taxes", "wealth", "satisfaction"),
)
_ASKED: dict[str, Any] = {
    "dependent": _DRAWN,
    "nominal": ["region", "sex", "employment"],
    "ordinal": {"education": ["none", "primary", "secondary", "bachelor", "master"]},
    "missing": "level",
    "rules": ["age < 15: wage = 0"],
    "edits": ["wage + self_employment + transfers = total_income"],
    "measures": ["IL1"],
}


def results() -> Iterator[Result]:
    """Processor time on one core of whole releases, verified, with one measure; then of one tree."""
    survey = household(n=100_000, missing=0.05).select(_DRAWN)
    for name, asked in (("trees", "under 90 s"), ("copula", "")):
        seconds = cpu_seconds(lambda name=name: tacita.synthesize(survey, method=name, **_ASKED), 1)
        yield Result(f"{name} n=100000, 12 columns, verified, CPU s", seconds, "", None, asked)
    yield from _one_tree()


def _one_tree() -> Iterator[Result]:
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    rng = np.random.default_rng(0)
    x = rng.normal(size=(11, 100_000))
    y = x[0] + x[1] * x[2] + rng.normal(size=x.shape[1])
    classes = np.digitize(y, [-1, 0, 1, 2])
    edges = np.arange(1, 255) / 255
    bins = np.stack([np.searchsorted(np.quantile(column, edges), column) for column in x])
    sizes, ordered = np.full(11, 256), np.zeros(11, dtype=bool)
    alone = np.empty(0, dtype=np.int64)
    rows = np.ascontiguousarray(x.T)
    for what, kinds, peer, target in (
        ("numbers", 0, DecisionTreeRegressor(min_samples_leaf=5), y),
        ("five classes", 5, DecisionTreeClassifier(min_samples_leaf=5), classes),
    ):
        yield Result(
            f"one tree of {what} n=100000, 11 features, leaves of 5, CPU s",
            cpu_seconds(lambda kinds=kinds: grow(bins, sizes, ordered, y, classes, kinds, alone, 5, 1e-8)),
            "scikit-learn, all cuts",
            cpu_seconds(lambda peer=peer, target=target: peer.fit(rows, target), 1),
        )
