"""Made-up people, in one file or several, and how they are protected in parts."""

import hashlib

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

ASKED = {"quasi": ["income", "age", "hours"], "identifiers": ["id"], "strata": ["region"], "k": 3}
PARTS = {"name": "serial", "part": 300}


def people(n=2000, seed=1):
    rng = np.random.default_rng(seed)
    return pa.table(
        {
            "id": np.arange(n),
            "income": rng.lognormal(size=n),
            "age": rng.integers(0, 90, n),
            "hours": np.round(rng.normal(38, 9, n), 1),
            "region": rng.choice(["north", "south", "isles"], n, p=[0.7, 0.25, 0.05]),
            "firm": rng.integers(0, n // 3, n),
            "note": [f"n{value}" for value in rng.integers(0, 9, n)],
        }
    )


def with_gaps(table, column, every):
    """The same people, one of so many of whom misses a value."""
    values = table[column].to_numpy().astype(float)
    values[::every] = np.nan
    return table.set_column(table.column_names.index(column), column, pa.array(values, from_pandas=True))


def bytes_of(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def split(table, folder, borders):
    folder.mkdir()
    ends = [*borders, len(table)]
    for number, (begin, end) in enumerate(zip([0, *borders], ends, strict=True)):
        piece = table.slice(begin, end - begin)
        pq.write_table(piece, folder / f"part-{number:02d}.parquet", row_group_size=37 + 100 * number)
    return folder


def nothing_hidden(folder):
    return not [path for path in folder.iterdir() if path.name.startswith(".")]
