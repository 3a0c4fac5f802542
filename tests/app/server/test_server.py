"""Files, children and folders: nothing is whole in memory, nothing is left, whoever dies first."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from app.conftest import Visitor, events, running
from tacita.app.server.application import Site


def within(seconds, condition):
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.02)


def loaded(visitor):
    visitor.post("/microdata/data/demo")
    return visitor.wait_for("/microdata/data", 'data-testid="records"')


def runs(pid):
    """Whether a process is there; one that has ended and that nobody asked after is not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def memory_of(pid):
    """The most that a process ever held, in MB."""
    return int(re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())[1]) / 1000


def test_a_file_of_200_mb_goes_to_disk_without_being_held(own_app):
    visitor = Visitor(own_app).enter()

    def chunks():
        for _ in range(200):
            yield b"x" * 1_000_000

    headers = {"X-File-Name": "large.unknown", "Content-Length": str(200_000_000)}
    answer = visitor.ask("PUT", "/microdata/data/file", chunks(), headers)
    assert answer.status == 200
    assert memory_of(own_app.process.pid) < 60
    assert "large.unknown" in visitor.wait_for("/microdata/data", 'data-state="refused"')
    # what cannot be read is not kept
    within(2, lambda: not [each for each in own_app.folder.rglob("source-*") if each.is_file()])


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("../../etc/passwd.csv", "passwd.csv"),
        ("C:\\secret\\a.csv", "a.csv"),
        ("<script>alert(1)</script>.csv", "script&gt;.csv"),
        ("a\u202eb\n.csv", "ab.csv"),
    ],
)
def test_the_name_of_a_file_is_only_shown(visitor, name, shown):
    def files():
        return {each for each in visitor.app.folder.rglob("*") if each.is_file()}

    before = files()
    answer = visitor.send("/microdata/data/file", b"age,x\n1,2\n3,4\n", name)
    assert answer.status == 200
    text = visitor.wait_for("/microdata/data", 'data-testid="loaded-file"')
    assert f"{shown}</strong>" in text
    assert "<script>alert" not in text
    new = files() - before
    assert new
    assert all(re.fullmatch(r"source-[\w-]+\.csv", each.name) for each in new)


def test_folders_are_for_their_owner_alone(visitor):
    loaded(visitor)
    for place in [visitor.app.folder, *visitor.app.folder.rglob("*")]:
        if place.is_dir():
            assert place.stat().st_mode & 0o777 == 0o700, place


def test_a_column_named_as_markup_is_text(visitor):
    visitor.send("/microdata/data/file", b"<script>alert(1)</script>,x\n1,2\n3,4\n", "a.csv")
    visitor.wait_for("/microdata/data", 'data-testid="records"')
    text = visitor.get("/microdata/roles").text
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text


@pytest.mark.parametrize("columns", [1_000, pytest.param(10_000, marks=pytest.mark.long)])
def test_thousands_of_columns_come_a_hundred_at_a_time(visitor, columns):
    names = ",".join(f"c{i}" for i in range(columns))
    rows = "\n".join(",".join(["1"] * columns) for _ in range(3))
    visitor.send("/microdata/data/file", f"{names}\n{rows}\n".encode(), "wide.csv")
    visitor.wait_for("/microdata/data", 'data-testid="records"', seconds=300)
    text = visitor.get(f"/microdata/roles?from={columns - 100}").text
    assert text.count("data-role>") == 100
    assert f'data-testid="role-c{columns - 1}"' in text
    text = visitor.get("/microdata/roles?find=c77").text
    assert text.count("data-role>") == (11 if columns == 1_000 else 100)
    assert visitor.post("/microdata/roles?find=c77", **{"role.770": "quasi"}).status == 303
    assert 'role-quasi">c770' in visitor.get("/microdata/roles?find=c770").text


def test_values_are_hidden_until_they_are_asked_for(visitor):
    visitor.send("/microdata/data/file", b"age,town\n31,Quibble\n42,Snark\n", "a.csv")
    visitor.wait_for("/microdata/data", 'data-testid="records"')
    assert "Quibble" not in visitor.get("/microdata/data").text
    assert "Quibble" in visitor.get("/microdata/data?values=shown").text
    assert "Quibble" not in visitor.get("/microdata/data").text


