"""Writes what a type checker reads of the registry: the parameters of methods, and the names of classes.

Run `python .ci/typed_api.py` where a method or measure is new, or has other parameters.
"""

import sys
import types
from collections.abc import Iterator
from pathlib import Path
from subprocess import run
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from tacita.core.spec import registry

SOURCE = Path(__file__).parents[1] / "src" / "tacita"
# Parameters that verbs have in their own signatures.
OF_VERBS = frozenset({"k"})

_HEAD = '''"""Types of the parameters of methods, for signatures such as `protect(..., **method_params)`.

Written by `python .ci/typed_api.py` from the registry, whose classes check the values. `k` is missing
here, since verbs have it in their own signatures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict
'''
_CLASSES = (
    ("MethodParams", registry.PROTECTING, False, "Parameters of methods that protect records."),
    ("MethodParamGrid", registry.PROTECTING, True, "The same for `compare`: a value, or several to try."),
    ("SuppressionParams", registry.SUPPRESSING, False, "Parameters of methods that suppress cells."),
    ("AdjustmentParams", registry.ADJUSTING, False, "Parameters of methods that adjust tables."),
)


def spelled(annotation: Any) -> Iterator[str]:
    """The members of the union that a caller may hand over, as source text."""
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        yield from spelled(parts[0])
    elif origin in (Union, types.UnionType):
        for part in parts:
            yield from spelled(part)
    elif origin is Literal:
        yield f"Literal[{', '.join(repr(part).replace(chr(39), chr(34)) for part in parts)}]"
    elif origin is tuple:
        yield f"Sequence[{one(parts[0])}]"
    elif origin is dict:
        yield f"Mapping[{one(parts[0])}, {one(parts[1])}]"
    elif annotation is type(None):
        yield "None"
    else:
        yield "Any" if annotation is Any else annotation.__name__


def one(annotation: Any) -> str:
    """A type as one text."""
    return " | ".join(dict.fromkeys(spelled(annotation)))


def params_of(kinds: tuple[str, ...]) -> dict[str, list[str]]:
    """Every parameter of the methods of some kinds, with all types that it may have."""
    found: dict[str, list[str]] = {}
    for name in (name for kind in kinds for name in registry.BUILT_IN[kind]):
        for field, info in registry.lookup(name, *kinds).model_fields.items():
            if field not in OF_VERBS:
                found.setdefault(field, []).extend(spelled(info.annotation))
    return {
        name: sorted(dict.fromkeys(found[name]), key=lambda text: text == "None") for name in sorted(found)
    }


def _several(members: list[str]) -> str:
    last = ["None"] if members[-1] == "None" else []
    given = [member for member in members if member != "None"]
    return " | ".join([*given, f"Sequence[{' | '.join(members)}]", *last])


def params() -> str:
    """The module of types of parameters."""
    parts = [_HEAD]
    for name, kinds, several, words in _CLASSES:
        lines = [f"class {name}(TypedDict, total=False):", f'    """{words}"""', ""]
        for field, members in params_of(kinds).items():
            lines.append(f"    {field}: {_several(members) if several else ' | '.join(members)}")
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


_NAMESPACE = """# Written by `python .ci/typed_api.py` from the registry.

from __future__ import annotations

# not from typing: what loads here loads before the command listens to Ctrl-C
TYPE_CHECKING = False
if TYPE_CHECKING:
{imports}

__all__ = {names}


def __dir__() -> list[str]:
    return sorted(__all__)


# hidden from type checkers, for which a name that is not listed is a mistake
if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        from tacita.core.spec import registry

        if name in __all__:
            return registry.class_named(name, *registry.CLASSES[{key!r}])
        raise AttributeError(f"module {{__name__!r}} has no attribute {{name!r}}")
"""


def namespace(key: str, words: str) -> str:
    """A module that hands on the classes of some kinds when they are used."""
    homes: dict[str, list[str]] = {}
    for kind in registry.CLASSES[key]:
        for location in registry.BUILT_IN[kind].values():
            module, _, name = location.partition(":")
            homes.setdefault(module, []).append(name)
    names = sorted(name for classes in homes.values() for name in classes)
    imports = ["    from typing import Any", ""]
    imports += [f"    from {module} import {', '.join(sorted(homes[module]))}" for module in sorted(homes)]
    return words + "\n" + _NAMESPACE.format(imports="\n".join(imports), names=names, key=key)


def formatted(source: str, target: Path) -> str:
    """As ruff formats it, imports in order."""
    for arguments in (["check", "--select", "I,RUF022", "--fix-only", "--quiet"], ["format"]):
        ruff = [sys.executable, "-m", "ruff", *arguments, "--stdin-filename", str(target), "-"]
        source = run(ruff, input=source, capture_output=True, text=True, check=True).stdout
    return source


def texts() -> dict[Path, str]:
    """Each module that is written, with its text."""
    found = {
        SOURCE / "core" / "spec" / "method_params.py": params(),
        SOURCE / "methods.py": namespace("methods", '"""Methods by class: `tacita.methods.MDAV(k=3)`."""'),
        SOURCE / "measures.py": namespace(
            "measures", '"""Measures of loss and risk by class: `tacita.measures.DBRL()`."""'
        ),
    }
    return {target: formatted(source + "\n", target) for target, source in found.items()}


if __name__ == "__main__":
    for target, text in texts().items():
        target.write_text(text)
