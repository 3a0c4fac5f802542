"""Recoding up a hierarchy and into intervals, and what the verifier catches of it."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita
from tacita import DataError, ParameterError, api
from tacita.cli import run_command
from tacita.core import Microdata
from tacita.microdata import verify

TOWNS = "Porto;North;*\nBraga;North;*\nFaro;South;*\nLisbon;Lisbon;*\n"
NESTED = {"North": ["Porto", "Braga"], "South": ["Faro"], "Lisbon": None}


@pytest.fixture
def persons():
    return pa.table(
        {
            "town": ["Porto", "Faro", None, "Lisbon", "Braga", "Porto"],
            "age": [17, 18, 64, None, 65, 90],
            "wage": [1.5, 2.5, 3.5, 4.5, 5.5, 6.5],
        }
    )


def made(frame, **options):
    return tacita.protect(frame, method="recode", measures=["CATEGORIES"], **options)


def refuted(frame, release):
    verdicts = verify.verify(Microdata.of(frame), release.claim)
    return {each.guarantee for each in verdicts if not each.passed}


def test_values_go_up_their_hierarchy_and_what_is_missing_stays(persons):
    release = made(persons, quasi=["town"], hierarchy={"town": NESTED}, level=1)
    assert release.data["town"].to_pylist() == ["North", "South", None, "Lisbon", "North", "North"]
    assert "recoded-by-level" in [each.guarantee for each in release.record.verdicts]
    top = made(persons, quasi=["town"], hierarchy={"town": NESTED}, level=2)
    assert set(top.data["town"].to_pylist()) == {"Total", None}


def test_level_nought_changes_nothing(persons):
    release = made(persons, quasi=["town"], hierarchy={"town": NESTED}, level=0)
    assert release.data["town"].to_pylist() == persons["town"].to_pylist()


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_file_of_arx_serves_on_the_command_line_and_in_a_plan(tmp_path, persons, ending, capsys):
    api.write_frame(persons, tmp_path / f"in.{ending}")
    (tmp_path / "town.csv").write_text(TOWNS)
    words = [
        "protect",
        str(tmp_path / f"in.{ending}"),
        "--method",
        "recode",
        "--quasi",
        "town",
        "--level",
        "1",
    ]
    more = ["--hierarchy", f"town={tmp_path / 'town.csv'}", "--out", str(tmp_path / f"out.{ending}")]
    plan = tmp_path / "plan.toml"
    assert run_command([*words, *more, "--save-plan", str(plan)]) == 0
    first = (tmp_path / f"out.{ending}").read_bytes()
    assert 'town = "town.csv"' in plan.read_text()
    assert run_command(["run", str(plan), "--force"]) == 0
    assert (tmp_path / f"out.{ending}").read_bytes() == first
    assert "recoded" in capsys.readouterr().out


def test_an_option_of_names_may_be_given_more_than_once(tmp_path, persons):
    api.write_frame(persons, tmp_path / "in.csv")
    (tmp_path / "town.csv").write_text(TOWNS)
    (tmp_path / "age.csv").write_text("".join(f"{age};from {age // 20 * 20};*\n" for age in range(100)))
    words = ["protect", str(tmp_path / "in.csv"), "--method", "recode", "--quasi", "town", "--quasi", "age"]
    for name in ("town", "age"):
        words += ["--hierarchy", f"{name}={tmp_path / name}.csv"]
    assert run_command([*words, "--level", "age=2,town=1", "--out", str(tmp_path / "out.csv")]) == 0
    shown = tacita.read(tmp_path / "out.csv").native
    assert set(shown["age"].to_pylist()) == {"*", ""}
    assert shown["town"].to_pylist()[0] == "North"


def test_numbers_are_cut_into_intervals_named_as_people_do(persons):
    release = made(persons, quasi=["age"], breaks=[18, 65])
    assert release.data["age"].to_pylist() == [
        "under 18", "18-64", "18-64", None, "65 or more", "65 or more"
    ]  # fmt: skip
    wages = made(persons, quasi=["wage"], breaks=[2, 4.5])
    assert wages.data["wage"].to_pylist()[:3] == ["under 2", "2 to under 4.5", "2 to under 4.5"]


@given(
    st.lists(st.integers(-40, 40), min_size=2, max_size=30).filter(lambda values: len(set(values)) > 1),
    st.lists(st.integers(-30, 30), min_size=1, max_size=5, unique=True),
)
def test_every_release_into_intervals_is_verified(values, breaks):
    release = made(pa.table({"x": values}), quasi=["x"], breaks=sorted(breaks))
    shown = release.data["x"].to_pylist()
    place = np.searchsorted(sorted(breaks), values, side="right").tolist()
    assert len(set(zip(place, shown, strict=True))) == len(set(place)) == len(set(shown))


BROKEN = {
    "a value one level too fine": ("recoded-by-level", {"town": "Porto"}),
    "a value one level too coarse": ("recoded-by-level", {"town": "Total"}),
    "a sibling": ("recoded-by-level", {"town": "South"}),
    "a label of no hierarchy": ("recoded-by-level", {"town": "Azores"}),
    "a value gone": ("recoded", {"town": None}),
}


@pytest.mark.parametrize("name", BROKEN)
def test_planted_values_of_another_level_are_caught(persons, name):
    promise, change = BROKEN[name]
    release = made(persons, quasi=["town"], hierarchy={"town": NESTED}, level=1)
    cells = [change["town"], *release.data["town"].to_pylist()[1:]]
    broken = release.data.set_column(0, "town", pa.array(cells))
    assert promise in refuted(broken, release)


@pytest.mark.parametrize("cell", ["18-64", "under 17", "17", "under 18 ", None])
def test_planted_values_of_another_interval_are_caught(persons, cell):
    release = made(persons, quasi=["age"], breaks=[18, 65])
    broken = release.data.set_column(1, "age", pa.array([cell, *release.data["age"].to_pylist()[1:]]))
    assert {"recoded-by-breaks", "recoded"} & refuted(broken, release)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"level": 1}, "has no hierarchy"),
        ({"level": 9, "hierarchy": {"town": NESTED}}, "at most 2"),
        ({"level": -1, "hierarchy": {"town": NESTED}}, "at least 0"),
        ({"level": {"age": 1}, "hierarchy": {"town": NESTED}}, "town is not one of them"),
        ({"level": 1, "hierarchy": {"town": {"North": ["Porto"]}}}, "3 of 4 values"),
        ({"level": 1, "hierarchy": {"nowhere": NESTED}}, "no column nowhere"),
        ({"level": 1, "hierarchy": {"town": "town.xlsx"}}, "as .csv"),
        ({"level": 1, "hierarchy": {"town": 3}}, "got int"),
        ({"level": 1, "hierarchy": "town"}, "COLUMN=FILE"),
        ({"level": 1, "map": {"a": "b"}}, "one of map, level or breaks, got map and level"),
        ({}, "one of map, level or breaks, got none"),
        ({"breaks": [3, 1]}, "from low to high"),
        ({"breaks": []}, "from low to high"),
        ({"breaks": [float("inf")]}, "finite"),
        ({"breaks": [1]}, "are no numbers"),
        ({"level": 1, "others": "x", "hierarchy": {"town": NESTED}}, "there is no map"),
    ],
)
def test_what_cannot_be_recoded_is_refused_in_words(persons, options, told):
    with pytest.raises((ParameterError, DataError), match=told) as problem:
        made(persons, quasi=["town"], **options)
    assert "Porto" not in str(problem.value)
