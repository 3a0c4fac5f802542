"""Published experiments, run again: each writes a page with the printed figures beside ours.

>>> sorted(EXPERIMENTS)
['microaggregation', 'synthetic']
"""

from __future__ import annotations

from importlib import import_module

from tacita.core import ParameterError, Run

from .document import Document

# name -> module with a function `document(run, quick)`
EXPERIMENTS = {
    "microaggregation": "tacita.reproduce.microaggregation",
    "synthetic": "tacita.reproduce.synthetic",
}


def require(name: str) -> None:
    """Refuse a name that nothing goes by."""
    if name not in EXPERIMENTS:
        raise ParameterError(
            f"There is nothing named {name!r} to reproduce. Known: {', '.join(EXPERIMENTS)}."
        )


def reproduce(name: str, run: Run | None = None, *, quick: bool = False) -> Document:
    """Run the experiments of one name; `quick` takes a small part of them, to see that all works."""
    require(name)
    made: Document = import_module(EXPERIMENTS[name]).document(run or Run(), quick)
    return made
