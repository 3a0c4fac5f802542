"""The search finds what looking at every node finds, for every model and quality; damaged proofs fail."""

from dataclasses import replace
from itertools import product
from typing import get_args

import numpy as np
import pyarrow as pa
import pytest

import tacita
from tacita import DataError, Run
from tacita.core import Hierarchy, Microdata
from tacita.microdata import verify
from tacita.microdata.generalisation.ladders import Keys, Ladder
from tacita.microdata.generalisation.lattice import Lattice
from tacita.microdata.generalisation.models import Models, built
from tacita.microdata.generalisation.quality import Aggregate, Quality, QualityName
from tacita.microdata.generalisation.search import less, search

DEEP = Hierarchy("deep", ("a", "b", "c", "d", "e", "ab", "cd", "abcd", "*"), (5, 5, 6, 6, 8, 7, 7, 8, -1))
MODELS = {
    "k": {},
    "distinct": {"l_diversity": {"column": "s", "l": 2}},
    "entropy": {"l_diversity": {"column": "s", "kind": "entropy", "l": 2.2}},
    "recursive": {"l_diversity": {"column": "s", "kind": "recursive", "l": 2, "c": 2}},
    "equal": {"t_closeness": {"column": "s", "t": 0.35}},
    "ordered": {"t_closeness": {"column": "s", "kind": "ordered", "t": 0.2}},
    "hierarchical": {"t_closeness": {"column": "s", "kind": "hierarchical", "t": 0.3}},
    "basic": {"beta_likeness": {"column": "s", "beta": 0.9}},
    "enhanced": {"beta_likeness": {"column": "s", "kind": "enhanced", "beta": 0.9}},
    "disclosure": {"delta_disclosure": {"column": "s", "delta": 1.3}},
    "two": {"l_diversity": {"column": "s", "l": 2}, "t_closeness": {"column": "s", "t": 0.4}},
}


def keys_at(seed, n=90, units=False):
    generator = np.random.default_rng(seed)
    flat = Hierarchy.flat("flat", ["1", "2", "3"], "*")
    ladders = (Ladder.of(DEEP, False), Ladder.of(flat, True), Ladder.of(replace(DEEP, name="deeper"), False))
    leaves = np.array([generator.choice(size, n, p=None) for size in (5, 4, 5)], dtype=np.int64)
    leaves[2] = np.minimum(leaves[2], leaves[0])
    tree = Hierarchy("s", ("0", "1", "2", "3", "low", "high", "*"), (4, 4, 5, 5, 6, 6, -1)).levels
    values = np.concatenate([np.arange(4), generator.choice(4, n - 4, p=[0.4, 0.3, 0.2, 0.1])])
    return Keys(
        ladders,
        leaves,
        np.zeros(n, dtype=np.int64),
        np.arange(n) // 2 if units else None,
        {"s": values.astype(np.int64)},
        {"s": np.arange(4)},
        {"s": tree},
    )


def by_looking_at_all(lattice, quality):
    best = None
    for node in product(*(range(size) for size in lattice.shape)):
        checked = lattice.check(node, lattice.every)
        if checked.suppressed > lattice.most or not checked.permitted:
            continue
        score = quality.score(lattice, checked)[0]
        if best is None or less(score[None], best)[0]:
            best = score
    return best


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("limit", [0.0, 0.1, 1.0])
@pytest.mark.parametrize("withhold", [False, True])
def test_the_search_finds_the_best_of_all_nodes_for_every_model(name, limit, withhold):
    for seed in range(3):
        keys, models = keys_at(seed, units=seed == 2), Models.of(3, built(MODELS[name]))
        lattice = Lattice(keys, models, limit, withhold=withhold)
        wanted = by_looking_at_all(lattice, Quality())
        if wanted is None:
            with pytest.raises(DataError, match="No level of generalisation"):
                search(lattice, Quality(), Run())
            continue
        found = search(lattice, Quality(), Run()).certificate
        assert found.proven
        assert np.allclose(found.score, wanted, rtol=1e-12)


QUALITIES = [Quality(name) for name in get_args(QualityName)]
QUALITIES += [Quality("loss", each) for each in get_args(Aggregate)]
QUALITIES += [Quality("loss", "rank", {"deep": 3.0}, 0.2), Quality("loss", "mean", {"flat": 2.0}, 0.8)]


