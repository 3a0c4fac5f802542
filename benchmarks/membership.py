"""What syntheses remember and what they keep: `python -m benchmarks membership` (files in TACITA_SHARED).

Excerpts of the American Community Survey (NIST Diverse Communities), ten columns: the membership advantage by
cross-fitting in percentage points, the k-marginal for pairs of columns (0 to 1000; ages by five years),
and processor time of a release, verified. Before them the same attack on syntheses by regression, which a
release does not try: all columns drawn, of which nothing but moments or clusters is left.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv

import tacita
from tacita import datasets, registry
from tacita.core import Ints, Matrix, ParameterError, RunContext
from tacita.microdata.methods.synthesis.column_margins import Columns
from tacita.microdata.methods.synthesis.synthesis_method import Synthesis
from tacita.microdata.protection.membership import Attack, Membership

from .measuring import Result

_COLUMNS = (
    *("AGEP", "SEX", "MSP", "RAC1P", "HOUSING_TYPE", "OWN_RENT", "EDU", "PINCP_DECILE"),
    *("DVET", "DEYE"),
)
_YEARS = 5
# The defaults of trees until leaves were found by what they give away.
_BEFORE: dict[str, Any] = {"k": 5, "order": "few-first", "systematic": False}
_TRIED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("trees", _BEFORE),
    ("trees", {"k": 25}),
    ("trees", {"k": 150}),
    ("trees", {}),
    ("copula", {}),
)


# Files of numbers and the columns of which none is computed from the others.
_NUMBERS = {
    "census": ("AGI", "EMCONTRB", "FEDTAX", "TAXINC", "PTOTVAL", "INTVAL"),
    "tarragona": ("SALES", "LABOR.COSTS", "NET.PROFIT", "FIXED.ASSETS", "TREASURY"),
}


def results() -> Iterator[Result]:
    """A line for each figure and method; the advantage of before stands beside that of the default."""
    yield from _by_regression()
    for name in ("national2019", "ma2019"):
        path = Path(os.environ.get("TACITA_SHARED", "")) / "reference" / "nist" / f"{name}.csv.gz"
        if "TACITA_SHARED" not in os.environ or not path.exists():
            print(f"skipped: {name} is not at hand, TACITA_SHARED names the folder above reference/nist")
            continue
        yield from _of_file(name, pyarrow.csv.read_csv(path).select(_COLUMNS))


def _by_regression() -> Iterator[Result]:
    for file, columns in _NUMBERS.items():
        try:
            table = datasets.load(file).select(columns)
        except (ParameterError, tacita.DataError):
            print(f"skipped: {file} is not at hand, TACITA_DATA names its folder")
            continue
        x = np.column_stack([table[name].to_numpy().astype(float) for name in columns])
        for name in regressions():
            found = of_regression(registry.lookup(name, "synthesis")(**_ANY), x)
            (low, high), (members, others) = found.interval, found.shares().mean(axis=0).tolist()
            limits = f"95 %: {low:.2f} to {high:.2f}, limit {found.limit:g}"
            shares = f"members {members:.1f} %, others {others:.1f} %"
            yield Result(f"{file} {name}, advantage", found.advantage, shares, None, limits)


# Halves are drawn whatever the leverage of records: nothing of them is published.
_ANY = {"max_leverage": 1.0, "max_unchanged": 1.0}


@dataclass(frozen=True)
class _OfHalves:
    """A synthesis by regression as the attack asks it; it has no k."""

    method: Synthesis
    max_advantage: float = 3.0
    fewest: int = 1

    def synthesize_from_part(
        self, y: Matrix, s: Matrix, part: Ints, given: Ints, run: RunContext, **_: Any
    ) -> Matrix:
        return self.method.synthesize(y[part], None, run)


def regressions() -> list[str]:
    """Syntheses that draw numbers by a regression."""
    every = {name: registry.lookup(name, "synthesis") for name in registry.names("synthesis")}
    return [name for name, method in every.items() if issubclass(method, Synthesis)]


def of_regression(method: Synthesis, x: Matrix) -> Membership:
    """What halves of some records show of a method that draws all columns."""
    nobody = np.zeros(len(x), dtype=np.int64)
    attack = Attack.of(x, x.shape[1], nobody, None, Columns.numbered(x.shape[1], 0))
    found = attack.strength(_OfHalves(method), RunContext(), searching=False)  # type: ignore[arg-type]
    assert found is not None
    return found


def _of_file(name: str, table: pa.Table) -> Iterator[Result]:
    before = None
    for method, settings in _TRIED:
        release, seconds = _released(table, method, settings)
        told = release.record.steps[0].search["membership"]
        what = f"{name} {method} k={told['k']}{'' if settings else ' (default)'}"
        limits = f"95 %: {told['low']:.2f} to {told['high']:.2f}, limit {told['limit']:g}"
        shares = f"members {told['members']:.1f} %, others {told['others']:.1f} %"
        before = told["advantage"] if before is None else before
        yield Result(f"{what}, advantage", told["advantage"], f"before; {shares}", before, limits)
        yield Result(f"{what}, k-marginal", k_marginal(table, release.data), "", None)
        yield Result(f"{what}, verified, CPU s", seconds, "", None)


def _released(table: pa.Table, method: str, settings: dict[str, Any]) -> tuple[Any, float]:
    options: dict[str, Any] = {
        "dependent": _COLUMNS,
        "nominal": _COLUMNS[1:],
        "measures": ["CATEGORIES"],
        "accept_risks": True,
    }
    tacita.synthesize(table.slice(0, 5_000), method=method, **settings, **options)
    began = process_time()
    release = tacita.synthesize(table, method=method, **settings, **options)
    return release, process_time() - began


def k_marginal(before: pa.Table, after: pa.Table, columns: Sequence[str] = _COLUMNS) -> float:
    """1000 less the mean total variation distance of all pairs of columns, in thousandths.

    >>> one = pa.table({"a": ["x", "y"], "b": ["u", "v"]})
    >>> k_marginal(one, one, ("a", "b"))
    1000.0
    """
    both = pa.concat_tables(
        [before.select(columns), after.select(columns).cast(before.select(columns).schema)]
    )
    codes = []
    for name in columns:
        cells = both[name].to_numpy(zero_copy_only=False)
        cells = cells // _YEARS if name == "AGEP" else cells.astype(str)
        codes.append(np.unique(cells, return_inverse=True)[1].reshape(-1))
    n = before.num_rows
    gaps = []
    for one, other in combinations(codes, 2):
        cell = one * (int(other.max()) + 1) + other
        first, second = (np.bincount(part, minlength=int(cell.max()) + 1) for part in (cell[:n], cell[n:]))
        gaps.append(np.abs(first / n - second / (cell.size - n)).sum() / 2)
    return float(1000 * (1 - np.mean(gaps)))
