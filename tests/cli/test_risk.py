"""`tacita risk` and `tacita.risk_profile`: what keys give away before anything is protected."""

import json
import re
import stat

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import tacita
from tacita import ParameterError, api, registry
from tacita.cli import run_command
from tacita.microdata.plans.risk_plan import RiskPlan

KEYS = ["region", "sex", "job"]


def survey(n=400, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "region": rng.choice(["Northmark", "Southfield", "Eastend"], n, p=[0.6, 0.3, 0.1]),
            "sex": rng.choice(["woman", "man"], n),
            "job": rng.choice(
                ["teacher", "nurse", "baker", "clerk", "miner"], n, p=[0.4, 0.3, 0.2, 0.08, 0.02]
            ),
            "w": rng.uniform(5, 50, n).round(2),
            "home": rng.integers(0, n // 2, n),
            "ill": rng.choice(["flu", "cold", "none"], n),
        }
    )
    # nobody else has these: they must not be named
    frame.loc[0, "job"] = "astronautess"
    frame.loc[1, "region"] = "Lighthouse rock"
    frame.loc[1, "job"] = "keeper of seals"
    return frame


RARE = ("astronautess", "Lighthouse rock", "keeper of seals")


@pytest.fixture
def folder(tmp_path):
    survey().to_csv(tmp_path / "survey.csv", index=False)
    return tmp_path


def words(folder, *more):
    return ["risk", str(folder / "survey.csv"), "--keys", ",".join(KEYS), *more]


def test_the_command_writes_json_page_and_records(folder, capsys):
    outputs = {"--json": "r.json", "--report": "r.html", "--records": "r.csv"}
    more = [word for option, name in outputs.items() for word in (option, str(folder / name))]
    assert run_command(words(folder, "--weight", "w", "--unit", "home", "--sensitive", "ill", *more)) == 0
    told = json.loads((folder / "r.json").read_text())
    assert told["confidential"] is True
    assert told["keys"] == KEYS
    assert told["records"] == 400
    measured = {score["name"] for score in told["scores"]}
    assert measured == {n for n in registry.names("risk") if getattr(registry.lookup(n), "alone", False)}
    assert sum(band["records"] for band in told["frequencies"]) == 400
    assert [each["name"] for each in told["by_key"]] == KEYS
    heard = capsys.readouterr().out
    assert told["headline"] in heard
    assert "missing as category" in heard
    for name in outputs.values():
        assert stat.S_IMODE((folder / name).stat().st_mode) == 0o600
    records = pd.read_csv(folder / "r.csv")
    assert len(records) == 400
    assert records["record"].tolist() == list(range(1, 401))
    assert not set(records.columns) & {*KEYS, "w", "home", "ill"}


def test_no_figure_of_a_record_and_no_rare_value_is_in_json_or_page(folder, capsys):
    more = ["--weight", "w", "--json", str(folder / "r.json"), "--report", str(folder / "r.html")]
    assert run_command(words(folder, *more)) == 0
    heard = capsys.readouterr()
    texts = [(folder / name).read_text() for name in ("r.json", "r.html")] + [heard.out, heard.err]
    profile = tacita.risk_profile(survey(), keys=KEYS, weight="w")
    for text in texts:
        for value in RARE:
            assert value not in text
        assert "per_record" not in text
    longest = max(len(value) for value in json.loads(texts[0]).values() if isinstance(value, list))
    assert longest < 60
    named = {each.value for each in profile.by_value}
    assert None in named
    for value in named - {None}:
        assert max((survey()[key] == value).sum() for key in KEYS) >= 3
    assert all(value not in profile._repr_html_() for value in RARE)


def test_values_of_few_units_are_not_named():
    frame = survey()
    # many records, two homes
    frame.loc[10:30, "job"] = "shepherd"
    frame.loc[10:30, "region"] = ["Eastend"] + ["Northmark"] * 20
    frame.loc[10:30, "home"] = np.arange(21) % 2
    settings = {"suda2": {"size": 3}}
    by_records = tacita.risk_profile(frame, keys=KEYS, fraction=0.1, settings=settings)
    by_units = tacita.risk_profile(frame, keys=KEYS, fraction=0.1, unit="home", settings=settings)
    assert "shepherd" in {each.value for each in by_records.by_value}
    assert "shepherd" not in {each.value for each in by_units.by_value}


