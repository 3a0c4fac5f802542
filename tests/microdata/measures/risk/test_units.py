"""Units count, not records: a patient with several visits is no company for himself."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita
from tacita.core import Comparison, Microdata, Roles
from tacita.core.results.score import Files
from tacita.core.spec import registry
from tacita.microdata.measures.risk.suda import special_uniques
from twins import keys as plain
from twins import units as twin

KEYS = ["age", "town"]
OF_KEYS = [name for name in registry.names("risk") if getattr(registry.lookup(name, "risk"), "alone", False)]
# what each needs beside keys
NEEDS = {
    "t_closeness": {"column": "ill"},
    "beta_likeness": {"column": "ill"},
    "delta_disclosure": {"column": "ill"},
    "l_diversity": {"column": "ill"},
    "alpha_k": {"column": "ill"},
    "attribute_disclosure": {"column": "ill"},
    "population_unique": {"fraction": 0.2, "model": "zayatz"},
    "model_risk": {"fraction": 0.2},
    "suda2": {"fraction": 0.2},
    "journalist_risk": {"fraction": 0.2},
    "individual_risk": {"fraction": 0.2},
}


def register(seed, patients=25, visits=4, gaps=False):
    """Visits of patients: age and town may change between them, and each has a diagnosis."""
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(patients), rng.integers(1, visits + 1, patients))
    age, town = rng.integers(0, 4, patients)[who], rng.integers(0, 3, patients)[who]
    moved = rng.random(who.size) < 0.2
    frame = pd.DataFrame(
        {
            "patient": [f"p{i}" for i in who],
            "age": age.astype(str),
            "town": np.where(moved, rng.integers(0, 3, who.size), town).astype(str),
            "ill": rng.choice(list("pqrs"), who.size),
            "w": rng.uniform(2, 20, who.size).round(2),
        }
    )
    if gaps:
        frame.loc[rng.random(who.size) < 0.2, "age"] = None
    return frame.sample(frac=1, random_state=seed).reset_index(drop=True)


def score(name, frame, **given):
    """With the role unit, unless another column is named."""
    roles = given.pop("roles", {"unit": "patient"})
    data = Microdata.of(frame)
    if roles:
        data = data.with_roles(Roles(quasi=given["keys"], nominal=given["keys"], **roles))
    return tacita.get_method(name, **given).score(Comparison.of_files(Files.unprotected(data)))


# a register


def visits_of_lone_patients():
    """Five patients of five visits each; no two share their keys, and each visit has another diagnosis."""
    return pd.DataFrame(
        {
            "patient": np.repeat(list("abcde"), 5),
            "age": np.repeat(list("12345"), 5),
            "town": "x",
            "ill": list("pqrst") * 5,
        }
    )


@pytest.mark.parametrize(
    ("name", "by_records", "by_units"),
    [
        ("sample_uniques", 0, 100),
        ("k_anonymity", 5, 1),
        ("attribute_disclosure", 0, 100),
        ("l_diversity", 5, 1),
        ("alpha_k", 0.2, 1),
        ("t_closeness", 0, 0.8),
        ("beta_likeness", 0, 4),
        ("prosecutor_risk", 0.2, 1),
        ("individual_risk", 0.2, 1),
        ("individual_risk_max", 0.2, 1),
        ("marketer_risk", 0.2, 1),
        ("distinction", 0.2, 1),
        ("separation", 5 / 6, 1),
    ],
)
def test_visits_of_a_lone_patient_are_no_company_for_him(name, by_records, by_units):
    frame = visits_of_lone_patients()
    given = {"column": "ill"} if "column" in registry.lookup(name).model_fields else {}
    assert score(name, frame, roles={}, keys=KEYS, **given).value == pytest.approx(by_records)
    for asked in ({}, {"roles": {}, "unit": "patient"}):
        found = score(name, frame, keys=KEYS, **given, **asked)
        assert found.value == pytest.approx(by_units)
        assert found.reading["counting"] == "units of patient"


def test_requirements_count_units():
    frame = visits_of_lone_patients()
    limits = {
        "sample_uniques": {"limit": 0, "keys": KEYS},
        "l_diversity": {"l": 2, "keys": KEYS, "column": "ill"},
        "attribute_disclosure": {"limit": 50, "keys": KEYS, "column": "ill"},
        "t_closeness": {"t": 0.5, "keys": KEYS, "column": "ill"},
    }
    assert all(verdict.passed for verdict in tacita.check_requirements(frame, require=limits))
    by_unit = {name: {**limit, "unit": "patient"} for name, limit in limits.items()}
    assert not any(verdict.passed for verdict in tacita.check_requirements(frame, require=by_unit))


def test_the_profile_of_a_register_counts_patients():
    found = tacita.risk_profile(visits_of_lone_patients(), keys=KEYS, unit="patient", sensitive="ill")
    assert (found.uniques, found.bands[0].combinations) == (25, 5)
    assert (
        found.headline == "25 of 25 records (100 %) belong to the only unit (patient) with their age, town."
    )
    assert found["sample_uniques"].value == 100
    assert found["sample_uniques"].beside["units"] == 5
    assert [key.uniques_without for key in found.by_key] == [0, 25]
    plain_one = tacita.risk_profile(visits_of_lone_patients(), keys=KEYS)
    assert (plain_one.uniques, plain_one.headline) == (0, "0 of 25 records (0 %) are unique on age, town.")


def test_exposure_counts_patients():
    frame = visits_of_lone_patients()
    found = tacita.sample_uniqueness(frame, columns=KEYS, unit="patient")
    assert (found.alone, found.below_3, found.below_5) == (25, 25, 25)
    assert [column.alone for column in found.by_column] == [25, 0]
    assert tacita.sample_uniqueness(frame, columns=KEYS).alone == 0


# plain twins


@pytest.mark.each_once
@pytest.mark.parametrize("name", OF_KEYS)
@pytest.mark.parametrize("seed", range(3))
def test_where_each_record_is_a_unit_nothing_changes(name, seed):
    frame = register(seed, gaps=True)
    frame["own"] = np.arange(len(frame))
    given = {"keys": KEYS, **NEEDS.get(name, {})}
    without, by_unit = (score(name, frame, roles=roles, **given) for roles in ({}, {"unit": "own"}))
    assert without.value == by_unit.value
    assert without.reason == by_unit.reason
    if without.per_record is not None:
        assert np.array_equal(without.per_record, by_unit.per_record)


@pytest.mark.each_once
@pytest.mark.parametrize(
    "name",
    [
        "k_anonymity",
        "sample_uniques",
        "prosecutor_risk",
        "journalist_risk",
        "individual_risk",
        "population_unique",
        "model_risk",
    ],
)
@pytest.mark.parametrize("seed", range(5))
def test_units_are_records_of_a_file_with_one_record_of_each_in_each_class(name, seed):
    frame = register(seed)
    once = frame.drop_duplicates(["patient", *KEYS])
    given = {"keys": KEYS, **NEEDS.get(name, {})}
    found, other = score(name, frame, **given), score(name, once, roles={}, **given)
    if name in ("population_unique", "model_risk", "k_anonymity"):
        assert found.value == pytest.approx(other.value, rel=1e-12)
    if found.per_record is not None:
        of_class = dict(zip(once[KEYS].itertuples(index=False, name=None), other.per_record, strict=True))
        wanted = [of_class[row] for row in frame[KEYS].itertuples(index=False, name=None)]
        assert found.per_record.tolist() == pytest.approx(wanted, rel=1e-12)


@given(st.integers(0, 10_000))
def test_sensitive_values_are_those_of_units(seed):
    frame = register(seed, patients=14)
    asked = {"keys": KEYS, "column": "ill"}
    classes = twin.classes_of(frame, KEYS, "patient", "ill")
    whole = twin.overall(frame, "patient", "ill")
    for name, settings, plainly in (
        ("l_diversity", {}, lambda members: len(twin.votes(members))),
        ("alpha_k", {"k": 1}, lambda members: max(twin.having(members).values()) / len(members)),
        (
            "attribute_disclosure",
            {},
            lambda members: 100.0 * (max(twin.having(members).values()) == len(members)),
        ),
        ("t_closeness", {}, lambda members: twin.distance(members, whole)),
        ("beta_likeness", {}, lambda members: twin.gain(members, whole)),
    ):
        found = score(name, frame, **asked, **settings)
        wanted = {seen: plainly(members) for seen, members in classes.items()}
        assert found.per_record.tolist() == pytest.approx(twin.by_record(frame, KEYS, wanted)), name


@given(st.integers(0, 10_000))
def test_no_choice_of_one_record_of_each_unit_is_less_diverse(seed):
    frame = register(seed, patients=10)
    classes = twin.classes_of(frame, KEYS, "patient", "ill")
    asked = {"keys": KEYS, "column": "ill"}
    fewest = {seen: twin.fewest_values(members) for seen, members in classes.items()}
    found = score("l_diversity", frame, **asked).per_record
    assert (found <= twin.by_record(frame, KEYS, fewest)).all()
    lowest = {seen: np.exp(twin.lowest_entropy(members)) for seen, members in classes.items()}
    found = score("l_diversity", frame, **asked, kind="entropy").per_record
    assert (found <= np.array(twin.by_record(frame, KEYS, lowest)) * (1 + 1e-12)).all()
    # whoever has one diagnosis alone says no less than before
    single = frame.groupby("patient")["ill"].transform("first")
    one = frame.assign(ill=single)
    exact = twin.classes_of(one, KEYS, "patient", "ill")
    wanted = {seen: float(twin.fewest_values(members)) for seen, members in exact.items()}
    assert score("l_diversity", one, **asked).per_record.tolist() == twin.by_record(one, KEYS, wanted)


@pytest.mark.parametrize("kind", ["ordered", "hierarchical"])
@pytest.mark.parametrize("seed", range(4))
def test_on_two_values_every_distance_is_the_same(kind, seed):
    frame = register(seed)
    frame["ill"] = np.where(frame["ill"] < "r", "p", "q")
    asked = {"keys": KEYS, "column": "ill"}
    more = {"order": ["p", "q"]} if kind == "ordered" else {"tree": {"p": None, "q": None}}
    one = score("t_closeness", frame, **asked, kind=kind, **more).per_record
    assert one.tolist() == pytest.approx(score("t_closeness", frame, **asked).per_record.tolist())


@given(st.integers(0, 10_000), st.integers(1, 3))
def test_special_uniques_are_those_of_units(seed, most):
    rng = np.random.default_rng(seed)
    codes, units = rng.integers(-1, 3, (18, 3)), rng.integers(0, 9, 18)
    found = special_uniques(codes, most, units)
    sets = twin.minimal_uniques(codes, units, most)
    scores = [sum(plain.suda_weight(3, len(columns), most) for columns in each) for each in sets]
    assert found.score.tolist() == scores
    assert found.minimal == sum(map(len, sets))


@given(st.integers(0, 10_000))
def test_pairs_of_one_unit_are_not_told_apart(seed):
    frame = register(seed, patients=8)
    rows = frame.to_dict("records")
    pairs = [
        (one, other) for i, one in enumerate(rows) for other in rows[:i] if one["patient"] != other["patient"]
    ]
    apart = sum(any(one[key] != other[key] for key in KEYS) for one, other in pairs)
    assert score("separation", frame, keys=KEYS).value == pytest.approx(apart / len(pairs))
    classes = twin.classes_of(frame, KEYS, "patient")
    once = sum(map(len, classes.values()))
    assert score("distinction", frame, keys=KEYS).value == pytest.approx(len(classes) / once)


@pytest.mark.parametrize("missing_as", ["category", "wildcard"])
@pytest.mark.parametrize("seed", range(4))
def test_each_unit_stands_for_the_population_once(missing_as, seed):
    frame = register(seed, gaps=True)
    mean = frame.groupby("patient")["w"].mean()
    wanted = []
    rows = frame.fillna({"age": "?"}).to_dict("records")
    for row in rows:

        def fits(other, row=row):
            gap = missing_as == "wildcard" and "?" in (row["age"], other["age"])
            return other["town"] == row["town"] and (gap or other["age"] == row["age"])

        units = {other["patient"] for other in rows if fits(other)}
        wanted.append(1 / max(len(units), sum(mean[unit] for unit in units)))
    found = score("journalist_risk", frame, keys=KEYS, weight="w", missing_as=missing_as)
    assert found.per_record.tolist() == pytest.approx(wanted)


def test_records_of_one_household_with_the_same_keys_are_one_chance():
    frame = pd.DataFrame({"sex": list("ffmf"), "home": [1, 1, 1, 2]})
    by_unit = score("household_risk", frame, roles={"unit": "home"}, keys=["sex"])
    # two homes share f, and nobody else m
    assert by_unit.per_record.tolist() == [1, 1, 1, 0.5]
    persons = score("household_risk", frame, roles={}, keys=["sex"], unit="home")
    assert persons.per_record[3] == pytest.approx(1 / 3)


def test_units_are_those_of_the_source_where_a_release_changed_their_names():
    source = Microdata.of(visits_of_lone_patients()).with_roles(Roles(unit="patient", quasi="town"))
    released = Microdata.of(visits_of_lone_patients().assign(patient=[f"v{i}" for i in range(25)]))
    files = Files(released, source, np.arange(25))
    found = tacita.get_method("sample_uniques", keys=KEYS).score(Comparison.of_files(files))
    assert found.value == 100


@pytest.mark.parametrize(("unit", "people"), [(None, 10), ("who", 8)])
def test_a_known_population_is_a_sampling_fraction_to_every_measure(unit, people):
    frame = pd.DataFrame({"who": list("aabbcdefgh"), "sex": list("ffmmfmfmfm")})
    by_size, by_share = (
        tacita.risk_profile(frame, keys=["sex"], unit=unit, **each).report
        for each in ({"population": 100}, {"fraction": people / 100})
    )
    names = ("individual_risk", "global_risk", "journalist_risk", "marketer_risk", "population_unique")
    assert [by_size[name].value for name in names] == [by_share[name].value for name in names]
    assert by_size["individual_risk"].reading["population"] == f"sampling fraction {people / 100:g}"
    assert by_size["population_unique"].reading["population"] == "100 persons"
    # fewer than are in the file is no population of it
    too_few = tacita.risk_profile(frame, keys=["sex"], unit=unit, population=5).report
    assert too_few["individual_risk"].reading["population"].startswith("the file itself")
