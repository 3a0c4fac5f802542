"""The kernel of movements, against a plain linear programme and by what its answers must show."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog

from tacita.kernels.interpreted import interpreted
from tacita.kernels.tables import dual_simplex
from tacita.kernels.tables.dual_simplex import MOVED, SHORT, STUCK, UNKNOWN, Ties, cannot_move, desk_for, move
from tacita.tables.suppression.optimal.movement_lp import MovementLP
from tacita.tables.suppression.optimal.relation_presolve import systems_of
from twins.relations import random_table


def tied(matrix):
    rows, columns = sparse.csr_array(matrix), sparse.csc_array(matrix)
    parts = (rows.indptr, rows.indices, rows.data, columns.indptr, columns.indices, columns.data)
    kinds = (np.int64, np.int64, np.float64) * 2
    return Ties(*(part.astype(kind) for part, kind in zip(parts, kinds, strict=True)))


def made_up(seed):
    """Sums of random parts, as nested tables have them; rooms of all sizes, some of them none; prices."""
    generator = np.random.default_rng(seed)
    rows, cells = int(generator.integers(2, 12)), int(generator.integers(6, 30))
    matrix = (generator.random((rows, cells)) < generator.uniform(0.15, 0.5)).astype(float)
    matrix[np.arange(rows), generator.integers(0, cells, rows)] = -1.0
    if seed % 3 == 0:
        matrix *= generator.choice([1.0, 0.5, 3.0], size=cells)
    room = generator.lognormal(-1, 1.5, 2 * cells) * (generator.random(2 * cells) < 0.8)
    price = np.where(generator.random(2 * cells) < 0.3, 0.0, generator.random(2 * cells))
    own = int(generator.integers(2 * cells))
    room[own], room[(own + cells) % (2 * cells)] = generator.uniform(0.1, 1.0), 0.0
    return matrix, room, price, own


def plainly(matrix, room, price, own, reward):
    """Least price by a plain linear programme; None where nothing moves `own` by its room."""
    cost, low = price.copy(), np.zeros(len(room))
    if reward == np.inf:
        low[own], cost[own] = room[own], 0.0
    else:
        cost[own] = -reward
    both, nought = np.hstack([matrix, -matrix]), np.zeros(len(matrix))
    bounds = np.column_stack([low, room])
    found = linprog(cost, A_eq=both, b_eq=nought, bounds=bounds, method="highs")
    assert found.status in (0, 2)
    return found.fun if found.status == 0 else None


def price_of(desk, price, own, reward):
    n = len(desk.change)
    columns = np.concatenate([np.maximum(desk.change, 0), np.maximum(-desk.change, 0)])
    gain = 0.0 if reward == np.inf else reward * columns[own]
    paid = price * columns
    assert columns[own] + columns[(own + n) % (2 * n)] == pytest.approx(desk.share[0])
    return paid.sum() - paid[own] - gain


@pytest.mark.parametrize("reward", [np.inf, 1.0, 30.0])
def test_no_movement_is_cheaper_by_a_plain_programme_on_made_up_systems(reward, some):
    ends, seeds = np.zeros(4, dtype=int), some(range(400), 150)
    for seed in seeds:
        matrix, room, price, own = made_up(seed)
        desk = desk_for(len(price) // 2, len(matrix))
        ended = move(tied(matrix), room, price, own, reward, desk)
        ends[ended] += 1
        if ended == UNKNOWN:
            continue
        least = plainly(matrix, room, price, own, reward)
        if ended == STUCK:
            assert least is None, seed
            continue
        assert price_of(desk, price, own, reward) == pytest.approx(least, abs=1e-6), seed
        n = len(desk.change)
        assert np.abs(matrix @ desk.change).max() < 1e-7, seed
        assert (desk.change <= room[:n] + 1e-8).all(), seed
        assert (-desk.change <= room[n:] + 1e-8).all(), seed
    assert ends[UNKNOWN] <= 2
    if reward == np.inf:
        assert ends[STUCK] > len(seeds) // 20
        assert ends[MOVED] > len(seeds) // 20
    else:
        assert ends[SHORT] > len(seeds) // 20


def test_where_a_cell_comes_short_the_sum_of_relations_says_that_it_comes_no_farther():
    short = 0
    for seed in range(400):
        matrix, room, _, own = made_up(seed)
        n = matrix.shape[1]
        desk = desk_for(n, len(matrix))
        # nothing has a price: all that counts is how far
        beside = 1e-7 * (1 + np.random.default_rng(seed).random(2 * n))
        if move(tied(matrix), room, beside, own, 1.0, desk) != SHORT:
            continue
        short += 1
        ray = desk.weight @ matrix
        mine = ray[own % n] * (1 if own < n else -1)
        others = np.delete(np.arange(n), own % n)
        against = -np.sign(mine) * ray[others]
        reach = np.where(against > 0, against * room[others], -against * room[n + others])
        assert reach.sum() / abs(mine) == pytest.approx(desk.share[0], abs=1e-5), seed
    assert short > 50


def test_the_kernel_and_the_python_that_it_is_written_in_agree_to_the_last_bit():
    for seed in range(60):
        matrix, room, price, own = made_up(seed)
        one, two = (desk_for(len(price) // 2, len(matrix)) for _ in range(2))
        ended = move(tied(matrix), room, price, own, np.inf, one)
        with np.errstate(all="ignore"):
            assert interpreted(move)(tied(matrix), room, price, own, np.inf, two) == ended
        assert one.change.tobytes() == two.change.tobytes()
        assert one.weight.tobytes() == two.weight.tobytes()


def test_a_sum_of_relations_that_shows_nothing_is_not_taken_for_a_reason():
    # a + b = c + d: if a rises, b may fall or the others rise
    ties = tied(np.array([[1.0, 1.0, -1.0, -1.0]]))
    room = np.array([1.0, 0, 0.3, 0.3, 0, 0.3, 0, 0])
    assert cannot_move(ties, room, 0, np.array([1.0]))
    assert cannot_move(ties, room, 0, np.array([-2.0]))
    room[5] = 0.5
    assert not cannot_move(ties, room, 0, np.array([1.0]))
    assert not cannot_move(ties, room, 0, np.array([0.0]))


def test_where_the_kernel_has_no_answer_the_solver_is_asked(monkeypatch):
    table = random_table(1, "three-way", "interval")
    (system, *_) = systems_of(table, "interval")
    n = system.edges
    room = np.concatenate([system.up, system.down])
    own = int(system.own[0])
    room[own], room[n + own] = float(system.amount[0]), 0.0
    price = np.concatenate([system.cost, system.cost]) + 1.0
    usual = MovementLP(system, quick=True).move(own, room, price)
    # no movement can take in a relation
    monkeypatch.setattr(dual_simplex, "MOST", 0)
    asked = MovementLP(system, quick=True).move(own, room, price)
    assert np.allclose(usual.change, asked.change, atol=1e-6)
