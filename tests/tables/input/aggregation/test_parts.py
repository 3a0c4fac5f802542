"""Tables of records in parts: the table, or the refusal, that memory makes, wherever they are made."""

import json
import os
import signal
import stat
import subprocess
import sys
from contextlib import suppress

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita
from effort import DEAR
from people_in_parts import nothing_hidden, split
from tacita import api
from tacita.core import Cancelled, DataError, ParameterError, RunContext
from tacita.io.workdir import Scratch

REGION = {"north": ["n1", "n2"], "south": {"s1": ["s11", "s12"], "s2": None}, "island": None}
LEAVES = ["n1", "n2", "s11", "s12", "s2", "island"]
NAMES = ["ACME", "acme ", "Bolt", "bolt", "Cog", "01", "1", "Dyne", "dyne\u200b", "Eel", "Fig", "Gnu"]
PARTS = {"name": "serial", "part": 100}
FIGURES = ("total", "count", "largest", "holders", "frequency", "requested", "open")
EVERYTHING = {"weight": "w", "unit": "firm", "request": "asks", "waiver": "waives", "key": "k"}


def records(seed=0, n=700, whole=False):
    rng = np.random.default_rng(seed)
    region = rng.choice(LEAVES, n, p=[0.5, 0.3, 0.1, 0.05, 0.04, 0.01])
    return pa.table(
        {
            "region": region,
            "town": [f"{each}-{draw}" for each, draw in zip(region, rng.integers(0, 3, n), strict=True)],
            "code": rng.choice(["A10", "A11", "B20", "B21"], n),
            "size": rng.choice([2.0, 10.0, 9.0], n),
            "x": rng.integers(-3, 50, n) * 1.0 if whole else np.round(rng.normal(20, 30, n), 2),
            "w": rng.choice([0.0, 0.3, 1.0, 2.5, 7.0], n),
            "firm": rng.choice(NAMES, n),
            "asks": rng.choice(["yes", "0", None], n, p=[0.1, 0.6, 0.3]),
            "waives": rng.random(n) < 0.3,
            "k": rng.random(n),
            "free": [f"secret {draw}" for draw in rng.integers(0, 9, n)],
        }
    )


def same(one, other):
    """Whether two tables are one, to the last bit."""
    assert [(each.labels, each.parents) for each in one.dimensions] == [
        (each.labels, each.parents) for each in other.dimensions
    ]
    assert one.values.tobytes() == other.values.tobytes()
    for name in FIGURES:
        mine, theirs = getattr(one.contributors, name), getattr(other.contributors, name)
        assert mine.dtype == theirs.dtype
        assert mine.tobytes() == theirs.tobytes(), name
    assert one.contributors.respelled == other.contributors.respelled
    assert one.primary.tolist() == other.primary.tolist()
    assert (one.keys is None) == (other.keys is None)
    if one.keys is not None and other.keys is not None:
        for name in ("key", "count", "largest"):
            assert getattr(one.keys, name).tobytes() == getattr(other.keys, name).tobytes()
    return True


DIVISIONS = [
    {"dimensions": ["size"]},
    {"dimensions": {"region": REGION, "size": None}},
    {"dimensions": ["code", "region"], "prefixes": {"code": [1]}},
    {"dimensions": ["town", "size", "code"], "parents": {"town": "region"}, "total": "all"},
]


@DEAR
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 900),
    part=st.integers(100, 400),
    borders=st.lists(st.integers(1, 899), max_size=3, unique=True),
    division=st.sampled_from(DIVISIONS),
    value=st.sampled_from(["x", None]),
    behind=st.sets(st.sampled_from([*EVERYTHING])),
    depth=st.integers(1, 4),
)
def test_parts_make_the_table_that_memory_makes_to_the_last_bit(
    tmp_path_factory, seed, n, part, borders, division, value, behind, depth
):
    folder = tmp_path_factory.mktemp("parts")
    table = records(seed, n)
    files = split(table, folder / "records", sorted(each for each in borders if each < n))
    asked = {**division, "value": value, "depth": depth, **{name: EVERYTHING[name] for name in behind}}
    whole = tacita.tabulate(table, **asked)
    assert same(whole, tacita.tabulate(files, executor={"name": "serial", "part": part}, **asked))
    assert nothing_hidden(folder)


