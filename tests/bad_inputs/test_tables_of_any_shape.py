"""Tables of any shape that are asked for wrongly: a clear refusal, nothing written, no value repeated."""

import pytest

from tacita.cli import run_command

SECRET = "8317"
HRC = "north\n@n1\n@n2\nsouth\n"
LIST = "region,size,v,p\n" + "".join(
    f"{town},{size},{value},{secret}\n"
    for town, size, value, secret in (
        *(("n1", "small", SECRET, 1), ("n1", "large", 20, 0), ("n2", "small", 30, 0), ("n2", "large", 45, 0)),
        *(("south", "small", 50, 0), ("south", "large", 60, 0)),
    )
)
RECORDS = "region,size,v,firm\n" + "".join(
    f"{town},{size},{SECRET},f{at}\n"
    for at, (town, size) in enumerate(
        [("n1", "small"), ("n2", "large"), ("south", "small"), ("n1", "large"), ("n2", "small")]
    )
)
NAMED = ["--dimensions", "region,size", "--value", "v", "--primary", "p"]
DEEP = [*NAMED, "--hierarchy", "region=region.hrc"]
INNER = "region,size,v,p\nn1,small,1,0\nn1,large,2,0\nn1,Total,3,0\n"
WITH_SUMS = INNER + "Total,small,1,0\nTotal,large,2,0\nTotal,Total,3,0\n"

