"""The hierarchical tables, and the patterns of other tools on them, that the reference figures are of."""

from __future__ import annotations

import csv
import gzip
import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from tacita.core import Hierarchy, Table

# Where the reference figures lie: $TACITA_REFERENCE, or in the folder that holds all, or beside the data.
_DATA = Path(os.environ.get("TACITA_DATA", "data"))
_SHARED = Path(os.environ.get("TACITA_SHARED", str(_DATA.parent)))
REFERENCE = Path(os.environ.get("TACITA_REFERENCE", str(_SHARED / "reference"))) / "r"


def _lines(path: Path) -> list[dict[str, str]]:
    packed = path.with_name(path.name + ".gz")
    with gzip.open(packed, "rt") if packed.exists() else path.open(newline="") as lines:
        return list(csv.DictReader(lines))


def _hierarchy(path: Path, name: str) -> Hierarchy:
    labels, parents, above = [], [], dict[int, int]()
    for line in _lines(path):
        depth = len(line["level"])
        above[depth] = len(labels)
        parents.append(above.get(depth - 1, -1))
        labels.append(line["code"])
    return Hierarchy(name, tuple(labels), tuple(parents))


def counts(name: str) -> Table:
    """A reference table of counts: 1 and 2 are sensitive, noughts are published, sums may be withheld."""
    table = _table(name, "freq", frequency=True)
    return table.with_primary((table.values > 0) & (table.values < 3)).with_zeros("publish")


def magnitudes(name: str) -> Table:
    """The sums of a reference table: those of 1 and 2 are sensitive, by a fifth of their value either way."""
    sensitive = counts(name).primary
    return _table(name, "val").with_primary(sensitive, 20, 20).with_zeros("publish")


def _table(name: str, of: str, frequency: bool = False) -> Table:
    folder = REFERENCE / "tables"
    inner = _lines(folder / f"{name}_inner.csv")
    names = [column for column in inner[0] if column not in ("freq", "val")]
    dimensions = [_hierarchy(folder / f"{name}_hier_{column}.csv", column) for column in names]
    places = [{label: at for at, label in enumerate(d.labels[leaf] for leaf in d.leaves)} for d in dimensions]
    values = np.zeros([len(each) for each in places])
    for line in inner:
        at = tuple(place[line[column]] for place, column in zip(places, names, strict=True))
        values[at] = float(line[of])
    return Table.cross(dimensions, values, margins=True, frequency=frequency)


def withheld(table: Table, path: Path) -> np.ndarray:
    """The cells that another tool withholds, from its stored answer."""
    names = [dimension.name for dimension in table.dimensions]
    places = [{label: at for at, label in enumerate(d.labels)} for d in table.dimensions]
    mask = np.zeros(table.shape, dtype=bool)
    for line in _lines(path):
        at = tuple(place[line[name]] for place, name in zip(places, names, strict=True))
        mask[at] = line["sdcStatus"] in "ux" if "sdcStatus" in line else line["suppressed"] == "1"
    return mask.reshape(-1)


def runs(tool: str) -> list[dict[str, Any]]:
    """What is noted of every stored answer of a tool."""
    return [json.loads(line) for line in (REFERENCE / tool / "runs.jsonl").read_text().splitlines()]
