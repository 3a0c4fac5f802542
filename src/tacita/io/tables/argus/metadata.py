"""Metadata of tau-ARGUS (.rda): the role of each column.

Understood, of records: SEPARATOR, position, width and missing codes of a variable, RECODEABLE, NUMERIC,
WEIGHT, HOLDING, REQUEST, DECIMALS, TOTCODE, CODELIST, HIERARCHICAL, HIERLEVELS, HIERCODELIST, HIERLEADSTRING.
Of tables also: SAFE, UNSAFE, PROTECT, FREQUENCY, MAXSCORE, STATUS, and NUMERIC with SHADOW, COST, LOWERPL or
UPPERPL. Other words are refused.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from tacita.core import DataError

KINDS = {
    "RECODEABLE": "dimension",
    "RECODABLE": "dimension",
    "NUMERIC": "value",
    "WEIGHT": "weight",
    "HOLDING": "holding",
    "REQUEST": "request",
    "FREQUENCY": "frequency",
    "MAXSCORE": "largest",
    "STATUS": "status",
    "SHADOW": "shadow",
    "COST": "cost",
    "COSTVAR": "cost",
    "LOWERPL": "lower",
    "UPPERPL": "upper",
}
_WORD_OF_KIND = {kind: word for word, kind in reversed(KINDS.items())} | {
    "cost": "COST",
    "dimension": "RECODEABLE",
}
# Words of metadata that describe aggregated cells, never records.
_OF_CELLS = ("FREQUENCY", "MAXSCORE", "STATUS", "LOWERPL", "UPPERPL")
_OF_NUMERIC = ("shadow", "cost", "lower", "upper")


@dataclass(frozen=True)
class Variable:
    """One column: its kind, its position in a fixed-width file, and its hierarchy."""

    name: str
    kind: str = "other"
    start: int | None = None
    width: int | None = None
    missing: tuple[str, ...] = ()
    decimals: int = 0
    total: str = "Total"
    hierarchical: bool = False
    levels: tuple[int, ...] = ()
    hierarchy: str | None = None
    lead: str = "@"
    codelist: str | None = None
    request: tuple[str, ...] = ()


@dataclass(frozen=True)
class Metadata:
    """All columns in order; the separator (None: fixed width); the letters of cell states."""

    variables: tuple[Variable, ...]
    separator: str | None = None
    safe: str = "S"
    unsafe: str = "U"
    protect: str = "P"

    def of(self, kind: str) -> list[Variable]:
        """Columns of one kind, in order."""
        return [variable for variable in self.variables if variable.kind == kind]


def words_of_cells(text: str) -> tuple[str, ...]:
    """The words of metadata that only a table has: numbers and sizes of contributors, states, levels.

    >>> words_of_cells("Turnover\\n <NUMERIC>\\nFirms\\n <FREQUENCY>\\nTop1\\n <MAXSCORE>")
    ('FREQUENCY', 'MAXSCORE')
    """
    flags = {word.strip("<>").upper() for word in text.split() if word.startswith("<")}
    return tuple(word for word in _OF_CELLS if word in flags)


def parse_rda(text: str) -> Metadata:
    """The metadata of a file of records or of a table.

    >>> lines = ['<SEPARATOR> ","', "Region", "  <RECODEABLE>", "  <TOTCODE> T", "Turnover", "  <NUMERIC>"]
    >>> metadata = parse_rda("\\n".join(lines))
    >>> metadata.separator, [(variable.name, variable.kind) for variable in metadata.variables]
    (',', [('Region', 'dimension'), ('Turnover', 'value')])
    >>> metadata.variables[0].total
    'T'
    """
    variables: list[Variable] = []
    top: dict[str, str] = {}
    for number, line in enumerate(text.lstrip("\ufeff").splitlines(), start=1):
        try:
            # a backslash is part of a path here
            words = shlex.split(line.replace("\\", "\\\\"))
        except ValueError:
            raise DataError(f"rda: line {number} has an unclosed quote.") from None
        if not words:
            continue
        if not words[0].startswith("<"):
            variables.append(_declared(words, number))
        elif (word := words[0].strip("<>").upper()) in ("SEPARATOR", "SAFE", "UNSAFE", "PROTECT"):
            top[word.lower()] = words[1] if len(words) > 1 else ""
        elif not variables:
            raise DataError(f"rda: line {number} describes a variable before any is named.")
        else:
            variables[-1] = _described(variables[-1], word, words[1:], number)
    if not variables:
        raise DataError("rda: wanted at least one variable, got none.")
    return Metadata(tuple(variables), **top)


def _declared(words: list[str], number: int) -> Variable:
    places = words[1:3]
    try:
        start, width = (int(places[0]), int(places[1])) if len(places) == 2 else (None, None)
    except ValueError:
        # a table's variable may be followed by its missing codes
        start, width = None, None
    if len(words) > 5:
        raise DataError(f"rda: line {number} has more than a name, position, width and two missing codes.")
    missing = words[3:] if start is not None else words[1:] if width is None and len(words) != 2 else []
    if len(words) == 2 and words[1].isdigit():
        # separated files give the width alone
        width = int(words[1])
    return Variable(name=words[0], start=start, width=width, missing=tuple(missing))


def _described(variable: Variable, word: str, rest: list[str], number: int) -> Variable:
    if word in KINDS:
        kind = KINDS[word]
        if word == "NUMERIC" and rest:
            kind = KINDS.get(rest[0].strip("<>").upper(), "")
        if not kind or (word == "NUMERIC" and rest and kind not in _OF_NUMERIC):
            raise DataError(f"rda: line {number}: this kind of NUMERIC is not understood.")
        return replace(variable, kind=kind, request=tuple(rest) if word == "REQUEST" else ())
    text = rest[0] if rest else ""
    if word in ("DECIMALS", "HIERLEVELS") and not all(text.isdigit() for text in rest):
        raise DataError(f"rda: line {number}: wanted whole numbers after {word}.")
    changes: dict[str, Callable[[], dict[str, Any]]] = {
        "DECIMALS": lambda: {"decimals": int(text or 0)},
        "TOTCODE": lambda: {"total": text},
        "HIERARCHICAL": lambda: {"hierarchical": True},
        "HIERLEVELS": lambda: {"levels": tuple(map(int, rest)), "hierarchical": True},
        "HIERCODELIST": lambda: {"hierarchy": text, "hierarchical": True},
        "HIERLEADSTRING": lambda: {"lead": text},
        "CODELIST": lambda: {"codelist": text},
    }
    if word not in changes:
        raise DataError(f"rda: line {number}: the word {word} is not understood. Remove it, or report it.")
    return replace(variable, **changes[word]())


def format_rda(metadata: Metadata, table: bool = True) -> str:
    """The text of an .rda file.

    >>> text = format_rda(Metadata((Variable("Region", "dimension"),), separator=","), table=False)
    >>> parse_rda(text) == Metadata((Variable("Region", "dimension"),), separator=",")
    True
    """
    lines = [] if metadata.separator is None else [f'<SEPARATOR> "{metadata.separator}"']
    if table:
        lines += [f"<SAFE> {metadata.safe}", f"<UNSAFE> {metadata.unsafe}", f"<PROTECT> {metadata.protect}"]
    for variable in metadata.variables:
        places = [str(number) for number in (variable.start, variable.width) if number is not None]
        lines.append(" ".join([_quoted(variable.name), *places, *map(_quoted, variable.missing)]))
        lines += [f"  {line}" for line in _properties(variable)]
    return "\n".join([*lines, ""])


def _properties(variable: Variable) -> list[str]:
    lines = []
    if variable.kind in _OF_NUMERIC:
        lines.append(f"<NUMERIC> <{_WORD_OF_KIND[variable.kind]}>")
    elif variable.kind != "other":
        lines.append(" ".join([f"<{_WORD_OF_KIND[variable.kind]}>", *map(_quoted, variable.request)]))
    if variable.kind == "dimension":
        lines.append(f'<TOTCODE> "{variable.total}"')
    elif variable.decimals:
        lines.append(f"<DECIMALS> {variable.decimals}")
    if variable.codelist:
        lines.append(f'<CODELIST> "{variable.codelist}"')
    if variable.hierarchical:
        lines.append("<HIERARCHICAL>")
        if variable.levels:
            lines.append(f"<HIERLEVELS> {' '.join(map(str, variable.levels))}")
        if variable.hierarchy:
            lines += [f'<HIERCODELIST> "{variable.hierarchy}"', f'<HIERLEADSTRING> "{variable.lead}"']
    return lines


def _quoted(word: str) -> str:
    return f'"{word}"' if " " in word or not word else word
