"""What a file of some format cannot keep of a source: refused, or said, before any work is done."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from tacita.core import Caution, CsvDialect, DataError, Microdata, ParameterError
from tacita.core.microdata import speakable
from tacita.core.notes import ColumnNotes, Notes
from tacita.io.column_types import one_of_each_type, unchanged_as_written
from tacita.io.formats.base import RecordFormat
from tacita.io.formats.parquet import Parquet
from tacita.microdata.plan import Protection


def refuse_unwritable(data: Microdata, asked: Protection, form: RecordFormat) -> None:
    """Raise where the output cannot hold columns that no step changes, or the names of others. O(cells).

    Cells are looked at where all records stay; where some leave, only names and types are, since the cells
    that could not be written may leave too.
    """
    parts = _released_columns(data, asked)
    if parts is None:
        return
    unchanged, changed = parts
    table = unchanged_as_written(data, unchanged)
    by_type = form.spells or isinstance(form, Parquet) or _leaves_out_records(asked)
    records = 1 if by_type else data.n
    if by_type:
        table = one_of_each_type(table)
    # what will stand in a changed column is not known yet; its name is
    unknown = pa.array(["x"] * records, pa.string())
    written = {
        name: unknown if name in changed else table.column(name)
        for name in data.columns
        if name in changed or name in unchanged
    }
    if written:
        notes = _notes(data, changed, bare=by_type)
        form.encode(Microdata.of(pa.table(written), notes=notes, source=data.source))


def kept_less(data: Microdata, asked: Protection, form: RecordFormat) -> Caution | None:
    """What of the released columns the output cannot hold, in a sentence; None where it holds all."""
    parts = _released_columns(data, asked)
    if parts is None:
        return None
    names = [name for name in data.columns if name in parts[0] or name in parts[1]]
    lost = [
        (what, found)
        for held, what, found in _held(data, names, CsvDialect().missing_values if form.spells else ("",))
        if found and held not in form.holds
    ]
    if not lost:
        return None
    told = "; ".join(f"{what} ({speakable(found)})" for what, found in lost)
    return Caution(
        "format-keeps-less",
        f"Files ending in {form.endings[0]} do not hold all that the source does: {told}.",
        len({name for _, found in lost for name in found}),
        "Write the format of the source, or keep a codebook beside the file.",
    )


def _released_columns(data: Microdata, asked: Protection) -> tuple[list[str], set[str]] | None:
    """Columns of the output that no step changes, and those that one does; None where roles are wrong."""
    try:
        steps = asked.planned
        roles = data.with_roles(asked.whole)
        changed = set(roles.quasi)
        gone = {*(roles.roles.identifiers if roles.roles else ())}
        for each in steps:
            method = each.section.build()
            gone.update(getattr(method, "columns", ()) if method.kind == "dropping" else ())
    except (DataError, ParameterError):
        # what is wrong with them is said where they are used
        return None
    unchanged = [name for name in data.columns if name not in gone and name not in changed]
    return unchanged, changed - gone


def _leaves_out_records(asked: Protection) -> bool:
    for each in asked.planned:
        method = each.section.build()
        if each.missing == "drop" or method.kind == "dropping" or getattr(method, "outliers", "") == "drop":
            return True
    return False


def _notes(data: Microdata, changed: set[str], *, bare: bool) -> Notes | None:
    if data.notes is None:
        return None
    labels = {
        name: ColumnNotes(label=each.label) if bare or name in changed else each
        for name, each in data.notes.columns.items()
    }
    return Notes(data.notes.system, labels)


def _held(data: Microdata, names: list[str], words: tuple[str, ...]) -> Iterator[tuple[str, str, list[str]]]:
    """Of each thing that not every format holds: its name, what becomes of it, and the columns that have it.

    `words` are those that the output reads as missing.
    """
    schema = data.frame.head(1).select(names).to_arrow().schema
    types = {field.name: field.type for field in schema}
    notes = data.notes or Notes("sas")
    yield "dates", "dates become text", [name for name in names if pa.types.is_temporal(types[name])]
    yield "truth values", "truth values become text", [n for n in names if pa.types.is_boolean(types[n])]
    categories = [name for name in names if pa.types.is_dictionary(types[name])]
    yield "categories", "categories become text, without their order", categories
    if data.dialect is None:
        texts = [name for name in names if _is_text(types[name]) and _shows(data, name, words)]
        what = "empty texts" if words == ("",) else "texts such as NA, and empty ones,"
        yield "empty texts", f"{what} read as missing", texts
    yield "labels", "labels of columns are left out", [name for name in names if notes.of(name).label]
    yield "value labels", "value labels are left out", [name for name in names if notes.of(name).values]
    reasons = [name for name in names if notes.of(name).user_missing]
    yield "reasons", "reasons for missing values are left out", reasons


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or kind == pa.string_view())


def _shows(data: Microdata, name: str, words: tuple[str, ...]) -> bool:
    cells = data.frame.select(name).to_arrow().column(0).cast(pa.string()).drop_null()
    return bool(pc.any(pc.is_in(cells, value_set=pa.array(words, pa.string()))).as_py())
