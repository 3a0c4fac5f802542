"""Imports go one way, and the verifier stands apart."""

import ast
import re
import sys
from functools import cache
from pathlib import Path

import pytest

import tacita

HOUSE = Path(tacita.__file__).parent

# What measures ask parts of a file by.
ASKED_OF_PARTS = {
    "microdata.measures.partial_aggregation",
    "microdata.measures.moments",
    "microdata.measures.quantiles",
}

# What each room may import of tacita; the longest matching prefix counts.
ALLOWED = {
    "core": {"core"},
    "kernels": {"kernels", "core.arrays"},
    "solvers": {"solvers", "core.arrays"},
    "executors": {"core", "executors"},
    "io": {"core", "io", "_version"},
    "datasets": {"core", "datasets", "io.atomic"},
    "microdata": {"core", "kernels", "microdata", "io", "executors.section"},
    "microdata.streaming": {"core", "microdata", "io", "executors"},
    "microdata.measures.tradeoff": {
        "core",
        "microdata.measures.measure",
        "microdata.measures.loss",
        "microdata.measures.risk",
    },
    "microdata.methods.microaggregation": {
        "core",
        "kernels",
        "solvers",
        "microdata.methods.microaggregation",
        "microdata.statistics.group_statistics",
    },
    "microdata.methods.masking": {
        "core",
        "kernels",
        "microdata.methods.masking",
        "microdata.statistics.group_statistics",
        "microdata.methods.microaggregation.mhm",
    },
    "microdata.methods.generalisation": {
        "core",
        "kernels",
        "microdata.methods.generalisation",
        "microdata.statistics.population_uniqueness",
    },
    "microdata.methods.synthesis": {
        "core",
        "kernels",
        "microdata.methods.synthesis",
        "microdata.statistics.standardise",
    },
    "microdata.measures.loss": {
        "core",
        "kernels",
        "microdata.measures.loss",
        "microdata.measures.measure",
        "microdata.measures.gower",
        *ASKED_OF_PARTS,
    },
    # the tree along which t-closeness moves shares is written as other hierarchies are
    "microdata.measures.risk.closeness": {"core", "io.hierarchies", "microdata.measures.risk"},
    "microdata.measures.risk": {
        "core",
        "kernels",
        "microdata.measures.risk",
        "microdata.measures.measure",
        "microdata.measures.gower",
        *ASKED_OF_PARTS,
        "microdata.statistics.population_uniqueness",
    },
    "microdata.methods.local_suppression": {
        "core",
        "kernels",
        "solvers",
        "microdata.methods.local_suppression",
    },
    "microdata.verify": {"core", "io", "microdata.verify"},
    "tables.suppression": {"core", "kernels", "solvers", "tables.suppression"},
    "tables.adjustment": {"core", "solvers", "tables.adjustment"},
    "tables": {"core", "kernels", "tables", "io", "executors.section"},
    "tables.input.aggregation": {"core", "io", "tables.plans.dimensions", "tables.input.aggregation"},
    "tables.input.aggregation.parquet_aggregation": {"core", "io", "executors", "tables.input.aggregation"},
    "tables.rules": {"core", "tables.rules"},
    "tables.verify": {"core", "io", "tables.verify"},
    "tables.verify.audit": {
        "core",
        "tables.verify.attacker",
        "tables.verify.common",
        "tables.verify.insiders",
        "tables.verify.integers",
        "tables.verify.protection_criteria",
        "tables.verify.singleton_and_sum_attacks",
        "tables.verify.unjudged",
    },
    "tables.verify.singleton_and_sum_attacks": {
        "core",
        "tables.verify.attacker",
        "tables.verify.integers",
        "tables.verify.protection_criteria",
        "tables.verify.unions",
    },
    "tables.verify.unions": {"core", "tables.verify.mixed_sums"},
    "tables.verify.mixed_sums": {"core", "tables.verify.attacker"},
    "tables.verify.insiders": {
        "core",
        "tables.verify.attacker",
        "tables.verify.integers",
        "tables.verify.protection_criteria",
    },
    "tables.verify.common": {"core", "tables.verify.integers", "tables.verify.protection_criteria"},
    "tables.verify.integers": {
        "core",
        "solvers.highs",
        "tables.verify.attacker",
        "tables.verify.protection_criteria",
    },
    "tables.verify.protection_criteria": {"core", "tables.verify.attacker"},
    # kernels.interpreted computes nothing: like the compiler, it hands out what the attack is written as
    "tables.verify.attacker": {
        "core",
        "kernels.interpreted",
        "kernels.tables.attack",
        "tables.verify.linear_program",
        "tables.verify.presolve",
    },
    "tables.verify.presolve": {"core"},
    "tables.verify.linear_program": {"core", "solvers.highs"},
    "tables.verify.certify": {"core", "tables.verify.integers", "tables.verify.protection_criteria"},
    "tables.verify.adjusted": {
        "core",
        "io",
        "tables.verify.claim",
        "tables.verify.inference",
        "tables.verify.protection_criteria",
        "tables.verify.keyed",
        "tables.verify.published_tables",
    },
    "tables.verify.claim": {"core", "io", "tables.verify.published_tables"},
    "tables.verify.suppressed": {
        "core",
        "io",
        "tables.verify.audit",
        "tables.verify.claim",
        "tables.verify.published_tables",
    },
    "tables.verify.published_tables": {"core", "io"},
    "tables.verify.inference": {"core", "tables.verify.attacker", "tables.verify.protection_criteria"},
    "tables.verify.keyed": {"core"},
    "tables.verify.infeasible": {"core", "tables.verify.integers", "tables.verify.protection_criteria"},
    "report": {"core", "report", "_version"},
    "plans": {"core", "io", "microdata", "tables", "report", "plans"},
    "demo": {"core", "io", "microdata.plans.plan", "datasets"},
    "precompile": {"core", "kernels.compiling", "kernels.interpreted", "microdata", "tables"},
    "api": {"core", "io", "microdata", "tables", "plans", "precompile", "demo"},
    "sklearn": {"core", "io", "microdata"},
    # plug-ins import it, and nothing of tacita does
    "testing": {"core", "io", "microdata", "tables", "testing"},
    # the server and its screens hold no data, and nothing that could
    "app": {"app.server", "app.screens", "core.spec", "core.display", "core.errors", "_version"},
    "app.server": {"app.server", "core.spec", "core.display", "core.errors", "_version"},
    # what the page asks of a worker process: it may import what the command line may
    "app.worker": {
        "core",
        "io",
        "microdata.plans.plan",
        "microdata.plans.sections",
        "tables.plans.plan",
        "tables.plans.sections",
        "api",
        "datasets",
        "app.worker",
    },
    # beside the first import: nothing may load before it
    "startup_timer": set(),
    # what hands out public names knows where they stand
    "_renamed": {"tacita", "api"},
    "methods": {"core", "microdata.methods", "tables.suppression", "tables.adjustment", "tables.rules"},
    "measures": {"core", "microdata.measures"},
    "cli": {
        "core",
        "executors.section",
        "io",
        "microdata.explore.column_profile",
        "microdata.plans.plan",
        "microdata.plans.risk_plan",
        "microdata.plans.sections",
        "tables.release.adjustment_record",
        "tables.release.compare",
        "tables.plans.plan",
        "tables.release.record",
        "tables.release.suppression_record",
        "tables.plans.sections",
        "tables.rules.rule_syntax",
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
    "cupy": {"kernels"},
    "distributed": {"executors.dask_cluster"},
    "scipy": {
        "solvers",
        "microdata.measures.loss",
        "microdata.protection.membership",
        "microdata.measures.risk.linkage",
        # estimates of a population: likelihoods of gamma functions, their maximum, normal quantiles
        "microdata.statistics.population_uniqueness",
        "microdata.verify.file_models",
        "microdata.methods.masking.shuffling",
        "microdata.methods.microaggregation.set_partitioning",
        "microdata.methods.microaggregation.reassignment",
        "microdata.methods.synthesis",
        "microdata.verify.maskings",
        "microdata.verify.pram",
        "microdata.methods.local_suppression.exact",
        "tables",
    },
    "sklearn": {"microdata.measures.loss.distribution", "sklearn"},
    "narwhals": {
        "core.data.levels",
        "core.data.microdata",
        "core.data.column_metadata",
        "core.results.release",
        "io",
        "microdata",
    },
    "pyarrow": {
        "core.data.dataframes",
        "core.data.levels",
        "core.data.microdata",
        "core.data.number_parsing",
        "datasets",
        "io",
        "microdata",
        "sklearn",
        "tables",
        "testing",
        "precompile",
    },
    # a frame of the caller's that is one of theirs is rebuilt by its own library; results become theirs
    "pandas": {"core.data.dataframes", "io.frames"},
    "polars": {"core.data.dataframes", "io.frames"},
    "pyreadstat": {"io.formats.readstat"},
    "openpyxl": {"io.formats.excel"},
    "jinja2": {"report.pages", "app.server.page_frame"},
    "starlette": {"app"},
    "uvicorn": {"app.server.server"},
    "tomli_w": {"core.spec.plan_document"},
    "cyclopts": {"cli"},
    "rich": {"cli"},
    "pydantic_core": {"cli.options", "core.data.percent"},
}
ANYWHERE = {"numpy", "pydantic", "tacita", "__future__", *sys.stdlib_module_names}

# What stands on the ground may not bring more along: specifications are read without arrays, and what is
# shown is formatted by the standard library alone.
GROUND = {"core.spec": {"pydantic", "pydantic_core", "tomli_w"}, "core.display": set()}

# Rooms of a wing, and the floors on which they stand, at most.
WINGS = {
    "core": (7, 6),
    "microdata": (11, 7),
    "tables": (8, 3),
    "tables.suppression": (6, 5),
    "app": (5, 3),
    "app.server": (19, 5),
    "app.screens": (18, 5),
}


def modules():
    for path in sorted(HOUSE.rglob("*.py")):
        name = ".".join(path.relative_to(HOUSE).with_suffix("").parts).removesuffix(".__init__")
        if name not in ("__init__", "__main__", "_moved", "_version"):
            yield name, path


@cache
def importing(path, for_types=True):
    """The statements of a file that import something; `for_types` with those for type checkers alone."""
    tree = ast.parse(path.read_text())
    unseen = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom) and (for_types or node not in unseen)
    ]


