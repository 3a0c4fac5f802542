"""The files of ARX's own tests and runs, where TACITA_SHARED has them: figures of a peer, kept apart."""

import csv
import json
import os
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from tacita.io.hierarchies import read_hierarchy
from tacita.microdata.methods.generalisation.key_hierarchies import Keys, Population, ladders_of
from tacita.microdata.methods.generalisation.models import Models, built
from tacita.microdata.methods.generalisation.quality import Quality

FOLDER = Path(os.environ.get("TACITA_SHARED", "")) / "reference" / "arx"
needed = pytest.mark.skipif(
    not os.environ.get("TACITA_SHARED") or not FOLDER.is_dir(),
    reason="the figures of ARX are not at hand: TACITA_SHARED names their folder",
)

# what is left out, and why
LEFT_OUT = {
    "inclusion": "is a choice of records, not a model",
    "several-risks": "is three models in one",
    "k-map-estimated": "rests on Poisson's law instead of a table or weights",
    "further-suppression": "suppresses some classes of one size, and not others, by their order in the file",
    "snb": "is the faulty estimator of ARX",
}


def left_out(case):
    """Why a case is not for us, by a name of LEFT_OUT; None where it is."""
    for model in case["models"]:
        name = model["model"]
        if name == "inclusion":
            return name
        if "highest_risk" in model:
            return "several-risks"
        if name == "k-map" and "subset" not in model:
            return "k-map-estimated"
        if name in OF_THE_FILE and case["suppression_limit"]:
            return "further-suppression"
        if model.get("estimator") == "SNB":
            return "snb"
    return None


def overlooks(case):
    """Whether ARX may allow too much: beside a least size of classes it passes over those of nobody present.

    With k = 5 beside a presence of 0.05 to 0.15 it finds 35,461.3; without k, where less is asked, 37,223.2.
    """
    models = case["models"]
    present = any(model.get("dmin", 0) > 0 for model in models)
    return present and any(model["model"] == "k-anonymity" or "l" in model for model in models)


def takes_long(case):
    """Whether thousands of nodes are looked at: some may be suppressed, or an estimate decides."""
    estimated = any(model["model"] == "population-uniqueness" for model in case["models"])
    return bool(case["suppression_limit"]) or estimated


OF_THE_FILE = {
    "average-reidentification-risk": ("average_risk", "risk"),
    "sample-uniqueness": ("sample_uniqueness", "share"),
    "population-uniqueness": ("population_uniqueness", "share"),
}
ESTIMATORS = {"DANKAR": "decision", "ZAYATZ": "zayatz", "PITMAN": "pitman"}
# in place of a file: the table that a subset is of
PEOPLE = Path("people.csv")
MODELS = {
    "distinct-l-diversity": ("l_diversity", {"kind": "distinct"}),
    "entropy-l-diversity": ("l_diversity", {"kind": "entropy"}),
    "recursive-cl-diversity": ("l_diversity", {"kind": "recursive"}),
    "t-closeness-equal": ("t_closeness", {"kind": "equal"}),
    "t-closeness-ordered": ("t_closeness", {"kind": "ordered"}),
    "t-closeness-hierarchical": ("t_closeness", {"kind": "hierarchical"}),
    "beta-likeness-basic": ("beta_likeness", {"kind": "basic"}),
    "beta-likeness-enhanced": ("beta_likeness", {"kind": "enhanced"}),
    "delta-disclosure": ("delta_disclosure", {}),
}
AGGREGATES = {"geometric_mean": "geometric", "arithmetic_mean": "mean"}


@cache
def read(name):
    return json.loads((FOLDER / name).read_text()) if FOLDER.is_dir() else {"cases": []}


@cache
def table(name):
    with open(FOLDER / "data" / name) as file:
        head, *rows = csv.reader(file, delimiter=";")
    return {column: [row[at] for row in rows] for at, column in enumerate(head)}


@cache
def hierarchy(name, column):
    return read_hierarchy(FOLDER / "data" / name, column)


@cache
def coded(file, column):
    return np.unique(table(file)[column], return_inverse=True)


def keys_of(file, quasi, sensitive=None, prefix=None, rows=None):
    """Records of a file as keys; `sensitive` with its order of text and its hierarchy, if it has one."""
    stem = prefix or file.partition(".")[0]
    texts, codes = {}, []
    for name in quasi:
        texts[name], own = coded(file, name)
        texts[name] = texts[name].tolist()
        codes.append(own if rows is None else own[rows])
    known = {name: hierarchy(f"{stem}_hierarchy_{name}.csv", name) for name in quasi}
    ladders, leaves = ladders_of(quasi, texts, np.array(codes, dtype=float).T, known, "ARX")
    strata = np.zeros(leaves.shape[1], dtype=np.int64)
    if sensitive is None:
        return Keys(ladders, leaves, strata)
    values, own = coded(file, sensitive)
    own = own if rows is None else own[rows]
    trees = {}
    if (FOLDER / "data" / f"{stem}_hierarchy_{sensitive}.csv").is_file():
        tree = hierarchy(f"{stem}_hierarchy_{sensitive}.csv", sensitive)
        place = {tree.labels[leaf]: at for at, leaf in enumerate(tree.leaves.tolist())}
        trees[sensitive] = tree.levels[:, [place[value] for value in values.tolist()]]
    orders = {sensitive: np.arange(values.size)}
    return Keys(ladders, leaves, strata, None, {sensitive: own.astype(np.int64)}, orders, trees)


def subset_of(models):
    """The rows that were chosen out of the file; all of it where none were."""
    named = [each["subset"] for each in models if "subset" in each]
    return np.array(read("subsets.json")[named[0]]) if named else None


def among(keys, whole, rows):
    """Keys of chosen rows with the whole file as their population."""
    if rows is None:
        return keys
    leaves, counts = np.unique(whole.leaves, axis=1, return_counts=True)
    people = Population(leaves, np.zeros(counts.size, dtype=np.int64), counts)
    return replace(keys, populations={PEOPLE: people})


def models_of(models):
    """k and the models of a case."""
    k, settings = 1, []
    for each in models:
        if each["model"] == "k-anonymity":
            k = each["k"]
            continue
        if each["model"] == "k-map":
            settings.append(("k_map", {"k": each["k"], "population": PEOPLE}))
            continue
        if each["model"] == "delta-presence":
            given = {"population": PEOPLE, "least": each["dmin"], "most": each["dmax"]}
            settings.append(("delta_presence", given))
            continue
        if each["model"] in OF_THE_FILE:
            name, figure = OF_THE_FILE[each["model"]]
            given = {figure: each["riskthreshold"]}
            if name == "population_uniqueness":
                given["fraction"] = each["sampling_fraction"]
                given["estimator"] = ESTIMATORS[each["estimator"]]
            settings.append((name, given))
            continue
        name, setting = MODELS[each["model"]]
        numbers = {key: each[key] for key in ("l", "c", "t", "beta", "delta") if key in each}
        settings.append((name, {"column": each["attribute"], **setting, **numbers}))
    return Models.of(k, [model for name, each in settings for model in built({name: each})])


def quality_of(metric):
    name = metric["name"].replace("normalized", "normalised")
    if name != "loss":
        return Quality(name)
    aggregate = metric.get("aggregate", "geometric_mean")
    return Quality(
        "loss",
        AGGREGATES.get(aggregate, aggregate),
        metric.get("attribute_weights", {}),
        metric.get("gs_factor", 0.5),
    )
