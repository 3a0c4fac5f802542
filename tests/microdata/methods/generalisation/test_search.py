"""The search finds what looking at every node finds, for every model and quality; damaged proofs fail."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import tacita
from lattices import PEOPLE, QUALITIES, by_looking_at_all, keys_at
from tacita import DataError, RunContext
from tacita.core import Microdata
from tacita.microdata import verify
from tacita.microdata.methods.generalisation.lattice import Lattice
from tacita.microdata.methods.generalisation.models import Models, built
from tacita.microdata.methods.generalisation.quality import Quality
from tacita.microdata.methods.generalisation.search import search

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


@pytest.mark.each_once
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("limit", [0.0, 0.1, 1.0])
@pytest.mark.parametrize("keep_outliers", [False, True])
def test_the_search_finds_the_best_of_all_nodes_for_every_model(name, limit, keep_outliers, some):
    for seed in some((2, 0, 1), 2):
        keys, models = keys_at(seed, units=seed == 2), Models.of(3, built(MODELS[name]))
        lattice = Lattice(keys, models, limit, keep_outliers=keep_outliers)
        wanted = by_looking_at_all(lattice, Quality())
        if wanted is None:
            with pytest.raises(DataError, match="No level of generalisation"):
                search(lattice, Quality(), RunContext())
            continue
        found = search(lattice, Quality(), RunContext()).certificate
        assert found.proven
        assert np.allclose(found.score, wanted, rtol=1e-12)


@pytest.mark.each_once
@pytest.mark.parametrize(
    "quality", QUALITIES, ids=lambda each: f"{each.name} {each.aggregate} {each.balance}"
)
@pytest.mark.parametrize("limit", [0.0, 0.07, 1.0])
def test_the_search_finds_the_best_of_all_nodes_for_every_quality(quality, limit, some):
    for seed in some(range(3), 2):
        lattice = Lattice(keys_at(seed), Models(3), limit)
        wanted = by_looking_at_all(lattice, quality)
        found = search(lattice, quality, RunContext()).certificate
        assert found.proven
        assert np.allclose(found.score, wanted, rtol=1e-12)


OF_MORE_THAN_A_CLASS = {
    "k-map by table": {"k_map": {"k": 7, "population": PEOPLE}},
    "k-map by weight": {"k_map": {"k": 9, "weight": "w"}},
    "presence": {"delta_presence": {"population": PEOPLE, "most": 0.45}},
    "presence of some": {"delta_presence": {"population": PEOPLE, "least": 0.1, "most": 0.6}},
    "average risk": {"average_risk": {"risk": 0.15}},
    "uniques": {"sample_uniqueness": {"share": 0.05}},
    "uniques of all by Zayatz": {
        "population_uniqueness": {"share": 0.05, "fraction": 0.3, "estimator": "zayatz"}
    },
    "several": {
        "average_risk": {"risk": 0.3},
        "sample_uniqueness": {"share": 0.05},
        "k_map": [{"k": 5, "population": PEOPLE}, {"k": 4, "weight": "w"}],
        "l_diversity": {"column": "s", "l": 2},
    },
}


@pytest.mark.each_once
@pytest.mark.parametrize("name", OF_MORE_THAN_A_CLASS)
@pytest.mark.parametrize(
    "quality", QUALITIES, ids=lambda each: f"{each.name} {each.aggregate} {each.balance}"
)
@pytest.mark.parametrize("limit", [0.0, 0.1])
def test_the_search_finds_the_best_of_all_nodes_of_a_population_and_of_the_file(name, quality, limit):
    models = Models.of(1, built(OF_MORE_THAN_A_CLASS[name]))
    lattice = Lattice(keys_at(5), models, limit)
    wanted = by_looking_at_all(lattice, quality)
    found = search(lattice, quality, RunContext()).certificate
    assert found.proven
    assert np.allclose(found.score, wanted, rtol=1e-12)


@pytest.mark.parametrize("estimator", ["decision", "pitman", "snb"])
def test_the_search_finds_the_best_of_all_nodes_by_every_estimator(estimator, some):
    for limit, fraction in some([(0.1, 0.05), (0.0, 0.4)], 1):
        given = {"share": 0.03, "fraction": fraction, "estimator": estimator}
        models = Models.of(1, built({"population_uniqueness": given}))
        lattice = Lattice(keys_at(6), models, limit)
        wanted = by_looking_at_all(lattice, Quality())
        assert np.allclose(search(lattice, Quality(), RunContext()).certificate.score, wanted, rtol=1e-12)


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
    "nothing closed": lambda _: {"too_many": (), "worse": (), "refused": (), "costlier": ()},
    "too much closed below": lambda proof: {"too_many": (*proof["too_many"], (2, 1, 1))},
    "too much closed above": lambda proof: {"costlier": (*proof["costlier"], (0, 0, 0))},
    "not proven": lambda _: {"proven": False},
}


@pytest.mark.each_once
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