@pytest.mark.parametrize(
    "quality", QUALITIES, ids=lambda each: f"{each.name} {each.aggregate} {each.balance}"
)
@pytest.mark.parametrize("limit", [0.0, 0.07, 1.0])
def test_the_search_finds_the_best_of_all_nodes_for_every_quality(quality, limit):
    for seed in range(3):
        lattice = Lattice(keys_at(seed), Models(3), limit)
        wanted = by_looking_at_all(lattice, quality)
        found = search(lattice, quality, Run()).certificate
        assert found.proven
        assert np.allclose(found.score, wanted, rtol=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_more_asked_for_is_never_cheaper(seed):
    keys, quality = keys_at(seed), Quality("loss", "mean")

    def least(k, limit, **models):
        try:
            return search(
                Lattice(keys, Models.of(k, built(models)), limit), quality, Run()
            ).certificate.score[0]
        except DataError:
            return np.inf

    close = {"t_closeness": {"column": "s", "t": 0.4}}
    closer = {"t_closeness": {"column": "s", "t": 0.2}}
    assert least(2, 0.1) <= least(3, 0.1) + 1e-12 <= least(6, 0.1) + 2e-12
    assert least(3, 1.0) <= least(3, 0.1) + 1e-12 <= least(3, 0.0) + 2e-12
    assert least(3, 0.1) <= least(3, 0.1, **close) + 1e-12 <= least(3, 0.1, **closer) + 2e-12


@pytest.mark.parametrize("limit", [0.0, 1.0])
def test_all_records_several_times_with_as_many_times_k_have_the_same_optimum(limit):
    keys = keys_at(1)
    many = keys.taken(np.tile(np.arange(keys.n), 5))
    tree = {"t_closeness": {"column": "s", "kind": "hierarchical", "t": 0.3}}
    one, other = (
        search(Lattice(each, Models.of(k, built(tree)), limit), Quality(), Run()).certificate
        for each, k in ((keys, 3), (many, 15))
    )
    assert np.allclose(one.score, other.score, rtol=1e-12)


def test_loss_is_nought_untouched_and_one_all_suppressed():
    lattice = Lattice(keys_at(0), Models(2), 1.0)
    for aggregate in ("geometric", "mean", "maximum"):
        quality = Quality("loss", aggregate)
        bottom = quality.floors(lattice)[0]
        whole = lattice.check((0,) * 3, lattice.every)
        gone = replace(whole, failing=np.ones_like(whole.failing), suppressed=lattice.n)
        assert np.isclose(bottom[0], 0, atol=1e-15)
        assert np.isclose(quality.score(lattice, gone)[0][0], 1)


@pytest.mark.parametrize("seed", range(3))
def test_generalising_never_suppresses_more_for_k_and_distinct_values(seed):
    lattice = Lattice(keys_at(seed), Models.of(3, built(MODELS["distinct"])), 1.0)
    for node in product(*(range(size) for size in lattice.shape)):
        here = lattice.check(node, lattice.every).suppressed
        for j, level in enumerate(node):
            if level + 1 < lattice.shape[j]:
                above = lattice.check((*node[:j], level + 1, *node[j + 1 :]), lattice.every)
                assert above.suppressed <= here


# damaged proofs


def released(**given):
    generator = np.random.default_rng(3)
    n = 200
    frame = pa.table(
        {
            "a": pa.array([f"a{i}" for i in generator.choice(6, n)]),
            "b": pa.array([f"b{i}" for i in generator.choice(5, n)]),
            "c": pa.array([f"c{i}" for i in generator.choice(4, n)]),
            "s": pa.array([f"s{i}" for i in generator.choice(4, n)]),
        }
    )
    nested = {"all": {"low": ["a0", "a1", "a2"], "high": ["a3", "a4", "a5"]}}
    return tacita.protect(
        frame,
        quasi=["a", "b", "c"],
        hierarchy={"a": nested["all"]},
        method="generalise",
        measures=["k_anonymity"],
        **{"k": 5, "suppression_limit": 0.1, **given},
    )


DAMAGES = {
    "another best": lambda proof: {"best": (1 - min(proof["best"][0], 1), *proof["best"][1:])},
    "a better score": lambda proof: {"score": (proof["score"][0] * 0.9,)},
    "a node left out": lambda proof: {"worse": (), "too_many": proof["too_many"][1:], "refused": ()},
    "nothing closed": lambda _: {"too_many": (), "worse": (), "refused": (), "dearer": ()},
    "too much closed below": lambda proof: {"too_many": (*proof["too_many"], (2, 1, 1))},
    "too much closed above": lambda proof: {"dearer": (*proof["dearer"], (0, 0, 0))},
    "not proven": lambda _: {"proven": False},
}


@pytest.mark.parametrize("quality", ["loss", "discernability", "entropy", "ambiguity"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_certificate_fails(quality, damage):
    release = released(quality=quality)
    claim = release.claim
    frame = Microdata.of(release.data)
    told = {each.guarantee: each.passed for each in verify.verify(frame, claim)}
    assert told["optimum-proven"]
    proof = {**claim.terms["certificate"]}
    wrong = replace(claim, terms={**claim.terms, "certificate": {**proof, **DAMAGES[damage](proof)}})
    told = {each.guarantee: each.passed for each in verify.verify(frame, wrong)}
    assert not told["optimum-proven"]
