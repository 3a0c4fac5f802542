"""Warnings of a release of microdata: one function for each weakness, which counts what it concerns.

A warning is a function in a module of this folder, decorated by what it examines (`finders.py`). A line in
`core/results/warning_severity.py` ranks it by severity.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from tacita.core import Caution
from tacita.core.results.warning_severity import gravest_first

from .finders import FINDERS, Finished
from .not_promised import not_promised
from .usefulness import as_they_were

__all__ = ["Finished", "as_they_were", "find", "not_promised"]

# loading a module registers its finders
for _module in iter_modules(__path__, prefix=f"{__name__}."):
    import_module(_module.name)


def find(release: Finished) -> tuple[Caution, ...]:
    """All warnings of a release, the most severe first.

    They concern the file as a whole, and the result of each step that no later step replaced.
    """
    return gravest_first(caution for finder in FINDERS for caution in finder(release))
