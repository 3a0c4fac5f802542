"""The window of fuzzy c-regression without a browser: what a child streams, and what the server lets go."""

import json
import threading
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

import tacita
from app.conftest import Visitor, events, running
from app.worker.test_dispatcher import Asked
from tacita import datasets
from tacita.app.worker import fuzzy
from tacita.app.worker.job_context import JobContext
from tacita.io.points import read_points

NAMES = ("PIL", "DR", "SCORE")
BASE = {"c": "3", "m": "1.5", "eps": "0.0001", "rmax": "30", "seed": "0", "model": "linear"}
RUN = {**BASE, "waits": "0", "seconds": "0", "low": "0", "high": "14"}


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    """A server whose folder nobody else looks into."""
    with running(tmp_path_factory.mktemp("fuzzy")) as found:
        yield found


@pytest.fixture(scope="module")
def worker():
    found = Asked()
    yield found
    found.end()


@pytest.fixture
def asked(worker, tmp_path):
    to = tmp_path / "points.txt"
    worker.ask("fuzzy-clouds", to=str(to))
    return {
        "path": str(to),
        "shown_as": "points.txt",
        "names": ["x", "y"],
        "parameters": {"c": 4, "seed": 0, "eps": 1e-9},
        "folder": str(tmp_path),
        "loaded": True,
        "waits": False,
        "seconds": 0,
        "view": [0, 14],
    }


def plain(**options):
    given = {"c": 4, "seed": 0, "eps": 1e-9, **options}
    roles = {"dependent": "y", "independent": "x"}
    return tacita.synthesize(datasets.five_clouds(), **roles, method="fcrm", measures=NAMES, **given)


def shown_in(folder):
    return json.loads((folder / "shown.json").read_text())


def words_after(worker, told, say):
    """Say words as rounds are told: `say(message)` returns those that follow a message."""
    number, done = worker.number, None
    while done is None:
        message = worker.line()
        assert message["id"] == number
        told.append(message)
        for word in say(message):
            worker.write(word)
        done = message if message["event"] in ("done", "refused", "broken") else None
    return done


def begin(worker, verb, **given):
    worker.number += 1
    worker.write({"id": worker.number, "verb": verb, "given": given})


def test_what_is_shown_last_is_the_release_of_a_plain_synthesis(worker, asked, tmp_path):
    answer = worker.ask("fuzzy-watch", **asked)["answer"]
    assert answer["verified"]
    release, shown = plain(), shown_in(tmp_path)
    assert [shown[name] for name in NAMES] == [release.report[name].value for name in NAMES]
    assert np.allclose(shown["released"], release.data["y"].to_numpy(), rtol=1e-6)
    assert len(shown["objectives"]) == shown["iteration"] == 30
    assert shown["objectives"][-1] == shown["objective"]
    assert len(shown["curves"]) == 4
    frame = tacita.read(tmp_path / "release.csv")
    assert frame.numbers("y").tolist() == release.data["y"].to_pylist()
    assert frame.numbers("x").tolist() == datasets.five_clouds()["x"].to_pylist()


def test_steps_wait_for_a_word_and_stop_keeps_the_round_it_is_in(worker, asked, tmp_path):
    begin(worker, "fuzzy-watch", **{**asked, "waits": True})
    told, heard = [], []

    def say(message):
        if message["event"] != "iteration":
            return []
        heard.append((message["iteration"], shown_in(tmp_path)["iteration"], message["waits"]))
        return [{"word": "step"}] if len(heard) < 4 else [{"word": "enough"}]

    answer = words_after(worker, told, say)["answer"]
    assert heard == [(i, i, True) for i in range(1, 5)]
    assert answer["verified"]
    released = tacita.read(tmp_path / "release.csv").numbers("y")
    assert np.allclose(shown_in(tmp_path)["released"], released, rtol=1e-6)
    assert not np.allclose(released, plain().data["y"].to_numpy())


