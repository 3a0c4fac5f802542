"""The weight that an SPSS file sets: kept with its column, never made up, and no reason to fall."""

import contextlib
import io
import struct
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita
from effort import MANY
from tacita.core import DataError, Microdata
from tacita.core.data.column_metadata import ColumnNotes, Notes
from tacita.io.formats.spss import SPSS
from tacita.io.formats.spssdictionary import weight_of
from tacita.microdata import verify

N = 30


def survey(weight="weight_of_person", reasons=True):
    rng = np.random.default_rng(3)
    kinds = np.where(np.arange(N) % 5 == 0, np.arange(N) % 2, -1)
    table = pa.table(
        {
            # wider than one variable of SPSS, so that slots are not columns
            "remark": ["x" * (3 + 20 * i) for i in range(N)],
            "age": pa.array(rng.integers(20, 80, N).astype(float), mask=kinds >= 0),
            "wage": rng.lognormal(3, 1, N),
            "weight_of_person": rng.uniform(1, 4, N),
        }
    )
    coded = ColumnNotes(label="age", codes=(-8.0, -9.0), kinds=kinds, values={-9.0: "refused"})
    notes = {"age": coded if reasons else ColumnNotes(label="age")}
    notes |= {weight: replace(notes.get(weight, ColumnNotes()), weighs=True)} if weight else {}
    return Microdata.of(table, notes=Notes("spss", notes))


def weighing(data):
    return [name for name, each in data.notes.columns.items() if each.weighs]


@pytest.mark.parametrize("weight", ["weight_of_person", "wage", "age", None])
def test_the_weight_that_was_written_is_read(weight):
    content = SPSS().encode(survey(weight))
    assert weighing(SPSS().decode(content, "survey.sav")) == ([weight] if weight else [])
    assert weight_of(io.BytesIO(content)) == weight


def test_a_release_keeps_the_weight_of_its_source(tmp_path):
    (tmp_path / "in.sav").write_bytes(SPSS().encode(survey()))
    release = tacita.protect(tacita.read(tmp_path / "in.sav"), quasi=["wage"], weight="weight_of_person")
    tacita.save(release, tmp_path / "out.sav")
    assert weighing(tacita.read(tmp_path / "out.sav")) == ["weight_of_person"]


@pytest.mark.parametrize(
    "gone",
    [
        {"identifiers": ["weight_of_person"], "quasi": ["wage"]},
        {"method": "drop", "columns": ["weight_of_person"]},
    ],
)
def test_a_weight_that_leaves_is_no_longer_set(gone, tmp_path):
    (tmp_path / "in.sav").write_bytes(SPSS().encode(survey()))
    release = tacita.protect(tacita.read(tmp_path / "in.sav"), **gone)
    tacita.save(release, tmp_path / "out.sav")
    assert weighing(tacita.read(tmp_path / "out.sav")) == []


def test_a_weight_that_the_source_does_not_set_is_found(tmp_path):
    (tmp_path / "in.sav").write_bytes(SPSS().encode(survey(None, reasons=False)))
    release = tacita.protect(tacita.read(tmp_path / "in.sav"), quasi=["wage"], missing="stratum")
    tacita.save(release, tmp_path / "out.sav")
    content = bytearray((tmp_path / "out.sav").read_bytes())
    struct.pack_into("<i", content, 76, struct.unpack_from("<i", content, 68)[0])
    found = verify.verify_file(verify.WrittenFile(bytes(content), SPSS()), release.claim)
    assert {each.guarantee for each in found if not each.passed} == {"file-plain"}


@MANY
@given(st.lists(st.tuples(st.integers(0, 2500), st.integers(0, 255)), min_size=1, max_size=12))
def test_a_broken_file_is_refused_or_read_and_nothing_else(flips):
    content = bytearray(SPSS().encode(survey()))
    for place, value in flips:
        content[place] = value
    weight_of(io.BytesIO(bytes(content)))
    weight_of(io.BytesIO(bytes(content[: flips[0][0]])))
    with contextlib.suppress(DataError):
        SPSS().decode(bytes(content), "survey.sav")


@pytest.mark.parametrize("width", [b"\xff\xff\xff\0", b"\x57\xff\xff\xff", b"\0\0\0\0", b"\x08\0\0\0"])
def test_a_string_that_is_torn_is_refused_before_the_parser_sees_it(width):
    # by such a file ReadStat ended the process
    content = SPSS().encode(survey())
    # a slot that goes on with the string before it
    place = content.index(b"\2\0\0\0\xff\xff\xff\xff") + 4
    torn = content[:place] + width + content[place + 4 :]
    with pytest.raises(DataError, match="not a readable SPSS file"):
        SPSS().decode(torn, "survey.sav")


def test_a_file_of_the_other_byte_order_tells_its_weight():
    def variable(name, width):
        return struct.pack(">6i", 2, width, 0, 0, 0, 0) + name.encode().ljust(8)

    head = b"$FL2" + b" " * 60 + struct.pack(">5id", 2, 3, 0, 3, 0, 100.0) + b" " * 84
    names = b"V1=remark\tV2=Weight of all"
    rest = struct.pack(">4i", 7, 13, 1, len(names)) + names + struct.pack(">2i", 999, 0)
    body = variable("V1", 12) + variable("", -1) + variable("V2", 0) + rest
    assert len(head) == 176
    assert weight_of(io.BytesIO(head + body)) == "Weight of all"


def test_a_reviewer_is_told_how_many_cells_miss_a_value_for_a_stated_reason(tmp_path):
    (tmp_path / "in.sav").write_bytes(SPSS().encode(survey()))
    data = tacita.read(tmp_path / "in.sav")
    release = tacita.protect(data, quasi=["wage"])
    assert release.record.user_missing == {"age": 6}
    tacita.save(release, tmp_path / "out.sav", report=tmp_path / "r.html", note=tmp_path / "n.html")
    assert "Missing for a stated reason" in (tmp_path / "r.html").read_text()
    assert "stated reason" not in (tmp_path / "n.html").read_text()
    assert "refused" not in (tmp_path / "r.html").read_text()
    profile = tacita.risk_profile(data, keys=["age", "remark"])
    assert [(each.name, each.missing, each.user_missing) for each in profile.by_key] == [
        ("age", 0, 6),
        ("remark", 0, 0),
    ]


def test_a_file_without_reasons_tells_of_none():
    release = tacita.protect(pa.table({"x": [1.0, 2.0, 3.0, None]}), quasi="x", missing="drop")
    assert release.record.user_missing == {}
