"""Releases drawn at random over methods and formats keep what they promise, as other software reads them."""

import pytest

import fuzzing

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("first", range(0, 48, 12))
def test_releases_at_random_are_what_they_promise_to_another_reader(first, tmp_path):
    for seed in range(first, first + 12):
        assert fuzzing.failures(fuzzing.drawn(seed), tmp_path) == [], seed


@pytest.mark.long
@pytest.mark.parametrize("first", range(48, 448, 50))
def test_many_more_releases_are_too(first, tmp_path):
    for seed in range(first, first + 50):
        assert fuzzing.failures(fuzzing.drawn(seed), tmp_path) == [], seed


@pytest.mark.parametrize("target", fuzzing.ENDINGS)
@pytest.mark.parametrize("source", fuzzing.ENDINGS)
def test_local_suppression_of_text_keys_is_written_from_every_format_to_every_other(source, target, tmp_path):
    case = fuzzing.drawn(3, source, target, only=["local-suppression"])
    assert fuzzing.failures(case, tmp_path) == []


@pytest.mark.parametrize("method", ["mondrian", "local-suppression"])
@pytest.mark.parametrize("first", [0, pytest.param(20, marks=pytest.mark.long)])
def test_keys_of_odd_spellings_are_covered(method, first, tmp_path):
    for seed in range(1000 + first, 1000 + (first * 15 or 20)):
        assert fuzzing.failures(fuzzing.drawn(seed, only=[method]), tmp_path) == [], seed


def test_a_release_below_its_promise_is_found(tmp_path, monkeypatch):
    """The reader itself: of a file in which values were changed by hand it says so."""
    case = fuzzing.drawn(5, "csv", "csv", only=["mdav"])
    honest = fuzzing.read

    def planted(path):
        shown = honest(path)
        shown[case.parts[0]["quasi"][0]][0] = "4711"
        shown["weight"][0] = "4712"
        return shown

    monkeypatch.setattr(fuzzing, "read", planted)
    told = fuzzing.judged(case, tmp_path)
    assert "weight: other cells than the source" in told
    assert any(text.startswith("mdav: 1 of") for text in told)
