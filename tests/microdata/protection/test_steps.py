"""A release in several steps: promises of the finished file, withdrawn where broken; one report over all."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tacita
from seeds import SEED
from tacita import DataError, ParameterError, VerificationError, api, datasets
from tacita.core import Microdata
from tacita.microdata import verify
from tacita.microdata.plans.plan import Plan

RECODE = {"method": "recode", "quasi": ["education"], "map": {"none": "low", "primary": "low"}}
GOWER = {"method": "gower", "quasi": ["sex", "education"], "nominal": ["sex", "education"], "k": 3}
MDAV = {"method": "mdav", "quasi": ["wage", "transfers"], "k": 5}
NOISE = {"method": "noise", "quasi": ["wealth"], "alpha": 0.3}
FOUR = [RECODE, GOWER, MDAV, NOISE]
# the total would give back what it is the sum of
LEFT_OUT = ["person_id", "household_id", "total_income"]
AROUND = {"identifiers": LEFT_OUT, "measures": ["IL1", "DBRL"], "seed": SEED}


@pytest.fixture(scope="module")
def persons():
    return datasets.load("household", n=240)


@pytest.fixture(scope="module")
def made(persons):
    return tacita.protect(persons, steps=FOUR, shuffle=True, **AROUND)


def of_step(release, number):
    return {each.guarantee for each in release.record.verdicts if each.step == number and each.passed}


def test_four_steps_end_in_one_verified_release(made, persons):
    assert [step.method for step in made.record.steps] == [("recode",), ("gower",), ("mdav",), ("noise",)]
    assert all(each.passed for each in made.record.verdicts)
    assert {"groups-of-k", "group-categories"} <= of_step(made, 2)
    assert {"groups-of-k", "group-means"} <= of_step(made, 3)
    assert {"masked-cells", "noise-independent"} <= of_step(made, 4)
    assert made.data.num_rows == persons.num_rows
    assert made.data.column_names == [c for c in persons.column_names if c not in AROUND["identifiers"]]


def test_each_step_leaves_the_columns_of_others_alone(made, persons):
    back = np.argsort(made.claim.rows)
    touched = {name for step in FOUR for name in step["quasi"]} | {*AROUND["identifiers"]}
    for name in set(persons.column_names) - touched:
        assert made.data[name].take(pa.array(back)).to_pylist() == persons[name].to_pylist()


def test_groups_of_both_steps_have_k_records_in_the_finished_file(made):
    frame = made.data.to_pandas()
    assert frame.groupby(["sex", "education"]).size().min() >= 3
    assert frame.groupby(["wage", "transfers"]).size().min() >= 5


def test_a_later_step_on_the_same_columns_withdraws_what_it_does_not_keep(made):
    assert {(each.guarantee, each.step, each.by) for each in made.record.withdrawn} == {
        ("recoded", 1, 2),
        ("recoded-by-map", 1, 2),
    }
    assert made.record.steps[0].promises == ()
    assert next(c for c in made.record.warnings if c.name == "promise-withdrawn").count == 2


def test_a_recoding_after_groups_keeps_them_by_construction_and_says_so(persons):
    release = tacita.protect(
        persons, steps=[GOWER, {**RECODE, "map": {"bachelor": "high", "master": "high"}}], **AROUND
    )
    assert "groups-of-k" in of_step(release, 1)
    assert [each.guarantee for each in release.record.withdrawn] == ["group-means"]
    assert "recoded-by-map" in of_step(release, 2)


def test_noise_after_groups_withdraws_them(persons):
    release = tacita.protect(persons, steps=[MDAV, {**NOISE, "quasi": ["wage"]}], **AROUND)
    assert {each.guarantee for each in release.record.withdrawn} == {"groups-of-k", "group-means"}
    assert "groups-of-k" not in of_step(release, 1)


def test_changing_what_explains_a_synthesis_withdraws_its_moments():
    # turnover is costs and value added
    firms = datasets.load("business", n=200).drop_columns(["value_added"])
    drawn = {"method": "ipso-c", "dependent": ["turnover"], "independent": ["wages"]}
    later = {"method": "mdav", "quasi": ["wages"], "k": 3}
    release = tacita.protect(firms, steps=[drawn, later], measures=["IL1"], identifiers=["name"], seed=SEED)
    assert "covariances-preserved" in {each.guarantee for each in release.record.withdrawn}
    kept = tacita.protect(firms, steps=[later, drawn], measures=["IL1"], identifiers=["name"], seed=SEED)
    assert not [each for each in kept.record.withdrawn if each.step == 2]


def test_loss_and_risk_are_recorded_after_each_step_against_the_source(made):
    losses = [step.report["IL1"].value for step in made.record.steps]
    assert losses[0] == losses[1] == 0
    assert 0 < losses[2] < losses[3] == made.report["IL1"].value


@pytest.mark.parametrize("shuffle", [False, True])
def test_the_report_over_all_steps_does_not_depend_on_the_order_of_rows(persons, shuffle):
    steps = [RECODE, MDAV]
    release = tacita.protect(persons, steps=steps, shuffle=shuffle, **AROUND)
    assert release.report["DBRL"].value == pytest.approx(
        tacita.protect(persons, steps=steps, **AROUND).report["DBRL"].value
    )


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_plan_of_four_steps_writes_one_file_and_one_report(tmp_path, persons, form):
    api.write_frame(persons, tmp_path / f"in.{form}")
    plan = Plan(
        input={"path": tmp_path / f"in.{form}"},
        roles={"identifiers": AROUND["identifiers"]},
        protect={"shuffle": True, "seed": SEED},
        steps=FOUR,
        measure={"names": ["IL1"]},
        require={"k_anonymity": {"k": 3, "keys": ["sex", "education"]}},
        output={
            "path": tmp_path / f"out.{form}",
            "json": tmp_path / "r.json",
            "report": tmp_path / "r.html",
            "note": tmp_path / "n.html",
        },
    )
    api.run_plan(plan)
    told = json.loads((tmp_path / "r.json").read_text())
    assert [step["method"] for step in told["steps"]] == [["recode"], ["gower"], ["mdav"], ["noise"]]
    assert [step["scores"]["IL1"] for step in told["steps"]][-1] == told["scores"][0]["value"]
    assert "withdrawn" in (tmp_path / "r.html").read_text()
    assert "4 steps" in (tmp_path / "n.html").read_text()
    first = (tmp_path / f"out.{form}").read_bytes()
    again = Plan.from_toml(plan.to_toml(tmp_path), tmp_path)
    assert again == plan
    api.run_plan(again, force=True)
    assert (tmp_path / f"out.{form}").read_bytes() == first


def test_kinds_declared_for_the_file_hold_in_its_steps_and_survive_the_plan(tmp_path, persons):
    api.write_frame(persons, tmp_path / "in.csv")
    levels = ["none", "primary", "secondary", "bachelor", "master"]
    plan = Plan(
        input={"path": tmp_path / "in.csv"},
        roles={"nominal": ["sex"], "ordinal": {"education": levels}, "strata": ["region"]},
        steps=[{"method": "gower", "quasi": ["sex", "education"]}, {"method": "mdav", "quasi": ["age"]}],
        measure={"names": ["CATEGORIES"]},
        output={"path": tmp_path / "out.csv"},
    )
    assert [step.roles.categorical for step in plan.planned] == [("sex", "education"), ()]
    again = Plan.from_toml(plan.to_toml(tmp_path), tmp_path)
    assert again == plan
    assert api.run_plan(again).record.roles["ordinal"] == {"education": levels}


def test_what_one_step_recodes_may_be_numbers_to_the_next(tmp_path, persons):
    api.write_frame(persons, tmp_path / "in.csv")
    fives = {str(age): str(age // 5 * 5) for age in range(120)}
    coarser = {"method": "recode", "quasi": ["age"], "map": fives}
    steps = [coarser, {"method": "mdav", "quasi": ["age"], "k": 3}]
    release = tacita.protect(tmp_path / "in.csv", steps=steps, **{**AROUND, "measures": ["CATEGORIES"]})
    assert {each.guarantee for each in release.record.withdrawn} == {"recoded", "recoded-by-map"}
    assert "groups-of-k" in of_step(release, 2)


def test_the_script_of_a_plan_of_steps_makes_the_same_bytes(tmp_path, persons, monkeypatch):
    api.write_frame(persons, tmp_path / "in.csv")
    monkeypatch.chdir(tmp_path)
    plan = Plan(
        input={"path": "in.csv"},
        roles={"identifiers": AROUND["identifiers"]},
        protect={"seed": SEED},
        steps=[RECODE, NOISE],
        measure={"names": ["IL1"]},
        output={"path": "out.csv"},
    )
    api.run_plan(plan)
    first = (tmp_path / "out.csv").read_bytes()
    (tmp_path / "out.csv").unlink()
    exec(plan.to_python(), {})
    assert (tmp_path / "out.csv").read_bytes() == first


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_steps_give_back_the_kind_of_frame_that_came(persons, kind):
    frame = persons.to_pandas() if kind is pd.DataFrame else pl.from_arrow(persons)
    release = tacita.protect(frame, steps=[RECODE, MDAV], **AROUND)
    assert isinstance(release.data, kind)
    assert set(release.data["education"]) == (set(frame["education"]) - {"none", "primary"}) | {"low"}


def test_two_steps_of_noise_do_not_carry_the_same_noise(persons):
    twice = [{**NOISE, "quasi": ["wealth"]}, {**NOISE, "quasi": ["transfers"]}]
    left_out = ["person_id", "household_id", "total_income"]
    release = tacita.protect(persons, steps=twice, **{**AROUND, "identifiers": left_out})
    added = [
        np.asarray(release.data[n], dtype=float) - np.asarray(persons[n]) for n in ("wealth", "transfers")
    ]
    assert abs(np.corrcoef(added)[0, 1]) < 0.3


def test_a_stratum_that_one_step_recodes_is_a_stratum_of_the_next(persons):
    coarser = {"method": "recode", "quasi": ["region"], "map": {"North": "Inland", "East": "Inland"}}
    release = tacita.protect(persons, steps=[coarser, MDAV], strata=["region"], **AROUND)
    assert release.record.roles["strata"] == ["region"]
    shown = release.data.to_pandas()
    labels = pd.Series(release.claim.steps[1].labels)
    assert shown["region"].groupby(labels).nunique().max() == 1
    assert set(shown["region"]) == {"Inland", "Coast", "West", "South"}
    assert release.record.withdrawn == ()


def test_a_stratum_that_a_later_step_changes_withdraws_the_groups_within_it(persons):
    coarser = {"method": "recode", "quasi": ["region"], "map": {"North": "Inland"}}
    steps = [MDAV, {**NOISE, "quasi": ["weight"]}, coarser]
    release = tacita.protect(persons, steps=steps, strata=["region"], weight="weight", **AROUND)
    assert [each.guarantee for each in release.record.withdrawn if each.step == 1] == ["group-means"]


def test_one_step_is_the_release_that_protect_makes(persons):
    short = tacita.protect(persons, quasi=MDAV["quasi"], k=5, **AROUND)
    long = tacita.protect(persons, steps=[MDAV], **AROUND)
    assert short.data.equals(long.data)
    assert short.record.verdicts == long.record.verdicts


def test_a_record_that_misses_a_value_of_any_step_is_dropped_once():
    frame = datasets.load("household", n=240, missing=0.05)
    release = tacita.protect(frame, steps=[MDAV, NOISE], missing="drop", **{**AROUND, "measures": ["IL1"]})
    complete = frame.to_pandas()[["wage", "transfers", "wealth"]].notna().all(axis=1)
    assert release.data.num_rows == complete.sum() < 240


# planted: a step that lies is caught where it stands, and in the finished file


@pytest.mark.parametrize(
    ("column", "fault"),
    [("sex", 2), ("education", 2), ("wage", 3), ("transfers", 3)],
)
def test_a_cell_changed_after_the_steps_is_caught(made, column, fault):
    cells = made.data[column].to_pylist()
    cells[0] = "someone" if isinstance(cells[0], str) else cells[0] + 1.0
    broken = made.data.set_column(made.data.column_names.index(column), column, pa.array(cells))
    failed = {each.step for each in verify.verify(Microdata.of(broken), made.claim) if not each.passed}
    assert fault in failed


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_claim_that_forgets_who_touched_a_column_is_caught(made, number):
    steps = list(made.claim.steps)
    steps[number - 1] = replace(steps[number - 1], touched=frozenset())
    wrong = verify.verify(Microdata.of(made.data), replace(made.claim, steps=tuple(steps)))
    assert any(
        each.step == number and each.guarantee == "others-identical" and not each.passed for each in wrong
    )


def test_an_unwithdrawn_promise_is_caught(made):
    steps = list(made.claim.steps)
    steps[0] = replace(steps[0], guarantees=("recoded", "recoded-by-map"))
    wrong = verify.verify(Microdata.of(made.data), replace(made.claim, steps=tuple(steps)))
    assert "recoded-by-map" in {each.guarantee for each in wrong if not each.passed}


def test_rows_that_do_not_belong_to_the_file_are_caught(made):
    rows = made.claim.rows.copy()
    rows[0] = rows[1]
    wrong = verify.verify(Microdata.of(made.data), replace(made.claim, rows=rows))
    assert any(each.guarantee == "rows-complete" and not each.passed for each in wrong)


# recoding, local suppression and masking: the commonest chain

CHAIN = [
    {**RECODE},
    {"method": "top-code", "quasi": ["age"], "share": 0.1},
    {"method": "local-suppression", "quasi": ["sex", "education", "age"], "k": 3, "importance": {"age": 2}},
    NOISE,
]
OF_VALUES = {1: {"recoded", "recoded-by-map"}, 2: {"coded", "top-coded"}}


@pytest.fixture(scope="module", params=[False, True])
def chained(request, persons):
    return tacita.protect(persons, steps=CHAIN, shuffle=request.param, **AROUND)


def test_what_is_promised_of_values_survives_that_some_are_suppressed(chained):
    assert chained.record.withdrawn == ()
    assert "promise-withdrawn" not in {each.name for each in chained.record.warnings}
    assert chained.data["education"].null_count > 0
    assert chained.data["age"].null_count > 0
    for number, promised in OF_VALUES.items():
        assert promised <= of_step(chained, number)
    told = [each.promise for each in chained.record.verdicts if each.guarantee == "recoded-by-map"]
    assert all("suppressed by a later step" in promise for promise in told)


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_the_same_on_the_bytes_of_a_file(tmp_path, persons, form):
    api.write_frame(persons, tmp_path / f"in.{form}")
    release = tacita.protect(tmp_path / f"in.{form}", steps=CHAIN, **AROUND)
    tacita.save(release, tmp_path / f"out.{form}")
    assert release.record.withdrawn == ()


@pytest.mark.parametrize("column", ["education", "age"])
def test_a_suppressed_cell_that_comes_back_is_caught_by_both_steps(chained, persons, column):
    cells = chained.data[column].to_pylist()
    place = cells.index(None)
    original = persons[column].to_pylist()[int(chained.claim.rows[place])]
    cells[place] = original
    broken = chained.data.set_column(chained.data.column_names.index(column), column, pa.array(cells))
    failed = {each.step for each in verify.verify(Microdata.of(broken), chained.claim) if not each.passed}
    assert failed >= {1 if column == "education" else 2, 3}


@pytest.mark.parametrize("column", ["education", "age"])
def test_a_shown_value_that_a_later_suppression_hides_behind_is_caught(chained, column):
    number = 1 if column == "education" else 2
    cells = chained.data[column].to_pylist()
    place = next(i for i, cell in enumerate(cells) if cell is not None)
    cells[place] = "primary" if column == "education" else 999
    broken = chained.data.set_column(chained.data.column_names.index(column), column, pa.array(cells))
    failed = {each.step for each in verify.verify(Microdata.of(broken), chained.claim) if not each.passed}
    assert number in failed


def test_a_cell_said_to_be_left_empty_later_must_be_empty(chained):
    steps = list(chained.claim.steps)
    emptied = steps[0].emptied.copy()
    emptied[int(np.flatnonzero(~emptied[:, 0])[0]), 0] = True
    steps[0] = replace(steps[0], emptied=emptied)
    wrong = verify.verify(Microdata.of(chained.data), replace(chained.claim, steps=tuple(steps)))
    assert "recoded" in {each.guarantee for each in wrong if each.step == 1 and not each.passed}


def test_an_empty_cell_that_no_step_claims_is_caught(chained):
    steps = list(chained.claim.steps)
    steps[0] = replace(steps[0], emptied=None)
    wrong = verify.verify(Microdata.of(chained.data), replace(chained.claim, steps=tuple(steps)))
    assert "recoded" in {each.guarantee for each in wrong if each.step == 1 and not each.passed}


@pytest.mark.parametrize(
    ("first", "columns", "kept"),
    [
        ({"method": "round", "quasi": ["age"], "base": 10}, ["age", "sex"], {"coded", "rounded-to-base"}),
        ({"method": "generalise", "k": 3}, ["sex", "education", "region"], {"generalised", "few-suppressed"}),
        ({"method": "recode", "quasi": ["age"], "breaks": [30, 60]}, ["age", "sex"], {"recoded-by-breaks"}),
        (
            {"method": "local-suppression", "k": 3},
            ["sex", "education", "region"],
            {"only-withheld", "k-anonymous-to-all"},
        ),
    ],
)
def test_other_promises_of_values_survive_too(persons, first, columns, kept):
    first = {"quasi": ["sex", "education", "region"], **first}
    second = {"method": "local-suppression", "quasi": columns, "k": 5}
    # a weight, or what a household pays, belongs to one region
    apart = ["person_id", "household_id", "weight", "housing_cost"]
    release = tacita.protect(persons, steps=[first, second], **{**AROUND, "identifiers": apart})
    assert kept <= of_step(release, 1)


def test_combinations_of_k_survive_a_recoding(persons):
    coarse = {"method": "generalise", "quasi": ["sex", "education"], "k": 5}
    release = tacita.protect(persons, steps=[coarse, {**RECODE, "map": {"master": "high"}}], **AROUND)
    assert "k-anonymous" in of_step(release, 1)


def test_what_a_recoded_column_loses_is_measured_against_its_categories(persons):
    later = {"method": "local-suppression", "quasi": ["education", "region"], "k": 3}
    names = ["WEIGHTED", "TABLES_1", "NCP"]
    around = {**AROUND, "measures": names, "weight": "weight"}
    both = tacita.protect(persons, steps=[RECODE, later], **around).report
    first = tacita.protect(persons, steps=[RECODE], **around)
    apart = tacita.protect(first.data, steps=[later], measures=names, weight="weight").report
    for name in ("WEIGHTED", "TABLES_1"):
        assert both[name].value == pytest.approx(apart[name].value)
        for column in ("education", "region"):
            assert both[name].per_attribute[column] == pytest.approx(apart[name].per_attribute[column])
    assert first.report["WEIGHTED"].value == 100
    # what the recoding itself lost is not forgotten
    assert both["NCP"].per_attribute["education"] > apart["NCP"].per_attribute["education"]


# recoding


@pytest.mark.parametrize("word", ["NA", "", " null "])
@pytest.mark.parametrize("form", ["csv", "frame"])
def test_nothing_is_recoded_into_what_reads_as_missing(tmp_path, persons, word, form):
    api.write_frame(persons, tmp_path / "in.csv")
    given = persons if form == "frame" else tmp_path / "in.csv"
    with pytest.raises(ParameterError, match="column region would get a value that reads as missing"):
        tacita.protect(given, quasi=["region"], method="recode", map={"North": word})


def test_a_recoded_value_that_went_missing_is_caught(persons):
    release = tacita.protect(
        persons, quasi=["region"], method="recode", map={"North": "Inland"}, measures=["CATEGORIES"]
    )
    cells = release.data["region"].to_pylist()
    cells[0] = None
    place = release.data.column_names.index("region")
    broken = release.data.set_column(place, "region", pa.array(cells))
    verdicts = verify.verify(Microdata.of(broken), release.claim)
    assert "recoded" in {each.guarantee for each in verdicts if not each.passed}


def test_a_formula_that_a_recoding_makes_is_warned_of(persons):
    release = tacita.protect(
        persons, quasi=["region"], method="recode", map={"North": "=1+1"}, measures=["CATEGORIES"]
    )
    warned = {each.name: each.count for each in release.record.warnings}
    assert warned["spreadsheet-formulas"] == persons["region"].to_pylist().count("North")


# households


def households(n=300):
    frame = datasets.load("household", n=n)
    assert max(np.unique(frame["household_id"], return_counts=True)[1]) > 1
    return frame


def apart(frame, units, column):
    seen = pd.DataFrame({"unit": units.to_pylist(), "value": frame[column].to_pylist()})
    return int((seen.groupby("unit")["value"].nunique() > 1).sum())


@pytest.mark.parametrize(
    ("method", "columns", "more"),
    [
        ("gower", ["region", "housing_cost"], {"nominal": ["region"]}),
        ("mdav", ["housing_cost"], {}),
        ("rank-swap", ["housing_cost"], {}),
        ("noise", ["housing_cost"], {}),
        ("recode", ["region"], {"map": {"North": "N"}}),
    ],
)
def test_columns_of_a_unit_still_agree_after_a_step_on_them(method, columns, more):
    frame = households()
    release = tacita.protect(
        frame,
        quasi=columns,
        method=method,
        unit="household_id",
        unit_columns=columns,
        identifiers=["person_id"],
        measures=["IL1"],
        seed=SEED,
        **more,
    )
    for column in columns:
        assert apart(frame, frame["household_id"], column) == 0
        assert apart(release.data, release.data["household_id"], column) == 0
    assert "units-agree" in {each.guarantee for each in release.record.verdicts if each.passed}


def test_without_the_declaration_a_household_may_be_broken_up_and_that_is_warned_of():
    frame = households()
    asked = {"quasi": ["region", "age"], "nominal": ["region"], "method": "gower", "unit": "household_id"}
    release = tacita.protect(frame, **asked, identifiers=["person_id"], measures=["IL1"])
    broken = apart(release.data, release.data["household_id"], "region")
    assert broken > 0
    warned = [each for each in release.record.warnings if each.name == "unit-broken-up"]
    assert [each.count for each in warned] == [broken]


def test_columns_of_units_and_of_persons_together_hide_everybody_among_k_units():
    frame = households()
    release = tacita.protect(
        frame,
        quasi=["region", "sex", "age"],
        nominal=["region", "sex"],
        method="gower",
        k=3,
        unit="household_id",
        unit_columns=["region"],
        identifiers=["person_id"],
        measures=["IL1"],
        require={"k_anonymity": {"k": 3, "keys": ["region", "sex", "age"]}},
    )
    assert apart(release.data, release.data["household_id"], "region") == 0
    shown = release.data.to_pandas().groupby(["region", "sex", "age"])["household_id"].nunique()
    assert shown.min() >= 3
    assert [step.by_unit for step in release.record.steps] == [True, False]


@pytest.mark.parametrize("method", ["local-suppression", "generalise", "recode-local", "mondrian"])
def test_coarser_or_withheld_columns_of_units_and_persons_hide_everybody_together(method):
    frame = households()
    keys = ["region", "sex", "employment"]
    importance = {} if method == "mondrian" else {"importance": {"region": 3, "sex": 2}}
    release = tacita.protect(
        frame,
        quasi=keys,
        method=method,
        k=3,
        unit="household_id",
        unit_columns=["region"],
        # a wage or a fortune tells who is employed
        identifiers=["person_id", "wage", "self_employment", "transfers", "total_income", "taxes", "wealth"],
        measures=["SUPPRESSED"],
        **importance,
    )
    assert apart(release.data, release.data["household_id"], "region") == 0
    shown = release.data.to_pandas().groupby(keys, dropna=False)["household_id"].nunique()
    assert shown.min() >= 3
    assert [step.by_unit for step in release.record.steps] == [True, False]


def test_a_household_broken_up_behind_the_back_of_the_claim_is_caught():
    frame = households()
    release = tacita.protect(
        frame,
        quasi=["region"],
        nominal=["region"],
        method="gower",
        unit="household_id",
        unit_columns=["region"],
        measures=["IL1"],
    )
    units = release.data["household_id"].to_pylist()
    member = next(i for i in range(1, len(units)) if units[i] == units[0])
    regions = release.data["region"].to_pylist()
    regions[member] = next(r for r in regions if r != regions[0])
    place = release.data.column_names.index("region")
    broken = release.data.set_column(place, "region", pa.array(regions))
    failed = {
        each.guarantee for each in verify.verify(Microdata.of(broken), release.claim) if not each.passed
    }
    assert "units-agree" in failed


def test_unit_columns_that_differ_within_a_unit_are_refused():
    with pytest.raises(
        DataError, match=r"column age is among unit_columns, but differs within \d+ of \d+ units"
    ):
        tacita.protect(households(), quasi=["age"], unit="household_id", unit_columns=["age"])


def test_strata_that_cut_through_units_are_refused_by_unit():
    asked = {"quasi": ["region"], "nominal": ["region"], "unit": "household_id", "unit_columns": ["region"]}
    with pytest.raises(DataError, match=r"column sex is a stratum of a step by unit, but differs within"):
        tacita.protect(households(), method="gower", strata=["sex"], **asked)


def test_unit_columns_need_a_unit():
    with pytest.raises(ParameterError, match="unit_columns need the column that names the unit"):
        tacita.protect(households(), quasi=["region"], unit_columns=["region"])


# what is refused


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"steps": [{"quasi": ["wage"]}]}, "method is required"),
        ({"steps": [{"method": "mdav"}]}, "needs columns"),
        ({"steps": [MDAV], "quasi": ["wage"]}, "quasi under .roles. and .*steps.* were both given"),
        ({"steps": [MDAV], "k": 4}, "k belongs to a step"),
        ({"steps": [MDAV], "method": "hm"}, "method belongs to a step"),
        ({"steps": [{**MDAV, "quasi": ["wage", "nowhere"]}]}, "no column nowhere"),
        ({"steps": [{**MDAV, "quasi": ["education"]}]}, "education"),
        ({"steps": [MDAV, {**NOISE, "quasi": ["sex"]}]}, "Step 2: .*sex"),
        ({"steps": [MDAV, {**MDAV, "k": 10_000}]}, "Step 2: .*k=10000"),
        (
            {"steps": [{"method": "nothing", "quasi": ["wage"]}]},
            "no method, measure or format named 'nothing'",
        ),
        ({"steps": [{"method": "ipso-c", "quasi": ["wage"]}]}, "wanted dependent columns"),
        ({"steps": [{**RECODE, "map": {}}]}, "at least one value"),
        ({"steps": [{"method": "recode", "quasi": ["sex"]}]}, "one of map, level or breaks"),
        ({"steps": [{**RECODE, "map": {"sex": {"a": "b"}}}]}, "education is not one of them"),
    ],
)
def test_wrong_steps_are_refused_in_words(persons, asked, told):
    with pytest.raises((ParameterError, DataError), match=told):
        tacita.protect(persons, **asked)


def test_a_step_that_breaks_its_own_promise_ends_the_run(persons, monkeypatch):
    from tacita.microdata.methods.recoding.recode import Recode

    monkeypatch.setattr(Recode, "relabel", lambda _, __, labels: [f"{label}!" for label in labels])
    with pytest.raises(VerificationError, match="recoded-by-map"):
        tacita.protect(persons, steps=FOUR, **AROUND)
