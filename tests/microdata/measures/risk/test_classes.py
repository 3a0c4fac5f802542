"""Classes of equal keys: against pycanon, sdcMicro, plain twins, and the laws that tie the models."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pycanon import anonymity

import tacita
from reference import figures, sdcmicro
from tacita.core import Comparison, Microdata, ParameterError, Roles
from tacita.core.results.score import Files
from tacita.microdata.measures.risk.compatible import compatible_units, compatible_weight
from tacita.microdata.measures.risk.keys import KeyTable
from twins import keys as twin

KEYS = ["a", "b", "c"]


def unprotected(frame, **roles):
    data = Microdata.of(frame)
    return Files.unprotected(data.with_roles(Roles(**roles)) if roles else data)


def score(name, frame, **given):
    files = frame if isinstance(frame, Files) else unprotected(frame)
    return tacita.get_method(name, **given).score(Comparison.of_files(files))


def records(seed, n=60, values=4):
    rng = np.random.default_rng(seed)
    drawn = {key: rng.integers(0, 1 + j, n) for j, key in enumerate(KEYS)}
    ill = rng.choice(list("pqrstuv")[:values], n, p=rng.dirichlet(np.ones(values)))
    return pd.DataFrame({**drawn, "ill": ill, "wage": rng.integers(1, values + 1, n)})


# pycanon


@pytest.mark.parametrize("seed", range(12))
def test_the_family_agrees_with_pycanon(seed):
    frame = records(seed)
    asked = {"keys": KEYS, "column": "ill"}
    assert score("k_anonymity", frame, keys=KEYS).value == anonymity.k_anonymity(frame, KEYS)
    assert score("l_diversity", frame, **asked).value == anonymity.l_diversity(frame, KEYS, ["ill"])
    entropy = score("l_diversity", frame, **asked, kind="entropy").value
    # pycanon cuts to whole numbers
    assert int(entropy + 1e-9) == anonymity.entropy_l_diversity(frame, KEYS, ["ill"])
    alpha, _ = anonymity.alpha_k_anonymity(frame, KEYS, ["ill"])
    assert score("alpha_k", frame, **asked, k=1).value == pytest.approx(alpha)
    assert score("t_closeness", frame, **asked).value == pytest.approx(
        anonymity.t_closeness(frame, KEYS, ["ill"])
    )
    ordered = score("t_closeness", frame, keys=KEYS, column="wage", kind="ordered").value
    assert ordered == pytest.approx(anonymity.t_closeness(frame, KEYS, ["wage"]))
    assert score("beta_likeness", frame, **asked).value == pytest.approx(
        anonymity.basic_beta_likeness(frame, KEYS, ["ill"])
    )
    assert score("delta_disclosure", frame, **asked).value == pytest.approx(
        anonymity.delta_disclosure(frame, KEYS, ["ill"])
    )


def test_pycanon_calls_recursive_what_is_not():
    """It sorts counts from the rarest: r1 is then the least, and a class where one value dominates passes."""
    frame = pd.DataFrame({"a": ["x"] * 12, "b": "y", "c": "z", "ill": ["p"] * 10 + ["q", "r"]})
    c, least = anonymity.recursive_c_l_diversity(frame, KEYS, ["ill"])
    assert (c, least) == (1, 3)
    # r1 = 10 is not below 1 * r3 = 1, nor below 2
    assert score("l_diversity", frame, keys=KEYS, column="ill", kind="recursive", c=2).value == 1
    assert score("l_diversity", frame, keys=KEYS, column="ill", kind="recursive", c=10.5).value == 3


def test_pycanon_calls_enhanced_what_is_not():
    """A frequent value becomes certain: its gain is above -ln p, so that no beta holds."""
    frame = pd.DataFrame({"a": list("xxyyyyyy"), "b": 0, "c": 0, "ill": list("ppppppqr")})
    claimed = anonymity.enhanced_beta_likeness(frame, KEYS, ["ill"])
    p, q = 0.75, 1.0
    assert (q - p) / p > -np.log(p)
    assert claimed >= (q - p) / p
    found = score("beta_likeness", frame, keys=KEYS, column="ill", kind="enhanced")
    assert found.value is None
    assert "no beta holds: 2 records" in found.reason


# sdcMicro


@pytest.mark.parametrize(
    "case",
    [
        "cat300_disease",
        "cat300_2keys_disease",
        "cat300_2keys_disease_c3",
        "cat300_2keys_disease_c0.5",
    ],
)
def test_l_diversity_agrees_with_sdcmicro_record_by_record(case):
    told = figures("r/A_sdcmicro/ldiversity.json")[case]
    frame, column = sdcmicro(case.split("_")[0]), told["sensitive"]
    asked = {"keys": told["keys"], "column": column}
    for kind in ("Distinct", "Entropy", "Recursive"):
        ours = score("l_diversity", frame, **asked, kind=kind.lower(), c=told["l_recurs_c"]).per_record
        assert ours == pytest.approx(np.array(told["values"][f"{column}_{kind}_Ldiversity"]), rel=1e-9)


def test_missing_answers_are_one_value_where_sdcmicro_takes_each_for_another():
    frame = pd.DataFrame({"a": [1, 1, 1, 1], "ill": ["x", None, None, None]})
    assert score("l_diversity", frame, keys=["a"], column="ill").value == 2


# missing keys that may be anything


@given(
    cells=st.lists(st.tuples(*[st.integers(-1, 2)] * 3), min_size=1, max_size=14),
    keys=st.lists(st.tuples(*[st.integers(-1, 3)] * 3), min_size=1, max_size=6),
)
def test_compatible_records_are_counted_as_one_by_one(cells, keys):
    table, keys = np.array(cells), np.array(keys)
    weights = 1.0 + np.arange(len(table))
    units = np.arange(len(table)) % 4
    ours = compatible_weight(keys, table, weights)
    assert ours == pytest.approx(twin.weight_of_compatible(keys, table, weights))
    assert (
        compatible_units(keys, table, units).tolist() == twin.units_of_compatible(keys, table, units).tolist()
    )


def test_more_values_than_a_number_holds_are_counted():
    rng = np.random.default_rng(1)
    table = rng.integers(0, 50, size=(80, 14))
    table[40:] = table[:40]
    table[rng.random(table.shape) < 0.05] = -1
    table[0, 0] = 10**9
    ours = compatible_weight(table, table, np.ones(80))
    assert ours.tolist() == twin.weight_of_compatible(table, table, np.ones(80)).tolist()


@pytest.mark.parametrize(
    "case", ["cat300", "francdat", "testdata2", "testdata", "cat300_na", "cat300_na_twokeys"]
)
def test_frequencies_agree_with_sdcmicro(case):
    told = figures("r/A_sdcmicro/freqcalc.json")[case]
    name = "cat300_na" if case.startswith("cat300_na") else case
    frame, keys = sdcmicro(name), told["keys"]
    table = KeyTable.of(unprotected(frame), keys)
    shared = table.sharing("wildcard")
    stands = table.standing("wildcard", frame[told["weight"]].to_numpy(float))
    # sdcMicro forgets a record that misses every key where it counts for complete ones: it may be anybody
    forgotten = frame[keys].isna().all(axis=1).to_numpy()
    complete = frame[keys].notna().all(axis=1).to_numpy()
    lost, weight = complete * forgotten.sum(), complete * frame.loc[forgotten, told["weight"]].sum()
    assert (shared - lost).tolist() == told["alpha_1"]["fk"]
    assert stands - weight == pytest.approx(np.array(told["alpha_1"]["Fk"]), rel=1e-9)


def released(before, after, keys=KEYS, **roles):
    source = Microdata.of(before).with_roles(Roles(quasi=keys, **roles))
    return Files(Microdata.of(after), source, np.arange(len(before)))


def test_released_patterns_counted_against_each_other_overstate():
    """Two towns, each known of two persons; all of one town withheld: the other's persons gain nothing."""
    before = pd.DataFrame({"town": list("aabb"), "sex": list("ffff")})
    after = pd.DataFrame({"town": [None, None, "b", "b"], "sex": list("ffff")})
    asked = {"keys": ["town", "sex"], "missing_as": "wildcard"}
    usual = score("k_anonymity", Files(Microdata.of(after)), **asked)
    assert usual.per_record.tolist() == [4, 4, 4, 4]
    assert usual.reading["keys"] == "as released, for want of the true ones"
    attacked = score("k_anonymity", released(before, after, ["town", "sex"]), **asked)
    # who knows that a person lives in a finds no b compatible
    assert attacked.per_record.tolist() == [2, 2, 4, 4]
    assert "keys" not in attacked.reading


