"""Constants stand one a line, and the settings of an engine in a frozen class with a comment for each."""

import ast
import re
from dataclasses import fields, is_dataclass
from importlib import import_module
from pathlib import Path

import pytest

import tacita

SOURCE = Path(tacita.__file__).parent
MODULES = sorted(SOURCE.rglob("*.py"))
WITH_SETTINGS = [path for path in MODULES if re.search(r"^SETTINGS = ", path.read_text("utf-8"), re.M)]


def name_of(path):
    return path.relative_to(SOURCE.parent).with_suffix("").as_posix().replace("/", ".")


def packed(tree):
    """Lines that give several constants their values at once; codes counted from 0 are one enumeration."""
    for node in tree.body:
        if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Tuple):
            continue
        if ast.unparse(node.targets[0]).isupper():
            values = node.value.elts if isinstance(node.value, ast.Tuple) else []
            codes = [value.value if isinstance(value, ast.Constant) else None for value in values]
            if values and codes != list(range(len(codes))):
                yield node.lineno


def test_packed_constants_are_found():
    code = "A, B = 1, 2\nMOVED, STUCK = 0, 1\n_C, _D = 'c', 'd'\nE = 3"
    assert list(packed(ast.parse(code))) == [1, 3]


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_constants_stand_one_a_line(path):
    assert not list(packed(ast.parse(path.read_text("utf-8"))))


@pytest.mark.parametrize("path", WITH_SETTINGS, ids=name_of)
def test_settings_are_frozen_named_after_their_engine_and_begin_with_a_comment(path):
    settings = import_module(name_of(path)).SETTINGS
    kind = type(settings)
    assert is_dataclass(kind)
    assert kind.__dataclass_params__.frozen
    assert re.fullmatch(r"\w+Settings", kind.__name__)
    assert kind.__doc__
    lines = path.read_text("utf-8").splitlines()
    first = next(
        number for number, line in enumerate(lines) if line.startswith(f"    {fields(kind)[0].name}: ")
    )
    assert lines[first - 1].startswith("    # ")


def test_no_two_engines_call_their_settings_the_same():
    names = [type(import_module(name_of(path)).SETTINGS).__name__ for path in WITH_SETTINGS]
    assert len(set(names)) == len(names) > 30
