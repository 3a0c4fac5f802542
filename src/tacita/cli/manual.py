"""The commands `manual` and `completion`: the man page, and scripts for shell completion."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from typing import Annotated, Literal, get_args

from cyclopts import App, Parameter

from tacita._version import __version__

Shell = Literal["bash", "zsh", "fish"]


def completion(shell: Annotated[Shell, Parameter(help="the shell")], /) -> None:
    """Print the script with which a shell completes commands and options.

    Example: tacita completion bash >> ~/.bashrc
    """
    from tacita.cli import build_app

    sys.stdout.write(build_app([]).generate_completion(shell=shell))


def manual() -> None:
    """Print the man page.

    Example: tacita manual > tacita.1; man ./tacita.1
    """
    sys.stdout.write("\n".join(_page()) + "\n")


def _page() -> Iterator[str]:
    """The lines of the page, in the macros of man(7)."""
    from tacita.cli import GROUPS, build_app

    app = build_app([])
    yield f'.TH TACITA 1 "" "tacita {__version__}" "Statistical disclosure control"'
    yield from (".SH NAME", "tacita \\- protect microdata and tables, and verify what is published")
    yield from (".SH SYNOPSIS", ".B tacita", ".I command", "[\\fIoptions\\fR]")
    yield ".SH DESCRIPTION"
    yield "Options that depend on a method are those of the default method;"
    yield "\\fBtacita methods\\fR describes all."
    for title, names in GROUPS.items():
        yield f".SH {title.upper()}"
        for name in names:
            yield from _section(f"tacita {name}", app[name])


def _section(usage: str, app: App) -> Iterator[str]:
    command = app.default_command
    if command is None:
        # a group of commands
        for name in app:
            if not name.startswith("-"):
                yield from _section(f"{usage} {name}", app[name])
        return
    yield f".SS {_escaped(usage)}"
    for paragraph in (inspect.getdoc(command) or "").split("\n\n"):
        yield from (_escaped(" ".join(paragraph.split())), ".PP")
    for words, meaning in _options(command):
        yield from (".TP", f"\\fB{_escaped(words)}\\fR", _escaped(meaning))


def _options(command: Callable[..., None]) -> Iterator[tuple[str, str]]:
    """The names and the help of each parameter of a command."""
    signature = inspect.signature(command, eval_str=not hasattr(command, "__signature__"))
    for parameter in signature.parameters.values():
        about = next(
            (argument for argument in get_args(parameter.annotation) if isinstance(argument, Parameter)), None
        )
        if parameter.kind is inspect.Parameter.POSITIONAL_ONLY:
            words = parameter.name.upper()
        else:
            named = about.name if about is not None and about.name else ()
            words = ", ".join(named) or f"--{parameter.name.replace('_', '-')}"
        yield words, (about.help or "") if about is not None else ""


def _escaped(text: str) -> str:
    """Escaped text: dashes stay dashes, and no line is read as a macro."""
    plain = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{plain}" if plain.startswith((".", "'")) else plain
