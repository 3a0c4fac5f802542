"""Fuzzy c-regression heard round by round: what is shown is what would be released, and it can be stopped."""

from dataclasses import replace

import numpy as np
import pytest

import tacita
from tacita import datasets
from tacita.core import RunContext
from tacita.io.points import points_text, read_points
from tacita.microdata.methods.synthesis.fcrm import FCRM

CLOUDS = datasets.five_clouds()
NAMES = ("PIL", "DR", "SCORE")
ROLES = {"dependent": "y", "independent": "x"}
FOLLOWED = {"method": "fcrm", "measures": NAMES}


def watched(run=None, **options):
    heard = []
    release = tacita.synthesize(CLOUDS, **ROLES, **FOLLOWED, callback=heard.append, context=run, **options)
    return heard, release


def column(frame, name):
    return frame[name].to_numpy()


@pytest.mark.parametrize(
    "options",
    [
        {"c": 5},
        {"c": 3, "seed": 7, "m": 2.0},
        {"c": 2, "model": "radial", "max_leverage": 1},
        {"c": 4, "nonnegative": True, "order": True},
    ],
    ids=str,
)
def test_the_last_round_is_the_release_of_a_plain_synthesis_with_its_scores(options):
    heard, release = watched(**options)
    plain = tacita.synthesize(CLOUDS, **ROLES, method="fcrm", measures=NAMES, **options)
    last = heard[-1]
    assert release.data.equals(plain.data)
    assert np.array_equal(last.iteration.released[:, 0] + 0.0, column(plain.data, "y"))
    assert [last.report[name].value for name in NAMES] == [plain.report[name].value for name in NAMES]


def test_every_round_is_what_a_run_of_so_many_rounds_would_release():
    heard, _ = watched(c=4, rmax=6, eps=1e-9)
    assert len(heard) == 6
    for seen in heard:
        stop = seen.iteration.iteration
        count = []
        run = RunContext(
            on_iteration=count.append, should_stop=lambda count=count, stop=stop: len(count) >= stop
        )
        plain = tacita.synthesize(
            CLOUDS, **ROLES, method="fcrm", c=4, rmax=6, eps=1e-9, measures=NAMES, context=run
        )
        assert np.array_equal(seen.iteration.released[:, 0], column(plain.data, "y"))
        assert seen.report["DR"].value == plain.report["DR"].value


def test_a_stop_in_mid_run_returns_the_round_that_it_was_in():
    heard = []
    run = RunContext(should_stop=lambda: len(heard) >= 3)
    release = tacita.synthesize(
        CLOUDS, **ROLES, **FOLLOWED, callback=heard.append, context=run, c=5, eps=1e-12
    )
    assert [each.iteration.iteration for each in heard] == [1, 2, 3]
    assert np.array_equal(heard[-1].iteration.released[:, 0], column(release.data, "y"))
    assert "search-stopped" in [each.name for each in release.record.warnings]


def test_a_run_waits_for_whoever_hears_it():
    order = []

    def hear(seen):
        order.append(seen.iteration.iteration)
        order.append("waited")

    tacita.synthesize(CLOUDS, **ROLES, **FOLLOWED, callback=hear, c=3, rmax=3, eps=1e-12)
    assert order == [1, "waited", 2, "waited", 3, "waited"]


def test_what_is_refused_was_heard_before():
    heard = []
    with pytest.raises(tacita.DataError, match="leverage over"):
        tacita.synthesize(CLOUDS, **ROLES, **FOLLOWED, callback=heard.append, c=5, model="radial")
    assert heard[-1].report["PIL"].value > 0


@pytest.mark.parametrize("model", ["linear", "radial"])
def test_curves_go_through_the_released_values(model):
    heard, _ = watched(c=2, model=model, max_leverage=1)
    x = column(CLOUDS, "x").reshape(-1, 1)
    for seen in (each.iteration for each in heard):
        curves = seen.curves(x)
        assert curves.shape == (2, 300, 1)
        assert np.allclose(curves[seen.labels, np.arange(300), 0], seen.released[:, 0], atol=1e-9)


def test_separate_memberships_show_each_attribute_by_itself():
    rng = np.random.default_rng(3)
    s = rng.normal(size=(80, 2))
    y = np.abs(s) * 3 + rng.normal(size=(80, 2))
    heard = []
    method = FCRM(c=2, memberships="separate", max_leverage=1, max_unchanged=1)
    released = method.synthesize(y, s, on_iteration=heard.append)
    for j in range(2):
        last = [each for each in heard if each.attribute == j][-1]
        assert np.allclose(last.released[:, 0], released[:, j])


def test_only_what_can_be_heard_round_by_round_is_watched():
    frame = CLOUDS.append_column("z", CLOUDS["x"])
    for wrong in ({"strata": ["z"]}, {"memberships": "separate", "dependent": ["z", "y"]}):
        with pytest.raises(tacita.ParameterError, match="synthesize: "):
            tacita.synthesize(frame, **{**ROLES, **FOLLOWED, **wrong}, callback=lambda _: None)


def test_a_release_in_strata_is_not_heard_as_if_it_were_one():
    heard = []
    frame = CLOUDS.append_column("part", [["a", "b"] * 150])
    run = replace(RunContext(), on_iteration=heard.append)
    tacita.synthesize(frame, **ROLES, strata=["part"], method="fcrm", c=2, measures=["PIL"], context=run)
    assert not heard


@pytest.mark.parametrize(
    "text",
    ["1.5 2\n-3 4e1\n", "1.5,2\n-3,4e1", "1,5;2\n-3;40", "1.5, 2\n-3, 40", "1,5\t2,0\n-3,0\t40,0\n\n"],
    ids=repr,
)
def test_points_are_read_as_people_write_them(tmp_path, text):
    path = tmp_path / "points.txt"
    path.write_text(text)
    data = read_points(path)
    assert data.columns == ["column_1", "column_2"]
    assert data.matrix(data.columns).tolist() == [[1.5, 2.0], [-3.0, 40.0]]
    path.write_text(points_text(data, data.columns))
    assert read_points(path, names=["a", "b"]).matrix(["a", "b"]).tolist() == [[1.5, 2.0], [-3.0, 40.0]]


def test_a_first_line_of_words_names_the_columns(tmp_path):
    path = tmp_path / "points.txt"
    path.write_bytes("età; peso;z\n1;2;3\n".encode("cp1252"))
    assert read_points(path).columns == ["età", "peso", "z"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", "no point"),
        ("1 2\n3\n", "line 2"),
        ("1 2\n3 secret\n", "line 2"),
        ("1 2\nnan 3\n", "line 2"),
        ("1 2\n1e999 3\n", "line 2"),
        ("1\n2\n", "2 to 100 numbers"),
        ("a a\n1 2\n", "a unique name"),
        ("1 2\n" * 2001, "at most 2000 points, got 2001"),
    ],
    ids=lambda text: text[:12],
)
def test_what_are_no_points_is_refused_without_quoting_them(tmp_path, text, wanted):
    path = tmp_path / "points.txt"
    path.write_text(text)
    with pytest.raises(tacita.TacitaError, match=wanted) as refused:
        read_points(path)
    assert "secret" not in str(refused.value)
