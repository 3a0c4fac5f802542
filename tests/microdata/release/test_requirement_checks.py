"""What a finished file must satisfy: judged on the file itself, and refused where it falls short."""

import json

import numpy as np
import pyarrow as pa
import pytest

import tacita
from seeds import SEED
from tacita import ParameterError, api, datasets, registry
from tacita.cli import run_command
from tacita.core import Microdata, RequirementError, RunContext
from tacita.io.formats.csv import CSV
from tacita.microdata.plans.plan import Plan
from tacita.microdata.plans.requirements import RequireSection
from tacita.microdata.release.compare import compare
from tacita.microdata.release.requirement_checks import required

MEASURES = [name for name in registry.names(*registry.MEASURING) if name not in ("MARL", "RSRL")]
QUASI = ["turnover", "wages", "employees"]


@pytest.fixture(scope="module")
def firms():
    # turnover is costs and value added
    return datasets.load("business", n=120).drop_columns(["value_added"])


@pytest.fixture(scope="module")
def release(firms):
    return tacita.protect(
        firms,
        quasi=QUASI,
        k=4,
        identifiers=["name"],
        confidential=["sector"],
        measures=MEASURES,
        domains=["region"],
        settings={"RSRL": {}},
        seed=SEED,
    )


def figures(release):
    return {score.name: score for score in release.report if score.value is not None}


def beyond(score, by):
    """A limit that a score misses, or keeps, by a little: by one, where it counts."""
    counts = registry.lookup(score.name).limit_name == "k"
    step = np.sign(by) if counts else by * max(abs(score.value), 1.0)
    return score.value - step if score.direction == "lower" else score.value + step


# a limit for every measure: kept by a hair, missed by a hair


@pytest.mark.parametrize("name", MEASURES)
def test_every_measure_can_be_required_and_is_refused_beyond_its_limit(firms, release, name):
    score = figures(release).get(name)
    roles = {"quasi": QUASI, "identifiers": ["name"], "confidential": ["sector"]}
    asked = {**roles, "k": 4, "measures": ["IL1"], "seed": SEED}
    if score is None or name in ("SUB_mean", "SUB_covariance"):
        with pytest.raises(RequirementError, match=f"{name}: cannot be computed"):
            tacita.protect(firms, **asked, require={name: registry.lookup(name).span[1] or 1e9})
        return
    # these look into parts of the population by a setting of their own
    settings = {"parts": ["region"]} if name.startswith("WEIGHTED") else {}
    with pytest.raises(RequirementError, match=rf"{name}: (it is .* too (much|little)|\d+ of \d+ records)"):
        tacita.protect(firms, **asked, require={name: {"limit": beyond(score, 1e-6), **settings}})
    if score.value == score.span[score.direction == "lower"]:
        # the worst there is: no limit is kept by it that forbids anything
        return
    kept = tacita.protect(firms, **asked, require={name: {"limit": beyond(score, -1e-6), **settings}})
    assert kept.record.verdicts[-1].guarantee == name


# planted failures of k_anonymity, in every form that a file can take


def classes(*sizes, key="a"):
    return [f"{key}{i}" for i, size in enumerate(sizes) for _ in range(size)]


