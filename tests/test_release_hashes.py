"""The releases a restructuring is held against cover every method and format; none is made here."""

import json
import re
import tomllib
from collections import Counter
from pathlib import Path

import pytest
from benchmarks import release_hashes
from benchmarks.releases.records import records
from benchmarks.releases.sources import PLANS
from benchmarks.releases.tables import adjusted, suppressed, tables

from tacita.core.spec import registry

RECORDS = ("csv", "parquet", "stata", "spss", "xport", "excel")
LISTS = ("tab", "jj")
PUBLISHED = ("published-csv", "published-excel", "published-html")
# data sets of SAS are read alone, and nothing here writes one
READ_ALONE = ("sas",)


def named_by(cases):
    """The methods and rules that the words of some cases name, those of their plans too."""
    found = set()
    for case in cases:
        plan = case.words.split()[1]
        values = tomllib.loads(PLANS[plan]) if plan in PLANS else {}
        sections = [values.get(name, {}) for name in ("protect", "suppress", "adjust")]
        found |= {each.get("method") for each in (*sections, *values.get("steps", ()))}
        found |= {rule["name"] for rule in values.get("rules", ())}
        for words in re.findall(r"--(?:method|then|inside) (\S+)", case.words):
            found |= set(words.split("+"))
        for words in re.findall(r"--rule (\S+)", case.words):
            found |= {rule.partition(":")[0] for rule in words.split(",")}
    return found


def written_by(cases):
    return {Path(name).suffix for case in cases for name in case.files}


def test_there_are_enough_releases_of_each_kind():
    assert len(list(records())) >= 60
    assert len([*suppressed(), *adjusted()]) >= 40


def test_every_method_and_rule_of_the_registry_makes_a_release():
    of_records = set(registry.names(*registry.PROTECTING))
    assert not of_records - named_by(records())
    of_tables = set(registry.names(*registry.SUPPRESSING, *registry.ADJUSTING, "rule"))
    assert not of_tables - named_by(tables())


def test_every_format_of_the_registry_is_written():
    assert set(registry.names("format")) == {*RECORDS, *LISTS, *PUBLISHED, *READ_ALONE}
    for names, cases in ((RECORDS, records()), (LISTS, tables()), (PUBLISHED, [*suppressed(), *adjusted()])):
        endings = written_by(cases)
        for name in names:
            assert endings & set(registry.lookup(name, "format").endings), name


def test_every_file_has_a_name_of_its_own_and_every_draw_a_seed():
    cases = release_hashes.cases()
    names = Counter(name for case in cases for name in case.files)
    assert names.most_common(1)[0][1] == 1
    assert {case.words.split()[1] for case in cases if case.words.startswith("run ")} == set(PLANS)
    for case in records():
        assert "--seed" in case.words or "seed" in PLANS[case.words.split()[1]], case.out


@pytest.fixture
def two_releases(monkeypatch):
    """Hashes of two files, as if they were made."""
    made = {"a.csv": "1" * 64, "b.csv": "2" * 64}
    monkeypatch.setattr(release_hashes, "hashes", lambda *_: ((*each, "") for each in made.items()))
    return made


def test_what_is_as_before_is_counted_and_what_differs_is_named(two_releases, tmp_path, capsys):
    kept = tmp_path / "before.json"
    assert release_hashes.main(["--write", str(kept)]) == 0
    assert json.loads(kept.read_text()) == two_releases
    assert release_hashes.main(["--against", str(kept)]) == 0
    assert capsys.readouterr().out.endswith("2 of 2 equal\n")
    two_releases["a.csv"] = "3" * 64
    two_releases["c.csv"] = two_releases.pop("b.csv")
    assert release_hashes.main(["--against", str(kept)]) == 1
    said = capsys.readouterr().out
    assert said.endswith("0 of 2 equal\n")
    for line in ("a.csv: bytes differ", "b.csv: missing", "c.csv: not among those before"):
        assert f"\n{line}\n" in said


def test_a_release_that_is_refused_is_an_error(monkeypatch, capsys):
    monkeypatch.setattr(release_hashes, "hashes", lambda *_: iter([("a.csv", None, "exit code 1: why")]))
    assert release_hashes.main([]) == 1
    assert "a.csv" in capsys.readouterr().out