def test_a_pause_holds_the_run_until_it_goes_on(worker, asked):
    begin(worker, "fuzzy-watch", **{**asked, "seconds": 0.1})
    told = []

    def say(message):
        if message["event"] == "iteration" and message["iteration"] == 2:
            return [{"word": "pause"}]
        if message["event"] == "pace" and message["waits"]:
            # a run that did not hold would tell of more rounds meanwhile
            told_before = len(told)
            timer = threading.Timer(0.5, lambda: worker.write({"word": "go"}))
            timer.start()
            waiting.append(told_before)
        if message["event"] == "pace" and not message["waits"]:
            waiting.append(len(told) - 1)
            return [{"word": "speed", "seconds": 0}]
        return []

    waiting = []
    assert words_after(worker, told, say)["event"] == "done"
    assert waiting[0] == waiting[1]


def test_rounds_are_shown_ten_times_a_second_at_most_and_the_last_one_always(asked, monkeypatch):
    now, told = [0.0], []

    def clock():
        now[0] += 0.013
        return now[0]

    monkeypatch.setattr(fuzzy.time, "monotonic", clock)
    context = JobContext()
    context.begin(lambda event, message: told.append((now[0], message)) if event == "iteration" else None)
    fuzzy.watch(asked, context)
    assert [message["iteration"] for _, message in told][:: len(told) - 1] == [1, 30]
    assert 2 < len(told) < 15
    assert all(later - sooner >= 0.1 for (sooner, _), (later, _) in pairwise(told[:-1]))


def test_loaded_points_that_are_refused_do_not_leave_and_drawn_ones_may(worker, asked, tmp_path):
    radial = {**asked, "parameters": {"c": 5, "seed": 0, "model": "radial"}}
    refused = worker.ask("fuzzy-watch", **radial)
    assert refused["event"] == "refused"
    assert "leverage" in refused["message"]
    assert not (tmp_path / "release.csv").exists()
    answer = worker.ask("fuzzy-watch", **{**radial, "loaded": False})["answer"]
    assert not answer["verified"]
    assert "leverage" in answer["message"]
    written = tacita.read(tmp_path / "release.csv").numbers("y")
    assert np.allclose(written, shown_in(tmp_path)["released"], rtol=1e-6)


def test_a_sweep_has_the_figures_of_ten_plain_runs(worker, asked):
    answer = worker.ask("fuzzy-sweep", **asked)["answer"]
    assert [each["c"] for each in answer["trials"]] == list(range(1, 11))
    assert [each["c"] for each in worker.told if each["event"] == "trial"] == list(range(1, 11))
    for c in (1, 5, 10):
        report = plain(c=c, max_leverage=1, max_unchanged=1).report
        assert [answer["trials"][c - 1][name] for name in NAMES] == [report[name].value for name in NAMES]


def test_a_parameter_that_is_wrong_is_named(worker, asked):
    for name, value in (("m", 0.5), ("c", 11), ("eps", 7)):
        wrong = {**asked, "parameters": {**asked["parameters"], name: value}}
        assert name in worker.ask("fuzzy-watch", **wrong)["fields"]


def ended(visitor, after):
    for name, message in events(visitor, after):
        if name == "ended" and message["about"] == "fuzzy":
            return message
    raise AssertionError("the stream closed")


def told(answer):
    assert answer.status == 200
    return json.loads(answer.text)


def finished(visitor, path, **fields):
    after = told(visitor.get("/fuzzy/state"))["at"]
    assert told(visitor.post(path, **fields))["state"] in ("running", "sweeping", "done", "idle", "refused")
    ended(visitor, after)
    return told(visitor.get("/fuzzy/state"))


def test_of_two_answers_the_later_has_the_higher_number_though_nothing_happened_between(newcomer):
    first, second = (told(newcomer.get("/fuzzy/state")) for _ in range(2))
    assert first["at"] == second["at"]
    assert first["number"] < second["number"]


