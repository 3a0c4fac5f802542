from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita
from effort import DEAR
from tacita.core import ParameterError, Partition, RunContext
from tacita.kernels.records import annealing as walk
from tacita.kernels.records import move_costs
from tacita.microdata.methods.microaggregation import annealing
from tacita.microdata.methods.microaggregation.annealing import Walks, schedule
from tacita.microdata.methods.microaggregation.best import Best

QUICK = {"effort": 0.05}


def records(seed, n, d=3, tied=False):
    generator = np.random.default_rng(seed)
    x = generator.integers(0, 4, size=(n, d)) if tied else generator.normal(size=(n, d))
    return np.ascontiguousarray(x - x.mean(axis=0))


def walks_over(x, k, seed=1, starts=1):
    labels = tacita.get_method("mdav", k=k).partition(x).labels
    return Walks(x, labels, k, np.arange(seed, seed + starts, dtype=np.uint64), RunContext(threads=1))


def error(state, x):
    return Partition(state.labels.astype(np.int64), 1).sse(x)


def is_sound(state, k):
    """Lists, places, labels and sizes say the same."""
    used = np.flatnonzero(state.sizes)
    rows = np.concatenate([state.members[g, : state.sizes[g]] for g in used])
    assert sorted(rows.tolist()) == list(range(len(state.labels)))
    for g in used:
        assert k <= state.sizes[g] < 2 * k
        for place, i in enumerate(state.members[g, : state.sizes[g]]):
            assert (state.labels[i], state.place[i]) == (g, place)
    unused = state.unused[1 : 1 + state.unused[0]]
    assert sorted(unused.tolist()) == np.flatnonzero(state.sizes == 0).tolist()


@given(
    seed=st.integers(0, 10_000), k=st.sampled_from([2, 3, 5, 14]), kind=st.integers(0, 3), tied=st.booleans()
)
def test_what_a_move_is_said_to_cost_is_the_change_of_the_squared_error(seed, k, kind, tied):
    x = records(seed, 4 * k + 3, tied=tied)
    # three groups at least, one of which can spare a record
    state = walks_over(x, k).states[0]
    generator = np.random.default_rng(seed)
    spare = generator.permutation(np.flatnonzero(state.sizes[state.labels] > k))
    if spare.size == 0:
        return
    i = int(spare[0])
    others = [r for r in generator.permutation(len(x)).tolist() if state.labels[r] != state.labels[i]]
    second = others[0]
    third = next(r for r in others if state.labels[r] != state.labels[second])
    before = error(state, x)
    target, far = int(state.labels[second]), int(state.labels[third])
    if kind == 0:
        cost = move_costs.relocate_delta(state, i, target)
        move_costs.relocate(state, i, target)
    elif kind == 1:
        cost = move_costs.swap_delta(state, i, second)
        move_costs.swap(state, i, second)
    elif kind == 2:
        cost = move_costs.chain_delta(state, i, second, far)
        move_costs.chain(state, i, second, far)
    else:
        cost = move_costs.cycle_delta(state, i, second, third)
        move_costs.cycle(state, i, second, third)
    assert error(state, x) - before == pytest.approx(cost, abs=1e-9 * (x**2).sum())
    assert move_costs.settle(state) == pytest.approx(error(state, x))


@given(seed=st.integers(0, 10_000), k=st.sampled_from([2, 3, 5, 14]), tied=st.booleans())
def test_dissolving_and_creating_cost_what_they_say_and_leave_all_lists_right(seed, k, tied):
    x = records(seed, 9 * k + 5, tied=tied)
    made = walks_over(x, k)
    state, random = made.states[0], np.array([seed + 1], dtype=np.uint64)
    generator = np.random.default_rng(seed)
    changes = 0
    for temperature in (1e9, 0.1, 1e9, 1e9):
        for i in generator.permutation(len(x))[:8].tolist():
            for act in (walk.dissolve, walk.create):
                before = error(state, x)
                cost = act(state, k, random, state.labels[i] if act is walk.dissolve else i, temperature)
                assert error(state, x) - before == pytest.approx(cost, abs=1e-9 * (x**2).sum())
                is_sound(state, k)
                changes += cost != 0
    assert changes > 0


@given(seed=st.integers(0, 10_000), k=st.sampled_from([2, 3, 4, 13]), tied=st.booleans())
@DEAR
def test_a_walk_keeps_its_books_and_a_descent_never_climbs(seed, k, tied):
    x = records(seed, 7 * k + 3, tied=tied)
    made = walks_over(x, k, seed + 1)
    state = made.states[0]
    everyone = np.arange(len(x), dtype=np.int32)
    for temperature in (10.0, 0.3, 0.01):
        walk.walk(state, k, made.random[0], everyone, 3000, temperature)
        is_sound(state, k)
    kept = state.centres.copy()
    high = move_costs.settle(state)
    used = state.sizes > 0
    assert np.allclose(kept[used], state.centres[used], atol=1e-9)
    looks = walk.no_looks(len(x), len(state.sizes))
    while walk.descend(state, k, 1e-12, 0, len(x), state.near.shape[1], looks):
        pass
    is_sound(state, k)
    assert move_costs.settle(state) <= high + 1e-9


