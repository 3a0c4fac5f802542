"""Two files that are read again stretch by stretch: each record in its part, and nothing but cells."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tacita.core import VerificationError
from tacita.io.parquet_dataset import ParquetParts
from tacita.io.workdir import Scratch
from tacita.microdata.verify.large_files import PairTask, deal_pair, judge_file, read_again

# The part of each of eight records, and whether it stays.
PART = [1, 0, 2, 1, 0, 2, 2, 1]
STAYS = [True, True, False, True, False, True, True, True]


def dealt(folder: Path, written: list[int] | None = None) -> Scratch:
    """Eight records of three parts, of which two leave, in stretches of five and three."""
    stays = np.array(STAYS)
    kept = np.flatnonzero(stays).tolist() if written is None else written
    paths = {"source": list(range(8)), "written": kept}
    files = {}
    for name, rows in paths.items():
        pq.write_table(pa.table({"x": rows, "name": [f"n{row}" for row in rows]}), folder / f"{name}.parquet")
        files[name] = ParquetParts.at(folder / f"{name}.parquet")
    scratch = Scratch(folder)
    for number in range(3):
        own = np.array(PART) == number
        scratch.put_array(f"made-{number}.rows", np.flatnonzero(own & stays))
        scratch.put_array(f"made-{number}.dropped", np.flatnonzero(own & ~stays))
    first_half = int(stays[:5].sum())
    spans = [(0, 0, 5, 0, first_half), (1, 5, 3, first_half, len(kept) - first_half)]
    for number, first, count, begin, many in spans:
        deal_pair(
            PairTask(folder, files["source"], files["written"], (0, 1, 2), number, first, count, begin, many)
        )
    return scratch


@pytest.mark.parametrize("part", [0, 1, 2])
def test_every_part_has_its_records_of_both_files_in_order(part, tmp_path):
    scratch = dealt(tmp_path)
    mine = [row for row in range(8) if PART[row] == part]
    for name, rows in (("source", mine), ("written", [row for row in mine if STAYS[row]])):
        found = read_again(scratch, 2, part, name)
        assert found.to_pydict() == {"x": rows, "name": [f"n{row}" for row in rows]}


def test_a_written_file_of_other_records_than_are_claimed_is_refused(tmp_path):
    with pytest.raises(VerificationError, match="other records were counted than are claimed"):
        dealt(tmp_path, [0, 1, 3, 5, 6])
    with pytest.raises(VerificationError, match="other records were counted than are claimed"):
        dealt(tmp_path, [0, 1, 3, 5, 6, 7, 7])


def test_what_a_file_says_beside_its_cells_is_told(tmp_path):
    table = pa.table({"x": [1.5, 2.5]})
    pq.write_table(table, tmp_path / "plain.parquet")
    pq.write_table(table.replace_schema_metadata({"made": "today"}), tmp_path / "talks.parquet")
    plain = judge_file(tmp_path / "plain.parquet", ["x"])
    assert (plain.passed, plain.detail) == (True, "holds")
    talks = judge_file(tmp_path / "talks.parquet", ["x"])
    assert not talks.passed
    assert talks.detail != "holds"
    assert not judge_file(tmp_path / "plain.parquet", ["y"]).passed
