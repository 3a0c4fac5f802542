"""What a worker loads while it has no question: the first run then waits for no library."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from importlib import import_module
from queue import Queue
from typing import Any

from tacita.core.spec import registry

# The compiler and the solvers come with these.
_PACKAGES = ("tacita.kernels.records", "tacita.kernels.tables", "tacita.tables.verify")


def modules() -> Iterator[str]:
    """Names of modules that runs load when they begin: those of all methods, then compiled loops.

    >>> "tacita.kernels.tables.cuts" in modules()
    True
    """
    for named in registry.locations().values():
        yield from dict.fromkeys(place.partition(":")[0] for place in named.values())
    for package in _PACKAGES:
        for module in pkgutil.iter_modules(import_module(package).__path__):
            yield f"{package}.{module.name}"


def next_question(questions: Queue[dict[str, Any]], waiting: Iterator[str]) -> dict[str, Any]:
    """The next question; until it comes, what still waits is loaded, one module after the other."""
    while questions.empty() and (name := next(waiting, None)) is not None:
        try:
            import_module(name)
        except Exception:
            # a plug-in of a third party: its fault is reported when it is chosen
            continue
    return questions.get()
