"""Files of Stata, SPSS, SAS and Excel that cannot be read or written: refused, with what to do."""

import datetime
import io
import struct
from decimal import Decimal

import openpyxl
import pyarrow as pa
import pytest

from bad_inputs.shared import ROWS, as_parquet, check_refusal, refuse, text
from io_files import data_set
from tacita.core import Microdata
from tacita.core.data.column_metadata import ColumnNotes, Notes
from tacita.io.formats.excel import Excel
from tacita.io.formats.spss import SPSS
from tacita.io.formats.stata import Stata
from tacita.io.formats.xport import Xport

TABLE = pa.table(
    {"turnover": [100.5 + i for i in range(ROWS)], "name": ["Quixote", "Dulcinea", *"abcdefghij"]}
)
SAS = data_set(
    [("turnover", 0, "BEST", ""), ("name", 8, "$", "")], [tuple(row.values()) for row in TABLE.to_pylist()]
)

WHOLE = {
    "dta": Stata().pack(TABLE),
    "sav": SPSS().pack(TABLE),
    "xpt": Xport().pack(TABLE),
    "sas7bdat": SAS,
    "xlsx": Excel().pack(TABLE),
}


def reading(name, content, *says, ending, code=1, options=""):
    """A file that cannot be read."""
    words = f"protect in.{ending} --out out.csv --quasi turnover {options}"
    return refuse(f"{ending}-{name}", words, code, f"in.{ending}", *says, files={f"in.{ending}": content})


def writing(name, column, *says, into, called="odd", code=1):
    """A column that cannot be written."""
    content = as_parquet(TABLE.select(["turnover"]).append_column(called, pa.array(column)))
    words = f"protect in.parquet --out o.{into} --quasi turnover"
    return refuse(f"{into}-{name}", words, code, *says, files={"in.parquet": content})


def cells(first, *others):
    """A column with some cells of its own, and one cell in all other records."""
    return [*others, *[first] * (ROWS - len(others))]