def test_the_page_stands_alone(folder):
    run_command(words(folder, "--report", str(folder / "r.html"), "--quiet"))
    text = (folder / "r.html").read_text()
    assert "<script" not in text
    assert not re.findall(r'(?:src|href)="(?!#)', text)
    assert "CONFIDENTIAL" in text


def test_names_of_columns_are_escaped_on_the_page(tmp_path):
    frame = pa.table({"<b>sex</b>": ["f", "f", "m"], "town": ["<i>x</i>"] * 3})
    profile = tacita.risk_profile(frame, keys=["<b>sex</b>", "town"])
    tacita.save_risk(profile, report=tmp_path / "r.html")
    text = (tmp_path / "r.html").read_text()
    assert "<b>sex" not in text
    assert "<i>x" not in text
    assert "<b>sex" not in profile._repr_html_()


def test_the_same_file_gives_the_same_bytes(folder):
    for name in ("a", "b"):
        run_command(words(folder, "--weight", "w", "--json", str(folder / f"{name}.json"), "--quiet"))
    assert (folder / "a.json").read_bytes() == (folder / "b.json").read_bytes()


def test_a_plan_does_the_same(folder, capsys):
    (folder / "plan.toml").write_text(
        'version = 1\n[input]\npath = "survey.csv"\n[risk]\nkeys = ["region", "sex", "job"]\nweight = "w"\n'
        '[output]\njson = "r.json"\n'
    )
    assert run_command(["run", str(folder / "plan.toml"), "--quiet"]) == 0
    assert run_command(words(folder, "--weight", "w", "--json", str(folder / "c.json"), "--quiet")) == 0
    assert (folder / "r.json").read_bytes() == (folder / "c.json").read_bytes()
    assert run_command(["run", str(folder / "plan.toml"), "--script"]) == 0
    script = capsys.readouterr().out
    assert "tacita.risk_profile(data, keys=['region', 'sex', 'job'], weight='w')" in script
    plan = RiskPlan.from_toml((folder / "plan.toml").read_text(), folder)
    assert RiskPlan.from_toml(plan.to_toml()) == plan
    assert run_command(["run", str(folder / "plan.toml"), "--dry-run"]) == 0


def test_figures_per_record_become_frames():
    profile = tacita.risk_profile(
        survey(), keys=KEYS, weight="w", measures=["k_anonymity", "individual_risk"]
    )
    frame = profile.to_pandas()
    assert list(frame.columns) == ["record", "k_anonymity", "individual_risk"]
    plain = survey().groupby(KEYS)["w"].transform("size")
    assert frame["k_anonymity"].tolist() == plain.tolist()
    assert profile.to_polars().shape == (400, 3)


def test_tables_of_a_profile_are_plain_counts():
    frame = survey()
    profile = tacita.risk_profile(frame, keys=KEYS)
    sizes = frame.groupby(KEYS).size()
    for band in profile.bands:
        inside = sizes[(sizes >= band.least) & (sizes <= (band.most or 10**9))]
        assert (band.combinations, band.records) == (len(inside), inside.sum())
    for each in profile.by_key:
        others = [key for key in KEYS if key != each.name]
        assert each.uniques_without == (frame.groupby(others).size() == 1).sum()
        assert each.values == frame[each.name].nunique()
    assert profile.uniques == (sizes == 1).sum()
    assert profile.headline.startswith(f"{profile.uniques} of 400 records")


def test_what_has_no_figure_is_told_once_and_what_was_asked_for_keeps_its_reason():
    profile = tacita.risk_profile(survey(), keys=KEYS)
    assert any("Not measured: l_diversity" in note for note in profile.report.notes)
    assert "l_diversity" not in {score.name for score in profile.report}
    asked = tacita.risk_profile(survey(), keys=KEYS, measures=["l_diversity"])
    assert "no sensitive column" in asked["l_diversity"].reason


def test_all_means_every_measure_of_a_file_by_itself():
    profile = tacita.risk_profile(survey(), keys=KEYS, measures=["all"], without=["suda2"])
    names = [score.name for score in profile.report]
    assert "l_diversity" in names
    assert "suda2" not in names
    assert profile.by_value == ()


