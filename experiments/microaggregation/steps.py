"""DFO from two starts with three first steps, as its source tabulates it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from experiments.document import Cell, seconds, table
from experiments.files import SPOKEN, Matrix, loss, partition
from experiments.published import DFO_BY_STEP, DFO_STEPS
from tacita.core import Run


@dataclass(frozen=True)
class Step:
    """One search: where it started, where it ended, what was printed."""

    start: str
    file: str
    k: int
    step: int
    before: float
    ours: float
    published: float
    groups: int
    seconds: float

    @property
    def improvement(self) -> float:
        """How much of the start's loss is gone, in percent."""
        return 100 * (self.before - self.ours) / self.before


def searches(data: Mapping[str, Matrix], sizes: Sequence[int], run: Run) -> Iterator[Step]:
    """Every start, file, k and step of the source's three tables."""
    cases = [(start, file, k) for start in DFO_BY_STEP for file in data for k in sizes]
    for done, (start, file, k) in enumerate(cases):
        z, within = data[file], Run(threads=1, cancelled=run.cancelled)
        first, _ = partition(start, k, z, within)
        for place, step in enumerate(DFO_STEPS):
            run.report("DFO from two starts", done + place / len(DFO_STEPS), len(cases))
            found, took = partition("dfo", k, z, within, start=first, step=step)
            printed = DFO_BY_STEP[start][file][k][place]
            before, ours = loss(z, first), loss(z, found)
            yield Step(start, file, k, step, before, ours, printed, len(found.sizes), took)


def section(found: Sequence[Step]) -> str:
    """One row a start, file and k."""
    rows: list[list[Cell]] = []
    for start, file, k in dict.fromkeys((one.start, one.file, one.k) for one in found):
        here = [one for one in found if (one.start, one.file, one.k) == (start, file, k)]
        best = min(here, key=lambda one: one.ours)
        rows.append(
            [
                start,
                SPOKEN[file],
                k,
                here[0].before,
                *(f"{one.ours:.3f} / {one.published:.2f}" for one in here),
                f"{best.improvement:.1f} %",
                best.groups,
                seconds(sum(one.seconds for one in here) / len(here)),
            ]
        )
    head = ["start", "file", "k", "its loss", *(f"step {step}: ours / printed" for step in DFO_STEPS)]
    return table([*head, "best improvement", "groups", "CPU s"], rows)


def summary(found: Sequence[Step]) -> str:
    """In how many cells ours is at or below the printed figure."""
    cells = dict.fromkeys((one.start, one.file, one.k) for one in found)
    good = better = 0
    for cell in cells:
        here = [one for one in found if (one.start, one.file, one.k) == cell]
        good += min(one.ours for one in here) <= min(one.published for one in here) + 0.005
        better += min(one.ours for one in here) < min(one.published for one in here) - 0.005
    improved = sum(one.ours < one.before * (1 - 1e-9) for one in found)
    return (
        f"Best of three steps: ours is at or below the printed figure in {good} of {len(cells)} cells, and "
        f"below in {better}. The search improves its start in {improved} of {len(found)} runs (the source: "
        "25 of 54)."
    )
