"""JJ files: a suppression problem as cells and relations, without labels.

Line 1 is 0, line 2 the number of cells; then per cell: number, value, cost, status (s may be suppressed, u is
sensitive, z must be published), the attacker's lower and upper bound, and the lower, upper and sliding
protection level. Then the number of relations; per relation: right-hand side (0), number of entries, a colon,
and entries of the form: cell (coefficient).
Bounds beyond 1e20 mean none.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import ClassVar

import numpy as np

from tacita.core import DataError, Hierarchy, Relations, Table
from tacita.io.tables.table_format import CellsFormat

_UNBOUNDED = 1e20
_LETTERS = {"s": "open", "u": "primary", "z": "forced"}


class JJ(CellsFormat):
    """A suppression problem as cells and relations, for tau-ARGUS.

    Values, costs, bounds, levels and states, without labels; confidential. O(cells + entries).
    Source: the JJ format of tau-ARGUS, version 4.

    >>> files = JJ().encode(Table.from_array([[5]], primary=[[True]], upper=100), Path("problem.jj"))
    >>> files[Path("problem.jj")].decode().splitlines()[2]
    '0 5 5 u 0 1e+20 0 5 0'
    """

    name: ClassVar[str] = "jj"
    endings: ClassVar[tuple[str, ...]] = (".jj",)

    def encode(self, table: Table, path: Path) -> dict[Path, bytes]:
        """One file."""
        return {path: format_jj(table).encode()}


def format_jj(table: Table) -> str:
    """A table as a JJ problem. Confidential.

    >>> table = Table.from_array([[5]], primary=[[True]], upper=100)
    >>> print(format_jj(table).splitlines()[2])
    0 5 5 u 0 1e+20 0 5 0
    """
    lines = ["0", str(table.n)]
    states = {"primary": "u", "forced": "z"}
    low, high = np.maximum(table.low, -_UNBOUNDED), np.minimum(table.high, _UNBOUNDED)
    for cell, state in enumerate(table.states):
        before = (table.values[cell], table.cost[cell])
        after = (low[cell], high[cell], table.lower[cell], table.upper[cell], table.sliding[cell])
        words = [str(cell), *map(shortest, before), states.get(state, "s"), *map(shortest, after)]
        lines.append(" ".join(words))
    lines.append(str(len(table.relations)))
    for row in range(len(table.relations)):
        cells, signs = table.relations.line(row)
        entries = " ".join(f"{cell} ({shortest(sign)})" for cell, sign in zip(cells, signs, strict=True))
        lines.append(f"0 {cells.size} : {entries}")
    return "\n".join([*lines, ""])


def parse_jj(text: str) -> Table:
    """A JJ problem as a table of one dimension, whose labels are the numbers of the cells.

    >>> table = Table.from_array([[5, 3], [2, 4]], primary=[[True, False], [False, False]])
    >>> again = parse_jj(format_jj(table))
    >>> again.values.tolist() == table.values.tolist(), len(again.relations)
    (True, 6)
    """
    lines = [line for line in text.splitlines() if line.strip()]
    try:
        if lines[0].split() != ["0"]:
            raise ValueError
        n = int(lines[1])
        cells = [line.split() for line in lines[2 : 2 + n]]
        count = int(lines[2 + n])
        rows = [_relation(line) for line in lines[3 + n : 3 + n + count]]
        if len(cells) != n or len(rows) != count or len(lines) != 3 + n + count:
            raise ValueError
        order = np.argsort([int(words[0]) for words in cells])
        numbers = np.array([[float(word) for word in (*words[1:3], *words[4:9])] for words in cells])
        letters = np.array([words[3].lower() for words in cells])
        if sorted(int(words[0]) for words in cells) != list(range(n)) or set(letters) - set(_LETTERS):
            raise ValueError
    except (ValueError, IndexError):
        raise DataError(
            "JJ: wanted 0, the number of cells, nine words per cell, the number of relations, and the "
            "relations."
        ) from None
    numbers, letters = numbers[order], letters[order]
    value, cost, low, high, lower, upper, sliding = (column.copy() for column in numbers.T)
    return Table(
        dimensions=(Hierarchy.flat("cell", [str(cell) for cell in range(n)]),),
        codes=np.arange(n)[:, None],
        values=value,
        relations=Relations.of(rows),
        primary=letters == "u",
        lower=lower,
        upper=upper,
        sliding=sliding,
        low=np.where(low <= -_UNBOUNDED, -np.inf, low),
        high=np.where(high >= _UNBOUNDED, np.inf, high),
        cost=cost,
        forced=letters == "z",
    )


def _relation(line: str) -> tuple[list[int], list[float]]:
    head, _, body = line.partition(":")
    right, size = head.split()
    entries = re.findall(r"(\d+)\s*\(\s*([-+\d.eE]+)\s*\)", body)
    if float(right) != 0 or len(entries) != int(size):
        raise ValueError
    return [int(cell) for cell, _ in entries], [float(sign) for _, sign in entries]


def shortest(value: float) -> str:
    """The shortest text that parses to the same number."""
    return repr(int(value)) if value == int(value) and abs(value) < 1e15 else repr(float(value))
