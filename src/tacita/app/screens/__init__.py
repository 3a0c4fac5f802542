"""Every screen, a file each; a new one is a line here."""

from __future__ import annotations

from starlette.routing import BaseRoute, Route

from tacita.app.server import events, login

from . import assets, compare, data, downloads, export, fuzzy, protect, roles, shared, start, tables
from .data import load_demo

__all__ = ["ROUTES", "SCREENS", "load_demo"]

# Those of a work in the order of its steps: the first is where the work begins.
_FAMILIES = (
    *(data, roles, protect, compare, export),
    *tables.FAMILIES,
    fuzzy,
)

SCREENS = tuple(family.SCREEN for family in _FAMILIES)
_OF_SCREENS: list[Route] = [route for family in _FAMILIES for route in family.ROUTES]
ROUTES: list[BaseRoute] = [
    *login.ROUTES,
    *events.ROUTES,
    *start.ROUTES,
    *shared.ROUTES,
    *assets.ROUTES,
    *downloads.ROUTES,
    *_OF_SCREENS,
]
