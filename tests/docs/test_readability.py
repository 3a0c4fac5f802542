"""Pages are short, and so are their sentences."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = importlib.util.spec_from_file_location("readability", ROOT / ".ci" / "readability.py")
readability = importlib.util.module_from_spec(SCRIPT)
SCRIPT.loader.exec_module(readability)


def lengths(page):
    return [readability.words(sentence) for sentence in readability.sentences(page.read_text("utf-8"))]


def name_of(page):
    return page.relative_to(ROOT).as_posix()


def test_a_sentence_ends_at_a_point_and_code_is_one_word():
    prose = "One `tacita run plan.toml` here. Two [words of it](x.md)!"
    text = f"# Title of it\n\n{prose}\n\n```sh\nnot me\n```\n"
    assert [readability.words(sentence) for sentence in readability.sentences(text)] == [3, 4]


def test_a_page_with_a_long_sentence_is_named(tmp_path, capsys):
    page = tmp_path / "long.md"
    page.write_text("word " * (readability.LONGEST + 1) + ".\n")
    assert readability.main([page]) == 1
    assert f"{readability.LONGEST + 1} words: word" in capsys.readouterr().out


@pytest.mark.parametrize("page", readability.GUIDE, ids=name_of)
def test_no_sentence_of_the_guide_is_too_long(page):
    counted = lengths(page)
    assert max(counted) <= readability.LONGEST
    assert sum(counted) / len(counted) <= readability.MEAN


@pytest.mark.parametrize(("folder", "most"), [("guide", 250), ("extending", 250), ("algorithms", 200)])
def test_a_page_has_few_lines(folder, most):
    pages = sorted((ROOT / "docs" / folder).glob("*.md"))
    assert pages
    assert not [name_of(page) for page in pages if len(page.read_text("utf-8").splitlines()) > most]


def test_contributing_fits_on_two_pages():
    assert len((ROOT / "CONTRIBUTING.md").read_text("utf-8").splitlines()) <= 120


def test_the_readme_fits_on_a_screen_or_two_and_has_short_sentences():
    page = ROOT / "README.md"
    assert len(page.read_text("utf-8").splitlines()) <= 120
    assert max(lengths(page)) <= 30
