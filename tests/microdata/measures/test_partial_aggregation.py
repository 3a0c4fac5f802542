"""Figures computed from parts: those of a file in memory, however it is cut."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita
from tacita.core import Comparison, RunContext
from tacita.core.spec import registry
from tacita.microdata.measures.measure import with_inputs
from tacita.microdata.measures.partial_aggregation import Part, reduce_all
from tacita.microdata.measures.risk import linkage, probabilistic

NAMES = ("a", "b", "c")
# What is known of ranks between landmarks is told in between.
ROUGH = {"ID_rank": 0.2}


def able():
    """The measures that can be computed from parts."""
    every = [tacita.get_method(name) for kind in registry.MEASURING for name in registry.names(kind)]
    return [each for each in every if each.in_parts(NAMES, RunContext()) is not None]


def reduced_in_parts(measures, x, z, context, cuts):
    """Figures of records that are cut into parts, each asked by itself."""
    pieces = [np.split(side, cuts) for side in (x, z, context)]
    parts = [
        Part(Comparison.of(*own[:2], NAMES, own[2]), number, RunContext(), alone=False)
        for number, own in enumerate(zip(*pieces, strict=True))
        if len(own[0])
    ]

    def evaluate(statistics):
        return [[statistic.compute(part) for part in parts] for statistic in statistics]

    return reduce_all({each: each.in_parts(NAMES, RunContext()) for each in measures}, evaluate)


def records(seed, n, kind):
    rng = np.random.default_rng(seed)
    x = np.exp(rng.normal(size=(n, 3)) @ rng.normal(size=(3, 3)) / 2)
    if kind == "tied":
        x = np.round(2 * x)
    if kind == "constant":
        x[:, 1] = 0.1
    if kind == "far":
        x += 1e4
    groups = np.argsort(np.argsort(x[:, 0], kind="stable"), kind="stable") // 3
    z = np.column_stack([np.bincount(groups, column)[groups] / np.bincount(groups)[groups] for column in x.T])
    return x, z, rng.normal(size=(n, 1)) + x[:, :1]


def same(found, whole, name):
    if whole.value is None:
        assert found.reason == whole.reason
        return
    close = {"abs": ROUGH[name]} if name in ROUGH else {"rel": 1e-6, "abs": 1e-6}
    assert found.value == pytest.approx(whole.value, **close), name
    assert dict(found.per_attribute) == pytest.approx(dict(whole.per_attribute), **close), name


@given(
    seed=st.integers(0, 999),
    kind=st.sampled_from(["plain", "tied", "constant", "far"]),
    cuts=st.lists(st.integers(0, 120), min_size=1, max_size=5).map(sorted),
)
def test_what_parts_answer_tells_the_figure_of_the_whole_file(seed, kind, cuts):
    x, z, context = records(seed, 120, kind)
    measures = able()
    assert {each.name for each in measures} >= {"IL1", "ID_sd", "PIL_quantile", "OVERLAP", "DBRL", "PRL"}
    found = reduced_in_parts(measures, x, z, context, cuts)
    pair = Comparison.of(x, z, NAMES, context)
    for each in measures:
        same(found[each], each.score(pair), each.name)


def test_quantiles_that_lie_between_landmarks_are_exact(monkeypatch):
    from tacita.microdata.measures import quantiles

    monkeypatch.setattr(quantiles, "_LANDMARKS", 5)
    monkeypatch.setattr(quantiles, "_MOST", 7)
    x, z, context = records(1, 500, "plain")
    measures = [tacita.get_method("PIL_quantile"), tacita.get_method("HELLINGER", bins=13)]
    found = reduced_in_parts(measures, x, z, context, [90, 300, 310])
    for each in measures:
        same(found[each], each.score(Comparison.of(x, z, NAMES, context)), each.name)


@pytest.mark.parametrize(("name", "module"), [("DBRL", linkage), ("DLD", linkage), ("PRL", probabilistic)])
def test_a_sample_of_people_linked_among_all_parts_has_an_interval_that_holds_the_figure_of_all(
    name, module, monkeypatch
):
    x, z, context = records(3, 3000, "plain")
    monkeypatch.setattr(module, "_PEOPLE", 600)
    each = tacita.get_method(name)
    found = reduced_in_parts([each], x, z, context, [700, 1500, 2900])[each]
    whole = each.score(Comparison.of(x, z, NAMES))
    assert 0 < found.error < 0.1 * each.span[1]
    low, high = found.interval
    # PRL estimates its weights by the sample too
    wider = 2 * (high - low) if name == "PRL" else 0.3 * (high - low)
    assert low - wider < whole.value < high + wider


def test_measures_that_are_asked_by_others_are_asked_once():
    asked = with_inputs([tacita.get_method("SCORE"), tacita.get_method("DR")])
    assert len(asked) == len(set(asked))
    assert {"SCORE", "PIL", "DR", "DBRL", "PRL", "ID_sd", "PIL_quantile"} <= {each.name for each in asked}
