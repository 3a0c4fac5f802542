import json
from dataclasses import asdict
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from experiments.__main__ import run_command
from experiments.document import cell, seconds, table
from experiments.files import loss, partition, standardised
from experiments.microaggregation import (
    choice,
    counts,
    findings,
    losses,
    medoids,
    phases,
    ranks,
    steps,
    strategies,
)
from experiments.microaggregation.plot import bars_of_losses, loss_against_time
from experiments.printed import kckw
from experiments.writing import reproduce_into

import tacita
from experiments import published
from tacita import registry
from tacita.core import RunContext

QUICK = RunContext()
DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def few():
    """A hundred records, so that every experiment takes a moment."""
    return strategies.synthetic(100, 3, 4)


@pytest.fixture
def some_methods(monkeypatch):
    monkeypatch.setattr(losses, "partitioning_methods", lambda: [*published.RANKS, "brkga"])


def test_every_printed_figure_belongs_to_a_registered_method_and_has_a_source():
    assert set(published.LOSSES) <= set(registry.names("microaggregation"))
    assert set(published.LOSSES) == set(published.SOURCES)
    assert set(published.RANKS) <= set(registry.names("microaggregation"))


def test_the_best_step_of_dfo_is_what_the_table_of_losses_quotes():
    assert published.LOSSES["dfo"]["tarragona"] == {3: 15.44, 5: 20.93, 10: 33.19}


@pytest.mark.usefixtures("some_methods")
def test_losses_are_those_of_the_method_itself(few):
    found = list(losses.all_losses({"tarragona": few}, (3,), QUICK))
    plain = tacita.get_method("mdav", k=3).partition(few)
    others = {
        "mdav": ["mdav (end rule 2k)", "mdav (growth centroid)"],
        "md": ["md (growth centroid)"],
        "cbfs": ["cbfs (growth centroid)"],
        "kward": ["kward (growth centroid)"],
        "brkga": ["brkga (polish off)"],
    }
    names = [*published.RANKS, "brkga"]
    assert [one.label for one in found] == [
        label for name in names for label in (name, *others.get(name, []))
    ]
    ours = next(one for one in found if one.method == "mdav")
    assert ours.ours == pytest.approx(100 * plain.sse(few) / (few**2).sum())
    assert ours.groups == len(plain.sizes)


@pytest.mark.usefixtures("some_methods")
def test_a_printed_figure_stands_beside_the_settings_it_was_printed_for(few):
    by_label = {one.label: one.published for one in losses.all_losses({"tarragona": few}, (3,), QUICK)}
    assert by_label["mdav"] is by_label["mdav (growth centroid)"] is None
    assert by_label["mdav (end rule 2k)"] == 16.932
    assert by_label["brkga"] is None
    assert by_label["brkga (polish off)"] == 23.219


def a_loss(ours, published=None, name="mdav", k=3, settings=None):
    return losses.Loss(name, "census", k, ours, published, 0.5, 9, settings or {})


@pytest.mark.parametrize(
    ("ours", "printed", "sign"),
    [
        (5.6922, 5.692, "= 5.692"),
        (16.6104, 16.61, "= 16.61"),
        (5.5, 5.692, "**<** 5.692"),
        (5.7, 5.692, "> 5.692"),
    ],
)
def test_the_sign_tells_below_above_and_the_same_to_the_digits_printed(ours, printed, sign):
    assert sign in losses.section([a_loss(ours, printed)])


def test_kc_and_kckw_are_means_over_starts_that_differ(few):
    known = [losses.Loss(name, "tarragona", 3, 1.0, None, 0.1, 9) for name in published.RANKS]
    other = losses.Loss("mdav", "tarragona", 3, 9.0, None, 0.1, 9, {"growth": "centroid"})
    found = list(ranks.compared({"tarragona": few}, [*known, other], QUICK))
    assert other not in found
    mean = next(one.ours for one in reversed(found) if one.method == "kckw")
    single = [loss(few, partition("kckw", 3, few, RunContext(seed=seed))[0]) for seed in range(ranks.STARTS)]
    assert mean == pytest.approx(np.mean(single))
    assert len(set(single)) > 1
    assert "Tarragona 0 of 11" in ranks.summary(found)
    assert "| KC | 10 / " in ranks.section(found)


def losses_of_003(**changed):
    """Losses that are the ranks of document 003, those of some methods changed: Tarragona, Census, EIA."""
    made = []
    for name, printed in published.RANKS.items():
        for file, ours in zip(("tarragona", "census", "eia"), changed.get(name, [None] * 3), strict=True):
            # what the document did not rank has a loss of ours all the same
            made.append(losses.Loss(name, file, 3, ours or printed.get(file, 1.5), None, 1.0, 9))
    return made


def test_losses_in_the_printed_order_give_the_printed_ranks_sums_and_claims():
    found = losses_of_003()
    assert ranks.ranks_of(found) == {
        file: {name: of[file] for name, of in published.RANKS.items() if file in of}
        for file in ("tarragona", "census", "eia")
    }
    assert ranks.sums_of(ranks.ranks_of(found)) == kckw.SUMS
    assert "Tarragona 11 of 11, Census 10 of 10, EIA 8 of 8" in ranks.summary(found)
    assert "| Uk-W(MD) | 2 / 2 (2.000) | - (1.500) | - (1.500) | - |" in ranks.section(found)
    assert [line.split(" | ")[1] for line in ranks.claims(found).splitlines()[2:]] == ["yes"] * 8


