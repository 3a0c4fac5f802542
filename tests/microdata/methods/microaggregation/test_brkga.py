from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from experiments.published import BRKGA

import tacita
from tacita.core import RunContext
from tacita.kernels.records.genetic_ops import decode_medoids, settle
from tacita.microdata.methods.microaggregation import brkga
from tacita.microdata.methods.microaggregation.brkga import (
    Search,
    _golden_section,
    _one_by_one,
    _path,
    neighbours,
)


def plain_decode(x, medoids, k, by_group):
    gaps = np.sqrt(((x[:, None] - x[medoids][None]) ** 2).sum(axis=2))
    labels = gaps.argmin(axis=1)
    labels[medoids] = np.arange(len(medoids))
    own = gaps[np.arange(len(x)), labels]
    sizes = np.bincount(labels, minlength=len(medoids))
    means = np.bincount(labels, weights=own, minlength=len(medoids)) / sizes
    lacking = np.maximum(k - sizes, 0).sum()
    return labels, (means.mean() if by_group else own.mean()) * (1 + lacking / len(x))


@pytest.mark.parametrize("by_group", [True, False])
@pytest.mark.parametrize(("count", "whole"), [(3, False), (59, False), (3, True), (59, True)])
def test_decoding_equals_the_plain_twin_also_where_lists_run_out_and_records_repeat(by_group, count, whole):
    rng = np.random.default_rng(1)
    x = rng.integers(0, 4, size=(60, 2)).astype(float) if whole else rng.normal(size=(60, 4))
    near, gaps = neighbours(x, count, RunContext())
    medoids = np.sort(np.array([rng.choice(60, 9, replace=False) for _ in range(20)]), axis=1)
    fitness, labels = np.empty(20), np.empty((20, 60), dtype=np.int64)
    decode_medoids(x, near, gaps, medoids, 4, by_group, fitness, labels)
    for q in range(20):
        expected, value = plain_decode(x, medoids[q], 4, by_group)
        assert np.array_equal(labels[q], expected)
        assert fitness[q] == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("k", [2, 3, 5, 20])
def test_whatever_labels_become_groups_of_k_to_2k_less_one(k):
    rng = np.random.default_rng(k)
    for n in (k, 2 * k - 1, 2 * k, 61, 100):
        for labels in (np.zeros(n, dtype=np.int64), np.arange(n), rng.integers(0, 7, n)):
            for x in (rng.normal(size=(n, 2)), np.ones((n, 1)), rng.integers(0, 2, (n, 1)).astype(float)):
                if n >= k:
                    found = labels.copy()
                    error = settle(x, found, neighbours(x, 8, RunContext())[0], k, 20, 0.0)
                    done = tacita.core.Partition(found, k)
                    assert done.sizes.max() < 2 * k
                    assert error == pytest.approx(done.sse(x), abs=1e-9)


def test_a_path_leads_from_one_set_of_medoids_to_the_other():
    rng = np.random.default_rng(0)
    keys = rng.random((2, 50))
    start, end = (set(np.argsort(row)[:20].tolist()) for row in keys)
    steps = _path(keys[0], np.array(sorted(start)), np.array(sorted(end)), rng)
    shared = [len(end & set(np.argsort(row)[:20].tolist())) for row in steps]
    assert shared == sorted(shared)
    assert all(np.array_equal(np.sort(row), np.sort(keys[0])) for row in steps)
    assert all((start & end) <= set(np.argsort(row)[:20].tolist()) <= start | end for row in steps)


@pytest.mark.parametrize(("low", "high", "best"), [(3, 3, 3), (3, 4, 4), (1, 100, 37), (216, 360, 360)])
def test_golden_section_finds_the_least_of_a_valley_in_few_looks(low, high, best):
    looks = []
    _golden_section(lambda c: looks.append(c) or abs(c - best), low, high, lambda: False)
    assert best in looks
    assert len(looks) == len(set(looks)) <= 14


def test_same_seed_same_groups_and_another_seed_searches_elsewhere():
    x = np.random.default_rng(0).normal(size=(80, 3))
    made = tacita.get_method("brkga", k=3, generations=5, polish=False)
    first = made.partition(x, RunContext(seed=1)).labels
    assert np.array_equal(first, made.partition(x, RunContext(seed=1)).labels)
    assert not np.array_equal(first, made.partition(x, RunContext(seed=2)).labels)