PLANTED = {
    "one alone": ({"a": classes(3, 3, 1)}, 3, 1, 1),
    "two where three are asked": ({"a": classes(3, 2)}, 3, 2, 2),
    "all alone": ({"a": classes(1, 1, 1, 1)}, 2, 4, 1),
    "a missing cell is a value": ({"a": ["x", "x", "x", None]}, 2, 1, 1),
    "case tells apart": ({"a": ["x", "x", "X"]}, 2, 1, 1),
    "a blank tells apart": ({"a": ["x", "x", "x "]}, 2, 1, 1),
    "accents in two encodings tell apart": ({"a": ["é", "é", "e\u0301"]}, 2, 1, 1),
    "numbers": ({"a": [1, 1, 1, 2]}, 2, 1, 1),
    "floats to the last bit": ({"a": [0.3, 0.3, 0.1 + 0.2]}, 2, 1, 1),
    "minus zero is not zero": ({"a": [0.0, 0.0, -0.0]}, 2, 1, 1),
    "two keys together": ({"a": classes(2, 2), "b": ["x", "y", "x", "x"]}, 2, 2, 1),
    "three keys together": ({"a": [1, 1, 1, 1], "b": [1, 1, 2, 2], "c": [1, 2, 1, 1]}, 2, 2, 1),
    "dates": ({"a": pa.array([0, 0, 1], pa.date32())}, 2, 1, 1),
    "booleans": ({"a": [True, True, False]}, 2, 1, 1),
    "categories": ({"a": pa.array(["x", "x", "y"]).dictionary_encode()}, 2, 1, 1),
    "a large k": ({"a": classes(99, 101)}, 100, 99, 99),
    "missing throughout two keys": ({"a": [None, None, "x"], "b": [None, None, None]}, 3, 3, 1),
}


@pytest.mark.parametrize("name", PLANTED)
def test_keys_shared_by_too_few_are_refused_with_their_number(name):
    columns, k, short, fewest = PLANTED[name]
    file = pa.table(dict(columns))
    (verdict,) = tacita.check_requirements(file, {"k_anonymity": {"k": k, "keys": list(columns)}})
    assert not verdict.passed
    assert verdict.detail.startswith(f"{short} of {file.num_rows} records")
    assert verdict.detail.endswith(f"(fewest: {fewest})")


@pytest.mark.each_once
@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("name", [n for n in PLANTED if n not in ("minus zero is not zero",)])
def test_the_same_from_a_file(tmp_path, name, ending):
    columns, k, short, _ = PLANTED[name]
    api.write_frame(pa.table(dict(columns)), tmp_path / f"f.{ending}")
    office = tmp_path / "office.toml"
    office.write_text(f"k_anonymity = {{k = {k}, keys = {json.dumps(list(columns))}}}\n")
    (verdict,) = tacita.check_requirements(tmp_path / f"f.{ending}", office)
    assert not verdict.passed
    assert verdict.detail.startswith(f"{short} of ")


UNITS = {
    "three persons of one household": (["h", "h", "h", "i", "j"], ["x", "x", "x", "y", "y"], 3, 5),
    "one household spelled twice": (["ACME", "acme ", "B"], ["x", "x", "x"], 3, 3),
    "units of numbers": ([1, 1, 2], ["x", "x", "x"], 3, 3),
}


@pytest.mark.parametrize("name", UNITS)
def test_records_of_one_unit_do_not_hide_each_other(name):
    unit, key, k, short = UNITS[name]
    file = pa.table({"unit": unit, "key": key})
    (verdict,) = tacita.check_requirements(file, {"k_anonymity": {"k": k, "keys": ["key"], "unit": "unit"}})
    assert not verdict.passed
    assert f"{short} of {len(key)} records" in verdict.detail
    assert "distinct units" in verdict.promise


def test_a_unit_that_was_left_out_is_counted_by_the_source(firms):
    asked = {
        "identifiers": ["name", "group_id"],
        "unit": "group_id",
        "quasi": ["turnover"],
        "measures": ["IL1"],
    }
    limits = {"k_anonymity": {"k": 3, "keys": ["turnover"]}}
    made = tacita.protect(firms, **asked, k=3, require=limits)
    assert "distinct units" in made.record.verdicts[-1].promise
    with pytest.raises(RequirementError, match="distinct units"):
        tacita.protect(firms, **asked, k=3, require={"k_anonymity": {"k": 60, "keys": ["turnover"]}})


def test_all_that_is_kept_passes():
    file = pa.table({"a": classes(3, 4), "u": list("abcabcd")})
    asked = [{"k": 3, "keys": ["a"]}, {"k": 3, "keys": ["a"], "unit": "u"}]
    assert all(each.passed for each in tacita.check_requirements(file, {"k_anonymity": asked}))


# on the bytes


