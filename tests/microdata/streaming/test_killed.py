"""Killed at any moment: nothing partial, and the same plan goes on to the same bytes."""

import hashlib
import os
import random
import signal
import subprocess
import sys
import time

import pyarrow.parquet as pq
import pytest

from effort import first_of
from people_in_parts import ASKED, PARTS, bytes_of, nothing_hidden, people
from tacita import api

# Kills itself when it has told of its progress so often; 0: never.
SCRIPT = """
import os, signal, sys
from tacita import api
from tacita.core import RunContext
moment, folder, workers, asked = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), eval(sys.argv[4])
heard = 0

def listen(_):
    global heard
    heard += 1
    if heard == moment:
        os.kill(os.getpid(), signal.SIGKILL)

executor = {"name": "processes" if workers else "serial", "workers": workers or None, "part": 300}
places = f"{folder}/in.parquet", f"{folder}/out.parquet"
api.protect_file(*places, executor=executor, context=RunContext(on_progress=listen), **asked)
print(heard)
"""


def begun(folder, moment, workers=0):
    words = [sys.executable, "-c", SCRIPT, str(moment), str(folder), str(workers), repr(ASKED)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.fixture
def expected(tmp_path):
    """The bytes that come out where nobody is killed; the source lies in the folder of the test."""
    pq.write_table(people(), tmp_path / "in.parquet")
    api.protect_file(tmp_path / "in.parquet", tmp_path / "out.parquet", executor=PARTS, **ASKED)
    found = bytes_of(tmp_path / "out.parquet")
    (tmp_path / "out.parquet").unlink()
    return found


def left(folder):
    """What a run that was killed has left, by name and content, but for its lock."""
    (hidden,) = [path for path in folder.iterdir() if path.name.startswith(".tacita-parts-")]
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in hidden.iterdir()
        if not path.name.startswith(("~", "lock", "pair-"))
    }


@pytest.mark.parametrize("moment", first_of([25, 12, 5], 1))
def test_a_run_that_is_killed_leaves_nothing_partial_and_goes_on(moment, expected, tmp_path):
    process = begun(tmp_path, moment)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert not (tmp_path / "out.parquet").exists()
    before = left(tmp_path)
    # killed again a little later, it has kept what the first one made
    process = begun(tmp_path, 3)
    process.communicate()
    assert before.items() <= left(tmp_path).items()
    api.protect_file(tmp_path / "in.parquet", tmp_path / "out.parquet", executor=PARTS, **ASKED)
    assert bytes_of(tmp_path / "out.parquet") == expected
    assert nothing_hidden(tmp_path)


@pytest.mark.long
def test_another_executor_goes_on_where_one_was_killed(expected, tmp_path):
    begun(tmp_path, 14).communicate()
    assert any(name.startswith("made-") for name in left(tmp_path))
    process = begun(tmp_path, 0, workers=2)
    _, problem = process.communicate()
    assert process.returncode == 0, problem
    assert bytes_of(tmp_path / "out.parquet") == expected


def test_what_another_file_or_plan_left_is_not_taken(expected, tmp_path):
    begun(tmp_path, 14).communicate()
    pq.write_table(people(seed=9), tmp_path / "in.parquet")
    api.protect_file(tmp_path / "in.parquet", tmp_path / "out.parquet", executor=PARTS, **ASKED)
    assert bytes_of(tmp_path / "out.parquet") != expected


def test_what_was_left_of_a_file_is_not_taken_for_a_folder(expected, tmp_path):
    begun(tmp_path, 25).communicate()
    assert "released.parquet" in left(tmp_path)
    api.protect_file(tmp_path / "in.parquet", tmp_path / "released", executor=PARTS, **ASKED)
    (file,) = (tmp_path / "released").iterdir()
    assert bytes_of(file) == expected


@pytest.mark.long
@pytest.mark.parametrize("who", ["the run", "a worker"])
def test_killed_at_random_moments_it_ends_in_the_same_bytes(who, expected, tmp_path):
    draw = random.Random(7)
    began = time.monotonic()
    begun(tmp_path, 0, workers=2).communicate()
    lasts = time.monotonic() - began
    (tmp_path / "out.parquet").unlink()
    killed = 0
    while killed < 25:
        process = begun(tmp_path, 0, workers=2)
        time.sleep(draw.uniform(0.1, lasts))
        children = _children(process.pid)
        if who == "a worker" and children:
            os.kill(draw.choice(children), signal.SIGKILL)
            killed += 1
            _, problem = process.communicate()
            assert process.returncode == 0, problem
        elif who == "the run" and process.poll() is None:
            process.kill()
            killed += 1
        process.communicate()
        if (tmp_path / "out.parquet").exists():
            assert bytes_of(tmp_path / "out.parquet") == expected
            assert nothing_hidden(tmp_path)
            (tmp_path / "out.parquet").unlink()
    api.protect_file(tmp_path / "in.parquet", tmp_path / "out.parquet", executor=PARTS, **ASKED)
    assert bytes_of(tmp_path / "out.parquet") == expected


def _children(process):
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process)], capture_output=True, text=True)
    return [int(word) for word in found.stdout.split()]
