"""All experiments in one run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from experiments.printed import thesis
from tacita import datasets
from tacita.core import Run

from .experiments import (
    Agreement,
    Figures,
    Row,
    SurfacePoint,
    against_c,
    agreements,
    cloud_table,
    row_from_numbers,
    split_table,
    surface,
)

# Seeds of the methods that draw, in full and quickly.
SEEDS = (10, 1)
# Numbers of clusters: all that the thesis prints, and some of ours.
CLUSTERS = {
    split: tuple(sorted({*thesis.FCRM[split], *ours}))
    for split, ours in (("S1", (1, 16)), ("S2", (15, 35, 60)))
}


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

    def numbers(self) -> dict[str, Any]:
        """All there is as JSON."""
        return {
            "quick": self.quick,
            "splits": [asdict(row) for row in self.rows],
            "against_c": [asdict(row) for row in self.against_c],
            "agreements": [asdict(one) for one in self.agreements],
            "five_clouds": [asdict(row) for row in self.clouds],
            "surface": [asdict(point) for point in self.surface],
        }

    @classmethod
    def from_numbers(cls, numbers: Mapping[str, Any]) -> Findings:
        """What `numbers` made of them."""
        return cls(
            quick=numbers["quick"],
            rows=[row_from_numbers(row) for row in numbers["splits"]],
            against_c=[row_from_numbers(row) for row in numbers["against_c"]],
            clouds=[row_from_numbers(row) for row in numbers["five_clouds"]],
            surface=[
                SurfacePoint(**{**point, "ours": Figures(**point["ours"])}) for point in numbers["surface"]
            ],
        )

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
