"""Merges the records of all parts in the order of the source."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from tacita.core import RunContext
from tacita.io.parquet_dataset import in_one_piece, taken
from tacita.io.workdir import Scratch

from .partition import SPAN


def in_order(scratch: Scratch, parts: list[int], rows: int, run: RunContext) -> Iterator[pa.Table]:
    """Tables of `SPAN` records, the last one smaller. Only records about to be written are in memory."""
    tables = [scratch.table(f"made-{part}.records") for part in parts]
    numbers = [scratch.array(f"made-{part}.rows") for part in parts]
    spans = [scratch.table(f"span-{number}.records").slice(0, 1) for number in range(-(-rows // SPAN))]
    first_ones = pa.concat_tables(spans)
    held: list[pa.Table] = []
    waiting = 0
    for first in range(0, rows, SPAN):
        run.report("writing", first, rows)
        held.append(_ordered_as(first_ones, _between(tables, numbers, first, first + SPAN)))
        waiting += held[-1].num_rows
        while waiting >= SPAN:
            merged = pa.concat_tables(held)
            yield in_one_piece(merged.slice(0, SPAN))
            held, waiting = [merged.slice(SPAN)], waiting - SPAN
    if waiting:
        yield in_one_piece(pa.concat_tables(held))
    run.report("writing", 1, 1)


def _between(tables: list[pa.Table], numbers: list[np.ndarray], first: int, last: int) -> pa.Table:
    """The records of all parts whose number in the source is in a range, in the order of the source."""
    pieces, rows = [], []
    for table, part_rows in zip(tables, numbers, strict=True):
        begin, end = np.searchsorted(part_rows, [first, last]).tolist()
        pieces.append(table.slice(begin, end - begin))
        rows.append(np.asarray(part_rows[begin:end]))
    order = np.argsort(np.concatenate(rows), kind="stable")
    return taken(in_one_piece(pa.concat_tables(pieces)), order)


def _ordered_as(source: pa.Table, table: pa.Table) -> pa.Table:
    """The same cells, with ordered categories in the order of the source instead of that of the parts."""
    for index, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type) and field.type.ordered and field in source.schema:
            known = source[field.name]
            unified = pa.chunked_array([*known.chunks, *table[field.name].chunks]).unify_dictionaries()
            table = table.set_column(index, field, unified.slice(len(known)))
    return table