@given(seed=st.integers(0, 10_000), n=st.integers(2, 25))
def test_the_attackers_count_equals_a_plain_one_and_never_exceeds_the_usual(seed, n):
    rng = np.random.default_rng(seed)
    true = rng.integers(0, 3, size=(n, 3))
    shown = np.where(rng.random((n, 3)) < 0.3, -1, true)
    before = pd.DataFrame(true.astype(str), columns=KEYS)
    after = before.mask(shown < 0)
    asked = {"keys": KEYS, "missing_as": "wildcard"}
    attacked = score("k_anonymity", released(before, after), **asked).per_record
    assert attacked.tolist() == twin.weight_of_compatible(true, shown, np.ones(n)).tolist()
    usual = score("k_anonymity", Files(Microdata.of(after)), **asked).per_record
    strict = score("k_anonymity", Files(Microdata.of(after)), keys=KEYS).per_record
    assert (attacked <= usual).all()
    assert (strict <= usual).all()


def test_true_keys_are_followed_through_a_recoding():
    before = pd.DataFrame({"a": list("pqrs")})
    after = pd.DataFrame({"a": ["pq", "pq", "rs", None]})
    found = score("k_anonymity", released(before, after, ["a"]), keys=["a"], missing_as="wildcard")
    # nobody shows what s became, so that it is compatible with the gap alone
    assert found.per_record.tolist() == [3, 3, 2, 1]


