"""Columns that give back what a release hid: planted ones are found, and files without one are let pass."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import tacita
from column_attack import attack
from determining_columns import KEYS, PLANTS, clean, persons, planted, suppressing
from tacita.core import InferenceError, Microdata, VerificationError
from tacita.core.results.inferred_cells import Determined
from tacita.microdata import verify
from tacita.microdata.verify import inference, large_files, ranks
from tacita.microdata.verify.dependence import Known, Target, by_groups, by_order, dependences
from tacita.microdata.verify.linear import relation

NAME = inference.NAME


def cases(quick):
    """Fifty, of which some take part in a quick run."""
    return [seed if seed in quick else pytest.param(seed, marks=pytest.mark.long) for seed in range(50)]


PLANTED_CASES, CLEAN_CASES = cases(range(len(PLANTS))), cases(range(0, 50, 4))


def names_of(found):
    return {name for each in found for names in each.columns for name in names}


def refused(frame, **how):
    with pytest.raises(InferenceError) as caught:
        tacita.protect(frame, **how)
    return caught.value


def warned(release):
    return [each for each in release.record.warnings if each.name == "cells-determined"]


@pytest.mark.parametrize("seed", PLANTED_CASES)
def test_a_planted_column_is_found_and_named(seed):
    frame, how, names = planted(seed, PLANTS[seed % len(PLANTS)])
    problem = refused(frame, **how)
    assert names_of(problem.determined) & names
    assert any(name in str(problem) for name in names)


@pytest.mark.parametrize("seed", CLEAN_CASES)
def test_a_file_without_such_a_column_is_neither_refused_nor_warned_of(seed):
    frame, how = clean(seed)
    assert not warned(tacita.protect(frame, **how))


@pytest.mark.parametrize("seed", [1, 2, pytest.param(3, marks=pytest.mark.long)])
def test_a_file_of_four_keys_without_such_a_column_is_neither(seed):
    frame = persons(seed).drop(columns="years")
    assert not warned(tacita.protect(frame, **suppressing()))


ATTACKED = ("weight", "calibrated", "some weights", "population with errors", "sum", "clean")


@pytest.mark.parametrize("plant", ATTACKED)
def test_what_a_group_by_exposes_beyond_the_limit_is_refused(plant):
    """The attacker is written in pandas, and knows better than any which groups to believe."""
    frame = persons(4, 900).drop(columns="years") if plant == "clean" else planted(4, plant, 900)[0]
    how = suppressing() if plant == "clean" else planted(4, plant, 900)[1]
    accepted = tacita.protect(frame, **{**how, "accept_risks": True})
    changed = accepted.data[KEYS].isna().any(axis=1).sum()
    found = attack(frame, accepted.data, KEYS, how["k"], sizes=(1, 2) if plant == "sum" else (1,))
    above = len(found.exposed) > max(2, changed // 100)
    assert above == (plant != "clean")
    if above:
        told = refused(frame, **how)
        # as many as the attacker exposes, but for chance
        assert max(each.exposed or 0 for each in told.determined) > 0.7 * len(found.exposed)


OTHERS = {
    "wildcard": {**suppressing(), "missing_as": "wildcard"},
    "pairs": {**suppressing(), "m": 2},
    "generalise": {"quasi": KEYS, "k": 3, "method": "generalise"},
    "recode-local": {"quasi": KEYS, "k": 3, "method": "recode-local"},
    "mondrian": {"quasi": KEYS, "k": 3, "method": "mondrian"},
    "recode": {
        "quasi": ["region"],
        "method": "recode",
        "map": {f"R{at:02}": f"Q{at // 3}" for at in range(14)},
    },
    "gower": {"quasi": ["region", "job"], "nominal": ["region", "job"], "method": "gower", "k": 3},
    "pram": {"quasi": ["job"], "nominal": ["job"], "method": "pram"},
    "mdav": {"quasi": ["income", "hours"], "method": "mdav", "k": 3},
    "noise": {"quasi": ["income"], "method": "noise"},
    "top-code": {"quasi": ["hours"], "method": "top-code", "limit": 50},
}


@pytest.mark.parametrize("how", OTHERS.values(), ids=OTHERS)
@pytest.mark.parametrize("seed", [60, 61, pytest.param(62, marks=pytest.mark.long)])
def test_no_method_is_refused_for_columns_that_only_go_along(seed, how):
    frame = persons(seed).drop(columns="years")
    frame["age"] = frame["age"].astype(str)
    assert not warned(tacita.protect(frame, **{"measures": ["NCP" if "map" in how else "IL1"], **how}))


def weighted(n=1200, seed=3, share=1.0):
    """Persons whose weight gives away the region of a share of them."""
    frame = persons(seed, n).drop(columns="years")
    codes = frame["region"].astype("category").cat.codes.to_numpy()
    own = np.random.default_rng(seed).random(n) < share
    frame["weight"] = np.where(own, 100.5 + codes, 50.0)
    return frame


def brute_force(frame, released, k):
    """Records that, with the region filled in, agree with fewer than k originals on all that they show."""
    shown = released[KEYS].copy()
    shown["region"] = frame["region"]
    found, learnt = 0, set(released["region"].dropna())
    for row, was in zip(shown.to_numpy(dtype=object), released["region"], strict=True):
        if not pd.isna(was) or row[0] not in learnt:
            continue
        alike = np.ones(len(frame), dtype=bool)
        for name, cell in zip(KEYS, row, strict=True):
            if not pd.isna(cell):
                alike &= (frame[name] == cell).to_numpy()
        found += alike.sum() < k
    return found


def test_exposed_records_are_those_that_a_reader_counts():
    frame = weighted()
    release = tacita.protect(frame, **{**suppressing(), "accept_risks": True})
    (found,) = [each for each in warned(release) if " cells of region " in each.text]
    assert found.count == brute_force(frame, release.data, 3) > 12
    assert release.record.accepted_risks == ("keys-determined",)
    assert NAME not in {each.guarantee for each in release.record.verdicts}


def test_the_error_names_columns_counts_and_what_to_do_and_no_value():
    frame = weighted()
    problem = refused(frame, **suppressing())
    assert "cells of region follow from weight" in str(problem)
    assert "calibrate it anew" in str(problem)
    assert "accept_risks=" in str(problem)
    assert "fault of the program" not in str(problem)
    assert not isinstance(problem, VerificationError)
    assert not any(value in str(problem) for value in (*frame["region"].unique(), "100.5", "101.5"))


def test_few_exposed_records_are_warned_of_with_their_count():
    frame = weighted(n=3000, share=0.01)
    release = tacita.protect(frame, **suppressing())
    (found,) = warned(release)
    assert " follow from weight" in found.text
    assert "Leave out weight" in found.advice
    assert 0 < found.count < 15
    (verdict,) = [each for each in release.record.verdicts if each.guarantee == NAME]
    assert verdict.passed
    assert verdict.inferred[0].column == "region"


def test_leaving_the_column_out_or_recoding_it_is_enough():
    frame = weighted()
    assert not warned(tacita.protect(frame, **suppressing(), identifiers=["weight"]))
    coarse = {"method": "recode", "quasi": ["weight"], "breaks": [0, 50, 1000]}
    steps = [
        {key: value for key, value in suppressing().items() if key not in ("measures", "nominal")},
        coarse,
    ]
    release = tacita.protect(frame, steps=steps, nominal=[*KEYS, "weight"], measures=["SUPPRESSED"])
    assert not any(" cells of region " in each.text for each in warned(release))


def test_records_in_the_order_of_a_key_are_shuffled():
    frame, how, _ = planted(8, "sorted")
    assert "--shuffle" in str(refused(frame, **how))
    assert not warned(tacita.protect(frame, **how, shuffle=True))


def test_what_was_saved_is_judged_again():
    frame = weighted()
    release = tacita.protect(frame.drop(columns="weight"), **suppressing())
    spoiled = pa.table(release.data.assign(weight=frame["weight"].to_numpy()))
    claim = release.claim
    data = Microdata.of(pa.table(frame), source="x").with_roles(claim.original.roles)
    failed = [
        each.guarantee
        for each in verify.verify(Microdata.of(spoiled), replace(claim, original=data))
        if not each.passed
    ]
    assert NAME in failed


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_file_is_refused_as_a_frame_is(tmp_path, ending):
    source, target = tmp_path / f"in.{ending}", tmp_path / f"out.{ending}"
    tacita.io.write_all(
        {source: tacita.io.format_of(source)().encode(Microdata.of(pa.table(weighted())))}, public=()
    )
    plan = tacita.Plan.model_validate(
        {
            "input": {"path": source},
            "output": {"path": target},
            "roles": {"quasi": KEYS, "nominal": KEYS},
            "protect": {"method": "local-suppression", "k": 3, "options": 0},
        }
    )
    with pytest.raises(InferenceError):
        tacita.run_plan(plan)
    assert not target.exists()


def test_units_are_counted_where_they_are_named():
    frame = weighted()
    frame["unit"] = np.arange(len(frame)) // 2
    for name in (*KEYS, "weight"):
        frame[name] = frame[name].to_numpy()[frame["unit"].to_numpy() * 2]
    how = {**suppressing(), "unit": "unit", "identifiers": ["unit"]}
    problem = refused(frame, **how)
    assert max(each.exposed for each in problem.determined) > 0


def test_the_relation_of_a_changed_key_need_not_be_shown_by_any_record():
    frame = persons(5).rename(columns={"years": "age_in_years"})
    frame["age"] = frame["age_in_years"].astype(str)
    breaks = {"method": "recode", "quasi": ["age"], "breaks": [0, 20, 40, 60, 90]}
    problem = refused(frame, **breaks, nominal=["age"], measures=["NCP"])
    assert names_of(problem.determined) == {"age_in_years"}


def test_a_finer_key_at_its_own_level_undoes_a_coarser_one():
    frame = persons(7).drop(columns="years")
    frame["town"] = frame["region"] + frame["size"]
    frame["half"] = frame["region"]
    levels = {f"R{at:02}": f"Q{at // 5}" for at in range(14)}
    how = {"quasi": ["half"], "method": "recode", "map": levels, "measures": ["NCP"]}
    assert {"region", "town"} & names_of(refused(frame, **how).determined)


# numbers


@pytest.mark.parametrize(
    "how", [{"method": "mdav", "k": 3}, {"method": "noise"}, {"method": "onedims", "k": 3}]
)
def test_a_masked_number_that_a_sum_gives_back_is_refused(how):
    frame = persons(1).drop(columns="years")
    frame["benefits"] = np.random.default_rng(1).integers(0, 900, len(frame))
    frame["total"] = frame["income"] + frame["benefits"]
    problem = refused(frame, quasi=["income"], measures=["IL1"], **how)
    assert names_of(problem.determined) == {"benefits", "total"}
    assert not warned(tacita.protect(frame, quasi=["income"], measures=["IL1"], identifiers=["total"], **how))
    both = {**how, "quasi": ["income", "benefits"], "measures": ["IL1"]}
    if how["method"] == "onedims":
        # ranked by itself, a benefit is mostly shown as it was
        assert names_of(refused(frame, **both).determined) == {"benefits", "total"}
    else:
        assert not warned(tacita.protect(frame, **both))


def test_a_sum_that_some_records_break_is_found_and_a_correlation_is_not():
    rng = np.random.default_rng(2)
    a, b = rng.integers(0, 10_000, (2, 500)).astype(float)
    hidden = np.ones(500, dtype=bool)
    broken = np.where(rng.random(500) < 0.1, 0.0, a - b)
    assert relation(broken, hidden, {"a": a, "b": b}).columns == ("a", "b")
    assert relation(a + rng.normal(0, 300, 500).round(), hidden, {"a": a, "b": b}) is None


def test_a_ratio_is_found():
    rng = np.random.default_rng(3)
    income, heads = rng.integers(9_000, 90_000, 400).astype(float), rng.integers(1, 6, 400).astype(float)
    each = income / heads
    found = relation(income, np.ones(400, dtype=bool), {"each": each, "heads": heads})
    assert found.columns == ("each", "heads")
    assert found.determined.all()


# the search by itself


def target(values, hidden, fewest=1):
    values = np.asarray(values, dtype=np.int64)
    share = np.bincount(values[~hidden]) / (~hidden).sum()
    return Target("key", values, ~hidden, hidden, share, fewest)


def test_errors_in_the_data_do_not_hide_a_relation_and_chance_makes_none():
    rng = np.random.default_rng(4)
    values = rng.integers(0, 6, 4000)
    hidden = rng.random(4000) < 0.1
    codes = values * 2 + rng.integers(0, 2, 4000)
    wrong = rng.random(4000) < 0.004
    codes[wrong] = rng.integers(0, 12, int(wrong.sum()))
    found = by_groups(codes, codes, target(values, hidden), 20.0)
    assert found.sum() > 0.8 * hidden.sum()
    rare = rng.permutation(4000) // 2
    assert by_groups(rare, rare, target(values, hidden), 20.0) is None


def test_a_column_that_is_right_nine_times_in_ten_determines_nothing():
    rng = np.random.default_rng(5)
    values = rng.integers(0, 5, 5000)
    codes = np.where(rng.random(5000) < 0.9, values, rng.integers(0, 5, 5000))
    hidden = rng.random(5000) < 0.1
    assert by_groups(codes, codes, target(values, hidden), 20.0) is None


def test_an_order_gives_back_what_its_neighbours_share():
    rng = np.random.default_rng(6)
    place = rng.permutation(3000)
    values = place // 300
    hidden = rng.random(3000) < 0.2
    found = by_order(place, target(values, hidden), 20.0)
    assert found.sum() > 0.95 * hidden.sum()
    assert by_order(rng.permutation(3000), target(values, hidden), 20.0) is None


def test_pairs_that_hold_a_determining_column_are_not_named_too():
    rng = np.random.default_rng(7)
    values = rng.integers(0, 5, 2000)
    hidden = rng.random(2000) < 0.1
    other = rng.integers(0, 9, 2000)
    ((found,),) = dependences([target(values, hidden)], Known({"same": values + 3, "other": other}))
    assert found.columns == ("same",)
    assert np.array_equal(found.determined, hidden)


@pytest.mark.parametrize("pattern", ["%Y-%m-%d", "%d/%m/%Y", "%d.%m.%Y", "%Y/%m/%d"])
def test_dates_of_every_spelling_have_an_order(pattern):
    days = pd.Timestamp("1950-01-01") + pd.to_timedelta(
        np.random.default_rng(8).permutation(20_000)[:500], unit="D"
    )
    assert np.array_equal(ranks.ordered_text(pa.array(days.strftime(pattern))), np.argsort(np.argsort(days)))


def test_parts_add_what_each_of_them_found():
    one = Determined("region", (("weight",),), "suppressed", 3, 9, 1, False)
    other = Determined("region", (("town",),), "suppressed", 4, 5, None, True)
    (both,) = large_files._added([one, other])
    assert (both.cells, both.of, both.exposed, both.refused) == (7, 14, 1, True)
    assert both.columns == (("weight",), ("town",))


# numbers, by more than sums of unchanged columns


def grades(n=1500):
    """A pay that follows from the grade, hours, a bonus that most do not have, and their sum."""
    rng = np.random.default_rng(12)
    grade = rng.integers(1, 25, n)
    frame = pd.DataFrame(
        {
            "grade": [f"G{each}" for each in grade],
            "pay": 1000.0 + 137 * grade + 11 * (grade % 3),
            "hours": rng.integers(0, 60, n),
            "rate": rng.integers(10, 99, n),
            "bonus": rng.integers(1, 900, n) * (rng.random(n) < 0.3),
        }
    )
    frame["wage"] = frame["hours"] * frame["rate"]
    frame["total"] = frame["wage"] + frame["bonus"]
    return frame


MDAV = {"method": "mdav", "k": 3, "measures": ["IL1"]}


@pytest.mark.parametrize("method", ["mdav", "rank-swap"])
def test_a_total_gives_back_a_part_where_another_masked_part_is_shown_as_it_was(method):
    frame = tacita.datasets.load("household").to_pandas()
    how = {"method": method, "k": 3} if method == "mdav" else {"method": method}
    how |= {"quasi": ["wage", "transfers"], "identifiers": ["household_id", "person_id"], "measures": ["IL1"]}
    shown = tacita.protect(frame, **how, seed=2**127 + 1, accept_risks=True).data
    by_hand = shown["total_income"] - shown["self_employment"] - shown["transfers"]
    given_back = (by_hand == frame["wage"]) & (shown["wage"] != frame["wage"])
    assert given_back.sum() > 300
    problem = refused(frame, **how, seed=2**127 + 1)
    (found,) = [each for each in problem.determined if each.column == "wage"]
    assert found.columns == (("self_employment", "total_income", "transfers"),)
    assert found.cells == given_back.sum()
    # of the columns that are named, nobody is told to leave out one that is protected
    assert "Leave out total_income" in str(problem)
    # the total in the same groups is no secret kept by a part
    every = {**how, "quasi": ["wage", "transfers", "self_employment", "total_income"]}
    assert not warned(tacita.protect(frame, **every, seed=2**127 + 1))


@pytest.mark.parametrize("method", ["mdav", "noise", "rank-swap"])
def test_a_grade_that_tells_the_pay_is_refused(method):
    frame = grades()[["grade", "pay", "hours"]]
    how = {"quasi": ["pay"], "method": method, "measures": ["IL1"]} | ({"k": 3} if method == "mdav" else {})
    assert names_of(refused(frame, **how).determined) == {"grade"}
    # of one grade in two anybody may have the pay of another
    frame["grade"] = np.random.default_rng(0).permutation(frame["grade"])
    assert not warned(tacita.protect(frame, **how))


@pytest.mark.parametrize("pattern", ["%Y-%m-%d", "%d/%m/%Y", None])
@pytest.mark.parametrize("method", ["mdav", "noise"])
def test_a_masked_age_beside_a_date_of_birth_is_refused(pattern, method):
    frame = persons(5).drop(columns="health")
    days = frame["years"] * 365.25 + np.random.default_rng(5).integers(0, 365, len(frame))
    born = pd.Timestamp("2020-12-31") - pd.to_timedelta(days, unit="D")
    frame["born"] = born.dt.strftime(pattern) if pattern else born
    how = {"quasi": ["years"], "identifiers": ["age"], "method": method, "measures": ["IL1"]}
    how |= {"k": 3} if method == "mdav" else {}
    assert names_of(refused(frame, **how).determined) == {"born"}


def test_noughts_do_not_hide_a_product():
    frame = grades()[["hours", "rate", "wage"]]
    assert (frame["wage"] == 0).any()
    assert names_of(refused(frame, quasi=["wage"], **MDAV).determined) == {"hours", "rate"}


def test_gaps_of_other_columns_do_not_hide_a_sum_and_gaps_of_a_part_are_noughts():
    frame = grades()[["wage", "bonus", "total"]]
    rng = np.random.default_rng(1)
    others = pd.DataFrame(rng.integers(0, 99, (len(frame), 8)).astype(float), columns=list("abcdefgh"))
    gappy = pd.concat([frame, others.mask(rng.random(others.shape) < 0.12)], axis=1)
    (found,) = refused(gappy, quasi=["wage"], **MDAV).determined
    assert found.columns == (("bonus", "total"),)
    assert found.cells == found.of
    frame["bonus"] = frame["bonus"].astype(float).where(frame["bonus"] > 0)
    (found,) = refused(frame, quasi=["wage"], **MDAV).determined
    assert found.columns == (("bonus", "total"),)
    assert found.cells == found.of


def test_a_copy_of_some_numbers_is_warned_of_and_noughts_are_no_copy():
    rng = np.random.default_rng(2)
    wage = rng.integers(1, 90_000, 1000).astype(float)
    of_most = np.where(rng.random(1000) < 0.3, wage, rng.integers(1, 90_000, 1000))
    frame = pd.DataFrame({"wage": wage, "last_year": of_most})
    (told,) = warned(tacita.protect(frame, quasi=["wage"], **MDAV))
    assert "last_year" in told.text
    assert 200 < told.count < 400
    working = rng.random(1000) < 0.4
    frame = pd.DataFrame({"wage": wage * working, "paid_leave": rng.integers(1, 60, 1000) * working})
    assert not warned(tacita.protect(frame, quasi=["wage"], method="noise", measures=["IL1"]))
