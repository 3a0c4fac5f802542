"""Every broken release is caught, by the guarantee it breaks; its unbroken neighbour passes."""

from __future__ import annotations

import unicodedata

import numpy as np
import pyarrow as pa
import pytest

import tacita
from effort import one_form_each
from planting import (
    ARROW,
    FILES,
    FORMS,
    TYPED,
    Plant,
    base_table,
    cell,
    failed,
    group,
    judge,
    one_bit,
    per_group,
    release,
    with_column,
)
from tacita import registry
from tacita.core import Microdata, VerificationError
from tacita.core.results.release import Claim
from tacita.io.formats.record_format import to_arrow


def _taken(rows: list[int]):
    return lambda table, _: table.take(pa.array(rows))


def _renamed(old: str, new: str):
    return lambda table, _: table.rename_columns([new if n == old else n for n in table.column_names])


def _with_identifier(new_name: str):
    return lambda table, _: table.append_column(new_name, base_table()["name"])


def _typed(name: str, kind: pa.DataType):
    return lambda table, _: table.set_column(
        table.column_names.index(name), name, table[name].combine_chunks().cast(kind)
    )


def _originals(table: pa.Table, claim: Claim) -> pa.Table:
    for name in ("x", "y"):
        table = with_column(table, name, claim.original.numbers(name)[claim.rows])
    return table


def _medoid(table: pa.Table, claim: Claim) -> pa.Table:
    """In each group the record nearest the mean, as it is."""
    matrix = claim.original.matrix(("x", "y"))[claim.rows]
    chosen = np.empty_like(matrix)
    for label in np.unique(claim.labels):
        members = matrix[claim.labels == label]
        nearest = ((members - members.mean(axis=0)) ** 2).sum(axis=1).argmin()
        chosen[claim.labels == label] = members[nearest]
    return with_column(with_column(table, "x", chosen[:, 0]), "y", chosen[:, 1])


def _swapped_groups(table: pa.Table, claim: Claim) -> pa.Table:
    """Each group of the first region gets the means of the other."""
    one, other = claim.labels[0], claim.labels[6]
    for name in ("x", "y"):
        cells = np.array(table[name].to_pylist())
        first, second = cells[0], cells[6]
        cells[claim.labels == one], cells[claim.labels == other] = second, first
        table = with_column(table, name, cells)
    return table


def _merged_groups(table: pa.Table, claim: Claim) -> pa.Table:
    """Two groups become one, published as the mean of their two means."""
    both = np.isin(claim.labels, [claim.labels[0], claim.labels[6]])
    for name in ("x", "y"):
        cells = np.array(table[name].to_pylist())
        cells[both] = (cells[0] + cells[6]) / 2
        table = with_column(table, name, cells)
    return table


def _one_moved_to_other_group(table: pa.Table, _: Claim) -> pa.Table:
    cells_x, cells_y = table["x"].to_pylist(), table["y"].to_pylist()
    cells_x[0], cells_y[0] = cells_x[6], cells_y[6]
    return with_column(with_column(table, "x", cells_x), "y", cells_y)