def test_keys_changed_by_no_rule_are_read_strictly():
    before = pd.DataFrame({"a": list("ppqq")})
    after = pd.DataFrame({"a": ["p", "q", "q", None]})
    found = score("k_anonymity", released(before, after, ["a"]), keys=["a"], missing_as="wildcard")
    assert found.per_record.tolist() == [1, 2, 2, 1]


def test_units_are_counted_among_compatible_records():
    frame = pd.DataFrame({"a": ["x", "x", None, "y"], "home": [1, 1, 1, 2]})
    asked = {"keys": ["a"], "unit": "home", "missing_as": "wildcard"}
    assert score("k_anonymity", frame, **asked).per_record.tolist() == [1, 1, 2, 2]


@pytest.mark.parametrize("missing_as", ["category", "wildcard"])
@pytest.mark.parametrize("m", [1, 2, 3, 9])
def test_all_sets_of_m_keys_are_the_least_of_each(m, missing_as):
    rng = np.random.default_rng(m)
    codes = rng.integers(-1, 3, size=(40, 4))
    frame = pd.DataFrame(codes.astype(str), columns=list("abcd")).mask(codes < 0)
    from itertools import combinations

    sets = [list(names) for names in combinations("abcd", min(m, 4))]
    each = [score("k_anonymity", frame, keys=keys, missing_as=missing_as).per_record for keys in sets]
    found = score("all_m", frame, keys=list("abcd"), m=m, missing_as=missing_as)
    assert found.per_record.tolist() == np.min(each, axis=0).tolist()
    assert found.value == np.min(each)


# laws


@given(seed=st.integers(0, 10_000), n=st.integers(1, 60), values=st.integers(1, 6))
def test_entropy_implies_distinct_implies_k_and_enhanced_implies_basic(seed, n, values):
    frame = records(seed, n, values)
    asked = {"keys": KEYS, "column": "ill"}
    k = score("k_anonymity", frame, keys=KEYS).per_record
    distinct = score("l_diversity", frame, **asked).per_record
    entropy = score("l_diversity", frame, **asked, kind="entropy").per_record
    assert (entropy <= distinct + 1e-9).all()
    assert (distinct <= k).all()
    basic = score("beta_likeness", frame, **asked).value
    enhanced = score("beta_likeness", frame, **asked, kind="enhanced").value
    assert enhanced is None or enhanced == basic


@given(seed=st.integers(0, 10_000), values=st.integers(2, 6))
def test_a_flat_tree_is_equal_distance_and_two_values_are_any_distance(seed, values):
    frame = records(seed, 50, values)
    leaves = sorted(set(frame["ill"]))
    asked = {"keys": KEYS, "column": "ill"}
    equal = score("t_closeness", frame, **asked).value
    flat = {"kind": "hierarchical", "tree": dict.fromkeys(leaves)}
    assert score("t_closeness", frame, **asked, **flat).value == pytest.approx(equal)
    if len(leaves) == 2:
        ordered = score("t_closeness", frame, **asked, kind="ordered", order=leaves).value
        assert ordered == pytest.approx(equal)


