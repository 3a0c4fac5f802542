"""Formats of other packages: one file and one entry point, and releases in them are verified like others."""

import importlib
import json
import re
import sys
from pathlib import Path

import pyarrow as pa
import pytest

import tacita
from tacita import io, registry
from tacita.cli import run_command
from tacita.core import Microdata, ParameterError, VerificationError
from tacita.io.formats.csv import CSV
from tacita.microdata import verify

RECIPE = (Path(__file__).parents[2] / "docs" / "extending" / "formats.md").read_text(encoding="utf-8")
JSON_LINES = re.search(r"```python json_lines.py\n(.*?)```", RECIPE, re.DOTALL)[1]
FIRMS = [{"name": f"Firm {i}", "x": float(i), "turnover": 7 * i % 11} for i in range(9)]
LINES = "".join(json.dumps(firm) + "\n" for firm in FIRMS)


@pytest.fixture
def plug_in(tmp_path, monkeypatch):
    """A package with a format, as pip would leave it; forgotten after."""
    place = tmp_path / "packages"
    (place / "office-1.dist-info").mkdir(parents=True)
    (place / "json_lines.py").write_text(JSON_LINES)
    points = "[tacita.format]\njsonl = json_lines:JSONLines\ncsv = json_lines:JSONLines\n"
    (place / "office-1.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: office\nVersion: 1")
    (place / "office-1.dist-info" / "entry_points.txt").write_text(points)
    monkeypatch.syspath_prepend(place)
    monkeypatch.chdir(tmp_path)
    importlib.invalidate_caches()
    registry.locations.cache_clear()
    Path("firms.jsonl").write_text(LINES)
    yield registry.lookup("jsonl", "format")
    sys.modules.pop("json_lines", None)
    registry.locations.cache_clear()


ROLES = ["--quasi", "x,turnover", "--k", "3"]
PROTECT = ["protect", "firms.jsonl", "--out", "out.jsonl", *ROLES, "--identifiers", "name"]


@pytest.mark.usefixtures("plug_in")
def test_a_file_is_protected_from_a_format_of_another_package_into_it(capsys):
    assert run_command([*PROTECT, "--json", "r.json"]) == 0, capsys.readouterr().err
    released = [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()]
    assert [list(record) for record in released] == [["x", "turnover"]] * 9
    assert min(released.count(record) for record in released) == 3
    again = tacita.read("out.jsonl")
    assert again.fingerprint == json.loads(Path("r.json").read_text())["record"]["release_fingerprint"]
    for between in ("out.csv", "out.parquet"):
        assert run_command(["protect", "out.jsonl", "--out", between, *ROLES]) == 0


@pytest.mark.usefixtures("plug_in")
def test_a_plan_names_it_like_any_other():
    assert run_command([*PROTECT, "--save-plan", "plan.toml"]) == 0
    before = Path("out.jsonl").read_bytes()
    assert run_command(["run", "plan.toml", "--force"]) == 0
    assert Path("out.jsonl").read_bytes() == before


def test_what_is_promised_of_its_bytes_is_said_with_its_own_words(plug_in):
    release = tacita.protect("firms.jsonl", quasi=["x", "turnover"], identifiers=["name"], k=3)
    data = Microdata.of(release.data)
    promises = {
        name: verify.verify_file(verify.WrittenFile(form.encode(data), form), release.claim)[-1].guarantee
        for name, form in (("jsonl", plug_in()), ("csv", CSV()), ("parquet", tacita.get_method("parquet")))
    }
    assert promises == {"jsonl": "file-written-again", "csv": "file-plain", "parquet": "file-plain"}


def said_more(content):
    return content.replace(b'"x"', b'"x" ', 1)


PLANTED = {
    "a blank that no cell is": said_more,
    "a name twice, of which the reader takes the last": lambda c: c.replace(b'{"x"', b'{"x": 4711, "x"', 1),
    "digits that the number does not need": lambda c: re.sub(rb"(\.\d+)", rb"\g<1>0", c, count=1),
    "letters as escapes": lambda c: c.replace(b'"x"', b'"\\u0078"', 1),
    "no end of the last line": lambda c: c[:-1],
    "not to be read": lambda c: c + b"Firm 1",
}


