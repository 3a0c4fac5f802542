"""What is dropped is gone, what stays is as it was; conditions by a slow plain twin."""

import operator

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita
from seeds import SEED
from tacita import registry
from tacita.cli import run_command
from tacita.microdata.methods.dropping.drop import Drop
from tacita.plans import Plan

N = 90
SIGNS = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def records(n=N):
    rng = np.random.default_rng(11)
    return pa.table(
        {
            "id": [f"p{i}" for i in range(n)],
            "age": pa.array(rng.integers(0, 100, n), mask=np.arange(n) % 11 == 0),
            "sex": pa.array(rng.choice(["m", "f"], n), mask=np.arange(n) % 13 == 0),
            "region": rng.choice(["n", "s", "w"], n),
            "income": rng.lognormal(3, 1, n),
            "weight": rng.uniform(1, 5, n),
        }
    )


def clause_holds(sign, value, cell):
    """True, False, or None where nobody knows."""
    if value is None:
        return (cell is None) == (sign == "=")
    return None if cell is None else SIGNS[sign](cell, value)


def twin(rows, conditions):
    """Of each record whether it meets a condition, clause by clause in plain words."""
    found = []
    for row in rows:
        answers = []
        for condition in conditions:
            held = [clause_holds(sign, value, row[name]) for name, sign, value in condition]
            answers.append(False if False in held else None if None in held else True)
        found.append(True if True in answers else None if None in answers else False)
    return found


def spoken(condition):
    def word(value):
        return "missing" if value is None else f"'{value}'" if isinstance(value, str) else repr(value)

    return " and ".join(f"{name} {sign} {word(value)}" for name, sign, value in condition)


clauses = st.one_of(
    st.tuples(st.just("age"), st.sampled_from(list(SIGNS)), st.integers(-1, 101)),
    st.tuples(st.just("income"), st.sampled_from(list(SIGNS)), st.sampled_from([1.5, 20.0, 80.25])),
    st.tuples(st.just("sex"), st.sampled_from(["=", "!="]), st.sampled_from(["m", "f", "x"])),
    st.tuples(st.just("region"), st.sampled_from(["=", "!="]), st.sampled_from(["n", "s"])),
    st.tuples(st.sampled_from(["age", "sex"]), st.sampled_from(["=", "!="]), st.none()),
)
conditions = st.lists(st.lists(clauses, min_size=1, max_size=3), min_size=1, max_size=3, unique_by=spoken)


@given(conditions, st.sampled_from(["keep", "drop"]), st.booleans())
def test_exactly_those_who_meet_a_condition_are_gone(asked, unknown, shuffle):
    table = records()
    goes = [unknown == "drop" if answer is None else answer for answer in twin(table.to_pylist(), asked)]
    given_ = {"records": [spoken(each) for each in asked], "unknown": unknown, "columns": ["id"]}
    if all(goes):
        with pytest.raises(tacita.DataError, match="no record is left"):
            tacita.protect(table, method="drop", **given_)
        return
    release = tacita.protect(table, method="drop", measures=["IL1"], shuffle=shuffle, seed=SEED, **given_)
    wanted = table.filter(pa.array([not gone for gone in goes])).drop_columns(["id"])
    if not shuffle:
        assert release.data.equals(wanted)
    else:
        by = [("income", "ascending")]
        assert release.data.sort_by(by).equals(wanted.sort_by(by))
    assert all(verdict.passed for verdict in release.record.verdicts)
    assert sorted(release.claim.dropped_rows.tolist()) == [row for row, gone in enumerate(goes) if gone]


def test_columns_alone_leave_every_record_as_it_was():
    release = tacita.protect(records(), method="drop", columns=["id", "income"])
    assert release.data.equals(records().drop_columns(["id", "income"]))
    assert release.claim.dropped_rows.size == 0


@pytest.mark.parametrize("make", [pl.from_arrow, lambda table: table.to_pandas(), lambda table: table])
def test_every_kind_of_frame_comes_back_as_it_came(make):
    release = tacita.protect(make(records()), method="drop", columns="id", records="region = 'n'")
    assert type(release.data) is type(make(records()))
    stayed = [region for region in records()["region"].to_pylist() if region != "n"]
    assert list(release.data["region"]) == stayed if not isinstance(release.data, pa.Table) else True
    assert len(release.data) == len(stayed)


