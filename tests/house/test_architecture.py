"""Imports go one way, and the verifier stands apart."""

import ast
import sys
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

# Which rooms may import a library of another house; numpy and pydantic may be anywhere.
LIBRARIES = {
    "highspy": {"solvers.highs"},
    "pyscipopt": {"solvers.scip"},
    "numba": {"kernels"},
    "scipy": {
        "solvers",
        "microdata.loss",
        "microdata.risk.linkage",
        "microdata.masking.shuffling",
        "microdata.microaggregation.master",
        "microdata.microaggregation.means",
        "microdata.synthesis",
        "microdata.verify.maskings",
        "tables",
    },
    "sklearn": {"microdata.loss.distribution"},
    "narwhals": {"core.levels", "core.microdata", "io", "microdata"},
    "pyarrow": {"core.levels", "core.microdata", "core.text", "datasets", "io", "microdata", "tables"},
    # a frame of the caller's that is one of theirs is rebuilt by its own library
    "pandas": {"io.frames"},
    "polars": {"io.frames"},
    "jinja2": {"report.pages"},
    "tomli_w": {"core.document"},
    "cyclopts": {"cli"},
    "rich": {"cli"},
    "pydantic_core": {"cli.options", "core.percent"},
}
ANYWHERE = {"numpy", "pydantic", "tacita", "__future__", *sys.stdlib_module_names}


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


def libraries(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield (node.module or "").partition(".")[0]


@pytest.mark.parametrize(("name", "path"), list(modules()), ids=[name for name, _ in modules()])
def test_a_library_is_imported_only_where_it_belongs(name, path):
    for library in set(libraries(path)) - ANYWHERE:
        assert any(f"{name}.".startswith(f"{room}.") for room in LIBRARIES.get(library, ())), (
            f"{name} imports {library}"
        )


def test_the_solvers_are_known_to_one_file_each():
    for library in ("highspy", "pyscipopt"):
        assert [name for name, path in modules() if library in libraries(path)] == list(LIBRARIES[library])


def test_what_the_attacker_shares_with_the_methods_knows_neither():
    path = HOUSE / "solvers" / "highs.py"
    assert not [target for target in imports(path, "solvers.highs") if target != "core.arrays"]
