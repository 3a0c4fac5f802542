"""Half sums of rows: true for every whole point, found where they matter, kernels as plain arithmetic."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csc_matrix

from tacita.kernels.tables.network import Pooled, Terms
from tacita.kernels.tables.zero_half import add_up, half_sums, nearly_tight, parities, unlike, whole_multiples
from tacita.solvers.highs import LinearProgram
from tacita.tables.suppression.optimal.cutting_planes import CuttingPlaneLP
from tacita.tables.suppression.optimal.zero_half_cuts import violated_half_sums

# Rows of 1 over pairs in a ring of five: half of every cell meets them all, whole cells need three of five.
RING = np.eye(5) + np.roll(np.eye(5), 1, axis=1)


def pooled(matrix, right):
    lines, at = np.nonzero(matrix)
    start = np.searchsorted(lines, np.arange(len(right) + 1))
    value = matrix[lines, at]
    right = np.asarray(right, dtype=float)
    return Pooled(start, at, value, right, whole_multiples(start, value, right, 1000))


def dense(rows, columns):
    right, starts, at, value = rows
    made = np.zeros((len(right), columns))
    ends = np.append(starts[1:], len(at))
    for i in range(len(right)):
        made[i, at[starts[i] : ends[i]]] = value[starts[i] : ends[i]]
    return made, right


def programme(matrix, right, cost):
    made = CuttingPlaneLP()
    made.lp = LinearProgram.of(
        cost,
        np.zeros(len(cost)),
        np.ones(len(cost)),
        csc_matrix(matrix),
        np.asarray(right, dtype=float),
        np.full(len(right), np.inf),
        presolve="off",
        solver="simplex",
    )
    made.columns = np.arange(len(cost))
    made.fixed = np.zeros(len(cost), dtype=bool)
    made.idle, made.dual = np.zeros(len(right), dtype=np.int64), np.zeros(len(right))
    made.share_rows()
    return made


def test_a_ring_of_five_needs_three_cells_and_half_of_the_sum_of_its_rows_says_so():
    rows = violated_half_sums(pooled(RING, np.ones(5)), np.full(5, 0.5), np.random.default_rng(0), 10)
    made, right = dense(rows, 5)
    assert np.allclose(made * 3, 1.0)
    assert right.tolist() == [1.0]


def test_half_sums_close_a_programme_that_its_rows_leave_open():
    master = programme(RING, np.ones(5), np.ones(5))
    assert master.solve()
    assert master.value == pytest.approx(2.5)
    while master.separate_half_sums(np.random.default_rng(0)):
        assert master.solve()
    assert master.value == pytest.approx(3.0)
    # what was found counts as a row like the others
    assert len(master.pool.inside) == master.lp.row_count == len(master.pool.rows.right)


@given(seed=st.integers(0, 10**6))
def test_no_whole_point_that_meets_the_rows_violates_a_half_sum_of_them(seed):
    generator = np.random.default_rng(seed)
    cells = int(generator.integers(3, 9))
    count = int(generator.integers(2, 8))
    whole = generator.integers(0, 5, size=(count, cells)) * (generator.random((count, cells)) < 0.6)
    # as rows are: with right side 1, or 0 where a cell may not stand alone; some with entries of any size
    right = np.where(generator.random(count) < 0.8, generator.integers(1, 6, count), 0)
    whole[right == 0, 0] = -1
    matrix = whole / np.maximum(right, 1)[:, None]
    if generator.random() < 0.3:
        matrix[0] *= generator.random()
    right = np.minimum(right, 1)
    points = np.array(list(itertools.product((0.0, 1.0), repeat=cells)))
    points = points[(points @ matrix.T >= right - 1e-9).all(axis=1)]
    for x in (generator.random(cells), np.round(2 * generator.random(cells)) / 2):
        made, least = dense(violated_half_sums(pooled(matrix, right), x, generator, 20), cells)
        assert (made @ x < least).all()
        assert (points @ made.T >= least - 1e-9).all()


def test_the_least_number_that_makes_a_row_whole_is_found_and_no_other_is_claimed():
    rows = pooled(np.array([[1 / 3, 1 / 2, 1.0], [2 / 7, 5 / 7, 1.0], [np.pi / 4, 1.0, 0.0]]), np.ones(3))
    assert rows.whole.tolist() == [6, 7, 0]


def test_terms_are_the_rows_that_leave_something_to_win_as_plain_arithmetic_has_it():
    for seed in range(30):
        generator = np.random.default_rng(seed)
        matrix = generator.integers(0, 4, size=(6, 7)) / 3.0
        rows, x = pooled(matrix, np.ones(6)), generator.random(7) * (generator.random(7) < 0.6)
        terms = Terms(np.empty(100, dtype=np.int64), np.empty(100, dtype=np.int64), np.empty(100))
        count = nearly_tight(rows, x, 4, 0.1, terms)
        got = {(int(i), int(t)): s for i, t, s in zip(*(part[:count] for part in terms), strict=True)}
        wanted = {}
        for i, whole in enumerate(rows.whole):
            for times in {int(whole), *(t for t in range(1, 5) if t % whole)}:
                slack = np.ceil(times * matrix[i] - 1e-9) @ x - times
                if slack < 0.9:
                    wanted[i, times] = max(0.0, slack)
        assert got == pytest.approx(wanted)


def test_sums_win_what_they_are_said_to_and_their_rows_are_those_of_plain_arithmetic():
    sought = 0
    for seed in range(40):
        generator = np.random.default_rng(seed)
        matrix = generator.integers(0, 3, size=(8, 9)).astype(float)
        x = np.round(generator.random(9) * 4) / 4
        right = np.maximum(1.0, np.floor(matrix @ x))
        rows = pooled(matrix, right)
        terms = Terms(np.arange(8), np.ones(8, dtype=np.int64), np.maximum(0.0, matrix @ x - right))
        fractional = np.flatnonzero((x > 0) & (x < 1))
        place = np.full(9, -1)
        place[fractional] = np.arange(len(fractional))
        odd, odd_right = np.zeros((8, len(fractional)), dtype=bool), np.zeros(8, dtype=bool)
        parities(rows, terms, x, place, odd, odd_right)
        assert np.array_equal(odd, matrix[:, fractional] % 2 == 1)
        over = ((matrix % 2 == 1) & (x > 0.5)).sum(axis=1)
        assert np.array_equal(odd_right, (right - over) % 2 == 1)
        weight = np.minimum(x[fractional], 1 - x[fractional])
        sums = np.zeros((50, 8), dtype=bool)
        count = add_up(odd, odd_right, terms.slack.copy(), weight, np.argsort(-weight), 0.05, sums)
        entries, rights, shorts = np.empty((count, 9)), np.empty(count), np.empty(count)
        half_sums(rows, terms, x, sums[:count], entries, rights, shorts)
        for chosen, row, least in zip(sums[:count], entries, rights, strict=True):
            total, side = matrix[chosen].sum(axis=0), right[chosen].sum()
            above = (total % 2 == 1) & (x > 0.5)
            assert np.array_equal(row, np.ceil((total - above) / 2))
            assert least == np.ceil((side - above.sum()) / 2)
            won = 1 - (matrix @ x - right)[chosen].sum() - np.minimum(x, 1 - x)[total % 2 == 1].sum()
            assert won >= 0.05
            assert least - row @ x == pytest.approx(won / 2)
            sought += 1
    assert sought > 20


def test_rows_that_are_kept_are_the_first_of_which_no_two_are_alike():
    full = 0
    for seed in range(40):
        generator = np.random.default_rng(seed)
        entries = generator.integers(0, 3, size=(30, 8)).astype(float)
        inside, order = np.flatnonzero(generator.random(8) < 0.7), generator.permutation(30)
        kept = np.empty(6, dtype=np.int64)
        count = unlike(entries, inside, order, 0.8, kept)
        wanted: list[int] = []
        for row in order.tolist():
            here = entries[row, inside]
            cosines = [
                here @ entries[k, inside] / np.linalg.norm(here) / np.linalg.norm(entries[k, inside])
                for k in wanted
                if here.any() and entries[k, inside].any()
            ]
            if len(wanted) < 6 and max(cosines, default=0.0) <= 0.8:
                wanted.append(row)
        assert kept[:count].tolist() == wanted
        full += count == 6
    assert 0 < full < 40
