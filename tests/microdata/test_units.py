"""Warnings, exposure and published values count units: several records of one are no company."""

from collections import defaultdict
from dataclasses import replace
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita
from seeds import SEED
from tacita.core import Microdata, Report, Roles, RunContext
from tacita.kernels.records import classes
from tacita.microdata import verify
from tacita.microdata.measures.record_risk import of_protected, of_unchanged
from tacita.microdata.protection.group_representatives import exposed_groups, spare_records
from tacita.microdata.statistics import sample_uniqueness
from tacita.microdata.statistics.unit_counts import Company
from tacita.microdata.warnings import rounding_attack
from tacita.report import review_html


def visits(patients=20, each=3):
    """Visits of patients with measured values; town and trade are those of the patient alone."""
    rng = np.random.default_rng(1)
    who = np.repeat(np.arange(patients), each)
    return pd.DataFrame(
        {
            "patient": [f"p{i}" for i in who],
            "x": rng.normal(100, 10, who.size).round(1),
            "y": rng.normal(50, 5, who.size).round(1),
            "town": [f"t{i % 5}" for i in who],
            "trade": [f"r{i // 5}" for i in who],
        }
    )


def warnings(data, **options):
    release = tacita.protect(
        data,
        **{
            "quasi": ["x", "y"],
            "k": 3,
            "shuffle": True,
            "seed": SEED,
            "unit": "patient",
            "identifiers": ["patient"],
            **options,
        },
    )
    return {warning.name: warning for warning in release.record.warnings}


def test_visits_of_the_only_patient_with_their_values_are_warned_of():
    found = warnings(visits())["unique-combinations"]
    assert found.count == 60
    assert found.text.startswith("60 of 60 records belong to the only unit (patient) with their values on")
    assert "unique-combinations" not in warnings(visits(), unit=None)


def test_a_release_tells_of_units_in_its_record_and_its_review():
    release = tacita.protect(
        visits(), quasi=["x", "y"], k=3, unit="patient", identifiers=["patient"], seed=SEED
    )
    told = release.record.uniqueness
    assert (told.unit, told.unchanged.alone, told.as_dict()["unit"]) == ("patient", 60, "patient")
    assert "belong to the only unit (<bdi>patient</bdi>)" in review_html(release)
    plain = tacita.protect(visits(), quasi=["x", "y"], k=3, identifiers=["patient"], seed=SEED)
    assert "unit" not in plain.record.uniqueness.as_dict()


def test_a_diagnosis_that_every_patient_of_a_group_has_is_warned_of():
    frame = visits(6, 2).assign(ill=["p", "q"] * 6)
    frame["x"] = np.repeat([1.0, 2.0, 3.0, 101.0, 102.0, 103.0], 2)
    found = warnings(frame, confidential=["ill"])["homogeneous-confidential"]
    assert "all units have the same value" in found.text
    assert "homogeneous-confidential" not in warnings(frame, confidential=["ill"], unit=None)


def test_strata_of_few_units_are_thin():
    frame = visits(12, 2).assign(area=["n"] * 6 + ["s"] * 18)
    assert warnings(frame, strata=["area"])["thin-strata"].count == 1
    assert "thin-strata" not in warnings(frame, strata=["area"], unit=None)


def test_a_category_of_one_unit_is_rare():
    frame = visits(30, 3).assign(job=["a"] * 42 + ["b"] * 45 + ["c"] * 3)
    asked = {"quasi": ["job"], "method": "pram", "k": None}
    asked = {name: value for name, value in asked.items() if value is not None}
    frame = frame[["patient", "job"]]
    released = [
        tacita.protect(frame, **asked, seed=SEED, shuffle=True, identifiers=["patient"], **more)
        for more in ({"unit": "patient"}, {})
    ]
    rare = [
        {each.text for each in made.record.warnings if each.name == "rare-categories"} for made in released
    ]
    assert any("units" in text for text in rare[0])


# plain twins


def apart(columns, units, k):
    """Records of units that no other equals, and of fewer than k that do."""
    owners = defaultdict(set)
    rows = list(zip(*columns, strict=True))
    for row, unit in zip(rows, units, strict=True):
        owners[row].add(unit)
    sizes = [len(owners[row]) for row in rows]
    return sum(size == 1 for size in sizes), sum(size < k for size in sizes)


@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.sampled_from(["a", "b", None]), st.booleans(), st.integers(0, 6)),
        min_size=1,
        max_size=40,
    ),
    st.integers(2, 4),
)
def test_uniqueness_is_that_of_units_together_in_pairs_and_without_a_column(rows, k):
    names = ["p", "q", "r", "who"]
    cells = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    units = cells.pop("who")
    data = Microdata.of(pa.table({**cells, "who": units, "x": list(range(len(rows)))}))
    data = data.with_roles(Roles(quasi="x", unit="who"))
    released = Microdata.of(pa.table({**cells, "x": list(range(len(rows)))}))
    found = sample_uniqueness.examine(data, np.arange(len(rows)), released, k)

    def counted(told):
        return told.alone, told.below_k

    assert counted(found.unchanged) == apart(cells.values(), units, k)
    for told in (*found.enough, *found.pairs, *found.triples):
        assert counted(told) == apart([cells[name] for name in told.columns], units, k)
    for name, left in found.without.items():
        assert counted(left) == apart([cells[other] for other in cells if other != name], units, k)
    if found.unchanged.below_k:
        every = [apart([cells[n] for n in some], units, k) for some in combinations(found.examined, 2)]
        assert [counted(each) for each in found.pairs] == sorted(filter(any, every), reverse=True)[:5]


