"""Files by the names that their owner knows, not those on disk: in messages, and in plans to repeat."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tacita.core import TacitaError


@contextmanager
def with_owner_names(request: Mapping[str, Any]) -> Iterator[None]:
    """Use the owner's names in messages about files: `names` has those of all but the source."""
    try:
        yield
    except TacitaError as error:
        names = {
            **request.get("names", {}),
            Path(request["source"]["path"]).name: request["source"]["shown_as"],
        }

        def with_aliases(text: str) -> str:
            for ours, theirs in names.items():
                text = text.replace(ours, theirs)
            return text

        reworded = error.reworded(with_aliases(str(error)))
        reworded.fields = {name: with_aliases(text) for name, text in error.fields.items()}
        raise reworded from None


def owned(request: Mapping[str, Any], hierarchy: Mapping[str, Any]) -> dict[str, Any]:
    """Hierarchies by column, their files as their owner calls them; nested labels as they are."""
    return {
        column: owned_path(request, source) if isinstance(source, Path) else source
        for column, source in hierarchy.items()
    }


def owned_path(request: Mapping[str, Any], path: Path) -> Path:
    """A file as its owner calls it."""
    return Path(request.get("names", {}).get(path.name, path.name))