def test_how_a_text_is_written_is_guessed_and_can_be_corrected(visitor):
    visitor.send("/microdata/data/file", "age;town\n1,5;Açores\n2,5;Évora\n".encode("cp1252"), "a.csv")
    text = visitor.wait_for("/microdata/data", 'data-testid="records"')
    chosen = re.findall(r"<option[^>]*selected>([^<]+)<", text.partition('data-testid="dialect"')[2])
    assert chosen == ["semicolon ;", "comma ,", "cp1252"]
    visitor.post("/microdata/data/dialect", delimiter="bar", decimal=".", encoding="cp1252")
    within(10, lambda: ">1</dd>" in visitor.get("/microdata/data").text)


def test_roles_that_are_saved_are_measured(visitor):
    loaded(visitor)
    text = visitor.get("/microdata/roles").text
    assert re.search(r'risk-unique">600<', text)
    # all but employees (column 5) are released as they are
    fields = {f"role.{place}": "other" for place in range(14)} | {"role.5": "quasi"}
    assert visitor.post("/microdata/roles", **fields).status == 303
    text = visitor.wait_for("/microdata/roles", 'data-testid="risk-unique"')
    assert re.search(r'risk-unique">40<', text)
    assert 'roles-problem"' not in text
    visitor.post("/microdata/roles", **{"role.5": "other"})
    assert 'roles-problem"' in visitor.get("/microdata/roles").text


def test_no_node_no_download_and_no_other_name_than_those_of_the_list(visitor):
    loaded(visitor)
    for name in ("data", "note", "report", "plan", "script", "history"):
        assert visitor.get(f"/microdata/get/{name}").status == 409
    for name in ("passwd", "..%2f..%2fpid", "%2e%2e"):
        assert visitor.get(f"/microdata/get/{name}").status == 404


@pytest.mark.long
def test_events_resume_where_the_connection_was_lost(newcomer):
    loaded(newcomer)
    told = []
    for name, message in events(newcomer):
        told.append((name, message))
        if name == "ended" and message["state"] == "done" and len([e for e, _ in told if e == "ended"]) == 2:
            break
    assert {"progress", "ended"} == {name for name, _ in told}
    later = next(events(newcomer, after=len(told) - 1))
    assert later == told[-1]


def test_end_and_delete_leaves_nothing_and_lets_nobody_in_again(own_app):
    visitor = Visitor(own_app).enter()
    loaded(visitor)
    answer = visitor.post("/end")
    assert answer.status == 200
    assert visitor.get("/").status == 403
    assert [each.name for each in own_app.folder.iterdir()] == ["pid"]


def test_cancelling_ends_the_child_soon_and_writes_nothing(own_app):
    visitor = Visitor(own_app).enter()
    within(20, lambda: len(own_app.children()) == 1)
    # large enough that reading takes a while
    rows = b"1,2,3,4,5,6,7,8\n" * 6_000_000
    visitor.send("/microdata/data/file", b"a,b,c,d,e,f,g,h\n" + rows, "a.csv")
    assert 'data-state="shown"' in visitor.get("/microdata/data").text
    busy = set(own_app.children())
    assert visitor.post("/microdata/cancel").status == 303
    # within a second on a machine that has time: `python -m benchmarks page` measures it
    within(5, lambda: busy - set(own_app.children()))
    text = visitor.get("/microdata/data").text
    assert 'data-testid="verdict" data-state="cancelled"' in text
    assert "Nothing was written" in text
    assert not list(own_app.folder.rglob("source-*"))


def test_a_server_that_is_killed_leaves_neither_child_nor_file(tmp_path):
    with running(tmp_path) as app:
        loaded(Visitor(app).enter())
        within(20, lambda: len(app.children()) == 2)
        folder, children = app.folder, app.children()
        app.process.send_signal(signal.SIGKILL)
        app.process.wait()
        began = time.monotonic()
        within(2, lambda: not folder.exists())
        within(2, lambda: not any(runs(pid) for pid in children))
        assert time.monotonic() - began < 2.5