def sources(path, name, for_types=True):
    """The module of tacita that each import of a file names, and what is taken from it."""
    package = [*name.split("."), "x"] if path.name == "__init__.py" else name.split(".")
    for node in importing(path, for_types):
        if isinstance(node, ast.Import):
            yield from (
                (a.name.removeprefix("tacita."), []) for a in node.names if a.name.startswith("tacita")
            )
        elif node.level:
            base = [*package[: -node.level], *([node.module] if node.module else [])]
            yield ".".join(base), [alias.name for alias in node.names]
        elif (node.module or "").partition(".")[0] == "tacita":
            base = node.module.removeprefix("tacita").removeprefix(".")
            yield base, [alias.name for alias in node.names]


def imports(path, name, for_types=True):
    for base, taken in sources(path, name, for_types):
        yield from [base] if base else taken


@pytest.mark.parametrize(("name", "path"), list(modules()), ids=[name for name, _ in modules()])
def test_imports_go_one_way(name, path):
    room = max((room for room in ALLOWED if f"{name}.".startswith(f"{room}.")), key=len)
    for target in imports(path, name):
        assert any(f"{target}.".startswith(f"{allowed}.") for allowed in ALLOWED[room]), (
            f"{name} ({room}) imports tacita.{target}"
        )


def wing(name):
    """What each room of a wing imports of the other rooms; what types alone need does not count."""
    found = {}
    for module, path in modules():
        if module == name or module.startswith(f"{name}."):
            room = module.removeprefix(name).lstrip(".").partition(".")[0] or "__init__"
            targets = found.setdefault(room, set())
            for target in imports(path, module, for_types=False):
                if target == name or target.startswith(f"{name}."):
                    targets.add(target.removeprefix(name).lstrip(".").partition(".")[0] or "__init__")
    return {room: {each for each in targets if each in found} - {room} for room, targets in found.items()}