def test_what_is_written_is_judged_by_its_bytes(firms, tmp_path, monkeypatch):
    limits = {"k_anonymity": {"k": 4, "keys": QUASI}}
    made = tacita.protect(firms, quasi=QUASI, k=4, measures=["IL1"], require=limits)
    heard = []

    def listening(claim, released, run=None, **how):
        heard.append(released.n)
        return required(claim, released, run, **how)

    monkeypatch.setattr("tacita.microdata.release.release.required", listening)
    tacita.save(made, tmp_path / "out.csv")
    assert heard == [120]


@pytest.mark.parametrize("column", QUASI)
def test_bytes_that_fall_short_are_not_written(firms, tmp_path, monkeypatch, column):
    limits = {"k_anonymity": {"k": 4, "keys": QUASI}}
    made = tacita.protect(firms, quasi=QUASI, k=4, measures=["IL1"], require=limits)
    honest = CSV.decode

    def one_cell_other(self, content, source):
        data = honest(self, content, source)
        cells = data.native[column].to_pylist()
        place = data.columns.index(column)
        cells[0] = "17"
        return Microdata.of(data.native.set_column(place, column, pa.array(cells)), dialect=data.dialect)

    monkeypatch.setattr(CSV, "decode", one_cell_other)
    # the verifier reads the same records, and would see it first
    monkeypatch.setattr("tacita.microdata.verify.verify_file", lambda *_: ())
    with pytest.raises(RequirementError, match="share their keys with fewer than 4"):
        tacita.save(made, tmp_path / "out.csv")
    assert not list(tmp_path.iterdir())


def test_a_release_that_falls_short_writes_nothing_and_says_by_how_much(firms, tmp_path):
    api.write_frame(firms, tmp_path / "in.csv")
    plan = Plan(
        input={"path": tmp_path / "in.csv"},
        roles={"quasi": QUASI},
        protect={"k": 3},
        require={"k_anonymity": {"k": 3, "keys": ["region", "sector", "turnover"]}, "DBRL": 0.5},
        output={"path": tmp_path / "out.csv", "json": tmp_path / "r.json"},
    )
    with pytest.raises(RequirementError, match=r"meet 2 of 2 .*k_anonymity: \d+ of 120 .*DBRL: it is"):
        api.run_plan(plan)
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]


# an office's file


def test_a_plan_includes_the_rules_of_an_office(firms, tmp_path):
    api.write_frame(firms, tmp_path / "in.csv")
    (tmp_path / "office.toml").write_text("[require]\nDBRL = 0.1\n")
    text = """version = 1
require = "office.toml"
[input]
path = "in.csv"
[roles]
quasi = ["turnover", "wages"]
[output]
path = "out.csv"
"""
    (tmp_path / "plan.toml").write_text(text)
    assert run_command(["run", str(tmp_path / "plan.toml"), "--quiet"]) == 1
    assert not (tmp_path / "out.csv").exists()
    (tmp_path / "office.toml").write_text("DBRL = 99.9\n")
    assert run_command(["run", str(tmp_path / "plan.toml"), "--quiet"]) == 0


@pytest.mark.parametrize(("limit", "code"), [(0.1, 1), (99, 0)])
def test_the_command_line_takes_the_rules_of_an_office(firms, tmp_path, limit, code):
    api.write_frame(firms, tmp_path / "in.csv")
    (tmp_path / "office.toml").write_text(f"DBRL = {limit}\n")
    words = [
        "protect",
        str(tmp_path / "in.csv"),
        "--out",
        str(tmp_path / "out.csv"),
        "--quasi",
        "turnover,wages",
    ]
    assert run_command([*words, "--require", str(tmp_path / "office.toml"), "--measures", "IL1"]) == code
    assert (tmp_path / "out.csv").exists() == (code == 0)


