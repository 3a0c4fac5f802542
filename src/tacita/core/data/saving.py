"""How results write themselves: the functions that write lie above the core, and load when they are used."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

# By kind of result, as the registry names methods. Each takes the result first.
WRITERS = {
    "adjusted": "tacita.plans.table_plans:save_adjusted",
    "audit": "tacita.plans.table_plans:save_audit",
    "cells": "tacita.plans.table_plans:save_cells",
    "comparison": "tacita.plans:save_comparison",
    "records": "tacita.plans:save",
    "report": "tacita.plans:save_report",
    "risk": "tacita.plans:save_risk",
    "suppressed": "tacita.plans.table_plans:save_table",
}


def writer(kind: str) -> Callable[..., None]:
    """The function that writes a kind of result."""
    module, _, name = WRITERS[kind].partition(":")
    function: Callable[..., None] = getattr(import_module(module), name)
    return function
