import numpy as np
import pytest
from experiments.published import ORDERINGS_CHECKED
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import tacita
from effort import first_of_each
from tacita.core import Partition, RunContext
from tacita.kernels.records import tour as tour_kernel
from tacita.microdata.methods.microaggregation import orderings
from tacita.microdata.methods.microaggregation.mhm import cut_path, partitions_for
from tacita.microdata.methods.microaggregation.neighbours import neighbours as nearest_others
from twins import orderings as twin
from twins.segments import best_segmentation_sse

# Whole numbers add and subtract exactly, so twin and kernel must agree on every tie.
whole_numbers = arrays(
    float, st.tuples(st.integers(5, 30), st.integers(1, 5)), elements=st.integers(-4, 4).map(float)
)
few_records = arrays(
    float, st.tuples(st.integers(4, 11), st.integers(1, 3)), elements=st.integers(-9, 9).map(float)
)


def random(n, d, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


def same(found, expected):
    return np.array_equal(found.labels, Partition(expected, 1).labels)


@given(x=whole_numbers, k=st.integers(2, 4), growth=st.sampled_from(["seed", "centroid"]))
def test_md_equals_plain_twin_ties_included(x, k, growth):
    assert same(tacita.get_method("md", k=k, growth=growth).partition(x), twin.md(x, k, growth))


@given(x=whole_numbers, k=st.integers(2, 4), growth=st.sampled_from(["seed", "centroid"]))
def test_cbfs_equals_plain_twin_ties_included(x, k, growth):
    assert same(tacita.get_method("cbfs", k=k, growth=growth).partition(x), twin.cbfs(x, k, growth))


@given(x=whole_numbers, k=st.integers(2, 4), growth=st.sampled_from(["seed", "centroid"]))
def test_groups_of_md_and_cbfs_have_k_to_2k_records(x, k, growth):
    for name in ("md", "cbfs"):
        sizes = tacita.get_method(name, k=k, growth=growth).partition(x).sizes
        assert k <= sizes.min()
        assert sizes.max() < 2 * k


@given(x=whole_numbers, n_units=st.integers(3, 9))
def test_groups_of_cbfs_around_centroids_have_k_units(x, n_units):
    units = np.arange(len(x)) ** 2 % n_units
    if len(np.unique(units)) >= 3:
        found = tacita.get_method("cbfs", k=3, growth="centroid").partition(x, units=units)
        assert all(len(np.unique(units[found.labels == label])) >= 3 for label in range(len(found)))


@pytest.mark.parametrize("name", ["md", "cbfs", "kward"])
def test_the_laws_of_every_method_hold_with_growth_around_the_centroid(name):
    tacita.testing.check_method(tacita.get_method(name, growth="centroid"))


@given(x=whole_numbers, k=st.integers(2, 4), gamma=st.sampled_from([0, 0.2, 1, 1.1, 3]))
def test_vmdav_equals_plain_twin_ties_included(x, k, gamma):
    assert same(tacita.get_method("vmdav", k=k, gamma=gamma).partition(x), twin.vmdav(x, k, gamma))


@pytest.mark.parametrize("d", [1, 4, 13])
def test_kernels_equal_plain_twins_on_real_numbers(d):
    x = random(300, d, d)
    assert same(tacita.get_method("md", k=3).partition(x), twin.md(x, 3))
    assert same(tacita.get_method("md", k=3, growth="centroid").partition(x), twin.md(x, 3, "centroid"))
    assert same(tacita.get_method("cbfs", k=3).partition(x), twin.cbfs(x, 3))
    assert same(tacita.get_method("cbfs", k=3, growth="centroid").partition(x), twin.cbfs(x, 3, "centroid"))
    assert same(tacita.get_method("vmdav", k=3, gamma=1.1).partition(x), twin.vmdav(x, 3, 1.1))


def test_a_tight_clump_far_from_the_rest_does_not_mislead_the_bounds_of_md():
    x = np.concatenate([random(60, 3) * 1e-3, random(60, 3, 1) + 50, random(4, 3, 2) * 500])
    assert same(tacita.get_method("md", k=4).partition(x), twin.md(x, 4))


def test_vmdav_without_gamma_keeps_groups_of_k():
    assert set(tacita.get_method("vmdav", k=3, gamma=0).partition(random(60, 3)).sizes) == {3}


@given(x=whole_numbers)
def test_nearest_next_equals_plain_twin(x):
    start = int(((x - x.mean(axis=0)) ** 2).sum(axis=1).argmax())
    assert orderings.nearest_next(x, RunContext()).tolist() == twin.nearest_next(x, np.arange(len(x)), start)


@pytest.mark.parametrize("d", [1, 3, 13])
def test_chained_groups_equal_plain_twin(d):
    x = random(200, d, d)
    labels = tacita.get_method("mdav", k=4).group(x, None, RunContext())
    assert orderings.chained_groups(x, labels).tolist() == twin.chained_groups(x, labels)


@given(x=few_records, k=st.integers(2, 3), seed=st.integers(0, 9))
def test_no_cut_of_a_path_loses_less(x, k, seed):
    order = np.random.default_rng(seed).permutation(len(x))
    labels, loss = cut_path(x, order, k)
    assert loss == pytest.approx(best_segmentation_sse(x[order], k), abs=1e-9)
    assert Partition(labels, k).sse(x) == pytest.approx(loss, abs=1e-9)


@given(x=few_records, n_units=st.integers(2, 5))
def test_no_cut_of_a_path_loses_less_under_the_unit_rule(x, n_units):
    order = np.random.default_rng(0).permutation(len(x))
    units = np.arange(len(x)) * 7 % n_units
    if len(np.unique(units)) >= 2:
        loss = cut_path(x, order, 2, units)[1]
        assert loss == pytest.approx(best_segmentation_sse(x[order], 2, units[order]), abs=1e-9)


@given(x=few_records, k=st.integers(2, 3))
def test_the_openings_tried_hold_the_best_of_all(x, k):
    order = orderings.tour(x, RunContext())
    every = [best_segmentation_sse(x[np.roll(order, s)], k) for s in range(len(x))]
    assert tacita.get_method("tsp-mhm", k=k).partition(x).sse(x) == pytest.approx(min(every), abs=1e-9)


@given(x=few_records)
def test_no_exchange_of_two_edges_shortens_the_tour(x):
    order = orderings.tour(x, RunContext())
    assert sorted(order) == list(range(len(x)))
    if len(x) >= 5:
        length = twin.tour_length(x, order)
        assert twin.best_two_opt_length(x, order) >= length - 1e-6 * (1 + length)


@given(x=whole_numbers, seed=st.integers(0, 99), neighbours=st.integers(1, 4))
def test_no_move_lengthens_a_tour_or_loses_a_record(x, seed, neighbours):
    n = len(x)
    near = nearest_others(x, neighbours, RunContext())[0].astype(np.int64)
    order = np.random.default_rng(seed).permutation(n)
    waiting, state = np.ones(n, dtype=bool), np.array([0, n, 0, 0])
    work = tour_kernel.Tour(x, order, np.argsort(order), near, order.copy(), waiting, state)
    length, moves, done = twin.tour_length(x, order), 0, False
    while not done:
        done = tour_kernel.improve_tour(work, 1)
        now = twin.tour_length(x, order)
        assert np.array_equal(np.sort(order), np.arange(n))
        assert np.array_equal(order[work.place], np.arange(n))
        assert (now < length) == (state[tour_kernel.MOVES] > moves)
        length, moves = now, state[tour_kernel.MOVES]


def test_records_on_a_circle_are_toured_in_their_order():
    angle = np.random.default_rng(0).permutation(200) * 2 * np.pi / 200
    order = orderings.tour(np.column_stack([np.cos(angle), np.sin(angle)]), RunContext())
    steps = np.abs(np.diff(angle[order]))
    assert np.minimum(steps, 2 * np.pi - steps).max() == pytest.approx(2 * np.pi / 200)


def test_a_tour_of_scattered_points_is_near_the_known_length():
    # random uniform tours approach 0.7124 sqrt(n area) (Johnson & McGeoch 1996); nearest next is 25 % longer
    x = np.random.default_rng(3).random((2000, 2))
    assert twin.tour_length(x, orderings.tour(x, RunContext())) < 1.10 * 0.7124 * np.sqrt(2000)


def test_row_order_does_not_change_a_tour_of_many():
    x = random(1500, 4)
    mixed = np.random.default_rng(1).permutation(len(x))
    assert np.array_equal(mixed[orderings.tour(x[mixed], RunContext())], orderings.tour(x, RunContext()))


def test_threads_do_not_change_a_tour():
    x = random(3000, 5)
    assert np.array_equal(orderings.tour(x, RunContext(threads=1)), orderings.tour(x, RunContext(threads=3)))


def test_one_tour_serves_every_k():
    x = random(100, 3)
    for k, labels in partitions_for(x, [2, 3, 7], RunContext()).items():
        assert same(tacita.get_method("fdm", k=k).partition(x), labels)
        assert same(tacita.get_method("tsp-mhm", k=k).partition(x), labels)


def test_one_tour_refuses_what_cannot_be_served():
    with pytest.raises(tacita.DataError, match="k=7 needs at least 7"):
        partitions_for(random(6, 2), [3, 7], RunContext())
    with pytest.raises(tacita.ParameterError, match="at least one k"):
        partitions_for(random(6, 2), [], RunContext())


def test_a_line_is_recovered_by_both_projections():
    line = np.random.default_rng(0).permutation(50).astype(float)
    x = np.column_stack([line, 2 * line + 1, np.full(50, 0.1)])
    for order in (orderings.first_component(x), orderings.sum_of_scores(x)):
        assert line[order].tolist() in (sorted(line), sorted(line, reverse=True))


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6, 12])
def test_every_ordering_holds_each_record_once_however_few(n):
    for x in (random(n, 2), np.ones((n, 1))):
        for order in (
            orderings.nearest_next(x, RunContext()),
            orderings.tour(x, RunContext()),
            orderings.first_component(x),
            orderings.sum_of_scores(x),
            orderings.chained_groups(x, np.arange(n) // 2),
        ):
            assert sorted(order) == list(range(n))


CASES = [
    (method, name, k, loss)
    for method, files in ORDERINGS_CHECKED.items()
    for name, row in files.items()
    for k, loss in row.items()
]


@pytest.mark.parametrize(("method", "name", "k", "loss"), first_of_each(CASES))
def test_losses_are_those_of_the_independent_check(benchmark, method, name, k, loss):
    z = benchmark(name)
    found = tacita.get_method(method, k=k).partition(z)
    assert 100 * found.sse(z) / (z**2).sum() == pytest.approx(loss, abs=0.01)
