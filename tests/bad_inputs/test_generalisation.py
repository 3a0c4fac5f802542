"""What is asked wrongly of generalisation is refused in words, without a value of the data."""

import numpy as np
import pyarrow as pa
import pytest

import tacita
from tacita.cli import run_command

FRAME = {
    "town": [f"secret{i % 4}" for i in range(40)],
    "age": [str(20 + i % 5) for i in range(40)],
    "disease": [f"ill{i % 3}" for i in range(40)],
    "unit": [f"u{i}" for i in range(40)],
    "weight": [1.5] * 40,
    "nought": [0.0] * 40,
    "gaps": [None, *[1.5] * 39],
}
PEOPLE = "town,age\n" + "".join(f"secret{i % 4},{20 + i % 5}\n" for i in range(60))
TOWNS = {"north": ["secret0", "secret1"], "south": ["secret2", "secret3"]}

WRONG = {
    "k of one": {"k": 1},
    "k of two": {"k": 2},
    "k of text": {"k": "many"},
    "k of a half": {"k": 3.5},
    "k beyond the file": {"k": 41},
    "a negative limit": {"suppression_limit": -0.1},
    "a limit beyond all": {"suppression_limit": 1.1},
    "a limit of text": {"suppression_limit": "few"},
    "a limit that is no number": {"suppression_limit": float("nan")},
    "unknown outliers": {"outliers": "hide"},
    "an unknown parameter": {"bogus": 1},
    "an unknown model": {"models": {"m_diversity": {"column": "disease", "l": 2}}},
    "models of text": {"models": "l_diversity"},
    "models of a number": {"models": 3},
    "a model without settings": {"models": {"l_diversity": 3}},
    "a model without any": {"models": {"l_diversity": []}},
    "a model without column": {"models": {"l_diversity": {"l": 2}}},
    "a model of no column": {"models": {"l_diversity": {"column": "nowhere", "l": 2}}},
    "a model of a key": {"models": {"l_diversity": {"column": "town", "l": 2}}},
    "l below one": {"models": {"l_diversity": {"column": "disease", "l": 0}}},
    "l of a half": {"models": {"l_diversity": {"column": "disease", "l": 2.5}}},
    "more values than there are": {"models": {"l_diversity": {"column": "disease", "l": 9}}},
    "recursive without c": {"models": {"l_diversity": {"column": "disease", "l": 2, "kind": "recursive"}}},
    "c without recursive": {"models": {"l_diversity": {"column": "disease", "l": 2, "c": 2}}},
    "an unknown kind of l": {"models": {"l_diversity": {"column": "disease", "l": 2, "kind": "odd"}}},
    "t beyond one": {"models": {"t_closeness": {"column": "disease", "t": 1.5}}},
    "t missing": {"models": {"t_closeness": {"column": "disease"}}},
    "an order of words unsaid": {
        "models": {"t_closeness": {"column": "disease", "t": 0.5, "kind": "ordered"}}
    },
    "an order that is short": {
        "models": {
            "t_closeness": {"column": "disease", "t": 0.5, "kind": "ordered", "order": ["ill0", "ill1"]}
        }
    },
    "an order with one twice": {
        "models": {
            "t_closeness": {"column": "disease", "t": 0.5, "kind": "ordered", "order": ["ill0", "ill0"]}
        }
    },
    "an order without need": {"models": {"t_closeness": {"column": "disease", "t": 0.5, "order": ["ill0"]}}},
    "a tree unsaid": {"models": {"t_closeness": {"column": "disease", "t": 0.5, "kind": "hierarchical"}}},
    "beta of nought": {"models": {"beta_likeness": {"column": "disease", "beta": 0}}},
    "an unknown beta": {"models": {"beta_likeness": {"column": "disease", "beta": 1, "kind": "odd"}}},
    "delta below nought": {"models": {"delta_disclosure": {"column": "disease", "delta": -1}}},
    "k of one beside a model of classes": {"k": 1, "models": {"l_diversity": {"column": "disease", "l": 2}}},
    "k of nought": {"k": 0, "models": {"k_map": {"k": 3, "weight": "weight"}}, "accept_risks": True},
    "k-map without k": {"models": {"k_map": {"weight": "weight"}}},
    "k-map of one": {"models": {"k_map": {"k": 1, "weight": "weight"}}},
    "k-map of a half": {"models": {"k_map": {"k": 2.5, "weight": "weight"}}},
    "k-map of nobody": {"models": {"k_map": {"k": 3}}},
    "k-map of both": {"models": {"k_map": {"k": 3, "weight": "weight", "population": "people.csv"}}},
    "weights of no column": {"models": {"k_map": {"k": 3, "weight": "nowhere"}}},
    "weights of a key": {"models": {"k_map": {"k": 3, "weight": "age"}}},
    "weights of words": {"models": {"k_map": {"k": 3, "weight": "disease"}}},
    "weights of nought": {"models": {"k_map": {"k": 3, "weight": "nought"}}},
    "weights that are missing": {"models": {"k_map": {"k": 3, "weight": "gaps"}}},
    "weights beside units": {"models": {"k_map": {"k": 3, "weight": "weight"}}, "unit": "unit"},
    "more persons than there are": {"models": {"k_map": {"k": 999, "weight": "weight"}}},
    "a risk beyond one": {"models": {"average_risk": {"risk": 1.2}}},
    "a risk of nought": {"models": {"average_risk": {"risk": 0}}},
    "a risk of words": {"models": {"average_risk": {"risk": "low"}}},
    "a risk unsaid": {"models": {"average_risk": {}}},
    "a share of uniques of one": {"models": {"sample_uniqueness": {"share": 1}}},
    "a share of uniques below nought": {"models": {"sample_uniqueness": {"share": -0.1}}},
    "a share that is no number": {"models": {"sample_uniqueness": {"share": float("nan")}}},
    "a setting of another model": {"models": {"sample_uniqueness": {"share": 0.1, "fraction": 0.2}}},
    "no fraction": {"models": {"population_uniqueness": {"share": 0.1}}},
    "a fraction beyond one": {"models": {"population_uniqueness": {"share": 0.1, "fraction": 2}}},
    "a fraction of nought": {"models": {"population_uniqueness": {"share": 0.1, "fraction": 0}}},
    "no uniques of a population": {"models": {"population_uniqueness": {"share": 0, "fraction": 0.5}}},
    "an unknown estimator": {
        "models": {"population_uniqueness": {"share": 0.1, "fraction": 0.5, "estimator": "guess"}}
    },
    "a presence of nobody": {"models": {"delta_presence": {"most": 0.5}}},
    "a presence without end": {"models": {"delta_presence": {"population": "people.csv"}}},
    "a presence beyond all": {"models": {"delta_presence": {"population": "people.csv", "most": 1.5}}},
    "a presence turned round": {
        "models": {"delta_presence": {"population": "people.csv", "least": 0.9, "most": 0.5}}
    },
    "a population of no file": {"models": {"k_map": {"k": 3, "population": "nowhere.csv"}}},
    "a population of a number": {"models": {"k_map": {"k": 3, "population": 3}}},
    "a hierarchy without some values": {"hierarchy": {"town": {"north": ["secret0"]}}},
    "a hierarchy of no file": {"hierarchy": {"town": "nowhere.csv"}},
    "a hierarchy of another kind": {"hierarchy": {"town": 3}},
    "a hierarchy of no column": {"hierarchy": {"nowhere": TOWNS}},
}
OF_GENERALISE = {
    "an unknown quality": {"quality": "beauty"},
    "an unknown aggregate": {"aggregate": "median"},
    "an aggregate of another quality": {"quality": "height", "aggregate": "mean"},
    "a balance beyond one": {"balance": 2},
    "a balance of another quality": {"quality": "aecs", "balance": 0.2},
    "importance of no key": {"importance": {"disease": 2}},
    "importance of nought": {"importance": {"town": 0}},
    "importance without end": {"importance": {"town": float("inf")}},
    "importance of words": {"importance": {"town": "much"}},
    "importance of another quality": {"quality": "entropy", "importance": {"town": 2}},
    "no time": {"time_limit": 0},
    "time of words": {"time_limit": "soon"},
    "withheld beside a population": {
        "models": {"average_risk": {"risk": 0.3}},
        "outliers": "withhold",
        "suppression_limit": 0.1,
    },
    "a population without a key": {"models": {"k_map": {"k": 3, "population": "keyless.csv"}}},
    "a population without a stratum": {
        "models": {"k_map": {"k": 3, "population": "people.csv"}},
        "strata": ["disease"],
    },
    "a population of other towns": {"models": {"k_map": {"k": 3, "population": "abroad.csv"}}},
    "a population without the records": {
        "models": {"delta_presence": {"population": "few.csv", "most": 0.9}}
    },
    "a population that is no table": {"models": {"k_map": {"k": 3, "population": "picture.parquet"}}},
    "a population beside units": {
        "models": {"delta_presence": {"population": "people.csv", "most": 1.0}},
        "unit": "unit",
    },
    "one record of a presence": {
        "models": {"delta_presence": {"population": "people.csv", "most": 0.1}},
        "suppression_limit": 0.5,
    },
}
CASES = [
    *(
        (method, name, given)
        for method in ("generalise", "recode-local", "mondrian")
        for name, given in WRONG.items()
    ),
    *(("generalise", name, given) for name, given in OF_GENERALISE.items()),
]


