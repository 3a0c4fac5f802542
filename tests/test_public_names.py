"""One list of public names, and a type checker that knows all of them."""

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import tacita

HERE = Path(__file__).parent
LIST = HERE / "client" / "public_names.txt"
MODULES = ("tacita", "tacita.io", "tacita.measures", "tacita.methods", "tacita.tables")
SOURCE = Path(tacita.__file__).parent


def module(name):
    return tacita if name == "tacita" else getattr(tacita, name.partition(".")[2])


def listed():
    return LIST.read_text().split()


def static_names(name):
    """What a type checker sees of a module: names that it imports or defines."""
    tree = ast.parse(Path(module(name).__file__).read_text())
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            found |= {each.asname or each.name for each in node.names}
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
    return found


def test_the_list_of_public_names_is_what_modules_hand_out():
    handed_out = sorted(f"{name}.{each}" for name in MODULES for each in module(name).__all__)
    assert listed() == handed_out, "Change tests/client/public_names.txt where a public name changes."


@pytest.mark.parametrize("name", MODULES)
def test_a_type_checker_sees_every_public_name(name):
    assert set(module(name).__all__) - {"__version__"} <= static_names(name)


@pytest.mark.parametrize("name", listed())
def test_a_public_name_is_there(name):
    home, _, last = name.rpartition(".")
    assert getattr(module(home), last) is not None


def planted():
    lines = (HERE / "client" / "mistakes.py").read_text().splitlines()
    return [number for number, line in enumerate(lines, start=1) if line.endswith("# mistake")]


def mypy(folder):
    pytest.importorskip("mypy")
    # not the settings of this repository: a client has none
    config = folder / "mypy.ini"
    config.write_text("[mypy]\nignore_missing_imports = True\nfollow_imports = silent\n")
    cache = ["--cache-dir", str(folder / "cache")]
    files = [str(HERE / "client" / name) for name in ("mistakes.py", "correct.py")]
    return [sys.executable, "-m", "mypy", "--config-file", str(config), *cache, *files]


def pyright(folder):
    # the package that brings its own node
    pytest.importorskip("basedpyright")
    settings = {
        "include": [str(HERE / "client")],
        "extraPaths": [str(SOURCE.parent)],
        "typeCheckingMode": "standard",
        "reportMissingImports": "none",
    }
    config = folder / "pyrightconfig.json"
    config.write_text(json.dumps(settings))
    return [sys.executable, "-m", "basedpyright", "-p", str(config)]


def lines_with_errors(told, file):
    return {int(line) for line in re.findall(rf"{file}:(\d+)(?::\d+)?(?: -|:) error", told)}


@pytest.mark.long
@pytest.mark.parametrize("checker", [mypy, pyright])
def test_a_type_checker_reports_every_planted_mistake_and_no_correct_use(checker, tmp_path):
    done = subprocess.run(checker(tmp_path), capture_output=True, text=True, cwd=SOURCE.parent)
    assert len(planted()) >= 40
    assert lines_with_errors(done.stdout, "mistakes.py") == set(planted()), done.stdout + done.stderr
    assert lines_with_errors(done.stdout, "correct.py") == set(), done.stdout


def test_the_guide_names_what_is_public_now():
    guide = Path(__file__).parents[1] / "docs" / "guide" / "python.md"
    table = guide.read_text("utf-8").partition("## Public names")[2]
    named = {name for row in re.findall(r"^\| (.*?) \|", table, re.M) for name in re.findall(r"`(\w+)`", row)}
    assert len(named) > 30
    assert named <= {*tacita.__all__, "sklearn"}
