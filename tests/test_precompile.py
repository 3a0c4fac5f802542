"""After `tacita warmup` nothing is left to compile."""

import importlib
import json
import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.terminal import commands_of_readme, prepare

import tacita.kernels

ROOT = Path(__file__).parents[1]


def kernels():
    """All kernels, by module and name."""
    modules = [
        importlib.import_module(each.name)
        for each in pkgutil.walk_packages(tacita.kernels.__path__, "tacita.kernels.")
    ]
    return {
        (module.__name__, name): value
        for module in modules
        for name, value in vars(module).items()
        if hasattr(value, "py_func") and value.py_func.__module__ == module.__name__
    }


def called_kernels():
    """Kernels that no other kernel calls: those that Python calls."""
    inner = {
        id(kernel.py_func.__globals__.get(name))
        for kernel in kernels().values()
        for name in kernel.py_func.__code__.co_names
    }
    return [where for where, kernel in kernels().items() if id(kernel) not in inner]


def in_a_process_of_its_own(code, **surroundings):
    environment = {**os.environ, **surroundings}
    told = subprocess.run(
        [sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True
    )
    return json.loads(told.stdout.splitlines()[-1])


def test_warming_up_calls_every_kernel_with_one_signature():
    # in a process that has called none: one signature each is what all callers must agree on;
    # backwards, so that beside `tacita warmup`, as in `make test`, each compiles one half for both
    code = f"""
import importlib, json
from tacita.core.spec import registry
from tacita.precompile import warmup
turned = lambda names: dict([*names.items()][::-1])
registry.BUILT_IN = {{kind: turned(names) for kind, names in turned(registry.BUILT_IN).items()}}
warmup()
print(json.dumps([
    [module, name, len(getattr(importlib.import_module(module), name).signatures)]
    for module, name in {called_kernels()!r}
]))
"""
    counted = in_a_process_of_its_own(code)
    assert [each for each in counted if each[2] != 1] == []


def compiled_in(folder):
    return sorted(path.name for path in folder.rglob("*.nbc"))


@pytest.mark.long
def test_after_warming_up_no_command_of_the_readme_or_the_guide_compiles_anything(tmp_path):
    kept = tmp_path / "compiled"
    surroundings = {**os.environ, "NUMBA_CACHE_DIR": str(kept)}

    def carry_out(*words):
        subprocess.run(
            [sys.executable, "-m", *words], env=surroundings, cwd=folder, check=True, capture_output=True
        )

    folder = tmp_path / "work"
    folder.mkdir()
    carry_out("tacita", "warmup")
    warmed = compiled_in(kept)
    assert warmed
    for words in commands_of_readme():
        prepare(folder, words[0])
        forced = [] if words[0] in ("assess", "check", "methods") else ["--force"]
        carry_out("tacita", *words, *forced)
        assert compiled_in(kept) == warmed, f"tacita {words[0]} compiled something"
    folder = ROOT
    carry_out("pytest", "-q", "tests/docs/test_docs.py", "-k", "start or guide")
    assert compiled_in(kept) == warmed