def test_a_claim_that_ours_do_not_bear_out_says_so():
    text = ranks.claims(losses_of_003(kckw=(3.5, 1.0, 0.5), kc=(1.0, 8.0, 7.0)))
    said = dict(line.strip("| ").split(" | ")[:2] for line in text.splitlines()[2:])
    assert said["KCKW loses least on Tarragona"] == "no"
    assert said["KCKW loses least on Census"] == "yes"
    assert said["On EIA KCKW beats NPN-MHM alone (and KC)"] == "no"
    assert said["KC does poorly on Tarragona and Census"] == "in part"
    assert said["On Tarragona KCKW beats both KC and Uk-W(MD), which it joins"] == "no"
    assert said["KCKW beats MDAV-MHM on Tarragona and Census"] == "yes"
    assert said["MDAV-MHM beats KCKW on EIA"] == "no"
    assert said["KCKW and MDAV-MHM have the least sum of ranks, both 7"] == "in part"


def test_kc_is_tried_by_number_of_centres_in_both_readings_from_the_same_draws(few):
    found = list(counts.tried({"tarragona": few}, QUICK, {"kc": (2, 3)}))
    assert [(one.share, one.reading) for one in found] == [
        (2, "ours"),
        (2, "plain"),
        (3, "ours"),
        (3, "plain"),
    ]
    for one in found:
        settings = {"groups": 100 // one.share, **counts.READINGS[one.reading]}
        again = [
            loss(few, partition("kc", 3, few, RunContext(seed=s), **settings)[0]) for s in range(ranks.STARTS)
        ]
        assert one.losses == pytest.approx(again)
    text = counts.summary(found, losses_of_003())
    assert "The choice of c decides KC: Tarragona" in text
    assert text.endswith("KC has its printed place on 0 of 1 files at most.")
    last = counts.Count("kc", "tarragona", 4, "plain", [19.0, 21.0])
    more = counts.summary([*found, last], losses_of_003())
    assert more.endswith("1 of 1 files at most: c = n/4, plain (Tarragona).")
    assert "n/3 | plain" in counts.section(found, losses_of_003())


def test_a_part_tries_the_centres_of_one_file_again_and_keeps_those_of_others(few, monkeypatch):
    numbers = json.loads((DOCS / "reproduced" / "microaggregation.json").read_text())
    monkeypatch.setattr(findings.datasets, "attributes", lambda _: few)
    monkeypatch.setattr(counts, "SHARES", {"kc": (3,)})
    again = findings.renewed(numbers, "centres-tarragona", QUICK)
    assert [(one.share, one.reading) for one in again.counts if one.file == "tarragona"] == [
        (3, "ours"),
        (3, "plain"),
    ]
    kept = [row for row in numbers["counts"] if row["file"] != "tarragona"]
    assert [asdict(one) for one in again.counts[2:]] == kept
    assert {**again.numbers(), "counts": []} == {
        **findings.Findings.from_numbers(numbers).numbers(),
        "counts": [],
    }


def test_a_second_phase_never_raises_the_loss_of_the_first(few):
    found = list(phases.cases({"tarragona": few}, QUICK, ["md", "kc"]))
    assert [one.method for one in found] == ["md", "kc"]
    assert found[0].first == pytest.approx(loss(few, partition("md", 3, few, QUICK)[0]))
    assert phases.summary(found).endswith("raises it in none.")
    assert phases.section(found).count(" / ") == 2


def test_the_bars_are_sound_xml_with_every_method_and_what_print_has_of_it():
    found = losses_of_003()
    spread = [
        counts.Count("kc", "census", 3, "ours", [1.0, 4.0]),
        counts.Count("kckw", "eia", 1, "ours", [2.0]),
    ]
    root = ElementTree.fromstring(bars_of_losses(found, spread))
    boxes = [each.get("class") for each in root.iter() if each.tag.endswith("rect")]
    known = sum(
        3 in published.LOSSES.get(name, {}).get(file, {}) for name in published.RANKS for file in kckw.FIGURES
    )
    # one of each kind is the key
    assert boxes.count("printed") == known + 1
    assert boxes.count("ours") + boxes.count("new") == 3 * 11 + 2
    assert boxes.count("new") == 2 + 1
    words = {each.text for each in root.iter() if each.tag.endswith("text")}
    assert {
        "Figure 5: EIA",
        "KCKW (printed rank 5)",
        "Uk-W(MD) (not ranked)",
        "M-d (printed rank 9)",
    } <= words


def test_searches_never_end_above_their_start(few):
    found = list(steps.searches({"tarragona": few}, (3,), QUICK))
    assert len(found) == 6
    assert all(one.ours <= one.before * (1 + 1e-12) for one in found)
    assert "of 6 cells" in steps.summary(found)
    assert "GSMS-T2" in steps.section(found, 3)
    assert steps.section(found, 3).count(" / ") == 3 * len(found)
    assert "16.93" in steps.starts(found)


def test_medoids_beside_print_hold_k_and_one_group_of_all_loses_most(few):
    found = list(medoids.releases({"tarragona": few}, (3, 10), QUICK))
    assert [one.k for one in found] == [3, 10, None]
    assert found[0].il2 < found[1].il2 < found[2].il2
    assert 1 >= found[0].dld > found[1].dld > found[2].dld
    assert medoids.releases_section(found).count("not run") == 2 * 7 * 2 + 2 - 5
    assert "Tarragona below 45 %" in medoids.claims(found)


def test_a_cell_of_print_without_ours_says_not_run():
    text = medoids.losses_section([a_loss(5.6, 5.692, settings={"end_rule": "2k"})], "census")
    assert "5.692 / 5.600" in text
    assert "7.494 / not run" in text
    assert text.splitlines()[3].count("| - ") == 4


def test_there_are_216_synthetic_sets_each_repeatable_and_standardised():
    assert len(strategies.sets(quick=False)) == 216
    one = strategies.synthetic(60, 4, 8)
    assert np.array_equal(one, strategies.synthetic(60, 4, 8))
    assert not np.array_equal(one, strategies.synthetic(60, 4, 16))
    assert np.allclose(one.std(axis=0, ddof=1), 1)


def test_shares_of_better_equal_and_worse_add_up():
    cases = list(strategies.cases(True, QUICK))
    assert {case.k for case in cases} == {3, 5, 10}
    found = strategies.Shares.of(cases)
    for pair in found.pairs:
        assert pair.first_better + pair.equal + pair.second_better == pytest.approx(100)
    assert [one.variant for one in found.variants] == list(strategies.VARIANTS)
    assert "strictly better" in strategies.summary(found)
    assert "h then k, II" in strategies.section(found)
    assert strategies.Shares.from_numbers(json.loads(json.dumps(asdict(found)))) == found


def test_a_second_heuristic_never_undoes_the_first():
    for case in strategies.cases(True, QUICK):
        assert case.errors["h then k, II"] <= case.errors["h-means II"] * (1 + 1e-12)
        assert case.errors["k then h, I"] <= case.errors["k-means I"] * (1 + 1e-12)


def test_more_records_in_a_group_lose_more_and_link_less(few):
    found = list(choice.choices(few, (3, 10, 25), QUICK))
    assert [one.k for one in found] == [3, 10, 25]
    assert found[0].loss < found[1].loss < found[2].loss
    assert found[0].scores["DBRL"] > found[2].scores["DBRL"]
    assert choice.section(found).count("least SCORE") == 1


def test_the_plot_is_sound_xml_with_a_mark_and_a_name_for_each_method():
    found = [
        losses.Loss(name, "census", 3, 5.0 + i / 9, None, 0.01 * 2**i, 9) for i, name in enumerate("abcdefgh")
    ]
    root = ElementTree.fromstring(loss_against_time(found, "loss < time"))
    marks = [each for each in root.iter() if each.tag.endswith("circle")]
    words = {each.text for each in root.iter() if each.tag.endswith("text")}
    assert len(marks) == 8
    assert set("abcdefgh") <= words


def test_tables_keep_three_decimals_and_leave_nothing_empty_by_chance():
    assert table(["a", "b"], [[None, 1.23456]]).splitlines()[-1] == "|  | 1.235 |"
    assert (cell("x"), seconds(12.34)) == ("x", "12")


def test_an_unknown_name_is_refused_before_anything_is_made(tmp_path, capsys):
    assert run_command(["gravity", "--out", str(tmp_path / "new")]) == 2
    assert "nothing named 'gravity'" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


@pytest.mark.long
@pytest.mark.usefixtures("some_methods")
def test_a_quick_reproduction_writes_page_plot_and_numbers(benchmark, tmp_path):
    benchmark("tarragona")
    assert run_command(["microaggregation", "--quick", "--out", str(tmp_path), "--quiet"]) == 0
    page = (tmp_path / "microaggregation.md").read_text()
    for heading in (
        "Every method",
        "DFO from two starts",
        "KC and KCKW",
        "Strategies I and II",
        "Choosing k",
    ):
        assert f"## {heading}" in page
    numbers = json.loads((tmp_path / "microaggregation.json").read_text())
    mdav = next(one for one in numbers["losses"] if one["settings"] == {"end_rule": "2k"})
    assert abs(mdav["ours"] - mdav["published"]) <= 1e-3
    assert (tmp_path / "microaggregation.svg").read_text().startswith("<svg")


def test_without_the_files_the_refusal_says_how_to_get_them(tmp_path, monkeypatch):
    monkeypatch.setenv("TACITA_DATA", str(tmp_path))
    with pytest.raises(tacita.DataError, match="fetch"):
        reproduce_into("microaggregation", tmp_path / "out", quick=True)


def test_standardising_gives_unit_deviation():
    assert np.allclose(standardised(np.array([[1.0], [2.0], [6.0]])).std(ddof=1), 1)
