"""Imports go one way, and the verifier stands apart."""

import ast
from pathlib import Path

import pytest

import tacita

HOUSE = Path(tacita.__file__).parent

# What each room may import of tacita; the longest matching prefix counts.
ALLOWED = {
    "core": {"core"},
    "kernels": {"kernels", "core.arrays"},
    "solvers": {"solvers", "core.arrays"},
    "io": {"core", "io", "_version"},
    "datasets": {"core", "datasets"},
    "microdata": {"core", "kernels", "microdata", "io"},
    "microdata.balance": {"core", "microdata.measure", "microdata.loss", "microdata.risk"},
    "microdata.microaggregation": {
        "core",
        "kernels",
        "solvers",
        "microdata.microaggregation",
        "microdata.groups",
    },
    "microdata.masking": {
        "core",
        "kernels",
        "microdata.masking",
        "microdata.groups",
        "microdata.microaggregation.univariate",
    },
    "microdata.synthesis": {"core", "kernels", "microdata.synthesis", "microdata.standardise"},
    "microdata.loss": {"core", "kernels", "microdata.loss", "microdata.measure", "microdata.mixed"},
    "microdata.risk": {"core", "kernels", "microdata.risk", "microdata.measure", "microdata.mixed"},
    "microdata.verify": {"core", "io", "microdata.verify"},
    "tables.suppression": {"core", "kernels", "solvers", "tables.suppression"},
    "tables": {"core", "kernels", "tables", "io"},
    "tables.reading": {"core", "io", "tables.reading"},
    "tables.rules": {"core", "tables.rules"},
    "tables.audit": {"core", "tables.judge", "tables.leaks"},
    "tables.leaks": {"core", "tables.judge", "tables.attacker"},
    "tables.judge": {"core", "tables.attacker"},
    "tables.attacker": {"core", "kernels.tables.attack", "tables.programme"},
    "tables.programme": {"core", "solvers.highs"},
    "tables.certify": {"core", "tables.judge"},
    "tables.infeasible": {"core", "tables.judge"},
    "report": {"core", "report", "_version"},
    "plans": {"core", "io", "microdata", "tables", "report"},
    "demonstration": {"core", "io", "microdata.plan", "datasets"},
    "warming": {"core", "tables"},
    "api": {"core", "io", "microdata", "tables", "plans", "warming", "demonstration"},
    "cli": {
        "core",
        "io",
        "microdata.plan",
        "tables.plan",
        "tables.rules.words",
        "api",
        "datasets",
        "cli",
        "_version",
    },
}


def modules():
    for path in sorted(HOUSE.rglob("*.py")):
        name = ".".join(path.relative_to(HOUSE).with_suffix("").parts).removesuffix(".__init__")
        if name not in ("__init__", "__main__", "_version"):
            yield name, path


def imports(path, name):
    package = [*name.split("."), "x"] if path.name == "__init__.py" else name.split(".")
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (a.name.removeprefix("tacita.") for a in node.names if a.name.startswith("tacita"))
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                base = ".".join([*package[: -node.level], *([node.module] if node.module else [])])
            elif (node.module or "").partition(".")[0] == "tacita":
                base = (node.module or "").removeprefix("tacita").removeprefix(".")
            else:
                continue
            yield from (base or alias.name for alias in node.names)


@pytest.mark.parametrize(("name", "path"), list(modules()), ids=[name for name, _ in modules()])
def test_imports_go_one_way(name, path):
    room = max((room for room in ALLOWED if f"{name}.".startswith(f"{room}.")), key=len)
    for target in imports(path, name):
        assert any(f"{target}.".startswith(f"{allowed}.") for allowed in ALLOWED[room]), (
            f"{name} ({room}) imports tacita.{target}"
        )


def test_the_rule_sees_a_forbidden_import(tmp_path):
    wrong = tmp_path / "wrong.py"
    wrong.write_text("from tacita.microdata import protect\nfrom ..api import run\n")
    assert list(imports(wrong, "core.wrong")) == ["microdata", "api"]


def test_no_source_file_is_too_long_to_read():
    long = {name: n for name, path in modules() if (n := len(path.read_text().splitlines())) > 450}
    assert not long
