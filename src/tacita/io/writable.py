"""What a file of some format cannot keep of a source: refused, or said, before any work is done."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from tacita.core import Caution, CsvDialect, Microdata
from tacita.core.data.column_metadata import ColumnNotes, Notes
from tacita.core.data.microdata import speakable

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
    """Raise where the output cannot hold columns that no step changes, or the names of others. O(cells).

    Cells are looked at where all records stay; where some may leave, only names and types are, since cells
    that could not be written may leave too.
    """
    by_type = form.spells or isinstance(form, Parquet) or not all_stay
    records = 1 if by_type else data.n
    if by_type:
        first = data.with_frame(data.frame.head(1).select(list(unchanged)))
        table = one_of_each_type(to_arrow(first))
    else:
        table = unchanged_as_written(data, unchanged)
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


def kept_less(data: Microdata, names: Sequence[str], form: RecordFormat) -> Caution | None:
    """What of the released columns the output cannot hold, in a sentence; None where it holds all."""
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


def _notes(data: Microdata, changed: Collection[str], *, bare: bool) -> Notes | None:
    if data.notes is None:
        return None
    labels = {
        name: ColumnNotes(label=each.label) if bare or name in changed else each
        for name, each in data.notes.columns.items()
    }
    return Notes(data.notes.system, labels)


def _held(
    data: Microdata, names: Sequence[str], words: tuple[str, ...]
) -> Iterator[tuple[str, str, list[str]]]:
    """Of each thing that not every format holds: its name, what becomes of it, and the columns that have it.

    `words` are those that the output reads as missing.
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
