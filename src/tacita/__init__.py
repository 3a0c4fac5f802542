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
        audit,
        build_hierarchy,
        check_requirements,
        compare_methods,
        compare_suppressions,
        describe_columns,
        estimate_pram_frequencies,
        evaluate,
        get_method,
        hierarchy_coverage,
        interruptible,
        link_tables,
        protect,
        protect_file,
        read,
        read_table,
        read_tau_argus,
        risk_profile,
        run_plan,
        sample_uniqueness,
        save,
        save_adjusted,
        save_adjusted_tables,
        save_cells,
        save_comparison,
        save_hierarchy,
        save_risk,
        save_table,
        save_tables,
        sniff_csv,
        suggest_roles,
        suppress,
        synthesize,
        tabulate,
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
        RunContext,
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
    "RunContext",
    "Score",
    "Table",
    "TacitaError",
    "Trial",
    "Trials",
    "VerificationError",
    "__version__",
    "adjust",
    "audit",
    "build_hierarchy",
    "check_requirements",
    "compare_methods",
    "compare_suppressions",
    "datasets",
    "describe_columns",
    "estimate_pram_frequencies",
    "evaluate",
    "get_method",
    "hierarchy_coverage",
    "interruptible",
    "io",
    "link_tables",
    "measures",
    "methods",
    "new_pseudonym_key",
    "protect",
    "protect_file",
    "read",
    "read_table",
    "read_tau_argus",
    "risk_profile",
    "run_plan",
    "sample_uniqueness",
    "save",
    "save_adjusted",
    "save_adjusted_tables",
    "save_cells",
    "save_comparison",
    "save_hierarchy",
    "save_risk",
    "save_table",
    "save_tables",
    "sniff_csv",
    "suggest_roles",
    "suppress",
    "synthesize",
    "tables",
    "tabulate",
    "testing",
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
        from ._renamed import former

        if (renamed := former(name)) is not None:
            return renamed
        raise AttributeError(f"module 'tacita' has no attribute {name!r}")
