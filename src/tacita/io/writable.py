"""Check before a run what the output format cannot hold of a source: an error or a warning."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from tacita.core import CsvDialect, DisclosureWarning, Microdata
from tacita.core.data.column_metadata import ColumnNotes, Notes
from tacita.core.data.microdata import join_names

from .column_types import one_of_each_type, unchanged_as_written
from .formats.parquet import Parquet
from .formats.record_format import RecordFormat, to_arrow


def refuse_unwritable(
    data: Microdata,
    unchanged: Sequence[str],
    changed: Collection[str],
    form: RecordFormat,
    *,
    all_stay: bool,
) -> None:
    """Raise where the output cannot hold unchanged columns, or the names of changed ones. O(cells).

    Cells are checked if all records stay. If some may be dropped, only names and types are checked, since
    the cells that cannot be written may be dropped too.
    """
    by_type = form.spells or isinstance(form, Parquet) or not all_stay
    records = 1 if by_type else data.n
    if by_type:
        first = data.with_frame(data.frame.head(1).select(list(unchanged)))
        table = one_of_each_type(to_arrow(first))
    else:
        table = unchanged_as_written(data, unchanged)
    # of a changed column only the name is known yet
    unknown = pa.array(["x"] * records, pa.string())
    written = {
        name: unknown if name in changed else table.column(name)
        for name in data.columns
        if name in changed or name in unchanged
    }
    if written:
        notes = _notes(data, changed, bare=by_type)
        form.encode(Microdata.of(pa.table(written), notes=notes, source=data.source))


def kept_less(data: Microdata, names: Sequence[str], form: RecordFormat) -> DisclosureWarning | None:
    """A warning of what the output cannot hold of the released columns; None if it holds all."""
    lost = [
        (loss, columns)
        for held, loss, columns in _held(data, names, CsvDialect().missing_values if form.spells else ("",))
        if columns and held not in form.holds
    ]
    if not lost:
        return None
    losses = "; ".join(f"{loss} ({join_names(columns)})" for loss, columns in lost)
    return DisclosureWarning(
        "format-keeps-less",
        f"Files ending in {form.endings[0]} do not hold all that the source does: {losses}.",
        len({name for _, columns in lost for name in columns}),
        "Write the format of the source, or publish a codebook with the file.",
    )


def _notes(data: Microdata, changed: Collection[str], *, bare: bool) -> Notes | None:
    if data.notes is None:
        return None
    labels = {
        name: ColumnNotes(label=column.label) if bare or name in changed else column
        for name, column in data.notes.columns.items()
    }
    return Notes(data.notes.system, labels)


def _held(
    data: Microdata, names: Sequence[str], words: tuple[str, ...]
) -> Iterator[tuple[str, str, list[str]]]:
    """Each optional feature of formats: its name, how it is lost, and the columns that have it.

    `words` are the texts that the output reads as missing.
    """
    schema = data.frame.head(1).select(list(names)).to_arrow().schema
    types = {field.name: field.type for field in schema}
    notes = data.notes or Notes("sas")
    yield "dates", "dates become text", [name for name in names if pa.types.is_temporal(types[name])]
    yield "truth values", "truth values become text", [n for n in names if pa.types.is_boolean(types[n])]
    categories = [name for name in names if pa.types.is_dictionary(types[name])]
    yield "categories", "categories become text, without their order", categories
    if data.dialect is None:
        texts = [name for name in names if _is_text(types[name]) and _shows(data, name, words)]
        loss = "empty texts" if words == ("",) else "texts such as NA, and empty ones,"
        yield "empty texts", f"{loss} read as missing", texts
    yield "labels", "labels of columns are left out", [name for name in names if notes.of(name).label]
    yield "value labels", "value labels are left out", [name for name in names if notes.of(name).values]
    reasons = [name for name in names if notes.of(name).user_missing]
    yield "reasons", "reasons for missing values are left out", reasons


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or kind == pa.string_view())


def _shows(data: Microdata, name: str, words: tuple[str, ...]) -> bool:
    cells = data.frame.select(name).to_arrow().column(0).cast(pa.string()).drop_null()
    return bool(pc.any(pc.is_in(cells, value_set=pa.array(words, pa.string()))).as_py())
