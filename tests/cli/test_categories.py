"""Categories from the command line and from a plan file, end to end."""

import json
import re

import pyarrow.csv as arrow_csv
import pytest

import tacita
from tacita.cli import run_command
from tacita.microdata.plans.plan import Plan

# an age, a wage or a fortune tells who went to school and who is employed
TELLING = "person_id,household_id,age,wage,self_employment,transfers,total_income,taxes,wealth"
ROLES = ["--quasi", "age,sex,education,employment", "--nominal", "sex,employment"]
ROLES += ["--ordinal", "education=none<primary<secondary<bachelor<master"]


@pytest.fixture
def persons(tmp_path):
    run_command(["datasets", "household", "--out", str(tmp_path / "persons.csv")])
    return tmp_path / "persons.csv"


def protect(source, folder, *more):
    words = ["protect", str(source), "--out", str(folder / "out.csv"), "--method", "gower", "--k", "4"]
    return run_command([*words, *ROLES, "--identifiers", "person_id,household_id", *more])


def test_a_file_of_persons_is_protected_reported_and_assessed(persons, tmp_path, capsys):
    pages = ["--report", str(tmp_path / "r.html"), "--json", str(tmp_path / "r.json")]
    assert (
        protect(persons, tmp_path, *pages, "--unit", "household_id", "--note", str(tmp_path / "n.html")) == 0
    )
    assert "9 promises verified" in capsys.readouterr().out
    written = arrow_csv.read_csv(tmp_path / "out.csv").select(["age", "sex", "education", "employment"])
    rows = list(zip(*written.to_pydict().values(), strict=True))
    assert min(rows.count(row) for row in set(rows)) >= 4
    record = json.loads((tmp_path / "r.json").read_text())
    assert record["record"]["roles"]["nominal"] == ["sex", "employment"]
    scores = {score["name"]: score["value"] for score in record["scores"]}
    assert 0 < scores["CATEGORIES"] < 100
    assert "Nominal" in (tmp_path / "r.html").read_text()
    assert "rare ones may be lost" in (tmp_path / "n.html").read_text()

    words = ["assess", str(persons), str(tmp_path / "out.csv"), *ROLES, "--json", str(tmp_path / "a.json")]
    assert run_command(words) == 0
    again = {
        score["name"]: score["value"] for score in json.loads((tmp_path / "a.json").read_text())["scores"]
    }
    assert again["CATEGORIES"] == scores["CATEGORIES"]
    assert again["GOWER_loss"] == pytest.approx(scores["GOWER_loss"])


def test_the_plan_of_a_run_repeats_it(persons, tmp_path):
    assert protect(persons, tmp_path, "--save-plan", str(tmp_path / "plan.toml"), "--quiet") == 0
    first = (tmp_path / "out.csv").read_bytes()
    plan = Plan.load(tmp_path / "plan.toml")
    assert plan.roles.ordinal == {"education": ("none", "primary", "secondary", "bachelor", "master")}
    assert Plan.from_toml(plan.to_toml()) == plan
    assert run_command(["run", str(tmp_path / "plan.toml"), "--quiet", "--force"]) == 0
    assert (tmp_path / "out.csv").read_bytes() == first
    (tmp_path / "out.csv").unlink()
    exec(plan.to_python(), {})
    assert (tmp_path / "out.csv").read_bytes() == first


def test_undeclared_text_is_an_error_that_says_how_to_declare_it(persons, tmp_path, capsys):
    words = ["protect", str(persons), "--out", str(tmp_path / "out.csv"), "--quasi", "age,sex"]
    assert run_command([*words, "--k", "3"]) != 0
    assert "nominal or ordinal" in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "out.csv").exists()


def test_methods_are_compared_on_categories_and_those_of_numbers_say_why_not(persons):
    trials = tacita.compare_methods(
        persons,
        quasi=["age", "sex", "education"],
        nominal="sex",
        ordinal={"education": ["none", "primary", "secondary", "bachelor", "master"]},
        identifiers=["person_id", "household_id"],
        method=["gower", "mdav"],
        k=[4],
        loss="GOWER_loss",
        risk="DBRL",
        measures=["GOWER_loss"],
    )
    reasons = {trial.method: trial.reason for trial in trials}
    assert reasons["gower"] is None
    assert "gower" in reasons["mdav"]


@pytest.mark.parametrize(
    ("words", "figures"),
    [
        (["--method", "local-suppression"], ["RELATIONS", "SUPPRESSED", "TABLES_2", "NCP", "k_anonymity"]),
        (
            ["--method", "recode", "--map", "none=low,primary=low"],
            ["RELATIONS", "SUPPRESSED", "TABLES_2", "NCP", "k_anonymity"],
        ),
        (["--method", "pram", "--seed", "new"], ["RELATIONS", "SUPPRESSED", "TABLES_2", "k_anonymity"]),
    ],
)
def test_a_release_of_categories_is_told_by_figures_that_it_has(persons, tmp_path, capsys, words, figures):
    source = ["protect", str(persons), "--out", str(tmp_path / "out.csv"), "--quasi", "education,employment"]
    page = ["--identifiers", TELLING, "--report", str(tmp_path / "r.html")]
    capsys.readouterr()
    assert run_command([*source, *words, *page]) == 0
    table = capsys.readouterr().out.partition("what it means")[2].partition("more figures")[0]
    assert re.findall(r"^ (?:loss|risk|balance|    )? +([A-Za-z]\w+) {2,}\d", table, re.M) == figures
    assert "none" not in table
    tiles = (tmp_path / "r.html").read_text().partition('<dl class="tiles"')[2].partition("</dl>")[0]
    assert re.findall(r"<dt>(\w+), \w+ is better", tiles) == figures


def test_the_list_of_parameters_leaves_empty_what_has_no_default(capsys):
    assert run_command(["methods", "local-suppression"]) == 0
    assert "Undefined" not in capsys.readouterr().out


@pytest.mark.parametrize("method", ["generalise", "recode-local", "mondrian", "local-suppression"])
def test_a_report_does_not_deny_the_k_that_a_release_has(persons, tmp_path, method):
    page = tmp_path / "r.html"
    words = ["protect", str(persons), "--out", str(tmp_path / "out.csv"), "--report", str(page), "--quiet"]
    words += ["--quasi", "sex,education,employment", "--identifiers", TELLING, "--k", "4"]
    assert run_command([*words, "--method", method]) == 0
    told = page.read_text()
    assert "masked, not" not in told
    assert "none is hidden among k others" not in told
    assert "most frequent, or a close one" not in told
    assert re.search(r"until at least k records (share every combination|match every record)", told)
