"""Files that are broken, strange or mislabelled are refused: clearly, without a leak, without a trace."""

import codecs

import pyarrow as pa
import pytest

from bad_inputs.shared import (
    PROTECT,
    ROWS,
    Refusal,
    as_parquet,
    check_refusal,
    refuse,
    survey,
    text,
)

GOOD = text()
LINES = GOOD.splitlines(keepends=True)
PARQUET = as_parquet(GOOD)
FROM_PARQUET = "protect survey.parquet --out out.csv --quasi turnover,wages"


def file(content: str | bytes, name: str = "survey.csv") -> dict[str, str | bytes]:
    return {name: content}


def header(names: str) -> dict[str, str]:
    """The survey under another header line."""
    return {"survey.csv": names + "\n" + "".join(LINES[1:])}


def column(name: str, values: pa.Array) -> dict[str, bytes]:
    """The survey as Parquet with another column."""
    table = pa.table({"turnover": [100.5 + i for i in range(ROWS)], "wages": range(ROWS)})
    return {"survey.parquet": as_parquet(table.append_column(name, values))}


MISSING = [
    refuse(f"missing-value-written-{spelled or 'empty'}", PROTECT, 1, "missing", "turnover (1)", files=files)
    for spelled, files in (
        (word, survey(turnover={3: word})) for word in ("", "NA", "NaN", ".", "  ", " NULL ")
    )
]
INFINITE = [
    refuse(f"infinite-value-written-{word}", PROTECT, 1, "column turnover", "infinite", files=files)
    for word, files in (
        (word, survey(turnover={3: word})) for word in ("inf", "-Infinity", "+INF", "1e999", "-1e400")
    )
]
CELLS = [
    refuse("text-in-a-numeric-column", PROTECT, 1, "wages", "12 cells", files=survey(wages="Quixote")),
    refuse(
        "one-text-cell-at-the-end",
        PROTECT,
        1,
        "column wages",
        "1 cells",
        "record 12",
        files=survey(wages={11: "Quixote"}),
    ),
    refuse("a-number-with-its-unit", PROTECT, 1, "wages", "record 5", files=survey(wages={4: "77123 EUR"})),
    refuse(
        "thousands-separators", PROTECT, 1, "turnover", "record 3", files=survey(turnover={2: "77,123.4"})
    ),
    refuse("a-hexadecimal-number", PROTECT, 1, "column wages", files=survey(wages={2: "0x10"})),
    refuse("values-too-large-to-square", PROTECT, 1, "1e+150", "unit", files=survey(turnover={4: "1e200"})),
    refuse("constant-quasi-identifiers", PROTECT, 1, "constant", files=survey(turnover="77123", wages="456")),
    refuse("a-quasi-column-all-missing", PROTECT, 1, "wages (12)", "missing", files=survey(wages="NA")),
    refuse(
        "a-missing-unit",
        PROTECT + " --unit firm",
        1,
        "unit column firm",
        "1 records",
        files=survey(firm={3: ""}),
    ),
    refuse(
        "a-missing-unit-among-spaces",
        PROTECT + " --unit firm",
        1,
        "unit column firm",
        "2 records",
        files=survey(firm={3: "  ", 4: " NA "}),
    ),
    refuse(
        "decimal-commas-read-with-a-point",
        PROTECT + " --delimiter ;",
        1,
        "turnover",
        "decimal sign",
        files=file(text(delimiter=";").replace(".5", ",5").replace("3.456", "3,456")),
    ),
    refuse(
        "decimal-points-read-with-a-comma",
        PROTECT + " --decimal ,",
        1,
        "turnover",
        "decimal sign",
        files=file(text(delimiter=";")),
    ),
]
HEADERS = [
    refuse(
        "repeated-column-names",
        PROTECT,
        1,
        "every column needs a unique name, but 1 in the header line",
        "more than once",
        files=header("id,name,region,firm,turnover,turnover,p,b,a"),
    ),
    refuse(
        "an-unnamed-column",
        PROTECT,
        1,
        "1 columns have no name",
        files=header("id,,region,firm,turnover,wages,p,b,a"),
    ),
    refuse(
        "a-name-of-spaces",
        PROTECT,
        1,
        "1 columns have no name",
        files=header("id,  ,region,firm,turnover,wages,p,b,a"),
    ),
    refuse("a-blank-header-line", PROTECT, 1, "header", files=header("")),
    refuse("a-header-of-commas", PROTECT, 1, "9 columns have no name", files=header(",,,,,,,,")),
    refuse(
        "a-header-with-an-open-quote",
        PROTECT,
        1,
        "quote",
        files=header('id,name,"region,firm,turnover,wages,p,b,a'),
    ),
    refuse("no-header-line", PROTECT, 1, "header line", files=file(LINES[5] + "".join(LINES[1:]))),
    refuse(
        "no-header-line-and-numeric-columns",
        "protect survey.csv --out out.csv --quasi numeric",
        1,
        "header line",
        files=file(LINES[5] + "".join(LINES[1:])),
    ),
    refuse(
        "no-header-line-and-repeated-cells",
        PROTECT,
        1,
        "more than once",
        files=file("77123.456,Quixote,77123.456\n" * 9),
    ),
    refuse("a-header-longer-than-any-name", PROTECT, 1, "header", files=header("x" * 200_000)),
]
SHAPES = [
    refuse("an-empty-file", PROTECT, 1, "empty", files=file("")),
    refuse("only-a-byte-order-mark", PROTECT, 1, "header", files=file(codecs.BOM_UTF8)),
    refuse("only-line-breaks", PROTECT, 1, "header", files=file("\n\n\n")),
    refuse("only-a-header", PROTECT, 1, "records", "none", files=file(LINES[0])),
    refuse("only-a-header-without-line-break", PROTECT, 1, "none", files=file(LINES[0].strip())),
    refuse("a-single-record", PROTECT, 1, "at least 3 records, got 1", files=file("".join(LINES[:2]))),
    refuse("fewer-records-than-k", PROTECT, 1, "at least 3 records, got 2", files=file("".join(LINES[:3]))),
    refuse("a-last-row-cut-off", PROTECT, 1, "1 records", "record 12", "truncated", files=file(GOOD[:-25])),
    refuse("a-last-row-cut-off-in-quotes", PROTECT, 1, "never closed", files=file(GOOD + '"Quixote, the')),
    refuse(
        "a-row-with-too-many-cells",
        PROTECT,
        1,
        "record 5",
        files=file("".join(LINES).replace("Quixote", "Quixote,Sancho")),
    ),
    refuse(
        "a-row-with-too-few-cells", PROTECT, 1, "record 5", files=file("".join(LINES).replace("Quixote,", ""))
    ),
    refuse(
        "a-ragged-row-after-an-endless-cell",
        PROTECT,
        1,
        "record 13",
        files=file(GOOD + "x" * 300_000 + ",Quixote\n"),
    ),
    refuse(
        "another-delimiter-given", PROTECT + " --delimiter ;", 2, "no column turnover, wages", "delimiter"
    ),
    refuse(
        "a-comma-given-for-semicolons",
        PROTECT + " --delimiter ,",
        2,
        "single column",
        "delimiter",
        files=file(text(delimiter=";")),
    ),
    refuse("delimiter-and-decimal-sign-alike", PROTECT + " --decimal ,", 2, "both ','"),
]
ENCODINGS = [
    refuse(
        "latin-1-read-as-utf-8",
        PROTECT,
        1,
        "not utf-8",
        "byte",
        "--encoding latin-1",
        files=file(GOOD.replace("Firm 1", "Müller").encode("latin-1")),
    ),
    refuse("utf-16-read-as-utf-8", PROTECT, 1, "utf-16", files=file(GOOD.encode("utf-16"))),
    refuse("utf-16-without-mark-read-as-utf-8", PROTECT, 1, "NUL", files=file(GOOD.encode("utf-16-le"))),
    refuse("utf-8-read-as-utf-16", PROTECT + " --encoding utf-16", 1, "utf-16", files=file(GOOD + "x")),
    refuse(
        "utf-8-read-as-ascii",
        PROTECT + " --encoding ascii",
        1,
        "not ascii",
        files=file(GOOD.replace("Firm 1", "Müller")),
    ),
    refuse("an-unknown-encoding", PROTECT + " --encoding klingon", 2, "no text encoding 'klingon'"),
    refuse("an-encoding-of-bytes", PROTECT + " --encoding base64", 2, "no text encoding 'base64'"),
    refuse(
        "half-a-surrogate-pair",
        PROTECT + " --encoding unicode_escape",
        1,
        "unicode_escape",
        files=survey(name={0: "\\ud800"}),
    ),
    refuse("nul-bytes", PROTECT, 1, "NUL", files=file(GOOD.replace("Firm 1", "Firm\0"))),
    refuse(
        "a-spreadsheet-called-csv",
        PROTECT,
        1,
        "spreadsheet",
        files=file(b"PK\x03\x04\x14\0\x06\0\x08\0\0\0!\0" + bytes(range(256))),
    ),
    refuse("parquet-called-csv", PROTECT, 1, "binary file", files=file(PARQUET)),
    refuse(
        "csv-called-parquet", FROM_PARQUET, 1, "not a readable Parquet", files=file(GOOD, "survey.parquet")
    ),
]
PARQUETS = [
    *(
        refuse(
            f"parquet-cut-to-{share}-percent",
            FROM_PARQUET,
            1,
            "truncated",
            files=file(PARQUET[: len(PARQUET) * share // 100], "survey.parquet"),
        )
        for share in (1, 50, 99)
    ),
    refuse(
        "parquet-without-records",
        FROM_PARQUET,
        1,
        "none",
        files={"survey.parquet": as_parquet(pa.table({"turnover": pa.array([], "f8")}))},
    ),
    refuse(
        "parquet-with-repeated-names",
        FROM_PARQUET,
        1,
        "more than once",
        files={"survey.parquet": as_parquet(pa.table([[1.5], [2.5]], ["turnover", "turnover"]))},
    ),
    refuse(
        "parquet-with-infinite-values",
        FROM_PARQUET + ",x",
        1,
        "column x",
        "infinite",
        files=column("x", pa.array([float("inf")] * ROWS)),
    ),
    refuse(
        "parquet-with-null-and-nan",
        FROM_PARQUET + ",x",
        1,
        "x (2)",
        files=column("x", pa.array([None, float("nan"), *map(float, range(10))])),
    ),
    refuse(
        "parquet-with-dates-as-quasi",
        FROM_PARQUET + ",x",
        1,
        "column x",
        "numbers",
        files=column("x", pa.array(range(ROWS), pa.date32())),
    ),
    refuse(
        "parquet-with-booleans-as-quasi",
        FROM_PARQUET + ",x",
        1,
        "column x",
        "numbers",
        files=column("x", pa.array([True] * ROWS)),
    ),
    refuse(
        "parquet-with-lists-as-quasi",
        FROM_PARQUET + ",x",
        1,
        "column x",
        "numbers",
        files=column("x", pa.array([[77123.456]] * ROWS)),
    ),
    refuse(
        "parquet-with-text-numbers-as-quasi",
        FROM_PARQUET + ",x",
        1,
        "column x",
        "numbers",
        files=column("x", pa.array(["77123.456"] * ROWS)),
    ),
    refuse(
        "parquet-with-lists-written-as-csv",
        FROM_PARQUET,
        1,
        "Use Parquet",
        files=column("x", pa.array([["Quixote"]] * ROWS)),
    ),
]
PLACES = [
    refuse(
        "no-such-file", "protect nowhere.csv --out out.csv --quasi turnover", 2, "nowhere.csv", "no such file"
    ),
    refuse(
        "a-folder-as-input",
        "protect folder.csv --out out.csv --quasi turnover",
        2,
        "folder",
        files={"folder.csv/x": ""},
    ),
    refuse("an-input-below-a-file", "protect survey.csv/x.csv --out out.csv --quasi turnover", 2, "x.csv"),
    refuse(
        "an-input-of-unknown-kind",
        "protect survey.ods --out out.csv --quasi turnover",
        2,
        ".ods",
        ".parquet",
        files=file(GOOD, "survey.ods"),
    ),
    refuse(
        "an-input-without-ending",
        "protect survey --out out.csv --quasi turnover",
        2,
        "no ending",
        files=file(GOOD, "survey"),
    ),
    refuse(
        "an-input-name-too-long", f"protect {'x' * 300}.csv --out out.csv --quasi turnover", 2, "too long"
    ),
    refuse(
        "an-output-of-unknown-kind",
        "protect survey.csv --out out.ods --quasi turnover",
        2,
        "out.ods",
        ".csv",
    ),
    refuse("an-output-without-ending", "protect survey.csv --out out --quasi turnover", 2, "no ending"),
    refuse(
        "an-output-name-too-long", f"protect survey.csv --out {'x' * 300}.csv --quasi turnover", 2, "too long"
    ),
    refuse(
        "an-output-in-a-folder-that-is-not-there",
        "protect survey.csv --out new/out.csv --quasi turnover",
        2,
        "folder does not exist",
    ),
    refuse(
        "an-output-below-a-file",
        "protect survey.csv --out survey.csv/out.csv --quasi turnover",
        2,
        "folder does not exist",
    ),
    refuse(
        "a-folder-as-output",
        "protect survey.csv --out folder.csv --quasi turnover",
        2,
        "got a folder",
        files={"folder.csv/x": ""},
    ),
    refuse("a-report-in-a-folder-that-is-not-there", PROTECT + " --report new/r.html", 2, "r.html", "folder"),
    refuse("a-device-as-report", PROTECT + " --report /dev/null", 2, "plain file"),
    refuse("output-is-the-input", "protect survey.csv --out survey.csv --quasi turnover", 2, "same file"),
    refuse(
        "output-is-the-input-by-a-detour",
        "protect survey.csv --out ./sub/../survey.csv --quasi turnover",
        2,
        "same file",
        files={"sub/x": ""},
    ),
    refuse(
        "output-is-a-soft-link-to-the-input",
        "protect survey.csv --out link.csv --quasi turnover",
        2,
        "same file",
        links={"link.csv": "soft:survey.csv"},
    ),
    refuse(
        "output-is-a-hard-link-to-the-input",
        "protect survey.csv --out link.csv --quasi turnover",
        2,
        "same file",
        links={"link.csv": "hard:survey.csv"},
    ),
    refuse(
        "output-is-the-input-through-a-linked-folder",
        "protect survey.csv --out link/survey.csv --quasi turnover",
        2,
        "same file",
        links={"link": "soft:."},
    ),
    refuse(
        "a-loop-of-links-as-output",
        "protect survey.csv --out a.csv --quasi turnover",
        2,
        "a.csv",
        links={"a.csv": "soft:b.csv", "b.csv": "soft:a.csv"},
    ),
    refuse("report-is-the-output", PROTECT + " --report out.csv", 2, "report and output are the same file"),
    refuse("json-is-the-report", PROTECT + " --report r.html --json ./r.html", 2, "same file"),
    refuse(
        "note-is-the-input", PROTECT + " --note survey.csv", 2, "quality note and input are the same file"
    ),
    refuse(
        "scores-over-an-input",
        "assess survey.csv survey.csv --quasi turnover --json survey.csv",
        2,
        "same file",
    ),
]
CASES = [*MISSING, *INFINITE, *CELLS, *HEADERS, *SHAPES, *ENCODINGS, *PARQUETS, *PLACES]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_bad_file_is_refused_without_a_leak_or_a_trace(case: Refusal, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    check_refusal(case, tmp_path, capsys)