def least_error(x, k):
    """By trying every partition into groups of k to 2k-1: the first record's group, then the rest."""
    spread = {}

    def cost(group):
        if group not in spread:
            rows = x[list(group)]
            spread[group] = ((rows - rows.mean(axis=0)) ** 2).sum()
        return spread[group]

    known = {(): 0.0}

    def best(left):
        if left not in known:
            found = np.inf
            for size in range(k, min(2 * k - 1, len(left)) + 1):
                if len(left) == size or len(left) - size >= k:
                    for others in combinations(left[1:], size - 1):
                        rest = tuple(r for r in left[1:] if r not in others)
                        found = min(found, cost((left[0], *others)) + best(rest))
            known[left] = found
        return known[left]

    return best(tuple(range(len(x))))


@pytest.mark.each_once
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("n", "k"), [(8, 2), (9, 3), (11, 3), (12, 4), (12, 2)])
def test_nothing_better_exists_where_everything_can_be_tried(n, k, seed):
    x = records(seed, n, 2, tied=seed % 3 == 2)
    found = Best(k=k, effort=0.05).partition(x)
    assert found.sse(x) == pytest.approx(least_error(x, k), abs=1e-9)


@given(
    seed=st.integers(0, 1000),
    k=st.integers(2, 6),
    n=st.integers(12, 70),
    shape=st.sampled_from(["normal", "tied", "skewed", "copies"]),
)
@DEAR
def test_never_worse_than_its_start_and_sizes_stay_below_2k(seed, k, n, shape):
    generator = np.random.default_rng(seed)
    x = records(seed, n, 2, tied=shape == "tied")
    if shape == "skewed":
        x = np.exp(3 * x)
    if shape == "copies":
        x[n // 3 :] = x[0]
    start = Partition(generator.permutation(np.arange(n) % (n // k)), k)
    found = Best(k=k, effort=0.01).partition(x, start=start)
    assert found.sse(x) <= start.sse(x)
    assert Best(k=k, effort=0.01).partition(x).sse(x) <= tacita.get_method("mdav", k=k).partition(x).sse(x)
    assert found.sizes.min() >= k


def test_same_seed_and_effort_give_the_same_labels_whatever_the_threads():
    x = records(0, 200)
    method = Best(k=3, effort=0.3, starts=4)
    one, two, three = (
        method.partition(x, RunContext(seed=5, threads=threads)).labels for threads in (1, 2, 4)
    )
    assert np.array_equal(one, two)
    assert np.array_equal(one, three)
    other = Best(k=3, effort=0.02, starts=4).partition(x, RunContext(seed=6)).labels
    assert not np.array_equal(one, other)


def test_a_stopped_run_returns_its_best_groups_so_far_and_a_cancelled_one_none():
    x = records(1, 300)
    mdav = tacita.get_method("mdav", k=3).partition(x)
    stages = []

    def told():
        return stages.count("annealing groups") >= 300

    def steered(**asked):
        stages.clear()
        return RunContext(on_progress=lambda heard: stages.append(heard.stage), **asked)

    found = Best(k=3, effort=1).partition(x, steered(should_stop=told))
    assert told()
    assert found.sse(x) < mdav.sse(x)
    at_once = Best(k=3, effort=1).partition(x, RunContext(should_stop=lambda: True), start=mdav)
    assert np.array_equal(at_once.labels, mdav.labels)
    with pytest.raises(tacita.Cancelled):
        Best(k=3, effort=1).partition(x, steered(should_cancel=told))


def test_a_long_step_of_a_walk_is_the_same_in_slices(monkeypatch):
    x = records(3, 2300)
    x -= x.mean(axis=0)
    start = tacita.get_method("mdav", k=3).partition(x).labels
    found = []
    for most in (10**9, 5000):
        monkeypatch.setattr(annealing, "SETTINGS", replace(annealing.SETTINGS, moves_per_call=most))
        walks = annealing.Walks(x, start, 3, np.array([7, 8], dtype=np.uint64), RunContext())
        walks.anneal(4_000_000, remember=False)
        found.append([state.labels.tolist() for state in walks.states])
    assert found[0] == found[1]


def test_one_column_is_solved_exactly_however_soon_it_is_told_to_stop():
    x = records(4, 90)[:, :1]
    found = Best(k=3).partition(x, RunContext(should_stop=lambda: True))
    assert found.gap == 0
    assert found.sse(x) == pytest.approx(tacita.get_method("hm", k=3).partition(x).sse(x))


@pytest.mark.parametrize(("effort", "how"), [(0.5, "pool"), (10, "quick"), (60, "thorough")])
def test_combining_groups_tells_how_far_it_is(effort, how):
    heard = []
    x = np.random.default_rng(4).normal(size=(150, 3))
    method = Best(k=3, effort=effort)
    assert method._shares(len(x), round(effort * 1e6))[1] == how
    method.partition(x, RunContext(on_progress=heard.append))
    shares = [each.share for each in heard if each.stage == "combining groups"]
    assert len(shares) > 2
    assert shares == sorted(shares)
    assert shares[-2] < shares[-1] == 1


def test_time_becomes_the_effort_that_repeats_it():
    x = records(2, 120)
    ticks = iter(range(10**6))
    sized = Best(k=3, time=100).sized(x, RunContext(), clock=lambda: 2.0 * next(ticks))
    assert sized.time is None
    assert sized.effort == float(f"{sized.effort:.3g}")
    assert sized.effort > 0.05


def test_compiling_on_first_use_is_not_part_of_the_time(monkeypatch):
    from tacita.microdata.methods.microaggregation import best

    clock = [0.0]

    def compiling():
        clock[0] += 1000.0

    def ticking():
        clock[0] += 2.0
        return clock[0]

    monkeypatch.setattr(best, "_compile", compiling)
    sized = Best(k=3, time=100).sized(records(2, 120), RunContext(), clock=ticking)
    assert sized.effort > 0.05


def test_a_very_long_time_is_not_spent_measuring_and_its_effort_can_be_asked_for():
    ticks = iter(range(10**6))
    sized = Best(k=3, time=1e6).sized(records(2, 120), RunContext(), clock=lambda: 2.0 * next(ticks))
    assert Best(k=3, effort=sized.effort).effort == sized.effort


@pytest.mark.parametrize("wrong", [{"time": 5, "effort": 1}, {"time": float("inf")}, {"time": 0}])
def test_a_time_that_cannot_be_kept_is_refused(wrong):
    with pytest.raises(ParameterError, match="time"):
        Best(k=3, **wrong)


def test_the_record_of_a_release_names_the_effort_and_repeats_it_to_the_byte():
    import polars as pl

    frame = pl.DataFrame(records(3, 90), schema=["a", "b", "c"])
    given = tacita.protect(frame, method="best", quasi=["a", "b", "c"], k=3, time=0.2)
    parameters = dict(given.record.parameters)
    assert parameters["time"] is None
    assert parameters["effort"] > 0
    again = tacita.protect(frame, method="best", quasi=["a", "b", "c"], **parameters)
    assert given.data.equals(again.data)


def test_one_varying_column_is_solved_exactly_and_says_so():
    x = np.column_stack([records(4, 50, 1), np.full(50, 3.0)])
    found = Best(k=4).partition(x)
    assert found.sse(x) == pytest.approx(tacita.get_method("hm", k=4).partition(x[:, :1]).sse(x))
    assert found.lower_bound == found.sse(x)
    assert Best(k=4, **QUICK).partition(records(4, 50)).lower_bound is None


def test_every_record_gets_its_share_of_moves_at_its_own_temperatures():
    scale = np.exp(np.random.default_rng(0).normal(0, 2, size=500))
    # a scale a million times below the mean counts as that
    assert scale.min() > 1e-6 * scale.mean()
    steps = schedule(scale, 1_000_000, 0.3, 0.01)
    share = np.zeros(500)
    for step in steps:
        share[step.active] += step.moves / len(step.active)
        assert step.temperature <= 0.301 * scale[step.active].min()
        assert step.temperature >= 0.0099 * scale[step.active].max()
    assert sum(step.moves for step in steps) == 1_000_000
    assert 0.9 * 2000 < share.min() <= share.max() < 1.1 * 2000


def test_more_records_than_mdav_can_take_at_once_are_started_in_blocks():
    x = records(7, 10_500, 2)
    found = Best(k=5, effort=1).partition(x)
    assert 5 <= found.sizes.min() <= found.sizes.max() <= 9
    assert found.sse(x) < 0.9 * tacita.get_method("mdav", k=5).partition(x).sse(x)


@pytest.mark.parametrize(
    ("name", "k", "loss"),
    [
        ("tarragona", 5, 20.6),
        pytest.param("census", 3, 4.85, marks=pytest.mark.long),
        pytest.param("eia", 3, 0.37, marks=pytest.mark.long),
    ],
)
def test_a_second_of_search_loses_far_less_than_anything_published(benchmark, name, k, loss):
    z = benchmark(name)
    found = Best(k=k, effort=6, recombine=False, starts=1).partition(z)
    assert 100 * found.sse(z) / (z**2).sum() < loss
