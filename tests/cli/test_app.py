"""The command that opens the page says what is missing, and hands over to the server."""

import os
import sys

from tacita.cli import app, run_command


def test_without_the_extra_it_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setattr(app, "find_spec", lambda name: None if name == "starlette" else True)
    assert run_command(["app"]) == 2
    said = capsys.readouterr().err
    assert "starlette cannot be found" in said
    assert "pip install 'tacita[app]'" in " ".join(said.split())


def test_a_port_that_there_is_not_is_refused(capsys):
    assert run_command(["app", "--port", "70000"]) == 2
    assert "between 0 and 65535" in capsys.readouterr().err


def test_the_server_takes_the_place_of_the_command(monkeypatch):
    called = []
    monkeypatch.setattr(os, "execv", lambda program, words: called.append((program, words)))
    assert run_command(["app", "--no-browser", "--demo", "--port", "8000"]) == 0
    words = ["-m", "tacita.app", "--port", "8000", "--no-browser", "--demo"]
    assert called == [(sys.executable, [sys.executable, *words])]
