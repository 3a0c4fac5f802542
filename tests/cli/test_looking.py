"""Commands that look at a file, and what the command line says of itself."""

import json

import pytest

from tacita.cli import COMMANDS, GROUPS, run_command

RECORDS = "name,sex,age,town,wage,w\n" + "".join(
    f"P{i},{'fm'[i % 2]},{20 + i % 7},{'abc'[i % 3]},{'' if i == 4 else 1000 + 13 * i},{1.5 + i % 3}\n"
    for i in range(40)
)


@pytest.fixture
def survey(tmp_path):
    (tmp_path / "survey.csv").write_text(RECORDS)
    return tmp_path / "survey.csv"


def test_describe_shows_type_gaps_and_a_suggested_role_with_its_reason(survey, capsys):
    assert run_command(["describe", str(survey)]) == 0
    shown = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["name", "categories", "40", "0", "identifiers", "40", "distinct", "values"] in shown
    assert ["wage", "integers", "39", "1", "quasi", "numbers"] in shown
    assert ["w", "numbers", "3", "0", "quasi", "numbers"] in shown


def test_describe_counts_who_is_unique_on_the_keys_that_are_named(survey, capsys):
    assert run_command(["describe", str(survey), "--keys", "sex,age", "--json"]) == 0
    risk = json.loads(capsys.readouterr().out)["risk"]
    classes = [(i % 2, i % 7) for i in range(40)]
    sizes = [classes.count(each) for each in classes]
    assert risk["keys"] == ["sex", "age"]
    counts = (risk["unique"], risk["below_3"], risk["below_5"])
    assert counts == tuple(sum(size < least for size in sizes) for least in (2, 3, 5))


def test_describe_counts_units_where_one_is_named(survey, capsys):
    words = ["describe", str(survey), "--keys", "sex", "--unit", "town"]
    assert run_command(words) == 0
    shown = capsys.readouterr().out
    assert "Risk on sex; units are those of town:" in shown
    assert "0 of 40 records (0 %) share their values with no other units" in shown


def test_describe_shows_no_value_of_the_file(survey, capsys):
    assert run_command(["describe", str(survey)]) == 0
    shown = capsys.readouterr().out
    assert not any(
        cell in shown for line in RECORDS.splitlines()[1:] for cell in line.split(",")[0::4] if cell
    )


def test_a_hierarchy_is_made_of_the_values_of_a_column_and_checked_against_it(survey, tmp_path, capsys):
    made = tmp_path / "age.csv"
    words = ["hierarchy", "make", str(survey), "--column", "age", "--widths", "2,4", "--out", str(made)]
    assert run_command(words) == 0
    assert made.read_text().splitlines()[0] == "20;20-21;20-23;*"
    checking = ["hierarchy", "check", str(survey), "--column", "age", "--hierarchy", str(made)]
    assert run_command(checking) == 0
    assert "level 0: 7, level 1: 4, level 2: 2, level 3: 1" in capsys.readouterr().out
    made.write_text("\n".join(made.read_text().splitlines()[1:]) + "\n")
    assert run_command(checking) == 1
    assert "1 of 7 values of the column are not among its leaves" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("levels", "said"),
    [
        ([], "wanted one of widths, lengths, periods, got 0"),
        (["--widths", "2", "--lengths", "1"], "wanted one of widths, lengths, periods, got 2"),
        (["--widths", "two"], "--widths must be numbers separated by commas, got 'two'"),
        (["--lengths", "1.5"], "--lengths must be whole numbers separated by commas, got '1.5'"),
    ],
)
def test_levels_that_make_no_hierarchy_are_refused_in_words(survey, tmp_path, capsys, levels, said):
    words = ["hierarchy", "make", str(survey), "--column", "age", "--out", str(tmp_path / "h.csv")]
    assert run_command([*words, *levels]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "h.csv").exists()


@pytest.mark.parametrize("words", [["describe"], ["protect", "--out", "o.csv", "--quasi"]])
def test_a_misspelt_column_is_answered_with_the_nearest(survey, capsys, words):
    option = ["--keys", "sex,agee"] if words == ["describe"] else ["sex,agee"]
    assert run_command([words[0], str(survey), *words[1:], *option]) == 2
    assert "there is no column agee. Did you mean age" in capsys.readouterr().err


def test_a_misspelt_method_is_answered_with_the_nearest(survey, tmp_path, capsys):
    words = ["protect", str(survey), "--out", str(tmp_path / "o.csv"), "--quasi", "wage", "--method", "mdaf"]
    assert run_command(words) == 2
    assert "Did you mean mdav" in capsys.readouterr().err


def test_help_lists_the_commands_in_groups(capsys):
    assert run_command(["--help"]) == 0
    shown = capsys.readouterr().out
    places = [shown.index(f"─ {title} ─") for title in GROUPS]
    assert places == sorted(places)
    assert all(f"│ {name} " in shown for name in COMMANDS)


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "hierarchy"])
def test_the_help_of_a_command_has_an_example(name, capsys):
    assert run_command([name, "--help"]) == 0
    assert f"tacita {name}" in capsys.readouterr().out.partition("Usage")[2].partition("xample")[2]


@pytest.mark.parametrize("name", ["make", "check"])
def test_the_help_of_a_command_on_hierarchies_has_an_example(name, capsys):
    assert run_command(["hierarchy", name, "--help"]) == 0
    assert f"tacita hierarchy {name}" in capsys.readouterr().out.partition("xample")[2]


def test_the_man_page_has_every_command_with_its_options(capsys):
    assert run_command(["manual"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert {line for line in lines if line.startswith(".SS")} == {
        f".SS tacita {name}".replace("-", "\\-") for name in COMMANDS if name != "hierarchy"
    } | {".SS tacita hierarchy make", ".SS tacita hierarchy check"}
    for option in ("--quasi", "--keys", "--dry-run", "--folder", "--port"):
        assert f"\\fB{option}\\fR".replace("-", "\\-") in lines
    macros = {line.split()[0] for line in lines if line.startswith(".")}
    assert macros == {".TH", ".SH", ".SS", ".B", ".I", ".PP", ".TP"}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_can_complete_commands_and_options(shell, capsys):
    assert run_command(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert all(word in script for word in ("synthesize", "quasi", "hierarchy"))
