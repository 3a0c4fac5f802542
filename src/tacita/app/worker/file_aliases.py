"""Files as their owner calls them, not as they lie here: in messages, and in plans to repeat."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tacita.core import TacitaError


@contextmanager
def as_its_owner_says(given: Mapping[str, Any]) -> Iterator[None]:
    """Messages about files of a question: `names` has what their owner calls those beside the source."""
    try:
        yield
    except TacitaError as problem:
        names = {**given.get("names", {}), Path(given["source"]["path"]).name: given["source"]["shown_as"]}

        def spoken(text: str) -> str:
            for ours, theirs in names.items():
                text = text.replace(ours, theirs)
            return text

        said = problem.reworded(spoken(str(problem)))
        said.fields = {name: spoken(text) for name, text in problem.fields.items()}
        raise said from None


def owned(given: Mapping[str, Any], hierarchy: Mapping[str, Any]) -> dict[str, Any]:
    """Hierarchies by column, their files as their owner calls them; nested labels as they are."""
    return {
        column: owned_path(given, said) if isinstance(said, Path) else said
        for column, said in hierarchy.items()
    }


def owned_path(given: Mapping[str, Any], path: Path) -> Path:
    """A file as its owner calls it."""
    return Path(given.get("names", {}).get(path.name, path.name))
