"""Broken methods: how they are made, and what is expected of the laws that they break."""

from itertools import count

import pytest

from tacita import testing

DOCUMENTED = "A fault is planted here. O(1).\n\nSource: planted.\n\n>>> 1\n1\n"


def planted(base, **parts):
    """A method of a base in which some parts are others."""
    return type(f"Planted{base.__name__}", (base,), {"__doc__": DOCUMENTED, "__module__": __name__, **parts})


def counted():
    """What every call has another value of: a clock, a state of the process."""
    ticks = count()
    return lambda: next(ticks)


def drawn(run, shape):
    """Normal numbers of a run."""
    return run.protective_generator().normal(size=shape)


def breakers(*kinds):
    """A law and a method that breaks it, one by one, out of laws with all that break them."""
    return pytest.mark.parametrize(
        ("law", "method"),
        [
            pytest.param(law, method, id=f"{law} {number}")
            for kind in kinds
            for law, methods in kind.items()
            for number, method in enumerate(methods, 1)
        ],
    )


def expect_broken(law, method):
    """Fails unless the method breaks this law, and the law says so by name."""
    with pytest.raises(AssertionError, match=f"^Planted|^{method.__name__}") as told:
        testing.check_method(method)
    assert law in str(told.value).partition("(")[0], told.value


def unbroken(kind, planted_for):
    """The laws of a kind that no method was planted for; those of all entries have theirs elsewhere."""
    laws = [law for law in testing.laws(kind) if law.findings.__module__ != "tacita.testing.entries"]
    return [str(law) for law in laws if not any(part in str(law) for part in planted_for)]