@pytest.mark.parametrize("ending", ["csv", "parquet", "sav", "dta"])
def test_the_file_as_written_is_what_was_left(ending, tmp_path):
    source, out = tmp_path / "in.csv", tmp_path / f"out.{ending}"
    records().to_pandas().to_csv(source, index=False)
    words = ["protect", str(source), "--out", str(out), "--method", "drop", "--columns", "id,weight"]
    assert run_command([*words, "--records", "age > 60 and sex = 'm'", "--unknown", "keep"]) == 0
    got = tacita.read(out).native.to_pylist()
    meets = twin(records().to_pylist(), [[("age", ">", 60), ("sex", "=", "m")]])
    stayed = [row for row, gone in zip(records().to_pylist(), meets, strict=True) if not gone]
    assert [row["region"] for row in got] == [row["region"] for row in stayed]
    assert [float(row["income"]) for row in got] == [row["income"] for row in stayed]
    assert not {"id", "weight"} & set(got[0])


def test_a_plan_says_the_same_as_python(tmp_path):
    records().to_pandas().to_csv(tmp_path / "in.csv", index=False)
    plan = Plan.from_toml(
        'version = 1\n[input]\npath = "in.csv"\n[protect]\nmethod = "drop"\ncolumns = ["id"]\n'
        'records = "age > 90"\nunknown = "drop"\n[output]\npath = "out.csv"\n',
        tmp_path,
    )
    assert Plan.from_toml(plan.to_toml(), tmp_path).to_toml() == plan.to_toml()
    assert "method='drop'" in plan.to_python()
    data = tacita.read(tmp_path / "in.csv")
    release = tacita.protect(data, method="drop", columns=["id"], records="age > 90", unknown="drop")
    ages = records()["age"].to_pylist()
    assert release.data.num_rows == sum(age is not None and age <= 90 for age in ages)


def test_a_missing_value_is_refused_unless_somebody_says_how_it_is_read():
    with pytest.raises(tacita.DataError, match=r"9 records miss a value .* unknown 'keep' or 'drop'"):
        tacita.protect(records(), method="drop", records="age > 95")
    found = {
        unknown: tacita.protect(records(), method="drop", records="age > 95", unknown=unknown)
        for unknown in ("keep", "drop")
    }
    assert found["keep"].data.num_rows == found["drop"].data.num_rows + 9
    for release in found.values():
        assert [(each.name, each.count) for each in release.record.warnings if "undecided" in each.name] == [
            ("condition-undecided", 9)
        ]


def test_a_clause_that_is_false_decides_whatever_is_missing():
    asked = {"age": np.array([np.nan, np.nan]), "sex": np.array(["f", "m"], dtype=object)}
    drop = Drop(records="age > 95 and sex = 'm'", unknown="drop")
    assert drop.dropped_rows(asked, 2).tolist() == [False, True]


def test_whoever_has_no_weight_or_unit_may_be_just_who_is_to_leave():
    table = pa.table({"x": [1.0, 2.0, 3.0, 4.0], "w": [1.0, -1.0, 2.0, None], "u": ["a", "b", None, "d"]})
    asked = ["w < 0", "w = missing", "u = missing"]
    release = tacita.protect(table, method="drop", records=asked, weight="w", unit="u", unknown="keep")
    assert release.data["x"].to_pylist() == [1.0]
    with pytest.raises(tacita.DataError, match="weight column w is missing, zero or negative in 1 records"):
        tacita.protect(table, method="drop", records=["w < 0", "u = missing"], weight="w", unknown="keep")


def test_neither_report_nor_note_names_a_value_of_who_left(tmp_path):
    table = records().set_column(0, "id", [[f"Quixote{i}" for i in range(N)]])
    release = tacita.protect(table, method="drop", columns=["id"], records="age > 90", unknown="drop")
    pages = {name: tmp_path / f"{name}.html" for name in ("report", "note")}
    tacita.save(release, tmp_path / "out.csv", json_report=tmp_path / "r.json", **pages)
    gone = [table["income"][row].as_py() for row in release.claim.dropped_rows.tolist()]
    for name in ("report.html", "note.html", "r.json", "out.csv"):
        text = (tmp_path / name).read_text()
        assert "Quixote" not in text
        assert not any(repr(value) in text or f"{value:.6g}" in text for value in gone)
    assert "age &gt; 90" not in (tmp_path / "note.html").read_text()
    assert "were left out" in (tmp_path / "note.html").read_text()


