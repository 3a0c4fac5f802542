"""Risks that are accepted by name: a release that has one is refused unless it is accepted."""

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
# The name by which a caller accepts less protection of a table than its rules require.
LESS_PROTECTION = "less-protection"
# Risks of a release of records: it is refused unless they are accepted.
OF_RECORDS = ("k-of-2", "k-of-1", "guessable-seed", "keys-determined", "rounding-restores", "membership")


def accepted_names(risks: Sequence[str] | str) -> tuple[str, ...]:
    """The names, each once; ParameterError where one is not known.

    >>> accepted_names("no-sensitive-cells")
    ('no-sensitive-cells',)
    """
    names = tuple(dict.fromkeys([risks] if isinstance(risks, str) else risks))
    if unknown := [name for name in names if name not in ACCEPTABLE]:
        raise ParameterError(
            f"accept: there is no risk named {', '.join(map(str, unknown))}. Names are: "
            f"{', '.join(ACCEPTABLE)}.",
            field="accept",
        )
    return names


def accepted_of_records(risks: Sequence[str] | str) -> tuple[str, ...]:
    """The names of risks of records, each once; ParameterError where one is not known.

    >>> accepted_of_records(["k-of-2"])
    ('k-of-2',)
    """
    names = tuple(dict.fromkeys([risks] if isinstance(risks, str) else risks))
    if unknown := [name for name in names if name not in OF_RECORDS]:
        raise ParameterError(
            f"accept: there is no risk named {', '.join(map(str, unknown))}. Names are: "
            f"{', '.join(OF_RECORDS)}.",
            field="accept",
        )
    return names


def accepted_of_table(accept_risks: bool | str | Sequence[str]) -> tuple[bool, tuple[str, ...]]:
    """Whether less protection is accepted (True, or by its name), and the other names.

    >>> accepted_of_table(True), accepted_of_table(["less-protection", "no-sensitive-cells"])
    ((True, ()), (True, ('no-sensitive-cells',)))
    """
    if isinstance(accept_risks, bool):
        return accept_risks, ()
    names = (accept_risks,) if isinstance(accept_risks, str) else tuple(accept_risks)
    return LESS_PROTECTION in names, tuple(name for name in names if name != LESS_PROTECTION)


Accepted = Annotated[Names, AfterValidator(accepted_names)]
AcceptedOfRecords = Annotated[Names, AfterValidator(accepted_of_records)]
ACCEPT_WORDS = (
    "risks that are accepted by name, and recorded: "
    f"{NO_SENSITIVE_CELLS} (no rule, status or mark says which cells are sensitive, and none is)"
)
