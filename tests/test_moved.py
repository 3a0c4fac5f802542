"""Former module names that the documentation had go on working, and say where the module is now."""

import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec

import pytest

from tacita._moved import MOVED


@pytest.mark.parametrize(
    "former", [name for name, today in MOVED.items() if find_spec(today).submodule_search_locations is None]
)
def test_a_former_name_is_the_module_of_today(former, monkeypatch):
    monkeypatch.delitem(sys.modules, former, raising=False)
    with pytest.warns(DeprecationWarning, match=f"{former} is now {MOVED[former]}"):
        module = import_module(former)
    assert module is import_module(MOVED[former])
    assert module.__name__ == MOVED[former]


@pytest.mark.parametrize(
    ("former", "today"),
    [
        ("tacita.microdata.microaggregation.mdav", "tacita.microdata.methods.microaggregation.mdav"),
        ("tacita.microdata.risk.anonymity", "tacita.microdata.measures.risk.anonymity"),
    ],
)
def test_a_module_that_moved_with_its_package_is_loaded_once(former, today, monkeypatch):
    monkeypatch.delitem(sys.modules, former, raising=False)
    with pytest.warns(DeprecationWarning, match=f"{former} is now {today}"):
        module = import_module(former)
    assert module is import_module(today)


def test_a_plugin_written_for_the_former_names_works():
    code = "from tacita.microdata.masking.base import Masking; import tacita; print(Masking.__module__)"
    ran = [sys.executable, "-W", "default", "-c", code]
    done = subprocess.run(ran, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "tacita.microdata.methods.masking.masking_method"
    assert "is now tacita.microdata.methods.masking.masking_method" in done.stderr


def test_a_name_that_never_was_is_not_found():
    for name in ("tacita.microdata.nothing", "tacita.microdata.microaggregation.nothing"):
        with pytest.raises(ModuleNotFoundError, match=name.replace(".", r"\.")):
            import_module(name)
