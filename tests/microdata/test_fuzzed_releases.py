"""Releases drawn at random over methods and formats keep what they promise, as other software reads them."""

import ast
import sys
from pathlib import Path

import pytest

import fuzzed_file
import fuzzing
import tacita
from effort import first_of
from tacita.core.spec import registry

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("first", first_of(range(0, 48, 12), 2))
def test_releases_at_random_are_what_they_promise_to_another_reader(first, tmp_path):
    for seed in range(first, first + 12):
        assert fuzzing.failures(fuzzing.drawn(seed), tmp_path) == [], seed


@pytest.mark.long
@pytest.mark.parametrize("first", range(48, 448, 50))
def test_many_more_releases_are_too(first, tmp_path):
    for seed in range(first, first + 50):
        assert fuzzing.failures(fuzzing.drawn(seed), tmp_path) == [], seed


@pytest.mark.each_once
@pytest.mark.parametrize("target", fuzzing.ENDINGS)
@pytest.mark.parametrize("source", fuzzing.ENDINGS)
def test_local_suppression_of_text_keys_is_written_from_every_format_to_every_other(source, target, tmp_path):
    case = fuzzing.drawn(3, source, target, only=["local-suppression"])
    assert fuzzing.failures(case, tmp_path) == []


@pytest.mark.parametrize("method", ["mondrian", "local-suppression"])
@pytest.mark.parametrize(("first", "count"), [(1000, 5), pytest.param(1005, 295, marks=pytest.mark.long)])
def test_keys_of_odd_spellings_are_covered(method, first, count, tmp_path):
    for seed in range(first, first + count):
        assert fuzzing.failures(fuzzing.drawn(seed, only=[method]), tmp_path) == [], seed


def found_in(case, tmp_path, monkeypatch, **cells):
    """What the reader says of a release whose first record was given other cells by hand."""
    honest = fuzzed_file.read

    def planted(path):
        shown = honest(path)
        for name, cell in cells.items():
            shown[name][0] = cell
        return shown

    monkeypatch.setattr(fuzzed_file, "read", planted)
    return fuzzing.judged(case, tmp_path)


def case_of(method, tmp_path, **more):
    """A case of one step that is released."""
    for seed in range(5, 200):
        case = fuzzing.drawn(seed, "csv", "csv", only=[method])
        plain = len(case.parts) == 1 and not case.asked.get("strata") and not case.asked.get("unit")
        if plain and all(case.asked.get(name) == value for name, value in more.items()):
            assert fuzzing.failures(case, tmp_path) == []
            if not fuzzing.refused(case, tmp_path):
                return case
    raise AssertionError(f"no case of {method}")


PLANTED = {
    "mdav": "groups-of-k",
    "onedims": "column-groups",
    "local-suppression": "only-withheld",
    "generalise": "generalised",
    "mondrian": "generalised",
    "recode": "recoded",
    "rank-swap": "marginals-preserved",
    "top-code": "top-coded",
    "bottom-code": "bottom-coded",
    "round": "rounded-to-base",
    "pram": "drawn-from-matrix",
    "copula": "labels-shared",
}


@pytest.mark.parametrize(("method", "promise"), PLANTED.items(), ids=PLANTED)
def test_the_reader_finds_what_is_below_a_promise(method, promise, tmp_path, monkeypatch):
    case = case_of(method, tmp_path)
    part = case.parts[0]
    of_text = method in ("local-suppression", "generalise", "mondrian", "recode", "pram", "copula")
    key = part["nominal"][0] if method == "copula" else part["quasi"][0]
    other = "elsewhere" if of_text else "471123.77" if method != "bottom-code" else "-471123.77"
    told = found_in(case, tmp_path, monkeypatch, **{key: other, "weight": "4712"})
    assert "weight: other cells than the source" in told
    assert any(text.startswith(f"{method}: {promise}") for text in told), told


def test_the_reader_knows_nothing_of_tacita():
    tree = ast.parse(Path(fuzzed_file.__file__).read_text(encoding="utf-8"))
    imported = {
        name.split(".")[0]
        for node in ast.walk(tree)
        for name in (
            [each.name for each in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert imported <= {*sys.stdlib_module_names, "pandas", "pyreadstat"}


def test_every_method_that_protects_records_is_drawn():
    assert set(fuzzing.METHODS) == set(registry.names(*registry.PROTECTING))


def test_cases_cover_formats_roles_and_settings():
    features = set().union(*(fuzzing.drawn(seed).features for seed in range(1000)))
    assert {f"{source} to {target}" for source, target in fuzzing.PAIRS} <= features
    assert {f"method {name}" for name in fuzzing.METHODS} <= features
    assert features >= {
        *(
            "strata",
            "unit",
            "weight",
            "hierarchy",
            "shuffle",
            "several steps",
            "accepted risks",
            "no accepted risks",
        ),
        *("missing_as=category", "missing_as=wildcard", "outliers=drop", "outliers=withhold", "m"),
        *(f"missing={word}" for word in ("drop", "stratum", "merge", "level", "refuse")),
        *("level", "breaks", "map", "relaxed", "model l_diversity", "model t_closeness"),
    }


@pytest.mark.parametrize("ending", fuzzing.ENDINGS)
def test_two_words_for_what_is_missing_are_one_after_a_later_step(ending, tmp_path):
    """Found at random: a step after a generalisation was held against the word that the source has first."""
    source = tmp_path / "source.csv"
    cells = ["NA", "", "1", "x"] * 12
    lines = [f"{cell},{place % 5},{place}" for place, cell in enumerate(cells)]
    source.write_text("\n".join(["key,code,row", *lines]) + "\n", encoding="utf-8")
    steps = [
        {"method": "recode-local", "quasi": ["key"], "k": 3},
        {"method": "mdav", "quasi": ["code"], "k": 3},
    ]
    release = tacita.protect(source, steps=steps, measures=["IL1"])
    tacita.save(release, tmp_path / f"release.{ending}")
    shown = fuzzed_file.read(tmp_path / f"release.{ending}")
    assert [cell in (None, "NA") for cell in shown["key"]] == [cell in ("NA", "") for cell in cells]
