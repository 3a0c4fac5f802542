"""Pseudonyms in place of identifiers: the same for the same key and value in every format, without a leak."""

from __future__ import annotations

import json
import os
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tacita
from planting import failed
from tacita.cli import run_command
from tacita.core import DataError, Microdata, ParameterError
from tacita.io.secret import read_key
from tacita.microdata import verify
from tacita.microdata.protection.pseudonyms import collision_bound, pseudonym

NAMES = ["Aune", "Berta", None, "aune ", "Cid", "Dora", "Eli", "Berta"]
X = [1.0, 2.0, 3.0, 4.0, 10.0, 11.0, 12.0, 13.0]


@pytest.fixture(scope="module")
def key(tmp_path_factory):
    return tacita.new_pseudonym_key(tmp_path_factory.mktemp("key") / "office.key")


def table(ids=NAMES, **more):
    return pa.table({"id": ids, "x": X, **more})


def protected(frame, key, **options):
    given = {"quasi": ["x"], "pseudonyms": ["id"], "k": 4, "measures": ["IL1"], **options}
    return tacita.protect(frame, pseudonym_key=key, **given)


def words(release):
    return Microdata.of(release.data).frame["id"].to_list()


def test_equal_identifiers_share_a_pseudonym_and_others_do_not(key):
    release = protected(table(), key)
    shown = words(release)
    assert shown[0] == shown[3]
    assert shown[1] == shown[7]
    assert shown[2] is None
    assert len({*shown}) == 6
    assert not {*shown} & {*NAMES} - {None}
    assert release.record.verdicts[4].guarantee == "identifiers-replaced"
    counts = {each.name: each.count for each in release.record.warnings}
    assert counts["pseudonyms-released"] == 7
    assert counts["pseudonyms-merged"] == 1
    # nobody knows a pseudonym: it makes no record unique
    assert "nearly-unique-column" not in counts
    assert "unique-combinations" not in counts


def test_a_key_and_a_value_give_one_pseudonym_in_every_file_and_type(key, tmp_path):
    ids = [7, 12, 300, 4, 5, 6, 77, 8]
    missing = pd.DataFrame({"id": [7.0, 12.0, np.nan, 4.0, 5.0, 6.0, 77.0, 8.0], "x": X})
    text = [f"{each:04d}" for each in ids]
    pq.write_table(table(ids), tmp_path / "ids.parquet")
    (tmp_path / "ids.csv").write_text(
        "id;x\n" + "".join(f"{a};{b}\n" for a, b in zip(ids, X, strict=True)), encoding="utf-8"
    )
    found = [
        words(protected(each, key))
        for each in (
            table(ids),
            table(pa.array(ids, pa.uint16())),
            table(text),
            pd.DataFrame({"id": pd.Categorical(text), "x": X}),
            pl.DataFrame({"id": text, "x": X}, schema_overrides={"id": pl.Categorical}),
            tacita.read(tmp_path / "ids.parquet"),
            tacita.read(tmp_path / "ids.csv", delimiter=";"),
        )
    ]
    assert all(each == found[0] for each in found)
    gaps = words(protected(missing, key))
    assert [gaps[at] == found[0][at] for at in range(8)] == [at != 2 for at in range(8)]
    assert pd.isna(gaps[2])
    expected = pseudonym(read_key(key), 7, 20)
    assert found[0][0] == expected
    assert len(expected) == 21
    assert expected[0] == "p"
    other = tacita.new_pseudonym_key(tmp_path / "other.key")
    assert not {*words(protected(table(ids), other))} & {*found[0]}


@pytest.mark.parametrize("ending", ["csv", "parquet", "xlsx", "dta", "sav"])
def test_a_file_has_the_pseudonyms_and_no_identifier(ending, key, tmp_path):
    out = tmp_path / f"out.{ending}"
    release = protected(table(), key, shuffle=True)
    tacita.save(
        release, out, report=tmp_path / "r.html", json_report=tmp_path / "r.json", note=tmp_path / "n.html"
    )
    read = tacita.read(out)
    shown = [
        None if gap else word
        for word, gap in zip(read.frame["id"].to_list(), read.missing("id"), strict=True)
    ]
    assert shown == words(release)
    secret = read_key(key)
    for file in tmp_path.iterdir():
        content = file.read_bytes()
        for hidden in (b"Berta", b"office.key", secret, secret.hex().encode()):
            assert hidden not in content, file.name
    assert "pseudonyms in place of identifiers" in (tmp_path / "n.html").read_text(encoding="utf-8")
    options = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))["record"]["options"]
    assert options["pseudonym_length"] == 20
    assert "pseudonym_key" not in options


