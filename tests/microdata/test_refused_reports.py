"""The confidential report of a release that was refused: written by itself, whatever the reason."""

import re

import pyarrow as pa
import pytest

import tacita
from tacita import ParameterError, api
from tacita.core import InferenceError, RequirementError
from tacita.microdata.plans.plan import Plan

QUASI = ["turnover", "costs"]


def made_of_sums():
    """Records in which turnover is costs and surplus."""
    turnover, costs = [100 * i + i % 7 for i in range(60)], [60 * i + i % 5 for i in range(60)]
    surplus = [a - b for a, b in zip(turnover, costs, strict=True)]
    regions = ["North" if i % 2 else "South" for i in range(60)]
    return pa.table({"turnover": turnover, "costs": costs, "surplus": surplus, "region": regions})


SUMS = made_of_sums()


@pytest.fixture
def folder(tmp_path):
    api.write_frame(SUMS, tmp_path / "in.csv")
    return tmp_path


def plan(folder, **sections):
    pages = {"report": folder / "r.html", "json": folder / "r.json", "note": folder / "n.html"}
    return Plan(
        **{"input": {"path": folder / "in.csv"}, "output": {"path": folder / "out.csv", **pages}} | sections
    )


def written(folder):
    return sorted(path.name for path in folder.iterdir())


LIMITED = {"roles": {"quasi": QUASI, "identifiers": ["surplus"]}, "require": {"DBRL": 0.01, "IL1": 99}}
HIDDEN = {"steps": [{"method": "mdav", "k": 3, "quasi": ["turnover"]}]}


def test_any_run_may_write_the_report_of_a_release_that_does_not_meet_a_requirement(folder):
    with pytest.raises(RequirementError, match="Protect more strongly, or add a step") as refusal:
        api.run_plan(plan(folder, **LIMITED), report_refused=True)
    assert written(folder) == ["in.csv", "r.html", "r.json"]
    assert (folder / "r.html").stat().st_mode & 0o077 == 0
    (verdict,) = refusal.value.unmet
    assert (verdict.guarantee, verdict.passed) == ("DBRL", False)
    assert "Refused: a requirement is not met" in (folder / "r.html").read_text()


def test_a_release_that_is_not_refused_has_all_its_files(folder):
    api.run_plan(plan(folder, **{**LIMITED, "require": {"IL1": 99}}), report_refused=True)
    assert written(folder) == ["in.csv", "n.html", "out.csv", "r.html", "r.json"]
    assert "Refused" not in (folder / "r.html").read_text()


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"dry_run": True}, r"See r.html, r.json \(confidential\)"),
        ({"report_refused": True}, "Leave out"),
    ],
)
def test_the_report_of_a_release_that_gives_back_what_it_hid(folder, how, said):
    with pytest.raises(InferenceError, match=said) as refusal:
        api.run_plan(plan(folder, **HIDDEN), **how)
    assert refusal.value.accepted_as == "keys-determined"
    assert [each.column for each in refusal.value.determined] == ["turnover"]
    assert written(folder) == ["in.csv", "r.html", "r.json"]
    page = (folder / "r.html").read_text()
    assert "Refused: other columns determine suppressed values" in page
    # some are the mean of their group: they were not changed
    assert re.search(r"(\d+) of \1 changed cells of turnover follow from costs with surplus", page)
    assert "A promise is broken" not in page


def test_who_insists_gets_the_release_and_its_report_says_so(folder):
    api.run_plan(plan(folder, **HIDDEN, protect={"insist": True}), report_refused=True)
    assert "out.csv" in written(folder)
    page = (folder / "r.html").read_text()
    assert "keys-determined" in page
    assert "Refused" not in page


def test_without_a_report_it_says_what_to_name(folder):
    bare = plan(folder, **HIDDEN, output={"path": folder / "out.csv"})
    with pytest.raises(InferenceError, match="Name a report to see why"):
        api.run_plan(bare, dry_run=True)
    assert written(folder) == ["in.csv"]


def test_a_run_in_parts_writes_no_report_of_what_it_refuses(folder):
    parts = plan(folder, **LIMITED, executor={"name": "serial"}, output={"path": folder / "out.parquet"})
    with pytest.raises(ParameterError, match="no report of a refused release"):
        api.run_plan(parts, report_refused=True)


@pytest.mark.parametrize(
    ("limits", "columns"),
    [
        ({"IL1": {"limit": 0.001, "by_column": {"turnover": 0.01}}}, ["turnover"]),
        ({"IL1": {"by_column": 0.01}}, ["costs", "turnover"]),
        ({"IL1": 0.001}, ["costs"]),
        ({"k_anonymity": {"k": 9, "keys": ["region", "turnover"]}}, ["region", "turnover"]),
        ({"DBRL": 0.01}, []),
    ],
)
def test_a_requirement_that_is_not_met_names_columns_the_worst_first(limits, columns):
    release = tacita.protect(SUMS, quasi=QUASI, k=3, identifiers=["surplus"])
    figures = release.report["IL1"].per_attribute
    assert figures["costs"] > figures["turnover"] > 0.01
    (verdict,) = tacita.check_requirements(
        release.data, limits, original=SUMS.drop_columns(["surplus"]), quasi=QUASI
    )
    assert not verdict.passed
    assert list(verdict.columns) == columns
    assert all(name in verdict.detail for name in columns)
