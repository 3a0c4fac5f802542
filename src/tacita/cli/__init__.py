"""The command line: arguments become a plan, which the API carries out. Commands load when called."""

from __future__ import annotations

import gc
import os
import signal
import sys
import warnings
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from contextvars import Context
from importlib import import_module

from cyclopts import App, CycloptsError, Group, MissingArgumentError, RepeatArgumentError

from tacita._version import __version__

from .console import complain

# group title -> its commands and their summaries
GROUPS = {
    "Look at a file": {
        "describe": "Show the columns of a file, the role that each may have, and the risk at a glance.",
        "risk": "Measure the disclosure risk of key variables before anything is protected.",
        "hierarchy": "Make a hierarchy of coarser categories for a column, or check one.",
    },
    "Protect records": {
        "protect": "Protect a file of records: group, mask, recode or suppress; verify, report.",
        "synthesize": "Replace columns by synthetic ones from a model; verify, report.",
        "run": "Carry out a plan file, of records or of tables.",
        "pseudonym-key": "Write a new secret key for pseudonyms.",
    },
    "Measure": {
        "assess": "Measure information loss and disclosure risk of any release.",
        "check": "Check any file against the requirements of an office.",
        "compare": "Try methods and parameters side by side, and draw their risk-utility map.",
    },
    "Tables": {
        "tabulate": "Make a table from records, and mark its sensitive cells by rules.",
        "suppress": "Suppress cells of a table at the least cost, with a proof; audit, publish.",
        "adjust": "Publish a table with adjusted values and no empty cells; audit.",
        "audit": "Attack a published table: what can be computed of its suppressed cells?",
    },
    "Page and set-up": {
        "app": "Open the page: microdata and tables in the browser, on this computer alone.",
        "demo": "Protect a made-up business survey, from start to report.",
        "methods": "List methods and measures, or describe one.",
        "datasets": "List the data sets, or write one to a file.",
        "warmup": "Compile the inner loops once, so that the first run need not wait.",
        "completion": "Print the script with which a shell completes commands and options.",
        "manual": "Print the man page.",
    },
}
COMMANDS = {name: summary for commands in GROUPS.values() for name, summary in commands.items()}

# commands that run a plan file: their messages name keys and not options
_OF_PLANS = ("run", "compare")
_OF_TABLES = ("tabulate", "suppress", "adjust", "audit")
# the module of each command that is not in `commands`
_HOMES = {
    **dict.fromkeys(_OF_TABLES, "tables"),
    "describe": "describe",
    "hierarchy": "hierarchy",
    "risk": "risk",
    "datasets": "datasets",
    "completion": "manual",
    "manual": "manual",
    "app": "app",
    "pseudonym-key": "pseudonym_key",
}
# commands whose options depend on the chosen method
_BUILT_FOR_WORDS = {
    "protect": "tacita.cli.commands:protect_with",
    "synthesize": "tacita.cli.commands:synthesize_with",
    "compare": "tacita.cli.commands:compare_with",
    "tabulate": "tacita.cli.tables:tabulate_with",
    "suppress": "tacita.cli.tables:suppress_with",
    "adjust": "tacita.cli.tables:adjust_with",
    "audit": "tacita.cli.tables:audit_with",
}


class Terminated(KeyboardInterrupt):
    """The termination signal, handled like Ctrl-C."""


