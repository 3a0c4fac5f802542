"""The interface in use, and how a setting is written there: an option, a key of a plan, an argument.

A message that says what to do does so in words that its reader can type.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal

from .plan_document import literal_of

Interface = Literal["command", "plan", "python"]

_INTERFACE: ContextVar[Interface | None] = ContextVar("interface", default=None)


@contextmanager
def entered_by(interface: Interface) -> Iterator[None]:
    """Within it, settings are written as in one interface: the one that was entered first.

    A command builds a plan and Python carries it out: its user typed options nevertheless.
    """
    before = _INTERFACE.set(_INTERFACE.get() or interface)
    try:
        yield
    finally:
        _INTERFACE.reset(before)


def setting(section: str, key: str, value: bool | str) -> str:
    """A setting as the user writes it, without the dot after it.

    >>> setting("suppress", "margins", True)
    'margins=True'
    >>> with entered_by("plan"):
    ...     setting("suppress", "margins", True), setting("suppress", "problem", "exact")
    ('margins = true under [suppress]', 'problem = "exact" under [suppress]')
    >>> with entered_by("command"), entered_by("plan"):
    ...     setting("suppress", "margins", True), setting("suppress", "problem", "exact")
    ('--margins', '--problem exact')
    """
    match _INTERFACE.get():
        case "command":
            option = f"--{key.replace('_', '-')}"
            return option if value is True else f"{option} {value}"
        case "plan":
            literal = str(value).lower() if isinstance(value, bool) else f'"{value}"'
            return f"{key} = {literal} under [{section}]"
        case _:
            argument = "accept_risks" if key in ("insist", "accept") else key
            return f"{argument}={literal_of(value)}"


def accepting(risk: str) -> str:
    """How to accept a risk of microdata by its name, at the end of a sentence and without its dot.

    >>> accepting("k-of-2")
    "accept the risk (accept_risks='k-of-2'), which is recorded"
    >>> with entered_by("command"):
    ...     accepting("k-of-2")
    'accept the risk (--accept k-of-2), which is recorded'
    """
    return f"accept the risk ({setting('protect', 'accept', risk)}), which is recorded"


def run_option(name: str) -> str:
    """How to say an option that belongs to a run, not to its plan, such as force.

    >>> run_option("force")
    'force=True'
    >>> with entered_by("plan"):
    ...     run_option("force")
    '--force'
    """
    return f"{name}=True" if _INTERFACE.get() in (None, "python") else f"--{name}"