def test_a_tree_of_two_levels_equals_the_transport_of_shares():
    """The least work of moving shares, 1/2 within a branch and 1 across, by a linear programme."""
    from scipy.optimize import linprog

    frame = records(5, 80, 6)
    tree = {"mild": list("pqr"), "grave": list("stu")}
    found = score("t_closeness", frame, keys=KEYS, column="ill", kind="hierarchical", tree=tree).per_record
    leaves = list("pqrstu")
    cost = np.array([[0 if i == j else 0.5 if i // 3 == j // 3 else 1 for j in range(6)] for i in range(6)])
    p = np.array([(frame["ill"] == leaf).mean() for leaf in leaves])
    for _, part in frame.groupby(KEYS):
        q = np.array([(part["ill"] == leaf).mean() for leaf in leaves])
        supply, demand = np.kron(np.eye(6), np.ones(6)), np.kron(np.ones(6), np.eye(6))
        least = linprog(cost.ravel(), A_eq=np.vstack([supply, demand]), b_eq=[*p, *q]).fun
        assert found[part.index] == pytest.approx(np.full(len(part), least), abs=1e-9)


def test_a_file_ten_times_over_has_the_same_distance():
    """Counts multiplied in 32 bits overflow beyond 46 000 records; shares do not."""
    frame = records(2, 60, 6)
    tree = {"mild": list("pqr"), "grave": list("stu")}
    asked = {"keys": KEYS, "column": "ill", "kind": "hierarchical", "tree": tree}
    many = pd.concat([frame] * 1000, ignore_index=True)
    assert score("t_closeness", many, **asked).value == pytest.approx(
        score("t_closeness", frame, **asked).value
    )


def test_shares_of_everybody_are_those_of_the_source_whatever_was_dropped():
    before = pd.DataFrame({"a": list("xxyy"), "ill": list("pqpp")})
    source = Microdata.of(before).with_roles(Roles(quasi=["a"], confidential=["ill"]))
    kept = Files(Microdata.of(before.iloc[:2]), source, np.array([0, 1]))
    assert score("t_closeness", kept).value == pytest.approx(0.25)
    assert score("t_closeness", Files(Microdata.of(before.iloc[:2])), keys=["a"], column="ill").value == 0


def test_homogeneous_classes_are_counted_by_a_plain_look():
    for seed in range(20):
        frame = records(seed, 40, 3)
        told = frame.groupby(KEYS)["ill"].transform("nunique").to_numpy() == 1
        found = score("attribute_disclosure", frame, keys=KEYS, column="ill")
        assert found.value == pytest.approx(100 * told.mean())
        assert found.beside["records"] == told.sum()


@pytest.mark.parametrize(
    "name", ["l_diversity", "t_closeness", "alpha_k", "beta_likeness", "delta_disclosure"]
)
def test_without_a_sensitive_column_there_is_a_reason_and_no_figure(name):
    found = score(name, records(1), keys=KEYS)
    assert found.value is None
    assert "no sensitive column is named" in found.reason
    assert "is one of the keys" in score(name, records(1), keys=KEYS, column="a").reason
    assert "no column nowhere" in score(name, records(1), keys=KEYS, column="nowhere").reason


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"kind": "some"}, "kind must be one of"),
        ({"kind": "hierarchical"}, "tree is required"),
        ({"kind": "ordered", "order": ["a", "a"]}, "each value once"),
        ({"tree": {"a": "b"}}, "bare text"),
    ],
)
def test_wrong_distances_are_refused(given, told):
    with pytest.raises(Exception, match=told) as caught:
        tacita.get_method("t_closeness", **given)
    assert isinstance(caught.value, ParameterError)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"kind": "ordered"}, "has no order"),
        ({"kind": "ordered", "order": ["p", "q"]}, "values of ill are not in the order"),
        ({"kind": "hierarchical", "tree": {"x": ["p"]}}, "are no leaves of the tree"),
    ],
)
def test_a_distance_that_does_not_fit_the_values_has_a_reason(given, told):
    found = score("t_closeness", records(1), keys=KEYS, column="ill", **given)
    assert told in found.reason


def test_every_figure_says_how_missing_keys_were_read():
    frame = pa.table({"a": ["x", "x", None], "ill": ["p", "q", "p"]})
    for name in ("k_anonymity", "all_m", "sample_uniques"):
        for reading in ("category", "wildcard"):
            found = score(name, unprotected(frame, quasi="a"), missing_as=reading)
            assert found.as_dict()["reading"] == {"missing_as": reading}
    told = score("l_diversity", unprotected(frame, quasi="a", confidential="ill")).as_dict()["reading"]
    assert told == {"missing_as": "category", "sensitive": "ill", "kind": "distinct"}


@pytest.mark.parametrize(
    "name",
    ["l_diversity", "t_closeness", "alpha_k", "beta_likeness", "delta_disclosure", "attribute_disclosure"],
)
def test_of_several_confidential_columns_the_worst_counts_record_by_record(name):
    frame = records(3).assign(debt=list("xyz") * 20)
    found = score(name, unprotected(frame, quasi=KEYS, nominal=KEYS, confidential=["ill", "debt"]))
    single = {column: score(name, frame, keys=KEYS, column=column) for column in ("ill", "debt")}
    worst = np.minimum if found.direction == "higher" else np.maximum
    assert found.per_attribute == {column: one.value for column, one in single.items()}
    assert np.array_equal(found.per_record, worst(*(one.per_record for one in single.values())))
    assert found.reading["sensitive"] == "ill and debt"