@pytest.mark.parametrize("how", PLANTED)
def test_bytes_that_its_format_would_not_write_are_refused(how, plug_in, monkeypatch, capsys):
    honest = plug_in.pack
    planted = []

    def pack(self, table):
        content = honest(self, table)
        # after the trial before the run, and only once: a format that does it always means to write that
        planted.append(content)
        return PLANTED[how](content) if len(planted) == 2 else content

    monkeypatch.setattr(plug_in, "pack", pack)
    assert run_command(PROTECT) == 1
    assert "file-written-again" in capsys.readouterr().err
    assert PLANTED[how](planted[1]) != planted[1]
    assert not Path("out.jsonl").exists()


def test_what_clings_to_a_table_but_is_no_cell_cannot_be_written_twice(plug_in, monkeypatch):
    """A format that smuggles the notes of a table out and in again still fails: its cells are made anew."""
    honest_pack, honest_unpack = plug_in.pack, plug_in.unpack

    def pack(self, table):
        note = (table.schema.metadata or {}).get(b"note", b"")
        return honest_pack(self, table) + note

    def unpack(self, content, source):
        body, _, note = content.partition(b"#")
        return honest_unpack(self, body, source).replace_schema_metadata({"note": b"#" + note})

    monkeypatch.setattr(plug_in, "pack", pack)
    monkeypatch.setattr(plug_in, "unpack", unpack)
    release = tacita.protect(pa.Table.from_pylist(FIRMS), quasi=["x", "turnover"], identifiers=["name"], k=3)
    content = plug_in().encode(Microdata.of(release.data)) + b"#Firm 1"
    failed = [
        each
        for each in verify.verify_file(verify.WrittenFile(content, plug_in()), release.claim)
        if not each.passed
    ]
    assert "file-written-again" in {each.guarantee for each in failed}


def test_a_format_that_changes_cells_is_caught_by_what_it_breaks(plug_in, monkeypatch):
    honest = plug_in.unpack
    monkeypatch.setattr(plug_in, "unpack", lambda *given: honest(*given).slice(1))
    with pytest.raises(VerificationError, match="rows-complete"):
        tacita.save(tacita.protect(pa.Table.from_pylist(FIRMS), quasi="x"), "out.jsonl")
    assert not Path("out.jsonl").exists()


def test_it_takes_neither_a_name_nor_an_ending_away(plug_in, monkeypatch):
    monkeypatch.setattr(plug_in, "endings", (".jsonl", ".csv"))
    assert registry.lookup("csv", "format") is io.format_of(Path("x.csv")) is CSV


@pytest.mark.usefixtures("plug_in")
def test_endings_that_nobody_knows_are_answered_with_those_of_all(tmp_path):
    with pytest.raises(ParameterError, match=r"ending in \.csv, .*\.pq, .*\.sav, .*\.jsonl, got \.por"):
        io.format_of(tmp_path / "x.por")


@pytest.mark.usefixtures("plug_in")
def test_it_is_listed_with_its_endings(capsys):
    assert run_command(["methods"]) == 0
    listed = " ".join(capsys.readouterr().out.split())
    assert "format jsonl One JSON object a line, all with the same names. Endings: .jsonl." in listed
    assert "format csv Delimited text with a header line. Endings: .csv, .txt, .tsv." in listed
    assert run_command(["methods", "jsonl", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["endings"] == [".jsonl"]


def test_options_of_reading_reach_the_formats_that_have_them(plug_in, monkeypatch):
    class Encoded(plug_in):
        encoding: str = "utf-8"

        def unpack(self, content, source):
            return super().unpack(content.decode(self.encoding).encode(), source)

    monkeypatch.setattr(sys.modules["json_lines"], "JSONLines", Encoded)
    Path("german.jsonl").write_bytes('{"x": 1, "ort": "Köln"}\n'.encode("latin-1"))
    assert tacita.read("german.jsonl", encoding="latin-1").column("ort").to_list() == ["Köln"]
    assert tacita.read("firms.jsonl", decimal=",").n == 9
    with pytest.raises(ParameterError, match="Input: there is no parameter page"):
        tacita.read("firms.jsonl", page=1)
