"""Pages, page texts and commands are spelled as a dictionary of English or the list of the field spells them.

`words.txt` holds the words of the field, names of people and programs, and British spellings, one a line.
"""

import json
import re
from pathlib import Path

import pytest
from spellchecker import SpellChecker

from docs.test_words import PAGES, name_of, prose

WORDS = Path(__file__).with_name("words.txt")
TEXTS = Path(__file__).parents[2] / "src" / "tacita" / "app" / "texts" / "en.json"
# in another language
ELSEWHERE = ("docs/zh.md",)


@pytest.fixture(scope="module")
def dictionary():
    checker = SpellChecker(language="en", distance=1)
    checker.word_frequency.load_words(WORDS.read_text("utf-8").split())
    return checker


def words_of(text):
    """The words of a text in small letters, without names in capital letters and of one or two letters."""
    without_names = re.sub(r"\b\w*[A-Z]{2,}\w*\b|\b\w*[\d_]\w*\b|https?://\S+", " ", text)
    return {word.lower() for word in re.findall(r"[A-Za-z][a-z]{2,}(?:'[a-z]+)?", without_names)}


@pytest.mark.parametrize("page", [page for page in PAGES if name_of(page) not in ELSEWHERE], ids=name_of)
def test_a_page_is_spelled_right(page, dictionary):
    unknown = dictionary.unknown(words_of(prose(page.read_text("utf-8"))))
    assert not unknown, f"{name_of(page)}: mend, or add to tests/docs/words.txt: {', '.join(sorted(unknown))}"


def test_the_texts_of_the_page_are_spelled_right(dictionary):
    texts = json.loads(TEXTS.read_text("utf-8"))
    plain = (re.sub(r"\{\w*\}|<[^>]*>", " ", text) for text in texts.values())
    unknown = dictionary.unknown(words_of(" ".join(plain)))
    assert not unknown, f"en.json: mend, or add to tests/docs/words.txt: {', '.join(sorted(unknown))}"


def test_the_list_of_the_field_is_sorted_and_holds_no_plain_word():
    words = WORDS.read_text("utf-8").split()
    assert words == sorted(set(words))
    assert not SpellChecker(language="en", distance=1).known(words)


def test_a_misspelt_word_is_found(dictionary):
    assert dictionary.unknown(words_of("A realease is verfied by the microdata of IPSO.")) == {
        "realease",
        "verfied",
    }
