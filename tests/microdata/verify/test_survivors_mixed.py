"""Extremes, rare labels and suppressed gaps at the border of k, by records and by units."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from tacita.core import Microdata
from tacita.core.results.release import Claim
from tacita.core.spec.roles import Roles
from tacita.microdata import verify


def fault(
    guarantee: str,
    before: list[Any],
    after: list[Any],
    *,
    k: int | None = 3,
    homes: str = "",
    strata: str = "",
    rules: tuple[str, ...] = (),
) -> str | None:
    """Why a promise about a drawn column fails, None where it holds."""
    numeric = any(isinstance(cell, float) for cell in before)
    columns: dict[str, Any] = {"x": pa.array(before, pa.float64() if numeric else pa.string())}
    columns["y"] = np.arange(len(before)) % 2
    roles: dict[str, Any] = {"dependent": ["x"], "independent": ["y"], "nominal": [] if numeric else ["x"]}
    if homes:
        columns["home"], roles["unit"] = [None if each == "?" else each for each in homes], "home"
    if strata:
        columns["part"], roles["strata"] = list(strata), ["part"]
    table = pa.table(columns)
    claim = Claim(
        Microdata.of(table).with_roles(Roles(**roles)),
        np.arange(len(before)),
        None,
        k,
        (guarantee,),
        terms={"rules": list(rules)},
        missing_drawn=True,
    )
    released = table.set_column(0, "x", pa.array(after, columns["x"].type))
    verdicts = verify.verify(Microdata.of(released), claim)
    (told,) = [each for each in verdicts if each.guarantee == guarantee]
    assert not told.detail.startswith("cannot be checked")
    return None if told.passed else told.detail


TEN = [float(at) for at in range(10)]


def drawn(*values: float | None) -> list[float | None]:
    """Ten values, of which the last are given."""
    return [5.0] * (10 - len(values)) + list(values)


@pytest.mark.parametrize(("k", "low", "high"), [(3, 1.0, 8.0), (2, 0.5, 8.5), (5, 2.0, 7.0), (10, 4.5, 4.5)])
def test_no_number_lies_beyond_the_mean_of_the_k_outermost(k, low, high):
    inside = [(low + high) / 2] * 8
    assert fault("extremes-hidden", TEN, [*inside, low, high], k=k) is None
    one = f"1 numbers lie beyond the means of the k={k} outermost originals"
    assert fault("extremes-hidden", TEN, [*inside, low - 1e-9, high], k=k) == one
    assert fault("extremes-hidden", TEN, [*inside, low, high + 1e-9], k=k) == one
    # what the last digits may be off
    assert fault("extremes-hidden", TEN, [*inside, low - 5e-13, high + 5e-13], k=k) is None


@pytest.mark.parametrize(
    ("values", "told"), [(3, None), (2, "2 numbers were drawn from fewer than k=3 values")]
)
def test_numbers_are_drawn_from_k_values_at_least(values, told):
    before = TEN[:values] + [None] * (10 - values)
    after = [None] * 8 + [1.0, 1.0]
    assert fault("extremes-hidden", before, after) == told


@pytest.mark.parametrize("guarantee", ["extremes-hidden", "labels-shared"])
@pytest.mark.parametrize("k", [None, 1])
def test_a_k_below_two_promises_nothing(guarantee, k):
    assert fault(guarantee, TEN, drawn(), k=k) == f"k={k} promises nothing"


def test_the_outermost_value_of_a_unit_counts_once():
    # the three smallest are of one home, whose smallest is 0: then 3 and 4
    homes = "uuuvwxyzst"
    assert fault("extremes-hidden", TEN, drawn(7 / 3, 8.0), homes=homes) is None
    assert fault("extremes-hidden", TEN, drawn(7 / 3 - 1e-6, 8.0), homes=homes) is not None
    assert fault("extremes-hidden", TEN, drawn(1.0, 8.0)) is None
    # and the three largest: of them 9, then 6 and 5
    homes = "tszyxwvuuu"
    assert fault("extremes-hidden", TEN, drawn(1.0, 20 / 3), homes=homes) is None
    assert fault("extremes-hidden", TEN, drawn(1.0, 20 / 3 + 1e-6), homes=homes) is not None
    # two homes alone are fewer than three
    assert fault("extremes-hidden", TEN, drawn(), homes="uuuuuvvvvv") == (
        "10 numbers were drawn from fewer than k=3 values"
    )


@pytest.mark.parametrize("guarantee", ["extremes-hidden", "labels-shared"])
def test_a_unit_that_is_not_known_cannot_be_counted(guarantee):
    assert fault(guarantee, TEN, drawn(), homes="?vwxyzstuq") == "the unit of 1 records is not known"


def test_each_stratum_has_its_own_extremes():
    before = [0.0, 1, 2, 3, 4, 100, 101, 102, 103, 104]
    strata = "aaaaabbbbb"
    sound = [2.0] * 4 + [1.0] + [102.0] * 4 + [103.0]
    assert fault("extremes-hidden", before, sound, strata=strata) is None
    sound[4] = 102.0
    assert fault("extremes-hidden", before, sound, strata=strata) is not None
    assert fault("extremes-hidden", before, sound) is None


def test_what_a_rule_gives_may_be_extreme_and_rare():
    rule = ("y = 0: x = -9",)
    after = drawn(-9.0, 8.0)
    assert fault("extremes-hidden", TEN, after) is not None
    assert fault("extremes-hidden", TEN, after, rules=rule) is None
    assert fault("extremes-hidden", TEN, drawn(-9.5, 8.0), rules=rule) is not None
    before, shown = list("aaaaaaaabb"), list("aaaaaaaaab")
    assert fault("labels-shared", before, shown) is not None
    assert fault("labels-shared", before, shown, rules=("y = 0: x = 'b'",)) is None
    assert fault("labels-shared", before, shown, rules=("y = 0: x = 'a'",)) is not None
    assert fault("labels-shared", before, shown, rules=("x = 'b': y = 0",)) is not None


@pytest.mark.parametrize(
    ("before", "after", "homes", "k", "rare"),
    [
        ("aaaaaaabbb", "aaaaaaaaab", "", 3, 0),
        ("aaaaaaaabb", "aaaaaaaaab", "", 3, 1),
        ("aaaaaaaabb", "aaaaaaabbb", "", 3, 3),
        ("aaaaaaaabb", "aaaaaaaaaa", "", 3, 0),
        ("aaaaaaaabb", "aaaaaaaaab", "", 2, 0),
        ("aaaaaaaaab", "aaaaaaaaab", "", 2, 1),
        # three records of two homes
        ("aaaaaaabbb", "aaaaaaaaab", "rstuvwxyzy", 3, 1),
        ("aaaaaaabbb", "aaaaaaaaab", "rstuvwxyzq", 3, 0),
        # what is missing is a label
        ("aaaaaaa---", "aaaaaaaaa-", "", 3, 0),
        ("aaaaaaaa--", "aaaaaaaaa-", "", 3, 1),
        ("aaaaaaaa--", "aaaaaaaaaa", "", 3, 0),
        ("aaaaaaa---", "aaaaaaaaa-", "rstuvwxyzy", 3, 1),
    ],
)
def test_a_label_that_is_shown_was_that_of_k_originals(before, after, homes, k, rare):
    cells = [[None if each == "-" else each for each in side] for side in (before, after)]
    told = fault("labels-shared", *cells, k=k, homes=homes)
    assert told == (
        f"{rare} cells hold what fewer than k={k} originals of their stratum have" if rare else None
    )


@pytest.mark.parametrize(
    ("gaps", "homes", "rare"), [(3, "", 0), (2, "", 1), (3, "rstuvwxyzy", 1), (0, "", 1)]
)
def test_of_numbers_what_is_missing_is_a_label(gaps, homes, rare):
    before = TEN[: 10 - gaps] + [None] * gaps
    told = fault("labels-shared", before, drawn(None), homes=homes)
    assert told == ("1 cells hold what fewer than k=3 originals of their stratum have" if rare else None)
    assert fault("labels-shared", before, drawn(), homes=homes) is None


def test_what_a_rule_leaves_missing_may_be_rare():
    missing = ("y = 0: x = missing",)
    assert fault("labels-shared", TEN, drawn(None)) is not None
    assert fault("labels-shared", TEN, drawn(None), rules=missing) is None
    texts, shown = list("aaaaaaaaaa"), [*"aaaaaaaaa", None]
    assert fault("labels-shared", texts, shown) is not None
    assert fault("labels-shared", texts, shown, rules=missing) is None
    # what it gives another column, or asks of this one, gives nothing here
    assert fault("extremes-hidden", TEN, drawn(-9.0), rules=("x > 3: y = -9",)) is not None
    assert fault("extremes-hidden", TEN, drawn(-9.0), rules=("y = 0: x != -9",)) is not None


def test_labels_have_no_extremes():
    assert fault("extremes-hidden", list("aab"), list("bbb")) is None


def test_labels_are_counted_in_each_stratum():
    before, after = list("bbbaaaaaaa"), list("baaaaaaaaa")
    assert fault("labels-shared", before, after, strata="nnnnnnssss") is None
    assert fault("labels-shared", before, after[::-1], strata="nnnnnnssss") is not None
    assert fault("labels-shared", before, after[::-1]) is None


def gaps_fault(before: str, after: str, *, k: int = 3, homes: str = "", strata: str = "") -> str | None:
    """Why a promise about suppressed gaps fails; records have two numbers, one (x or y) or none (-)."""
    shown = {"2": (1.0, 2.0), "x": (1.0, None), "y": (None, 2.0), "-": (None, None)}

    def table(kinds: str) -> pa.Table:
        x, y = zip(*(shown[kind] for kind in kinds), strict=True)
        columns = {"x": pa.array(x, pa.float64()), "y": pa.array(y, pa.float64())}
        more = {"home": list(homes)} if homes else {}
        return pa.table({**columns, **more, **({"part": list(strata)} if strata else {})})

    roles: dict[str, Any] = {"quasi": ["x", "y"]}
    roles |= {"unit": "home"} if homes else {}
    roles |= {"strata": ["part"]} if strata else {}
    old, new = table(before), table(after)
    taken = [
        [old[name][row].is_valid and not new[name][row].is_valid for name in "xy"]
        for row in range(len(before))
    ]
    claim = Claim(
        Microdata.of(old).with_roles(Roles(**roles)),
        np.arange(len(before)),
        None,
        k,
        ("suppressed-cells",),
        suppressed=np.array(taken),
    )
    verdicts = verify.verify(Microdata.of(new), claim)
    (told,) = [each for each in verdicts if each.guarantee == "suppressed-cells"]
    assert not told.detail.startswith("cannot be checked")
    return None if told.passed else told.detail


NEEDLESS = "1 values are suppressed that no record of the same missing columns misses itself"


@pytest.mark.parametrize(
    ("before", "after", "settings", "told"),
    [
        ("222xx2222", "222xxx222", {}, None),
        ("222xx2222", "222xx2222", {}, "1 of 2 combinations of missing columns have fewer than k=3"),
        ("222xx2222", "222xx2222", {"k": 2}, None),
        ("222x22222", "222x22222", {"k": 2}, "1 of 2 combinations of missing columns have fewer than k=2"),
        # too few complete ones are left
        ("22xxxxxxx", "22xxxxxxx", {}, "1 of 2 combinations of missing columns have fewer than k=3"),
        # a value that nobody misses
        ("222222222", "22222222x", {"k": 1}, NEEDLESS),
        ("222xxx222", "22yxxx222", {"k": 1}, NEEDLESS),
        # three records of two homes
        ("222xx2222", "222xxx222", {"homes": "abcdefghi"}, None),
        (
            "222xx2222",
            "222xxx222",
            {"homes": "abcddfghi"},
            "1 of 2 combinations of missing columns have fewer than k=3",
        ),
        # three of two strata
        (
            "222xx2222",
            "222xxx222",
            {"strata": "nnnnnnnnn"},
            None,
        ),
        (
            "222222xxx",
            "222222xxx",
            {"strata": "nnnnnnnns"},
            "2 of 3 combinations of missing columns have fewer than k=3",
        ),
        # whoever lost everything stands beside k who never had anything
        ("222---22x", "222----2-", {"k": 2}, None),
        ("222---22x", "222---22-", {}, None),
        (
            "2222--22x",
            "2222--22-",
            {},
            "1 records lost all their values, next to fewer than k=3 that never had any",
        ),
        ("222---22x", "222---22-", {"homes": "abcdefghi"}, None),
        (
            "222---22x",
            "222---22-",
            {"homes": "abcddfghi"},
            "1 records lost all their values, next to fewer than k=3 that never had any",
        ),
    ],
)
def test_gaps_are_those_of_k_records_and_of_k_units(before, after, settings, told):
    assert gaps_fault(before, after, **settings) == told
