"""What `tacita.core` hands out is found when first used, and its ground floor brings no arrays along."""

import subprocess
import sys

import pytest

import tacita.core


@pytest.mark.parametrize("name", tacita.core.__all__)
def test_every_name_of_the_core_is_found(name):
    assert getattr(tacita.core, name) is not None


def test_a_name_that_there_is_not_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        _ = tacita.core.Nothing


def test_specifications_and_display_load_neither_numpy_nor_arrow():
    program = (
        "import importlib, pkgutil, sys, tacita.core.spec, tacita.core.display\n"
        "for room in (tacita.core.spec, tacita.core.display):\n"
        "    for module in pkgutil.iter_modules(room.__path__):\n"
        "        importlib.import_module(f'{room.__name__}.{module.name}')\n"
        "heavy = {'numpy', 'pyarrow', 'numba', 'scipy', 'narwhals', 'tacita.core.data'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
