"""Hierarchies of tau-ARGUS: .hrc files, and codes whose digits are levels (HIERLEVELS)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from tacita.core import DataError, Hierarchy


def parse_hrc(text: str, name: str, total: str = "Total", lead: str = "@") -> Hierarchy:
    """Parse one label per line; the number of leading strings is its depth. The total has no line.

    >>> parse_hrc("north\\n@N1\\n@N2\\nsouth\\n", "region").labels
    ('Total', 'north', 'N1', 'N2', 'south')
    """
    labels, parents, open_at = [total], [-1], [0]
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        stripped, depth = line.strip(), 0
        while lead and stripped.startswith(lead, depth * len(lead)):
            depth += 1
        rest = stripped[depth * len(lead) :]
        if depth >= len(open_at) or not rest.strip():
            raise DataError(
                f"Hierarchy {name}: line {number} of the hierarchy is deeper than the line above allows. "
                f"Each level down adds one {lead!r}."
            )
        labels.append(rest.strip())
        parents.append(open_at[depth])
        open_at[depth + 1 :] = [len(labels) - 1]
    return Hierarchy(name, tuple(labels), tuple(parents))


def format_hrc(dimension: Hierarchy, lead: str = "@") -> str:
    """The text of an .hrc file; children follow their parent in order.

    >>> format_hrc(parse_hrc("north\\n@N1\\nsouth\\n", "region"))
    'north\\n@N1\\nsouth\\n'
    """
    if any(label.startswith(lead) or label != label.strip() for label in dimension.labels):
        raise DataError(
            f"Hierarchy {dimension.name}: labels that begin with {lead!r} or with spaces cannot stand in an "
            ".hrc file. Use another leading string, or rename them."
        )
    children = dict(dimension.sums())
    lines: list[str] = []

    def write(parent: int, depth: int) -> None:
        for child in children.get(parent, ()):
            lines.append(lead * depth + dimension.labels[child])
            write(int(child), depth + 1)

    write(dimension.top, 0)
    return "\n".join([*lines, ""])


def from_digits(name: str, codes: Sequence[str], digits: Sequence[int], total: str = "Total") -> Hierarchy:
    """Codes of fixed length whose first digits name the group: HIERLEVELS 2 1 makes 123 part of 12.

    >>> from_digits("nace", ["011", "012", "021"], [2, 1]).labels
    ('Total', '01', '011', '012', '02', '021')
    """
    ends = list(accumulate(digits))
    labels, parents, seen = [total], [-1], {}
    for code in sorted(set(codes) - {total}):
        if len(code) != ends[-1]:
            raise DataError(f"Hierarchy {name}: wanted codes of {ends[-1]} characters, got others.")
        above = 0
        for end in ends:
            prefix = code[:end]
            if prefix not in seen:
                seen[prefix] = len(labels)
                labels.append(prefix)
                parents.append(above)
            above = seen[prefix]
    return Hierarchy(name, tuple(labels), tuple(parents))
