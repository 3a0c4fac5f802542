"""MHM as the second phase of document 003's methods: what it takes off their loss at k = 3."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from experiments.document import Cell, table
from experiments.files import SPOKEN, Matrix, loss, partition
from experiments.printed.kckw import NAMES
from tacita.core import RunContext

# The document's methods that do not end with MHM already.
FIRST = ("md", "mdav", "cbfs", "kward", "mst-d", "kc", "kckw")


@dataclass(frozen=True)
class Phases:
    """The loss of a method's groups, and that of the best cut of a path through them."""

    method: str
    file: str
    first: float
    second: float


def cases(data: Mapping[str, Matrix], run: RunContext, methods: Sequence[str] = FIRST) -> Iterator[Phases]:
    """Every method on every file, by default settings, and MHM after it."""
    total = len(data) * len(methods)
    for done, (file, name) in enumerate((file, name) for file in data for name in methods):
        run.report("MHM as a second phase", done, total)
        z, within = data[file], RunContext(threads=1, should_cancel=run.should_cancel)
        groups, _ = partition(name, 3, z, within)
        after, _ = partition("mhm", 3, z, within, start=groups)
        yield Phases(name, file, loss(z, groups), loss(z, after))


def section(found: Sequence[Phases]) -> str:
    """A row a method: the loss of the first phase, and of the second."""
    files = list(dict.fromkeys(one.file for one in found))
    by = {(one.method, one.file): one for one in found}
    rows: list[list[Cell]] = []
    for name in dict.fromkeys(one.method for one in found):
        here = [by[name, file] for file in files]
        rows.append([NAMES.get(name, name.upper()), *(f"{one.first:.3f} / {one.second:.3f}" for one in here)])
    return table(["method", *(SPOKEN[file] for file in files)], rows)


def summary(found: Sequence[Phases]) -> str:
    """In how many cases the second phase lowers the loss, and by how much.

    >>> summary([Phases("md", "eia", 2.0, 1.5), Phases("kc", "eia", 2.0, 2.0)])
    'The second phase lowers the loss in 1 of 2 cases, by 25.0 % at most, and raises it in none.'
    """
    lower = [one for one in found if one.second < one.first * (1 - 1e-9)]
    raised = sum(one.second > one.first * (1 + 1e-9) for one in found)
    most = max((100 * (1 - one.second / one.first) for one in lower), default=0.0)
    return (
        f"The second phase lowers the loss in {len(lower)} of {len(found)} cases, by {most:.1f} % at most, "
        f"and raises it in {raised or 'none'}."
    )
