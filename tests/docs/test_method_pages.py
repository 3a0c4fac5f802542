"""The pages of docs/methods say what the code says."""

import doctest
import re
import runpy
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
PAGES = runpy.run_path(str(DOCS / "build.py"))["pages"]()


@pytest.mark.parametrize("name", list(PAGES))
def test_the_committed_page_is_what_the_code_writes(name):
    committed = DOCS / "methods" / name
    assert committed.exists(), "run `python docs/build.py`"
    assert committed.read_text() == PAGES[name], "run `python docs/build.py`"


def test_no_page_is_left_of_what_is_gone():
    assert {path.name for path in (DOCS / "methods").iterdir()} == set(PAGES)


@pytest.mark.parametrize("name", [name for name in PAGES if name != "index.md"])
def test_every_page_has_an_example(name):
    # test_docs.py runs it; the closing fence of a code block is no expected output
    text = PAGES[name].replace("\n```", "\n\n```")
    assert doctest.DocTestParser().get_doctest(text, {}, name, name, 0).examples


DRAW = runpy.run_path(str(DOCS / "pictures.py"))


@pytest.mark.parametrize(("kind", "name"), DRAW["drawn"]())
def test_the_committed_picture_of_a_method_is_what_the_code_draws(kind, name):
    committed = (DOCS / "images" / f"{kind}-{name}.svg").read_text()
    assert numbers(committed) == pytest.approx(numbers(DRAW["picture"](name)), abs=0.11), (
        "run `python docs/pictures.py`"
    )


def numbers(svg):
    # another linear algebra library may round the last place of a coordinate to the other side
    return [float(found) for found in re.findall(r"-?\d+\.?\d*", svg)]