@settings(max_examples=5)
@given(seed=st.integers(0, 10**6))
def test_parts_find_what_a_loop_over_holdings_finds(tmp_path_factory, seed):
    folder = tmp_path_factory.mktemp("parts")
    table = records(seed, whole=True)
    pq.write_table(table, folder / "records.parquet")
    found = tacita.tabulate(
        folder / "records.parquet", {"region": REGION}, "x", unit="firm", executor={**PARTS, "part": 150}
    )
    frame, (region,), who = table.to_pandas(), found.dimensions, found.contributors
    frame["firm"] = frame.firm.map({"acme ": "ACME", "bolt": "Bolt", "01": "1", "dyne\u200b": "Dyne"}).fillna(
        frame.firm
    )
    for cell, label in enumerate(region.labels):
        at = region.labels.index(label)
        below = {each for each in LEAVES if at in region.ancestors()[region.labels.index(each)]}
        firms = frame[frame.region.isin(below)].groupby("firm").x.sum().abs()
        assert found.values[cell] == frame[frame.region.isin(below)].x.sum()
        assert who.count[cell] == len(firms)
        assert who.total[cell] == firms.sum()
        assert who.largest[cell].tolist() == [*sorted(firms, reverse=True), 0, 0, 0][:3]
    assert who.respelled == 4


def test_executors_workers_and_splits_make_the_same_table(tmp_path, some):
    table = records(3, 1200)
    pq.write_table(table, tmp_path / "one.parquet")
    folder = split(table, tmp_path / "several", [1, 400, 850])
    asked = {"dimensions": {"region": REGION, "size": None}, "value": "x", **EVERYTHING}
    whole = tacita.tabulate(tmp_path / "one.parquet", **asked)
    ways = [
        ("one.parquet", PARTS),
        ("several", {"name": "processes", "workers": 1, "part": 100}),
        ("one.parquet", {"name": "processes", "workers": 2, "part": 500}),
        ("several", {"name": "dask", "workers": 2, "part": 250}),
    ]
    for place, executor in some(ways, 2):
        assert same(whole, tacita.tabulate(tmp_path / place, executor=executor, **asked))
    assert folder.is_dir()
    assert nothing_hidden(tmp_path)


def test_a_part_whose_process_is_killed_is_summed_again(tmp_path):
    pq.write_table(records(4), tmp_path / "records.parquet")
    killed = []

    def kill(told):
        if told.stage == "summing records" and not killed:
            words = ["ps", "-o", "pid=", "--ppid", str(os.getpid())]
            children = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()
            with suppress(ProcessLookupError):
                os.kill(int(children[0]), signal.SIGKILL)
                killed.append(children[0])

    asked = {"dimensions": ["region", "size"], "value": "x", "unit": "firm"}
    executor = {"name": "processes", "workers": 2, "part": 100}
    found = tacita.tabulate(
        tmp_path / "records.parquet", executor=executor, context=RunContext(on_progress=kill), **asked
    )
    assert killed
    assert same(tacita.tabulate(tmp_path / "records.parquet", **asked), found)
    assert nothing_hidden(tmp_path)


# Kills itself where sums are put together.
DYING = """
import os, signal, sys
import tacita
from tacita.core import RunContext

def listen(told):
    if told.stage == "putting sums together":
        os.kill(os.getpid(), signal.SIGKILL)

tacita.tabulate(sys.argv[1], ["region"], "x", unit="firm", executor={"name": "serial", "part": 100},
                context=RunContext(on_progress=listen))
"""


def test_a_run_that_is_killed_is_gone_on_with_and_what_it_left_is_removed(tmp_path, monkeypatch):
    source = tmp_path / "records.parquet"
    pq.write_table(records(5), source)
    died = subprocess.run([sys.executable, "-c", DYING, str(source)], capture_output=True)
    assert died.returncode == -signal.SIGKILL
    assert not nothing_hidden(tmp_path)
    asked = {"dimensions": {"region": REGION}, "value": "x", "unit": "firm"}
    # nobody deals records again, and cells are those of the hierarchy that is asked for now
    monkeypatch.setattr(Scratch, "deal", None)
    found = tacita.tabulate(source, executor=PARTS, **asked)
    assert same(tacita.tabulate(source, **asked), found)
    assert nothing_hidden(tmp_path)


