"""What many tests need: the benchmark files, and quick deterministic Hypothesis runs."""

import gc
import os

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies

from table_commands import REGIONS
from tacita import DataError, datasets

# programs of a client, for type checkers; tests/test_public_names.py and tests/test_typed_api.py read them
collect_ignore = ["client"]

# pages tell the minute in which they are made; tests compare pages
os.environ["SOURCE_DATE_EPOCH"] = "1700000000"

settings.register_profile(
    "tacita",
    deadline=None,  # the first example compiles a kernel
    derandomize=True,
    max_examples=10,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
# that of `make test-long`
settings.register_profile("thorough", parent=settings.get_profile("tacita"), max_examples=100)
settings.load_profile("tacita")


def thorough():
    return settings.get_current_profile_name() == "thorough"


@given(strategies.none())
def _any_law(_):
    """Nothing: Hypothesis sets itself up for its first law."""


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """What is collected stays until the end: nobody looks through it for what could be thrown away."""
    # Hypothesis looks for what refers to its random generator, which cannot be found once it is frozen
    _any_law()
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """What has more examples in a thorough run than in `make test` is long there."""
    # it asks which profile was chosen, which is told after this file is read
    from effort import holds_a_value_first

    for item in items:
        if item.get_closest_marker("each_once") and not holds_a_value_first(item):
            item.add_marker(pytest.mark.long)
    for item in items if thorough() else ():
        law = getattr(getattr(item, "obj", None), "is_hypothesis_test", False)
        if law or "some" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.long)


@pytest.fixture(scope="session")
def some():
    """Takes the first of many made-up cases in `make test`, and all of them in `make test-long`."""
    return lambda cases, first: cases if thorough() else cases[:first]


@pytest.fixture(scope="session")
def benchmark():
    """The columns the literature uses of a public benchmark, standardised; skips where it is absent."""

    def load(name):
        try:
            table = datasets.load(name)
        except DataError as absent:
            pytest.skip(f"benchmark {name} is not here: {absent}")
        x = np.column_stack([table[c].to_numpy() for c in datasets.describe(name).quasi]).astype(float)
        return (x - x.mean(axis=0)) / x.std(axis=0, ddof=1)

    return load


@pytest.fixture
def cells(tmp_path):
    """The table of regions of the source; II / B is sensitive."""
    path = tmp_path / "cells.csv"
    lines = ["activity,region,turnover,sensitive,weight"]
    for activity, values in REGIONS.items():
        for region, value in zip("ABC", values, strict=True):
            secret = int((activity, region) == ("II", "B"))
            lines.append(f"{activity},{region},{value},{secret},{1 if activity == 'I' else 10}")
    path.write_text("\n".join(lines) + "\n")
    return path