def main() -> None:
    """Run the command line, and exit."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, _terminate)
    warnings.showwarning = _show_warning  # type: ignore[assignment]
    code = run_command(sys.argv[1:])
    # skip the last garbage collection, which would take half a second
    gc.freeze()
    sys.exit(code)


def _show_warning(message: Warning | str, category: type[Warning], *_: object) -> None:
    """Show warnings about renamed plan keys; warnings of libraries are hidden."""
    if issubclass(category, FutureWarning):
        print(f"Warning: {message}", file=sys.stderr)


def _terminate(*_: object) -> None:
    raise Terminated


def run_command(words: Sequence[str]) -> int:
    """Run one command; 0 done, 1 refused by data or verification, 2 wrong usage, 130 or 143 cancelled."""
    # a new context, in which WRITTEN lists the files of this command alone
    context = Context()
    try:
        context.run(_carry_out, words)
    except RepeatArgumentError as error:
        return complain(f"{error} Give it once; separate several values by commas.", 2)
    except MissingArgumentError as error:
        return complain(f"{_missing_argument_message(error)} See {_help_of(error)}.", 2)
    except CycloptsError as error:
        return complain(f"{error} See {_help_of(error)}.".replace("\n", " "), 2)
    except KeyboardInterrupt as stop:
        code = 143 if isinstance(stop, Terminated) else 130
        return complain(f"Cancelled. {_written(context)}", code)
    except OSError as error:
        # errors of files have other types, so this is the terminal or a pipe, after the work
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            return 0
        return complain(f"Done, but the result cannot be printed ({error.strerror}).", 74)
    except Exception as error:
        return _explain(error, _written(context))
    return 0


def _carry_out(words: Sequence[str]) -> None:
    words = _renamed(words)
    app = build_app(words)
    with _advice_syntax(words):
        app(list(words), exit_on_error=False, print_error=False, result_action="return_value")


# Options of version 0.1 and their present names.
_RENAMED_OPTIONS = {
    "--engine gpu": "--device cuda",
    "--engine memory": "--executor in-memory",
    "--engine pool": "--executor processes",
    "--engine": "--executor",
}


def _renamed(words: Sequence[str]) -> list[str]:
    """The arguments with renamed options replaced; a warning on standard error names each."""
    replaced: list[str] = []
    left = [
        part for word in words for part in (word.split("=", 1) if word.startswith("--engine=") else [word])
    ]
    while left:
        pair = " ".join(left[:2])
        old = next((option for option in _RENAMED_OPTIONS if option in (pair, left[0])), None)
        if old is None:
            replaced.append(left.pop(0))
            continue
        print(f"Warning: {old} is now {_RENAMED_OPTIONS[old]}. The old name will go.", file=sys.stderr)
        replaced += _RENAMED_OPTIONS[old].split()
        del left[: len(old.split())]
    return replaced


def _advice_syntax(words: Sequence[str]) -> AbstractContextManager[None]:
    """The syntax of advice in messages: command options, or keys of the plan."""
    if not words or words[0] not in COMMANDS or words[0] == "app":
        # help, version and the page start without loading the core
        return nullcontext()
    from tacita.core.spec.setting_syntax import entered_by

    return entered_by("plan" if words[0] in _OF_PLANS else "command")


def _missing_argument_message(error: MissingArgumentError) -> str:
    """The message about a required option that is missing or has no value, with its description."""
    command = " ".join(error.command_chain or ())
    if error.argument is None:
        return str(error).replace("\n", " ")
    names, words = error.argument.names, error.argument.parameter.help
    # the only option whose value may be missing is one that was given
    without_value = any(token.split("=", 1)[0] in names for token in error.root_input_tokens or ())
    if error.unused_tokens or without_value:
        message = str(error).replace("\n", " ")
    else:
        message = f"{command}: {error.argument.name} is missing."
    return f"{message} It is: {words}." if words else message


def _help_of(error: CycloptsError) -> str:
    """The command that prints the help of what was called."""
    return " ".join(("`tacita", *(error.command_chain or ()), "--help`"))


def _written(context: Context) -> str:
    # if the module is not loaded, nothing was written
    writer = sys.modules.get("tacita.io.atomic")
    files = () if writer is None else context.get(writer.WRITTEN, ())
    names = ", ".join(dict.fromkeys(str(file) for file in files))
    return f"Written before that: {names}." if files else "Nothing was written."


def build_app(words: Sequence[str]) -> App:
    """All commands; those whose options depend on a method are built for these arguments."""
    app = App(
        name="tacita",
        help="Publish data about people and firms without disclosing any of them.",
        version=__version__,
        version_flags=["--version"],
        help_flags=["--help", "-h"],
        suppress_keyboard_interrupt=False,
    )
    for title, commands in GROUPS.items():
        group = Group.create_ordered(title)
        for name, summary in commands.items():
            if words and words[0] == name and name in _BUILT_FOR_WORDS:
                module, _, maker = _BUILT_FOR_WORDS[name].partition(":")
                app.command(getattr(import_module(module), maker)(words), name=name, group=group)
            else:
                home = f"tacita.cli.{_HOMES.get(name, 'commands')}"
                # the help of a single command is its full text with examples
                words_of_help = {} if words and words[0] == name else {"help": summary}
                app.command(f"{home}:{name.replace('-', '_')}", name=name, group=group, **words_of_help)
    options = Group.create_ordered("Options")
    for flag in ("--help", "--version"):
        app[flag].group = (options,)
    app.command("tacita.cli.commands:reproduce", name="reproduce", show=False)
    return app


def _explain(problem: Exception, message: str) -> int:
    from tacita.core.errors import TacitaError

    if isinstance(problem, TacitaError):
        return complain(str(problem), problem.exit_code)
    if os.environ.get("TACITA_DEBUG"):
        raise problem
    if isinstance(problem, MemoryError):
        return complain(
            f"There is not enough memory for this run. {message} Leave out columns, close other programs, "
            "or choose a method that needs less.",
            1,
        )
    # an internal fault: its message could quote data, so only its type is shown
    return complain(
        f"Internal fault ({type(problem).__name__}). {message} This is a defect of tacita: please report it. "
        "TACITA_DEBUG=1 shows details, which may quote data.",
        70,
    )
