"""Controlled tabular adjustment against all directions there are."""

import gzip
import os
from dataclasses import replace
from decimal import Decimal
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import linprog, minimize

import tacita
from effort import first_of
from tacita.core import DataError, ParameterError, RunContext, Table
from tacita.tables.adjustment.cta import CTA, least_squares
from tacita.tables.input.linked_tables import link_tables
from tacita.tables.release.adjust import adjust
from tacita.testing.examples import nested, two_way


def least(table, weights, fixed):
    """The least weighted change over all directions of the sensitive cells, a linear programme each."""
    n, secret = table.n, np.flatnonzero(table.primary)
    rows, cells, signs = table.relations.rows, table.relations.cells, table.relations.signs
    sums = sparse.coo_array((signs, (rows, cells)), (len(table.relations), n)).toarray()
    best = np.inf
    for up in product((False, True), repeat=secret.size):
        low, high = table.low - table.values, table.high - table.values
        low, high = np.where(fixed, 0.0, low), np.where(fixed, 0.0, high)
        low[secret] = np.where(up, table.upper[secret], low[secret])
        high[secret] = np.where(up, high[secret], -table.lower[secret])
        ends = [(0, max(end, 0)) for end in high] + [(0, max(-end, 0)) for end in low]
        for cell in secret:
            ends[cell] = (max(low[cell], 0), ends[cell][1]) if low[cell] > 0 else (0, 0)
            ends[n + cell] = (max(-high[cell], 0), ends[n + cell][1]) if high[cell] < 0 else (0, 0)
        if any(a > b for a, b in ends):
            continue
        found = linprog(
            np.tile(weights, 2), A_eq=np.hstack([sums, -sums]), b_eq=np.zeros(len(sums)), bounds=ends
        )
        best = min(best, found.fun if found.status == 0 else np.inf)
    return best


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("keep_sums", [False, True])
def test_no_directions_give_a_nearer_table(seed, keep_sums):
    table = two_way(seed, (3, 4))
    made = CTA(weights="equal", keep_sums=keep_sums).adjust(table)
    fixed = (keep_sums & ~table.inner) | (table.values == 0)
    assert made.proven
    assert made.distance == pytest.approx(least(table, np.ones(table.n), fixed & ~table.primary), rel=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_amounts_in_billions_are_as_near_in_shares(seed):
    """Tolerances of a solver are absolute: of amounts in billions a change by a tenth costs 1e-10 a unit."""
    table = two_way(seed, (3, 4))
    fields = ("values", "lower", "upper", "low", "high", "cost")
    large = replace(table, **{name: getattr(table, name) * 1e7 for name in fields})
    made = CTA(weights="relative").adjust(large)
    assert made.proven
    weights = 1 / np.maximum(table.values, 1.0)
    assert made.distance == pytest.approx(least(table, weights, table.values == 0), rel=1e-6)


@pytest.mark.each_once
@pytest.mark.parametrize("weights", ["relative", "equal", "cost"])
@pytest.mark.parametrize("norm", [1, 2])
@pytest.mark.parametrize("whole", [False, True])
def test_every_way_of_asking_keeps_all_promises(weights, norm, whole):
    for table in (two_way(3, (5, 4)), nested(), cube()):
        claim = adjust(table, CTA(weights=weights, norm=norm, whole=whole))
        assert claim.audit.safe
        if whole:
            assert (claim.adjusted.values == np.rint(claim.adjusted.values)).all()
            assert not table.relations.residuals(claim.adjusted.values).any()


def cube():
    generator = np.random.default_rng(6)
    values = generator.integers(5, 60, (3, 3, 3)).astype(float) + 0.25
    return Table.from_array(
        values, names="abc", primary=generator.random((3, 3, 3)) < 0.2, lower=20, upper=20
    )


@given(st.integers(0, 10**6), st.integers(2, 5), st.integers(2, 5), st.booleans())
def test_random_tables_keep_all_promises(seed, rows, columns, whole):
    generator = np.random.default_rng(seed)
    values = generator.integers(0, 50, (rows, columns)).astype(float)
    primary = (generator.random(values.shape) < 0.3) & (values > 0)
    if not primary.any():
        return
    table = Table.from_array(values, primary=primary, lower=25, upper=25)
    claim = adjust(table, CTA(whole=whole))
    assert claim.audit.safe
    assert claim.adjusted.values.min() >= 0


def add_up_as_printed(table, values):
    """Whether all sums hold of the decimal numbers that a reader of the file sees."""
    relations, shown = table.relations, [Decimal(repr(value)) for value in values.tolist()]
    lines = (relations.line(row) for row in range(len(relations)))
    return all(
        sum(Decimal(int(sign)) * shown[cell] for cell, sign in zip(cells.tolist(), signs, strict=True)) == 0
        for cells, signs in lines
    )


def linked(seed):
    """Three tables of the same records, two dimensions each, whose sensitive cells share their lines."""
    generator = np.random.default_rng(seed)
    inner = generator.integers(5, 90, (3, 3, 3)) + generator.choice([0.0, 0.25, 0.1, 0.07], (3, 3, 3))
    names, made = "abc", []
    for left in range(3):
        values = inner.sum(axis=left).round(2)
        kept = [name for at, name in enumerate(names) if at != left]
        primary = generator.random(values.shape) < 0.4
        made.append(Table.from_array(values, names=kept, primary=primary, lower=13, upper=17))
    return link_tables(made)


@pytest.mark.parametrize("norm", [1, 2])
@pytest.mark.parametrize("weights", ["relative", "equal"])
def test_sums_of_tied_tables_hold_to_the_last_digit(norm, weights, some):
    for seed in some(range(5), 1):
        for table in (linked(seed), two_way(seed, (5, 4)), cube()):
            claim = adjust(table, CTA(norm=norm, weights=weights))
            assert add_up_as_printed(table, claim.adjusted.values)


INSTANCES = Path(os.environ.get("TACITA_SHARED", "nowhere"), "instances")


@pytest.mark.skipif(not INSTANCES.is_dir(), reason="the public instances are not at hand")
@pytest.mark.parametrize("norm", first_of([1, 2], 1))
def test_sums_of_a_public_table_hold_to_the_last_digit(tmp_path, norm):
    problem = tmp_path / "hier13.jj"
    problem.write_bytes(gzip.decompress((INSTANCES / "hier13.jj.gz").read_bytes()))
    table = tacita.read_table(problem)
    made = tacita.adjust(table, "cta", norm=norm, seconds=1)
    assert made.changed > 100
    assert add_up_as_printed(table, made.values)


def test_the_norm_of_squares_spreads_changes_and_has_the_least_sum_of_squares():
    table = two_way(4, (4, 4))
    one, two = (CTA(weights="equal", norm=norm).adjust(table).values - table.values for norm in (1, 2))
    assert (two**2).sum() < (one**2).sum()
    assert (two != 0).sum() > (one != 0).sum()


@given(st.integers(0, 10**6))
def test_least_squares_within_ends_are_those_of_a_general_solver(seed):
    generator = np.random.default_rng(seed)
    matrix = np.array([[1.0, 1, -1, 0, 0], [0, 0, 1, 1, -1]])
    weights = generator.uniform(0.5, 2, 5)
    low, high = -generator.uniform(0, 3, 5), generator.uniform(0, 3, 5)
    low[0] = high[0] * 0.9
    found = least_squares(sparse.csc_array(matrix), weights, low, high)
    plain = minimize(
        lambda d: (weights * d**2).sum(),
        np.zeros(5),
        jac=lambda d: 2 * weights * d,
        bounds=list(zip(low, high, strict=True)),
        constraints={"type": "eq", "fun": lambda d: matrix @ d, "jac": lambda _: matrix},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    if found is None or not plain.success:
        # the ends leave no change that adds up
        room = linprog(np.zeros(5), A_eq=matrix, b_eq=np.zeros(2), bounds=list(zip(low, high, strict=True)))
        assert room.status == 2 or found is not None
        return
    assert (weights * found**2).sum() == pytest.approx(plain.fun, rel=1e-5, abs=1e-8)
    assert (found >= low - 1e-9).all()
    assert (found <= high + 1e-9).all()


def test_sums_stay_where_they_are_kept():
    table = two_way(2)
    made = CTA(keep_sums=True).adjust(table)
    assert (made.values == table.values)[~table.inner].all()


def test_without_levels_it_is_refused():
    table = Table.from_array([[5, 3]], primary=[[True, False]])
    with pytest.raises(DataError, match="1 sensitive cells have no protection level"):
        CTA().adjust(table)


def test_where_nothing_is_sensitive_it_is_refused_with_a_way_out():
    with pytest.raises(DataError, match="no cell is sensitive"):
        adjust(Table.from_array([[5, 3]]), CTA())


def test_bounds_that_leave_no_way_out_are_refused():
    primary = [[1, 0], [0, 0]]
    table = Table.from_array([[5, 3], [2, 4]], primary=primary, lower=50, upper=50)
    narrow = table.with_bounds(table.values - 1, table.values + 1)
    with pytest.raises(DataError, match="no value outside their interval"):
        CTA().adjust(narrow)


def test_sums_that_are_kept_may_leave_no_table():
    table = Table.from_array([[5, 0], [0, 4]], primary=[[1, 0], [0, 0]], lower=20, upper=20)
    with pytest.raises(DataError, match="Let sums move"):
        CTA(keep_sums=True).adjust(table, RunContext())


@pytest.mark.parametrize("norm", ["1", "2"])
def test_a_norm_is_a_number_also_where_a_command_or_a_page_says_it(norm):
    assert CTA(norm=norm).norm == int(norm)
    with pytest.raises(ParameterError, match="must be one of"):
        CTA(norm="3")
