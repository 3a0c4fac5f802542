"""Adjusted tables: time of method and audit together, what is left to the bound, and tables of noise.

Two-way tables of 10 000 cells, three-way ones of about as many, counts of Poisson 4; a million records in a
table of 100 000 cells. Seconds are those of the processor, one core; searches end by the clock.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
import pyarrow as pa

import tacita
from tacita.core import RunContext, Table
from tacita.core.spec.seeds import as_seed
from tacita.tables.adjustment.adjustment_method import Adjustment
from tacita.tables.adjustment.cellkey import CellKey
from tacita.tables.adjustment.cta import CTA
from tacita.tables.adjustment.noise import noise_table
from tacita.tables.adjustment.rounding import Rounding
from tacita.tables.adjustment.smallcounts import SmallCounts
from tacita.tables.release.adjust import adjust

from .measuring import Result

SEED = as_seed("0x9d1f6c2b84e7350a9f2c61d07b3e8a45")


def counts(*shape: int) -> Table:
    """A table of small counts."""
    values = np.random.default_rng(1).poisson(4, shape).astype(float)
    return Table.from_array(values, names=[f"d{at}" for at in range(len(shape))], frequency=True)


def magnitudes(*shape: int) -> Table:
    """A table of magnitudes, one inner cell in twenty sensitive, levels of a fifth."""
    generator = np.random.default_rng(2)
    values = generator.integers(1, 200, shape).astype(float)
    secret = generator.random(shape) < 0.05
    return Table.from_array(
        values, names=[f"d{at}" for at in range(len(shape))], primary=secret, lower=20, upper=20
    )


def results() -> Iterator[Result]:
    """What the issue measures: rounding 10 000 cells in 60 s, a million records by keys in 10 s."""
    adjust(counts(5, 5), Rounding(base=5))
    yield from _records()
    start = time.process_time()
    noise_table(10, 5.0, 2)
    yield Result("table of noise D=10 V=5 js=2, CPU s", time.process_time() - start, "", None, "")
    for name, shape in (("two-way 100 x 100", (99, 99)), ("three-way 21 x 21 x 21", (20, 20, 20))):
        yield from _measured(f"rounding {name}", counts(*shape), Rounding(base=5, seconds=40), "under 60 s")
        yield from _measured(f"small-counts {name}", counts(*shape), SmallCounts(base=3), "")
        yield from _measured(f"cta {name}", magnitudes(*shape), CTA(seconds=30), "")
    yield from _measured(
        "random rounding 100 x 100", counts(99, 99), Rounding(base=5, random=True), "under 60 s"
    )
    yield from _measured(
        "cta, squares, whole 100 x 100", magnitudes(99, 99), CTA(seconds=30, norm=2, whole=True), ""
    )


def _records() -> Iterator[Result]:
    generator, n = np.random.default_rng(3), 1_000_000
    frame = pa.table(
        {
            "town": generator.integers(0, 999, n),
            "age": generator.integers(0, 99, n),
            "key": generator.random(n),
        }
    )
    start = time.process_time()
    table = tacita.tabulate(frame, ["town", "age"], key="key")
    made = time.process_time() - start
    start = time.process_time()
    claim = adjust(table, CellKey())
    moved = time.process_time() - start
    case = f"cell-key, {n} records, {table.n} cells"
    yield Result(f"{case}: table, CPU s", made, "", None, "")
    yield Result(
        f"{case}: noise and audit, CPU s", moved, "", None, f"together under 10 s: {made + moved:.1f} s"
    )
    assert claim.audit.safe


def _measured(case: str, table: Table, method: Adjustment, asked: str) -> Iterator[Result]:
    start = time.process_time()
    claim = adjust(table, method, run=RunContext(seed=SEED))
    seconds = time.process_time() - start
    yield Result(f"{case}, CPU s", seconds, "", None, f"{asked}; {claim.adjusted.relaxed}".strip("; "))
    if claim.adjusted.gap is not None:
        yield Result(f"{case}, gap %", 100 * claim.adjusted.gap, "", None, claim.adjusted.status)
