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
# modules that the pages of methods and measures named, and that have another name now or stand in another one
_NAMED = {
    "methods.generalisation": {"ladders": "key_hierarchies", "local": "local_recoding"},
    "methods.microaggregation": {
        "capacity": "kmeans_variants",
        "cbfs": "mdav",
        "maxdistance": "mdav",
        "means": "kmeans_variants",
        "paths": "mhm",
        "projection": "mhm",
        "univariate": "mhm",
        "vmdav": "mdav",
    },
    "methods.synthesis": {"gadp": "ipso"},
    "measures.loss": {
        "absolute": "changed_values",
        "categories": "changed_values",
        "propensity": "distribution",
        "squared": "changed_values",
        "suppressed": "changed_values",
        "tables": "contingency_tables",
    },
    "measures.risk": {"answers": "sensitive_values", "aware": "transparency_attacks"},
}
MOVED = {
    **{f"tacita.microdata.{old}": f"tacita.microdata.methods.{new}" for old, new in _METHODS.items()},
    **{
        f"tacita.microdata.{old}.base": f"tacita.microdata.methods.{new}.{new}_method"
        for old, new in _METHODS.items()
    },
    **{
        f"tacita.microdata.{folder.partition('.')[2]}.{old}": f"tacita.microdata.{folder}.{new}"
        for folder, names in _NAMED.items()
        for old, new in names.items()
    },
    "tacita.core.score": "tacita.core.results.score",
    "tacita.io.formats.base": "tacita.io.formats.record_format",
    "tacita.io.tables.base": "tacita.io.tables.table_format",
    "tacita.io.tables.shown": "tacita.io.tables.published_table",
    "tacita.microdata.balance": "tacita.microdata.measures.tradeoff",
    "tacita.microdata.loss": "tacita.microdata.measures.loss",
    "tacita.microdata.measures.loss.tables": "tacita.microdata.measures.loss.contingency_tables",
    "tacita.microdata.measure": "tacita.microdata.measures.measure",
    "tacita.microdata.risk": "tacita.microdata.measures.risk",
    "tacita.tables.adjustment.base": "tacita.tables.adjustment.adjustment_method",
    "tacita.tables.rules.base": "tacita.tables.rules.rule",
    "tacita.tables.rules.wishes": "tacita.tables.rules.request_rules",
    "tacita.tables.suppression.base": "tacita.tables.suppression.suppression_method",
    "tacita.tables.suppression.large.improve": "tacita.tables.suppression.large.neighbourhood_search",
    "tacita.tables.suppression.twoway": "tacita.tables.suppression.optimal",
    "tacita.tables.suppression.twoway.lagrange": "tacita.tables.suppression.heuristics.lagrangian",
    **{
        f"tacita.tables.suppression.twoway.{name}": f"tacita.tables.suppression.heuristics.{name}"
        for name in ("gauss", "genetic", "hypercube", "paths", "threephase")
    },
}


def _today(name: str) -> str | None:
    """Where a module is that was moved by itself, or with the package that it is in."""
    package, _, last = name.rpartition(".")
    if name in MOVED or package not in MOVED:
        return MOVED.get(name)
    from importlib.util import find_spec

    today = f"{MOVED[package]}.{last}"
    return today if find_spec(today) is not None else None


class _MovedModules:
    """Finds a module under its former name, and hands out the one that it is now."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if _today(name) is None:
            return None
        from importlib.machinery import ModuleSpec

        return ModuleSpec(name, self)  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        from importlib import import_module
        from warnings import warn

        name, today = module.__name__, _today(module.__name__)
        assert today is not None
        sys.modules[name] = import_module(today)
        # of a package each module speaks for itself
        if not hasattr(sys.modules[name], "__path__"):
            warn(f"{name} is now {today}", DeprecationWarning, stacklevel=2)


def install() -> None:
    """Let former names be imported; once is enough."""
    if not any(isinstance(finder, _MovedModules) for finder in sys.meta_path):
        sys.meta_path.insert(0, _MovedModules())
