"""Models of a population and of the whole file: counted as plain lists count, and found out where planted."""

from collections import Counter
from dataclasses import replace
from itertools import product

import numpy as np
import pyarrow as pa
import pytest

import tacita
from lattices import PEOPLE, keys_at
from tacita.core import Microdata
from tacita.io.formats.csv import CSV
from tacita.microdata import verify
from tacita.microdata.methods.generalisation.lattice import Lattice
from tacita.microdata.methods.generalisation.models import Models, built
from tacita.microdata.statistics.population_uniqueness import Spectrum, estimated
from tacita.microdata.verify.file_models import uniques
from tacita.report.note import note_html

NESTED = {"low": ["a0", "a1", "a2"], "high": ["a3", "a4", "a5"]}


# the same by plain lists


def plain_classes(keys, node):
    """Rows of each combination that is shown at a node."""
    found = {}
    for row in range(keys.n):
        own = keys.leaves[:, row].tolist()
        shown = tuple(
            int(ladder.levels[level][leaf])
            for ladder, level, leaf in zip(keys.ladders, node, own, strict=True)
        )
        found.setdefault(shown, []).append(row)
    return found


def plain_persons(keys, node):
    people = keys.populations[PEOPLE]
    found = Counter()
    for own, count in zip(people.leaves.T.tolist(), people.counts.tolist(), strict=True):
        shown = []
        for ladder, level, leaf in zip(keys.ladders, node, own, strict=True):
            places = ladder.levels[level]
            if leaf < ladder.leaves:
                shown.append(int(places[leaf]))
            else:
                shown.append(int(places[0]) if level == ladder.height else -1)
        found[tuple(shown)] += count
    return found


def plainly(keys, node, name, each):
    """The rows that stay, and whether the node is permitted."""
    classes, persons = plain_classes(keys, node), plain_persons(keys, node)
    permitted = True
    if name == "k_map":
        stay = {
            shown
            for shown, rows in classes.items()
            if (keys.weighing["w"][rows].sum() if "weight" in each else persons[shown]) >= each["k"] - 1e-9
        }
    elif name == "delta_presence":
        least = each.get("least", 0.0)
        stay = {s for s, rows in classes.items() if least <= len(rows) / persons[s] <= each["most"]}
        permitted = least == 0 or set(persons) <= set(classes)
    else:
        stay = set(classes)
        smallest = 1
        while not satisfied(name, each, [len(classes[s]) for s in stay]):
            smallest += 1
            stay = {s for s in stay if len(classes[s]) >= smallest}
    return sorted(row for shown in stay for row in classes[shown]), permitted


def satisfied(name, each, sizes):
    if not sizes:
        return True
    if name == "average_risk":
        return len(sizes) / sum(sizes) <= each["risk"] + 1e-12
    return sizes.count(1) / sum(sizes) <= each["share"] + 1e-12


JUDGED = [
    ("k_map", {"k": 7, "population": PEOPLE}),
    ("k_map", {"k": 9, "weight": "w"}),
    ("delta_presence", {"population": PEOPLE, "most": 0.4}),
    ("delta_presence", {"population": PEOPLE, "least": 0.25, "most": 0.6}),
    ("average_risk", {"risk": 0.2}),
    ("sample_uniqueness", {"share": 0.03}),
]


