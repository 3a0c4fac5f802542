"""Syntheses of mixed data asked for wrongly, or of data that cannot serve: refused without a value."""

import pyarrow as pa
import pytest

import tacita
from tacita.cli import run_command
from tacita.core import DataError, ParameterError

SECRET = "Quxville"
N = 60
TABLE = {
    "age": [7 + i % 50 for i in range(N)],
    "wage": [0.0 if 7 + i % 50 < 15 else 1000.0 + 37 * i % 400 for i in range(N)],
    "other": [float(i * i % 91) for i in range(N)],
    "place": [SECRET if i == 0 else ("north", "south", "east")[i % 3] for i in range(N)],
    "size": [("small", "large")[i % 2] for i in range(N)],
    "name": [f"{SECRET} {i}" for i in range(N)],
    "one": [SECRET] * N,
    "holes": [None if i % 4 == 0 else float(i % 13) for i in range(N)],
}
ROLES = {
    "dependent": ["wage", "other", "place", "size"],
    "independent": ["age"],
    "nominal": ["place"],
    "ordinal": {"size": ["small", "large"]},
}

CASES = {
    "a rule that is no rule": ({"rules": ["age < 15"]}, ParameterError, "Rules: wanted one of :"),
    "a rule of nothing": ({"rules": [""]}, ParameterError, "Rules: wanted a column first"),
    "a rule that is code": (
        {"rules": ["__import__('os').remove('x'): wage = 0"]},
        ParameterError,
        "Rules: wanted",
    ),
    "a rule without a sign": ({"rules": ["age 15: wage = 0"]}, ParameterError, "Rules: wanted one of = !="),
    "a rule with more after it": (
        {"rules": ["age < 15: wage = 0 or"]},
        ParameterError,
        "nothing more after it",
    ),
    "a rule of two columns": (
        {"rules": ["age < wage: wage = 0"]},
        ParameterError,
        "a number, a label in quotes",
    ),
    "a rule of a column that is not there": (
        {"rules": ["years < 15: wage = 0"]},
        ParameterError,
        "column years. There are:",
    ),
    "a rule of a column beside": (
        {"rules": ["holes = 3: wage = 0"]},
        ParameterError,
        "no dependent or independent column holes",
    ),
    "a label for a number": (
        {"rules": ["age = 'old': wage = 0"]},
        ParameterError,
        "column age holds numbers",
    ),
    "a label that nobody has": (
        {"rules": ["place = 'west': wage = 0"]},
        ParameterError,
        "no category 'west'",
    ),
    "an order of names": ({"rules": ["place < 'north': wage = 0"]}, ParameterError, "have no order"),
    "missing as a limit": ({"rules": ["age > missing: wage = 0"]}, ParameterError, "= or != before missing"),
    "a rule that originals break": (
        {"rules": ["age < 20: wage = 0"]},
        DataError,
        r"\d+ original records break number 1 of the rules",
    ),
    "a zero that occurs": (
        {"zeros": ["age < 15"]},
        DataError,
        "original records break number 1 of the rules and zeros",
    ),
    "a zero with a colon": ({"zeros": ["age < 15: wage = 0"]}, ParameterError, "Zeros: wanted nothing more"),
    "a sum of categories": (
        {"edits": ["place + wage = other"]},
        ParameterError,
        "column place holds categories",
    ),
    "a sum that does not hold": ({"edits": ["wage + other = age"]}, DataError, "break number 1 of the edits"),
    "an order that does not hold": ({"edits": ["wage <= other"]}, DataError, "break number 1 of the edits"),
    "a sum of nothing": ({"edits": ["wage - wage = 0"]}, ParameterError, "does not cancel out"),
    "a strict order": ({"edits": ["wage < other"]}, ParameterError, "Edits: wanted one of = <= >="),
    "a product of columns": ({"edits": ["wage * other = age"]}, ParameterError, "Edits: wanted"),
    "a number too large": ({"edits": ["wage <= 1e999"]}, ParameterError, "not too large"),
    "a sum of an unknown column": ({"edits": ["pay + other = wage"]}, ParameterError, "column pay"),
    "rules that are no list": ({"rules": 3}, ParameterError, "rules"),
    "rules that are no text": ({"rules": [3]}, ParameterError, "rules"),
    "an order of an independent column": (
        {"order": ["age"]},
        ParameterError,
        "order must name dependent columns",
    ),
    "an order that names one twice": (
        {"order": ["wage", "wage"]},
        ParameterError,
        "order must name dependent",
    ),
    "k of one": ({"k": 1}, ParameterError, "k must be at least 2"),
    "k of two": ({"k": 2}, ParameterError, "k must be at least 3, got 2"),
    "k of half the records": ({"k": 31}, DataError, "wanted at least 62 records, twice k"),
    "k of all records": ({"k": 61}, DataError, "needs at least 61 records"),
    "a share over one": ({"max_unchanged": 1.5}, ParameterError, "max_unchanged must be at most 1"),
    "a bound, which the ends make needless": ({"lowest": 0}, ParameterError, "no parameter lowest"),
    "text without a kind": ({"nominal": [], "ordinal": {}}, DataError, "must be declared nominal or ordinal"),
    "an independent text without a kind": (
        {"independent": ["name"]},
        DataError,
        "must be declared nominal or ordinal",
    ),
    "a kind for a column beside": (
        {"nominal": ["place", "name"]},
        ParameterError,
        "column name is named nominal but is no",
    ),
    "a name for everybody": (
        {"dependent": ["name"], "nominal": ["name"], "ordinal": {}},
        DataError,
        "no category, or no values, that k = 5",
    ),
    "nothing that varies": (
        {"dependent": ["one"], "nominal": ["one"], "ordinal": {}},
        DataError,
        "constant or missing",
    ),
    "gaps": ({"dependent": ["holes", "wage"], "nominal": [], "ordinal": {}}, DataError, "holes .15.*level"),
    "gaps as a stratum": ({"missing": "stratum"}, ParameterError, "'refuse', 'drop' or 'level'"),
    "gaps merged": ({"missing": "merge"}, ParameterError, "'refuse', 'drop' or 'level'"),
    "nothing to draw": ({"dependent": []}, ParameterError, "dependent must name"),
    "small strata": ({"strata": ["name"]}, DataError, "strata have fewer than k=5 records"),
}


