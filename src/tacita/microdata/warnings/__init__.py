"""Where the promise of k is thinner than it sounds: one small function per weakness, each with a count.

A warning is a function in a module of this folder that says what it looks at (`finders.py`), and a line in
`core/results/warning_severity.py`, which says what it comes after.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules

from tacita.core import DisclosureWarning
from tacita.core.results.warning_severity import gravest_first

from .finders import Finished, finders_of
from .not_promised import not_promised
from .usefulness import as_they_were

__all__ = ["Finished", "as_they_were", "find", "not_promised"]

# Every finder of the modules of this folder, and what it looks at.
FINDERS = tuple(
    finder
    for module in iter_modules(__path__, prefix=f"{__name__}.")
    for finder in finders_of(import_module(module.name))
)


def find(release: Finished) -> tuple[DisclosureWarning, ...]:
    """All that apply to one release, the gravest first: to the file as it is, and to what each step made that
    still stands.
    """
    return gravest_first(_found(release))


def _found(release: Finished) -> Iterator[DisclosureWarning]:
    for finder, looks_at in FINDERS:
        if looks_at == "release":
            yield from finder(release)
        else:
            for step, naming in release.steps(looks_at):
                yield from map(naming, finder(step))
