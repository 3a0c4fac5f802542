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

    Each class has an `exit_code`, with which the command line ends, and `accepted_as`: the name by which its
    risk can be accepted (`accept_risks`); empty where it cannot.

    Parameters
    ----------
    message : str
        What is wrong, and what to do.
    field : str, optional
        The parameter that the error is about.
    fields : mapping of str to str, optional
        A sentence for each parameter that the error is about.
    places : list of tuple of str
        Labels of the cells of a table that the error is about.

    See Also
    --------
    ParameterError : An argument is wrong.
    DataError : The data cannot be used.
    VerificationError : A release failed its check.
    Cancelled : The caller stopped the work.

    Examples
    --------
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
        """Name of the first parameter that the error is about; None where it is about none."""
        return next(iter(self.fields), None)

    def reworded(self, message: str) -> Self:
        """Copy the error with another message.

        Parameters
        ----------
        message : str
            The new message.

        Returns
        -------
        TacitaError
            An error of the same class, about the same parameters and cells.

        Examples
        --------
        >>> ParameterError("k is 1.", field="k").reworded("k is too small.").field
        'k'
        """
        other = copy(self)
        other.args = (message,)
        return other


class ParameterError(TacitaError, ValueError):
    """An argument is wrong: its name, type, range, or its combination with others.

    It is a ValueError too, as Python programmers expect of a wrong argument.

    Parameters
    ----------
    message : str
        What is wrong, and what to do.
    field : str, optional
        The parameter that the error is about.
    fields : mapping of str to str, optional
        A sentence for each parameter that the error is about.
    places : list of tuple of str
        Labels of the cells of a table that the error is about.

    Examples
    --------
    >>> import tacita
    >>> tacita.get_method("mdav", k=1)
    Traceback (most recent call last):
    tacita.core.errors.ParameterError: MDAV: k must be at least 2, got 1.
    """

    exit_code = 2


class DataError(TacitaError):
    """The data cannot be used: values are missing, infinite or broken, or records are too few.

    The message names columns and counts records. It never quotes a value of the data.

    Parameters
    ----------
    message : str
        What is wrong, and what to do.
    field : str, optional
        The parameter that the error is about.
    fields : mapping of str to str, optional
        A sentence for each parameter that the error is about.
    places : list of tuple of str
        Labels of the cells of a table that the error is about.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import tacita
    >>> try:
    ...     tacita.protect(pa.table({"x": [1.0, None, 3.0]}), quasi="x", k=3)
    ... except DataError as error:
    ...     print(type(error).__name__)
    DataError
    """


class VerificationError(TacitaError):
    """A finished release failed its independent verification. Nothing was written.

    A method of tacita that ends with this error has a fault: please report it. See `RequirementError` for
    requirements of yours that are not met.

    Parameters
    ----------
    message : str
        What is wrong, and what to do.
    field : str, optional
        The parameter that the error is about.
    fields : mapping of str to str, optional
        A sentence for each parameter that the error is about.
    places : list of tuple of str
        Labels of the cells of a table that the error is about.

    Examples
    --------
    >>> import tacita
    >>> tacita.Partition([0, 0, 1], k=2)
    Traceback (most recent call last):
    tacita.core.errors.VerificationError: Partition: 1 of 2 groups have fewer than k=2 records (smallest: 1).
    """


class Cancelled(TacitaError):
    """The caller cancelled the work. Nothing was written.

    Parameters
    ----------
    message : str
        What is wrong, and what to do.
    field : str, optional
        The parameter that the error is about.
    fields : mapping of str to str, optional
        A sentence for each parameter that the error is about.
    places : list of tuple of str
        Labels of the cells of a table that the error is about.

    Examples
    --------
    >>> import tacita
    >>> tacita.RunContext(should_cancel=lambda: True).report("grouping", 1, 2)
    Traceback (most recent call last):
    tacita.core.errors.Cancelled: Cancelled while grouping. Nothing was written.
    """

    exit_code = 130
