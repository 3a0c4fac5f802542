"""Broken formats: each breaks the law that was meant for it, by name."""

# a planted part keeps the whole signature of the one that it stands for
# ruff: noqa: ARG001, ARG005

import numpy as np
import pyarrow as pa

from conformance.breakers import breakers, counted, expect_broken, planted, unbroken
from tacita.core import DataError
from tacita.io.formats.csv import CSV
from tacita.io.formats.parquet import Parquet

tick = counted()


def column(table, at, values):
    return table.set_column(at, table.column_names[at], pa.array(values))


def packed(change):
    return planted(Parquet, pack=lambda self, table: Parquet().pack(change(table)))


def filled(table):
    return column(table, 3, [value or 0.0 for value in table["share"].to_pylist()])


def in_haste(self, path, rows):
    path.read_bytes()
    return Parquet().chunks(path, rows)


def mixed(table):
    """Values that stand several times, as those of groups do, in another order."""
    shares = table["share"].drop_null().to_pylist()
    return table if len(set(shares)) == len(shares) else column(table, 3, sorted(shares, key=repr)[::-1])


def trusting(self, content, source):
    try:
        return Parquet().unpack(content, source)
    except DataError:
        return pa.table({"x": [1]})


def telling(self, content, source):
    try:
        return Parquet().unpack(content, source)
    except DataError:
        raise DataError(f"{source}: cannot read {content!r}") from None


def remembering(self, table):
    return (
        Parquet().pack(table)
        if not table.schema.metadata
        else Parquet().pack(column(table, 1, ["SECRET"] * len(table)))
    )


FORMATS = {
    "declares its endings": [planted(Parquet, endings=()), planted(Parquet, endings=("PQT",))],
    "reads what it wrote": [
        packed(lambda table: table.select(["share", "count", "note", "code"])),
        packed(lambda table: column(table, 3, np.asarray(table["share"]).astype(np.float32).astype(float))),
        packed(lambda table: column(table, 0, [code.lstrip("0") for code in table["code"].to_pylist()])),
    ],
    "missing stays missing": [packed(filled)],
    "refused not changed": [planted(Parquet, pads=True), planted(Parquet, writes=False, instead=".csv")],
    "same bytes also when written again": [
        planted(CSV, encode=lambda self, data: CSV().encode(data) + b"\n" * (tick() % 2)),
    ],
    "nothing is written that no record has": [planted(Parquet, pack=remembering)],
    "parts joined are the whole": [
        planted(Parquet, chunks=lambda self, path, rows: Parquet().chunks(path, rows + 1)),
        planted(Parquet, chunks=lambda self, path, rows: list(Parquet().chunks(path, rows))[1:]),
    ],
    "refused without quoting them": [planted(Parquet, unpack=trusting), planted(Parquet, unpack=telling)],
    "a release in it is verified": [packed(mixed)],
    "parts of what is no such file are refused in words": [planted(Parquet, chunks=in_haste)],
}


@breakers(FORMATS)
def test_a_broken_method_breaks_the_law_that_says_so(law, method):
    expect_broken(law, method)


def test_every_law_has_a_method_that_breaks_it():
    assert not unbroken("format", FORMATS)