@pytest.mark.long
def test_a_file_its_columns_a_run_and_its_download(newcomer, tmp_path):
    rng = np.random.default_rng(5)
    x = rng.normal(loc=[0, 5, 9], size=(90, 3))
    text = "a;b;c\n" + "".join(";".join(f"{v:.3f}".replace(".", ",") for v in row) + "\n" for row in x)
    answer = told(newcomer.send("/fuzzy/file", text.encode(), "three <b>.txt"))
    assert answer["columns"] == ["a", "b", "c"]
    assert answer["file"] == "three <b>.txt"
    told(newcomer.post("/fuzzy/columns", independent="2", dependent="0"))
    points = tmp_path / "points.txt"
    points.write_text(newcomer.get("/fuzzy/points").text)
    got = read_points(points, names=["c", "a"]).matrix(["c", "a"])
    assert np.allclose(got, x[:, [2, 0]].round(3))
    assert newcomer.get("/fuzzy/get/data").status == 409
    state = finished(newcomer, "/fuzzy/run", **RUN)
    assert state["verdict"]["state"] == "verified"
    download = newcomer.get("/fuzzy/get/data")
    assert download.status == 200
    assert "attachment" in download.getheader("content-disposition")
    assert download.text.splitlines()[0] == "c,a"
    frame = {"c": got[:, 0], "a": got[:, 1]}
    release = tacita.synthesize(
        pa.table(frame), dependent="a", independent="c", method="fcrm", c=3, seed=0, measures=NAMES
    )
    synthetic = [float(line.split(",")[1]) for line in download.text.splitlines()[1:]]
    assert synthetic == release.data["a"].to_pylist()
    # other points: what was found in those before is not theirs
    told(newcomer.ask("PUT", "/fuzzy/points", b"1 2\n3 4\n5 7\n"))
    assert newcomer.get("/fuzzy/get/data").status == 409
    assert newcomer.get("/fuzzy/shown").text == "{}"


def test_loaded_points_that_are_refused_cannot_be_had(newcomer):
    # each cluster of these is a line: what would come out is what went in
    lines = "".join(f"{i} {abs(i - 20) * 3 + 0.0001 * (i % 3)}\n" for i in range(41))
    told(newcomer.send("/fuzzy/file", lines.encode(), "lines.txt"))
    state = finished(newcomer, "/fuzzy/run", **{**RUN, "c": "2"})
    assert state["state"] == "refused"
    assert state["verdict"]["state"] == "refused"
    assert not state["download"]
    assert newcomer.get("/fuzzy/get/data").status == 409
    # clearing makes them nobody's; drawn again they may leave
    told(newcomer.post("/fuzzy/clear"))
    told(newcomer.ask("PUT", "/fuzzy/points", lines.encode()))
    assert finished(newcomer, "/fuzzy/run", **{**RUN, "c": "2"})["verdict"]["state"] == "unverified"
    assert newcomer.get("/fuzzy/get/data").status == 200


@pytest.mark.parametrize("content", [b"1 2\n3\n", b"", b"\x00\xff", b"1 2\n" * 2001], ids=len)
def test_a_file_that_has_no_points_is_refused_in_words_and_nothing_is_lost(newcomer, content):
    told(newcomer.post("/fuzzy/example"))
    before = set(newcomer.app.folder.rglob("source-*"))
    answer = told(newcomer.send("/fuzzy/file", content, "mine.txt"))
    assert "mine.txt" in answer["problem"]
    assert len(newcomer.get("/fuzzy/points").text.splitlines()) == 300
    assert set(newcomer.app.folder.rglob("source-*")) == before


def test_more_than_a_window_takes_is_refused(newcomer):
    answer = told(newcomer.send("/fuzzy/file", b"1 2\n" * 1_100_000, "large.txt"))
    assert "too large" in answer["problem"]


def test_wrong_parameters_are_said_beside_their_fields(newcomer):
    told(newcomer.post("/fuzzy/example"))
    state = finished(newcomer, "/fuzzy/run", **{**RUN, "m": "0,5"})
    assert state["state"] == "refused"
    assert "m must be" in state["fields"]["m"]
    assert finished(newcomer, "/fuzzy/run", **{**RUN, "rmax": "many"})["fields"]["rmax"]


def test_words_to_nobody_and_other_names_do_nothing(newcomer):
    assert told(newcomer.post("/fuzzy/word", word="go"))["state"] == "idle"
    assert newcomer.get("/fuzzy/get/passwd").status == 404
    assert newcomer.get("/fuzzy/get/points").status == 409
    other = Visitor(newcomer.app).enter()
    told(newcomer.post("/fuzzy/example"))
    assert other.get("/fuzzy/points").text == ""
