"""Trials side by side: the grid, the front, and what happens when one of them fails."""

import json
import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita
from seeds import SEED
from tacita.cli import run_command
from tacita.core import Report, Score, Trial, Trials
from tacita.core.display.pareto_front import pareto_front
from tacita.microdata.plans.plan import Plan
from tacita.microdata.plans.sections import CompareSection, ProtectSection
from tacita.report import comparison_html, comparison_json

figures = st.integers(0, 6).map(float) | st.floats(0, 100)
points = st.lists(st.none() | st.tuples(figures, figures), max_size=40)


def frame(n=40, columns=2):
    rng = np.random.default_rng(3)
    return pa.table({f"x{j}": rng.lognormal(2, 1, n) for j in range(columns)})


def tried(method, loss, risk, direction="lower", **parameters):
    def score(name, value, better="lower"):
        return Score(
            name=name, value=value, reason=None if value is not None else "no column varies", direction=better
        )

    scores = (score("PIL", loss), score("DR", risk, direction))
    return Trial(method=method, parameters=parameters, report=Report(scores), groups=9)


def beats(a, b):
    return a[0] <= b[0] and a[1] <= b[1] and a != b


class TestTheGrid:
    def test_is_the_product_of_methods_and_values(self):
        grid = CompareSection(method=["mdav", "hm"], k=[3, 5, 10]).grid(ProtectSection())
        assert grid == [(method, {"k": k}) for method in ("mdav", "hm") for k in (3, 5, 10)]

    def test_takes_the_method_of_the_plan_where_it_names_none(self):
        assert CompareSection(k=[3, 4]).grid(ProtectSection(method="hm")) == [
            ("hm", {"k": 3}),
            ("hm", {"k": 4}),
        ]

    def test_stands_on_the_parameters_of_the_plan(self):
        assert CompareSection(method=["mdav", "hm"]).grid(ProtectSection(k=7)) == [
            ("mdav", {"k": 7}),
            ("hm", {"k": 7}),
        ]

    def test_takes_a_single_value_for_a_list_of_one(self):
        assert CompareSection(method="hm", k=4) == CompareSection(method=["hm"], k=[4])

    def test_gives_a_parameter_only_to_methods_that_have_it(self, steered):
        grid = CompareSection(method=["mdav", steered], k=[3, 4], strength=[0.1, 0.2]).grid(ProtectSection())
        assert [parameters for method, parameters in grid if method == "mdav"] == [{"k": 3}, {"k": 4}]
        assert [parameters for method, parameters in grid if method == steered] == [
            {"k": k, "strength": strength} for k in (3, 4) for strength in (0.1, 0.2)
        ]

    def test_leaves_a_parameter_of_the_plan_to_the_methods_that_have_it(self, steered):
        base = ProtectSection(method=steered, k=4, strength=0.3)
        assert CompareSection(method=["mdav", steered]).grid(base) == [
            ("mdav", {"k": 4}),
            (steered, {"k": 4, "strength": 0.3}),
        ]

    def test_refuses_a_key_that_no_method_has(self):
        with pytest.raises(tacita.ParameterError, match="no method to be compared has a parameter strength"):
            CompareSection(method=["mdav"], strength=[1]).grid(ProtectSection())

    @pytest.mark.parametrize(
        ("values", "message"),
        [
            ({"k": []}, "k must have at least one value"),
            ({"k": [3, 3]}, "k is given twice"),
            ({"method": ["hm", "hm"]}, "method is given twice"),
            ({"loss": "DR"}, "loss must be a measure of loss, got 'DR'"),
            ({"risk": "nosuch"}, "risk must be a measure of risk"),
        ],
    )
    def test_refuses_what_makes_no_sense(self, values, message):
        with pytest.raises(tacita.ParameterError, match=message):
            CompareSection(**values)

    def test_refuses_an_unknown_method(self):
        with pytest.raises(tacita.ParameterError, match="nosuch"):
            tacita.compare_methods(frame(), quasi=["x0"], method=["nosuch"])


@pytest.fixture
def steered(monkeypatch):
    """The name of a method with one parameter more than MDAV."""
    from tacita import registry

    known = registry.locations()
    grouping = {**known["microaggregation"], "steered": "twins.steered:Steered"}
    monkeypatch.setattr(registry, "locations", lambda: {**known, "microaggregation": grouping})
    return "steered"


