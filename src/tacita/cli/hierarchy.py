"""The commands `hierarchy make` and `hierarchy check`: coarser categories for a column of a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cyclopts import App, Group
from pydantic.fields import FieldInfo

from tacita.core import DataError, ParameterError
from tacita.core.spec.roles import Names
from tacita.io import InputSection

from .console import Out
from .options import FORCE, command, flag, given, option, options, positional, required_path

_FROM, _WAYS, _TO = (
    Group.create_ordered(title) for title in ("Reading the file", "Building the levels", "Writing")
)


def _field(kind: Any, words: str, default: Any = None) -> FieldInfo:
    return FieldInfo(annotation=kind, default=default, description=words)


_COLUMN = _field(str, "column that the hierarchy is for")
_LEVELS = {
    "widths": _field(Names, "numbers: widths of the intervals of each level, as 5,10,20", ()),
    "start": _field(float, "numbers: where the first interval starts", 0.0),
    "bottom": _field(float | None, "numbers: one interval for all below"),
    "top": _field(float | None, "numbers: one interval for all from here on"),
    "lengths": _field(Names, "codes: characters that stay on each level, as 3,2,1", ()),
    "periods": _field(Names, "dates: month, quarter, year or decade, from fine to coarse", ()),
}


def _make(input: Path, **values: Any) -> None:
    from tacita import api

    data = api.read(input, **given(InputSection, values))
    levels = {name: value for name, value in given(_LEVELS, values).items() if value != ()}
    for name, kind in (("widths", float), ("lengths", int)):
        if name in levels:
            levels[name] = [_number(name, text, kind) for text in levels[name]]
    hierarchy = api.build_hierarchy(data, values["column"], **levels)
    api.save_hierarchy(hierarchy, values["out"], force=values["force"])
    _print_coverage(values["column"], api.hierarchy_coverage(data, values["column"], hierarchy))
    Out.print(f"hierarchy (confidential): {values['out']}", markup=False)


def _number(name: str, text: str, kind: type[int] | type[float]) -> float:
    try:
        return kind(text)
    except ValueError:
        wanted = "whole numbers" if kind is int else "numbers"
        raise ParameterError(f"--{name} must be {wanted} separated by commas, got {text!r}.") from None


def _check(input: Path, **values: Any) -> None:
    from tacita import api

    data = api.read(input, **given(InputSection, values))
    coverage = api.hierarchy_coverage(data, values["column"], values["hierarchy"])
    _print_coverage(values["column"], coverage)
    if coverage.unknown:
        raise DataError(
            f"Hierarchy of {values['column']}: {coverage.unknown} of {coverage.values} values of the column "
            "are not among its leaves. Add a line for each of them."
        )


def _print_coverage(column: str, coverage: Any) -> None:
    """Print the number of categories of each level."""
    levels = ", ".join(f"level {level}: {count}" for level, count in enumerate(coverage.labels))
    Out.print(f"{column}: {coverage.values} values; categories by level: {levels}", markup=False)


hierarchy = App(
    name="hierarchy",
    help="Make a hierarchy of coarser categories for a column, or check one against a file.",
)
hierarchy.command(
    command(
        "make",
        "Make a hierarchy from the values of a column, as a CSV file that ARX reads too.\n\n"
        "Give one of --widths, --lengths and --periods.\n\n"
        "Example: tacita hierarchy make survey.csv --column age --widths 5,10,20 --top 85 --out age.csv\n\n"
        "Postal codes: tacita hierarchy make survey.csv --column zip --lengths 3,2 --out zip.csv",
        [
            positional("input", "file of records: CSV, Parquet, Stata, SPSS, SAS or Excel"),
            option("column", _COLUMN, _WAYS, required=True),
            *options(_LEVELS, _WAYS),
            *options(InputSection, _FROM, skip=["path"]),
            required_path("out", "CSV file to write; confidential, since it lists all values", _TO),
            flag("force", FORCE, _TO),
        ],
        _make,
    ),
    name="make",
)
hierarchy.command(
    command(
        "check",
        "Check that a hierarchy has every value of a column, and count the categories of its levels.\n\n"
        "Example: tacita hierarchy check survey.csv --column age --hierarchy age.csv",
        [
            positional("input", "file of records: CSV, Parquet, Stata, SPSS, SAS or Excel"),
            option("column", _COLUMN, _WAYS, required=True),
            required_path("hierarchy", "file of the hierarchy: .csv of ARX, or .hrc of tau-ARGUS", _WAYS),
            *options(InputSection, _FROM, skip=["path"]),
        ],
        _check,
    ),
    name="check",
)