@pytest.mark.parametrize(
    "options", [{"polish": True}, {"polish": False, "search": "all", "fitness": "overall"}]
)
def test_the_number_of_threads_changes_no_byte(monkeypatch, options):
    # a thread for every few chromosomes, which as few records as these would not be worth
    monkeypatch.setattr(brkga, "SETTINGS", replace(brkga.SETTINGS, work_per_thread=100))
    decoded = []
    whole = Search.shares
    monkeypatch.setattr(Search, "shares", lambda *of: decoded.append(len(whole(*of))) or whole(*of))
    x = np.random.default_rng(3).normal(size=(90, 3))
    made = tacita.get_method("brkga", k=4, generations=4, population=30, **options)
    first = made.partition(x, RunContext(seed=5, threads=1)).labels
    assert set(decoded) == {1}
    for threads in (2, 3, 64):
        decoded.clear()
        assert made.partition(x, RunContext(seed=5, threads=threads)).labels.tobytes() == first.tobytes()
        assert 1 < max(decoded) <= threads


def test_every_chromosome_is_decoded_by_one_thread_and_few_are_not_shared_out():
    def shares(n, count, threads):
        run, nothing = RunContext(threads=threads), np.empty((0, 0))
        with ThreadPoolExecutor(1) as pool:
            x = np.empty((n, 0))
            search = Search(x, nothing, nothing, np.random.default_rng(0), run, 0.0, 0, np.inf, pool)
            return [range(count)[part] for part in search.shares(count)]

    for count in (1, 2, 7, 100):
        for threads in (1, 2, 3, 200):
            parts = shares(100_000, count, threads)
            assert [row for part in parts for row in part] == list(range(count))
            assert len(parts) == min(count, threads)
            assert max(map(len, parts)) - min(map(len, parts)) <= 1
    assert len(shares(100, 100, 8)) == 1
    assert len(shares(1000, 100, 8)) == 6


def test_a_time_budget_ends_the_search_with_valid_groups():
    x = np.random.default_rng(0).normal(size=(200, 3))
    for threads in (1, 4):
        found = tacita.get_method("brkga", k=3, time=1e-6).partition(x, RunContext(threads=threads))
        assert found.sizes.min() >= 3


def test_more_groups_than_fit_are_refused():
    with pytest.raises(tacita.ParameterError, match="at most n / k = 3, got 4"):
        tacita.get_method("brkga", k=3, groups=4).partition(np.arange(10.0)[:, None])


def test_cancelling_stops_between_generations():
    heard = []
    with pytest.raises(tacita.Cancelled, match="evolving groups"):
        tacita.get_method("brkga", k=3).partition(
            np.random.default_rng(0).normal(size=(60, 2)),
            RunContext(on_progress=heard.append, should_cancel=lambda: len(heard) > 5),
        )


@pytest.mark.long
@pytest.mark.parametrize("fitness", ["group", "overall"])
def test_census_loses_less_than_published_also_without_polish(benchmark, fitness):
    z = benchmark("census")
    found = tacita.get_method(
        "brkga", k=3, groups=324, generations=40, fitness=fitness, polish=False
    ).partition(z)
    loss = 100 * found.sse(z) / (z**2).sum()
    print(f"brkga, {fitness}: {loss:.3f}, published {BRKGA['census'][3]}")
    assert loss <= BRKGA["census"][3]


def test_every_number_of_groups_is_tried_once_if_asked_and_time_still_bounds_it():
    x = np.random.default_rng(2).normal(size=(60, 2))
    looked = []
    made = tacita.get_method("brkga", k=4, generations=3, search="all", polish=False)
    object.__setattr__(
        made, "_evolve", lambda c, search: looked.append(c) or type(made)._evolve(made, c, search)
    )
    found = made.partition(x)
    assert looked == list(range(15, 8, -1))
    assert found.sizes.min() >= 4
    assert tacita.get_method("brkga", k=4, search="all", time=1e-6).partition(x).sizes.min() >= 4


def test_one_number_after_another_ends_when_it_is_late():
    looks = []
    _one_by_one(looks.append, 3, 9, lambda: len(looks) == 2)
    assert looks == [9, 8]
