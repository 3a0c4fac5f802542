"""Swaps, syntheses and files in parts, one step beyond what is promised; beside each what is just right."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from tacita.core import Microdata, VerificationError
from tacita.core.results.release import Claim
from tacita.core.spec.roles import Roles
from tacita.io.parquet_dataset import ParquetParts
from tacita.io.workdir import Scratch
from tacita.microdata import verify
from tacita.microdata.verify.large_files import PairTask, claimed_parts

# Six homes of one person each, in two regions. The first is the only one of its age where it stands.
HOMES = {
    "region": list("PPPQQQ"),
    "home": list("uvwxyz"),
    "age": ["9", "5", "5", "5", "5", "5"],
    "sex": list("ffffff"),
    "half": list("nnnnnn"),
}


def told(
    guarantee: str,
    labels: list[int],
    shown: str,
    homes: dict[str, list[str]] | None = None,
    towns: str = "",
    **terms: Any,
) -> str | None:
    """Why a promise about homes that changed places fails, None where it holds; `towns` are shown too."""
    table = pa.table({**HOMES, **(homes or {})})
    regions = ["region", "town"] if towns else ["region"]
    roles = Roles(quasi=regions, nominal=regions, strata=["half"], unit="home")
    claim = Claim(
        Microdata.of(table).with_roles(roles),
        np.arange(6),
        np.array(labels),
        None,
        (guarantee,),
        terms={"similar": [["sex"]], "risk_columns": ["age"], "k": 2, "rate": 0.0, **terms},
    )
    released = table.set_column(0, "region", pa.array(list(shown)))
    if towns:
        released = released.set_column(table.column_names.index("town"), "town", pa.array(list(towns)))
    found = verify.verify(Microdata.of(released), claim)
    (verdict,) = [each for each in found if each.guarantee == guarantee]
    assert not verdict.detail.startswith("cannot be checked")
    return None if verdict.passed else verdict.detail


ALONE = [0, 1, 2, 3, 4, 5]
FIRST_WITH_FOURTH = [0, 1, 2, 0, 4, 5]


@pytest.mark.parametrize(
    ("homes", "fault"),
    [
        ({}, None),
        ({"half": list("nnsnss")}, None),
        ({"half": list("nnnsss")}, "1 pairs of units differ in their profile or stratum"),
        ({"half": list("nssnns")}, None),
        ({"sex": list("fffmff")}, "1 pairs of units differ in their profile or stratum"),
        ({"sex": list("mffmff")}, None),
    ],
    ids=["alike", "others apart", "other stratum", "others mixed", "other profile", "same profile"],
)
def test_partners_are_of_one_profile_and_one_stratum(homes, fault):
    assert told("swapped-in-pairs", FIRST_WITH_FOURTH, "QPPPQQ", homes) == fault


@pytest.mark.parametrize(
    ("labels", "shown", "fault"),
    [
        (ALONE, "PPPQQQ", None),
        (ALONE, "QPPPQQ", "2 units do not have the regions"),
        (FIRST_WITH_FOURTH, "PPPQQQ", "2 units do not have the regions"),
        (FIRST_WITH_FOURTH, "QPPQQQ", "1 units do not have the regions"),
        ([0, 0, 2, 3, 4, 5], "PPPQQQ", "1 units do not have the regions"),
        ([0, 1, 0, 0, 4, 5], "QPPPQQ", "3 units were swapped with each other, not two"),
    ],
)
def test_each_shows_the_region_of_its_partner_or_its_own(labels, shown, fault):
    found = told("swapped-in-pairs", labels, shown)
    assert found is None if fault is None else found is not None and found.startswith(fault)


STAYED = "1 units at risk stayed in their area, which is not the stated number"
COULD = "1 units at risk stayed in their area although others were free to change places with"
AT_RISK: dict[str, tuple[list[int], str, dict[str, list[str]], tuple[int, ...], str | None]] = {
    "who is at risk changed places": (FIRST_WITH_FOURTH, "QPPPQQ", {}, (), None),
    "and is said to have stayed": (
        FIRST_WITH_FOURTH,
        "QPPPQQ",
        {},
        (1,),
        "0 units at risk stayed in their area, which is not the stated number",
    ),
    "who is at risk stayed": (ALONE, "PPPQQQ", {}, (), STAYED),
    "stayed, is said to have, and could have gone": (ALONE, "PPPQQQ", {}, (1,), COULD),
    "stayed, and nobody elsewhere has its profile": (
        ALONE,
        "PPPQQQ",
        {"sex": list("mfffff")},
        (1,),
        None,
    ),
    "stayed, and those of its profile live beside it": (ALONE, "PPPQQQ", {"sex": list("mmmfff")}, (1,), None),
    "stayed, and those of its profile are of another stratum": (
        ALONE,
        "PPPQQQ",
        {"half": list("nnnsss")},
        (1,),
        None,
    ),
    "another changed places": ([0, 1, 2, 1, 4, 5], "PQPPQQ", {}, (), STAYED),
    "changed places within its region": ([0, 0, 2, 3, 4, 5], "PPPQQQ", {}, (), STAYED),
    "two at risk, of whom one stayed": (
        FIRST_WITH_FOURTH,
        "QPPPQQ",
        {"age": ["9", "8", "5", "5", "5", "5"], "sex": list("ffffff")},
        (),
        "2 units at risk stayed in their area, which is not the stated number",
    ),
}


@pytest.mark.parametrize("what", AT_RISK)
def test_whoever_is_at_risk_changed_places_unless_nobody_was_free(what):
    labels, shown, homes, stayed, fault = AT_RISK[what]
    assert told("swapped-as-stated", labels, shown, homes, not_swapped=stayed) == fault


@pytest.mark.parametrize(
    ("ages", "labels", "towns", "stayed", "fault"),
    [
        # the first is alone of its age in the whole region: another town of that is not enough
        ("955555", FIRST_WITH_FOURTH, "qpppqq", (), STAYED),
        # nor is there another region to go to
        ("955555", FIRST_WITH_FOURTH, "qpppqq", (1,), None),
        # two are alone in their towns, but not in the region: another town will do
        ("955955", FIRST_WITH_FOURTH, "qpppqq", (), None),
        (
            "955955",
            ALONE,
            "pppqqq",
            (),
            "2 units at risk stayed in their area, which is not the stated number",
        ),
    ],
)
def test_who_is_at_risk_leaves_the_coarsest_area_in_which_it_is(ages, labels, towns, stayed, fault):
    homes = {"region": list("PPPPPP"), "town": list("pppqqq"), "age": list(ages)}
    assert told("swapped-as-stated", labels, "PPPPPP", homes, towns, not_swapped=stayed) == fault


def test_without_profiles_all_are_alike_and_without_keys_nobody_is_at_risk():
    others = {"sex": list("mfffff")}
    assert told("swapped-in-pairs", FIRST_WITH_FOURTH, "QPPPQQ", others, similar=None) is None
    assert told("swapped-in-pairs", FIRST_WITH_FOURTH, "QPPPQQ", others) is not None
    assert told("swapped-as-stated", ALONE, "PPPQQQ", similar=None, not_swapped=(1,)) == COULD
    for keys in ((), None):
        assert told("swapped-as-stated", ALONE, "PPPQQQ", risk_columns=keys) is None


@pytest.mark.parametrize(
    ("rate", "short", "fault"),
    [
        (33.0, (), None),
        (100 / 3, (), None),
        (34.0, (), "2 of 6 units were swapped, fewer than stated"),
        (34.0, (2,), "4 more units could have been swapped, and the rate is not met"),
        (0.0, (2,), "2 of 6 units were swapped, fewer than stated"),
    ],
)
def test_as_many_change_places_as_the_rate_asks_for(rate, short, fault):
    assert told("swapped-as-stated", FIRST_WITH_FOURTH, "QPPPQQ", rate=rate, too_few=short) == fault


@pytest.mark.parametrize(
    ("homes", "labels", "shown", "settings", "fault"),
    [
        # of five in a stratum one is left over, and one alone in its own
        ({"half": list("nnnnns")}, [0, 1, 2, 0, 1, 5], "QQPPPQ", {"rate": 100.0}, None),
        (
            {"half": list("nnnnns")},
            FIRST_WITH_FOURTH,
            "QPPPQQ",
            {"rate": 100.0, "too_few": (2,)},
            "3 more units could have been swapped, and the rate is not met",
        ),
        # in each stratum all stand in one region
        ({"half": list("nnnsss")}, ALONE, "PPPQQQ", {"rate": 50.0, "too_few": (2, 2)}, None),
        # what rounding may take from a share, and more
        ({}, FIRST_WITH_FOURTH, "QPPPQQ", {"rate": (2 + 1e-9) / 0.06}, None),
        (
            {},
            FIRST_WITH_FOURTH,
            "QPPPQQ",
            {"rate": (2 + 1e-8) / 0.06},
            "2 of 6 units were swapped, fewer than stated",
        ),
    ],
)
def test_a_stratum_changes_what_it_can(homes, labels, shown, settings, fault):
    assert told("swapped-as-stated", labels, shown, homes, risk_columns=(), **settings) == fault


@pytest.mark.parametrize(
    ("homes", "similar", "shown", "towns", "off"),
    [
        ({}, [["sex"]], "QPPPQQ", "", 0),
        ({"sex": list("mfffff")}, [["sex"]], "QPPPQQ", "", 4),
        # only what all profiles share is counted
        ({"sex": list("mfffff")}, [["age"], ["sex", "half"]], "QPPPQQ", "", 0),
        ({"sex": list("mfffff")}, [["sex", "age"], ["sex"]], "QPPPQQ", "", 4),
        ({"sex": list("mfffff")}, None, "QPPPQQ", "", 0),
        ({"half": list("snnnnn")}, None, "QPPPQQ", "", 4),
        # one that moves alone, and a home of two with a home of one
        ({}, None, "QPPQQQ", "", 2),
        ({"home": list("uuwxyz")}, None, "QQPPQQ", "", 4),
        # towns by themselves
        ({"town": list("ppqrrs")}, None, "PPPQQQ", "qppsrr", 0),
        ({"town": list("ppqrrs")}, None, "PPPQQQ", "qpqrrs", 2),
        ({"town": list("ppqrrs")}, None, "QPPPQQ", "rpqprs", 0),
    ],
)
def test_regions_keep_their_counts_by_profile_and_size(homes, similar, shown, towns, off):
    fault = told("profiles-kept", ALONE, shown, homes, towns, similar=similar)
    assert fault == (f"{off} counts of a profile in a region are other than they were" if off else None)


def redrawn(back: int, *, alike: int = 1, limit: float = 0.99, columns: int = 2) -> bool:
    """Whether a synthesis of ten records, some of which come back whole, is refused for that."""
    numbers = np.arange(10.0) // alike
    original = {"x": numbers * 10, "y": numbers * 100, "z": np.arange(10.0)}
    fresh = {name: np.where(np.arange(10) < back, cells, cells + 4.7) for name, cells in original.items()}
    names = ["x", "y"][:columns]
    roles = Roles(dependent=names, independent=["z"])
    data = Microdata.of(pa.table({name: original[name] for name in (*names, "z")})).with_roles(roles)
    claim = Claim(data, np.arange(10), None, None, ("values-redrawn",), terms={"max_unchanged": limit})
    released = pa.table({**{name: fresh[name] for name in names}, "z": original["z"]})
    (verdict,) = [
        each for each in verify.verify(Microdata.of(released), claim) if each.guarantee == "values-redrawn"
    ]
    assert (
        verdict.passed or verdict.detail == f"{back} records come out as they were on all dependent columns"
    )
    return not verdict.passed


def test_a_fifth_of_the_records_may_come_back_whole_and_no_more():
    assert not redrawn(0)
    assert not redrawn(2)
    assert redrawn(3)
    assert redrawn(5)


def test_records_that_three_share_come_back_by_chance():
    assert redrawn(4, alike=2)
    assert not redrawn(3, alike=3)


def test_a_column_by_itself_and_a_limit_of_all_say_nothing_of_whole_records():
    assert not redrawn(5, columns=1)
    assert not redrawn(5, limit=1.0)


def parts_of(
    folder: Path, staying: list[list[int]], dropped: list[list[int]]
) -> tuple[list[int], list[bool]]:
    """The part of each of records 10 to 14, by what is claimed of them."""
    scratch = Scratch(folder)
    for number, (rows, gone) in enumerate(zip(staying, dropped, strict=True)):
        scratch.put_array(f"made-{number}.rows", np.array(rows, dtype=np.int64))
        scratch.put_array(f"made-{number}.dropped", np.array(gone, dtype=np.int64))
    nothing = ParquetParts((), (), (), ())
    task = PairTask(folder, nothing, nothing, (0, 1), 0, 10, 5, 0, 5)
    part, stays = claimed_parts(scratch, task)
    return part.tolist(), stays.tolist()


def test_every_record_is_in_one_part_and_stays_or_leaves(tmp_path):
    found = parts_of(tmp_path, [[3, 10, 13], [11, 14, 15]], [[12], [9, 20]])
    assert found == ([0, 1, 0, 0, 1], [True, True, False, True, True])


@pytest.mark.parametrize(
    ("staying", "dropped"),
    [
        ([[10, 11, 12], [12, 13, 14]], [[], []]),
        ([[10, 11, 12], [13, 14]], [[12], []]),
        ([[10, 11, 12], [13, 14]], [[], [12]]),
        ([[10, 11, 12], [14]], [[], []]),
        # one twice and one never: as many as there are
        ([[10, 11, 12], [12, 14]], [[], []]),
        ([[10, 11, 11], [13, 14]], [[], []]),
    ],
    ids=[
        "in two parts",
        "stays and leaves",
        "stays in one part and leaves another",
        "in none",
        "one in two and one in none",
        "one twice in a part",
    ],
)
def test_a_record_in_several_parts_or_in_none_is_found(staying, dropped, tmp_path):
    with pytest.raises(VerificationError, match="in no part, or in several"):
        parts_of(tmp_path, staying, dropped)
