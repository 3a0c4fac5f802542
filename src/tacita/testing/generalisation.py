"""The laws of methods that make keys coarser."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np

from tacita.core import DataError, Hierarchy, ParameterError
from tacita.microdata.methods.generalisation.key_hierarchies import Keys, Ladder
from tacita.testing import Findings

from .examples import refusal, released, steered, varied


def every_combination_stands_for_k_records_or_more(method: Any) -> Findings:
    for seed in range(3):
        keys = _keys(seed)
        generalised = varied(method, k=4).generalise(keys)
        counts = Counter(map(tuple, generalised.shown[:, ~generalised.gone].T.tolist()))
        fewest = min(counts.values(), default=4)
        yield fewest >= 4, f"A combination stands {fewest} times, k=4."


def every_combination_stands_for_k_units_where_units_are_named(method: Any) -> Findings:
    # records of a unit are alike, so that four of them may be of two units
    keys = replace(_keys(1).taken(np.repeat(np.arange(40), 3)), units=np.arange(120) // 3)
    generalised = varied(method, k=4).generalise(keys)
    stands: dict[tuple[int, ...], set[int]] = {}
    for at in np.flatnonzero(~generalised.gone).tolist():
        stands.setdefault(tuple(generalised.shown[:, at].tolist()), set()).add(at // 3)
    yield min(map(len, stands.values()), default=4) >= 4, "A combination stands for fewer than 4 units."


def no_combination_mixes_strata_to_reach_k(method: Any) -> Findings:
    strata = np.arange(120) % 2
    generalised = varied(method, k=4).generalise(_keys(2, strata=strata))
    stays = ~generalised.gone
    counts = Counter(
        zip(map(tuple, generalised.shown.T[stays].tolist()), strata[stays].tolist(), strict=True)
    )
    yield min(counts.values(), default=4) >= 4, "A combination of a stratum stands fewer than 4 times."


def every_combination_stands_for_as_many_persons_as_k_map_by_weight_asks(method: Any) -> Findings:
    weights = np.random.default_rng(8).uniform(0.5, 3, 120)
    keys = replace(_keys(8), weighing={"weight": weights})
    generalised = varied(method, k=4, models={"k_map": {"k": 20, "weight": "weight"}}).generalise(keys)
    persons: Counter[tuple[int, ...]] = Counter()
    for at in np.flatnonzero(~generalised.gone).tolist():
        persons[tuple(generalised.shown[:, at].tolist())] += weights[at]
    yield min(persons.values(), default=20) >= 20 - 1e-6, "A combination stands for fewer than 20 persons."


def what_is_shown_covers_what_was(method: Any) -> Findings:
    keys = _keys(3)
    generalised = varied(method, k=4).generalise(keys)
    for j, ladder in enumerate(keys.ladders):
        for leaf, code in {*zip(keys.leaves[j].tolist(), generalised.shown[j].tolist(), strict=True)}:
            label, at = generalised.labels[j][code], int(ladder.levels[0][leaf])
            while at >= 0 and ladder.labels[at] != label:
                at = int(ladder.parents[at])
            yield at >= 0, f"A value of {ladder.name} is shown as one that does not cover it."


def no_more_are_left_out_than_the_limit_allows(method: Any) -> Findings:
    for limit in (0.0, 0.1, 1.0):
        generalised = varied(method, k=4, suppression_limit=limit).generalise(_keys(4))
        yield (
            generalised.gone.sum() <= limit * 120,
            f"With a limit of {limit}, {int(generalised.gone.sum())} of 120 are.",
        )


def the_same_records_give_the_same_and_their_order_changes_nothing(method: Any) -> Findings:
    keys, order = _keys(5), np.random.default_rng(0).permutation(120)
    generalised = method.generalise(keys)
    yield np.array_equal(generalised.shown, method.generalise(keys).shown), "A second run shows other values."
    mixed = method.generalise(Keys(ladders=keys.ladders, leaves=keys.leaves[:, order], strata=keys.strata))
    same = Counter(map(tuple, generalised.shown.T.tolist())) == Counter(map(tuple, mixed.shown.T.tolist()))
    yield same, "In another order, other values are shown."


def a_model_that_cannot_hold_is_refused_without_quoting_values(method: Any) -> Findings:
    hard = varied(method, models={"l_diversity": {"column": "SECRET", "l": 9}})
    keys = _keys(6)
    short = Keys(
        ladders=keys.ladders,
        leaves=keys.leaves,
        strata=keys.strata,
        confidential={"SECRET": np.arange(120) % 3},
    )
    yield bool(refusal(DataError, hard.generalise, short)), "It is not refused."
    yield bool(refusal(ParameterError, varied, method, k=1)), "k=1 is not refused."


def it_reports_all_of_its_work_and_cancelling_stops_it(method: Any) -> Findings:
    yield from steered(lambda run: method.generalise(_keys(7), run))


def it_promises_that_keys_are_k_anonymous(method: Any) -> Findings:
    for promise in ("k-anonymous", "generalised", "models-hold", "few-suppressed"):
        yield promise in method.guarantees, f"{promise} is not among its guarantees."


def a_release_of_it_is_verified_with_strata_and_gaps(method: Any) -> Findings:
    for missing in ("drop", "stratum"):
        yield from released(method, missing, quasi=["town", "age"], nominal=["town", "age"])


def _keys(seed: int, strata: Any = None) -> Keys:
    """120 records of three keys, one of them with groups of groups."""
    generator = np.random.default_rng(seed)
    parents = (4, 4, 5, 5, 6, 6, -1)
    town = Hierarchy("town", ("a", "b", "c", "d", "north", "south", "*"), parents)
    flat = Hierarchy.flat("size", ["few", "many", "more"], "*")
    ladders = (Ladder.of(town, False), Ladder.of(flat, False), Ladder.of(flat, True))
    leaves = np.array([generator.choice(size, 120) for size in (4, 3, 4)], dtype=np.int64)
    none = np.zeros(120, dtype=np.int64)
    return Keys(ladders=ladders, leaves=leaves, strata=none if strata is None else strata.astype(np.int64))
