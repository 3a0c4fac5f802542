"""Estimates of a population: against ARX where it is right, and simulated populations where it is not."""

import numpy as np
import pandas as pd
import pytest

import tacita
from reference import adult, figures, sdcmicro
from tacita.core import Comparison, Microdata, RunContext
from tacita.core.results.score import Files
from tacita.microdata.measures.risk.loglinear import fitted, goodness, risk_of_uniques
from tacita.microdata.statistics.population_uniqueness import (
    Spectrum,
    fit_pitman,
    pitman,
    slide_negative_binomial,
    zayatz,
)


def score(name, frame, **given):
    data = Microdata.of(frame)
    return tacita.get_method(name, **given).score(Comparison.of_files(Files.unprotected(data)))


def spectrum_of(told):
    classes = told["class_size_histogram"]
    sizes = np.repeat([int(size) for size in classes], list(classes.values()))
    return Spectrum.of(sizes)


@pytest.mark.parametrize("place", range(9))
def test_zayatz_and_pitman_agree_with_arx(place):
    told = figures("arx/risk.json")["quasi_sets"][place]
    spectrum = spectrum_of(told)
    assert spectrum.n == told["records"]
    for each in told["population"]:
        size = each["population_size"]
        assert zayatz(spectrum, size) == pytest.approx(each["zayatz"]["uniques"], rel=1e-6)
        if each["pitman"]["available"] and fit_pitman(spectrum).alpha > 1e-3:
            assert pitman(spectrum, size) == pytest.approx(each["pitman"]["uniques"], rel=1e-6)


def test_the_measure_is_the_estimate_of_the_file():
    told = figures("arx/risk.json")["quasi_sets"][0]
    each = told["population"][0]
    asked = {"keys": told["quasi"], "fraction": each["sampling_fraction"]}
    found = score("population_unique", adult(), **asked, model="zayatz")
    assert found.value == pytest.approx(100 * each["zayatz"]["fraction"], rel=1e-6)
    by_rule = score("population_unique", adult(), **asked)
    assert by_rule.value == pytest.approx(100 * each["dankar"]["fraction"], rel=1e-6)
    assert by_rule.reading["model"] == "pitman"
    size = {"keys": told["quasi"], "population": each["population_size"], "model": "zayatz"}
    assert score("population_unique", adult(), **size).value == pytest.approx(found.value)


def slid(rng, classes, a, b):
    """A population of the model of SNB: classes of 1 + negative binomial size."""
    return 1 + rng.negative_binomial(a, b, classes)


@pytest.mark.parametrize(("a", "b"), [(0.5, 0.05), (1.0, 0.2), (3.0, 0.4)])
@pytest.mark.parametrize("fraction", [0.2, 0.5])
def test_snb_finds_the_uniques_of_simulated_populations_of_its_model(a, b, fraction):
    rng = np.random.default_rng(11)
    true, found = [], []
    for _ in range(5):
        population = slid(rng, 20_000, a, b)
        sample = rng.binomial(population, fraction)
        true.append((population == 1).sum())
        found.append(slide_negative_binomial(Spectrum.of(sample[sample > 0]), float(population.sum())))
    assert np.mean(found) == pytest.approx(np.mean(true), rel=0.08)


def test_the_rule_takes_pitman_of_small_samples_and_the_smaller_of_the_others():
    rng = np.random.default_rng(2)
    population = slid(rng, 3000, 1.0, 0.2)
    sample = rng.binomial(population, 0.3)
    frame = pd.DataFrame({"a": np.repeat(np.arange(3000), sample)})
    each = {
        model: score("population_unique", frame, keys=["a"], fraction=0.3, model=model)
        for model in ("zayatz", "pitman", "snb", "decision")
    }
    assert each["decision"].value == min(each["zayatz"].value, each["snb"].value)
    small = score("population_unique", frame, keys=["a"], fraction=0.05)
    assert small.reading["model"] == "pitman"


def test_a_file_that_is_the_population_is_counted():
    frame = pd.DataFrame({"a": list("xxyz")})
    found = score("population_unique", frame, keys=["a"], fraction=1.0)
    assert (found.value, found.reading["model"]) == (50.0, "count")
    assert "nor the size of the population" in score("population_unique", frame, keys=["a"]).reason
    assert "smaller than the file" in score("population_unique", frame, keys=["a"], population=2).reason


# log-linear models


@pytest.mark.parametrize(("case", "model"), [("main", "independence"), ("allTwoWay", "two-way")])
def test_fitted_means_agree_with_sdcmicro(case, model):
    told = figures("r/A_sdcmicro/modrisk.json")
    name = "region+sex+ageg+edu(factor)" if case == "main" else "allTwoWay(factor)"
    frame, keys = sdcmicro("cat300"), ["region", "sex", "ageg", "edu"]
    counts = np.histogramdd(frame[keys].to_numpy(), bins=[np.arange(0.5, m + 1) for m in frame[keys].max()])[
        0
    ]
    margins = [(j,) for j in range(4)] if case == "main" else [(i, j) for j in range(4) for i in range(j)]
    means = fitted(counts, margins, RunContext())
    theirs = np.array(told[f"cat300__{name}"]["default"]["fitted"])
    assert np.sort(means.ravel()) == pytest.approx(np.sort(theirs), abs=1e-4)
    found = score("model_risk", frame, keys=keys, weight="weight", model=model)
    assert found.beside["sample_uniques"] == 103


