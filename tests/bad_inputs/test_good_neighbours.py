"""The neighbours of bad inputs are good ones: odd but well-formed files pass and keep their spelling."""

import codecs
import csv
import io
import json
import os
import shlex

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tacita
from bad_inputs.shared import (
    COLUMNS,
    PROTECT,
    ROWS,
    as_parquet,
    everything_in,
    fill,
    plan,
    records,
    survey,
    text,
)
from tacita.cli import run_command
from tacita.io import write_all

QUASI = ("turnover", "wages")
COMMAS = [{**row, "turnover": row["turnover"].replace(".", ",")} for row in records()]
ODD = records(
    name={0: 'Casa "La Mancha", SL', 1: "two\nlines", 2: " spaces ", 3: "", 6: "naïve 🦉", 7: "=1+1"},
    region={0: "NA", 1: "NA", 2: "NA"},
    active={0: "NULL", 1: ".", 2: "01234", 3: "1e5", 4: "1.50", 5: "-0", 6: "007"},
)

# How a file is spelled, what must be said about it, and how its bytes are read by somebody else.
DIALECTS = {
    "plain": (text().encode(), "", ",", "utf-8"),
    "line-breaks-of-windows": (text(newline="\r\n").encode(), "", ",", "utf-8"),
    "byte-order-mark": (codecs.BOM_UTF8 + text().encode(), "", ",", "utf-8-sig"),
    "byte-order-mark-of-excel": (
        codecs.BOM_UTF8 + text(COMMAS, ";", "\r\n").encode(),
        "--decimal ,",
        ";",
        "utf-8-sig",
    ),
    "semicolons-and-decimal-commas": (text(COMMAS, ";").encode(), "--decimal ,", ";", "utf-8"),
    "commas-quoted-around-decimal-commas": (text(COMMAS, "|").encode(), "--decimal ,", "|", "utf-8"),
    "tabs": (text(delimiter="\t").encode(), "", "\t", "utf-8"),
    "another-delimiter": (text(delimiter=":").encode(), "--delimiter :", ":", "utf-8"),
    "latin-1": (text(records(name="Müller")).encode("latin-1"), "--encoding latin-1", ",", "latin-1"),
    "utf-16": (text(ODD).encode("utf-16"), "--encoding utf-16", ",", "utf-16"),
    "quotes-commas-lines-and-owls": (text(ODD).encode(), "", ",", "utf-8"),
    "no-last-line-break": (text().rstrip().encode(), "", ",", "utf-8"),
    "blank-lines": (text().replace("\n", "\n\n").encode(), "", ",", "utf-8"),
    "spaces-around-numbers": (text(records(wages={3: " 29 "})).encode(), "", ",", "utf-8"),
    "a-very-long-cell": (text(records(name={3: "x" * 300_000})).encode(), "", ",", "utf-8"),
}


def cells(content: bytes, delimiter: str, encoding: str) -> list[dict[str, str]]:
    """Rows as Python's own reader sees them."""
    sheet = io.StringIO(content.decode(encoding), newline="")
    csv.field_size_limit(2**20)
    return list(csv.DictReader(sheet, delimiter=delimiter))


@pytest.mark.parametrize("name", DIALECTS)
def test_a_well_formed_file_passes_and_keeps_its_spelling(name, tmp_path, monkeypatch, capsys):
    content, words, delimiter, encoding = DIALECTS[name]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "survey.csv").write_bytes(content)
    assert run_command(shlex.split(f"{PROTECT} --identifiers id {words}")) == 0, capsys.readouterr().err
    assert set(everything_in(tmp_path)) == {"survey.csv", "out.csv"}
    assert (tmp_path / "survey.csv").read_bytes() == content

    written = (tmp_path / "out.csv").read_bytes()
    before, after = cells(content, delimiter, encoding), cells(written, delimiter, encoding)
    assert list(after[0]) == [column for column in COLUMNS if column != "id"]
    for column in set(after[0]) - set(QUASI):
        assert [row[column] for row in after] == [row[column] for row in before]
    for column in QUASI:
        spelled = [row[column] for row in after]
        assert min(spelled.count(value) for value in spelled) >= 3
        assert not any("." in value for value in spelled) or "--decimal" not in words
    assert written.startswith(codecs.BOM_UTF8) == content.startswith(codecs.BOM_UTF8)
    assert (b"\r\n" in written) == (b"\r\n" in content)
    assert (b"\r\r" in written) is False


def test_columns_may_have_any_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = ["two\nlines", "comma, semicolon; bar|", 'quo"te', "🦉", "-k", "numeric", "Share, 2019"]
    sheet = io.StringIO()
    csv.writer(sheet, delimiter=";", lineterminator="\n").writerows(
        [names, *[[i * j + i for j in range(len(names))] for i in range(ROWS)]]
    )
    (tmp_path / "odd.csv").write_text(sheet.getvalue())
    wanted = io.StringIO()
    csv.writer(wanted, lineterminator="", quoting=csv.QUOTE_ALL).writerow(names)
    assert run_command(["protect", "odd.csv", "--out", "out.csv", "--quasi", wanted.getvalue()]) == 0
    assert list(cells((tmp_path / "out.csv").read_bytes(), ";", "utf-8")[0]) == names


