"""Record swapping: households change places with others like them, and nothing else changes."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita
from effort import DEAR
from households_at_hand import REGIONS, persons, sdcmicro
from seeds import SEED
from tacita.core import RunContext
from tacita.kernels.records.swapping import pair_apart
from tacita.microdata.methods.masking.households import Homes, RecordSwap
from tacita.microdata.methods.masking.masking_method import Coded
from twins.pairing import paired_apart

PROFILES = [["sex", "age"], ["sex"]]
OPTIONS = {
    "method": "record-swap",
    "quasi": REGIONS,
    "unit": "household",
    "identifiers": ["household"],
    "measures": ["CATEGORIES"],
}


def swapped(table, seed=SEED, **options):
    return tacita.protect(table, **{**OPTIONS, "seed": seed, **options})


def homes(table):
    """The regions of each household."""
    columns = [table[name].to_pylist() for name in ("household", *REGIONS)]
    return {row[0]: row[1:] for row in zip(*columns, strict=True)}


def with_households(release, table):
    return release.data.append_column("household", table["household"])


def moved(release, table):
    """Households that stand elsewhere."""
    before, after = homes(table), homes(with_households(release, table))
    return {name for name in before if before[name] != after[name]}


def counted(table, columns):
    return Counter(zip(*(table[name].to_pylist() for name in columns), strict=True))


@given(st.integers(1, 40), st.integers(1, 4), st.integers(1, 4), st.integers(0, 60), st.integers(0, 10**6))
def test_the_kernel_pairs_as_the_plain_twin_does(n, groups, areas, most, seed):
    rng = np.random.default_rng(seed)
    order, wanted = rng.permutation(n), rng.random(n) < 0.6
    group, area = rng.integers(0, groups, n), rng.integers(0, areas, n)
    partner = np.full(n, -1, dtype=np.int64)
    members = order[np.argsort(group[order], kind="stable")]
    ends = np.cumsum(np.bincount(group, minlength=groups))
    cell = group * areas + area
    last = np.repeat(ends, areas)
    first = last - np.repeat(np.bincount(group, minlength=groups), areas)
    paired = pair_apart(order, wanted, area, cell, last, members, first, partner, most)
    assert partner.tolist() == paired_apart(order.tolist(), wanted, area, group, [-1] * n, most)
    assert paired == (partner >= 0).sum()


@DEAR
@given(st.integers(20, 150), st.integers(0, 10**6), st.integers(2, 6), st.floats(2, 100))
def test_counts_of_the_profile_stay_in_every_region_of_every_level(households, seed, k, rate):
    table = persons(households, seed)
    release = swapped(table, risk_columns=["age", "sex"], similar=PROFILES, k=k, rate=rate, seed=SEED + seed)
    for level in range(1, 4):
        for known in ((), ("sex",)):
            columns = [*REGIONS[:level], *known]
            assert counted(release.data, columns) == counted(table, columns)
    for name in table.column_names:
        if name not in ("household", *REGIONS):
            assert release.data[name].equals(table[name])


@DEAR
@given(st.integers(20, 150), st.integers(0, 10**6), st.floats(5, 100))
def test_households_change_places_two_by_two_and_as_a_whole(households, seed, rate):
    table = persons(households, seed)
    release = swapped(table, similar=["sex"], rate=rate, seed=SEED + seed)
    after = with_households(release, table)
    before_homes, after_homes = homes(table), homes(after)
    assert len({*zip(after["household"].to_pylist(), after["nuts3"].to_pylist(), strict=True)}) == households
    labels = dict(zip(table["household"].to_pylist(), release.claim.labels.tolist(), strict=True))
    for name in moved(release, table):
        (other,) = [each for each in labels if labels[each] == labels[name] and each != name]
        assert before_homes[other] == after_homes[name]
        assert before_homes[name] == after_homes[other]
        profiles = [
            sorted(
                sex
                for sex, each in zip(table["sex"].to_pylist(), table["household"].to_pylist(), strict=True)
                if each == whose
            )
            for whose in (name, other)
        ]
        assert profiles[0] == profiles[1]


@pytest.mark.parametrize(("rate", "wanted"), [(1, 4), (1.1, 6), (10, 40), (33.3, 134), (60, 240)])
def test_as_many_households_change_places_as_the_rate_says(rate, wanted):
    table = persons(400, 3)
    assert len(moved(swapped(table, rate=rate), table)) == wanted


def test_as_many_households_change_places_as_in_sdcmicro():
    theirs = sdcmicro()["recordSwap"]
    for share in (0.01, 0.05, 0.1, 0.2):
        figures = theirs[f"rate{share:g}"]
        n = figures["households"]
        codes = np.random.default_rng(1).integers(0, 9, n)
        regions = np.column_stack([codes // 3, codes]).astype(float)
        values = RecordSwap(rate=100 * share).mask(regions, RunContext(seed=2))
        assert (values != regions).any(axis=1).sum() == figures["swapped"]


def at_risk(table, k, columns=("age", "sex")):
    """The coarsest level at which a household is at risk, by plain counting."""
    found = {}
    names = table["household"].to_pylist()
    for level in (3, 2, 1):
        keys = list(zip(*(table[name].to_pylist() for name in (*REGIONS[:level], *columns)), strict=True))
        behind = {}
        for key, name in zip(keys, names, strict=True):
            behind.setdefault(key, set()).add(name)
        for key, name in zip(keys, names, strict=True):
            if len(behind[key]) < k:
                found[name] = level
    return found


def test_every_household_at_risk_leaves_its_area_of_that_level():
    table = persons(600, 5)
    columns = ["age", "sex", "education"]
    risky = at_risk(table, 3, columns)
    release = swapped(table, risk_columns=columns, similar=["sex"], k=3, rate=1)
    before, after = homes(table), homes(with_households(release, table))
    stayed = [name for name, level in risky.items() if before[name][:level] == after[name][:level]]
    told = sum(c.count for c in release.record.warnings if c.name == "not-swapped")
    assert risky
    assert len(stayed) == told
    assert told < 0.02 * len(risky)


def test_a_higher_k_puts_more_households_at_risk():
    table = persons(400, 6)
    few, many = (len(moved(swapped(table, risk_columns=["age"], k=k, rate=1), table)) for k in (2, 8))
    assert few < many


def test_levels_at_risk_are_those_of_plain_counting():
    table = persons(200, 7)
    codes = np.column_stack([np.unique(table[name].to_numpy(), return_inverse=True)[1] for name in REGIONS])
    units, age = (np.unique(table[name].to_numpy(), return_inverse=True)[1] for name in ("household", "age"))
    coded = Coded(codes.astype(float), tuple(REGIONS), ((), (), ()), units)
    found = Homes.of(coded, "RecordSwap").levels_at_risk([age], 4)
    wanted = at_risk(table, 4, ("age",))
    names = np.unique(table["household"].to_numpy())
    assert [wanted.get(name, 0) - 1 for name in names] == found.tolist()


def test_households_of_no_like_stay_and_are_counted():
    table = persons(40, 8)
    release = swapped(table, risk_columns=["age", "sex"], similar=["sex+age+education"], k=5, rate=100)
    counts = {warning.name: warning.count for warning in release.record.warnings}
    assert counts["not-swapped"] > 0
    assert counts["swap-rate-not-met"] > 0
    assert all(verdict.passed for verdict in release.record.verdicts)


def test_a_wider_profile_is_tried_where_the_narrow_one_finds_nobody():
    table = persons(120, 9)
    narrow, both = (
        swapped(table, risk_columns=["age", "sex"], similar=similar, rate=1)
        for similar in ([["sex", "age"]], [["sex", "age"], []])
    )
    left = [sum(c.count for c in each.record.warnings if c.name == "not-swapped") for each in (narrow, both)]
    assert left[1] < left[0]


def test_nobody_leaves_the_stratum():
    table = persons(300, 10)
    release = swapped(table, strata=["half"], similar=["sex"], rate=60)
    for level in (1, 2, 3):
        columns = ["half", *REGIONS[:level], "sex"]
        assert counted(release.data, columns) == counted(table, columns)


def test_households_without_a_region_are_swapped_among_themselves():
    table = persons(300, 11)
    gaps = np.array([int(name[1:]) % 3 == 0 for name in table["household"].to_pylist()])
    for name in ("nuts3",):
        place = table.column_names.index(name)
        table = table.set_column(place, name, pa.array(table[name].to_pylist(), mask=gaps))
    release = swapped(table, missing="stratum", rate=60)
    assert [cell is None for cell in release.data["nuts3"].to_pylist()] == gaps.tolist()


def test_regions_may_be_named_as_columns_of_the_unit():
    table = persons(200, 12)
    release = swapped(table, unit_columns=REGIONS, similar=["sex"])
    assert release.record.steps[0].by_unit is False
    assert "units-agree" in {verdict.guarantee for verdict in release.record.verdicts if verdict.passed}


def test_units_are_no_longer_unused():
    names = {warning.name for warning in swapped(persons(200, 13)).record.warnings}
    assert "unit-unused" not in names
    assert "broken-relations" not in names


def test_a_partner_nearby_is_taken_before_one_from_afar():
    table = persons(2000, 14)
    release = swapped(table, rate=10)
    assert counted(release.data, ["nuts2"]) == counted(table, ["nuts2"])
    same = [
        a == b for a, b in zip(table["nuts2"].to_pylist(), release.data["nuts2"].to_pylist(), strict=True)
    ]
    assert all(same)
    assert not table["nuts3"].equals(release.data["nuts3"])


def test_the_same_seed_swaps_the_same_and_another_swaps_others():
    table = persons(200, 15)
    one, again, other = (swapped(table, seed=seed).data for seed in (SEED, SEED, SEED + 1))
    assert one.equals(again)
    assert not one.equals(other)


def test_the_note_tells_of_swapping_and_not_who_was_at_risk(tmp_path):
    release = swapped(persons(200, 16), k=7, risk_columns=["age"])
    tacita.save(release, tmp_path / "out.csv", note=tmp_path / "note.html")
    page = (tmp_path / "note.html").read_text()
    assert "regions of some units were swapped" in page
    assert "k = 7" not in page


@pytest.mark.parametrize("shuffle", [False, True])
def test_a_swap_among_several_steps_is_verified_in_the_finished_file(shuffle):
    steps = [
        {"method": "record-swap", "quasi": REGIONS, "similar": ["sex"]},
        {"method": "pram", "quasi": ["education"]},
        {"method": "noise", "quasi": ["income"]},
    ]
    release = tacita.protect(
        persons(300, 17), steps=steps, unit="household", identifiers=["household"], seed=SEED, shuffle=shuffle
    )
    stands = {verdict.guarantee for verdict in release.record.verdicts if verdict.passed}
    assert {"swapped-in-pairs", "profiles-kept", "swapped-as-stated", "drawn-from-matrix"} <= stands
    assert not release.record.withdrawn


def test_changing_the_profile_afterwards_withdraws_what_was_said_of_it():
    steps = [
        {"method": "record-swap", "quasi": REGIONS, "similar": ["sex"]},
        {"method": "pram", "quasi": ["sex"]},
    ]
    release = tacita.protect(
        persons(300, 17), steps=steps, unit="household", identifiers=["household"], seed=SEED
    )
    assert "profiles-kept" in {each.guarantee for each in release.record.withdrawn}


def test_profiles_are_written_in_words_or_lists():
    assert RecordSwap(similar=["sex+age", "sex"]).similar == (("sex", "age"), ("sex",))
    assert RecordSwap(similar=[["sex", "age"], ["sex"]]).similar == (("sex", "age"), ("sex",))
    assert RecordSwap(similar="sex").similar == (("sex",),)
