"""tacita: publish data about people and firms without giving any of them away."""

from __future__ import annotations

from ._moved import install as _install_moved
from ._version import __version__

_install_moved()

# not from typing: what loads here loads before the command listens to Ctrl-C
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tacita.microdata.plans.plan import Plan

    from . import datasets, io, measures, methods, tables, testing
    from .api import (
        adjust,
        assess,
        audit,
        check,
        compare,
        compare_patterns,
        exposure,
        guess_reading,
        guess_roles,
        interruptible,
        link,
        look_at_hierarchy,
        make_hierarchy,
        method,
        profile,
        protect,
        protect_file,
        read,
        read_argus,
        read_table,
        risk,
        run,
        save,
        save_adjusted,
        save_adjusted_tables,
        save_cells,
        save_comparison,
        save_hierarchy,
        save_risk,
        save_table,
        save_tables,
        suppress,
        synthesize,
        tabulate,
        unpram,
        watch,
    )
    from .core import (
        Adjusted,
        Cancelled,
        DataError,
        ParameterError,
        Partition,
        Pattern,
        Progress,
        Release,
        Report,
        RequirementError,
        RiskProfile,
        Run,
        Score,
        Table,
        TacitaError,
        Trial,
        Trials,
        VerificationError,
    )
    from .io.secret import new_pseudonym_key

__all__ = [
    "Adjusted",
    "Cancelled",
    "DataError",
    "ParameterError",
    "Partition",
    "Pattern",
    "Plan",
    "Progress",
    "Release",
    "Report",
    "RequirementError",
    "RiskProfile",
    "Run",
    "Score",
    "Table",
    "TacitaError",
    "Trial",
    "Trials",
    "VerificationError",
    "__version__",
    "adjust",
    "assess",
    "audit",
    "check",
    "compare",
    "compare_patterns",
    "datasets",
    "exposure",
    "guess_reading",
    "guess_roles",
    "interruptible",
    "io",
    "link",
    "look_at_hierarchy",
    "make_hierarchy",
    "measures",
    "method",
    "methods",
    "new_pseudonym_key",
    "profile",
    "protect",
    "protect_file",
    "read",
    "read_argus",
    "read_table",
    "risk",
    "run",
    "save",
    "save_adjusted",
    "save_adjusted_tables",
    "save_cells",
    "save_comparison",
    "save_hierarchy",
    "save_risk",
    "save_table",
    "save_tables",
    "suppress",
    "synthesize",
    "tables",
    "tabulate",
    "testing",
    "unpram",
    "watch",
]

# What is neither a verb of the interface nor a value of the core.
_HOMES = {"Plan": "microdata.plans.plan", "new_pseudonym_key": "io.secret"}
_MODULES = {
    **{name: name for name in ("datasets", "io", "measures", "methods", "sklearn", "tables", "testing")},
    "registry": "core.spec.registry",
}


def __dir__() -> list[str]:
    return sorted(__all__)


# hidden from type checkers, for which a name that is not listed is a mistake
if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        from importlib import import_module

        # loaded when first used: `tacita --help` should not wait for Arrow
        if name in _MODULES:
            return import_module(f"tacita.{_MODULES[name]}")
        if name in __all__:
            home = _HOMES.get(name, "api" if name.islower() else "core")
            return getattr(import_module(f"tacita.{home}"), name)
        raise AttributeError(f"module 'tacita' has no attribute {name!r}")