def test_a_trial_that_falls_short_keeps_its_reason(firms):
    plan = Plan(
        input={"path": "a.csv"},
        roles={"quasi": QUASI},
        require={"k_anonymity": 4},
        compare={"method": ["mdav"], "k": [3, 5]},
    )
    trials = compare(Microdata.of(firms), plan, plan.compare, None)
    assert ["k_anonymity" in (trial.reason or "") for trial in trials] == [True, False]


def test_rules_of_an_office_and_of_a_plan_hold_together(tmp_path):
    (tmp_path / "office.toml").write_text("DBRL = 20\n")
    values = {"include": "office.toml", "IL1": 9}
    base = {"version": 1, "input": {"path": "a"}, "roles": {"quasi": "x"}, "output": {"path": "b.csv"}}
    plan = Plan.from_values({**base, "require": values}, tmp_path)
    assert [each.name for each in plan.require.requirements] == ["DBRL", "IL1"]
    with pytest.raises(ParameterError, match=r"DBRL is named in office\.toml too"):
        Plan.from_values({**base, "require": {"include": "office.toml", "DBRL": 30}}, tmp_path)


@pytest.mark.parametrize(
    ("limits", "told"),
    [
        ({"nothing": 3}, "no measure named 'nothing'"),
        ({"DBRL": "much"}, "DBRL: limit must be a number"),
        ({"DBRL": True}, "DBRL: limit must be a number"),
        ({"DBRL": float("nan")}, "DBRL: limit must be a finite number"),
        ({"DBRL": {"attributes": [3]}}, "DBRL: limit is required"),
        ({"DBRL": {"limit": 3, "nothing": 4}}, "no parameter nothing"),
        ({"k_anonymity": 1}, "k must be at least 2"),
        ({"k_anonymity": {"keys": ["a"]}}, "k is required"),
        ({"k_anonymity": {"k": 3, "key": ["a"]}}, "no parameter key"),
        ({"k_anonymity": {"k": 2.5}}, "k must be a whole number"),
    ],
)
def test_wrong_requirements_are_refused_in_words(limits, told):
    with pytest.raises(ParameterError, match=told):
        RequireSection(**limits)


@pytest.mark.parametrize("limits", [["k_anonymity"], 3, ("DBRL", 20)])
def test_requirements_that_are_no_mapping_are_refused_in_words(firms, limits):
    for call in (
        tacita.check_requirements,
        lambda file, given: tacita.protect(file, quasi=QUASI, require=given),
    ):
        with pytest.raises(ParameterError, match="wanted measures with limits, or the file"):
            call(firms, limits)


@pytest.mark.parametrize(
    ("text", "told"), [("", "got none"), ("version = 1\n", "got none"), ("k =", "not valid TOML")]
)
def test_a_file_without_requirements_is_refused(tmp_path, text, told):
    (tmp_path / "office.toml").write_text(text)
    with pytest.raises(ParameterError, match=told):
        RequireSection.load(tmp_path / "office.toml")


# tacita check


def test_check_tells_a_file_that_is_as_it_should_be(release, tmp_path, capsys):
    tacita.save(release, tmp_path / "out.csv")
    office = tmp_path / "office.toml"
    office.write_text(f"k_anonymity = {{k = 4, keys = {json.dumps(QUASI)}}}\n")
    words = ["check", str(tmp_path / "out.csv"), "--require", str(office), "--json", str(tmp_path / "v.json")]
    assert run_command(words) == 0
    assert "k_anonymity (kept)" in capsys.readouterr().out
    assert json.loads((tmp_path / "v.json").read_text())["passed"] is True


def test_check_with_the_original_judges_measures_that_compare(release, firms, tmp_path, capsys):
    tacita.save(release, tmp_path / "out.csv")
    api.write_frame(firms, tmp_path / "in.csv")
    (tmp_path / "office.toml").write_text("DBRL = 0.01\nIL1 = 99\n")
    words = ["check", str(tmp_path / "out.csv"), "--require", str(tmp_path / "office.toml")]
    more = ["--original", str(tmp_path / "in.csv"), "--quasi", ",".join(QUASI)]
    assert run_command([*words, *more]) == 1
    heard = capsys.readouterr()
    assert "IL1 (kept)" in heard.out
    assert "DBRL: it is" in heard.err
    assert run_command(words) == 1
    heard = capsys.readouterr()
    assert "DBRL (not judged)" in heard.out
    assert "2 of 2 requirements are not judged" in heard.err
    assert "not met" not in heard.out + heard.err


