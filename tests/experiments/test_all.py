"""`python -m experiments` without a name: every page, one after the other."""

import pytest
from experiments.__main__ import run_command
from experiments.document import Document

from experiments import EXPERIMENTS, writing
from tacita.core import DataError


@pytest.fixture
def ran(monkeypatch):
    """The experiments that were run, of which each writes a page in no time."""
    names = []

    def reproduce(name, *_, **__):
        if name == "instances":
            raise DataError("The tables are not at hand.")
        names.append(name)
        return Document(name, f"# {name}\n", {}, {"version": "0"})

    monkeypatch.setattr(writing, "reproduce", reproduce)
    return names


def test_all_pages_are_written_and_those_without_files_are_skipped(ran, tmp_path, capsys):
    assert run_command(["--out", str(tmp_path)]) == 0
    assert ran == [name for name in EXPERIMENTS if name != "instances"]
    assert all((tmp_path / f"{name}.md").exists() for name in ran)
    assert "instances: skipped. The tables are not at hand." in capsys.readouterr().out


def test_a_page_that_is_there_is_found_before_anything_runs(ran, tmp_path, capsys):
    (tmp_path / "wishes.md").write_text("mine")
    assert run_command(["--out", str(tmp_path), "--quick"]) == 2
    assert not ran
    assert "wishes.md" in capsys.readouterr().err
    assert run_command(["--out", str(tmp_path), "--quick", "--force"]) == 0
    assert len(ran) == len(EXPERIMENTS) - 1


@pytest.mark.parametrize("words", [["--cap", "3"], ["--fresh"], ["--part", "il2"], ["--margins"]])
def test_what_belongs_to_one_experiment_is_refused_for_all(ran, tmp_path, words, capsys):
    assert run_command(["--out", str(tmp_path), *words]) == 2
    assert not ran
    assert f"{words[0]} is of one experiment, got all. Name it first." in capsys.readouterr().err


@pytest.mark.usefixtures("ran")
def test_the_usual_folder_is_made_where_it_is_not_there(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run_command(["--quick"]) == 0
    assert (tmp_path / "reproduced" / "wishes.md").exists()
