"""Files of packages that say more than their cells: each is planted, and found by the verifier."""

import io
import re
import struct
import zipfile
from dataclasses import replace

import numpy as np
import openpyxl
import pyarrow as pa
import pytest
from openpyxl.comments import Comment

import tacita
from io_files import survey_dta, survey_sav, survey_xlsx, survey_xpt
from tacita.core import Microdata
from tacita.core.data.column_metadata import ColumnNotes, Notes
from tacita.io.formats.excel import Excel
from tacita.io.formats.spss import SPSS
from tacita.io.formats.stata import Stata
from tacita.io.formats.xport import Xport
from tacita.microdata import verify
from tacita.microdata.release.column_metadata import notes_of

FORMS = {"dta": (Stata, survey_dta), "sav": (SPSS, survey_sav), "xpt": (Xport, survey_xpt)}


def made(form, source):
    """A release, its honest bytes, and its frame with the notes that it may have."""
    release = tacita.protect(form().decode(source(), "in"), quasi=["income"], identifiers=["pid"], k=3)
    data = Microdata.of(release.data, notes=notes_of(release.claim, release.data))
    return release, form().encode(data), data


def found(content, form, release):
    return {
        each.guarantee: each.detail
        for each in verify.verify_file(verify.WrittenFile(content, form), release.claim)
        if not each.passed
    }


def noted(data, name, **changes):
    """The same records, of one column something else said."""
    columns = {**data.notes.columns, name: replace(data.notes.of(name), **changes)}
    return replace(data, notes=Notes(data.notes.system, columns))


@pytest.mark.parametrize("ending", FORMS)
def test_an_honest_file_is_found_plain(ending):
    form, source = FORMS[ending]
    release, content, _ = made(form, source)
    assert found(content, form(), release) == {}
    assert (
        verify.verify_file(verify.WrittenFile(content, form()), release.claim)[-1].guarantee == "file-plain"
    )


REASONS = {"dta": ("a", "b"), "sav": (-9.0, -8.0), "xpt": ("A", "B")}
WITH_LABELS = ("dta", "sav")

DISPLAYS = {"dta": "%9.3f", "sav": "F5.1", "xpt": "COMMA7.2"}
ABSENT = {"dta": "d", "sav": -5.0}


def values(extra):
    return lambda own, _: {"values": {**own.values, **extra}}


def said_anew(**changes):
    return lambda *_: changes


# which formats, which column, what is said of it, and how that is found
SAID = {
    "the label of a code that nobody has": (
        WITH_LABELS,
        "sex",
        values({3.0: "SECRET"}),
        "label codes that no record",
    ),
    "another label of a code": (WITH_LABELS, "sex", values({1.0: "SECRET"}), "label codes otherwise"),
    "labels of two codes exchanged": (
        WITH_LABELS,
        "sex",
        values({1.0: "woman", 2.0: "man"}),
        "label codes otherwise",
    ),
    "a label where the source has none": (
        tuple(FORMS),
        "income",
        said_anew(label="SECRET"),
        "have a label that the source",
    ),
    "another label of a column": (
        tuple(FORMS),
        "sex",
        said_anew(label="SECRET"),
        "have a label that the source",
    ),
    "a format of another column": (
        tuple(FORMS),
        "sex",
        lambda _, ending: {"display": DISPLAYS[ending]},
        "have a format that the source",
    ),
    "a level of measurement": (("sav",), "region", said_anew(measure="ordinal"), "level of measurement"),
    "a reason where there was none": (
        tuple(FORMS),
        "hours",
        lambda own, _: {"kinds": np.where(np.arange(30) == 6, 0, own.kinds)},
        "other reasons",
    ),
    "reasons exchanged": (
        tuple(FORMS),
        "hours",
        lambda own, _: {"kinds": np.where(own.kinds >= 0, 1 - own.kinds, -1), "values": {}},
        "other reasons",
    ),
    "a label of a reason that nobody has": (
        WITH_LABELS,
        "hours",
        lambda own, ending: {"values": {**own.values, ABSENT[ending]: "SECRET"}},
        {"dta": "not what its format writes", "sav": "label codes that no record"},
    ),
}


@pytest.mark.parametrize(
    ("what", "ending"), [(what, each) for what, (ends, *_) in SAID.items() for each in ends]
)
def test_what_cells_do_not_bear_out_is_found(what, ending):
    form, source = FORMS[ending]
    release, honest, data = made(form, source)
    _, name, change, words = SAID[what]
    planted = form().encode(noted(data, name, **change(data.notes.of(name), ending)))
    assert planted != honest
    words = words if isinstance(words, str) else words[ending]
    assert words in found(planted, form(), release)["file-plain"]
    assert "SECRET" not in found(planted, form(), release)["file-plain"]


