"""Models of confidential columns hold of units: read back from the file, and found broken where they are."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita
from lattices import QUALITIES, by_looking_at_all, keys_at
from tacita.core import DataError, Microdata, RunContext
from tacita.microdata import verify
from tacita.microdata.methods.generalisation.lattice import Lattice
from tacita.microdata.methods.generalisation.models import Models, built
from tacita.microdata.methods.generalisation.search import search
from tacita.microdata.verify.classes import by_one_value, by_share
from twins import units as twin

KEYS = ["age", "town"]
AGES = {"young": ["1", "2"], "old": ["3", "4"]}
MODELS = {
    "distinct": {"l_diversity": {"column": "ill", "l": 2}},
    "entropy": {"l_diversity": {"column": "ill", "kind": "entropy", "l": 1.8}},
    "recursive": {"l_diversity": {"column": "ill", "kind": "recursive", "l": 2, "c": 5.0}},
    "equal": {"t_closeness": {"column": "ill", "t": 0.4}},
    "basic": {"beta_likeness": {"column": "ill", "beta": 1.2}},
    "disclosure": {"delta_disclosure": {"column": "ill", "delta": 1.5}},
}


def register(seed, patients=60):
    """Visits of patients, some of whom move; each visit with a diagnosis."""
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(patients), rng.integers(1, 5, patients))
    town = np.where(
        rng.random(who.size) < 0.1, rng.integers(0, 2, who.size), rng.integers(0, 2, patients)[who]
    )
    return pd.DataFrame(
        {
            "patient": [f"p{i}" for i in who],
            "age": rng.integers(1, 5, patients)[who].astype(str),
            "town": [f"t{i}" for i in town],
            "ill": rng.choice(list("pqrs"), who.size, p=[0.4, 0.3, 0.2, 0.1]),
        }
    )


def release(frame, method="generalise", **given):
    settings = {
        "k": 2,
        "accept_risks": True,
        "measures": ["k_anonymity"],
        "hierarchy": {"age": AGES},
        **given,
    }
    if method == "generalise":
        settings = {"suppression_limit": 0.3, **settings}
    return tacita.protect(frame, quasi=KEYS, method=method, **settings)


def holds(members, whole, model):
    """Whether a class of units satisfies a model, plainly."""
    ((name, given),) = model.items()
    votes = twin.votes(members)
    if name == "l_diversity":
        kind, least = given.get("kind", "distinct"), given["l"]
        if kind == "distinct":
            return len(votes) >= least
        if kind == "entropy":
            shares = np.array(votes) / sum(votes)
            return -(shares * np.log(shares)).sum() >= np.log(least) - 1e-9
        return votes[0] < given["c"] * sum(votes[least - 1 :])
    if name == "t_closeness":
        return twin.distance(members, whole) <= given["t"] + 1e-9
    if name == "beta_likeness":
        return twin.gain(members, whole) <= given["beta"] + 1e-9
    return all(
        abs(np.log2(float(q[v] / whole[v]))) < given["delta"] + 1e-9 for q in twin.spread(members) for v in q
    )


def failed(data, claim):
    return {each.guarantee for each in verify.verify(Microdata.of(data), claim) if not each.passed}


@pytest.mark.each_once
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("method", ["generalise", "recode-local", "mondrian"])
def test_models_hold_of_units_in_the_file(method, model):
    made = 0
    for seed in range(4):
        frame = register(seed)
        try:
            found = release(frame, method, unit="patient", identifiers=["patient"], models=MODELS[model])
        except DataError:
            continue
        made += 1
        shown = found.data.assign(
            patient=frame["patient"].to_numpy()[found.claim.rows], key=found.data["age"].fillna("none")
        )
        whole = twin.overall(frame, "patient", "ill")
        classes = twin.classes_of(shown, ["key", "town"], "patient", "ill")
        assert all(len(members) >= 2 for members in classes.values())
        assert all(holds(members, whole, MODELS[model]) for members in classes.values())
    assert made >= 2


def couples():
    """Classes of two patients of two visits, who both have both diagnoses; and of two who share none."""
    rows = [("1", "t0", f"p{i}", ill) for i in range(2) for ill in "pq"]
    rows += [("3", "t1", f"p{i}", ill) for i, ill in ((2, "p"), (3, "q"), (2, "p"), (3, "q"))]
    return pd.DataFrame(rows, columns=["age", "town", "patient", "ill"])


@pytest.mark.parametrize("method", ["generalise", "recode-local", "mondrian"])
def test_diagnoses_that_all_patients_of_a_class_have_are_not_diverse(method):
    frame = couples()
    asked = {"models": MODELS["distinct"], "hierarchy": {}}
    without = (
        release(frame, method, suppression_limit=0.0, **asked)
        if method == "generalise"
        else release(frame, method, **asked)
    )
    assert not failed(without.data, without.claim)
    named = without.claim.original.roles.model_copy(update={"unit": "patient"})
    claim = replace(without.claim, original=without.claim.original.with_roles(named))
    broken = {"k-anonymous", "models-hold"} & failed(without.data, claim)
    assert "models-hold" in broken
    by_unit = release(frame, "generalise", unit="patient", suppression_limit=0.5, **asked)
    assert by_unit.data["town"].tolist() == ["t1"] * 4


@pytest.mark.parametrize("seed", range(6))
def test_a_release_that_breaks_a_model_by_unit_is_refused_by_the_verifier(seed):
    frame = register(seed)
    whole = twin.overall(frame, "patient", "ill")
    for model in MODELS.values():
        try:
            found = release(frame, models=model, suppression_limit=0.0)
        except DataError:
            continue
        named = found.claim.original.roles.model_copy(update={"unit": "patient"})
        claim = replace(found.claim, original=found.claim.original.with_roles(named))
        shown = found.data.assign(patient=frame["patient"].to_numpy()[found.claim.rows])
        classes = twin.classes_of(shown, KEYS, "patient", "ill")
        keeps = all(holds(members, whole, model) for members in classes.values())
        assert ("models-hold" in failed(found.data, claim)) == (not keeps)


@given(st.integers(0, 10_000))
def test_the_verifier_counts_units_as_a_plain_look_does(seed):
    frame = register(seed, patients=12)
    classes, values, units = (
        np.unique(column, return_inverse=True)[1].reshape(-1).astype(np.int64)
        for column in (frame["age"] + frame["town"], frame["ill"], frame["patient"])
    )
    members = twin.classes_of(frame.assign(c=classes), ["c"], "patient", "ill")
    table = by_one_value(classes, values, units, 4)
    assert [sorted(row[row > 0].tolist(), reverse=True) for row in table] == [
        twin.votes(members[(seen,)]) for seen in range(len(table))
    ]
    rows, of = by_share(classes, values, units, 4)
    wanted = {
        seen: sorted(sorted(float(part) for part in row.values()) for row in twin.spread(units_of))
        for (seen,), units_of in members.items()
    }
    for seen, parts in wanted.items():
        mine = rows[of == seen] / rows[of == seen].sum(axis=1, keepdims=True)
        kept = {tuple(np.sort(row[row > 0]).round(12).tolist()) for row in mine}
        assert kept == {tuple(np.round(part, 12).tolist()) for part in parts}


@pytest.mark.each_once
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("limit", [0.0, 0.1])
@pytest.mark.parametrize("seed", range(4))
def test_the_search_finds_the_best_of_all_nodes_where_units_have_several_keys(model, limit, seed):
    settings = {name: {**given, "column": "s"} for name, given in MODELS[model].items()}
    rng = np.random.default_rng(seed)
    keys = replace(keys_at(seed), units=rng.integers(0, 30, 90), weighing=None, populations=None)
    lattice = Lattice(keys, Models.of(3, built(settings)), limit)
    quality = QUALITIES[0]
    best = by_looking_at_all(lattice, quality)
    if best is None:
        with pytest.raises(DataError):
            search(lattice, quality, RunContext())
    else:
        found = search(Lattice(keys, Models.of(3, built(settings)), limit), quality, RunContext())
        assert found.certificate.proven
        assert np.allclose(found.certificate.score, best)


@pytest.mark.each_once
@pytest.mark.parametrize("limit", [0.0, 0.2])
@pytest.mark.parametrize("model", ["distinct", "entropy", "equal"])
@pytest.mark.parametrize("seed", range(3))
def test_proofs_of_releases_by_unit_are_replayed(model, limit, seed):
    try:
        found = release(register(seed), unit="patient", suppression_limit=limit, models=MODELS[model])
    except DataError:
        return
    assert "optimum-proven" in {each.guarantee for each in found.record.verdicts}
