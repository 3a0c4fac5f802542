"""Records of a sample: individual, household and global risk, attackers, column sets; truth and peers."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita
from reference import adult, figures, sdcmicro
from tacita.core import Comparison, DataError, Microdata, Roles
from tacita.core.results.score import Files
from tacita.microdata.measures.risk.columns import column_sets
from tacita.microdata.measures.risk.individual import mean_inverse
from tacita.microdata.measures.risk.keys import KeyTable


def score(name, frame, **given):
    data = Microdata.of(frame)
    return tacita.get_method(name, **given).score(Comparison.of_files(Files.unprotected(data)))


# the formula


def test_the_individual_risk_is_the_true_one_of_forty_digits():
    truth = figures("r/A_sdcmicro/indivrisk_truth.json")
    f, p = np.array(truth["fk"]), np.array(truth["pk"])
    assert mean_inverse(f, p) == pytest.approx(np.array(truth["risk"]), rel=1e-12)


@pytest.mark.parametrize("case", ["cat300", "francdat", "testdata2", "free1"])
def test_the_individual_risk_of_whole_files_is_the_true_one(case):
    truth = figures("r/A_sdcmicro/indivrisk_truth.json")[case]
    counted = figures("r/A_sdcmicro/freqcalc.json")[case]
    if case == "free1":
        # its records are not at hand, but their f and F are
        f = np.array(counted["alpha_1"]["fk"])
        ours = mean_inverse(f, f / np.array(counted["alpha_1"]["Fk"]))
    else:
        asked = {"keys": counted["keys"], "weight": counted["weight"]}
        ours = score("individual_risk", sdcmicro(case), **asked).per_record
        assert score("global_risk", sdcmicro(case), **asked).value == pytest.approx(truth["sum"], rel=1e-9)
    assert ours == pytest.approx(np.array(truth["risk"]), rel=1e-9)


def test_the_peers_exact_sum_cancels_and_its_approximation_is_off():
    told, truth = (figures(f"r/A_sdcmicro/{name}.json") for name in ("indivrisk", "indivrisk_truth"))
    f, p, risk = (np.array(truth[name]) for name in ("fk", "pk", "risk"))
    exact = np.array([np.nan if r is None else r for r in told["grid"]["exact"]], dtype=float)
    approx = np.array(told["grid"]["approx"])
    wrong = ~(np.abs(exact / risk - 1) < 0.01)
    assert wrong.any()
    assert (exact[wrong] < 0).any()
    assert (p[wrong] >= 0.8).all()
    assert 0.01 < np.abs(approx / risk - 1).max() < 0.04
    assert np.abs(mean_inverse(f, p) / risk - 1).max() < 1e-12


@given(f=st.integers(1, 5000), p=st.floats(1e-9, 1.0), q=st.floats(1e-9, 1.0))
def test_the_risk_lies_between_its_bounds_and_falls_as_the_population_grows(f, p, q):
    few, many = sorted((p, q))
    low, high = mean_inverse(np.array([f, f]), np.array([few, many]))
    assert few / f <= low <= high * (1 + 1e-13)
    assert high <= 1 / f


def test_the_formula_is_the_mean_of_simulated_populations():
    """F given f is f and a negative binomial number of failures before f successes."""
    rng = np.random.default_rng(7)
    for f, p in ((1, 0.05), (3, 0.2), (12, 0.7)):
        population = f + rng.negative_binomial(f, p, 400_000)
        (risk,) = mean_inverse(np.array([f]), np.array([p]))
        spread = (1 / population).std() / np.sqrt(population.size)
        assert abs((1 / population).mean() - risk) < 5 * spread


# households and the whole file


def test_households_agree_with_sdcmicro_but_for_its_approximation():
    told, frame = figures("r/A_sdcmicro/measure_risk.json")["cat300_w_hid"], sdcmicro("cat300")
    asked = {"keys": ["region", "sex", "ageg", "edu"], "weight": "weight"}
    found = score("household_risk", frame, **asked, unit="hid")
    whole = score("global_risk", frame, **asked)
    # the peer's own risks, put together by our rule, are the peer's figure
    risks = pd.Series(told["risk"])
    home = 1 - (1 - risks).groupby(frame["hid"]).transform("prod")
    assert home.sum() == pytest.approx(told["hier_risk_ER"], rel=1e-9)
    assert found.value == pytest.approx(told["hier_risk"], rel=0.02)
    assert whole.value == pytest.approx(told["global_risk_ER"], rel=0.02)
    assert whole.beside["share"] == pytest.approx(told["global_risk_pct"], rel=0.02)


def test_without_weights_a_file_is_its_own_population():
    told = figures("r/A_sdcmicro/measure_risk.json")["cat300_noweight_hid"]
    asked = {"keys": ["region", "sex", "ageg", "edu"]}
    found = score("household_risk", sdcmicro("cat300"), **asked, unit="hid")
    assert found.value == pytest.approx(told["hier_risk"])
    assert found.reading["population"].startswith("the file itself")
    assert score("global_risk", sdcmicro("cat300"), **asked).value == pytest.approx(told["global_risk_ER"])


def test_a_household_is_found_if_anybody_of_it_is():
    frame = pd.DataFrame({"a": list("xxyz"), "home": [1, 2, 1, 2]})
    found = score("household_risk", frame, keys=["a"], unit="home")
    # y and z are alone, each in one home
    assert found.per_record.tolist() == [1, 1, 1, 1]
    assert score("household_risk", frame, keys=["a"]).per_record.tolist() == [0.5, 0.5, 1, 1]


@pytest.mark.parametrize("weights", [[1.0, None, 3.0], [1.0, 0.0, 3.0], [1.0, -2.0, 3.0]])
def test_weights_that_stand_for_nobody_are_refused_with_their_number(weights):
    frame = pd.DataFrame({"a": list("xxy"), "w": weights})
    for name in ("individual_risk", "journalist_risk", "population_unique", "suda2", "model_risk"):
        found = score(name, frame, keys=["a"], weight="w")
        assert found.reason == "the weight of 1 records is missing or not above 0"


def test_the_largest_individual_risk_can_be_required():
    frame = pd.DataFrame({"a": list("xxxy"), "w": [10.0] * 4})
    (verdict,) = tacita.check_requirements(
        frame, {"individual_risk_max": {"limit": 0.1, "keys": ["a"], "weight": "w"}}
    )
    assert verdict.detail == "1 of 4 records have an individual risk above 0.1 by a (most: 0.255843)"
    (kept,) = tacita.check_requirements(
        frame, {"individual_risk_max": {"limit": 0.26, "keys": ["a"], "weight": "w"}}
    )
    assert kept.passed


# attackers, by ARX


@pytest.mark.parametrize("place", range(9))
def test_attackers_and_uniques_agree_with_arx(place):
    told = figures("arx/risk.json")["quasi_sets"][place]
    asked = {"keys": told["quasi"]}
    prosecutor = score("prosecutor_risk", adult(), **asked)
    assert prosecutor.value == pytest.approx(told["prosecutor"]["highest"])
    assert prosecutor.per_record.min() == pytest.approx(told["prosecutor"]["lowest"])
    assert prosecutor.beside["at_risk"] == pytest.approx(100 * told["prosecutor"]["records_at_risk"])
    assert prosecutor.beside["success"] == pytest.approx(100 * told["prosecutor"]["success_rate"])
    assert score("journalist_risk", adult(), **asked).value == pytest.approx(told["journalist"]["highest"])
    assert score("marketer_risk", adult(), **asked).value == pytest.approx(told["marketer_success_rate"])
    uniques = score("sample_uniques", adult(), **asked)
    assert uniques.value == pytest.approx(100 * told["sample_uniques_fraction"])
    assert uniques.beside["uniques"] == told["sample_uniques"]


def test_all_sets_of_columns_are_as_distinct_and_separate_as_arx_finds_them():
    told = figures("arx/risk.json")["attribute_sets"][0]["sets"]
    table = KeyTable.of(Files(Microdata.of(adult())), list(adult().columns))
    ours = {frozenset(each.columns): each for each in column_sets(table, 511)}
    assert len(ours) == len(told) == 511
    for each in told:
        found = ours[frozenset(each["attributes"])]
        assert found.distinction == pytest.approx(each["distinction"], rel=1e-9)
        assert found.separation == pytest.approx(each["separation"], rel=1e-9)


def test_separation_is_the_share_of_pairs_that_differ():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"a": rng.integers(0, 3, 30), "b": rng.integers(0, 2, 30)})
    rows = list(frame.itertuples(index=False))
    apart = [rows[i] != rows[j] for i in range(30) for j in range(i)]
    assert score("separation", frame, keys=["a", "b"]).value == pytest.approx(np.mean(apart))
    assert score("distinction", frame, keys=["a", "b"]).value == len(set(rows)) / 30


def test_journalists_and_marketers_count_the_population():
    frame = pd.DataFrame({"a": list("xxy"), "w": [4.0, 6.0, 2.0]})
    assert score("journalist_risk", frame, keys=["a"], weight="w").per_record.tolist() == [0.1, 0.1, 0.5]
    assert score("marketer_risk", frame, keys=["a"], weight="w").value == pytest.approx(0.7 / 3)


def test_roles_name_weight_and_keys_where_nothing_else_does():
    frame = pd.DataFrame({"a": list("xxy"), "w": [4.0, 6.0, 2.0]})
    data = Microdata.of(frame).with_roles(Roles(quasi="a", nominal="a", weight="w"))
    found = tacita.get_method("journalist_risk").score(Comparison.of_files(Files.unprotected(data)))
    assert found.value == 0.5
    assert found.reading == {"missing_as": "category", "population": "weight w"}


def test_a_column_that_is_not_there_is_no_unit():
    with pytest.raises(DataError, match="no column nowhere"):
        KeyTable.of(Files(Microdata.of(pd.DataFrame({"a": [1]}))), ["a"]).units_of("nowhere")