@pytest.mark.each_once
@pytest.mark.parametrize(("name", "each"), JUDGED, ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_every_node_is_judged_as_plain_lists_judge_it(name, each, seed):
    keys = keys_at(seed)
    lattice = Lattice(keys, Models.of(1, built({name: each})), 1.0)
    refused = 0
    for node in product(*(range(size) for size in lattice.shape)):
        checked = lattice.check(node)
        stay, permitted = plainly(keys, node, name, each)
        assert np.flatnonzero(~lattice.gone(node)).tolist() == stay
        assert (checked.suppressed, checked.permitted) == (keys.n - len(stay), permitted)
        refused += not permitted
    assert bool(refused) == ("least" in each)


@pytest.mark.each_once
@pytest.mark.parametrize("estimator", ["zayatz", "pitman", "snb", "decision"])
@pytest.mark.parametrize("seed", range(4))
def test_the_verifier_estimates_uniques_by_other_means_and_comes_to_the_same(estimator, seed):
    generator = np.random.default_rng(seed)
    likely = generator.lognormal(0, 1.2, 900)
    drawn = generator.choice(900, 2000, p=likely / likely.sum())
    sizes = np.unique(drawn, return_counts=True)[1]
    for persons in (2000.0, 7000.0, 60000.0):
        one = estimated(estimator, Spectrum.of(sizes), persons)[1]
        assert uniques(estimator, sizes, persons) == pytest.approx(one, rel=1e-3)


def test_sizes_are_those_of_units_where_they_are_named():
    keys = keys_at(2, units=True)
    lattice = Lattice(keys, Models.of(1, built({"sample_uniqueness": {"share": 0.0}})), 1.0)
    for node in ((0, 0, 0), (1, 1, 1)):
        gone = lattice.gone(node)
        for rows in plain_classes(keys, node).values():
            assert gone[rows].all() == (len({row // 2 for row in rows}) == 1)


# releases


def people(n=500):
    generator = np.random.default_rng(4)
    town = generator.choice(6, n, p=[0.3, 0.25, 0.2, 0.15, 0.07, 0.03])
    return pa.table(
        {
            "a": [f"a{i}" for i in town],
            "b": [f"b{i}" for i in generator.choice(3, n)],
            "age": [str(age) for age in generator.integers(20, 30, n)],
            "region": ["n" if i % 3 else "s" for i in range(n)],
        }
    )


def sample():
    generator = np.random.default_rng(5)
    rows = np.sort(generator.permutation(500)[:150])
    table = people().take(rows)
    table = table.append_column("w", pa.array(generator.uniform(1, 5, 150)))
    return table.append_column("s", pa.array([f"s{i}" for i in generator.choice(3, 150)]))


MODELS = {
    "k_map": {"k": 6},
    "k_map by weight": {"k": 9, "weight": "w"},
    "delta_presence": {"most": 0.5},
    "delta_presence of some": {"least": 0.05, "most": 0.6},
    "average_risk": {"risk": 0.2},
    "sample_uniqueness": {"share": 0.05},
    "population_uniqueness": {"share": 0.03, "fraction": 0.3},
}


def release(name, folder, limit=0.1, **given):
    path = folder / "people.csv"
    path.write_bytes(CSV().encode(Microdata.of(people())))
    each = {**MODELS[name]}
    if name == "k_map" or name.startswith("delta"):
        each["population"] = path
    return tacita.protect(
        given.pop("frame", sample()),
        quasi=["a", "b", "age"],
        hierarchy={"a": NESTED},
        strata=["region"],
        measures=["k_anonymity"],
        **{
            "method": "generalise",
            "models": {name.partition(" ")[0]: each},
            "k": 1,
            "accept_risks": True,
            "suppression_limit": limit,
            **given,
        },
    )


def failed(data, claim):
    return {each.guarantee for each in verify.verify(Microdata.of(data), claim) if not each.passed}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return {name: release(name, tmp_path_factory.mktemp("people")) for name in MODELS}


@pytest.mark.parametrize("name", MODELS)
def test_a_release_is_verified_and_promises_no_k(made, name, tmp_path):
    found = made[name]
    assert not failed(found.data, found.claim)
    assert {"models-hold", "optimum-proven", "levels-as-told"} <= set(found.claim.guarantees)
    assert "k-anonymous" not in found.claim.guarantees
    assert found.record.accepted_risks == ("k-of-1",)
    tacita.save(found, tmp_path / "out.csv")
    tacita.save(found, tmp_path / "out.parquet")


@pytest.mark.each_once
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("limit", [0.0, 0.2])
def test_beside_a_k_of_three_it_is_promised_too(name, limit, tmp_path):
    found = release(name, tmp_path, limit, k=3, accept_risks=False)
    assert {"models-hold", "k-anonymous"} <= set(found.claim.guarantees)


def test_records_that_stand_alone_are_counted_and_told(made):
    found = made["sample_uniqueness"]
    shown = Counter(zip(*(found.data[name].to_pylist() for name in ("a", "b", "age", "region")), strict=True))
    alone = sum(count == 1 for count in shown.values())
    assert [each.count for each in found.record.warnings if each.name == "alone-by-keys"] == [alone]


def test_the_public_note_says_that_several_share_a_combination_only_where_they_do(made, tmp_path):
    words = "several records share every combination"
    assert words not in note_html(made["sample_uniqueness"])
    assert "k = 1" not in note_html(made["sample_uniqueness"])
    assert words in note_html(release("sample_uniqueness", tmp_path, k=3, accept_risks=False))


def test_one_record_alone_is_refused_unless_it_is_accepted(tmp_path):
    with pytest.raises(tacita.ParameterError, match=r"k is 1, so records may be unique .*accept_risks"):
        release("average_risk", tmp_path, accept_risks=False)


@pytest.mark.parametrize("method", ["mondrian", "recode-local"])
def test_methods_that_make_classes_one_by_one_take_weights_and_refuse_the_rest(method, tmp_path):
    found = release("k_map by weight", tmp_path, 0.0, method=method)
    assert not failed(found.data, found.claim)
    for name in MODELS:
        if name != "k_map by weight":
            told = f"{name.partition(' ')[0]} cannot guard a class that is made by itself"
            with pytest.raises(tacita.ParameterError, match=told):
                release(name, tmp_path, 0.0, method=method)


def finer(table, claim):
    """All keys as they were."""
    for name in ("a", "b", "age"):
        cells = [sample()[name][row].as_py() for row in claim.rows.tolist()]
        table = table.set_column(table.column_names.index(name), name, pa.array(cells))
    return table, claim


def alone(count):
    def plant(table, claim):
        cells = table["age"].to_pylist()
        cells[:count] = [f"age {i}" for i in range(count)]
        return table.set_column(table.column_names.index("age"), "age", pa.array(cells)), claim

    return plant


def asking(name, **given):
    def plant(table, claim):
        each = {**claim.terms["models"][name], **given}
        return table, replace(claim, terms={**claim.terms, "models": {name: each}})

    return plant


def others(change):
    """Another population than the one that was looked at."""

    def plant(table, claim):
        (name, each), *_ = claim.terms["models"].items()
        path = f"{each['population']}-{change.__name__}.csv"
        with open(path, "wb") as file:
            file.write(CSV().encode(Microdata.of(change(people()))))
        return asking(name, population=path)(table, claim)

    return plant


def half(table):
    return table.slice(0, 250)


def elsewhere(table):
    return table.set_column(3, "region", pa.array(["elsewhere"] * len(table)))


def of_other_towns(table):
    return table.set_column(0, "a", pa.array(["a5"] * len(table)))


def with_strangers(table):
    more = {"a": ["a5"], "b": ["b2"], "age": ["29"], "region": ["far"]}
    return pa.concat_tables([table, pa.table(more)])


def lighter(table, claim):
    weights = pa.array(np.full(150, 0.01))
    original = claim.original.native
    light = original.set_column(original.column_names.index("w"), "w", weights)
    return table, replace(claim, original=Microdata.of(light, roles=claim.original.roles))


def without_levels(table, claim):
    return table, replace(claim, terms={**claim.terms, "levels": {}})


PLANTED = [
    ("k_map", finer),
    ("k_map", alone(1)),
    ("k_map", asking("k_map", k=400)),
    ("k_map", others(half)),
    ("k_map", others(elsewhere)),
    ("k_map", others(of_other_towns)),
    ("k_map", without_levels),
    ("k_map by weight", finer),
    ("k_map by weight", alone(1)),
    ("k_map by weight", asking("k_map", k=300)),
    ("k_map by weight", lighter),
    ("delta_presence", finer),
    ("delta_presence", alone(1)),
    ("delta_presence", asking("delta_presence", most=0.05)),
    ("delta_presence", asking("delta_presence", least=0.45)),
    ("delta_presence", others(half)),
    ("delta_presence", others(elsewhere)),
    ("delta_presence", without_levels),
    ("delta_presence of some", finer),
    ("delta_presence of some", asking("delta_presence", least=0.59)),
    ("delta_presence of some", others(with_strangers)),
    ("average_risk", finer),
    ("average_risk", alone(60)),
    ("average_risk", asking("average_risk", risk=0.01)),
    ("sample_uniqueness", finer),
    ("sample_uniqueness", alone(20)),
    ("sample_uniqueness", asking("sample_uniqueness", share=0.0)),
    ("population_uniqueness", finer),
    ("population_uniqueness", alone(100)),
    ("population_uniqueness", asking("population_uniqueness", share=1e-7)),
    ("population_uniqueness", asking("population_uniqueness", share=1e-4, estimator="pitman")),
    ("population_uniqueness", asking("population_uniqueness", fraction=1.0, share=1e-4)),
]


@pytest.mark.parametrize(
    ("name", "plant"), PLANTED, ids=[f"{name} {at}" for at, (name, _) in enumerate(PLANTED)]
)
def test_a_planted_failure_is_found_by_models_hold(made, name, plant):
    assert "models-hold" in failed(*plant(made[name].data, made[name].claim))


DAMAGES = {
    "a better score": lambda proof: {"score": (proof["score"][0] * 0.9,)},
    "nothing closed": lambda _: {"too_many": (), "worse": (), "refused": (), "costlier": ()},
    "too much closed below": lambda proof: {"too_many": (*proof["too_many"], (2, 1, 1))},
    "not proven": lambda _: {"proven": False},
}


@pytest.mark.each_once
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_certificate_fails(made, name, damage):
    claim = made[name].claim
    proof = {**claim.terms["certificate"]}
    wrong = replace(claim, terms={**claim.terms, "certificate": {**proof, **DAMAGES[damage](proof)}})
    assert "optimum-proven" in failed(made[name].data, wrong)


@pytest.mark.parametrize("name", ["average_risk", "sample_uniqueness", "k_map"])
def test_a_class_that_left_without_need_is_found_by_its_level(made, name):
    data, claim = made[name].data, made[name].claim
    fewer = replace(claim, rows=claim.rows[1:], dropped_rows=np.append(claim.dropped_rows, claim.rows[:1]))
    assert "levels-as-told" in failed(data.slice(1), fewer)
