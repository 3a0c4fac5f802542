"""What is asked wrongly of drop is refused in words, without a value of the data."""

import numpy as np
import pyarrow as pa
import pytest

import tacita
from tacita.cli import run_command

N = 40
FRAME = {
    "town": [f"secret{i % 4}" for i in range(N)],
    "age": [None if i == 7 else 20 + i for i in range(N)],
    "code": [f"0{i % 5}" for i in range(N)],
    "income": [1000.5 + 7 * i for i in range(N)],
    "weight": [1.0 + i % 3 for i in range(N)],
    "unit": [f"u{i // 2}" for i in range(N)],
}

WRONG = {
    "nothing to do": {},
    "an unknown parameter": {"columns": "town", "bogus": 1},
    "k, which it has not": {"columns": "town", "k": 3},
    "an unknown column": {"columns": "nowhere"},
    "a column twice": {"columns": ["town", "town"]},
    "columns of a number": {"columns": 3},
    "all columns": {"columns": list(FRAME)},
    "all but the identifier": {"columns": [*FRAME][:-1], "identifiers": ["unit"]},
    "a condition on no column": {"records": "nowhere > 3"},
    "a condition of a number": {"records": 3},
    "an empty condition": {"records": ""},
    "a condition without value": {"records": "income >"},
    "a condition without sign": {"records": "income"},
    "a condition with or": {"records": "income > 3 or income < 2"},
    "a condition that is code": {"records": "__import__('os').system('ls')"},
    "a sign that is none": {"records": "income => 3"},
    "a rule": {"records": "income > 3: town = 'x'"},
    "words compared with a number": {"records": "town > 3"},
    "words in an order": {"records": "town < 'z'"},
    "codes compared with a number": {"records": "code = 1"},
    "numbers compared with a word": {"records": "income = 'much'"},
    "more than missing": {"records": "income > missing"},
    "a number without end": {"records": "income > 1e999"},
    "a condition twice": {"records": ["income > 1100", "income > 1100"]},
    "a value that is missing": {"records": "age > 30"},
    "everybody": {"records": "income > 0"},
    "everybody by two": {"records": ["income > 1100", "income <= 1100"]},
    "an unknown reading": {"records": "age > 30", "unknown": "guess"},
    "quasi-identifiers": {"columns": "town", "quasi": ["income"]},
    "the weight": {"columns": "weight", "weight": "weight"},
    "the unit": {"columns": "unit", "unit": "unit"},
    "a stratum": {"columns": "town", "strata": ["town"]},
    "an identifier": {"columns": "unit", "identifiers": ["unit"]},
    "a confidential column": {"columns": "income", "confidential": ["income"]},
    "a column with a hierarchy": {"columns": "town", "hierarchy": {"town": {"a": ["secret0"]}}},
    "a required key": {"columns": "town", "require": {"k_anonymity": {"k": 3, "keys": ["town", "code"]}}},
    "a domain": {"columns": "town", "domains": ["town"]},
    "a setting of a measure": {
        "columns": "town",
        "measures": ["k_anonymity"],
        "settings": {"k_anonymity": {"keys": ["town"]}},
    },
    "part of a chain": {"columns": "town", "method": "drop+mdav"},
}


@pytest.mark.parametrize("name", WRONG)
def test_it_is_refused_in_words(name):
    with pytest.raises((tacita.ParameterError, tacita.DataError)) as told:
        tacita.protect(pa.table(FRAME), **{"method": "drop", **WRONG[name]})
    assert "secret" not in str(told.value)
    assert "1007.5" not in str(told.value)
    assert len(str(told.value)) < 900


DROP_TOWN = {"method": "drop", "columns": ["town"]}
STEPS = {
    "a column of a later step": [DROP_TOWN, {"method": "pram", "quasi": ["town"]}],
    "a column of an earlier step": [{"method": "pram", "quasi": ["town"]}, DROP_TOWN],
    "a column that a later step looks at": [
        DROP_TOWN,
        {"method": "generalise", "quasi": ["code"], "models": {"l_diversity": {"column": "town", "l": 2}}},
    ],
    "an independent column": [
        {"method": "drop", "columns": ["weight"]},
        {"method": "ipso-c", "dependent": ["income"], "independent": ["weight"]},
    ],
    "a column of a later condition": [DROP_TOWN, {"method": "drop", "records": "town = 'secret1'"}],
    "a column twice": [DROP_TOWN, DROP_TOWN],
    "a condition on what a step changed": [
        {"method": "noise", "quasi": ["income"]},
        {"method": "drop", "records": "income > 1100"},
    ],
    "quasi in a step": [{"method": "drop", "quasi": ["town"], "columns": ["code"]}],
    "nobody left in the end": [
        {"method": "drop", "records": "income > 1100"},
        {"method": "drop", "records": "income <= 1100"},
    ],
    "too few left for k": [
        {"method": "drop", "records": "income > 1010"},
        {"method": "mdav", "quasi": ["income"], "k": 5},
    ],
}


@pytest.mark.parametrize("name", STEPS)
def test_steps_that_do_not_fit_are_refused_in_words(name):
    with pytest.raises((tacita.ParameterError, tacita.DataError)) as told:
        tacita.protect(pa.table(FRAME), steps=STEPS[name])
    assert "secret" not in str(told.value)


WORDS = {
    "no column and no condition": "--method drop",
    "a column that is not there": "--method drop --columns nowhere",
    "a condition that is none": "--method drop --records income",
    "quasi": "--method drop --columns town --quasi income",
    "an unknown option": "--method drop --columns town --k 3",
}


@pytest.mark.parametrize("name", WORDS)
def test_the_command_line_refuses_without_writing(name, tmp_path, capsys):
    source, out = tmp_path / "in.csv", tmp_path / "out.csv"
    pa.table(FRAME).to_pandas().to_csv(source, index=False)
    assert run_command(["protect", str(source), "--out", str(out), *WORDS[name].split()]) == 2
    heard = capsys.readouterr()
    assert "Traceback" not in heard.out + heard.err
    assert "secret1" not in heard.out + heard.err
    assert not out.exists()


def test_a_comparison_says_why_it_cannot_drop():
    trials = tacita.compare_methods(
        pa.table(FRAME).select(["income", "weight"]),
        quasi="income",
        method=["mdav", "drop"],
        k=[3],
        columns=["weight"],
    )
    assert "leave out quasi" in next(trial.reason for trial in trials if trial.method == "drop")


def test_infinite_numbers_in_a_condition_are_refused():
    table = pa.table({"x": [1.0, np.inf, 3.0], "y": [1, 2, 3]})
    with pytest.raises(tacita.DataError, match="infinite"):
        tacita.protect(table, method="drop", records="x > 2")
