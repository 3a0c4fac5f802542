"""The front: one name leads to one data set, cheaply."""

import subprocess
import sys

import pytest

from tacita import datasets
from tacita.core.errors import ParameterError


def test_load_gives_the_same_survey_as_its_function() -> None:
    assert datasets.load("business", n=30, seed=4).equals(datasets.business(n=30, seed=4))
    assert datasets.load("household", n=30, seed=4).equals(datasets.household(n=30, seed=4))


def test_every_entry_of_the_catalogue_is_described_under_its_name() -> None:
    for entry in datasets.catalogue():
        assert datasets.describe(entry.name) is entry
        assert entry.title.endswith(".")
        assert entry.source


def test_roles_are_a_fresh_dictionary_with_the_keys_of_a_plan() -> None:
    entry = datasets.describe("business")
    roles = entry.roles
    assert list(roles) == ["identifiers", "quasi", "confidential", "strata", "unit", "weight"]
    roles["quasi"].clear()
    assert entry.roles["quasi"]


@pytest.mark.parametrize("ask", [datasets.load, datasets.describe])
def test_an_unknown_name_is_answered_with_those_that_exist(ask) -> None:
    with pytest.raises(ParameterError, match="business, household, patients, census, tarragona, eia"):
        ask("adult")


@pytest.mark.parametrize(("name", "hint"), [("business", "n, seed, missing"), ("census", "it has none")])
def test_an_unknown_option_is_answered_with_those_that_exist(name: str, hint: str) -> None:
    with pytest.raises(ParameterError, match=f"{name} has no option rows; .*{hint}"):
        datasets.load(name, rows=3)


def test_importing_datasets_loads_no_heavy_library() -> None:
    heavy = "numba pandas polars pyarrow rdata urllib.request http.client".split()  # noqa: SIM905
    # What tacita itself imports is not ours to judge here; only what datasets adds.
    program = (
        "import sys, numpy, tacita.core.errors; before = set(sys.modules); import tacita.datasets; "
        f"print([name for name in {heavy!r} if name in set(sys.modules) - before])"
    )
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"