VISITS = pa.table(
    {"who": ["a", "a", "a", "b", "c", "d"], "town": list("xxxyyy"), "ill": list("123pqr")},
)
TOWNS = {
    "k_anonymity": {"k": 3, "keys": ["town"]},
    "l_diversity": {"l": 3, "keys": ["town"], "column": "ill"},
    "sample_uniques": {"limit": 10, "keys": ["town"]},
}


def test_check_counts_units_where_one_is_named():
    assert all(each.passed for each in tacita.check_requirements(VISITS, TOWNS))
    for original in ({}, {"original": VISITS, "quasi": ["town"], "nominal": ["town"]}):
        found = tacita.check_requirements(VISITS, TOWNS, unit="who", **original)
        assert not any(each.passed for each in found)
        assert all(each.judged for each in found)
    told = tacita.evaluate(
        VISITS, VISITS, quasi="town", nominal="town", unit="who", measures=["sample_uniques"]
    )
    assert told["sample_uniques"].value == 50
    # units by the original, where the release does not show them; what a requirement names goes first
    bare = VISITS.drop_columns(["who"])
    by_source = tacita.check_requirements(
        bare, TOWNS, original=VISITS, quasi="town", nominal="town", unit="who"
    )
    assert [each.detail for each in by_source] == [each.detail for each in found]
    own = {"k_anonymity": {"k": 3, "keys": ["town"], "unit": "ill"}}
    assert tacita.check_requirements(VISITS, own, unit="who")[0].passed


def test_what_cannot_be_judged_without_the_original_is_not_said_to_fail(tmp_path, capsys):
    bare = VISITS.drop_columns(["who"])
    for require, unit in (({"k_anonymity": 3}, None), (TOWNS, "who"), ({"individual_risk": 0.1}, None)):
        found = tacita.check_requirements(bare, require, unit=unit)
        assert not any(each.judged or each.passed for each in found)
        assert all(each.detail.startswith("cannot be judged: ") for each in found)
    with pytest.raises(ParameterError, match="the columns that were changed"):
        tacita.check_requirements(bare, TOWNS, original=VISITS)
    api.write_frame(bare, tmp_path / "out.csv")
    (tmp_path / "office.toml").write_text("k_anonymity = 3\nDBRL = 9\n")
    assert run_command(["check", str(tmp_path / "out.csv"), "--require", str(tmp_path / "office.toml")]) == 1
    heard = capsys.readouterr()
    assert "k_anonymity (not judged)" in heard.out
    assert "k_anonymity cannot be judged: no keys are named" in heard.err
    assert "DBRL cannot be judged without the original file" in heard.err


def test_keys_that_are_named_are_those_of_requirements_without_the_original_too(tmp_path, capsys):
    bare = VISITS.drop_columns(["who", "ill"])
    for quasi in ("town", ["town"]):
        found = tacita.check_requirements(bare, {"k_anonymity": 4, "DBRL": 9}, quasi=quasi)
        assert [each.judged for each in found] == [True, False]
        assert (
            found[0].detail
            == tacita.check_requirements(bare, {"k_anonymity": {"k": 4, "keys": ["town"]}})[0].detail
        )
    # what a requirement names goes first, and which columns are numbers says nothing of keys
    assert not tacita.check_requirements(VISITS, {"k_anonymity": {"k": 3, "keys": ["ill"]}}, quasi=["town"])[
        0
    ].passed
    assert tacita.check_requirements(VISITS, {"k_anonymity": 3}, quasi=["town"])[0].passed
    assert not tacita.check_requirements(VISITS, {"k_anonymity": 3}, quasi="numeric")[0].judged
    assert (
        "no column hamlet"
        in tacita.check_requirements(VISITS, {"k_anonymity": 3}, quasi=["hamlet"])[0].detail
    )
    api.write_frame(bare, tmp_path / "out.csv")
    (tmp_path / "office.toml").write_text("k_anonymity = 3\n")
    words = ["check", str(tmp_path / "out.csv"), "--require", str(tmp_path / "office.toml")]
    assert run_command([*words, "--quasi", "town"]) == 0
    assert "k_anonymity (kept)" in capsys.readouterr().out


