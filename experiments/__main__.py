"""`python -m experiments [NAME]`: run published experiments again, and write their figures beside ours."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import App, CycloptsError, Parameter

from tacita.cli.console import Out, complain, progress_bar
from tacita.core import DataError, ParameterError, TacitaError

from . import EXPERIMENTS, arithmetic
from .arithmetic import ALL
from .writing import refuse_written, render_into, reproduce_into

# Made where it is not there yet.
_USUAL_FOLDER = Path("reproduced")


def run_experiments(
    name: Annotated[
        str,
        Parameter(help="what to reproduce: microaggregation, synthetic, tables, instances or wishes; or all"),
    ] = ALL,
    /,
    *,
    out: Annotated[
        Path, Parameter(help="folder for the page, its figures and the numbers as JSON")
    ] = _USUAL_FOLDER,
    quick: Annotated[bool, Parameter(negative="", help="a small part, to see that all works")] = False,
    tables: Annotated[
        int | Literal["source"] | None,
        Parameter(help="of tables: how many for each row (10), or as many in all as the source has"),
    ] = None,
    cap: Annotated[
        float | None, Parameter(help="of tables and instances: seconds that end a search (240, 120)")
    ] = None,
    largest: Annotated[int | None, Parameter(help="of tables: the longest side of any (500)")] = None,
    problem: Annotated[
        Literal["general", "exact", "interval"] | None, Parameter(help="of tables: this one only")
    ] = None,
    method: Annotated[
        Literal["optimal", "lagrange", "three-phase", "genetic"] | None,
        Parameter(help="of tables: this one, beside optimal (optimal, with samples of the others)"),
    ] = None,
    zeros: Annotated[
        int | None, Parameter(help="of tables: percent of the cells that are zero, for exact protection")
    ] = None,
    margins: Annotated[bool, Parameter(negative="", help="of tables: sums may be suppressed too")] = False,
    part: Annotated[
        str | None,
        Parameter(
            help="of microaggregation: run this part alone, and keep the other numbers in the folder: "
            "algorithm-2-FILE, centres-FILE, phases, medoids or il2"
        ),
    ] = None,
    fresh: Annotated[
        bool,
        Parameter(negative="", help="of tables and instances: start over, whatever is in the folder already"),
    ] = False,
    render: Annotated[
        bool,
        Parameter(negative="", help="write the page anew from the numbers in the folder, and run nothing"),
    ] = False,
    force: Annotated[bool, Parameter(negative="", help="overwrite pages that are there")] = False,
    quiet: Annotated[bool, Parameter(negative="", help="print nothing but errors")] = False,
) -> None:
    """Run published experiments again, and write their figures beside ours."""
    settings: dict[str, float | str | None] = {
        "tables": tables,
        "cap": cap,
        "largest": largest,
        "problem": problem,
        "method": method,
        "zeros": zeros,
        "margins": margins or None,
        "part": part,
    }
    if render and (quick or fresh or any(value is not None for value in settings.values())):
        raise ParameterError("render: the numbers in the folder say what was run. Leave other settings away.")
    if out == _USUAL_FOLDER and not render:
        out.mkdir(exist_ok=True)
    if name == ALL:
        _refuse_of_one(fresh=fresh or None, **settings)
        if not render:
            refuse_written(EXPERIMENTS, out, force=force)
    for each in EXPERIMENTS if name == ALL else (name,):
        try:
            with progress_bar(quiet) as steering:
                written = (
                    render_into(each, out)
                    if render
                    else reproduce_into(
                        each, out, steering, quick=quick, fresh=fresh, force=force, **settings
                    )
                )
        except DataError as absent:
            if name != ALL:
                raise
            Out.print(f"{each}: skipped. {absent}", markup=False)
            continue
        if not quiet:
            for path in written:
                Out.print(str(path), markup=False)


def _refuse_of_one(**settings: float | str | bool | None) -> None:
    """Raise where a setting of one experiment is given for all of them."""
    if given := [f"--{name}" for name, value in settings.items() if value is not None]:
        raise ParameterError(f"reproduce: {', '.join(given)} is of one experiment, got all. Name it first.")


def run_command(words: Sequence[str]) -> int:
    """Run one experiment; 0 done, 1 or 2 refused, 130 cancelled."""
    app = App(name="python -m experiments", version_flags=[], suppress_keyboard_interrupt=False)
    app.default(run_experiments)
    try:
        app(list(words), exit_on_error=False, print_error=False, result_action="return_value")
    except CycloptsError as problem:
        return complain(f"{problem} See `python -m experiments --help`.".replace("\n", " "), 2)
    except TacitaError as problem:
        return complain(str(problem), problem.exit_code)
    except KeyboardInterrupt:
        return complain("Cancelled.", 130)
    return 0


if __name__ == "__main__":
    arithmetic.hold(sys.argv[1:])
    sys.exit(run_command(sys.argv[1:]))