@pytest.mark.parametrize("name", WINGS)
def test_the_rooms_of_a_wing_stand_on_few_floors_without_a_circle(name):
    house = wing(name)
    floors = {room: floor_of(room, house) for room in house}
    most_rooms, most_floors = WINGS[name]
    assert len(house) <= most_rooms, sorted(house)
    assert max(floors.values()) <= most_floors, floors


@pytest.mark.parametrize("name", GROUND)
def test_the_ground_floor_brings_no_arrays_along(name):
    own = {"tacita", "__future__", *sys.stdlib_module_names, *GROUND[name]}
    for module, path in modules():
        if module.startswith(f"{name}."):
            assert set(libraries(path)) <= own, module
            for target in imports(path, module):
                assert target.startswith((f"{name}", "core.errors")), f"{module} imports tacita.{target}"


MODULES = dict(modules())


@cache
def files_imported(name):
    """The files that a file imports, what types alone need included; a name of a package is its `__init__`.

    Of `from .package import module` it is the module, whatever else the package has.
    """
    found = set()
    for base, taken in sources(MODULES[name], name):
        inner = {f"{base}.{each}".removeprefix(".") for each in taken}
        found |= {each if each in MODULES else base for each in inner} or {base}
    return frozenset(each for each in found if each in MODULES and each != name)


FOLDERS = sorted({"", *(name.rpartition(".")[0] for name in MODULES)} - {"__init__"})


def beneath(folder):
    """What each file and folder of a folder imports of the others, what types alone need included."""
    under = f"{folder}." if folder else ""

    def room_of(name):
        return name.removeprefix(under).partition(".")[0] if name.startswith(under) else "__init__"

    found = {}
    for name in MODULES:
        if name == folder or name.startswith(under):
            targets = {each for each in files_imported(name) if each == folder or each.startswith(under)}
            found.setdefault(room_of(name), set()).update(map(room_of, targets))
    return {room: targets - {room} for room, targets in found.items()}