def test_a_key_that_nearly_everybody_has_alone_is_warned_of():
    profile = tacita.risk_profile(survey(), keys=["w", "sex"])
    assert any("w has" in note and "recode it" in note for note in profile.report.notes)


def test_settings_reach_the_measures_that_take_them():
    frame = survey()
    frame.loc[5, "job"] = None
    profile = tacita.risk_profile(
        frame, keys=KEYS, missing_as="wildcard", fraction=0.1, settings={"all_m": {"m": 1}}
    )
    assert profile["k_anonymity"].reading["missing_as"] == "wildcard"
    assert profile["individual_risk"].reading["population"] == "sampling fraction 0.1"
    assert any("1 of 400 records miss a key" in note for note in profile.report.notes)
    one = tacita.risk_profile(frame, keys=KEYS, measures=["all_m"], settings={"all_m": {"m": 1}})
    assert profile["all_m"].value >= one["all_m"].value


BAD = {
    "no keys": ({"keys": []}, "keys must be at least 1 entries"),
    "a key that is not there": ({"keys": ["nowhere"]}, "there is no column nowhere"),
    "a key twice": ({"keys": ["sex", "sex"]}, "column sex is named twice"),
    "a weight that is a key": ({"keys": ["sex", "w"], "weight": "w"}, "column w is named twice"),
    "a fraction above one": ({"keys": ["sex"], "fraction": 1.5}, "fraction must be at most 1"),
    "a fraction of nought": ({"keys": ["sex"], "fraction": 0}, "fraction must be more than 0"),
    "a population below nought": ({"keys": ["sex"], "population": -3}, "population must be more than 0"),
    "both": ({"keys": ["sex"], "fraction": 0.1, "population": 9000}, "say the same"),
    "a reading nobody knows": ({"keys": ["sex"], "missing_as": "zero"}, "missing_as must be one of"),
    "a measure nobody knows": ({"keys": ["sex"], "measures": ["magic"]}, "named 'magic'"),
    "a measure that compares": ({"keys": ["sex"], "measures": ["DBRL"]}, "DBRL compares a release with"),
    "a setting of one that compares": ({"keys": ["sex"], "settings": {"DBRL": {}}}, "DBRL compares"),
    "a setting nobody knows": ({"keys": ["sex"], "settings": {"suda2": {"x": 1}}}, "no parameter x"),
    "a size of nought": ({"keys": ["sex"], "settings": {"suda2": {"size": 0}}}, "size must be at least 1"),
    "an m of nought": ({"keys": ["sex"], "settings": {"all_m": {"m": 0}}}, "m must be at least 1"),
    "a model nobody knows": (
        {"keys": ["sex"], "settings": {"population_unique": {"model": "x"}}},
        "model must be one of",
    ),
    "a sensitive column that is a key": (
        {"keys": ["sex"], "sensitive": ["sex"]},
        "column sex is named twice",
    ),
    "a unit that is not there": ({"keys": ["sex"], "unit": "street"}, "there is no column street"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_asked_wrongly_is_refused_in_words(name):
    given, told = BAD[name]
    with pytest.raises(ParameterError, match=told):
        tacita.risk_profile(survey(), **given)


def test_what_is_read_is_never_written_over(folder, capsys):
    before = (folder / "survey.csv").read_bytes()
    for option in ("--json", "--report", "--records"):
        assert run_command(words(folder, option, str(folder / "survey.csv"), "--force")) == 2
    assert run_command(words(folder, "--records", str(folder / "r.unknown"))) == 2
    (folder / "there.json").write_text("mine")
    assert run_command(words(folder, "--json", str(folder / "there.json"))) == 2
    assert (folder / "there.json").read_text() == "mine"
    assert (folder / "survey.csv").read_bytes() == before
    capsys.readouterr()
    profile = tacita.risk_profile(folder / "survey.csv", keys=KEYS)
    with pytest.raises(ParameterError, match="the same file"):
        tacita.save_risk(profile, json_report=folder / "survey.csv", force=True)


def test_a_run_can_be_cancelled(folder):
    from tacita import Cancelled, RunContext

    plan = RiskPlan(
        input={"path": folder / "survey.csv"}, risk={"keys": KEYS}, output={"json": folder / "r.json"}
    )
    with pytest.raises(Cancelled):
        api.run_risk(plan, RunContext(should_cancel=lambda: True))
    assert not (folder / "r.json").exists()
