"""All words in four languages: the same keys, the same placeholders, none forgotten and none too many."""

import re
from pathlib import Path

import pytest

import tacita.app
from house.test_words import WORDS as BANNED
from tacita.app.screens import hierarchy_state
from tacita.app.screens.assets import ASSETS
from tacita.app.server.refusals import ACCEPTED
from tacita.app.server.texts import LANGUAGES, WITH_COMMA, Texts

HOUSE = Path(tacita.app.__file__).parent
WORDS = Texts.load().words
# families of keys whose last part is put together
FAMILIES = (
    *("frame", "theme", "step", "start", "state", "role", "meaning", "kind", "reason", "stage"),
    *("family", "missing", "option", "export", "fuzzy", "period", "accepted-risk", "gravity"),
    # of tables: parts of a column, names of rules, problems, objectives, files that may be taken
    *("part", "rule", "problem", "objective", "take"),
)

_OF_TABLES = (
    *("build.about-", "build.by-", "build.demo-", "build.kind-", "build.says-words-", "rules.level-"),
    *("suppress.zeros-", "suppress.suppression", "suppress.adjustment", "suppress.margins"),
    *("suppress.strict", "suppress.insiders", "tables.cell-", "tables.state-"),
)


def placeholders(text):
    return sorted(re.findall(r"\{(\w+)\}", text))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_same_keys_and_placeholders(language):
    assert list(WORDS[language]) == list(WORDS["en"])
    for key, text in WORDS[language].items():
        assert text.strip() == text != "", key
        assert placeholders(text) == placeholders(WORDS["en"][key]), key


@pytest.mark.parametrize("language", ["pt", "ca", "zh"])
def test_no_text_of_several_words_was_left_in_english(language):
    same = [key for key, text in WORDS["en"].items() if WORDS[language][key] == text and text.count(" ") > 2]
    assert same in ([], ["data.formats"])


def banned_in(text):
    return sorted(word for word in set(re.findall(r"[a-z]+", text.lower())) if word in BANNED)


def test_the_texts_use_the_words_of_the_field():
    faults = {key: banned_in(text) for key, text in WORDS["en"].items()}
    assert not {key: words for key, words in faults.items() if words}


def test_no_text_has_a_command_or_code():
    for language in LANGUAGES:
        texts = WORDS[language].items()
        assert not [key for key, text in texts if re.search(r"`|tacita (app|run|pseudo)|--\w|Python", text)]


@pytest.mark.parametrize("path", sorted(HOUSE.glob("templates/*.html")), ids=lambda path: path.name)
def test_templates_use_the_words_of_the_field(path):
    text = path.read_text("utf-8")
    # in expressions all but keys of texts and other strings; of the page what a reader sees
    code = re.findall(r"\{[{%#].*?[#%}]\}", text, re.DOTALL)
    seen = re.sub(r"<[^>]*>", " ", re.sub(r"\{[{%#].*?[#%}]\}", " ", text, flags=re.DOTALL))
    names = " ".join(re.sub(r"\"[^\"]*\"|'[^']*'", " ", part) for part in code)
    assert not banned_in(seen)
    assert not banned_in(names)


def test_chinese_is_chinese():
    # names of formats, files and figures aside, every text has its characters
    plain = {key for key, text in WORDS["zh"].items() if not re.search(r"[\u4e00-\u9fff]", text)}
    assert plain == {"export.plan"}
    # punctuation between Chinese characters is Chinese
    mixed = [key for key, text in WORDS["zh"].items() if re.search(r"[\u4e00-\u9fff][,;:?!]", text)]
    assert not mixed


def test_chinese_writes_a_decimal_point():
    assert {"pt", "ca"} == WITH_COMMA < set(LANGUAGES)


def sources():
    return [*HOUSE.rglob("*.html"), *HOUSE.rglob("*.py")]


def test_every_key_that_is_used_is_there():
    used = {
        key
        for path in sources()
        for key in re.findall(r'(?:\bt|say)\(\s*"([a-z]+\.[a-z0-9-]+)"\s*[,)]', path.read_text("utf-8"))
    }
    assert len(used) > 50
    assert not used - set(WORDS["en"])


def test_every_key_that_is_there_is_used():
    text = "\n".join(path.read_text("utf-8") for path in sources())
    unused = [key for key in WORDS["en"] if f'"{key}"' not in text and key.partition(".")[0] not in FAMILIES]
    # put together from a state or a problem
    made = {"verdict.refused", "verdict.cancelled", "verdict.broken", "roles.two-unit", "roles.two-weight"}
    made |= {
        "data.opened-plan",
        "data.opened-project",
        "data.comma",
        "data.semicolon",
        "data.tab",
        "data.bar",
    }
    # what to do instead of what can be accepted
    made |= {f"refused.{name}" for name in ACCEPTED}
    made |= {"result.map-before", "result.map-after", "result.map-change"}
    # from how a hierarchy is made, and what is said of that
    made |= {f"coarser.by-{way}" for way in hierarchy_state.WAYS}
    made |= {f"coarser.{name}" for said in hierarchy_state.MADE.values() for name in said}
    # of tables: put together from a kind of file, a division, a state of a cell
    made |= {key for key in WORDS["en"] if key.startswith(_OF_TABLES)}
    assert not set(unused) - made


@pytest.mark.parametrize("path", sorted(HOUSE.glob("templates/*.html")), ids=lambda path: path.name)
def test_no_template_has_a_script_or_a_style_of_its_own(path):
    text = path.read_text("utf-8")
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=|javascript:|https?://", text)
    assert "|safe" not in text.replace(" ", "")


def test_scripts_and_styles_are_small_and_ask_nobody_else():
    size = {name: len(content) for name, (content, _) in ASSETS.items()}
    assert sum(count for name, count in size.items() if name.endswith(".js")) < 40_000
    assert size["app.css"] < 40_000
    for name, (content, _) in ASSETS.items():
        if name != "icon.svg":
            assert b"http" not in content, name
