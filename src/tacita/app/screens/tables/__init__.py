"""The screens of tables, a file each, in the order of their steps."""

from __future__ import annotations

from . import audit, build, export, rules, suppress

FAMILIES = (build, rules, suppress, audit, export)