def test_what_lies_on_disk_is_for_its_owner_and_gone_however_it_ends(tmp_path):
    pq.write_table(records(), tmp_path / "records.parquet")
    asked = {"dimensions": ["region"], "value": "x", "unit": "firm", "executor": PARTS}
    heard = []

    def listen(told):
        heard.append(told.stage)
        for hidden in tmp_path.glob(".tacita-parts-*"):
            assert stat.S_IMODE(hidden.stat().st_mode) == 0o700

    tacita.tabulate(tmp_path / "records.parquet", context=RunContext(on_progress=listen), **asked)
    stages = ["looking at all records", "summing records", "putting sums together"]
    assert list(dict.fromkeys(heard)) == stages
    for stage in stages:
        with pytest.raises(Cancelled):
            tacita.tabulate(tmp_path / "records.parquet", context=cancelled_at(stage), **asked)
        assert nothing_hidden(tmp_path)


def cancelled_at(stage):
    seen = []
    return RunContext(on_progress=lambda told: seen.append(told.stage), should_cancel=lambda: stage in seen)


def wrong(column, values):
    """Records with other values in a column of some records, far apart, so that they lie in several parts."""
    frame = records().to_pandas()
    frame[column] = frame[column].astype(object)
    for at, value in zip((5, 333, 690), values, strict=True):
        frame.loc[at, column] = value
    return pa.Table.from_pandas(frame, preserve_index=False)


@pytest.mark.parametrize(
    ("column", "values", "change", "message"),
    [
        ("region", [None] * 3, {}, "column region has no label in 3 records"),
        ("region", ["x1", "x2", "x1"], {}, "column region has 2 labels that are no leaves"),
        (
            "town",
            ["n1-0"] * 3,
            {"dimensions": ["town"], "parents": {"town": "region"}},
            "several labels above",
        ),
        ("x", [np.nan] * 3, {}, "column x wants a number in every record, 3 have none"),
        ("x", [np.inf] * 3, {}, "column x: 3 values are infinite"),
        ("x", [1e160, -1e160, 2e150], {}, "column x: 3 values lie beyond"),
        ("w", [-1.0] * 3, {"weight": "w"}, "column w wants a number of at least 0 in every record, 3 have"),
        ("firm", [None] * 3, {"unit": "firm"}, "column firm names no unit in 3 records"),
        ("asks", ["perhaps"] * 3, {"request": "asks"}, "column asks marks records .* 3 records have another"),
        ("k", [1.0, -0.1, 7.0], {"key": "k"}, "column k wants a key .* 3 have none"),
        ("free", ["a"] * 3, {"value": "free"}, "column free: wanted numbers, got"),
        ("free", ["a"] * 3, {"unit": "nobody"}, "there is no column nobody"),
        ("free", ["a"] * 3, {"dimensions": []}, "wanted the columns that span"),
    ],
)
def test_what_cannot_be_summed_is_refused_with_its_number_in_the_whole_file(
    column, values, change, message, tmp_path
):
    pq.write_table(wrong(column, values), tmp_path / "records.parquet")
    asked = {"dimensions": {"region": REGION}, "value": "x", **change}
    told = []
    for executor in ({"name": "in-memory"}, PARTS):
        with pytest.raises(tacita.TacitaError, match=message) as problem:
            tacita.tabulate(tmp_path / "records.parquet", executor=executor, **asked)
        told.append(str(problem.value))
    assert told[0] == told[1]
    assert "secret" not in told[0]
    assert nothing_hidden(tmp_path)


def test_more_cells_than_a_table_can_have_are_refused_by_their_number(tmp_path):
    rng = np.random.default_rng(0)
    names = [f"d{at}" for at in range(12)]
    pq.write_table(pa.table({name: rng.integers(0, 60, 300) for name in names}), tmp_path / "records.parquet")
    for dimensions in (names, names[:6]):
        for executor in ({"name": "in-memory"}, PARTS):
            with pytest.raises(DataError, match=rf"{len(dimensions)} dimensions .* span \d+ cells; a table"):
                tacita.tabulate(tmp_path / "records.parquet", dimensions, executor=executor)