BROKEN = [
    case
    for ending, content in WHOLE.items()
    for case in (
        reading("text", text().encode(), "not a", ending=ending),
        reading("empty", b"", "the file is empty", ending=ending),
        reading("cut-in-half", content[: len(content) // 2], "not a", ending=ending),
        reading("cut-at-the-end", content[:-14], "not a", ending=ending),
        reading("letters", b"Quixote 77123.456", "not a", ending=ending),
        reading("of-another-kind", WHOLE["sav" if ending != "sav" else "dta"], "not a", ending=ending),
    )
]


def book(*rows, change=None):
    made = openpyxl.Workbook()
    for row in rows:
        made.active.append(row)
    if change:
        change(made.active)
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


def sheet(name, content, *says, code=1, options=""):
    return reading(name, content, *says, ending="xlsx", code=code, options=options)


HEAD, PERSONS = ("turnover", "name"), [(100.5 + i, "Quixote") for i in range(ROWS)]


def bomb():
    """A part that says that it unfolds into five gigabytes."""
    content = bytearray(WHOLE["xlsx"])
    at = content.rindex(b"PK\x01\x02")
    struct.pack_into("<I", content, at + 24, 2**32 - 2)
    return bytes(content)


SHEETS = [
    sheet("password", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "password"),
    sheet("no-parts", b"PK\x05\x06" + bytes(18), "not a readable Excel workbook"),
    sheet("formulas", book(HEAD, *PERSONS, ("=SUM(A2:A3)", "x")), "turnover has 1 cells with formulas"),
    sheet("errors", book(HEAD, *PERSONS, ("#N/A", "x")), "turnover has 1 cells with errors"),
    sheet(
        "mixed", book(HEAD, *PERSONS, ("Quixote", "x")), "turnover mixes kinds of cells: 12 numbers, 1 texts"
    ),
    sheet(
        "times",
        book((*HEAD, "at"), *[(*row, datetime.time(12, 1)) for row in PERSONS]),
        "12 times of the day",
    ),
    sheet("no-names", book(*PERSONS), "a name for each column"),
    sheet(
        "a-gap-among-names", book(("turnover", None, "x"), *[(1.5, "a", 2)] * 5), "got 1 cells without one"
    ),
    sheet("a-number-as-name", book(("turnover", 77123), *PERSONS), "got 1 cells without one"),
    refuse(
        "xlsx-the-same-name-twice",
        "protect in.xlsx --out out.csv --quasi turnover",
        1,
        "turnover more than once",
        files={"in.xlsx": book(("turnover", "turnover"), *PERSONS)},
    ),
    sheet("cells-beside", book(HEAD, *PERSONS, (1.5, "x", "Quixote")), "1 records have cells to the right"),
    sheet("nothing", book(), "a name for each column"),
    sheet("no-records", book(HEAD), "wanted records, got none"),
    sheet(
        "merged-cells",
        book(HEAD, *PERSONS, change=lambda sheet: sheet.merge_cells("B3:B5")),
        "1 ranges of merged cells",
    ),
    sheet("no-such-sheet", WHOLE["xlsx"], "there is no sheet 'Sheet9'", code=2, options="--sheet Sheet9"),
    sheet("no-such-number", WHOLE["xlsx"], "there is no sheet '2'", code=2, options="--sheet 2"),
    sheet("a-bomb", bomb(), "larger than one machine should hold"),
]


def sav(column, display):
    """A file of SPSS with a column shown in another format."""
    data = Microdata.of(
        TABLE.append_column("odd", pa.array(column, pa.float64())),
        notes=Notes("spss", {"odd": ColumnNotes(display=display)}),
    )
    content = SPSS().encode(data)
    codes = {"DATE11": 20 << 16 | 11 << 8, "F12.2": 5 << 16 | 12 << 8 | 2}
    plain, wanted = (struct.pack("<2i", codes[each], codes[each]) for each in ("F12.2", display))
    # the last variable of three
    at = content.rindex(plain)
    return content[:at] + wanted + content[at + 8 :]


def twice(content):
    return content.replace(b"name    ", b"turnover", 1)


def several(content):
    """A second data set in the same file."""
    return content + content[240:]


def counted(content, records):
    at = content.index(b"<N>") + 3
    return content[:at] + struct.pack("<Q", records) + content[at + 8 :]


FILES = [
    reading(
        "dates-with-times", sav(cells(86400.0 * 9e4, 86400.0 * 9e4 + 1), "DATE11"), "1 records", ending="sav"
    ),
    reading(
        "dates-of-no-year",
        sav(cells(86400.0 * 9e4, 86400.0 * 1e9), "DATE11"),
        "outside the years",
        ending="sav",
    ),
    refuse(
        "xpt-a-name-twice",
        "protect in.xpt --out out.csv --quasi turnover",
        1,
        "more than once",
        files={"in.xpt": twice(WHOLE["xpt"])},
    ),
    reading("several-data-sets", several(WHOLE["xpt"]), "got several", ending="xpt"),
    reading("no-whole-lines", WHOLE["xpt"] + b" ", "not a readable", ending="xpt"),
    reading("a-bomb", counted(WHOLE["dta"], 2**31 - 1), "more than one machine", ending="dta"),
    refuse(
        "dta-a-code-as-label-twice",
        "protect in.sav --out out.csv --quasi turnover --value-labels",
        1,
        "with the same label as another code",
        files={
            "in.sav": SPSS().encode(
                Microdata.of(
                    TABLE.append_column("odd", pa.array(cells(1.0, 2.0))),
                    notes=Notes("spss", {"odd": ColumnNotes(values={1.0: "Quixote", 2.0: "Quixote"})}),
                )
            )
        },
    ),
]

LONG = "a" * 33
NOON = datetime.datetime(2020, 1, 2, 12, 0, 0, 1)
PACKAGES = ("dta", "sav", "xpt")
EVERY = (*PACKAGES, "xlsx")
CELLS = [
    writing("a-long-name", cells("x"), "at most 32", "Rename", into="dta", called=LONG),
    writing("a-long-name", cells("x"), "at most 64", "Rename", into="sav", called="a" * 65),
    writing("a-long-name", cells("x"), "at most 8", "Rename", into="xpt", called="turnover9"),
    writing("a-word-of-stata", cells("x"), "not reserved words of Stata", into="dta", called="if"),
    writing("a-word-of-spss", cells("x"), "not reserved words of SPSS", into="sav", called="WITH"),
    writing("a-name-in-german", cells("x"), "English letters", into="xpt", called="größe"),
    writing("a-name-with-a-blank", cells("x"), "have other names", into="dta", called="a b"),
    writing(
        "names-that-differ-in-capitals", cells("x"), "differ in more than case", into="sav", called="TURNOVER"
    ),
    writing(
        "names-that-differ-in-capitals", cells("x"), "differ in more than case", into="xpt", called="Turnover"
    ),
    writing("text-too-long", cells("x", "Quixote" * 40), "1 cells", "200 bytes", into="xpt"),
    writing("text-too-long", cells("x", "Quixote" * 5000), "1 cells", "32767", into="sav"),
    writing("text-too-long", cells("x", "Quixote" * 5000), "1 cells", "32767", into="xlsx"),
    writing("a-blank-at-the-end", cells("x", "Quixote "), "1 cells", "end in a blank", into="sav"),
    writing("a-blank-at-the-end", cells("x", "Quixote "), "1 cells", "end in a blank", into="xpt"),
    *(writing("nul", cells("x", "Qui\0xote"), "NUL", into=into) for into in PACKAGES),
    writing("a-control-character", cells("x", "Qui\1xote"), "control character", into="xlsx"),
    *(writing("a-huge-whole-number", cells(1, 2**53 + 1), "2^53", into=into) for into in EVERY),
    *(writing("empty-and-missing", cells("x", "", None), "cannot tell", into=into) for into in EVERY),
    *(writing("infinite", cells(1.5, float("inf")), "infinite", into=into) for into in EVERY),
    *(writing("a-list", [[1]] * ROWS, "type list", into=into) for into in EVERY),
    *(writing("a-decimal", [Decimal("1.5")] * ROWS, "type decimal", into=into) for into in EVERY),
    *(writing("truth", [True] * ROWS, "type bool", into=into) for into in PACKAGES),
    *(
        writing("time-zones", pa.array([0] * ROWS, pa.timestamp("s", "UTC")), "type timestamp", into=into)
        for into in EVERY
    ),
    *(writing("times", [datetime.time(1)] * ROWS, "type time", into=into) for into in EVERY),
    *(writing("fine-times", cells(NOON), "finer times", into=into) for into in ("dta", "xlsx")),
    writing("a-number-too-large", cells(1.5, 8.99e307), "larger than Stata", into="dta"),
    writing("a-number-too-large", cells(1.5, 1e76), "larger or nearer", into="xpt"),
    writing("a-number-too-small", cells(1.5, 1e-80), "larger or nearer", into="xpt"),
    writing("minus-nought", cells(1.5, -0.0), "minus zero", into="xpt"),
    writing("an-early-date", cells(datetime.date(1899, 1, 1)), "before March 1900", into="xlsx"),
    writing("a-set-of-sas", cells("x"), "can be read, not written", ".xpt", into="sas7bdat", code=2),
]


@pytest.mark.parametrize("case", [*BROKEN, *SHEETS, *FILES, *CELLS], ids=lambda case: case.name)
def test_it_is_refused_in_words_without_a_leak_or_a_trace(case, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    check_refusal(case, tmp_path, capsys)
