import inspect
from importlib import import_module
from pkgutil import iter_modules

import numpy as np
import pandas as pd
import pytest

import tacita
from seeds import SEED
from tacita.microdata import warnings
from tacita.microdata.warnings import FINDERS


def frame(n=60, **more):
    rng = np.random.default_rng(0)
    plain = {
        "x": rng.normal(100, 10, n).round(1),
        "y": rng.normal(50, 5, n).round(1),
        "town": ["a", "b", "c"] * (n // 3),
    }
    return pd.DataFrame({**plain, **more})


def warnings_of(data, **options):
    release = tacita.protect(data, **{"quasi": ["x", "y"], "k": 3, "shuffle": True, "seed": SEED, **options})
    return {warning.name: warning for warning in release.record.warnings}


def test_a_plain_release_in_random_order_has_nothing_to_warn_of():
    assert warnings_of(frame()) == {}


def test_source_order_is_warned_of():
    assert warnings_of(frame(), shuffle=False)["row-order"].count == 60


def test_a_unique_unchanged_column_is_warned_of_with_the_records_it_tells_apart():
    weights = np.arange(60.0)
    weights[:10] = 0.5
    found = warnings_of(frame(w=weights), weight="w")["nearly-unique-column"]
    assert found.count == 50
    assert "w" in found.text


def test_a_column_that_repeats_is_not_warned_of():
    assert "nearly-unique-column" not in warnings_of(frame(w=np.arange(60) // 2))


def test_a_masked_column_that_others_give_away_is_warned_of():
    data = frame(n=300)
    data["a"] = (data.x * 0.4).round(1)
    data["b"] = data.x - data.a
    with pytest.raises(tacita.DataError, match="299 of 299 changed cells of x follow from"):
        warnings_of(data)
    both = warnings_of(data, accept_risks=True)
    assert both["cells-determined"].count == 299
    found = both["recomputable-column"]
    assert "Masked column x " in found.text
    assert found.count == 300


def test_records_left_out_are_counted():
    data = frame()
    data.loc[:6, "x"] = np.nan
    assert warnings_of(data, missing="drop")["records-dropped"].count == 7


def test_a_frame_index_is_warned_of_and_a_plain_one_is_not():
    keyed = frame().set_index(pd.Index(range(100, 160)))
    assert warnings_of(keyed, shuffle=False)["frame-index"].count == 60
    assert "frame-index" not in warnings_of(frame(), shuffle=False)


def test_shuffling_drops_the_index_that_would_undo_it():
    keyed = frame().set_index(pd.Index(range(100, 160)))
    release = tacita.protect(keyed, quasi=["x", "y"], k=3, shuffle=True)
    assert list(release.data.index) == list(range(60))


def test_groups_published_with_their_true_values_are_counted():
    data = frame()
    data.loc[:2, ["x", "y"]] = [900.0, 900.0]
    assert warnings_of(data)["group-equals-members"].count == 1


def test_a_published_zero_of_a_column_that_is_never_negative_is_counted():
    data = frame()
    data["y"] = np.where(np.arange(60) < 9, 0.0, np.abs(data.y))
    found = warnings_of(data, quasi=["y"])
    assert found["mean-at-bound"].count == 3


def test_a_constant_quasi_identifier_is_noted():
    assert "z" in warnings_of(frame(z=5.0), quasi=["x", "z"])["constant-column"].text


@pytest.mark.parametrize(("rounded", "warned"), [(False, True), (True, False)])
def test_whole_numbers_published_as_exact_means_are_warned_of_unless_rounded(rounded, warned):
    data = frame(staff=np.random.default_rng(1).integers(1, 90, 60))
    assert ("unrounded-integers" in warnings_of(data, quasi=["staff"], round_integers=rounded)) is warned


def test_a_confidential_value_shared_by_a_whole_group_is_counted_also_after_shuffling():
    data = frame(ill=["yes"] * 60)
    assert warnings_of(data, confidential=["ill"])["homogeneous-confidential"].count == 20
    mixed = frame(ill=[f"v{i}" for i in range(60)])
    assert "homogeneous-confidential" not in warnings_of(mixed, confidential=["ill"])


def test_strata_too_small_for_two_groups_are_counted():
    data = frame(n=63)
    data["town"] = ["big"] * 55 + ["small"] * 5 + ["tiny"] * 3
    assert warnings_of(data, strata=["town"])["thin-strata"].count == 2


def test_a_released_unit_column_is_warned_of_unless_left_out():
    data = frame(firm=np.arange(60) // 2)
    assert warnings_of(data, unit="firm")["unit-released"].count == 30
    assert "unit-released" not in warnings_of(data, unit="firm", identifiers=["firm"])


@pytest.mark.parametrize("cell", ["=cmd|' /C calc'!A0", "@SUM(1)", "+cmd", "\t=1"])
def test_cells_that_a_spreadsheet_would_run_are_counted(cell):
    data = frame()
    data.loc[[3, 4], "town"] = cell
    assert warnings_of(data)["spreadsheet-formulas"].count == 2


@pytest.mark.parametrize("cell", ["-5", "+3.5", "plain", "-"])
def test_ordinary_cells_are_not_taken_for_formulas(cell):
    data = frame()
    data.loc[3, "town"] = cell
    assert "spreadsheet-formulas" not in warnings_of(data)


def test_no_caution_holds_a_value_of_the_data():
    data = frame(secret=[f"Quixote{i}" for i in range(60)])
    release = tacita.protect(data, quasi=["x", "y"], k=3, confidential=["secret"])
    text = " ".join(warning.text + warning.advice for warning in release.record.warnings)
    assert "Quixote" not in text


def test_every_function_that_finds_warnings_is_run():
    run = {finder for finder, _ in FINDERS}
    modules = [import_module(each.name) for each in iter_modules(warnings.__path__, f"{warnings.__name__}.")]
    found = [
        each
        for module in modules
        for name, each in inspect.getmembers(module, inspect.isfunction)
        if each.__module__ == module.__name__
        and not name.startswith("_")
        and inspect.signature(each).return_annotation == "Iterator[DisclosureWarning]"
    ]
    assert len(found) > 40
    assert not [each.__qualname__ for each in found if each not in run]
