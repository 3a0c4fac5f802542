"""The pages of docs/methods and docs/reference say what the code says."""

import doctest
import inspect
import re
import runpy
from pathlib import Path

import pytest

from tacita.core import Method

DOCS = Path(__file__).parents[2] / "docs"
BUILD = runpy.run_path(str(DOCS / "build.py"))
PAGES = BUILD["pages"]()
REFERENCE = BUILD["reference"]()


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


@pytest.mark.parametrize("name", list(REFERENCE))
def test_the_committed_page_of_the_reference_is_what_docstrings_say(name):
    committed = DOCS / "reference" / name
    assert committed.exists(), "run `python docs/build.py`"
    assert committed.read_text() == REFERENCE[name], "run `python docs/build.py`"


def test_no_page_of_the_reference_is_left_of_what_is_gone():
    assert {path.name for path in (DOCS / "reference").iterdir()} == set(REFERENCE)


def test_the_reference_has_every_public_function_and_class_and_links_every_method_page():
    listed = (DOCS.parent / "tests" / "client" / "public_names.txt").read_text().split()
    public = {BUILD["public"](name.partition(".")[2]) for name in listed if name != "tacita.__version__"}
    expected = {
        found
        for found in public
        if inspect.isfunction(found) or (inspect.isclass(found) and not issubclass(found, Method))
    }
    names = [name for group in BUILD["GROUPS"].values() for name in group.names.split()]
    assert len(names) == len(set(names))
    assert {BUILD["public"](name) for name in names} == expected
    assert "(../methods/index.md)" in REFERENCE["index.md"]


DRAW = runpy.run_path(str(DOCS / "pictures.py"))


@pytest.mark.parametrize(("kind", "name"), DRAW["drawn"]())
def test_the_committed_picture_of_a_method_is_what_the_code_draws(kind, name):
    committed = (DOCS / "images" / f"{kind}-{name}.svg").read_text()
    assert numbers(committed) == pytest.approx(numbers(DRAW["picture"](name)), abs=0.11), (
        "run `python docs/pictures.py`"
    )


def test_the_committed_picture_of_the_house_is_what_the_code_draws_and_has_every_room():
    assert (DOCS / "images" / "architecture.svg").read_text() == DRAW["house"](), (
        "run `python docs/pictures.py`"
    )
    drawn = {room for _, rooms in DRAW["HOUSE"] for room, _, _ in rooms}
    folders = {path.parent.name for path in (DOCS.parent / "src" / "tacita").glob("*/__init__.py")}
    assert folders <= drawn


def numbers(svg):
    # another linear algebra library may round the last place of a coordinate to the other side
    return [float(found) for found in re.findall(r"-?\d+\.?\d*", svg)]