@given(st.integers(0, 10_000))
def test_company_is_counted_as_sets_count_it(seed):
    rng = np.random.default_rng(seed)
    codes, units = np.unique(rng.integers(0, 5, 30), return_inverse=True)[1], rng.integers(0, 6, 30)
    wanted = [len(set(units[codes == code].tolist())) for code in range(codes.max() + 1)]
    assert Company(units).sizes(codes).tolist() == wanted
    assert Company(None).sizes(codes).tolist() == np.bincount(codes).tolist()


@pytest.mark.parametrize("units", [[0, 0, 1], [1, 0, 0]])
def test_labels_that_may_not_be_written_to_need_no_kernel_of_their_own(monkeypatch, units):
    taken = []

    def counted(codes, units, classes):
        taken.extend([codes, units])
        return np.bincount(codes, minlength=classes)

    monkeypatch.setattr(classes, "units_of", counted)
    frozen = np.array([0, 0, 1]), np.array(units)
    for each in frozen:
        each.setflags(write=False)
    Company(frozen[1]).sizes(frozen[0])
    assert len(taken) == 2
    assert all(each.flags.writeable and each.flags.c_contiguous for each in taken)


def test_chances_are_those_of_units():
    x = np.array([[0.0]] * 4 + [[1.0]] * 4)
    units = np.array([0, 0, 0, 0, 1, 1, 2, 3])
    found = of_protected(x, x, ["job"], ["nominal"], {"job"}, Report(()), 3, RunContext(), units)
    # four records of one unit are found for sure, the others one time in three
    assert (found.after[-1], found.after[4]) == (4, 4)
    file = Microdata.of(pa.table({"job": x[:, 0]}))
    assert of_unchanged(file, ["job"], 3, units).after == found.after
    assert of_unchanged(file, ["job"], 3).after[-1] == 0


def test_a_record_that_one_unit_has_three_times_is_still_its_own():
    x = np.array([[0.0, 0.0]] * 3 + [[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    one, units = np.zeros(6, dtype=int), np.array([0, 0, 0, 1, 2, 3])
    labels = np.array([0, 0, 0, 0, 0, 0])
    shown = np.zeros((6, 2))
    assert exposed_groups(x, shown, labels, one, 3).size == 0
    assert exposed_groups(x, shown, labels, one, 3, units).tolist() == [0]
    kinds = ["nominal", "nominal"]
    # every combination is that of one unit: where nothing else is left, the group keeps its own
    assert np.array_equal(spare_records(x, shown, labels, one, kinds, 3, units), shown)
    x[4:] = 0.0, 1.0
    assert spare_records(x, shown, labels, one, kinds, 3, units)[0].tolist() == [0.0, 1.0]


def test_records_of_one_unit_that_rounding_brings_back_are_counted():
    x = np.repeat([[1.0, 2.0], [5.0, 9.0]], [4, 4], axis=0) + np.zeros((8, 2))
    made = SimpleNamespace(original=x, released=x + 1e-6, strata=np.zeros(8, dtype=np.int64))
    made.company = Company(None)
    assert rounding_attack.restored_records(made) == 0
    made.company = Company(np.array([0, 0, 0, 0, 1, 2, 3, 4]))
    assert rounding_attack.restored_records(made) == 4


def jobs(seed):
    """Categories of persons in households of one to three, many of whom are alike."""
    rng = np.random.default_rng(seed)
    home = np.repeat(np.arange(30), rng.integers(1, 4, 30))
    return pd.DataFrame(
        {
            "home": [f"h{i}" for i in home],
            "job": rng.integers(0, 3, 30)[home].astype(str),
            "town": rng.integers(0, 3, 30)[home].astype(str),
            "wage": rng.integers(1, 5, home.size) * 100.0,
        }
    )


@pytest.mark.parametrize("seed", range(6))
def test_groups_of_categories_by_unit_pass_their_own_verification(seed):
    asked = {"quasi": ["job", "town"], "nominal": ["job", "town"], "method": "gower", "k": 3, "seed": SEED}
    release = tacita.protect(jobs(seed), unit="home", identifiers=["home"], **asked)
    assert all(verdict.passed for verdict in release.record.verdicts)


def test_the_verifier_wants_what_no_unit_alone_has():
    frame = pd.DataFrame(
        {
            "home": list("aaabcd"),
            "job": list("000011"),
            "town": list("000110"),
        }
    )
    frame = pd.concat([frame, frame.assign(home=list("efghij"), job="1", town="1")])
    asked = {"quasi": ["job", "town"], "nominal": ["job", "town"], "method": "gower", "k": 3, "seed": SEED}
    made = tacita.protect(frame, identifiers=["home"], **asked)
    roles = made.claim.original.roles.model_copy(update={"unit": "home", "identifiers": ("home",)})
    claim = replace(made.claim, original=made.claim.original.with_roles(roles))
    failed = {each.guarantee for each in verify.verify(Microdata.of(made.data), claim) if not each.passed}
    assert "k-units" in failed
