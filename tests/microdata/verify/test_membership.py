"""Claims of a synthesis that say more than its halves show, and promises that forget units."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import tacita
from planting import cell, failed, judge
from seeds import SEED

N = 1_200


def table():
    rng = np.random.default_rng(2)
    home = np.repeat(np.arange(N // 3), 3)
    sex = rng.choice(["f", "m"], N)
    # three households of three persons each have a label; ten of three have a number each
    sex[:9] = "x"
    income = np.round(rng.lognormal(9, 0.5, N // 3))[home]
    return pa.table(
        {
            "home": [f"h{i}" for i in home],
            "sex": sex,
            "age": rng.integers(0, 40, N),
            "income": income,
            "region": np.array(["north", "south"])[home % 2],
        }
    )


@pytest.fixture(scope="module")
def sound():
    return tacita.synthesize(
        table(),
        dependent=["sex", "age", "income"],
        nominal=["sex"],
        strata=["region"],
        unit="home",
        identifiers=["home"],
        method="copula",
        k=5,
        accept_risks=True,
        seed=SEED,
        measures=["IL1"],
    )


@pytest.fixture(scope="module")
def within(sound):
    """The same with a limit that its halves keep, and the promise."""
    assert sound.record.steps[0].search["membership"]["outcome"] in ("within", "above")
    promised = tuple(dict.fromkeys((*sound.claim.guarantees, "membership-bounded")))
    return replace(sound.claim, guarantees=promised, terms={**sound.claim.terms, "max_advantage": 99.0})


def halves(claim, **changed):
    return replace(claim, terms={**claim.terms, "halves": {**claim.terms["halves"], **changed}})


def all_back(claim):
    told = claim.terms["halves"]
    pairs = zip(told["members"], told["judged"], strict=True)
    return halves(claim, found=tuple(told["unique"] & part & half for half, part in pairs))


def flipped(mask, *rows):
    other = mask.copy()
    other[list(rows)] = ~other[list(rows)]
    return other


def on_first(claim, name, change):
    first, *others = claim.terms["halves"][name]
    return halves(claim, **{name: (change(first), *others)})


def not_compared(claim):
    return int(np.flatnonzero(~claim.terms["halves"]["unique"])[0])


CLAIMS = {
    "members that all come back": lambda claim: replace(
        all_back(claim), terms={**all_back(claim).terms, "max_advantage": 50.0}
    ),
    "a limit under the interval": lambda claim: replace(claim, terms={**claim.terms, "max_advantage": -99.0}),
    "no halves": lambda claim: replace(claim, terms={"max_advantage": 3.0}),
    "no limit": lambda claim: replace(claim, terms={"halves": claim.terms["halves"]}),
    "four halvings": lambda claim: halves(
        claim, **{name: claim.terms["halves"][name][:4] for name in ("members", "judged", "found")}
    ),
    "a halving without what was found": lambda claim: halves(
        claim, found=claim.terms["halves"]["found"][:-1]
    ),
    "a household on both sides": lambda claim: on_first(claim, "members", lambda half: flipped(half, 0)),
    "one side larger": lambda claim: on_first(claim, "members", lambda half: half | (np.arange(N) < N // 2)),
    "a stratum judged in part": lambda claim: on_first(claim, "judged", lambda part: flipped(part, 5)),
    "nothing judged": lambda claim: on_first(
        on_first(claim, "judged", np.zeros_like), "found", np.zeros_like
    ),
    "a record that is not unique": lambda claim: halves(
        claim, unique=flipped(claim.terms["halves"]["unique"], not_compared(claim))
    ),
    "a unique one left out": lambda claim: halves(
        claim, unique=claim.terms["halves"]["unique"] & (np.cumsum(claim.terms["halves"]["unique"]) != 1)
    ),
    "one found that was not compared": lambda claim: on_first(
        claim, "found", lambda found: flipped(found, not_compared(claim))
    ),
    "halves of other records": lambda claim: halves(claim, unique=claim.terms["halves"]["unique"][1:]),
}


@pytest.mark.parametrize("form", ["pyarrow", "csv", "parquet"])
def test_halves_as_they_were_pass(form, sound, within):
    assert not failed(judge(form, sound.data, within))


@pytest.mark.parametrize("case", CLAIMS)
def test_halves_that_do_not_bear_out_the_promise_are_found(case, sound, within):
    assert "membership-bounded" in failed(judge("pyarrow", sound.data, CLAIMS[case](within)))


def test_a_label_of_nine_persons_in_three_households_is_found(sound):
    assert "x" not in sound.data["sex"].to_pylist()
    row = next(i for i, region in enumerate(sound.data["region"].to_pylist()) if region == "north")
    assert "labels-shared" in failed(
        judge("pyarrow", cell("sex", row, "x")(sound.data, sound.claim), sound.claim)
    )


def test_a_number_beyond_the_mean_of_k_households_is_found(sound):
    incomes = {}
    for home, income, region in zip(
        *(table()[name].to_pylist() for name in ("home", "income", "region")), strict=True
    ):
        if region == "north":
            incomes[home] = income
    highest = sorted(incomes.values())[-5:]
    # the mean of the two largest households, six records, is above that of five households
    beyond = float(np.mean([highest[-1]] * 3 + [highest[-2]] * 2))
    row = next(i for i, region in enumerate(sound.data["region"].to_pylist()) if region == "north")
    for value, wrong in ((beyond, True), (float(np.mean(highest)), False)):
        broken = failed(judge("pyarrow", cell("income", row, value)(sound.data, sound.claim), sound.claim))
        assert ("extremes-hidden" in broken) == wrong