@pytest.mark.parametrize("ending", FORMS)
def test_reasons_in_a_column_of_a_promise_are_found(ending):
    form, source = FORMS[ending]
    original = form().decode(source(), "in")
    release = tacita.protect(original, quasi=["income"], strata=["few"], identifiers=["pid"], k=3)
    data = Microdata.of(release.data, notes=notes_of(release.claim, release.data))
    own = original.notes.of("few")
    planted = form().encode(noted(data, "few", codes=own.codes, kinds=own.kinds))
    assert "promises count as one" in found(planted, form(), release)["file-plain"]


def fixed(content, before, after):
    """Letters in place of as many others."""
    assert content.count(before) >= 1
    assert len(before) == len(after)
    return content.replace(before, after, 1)


def spss_extension(content, kind, size, told):
    """Another record before the end of the dictionary."""
    end = struct.pack("<2i", 999, 0)
    record = struct.pack("<4i", 7, kind, size, len(told) // size) + told
    return content.replace(end, record + end, 1)


def spss_document(content, line):
    end = struct.pack("<2i", 999, 0)
    return content.replace(end, struct.pack("<2i", 6, 1) + line.ljust(80) + end, 1)


def spss_missing(content):
    """A variable record that declares one missing code more, which no record has."""
    at = content.index(struct.pack("<2i", 2, 0))
    record = bytearray(content)
    struct.pack_into("<i", record, at + 12, 1)
    tail = at + 32 + (4 + 4 if struct.unpack_from("<i", record, at + 8)[0] else 0)
    return bytes(record[:tail]) + struct.pack("<d", 4711.0) + bytes(record[tail:])


def stata_section(content, name, told):
    return re.sub(rb"<%s></%s>" % (name, name), b"<%s>%s</%s>" % (name, told, name), content, count=1)


NOTE = (
    b"<ch>" + struct.pack("<i", 264) + b"_dta".ljust(129, b"\0") + b"note1".ljust(129, b"\0") + b"SECRET</ch>"
)


def stata_padding(content):
    """What stands behind the end of a name."""
    at = content.index(b"<varnames>") + len(b"<varnames>") + 20
    return content[:at] + b"SECRET" + content[at + 6 :]


def stata_labels(content):
    """A set of labels that no column uses."""
    text = b"SECRET\0"
    table = struct.pack("<4i", 1, len(text), 0, 1) + text
    lone = b"<lbl>" + struct.pack("<i", len(table)) + b"gone".ljust(132, b"\0") + table + b"</lbl>"
    return content.replace(b"</value_labels>", lone + b"</value_labels>")


BYTES = {
    "sav": {
        "a label of the file": lambda c: c[:109] + b"SECRET" + c[115:],
        "the clock": lambda c: fixed(c, b"01 Jan 70", b"16 Nov 26"),
        "the time": lambda c: fixed(c, b"00:00:00", b"12:34:56"),
        "the program that made it": lambda c: fixed(c, b"tacita", b"SECRET"),
        "a document": lambda c: spss_document(c, b"SECRET"),
        "attributes of the file": lambda c: spss_extension(c, 17, 1, b"made('SECRET'\n)"),
        "attributes of a column": lambda c: spss_extension(c, 18, 1, b"sex:note('SECRET'\n)"),
        "a set of answers": lambda c: spss_extension(c, 7, 1, b"$set=C 6 SECRET sex region\n"),
        "a record that nobody knows": lambda c: spss_extension(c, 99, 1, b"SECRET"),
        "a missing code that nobody has": spss_missing,
        "bytes at the end": lambda c: c + b"SECRET",
    },
    "dta": {
        "a label of the file": lambda c: c.replace(b"<label>\0\0</label>", b"<label>\6\0SECRET</label>"),
        "the clock": lambda c: c.replace(b"<timestamp>\0", b"<timestamp>\x1116 Nov 2026 12:34"),
        "characteristics": lambda c: stata_section(c, b"characteristics", NOTE),
        "a text that no cell has": lambda c: stata_section(
            c, b"strls", b"GSO" + struct.pack("<IQBI", 1, 1, 130, 7) + b"SECRET\0"
        ),
        "letters behind a name": stata_padding,
        "labels that no column uses": stata_labels,
        "bytes at the end": lambda c: c + b"SECRET",
    },
    "xpt": {
        "a label of the file": lambda c: c[:512] + b"SECRET" + c[518:],
        "the name of the data set": lambda c: fixed(c, b"DATASET ", b"SECRETS "),
        "the clock": lambda c: fixed(c, b"01JAN60:00:00:00", b"16NOV26:12:34:56"),
        "the system that made it": lambda c: c[:112] + b"SECRET" + c[118:],
        "letters behind a description": lambda c: c[: 640 + 92] + b"SECRET" + c[640 + 98 :],
        "a format of reading": lambda c: c[: 640 + 72] + b"SECRET" + c[640 + 78 :],
        "a line at the end": lambda c: c + b"SECRET".ljust(80),
    },
}


@pytest.mark.parametrize(
    ("ending", "what"), [(ending, what) for ending, each in BYTES.items() for what in each]
)
def test_bytes_that_neither_cells_nor_notes_account_for_are_found(ending, what):
    form, source = FORMS[ending]
    release, honest, _ = made(form, source)
    planted = BYTES[ending][what](honest)
    assert planted != honest
    said = found(planted, form(), release)
    assert said
    assert "SECRET" not in str(said)


def repacked(content, change):
    """A workbook in which parts are changed, added or written anew."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as package:
        parts = {entry.filename: package.read(entry) for entry in package.infolist()}
    with zipfile.ZipFile(out, "w") as package:
        for name, part in change(parts).items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.create_system = 0
            package.writestr(entry, part)
    return out.getvalue()


def by_openpyxl(change):
    """The workbook as a library writes it, changed."""

    def planted(content):
        book, out = openpyxl.load_workbook(io.BytesIO(content)), io.BytesIO()
        change(book)
        book.save(out)
        return out.getvalue()

    return planted


def hide_a_sheet(book):
    book.create_sheet("gone").append(["SECRET"])
    book["gone"].sheet_state = "hidden"


def comment(book):
    book.active["A1"].comment = Comment("SECRET", "SECRET")


def in_sheet(before, after):
    return lambda content: repacked(
        content,
        lambda parts: {
            name: part.replace(before, after, 1) if "sheet1" in name else part for name, part in parts.items()
        },
    )


DEFINED = b'</sheets><definedNames><definedName name="SECRET">1</definedName></definedNames>'
WORKBOOKS = {
    "written by a library, with its properties": by_openpyxl(lambda _: None),
    "a hidden sheet": by_openpyxl(hide_a_sheet),
    "a comment": by_openpyxl(comment),
    "an author": by_openpyxl(lambda book: setattr(book.properties, "creator", "SECRET")),
    "a part that no other names": lambda c: repacked(c, lambda parts: {**parts, "docProps/core.xml": b"x"}),
    "texts out of use": lambda c: repacked(c, lambda parts: {**parts, "xl/sharedStrings.xml": b"x"}),
    "a defined name": lambda c: repacked(
        c, lambda parts: {name: part.replace(b"</sheets>", DEFINED) for name, part in parts.items()}
    ),
    "a hidden column": in_sheet(b"<sheetData>", b'<cols><col min="2" max="2" hidden="1"/></cols><sheetData>'),
    "a comment of XML": in_sheet(b"<sheetData>", b"<!-- SECRET --><sheetData>"),
    "a cell in an empty line": in_sheet(b"</sheetData>", b'<row r="999"/></sheetData>'),
    "digits that a number does not need": in_sheet(b"<v>1</v>", b"<v>1.0</v>"),
    "a note of the package": lambda c: c[:-2] + b"\6\0SECRET",
    "bytes before the package": lambda c: b"SECRET" + c,
    "another clock": lambda c: c.replace(b"\0\0\x21\0", b"\1\0\x21\0", 1),
}


@pytest.mark.parametrize("what", WORKBOOKS)
def test_a_workbook_that_is_more_than_its_cells_is_found(what):
    release, honest, _ = made(Excel, survey_xlsx)
    assert found(honest, Excel(), release) == {}
    planted = WORKBOOKS[what](honest)
    assert planted != honest
    said = found(planted, Excel(), release)
    assert "file-plain" in said
    assert "SECRET" not in str(said)


@pytest.mark.parametrize("ending", FORMS)
def test_cells_of_another_value_or_type_are_found(ending):
    """Files know fewer types than frames: what is not the same value is found all the same."""
    form, source = FORMS[ending]
    release, _, data = made(form, source)
    table = release.data
    job = table["job"].to_pylist()
    for name, cells in (
        ("sex", pa.array([*table["sex"].to_pylist()[:-1], 1.5])),
        ("sex", pa.array([str(cell) for cell in table["sex"].to_pylist()])),
        ("income", pa.array([*table["income"].to_pylist()[:-1], 0.25])),
        ("job", pa.array([*job[:-1], None])),
        ("job", pa.array([*job[:-1], job[-1] + "."])),
        ("few", pa.array([1.0, *table["few"].to_pylist()[1:-1], 2.0])),
    ):
        changed = table.set_column(table.column_names.index(name), name, cells)
        notes = Notes(data.notes.system, {each: ColumnNotes() for each in table.column_names})
        said = found(form().encode(Microdata.of(changed, notes=notes)), form(), release)
        assert set(said) & {"others-identical", "group-means"}, name


def test_a_transport_file_that_another_reader_reads_otherwise_is_found(monkeypatch):
    from tacita.microdata.verify import file_metadata

    release, content, _ = made(Xport, survey_xpt)
    honest = file_metadata.read_by_library

    def other(*given):
        return {**honest(*given), "income": [0.0] * 30}

    monkeypatch.setattr(file_metadata, "read_by_library", other)
    assert (
        "another reader finds other cells in 1 columns: income"
        in found(content, Xport(), release)["file-plain"]
    )
