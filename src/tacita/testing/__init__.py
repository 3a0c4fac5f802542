"""The laws that every entry of the registry keeps, also for authors of plug-ins.

In a test of a package of your own, one line:

    tacita.testing.check_method(MyMethod)

or, with pytest, one test for each law:

    @pytest.mark.parametrize("law", tacita.testing.laws("masking"), ids=str)
    def test_my_masking(law):
        law.check(MyMasking(width=3))

A law is a function in the module of its kind, and its name is the sentence that must hold. For every case,
it yields whether the sentence holds, and a description of the case.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from tacita.core import ParameterError

Findings = Iterable[tuple[bool, str]]

# Kind -> module of its laws.
_LAWS_OF = {
    "microaggregation": "microaggregation",
    "recoding": "recoding",
    "generalisation": "generalisation",
    "coding": "coding",
    "withholding": "withholding",
    "dropping": "dropping",
    "masking": "masking",
    "synthesis": "synthesis",
    "suppression": "suppression",
    "adjustment": "adjustment",
    "loss": "measures",
    "risk": "measures",
    "balance": "measures",
    "rule": "rules",
    "format": "formats",
}


@dataclass(frozen=True)
class Law:
    """A sentence that is true of every method of a kind."""

    sentence: str
    findings: Callable[[Any], Findings]

    def __str__(self) -> str:
        return self.sentence

    def check(self, method: Any) -> None:
        """Raise AssertionError where a method, a class or an instance, breaks the law."""
        instance = _instance(method)
        cause: Exception | None = None
        try:
            fault = next((case for kept, case in self.findings(instance) if not kept), None)
        except Exception as error:
            fault, cause = f"{type(error).__name__}: {error}", error
        if fault is not None:
            raise AssertionError(
                f"{type(instance).__name__} breaks the law '{self}' ({instance.kind}). {fault}"
            ) from cause


def laws(kind: str) -> tuple[Law, ...]:
    """The laws of a kind of the registry, those of every kind first.

    >>> [str(law) for law in laws("masking")][-2:]
    ['it promises masked cells and never groups of k', 'a release of it is verified with strata and gaps']
    """
    if kind not in _LAWS_OF:
        raise ParameterError(f"testing: there are no laws of kind {kind!r}. Known: {', '.join(_LAWS_OF)}.")
    failures = []
    for name in ("entries", _LAWS_OF[kind]):
        module = import_module(f"{__name__}.{name}")
        failures += [
            Law(name.replace("_", " "), function)
            for name, function in vars(module).items()
            if getattr(function, "__module__", "") == module.__name__ and not name.startswith("_")
        ]
    return tuple(failures)


def check_method(method: Any) -> None:
    """Raise AssertionError where a method breaks a law of its kind; the message names law and case.

    `method` is a class, or an instance where it needs parameters. What it is tried on is in `examples`:
    recodings on towns, or where they refuse these on ages; rules on firms, of whom they must flag some. The
    cost of some hundred small runs.

    >>> from tacita.microdata.measures.risk.linkage import DLD
    >>> check_method(DLD)
    """
    for law in laws(getattr(method, "kind", "")):
        law.check(method)


def _instance(method: Any) -> Any:
    if not isinstance(method, type):
        return method
    try:
        return method()
    except ParameterError as error:
        raise ParameterError(
            f"testing: {method.__name__} has required parameters. Pass an instance instead. ({error})"
        ) from None
