import runpy
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita
from seeds import SEED
from tacita.microdata.plans.plan import Plan

names = st.lists(st.text(min_size=1, max_size=8), unique=True)
BASE = 'version = 1\n[input]\npath = "a.csv"\n[roles]\nquasi = ["a"]\n'


@given(
    columns=names.filter(len),
    k=st.integers(2, 50),
    missing=st.sampled_from(["refuse", "drop", "stratum", "merge"]),
    seed=st.none() | st.integers(0, 2**40),
    delimiter=st.sampled_from([None, ";", "\t"]),
)
def test_a_plan_survives_toml(columns, k, missing, seed, delimiter):
    plan = Plan(
        input={"path": "in.csv", "delimiter": delimiter},
        roles={"quasi": columns},
        protect={"k": k, "missing": missing, "seed": seed, "shuffle": True},
        measure={"names": ["IL1"]},
        output={"path": "out.csv", "json": "r.json"},
    )
    assert Plan.from_toml(plan.to_toml()) == plan


def test_paths_are_relative_to_the_plan_file(tmp_path):
    folder = tmp_path / "somewhere"
    folder.mkdir()
    (folder / "in.csv").write_text("a\n" + "\n".join(map(str, range(9))) + "\n")
    (folder / "plan.toml").write_text(
        'version = 1\n[input]\npath = "in.csv"\n[roles]\nquasi = ["a"]\n[output]\npath = "out.csv"\n'
    )
    tacita.run_plan(Plan.load(folder / "plan.toml"))
    assert (folder / "out.csv").read_text().splitlines()[:2] == ["a", "1"]


def test_written_plans_name_files_beside_them_without_their_folder(tmp_path):
    plan = Plan(
        input={"path": tmp_path / "in.csv"}, roles={"quasi": "a"}, output={"path": tmp_path / "out.csv"}
    )
    assert str(tmp_path) not in plan.to_toml(tmp_path)


def test_plan_and_its_python_script_write_the_same_bytes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tacita.api.write_frame(tacita.datasets.load("business"), "in.csv")
    plan = Plan(
        input={"path": "in.csv"},
        roles={
            "quasi": ["turnover", "wages"],
            "identifiers": ["name", "registration", "value_added"],
            "strata": ["region"],
        },
        protect={"k": 4, "round_integers": True, "shuffle": True, "seed": SEED},
        measure={"names": ["IL2"]},
        output={"path": "one.csv", "json": "one.json"},
    )
    tacita.run_plan(plan)
    script = plan.to_python().replace("one.", "two.")
    Path("script.py").write_text(script)
    runpy.run_path("script.py")
    assert Path("one.csv").read_bytes() == Path("two.csv").read_bytes()
    assert Path("one.json").read_bytes() == Path("two.json").read_bytes()


@given(
    methods=st.lists(st.sampled_from(["mdav", "hm"]), unique=True),
    k=st.none() | st.integers(2, 9) | st.lists(st.integers(2, 50), min_size=1, unique=True),
    report=st.none() | st.just("c.html"),
)
def test_a_plan_that_compares_survives_toml(methods, k, report):
    plan = Plan(
        input={"path": "in.csv"},
        roles={"quasi": ["a"]},
        compare={"method": methods, "loss": "IL1", **({} if k is None else {"k": k})},
        output={"report": report},
    )
    assert Plan.from_toml(plan.to_toml()) == plan


def test_an_empty_section_to_compare_survives_toml():
    plan = Plan(input={"path": "in.csv"}, roles={"quasi": ["a"]}, compare={})
    assert Plan.from_toml(plan.to_toml()) == plan


def test_a_plan_that_compares_and_its_python_script_write_the_same_bytes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tacita.api.write_frame(tacita.datasets.load("business"), "in.csv")
    plan = Plan(
        input={"path": "in.csv"},
        roles={
            "quasi": ["turnover", "wages"],
            "identifiers": ["name", "registration", "value_added"],
            "strata": ["region"],
        },
        protect={"k": 4, "round_integers": True},
        measure={"names": ["IL1", "IL2"]},
        compare={"method": ["mdav", "hm"], "k": [3, 5], "risk": "DLD"},
        output={"report": "one.html", "json": "one.json"},
    )
    tacita.api.run_comparison(plan)
    Path("script.py").write_text(plan.to_python().replace("one.", "two."))
    runpy.run_path("script.py")
    assert Path("one.html").read_bytes() == Path("two.html").read_bytes()
    assert Path("one.json").read_bytes() == Path("two.json").read_bytes()


def test_the_script_of_a_plan_that_does_both_does_both():
    plan = Plan(
        input={"path": "a.csv"}, roles={"quasi": "x"}, compare={"k": [3, 5]}, output={"path": "b.csv"}
    )
    assert plan.to_python().splitlines()[3:] == [
        "release = tacita.protect(data, quasi=['x'], method='mdav')",
        "tacita.save(release, 'b.csv')",
        "trials = tacita.compare_methods(data, quasi=['x'], method=['mdav'], k=[3, 5])",
    ]


def test_a_plan_that_only_compares_cannot_be_run():
    plan = Plan.from_toml(BASE + "[compare]\nk = [3, 5]")
    with pytest.raises(tacita.ParameterError, match=r"output\.path is required to protect"):
        tacita.run_plan(plan)


def test_a_plan_without_a_section_to_compare_cannot_be_compared():
    plan = Plan.from_toml(BASE + '[output]\npath = "b.csv"')
    with pytest.raises(tacita.ParameterError, match=r"no \[compare\] section"):
        tacita.api.run_comparison(plan)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("version = 1\n[input", "not valid TOML"),
        ('[input]\npath = "a.csv"', "version is required"),
        ('version = 2\n[input]\npath = "a.csv"', "version must be"),
        (BASE, "output is required"),
        (BASE + '[output]\nreport = "r.html"', r"output\.path is required"),
        (BASE + "[compare]\nz = [1]", "no method to be compared has a parameter z"),
        (BASE + '[compare]\nmethod = ["nosuch"]', "nosuch"),
        (BASE + '[compare]\n[measure]\nwithout = ["PIL"]', "PIL cannot be left out"),
        (
            BASE + '[output]\npath = "b.csv"\n[protect]\nk = 1',
            "MDAV: k must be at least 2, got 1",
        ),
        (
            BASE + '[output]\npath = "b.csv"\n[protect]\nz = 1',
            "MDAV: there is no parameter z",
        ),
    ],
)
def test_a_wrong_plan_says_what_is_wrong(text, message):
    with pytest.raises(tacita.TacitaError, match=message):
        Plan.from_toml(text)
