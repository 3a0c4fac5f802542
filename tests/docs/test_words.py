"""Pages use the words of the field; tests/house/test_words.py has the list of words they must not use."""

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
HOUSE = importlib.util.spec_from_file_location("house_words", ROOT / "tests" / "house" / "test_words.py")
house_words = importlib.util.module_from_spec(HOUSE)
HOUSE.loader.exec_module(house_words)

# Pages that quote papers.
QUOTING = {"published", "reproduced"}
PAGES = [
    page
    for page in (*sorted(ROOT.glob("*.md")), *sorted(DOCS.rglob("*.md")))
    if not QUOTING & set(page.relative_to(ROOT).parts)
]
# Sentences that may keep a word: page -> sentences. It is to stay empty.
EXCEPTIONS: dict[str, tuple[str, ...]] = {}


def name_of(page):
    return page.relative_to(ROOT).as_posix()


def prose(text):
    """A page without code, targets of links and comments, on the same lines."""

    def blank(match):
        return "\n" * match[0].count("\n")

    text = re.sub(r"^ *```.*?^ *```$", blank, text, flags=re.M | re.S)
    return re.sub(r"`[^`]*`|\]\([^)]*\)|<!--.*?-->", blank, text, flags=re.S)


def findings(text):
    """The lines with a banned word, and what to use."""
    for number, line in enumerate(prose(text).splitlines(), 1):
        for word in re.findall(r"[A-Za-z]+", line):
            if word.lower() in house_words.WORDS:
                yield number, f"the word {word}: use {house_words.WORDS[word.lower()]}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_page_uses_the_words_of_the_field(page):
    text = page.read_text("utf-8")
    for sentence in EXCEPTIONS.get(name_of(page), ()):
        text = text.replace(sentence, "")
    faults = [f"{name_of(page)}:{line}: {fault}" for line, fault in findings(text)]
    assert not faults, "\n" + "\n".join(faults)


def test_there_are_no_exceptions():
    assert not EXCEPTIONS


@pytest.mark.parametrize(
    "text", ["What is told.", "# Beside it", "| a | whoever |", "[said so](x.md)", "A\nNought."]
)
def test_a_banned_word_is_found_wherever_it_stands(text):
    assert list(findings(text))


@pytest.mark.parametrize(
    "text", ["`withheld`", "```sh\ntold\n```", "[word](told.md)", "retold", "<!-- said -->"]
)
def test_code_targets_of_links_and_other_words_pass(text):
    assert not list(findings(text))
