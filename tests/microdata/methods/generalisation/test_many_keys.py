"""Many keys span more combinations of levels than memory holds: refused in words, before any is taken."""

import tracemalloc
from math import comb

import numpy as np
import pyarrow as pa
import pytest

import tacita
from tacita import DataError, ParameterError, RunContext
from tacita.cli import run_command
from tacita.core import Hierarchy
from tacita.core.data import memory
from tacita.microdata.methods.generalisation.generalise import Generalise
from tacita.microdata.methods.generalisation.key_hierarchies import Keys, Ladder
from tacita.microdata.methods.generalisation.lattice import Lattice, check_lattice_size
from tacita.microdata.methods.generalisation.local_recoding import RecodeLocal
from tacita.microdata.methods.generalisation.quality import Quality
from tacita.microdata.methods.generalisation.search import search
from tacita.microdata.methods.local_suppression.local import LocalSuppression

TREE = {"a": ["0", "1"], "b": ["2", "3"]}


def survey(m, n=60):
    rng = np.random.default_rng(m)
    return pa.table({f"q{j:02d}": rng.integers(0, 4, n).astype(str) for j in range(m)})


def keys_of(m, n=60):
    tree = Hierarchy("q", ("0", "1", "2", "3", "a", "b", "*"), (4, 4, 5, 5, 6, 6, -1))
    leaves = np.random.default_rng(m).integers(0, 4, (m, n))
    return Keys((Ladder.of(tree, False),) * m, leaves, np.zeros(n, dtype=np.int64))


def asked(table, **more):
    names = table.column_names
    return {"quasi": names, "nominal": names, "hierarchy": dict.fromkeys(names, TREE), **more}


@pytest.mark.parametrize("method", ["generalise", "recode-local"])
@pytest.mark.parametrize("m", [24, 63])
def test_so_many_keys_are_refused_by_their_memory_before_it_is_taken(method, m):
    table = survey(m)
    tracemalloc.start()
    with pytest.raises(DataError) as problem:
        tacita.protect(table, method=method, k=3, **asked(table))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert f"{3**m:,} combinations of the levels of {m} keys need some" in str(problem.value)
    assert "are free. Leave out keys" in str(problem.value)
    assert most < 50e6


@pytest.mark.parametrize("method", [Generalise(k=3), RecodeLocal(k=3)], ids=["generalise", "recode-local"])
def test_sixteen_keys_are_refused_where_they_do_not_fit(method, monkeypatch):
    monkeypatch.setattr(memory, "free_memory", lambda: 8 * 2**30)
    with pytest.raises(
        DataError, match=r"43,046,721 combinations .* 24\.7 GB of memory, and 8\.5 GB are free"
    ):
        method.generalise(keys_of(16))


@pytest.mark.parametrize("method", [Generalise(k=3), RecodeLocal(k=3)], ids=["generalise", "recode-local"])
def test_more_keys_than_an_array_has_axes_are_refused_by_their_number(method):
    with pytest.raises(DataError, match="wanted at most 63 keys, got 64"):
        method.generalise(keys_of(64))


@pytest.mark.parametrize("m", [24, 64])
def test_other_methods_take_as_many_keys(m):
    table = survey(m)
    release = tacita.protect(table, method="mondrian", k=3, **asked(table))
    assert all(verdict.passed for verdict in release.record.verdicts)


@pytest.mark.parametrize("m", [60, 61])
def test_local_suppression_is_advised_for_as_many_keys_as_it_takes(m):
    with pytest.raises(DataError) as problem:
        Generalise(k=3).generalise(keys_of(m))
    names = [f"q{j}" for j in range(m)]
    if m <= 60:
        assert "use mondrian or local-suppression" in str(problem.value)
        assert LocalSuppression(k=3).weights(names).size == m
    else:
        assert "use mondrian, which does not" in str(problem.value)
        with pytest.raises(ParameterError, match="at most 60 keys, got 61"):
            LocalSuppression(k=3).weights(names)


@pytest.mark.parametrize(("keys", "m"), [(40, 12), (24, 6), (30, 15)])
def test_too_many_combinations_of_m_keys_are_refused_before_any_is_listed(keys, m):
    """They were listed first: 40 keys by twelve are five thousand million lists."""
    table = survey(keys)
    tracemalloc.start()
    with pytest.raises(ParameterError, match=f"m={m} of {keys} keys are {comb(keys, m):,} combinations"):
        tacita.protect(table, quasi=table.column_names, method="local-suppression", k=3, m=m)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 50e6


def test_combinations_of_few_among_many_keys_are_taken():
    names = [f"q{j}" for j in range(40)]
    assert LocalSuppression(k=3, m=3).weights(names).tolist() == [1.0] * 40
    assert LocalSuppression(k=3).weights(names).tolist() == [1.0] * 40


@pytest.mark.parametrize("quality", [Quality(), Quality("loss", "rank"), Quality("aecs"), Quality("entropy")])
def test_the_estimate_is_what_a_search_takes(quality, monkeypatch):
    told = []
    monkeypatch.setattr(
        "tacita.microdata.methods.generalisation.lattice.check_memory",
        lambda needed, *_: told.append(needed),
    )
    keys = keys_of(8, n=200)
    check_lattice_size(keys, "Generalise", separable=quality.separable)
    lattice = Lattice(keys, Generalise(k=3).of_classes(), 0.2)
    search(lattice, quality, RunContext())
    tracemalloc.start()
    search(lattice, quality, RunContext())
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most <= told[0] + 2e6
    assert told[0] <= 3 * most


class TestFreeMemory:
    def test_the_least_of_machine_container_and_process_counts(self, monkeypatch):
        for name, found in (("machine", 9), ("container", 7), ("process", 8)):
            monkeypatch.setattr(memory, f"_of_the_{name}", lambda found=found: found)
        assert memory.free_memory() == 7

    def test_something_is_taken_for_free_where_nothing_is_known(self, monkeypatch):
        for name in ("machine", "container", "process"):
            monkeypatch.setattr(memory, f"_of_the_{name}", lambda: None)
        assert memory.free_memory() == 4 * 2**30

    def test_this_machine_has_some(self):
        assert 2**20 < memory.free_memory() < 2**60

    def test_a_limit_of_the_process_counts(self, monkeypatch):
        resource = pytest.importorskip("resource")
        monkeypatch.setattr(resource, "getrlimit", lambda _: (10**6, 10**6))
        assert memory.free_memory() == 0


def test_memory_that_gives_out_all_the_same_is_told_in_words(monkeypatch, capsys):
    def out_of_memory(*_, **__):
        raise MemoryError("Unable to allocate 360. TiB for an array")

    monkeypatch.setattr("tacita.cli._carry_out", out_of_memory)
    assert run_command(["demo"]) == 1
    said = capsys.readouterr().err
    assert "not enough memory" in said
    assert "Nothing was written" in said
    assert "Internal fault" not in said
