"""All experiments in one run."""

from __future__ import annotations

from dataclasses import dataclass

from tacita import datasets
from tacita.core import Run

from .experiments import (
    Agreement,
    Row,
    SurfacePoint,
    against_c,
    agreements,
    cloud_table,
    split_table,
    surface,
)

# Seeds of the methods that draw, in full and quickly.
SEEDS = (10, 1)
# Numbers of clusters of the plots, beside those that were printed.
CLUSTERS = {"S1": tuple(range(1, 17)), "S2": (2, 5, 10, 15, 20, 26, 35, 45, 60, 81)}


@dataclass(frozen=True)
class Findings:
    """What every experiment gave."""

    quick: bool
    rows: list[Row]
    against_c: list[Row]
    clouds: list[Row]
    surface: list[SurfacePoint]

    @property
    def splits(self) -> list[str]:
        """Names of the splits of Census."""
        return list(dict.fromkeys(row.experiment for row in self.rows))

    @property
    def agreements(self) -> list[Agreement]:
        """How far each column is from print: over all printed c, and from c = 4 on."""
        return [*agreements(self.rows), *agreements(self.rows, from_c=4)]

    def of(self, split: str) -> list[Row]:
        """The rows of one split."""
        return [row for row in self.rows if row.experiment == split]


def gather(run: Run, quick: bool) -> Findings:
    """Everything; `quick`: one split, one seed, a few numbers of clusters, a corner of the surface."""
    x = datasets.attributes("census")
    splits = ("S1",) if quick else ("S1", "S2")
    rows, lines = [], []
    for split in splits:
        rows += split_table(x, split, run, SEEDS[quick])
        for memberships in ("joint", "separate"):
            wanted = (2, 4, 8) if quick else CLUSTERS[split]
            lines += against_c(x, split, run, wanted, memberships)
    return Findings(
        quick=quick,
        rows=rows,
        against_c=lines,
        clouds=cloud_table(run, (2, 3, 4) if quick else range(2, 11)),
        surface=surface(x, run, (1, 3), (1, 2)) if quick else surface(x, run),
    )
