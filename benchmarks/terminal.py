"""The README's commands, run one by one on a terminal of their own: how long, and how long in silence."""

from __future__ import annotations

import os
import pty
import re
import shlex
import sys
import time
from dataclasses import dataclass
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"

_PLAN = """version = 1
[input]
path = "survey.csv"
[roles]
quasi = ["turnover", "costs", "wages"]
identifiers = ["name", "registration"]
"""
# What the README's commands read, beside the survey; the plan of each command.
_PLANS = {
    "compare": _PLAN + '[compare]\nmethod = ["mdav", "hm"]\nk = [3, 5]\n',
    "run": _PLAN + '[output]\npath = "planned.csv"\nreport = "planned.html"\n',
}
_OFFICE = 'k_anonymity = {k = 3, keys = ["turnover", "costs", "wages"]}\n'


@dataclass(frozen=True)
class Heard:
    """One command: elapsed and processor seconds, the longest time without a sign of life, how it ended."""

    words: tuple[str, ...]
    elapsed: float
    processor: float
    silence: float
    status: int


def commands_of_readme() -> list[list[str]]:
    """The commands of the section on the command line."""
    block = re.search(r"```console\n(tacita .*?)```", README.read_text(), re.S)
    assert block is not None
    lines = block[1].replace("\\\n", " ").splitlines()
    return [shlex.split(line, comments=True)[1:] for line in lines]


def prepare(folder: Path, command: str) -> None:
    """Put the files that a command of the README reads into a folder."""
    import tacita
    from tacita.api import write_frame

    for name in ("survey.csv", "firms.csv"):
        if not (folder / name).exists():
            write_frame(tacita.datasets.load("business"), folder / name)
    (folder / "office.toml").write_text(_OFFICE)
    if command in _PLANS:
        (folder / "plan.toml").write_text(_PLANS[command])


def listen_to(words: list[str], folder: Path, **environment: str) -> Heard:
    """Run one command of tacita on a terminal, and note when it writes."""
    begun = time.perf_counter()
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        surroundings = {**os.environ, "TERM": "xterm", **environment}
        os.execve(sys.executable, [sys.executable, "-m", "tacita", *words], surroundings)
    heard, silence = begun, 0.0
    while True:
        try:
            if not os.read(terminal, 65536):
                break
        except OSError:
            break
        silence, heard = max(silence, time.perf_counter() - heard), time.perf_counter()
    _, status, used = os.wait4(child, 0)
    os.close(terminal)
    ended = time.perf_counter()
    silence = max(silence, ended - heard)
    spent = used.ru_utime + used.ru_stime
    return Heard(tuple(words), ended - begun, spent, silence, os.waitstatus_to_exitcode(status))
