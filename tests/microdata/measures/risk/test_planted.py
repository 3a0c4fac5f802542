"""Files that keep each limit of keys, and the same files with one fault planted: all are caught."""

import numpy as np
import pandas as pd
import pytest

import tacita

KEYS = ["a", "b"]


def sound(seed):
    """Twelve classes of eight to fourteen records, each with all four answers, of twelve homes."""
    rng = np.random.default_rng(seed)
    rows = [
        (f"a{i % 4}", f"b{i // 4}", "pqrs"[j % 4], 20.0 + rng.random(), f"h{j}")
        for i in range(12)
        for j in range(int(rng.integers(8, 15)))
    ]
    frame = pd.DataFrame(rows, columns=["a", "b", "ill", "w", "home"])
    return frame.sample(frac=1, random_state=seed).reset_index(drop=True)


def alone(frame):
    frame.loc[0, "a"] = "nobody else"
    return frame


def alone_by_one_letter(frame):
    frame.loc[3, "b"] = frame.loc[3, "b"] + " "
    return frame


def gap(frame):
    frame.loc[5, "a"] = None
    return frame


def one_answer(frame):
    one = (frame["a"] == "a1") & (frame["b"] == "b2")
    frame.loc[one, "ill"] = "p"
    return frame


def light(frame):
    one = (frame["a"] == "a2") & (frame["b"] == "b0")
    frame.loc[one, "w"] = 1.0
    return frame


def one_home(frame):
    one = (frame["a"] == "a3") & (frame["b"] == "b1")
    frame.loc[one, "home"] = "h0"
    return frame


def few(frame):
    one = frame.index[(frame["a"] == "a0") & (frame["b"] == "b0")]
    return frame.drop(one[2:]).reset_index(drop=True)


SENSITIVE = {"column": "ill"}
FAULTS = {
    "k_anonymity": ({"k": 8}, (alone, alone_by_one_letter, gap, few)),
    "all_m": ({"k": 20, "m": 1}, (alone, alone_by_one_letter, gap)),
    "sample_uniques": ({"limit": 0.5}, (alone, alone_by_one_letter, gap)),
    "l_diversity": ({"l": 4, **SENSITIVE}, (alone, gap, one_answer, few)),
    "l_diversity entropy": ({"l": 3.5, "kind": "entropy", **SENSITIVE}, (alone, gap, one_answer, few)),
    "l_diversity recursive": ({"l": 3, "kind": "recursive", "c": 2, **SENSITIVE}, (alone, one_answer, few)),
    "alpha_k": ({"alpha": 0.5, "k": 8, **SENSITIVE}, (alone, gap, one_answer, few)),
    "t_closeness": ({"t": 0.3, **SENSITIVE}, (alone, gap, one_answer, few)),
    "t_closeness ordered": (
        {"t": 0.3, "kind": "ordered", "order": list("pqrs"), **SENSITIVE},
        (alone, one_answer),
    ),
    "t_closeness tree": (
        {"t": 0.3, "kind": "hierarchical", "tree": {"x": ["p", "q"], "y": ["r", "s"]}, **SENSITIVE},
        (alone, one_answer),
    ),
    "beta_likeness": ({"beta": 0.8, **SENSITIVE}, (alone, gap, one_answer, few)),
    "delta_disclosure": ({"delta": 0.9, **SENSITIVE}, (alone, gap, one_answer)),
    "attribute_disclosure": ({"limit": 0.5, **SENSITIVE}, (alone, gap, one_answer)),
    "individual_risk_max": ({"limit": 0.02, "weight": "w"}, (alone, gap, light, few)),
    "prosecutor_risk": ({"limit": 0.125}, (alone, alone_by_one_letter, gap, few)),
    "journalist_risk": ({"limit": 0.01, "weight": "w"}, (alone, gap, light, few)),
    "population_unique": ({"limit": 0.01, "fraction": 0.1}, (alone, alone_by_one_letter, gap)),
    "model_risk": ({"limit": 0.0001, "fraction": 0.5}, (alone, alone_by_one_letter, gap)),
    "suda2": ({"limit": 0.001, "fraction": 0.5, "size": 2}, (alone, alone_by_one_letter)),
}
CASES = [(name, fault, seed) for name, (_, faults) in FAULTS.items() for fault in faults for seed in range(3)]


@pytest.mark.parametrize(
    ("name", "fault", "seed"), CASES, ids=[f"{name}-{fault.__name__}-{seed}" for name, fault, seed in CASES]
)
def test_a_planted_fault_is_caught(name, fault, seed):
    limits = {name.split()[0]: {"keys": KEYS, **FAULTS[name][0]}}
    frame = sound(seed)
    (kept,) = tacita.check_requirements(frame, limits)
    assert kept.passed, kept.detail
    frame = fault(frame)
    (verdict,) = tacita.check_requirements(frame, limits)
    assert not verdict.passed
    assert "nobody else" not in verdict.detail
    assert str(len(frame)) in verdict.detail or "cannot be computed" in verdict.detail


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("missing_as", ["category", "wildcard"])
def test_records_of_one_home_are_caught_where_units_count(seed, missing_as):
    limits = {"k_anonymity": {"k": 8, "keys": KEYS, "unit": "home", "missing_as": missing_as}}
    frame = sound(seed)
    assert tacita.check_requirements(frame, limits)[0].passed
    assert not tacita.check_requirements(one_home(frame), limits)[0].passed


@pytest.mark.parametrize("seed", range(8))
def test_a_withheld_town_of_few_is_caught_although_patterns_match_everybody(seed):
    """Everyone of one class is shown without a: as patterns they match many, for who knows a they are few."""
    before = few(sound(seed))
    after = before.copy()
    after.loc[(before["a"] == "a0") & (before["b"] == "b0"), "a"] = None
    rest = (before["a"] == "a0") & (before["b"] != "b0")
    after.loc[rest, "b"] = "other"
    before.loc[rest, "b"] = "other"
    rule = {"k_anonymity": {"k": 3, "keys": KEYS, "missing_as": "wildcard"}}
    assert tacita.check_requirements(after, rule)[0].passed
    (attacked,) = tacita.check_requirements(after, rule, original=before, quasi=KEYS, nominal=KEYS)
    assert attacked.detail.startswith("2 of ")
