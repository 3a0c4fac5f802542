"""Every method and measure by kind and name, loaded only when used.

Adding one is a line here. Other packages add theirs as entry points in the group `tacita.KIND`:

    [project.entry-points."tacita.microaggregation"]
    mine = "my_package.module:MyMethod"
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from .core.errors import ParameterError
from .core.method import Method

BUILT_IN: dict[str, dict[str, str]] = {
    "microaggregation": {
        "mdav": "tacita.microdata.microaggregation.mdav:MDAV",
        "hm": "tacita.microdata.microaggregation.univariate:HM",
    },
    "loss": {
        "IL1": "tacita.microdata.loss.squared:IL1",
        "IL2": "tacita.microdata.loss.absolute:IL2",
    },
    "risk": {
        "DLD": "tacita.microdata.risk.linkage:DLD",
    },
}

PROTECTING = ("microaggregation",)
MEASURING = ("loss", "risk")


@cache
def locations() -> dict[str, dict[str, str]]:
    """Kind -> name -> "module:Class", built-in first, then those of other packages.

    >>> "mdav" in locations()["microaggregation"]
    True
    """
    merged = {kind: dict(names) for kind, names in BUILT_IN.items()}
    for kind, names in merged.items():
        for point in entry_points(group=f"tacita.{kind}"):
            # a plug-in may add a name, never quietly replace one that users rely on
            names.setdefault(point.name, point.value)
    return merged


def names(*kinds: str) -> list[str]:
    """All names of some kinds, in the order of the registry.

    >>> names("loss")
    ['IL1', 'IL2']
    """
    return [name for kind in kinds for name in locations()[kind]]


def lookup(name: str, *kinds: str) -> type[Method]:
    """The class behind a name.

    >>> lookup("mdav", "microaggregation").__name__
    'MDAV'
    """
    for kind in kinds or tuple(locations()):
        if location := locations()[kind].get(name):
            module, _, attribute = location.partition(":")
            found: type[Method] = getattr(import_module(module), attribute)
            return found
    known = ", ".join(names(*(kinds or tuple(locations()))))
    raise ParameterError(f"There is no method or measure named {name!r}. Known: {known}.")


def describe(kind: str, name: str) -> dict[str, Any]:
    """What a user can know of a method without running it: for `tacita methods` and for forms."""
    found = lookup(name, kind)
    return {
        "kind": kind,
        "name": name,
        "summary": found.summary(),
        "parameters": found.parameter_schema(),
        "guarantees": list(found.guarantees),
    }
