"""Algorithm 2 alone, medoids without repair, and readings of IL2."""

import json
from dataclasses import asdict

import numpy as np
import pytest
from experiments.__main__ import run_command
from experiments.microaggregation import findings, plain, readings, strategies, unrepaired

import tacita
from experiments import published
from tacita.core import Partition, RunContext, VerificationError

QUICK = RunContext()


@pytest.fixture(scope="module")
def few():
    return strategies.synthetic(100, 3, 4)


def test_the_plain_search_never_ends_above_its_start_and_the_page_counts_its_cells(few):
    found = list(plain.searches({"tarragona": few}, (3,), QUICK))
    assert len(found) == 2 * 2 * 3
    assert all(one.ours <= one.before * (1 + 1e-12) for one in found)
    assert {one.reach for one in found} == set(plain.REACHES)
    text = plain.section(found)
    assert "4.84 · 4.84 · 8.79" in text
    assert len(text.splitlines()) == 2 + 2
    told = plain.summary(found)
    assert told.startswith("In print 3 of 6 cells improve, by 4.8 to 8.8 %.")
    better = sum(one.improves for one in found if one.reach == "at-hand")
    assert f"from the partition at hand: {better} of 6" in told
    assert plain.PlainStep(**json.loads(json.dumps(asdict(found[0])))) == found[0]


def test_medoids_without_repair_are_records_with_every_record_at_its_nearest(few):
    for fitness in unrepaired.FITNESS:
        medoids, labels = unrepaired.free_medoids(few, 30, fitness, QUICK)
        away = ((few[:, None] - few[medoids][None]) ** 2).sum(axis=2)
        assert np.array_equal(labels[medoids], np.arange(30))
        assert np.allclose(away[np.arange(100), labels], away.min(axis=1))
        again = unrepaired.free_medoids(few, 30, fitness, QUICK)
        assert np.array_equal(again[1], labels)


def test_groups_without_repair_fall_short_of_k_and_can_be_no_partition_of_k(few):
    _, labels = unrepaired.free_medoids(few, 30, "overall", QUICK)
    assert np.bincount(labels).min() < 3
    with pytest.raises(VerificationError, match="fewer than k=3"):
        Partition(labels, 3)
    method = unrepaired._FreeMedoids(k=3, generations=2)
    with pytest.raises((VerificationError, tacita.DataError)):
        method.partition(few)


def test_without_repair_less_is_lost_and_around_means_less_than_around_medoids(few):
    found = list(unrepaired.cases({"census": few}, (10,), QUICK))
    assert {one.groups for one in found} == {6, 8, 10}
    assert all(one.around_means <= one.around_medoids for one in found)
    held = list(unrepaired.every_number({"census": few}, (10,), QUICK))
    assert [one.groups >= 6 for one in held] == [True]
    overall = min(one.around_means for one in found if one.fitness == "overall")
    assert overall < held[0].ours
    text = unrepaired.section(found, held, [])
    assert f"{held[0].ours:.3f}" in text
    assert str(published.BRKGA["census"][10]) in text
    told = unrepaired.summary(found)
    assert told.count(" within") == 4


def test_every_combination_of_a_reading_is_tried_and_the_usual_one_is_ours():
    x = np.random.default_rng(0).normal(size=(50, 4)) * [1, 5, 10, 50] + 100
    found = readings.readings({"tarragona": x, "census": 2 * x})
    assert len(found) == 3 * 2 * 10 * 6 * 3
    assert len({(one.centre, one.change, one.unit, one.average, one.factor) for one in found}) == len(found)
    assert [one.gap for one in found] == sorted(one.gap for one in found)
    usual = ("mean", "absolute", "deviation, n - 1", "mean of cells", "1/√2")
    (one,) = [one for one in found if (one.centre, one.change, one.unit, one.average, one.factor) == usual]
    pair = tacita.core.Comparison.of(x, np.tile(x.mean(axis=0), (50, 1)))
    ours = tacita.registry.lookup("IL2")().score(pair).value
    assert one.values["tarragona"] == pytest.approx(ours)
    assert "1080 readings were tried" in readings.section(found[:5], len(found))


def test_of_the_two_files_no_reading_gives_both_maxima(benchmark):
    from tacita import datasets

    benchmark("census")
    found = readings.readings({file: datasets.attributes(file) for file in ("tarragona", "census")})
    assert found[0].gap > 5


def test_both_orders_stand_under_both_namings():
    shares = strategies.Shares.of(list(strategies.cases(True, QUICK)))
    told = strategies.namings(shares)
    assert 'first = "k-means"' in told
    assert "K-means, then H-means" in told
    assert "Nothing else in the document decides between the two" in told


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--part", "il3"], "no part 'il3'"),
        (["--part", "il2", "--quick"], "takes no --quick"),
    ],
)
def test_a_part_is_refused_that_is_none_or_has_no_numbers_to_stand_beside(tmp_path, capsys, words, why):
    from pathlib import Path

    kept = Path(__file__).parents[2] / "docs" / "reproduced" / "microaggregation.json"
    (tmp_path / kept.name).write_bytes(kept.read_bytes())
    assert run_command(["microaggregation", *words, "--out", str(tmp_path), "--quiet"]) == 2
    assert why in capsys.readouterr().err


def test_a_part_without_an_earlier_run_is_refused(tmp_path, capsys):
    assert run_command(["microaggregation", "--part", "il2", "--out", str(tmp_path), "--quiet"]) == 2
    assert "Run all first" in capsys.readouterr().err


def test_a_part_replaces_its_own_numbers_alone(benchmark, monkeypatch):
    from pathlib import Path

    benchmark("census")
    kept = Path(__file__).parents[2] / "docs" / "reproduced" / "microaggregation.json"
    numbers = json.loads(kept.read_text())
    monkeypatch.setattr(findings.readings, "nearest", lambda data: ([], len(data)))
    again = json.loads(json.dumps(findings.renewed(numbers, "il2", QUICK).numbers()))
    changed = {name for name in again if again[name] != numbers.get(name)}
    assert changed == {"il2", "il2_tried"}
    assert again["il2_tried"] == 2
