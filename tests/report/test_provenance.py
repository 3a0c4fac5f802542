"""Reports say what was read, what was written, by which rules and when; records for programs tell no time."""

import hashlib
import json
from datetime import UTC, datetime

import pyarrow as pa
import pytest

import tables_at_hand
import tacita
from seeds import SEED
from table_commands import NAMED, suppress
from tacita.cli import run_command
from tacita.report import comparison_html, review_html, review_json

MINUTE = "2023-11-14 22:13 UTC"


def hash_of(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def frame():
    return pa.table({"x": [float(i * i) for i in range(24)], "y": [float(i % 7) for i in range(24)]})


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_review_names_the_very_bytes_that_were_released(tmp_path, ending):
    made = tacita.protect(frame(), quasi=["x"], k=3)
    out, report, record = (tmp_path / name for name in (f"out.{ending}", "review.html", "review.json"))
    tacita.save(made, out, report=report, json_report=record)
    assert json.loads(record.read_text())["record"]["release_fingerprint"] == hash_of(out)
    assert f"<dt>SHA-256 of the release</dt><dd><code>{hash_of(out)}</code>" in report.read_text()
    assert "none: no file was written" in review_html(made)


@pytest.mark.parametrize("ending", ["csv", "xlsx", "html"])
def test_a_table_names_the_bytes_that_were_read_and_released(cells, ending):
    report, out = cells.parent / "page.html", cells.parent / f"published.{ending}"
    assert suppress(cells, "--problem", "exact", "--report", report, out=out.name) == 0
    told, page = json.loads((cells.parent / "result.json").read_text()), report.read_text()
    assert (told["fingerprint"], told["release_fingerprint"]) == (hash_of(cells), hash_of(out))
    for name, path in (("input", cells), ("release", out)):
        assert f"<dt>SHA-256 of the {name}</dt><dd><code>{hash_of(path)}</code>" in page
    assert told["versions"]["tacita"] == tacita.__version__
    assert f"tacita {tacita.__version__}" in page
    assert "not known: sensitive cells are marked in the input" in page


def test_a_table_made_in_python_has_no_input_to_name(tmp_path):
    table = tables_at_hand.positive(1)
    paths = {"json_report": tmp_path / "t.json", "report": tmp_path / "t.html"}
    tacita.save_table(table, tacita.suppress(table), tmp_path / "t.csv", **paths)
    told = json.loads((tmp_path / "t.json").read_text())
    assert (told["fingerprint"], told["release_fingerprint"]) == (None, hash_of(tmp_path / "t.csv"))
    assert "none: no file was read" in (tmp_path / "t.html").read_text()


def test_an_audit_names_the_files_that_it_compared(cells):
    assert suppress(cells, "--problem", "exact") == 0
    published, record = cells.parent / "published.csv", cells.parent / "audit.json"
    words = ["audit", str(cells), str(published), *NAMED, "--problem", "exact", "--json", str(record)]
    assert run_command(words) == 0
    told = json.loads(record.read_text())
    assert (told["fingerprint"], told["release_fingerprint"]) == (hash_of(cells), hash_of(published))


def test_rules_with_their_parameters_stand_on_the_page_of_a_table(tmp_path):
    tacita.api.write_frame(tables_at_hand.firms(), tmp_path / "firms.csv")
    words = ["tabulate", str(tmp_path / "firms.csv"), "--rows", "region", "--columns", "size"]
    words += ["--value", "turnover", "--out", str(tmp_path / "cells.csv"), "--margin", "20"]
    assert run_command([*words, "--rule", "p-percent:p=60,minimum-frequency:threshold=4"]) == 0
    named = ["--rows", "region", "--columns", "size", "--value", "turnover", "--primary", "primary"]
    words = ["suppress", str(tmp_path / "cells.csv"), *named, "--problem", "interval", "--out"]
    words += [str(tmp_path / "t.csv"), "--report", str(tmp_path / "t.html")]
    assert run_command([*words, "--json", str(tmp_path / "t.json")]) == 0
    assert json.loads((tmp_path / "t.json").read_text())["rules"] == [
        {"name": "p-percent", "parameters": {"p": 60.0, "coalition": 1}},
        {"name": "minimum-frequency", "parameters": {"threshold": 4, "margin": 20.0, "weighted": False}},
    ]
    said = "p-percent (p 60, coalition 1); minimum-frequency (threshold 4, margin 20, weighted no)"
    assert said in (tmp_path / "t.html").read_text()


def test_pages_tell_the_minute_and_records_do_not(cells):
    made = tacita.protect(frame(), quasi=["x"], k=3)
    trials = tacita.compare_methods(frame(), quasi=["x"], method=["mdav"], k=[3, 4])
    assert suppress(cells, "--problem", "exact", "--report", cells.parent / "page.html") == 0
    for page in (review_html(made), comparison_html(trials), (cells.parent / "page.html").read_text()):
        assert f"<dt>Date</dt><dd>{MINUTE}</dd>" in page
    for record in (review_json(made), (cells.parent / "result.json").read_text()):
        assert "2023-11-14" not in record


def test_without_an_epoch_the_minute_is_that_of_the_clock(monkeypatch):
    made = tacita.protect(frame(), quasi=["x"], k=3)
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    before = datetime.now(UTC)
    page = review_html(made)
    assert any(f"<dd>{when:%Y-%m-%d %H:%M} UTC</dd>" in page for when in (before, datetime.now(UTC)))


@pytest.mark.parametrize("epoch", ["yesterday", "1e9", "9" * 30])
def test_an_epoch_that_is_no_time_is_refused_and_nothing_is_written(monkeypatch, tmp_path, epoch):
    made = tacita.protect(frame(), quasi=["x"], k=3)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)
    with pytest.raises(tacita.ParameterError, match="SOURCE_DATE_EPOCH: wanted whole seconds"):
        tacita.save(made, tmp_path / "out.csv", report=tmp_path / "report.html")
    assert not list(tmp_path.iterdir())


def test_the_same_run_gives_the_same_record_whatever_the_time(monkeypatch, tmp_path):
    for name, epoch in (("one", "1000000000"), ("two", "1800000000")):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)
        made = tacita.protect(frame(), quasi=["x", "y"], k=3, shuffle=True, seed=SEED)
        tacita.save(made, tmp_path / f"{name}.csv", json_report=tmp_path / f"{name}.json")
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()
