"""Tables of noise are those of ptable, and keep their conditions whatever is asked."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import figures
from tacita.core import ParameterError
from tacita.tables.adjustment.noise import noise_table

PTABLE = "r/D_cellkey/ptable_counts.json"
TRUTH = "r/D_cellkey/ptable_truth.json"
SIZES = "r/D_cellkey/ptable_nums.json"


def asked(params):
    told = {"largest": params["D"], "variance": params["V"], "hidden": params.get("js", 0)}
    if "mono" in params:
        told["monotone"] = params["mono"]
    if "pstay" in params:
        told["stay"] = params["pstay"]
    if params.get("optim") == 4:
        told["exact_variance"] = True
    return told


def rows(table):
    return {count: table.row(place) for place, count in enumerate(table.counts.tolist())}


def test_every_table_of_ptable_is_met_and_every_refusal_too():
    cases = figures(PTABLE)
    assert len(cases) == 32
    for case in cases:
        if "error" in case:
            with pytest.raises(ParameterError, match="CellKey: no noise of variance"):
                noise_table(**asked(case["params"]))
            continue
        ours, theirs = rows(noise_table(**asked(case["params"]))), case["pTable"]
        for count in sorted(set(theirs["i"])):
            here = [at for at, each in enumerate(theirs["i"]) if each == count]
            changes, p = ours[count]
            assert changes.tolist() == [theirs["v"][at] for at in here]
            # ptable itself is off the optimum by as much
            np.testing.assert_allclose(p, [theirs["p"][at] for at in here], atol=1.1e-7, rtol=0)


def test_rows_solved_independently_are_met_to_seven_digits():
    for case in figures(TRUTH):
        ours = rows(noise_table(**asked(case["params"])))
        for row in case["rows"]:
            changes, p = ours[row["i"]]
            assert changes.tolist() == row["v"]
            np.testing.assert_allclose(p, row["p"], atol=1e-7, rtol=0)


def test_tables_for_magnitudes_are_met_to_seven_digits():
    for case in figures(SIZES):
        params, theirs = case["params"], case["pTable"]
        ours = rows(noise_table(params["D"], params["V"], parts=params["step"], counts=params["icat"]))
        for count in params["icat"]:
            here = [at for at, each in enumerate(theirs["i"]) if each == count]
            np.testing.assert_allclose(ours[count][1], [theirs["p"][at] for at in here], atol=1e-7, rtol=0)
            np.testing.assert_allclose(ours[count][0], [theirs["v"][at] for at in here], atol=1e-12)


@given(
    largest=st.integers(1, 12),
    hidden=st.integers(0, 4),
    variance=st.floats(0.2, 30, allow_nan=False),
    monotone=st.booleans(),
)
def test_rows_add_up_are_unbiased_and_within_their_variance(largest, hidden, variance, monotone):
    try:
        table = noise_table(largest, variance, hidden, monotone=monotone)
    except ParameterError:
        # too little noise to leap over what is hidden, or none that reaches over it
        least = max((i * (hidden + 1 - i) for i in range(1, hidden + 1)), default=0)
        assert variance <= least + 0.5 or largest <= hidden + 1
        return
    for count, (changes, p) in rows(table).items():
        assert abs(p.sum() - 1) < 1e-12
        assert abs(p @ changes) < 1e-12
        assert p @ changes**2 <= variance * (1 + 1e-9)
        assert (p > 0).all()
        results = count + changes
        assert (results >= 0).all()
        assert not ((results >= 1) & (results <= hidden)).any()
        below = p[changes <= 0] if (changes == 0).any() and monotone else p[:1]
        assert (np.diff(below) >= -1e-12).all()


@pytest.mark.parametrize(("largest", "variance", "hidden"), [(3, 1.0, 0), (5, 3.0, 2), (4, 2.0, 1)])
def test_no_shift_of_probability_that_keeps_the_conditions_has_more_entropy(largest, variance, hidden):
    rng = np.random.default_rng(1)
    for count, (changes, p) in rows(noise_table(largest, variance, hidden, monotone=False)).items():
        if count == 0 or p.size < 4:
            continue
        conditions = np.array([np.ones(p.size), changes, changes**2])
        free = np.linalg.svd(conditions)[2][3:]
        for _ in range(20):
            other = p + 1e-4 * rng.normal(size=len(free)) @ free
            if (other > 0).all():
                assert -(other * np.log(other)).sum() <= -(p * np.log(p)).sum() + 1e-12
