"""Hidden cells that other columns give back: how many records that exposes, and when it is too many."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from tacita.core import Microdata
from tacita.core.results.inferred_cells import Determined
from tacita.core.results.release import Claim
from tacita.core.results.verdicts import Verdict
from tacita.core.spec.roles import Roles
from tacita.microdata.verify import Evidence, inference, large_files


def evidence(
    original: dict[str, list[Any]],
    shown: dict[str, list[Any]],
    *,
    quasi: tuple[str, ...] = ("region", "age"),
    guarantees: tuple[str, ...] = ("only-withheld", "k-anonymous"),
    k: int | None = 3,
    masked: frozenset[str] = frozenset(),
    numeric: tuple[str, ...] = (),
    without: tuple[str, ...] = (),
    **given: Any,
) -> Evidence:
    """A release that shows the originals but for some columns; what it no longer shows was suppressed."""
    table = pa.table(original)
    released = table
    for name, cells in shown.items():
        place = table.column_names.index(name)
        released = released.set_column(place, name, pa.array(cells, table.schema.field(name).type))
    roles = {name: given.pop(name) for name in ("unit", "strata") if name in given}
    nominal = [name for name in quasi if name not in numeric]
    data = Microdata.of(table).with_roles(Roles(quasi=quasi, nominal=nominal, **roles))
    gone = np.column_stack(
        [np.array([cell is None for cell in released[name].to_pylist()]) for name in quasi]
    )
    claim = Claim(
        data,
        np.arange(table.num_rows),
        None,
        k,
        guarantees,
        suppressed=gone if "only-withheld" in guarantees else None,
        **given,
    )
    return Evidence(Microdata.of(released.drop_columns(list(without))), claim, masked=masked)


def persons(old: int, hidden: int = 3, regions: int = 10, size: int = 20) -> tuple[dict, dict]:
    """Regions of one weight each. In each the first are hidden; of all records so many are old.

    The old are the first of the first regions, `hidden` in each at most.
    """
    region = [f"r{at}" for at in range(regions) for _ in range(size)]
    place = [at for _ in range(regions) for at in range(size)]
    age, left = [], old
    for at in place:
        is_old = at < hidden and left > 0
        left -= is_old
        age.append("old" if is_old else "young")
    weight = [100 + int(name[1:]) for name in region]
    original = {"region": region, "age": age, "weight": weight}
    shown = {"region": [None if at < hidden else name for name, at in zip(region, place, strict=True)]}
    return original, shown


def found(made: Evidence) -> tuple[Determined, ...]:
    return inference.inferred(made)


@pytest.mark.parametrize(
    ("old", "exposed"),
    [
        # two of a region and an age, where three are needed
        (2, 2),
        # three of one region: nobody is exposed; then one and two more of the next
        (3, 0),
        (4, 1),
        (5, 2),
    ],
)
def test_records_that_stand_with_fewer_than_k_once_filled_in_are_counted(old, exposed):
    made = evidence(*persons(old))
    told = {each.column: each for each in found(made)}
    assert inference.withstands_inference(made) is None
    assert bool(told) == (exposed > 0 and 2 * 30 >= 30)
    for each in told.values():
        assert (each.cells, each.of, each.exposed, each.hidden) == (30, 30, exposed, "suppressed")
        assert each.columns == (("weight",),)


@pytest.mark.parametrize(("old", "hidden", "exposed"), [(2, 2, 2), (4, 2, 4), (3, 1, 3)])
def test_more_than_two_exposed_records_are_refused(old, hidden, exposed):
    made = evidence(*persons(old, hidden))
    fault = inference.withstands_inference(made)
    count = 10 * hidden
    text = f"{count} of {count} suppressed cells of region follow from weight; with these filled in"
    assert fault == (f"{text}, {exposed} records have fewer than k=3" if exposed > 2 else None)
    # it is looked for once
    assert found(made) is found(made)


@pytest.mark.parametrize(("old", "refused"), [(3, False), (4, True)])
def test_of_many_hidden_records_a_hundredth_may_be_exposed(old, refused):
    # 300 are hidden; each that is old stands alone
    original, shown = persons(0, 3, regions=100, size=10)
    for at in range(old):
        original["age"][10 * at] = "old"
    made = evidence(original, shown)
    assert [each.exposed for each in found(made)] == [old]
    assert (inference.withstands_inference(made) is not None) == refused


def test_units_and_strata_are_counted_where_they_are_named():
    original, shown = persons(3)
    whole = evidence(original, shown)
    assert not found(whole)
    homes = [f"h{at}" for at in range(200)]
    original["home"] = homes
    assert not found(evidence(original, shown, unit="home"))
    # two of the three old ones are of one home
    original["home"] = ["h1", *homes[1:]]
    (told,) = found(evidence(original, shown, unit="home"))
    assert told.exposed == 3
    assert not found(evidence(original, shown))
    # and one of them lives in another stratum
    original["half"] = ["s", *["n"] * 199]
    (told,) = found(evidence(original, shown, strata=["half"]))
    assert told.exposed == 3
    # a unit that is not known is none
    original["home"] = [None, *homes[1:]]
    assert not found(evidence(original, shown, unit="home"))


@pytest.mark.parametrize(("m", "exposed"), [(None, 2), (2, 2), (1, None)])
def test_combinations_of_as_many_keys_are_counted_as_were_promised(m, exposed):
    terms = {} if m is None else {"m": m}
    told = found(evidence(*persons(2), terms=terms))
    assert [each.exposed for each in told] == ([] if exposed is None else [exposed])


@pytest.mark.parametrize(
    ("guarantees", "k", "of_k"),
    [
        (("only-withheld", "k-anonymous"), 3, True),
        (("only-withheld", "k-anonymous-to-all"), 3, True),
        (("only-withheld",), 3, False),
        (("only-withheld", "k-anonymous"), 1, False),
        (("only-withheld", "k-anonymous"), None, False),
    ],
)
def test_where_no_k_is_promised_cells_are_counted(guarantees, k, of_k):
    (told,) = found(evidence(*persons(2), guarantees=guarantees, k=k))
    assert (told.exposed is not None) == of_k
    # all of a column is more than half
    assert told.refused is not of_k
    fault = inference.withstands_inference(evidence(*persons(2), guarantees=guarantees, k=k))
    assert fault == (None if of_k else "30 of 30 suppressed cells of region follow from weight")


def test_what_hides_nothing_is_not_looked_at():
    assert not found(evidence(*persons(2), guarantees=("dropped",)))
    assert not found(evidence(*persons(2), guarantees=()))
    assert found(evidence(*persons(2))) != ()


def test_a_column_that_a_later_step_left_out_gives_nothing_away():
    original, shown = persons(2)
    assert found(evidence(original, shown))
    assert not found(evidence(original, shown, without=("weight",)))
    assert not found(evidence(original, shown, without=("region",)))


def test_changed_values_follow_where_nobody_changed_them_before():
    original, _ = persons(0, hidden=0)
    original["region"] = [f"{name}{at % 2}" for at, name in enumerate(original["region"])]
    original["weight"] = [number_of(name) for name in original["region"]]
    coarse = {"region": [name[:2] for name in original["region"]]}
    settings: dict[str, Any] = {"guarantees": ("recoded",), "k": None, "quasi": ("region",)}
    (told,) = found(evidence(original, coarse, **settings))
    assert (told.hidden, told.cells, told.of, told.refused) == ("changed", 200, 200, True)
    assert not found(evidence(original, coarse, masked=frozenset({"region"}), **settings))
    assert found(evidence(original, coarse, masked=frozenset({"age"}), **settings))


def number_of(name: str) -> int:
    """A number of its own for each name."""
    return int(name[1:]) * 7 + 3


RNG = np.random.default_rng(4)


def wages(changed: int, kept: float = 1.0) -> tuple[dict, dict]:
    """Wages of which the first are masked, beside pensions and the sum of both."""
    wage, pension = RNG.integers(1, 90_000, (2, 120)).astype(float)
    broken = np.arange(120) >= kept * 120
    total = np.where(broken, RNG.integers(1, 90_000, 120), wage + pension)
    masked = np.where(np.arange(120) < changed, wage + 500.0, wage)
    original = {"wage": wage.tolist(), "pension": pension.tolist(), "total": total.tolist()}
    return original, {"wage": masked.tolist()}


NOISE: dict[str, Any] = {
    "guarantees": ("noise-independent",),
    "quasi": ("wage",),
    "numeric": ("wage",),
    "k": None,
}


@pytest.mark.parametrize(("changed", "told"), [(120, True), (3, True), (2, False), (0, False)])
def test_masked_numbers_that_a_sum_gives_back_are_told_from_three_on(changed, told):
    made = found(evidence(*wages(changed), **NOISE))
    assert len(made) == told
    for each in made:
        assert (each.column, each.columns) == ("wage", (("pension", "total"),))
        assert (each.cells, each.of, each.hidden, each.exposed) == (changed, changed, "changed", None)
        assert each.refused


def test_half_of_the_masked_numbers_may_follow_and_no_more():
    original, _ = wages(120)
    # of 20 that are masked, so many have a sum that adds up
    for kept, refused in ((10, False), (11, True)):
        masked = np.array(original["wage"])
        masked[:20] += 500.0
        total = np.array(original["total"])
        total[kept:20] = 1.0
        made = found(evidence({**original, "total": total.tolist()}, {"wage": masked.tolist()}, **NOISE))
        assert [(each.cells, each.of, each.refused) for each in made] == [(kept, 20, refused)]


def test_a_sum_gives_back_with_a_protected_part_that_is_shown_and_nothing_without_it_or_masked_before():
    original, shown = wages(120)
    both = {**NOISE, "quasi": ("wage", "pension"), "numeric": ("wage", "pension")}
    assert [(each.column, each.columns) for each in found(evidence(original, shown, **both))] == [
        ("wage", (("total", "pension"),))
    ]
    assert not found(evidence(original, shown, masked=frozenset({"wage"}), **NOISE))
    assert not found(evidence(original, shown, without=("total",), **NOISE))
    assert not found(evidence(original, shown, without=("total", "pension"), **NOISE))


# parts of a file


def verdict(name: str, passed: bool, *found: Determined, step: int | None = None) -> Verdict:
    return Verdict(name, "promise", passed, "holds" if passed else "wrong", step, True, tuple(found))


def test_a_promise_holds_of_a_file_where_it_holds_of_every_part():
    made = large_files.together(
        [
            (verdict("a", True), verdict("b", True), verdict("b", True, step=1)),
            (verdict("a", True), verdict("b", False), verdict("b", True, step=1), verdict("c", True)),
            (verdict("a", True), verdict("b", False), verdict("b", True, step=1)),
        ]
    )
    told = {(each.guarantee, each.step): (each.passed, each.detail) for each in made}
    assert told == {
        ("a", None): (True, "holds"),
        # the first part that breaks it is named
        ("b", None): (False, "wrong (in part 2 of 3)"),
        ("b", 1): (True, "holds"),
        ("c", None): (True, "holds"),
    }


def test_what_follows_in_any_part_is_added_up():
    one = Determined("region", (("weight",),), "suppressed", 3, 9, 1, False)
    other = Determined("region", (("town",), ("weight",)), "suppressed", 4, 5, 2, True)
    third = Determined("age", (("birth",),), "changed", 7, 7, None, False)
    (made,) = large_files.together(
        [(verdict("a", True, one),), (verdict("a", False, other, third),), (verdict("a", True),)]
    )
    assert not made.passed
    assert made.inferred == (
        Determined("region", (("weight",), ("town",)), "suppressed", 7, 14, 3, True),
        third,
    )
    for parted in (
        [(verdict("a", True, one),), (verdict("a", True),)],
        [(verdict("a", True),), (verdict("a", True, one),)],
    ):
        assert large_files.together(parted)[0].inferred == (one,)
    without = large_files._added([third, replace(third)])
    assert (without[0].exposed, without[0].refused, without[0].cells) == (None, False, 14)
    assert large_files._added([one, replace(one), other])[0].exposed == 4
    assert large_files._added([other, one])[0].refused
