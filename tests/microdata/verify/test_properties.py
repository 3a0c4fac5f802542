"""Laws of the verifier over random frames: what protect makes passes, and no cell can change unseen."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given, reject
from hypothesis import strategies as st

import tacita
from planting import FORMS, FRAMES, failed, judge, native
from seeds import SEED
from tacita.core import DataError, Microdata, Release
from tacita.io.formats.record_format import to_arrow
from tacita.microdata import verify

FLOATS = st.floats(-1e6, 1e6, allow_subnormal=False) | st.sampled_from([0.0, -0.0, 0.1, 1e-9, 1e100])
NUMBERS = {"float": FLOATS, "few": st.sampled_from([0.0, 1.0, 2.5]), "int": st.integers(-5, 5)}


@st.composite
def frames(draw: st.DrawFn) -> tuple[pa.Table, dict[str, object]]:
    n = draw(st.integers(6, 20))
    columns: dict[str, object] = {}
    for name in draw(st.sampled_from([["x"], ["x", "y"], ["x", "y", "z"]])):
        kind = draw(st.sampled_from(sorted(NUMBERS)))
        cells = draw(st.lists(NUMBERS[kind], min_size=n, max_size=n))
        if draw(st.booleans()):
            gaps = draw(st.sets(st.integers(0, n - 1), max_size=4))
            cells = [None if row in gaps else cell for row, cell in enumerate(cells)]
        columns[name] = pa.array(cells, pa.int64() if kind == "int" else pa.float64())
    quasi = list(columns)
    options: dict[str, object] = {
        "quasi": quasi,
        "k": draw(st.integers(3, 4)),
        "missing": draw(st.sampled_from(["drop", "stratum"])),
        "round_integers": draw(st.booleans()),
        "shuffle": draw(st.booleans()),
        "seed": SEED,
        "measures": ["IL1"],
    }
    if draw(st.booleans()):
        columns["region"] = draw(st.lists(st.sampled_from("ab"), min_size=n, max_size=n))
        options["strata"] = ["region"]
    if draw(st.booleans()):
        columns["firm"] = [f"u{draw(st.integers(0, n))}" for _ in range(n)]
        options["unit"] = "firm"
    columns["text"] = draw(st.lists(st.text("a 0é,\n", max_size=3), min_size=n, max_size=n))
    columns["other"] = pa.array(draw(st.lists(FLOATS, min_size=n, max_size=n)), pa.float64())
    return pa.table(columns), options


def _protected(frame: pa.Table, options: dict[str, object], form: str) -> Release:
    try:
        return tacita.protect(native(frame, form), **options)
    except DataError:
        reject()  # too few records, or nothing that varies


def _as_arrow(released: object) -> pa.Table:
    return to_arrow(Microdata.of(released)).replace_schema_metadata(None)


@given(frames(), st.sampled_from(FORMS))
def test_whatever_protect_makes_passes_in_every_form(made, form):
    frame, options = made
    one = _protected(frame, options, form)
    if form in FRAMES:
        # as it is: pandas would read whole numbers with gaps back from Arrow as floats
        assert failed(verify.verify(Microdata.of(one.data), one.claim)) == set()
    else:
        assert failed(judge(form, _as_arrow(one.data), one.claim)) == set()


@given(frames(), st.sampled_from(FORMS), st.data())
def test_no_single_cell_can_change_unseen(made, form, data):
    frame, options = made
    one = _protected(frame, options, form)
    released = _as_arrow(one.data)
    name = data.draw(st.sampled_from(released.column_names))
    row = data.draw(st.integers(0, released.num_rows - 1))
    cells = released[name].to_pylist()
    cells[row] = data.draw(_others(cells, cells[row], released.schema.field(name).type))
    place = released.column_names.index(name)
    planted = released.set_column(place, name, pa.array(cells, released.schema.field(name).type))
    assert failed(judge(form, planted, one.claim))


def _others(cells: list[object], old: object, kind: pa.DataType) -> st.SearchStrategy[object]:
    """Any other cell: another record's, a neighbour by one bit or letter, or missing."""
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        # empty and missing text are one in a CSV file, and not drawn
        new = st.sampled_from([f"{old} ", f" {old}", f"{old}0", "other"])
        return new.filter(lambda text: text != old)
    if pa.types.is_integer(kind):
        return st.sampled_from([cell for cell in [*cells, None, 0, 99, -99] if cell != old])
    nearby = [] if old is None else [float(np.nextafter(old, 1e308)), float(np.nextafter(old, -1e308))]
    if old == 0.0:
        nearby.append(-old)
    choices = [*cells, *nearby, None, 0.5]
    return st.sampled_from([cell for cell in choices if cell != old or _signs_differ(cell, old)])


def _signs_differ(one: object, other: object) -> bool:
    return one == 0.0 and other == 0.0 and np.signbit(one) != np.signbit(other)
