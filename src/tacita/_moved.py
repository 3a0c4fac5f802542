"""Documented module names that have moved: plug-ins written for them keep working, with a warning."""

from __future__ import annotations

import sys

# not from typing: what loads here loads before the command listens to Ctrl-C
TYPE_CHECKING = False
if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any

_METHODS = {
    "coding": "coding",
    "dropping": "dropping",
    "generalisation": "generalisation",
    "masking": "masking",
    "microaggregation": "microaggregation",
    "recoding": "recoding",
    "synthesis": "synthesis",
    "withholding": "local_suppression",
}
MOVED = {
    **{f"tacita.microdata.{old}": f"tacita.microdata.methods.{new}" for old, new in _METHODS.items()},
    **{
        f"tacita.microdata.{old}.base": f"tacita.microdata.methods.{new}.{new}_method"
        for old, new in _METHODS.items()
    },
    "tacita.core.score": "tacita.core.results.score",
    "tacita.io.formats.base": "tacita.io.formats.record_format",
    "tacita.io.tables.base": "tacita.io.tables.table_format",
    "tacita.io.tables.shown": "tacita.io.tables.published_table",
    "tacita.microdata.measure": "tacita.microdata.measures.measure",
    "tacita.tables.adjustment.base": "tacita.tables.adjustment.adjustment_method",
    "tacita.tables.rules.base": "tacita.tables.rules.rule",
    "tacita.tables.suppression.base": "tacita.tables.suppression.suppression_method",
}


class _MovedModules:
    """Finds a module under its former name, and hands out the one that it is now."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name not in MOVED:
            return None
        from importlib.machinery import ModuleSpec

        return ModuleSpec(name, self)  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        from importlib import import_module
        from warnings import warn

        name = module.__name__
        if name.count(".") > 2 or "methods" not in MOVED[name]:
            warn(f"{name} is now {MOVED[name]}", DeprecationWarning, stacklevel=2)
        sys.modules[name] = import_module(MOVED[name])


def install() -> None:
    """Let former names be imported; once is enough."""
    if not any(isinstance(finder, _MovedModules) for finder in sys.meta_path):
        sys.meta_path.insert(0, _MovedModules())  # type: ignore[arg-type]
