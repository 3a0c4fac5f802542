"""DFO from two starts with three first steps, as document 000 tabulates it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from experiments.document import Cell, seconds, table
from experiments.files import SPOKEN, Matrix, loss, partition
from experiments.printed import dfo
from experiments.printed.dfo import Search
from tacita.core import RunContext


@dataclass(frozen=True)
class Step:
    """One search: where it started, and where it ended."""

    start: str
    file: str
    k: int
    step: int
    before: float
    ours: float
    groups: int
    seconds: float

    @property
    def printed(self) -> Search:
        """The cell of the document's table."""
        return dfo.TABLES[self.k][self.start][self.file][dfo.STEPS.index(self.step)]

    @property
    def improvement(self) -> float:
        """How much of the start's loss is gone, in percent."""
        return 100 * (self.before - self.ours) / self.before


def searches(data: Mapping[str, Matrix], sizes: Sequence[int], run: RunContext) -> Iterator[Step]:
    """Every start, file, k and step of the document's three tables."""
    cases = [(start, file, k) for k in sizes for start in dfo.TABLES[k] for file in data]
    for done, (start, file, k) in enumerate(cases):
        z, within = data[file], RunContext(threads=1, should_cancel=run.should_cancel)
        first, _ = partition(start, k, z, within)
        for place, step in enumerate(dfo.STEPS):
            run.report("DFO from two starts", done + place / len(dfo.STEPS), len(cases))
            found, took = partition("dfo", k, z, within, start=first, step=step)
            yield Step(start, file, k, step, loss(z, first), loss(z, found), len(found.sizes), took)


def section(found: Sequence[Step], k: int) -> str:
    """One of the document's tables: printed / ours in each cell, a row for each start and first step."""
    here = {(one.start, one.step, one.file): one for one in found if one.k == k}
    files = list(dict.fromkeys(file for _, _, file in here))
    rows: list[list[Cell]] = []
    for start, step in dict.fromkeys((start, step) for start, step, _ in here):
        row: list[Cell] = [start.upper(), step]
        for file in files:
            one = here[start, step, file]
            row.append(f"{one.printed.loss:.2f} / {one.ours:.3f}")
            row.append(f"{one.printed.improvement:.2f} / {one.improvement:.2f}")
            row.append(f"{one.printed.seconds:.2f} / {seconds(one.seconds)}")
        rows.append(row)
    head = ["start", "first step"]
    head += [f"{SPOKEN[file]}: {column}" for file in files for column in ("IL", "imp, %", "time, s")]
    return table(head, rows)


def starts(found: Sequence[Step]) -> str:
    """The loss of every start: ours, and by what is printed of each first step."""
    rows: list[list[Cell]] = []
    for start, file, k in dict.fromkeys((one.start, one.file, one.k) for one in found):
        cells = [one for one in found if (one.start, one.file, one.k) == (start, file, k)]
        implied = dict.fromkeys(f"{dfo.implied_start(one.printed):.2f}" for one in cells)
        rows.append([start.upper(), SPOKEN[file], k, cells[0].before, ", ".join(implied)])
    return table(["start", "file", "k", "loss, ours", "loss implied by the printed IL and imp"], rows)


def summary(found: Sequence[Step]) -> str:
    """In how many cells ours is at or below the printed figure, and what became of the claims."""
    at_or_below = sum(one.ours <= one.printed.loss + 0.005 for one in found)
    printed = [one.printed.improvement for one in found if one.printed.improvement > 0]
    improved = [one.improvement for one in found if one.ours < one.before * (1 - 1e-9)]
    return (
        f"Ours is at or below the printed loss in {at_or_below} of {len(found)} cells. The document's search "
        f"improves its start in {len(printed)} of {len(found)} cells, by {_range(printed)} %; ours in "
        f"{len(improved)}, by {_range(improved)} %. Ours is more than Algorithm 2: it tries several ways to "
        "reach another number of groups, and restarts from its own result."
    )


def _range(shares: Sequence[float]) -> str:
    return f"{min(shares):.1f} to {max(shares):.1f}" if shares else "0"
