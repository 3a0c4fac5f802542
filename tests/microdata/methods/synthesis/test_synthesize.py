"""Synthesis through every door: command line, Python, plan, comparison; what is warned of and refused."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import tacita
from seeds import SEED
from tacita import Plan
from tacita.cli import run_command
from tacita.core import InferenceError
from tacita.report import review_html, review_json


def table(n=200, seed=0):
    rng = np.random.default_rng(seed)
    staff, age = np.rint(rng.lognormal(3, 1, n)), rng.normal(20, 5, n)
    turnover = 9 * staff + rng.normal(0, 40, n)
    return pa.table(
        {
            "name": [f"firm {i}" for i in range(n)],
            "staff": staff,
            "age": age,
            "turnover": turnover,
            "wages": 2 * staff + 0.3 * turnover + rng.normal(0, 9, n),
            "region": ["a" if i % 2 else "b" for i in range(n)],
            "note": [f"n{i % 4}" for i in range(n)],
        }
    )


ROLES = {"dependent": ["turnover", "wages"], "independent": ["staff", "age"], "identifiers": ["name"]}


def release(**options):
    return tacita.synthesize(table(), **{**ROLES, "seed": SEED, "measures": ["IL1"], **options})


def warned(made):
    return {warning.name: warning for warning in made.record.warnings}


def plan(folder, **protect):
    pd_frame = table().to_pandas()
    pd_frame.to_csv(folder / "in.csv", index=False)
    return Plan(
        input={"path": folder / "in.csv"},
        roles=ROLES,
        protect={"method": "ipso-q", "alternations": 5, "seed": SEED, **protect},
        output={"path": folder / "out.csv"},
    )


def test_moments_are_exact_in_each_stratum_and_hence_in_all():
    made = release(strata=["region"])
    before, after = (t.select(["staff", "age", "turnover", "wages", "region"]) for t in (table(), made.data))
    for rows in ("a", "b", None):
        covariances = []
        for part in (before, after):
            frame = part.to_pandas()
            covariances.append(np.cov((frame if rows is None else frame[frame.region == rows]).iloc[:, :4].T))
        scale = np.sqrt(np.outer(*[np.diag(covariances[0])] * 2))
        assert (np.abs(covariances[0] - covariances[1]) <= 1e-12 * scale).all()


def test_frames_of_any_kind_come_back_as_their_kind():
    made = tacita.synthesize(table().to_pandas(), **ROLES, seed=SEED, measures=["IL1"])
    assert isinstance(made.data, pd.DataFrame)
    assert np.array_equal(made.data["wages"], release().data["wages"])


def test_a_plan_its_file_and_its_script_do_the_same(tmp_path, monkeypatch):
    made = plan(tmp_path)
    assert Plan.from_toml(made.to_toml()) == made
    tacita.run_plan(made)
    first = (tmp_path / "out.csv").read_bytes()
    (tmp_path / "out.csv").unlink()
    assert "tacita.synthesize(data, dependent=['turnover', 'wages']" in made.to_python()
    monkeypatch.chdir(tmp_path)
    exec(made.to_python(), {})
    assert (tmp_path / "out.csv").read_bytes() == first


def test_the_command_saves_the_plan_that_repeats_it_and_a_dry_run_writes_nothing(tmp_path, capsys):
    table().to_pandas().to_csv(tmp_path / "in.csv", index=False)
    words = ["synthesize", str(tmp_path / "in.csv"), "--out", str(tmp_path / "out.csv"), "--method", "fcrm"]
    words += ["--dependent", "turnover,wages", "--independent", "staff,age", "--identifiers", "name"]
    words += ["--c", "3", "--measures", "IL1", "--max-leverage", "1"]
    assert run_command([*words, "--dry-run"]) == 0
    assert "tacita.synthesize(data" in capsys.readouterr().out
    assert not (tmp_path / "out.csv").exists()
    assert run_command([*words, "--save-plan", str(tmp_path / "plan.toml"), "--quiet"]) == 0
    loaded = Plan.load(tmp_path / "plan.toml")
    assert loaded.protect.build().c == 3
    assert loaded.roles.dependent == ("turnover", "wages")


def test_methods_are_compared_on_one_map(tmp_path):
    trials = tacita.compare_methods(
        table(), **ROLES, method=["ipso-c", "fcrm", "mdav"], c=[2, 3], loss="IL1", risk="DLD"
    )
    assert sorted((t.method, t.report is not None) for t in trials) == [
        ("fcrm", True),
        ("fcrm", True),
        ("ipso-c", True),
        ("mdav", False),
    ]
    made = plan(tmp_path)
    script = Plan(**{**dict(made), "compare": {"method": ["ipso-c"]}}).to_python()
    assert "tacita.compare_methods(data, dependent=['turnover', 'wages']" in script


REFUSED = {
    "a-masking": ({"method": "mdav"}, tacita.ParameterError, "wanted quasi-identifiers to protect"),
    "a-chain": ({"method": "ipso-c+dfo"}, tacita.ParameterError, "cannot be part of a chain"),
    "nothing-dependent": ({"dependent": []}, tacita.ParameterError, "dependent must name at least one"),
    "both-roles": ({"independent": ["wages"]}, tacita.ParameterError, "column wages is named twice"),
    "no-such-column": ({"independent": ["nosuch"]}, tacita.ParameterError, "no column nosuch"),
    "text": ({"independent": ["note"]}, tacita.DataError, "column note: wanted numbers"),
    "text-dependent": ({"dependent": ["note"]}, tacita.DataError, "column note: wanted numbers"),
    "a-parameter": ({"c": 3}, tacita.ParameterError, "no parameter c"),
    "small-strata": (
        {"independent": ["age"], "strata": ["note", "staff"]},
        tacita.DataError,
        r"\(In a stratum of \d+ records\.\)",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_it_is_refused(what):
    options, error, message = REFUSED[what]
    with pytest.raises(error, match=message):
        release(**options)


def test_a_function_of_the_independent_columns_is_refused():
    frame = table().append_column("double", pa.array(2 * table()["staff"].to_numpy()))
    with pytest.raises(tacita.DataError, match="would come out unchanged"):
        tacita.synthesize(frame, dependent=["double"], independent=["staff"])


def test_protect_points_to_synthesize_and_quasi_and_dependent_exclude_each_other():
    with pytest.raises(tacita.ParameterError, match="tacita synthesize"):
        tacita.protect(table(), quasi=["wages"], method="ipso-c")
    with pytest.raises(tacita.ParameterError, match="make two runs"):
        tacita.compare_methods(table(), quasi=["wages"], dependent=["turnover"], method="ipso-c")


def test_missing_values_are_refused_or_dropped_whichever_side_they_are_on():
    for name in ("wages", "staff"):
        gaps = table()
        place = gaps.column_names.index(name)
        gaps = gaps.set_column(place, name, pa.array(gaps[name].to_numpy(), mask=np.arange(200) % 9 == 0))
        with pytest.raises(tacita.DataError, match=rf"missing values in 23 records: {name} \(23\)"):
            tacita.synthesize(gaps, **ROLES)
        made = tacita.synthesize(gaps, **ROLES, missing="drop", measures=["IL1"])
        assert made.record.records_out == 177
        assert warned(made)["records-dropped"].count == 23


def test_columns_without_a_part_in_it_are_warned_of():
    assert warned(release())["beside-synthetic"].count == 2
    assert warned(release(strata=["region"]))["beside-synthetic"].count == 1
    assert "beside-synthetic" not in warned(release(identifiers=["name", "note", "region"]))


def test_records_that_independent_columns_single_out_are_counted():
    assert warned(release())["unique-combinations"].count == 200
    assert warned(release())["nearly-unique-column"].count == 200
    coarse = table().to_pandas()
    coarse["staff"] = (coarse["staff"] > 20).astype(float)
    coarse = coarse.drop(columns=["age", "note"])
    made = tacita.synthesize(coarse, **{**ROLES, "independent": ["staff"]}, measures=["IL1"])
    assert "unique-combinations" not in warned(made)


def test_extremes_that_come_out_near_the_true_ones_are_warned_of():
    skewed = table().to_pandas()
    rng = np.random.default_rng(1)
    skewed["wages"] = rng.lognormal(0, 1, 200)
    skewed["turnover"] = rng.uniform(size=200)
    found = {
        name: "extremes-reproduced" in warned(tacita.synthesize(skewed, **ROLES, method=name, seed=SEED))
        for name in ("ipso-c", "ipso-q")
    }
    assert found == {"ipso-c": False, "ipso-q": True}


def test_exact_moments_and_few_records_are_warned_of():
    # two means, three covariances among each other, four with the independent columns
    assert warned(release())["exact-moments"].count == 9
    assert warned(release(method="regression"))["exact-moments"].count == 6
    assert warned(release(strata=["region"]))["exact-moments"].count == 18
    assert not {"exact-moments", "few-records"} & set(warned(release(method="ipso-a")))
    assert "few-records" not in warned(release())
    few = tacita.synthesize(table(40), **ROLES, seed=SEED, measures=["IL1"])
    assert warned(few)["few-records"].count == 1


def test_the_pages_speak_of_what_was_drawn_and_not_of_groups(tmp_path):
    made = release(strata=["region"], unit="name", confidential=["note"])
    tacita.save(made, tmp_path / "out.csv", report=tmp_path / "review.html", note=tmp_path / "note.html")
    review, note = ((tmp_path / f"{page}.html").read_text().split("<main>")[1] for page in ("review", "note"))
    for page in (review.partition('id="warnings"')[0], note):
        assert "group" not in re.sub(r"<[^>]*>", " ", page).lower()
        assert "masked" not in page.lower()
    assert "Each of 2 strata was drawn separately." in " ".join(review.split())
    assert "Means, variances, covariances and correlations of the synthetic columns" in note
    assert "within each stratum" in note
    assert "turnover" in note


def test_the_note_claims_no_more_than_was_verified(tmp_path):
    for method, said in (("ipso-a", False), ("regression", True)):
        made = release(method=method)
        tacita.save(made, tmp_path / "out.csv", note=tmp_path / "note.html", force=True)
        note = (tmp_path / "note.html").read_text()
        assert ("Means and totals of the synthetic columns: preserved" in note) == said
        assert ("The coefficients of linear regressions" in note) == said
        assert "Means, variances, covariances and correlations of the synthetic columns" not in note


def test_nothing_is_said_of_groups_or_masking():
    made = release(method="ipso-q", unit="name")
    told = " ".join(warning.text + warning.advice for warning in made.record.warnings)
    assert "masked" not in told.lower()
    assert not {"not-k-anonymous", "unrounded-integers", "homogeneous-confidential"} & set(warned(made))
    # no unit has several records, so that nothing is lost by not looking at units
    assert "unit-unused" not in warned(made)
    assert any("values that independent columns determine" in text for text in made.record.not_promised)


def test_an_unsaved_run_without_a_seed_is_never_the_same():
    first, second = (tacita.synthesize(table(), **ROLES, measures=["IL1"]) for _ in range(2))
    assert not first.data["wages"].equals(second.data["wages"])


def test_it_can_be_cancelled_and_tells_how_far_it_is():
    heard = []
    release(method="fcrm", c=2, max_leverage=1, context=tacita.RunContext(on_progress=heard.append))
    assert {"finding clusters", "fitting clusters", "verifying"} <= {one.stage for one in heard}
    with pytest.raises(tacita.Cancelled):
        release(context=tacita.RunContext(should_cancel=lambda: True))


@pytest.mark.parametrize("method", ["ipso-c", "copula"])
def test_what_columns_beside_give_back_is_refused(method):
    rng = np.random.default_rng(3)
    rest = rng.integers(1, 900, table().num_rows)
    frame = table().append_column("rest", pa.array(rest))
    frame = frame.append_column("all", pa.array(rest + table()["wages"].to_numpy()))
    asked = {**ROLES, "method": method, "seed": SEED, "measures": ["IL1"]}
    with pytest.raises(InferenceError, match="cells of wages follow from rest with all"):
        tacita.synthesize(frame, **asked)
    # a total without its other part tells nothing to the digit
    tacita.synthesize(frame, **{**asked, "identifiers": ["name", "rest"]})


def test_what_a_column_beside_gives_away_is_warned_of_where_it_was_insisted_on():
    frame = table().append_column("cents", pa.array(100 * table()["wages"].to_numpy()))
    made = tacita.synthesize(frame, **ROLES, seed=SEED, measures=["IL1"], accept_risks=True)
    assert made.record.accepted_risks == ("keys-determined",)
    texts = {name: warning.text for name, warning in warned(made).items()}
    assert "original values of synthetic column wages can be recomputed" in texts["recomputable-column"]
    assert "cells of wages follow from cents" in texts["cells-determined"]


@pytest.mark.parametrize("decimal", [".", ","])
def test_a_synthesis_of_text_can_be_written_as_parquet(tmp_path, decimal):
    table().to_pandas().to_csv(tmp_path / "in.csv", index=False, sep=";", decimal=decimal)
    made = tacita.synthesize(
        tacita.read(tmp_path / "in.csv", decimal=decimal), **ROLES, seed=SEED, measures=["IL1"]
    )
    tacita.save(made, tmp_path / "out.parquet")
    assert pd.read_parquet(tmp_path / "out.parquet")["turnover"].dtype == float


def test_where_each_fit_of_clusters_ended_is_in_the_report():
    options = {"method": "fcrm", "c": 2, "rmax": 7, "max_leverage": 1, "max_unchanged": 1}
    whole, parts = release(**options), release(**options, memberships="separate", strata=["region"])
    found = [made.record.steps[-1].search["fits"] for made in (whole, parts)]
    assert [sorted(fit) for fit in found[0]] == [["change", "objective", "rounds"]]
    assert [(fit["stratum"], fit["column"]) for fit in found[1]] == [
        (stratum, column) for stratum in (1, 2) for column in ROLES["dependent"]
    ]
    for made, fits in zip((whole, parts), found, strict=True):
        assert all(1 <= fit["rounds"] <= 7 and fit["objective"] > 0 for fit in fits)
        assert json.loads(review_json(made))["search"]["fits"] == fits
        assert "What was fitted" in review_html(made)
    assert "What was fitted" not in review_html(release())