# limits of columns, and a look at what was refused


def suppressing(limits, **more):
    people = datasets.load("household", n=300)
    keys = ["sex", "education", "region", "age"]
    return tacita.protect(
        people,
        quasi=keys,
        method="local-suppression",
        k=3,
        importance={"sex": 9, "education": 9, "region": 9},
        # a weight, or what a household pays, belongs to one region
        identifiers=["person_id", "household_id", "weight", "housing_cost"],
        measures=["SUPPRESSED"],
        require={"SUPPRESSED": limits},
        **more,
    )


def test_a_mean_that_hides_one_column_names_it_and_a_limit_by_column_refuses():
    lost = suppressing(99).report["SUPPRESSED"]
    assert lost.per_attribute["age"] > 2 * lost.value
    kept = suppressing(lost.value + 1)
    assert "worst column: age" in kept.record.verdicts[-1].detail
    between = (lost.value + lost.per_attribute["age"]) / 2
    for limits in (
        {"limit": 99, "by_column": between},
        {"by_column": between},
        {"by_column": {"age": between, "sex": 99}},
    ):
        with pytest.raises(
            RequirementError, match=r"SUPPRESSED: by column age has [\d.]+ %, [\d.]+ too much"
        ):
            suppressing(limits)
    assert suppressing({"by_column": {"sex": 50}}).record.verdicts[-1].passed


@pytest.mark.parametrize(
    ("limits", "told"),
    [
        ({"by_column": {"nowhere": 5}}, "no figure of column nowhere"),
        ({"limit": 5, "max": 5}, "there is no parameter max.*Also known: limit and by_column"),
        ({"by_column": {}}, "by_column must name a column"),
        ({"by_column": "much"}, "must be a number"),
        ({"by_column": {"age": True}}, "must be a number"),
    ],
)
def test_limits_of_columns_that_cannot_be_meant_are_refused(limits, told):
    with pytest.raises((RequirementError, ParameterError), match=told):
        suppressing(limits)


def test_a_measure_without_figures_by_column_has_no_limit_by_column(firms):
    with pytest.raises(RequirementError, match="no figures by column"):
        tacita.protect(firms, quasi=QUASI, k=4, require={"DR": {"by_column": 5}}, measures=["IL1"])


def plan_that_is_refused(firms, tmp_path, **more):
    api.write_frame(firms, tmp_path / "in.csv")
    pages = {"report": tmp_path / "r.html", "json": tmp_path / "r.json", "note": tmp_path / "n.html"}
    return Plan(
        input={"path": tmp_path / "in.csv"},
        roles={"quasi": QUASI, "identifiers": ["name"]},
        require={"DBRL": 0.01, "IL1": 99},
        measure={"names": ["IL1"]},
        output={"path": tmp_path / "out.csv", **pages, **more},
    )