class TestTheFront:
    @given(points)
    def test_holds_no_point_that_another_beats_and_leaves_out_only_beaten_ones(self, places):
        for place, on_front in zip(places, pareto_front(places), strict=True):
            beaten = place is None or any(beats(other, place) for other in places if other is not None)
            assert on_front == (not beaten)

    @given(points, st.randoms(use_true_random=False))
    def test_does_not_depend_on_the_order_of_the_points(self, places, shuffle):
        order = list(range(len(places)))
        shuffle.shuffle(order)
        front, shuffled = pareto_front(places), pareto_front([places[i] for i in order])
        assert shuffled == [front[i] for i in order]

    def test_keeps_every_one_of_equal_trials(self):
        trials = Trials.of([tried("a", 1.0, 1.0), tried("b", 1.0, 1.0), tried("c", 1.0, 2.0)])
        assert [trial.method for trial in trials.front] == ["a", "b"]

    def test_respects_a_measure_of_which_more_is_better(self):
        trials = Trials.of([tried("a", 1.0, 5.0, "higher"), tried("b", 1.0, 9.0, "higher")])
        assert [trial.method for trial in trials.front] == ["b"]

    def test_leaves_trials_without_a_figure_off_the_map_with_their_reason(self):
        failed = Trial(method="c", reason="C: wanted one column.")
        trials = Trials.of([tried("a", 1.0, None), tried("b", 5.0, 5.0), failed])
        assert [trial.method for trial in trials.on_map] == ["b"]
        assert [trial.reason for trial in trials] == [
            "DR has no value: no column varies",
            None,
            "C: wanted one column.",
        ]
        assert [trial.on_front for trial in trials] == [False, True, False]

    def test_needs_a_report_or_a_reason(self):
        with pytest.raises(tacita.ParameterError, match="a report or a reason"):
            Trials.of([Trial(method="a")])

    def test_trials_are_sorted_by_method_and_by_parameters_as_numbers(self):
        given_order = [tried("b", 1.0, 1.0, k=3), *(tried("a", 1.0, 1.0, k=k) for k in (10, 9, 100))]
        sorted_trials = [(trial.method, trial.parameters["k"]) for trial in Trials.of(given_order)]
        assert sorted_trials == [("a", 9), ("a", 10), ("a", 100), ("b", 3)]


def test_every_trial_has_the_figures_of_the_release_that_protect_makes():
    options = {"quasi": ["x0", "x1"], "round_integers": True, "seed": SEED, "shuffle": True}
    trials = tacita.compare_methods(frame(), method=["mdav"], k=[3, 5], **options)
    for trial in trials:
        release = tacita.protect(frame(), k=trial.parameters["k"], **options)
        assert trial.report.as_dict() == release.report.as_dict()
        assert trial.groups == release.record.groups


@pytest.fixture
def tours(monkeypatch):
    """How many records each tour that is found goes through."""
    from tacita.microdata.methods.microaggregation import mhm

    found, find = [], mhm.tour

    def counted(x, run):
        found.append(len(x))
        return find(x, run)

    monkeypatch.setattr(mhm, "tour", counted)
    return found


def test_the_tour_of_fdm_is_found_once_for_all_k_and_gives_what_separate_runs_give(tours):
    sizes = [3, 4, 7]
    trials = tacita.compare_methods(frame(), quasi="numeric", method="fdm", k=sizes)
    assert tours == [40]
    for trial in trials:
        alone = tacita.protect(frame(), quasi="numeric", method="fdm", k=trial.parameters["k"])
        assert [each.value for each in trial.report] == [
            alone.report[each.name].value for each in trial.report
        ]
    # each release made alone finds its own
    assert tours == [40] * 4


def test_each_stratum_has_a_tour_of_its_own(tours):
    halves = frame().append_column("half", pa.array([0] * 18 + [1] * 22))
    tacita.compare_methods(halves, quasi=["x0", "x1"], strata="half", method=["fdm", "tsp-mhm"], k=[3, 4])
    assert tours == [18, 22]


def test_one_failing_method_does_not_stop_the_rest():
    trials = tacita.compare_methods(frame(), quasi=["x0", "x1"], method=["hm", "mdav"], k=[3, 4, 1000])
    told = {(trial.method, trial.parameters["k"]): trial for trial in trials}
    assert "wanted one column, got 2" in told["hm", 3].reason
    assert "needs at least 1000 records" in told["mdav", 1000].reason
    assert told["mdav", 3].reason is told["mdav", 4].reason is None
    assert {trial.method for trial in trials.on_map} == {"mdav"}


def test_a_value_that_a_method_refuses_is_a_reason_too():
    trials = tacita.compare_methods(frame(), quasi=["x0"], k=[1, 2, 3])
    assert [trial.reason and trial.reason.partition(",")[0] for trial in trials] == [
        "MDAV: k must be at least 2",
        "MDAV: k must be at least 3",
        None,
    ]


def test_the_first_error_is_raised_where_every_trial_fails():
    with pytest.raises(tacita.DataError, match=r"each of the 2 trials failed.*wanted one column"):
        tacita.compare_methods(frame(), quasi=["x0", "x1"], method=["hm"], k=[3, 4])


@pytest.mark.parametrize(
    "wrong", [{"quasi": ["nosuch"]}, {"quasi": ["x0"], "domains": ["nosuch"]}], ids=["roles", "domains"]
)
def test_what_is_wrong_with_every_trial_is_an_error_before_the_first(wrong):
    heard = []
    with pytest.raises(tacita.ParameterError, match="no column nosuch"):
        tacita.compare_methods(frame(), context=tacita.RunContext(on_progress=heard.append), **wrong)
    assert heard == []


