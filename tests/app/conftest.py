"""A running page, and a browser's side of it without a browser."""

import http.client
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, urlencode

import pytest


@dataclass
class Running:
    """A server as a process of its own."""

    process: subprocess.Popen
    host: str
    port: int
    token: str

    @property
    def origin(self):
        return f"http://{self.host}:{self.port}"

    @property
    def folder(self):
        """Where its files lie."""
        for place in Path(self.temporary).glob("tacita-app-*"):
            if (place / "pid").read_text() == str(self.process.pid):
                return place
        raise AssertionError("no folder")

    temporary: str = ""

    def children(self):
        """Processes of the worker that it started."""
        found = []
        for place in Path("/proc").glob("[0-9]*"):
            try:
                words = (place / "cmdline").read_bytes().split(b"\0")
                parent = int(re.search(r"PPid:\s+(\d+)", (place / "status").read_text())[1])
            except (OSError, TypeError):
                continue
            if b"tacita.app.worker" in words and parent == self.process.pid:
                found.append(int(place.name))
        return found


@dataclass
class Visitor:
    """Somebody who sends requests, with the cookie that was given."""

    app: Running
    cookie: str | None = None
    seen: list = field(default_factory=list)

    def ask(self, method, path, body=None, headers=None):
        connection = http.client.HTTPConnection(self.app.host, self.app.port, timeout=60)
        sent = {"Origin": self.app.origin, "Sec-Fetch-Site": "same-origin", **(headers or {})}
        if self.cookie:
            sent["Cookie"] = f"tacita={self.cookie}"
        connection.request(method, path, body=body, headers={k: v for k, v in sent.items() if v is not None})
        answer = connection.getresponse()
        answer.content = answer.read()
        answer.text = answer.content.decode(errors="replace")
        connection.close()
        return answer

    def enter(self):
        answer = self.ask("GET", f"/enter?token={self.app.token}", headers={"Sec-Fetch-Site": "cross-site"})
        assert answer.status == 200
        self.cookie = re.search(r"tacita=([^;]+)", answer.getheader("set-cookie"))[1]
        return self

    def get(self, path, **headers):
        return self.ask("GET", path, headers=headers)

    def post(self, path, **fields):
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        return self.ask("POST", path, urlencode(fields), kind)

    def send(self, path, content, name):
        return self.ask("PUT", path, content, {"X-File-Name": quote(name)})

    def wait_for(self, path, wanted, seconds=60):
        """The text of a page as soon as it holds some words."""
        until = time.monotonic() + seconds
        while wanted not in (text := self.get(path).text):
            assert text != "Internal Server Error"
            assert time.monotonic() < until, f"{wanted} never came"
            time.sleep(0.1)
        return text


@contextmanager
def running(tmp, *words, ahead=False):
    """A server of its own, ended afterwards; its children load what they are asked for, or all `ahead`."""
    environment = {**os.environ, "TACITA_NO_WARMUP": "1", "TMPDIR": str(tmp)}
    environment |= {} if ahead else {"TACITA_NOTHING_AHEAD": "1"}
    command = [sys.executable, "-m", "tacita.app", "--no-browser", *words]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )
    try:
        line = process.stdout.readline()
        host, port, token = re.search(r"http://([\d.]+):(\d+)/enter\?token=(\S+)", line).groups()
        yield Running(process, host, int(port), token, str(tmp))
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        process.stdout.close()
        process.stderr.close()


@pytest.fixture(scope="session")
def app(tmp_path_factory):
    with running(tmp_path_factory.mktemp("page")) as found:
        yield found


@pytest.fixture
def newcomer(app):
    """Somebody whom nobody has seen before: no event was told, no question asked of the child."""
    return Visitor(app).enter()


@pytest.fixture(scope="module")
def regular(app):
    return Visitor(app).enter()


@pytest.fixture
def visitor(regular):
    """Somebody with nothing begun, and with the child of the test before, which spares starting another."""
    regular.post("/settings", language="en", theme="auto")
    for work in ("/microdata/data", "/tables/build"):
        assert regular.post(f"{work}/forget").status == 303
    return regular


@pytest.fixture
def own_app(tmp_path):
    """A server that a test may kill."""
    with running(tmp_path) as found:
        yield found


def events(visitor, after=0, seconds=30):
    """Events as they come: (name, message)."""
    connection = http.client.HTTPConnection(visitor.app.host, visitor.app.port, timeout=seconds)
    connection.request("GET", f"/events?after={after}", headers={"Cookie": f"tacita={visitor.cookie}"})
    answer = connection.getresponse()
    assert answer.getheader("content-type").startswith("text/event-stream")
    name = None
    try:
        while line := answer.readline().decode():
            if line.startswith("event: "):
                name = line[7:].strip()
            elif line.startswith("data: "):
                yield name, json.loads(line[6:])
    finally:
        connection.close()


@pytest.fixture(scope="session")
def slow_list():
    """A list of cells for which the cheapest pattern is sought long."""
    generator, size = random.Random(6), 29
    secret = set(generator.sample(range(size * size), 40))
    lines = [
        f"r{at // size:02},c{at % size:02},{round(generator.lognormvariate(6, 1.2))},{int(at in secret)}"
        for at in range(size * size)
    ]
    return "row,column,value,primary\n" + "\n".join(lines) + "\n"
