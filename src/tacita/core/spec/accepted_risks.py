"""Risks that are accepted by name: what a release is refused for unless somebody takes it upon themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import AfterValidator

from tacita.core.errors import ParameterError

from .roles import Names

NO_SENSITIVE_CELLS = "no-sensitive-cells"
# What each name accepts, as records and reports say it.
ACCEPTABLE = {
    NO_SENSITIVE_CELLS: "No cell of the table is sensitive, although no rule, status or mark says so."
}


def accepted_names(given: Sequence[str] | str) -> tuple[str, ...]:
    """The names, each once; ParameterError where one is not known.

    >>> accepted_names("no-sensitive-cells")
    ('no-sensitive-cells',)
    """
    names = tuple(dict.fromkeys([given] if isinstance(given, str) else given))
    if unknown := [name for name in names if name not in ACCEPTABLE]:
        raise ParameterError(
            f"accept: there is no risk named {', '.join(map(str, unknown))}. Names are: "
            f"{', '.join(ACCEPTABLE)}.",
            field="accept",
        )
    return names


Accepted = Annotated[Names, AfterValidator(accepted_names)]
ACCEPT_WORDS = (
    "risks that are accepted by name, and recorded: "
    f"{NO_SENSITIVE_CELLS} (no rule, status or mark says which cells are sensitive, and none is)"
)