def test_the_peer_leaves_the_sampling_fraction_out_of_its_risk():
    """sdcMicro takes (1 - pi) lambda for the mean of the others, not divided by pi; its sum by all keys."""
    told = figures("r/A_sdcmicro/modrisk.json")["cat300__region+sex+ageg+edu(factor)"]["IPF"]
    frame, keys = sdcmicro("cat300"), ["region", "sex", "ageg", "edu"]
    shares = np.prod([frame[key].map(frame[key].value_counts(normalize=True)) for key in keys], axis=0)
    classes = frame.groupby(keys)["weight"]
    alone = (classes.transform("size") == 1).to_numpy()
    means, chance = 300 * shares[alone], 1 / frame["weight"][alone].to_numpy()
    others = means * (1 - chance)
    assert np.exp(-others).sum() / classes.ngroups == pytest.approx(told["gr1"])
    assert (-np.expm1(-others) / others).sum() / classes.ngroups == pytest.approx(told["gr2"])
    found = score("model_risk", frame, keys=keys, weight="weight")
    right = means * (1 - chance) / chance
    assert found.beside["tau1"] == pytest.approx(np.exp(-right).sum())
    assert found.value == pytest.approx((-np.expm1(-right) / right).sum())


def simulated(rng, joined, n=60_000, fraction=0.05):
    """The sample of a population of three keys, two of them related if `joined`; the truth of its uniques."""
    a = rng.choice(20, n, p=(w := 1.0 / np.arange(1, 21)) / w.sum())
    b = np.where(rng.random(n) < joined, a, rng.choice(20, n, p=w / w.sum()))
    c = rng.choice(30, n, p=(v := 1.0 / np.arange(1, 31)) / v.sum())
    key = (a * 20 + b) * 30 + c
    whole = np.bincount(key, minlength=12_000)
    drawn = rng.random(n) < fraction
    shown = np.bincount(key[drawn], minlength=12_000)
    alone = shown == 1
    frame = pd.DataFrame({"a": a[drawn], "b": b[drawn], "c": c[drawn]})
    return frame, int((whole[alone] == 1).sum()), float((1 / whole[alone]).sum())


def test_the_model_finds_the_uniques_of_simulated_populations_and_the_peers_formula_does_not():
    rng = np.random.default_rng(4)
    ours, peers, true = [], [], []
    for _ in range(5):
        frame, _, linked = simulated(rng, joined=0.0)
        found = score("model_risk", frame, keys=["a", "b", "c"], fraction=0.05)
        ours.append(found.value)
        true.append(linked)
        shares = np.prod([frame[k].map(frame[k].value_counts(normalize=True)) for k in "abc"], axis=0)
        alone = (frame.groupby(["a", "b", "c"])["a"].transform("size") == 1).to_numpy()
        others = len(frame) * shares[alone] * 0.95
        peers.append((-np.expm1(-others) / others).sum())
        assert abs(found.beside["fit"]) < 3.5
    assert np.mean(ours) == pytest.approx(np.mean(true), rel=0.1)
    assert np.mean(peers) > 3 * np.mean(true)


def test_the_test_of_fit_sees_terms_that_lack():
    rng = np.random.default_rng(5)
    frame, _, _ = simulated(rng, joined=0.6)
    asked = {"keys": ["a", "b", "c"], "fraction": 0.05, "tau": "tau1"}
    poor = score("model_risk", frame, **asked)
    good = score("model_risk", frame, **asked, terms=["a*b"])
    assert poor.beside["fit"] > 3.5
    assert poor.reading["fit"].startswith("under-fitted")
    assert good.reading["fit"] == "no fault of fit is seen"


def test_the_statistic_of_fit_is_a_standard_normal_one_where_the_model_holds():
    rng = np.random.default_rng(6)
    means = rng.gamma(0.5, 1.0, size=4000)
    drawn = [goodness(rng.poisson(means).astype(float), means, 0.1).statistic for _ in range(400)]
    assert abs(np.mean(drawn)) < 0.2
    assert np.std(drawn) == pytest.approx(1, abs=0.15)


def test_the_risk_of_a_unique_is_that_of_simulated_others():
    rng = np.random.default_rng(8)
    means, chance = np.array([0.2, 1.0, 3.0]), np.array([0.3, 0.5, 0.8])
    alone, linked = risk_of_uniques(means, chance)
    others = rng.poisson(means * (1 - chance) / chance, size=(200_000, 3))
    assert (others == 0).mean(axis=0) == pytest.approx(alone, abs=0.005)
    assert (1 / (1 + others)).mean(axis=0) == pytest.approx(linked, abs=0.005)
    assert risk_of_uniques(means, np.ones(3))[1].tolist() == [1, 1, 1]


def test_what_a_model_cannot_be_fitted_to_has_a_reason():
    frame = pd.DataFrame({"a": list("xxy"), "b": list("pqr")})
    assert "neither weights nor" in score("model_risk", frame, keys=["a"]).reason
    found = score("model_risk", frame, keys=["a", "b"], fraction=0.1, terms=["a*z"])
    assert "the terms name z, which is no key" in found.reason
    wide = pd.DataFrame({f"c{j}": np.arange(300) for j in range(4)})
    assert "combinations, more than" in score("model_risk", wide, keys=list(wide), fraction=0.1).reason