@pytest.mark.parametrize(
    ("words", "spelled"), [("", "{}.5"), ("--decimal ,", "{},5"), ("--method hm --decimal ,", '"{},5"')]
)
def test_a_single_column_needs_no_delimiter(words, spelled, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.csv").write_text("x\n" + "".join(spelled.format(i) + "\n" for i in range(9)))
    assert run_command(shlex.split(f"protect one.csv --out out.csv --quasi x {words}")) == 0
    sign = "," if words else "."
    expected = [f"{mean}{sign}5" for mean in (1, 4, 7) for _ in range(3)]
    assert (tmp_path / "out.csv").read_text().splitlines() == ["x", *expected]


@pytest.mark.parametrize(
    ("words", "cells", "kept"),
    [
        ("--k 2 --insist", {}, ROWS),
        ("--k 12", {}, ROWS),
        ("--k 6 --strata region", {}, ROWS),
        ("--k 3 --strata region --unit firm", {}, ROWS),
        ("--missing drop", {"wages": {3: "NA", 4: "."}}, ROWS - 2),
        ("--missing stratum", {"wages": {3: "", 4: "", 5: ""}}, ROWS),
        ("--missing-values -9", {"name": {3: "NA"}}, ROWS),
        ("--missing drop --missing-values=-9,?", {"wages": {3: "-9", 4: "?"}}, ROWS - 2),
        ("--identifiers id,name", {"id": "001"}, ROWS),
        ("--unit firm --identifiers firm --k 6", {}, ROWS),
        ("--round-integers --shuffle --seed new", {}, ROWS),
    ],
)
def test_what_is_just_within_the_rules_passes(words, cells, kept, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    fill(tmp_path, survey(**cells))
    assert run_command(shlex.split(f"{PROTECT} --force {words}")) == 0, capsys.readouterr().err
    assert len((tmp_path / "out.csv").read_text().splitlines()) == kept + 1


def test_exactly_the_named_files_are_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    fill(tmp_path, plan())
    before = everything_in(tmp_path)
    words = f"{PROTECT} --report r.html --json r.json --note n.html --quiet --force"
    assert run_command(shlex.split(words)) == 0
    after = everything_in(tmp_path)
    assert set(after) - set(before) == {"r.html", "r.json", "n.html"}
    assert {name for name in before if after[name] != before[name]} == {"out.csv"}
    assert json.loads(after["r.json"] or b"")


def test_a_dry_run_writes_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    fill(tmp_path, {})
    before = everything_in(tmp_path)
    assert run_command(shlex.split(f"{PROTECT} --report r.html --dry-run")) == 0
    assert everything_in(tmp_path) == before


def test_a_plan_saved_with_a_byte_order_mark_is_read(tmp_path):
    fill(tmp_path, {"plan.toml": codecs.BOM_UTF8 + plan()["plan.toml"].encode()})
    assert run_command(["run", str(tmp_path / "plan.toml"), "--quiet", "--force"]) == 0


def test_text_and_parquet_are_written_from_each_other(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    typed = pa.table(
        {
            "turnover": [1.5 * i for i in range(ROWS)],
            "wages": range(ROWS),
            "born": pa.array(range(ROWS), pa.date32()),
            "active": [True, None] * 6,
            "name": ["01234", None, ""] * 4,
            "grade": pa.array(["a", None, "b"] * 4).dictionary_encode(),
            "price": pa.array(range(ROWS), pa.decimal128(9, 2)),
            "stamp": pa.array(range(ROWS), pa.timestamp("ms", "UTC")),
            "share": pa.array([float("nan"), 0.1, None] * 4),
        }
    )
    fill(tmp_path, {"survey.parquet": as_parquet(typed)})
    to = "protect {} --out {} --quasi turnover,wages --quiet --force"
    assert run_command(to.format("survey.parquet", "out.parquet").split()) == 0
    untouched = pq.read_table("out.parquet").drop(QUASI)
    assert untouched.schema.equals(typed.drop(QUASI).schema)
    assert repr(untouched.to_pylist()) == repr(typed.drop(QUASI).to_pylist())
    assert run_command(to.format("survey.parquet", "out.csv").split()) == 0
    row = cells((tmp_path / "out.csv").read_bytes(), ",", "utf-8")[1]
    assert [row["name"], row["active"], row["born"], row["price"]] == ["", "", "1970-01-02", "1.00"]
    assert run_command(to.format("survey.csv", "text.parquet").split()) == 0
    assert pq.read_table("text.parquet")["postcode"].to_pylist() == [row["postcode"] for row in records()]


def test_a_failure_half_way_through_renaming_puts_everything_back(tmp_path, monkeypatch):
    old, new, last = (tmp_path / name for name in ("old.csv", "new.html", "last.json"))
    old.write_bytes(b"an earlier release")
    old.chmod(0o640)
    before = everything_in(tmp_path)
    rename, asked = os.replace, []

    def fail_at_the_third(source, target):
        asked.append(target)
        if len(asked) == 3:
            raise OSError(28, "No space left on device")
        rename(source, target)

    monkeypatch.setattr("tacita.io.atomic.os.replace", fail_at_the_third)
    with pytest.raises(tacita.ParameterError, match=r"last\.json: cannot be written \(No space"):
        write_all({old: b"1", new: b"2", last: b"3"}, force=True)
    assert asked[:3] == [old, new, last]
    assert everything_in(tmp_path) == before
    assert old.stat().st_mode & 0o777 == 0o640
