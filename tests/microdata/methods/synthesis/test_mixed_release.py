"""Synthesis of mixed data through every door and in every form: what is promised, warned of, refused."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tacita
from seeds import SEED
from tacita.cli import run_command
from tacita.datasets.persons import household

BOTH = ["trees", "copula"]
LEVELS = ["none", "primary", "secondary", "bachelor", "master"]
ROLES = {
    "dependent": [
        "sex",
        "age",
        "education",
        "employment",
        "wage",
        "self_employment",
        "transfers",
        "total_income",
    ],
    "independent": ["region"],
    "nominal": ["sex", "employment", "region"],
    "ordinal": {"education": LEVELS},
}
KEPT = {
    "rules": ["age < 15: wage = 0"],
    "edits": ["wage + self_employment + transfers = total_income"],
    "zeros": ["age < 15 and employment = 'employed'"],
}


def table(n=600, missing=0.0):
    return household(n=n, missing=missing).select(
        [*ROLES["dependent"], *ROLES["independent"], "taxes", "satisfaction"]
    )


def release(frame=None, **options):
    given = {**ROLES, **KEPT, "method": "trees", "seed": SEED, "measures": ["IL1"], **options}
    return tacita.synthesize(table() if frame is None else frame, **given)


def promises(made):
    return {verdict.guarantee for verdict in made.record.verdicts if verdict.passed}


def warned(made):
    return {warning.name: warning for warning in made.record.warnings}


@pytest.mark.parametrize("name", BOTH)
def test_a_release_keeps_types_labels_and_all_that_is_promised(name):
    made = release(method=name, round_integers=True)
    assert made.data.schema == table().schema
    assert promises(made) >= {
        "synthetic-cells",
        "values-redrawn",
        "extremes-hidden",
        "labels-shared",
        "rules-kept",
        "edits-kept",
        "others-identical",
    }
    assert set(made.data["employment"].to_pylist()) <= set(table()["employment"].to_pylist())
    assert made.record.parameters["rules"] == ["age < 15: wage = 0"]


@pytest.mark.parametrize("name", BOTH)
def test_the_same_seed_gives_the_same_bytes_and_another_gives_others(name, tmp_path):
    for number, seed in enumerate((SEED, SEED, SEED + 1)):
        tacita.save(release(method=name, seed=seed), tmp_path / f"{number}.csv")
    one, same, other = ((tmp_path / f"{number}.csv").read_bytes() for number in range(3))
    assert one == same != other


@pytest.mark.parametrize("form", ["pandas", "polars", "csv", "parquet", "categories", "enum"])
def test_every_form_comes_back_as_it_came_and_is_verified(form, tmp_path):
    frame = table()
    if form in ("csv", "parquet"):
        path = tmp_path / f"in.{form}"
        frame.to_pandas().to_csv(path, index=False) if form == "csv" else pq.write_table(frame, path)
        made = release(path, round_integers=True)
        tacita.save(made, tmp_path / f"out.{form}")
        assert made.data.column_names == frame.column_names
        return
    if form == "pandas":
        given = frame.to_pandas()
    elif form == "polars":
        given = pl.from_arrow(frame)
    elif form == "categories":
        given = frame.to_pandas().astype({"sex": "category", "employment": "category"})
    else:
        given = pl.from_arrow(frame).with_columns(pl.col("education").cast(pl.Enum(LEVELS)))
    made = release(given, round_integers=True)
    assert type(made.data) is type(given)
    assert list(made.data.columns) == list(given.columns)
    if form != "enum":
        assert [str(kind) for kind in made.data.dtypes] == [str(kind) for kind in given.dtypes]


@pytest.mark.parametrize("name", BOTH)
def test_strata_are_drawn_each_by_itself_and_all_columns_may_be_drawn(name):
    roles = {"dependent": ["sex", "age", "wage"], "independent": [], "nominal": ["sex"], "ordinal": {}}
    none = {"rules": [], "edits": [], "zeros": []}
    made = release(
        table().select(["sex", "age", "wage", "region"]), **roles, **none, strata=["region"], method=name
    )
    assert made.record.strata == 5
    assert made.data["region"].equals(table()["region"])
    for region in ("North", "Coast"):
        before, after = (
            [
                age
                for age, place in zip(t["age"].to_pylist(), t["region"].to_pylist(), strict=True)
                if place == region
            ]
            for t in (table(), made.data)
        )
        assert sum(sorted(before)[:5]) / 5 <= min(after) <= max(after) <= sum(sorted(before)[-5:]) / 5


@pytest.mark.parametrize("name", BOTH)
def test_missing_values_are_refused_dropped_or_drawn_as_asked(name):
    holes = table(missing=0.1)
    more = {"dependent": [*ROLES["dependent"], "taxes", "satisfaction"], "method": name}
    with pytest.raises(
        tacita.DataError, match=r"dependent or independent columns have missing values.*level"
    ):
        release(holes, **more)
    dropped = release(holes, **more, missing="drop")
    assert dropped.record.records_out < 600
    assert not any(column.null_count for column in dropped.data.columns)
    drawn = release(holes, **more, missing="level", round_integers=True)
    assert drawn.record.records_out == 600
    assert 30 <= drawn.data["taxes"].null_count <= 95
    assert promises(drawn) >= {"synthetic-cells", "labels-shared"}


def test_an_independent_category_may_have_gaps_where_missing_is_a_level():
    frame = table()
    holes = pa.array([None if i % 9 == 0 else cell for i, cell in enumerate(frame["region"].to_pylist())])
    frame = frame.set_column(frame.column_names.index("region"), "region", holes)
    for name in BOTH:
        made = release(frame, missing="level", method=name)
        assert made.data["region"].equals(frame["region"])


def test_a_file_of_text_keeps_its_spelling_of_labels_and_of_what_is_missing(tmp_path):
    frame = table(missing=0.1).to_pandas()
    frame.to_csv(tmp_path / "in.csv", index=False, sep=";", decimal=",", na_rep="NA")
    data = tacita.read(tmp_path / "in.csv", delimiter=";", decimal=",")
    made = release(
        data, missing="level", dependent=[*ROLES["dependent"], "satisfaction"], round_integers=True
    )
    tacita.save(made, tmp_path / "out.csv")
    back = pd.read_csv(tmp_path / "out.csv", sep=";", decimal=",")
    assert set(back["employment"]) <= set(frame["employment"])
    assert back["satisfaction"].isna().sum() > 10
    assert (back["age"] == back["age"].round()).all()


def test_the_command_line_draws_mixed_data(tmp_path, capsys):
    table().to_pandas().to_csv(tmp_path / "in.csv", index=False)
    words = [
        "synthesize",
        str(tmp_path / "in.csv"),
        "--out",
        str(tmp_path / "out.csv"),
        *("--method", "trees", "--round-integers"),
        *("--dependent", "sex,age,employment,wage,self_employment,transfers,total_income"),
        *("--independent", "region", "--nominal", "sex,employment,region"),
        *("--rules", "age < 15: wage = 0", "--edits", "wage + self_employment + transfers = total_income"),
        *("--zeros", "age < 15 and employment = 'employed'", "--json", str(tmp_path / "r.json")),
    ]
    assert run_command(words) == 0
    assert "7 columns made synthetic" in capsys.readouterr().out
    back = pd.read_csv(tmp_path / "out.csv")
    assert (back["wage"] + back["self_employment"] + back["transfers"] == back["total_income"]).all()
    assert (back.loc[back["age"] < 15, "wage"] == 0).all()
    told = json.loads((tmp_path / "r.json").read_text())
    assert "rules-kept" in json.dumps(told)


def test_a_plan_says_the_same_and_its_script_too(tmp_path):
    table().to_pandas().to_csv(tmp_path / "in.csv", index=False)
    text = f"""
