"""Values of more than five fields are filled by keyword: nobody counts places to read a call."""

import ast
from functools import cache
from pathlib import Path

import tacita

SOURCE = Path(tacita.__file__).parent.parent
MOST_BY_POSITION = 5


@cache
def trees():
    found = {}
    for path in (SOURCE / "tacita").rglob("*.py"):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path, ast.parse(path.read_text())
    return found


def has_fields(definition):
    decorators = [each.func if isinstance(each, ast.Call) else each for each in definition.decorator_list]
    names = [ast.unparse(each) for each in (*decorators, *definition.bases)]
    return "dataclass" in names or "NamedTuple" in names


@cache
def classes():
    return {
        (module, definition.name): definition
        for module, (_, tree) in trees().items()
        for definition in tree.body
        if isinstance(definition, ast.ClassDef) and has_fields(definition)
    }


@cache
def imports(module):
    """The module and name behind each name that a module imports."""
    path, tree = trees()[module]
    package = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
    behind = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            above = package[: len(package) + 1 - node.level] if node.level else []
            source = ".".join([*above, *([node.module] if node.module else [])])
            behind |= {alias.asname or alias.name: (source, alias.name) for alias in node.names}
    return behind


@cache
def resolved(module, name):
    """The class of some fields behind a name of a module, through as many imports as it takes."""
    while (module, name) not in classes():
        behind = imports(module).get(name) if module in trees() else None
        if behind is None:
            return None
        module, name = behind
    return module, name


@cache
def fields(key):
    definition = classes()[key]
    own = [
        each.target.id
        for each in definition.body
        if isinstance(each, ast.AnnAssign)
        and "ClassVar" not in ast.unparse(each.annotation)
        and "init=False" not in ast.unparse(each)
    ]
    bases = [resolved(key[0], ast.unparse(base).partition("[")[0]) for base in definition.bases]
    inherited = [name for base in bases if base is not None for name in fields(base)]
    return [*inherited, *(name for name in own if name not in inherited)]


def by_position(module, tree):
    """Lines where a value of many fields is filled by position, with the name of its class."""

    def look(node, around):
        around = node.name if isinstance(node, ast.ClassDef) else around
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
            name = node.func.id
            key = (module, around) if name == "cls" else resolved(module, name)
            if key in classes() and len(fields(key)) > MOST_BY_POSITION:
                yield node.lineno, key[1]
        for child in ast.iter_child_nodes(node):
            yield from look(child, around)

    return list(look(tree, None))


def test_values_of_many_fields_are_filled_by_keyword():
    found = {module: lines for module, (_, tree) in trees().items() if (lines := by_position(module, tree))}
    assert found == {}


def test_a_value_filled_by_position_is_seen():
    planted = ast.parse("from tacita.core.results.verdicts import Verdict\nVerdict('a', 'b', True, 'c')")
    module = "tacita.core.results.verdicts"
    assert by_position(module, planted) == [(2, "Verdict")]
