"""Records that leave in one of several steps: later steps, promises, measures and requirements follow."""

import numpy as np
import pyarrow as pa
import pytest

import tacita
from seeds import SEED
from tacita.core import Microdata
from tacita.core.spec.conditions import condition_of
from tacita.io import format_of
from tacita.microdata import verify

N = 240
HIERARCHY = {"a": {"low": ["a0", "a1", "a2"], "high": ["a3", "a4", "a5"]}}


def records():
    rng = np.random.default_rng(8)
    household = np.arange(N) // 2
    return pa.table(
        {
            "a": [f"a{i}" for i in rng.choice(6, N, p=[0.4, 0.3, 0.2, 0.06, 0.03, 0.01])],
            "b": [f"b{i}" for i in rng.choice(3, N, p=[0.6, 0.3, 0.1])],
            "age": rng.integers(20, 70, N),
            "home": [f"h{i}" for i in rng.choice(3, N // 2, p=[0.55, 0.4, 0.05])[household]],
            "unit": [f"u{i}" for i in household],
            "region": ["n" if i % 3 else "s" for i in household],
            "income": rng.lognormal(3, 1, N),
            "wage": rng.lognormal(2, 1, N),
            "weight": rng.uniform(1, 4, N),
        }
    )


GENERALISE = {"method": "generalise", "quasi": ["a", "b"], "k": 12, "suppression_limit": 0.4}
DROP = {"method": "drop", "records": "age > 60"}
MDAV = {"method": "mdav", "quasi": ["income"], "k": 4}
NOISE = {"method": "noise", "quasi": ["wage"]}
ROUND = {"method": "round", "quasi": ["age"], "base": 5}
TOP = {"method": "top-code", "quasi": ["wage"], "count": 9, "by": "mean"}
HOME = {"method": "pram", "quasi": ["home"]}
WHERE = {"method": "generalise", "quasi": ["home"], "k": 30, "suppression_limit": 0.5}


def released(*steps, **given):
    return tacita.protect(
        records(), steps=list(steps), hierarchy=HIERARCHY, seed=SEED, **{"measures": ["IL1", "DBRL"], **given}
    )


def promised(release, step):
    return release.record.steps[step - 1].promises


SEQUENCES = {
    "first": (GENERALISE, MDAV),
    "last": (MDAV, GENERALISE),
    "middle": (NOISE, GENERALISE, MDAV),
    "drop first": (DROP, MDAV),
    "drop last": (MDAV, DROP),
    "drop in the middle": (NOISE, DROP, MDAV),
    "both": (DROP, GENERALISE, MDAV),
    "both the other way": (GENERALISE, DROP, MDAV),
    "twice": (DROP, {"method": "drop", "records": "b = 'b2'", "columns": ["region"]}, MDAV),
    "coded before": (TOP, DROP),
    "by unit": (HOME, DROP),
    "units leave": (WHERE, MDAV),
    "units leave in the middle": (NOISE, WHERE, MDAV),
    "units leave, then records": (WHERE, DROP, MDAV),
}


@pytest.mark.each_once
@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("name", SEQUENCES)
@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_a_release_of_steps_that_lose_records_is_verified_on_its_bytes(name, shuffle, ending, tmp_path):
    around = {"unit": "unit", "unit_columns": ["home"]} if "unit" in name else {}
    release = released(*SEQUENCES[name], shuffle=shuffle, **around)
    gone = N - release.data.num_rows
    assert 0 < gone == release.claim.dropped_rows.size
    assert all(verdict.passed for verdict in release.record.verdicts)
    out = tmp_path / f"out.{ending}"
    tacita.save(release, out)
    found = verify.verify_file(verify.WrittenFile(out.read_bytes(), format_of(out)()), release.claim)
    assert not [verdict for verdict in found if not verdict.passed]


@pytest.mark.parametrize("name", SEQUENCES)
def test_columns_that_nobody_touched_are_those_of_the_records_that_stayed(name):
    around = {"unit": "unit", "unit_columns": ["home"]} if "unit" in name else {}
    release = released(*SEQUENCES[name], **around)
    untouched = [c for c in release.data.column_names if c not in ("a", "b", "home", "age", "income", "wage")]
    assert release.data.select(untouched).equals(records().take(release.claim.rows).select(untouched))
    assert np.array_equal(np.sort(release.claim.rows), release.claim.rows)


def test_a_unit_leaves_with_all_its_records():
    release = released(WHERE, MDAV, unit="unit", unit_columns=["home"])
    stayed = release.data["unit"].to_pylist()
    assert len(stayed) < N
    assert all(stayed.count(unit) == 2 for unit in set(stayed))


def test_promises_about_groups_are_withdrawn_where_a_member_may_have_left():
    release = released(MDAV, DROP)
    assert promised(release, 1) == ()
    assert {(each.guarantee, each.step, each.by) for each in release.record.withdrawn} == {
        ("groups-of-k", 1, 2),
        ("group-means", 1, 2),
    }
    (told,) = [each.text for each in release.record.warnings if each.name == "promise-withdrawn"]
    assert "removed records afterwards" in told


def test_promises_about_groups_stand_where_nobody_left():
    release = released(MDAV, {"method": "drop", "records": "age > 600"})
    assert promised(release, 1) == ("groups-of-k", "group-means")


def test_promises_about_cells_stand_whoever_left():
    release = released(
        TOP, ROUND, {"method": "drop", "records": "region = 's'"}, NOISE | {"quasi": ["income"]}
    )
    assert promised(release, 1) == ("coded", "top-coded")
    assert promised(release, 2) == ("coded", "rounded-to-base")
    assert not release.record.withdrawn


def test_a_later_step_groups_the_records_that_stayed():
    steps = [DROP, MDAV]
    release = released(*steps)
    alone = tacita.protect(
        records().filter(pa.array([age <= 60 for age in records()["age"].to_pylist()])),
        steps=[MDAV, {"method": "round", "quasi": ["age"], "base": 1}],
        seed=SEED,
    )
    assert release.data["income"].equals(alone.data["income"])


def test_each_step_is_measured_on_the_records_that_it_left():
    release = released(MDAV, DROP, NOISE)
    first, second, third = (step.report["IL1"].value for step in release.record.steps)
    alone = released(MDAV, NOISE | {"quasi": ["age"]}, measures=["IL1"]).record.steps[0].report["IL1"].value
    rows = np.flatnonzero([age <= 60 for age in records()["age"].to_pylist()])
    kept = Microdata.of(released(MDAV, NOISE).data).numbers("income")[rows]
    before = records().take(rows)
    both = tacita.evaluate(before, before.set_column(6, "income", [kept]), quasi=["income", "wage"])
    assert first > 0
    assert alone >= 0
    assert second == pytest.approx(both["IL1"].value, rel=1e-12)
    assert third > second


def test_requirements_are_judged_on_what_is_left():
    keys = {"keys": ["a", "b"]}
    limit = released(GENERALISE, DROP, NOISE).data
    counts = {}
    for pair in zip(limit["a"].to_pylist(), limit["b"].to_pylist(), strict=True):
        counts[pair] = counts.get(pair, 0) + 1
    least = min(counts.values())
    met = released(GENERALISE, DROP, NOISE, require={"k_anonymity": {"k": least, **keys}})
    assert any(verdict.guarantee == "k_anonymity" and verdict.passed for verdict in met.record.verdicts)
    with pytest.raises(tacita.RequirementError, match="share their keys with fewer"):
        released(GENERALISE, DROP, NOISE, require={"k_anonymity": {"k": least + 1, **keys}})


def test_linkage_is_measured_between_a_record_and_itself():
    release = released(DROP, {"method": "round", "quasi": ["income"], "base": 1e-9}, measures=["DBRL", "DLD"])
    assert release.report["DBRL"].value == 100.0
    assert release.report["DLD"].value == 1.0


def test_missing_values_and_conditions_and_classes_are_told_apart():
    gaps = np.arange(N) % 10 == 0
    table = records().set_column(6, "income", pa.array(records()["income"].to_numpy(), mask=gaps))
    steps = [DROP, GENERALISE, {**MDAV, "missing": "drop"}]
    release = tacita.protect(table, steps=steps, hierarchy=HIERARCHY, measures=["IL1"])
    told = {each.name: each.count for each in release.record.warnings}
    ages = records()["age"].to_numpy()
    assert told["records-dropped"] == int(gaps.sum())
    assert told["records-left-out"] == int((~gaps & (ages > 60)).sum())
    assert (
        told["records-suppressed"]
        == N - release.data.num_rows - told["records-dropped"] - told["records-left-out"]
    )
    assert told["records-suppressed"] > 0


def test_a_column_that_decided_who_leaves_may_leave_later():
    release = released(DROP, {"method": "drop", "columns": ["age"]}, MDAV)
    assert "age" not in release.data.column_names
    assert condition_of("age > 60", "Drop")[0].column == "age"
    assert "dropped-by-condition" in promised(release, 1)


def test_a_step_by_unit_forgets_what_stood_behind_a_gap():
    hidden = pa.array(records()["wage"].to_numpy(), mask=np.arange(N) % 7 == 0)
    table = records().set_column(7, "wage", hidden)
    release = tacita.protect(table, steps=[HOME, MDAV], unit="unit", unit_columns=["home"], measures=["IL1"])
    assert all(verdict.passed for verdict in release.record.verdicts)
