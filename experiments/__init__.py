"""Published experiments, run again: each writes a page with the printed figures beside ours.

>>> sorted(EXPERIMENTS)
['instances', 'microaggregation', 'synthetic', 'tables', 'wishes']
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any

from tacita.core import ParameterError, RunContext

from .document import Document
from .version import VERSION

# name -> module with the functions `document(run, quick)` and `rendered(numbers)`
EXPERIMENTS = {
    "microaggregation": "experiments.microaggregation",
    "synthetic": "experiments.synthetic",
    "tables": "experiments.tables",
    "instances": "experiments.instances",
    "wishes": "experiments.wishes",
}
# name -> what else its `document` takes
SETTINGS: dict[str, tuple[str, ...]] = {
    "microaggregation": ("part",),
    "tables": ("tables", "cap", "largest", "problem", "method", "zeros", "margins"),
    "instances": ("cap",),
}
# those that go on from the numbers of an earlier run (`earlier`) and hand over what there is (`save`)
CONTINUED = frozenset({"tables", "instances"})


def require(name: str) -> None:
    """Refuse a name that nothing goes by."""
    if name not in EXPERIMENTS:
        raise ParameterError(
            f"There is nothing named {name!r} to reproduce. Known: {', '.join(EXPERIMENTS)}."
        )


def require_settings(name: str, given: Iterable[str]) -> None:
    """Refuse a setting that the experiments of this name do not have."""
    known = SETTINGS.get(name, ())
    if strange := [each for each in given if each not in known]:
        raise ParameterError(
            f"reproduce {name}: there is no setting {', '.join(strange)}. "
            f"There {'are: ' + ', '.join(known) if known else 'is none'}."
        )


def require_continued(name: str) -> None:
    """Refuse to start over what never goes on."""
    if name not in CONTINUED:
        raise ParameterError(f"reproduce {name}: always starts over. Leave --fresh away.")


def reproduce(
    name: str,
    run: RunContext | None = None,
    *,
    quick: bool = False,
    earlier: Mapping[str, Any] | None = None,
    save: Callable[[Document], None] | None = None,
    **settings: Any,
) -> Document:
    """Run the experiments of one name; `quick` takes a small part of them, to see that all works.

    Other settings are those of the experiments (`SETTINGS`); None is as if it were not given. Those of
    `CONTINUED` keep what counts of the numbers of an `earlier` document, and hand unfinished ones to `save`
    from time to time.
    """
    require(name)
    given = {each: value for each, value in settings.items() if value is not None}
    require_settings(name, given)
    steps: dict[str, Any] = {"earlier": earlier, "save": save} if name in CONTINUED else {}
    if "part" in given:
        steps = {"earlier": earlier}
    made: Document = import_module(EXPERIMENTS[name]).document(run or RunContext(), quick, **steps, **given)
    return made


def render(name: str, numbers: Mapping[str, Any]) -> Document:
    """The page and figures of an earlier run from its numbers, as today's code writes them; runs nothing."""
    require(name)
    if numbers.get("version") != VERSION:
        raise ParameterError(f"render {name}: the numbers are of another version. Run the experiments again.")
    try:
        made: Document = import_module(EXPERIMENTS[name]).rendered(numbers)
    except (AttributeError, KeyError, TypeError):
        raise ParameterError(
            f"render {name}: {name}.json in this folder is not what the experiments write. Run them again."
        ) from None
    return made
