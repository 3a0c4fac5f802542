"""All experiments in one run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from experiments.printed import thesis
from tacita import datasets
from tacita.core import RunContext

from . import surface as designs
from .calibration import Calibration, calibrate
from .experiments import (
    SHOWN,
    Agreement,
    Row,
    Spread,
    Written,
    against_c,
    agreements,
    cloud_table,
    row_from_numbers,
    seed_table,
    split_table,
    spread_from_numbers,
    written_from_numbers,
    written_table,
)
from .surface import DESIGNS, SurfacePoint
from .written import AS_WRITTEN, EVERY_WRITING

# Seeds of the methods that draw, and of the start of FCRM, in full and quickly.
SEEDS = (10, 1)
STARTS = (5, 2)
# Numbers of clusters: all that the thesis prints, and some of ours.
CLUSTERS = {
    split: tuple(sorted({*thesis.FCRM[split], *ours}))
    for split, ours in (("S1", (1, 16)), ("S2", (15, 35, 60)))
}
# Numbers of clusters with which every reading of the text is tried.
TRIED = {"S1": (2, 8, 15), "S2": (2, 10, 26)}


@dataclass(frozen=True)
class Findings:
    """What every experiment gave."""

    quick: bool
    rows: list[Row]
    against_c: list[Row]
    spreads: list[Spread]
    written: list[Written]
    tried: list[Written]
    calibration: Calibration
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
            "seeds": [asdict(row) for row in self.spreads],
            "as_written": [asdict(row) for row in self.written],
            "writings_tried": [asdict(row) for row in self.tried],
            "calibration": asdict(self.calibration),
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
            spreads=[spread_from_numbers(row) for row in numbers["seeds"]],
            written=[written_from_numbers(row) for row in numbers["as_written"]],
            tried=[written_from_numbers(row) for row in numbers["writings_tried"]],
            calibration=Calibration.from_numbers(numbers["calibration"]),
            clouds=[row_from_numbers(row) for row in numbers["five_clouds"]],
            surface=[SurfacePoint.from_numbers(point) for point in numbers["surface"]],
        )

    def of(self, split: str) -> list[Row]:
        """The rows of one split."""
        return [row for row in self.rows if row.experiment == split]


def gather(run: RunContext, quick: bool) -> Findings:
    """Everything; `quick`: one split, one seed, a few numbers of clusters, a corner of the surface."""
    x = datasets.attributes("census")
    splits = ("S1",) if quick else ("S1", "S2")
    rows, lines, spreads, written, tried = [], [], [], [], []
    for split in splits:
        rows += split_table(x, split, run, SEEDS[quick])
        for memberships in ("joint", "separate"):
            wanted = (2, 4, 8) if quick else CLUSTERS[split]
            lines += against_c(x, split, run, wanted, memberships)
        spreads += seed_table(x, split, run, (2,) if quick else SHOWN[split], STARTS[quick])
        written += written_table(x, split, run, AS_WRITTEN, (2, 8) if quick else thesis.FCRM[split])
        tried += written_table(x, split, run, EVERY_WRITING, (2,) if quick else TRIED[split])
    many, few = ((1, 3), (1, 2)) if quick else (range(1, 13), range(1, 11))
    return Findings(
        quick=quick,
        rows=rows,
        against_c=lines,
        spreads=spreads,
        written=written,
        tried=tried,
        calibration=calibrate(x, datasets.load("census").column_names, run),
        clouds=cloud_table(run, (2, 3, 4) if quick else range(2, 11)),
        surface=[point for design in DESIGNS for point in designs.surface(x, run, many, few, design)],
    )
