"""Values that were taken away so that k records miss the same columns: what the verifier must catch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import fsum
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import tacita
from planting import FORMS, Change, cell, failed, judge, native, simple, with_column
from tacita.core import Microdata
from tacita.core.results.release import Claim

# record 2 alone misses y, 9 and 10 alone miss z: two lend their y, one its z
COLUMNS = {
    "x": [1.0, 1.5, 2.0, 2.5, 4.0, 4.5, 5.0, 7.0, 8.0, 20.0, 21.0, 22.0],
    "y": [3.0, 4.0, None, 5.0, 9.0, 9.5, 12.0, 14.0, 15.0, 30.0, 31.0, 33.0],
    "z": [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, None, None, 512.0],
}
TAKEN = [(1, "y"), (3, "y"), (11, "z")]
NAMES = list(COLUMNS)


def made(form: str = "pyarrow", **options: Any) -> tacita.Release:
    return simple(form, columns=COLUMNS, missing="merge", **options)


def declared(claim: Claim, *cells: tuple[int, str], to: bool) -> Claim:
    """The claim with other cells declared suppressed."""
    mask = claim.suppressed.copy()
    for row, name in cells:
        mask[row, NAMES.index(name)] = to
    return replace(claim, suppressed=mask)


def group_value(name: str, row: int, members: list[int]) -> Change:
    """The group of a record publishes the mean of these originals."""

    def change(table: pa.Table, claim: Claim) -> pa.Table:
        cells = table[name].to_pylist()
        for other in np.flatnonzero(claim.labels == claim.labels[row]).tolist():
            cells[other] = fsum(COLUMNS[name][member] for member in members) / len(members)
        return with_column(table, name, cells)

    return change


def test_the_release_is_what_its_tests_think():
    one = made()
    assert sorted(map(tuple, np.argwhere(one.claim.suppressed).tolist())) == [
        (row, NAMES.index(name)) for row, name in TAKEN
    ]
    assert one.data["y"].to_pylist()[:4] == [one.data["y"][0].as_py(), None, None, None]
    assert one.data["x"].to_pylist()[1:4] == [2.0] * 3
    assert one.data["z"].to_pylist()[1:4] == [14 / 3] * 3


CELLS: dict[str, tuple[str, Change]] = {
    "a suppressed cell is published": ("suppressed-cells", cell("y", 1, 4.0)),
    "a suppressed cell is published as nought": ("suppressed-cells", cell("y", 3, 0.0)),
    "a suppressed cell has the mean of those beside": ("group-means", cell("z", 11, 23.0)),
    "a gap of the original is filled": ("suppressed-cells", cell("y", 2, 4.0)),
    "all suppressed cells of a group are filled": (
        "suppressed-cells",
        lambda table, _: with_column(table, "y", table["y"].fill_null(4.5).to_pylist()),
    ),
    "a value is suppressed that nobody declared": ("suppressed-cells", cell("y", 0, None)),
    "a column is emptied that nobody declared": (
        "suppressed-cells",
        lambda table, _: with_column(table, "x", [None] * 12),
    ),
    "a mean leaves out a record that was lent": ("group-means", group_value("x", 2, [1, 2])),
    "a mean has a record too many": ("group-means", group_value("x", 2, [0, 1, 2, 3])),
    "a mean leaves out the record that missed most": ("group-means", group_value("z", 2, [1, 3])),
    "a mean has values that were suppressed": ("group-means", group_value("y", 0, [0, 1, 4])),
    "a suppressed cell moved to another record": (
        "suppressed-cells",
        lambda table, claim: cell("z", 11, 23.0)(cell("z", 8, None)(table, claim), claim),
    ),
}


@pytest.mark.each_once
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("what", CELLS)
def test_a_cell_that_the_claim_does_not_tell_of_is_caught(what, form):
    breaks, change = CELLS[what]
    claim, table = made(form).claim, made().data
    assert failed(judge(form, table, claim)) == set()
    assert breaks in failed(judge(form, change(table, claim), claim))


CLAIMS: dict[str, tuple[str, Callable[[Claim], Claim]]] = {
    "a suppressed cell is not declared": (
        "suppressed-cells",
        lambda claim: declared(claim, (1, "y"), to=False),
    ),
    "nothing is declared": ("group-means", lambda claim: replace(claim, suppressed=None)),
    "nothing is said of what is promised": (
        "suppressed-cells",
        lambda claim: replace(claim, suppressed=None),
    ),
    "a cell is declared that is published": (
        "suppressed-cells",
        lambda claim: declared(claim, (5, "x"), to=True),
    ),
    "a cell is declared that had no value": (
        "suppressed-cells",
        lambda claim: declared(claim, (2, "y"), to=True),
    ),
    "cells of other records are declared": (
        "suppressed-cells",
        lambda claim: replace(claim, suppressed=claim.suppressed[::-1]),
    ),
    "cells of other columns are declared": (
        "suppressed-cells",
        lambda claim: replace(claim, suppressed=claim.suppressed[:, [1, 2, 0]]),
    ),
    "too few cells are told of": (
        "rows-complete",
        lambda claim: replace(claim, suppressed=claim.suppressed[1:]),
    ),
    "too few columns are told of": (
        "rows-complete",
        lambda claim: replace(claim, suppressed=claim.suppressed[:, 1:]),
    ),
    "k is higher than the patterns": ("suppressed-cells", lambda claim: replace(claim, k=4)),
    "the promise is left out and a cell is wrong": (
        "suppressed-cells",
        lambda claim: declared(replace(claim, guarantees=("groups-of-k",)), (1, "y"), to=False),
    ),
    "groups mix records that show other columns": (
        "groups-of-k",
        lambda claim: replace(claim, labels=np.where(claim.suppressed.any(axis=1), 0, claim.labels)),
    ),
}


@pytest.mark.each_once
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("what", CLAIMS)
def test_a_false_claim_of_what_was_suppressed_is_caught(what, form):
    breaks, change = CLAIMS[what]
    assert breaks in failed(judge(form, made().data, change(made(form).claim)))


@pytest.mark.parametrize("form", FORMS)
def test_a_pattern_of_fewer_than_k_is_caught_although_its_cells_are_as_declared(form):
    table, claim = made().data, made(form).claim
    wanted = COLUMNS["y"][3]
    alone = with_column(table, "y", [*table["y"].to_pylist()[:3], wanted, *table["y"].to_pylist()[4:]])
    found = failed(judge(form, alone, declared(claim, (3, "y"), to=False)))
    assert {"suppressed-cells", "groups-of-k"} <= found


@pytest.mark.parametrize("form", FORMS)
def test_values_suppressed_for_nobody_are_caught(form):
    """The three records of a complete group lose a value, declared, although none of their like misses it."""
    columns = {"x": [1.0, 2.0, 3.0, 70.0, 80.0, 90.0], "y": [1.0, 2.0, 4.0, 61.0, 62.0, 66.0]}
    one = simple(form, columns=columns, missing="merge")
    mask = np.zeros((6, 2), dtype=bool)
    mask[:3, 1] = True
    table = simple(columns=columns).data
    planted = with_column(table, "y", [None] * 3 + table["y"].to_pylist()[3:])
    assert failed(judge(form, planted, replace(one.claim, suppressed=mask))) == {"suppressed-cells"}


@pytest.mark.parametrize("form", FORMS)
def test_records_that_lost_everything_are_caught(form):
    columns = {"x": [None, 2.0, 3.0, 7.0, 8.0, 9.0], "y": [None, 2.0, 4.0, 1.0, 2.0, 6.0]}
    whole = {name: cells[3:] * 2 for name, cells in columns.items()}
    one = simple(form, columns=whole, missing="merge")
    mask = np.zeros((6, 2), dtype=bool)
    mask[1:3] = True
    original = Microdata.of(native(pa.table(columns), form)).with_roles(one.claim.original.roles)
    labels = np.array([0, 0, 0, 1, 1, 1])
    claim = replace(one.claim, original=original, suppressed=mask, labels=labels)
    table = pa.table({"x": [None] * 3 + [8.0] * 3, "y": [None] * 3 + [3.0] * 3})
    assert failed(judge(form, table, claim)) == {"suppressed-cells"}
    always = pa.table({name: [None] * 3 + cells[3:] for name, cells in columns.items()})
    original = Microdata.of(native(always, form)).with_roles(one.claim.original.roles)
    honest = replace(claim, original=original, suppressed=np.zeros_like(mask))
    assert failed(judge(form, table, honest)) == set()


@pytest.mark.parametrize("form", FORMS)
def test_a_pattern_of_k_records_of_too_few_units_is_caught(form):
    units = {**COLUMNS, "firm": [f"u{i}" for i in range(12)]}
    options = {"quasi": NAMES, "unit": "firm", "k": 3, "missing": "merge", "measures": ["IL1"]}
    one = tacita.protect(native(pa.table(units), form), **options)
    few = pa.table({**units, "firm": ["u0", "u1", "u1", *units["firm"][3:]]})
    original = Microdata.of(native(few, form)).with_roles(one.claim.original.roles)
    table = tacita.protect(pa.table(units), **options).data
    planted = table.set_column(3, "firm", few["firm"])
    found = failed(judge(form, planted, replace(one.claim, original=original)))
    assert found == {"suppressed-cells", "k-units"}
