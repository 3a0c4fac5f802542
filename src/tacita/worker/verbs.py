"""Every verb by its name. A new one is a function in the file of its family, and a line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from . import fuzzy, methods, records, tables
from .desk import Desk

Verb = Callable[[Mapping[str, Any], Desk], dict[str, Any]]

VERBS: dict[str, Verb] = {
    "methods": methods.methods,
    "warmup": methods.warmup,
    "demo": records.demo,
    "plan": records.plan,
    "profile": records.profile,
    "preview": records.preview,
    "exposure": records.exposure,
    "protect": records.protect,
    "grid": records.grid,
    "assess": records.assess,
    "fuzzy-points": fuzzy.points,
    "fuzzy-clouds": fuzzy.clouds,
    "fuzzy-watch": fuzzy.watch,
    "fuzzy-sweep": fuzzy.sweep,
    "table": tables.table,
    "publish": tables.publish,
    "cells": tables.cells,
    "audited": tables.audited,
    "audit": tables.audit,
}