SWAPPED = [6, 1, 2, 3, 4, 5, 0, *range(7, 14)]
PLANTS = {
    "a group of k-1": Plant("groups-of-k", cell("x", 4, 99.0)),
    "a record moved to another group": Plant("group-means", _one_moved_to_other_group),
    "a value one bit up": Plant("group-means", cell("x", 0, one_bit)),
    "a value one bit down": Plant("groups-of-k", cell("y", 9, lambda v: float(np.nextafter(v, -np.inf)))),
    "a group's mean one bit up": Plant("group-means", group("x", 0, one_bit)),
    "a mean of integers one bit up": Plant("group-means", group("y", 12, one_bit)),
    "a value missing": Plant("group-means", cell("x", 0, None)),
    "a group's values missing": Plant("group-means", group("x", 0, lambda _: None)),
    "medians instead of means": Plant("group-means", per_group("x", lambda v: float(np.median(v)))),
    "medoids instead of means": Plant("group-means", _medoid),
    "midranges instead of means": Plant("group-means", per_group("x", lambda v: (v.min() + v.max()) / 2)),
    "naive float sums": Plant("group-means", per_group("x", lambda v: float(sum(v * 3) / 3 / len(v)))),
    "original values": Plant("groups-of-k", _originals),
    "rounded where not declared": Plant("group-means", per_group("x", lambda v: float(round(v.mean())))),
    "rounded to decimals": Plant("group-means", per_group("x", lambda v: round(float(v.mean()), 6))),
    "noise on a group": Plant("group-means", group("x", 4, lambda v: v + 1e-9)),
    "means of the wrong group": Plant("group-means", _swapped_groups),
    "groups merged with a wrong mean": Plant("group-means", _merged_groups),
    "masked column as float32": Plant("group-means", _typed("x", pa.float32()), TYPED),
    "masked column as text": Plant("group-means", _typed("x", pa.string()), TYPED),
    "an identifier left": Plant("columns-kept", _with_identifier("name")),
    "an identifier renamed": Plant("columns-kept", _with_identifier("id")),
    "an identifier under a blank name": Plant("columns-kept", _with_identifier("name ")),
    "an identifier in place of a column": Plant(
        "others-identical", lambda table, _: with_column(table, "code", base_table()["name"].combine_chunks())
    ),
    "a column added": Plant("columns-kept", lambda table, _: table.append_column("n", table["count"])),
    "a column dropped": Plant("columns-kept", lambda table, _: table.drop_columns(["count"])),
    "a masked column dropped": Plant("columns-kept", lambda table, _: table.drop_columns(["x"])),
    "a column renamed": Plant("columns-kept", _renamed("count", "Count")),
    "columns reordered": Plant("columns-kept", lambda table, _: table.select(table.column_names[::-1])),
    "two columns' names exchanged": Plant(
        "columns-kept", lambda table, _: table.rename_columns(["y", "x", *table.column_names[2:]])
    ),
    "a row dropped": Plant("rows-complete", _taken(list(range(13)))),
    "a row repeated": Plant("rows-complete", _taken([*range(14), 3])),
    "a row repeated in place of another": Plant("others-identical", _taken([0, 0, *range(2, 14)])),
    "two rows swapped": Plant("others-identical", _taken(SWAPPED)),
    "rows reversed": Plant("others-identical", _taken(list(range(13, -1, -1)))),
    "rows sorted by group": Plant("others-identical", _taken([4, 5, 6, *range(4), *range(7, 14)])),
    "text changed": Plant("others-identical", cell("code", 3, "n.a")),
    "text in other case": Plant("others-identical", cell("code", 6, "b")),
    "a leading zero lost": Plant("others-identical", cell("code", 0, "1234")),
    "a trailing space lost": Plant("others-identical", cell("code", 5, "b")),
    "a trailing space added": Plant("others-identical", cell("code", 6, "B ")),
    "another unicode normal form": Plant(
        "others-identical", cell("code", 4, lambda text: unicodedata.normalize("NFD", text))
    ),
    "a code taken for missing": Plant("others-identical", cell("code", 2, None)),
    "text put into a gap": Plant("others-identical", cell("note", 1, "new")),
    "null becomes empty text": Plant("others-identical", cell("note", 1, ""), TYPED),
    "empty text becomes null": Plant("others-identical", cell("note", 2, None), TYPED),
    "a line break lost": Plant("others-identical", cell("note", 6, "l l")),
    "an integer changed": Plant("others-identical", cell("count", 13, 14)),
    "a float one bit up": Plant("others-identical", cell("share", 0, one_bit)),
    "a huge float one bit up": Plant("others-identical", cell("share", 3, one_bit)),
    "a subnormal one bit up": Plant("others-identical", cell("share", 4, one_bit)),
    "minus zero becomes zero": Plant("others-identical", cell("share", 1, 0.0)),
    "zero becomes minus zero": Plant("others-identical", cell("share", 2, -0.0)),
    "a gap becomes zero": Plant("others-identical", cell("share", 5, 0.0)),
    "null becomes NaN": Plant("others-identical", cell("share", 5, float("nan")), ARROW),
    "a float32 one bit up": Plant(
        "others-identical", cell("ratio", 1, lambda v: float(np.nextafter(np.float32(v), np.float32(9))))
    ),
    "a date moved by a day": Plant("others-identical", cell("day", 0, lambda day: day.replace(day=2))),
    "a category changed": Plant("others-identical", cell("size", 0, "large")),
    "integers become floats": Plant("others-identical", _typed("count", pa.float64()), TYPED),
    "int64 becomes int32": Plant("others-identical", _typed("count", pa.int32()), TYPED),
    "float32 becomes float64": Plant("others-identical", _typed("ratio", pa.float64()), TYPED),
    "integers become text": Plant("others-identical", _typed("count", pa.string()), TYPED),
    "dates become text": Plant("others-identical", _typed("day", pa.string()), TYPED),
    # the cells read the same, but a category is a type of its own, and a dtype is kept
    "a category becomes text": Plant("others-identical", _typed("size", pa.string()), TYPED),
    "text becomes a category": Plant(
        "others-identical", _typed("code", pa.dictionary(pa.int32(), pa.string())), TYPED
    ),
}


def _cases(among: tuple[str, ...] = FORMS) -> list[object]:
    forms = {name: sorted(set(plant.forms) & set(among)) for name, plant in PLANTS.items()}
    return one_form_each(forms)


@pytest.fixture(scope="module")
def releases() -> dict[str, tacita.Release]:
    return {form: release(form) for form in FORMS}


@pytest.mark.parametrize("form", FORMS)
def test_the_unbroken_neighbour_of_every_plant_passes(form, releases):
    assert failed(judge(form, releases["pyarrow"].data, releases[form].claim)) == set()


@pytest.mark.parametrize(("name", "form"), _cases())
def test_a_planted_break_is_caught_by_the_guarantee_it_breaks(name, form, releases):
    plant = PLANTS[name]
    broken = plant.change(releases["pyarrow"].data, releases["pyarrow"].claim)
    assert plant.breaks in failed(judge(form, broken, releases[form].claim))


@pytest.mark.parametrize(("name", "form"), _cases(FILES))
def test_nothing_is_written_when_the_encoder_plants_a_break(name, form, releases, monkeypatch, tmp_path):
    plant = PLANTS[name]
    made = releases["pyarrow"]
    encoder = registry.lookup(form, "format")
    real = encoder.encode

    def planted(self, data):
        broken = plant.change(to_arrow(data), made.claim)
        return real(self, Microdata.of(broken, dialect=data.dialect, source=data.source))

    monkeypatch.setattr(encoder, "encode", planted)
    with pytest.raises(VerificationError, match=plant.breaks):
        tacita.save(made, tmp_path / f"out.{form}", report=tmp_path / "report.html")
    assert list(tmp_path.iterdir()) == []


def test_there_are_enough_plants():
    assert len(PLANTS) >= 60