def test_steps_and_a_unit_of_pseudonyms(key):
    homes = ["h1", "h1", "h2", "h2", "h3", "h3", "h4", "h4"]
    frame = table(homes, sex=["m", "f", "m", "f", "m", "f", "m", "f"])
    release = tacita.protect(
        frame,
        unit="id",
        pseudonyms=["id"],
        pseudonym_key=key,
        steps=[
            {"method": "recode", "quasi": ["sex"], "map": {"m": "any", "f": "any"}},
            {"method": "mdav", "quasi": ["x"], "k": 3},
        ],
        measures=["IL1"],
    )
    shown = words(release)
    assert shown[::2] == shown[1::2]
    assert len({*shown}) == 4
    assert {"identifiers-replaced", "k-units"} <= {each.guarantee for each in release.record.verdicts}
    (told,) = [each for each in release.record.warnings if each.name == "unit-released"]
    assert "as pseudonyms" in told.text


def _changed(at, word):
    def change(cells):
        new = word(cells) if callable(word) else word
        return [new if place == at else cell for place, cell in enumerate(cells)]

    return change


PLANTED = {
    "an identifier is left": _changed(0, "Aune"),
    "an identifier in other letters": _changed(4, "CID"),
    "two identifiers share a pseudonym": _changed(0, lambda cells: cells[1]),
    "an identifier has two pseudonyms": _changed(0, lambda cells: cells[0][:-1] + "zy"[cells[0][-1] == "z"]),
    "a missing one is filled": _changed(2, lambda cells: cells[0][:-1] + "zy"[cells[0][-1] == "z"]),
    "one is missing": _changed(1, None),
    "one is shorter": _changed(4, lambda cells: cells[4][:-3]),
    "capital letters": _changed(4, lambda cells: cells[4].upper()),
    "all as they were": lambda _: NAMES,
}


@pytest.mark.parametrize("case", PLANTED)
def test_the_verifier_finds_a_planted_fault(case, key):
    release = protected(table(), key)
    bad = release.data.set_column(0, "id", pa.array(PLANTED[case](words(release)), pa.string()))
    assert failed(verify.verify(Microdata.of(bad), release.claim)) & {
        "identifiers-replaced",
        "others-identical",
    }
    # it compares with the identifiers themselves, whatever the file is said to have had
    original = release.claim.original
    frame = original.frame.with_columns(Microdata.of(bad).frame["id"])
    alike = Microdata(frame, roles=original.roles, source=original.source)
    found = verify.verify(Microdata.of(bad), replace(release.claim, original=alike))
    assert "identifiers-replaced" in failed(found)


def test_a_claim_that_forgets_its_identifiers_is_refuted(key):
    release = protected(table(), key)
    claim = replace(release.claim, identified=None)
    assert "identifiers-replaced" in failed(verify.verify(Microdata.of(release.data), claim))


def test_a_copy_of_the_identifier_in_another_column_is_found(key):
    copied = [None if name is None else name.upper() for name in NAMES]
    with pytest.raises(tacita.VerificationError, match="column alias shows the identifier"):
        protected(table(alias=copied), key)
    assert protected(table(alias=copied), key, identifiers=["alias"]).data.column_names == ["id", "x"]


def test_pseudonyms_that_are_identifiers_already_are_replaced(key):
    first = words(protected(table(), key))
    assert not {*words(protected(table(first), key))} & {*first} - {None}


@pytest.mark.skipif(os.name != "posix", reason="permissions as POSIX has them")
def test_a_key_is_for_its_owner_alone(tmp_path):
    place = tacita.new_pseudonym_key(tmp_path / "a.key")
    assert place.stat().st_mode & 0o777 == 0o600
    place.chmod(0o640)
    with pytest.raises(ParameterError, match="others than its owner") as refused:
        protected(table(), place)
    assert place.read_text().strip() not in str(refused.value)


def test_keys_differ_and_are_never_written_over(tmp_path):
    one, other = (tacita.new_pseudonym_key(tmp_path / name) for name in ("a.key", "b.key"))
    assert read_key(one) != read_key(other)
    assert len(read_key(one)) == 32
    with pytest.raises(ParameterError, match="this file exists already"):
        tacita.new_pseudonym_key(one)