@pytest.mark.parametrize(
    ("method", "given"), [(m, g) for m, _, g in CASES], ids=[f"{m} {n}" for m, n, _ in CASES]
)
def test_it_is_refused_in_words_that_quote_no_value(method, given, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "keyless.csv").write_text(PEOPLE.replace("age", "years"))
    (tmp_path / "abroad.csv").write_text(PEOPLE.replace("secret3", "secret9"))
    (tmp_path / "few.csv").write_text("\n".join(PEOPLE.splitlines()[:30]) + "\n")
    (tmp_path / "picture.parquet").write_bytes(b"no table")
    with pytest.raises(tacita.TacitaError) as told:
        tacita.protect(
            pa.table(FRAME),
            quasi=["town", "age"],
            method=method,
            **{"hierarchy": {"town": TOWNS}, "k": 3, **given},
        )
    assert "secret" not in str(told.value)
    assert str(told.value).rstrip().endswith((".", ")", "?"))


def test_the_star_as_a_value_is_refused_where_it_would_stand_for_any():
    frame = pa.table({"a": ["*", "x", "y"] * 5})
    with pytest.raises(tacita.DataError, match="stands for any value"):
        tacita.protect(frame, quasi=["a"], method="generalise", k=3)


def test_a_value_without_rule_is_refused_with_counts():
    with pytest.raises(tacita.DataError, match=r"3 of 4 values of column town \(30 records\) are not in its"):
        tacita.protect(
            pa.table(FRAME), quasi=["town"], method="generalise", hierarchy={"town": {"north": ["secret0"]}}
        )


