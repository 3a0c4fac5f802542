"""The core of every verifier: a promise in words, the function that tries to refute it, and the verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Generic, TypeVar, Unpack

from tacita.core.errors import ErrorDetails, VerificationError

from .inferred_cells import Determined

E = TypeVar("E")

# What is found of a requirement that compares, where there is nothing to compare with.
WITHOUT_ORIGINAL = "cannot be judged without the original file"


@dataclass(frozen=True)
class Verdict:
    """What an independent check found of one promise; `step` says whose, where there are several.

    What could not be judged for want of a file is not `judged`: it neither holds nor fails, nor is it passed.
    `inferred` has what follows of hidden cells, where that is what was checked; `columns` the columns that
    break a requirement, or the keys that it is about, the worst first.
    """

    guarantee: str
    promise: str
    passed: bool
    detail: str
    step: int | None = None
    judged: bool = True
    inferred: tuple[Determined, ...] = ()
    columns: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """For JSON: what was inferred, and columns, only where there are some."""
        empty = {name for name in ("inferred", "columns") if not getattr(self, name)}
        return {name: value for name, value in asdict(self).items() if name not in empty}


class RequirementError(VerificationError):
    """A finished release does not meet its requirements. Nothing was written.

    Parameters
    ----------
    message : str
        What is not met, and what to do.
    unmet : list of Verdict
        The verdict on each requirement that is not met.
    **about
        What else the error is about; see `TacitaError`.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import tacita
    >>> frame = pa.table({"x": [1.0, 2.0, 3.0, 10.0, 11.0, 12.0]})
    >>> try:
    ...     tacita.protect(frame, quasi="x", k=3, require={"IL1": 1.0})
    ... except RequirementError as error:
    ...     [verdict.guarantee for verdict in error.unmet]
    ['IL1']
    """

    def __init__(
        self, message: str = "", *, unmet: Sequence[Verdict] = (), **about: Unpack[ErrorDetails]
    ) -> None:
        super().__init__(message, **about)
        self.unmet = tuple(unmet)


@dataclass(frozen=True)
class Check(Generic[E]):
    """A promise in words and the function that tries to refute it: what is wrong, in counts, or None."""

    promise: str
    find_fault: Callable[[E], str | None]


def verdicts(
    evidence: E, names: Iterable[str], checks: Mapping[str, Check[E]], first: Sequence[str] = ()
) -> tuple[Verdict, ...]:
    """Try to refute every promise that is named. Where one of the `first` fails, nothing after it is tried.

    >>> checks = {"whole": Check("It is whole.", lambda n: None if n == int(n) else "it has a fraction")}
    >>> [(verdict.guarantee, verdict.passed) for verdict in verdicts(1.5, ["whole", "odd"], checks)]
    [('whole', False), ('odd', False)]
    """
    judged: dict[str, Verdict] = {}
    for name in dict.fromkeys(names):
        check = checks.get(name) or Check("A promise that this verifier does not know.", _unknown)
        broken = any(name in judged and not judged[name].passed for name in first)
        fault = "cannot be checked: rows or columns are wrong" if broken else _fault(check, evidence)
        judged[name] = Verdict(
            guarantee=name, promise=check.promise, passed=fault is None, detail=fault or "holds"
        )
    return tuple(judged.values())


def _unknown(_: object) -> str | None:
    return "there is no check of that name"


def _fault(check: Check[E], evidence: E) -> str | None:
    try:
        return check.find_fault(evidence)
    except Exception as problem:  # a release that cannot even be examined is not safe
        return f"cannot be checked ({type(problem).__name__})"


def faults(judged: Iterable[Verdict]) -> str:
    """What failed and how, in one line; empty where nothing did."""
    return "; ".join(
        f"{verdict.guarantee}: {verdict.detail}"
        for verdict in judged
        if verdict.judged and not verdict.passed
    )


def require_passed(judged: tuple[Verdict, ...]) -> tuple[Verdict, ...]:
    """The verdicts, if all promises hold; otherwise an error, and nothing may be written."""
    if what := faults(judged):
        raise VerificationError(
            f"The release failed its verification and was not written. {what}. "
            "This is a fault of the program or of a plug-in, not of the data: please report it."
        )
    return judged