def test_a_dry_run_writes_the_report_of_what_is_refused_and_nothing_else(firms, tmp_path):
    plan = plan_that_is_refused(firms, tmp_path)
    with pytest.raises(RequirementError, match=r"DBRL.*See r.html, r.json \(confidential\)"):
        api.run_plan(plan, dry_run=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.csv", "r.html", "r.json"]
    assert (tmp_path / "r.html").stat().st_mode & 0o077 == 0
    assert "Refused: a requirement is not met" in (tmp_path / "r.html").read_text()
    told = json.loads((tmp_path / "r.json").read_text())
    assert [each["guarantee"] for each in told["verdicts"] if not each["passed"]] == ["DBRL"]
    with pytest.raises(RequirementError, match="--force"):
        api.run_plan(plan, dry_run=True)
    with pytest.raises(RequirementError, match="See "):
        api.run_plan(plan, dry_run=True, force=True)


def test_a_run_that_is_refused_writes_nothing_and_says_how_to_look(firms, tmp_path):
    with pytest.raises(RequirementError, match="A dry run writes its report"):
        api.run_plan(plan_that_is_refused(firms, tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]


def test_a_refusal_names_the_keys(firms):
    (verdict,) = tacita.check_requirements(firms, {"k_anonymity": {"k": 3, "keys": ["region", "turnover"]}})
    assert "by region, turnover" in verdict.detail


@pytest.mark.parametrize(
    ("limits", "told"),
    [
        ({"k_anonymity": 3}, "no keys are named"),
        ({"k_anonymity": {"k": 3, "keys": ["nowhere"]}}, "no column nowhere"),
        (
            {"k_anonymity": {"k": 3, "keys": ["region"], "unit": "nowhere"}},
            "no column nowhere to count",
        ),
    ],
)
def test_what_cannot_be_judged_is_not_passed(firms, limits, told):
    (verdict,) = tacita.check_requirements(firms, limits)
    assert not verdict.passed
    assert told in verdict.detail


def test_no_value_of_the_file_is_in_what_is_told(firms, release, tmp_path, capsys):
    tacita.save(release, tmp_path / "out.csv")
    (tmp_path / "office.toml").write_text('k_anonymity = {k = 9, keys = ["registration", "turnover"]}\n')
    run_command(["check", str(tmp_path / "out.csv"), "--require", str(tmp_path / "office.toml")])
    heard = capsys.readouterr()
    for column in ("registration", "turnover"):
        for value in firms[column].to_pylist():
            assert str(value) not in heard.out.replace("120", "") + heard.err.replace("120", "")


def test_requirements_can_be_cancelled(firms):
    from tacita import Cancelled

    with pytest.raises(Cancelled):
        tacita.protect(
            firms,
            quasi=QUASI,
            require={"PRL": 99},
            measures=["IL1"],
            context=RunContext(should_cancel=lambda: True),
        )


def test_shared_keys_agree_with_a_plain_count():
    rng = np.random.default_rng(3)
    for _ in range(30):
        n, k = int(rng.integers(1, 60)), int(rng.integers(2, 5))
        frame = pa.table({f"c{j}": rng.integers(0, 3, n) for j in range(3)})
        plain = frame.to_pandas().groupby(["c0", "c1", "c2"])["c0"].transform("size")
        (verdict,) = tacita.check_requirements(frame, {"k_anonymity": {"k": k, "keys": ["c0", "c1", "c2"]}})
        short = int((plain < k).sum())
        assert verdict.passed == (short == 0)
        assert not short or verdict.detail.startswith(f"{short} of {n} records")


@pytest.mark.parametrize(
    ("limits", "told"),
    [
        ({"DBRL": 0.1}, "Protect more strongly, or add a step."),
        ({"IL1": 0.1}, "The loss is too high: protect less, or use another method."),
        (
            {"IL1": 0.1, "DBRL": 0.1},
            "Both loss and risk are too high: try another method.",
        ),
    ],
)
def test_a_refusal_advises_by_what_is_not_met(firms, limits, told):
    with pytest.raises(RequirementError) as refused:
        tacita.protect(firms, quasi=QUASI, k=4, require=limits, measures=["IL1"])
    assert str(refused.value).endswith(told)


def test_a_requirement_of_one_sensitive_column_is_judged():
    people = pa.table({"sex": ["f", "f", "m", "m"], "illness": ["flu", "gout", "flu", "flu"]})
    asks = {"l_diversity": {"column": "illness", "keys": ["sex"], "l": 2}}
    (verdict,) = tacita.check_requirements(people, asks)
    assert not verdict.passed
    assert "worst column" not in verdict.detail
