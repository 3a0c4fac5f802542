"""Special uniques: against a look at every set of columns, and sdcMicro."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita
from effort import MANY
from reference import figures, reference, sdcmicro
from tacita.core import Comparison, Microdata
from tacita.core.results.score import Files
from tacita.microdata.measures.risk.keys import codes_of
from tacita.microdata.measures.risk.suda import disclosure_scores, special_uniques
from twins import keys as twin


@MANY
@given(
    seed=st.integers(0, 100_000),
    n=st.integers(1, 40),
    d=st.integers(1, 6),
    most=st.integers(1, 6),
    gaps=st.sampled_from([0.0, 0.2]),
)
def test_scores_are_those_of_a_look_at_every_set_of_columns(seed, n, d, most, gaps):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, rng.integers(1, 5, size=d) + 1, size=(n, d))
    codes[rng.random((n, d)) < gaps] = -1
    most = min(most, d)
    found = special_uniques(codes, most)
    sets = twin.minimal_uniques(codes, most)
    weights = [[twin.suda_weight(d, len(each), most) for each in of_row] for of_row in sets]
    assert found.score.tolist() == [sum(own) for own in weights]
    assert found.minimal == sum(map(len, sets))
    for j in range(d):
        by_key = [
            sum(w for each, w in zip(of_row, own, strict=True) if j in each)
            for of_row, own in zip(sets, weights, strict=True)
        ]
        assert found.by_key[:, j].tolist() == by_key
        for value, part in enumerate(found.by_value[j]):
            assert part == sum(w for row, w in enumerate(by_key) if codes[row, j] == value)


CASES = ["suda150_0.01", "suda150_na_0.01", "suda150_0.1", "suda150_na_0.1", "suda150_0.5", "suda150_na_0.5"]


@pytest.mark.parametrize(
    "case",
    [*CASES, "suda150_0.1_3vars", "suda150_0.1_2vars", "testdata2_0.01", "francdat_0.1", "testdata_0.1"],
)
def test_scores_and_contributions_agree_with_sdcmicro(case):
    told = figures("r/A_sdcmicro/suda2.json")[case]
    frame = sdcmicro(case.rsplit("_", 1)[0] if "vars" not in case else "suda150")
    keys = told["vars"]
    asked = {"keys": keys, "size": len(keys), "fraction": told["DisFraction"]}
    data = Microdata.of(frame)
    found = tacita.get_method("suda2", **asked).score(Comparison.of_files(Files.unprotected(data)))
    # sdcMicro computes with numbers of seven digits
    assert found.per_record == pytest.approx(np.array(told["disScore"]), abs=2e-7)
    uniques = special_uniques(codes_of(data, keys), len(keys))
    if "3vars" not in case and "2vars" not in case:
        assert uniques.score == pytest.approx(np.array(told["score"]))
    shares = told["attribute_contributions"]["contribution"]
    assert list(found.per_attribute.values()) == pytest.approx(shares, rel=1e-6)
    levels = told["attribute_level_contributions"]
    for key, by_value in zip(keys, uniques.by_value, strict=True):
        theirs = [c for v, c in zip(levels["variable"], levels["contribution"], strict=True) if v == key]
        ours = 100 * by_value[by_value > 0] / by_value.sum()
        assert sorted(ours) == pytest.approx(sorted(c for c in theirs if c), rel=1e-6)


def test_the_scores_of_ten_thousand_records_sum_up_to_sdcmicros():
    frame = pd.read_csv(reference("r/G_timing/keys8_10000.csv.gz"))
    codes = codes_of(Microdata.of(frame), [f"k{j}" for j in range(1, 9)])
    assert special_uniques(codes, 8).total == 364_706


def test_without_pairs_every_special_record_is_certain():
    scores = np.array([2.0, 0.0, 1.0])
    assert disclosure_scores(scores, np.array([1, 3, 1]), 4, 0.1).tolist() == [1, 0, 1]
    assert disclosure_scores(np.zeros(3), np.array([3, 3, 3]), 4, 0.1).tolist() == [0, 0, 0]


def test_a_missing_key_makes_nothing_unique_and_hides_nobody():
    codes = np.array([[0, -1], [0, 1], [1, 1], [1, 1]])
    found = special_uniques(codes, 2)
    # the first record has one item, which the second has too; the second is alone with both
    assert found.score.tolist() == [0, 1, 0, 0]


def test_what_no_set_of_three_keys_tells_apart_scores_nothing_at_size_three():
    frame = pd.DataFrame(np.array([[i >> j & 1 for j in range(4)] for i in range(16)]), columns=list("abcd"))
    data = Comparison.of_files(Files.unprotected(Microdata.of(frame)))
    assert tacita.get_method("suda2", keys=list("abcd"), fraction=0.1).score(data).value == 0
    assert tacita.get_method("suda2", keys=list("abcd"), fraction=0.1, size=4).score(data).value > 0