@pytest.mark.parametrize("different", [1, 200])
def test_keys_that_records_of_several_parts_share_are_counted_over_all(different, tmp_path):
    drawn = np.random.default_rng(1).random(different)
    table = records().set_column(9, "k", pa.array(drawn[np.arange(700) % different]))
    pq.write_table(table, tmp_path / "records.parquet")
    for executor in ({"name": "in-memory"}, PARTS):
        with pytest.raises(DataError, match=f"has {different} different keys for 700 records"):
            tacita.tabulate(tmp_path / "records.parquet", ["region"], key="k", executor=executor)


PLAN = """
version = 1
{executor}
[input]
path = "records"
[table]
{shared}
{tables}
[[rules]]
name = "p-percent"
p = 20
[suppress]
problem = "interval"
{output}
"""
ONE = {
    "shared": 'dimensions = ["region", "size"]\nvalue = "v"\nunit = "firm"',
    "tables": "",
    "output": '[output]\npath = "a.csv"\njson = "told.json"',
}
LINKED = {
    "shared": 'value = "v"\nunit = "firm"',
    "tables": '[[tables]]\ndimensions = ["region", "size"]\noutput = "a.csv"\n'
    '[[tables]]\ndimensions = ["region", "code"]\noutput = "b.csv"\n',
    "output": '[output]\njson = "told.json"',
}


@pytest.mark.long
@pytest.mark.parametrize("sections", [ONE, LINKED], ids=["one table", "linked tables"])
def test_a_plan_publishes_the_same_bytes_by_every_executor(sections, tmp_path):
    table = records(8)
    table = table.append_column("v", pa.array(np.abs(table["x"].to_numpy())))
    split(table, tmp_path / "records", [333])
    published = []
    for executor in ("", 'executor = { name = "processes", workers = 2, part = 150 }'):
        (tmp_path / "plan.toml").write_text(PLAN.format(executor=executor, **sections))
        api.run_table(api.load_plan(tmp_path / "plan.toml"), force=True)
        told = json.loads((tmp_path / "told.json").read_text())
        files = {path.name: path.read_bytes() for path in tmp_path.glob("*.csv")}
        published.append((files, told["fingerprint"], told["release_fingerprint"]))
        assert api.audit_plan(api.load_plan(tmp_path / "plan.toml")).safe
    assert published[0] == published[1]
    assert nothing_hidden(tmp_path)


def test_a_saved_plan_and_its_script_name_the_executor(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pq.write_table(records(), "records.parquet")
    plan = tacita.tables.plans.plan.TabulatePlan(
        input={"path": "records.parquet"},
        executor={"name": "serial", "part": 200},
        table={"dimensions": ["region"], "value": "x"},
        output={"path": "cells.csv"},
    )
    assert type(plan).from_toml(plan.to_toml()) == plan
    api.tabulate_file(plan)
    first = (tmp_path / "cells.csv").read_bytes()
    (tmp_path / "cells.csv").unlink()
    assert "executor={'name': 'serial', 'part': 200}" in plan.to_python()
    exec(plan.to_python(), {})
    assert (tmp_path / "cells.csv").read_bytes() == first


class TestRefused:
    def test_files_that_are_not_parquet(self, tmp_path):
        pd.DataFrame({"d": ["a"], "x": [1]}).to_csv(tmp_path / "records.csv", index=False)
        with pytest.raises(ParameterError, match="an executor that works in parts reads Parquet"):
            tacita.tabulate(tmp_path / "records.csv", ["d"], "x", executor="serial")

    def test_records_of_tau_argus(self, tmp_path):
        with pytest.raises(ParameterError, match=r"executor processes works in parts .* file of tau-ARGUS"):
            tacita.tabulate(tmp_path / "records.asc", meta=tmp_path / "records.rda", executor="processes")

    def test_a_graphics_card(self, tmp_path):
        with pytest.raises(ParameterError, match="device cuda is for methods that group records"):
            tacita.tabulate(tmp_path / "records.parquet", ["d"], executor={"device": "cuda"})

    def test_frames(self):
        with pytest.raises(ParameterError, match="executor serial works on files, and this is a frame"):
            tacita.tabulate(records(), ["region"], executor="serial")

    def test_lists_of_cells(self):
        tables = [{"dimensions": ["a", "b"], "input": "a.csv", "output": "b.csv"}]
        with pytest.raises(ParameterError, match="lists hold sums already"):
            tacita.tables.plans.plan.LinkedPlan(
                executor="serial", tables=tables, suppress={"problem": "exact"}
            )