@pytest.mark.parametrize("content", ["", "secret", "00" * 31, "00" * 33, "zz" * 32, "00" * 32 + "\n\nmore"])
def test_what_is_no_key_is_refused_and_not_shown(content, tmp_path):
    place = tmp_path / "bad.key"
    place.touch(mode=0o600)
    place.write_text(content)
    with pytest.raises(ParameterError, match="hexadecimal digits") as refused:
        read_key(place)
    assert not content or content.strip() not in str(refused.value)


def test_half_of_what_pseudonyms_need_is_refused(key, tmp_path):
    with pytest.raises(ParameterError, match="wanted the file of a key"):
        tacita.protect(table(), quasi=["x"], pseudonyms=["id"], k=4)
    with pytest.raises(ParameterError, match="no column to replace"):
        tacita.protect(table(), quasi=["x"], pseudonym_key=key, k=4)
    with pytest.raises(ParameterError, match="named twice"):
        protected(table(), key, identifiers=["id"])
    with pytest.raises(ParameterError, match="cannot be read"):
        protected(table(), tmp_path / "none.key")


@pytest.mark.parametrize(
    "ids",
    [
        pa.array([1.5] * 8),
        pa.array([2.0**60] * 8),
        pa.array([True] * 8),
        pa.array([[1]] * 8),
        pa.array([None] * 8, pa.string()),
    ],
    ids=["decimals", "beyond 2^53", "truth values", "lists", "none at all"],
)
def test_columns_that_name_nobody_are_refused(ids, key):
    with pytest.raises(DataError, match="column id"):
        protected(table(ids), key)


def test_collisions_are_bounded():
    assert collision_bound(1, 12) == 0.0
    # as many as people live on earth
    assert collision_bound(8_000_000_000, 20) < 1e-10
    drawn = [pseudonym(bytes(32), each, 12)[:5] for each in range(2000)]
    # of words cut to 4 letters, 20 bits, about as many pairs collide as the bound says
    assert 0 < len(drawn) - len({*drawn}) < 5 * collision_bound(2000, 4)


def test_too_many_identifiers_for_so_short_words(key, monkeypatch):
    monkeypatch.setattr("tacita.microdata.protection.pseudonyms._MOST_CHANCE", 1e-18)
    with pytest.raises(DataError, match="pseudonym_length"):
        protected(table(), key, pseudonym_length=12)


def test_plan_command_and_script_name_the_file_of_the_key(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    tacita.api.write_frame(table(), "in.csv")
    assert run_command(["pseudonym-key", "a.key"]) == 0
    asked = ["--quasi", "x", "--pseudonyms", "id", "--pseudonym-key", "a.key", "--k", "4"]
    saved = ["--measures", "IL1", "--save-plan", "plan.toml"]
    assert run_command(["protect", "in.csv", "--out", "out.csv", *asked, *saved]) == 0
    capsys.readouterr()
    plan = (tmp_path / "plan.toml").read_text(encoding="utf-8")
    assert 'pseudonym_key = "a.key"' in plan
    assert 'pseudonyms = [\n    "id",\n]' in plan
    assert read_key(tmp_path / "a.key").hex() not in plan
    read = tacita.Plan.load(tmp_path / "plan.toml")
    assert "pseudonym_key='" in read.to_python()
    first = (tmp_path / "out.csv").read_bytes()
    assert run_command(["run", "plan.toml", "--force"]) == 0
    assert (tmp_path / "out.csv").read_bytes() == first
    # the key is read, so nothing is ever written over it
    assert run_command(["protect", "in.csv", "--out", "a.key", "--force", *asked]) != 0
    assert len(read_key(tmp_path / "a.key")) == 32


def test_a_file_in_parts_is_refused(key, tmp_path):
    pq.write_table(
        pa.table({"id": [f"n{i}" for i in range(3000)], "x": np.arange(3000.0)}), tmp_path / "in.parquet"
    )
    with pytest.raises(ParameterError, match="over the whole file"):
        tacita.protect_file(
            tmp_path / "in.parquet",
            tmp_path / "out.parquet",
            executor={"name": "serial", "part": 1000},
            quasi=["x"],
            k=3,
            pseudonyms=["id"],
            pseudonym_key=key,
        )


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes on this system")
def test_nobody_waits_for_a_pipe_in_place_of_a_key(tmp_path):
    os.mkfifo(tmp_path / "pipe", 0o600)
    for path in (tmp_path / "pipe", tmp_path):
        with pytest.raises(ParameterError, match="wanted a file with a pseudonym key, got a folder, pipe"):
            read_key(path)
