"""Algorithm 2 of document 000 alone, in all 54 cells: does it improve its start where the document does?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from experiments.document import Cell, table
from experiments.files import SPOKEN, Matrix, loss, partition
from experiments.printed import dfo
from tacita.core import RunContext

from .steps import Step

# The document's search: HM+KM (strategy II) judges a number of groups, and nothing follows.
ALONE: Mapping[str, Any] = {"surrogate": "hmkm", "polish": False}
# The document does not say what HM+KM starts from when another number of groups is judged.
REACHES = {"at-hand": "from the partition at hand", "random": "from random centres"}
# An improvement that the document would print as 0.00 is none.
_NONE = 0.005


@dataclass(frozen=True)
class PlainStep(Step):
    """One search, and what it judges another number of groups from."""

    reach: str

    @property
    def improves(self) -> bool:
        """By as much as two digits show."""
        return self.improvement >= _NONE


def searches(data: Mapping[str, Matrix], sizes: Sequence[int], run: RunContext) -> Iterator[PlainStep]:
    """Every start, file, k and first step of the document's three tables, in both readings."""
    cases = [(file, k, start) for file in data for k in sizes for start in dfo.TABLES[k]]
    for done, (file, k, start) in enumerate(cases):
        run.report("Algorithm 2 alone", done, len(cases))
        z, within = data[file], RunContext(threads=1, should_cancel=run.should_cancel)
        first, _ = partition(start, k, z, within)
        before = loss(z, first)
        for reach in REACHES:
            for step in dfo.STEPS:
                found, took = partition("dfo", k, z, within, start=first, step=step, reach=reach, **ALONE)
                yield PlainStep(start, file, k, step, before, loss(z, found), len(found), took, reach)


def section(found: Sequence[PlainStep]) -> str:
    """Improvements over the start with the three first steps: printed, and ours in both readings."""
    ours = {(one.file, one.k, one.start, one.reach, one.step): one for one in found}
    rows: list[list[Cell]] = []
    for file, k, start in dict.fromkeys((one.file, one.k, one.start) for one in found):
        printed = " · ".join(f"{cell.improvement:.2f}" for cell in dfo.TABLES[k][start][file])
        row: list[Cell] = [SPOKEN[file], k, start.upper(), printed]
        for reach in REACHES:
            cells = [ours[file, k, start, reach, step] for step in dfo.STEPS]
            row.append(" · ".join(f"{one.improvement:.2f}" for one in cells))
        rows.append(row)
    return table(
        ["file", "g", "start", "imp printed, %", *(f"ours {how}, %" for how in REACHES.values())], rows
    )


def summary(found: Sequence[PlainStep]) -> str:
    """How many cells improve, by how much, and where ours agrees with print."""
    said = [_told(how, [one for one in found if one.reach == reach]) for reach, how in REACHES.items()]
    cells = [one for one in found if one.reach == "random"]
    printed = [one for one in cells if one.printed.improvement > 0]
    shares = [one.printed.improvement for one in printed]
    of_print = f"In print {len(printed)} of {len(cells)} cells improve"
    if shares:
        of_print += f", by {min(shares):.1f} to {max(shares):.1f} %"
    return f"{of_print}. {' '.join(said)}"


def _told(how: str, here: Sequence[PlainStep]) -> str:
    better = [one.improvement for one in here if one.improves]
    agree = sum(one.improves == (one.printed.improvement > 0) for one in here)
    span = f", by {min(better):.2f} to {max(better):.1f} %" if better else ""
    lower = sum(one.ours <= one.printed.loss + _NONE for one in here)
    return (
        f"Ours {how}: {len(better)} of {len(here)}{span}; in {agree} both improve or neither does, and in "
        f"{lower} ours ends at or below the printed loss."
    )