@pytest.mark.long
def test_ctrl_c_with_an_open_stream_is_out_in_three_seconds(tmp_path):
    with running(tmp_path) as app:
        visitor = Visitor(app).enter()
        loaded(visitor)
        stream = events(visitor)
        next(stream)
        children = app.children()
        began = time.monotonic()
        app.process.send_signal(signal.SIGINT)
        app.process.wait(5)
        assert time.monotonic() - began < 3
        within(1, lambda: not any(runs(pid) for pid in children))
        assert not list(tmp_path.glob("tacita-app-*"))


def test_what_servers_left_that_are_gone_is_swept_at_the_next_start(tmp_path):
    left, of_other = tmp_path / "tacita-app-left", tmp_path / "tacita-app-running"
    for folder, pid in ((left, 2**22 + 1), (of_other, os.getpid())):
        folder.mkdir()
        (folder / "pid").write_text(str(pid))
    with running(tmp_path):
        assert not left.exists()
        assert of_other.exists()


def test_a_parquet_file_that_unfolds_into_too_much_is_refused(visitor, tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    bomb = tmp_path / "bomb.parquet"
    nothing = [pa.nulls(11_000_000, pa.int8())] * 20
    pq.write_table(pa.table(nothing, names=[f"c{i}" for i in range(20)]), bomb, compression="zstd")
    assert bomb.stat().st_size < 5_000_000
    visitor.send("/microdata/data/file", bomb.read_bytes(), "bomb.parquet")
    text = visitor.wait_for("/microdata/data", 'data-state="refused"')
    assert "bomb.parquet: 11000000 records x 20 columns are more than" in text


def test_a_plan_is_opened_and_its_roles_are_those_of_the_file_that_follows(visitor):
    plan = (
        'version = 1\n[input]\npath = "a.csv"\ndelimiter = ";"\n[roles]\nquasi = ["x"]\n'
        'identifiers = ["age"]\n[protect]\nk = 4\n[output]\npath = "b.csv"\n'
    )
    answer = visitor.send("/open", plan.encode(), "plan.toml")
    assert json.loads(answer.text) == {"next": "/microdata/data"}
    assert "a.csv" in visitor.get("/microdata/data").text
    visitor.send("/microdata/data/file", b"age;x\n1;2\n3;4\n", "a.csv")
    visitor.wait_for("/microdata/data", 'data-testid="records"')
    text = visitor.get("/microdata/roles").text
    assert 'role-identifiers">age' in text
    assert 'role-quasi">x' in text


@pytest.mark.parametrize("content", [b"no toml at [all", b"version = 1\n", b"\xff\xfe", b"{}"])
def test_what_is_no_plan_is_refused_in_words(visitor, content):
    answer = visitor.send("/open", content, "plan.toml")
    told = json.loads(answer.text)
    assert told["message"]
    assert "next" not in told


@pytest.mark.long
def test_with_demo_the_survey_is_there_when_the_browser_is(tmp_path):
    with running(tmp_path, "--demo") as app:
        text = Visitor(app).enter().wait_for("/microdata/data", 'data-testid="records"')
        assert "survey.csv" in text


def test_the_command_becomes_the_server_without_loading_a_library_of_data():
    program = (
        "import os, sys; from tacita.cli import run_command;"
        "os.execv = lambda *words: print(*(name in sys.modules for name in ('numpy', 'pyarrow')));"
        "run_command(['app', '--no-browser'])"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert told.stdout.split() == ["False", "False"]


def test_methods_are_listed_before_anybody_asks_for_them(tmp_path, monkeypatch):
    monkeypatch.setenv("TACITA_NO_WARMUP", "1")
    site, asked = Site("127.0.0.1", 1, tmp_path), []

    class Waiting:
        async def ask(self, verb, _given):
            asked.append(verb)
            return {"methods": []}

        async def end(self):
            asked.append("end")

    async def waiting():
        return Waiting()

    async def lived():
        monkeypatch.setattr(site.children, "prepare", lambda: None)
        monkeypatch.setattr(site.children, "take", waiting)
        async with site.lifespan(None):
            await asyncio.sleep(0.01)
            assert asked == ["methods", "end"]
            assert await site.catalogue() == {"methods": []}
        assert len(asked) == 2

    asyncio.run(lived())
