"""Full-domain generalisation finds the optima of ARX, and scores nodes as ARX does."""

import numpy as np
import pytest

import arx_figures as arx
from tacita import DataError, RunContext
from tacita.microdata.methods.generalisation.lattice import Lattice
from tacita.microdata.methods.generalisation.search import search

OPTIMA = [
    case
    for part in ("from_test_suite", "from_runs")
    for case in arx.read("optimum.json").get(part, [])
    if case.get("score_recomputed_independently", True)
    and not arx.left_out(case)
    and not any(model.get("estimator") == "GRASSBERGER" for model in case["models"])
]


def lattice_of(case, limit):
    rows = arx.subset_of(case["models"])
    whole = arx.keys_of(case["file"], case["quasi"])
    keys = arx.among(arx.keys_of(case["file"], case["quasi"], case["sensitive"], rows=rows), whole, rows)
    return Lattice(keys, arx.models_of(case["models"]), limit)


@arx.needed
@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=case["id"], marks=[pytest.mark.long] if arx.takes_long(case) else [])
        for case in OPTIMA
    ],
)
def test_the_optimum_of_arx_is_found_and_proven(case):
    lattice = lattice_of(case, case["suppression_limit"])
    if not case["solvable"]:
        with pytest.raises(DataError, match="No level of generalisation satisfies"):
            search(lattice, arx.quality_of(case["metric"]), RunContext())
        return
    found = search(lattice, arx.quality_of(case["metric"]), RunContext()).certificate
    assert found.proven
    # a rank is several numbers, of which ARX gives ten digits
    expected = np.atleast_1d(np.array(case["expected_loss"], dtype=float))
    close = np.allclose(found.score, expected, rtol=1e-9, atol=2e-10)
    # its practical monotonicity may miss the best
    better = list(found.score) < expected.tolist()
    assert close or (case["practical_monotonicity"] and better) or (arx.overlooks(case) and not better)


SCORED = arx.read("scores.json")["cases"]


@arx.needed
@pytest.mark.parametrize("case", SCORED, ids=lambda case: case["id"])
def test_nodes_are_scored_as_arx_scores_them(case):
    lattice, quality = lattice_of(case, 1.0), arx.quality_of(case["metric"])
    for each in case["scores"]:
        checked = lattice.check(tuple(each["levels"]), lattice.every)
        score = quality.score(lattice, checked)[0]
        assert np.allclose(score, each["score"], rtol=1e-9, atol=2e-10)


SMALL = {"k": "k-anonymity", "distinct-l": "distinct-l-diversity", "entropy-l": "entropy-l-diversity"}


@arx.needed
@pytest.mark.parametrize("case", arx.read("small.json")["cases"], ids=lambda case: case["label"])
def test_the_small_examples_of_arx_come_out(case):
    models = []
    for words in case["models"]:
        name, _, given = words.partition("=")
        column, *numbers = given.split(":")
        kind = {
            "recursive-l": "recursive-cl-diversity",
            "t-equal": "t-closeness-equal",
            "t-hier": "t-closeness-hierarchical",
            **SMALL,
        }[name]
        if name == "k":
            models.append({"model": kind, "k": int(given)})
        elif name == "recursive-l":
            models.append(
                {"model": kind, "attribute": column, "c": float(numbers[0]), "l": float(numbers[1])}
            )
        else:
            letter = "t" if name.startswith("t-") else "l"
            models.append({"model": kind, "attribute": column, letter: float(numbers[0])})
    sensitive = next((model["attribute"] for model in models if "attribute" in model), None)
    prefix = "small" if case["label"].startswith("small") else None
    keys = arx.keys_of(case["data"], case["quasi"], sensitive, prefix)
    lattice = Lattice(keys, arx.models_of(models), case["suppression_limit"])
    found = search(lattice, arx.quality_of({"name": "loss"}), RunContext()).certificate
    assert np.isclose(found.score[0], float(case["score"]), rtol=1e-9)