def test_a_failed_verification_is_no_reason_but_an_error(monkeypatch):
    def broken(*_, **__):
        raise tacita.VerificationError("groups-of-k does not hold")

    monkeypatch.setattr("tacita.microdata.verify.require_passed", broken)
    with pytest.raises(tacita.VerificationError):
        tacita.compare_methods(frame(), quasi=["x0"], k=[3, 4])


def test_a_release_that_breaks_its_promise_stops_the_comparison(monkeypatch):
    from tacita.microdata.protection import apply

    means = apply.published_means
    monkeypatch.setattr(apply, "published_means", lambda *given: means(*given) + 1)
    with pytest.raises(tacita.VerificationError):
        tacita.compare_methods(frame(), quasi=["x0"], k=[3, 4])


def test_cancelling_ends_the_comparison():
    heard = []
    run = tacita.RunContext(on_progress=heard.append, should_cancel=lambda: len(heard) >= 2)
    with pytest.raises(tacita.Cancelled):
        tacita.compare_methods(frame(), quasi=["x0"], k=[3, 4, 5], context=run)
    assert len(heard) == 2


def test_progress_is_told_trial_by_trial():
    heard = []
    tacita.compare_methods(
        frame(), quasi=["x0"], k=[3, 4, 5], context=tacita.RunContext(on_progress=heard.append)
    )
    assert [progress.stage for progress in heard] == [f"comparing {i} of 3" for i in (1, 2, 3, 3)]
    assert heard[-1].share == 1


def test_the_axes_are_measured_whatever_else_is():
    trials = tacita.compare_methods(frame(), quasi=["x0"], k=[3, 4], loss="IL2", risk="DLD", measures=["IL1"])
    assert [score.name for score in trials.trials[0].report] == ["IL1", "IL2", "DLD", "RELATIONS"]
    assert trials.columns == ("IL2", "DLD", "RELATIONS", "IL1")
    with pytest.raises(tacita.ParameterError, match="DR cannot be left out"):
        tacita.compare_methods(frame(), quasi=["x0"], without=["DR"])


def test_figures_by_record_are_not_kept():
    trials = tacita.compare_methods(frame(), quasi=["x0"], k=[3])
    assert all(score.per_record is None for trial in trials for score in trial.report)


@pytest.mark.parametrize("render", [comparison_html, comparison_json])
def test_the_same_comparison_gives_the_same_bytes(render):
    one, two = (
        tacita.compare_methods(frame(), quasi=["x0", "x1"], method=["mdav", "hm"], k=[3, 4]) for _ in "ab"
    )
    assert render(one) == render(two)


def compare_plan(folder, **output):
    tacita.api.write_frame(frame(), folder / "in.csv", force=True)
    return Plan(
        input={"path": folder / "in.csv"},
        roles={"quasi": ["x0", "x1"]},
        compare={"method": ["mdav", "hm"], "k": [3, 5]},
        output={name: folder / path for name, path in output.items()},
    )


def test_a_plan_writes_the_pages_it_names(tmp_path):
    trials = tacita.api.run_comparison(compare_plan(tmp_path, report="c.html", json="c.json"))
    assert (tmp_path / "c.html").read_text() == comparison_html(trials)
    assert json.loads((tmp_path / "c.json").read_text()) == json.loads(comparison_json(trials))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["c.html", "c.json", "in.csv"]


def test_a_page_never_overwrites_the_input_or_the_plan(tmp_path):
    with pytest.raises(tacita.ParameterError, match="report and input are the same file"):
        tacita.api.run_comparison(compare_plan(tmp_path, report="in.csv"))
    with pytest.raises(tacita.ParameterError, match="JSON report and plan are the same file"):
        tacita.api.run_comparison(compare_plan(tmp_path, json="p.toml"), plan_file=tmp_path / "p.toml")
    trials = tacita.compare_methods(Path(tmp_path / "in.csv"), quasi=["x0"])
    with pytest.raises(tacita.ParameterError, match="report and input are the same file"):
        tacita.save_comparison(trials, report=tmp_path / "in.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]


def test_methods_of_categories_are_compared_without_declaring_every_column(capsys, tmp_path):
    words = ["--quasi", "sex,age,postcode", "--identifiers", "patient_id", "--loss", "NCP"]
    words += ["--method", "generalise,local-suppression,mdav", "--k", "3,5", "--risk", "marketer_risk"]
    run_command(["datasets", "patients", "--out", str(tmp_path / "patients.csv")])
    capsys.readouterr()
    assert run_command(["compare", str(tmp_path / "patients.csv"), *words]) == 0
    told = capsys.readouterr().out
    rows = re.findall(r"^ \*? +(\S+) +(k=\d) +(\S+) +(\S+)", told, re.M)
    assert [row[:2] for row in rows if row[2] != "none"] == [
        (method, k) for method in ("generalise", "local-suppression") for k in ("k=3", "k=5")
    ]
    # names are no numbers, and figures of numbers are no columns here
    assert "mdav k=3, mdav k=5: " in told
    assert "IL1" not in told