# what is wrong, what is typed, what the files hold instead, and what is said
SUPPRESS = {
    "dimensions twice": ([*DEEP, "--rows", "region"], {}, "named twice"),
    "a dimension twice": (["--dimensions", "region,region", *NAMED[2:]], {}, "each"),
    "a dimension that is not there": (["--dimensions", "region,sex", *NAMED[2:]], {}, "sex"),
    "a dimension that is the value": (["--dimensions", "region,v", *NAMED[2:]], {}, "different columns"),
    "no dimension": (["--value", "v", "--primary", "p"], {}, "--rows"),
    "no value": (["--dimensions", "region,size", "--primary", "p"], {}, "--value"),
    "no primary": (["--dimensions", "region,size", "--value", "v"], {}, "--primary"),
    "a hierarchy of no dimension": ([*NAMED, "--hierarchy", "v=region.hrc"], {}, "v is none"),
    "a hierarchy without a file": ([*NAMED, "--hierarchy", "region"], {}, "COLUMN=FILE"),
    "a hierarchy twice": ([*DEEP[:-1], "region=region.hrc,region=other.hrc"], {}, "each column once"),
    "a hierarchy that is not there": ([*NAMED, "--hierarchy", "region=absent.hrc"], {}, "absent.hrc"),
    "a hierarchy of another kind": ([*NAMED, "--hierarchy", "region=region.xlsx"], {}, "wanted a hierarchy"),
    "a hierarchy and prefixes": ([*DEEP, "--prefixes", "region=1"], {}, "both divide region"),
    "prefixes that are no numbers": ([*NAMED, "--prefixes", "region=one"], {}, "whole number"),
    "prefixes that are too long": ([*NAMED, "--prefixes", "region=9"], {}, "longest code has 5"),
    "prefixes of nought": ([*NAMED, "--prefixes", "region=0"], {}, "numbers of first characters"),
    "codes that no prefix explains": ([*NAMED, "--prefixes", "region=1"], {}, "neither codes"),
    "parents of no column": ([*NAMED, "--parents", "region=above"], {}, "above"),
    "parents of no dimension": ([*NAMED, "--parents", "v=size"], {}, "v is none"),
    "parents that are several": ([*NAMED, "--parents", "region=size"], {}, "stand under several others"),
    "a total of no dimension": ([*NAMED, "--total", "v=all"], {}, "v is none"),
    "a hierarchy that jumps": (DEEP, {"region.hrc": "north\n@@n1\n"}, "deeper"),
    "a hierarchy with a label twice": (DEEP, {"region.hrc": "north\n@n1\n@n1\n"}, "twice"),
    "an empty hierarchy": (DEEP, {"region.hrc": "\n"}, "labels that its hierarchy does not have"),
    "a hierarchy without a label": (
        DEEP,
        {"region.hrc": "north\n@n1\nsouth\n"},
        "1 labels that its hierarchy",
    ),
    "a hierarchy with a label more": (DEEP, {"region.hrc": HRC + "west\n"}, "1 of 4 labels of region"),
    "a hierarchy that is no text": (DEEP, {"region.hrc": b"\xff\xfe\x00"}, "UTF-8"),
    "a file of parents with a parent that is none": (
        [*NAMED, "--hierarchy", "region=region.csv"],
        {"region.csv": "label,parent\nn1,north\n"},
        "are not among the labels",
    ),
    "a file of parents with three columns": (
        [*NAMED, "--hierarchy", "region=region.csv"],
        {"region.csv": "label,parent\nn1,north,x\n"},
        "a label and its parent",
    ),
    "a file of ARX with gaps": (
        [*NAMED, "--hierarchy", "region=region.csv"],
        {"region.csv": "n1;;*\n"},
        "none empty",
    ),
    "a cell twice": (DEEP, {"cells.csv": LIST + "n1,small,5,0\n"}, "more than once"),
    "a cell that is missing": (
        DEEP,
        {"cells.csv": LIST.replace("n2,small,30,0\n", "")},
        "1 of 6 combinations",
    ),
    "a part of the sums": (DEEP, {"cells.csv": LIST + "north,small,8347,0\n"}, "1 of 9 sums are listed"),
    "a sum that does not add up": (
        NAMED,
        {"cells.csv": WITH_SUMS.replace("Total,3,0", f"Total,{SECRET},0")},
        "2 of 4 sums are not",
    ),
    "an empty label": (DEEP, {"cells.csv": LIST.replace("n2,large", ",large")}, "has no label in 1 cells"),
    "a value that is missing": (
        DEEP,
        {"cells.csv": LIST.replace("n2,large,45", "n2,large,")},
        "no number in 1 cells",
    ),
    "a value that is none": (DEEP, {"cells.csv": LIST.replace("n2,large,45", f"n2,large,x{SECRET}")}, "v"),
    "a negative value": (
        DEEP,
        {"cells.csv": LIST.replace("n2,large,45", "n2,large,-45")},
        "1 negative values",
    ),
    "a mark that is neither": (DEEP, {"cells.csv": LIST.replace("45,0", "45,2")}, "must be 0 or 1"),
    "no inner label": (NAMED, {"cells.csv": "region,size,v,p\nTotal,Total,5,0\n"}, "no label but Total"),
    "a total that is no label of the hierarchy": (
        [*DEEP, "--total", "size=all"],
        {"cells.csv": LIST + "All,small,9,0\n"},
        "The sum of all is called Total",
    ),
    "hierarchies of a file that says them itself": (
        ["--hierarchy", "region=region.hrc"],
        {"cells.jj": "0\n0\n0\n"},
        "Leave away --hierarchy",
    ),
}
TABULATE = {
    "a label that is no leaf": (
        {"firms.csv": RECORDS.replace("n1,small", "north,small")},
        [],
        "Groups of it",
    ),
    "a label that is unknown": (
        {"firms.csv": RECORDS.replace("n1,small", f"x{SECRET},small")},
        [],
        "no leaves",
    ),
    "parents that differ": ({}, ["--parents", "size=region"], "have several labels above"),
    "codes of two lengths": ({}, ["--prefixes", "size=9"], "numbers of first characters"),
    "a hierarchy over which to write": ({}, ["--out", "region.hrc"], "region.hrc"),
}
PLAN = """version = 1
[input]
path = "firms.csv"
[table]
value = "v"
[table.hierarchy]
region = "region.hrc"
[[tables]]
dimensions = ["region"]
output = "one.csv"
[[tables]]
dimensions = ["region", "size"]
output = "two.csv"
[[rules]]
name = "minimum-frequency"
threshold = 2
[suppress]
problem = "exact"
margins = true
zeros = "withhold"
"""
PLANS = {
    "no table": ('version = 1\ntables = []\n[suppress]\nproblem = "exact"\n', "at least 1 entries"),
    "no output": (PLAN.replace('output = "one.csv"\n', ""), "output"),
    "the same output twice": (PLAN.replace("two.csv", "one.csv"), "same output"),
    "an output that is read": (PLAN.replace("two.csv", "firms.csv"), "firms.csv"),
    "an output that is the hierarchy": (PLAN.replace("two.csv", "region.hrc"), "region.hrc"),
    "an output of another kind": (PLAN.replace("two.csv", "two.txt"), "wanted a published table"),
    "a key that is none": (PLAN.replace("margins", "margin"), "margin"),
    "a key of a table that is none": (
        PLAN.replace('output = "two.csv"', 'output = "two.csv"\ncolor = 1'),
        "color",
    ),
    "records and a list": (
        PLAN.replace('output = "two.csv"', 'output = "two.csv"\ninput = "cells.csv"'),
        "Choose one way",
    ),
    "no records": (PLAN.replace('[input]\npath = "firms.csv"\n', ""), "need records"),
    "a dimension that is not there": (PLAN.replace('"size"', '"sex"'), "sex"),
    "an output section of a single table": (PLAN + '[output]\npath = "all.csv"\n', "path"),
    "no problem": (PLAN.replace('problem = "exact"\n', ""), "problem is required"),
    "two hierarchies of one dimension": (
        PLAN.replace('output = "two.csv"', 'output = "two.csv"\nhierarchy = {region = "other.hrc"}'),
        "Use one hierarchy for both",
    ),
    "two values": (
        PLAN.replace('output = "two.csv"', 'output = "two.csv"\nvalue = "w"'),
        "different columns",
    ),
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cells.csv").write_text(LIST)
    (tmp_path / "firms.csv").write_text(RECORDS)
    (tmp_path / "region.hrc").write_text(HRC)
    (tmp_path / "other.hrc").write_text("n1\nn2\nsouth\n")
    return tmp_path


def fill(folder, files):
    for name, content in files.items():
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())


