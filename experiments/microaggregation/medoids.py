"""k-medoids by BRKGA as document 001 tabulates it: IL1 of six methods, IL2 and DLD of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from experiments.document import Cell, table
from experiments.files import SPOKEN, Matrix, partition, standardised
from experiments.printed import kmedoids
from tacita import registry
from tacita.core import Comparison, Partition, RunContext

from .losses import AS_PRINTED, Loss

_NOT_RUN = "not run"


@dataclass(frozen=True)
class Release:
    """IL2 (percent) and DLD (share) of one file at one k; of one group for all records where k is None."""

    file: str
    k: int | None
    il2: float
    dld: float


def releases(data: Mapping[str, Matrix], sizes: Sequence[int], run: RunContext) -> Iterator[Release]:
    """The medoids alone at every k, without our relocations; and one group of all records."""
    cases = [(file, k) for file in data if file in kmedoids.TABLE_2 for k in (*sizes, None)]
    for done, (file, k) in enumerate(cases):
        run.report("IL2 and DLD of medoids", done, len(cases))
        x = data[file]
        within = RunContext(seed=run.seed, threads=1, should_cancel=run.should_cancel)
        if k is None:
            found = Partition(np.zeros(len(x), dtype=np.int64), len(x))
        else:
            found, _ = partition("brkga", k, standardised(x), within, **AS_PRINTED["brkga"])
        pair = Comparison.of(x, found.centroids(x)[found.labels])
        yield Release(file, k, _score("IL2", pair, within), _score("DLD", pair, within))


def _score(name: str, pair: Comparison, run: RunContext) -> float:
    measure: Any = registry.lookup(name)
    return float(measure().score(pair, run).value)


def losses_section(losses: Sequence[Loss], file: str) -> str:
    """Table 1 for one file: printed / ours."""
    ours = {
        (one.method, one.k): one.ours
        for one in losses
        if one.file == file and one.settings == AS_PRINTED.get(one.method, {})
    }
    rows: list[list[Cell]] = []
    for method, files in kmedoids.TABLE_1.items():
        row: list[Cell] = [method.upper()]
        for k in kmedoids.SIZES:
            own = f"{ours[method, k]:.3f}" if (method, k) in ours else _NOT_RUN
            row.append(f"{files[file][k]:.3f} / {own}" if k in files[file] else "-")
        rows.append(row)
    return table(["method", *(f"k={k}" for k in kmedoids.SIZES)], rows)


def releases_section(found: Sequence[Release]) -> str:
    """Table 2: printed / ours for both files."""
    ours = {(one.file, one.k): one for one in found}
    rows: list[list[Cell]] = []
    for file, printed in kmedoids.TABLE_2.items():
        il2: list[Cell] = [SPOKEN[file], "IL2"]
        dld: list[Cell] = [SPOKEN[file], "DLD"]
        for k, release in printed.items():
            own = ours.get((file, k))
            il2.append(f"{release.il2:.3f} / {f'{own.il2:.3f}' if own else _NOT_RUN}")
            dld.append(f"{release.dld:.3f} / {f'{own.dld:.3f}' if own else _NOT_RUN}")
        whole = ours.get((file, None))
        il2.append(f"{kmedoids.IL2_MAXIMA[file]:.2f} / {f'{whole.il2:.2f}' if whole else _NOT_RUN}")
        rows += [il2, [*dld, "-"]]
    return table(["file", "measure", *(f"k={k}" for k in kmedoids.SIZES), "k = n"], rows)


def claims(found: Sequence[Release]) -> str:
    """The two claims of section 6 on Table 2, by what is printed and by ours."""
    told = []
    for file, share in kmedoids.IL2_SHARES.items():
        own = {one.k: one for one in found if one.file == file}
        printed = max(each.il2 for k, each in kmedoids.TABLE_2[file].items() if k <= 10)
        of_print = 100 * printed / kmedoids.IL2_MAXIMA[file]
        highest = max((one.il2 for k, one in own.items() if k is not None and k <= 10), default=None)
        ours = f"{100 * highest / own[None].il2:.1f} %" if highest is not None and None in own else _NOT_RUN
        told.append(f"{SPOKEN[file]} below {share} %, by Table 2 {of_print:.1f} %, ours {ours}")
    above = [f"{SPOKEN[one.file]} at k = {one.k}" for one in found if one.k and one.dld >= kmedoids.DLD_BELOW]
    return (
        f"IL2 at k up to 10 as a share of that of one group: {'; '.join(told)}. DLD reaches "
        f"{kmedoids.DLD_BELOW:g} in print on Census at k = 3 alone; in ours: {', '.join(above) or 'nowhere'}."
    )
