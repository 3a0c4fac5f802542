"""Kernels without the compiler: the same to the last bit, and small tables do not wait for it."""

from dataclasses import replace

import numba
import numpy as np
import pytest

from tacita.core import DataError, Table
from tacita.core.spec import registry
from tacita.kernels import interpreted as plain
from tacita.kernels.interpreted import interpreted, interpreting, warming
from tacita.kernels.tables.attack import Arcs, largest_flow
from tacita.tables.suppression.optimal import two_way_method
from tacita.tables.suppression.optimal.two_way_method import TwoWay

METHODS = [
    name for name in registry.names("suppression") if issubclass(registry.lookup(name, "suppression"), TwoWay)
]

# of what searches repeat, enough to use every kernel
FEWER = {"iterations": 20, "generations": 3, "rounds": 3}


def doubled(number):
    return 2 * number


def small_table(seed, lines=5):
    generator = np.random.default_rng(seed)
    values = np.round(generator.lognormal(3, 1.2, (lines, lines + 1)), int(seed % 2))
    primary = generator.random(values.shape) < 0.15
    return Table.from_array(values, primary=primary, lower=0.15 * values, upper=0.2 * values)


def outcome(method, table, problem):
    try:
        found = method.suppress(table, problem)
    except DataError as refused:
        return str(refused)
    return found.withheld.tolist(), found.cost, found.lower_bound, found.status


@pytest.mark.parametrize("name", METHODS)
def test_a_search_without_the_compiler_finds_the_same_to_the_last_bit(name):
    found = registry.lookup(name, "suppression")
    few = {part: most for part, most in FEWER.items() if part in found.model_fields}
    method = found(**few)
    for seed in range(4):
        for problem in method.problems:
            table = small_table(seed)
            with warming():
                compiled = outcome(method, table, problem)
            with interpreting():
                assert outcome(method, table, problem) == compiled


@pytest.mark.parametrize("seed", range(20))
def test_an_audit_without_the_compiler_finds_the_same_flows(seed):
    generator = np.random.default_rng(seed)
    tails, heads = np.divmod(np.flatnonzero(generator.random((6, 6)) < 0.6), 6)
    heads = heads + 6
    codes = np.concatenate([2 * np.arange(tails.size), 2 * np.arange(tails.size) + 1])
    leaves = np.concatenate([tails, heads])
    starts = np.concatenate([[0], np.cumsum(np.bincount(leaves, minlength=12))])
    up, down = generator.lognormal(0, 2, (2, tails.size))
    arcs = Arcs(starts, codes[np.argsort(leaves, kind="stable")], tails, heads, up, down)
    found = [np.zeros(tails.size), np.zeros(tails.size)]
    sent = [
        flow(arcs, int(heads[0]), int(tails[0]), 0, 1e9, change)
        for flow, change in zip((largest_flow, interpreted(largest_flow)), found, strict=True)
    ]
    assert sent[0] == sent[1]
    assert found[0].tobytes() == found[1].tobytes()


@pytest.fixture
def never_compiled(monkeypatch):
    """As on a fresh machine; says how often the kernels were compiled since."""
    compiled = []
    monkeypatch.setattr(two_way_method, "is_ready", lambda _: False)
    monkeypatch.setattr(two_way_method, "compile_kernels", lambda: compiled.append(1))
    return compiled


def test_a_small_table_does_not_wait_for_the_compiler(never_compiled):
    assert registry.lookup("optimal", "suppression")().suppress(small_table(1), "interval").proven
    assert not never_compiled


def test_a_search_that_outlasts_the_compiler_is_done_again_at_full_speed(never_compiled, monkeypatch):
    method = registry.lookup("optimal", "suppression")()
    wanted = outcome(method, small_table(1), "interval")
    monkeypatch.setattr(two_way_method, "SETTINGS", replace(two_way_method.SETTINGS, interpreted_seconds=0.0))
    assert outcome(method, small_table(1), "interval") == wanted
    assert len(never_compiled) == 1


def test_a_large_table_is_compiled_for(never_compiled):
    values = np.random.default_rng(0).lognormal(3, 1, (12, 12))
    table = Table.from_array(values, primary=values > np.quantile(values, 0.9), lower=15, upper=15)
    registry.lookup("network", "suppression")().suppress(table, "interval")
    assert len(never_compiled) == 1


def test_a_kernel_is_ready_once_it_is_compiled_and_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))

    def fresh():
        return numba.njit(cache=True)(doubled)

    assert not plain.is_ready(fresh())
    with warming():
        assert plain.is_ready(fresh())
    assert fresh()(2.0) == 4.0
    assert plain.is_ready(fresh())