@pytest.mark.parametrize(("given", "error", "words"), CASES.values(), ids=CASES)
def test_is_refused_in_words_that_help_and_quote_no_cell(given, error, words):
    with pytest.raises(error, match=words) as caught:
        tacita.synthesize(pa.table(TABLE), **{**ROLES, "method": "trees", "measures": ["IL1"], **given})
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize("name", ["ipso-c", "gadp", "fcrm"])
def test_a_synthesis_of_numbers_names_those_that_take_categories_and_gaps(name):
    with pytest.raises(
        ParameterError, match=r"columns place, size are declared nominal or ordinal\. Use copula or trees"
    ):
        tacita.synthesize(pa.table(TABLE), **ROLES, method=name)
    with pytest.raises(
        ParameterError, match=r"missing 'level' treats .* Choose another value, or copula or trees"
    ):
        tacita.synthesize(pa.table(TABLE), dependent="wage", independent="age", method=name, missing="level")
    with pytest.raises(ParameterError, match="column size is declared"):
        tacita.synthesize(
            pa.table(TABLE),
            dependent="wage",
            independent=["size"],
            ordinal={"size": ["small", "large"]},
            method=name,
        )


@pytest.mark.parametrize("name", ["mdav", "noise", "gower"])
def test_missing_as_a_level_is_for_those_who_draw_it(name):
    with pytest.raises(ParameterError, match="missing 'level' treats missing values as a category"):
        tacita.protect(pa.table(TABLE), quasi=["wage", "other"], method=name, missing="level")


def test_what_cannot_be_drawn_is_refused_with_a_count():
    # what only three records may have, and no other may be said of them, is drawn for nobody
    code = ["rare" if i < 3 else "ab"[i % 2] for i in range(N)]
    frame = pa.table({"code": code, "kind": [1 if i < 3 else 2 + i % 3 for i in range(N)]})
    given = {"dependent": ["code"], "independent": ["kind"], "nominal": ["code"], "method": "trees"}
    with pytest.raises(DataError, match=r"Trees: for 3 of 60 records no values were found .* that keep all"):
        tacita.synthesize(frame, **given, zeros=["kind = 1 and code != 'rare'"])


def test_the_command_line_says_the_same_in_one_line(tmp_path, capsys):
    import csv

    with (tmp_path / "in.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(TABLE)
        writer.writerows(zip(*TABLE.values(), strict=True))
    words = ["synthesize", str(tmp_path / "in.csv"), "--out", str(tmp_path / "out.csv"), "--method", "trees"]
    words += ["--dependent", "wage,other", "--rules", "age << 15: wage = 0"]
    assert run_command(words) == 2
    told = capsys.readouterr().err
    assert "Rules: wanted" in told
    assert "Traceback" not in told
    assert not (tmp_path / "out.csv").exists()
