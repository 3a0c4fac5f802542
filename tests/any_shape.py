"""A method for tables of any shape, as the recipe has it, under its registry name."""

import re
import sys
import types
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from tacita import registry

RECIPES = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text()


def peeling():
    """The module of the recipe."""
    code = re.search(r"```python peeling\.py\n(.*?)\n```", RECIPES, re.DOTALL)[1]
    module = types.ModuleType("peeling")
    exec(compile(code, "peeling.py", "exec"), module.__dict__)
    return module


@pytest.fixture
def peels(monkeypatch):
    """The method `peeling` in the registry."""
    monkeypatch.setitem(sys.modules, "peeling", peeling())
    point = EntryPoint("peeling", "peeling:Peeling", "tacita.suppression")

    def points(group):
        return [point] if group == "tacita.suppression" else []

    monkeypatch.setattr(registry, "entry_points", points)
    registry.locations.cache_clear()
    yield
    registry.locations.cache_clear()