version = 1
[input]
path = "{(tmp_path / "in.csv").as_posix()}"
[roles]
dependent = ["sex", "age", "wage"]
nominal = ["sex"]
identifiers = ["total_income"]
[protect]
method = "copula"
rules = ["age < 15: wage = 0"]
missing = "level"
seed = "{SEED}"
[output]
path = "{(tmp_path / "out.csv").as_posix()}"
"""
    plan = tacita.Plan.from_toml(text)
    assert tacita.Plan.from_toml(plan.to_toml()) == plan
    assert "rules=['age < 15: wage = 0']" in plan.to_python()
    made = tacita.run_plan(plan)
    assert "rules-kept" in promises(made)


def test_a_later_step_takes_back_what_it_may_break():
    made = tacita.protect(
        table(),
        steps=[
            {"method": "trees", **ROLES, **KEPT},
            {"method": "noise", "quasi": ["wage"]},
        ],
        seed=SEED,
        measures=["IL1"],
    )
    assert {each.guarantee for each in made.record.withdrawn} >= {"edits-kept", "rules-kept"}


def test_what_is_drawn_too_near_to_somebody_and_what_is_lost_is_told_with_a_count():
    frame = table()
    jobs = frame["employment"].to_pylist()
    jobs[:2] = ["astronaut", "astronaut"]
    frame = frame.set_column(frame.column_names.index("employment"), "employment", pa.array(jobs))
    found = warned(release(frame, zeros=[], k=5, accept_risks=True))
    assert found["levels-lost"].count == 1
    assert "astronaut" not in str(found)
    assert found["replicated-uniques"].count > 0
    assert not {"value-unchanged", "extremes-reproduced"} & set(found)


def test_uniques_are_counted_as_a_plain_loop_does():
    frame = table(300).select(["sex", "age", "region"])
    none = {"rules": [], "edits": [], "zeros": []}
    roles = {
        "dependent": ["sex", "age"],
        "independent": ["region"],
        "nominal": ["sex", "region"],
        "ordinal": {},
    }
    made = release(frame, **roles, **none, k=5, accept_risks=True)
    rows, drawn = (
        list(zip(*(t[name].to_pylist() for name in frame.column_names), strict=True))
        for t in (frame, made.data)
    )
    alone = {row for row in rows if rows.count(row) == 1}
    assert warned(made)["replicated-uniques"].count == sum(row in alone for row in drawn)


def test_a_category_that_the_independent_ones_give_away_is_refused():
    frame = table().append_column(
        "coast", pa.array([str(r == "Coast") for r in table()["region"].to_pylist()])
    )
    with pytest.raises(tacita.DataError, match="column coast would come out unchanged in more than 50 %"):
        release(
            frame,
            dependent=["coast", "age"],
            nominal=["coast", "region"],
            ordinal={},
            rules=[],
            edits=[],
            zeros=[],
        )


def test_measures_see_categories_that_were_drawn():
    made = release(measures=["CATEGORIES", "GOWER_loss", "DBRL"])
    assert made.report["CATEGORIES"].value > 10
    assert np.isfinite(made.report["DBRL"].value)