def test_models_are_read_as_json_on_the_command_line(tmp_path, capsys):
    rows = [f"a{i % 3},b{i % 2},c{i % 4}" for i in range(60)]
    (tmp_path / "f.csv").write_text("\n".join(["a,b,c", *rows, ""]))
    words = ["protect", str(tmp_path / "f.csv"), "--method", "generalise", "--quasi", "a,b", "--out"]
    models = '{"l_diversity": {"column": "c", "l": 2}, "average_risk": {"risk": 0.2}}'
    assert run_command([*words, str(tmp_path / "o.csv"), "--k", "3", "--models", models]) == 0
    assert run_command([*words, str(tmp_path / "p.csv"), "--k", "3", "--models", models[:-2]]) == 2
    assert "Models: wanted them as" in capsys.readouterr().err


def test_the_command_of_the_issue_runs_and_tells_what_it_searched(tmp_path, capsys):
    import json

    generator = np.random.default_rng(0)
    rows = [f"{generator.integers(20, 60)},t{generator.integers(6)},{i}" for i in range(300)]
    (tmp_path / "f.csv").write_text("\n".join(["age,town,income", *rows, ""]))
    towns = "".join(f"t{i};{'low' if i < 3 else 'high'};*\n" for i in range(6))
    ages = "".join(f"{age};{age // 10 * 10}s;*\n" for age in range(20, 60))
    (tmp_path / "town.csv").write_text(towns)
    (tmp_path / "age.csv").write_text(ages)
    words = ["protect", str(tmp_path / "f.csv"), "--out", str(tmp_path / "o.csv"), "--method", "generalise"]
    words += ["--k", "5", "--quasi", "age,town", "--hierarchy", f"age={tmp_path / 'age.csv'}", "--hierarchy"]
    words += [f"town={tmp_path / 'town.csv'}", "--suppression-limit", "0.02", "--quality", "loss"]
    assert run_command([*words, "--json", str(tmp_path / "r.json"), "--measures", "k_anonymity"]) == 0
    search = json.loads((tmp_path / "r.json").read_text())["search"]
    assert search["proven"] is True
    assert set(search["levels"]) == {"age", "town"}
    assert search["checked"] >= 1
    assert 0 <= search["score"] <= 1
    lines = (tmp_path / "o.csv").read_text().splitlines()[1:]
    shown = [tuple(line.split(",")[:2]) for line in lines]
    assert min(shown.count(each) for each in shown) >= 5
    capsys.readouterr()
    assert (
        run_command(
            [
                *words[:3],
                str(tmp_path / "p.csv"),
                *words[4:],
                "--models",
                '{"l_diversity": {"column": "town"}}',
            ]
        )
        == 2
    )
    assert "Traceback" not in capsys.readouterr().err
