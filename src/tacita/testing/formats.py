"""The laws of formats of records and of published tables."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from tacita.core import DataError, Microdata, ParameterError, Roles, RunContext, Table
from tacita.io.formats.record_format import RecordFormat, to_arrow
from tacita.io.tables.published_table import Shown
from tacita.io.tables.table_format import PublishedFormat
from tacita.testing import Findings

from .examples import refusal


def it_declares_its_endings_and_what_its_files_hold(method: Any) -> Findings:
    yield bool(method.endings), "It has no endings."
    for ending in method.endings:
        right = ending.startswith(".") and ending == ending.lower() and "." not in ending[1:]
        yield right, f"{ending} is no ending: a point, then small letters."
        yield ending in type(method).summary(), f"The summary does not name {ending}."
    yield set(method.purposes) <= {"records", "cells", "published"}, "It has an unknown purpose."


def it_reads_what_it_wrote(method: Any) -> Findings:
    if _written_too(method):
        records = _records(method)
        form, _, again = _written(method, records)
        yield again.columns == records.column_names, "The names of columns are others."
        for column in ("code", "note"):
            same = again.column(column).to_list() == records[column].to_pylist()
            yield same, f"Texts ({column}) are others."
        for column in ("count", "share"):
            same = again.numbers(column).tolist() == records[column].to_pylist()
            yield same, f"Numbers ({column}) are others, if only in the last bit."
        yield form.like(again) == form, "`like` of what was read is another format."
    if isinstance(method, PublishedFormat):
        shown = _shown()
        cells = method.read(method.encode(shown), shown, "file")
        texts = cells if isinstance(cells, list) else [text or None for text in cells["value"]]
        yield texts == ["5", None, None, "2", None, None, "7", "7", "14"], "The cells of a table are others."
        yield method.besides(method.encode(shown), shown) == [], "A file holds more than the table."


def what_it_cannot_hold_is_refused_not_changed(method: Any) -> Findings:
    if isinstance(method, RecordFormat) and not method.writes:
        message = refusal(DataError, method.encode, Microdata.of(_records(method)))
        yield bool(method.instead) and method.instead in message, "The refusal does not say what to write."
    elif isinstance(method, RecordFormat) and method.pads:
        blank = Microdata.of(pa.table({"note": ["SECRET ", "x"]}))
        message = refusal(DataError, method.encode, blank)
        yield (
            "note" in message and "SECRET" not in message,
            "A blank at the end of a text is lost, or quoted.",
        )


def what_is_missing_stays_missing(method: Any) -> Findings:
    if _written_too(method):
        gaps = np.arange(7) % 3 == 1
        table = _records(method).set_column(3, "share", pa.array(np.arange(7) / 7, mask=gaps))
        again = _written(method, table)[2]
        yield np.array_equal(np.isnan(again.numbers("share")), gaps), "A gap came back as a value, or no gap."


def the_same_content_gives_the_same_bytes_also_when_written_again(method: Any) -> Findings:
    if _written_too(method):
        form, content, again = _written(method, _records(method))
        yield form.encode(again) == content, "What was read and written again has other bytes."
        yield _written(method, _records(method))[1] == content, "The second file has other bytes."
    if isinstance(method, PublishedFormat):
        yield method.encode(_shown()) == method.encode(_shown()), "The second file has other bytes."


def nothing_is_written_that_no_record_has(method: Any) -> Findings:
    if _written_too(method):
        content = _written(method, _records(method))[1]
        noted = _records(method).replace_schema_metadata({"made_from": "SECRET"})
        yield _written(method, noted)[1] == content, "The metadata of a table goes into the file."
        others = _records(method).set_column(1, "note", pa.array(["SECRET"] * 7))
        more = pa.concat_tables([_records(method), others])
        yield _written(method, more.slice(0, 7))[1] == content, "Rows that were cut off go into the file."


def its_parts_joined_are_the_whole(method: Any) -> Findings:
    if _written_too(method):
        form, content, again = _written(method, _records(method, 100))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "file")
            path.write_bytes(content)
            parts = list(form.chunks(path, 17))
        yield max(part.num_rows for part in parts) <= 17, "A part has more than the requested 17 records."
        yield pa.Table.from_batches(parts).equals(to_arrow(again)), "The parts are not the whole."


def parts_of_what_is_no_such_file_are_refused_in_words(method: Any) -> Findings:
    if isinstance(method, RecordFormat):
        with tempfile.TemporaryDirectory() as folder:
            for path, words in (
                (Path(folder), "got a folder"),
                (Path(folder, "no"), "there is no such file"),
            ):
                message = refusal(ParameterError, next, method.chunks(path, 17))
                yield words in message, f"The refusal does not say: {words}."
            Path(folder, "odd").write_bytes(b"\0SECRET")
            message = refusal(DataError, next, method.chunks(Path(folder, "odd"), 17))
        yield bool(message) and "SECRET" not in message, "Bytes of no such file are read, or quoted."


def other_bytes_are_refused_without_quoting_them(method: Any) -> Findings:
    if isinstance(method, RecordFormat):
        contents = [b"\0SECRET\xff", b'"SECRET']
        if method.writes:
            # truncated
            contents.append(_written(method, _records(method))[1][:-14] + b'"SECRET')
        for content in contents:
            message = refusal(DataError, method.decode, content, "file")
            yield bool(message), "Bytes of no such file are read."
            yield "SECRET" not in message, "The refusal quotes a cell."


def a_release_in_it_is_verified(method: Any) -> Findings:
    from tacita.microdata import verify
    from tacita.microdata.methods.microaggregation.mdav import MDAV
    from tacita.microdata.protection.protect import protect

    if _written_too(method):
        protected = protect(
            Microdata.of(_records(method)).with_roles(Roles(quasi=["share"])), MDAV(k=3), RunContext()
        )
        form = method.like(protected.data)
        for verdict in verify.verify_file(
            verify.WrittenFile(form.encode(protected.data), form), protected.claim
        ):
            yield verdict.passed, f"{verdict.guarantee} does not hold of the bytes."


def _written_too(method: Any) -> bool:
    return isinstance(method, RecordFormat) and method.writes


def _records(method: Any, n: int = 7) -> pa.Table:
    blank = " x" if method.pads else " x "
    return pa.table(
        {
            "code": [f"{row:03d}" for row in range(n)],
            "note": (['a "b"', "c,d", "é\n☃", "=1", blank, "NA", "~"] * n)[:n],
            "count": list(range(n)),
            "share": [row / 7 - 0.4 for row in range(n)],
        }
    )


def _written(method: Any, table: pa.Table) -> tuple[Any, bytes, Microdata]:
    """The format that reads the file, its bytes, and the records that are read back."""
    data = Microdata.of(table)
    form = method.like(data)
    content = form.encode(data)
    return form, content, form.decode(content, "file")


def _shown() -> Shown:
    suppressed = [False, True, True, False, True, True, False, False, False]
    return Shown.of(Table.from_array([[5, 3], [2, 4]], names=["R", "C"]), suppressed)
