"""Broken droppings and withholdings: each breaks the law that was meant for it, by name."""

# a planted part keeps the whole signature of the one that it stands for
# ruff: noqa: ARG001, ARG005

import numpy as np
import pytest

from conformance.breakers import breakers, counted, expect_broken, planted, unbroken
from tacita.core import DataError
from tacita.microdata.methods.dropping.dropping_method import Dropping
from tacita.microdata.methods.local_suppression.local_suppression_method import (
    CellSuppression,
    SuppressedCells,
)

# dropping


def dropping(drops, **parts):
    """Asks for a number, and for a word that some records miss."""
    asks = property(lambda self: ("x", "town"))
    return planted(Dropping, asks=asks, dropped_rows=lambda self, cells, n: drops(cells, n), **parts)


def high(asked, n):
    return asked["x"] > 9


def spoiling(asked, n):
    asked["town"][:] = "nowhere"
    return high(asked, n)


DROPPINGS = {
    "every record either": [
        dropping(lambda asked, n: high(asked, n)[1:]),
        dropping(lambda asked, n: high(asked, n).astype(float)),
    ],
    "the order of the records changes nothing": [
        dropping(lambda asked, n: np.arange(n) < 9),
        dropping(lambda asked, n: asked["x"] > asked["x"][0]),
    ],
    "leaves the cells that it is given as they are": [dropping(spoiling)],
    "never groups of k": [
        dropping(high, guarantees=("dropped", "k-anonymous")),
        dropping(high, guarantees=("dropped", "groups-of-k")),
        dropping(high, guarantees=()),
    ],
    "a release of it is verified": [
        dropping(high, guarantees=("dropped", "marginals-preserved", "expected-frequencies")),
        dropping(lambda asked, n: asked["x"] > -99),
    ],
}


# withholding


def whole_keys(method, codes, units):
    """All keys of records that too few are like; nobody of fewer than k is taken."""
    who = np.arange(len(codes)) if units is None else units
    if np.unique(who).size < method.k:
        raise DataError("Planted: too few records or units.")
    key = np.unique(codes, axis=0, return_inverse=True)[1].reshape(-1)
    company = np.bincount(np.unique(np.column_stack([key, who]), axis=0)[:, 0])
    rarest = np.argsort(company, kind="stable")
    for count in range(rarest.size + 1):
        gone = np.isin(key, rarest[:count])
        alone = 0 < np.unique(who[gone]).size < method.k
        if not alone and (company[rarest[count:]] >= method.k).all():
            break
    return gone[:, None] & (codes >= 0)


def withholding(
    changed=lambda cells, codes: cells, *, bound=0.0, silent=False, taking=None, empty_handed=False, **parts
):
    """Sound but for what is done to the cells, the bound, the progress, or who is taken."""

    def suppress(self, codes, weights, run, *, units=None):
        if taking is not None and taking(codes, units):
            return SuppressedCells(np.zeros(codes.shape, dtype=bool), 0.0, "heuristic")
        if empty_handed and run.should_stop():
            return SuppressedCells(np.zeros((0, 3), dtype=bool), 0.0, "stopped")
        cells = changed(whole_keys(self, codes, units), codes)
        if not silent:
            run.report("suppressing cells", 1, 1)
        return SuppressedCells(cells, bound, "heuristic")

    weights = {"weights": lambda self, names: np.ones(len(names))}
    told = {"guarantees": ("only-withheld", "k-anonymous")}
    return planted(CellSuppression, suppress=suppress, **{**weights, **told, **parts})


def in_place(cells, codes):
    codes[:] = 0
    return cells


def one_more(cells, codes):
    cells[0] = codes[0] >= 0
    return cells


def first_shown(cells, codes):
    """The first record that hides something shows it."""
    cells[np.flatnonzero(cells.any(axis=1))[:1]] = False
    return cells


def at_times(tick):
    def changed(cells, codes):
        if tick() % 2:
            cells[-1] = codes[-1] >= 0
        else:
            cells[-1] = False
        return cells

    return changed


WITHHOLDINGS = {
    "it marks only cells that have a value": [
        withholding(lambda cells, codes: cells | (codes < 0)),
        withholding(lambda cells, codes: cells[1:]),
        withholding(in_place),
    ],
    "its bound is at most its cost": [withholding(bound=1e6), withholding(bound=-1.0)],
    "the same keys give the same cells": [withholding(at_times(counted()))],
    "records that are all alike lose nothing": [withholding(one_more)],
    "too few records or units are refused": [
        withholding(taking=lambda codes, units: len(codes) < 3),
        withholding(taking=lambda codes, units: units is not None and np.unique(units).size < 2),
    ],
    "it reports to the end and can be cancelled": [withholding(silent=True)],
    "stopped early": [withholding(empty_handed=True, anytime=True)],
    "never groups of k": [
        withholding(guarantees=("k-anonymous",)),
        withholding(guarantees=("only-withheld", "groups-of-k")),
        withholding(guarantees=("only-withheld", "k-anonymous", "k-units")),
    ],
    "a release of it is verified": [
        withholding(first_shown),
        withholding(guarantees=("only-withheld", "marginals-preserved", "expected-frequencies")),
    ],
}


@breakers(DROPPINGS, WITHHOLDINGS)
def test_a_broken_method_breaks_the_law_that_says_so(law, method):
    expect_broken(law, method)


@pytest.mark.parametrize(("kind", "planted_for"), [("dropping", DROPPINGS), ("withholding", WITHHOLDINGS)])
def test_every_law_has_a_method_that_breaks_it(kind, planted_for):
    assert not unbroken(kind, planted_for)