def refused(folder, capsys, words, said):
    """Whether a command is refused in words, without a value, and leaves everything as it was."""
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert run_command(words) in (1, 2)
    told = capsys.readouterr().err
    assert said in told
    assert SECRET not in told
    assert "Traceback" not in told
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_there_are_enough_of_them():
    assert len(SUPPRESS) + len(TABULATE) + len(PLANS) >= 40


@pytest.mark.parametrize(("words", "files", "said"), SUPPRESS.values(), ids=SUPPRESS)
def test_a_list_is_refused(folder, capsys, words, files, said):
    fill(folder, files)
    source = next((name for name in files if name.endswith(".jj")), "cells.csv")
    refused(folder, capsys, ["suppress", source, *words, "--problem", "exact", "--out", "out.csv"], said)


@pytest.mark.parametrize(("files", "words", "said"), TABULATE.values(), ids=TABULATE)
def test_records_are_refused(folder, capsys, files, words, said):
    fill(folder, files)
    out = [] if "--out" in words else ["--out", "out.csv"]
    named = ["--dimensions", "region,size", "--value", "v", "--hierarchy", "region=region.hrc"]
    refused(folder, capsys, ["tabulate", "firms.csv", *named, *words, *out], said)


@pytest.mark.parametrize(("plan", "said"), PLANS.values(), ids=PLANS)
def test_a_plan_of_linked_tables_is_refused(folder, capsys, plan, said):
    records = [line + ("," + ("w" if at == 0 else "1")) for at, line in enumerate(RECORDS.splitlines())]
    fill(folder, {"plan.toml": plan, "firms.csv": "\n".join(records) + "\n"})
    refused(folder, capsys, ["run", "plan.toml"], said)


def test_linked_lists_that_do_not_agree_are_refused(folder, capsys):
    fill(
        folder,
        {"other.csv": "region,sex,v,p\nn1,f,1,0\nn1,m,2,0\nn2,f,3,0\nn2,m,4,0\nsouth,f,5,0\nsouth,m,6,0\n"},
    )
    plan = """version = 1
[table]
value = "v"
primary = "p"
[table.hierarchy]
region = "region.hrc"
[[tables]]
input = "cells.csv"
dimensions = ["region", "size"]
output = "one.csv"
[[tables]]
input = "other.csv"
dimensions = ["region", "sex"]
output = "two.csv"
[suppress]
problem = "exact"
"""
    fill(folder, {"plan.toml": plan})
    refused(folder, capsys, ["run", "plan.toml"], "5 shared cells have different values")
    refused(folder, capsys, ["audit", "plan.toml"], "5 shared cells have different values")
    refused(folder, capsys, ["audit", "plan.toml", "one.csv"], "a plan has it already")
    refused(folder, capsys, ["audit", "cells.csv"], "wanted the published table")
    refused(folder, capsys, ["compare", "plan.toml", "--method", "nonesuch"], "nonesuch")