def test_dropping_records_of_a_weighted_file_is_warned_of():
    release = tacita.protect(records(), method="drop", records="region = 'n'", weight="weight")
    count = sum(region == "n" for region in records()["region"].to_pylist())
    assert [
        (each.name, each.count)
        for each in release.record.warnings
        if each.name in ("records-left-out", "weights-not-rescaled")
    ] == [("records-left-out", count), ("weights-not-rescaled", count)]


def test_the_same_bytes_come_twice(tmp_path):
    for name in ("one", "other"):
        release = tacita.protect(records(), method="drop", records="region = 'n'", shuffle=True, seed=SEED)
        tacita.save(release, tmp_path / f"{name}.parquet")
    assert (tmp_path / "one.parquet").read_bytes() == (tmp_path / "other.parquet").read_bytes()


NOTHING = {
    "round": {"quasi": ["x"], "base": 0.5},
    "top-code": {"quasi": ["x"], "limit": 1000},
    "bottom-code": {"quasi": ["x"], "limit": -1},
    "recode": {"quasi": ["town"], "level": 0, "hierarchy": {"town": {"north": ["a", "b"], "south": ["c"]}}},
    "drop": {"records": "x > 1000"},
}


def halves(n=40):
    rng = np.random.default_rng(2)
    return pd.DataFrame({"x": rng.integers(0, 60, n) / 2, "town": rng.choice(["a", "b", "c"], n)})


@pytest.mark.parametrize("method", NOTHING)
def test_a_step_that_changes_nothing_is_told(method):
    options = dict(NOTHING[method])
    around = {"hierarchy": options.pop("hierarchy")} if "hierarchy" in options else {}
    alone = tacita.protect(halves(), method=method, **options, **around)
    other = (
        {"method": "noise", "quasi": ["x"]}
        if method in ("recode", "drop")
        else {"method": "pram", "quasi": ["town"]}
    )
    among = tacita.protect(halves(), steps=[{"method": method, **options}, other], seed=SEED, **around)
    for release in (alone, among):
        told = [each for each in release.record.warnings if each.name == "nothing-changed"]
        assert len(told) == 1
        assert method in told[0].text
        assert "1000" not in told[0].text


SOMETHING = {
    "round": {"quasi": ["x"], "base": 2.0},
    "top-code": {"quasi": ["x"], "limit": 20},
    "recode": {"quasi": ["town"], "map": {"a": "b"}},
    "drop": {"records": "x > 20"},
    "mdav": {"quasi": ["x"]},
}


@pytest.mark.parametrize("method", SOMETHING)
def test_a_step_that_changes_something_is_not_told(method):
    release = tacita.protect(halves(), method=method, **SOMETHING[method])
    assert not [each for each in release.record.warnings if each.name == "nothing-changed"]


def test_of_several_columns_only_those_are_told_that_stayed_as_they_were():
    frame = halves().assign(y=np.arange(40.0))
    release = tacita.protect(frame, quasi=["x", "y"], method="top-code", limit={"x": 1000, "y": 30})
    (told,) = [each for each in release.record.warnings if each.name == "nothing-changed"]
    assert "of x:" in told.text
    assert told.count == 1


def test_every_measure_can_be_asked_of_a_file_from_which_something_left():
    release = tacita.protect(
        records(), method="drop", columns="id", records="region = 'n'", weight="weight", measures=["all"]
    )
    told = {score.name: score.value for score in release.report}
    assert set(told) == set(registry.names(*registry.MEASURING))
    assert told["WEIGHTED"] < 100
    assert told["IL1"] is None
    assert [risk.of for risk in release.record.risks] == ["unchanged"]


def test_several_conditions_on_the_command_line_have_commas_between(tmp_path):
    source, out = tmp_path / "in.csv", tmp_path / "out.csv"
    records().to_pandas().to_csv(source, index=False)
    words = ["protect", str(source), "--out", str(out), "--method", "drop"]
    assert run_command([*words, "--records", "region = 'n',income > 80"]) == 0
    stayed = [row for row in records().to_pylist() if row["region"] != "n" and row["income"] <= 80]
    assert tacita.read(out).n == len(stayed)
