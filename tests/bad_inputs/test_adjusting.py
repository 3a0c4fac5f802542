"""What cannot be adjusted is refused: a sentence, a way out, no value of the data, and nothing written."""

import shlex

import pytest

from tacita.cli import run_command

SECRET = "77123"
NAMED = "--rows r --columns c --value n"
CELLS = f"r,c,n,p,k\na,x,4,1,0.1\na,y,7,0,0.2\nb,x,{SECRET},0,0.3\nb,y,1,0,0.4\n"
COUNTED = f"adjust cells.csv {NAMED} --counts --out out.csv"
HEADS = {
    "text.csv": "r,c,n\na,x,many\na,y,7\nb,x,2\nb,y,1\n",
    "gaps.csv": "r,c,n\na,x,\na,y,7\nb,x,2\nb,y,1\n",
    "missing.csv": "r,c,n\na,x,4\na,y,7\nb,x,2\n",
    "twice.csv": "r,c,n\na,x,4\na,x,7\nb,x,2\nb,y,1\n",
    "parts.csv": f"r,c,n\na,x,4.5\na,y,7\nb,x,{SECRET}.25\nb,y,1\n",
    "minus.csv": f"r,c,n\na,x,-4\na,y,7\nb,x,{SECRET}\nb,y,1\n",
    "keys.csv": "r,c,n,k\na,x,4,1.5\na,y,7,0.2\nb,x,2,0.3\nb,y,1,0.4\n",
    "wordkeys.csv": "r,c,n,k\na,x,4,low\na,y,7,0.2\nb,x,2,0.3\nb,y,1,0.4\n",
    "nolabel.csv": "r,c,n\n,x,4\na,y,7\nb,x,2\nb,y,1\n",
    "primary.csv": "r,c,n,p\na,x,4,yes\na,y,7,0\nb,x,2,0\nb,y,1,0\n",
    "empty.csv": "",
    "records.csv": "r,c,key\na,x,0.5\na,y,0.5\nb,x,0.5\nb,y,0.5\n",
}
PLAN = 'version = 1\n[input]\npath = "cells.csv"\n[table]\nrows = "r"\ncolumns = "c"\nvalue = "n"\n'
OUT = '[output]\npath = "out.csv"\n'
PLANS = {
    "two.toml": PLAN + '[suppress]\nproblem = "exact"\n[adjust]\nmethod = "rounding"\n' + OUT,
    "none.toml": PLAN + 'primary = "p"\n' + OUT,
    "unknown.toml": PLAN + '[adjust]\nmethod = "rounding"\nbogus = 3\n' + OUT,
    "nomethod.toml": PLAN + "[adjust]\nbase = 5\n" + OUT,
    "note.toml": PLAN + 'primary = "p"\n[suppress]\nproblem = "exact"\n' + OUT + 'note = "note.html"\n',
    "type.toml": PLAN + '[adjust]\nmethod = "rounding"\nbase = "five"\n' + OUT,
    "list.toml": PLAN + "adjust = 3\n" + OUT,
}
CASES = {
    "no method": ("adjust cells.csv --out out.csv", "--method"),
    "a method that is none": (f"{COUNTED} --method roundings", "no method, measure or format named"),
    "a suppression": (f"{COUNTED} --method optimal", "no method, measure or format named 'optimal'"),
    "no columns": ("adjust cells.csv --method rounding --out out.csv", "Missing: --rows, --columns, --value"),
    "a column that is not there": (COUNTED.replace("--value n", "--value m") + " --method rounding", "m"),
    "one column for two things": (
        COUNTED.replace("--value n", "--value r") + " --method rounding",
        "each named",
    ),
    "a base of nought": (f"{COUNTED} --method rounding --base 0", "base must be more than 0"),
    "a negative base": (f"{COUNTED} --method rounding --base -5", "base must be more than 0"),
    "a base that is no number": (f"{COUNTED} --method rounding --base five", "base"),
    "an endless base": (f"{COUNTED} --method rounding --base inf", "base"),
    "a base that is not one": (f"{COUNTED} --method rounding --base nan", "base"),
    "a base of another method": (f"{COUNTED} --method cta --base 5", "--base"),
    "no time": (f"{COUNTED} --method rounding --time 0", "time must be more than 0"),
    "a base of one for small counts": (
        f"{COUNTED} --method small-counts --base 1",
        "base must be at least 2",
    ),
    "half a base for small counts": (f"{COUNTED} --method small-counts --base 2.5", "whole number"),
    "small counts that are no counts": (
        f"adjust parts.csv {NAMED} --method small-counts --out out.csv",
        "counts",
    ),
    "noise on what is no count": (
        f"adjust cells.csv {NAMED} --method cell-key --out out.csv",
        "table of counts",
    ),
    "noise on parts of a count": (
        f"adjust parts.csv {NAMED} --counts --method cell-key --out out.csv",
        "counts",
    ),
    "noise of nought": (f"{COUNTED} --method cell-key --largest 0", "largest must be at least 1"),
    "variance of nought": (f"{COUNTED} --method cell-key --variance 0", "variance must be more than 0"),
    "too little variance": (f"{COUNTED} --method cell-key --variance 1", "Raise the variance"),
    "too much hidden": (f"{COUNTED} --method cell-key --hidden 6 --variance 3", "hide fewer counts"),
    "hidden below nought": (f"{COUNTED} --method cell-key --hidden -1", "hidden must be at least 0"),
    "all stay": (f"{COUNTED} --method cell-key --stay 1", "stay must be less than 1"),
    "a share as a share": (f"{COUNTED} --method cell-key --share 0.25", "write 25 for 25 percent"),
    "a share that grows": (
        f"{COUNTED} --method cell-key --share 5 --share-large 9",
        "share_large must be at most",
    ),
    "keys beyond one": (
        f"adjust keys.csv {NAMED} --counts --key k --method cell-key --out out.csv",
        "1 are not",
    ),
    "keys that are words": (
        f"adjust wordkeys.csv {NAMED} --counts --key k --method cell-key --out out.csv",
        "k",
    ),
    "keys that are not there": (f"{COUNTED} --key q --method cell-key", "q"),
    "a short seed": (f"{COUNTED} --method cell-key --seed 7", "seed must be at least 2**64"),
    "a short seed of a rounding": (f"{COUNTED} --method rounding --random --seed 7", "seed must be at least"),
    "a seed that is none": (f"{COUNTED} --method cell-key --seed soon", "seed must be a whole number"),
    "nothing sensitive to move": (f"{COUNTED} --method cta", "no cell is sensitive"),
    "no levels to move out of": (
        f"{COUNTED} --primary p --lower 0 --upper 0 --method cta",
        "no protection level",
    ),
    "a norm that is none": (f"{COUNTED} --primary p --method cta --norm 3", "norm"),
    "weights that are none": (f"{COUNTED} --primary p --method cta --weights heavy", "weights"),
    "rounding to one": (f"{COUNTED} --method rounding --base 1", "can be computed exactly"),
    "a base below the levels": (
        f"{COUNTED} --primary p --lower 300 --upper 300 --method rounding --base 2",
        "give too much away",
    ),
    "negative values": (f"adjust minus.csv {NAMED} --method rounding --out out.csv", "--signed"),
    "words for values": (f"adjust text.csv {NAMED} --method rounding --out out.csv", "n"),
    "gaps in values": (f"adjust gaps.csv {NAMED} --method rounding --out out.csv", "no number in 1 cells"),
    "cells that are missing": (f"adjust missing.csv {NAMED} --method rounding --out out.csv", "--fill-zeros"),
    "cells that are there twice": (
        f"adjust twice.csv {NAMED} --method rounding --out out.csv",
        "more than once",
    ),
    "a label that is none": (f"adjust nolabel.csv {NAMED} --method rounding --out out.csv", "has no label"),
    "marks that are words": (
        f"adjust primary.csv {NAMED} --primary p --method rounding --out out.csv",
        "p",
    ),
    "an empty file": (f"adjust empty.csv {NAMED} --method rounding --out out.csv", "is empty"),
    "a file that is not there": (f"adjust nosuch.csv {NAMED} --method rounding --out out.csv", "nosuch.csv"),
    "an ending that is none": (COUNTED.replace("out.csv", "out.txt") + " --method rounding", "out.txt"),
    "true values as a file of tau-ARGUS": (
        COUNTED.replace("out.csv", "out.tab") + " --method rounding",
        "out.tab",
    ),
    "over the input": (COUNTED.replace("out.csv", "cells.csv") + " --method rounding --force", "cells.csv"),
    "the note over the table": (f"{COUNTED} --method rounding --note out.csv", "out.csv"),
    "records that share a key": (
        "tabulate records.csv --rows r --columns c --key key --out t.csv",
        "different keys",
    ),
    "a plan of two ways": ("run two.toml", "published in one way"),
    "a plan of no way": ("run none.toml", "suppress is required, or adjust"),
    "a plan with a key nobody knows": ("run unknown.toml", "no parameter bogus"),
    "a plan without a method": ("run nomethod.toml", "method is required"),
    "a note of withheld cells": ("run note.toml", "quality note of an adjusted table"),
    "a base that is text in a plan": ("run type.toml", "base must be a number"),
    "a section that is a number": ("run list.toml", "adjust"),
}


@pytest.mark.parametrize("case", CASES)
def test_it_is_refused_with_a_way_out_and_nothing_is_written(case, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, content in {"cells.csv": CELLS, **HEADS, **PLANS}.items():
        (tmp_path / name).write_text(content)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    words, wanted = CASES[case]
    assert run_command(shlex.split(words)) in (1, 2)
    told = capsys.readouterr().err
    assert wanted in told
    assert SECRET not in told
    assert "Traceback" not in told
    assert "Internal fault" not in told
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_there_are_more_than_forty():
    assert len(CASES) >= 40
