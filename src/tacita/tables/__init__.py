"""Tables: from records to cells, which cells are sensitive, and what an attacker can compute."""

from __future__ import annotations

# not from typing: what loads here loads before the command listens to Ctrl-C
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tacita.core import Table

    from .input.linked_tables import link_tables
    from .input.read import read_tau_argus
    from .release.compare import compare_suppressions
    from .release.release import adjust, read_table, suppress, tabulate
    from .release.results import AdjustedTable, SuppressedTable
    from .rules.concentration import PQ, Dominance, PPercent
    from .rules.frequency import MinimumFrequency, ZeroCells
    from .rules.request_rules import Listed, Request
    from .verify.audit import audit

__all__ = [
    "PQ",
    "AdjustedTable",
    "Dominance",
    "Listed",
    "MinimumFrequency",
    "PPercent",
    "Request",
    "SuppressedTable",
    "Table",
    "ZeroCells",
    "adjust",
    "audit",
    "compare_suppressions",
    "link_tables",
    "read_table",
    "read_tau_argus",
    "suppress",
    "tabulate",
]

_HOMES = {
    "AdjustedTable": "tacita.tables.release.results",
    "SuppressedTable": "tacita.tables.release.results",
    "Table": "tacita.core",
    "adjust": "tacita.tables.release.release",
    "audit": "tacita.tables.verify.audit",
    "compare_suppressions": "tacita.tables.release.compare",
    "link_tables": "tacita.tables.input.linked_tables",
    "read_tau_argus": "tacita.tables.input.read",
    "read_table": "tacita.tables.release.release",
    "suppress": "tacita.tables.release.release",
    "tabulate": "tacita.tables.release.release",
}


# hidden from type checkers, for which a name that is not listed is a mistake
if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        from importlib import import_module

        # loaded when first used: importing one module of tables does not load all of them
        if name in _HOMES:
            return getattr(import_module(_HOMES[name]), name)
        if name in __all__:
            from tacita.core.spec import registry

            return registry.class_named(name, *registry.CLASSES["tables"])
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
