"""What can go wrong, by whose doing: the parameters, the data, or our own output.

A message says who speaks, what was wanted, what came, and what to do. It never
holds a value of the data: counts, column names and row numbers are enough to
mend a file, and an error ends up in logs that nobody protects. Errors that
carry a result stand where that result is defined: `results/verdicts.py` and
`results/inferred_cells.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Self, TypedDict


class ErrorDetails(TypedDict, total=False):
    """What an error may be about, besides its message; see TacitaError."""

    field: str | None
    fields: Mapping[str, str] | None
    places: Sequence[tuple[str, ...]]


class TacitaError(Exception):
    """Base of every error that tacita raises on purpose.

    `fields` has a sentence for each parameter that it is about; `field` names the first of them, if any.
    `places` are the labels of the cells of a table that it is about, where these can be listed.
    `accepted_as` is the name by which its risk can be accepted (insist); empty where it cannot.

    >>> problem = ParameterError("k must be at least 2, got 1.", field="k")
    >>> problem.field, problem.fields
    ('k', {'k': 'k must be at least 2, got 1.'})
    """

    exit_code = 1
    accepted_as = ""

    def __init__(
        self,
        message: str = "",
        field: str | None = None,
        fields: Mapping[str, str] | None = None,
        places: Sequence[tuple[str, ...]] = (),
    ) -> None:
        super().__init__(message)
        self.fields = dict(fields or ({} if field is None else {field: message}))
        self.places = tuple(places)

    @property
    def field(self) -> str | None:
        """The first parameter that it is about."""
        return next(iter(self.fields), None)

    def reworded(self, message: str) -> Self:
        """The same error with another message.

        >>> ParameterError("k is 1.", field="k").reworded("k is too small.").field
        'k'
        """
        other = copy(self)
        other.args = (message,)
        return other


class ParameterError(TacitaError, ValueError):
    """What the caller asked for cannot be: a wrong name, type, range or combination.

    It is a ValueError too, as Python programmers expect of a wrong argument.
    """

    exit_code = 2


class DataError(TacitaError):
    """The data cannot be used as asked: missing, infinite, broken, or too few."""


class VerificationError(TacitaError):
    """A finished release failed its independent check. Nothing was written."""


class Cancelled(TacitaError):
    """The caller asked a running job to stop. Nothing was written."""

    exit_code = 130