def test_no_file_imports_itself_by_way_of_others_not_even_for_types():
    found = {name: files_imported(name) for name in MODULES}
    known = {}
    for name in MODULES:
        floor_of(name, found, known=known)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder or "tacita")
def test_no_arrow_of_a_folder_runs_upwards_not_even_for_types(folder):
    found = beneath(folder)
    for room in found:
        floor_of(room, found)


def rooms():
    """What each room of the house, and those who use it, import: the first part of every name."""
    found = {"__main__": {"cli", "startup_timer"}, "__init__": {"api", "core", "microdata", "datasets"}}
    for name, path in modules():
        room = name.partition(".")[0]
        found.setdefault(room, set()).update(target.partition(".")[0] for target in imports(path, name))
    outside = HOUSE.parents[1]
    for folder in ("experiments", "benchmarks", "mutants"):
        files = [path.read_text() for path in (outside / folder).rglob("*.py")]
        beside = {other for other in ("experiments", "benchmarks", "mutants") if other != folder}
        found[folder] = {"__init__"} | {
            each for each in beside if any(re.search(rf"^from {each}\b", text, re.M) for text in files)
        }
    return {room: {each for each in targets if each in found} - {room} for room, targets in found.items()}


def floor_of(room, house, above=(), known=None):
    """The floor of a room, above all that it imports; `known` are floors that were found before."""
    assert room not in above, f"a circle: {' > '.join((*above, room))}"
    known = {} if known is None else known
    if room not in known:
        floors = [floor_of(each, house, (*above, room), known) for each in house[room]]
        known[room] = 1 + max(floors, default=0)
    return known[room]


def test_the_house_has_seven_floors_and_no_circle():
    house = rooms()
    floors = {room: floor_of(room, house) for room in house}
    assert max(floors.values()) <= 7, floors
    assert floors["microdata"] == floors["tables"]
    assert not {"tables"} & house["microdata"] | {"microdata"} & house["tables"]


def test_a_circle_is_seen():
    with pytest.raises(AssertionError, match="a circle: a > b > a"):
        floor_of("a", {"a": {"b"}, "b": {"a"}})


def test_every_file_is_among_those_without_a_circle():
    apart = ("__init__", "__main__", "_moved", "_version")
    assert len(MODULES) == len(list(HOUSE.rglob("*.py"))) - len(apart)
    assert "core.errors" in files_imported("core.results.verdicts")
    assert "core.results.verdicts" in files_imported("core")
    assert "app.server.workspaces" in files_imported("app.server.application")


def test_the_rule_sees_a_forbidden_import(tmp_path):
    wrong = tmp_path / "wrong.py"
    wrong.write_text("from tacita.microdata import protect\nfrom ..api import run\n")
    assert list(imports(wrong, "core.wrong")) == ["microdata", "api"]


CHANGING = {"add", "append", "clear", "extend", "insert", "pop", "popitem", "remove", "setdefault", "update"}


def changed_by_functions(source):
    """Names of a module that its functions change: what a run leaves behind for the next."""
    tree = ast.parse(source)
    own = {
        target.id
        for node in tree.body
        for target in (node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)])
        if isinstance(target, ast.Name)
    }
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        for node in ast.walk(function):
            if isinstance(node, ast.Global):
                yield from node.names
            held = None
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                held = node.func.value if node.func.attr in CHANGING else None
            elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
                held = node.value
            if isinstance(held, ast.Name) and held.id in own:
                yield held.id


@pytest.mark.parametrize(
    ("name", "path"),
    # searches for patterns of tables are told by which clock to count, there and nowhere else
    [(name, path) for name, path in modules() if name != "tables.suppression.time_limit"],
    ids=[name for name, _ in modules() if name != "tables.suppression.time_limit"],
)
def test_no_run_leaves_anything_behind_in_a_module(name, path):
    assert not set(changed_by_functions(path.read_text())), f"{name} keeps what its functions change"


@pytest.mark.parametrize(
    "body",
    [
        "    SEEN.append(1)",
        "    SEEN[0] = 1",
        "    SEEN[0] += 1",
        "    del SEEN[0]",
        "    global SEEN\n    SEEN = 1",
    ],
)
def test_the_rule_sees_what_is_left_behind(body):
    assert set(changed_by_functions(f"SEEN: list[int] = []\n\n\ndef run():\n{body}\n")) == {"SEEN"}


def libraries(path):
    for node in importing(path):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif not node.level:
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
