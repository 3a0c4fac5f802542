"""Generalised files and models of classes at the border of what is promised: one step beyond it is found.

Every failure here is one that a verifier with a small error of its own once let pass; beside each stands the
release that is just right, which must pass.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from planting import failed
from tacita.core import Microdata
from tacita.core.results.release import Claim
from tacita.core.spec.roles import Roles
from tacita.microdata import verify
from tacita.microdata.verify import generalisation
from tacita.microdata.verify.file_models import uniques

# Diagnoses below two headings.
ILLNESSES = {"cold": ["flu", "cough"], "bone": ["fracture", "sprain"]}


def claimed(
    original: dict[str, list[Any]],
    guarantee: str,
    *,
    quasi: str | list[str] = "key",
    k: int = 2,
    rows: list[int] | None = None,
    dropped: tuple[int, ...] = (),
    terms: dict[str, Any] | None = None,
    suppressed: list[bool] | None = None,
    **roles: Any,
) -> Claim:
    """One promise about some keys of a file."""
    names = [quasi] if isinstance(quasi, str) else quasi
    table = pa.table(original)
    data = Microdata.of(table).with_roles(Roles(quasi=names, nominal=names, **roles))
    return Claim(
        data,
        np.arange(table.num_rows) if rows is None else np.array(rows, dtype=np.int64),
        None,
        k,
        (guarantee,),
        dropped_rows=np.array(dropped, dtype=np.int64),
        terms={"k": k, **(terms or {})},
        suppressed=None if suppressed is None else np.array(suppressed)[:, None],
    )


def broken(claim: Claim, **columns: list[Any]) -> bool:
    """Whether the promise of a claim is refuted, for a file that shows the originals but for some columns."""
    original = claim.original.native.take(pa.array(claim.rows))
    for name, cells in columns.items():
        place = original.column_names.index(name)
        original = original.set_column(place, name, pa.array(cells, pa.string()))
    hidden = claim.original.roles.identifiers
    verdicts = verify.verify(Microdata.of(original.drop_columns(list(hidden))), claim)
    (guarantee,) = claim.guarantees
    (told,) = [verdict for verdict in verdicts if verdict.guarantee == guarantee]
    assert not told.detail.startswith("cannot be checked")
    return guarantee in failed(verdicts)


@pytest.mark.parametrize(
    ("keys", "homes", "refuted"),
    [
        ("aaabbb", "uvwuvw", False),
        # three records of two homes
        ("aaabbb", "uvwuvv", True),
        ("aaabbb", "uuvuvw", True),
        # two records of two homes
        ("aaaabb", "uvwxuv", True),
    ],
)
def test_keys_stand_for_k_records_and_for_k_units(keys, homes, refuted):
    file = {"key": list(keys), "home": list(homes)}
    assert broken(claimed(file, "k-anonymous", k=3, unit="home"), key=list(keys)) is refuted


def test_units_that_are_not_named_are_not_counted():
    file = {"key": list("aaabbb"), "home": list("uuuvvv")}
    assert not broken(claimed(file, "k-anonymous", k=3), key=list("aaabbb"))


RANGES = [
    ("30", "30 to 39", True),
    ("39", "30 to 39", True),
    ("29", "30 to 39", False),
    ("40", "30 to 39", False),
    ("29.999", "30 to 39", False),
    ("30,5", "30 to 39", True),
    ("39,5", "30 to 39", False),
    ("34", "34", True),
    ("34.0", "34", True),
    ("34", "35", False),
    ("34", "33", False),
    ("34", "*", True),
    ("34", "all", False),
    ("34", "30 to old", False),
    ("34", "young to 40", False),
    ("34", "3_0 to 40", False),
    ("old", "30 to 39", False),
    ("old", "old", True),
    (None, None, True),
    (None, "*", True),
    (None, "30 to 39", False),
    ("34", None, False),
]


@pytest.mark.parametrize(("age", "shown", "covers"), RANGES, ids=str)
def test_a_range_covers_the_numbers_between_its_ends_and_no_other(age, shown, covers):
    claim = claimed({"key": [age, "1", "2"]}, "generalised", terms={"ranges": ("key",)})
    assert broken(claim, key=[shown, "1", "2"]) is not covers


# of ten records, those that left and those that show no key
SUPPRESSED = [
    (2, 0, False),
    (0, 2, False),
    (1, 1, False),
    (3, 0, True),
    (0, 3, True),
    (1, 2, True),
    (2, 1, True),
]


@pytest.mark.parametrize(("left", "withheld", "refuted"), SUPPRESSED)
def test_records_that_left_and_records_without_keys_count_as_suppressed(left, withheld, refuted):
    rows = list(range(left, 10))
    claim = claimed(
        {"key": list("abcdefghij")},
        "few-suppressed",
        rows=rows,
        dropped=tuple(range(left)),
        terms={"suppression_limit": 0.2, "outliers": "drop" if left else "withhold"},
    )
    shown = [None] * withheld + list("abcdefghij")[left + withheld :]
    assert broken(claim, key=shown) is refuted


def test_a_record_that_never_had_a_key_is_not_suppressed():
    terms = {"suppression_limit": 0.2, "outliers": "withhold"}
    claim = claimed({"key": [None, None, None, *"defghij"]}, "few-suppressed", terms=terms)
    assert not broken(claim, key=[None, None, None, *"defghij"])


def model(name: str, keys: str, ill: list[str], *, units: str = "", **settings: Any) -> bool:
    """Whether classes are found to break a model of their illnesses."""
    file = {"key": list(keys), "ill": ill, **({"home": list(units)} if units else {})}
    claim = claimed(
        file,
        "models-hold",
        terms={"models": {name: {"column": "ill", **settings}}},
        hierarchy={"ill": ILLNESSES},
        **({"unit": "home"} if units else {}),
    )
    return broken(claim)


@pytest.mark.parametrize(
    ("ill", "distance"),
    [
        # half of a class must move to its neighbour, one level up and down again of two
        (["flu"] * 4 + ["cough"] * 4, 0.25),
        # to another branch: over the top
        (["flu"] * 4 + ["sprain"] * 4, 0.5),
        # a quarter to the neighbour, a quarter over the top
        (["flu"] * 4 + ["cough"] * 2 + ["sprain"] * 2, 0.375),
        (["flu", "cough", "sprain", "fracture"] * 2, 0.0),
    ],
    ids=["neighbours", "branches", "both", "alike"],
)
def test_hierarchical_t_closeness_is_kept_up_to_t_and_broken_beyond(ill, distance):
    settings = {"kind": "hierarchical"}
    assert not model("t_closeness", "aaaabbbb", ill, t=distance, **settings)
    # less than arithmetic on shares may lose, and more
    assert not model("t_closeness", "aaaabbbb", ill, t=distance - 5e-10, **settings)
    assert model("t_closeness", "aaaabbbb", ill, t=distance - 5e-9, **settings)


@pytest.mark.parametrize(
    ("ill", "distance"),
    [(["flu"] * 4 + ["cough"] * 4, 0.5), (["flu"] * 3 + ["cough", "flu"] + ["cough"] * 3, 0.25)],
    ids=["apart", "near"],
)
def test_equal_t_closeness_is_kept_up_to_t_and_broken_beyond(ill, distance):
    assert not model("t_closeness", "aaaabbbb", ill, t=distance)
    assert not model("t_closeness", "aaaabbbb", ill, t=distance - 5e-10)
    assert model("t_closeness", "aaaabbbb", ill, t=distance - 5e-9)


@pytest.mark.parametrize(
    ("values", "settings"),
    [(["9", "10", "11"], {}), (["low", "middle", "high"], {"order": ["low", "middle", "high"]})],
    ids=["numbers", "declared"],
)
def test_ordered_t_closeness_is_kept_up_to_t_and_broken_beyond(values, settings):
    low, middle, high = values
    # a quarter moves one step, a quarter two, of two steps from end to end
    ill = [low] * 4 + [middle] * 2 + [high] * 2
    settings = {"kind": "ordered", **settings}
    assert not model("t_closeness", "aaaabbbb", ill, t=0.375 - 5e-10, **settings)
    assert model("t_closeness", "aaaabbbb", ill, t=0.375 - 5e-9, **settings)
    # half moves one step
    near = [low] * 4 + [middle] * 4 + [low, middle, high, high]
    assert model("t_closeness", "aaaabbbbcccc", near, t=0.25, **settings)
    alike = [low, middle, high] * 2
    assert not model("t_closeness", "aaabbb", alike, t=0.0, **settings)


@pytest.mark.parametrize(
    ("counts", "least", "c", "refuted"),
    [
        # the most frequent must be rarer than c times all from the l-th on: as often is not rarer
        ((4, 2), 2, 2.0, True),
        ((3, 2), 2, 2.0, False),
        ((4, 2), 2, 2.5, False),
        ((4, 2, 1), 3, 4.0, True),
        ((4, 2, 1), 3, 4.5, False),
        ((4, 2, 1), 2, 2.0, False),
        ((2, 2), 3, 9.0, True),
    ],
    ids=str,
)
def test_recursive_l_diversity_asks_for_less_and_not_for_at_most(counts, least, c, refuted):
    ill = [
        name for name, count in zip(["flu", "cough", "sprain"], counts, strict=False) for _ in range(count)
    ]
    assert model("l_diversity", "a" * len(ill), ill, kind="recursive", l=least, c=c) is refuted


@pytest.mark.parametrize(("ill", "refuted"), [(["flu", "cough"], False), (["flu", "flu"], True)], ids=str)
def test_distinct_l_diversity_counts_values(ill, refuted):
    assert model("l_diversity", "aabb", [*ill, "flu", "cough"], l=2) is refuted
    assert model("l_diversity", "aabb", [*ill, "flu", "cough"], l=3)


def test_entropy_l_diversity_is_kept_by_l_equal_shares_and_broken_by_others():
    assert not model("l_diversity", "aaaa", ["flu", "flu", "cough", "cough"], kind="entropy", l=2)
    assert model("l_diversity", "aaaa", ["flu", "flu", "flu", "cough"], kind="entropy", l=2)


@pytest.mark.parametrize(
    ("units", "refuted"),
    [
        # two patients who have both illnesses each: of either one record, all may have the same
        ("uuvv", True),
        # and two of whom one has the first and one the other
        ("uvuv", True),
        ("", False),
        ("uvwx", False),
    ],
)
def test_units_count_once_in_models_of_values(units, refuted):
    ill = ["flu", "cough", "flu", "cough"] if units != "uvuv" else ["flu", "flu", "cough", "cough"]
    assert model("l_diversity", "aaaa", ill, units=units, l=2) is refuted


@pytest.mark.parametrize(
    ("keys", "units", "risk", "refuted"),
    [
        # two classes of two records each, one of them of one unit: two classes of three units
        ("aabb", "uuvw", 0.66, True),
        ("aabb", "uuvw", 0.67, False),
        ("aabb", "", 0.5, False),
        ("aabb", "uvwx", 0.5, False),
    ],
)
def test_units_count_once_in_models_of_the_file(keys, units, risk, refuted):
    file = {"key": list(keys), **({"home": list(units)} if units else {})}
    terms = {"models": {"average_risk": {"risk": risk}}}
    claim = claimed(file, "models-hold", terms=terms, **({"unit": "home"} if units else {}))
    assert broken(claim) is refuted


def test_population_uniques_are_of_as_many_persons_as_the_file_stands_for():
    sizes = [1] * 40 + [2] * 10 + [3] * 5 + [5] * 4
    keys = [f"k{at}" for at, size in enumerate(sizes) for _ in range(size)]
    settings = {"fraction": 0.1, "estimator": "zayatz"}
    persons = len(keys) / 0.1
    share = uniques("zayatz", np.array(sizes), persons) / persons
    assert 0 < share < 1
    for limit, refuted in ((share * 1.001, False), (share * 0.999, True)):
        terms = {"models": {"population_uniqueness": {"share": limit, **settings}}}
        assert broken(claimed({"key": keys}, "models-hold", terms=terms)) is refuted


@pytest.mark.parametrize(("units", "distance"), [("uuvvww", 1 / 4), ("", 1 / 6)])
def test_units_count_once_in_shares(units, distance):
    # two of three records of a class have the flu, but one of both units there half of it
    ill = ["flu", "cough"] * 3
    assert not model("t_closeness", "aaabbb", ill, units=units, t=distance)
    assert model("t_closeness", "aaabbb", ill, units=units, t=distance - 5e-9)


@pytest.mark.parametrize(
    ("units", "terms", "failing"),
    [
        ("", {"k": 3}, [False, False, True]),
        ("uvwuvwuv", {"k": 3}, [False, False, True]),
        # three records of two units
        ("uvvuvwuv", {"k": 3}, [True, False, True]),
        ("uvvuvwuv", {"k": 2}, [False, False, False]),
        # two values, of which two units show one at most
        ("", {"k": 2, "models": {"l_diversity": {"column": "ill", "l": 2}}}, [False, False, True]),
        ("uvvuvwuv", {"k": 2, "models": {"l_diversity": {"column": "ill", "l": 2}}}, [True, False, True]),
    ],
)
def test_classes_that_may_not_stand_are_those_of_too_few_units_or_values(units, terms, failing):
    file = {"key": list("aaabbbcc"), "ill": ["flu", "cough", "flu", "flu", "cough", "cough", "flu", "flu"]}
    if units:
        file["home"] = list(units)
    claim = claimed(file, "models-hold", terms=terms, **({"unit": "home"} if units else {}))
    made = verify.Evidence(Microdata.of(pa.table(file)), claim)
    named = generalisation.units_named(made)
    assert not isinstance(named, str)
    rows, classes = np.arange(8), np.array([0, 0, 0, 1, 1, 1, 2, 2])
    assert generalisation.failing(made, classes, rows, named).tolist() == failing


@pytest.mark.parametrize(("keys", "refuted"), [("aabb", False), ("aaab", True)])
def test_two_records_are_the_least_that_is_promised(keys, refuted):
    file = {"key": list(keys)}
    assert broken(claimed(file, "k-anonymous", k=2)) is refuted
    assert broken(claimed(file, "k-anonymous-to-all", k=2, suppressed=[False] * 4)) is refuted
    assert broken(claimed({"key": ["a"] * 4}, "k-anonymous", k=1))


# the same number of records with a value in the file, far more or far fewer of them in a class
DISCLOSED = {
    # flu: 1 of 8 where the file has half: a quarter of it, and nothing is more than 7 / 4 as frequent
    "a value that became rare": (["flu"] + ["cough"] * 7 + ["flu"] * 7 + ["cough"], 2.0),
    # flu: half where the file has an eighth: four times as frequent, and nothing is rarer than 4 / 7
    "a value that became frequent": (["flu", "cough"] * 4 + ["cough"] * 24, 2.0),
}


@pytest.mark.parametrize("what", DISCLOSED)
def test_delta_disclosure_looks_both_ways(what):
    ill, ratio = DISCLOSED[what]
    keys = "a" * 8 + "b" * (len(ill) - 8)
    assert not model("delta_disclosure", keys, ill, delta=ratio)
    assert not model("delta_disclosure", keys, ill, delta=ratio - 5e-10)
    assert model("delta_disclosure", keys, ill, delta=ratio - 5e-9)


def test_beta_likeness_is_kept_up_to_beta_and_broken_beyond():
    # from an eighth to a half: three times what it was is gained
    ill = DISCLOSED["a value that became frequent"][0]
    keys = "a" * 8 + "b" * 24
    assert not model("beta_likeness", keys, ill, beta=3.0)
    assert not model("beta_likeness", keys, ill, beta=3.0 - 5e-10)
    assert model("beta_likeness", keys, ill, beta=3.0 - 5e-9)


@pytest.mark.parametrize(("counts", "refuted"), [((3, 5), False), ((2, 6), False), ((1, 7), True)])
def test_enhanced_likeness_is_limited_by_the_logarithm_of_the_share(counts, refuted):
    # half of the file: at most ln 2 more may be gained, which is 69 % of it
    few, many = counts
    ill = ["flu"] * few + ["cough"] * many + ["flu"] * many + ["cough"] * few
    assert model("beta_likeness", "a" * 8 + "b" * 8, ill, kind="enhanced", beta=9.0) is refuted
    assert model("beta_likeness", "a" * 8 + "b" * 8, ill, kind="enhanced", beta=0.1)


@pytest.mark.parametrize(
    ("weights", "refuted"),
    [
        ([4.0, 6.0, 5.0, 5.0], False),
        # less than arithmetic may lose, and more
        ([4.0, 6 - 5e-9, 5.0, 5.0], False),
        ([4.0, 6 - 5e-8, 5.0, 5.0], True),
        ([4.0, 5.0, 5.0, 5.0], True),
        ([4.0, 6.0, 4.5, 5.0], True),
        ([9.0] * 4, False),
    ],
    ids=str,
)
def test_a_class_stands_for_k_persons_by_its_weights(weights, refuted):
    file = {"key": list("aabb"), "w": weights}
    terms = {"models": {"k_map": {"k": 10, "weight": "w"}}}
    assert broken(claimed(file, "models-hold", terms=terms)) is refuted


@pytest.mark.parametrize(
    ("before", "after", "short"),
    [
        # an A is compatible with two released records, each of those with three originals or more
        ("AABBB", "**BBB", "original combinations"),
        ("AABBBB", "***BBB", None),
        # a released A is compatible with two originals, each of those with three released records
        ("AABBB", "AABB*", "released combinations"),
        ("AAABBB", "AAABB*", None),
        ("AAABBB", "AAABBB", None),
    ],
)
def test_one_compatible_record_too_few_is_found_on_both_sides(before, after, short):
    shown = [None if cell == "*" else cell for cell in after]
    claim = claimed(
        {"key": list(before)}, "k-anonymous-to-all", k=3, suppressed=[cell is None for cell in shown]
    )
    table = pa.table({"key": pa.array(shown, pa.string())})
    details = [each.detail for each in verify.verify(Microdata.of(table), claim) if not each.passed]
    told = [detail for detail in details if "combinations are compatible" in detail]
    assert len(told) == (short is not None)
    assert short is None or (short in told[0] and "(fewest: 2)" in told[0])


@pytest.mark.parametrize(("homes", "refuted"), [("uvwuvw", False), ("uvwuvv", True), ("uuvuvw", True)])
def test_compatible_records_are_counted_by_unit(homes, refuted):
    file = {"key": list("AAABBB"), "home": list(homes)}
    claim = claimed(file, "k-anonymous-to-all", k=3, unit="home", suppressed=[False] * 6)
    assert broken(claim) is refuted


MAPPED = [
    ("z", ["x", "z", "z"], False),
    # one that the map does not name stayed as it was, or became something else
    ("z", ["x", "B", "z"], True),
    ("z", ["x", "z", "C"], True),
    ("z", ["x", "z", "y"], True),
    # and one that it does name
    ("z", ["z", "z", "z"], True),
    ("z", ["A", "z", "z"], True),
    (None, ["x", "B", "C"], False),
    (None, ["x", "z", "C"], True),
    (None, ["A", "B", "C"], True),
]


@pytest.mark.each_once
@pytest.mark.parametrize("by_column", [False, True])
@pytest.mark.parametrize(("others", "shown", "refuted"), MAPPED, ids=str)
def test_values_that_a_map_does_not_name_become_what_is_said_of_others(others, shown, refuted, by_column):
    declared: dict[str, Any] = {"key": {"A": "x"}} if by_column else {"A": "x"}
    terms = {"map": declared, **({} if others is None else {"others": others})}
    assert broken(claimed({"key": list("ABC")}, "recoded-by-map", terms=terms), key=shown) is refuted


def test_what_is_missing_is_not_one_of_the_others():
    terms = {"map": {"A": "x"}, "others": "z"}
    claim = claimed({"key": ["A", "B", None]}, "recoded-by-map", terms=terms)
    assert not broken(claim, key=["x", "z", None])
    assert broken(claim, key=["x", "z", "z"])


@pytest.mark.parametrize(
    ("before", "after", "promise", "refuted"),
    [
        ("aabb", "xxyy", "recoded", False),
        # records of one value show two
        ("aabb", "xzyy", "recoded", True),
        ("aabb", "xxxx", "recoded", False),
        ("aab-", "xxy-", "recoded", False),
        ("aab-", "xxyy", "recoded", True),
        ("aab-", "xx--", "recoded", True),
    ],
)
def test_equal_values_become_equal_values(before, after, promise, refuted):
    cells = [[None if each == "-" else each for each in side] for side in (before, after)]
    assert broken(claimed({"key": cells[0]}, promise), key=cells[1]) is refuted


INTERVALS = [
    (["5", "10", "15", "20", "25"], [10, 20], ["under 10", "10-19", "10-19", "20 or more", "20 or more"]),
    # one number between two breaks, and none that is missing
    (["10", None, "11"], [10, 11], ["10", None, "11 or more"]),
    # where a break or a number is no whole one, an interval has no last number
    (["5", "10.5", "15"], [10, 20], ["under 10", "10 to under 20", "10 to under 20"]),
    (["5", "10", "15"], [9.5, 20], ["under 9.5", "9.5 to under 20", "9.5 to under 20"]),
]


@pytest.mark.parametrize("by_column", [False, True])
@pytest.mark.parametrize(("before", "breaks", "after"), INTERVALS, ids=str)
def test_numbers_become_the_interval_that_they_lie_in(before, breaks, after, by_column):
    terms: dict[str, Any] = {"breaks": {"key": breaks} if by_column else breaks}
    claim = claimed({"key": before}, "recoded-by-breaks", terms=terms)
    assert not broken(claim, key=after)
    for row, cell in enumerate(after):
        for other in {*after, "10-20", "10 to 19", None} - {cell}:
            planted = [other if at == row else each for at, each in enumerate(after)]
            assert broken(claim, key=planted)


@pytest.mark.parametrize(
    ("keys", "homes", "refuted"), [("aabb", "uuvv", False), ("aabb", "uvvv", True), ("abab", "uuvv", True)]
)
def test_records_of_one_unit_show_the_same(keys, homes, refuted):
    file = {"key": list(keys), "home": list(homes)}
    assert broken(claimed(file, "units-agree", unit="home")) is refuted
