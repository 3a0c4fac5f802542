"""Functions do one thing: none outside kernels has more than a hundred lines. Ruff holds their complexity."""

import ast
import tomllib
from pathlib import Path

import pytest

import tacita

SOURCE = Path(tacita.__file__).parent
MOST_LINES = 100


def long_functions(source):
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = node.end_lineno - node.lineno + 1
            if ast.get_docstring(node) is not None:
                # what is documented at length need not do much
                lines -= node.body[0].end_lineno - node.body[0].lineno + 1
            if lines > MOST_LINES:
                yield f"{node.name} has {lines} lines"


@pytest.mark.parametrize(
    "room", sorted(each.name for each in SOURCE.iterdir() if each.suffix == ".py" or each.is_dir())
)
def test_no_function_outside_kernels_is_longer_than_a_hundred_lines(room):
    place = SOURCE / room
    for path in [place] if place.is_file() else place.rglob("*.py"):
        if path.relative_to(SOURCE).parts[0] != "kernels":
            assert not list(long_functions(path.read_text())), path.relative_to(SOURCE)


def test_a_long_function_is_seen():
    body = "\n".join(["    pass"] * MOST_LINES)
    assert list(long_functions(f"def run():\n{body}\n")) == ["run has 101 lines"]
    shorter = body[: body.rindex("\n")]
    assert not list(long_functions(f"def run():\n{shorter}\n"))
    assert not list(long_functions(f'def run():\n    """One.\n\n    Two.\n    """\n{shorter}\n'))
    assert list(long_functions(f'def run():\n    """One.\n\n    Two.\n    """\n{body}\n'))


def test_ruff_holds_the_complexity_of_functions():
    settings = tomllib.loads((SOURCE.parents[1] / "pyproject.toml").read_text())["tool"]["ruff"]["lint"]
    assert "C901" in settings["select"]
    assert settings["mccabe"]["max-complexity"] == 20
    # both are compiled
    assert set(settings["per-file-ignores"]) == {"src/tacita/kernels/**", "experiments/synthetic/written.py"}
