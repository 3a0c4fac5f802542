"""The command `describe`: the columns of a file, the roles that they may have, and the risk at a glance."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from cyclopts import Group
from pydantic.fields import FieldInfo

from tacita.core.spec.roles import Names
from tacita.io import InputSection

from .console import Out, print_json, progress_bar
from .options import command, flag, given, options, positional

if TYPE_CHECKING:
    from tacita.microdata.explore.column_profile import Exposure, FileProfile, Guess

_FROM, _WHAT, _TALK = (
    Group.create_ordered(title) for title in ("Reading the file", "What an attacker knows", "Output")
)
_KEY_FIELDS = {
    "keys": FieldInfo(
        annotation=Names,
        default=(),
        description="key variables; by default the columns suggested as quasi",
    ),
    "unit": FieldInfo(
        annotation=str | None,
        default=None,
        description="column of the person, household or firm behind a record; by default as suggested",
    ),
}


def _describe(input: Path, **values: Any) -> None:
    from tacita import api

    with progress_bar(quiet=False) as run:
        data = api.read(input, **given(InputSection, values))
        profile = api.describe_columns(data, context=run)
        guesses = api.suggest_roles(profile)
        keys = given(_KEY_FIELDS, values).get("keys") or _suggested(guesses, "quasi")
        unit = values["unit"] or next(iter(_suggested(guesses, "unit")), None)
        risk = api.sample_uniqueness(data, columns=keys, unit=unit) if keys else None
    if values["json"]:
        print_json(_as_dict(profile, guesses, risk))
        return
    _print_columns(profile, guesses)
    Out.print()
    if risk is None:
        Out.print("No column is suggested as a key variable. Name some with --keys to see their risk.")
        return
    _print_risk(risk, suggested=not given(_KEY_FIELDS, values).get("keys"))


def _suggested(guesses: tuple[Guess, ...], role: str) -> list[str]:
    return [guess.column for guess in guesses if guess.role == role]


def _print_columns(profile: FileProfile, guesses: tuple[Guess, ...]) -> None:
    from rich.table import Column, Table

    Out.print(f"{profile.source}: {profile.records} records, {len(profile.columns)} columns\n", markup=False)
    counts = (Column(title, justify="right") for title in ("distinct", "missing"))
    table = Table("column", "type", *counts, "suggested role", "reason", box=None)
    for column, guess in zip(profile.columns, guesses, strict=True):
        table.add_row(
            column.name, _type_of(column), str(column.distinct), str(column.missing), guess.role, guess.words
        )
    Out.print(table)


def _type_of(column: Any) -> str:
    if column.kind != "numeric":
        return "categories"
    return "integers" if column.whole else "numbers"


def _print_risk(risk: Exposure, *, suggested: bool) -> None:
    others, counted = "records", ""
    if risk.unit is not None:
        others, counted = "units", f"; units are those of {risk.unit}"
    named = ", ".join(risk.columns)
    Out.print(f"Risk on {named}{' (suggested)' if suggested else ''}{counted}:", markup=False)
    for number, condition in (
        (risk.alone, f"share their values with no other {others}"),
        (risk.below_3, f"with fewer than 2 other {others}"),
        (risk.below_5, f"with fewer than 4 other {others}"),
    ):
        share = f"{number} of {risk.records} records ({_share(number, risk.records)})"
        Out.print(f"  {share} {condition}", markup=False)
    several = sorted(risk.by_column, key=lambda column: -column.alone)
    if singling_out := [f"{column.name} ({column.alone})" for column in several if column.alone]:
        Out.print(f"Columns that single out records by themselves: {', '.join(singling_out)}.", markup=False)
    Out.print(
        "Check the suggested roles: only you know what an attacker may know. Next: `tacita risk` for all "
        "measures, `tacita protect` to protect the file.",
        markup=False,
    )


def _share(part: int, total: int) -> str:
    from tacita.core.display.number_format import percent

    return percent(100 * part / total) if total else percent(0.0)


def _as_dict(profile: FileProfile, guesses: tuple[Guess, ...], risk: Exposure | None) -> dict[str, Any]:
    return {
        "source": profile.source,
        "records": profile.records,
        "columns": [
            {
                "name": column.name,
                "type": _type_of(column),
                "distinct": column.distinct,
                "missing": column.missing,
                "suggested_role": guess.role,
                "reason": guess.words,
            }
            for column, guess in zip(profile.columns, guesses, strict=True)
        ],
        "risk": None
        if risk is None
        else {
            "keys": list(risk.columns),
            "unit": risk.unit,
            "unique": risk.alone,
            "below_3": risk.below_3,
            "below_5": risk.below_5,
            "unique_by_column": {column.name: column.alone for column in risk.by_column},
        },
    }


describe = command(
    "describe",
    "Show the columns of a file, the role that each may have, and the risk at a glance.\n\n"
    "The roles are suggestions from names and values. Nothing is written.\n\n"
    "Example: tacita describe survey.csv\n\n"
    "With key variables of your own: tacita describe survey.csv --keys sex,age,region",
    [
        positional("input", "file of records: CSV, Parquet, Stata, SPSS, SAS or Excel"),
        *options(_KEY_FIELDS, _WHAT),
        *options(InputSection, _FROM, skip=["path"]),
        flag("json", "as JSON; confidential", _TALK),
    ],
    _describe,
)
