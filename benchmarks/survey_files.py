"""Writing files of SPSS, Stata and SAS: tacita's writers against pyreadstat, on the same records.

The peer gets a pandas frame that was made before; both have the same cells and labels. pyreadstat writes to
a path, in memory where the system has such a folder; tacita's bytes are not written. The last column compares
the sizes. Both in this process, in turns.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

from tacita.core import Microdata
from tacita.core.data.column_metadata import ColumnNotes, Notes, System
from tacita.io.formats.spss import SPSS
from tacita.io.formats.stata import Stata
from tacita.io.formats.survey import SurveyFormat
from tacita.io.formats.xport import Xport

from .measuring import Result

RECORDS = 200_000
TURNS = 3
SEX = {1.0: "man", 2.0: "woman"}
LABELS = {"sex": "Sex", "age": "Age in years", "income": "Income a year"}


def _table() -> pa.Table:
    generator = np.random.default_rng(0)
    income = generator.lognormal(10, 1, RECORDS).round(2)
    return pa.table(
        {
            "sex": generator.integers(1, 3, RECORDS).astype(float),
            "age": generator.integers(0, 100, RECORDS).astype(float),
            "income": pa.array(income, mask=generator.random(RECORDS) < 0.1),
            "weight": generator.random(RECORDS),
            "town": generator.choice(["Graz", "Salzburg", "Wien", "Innsbruck"], RECORDS),
            "code": [f"K{number:05d}" for number in generator.integers(0, 90_000, RECORDS)],
        }
    )


def results() -> Iterator[Result]:
    """CPU seconds of one file in each format."""
    import pyreadstat

    table = _table()
    frame = table.to_pandas()
    words = {"column_labels": LABELS}
    values = {"variable_value_labels": {"sex": SEX}}
    yield _compared("SPSS", SPSS(), "spss", table, pyreadstat.write_sav, frame, words | values)
    yield _compared("Stata", Stata(), "stata", table, pyreadstat.write_dta, frame, words | values)
    yield _compared("SAS transport", Xport(), "sas", table, pyreadstat.write_xport, frame, words)


def _compared(
    name: str,
    ours: SurveyFormat,
    system: System,
    table: pa.Table,
    write: Callable[..., None],
    frame: object,
    options: dict[str, object],
) -> Result:
    said = {
        column: ColumnNotes(label=label, values=SEX if column == "sex" and system != "sas" else {})
        for column, label in LABELS.items()
    }
    data = Microdata.of(table, notes=Notes(system, said))
    seconds: dict[str, list[float]] = {"ours": [], "theirs": []}
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        path = Path(folder, f"x{ours.endings[0]}")
        for _ in range(TURNS):
            start = time.process_time()
            content = ours.encode(data)
            seconds["ours"].append(time.process_time() - start)
            start = time.process_time()
            write(frame, str(path), **options)
            seconds["theirs"].append(time.process_time() - start)
        sizes = len(content) / 1e6, path.stat().st_size / 1e6
    note = f"{RECORDS} records, {sizes[0]:.3g} MB against {sizes[1]:.3g} MB"
    return Result(f"write {name}, CPU s", min(seconds["ours"]), "pyreadstat", min(seconds["theirs"]), note)
