"""What the checks of a release cost beside an earlier version.

    python -m benchmarks.cost_of_checks --baseline PATH

PATH is a folder with another version of the repository (`git worktree add PATH COMMIT`). Both do the same
work, each in a process of its own, one after the other in turn: the demo, releases of adult (ARX's file under
TACITA_SHARED) and of 100 000 records, from the source to the written file and its reports, and optimal
suppression of thirty tables of the reproduction that take a few seconds at most, from the values to the
audited pattern. A first round compiles the kernels of both and does not count. Prints the CPU seconds of
both, without start and compilation, and their ratio: a row for each release and each table, and the sum of
the tables of each problem. Exits with 1 where a release or such a sum is above its limit.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

_HERE = Path(__file__).resolve().parent.parent
_SHARED = Path(os.environ.get("TACITA_SHARED", "nowhere")) / "reference"
_LARGE = 100_000
_OF_ADULT = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation")
_SOME_OF_ADULT = ("sex", "age", "race", "marital-status", "education", "native-country")
_OF_PERSONS = ("person_id", "household_id", "weight")
_NUMBERS = ("wage", "transfers", "taxes")

# Sizes of the reproduction by problem, in sparse and dense, by value and by number; of the largest for
# intervals the dense ones alone, since the others take a minute.
_SIZES = {
    "general": ((50, 20), (100, 100)),
    "exact": ((50, 10), (50, 50), (100, 50)),
    "interval": ((20, 20), (50, 50), (100, 100)),
}
_ONLY_DENSE = [("interval", 100)]
# A table is solved so often in a process, unless that takes more than so many seconds; the least counts.
_TIMES, _SECONDS = 5, 2.0


def main(words: list[str]) -> int:
    """Compare, or carry out one case where this process is the one that is measured."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cost_of_checks", description=__doc__)
    parser.add_argument("--baseline", help="folder of the other version")
    parser.add_argument(
        "--repeats", type=int, default=3, help="runs of each version, of which the least counts"
    )
    parser.add_argument("--limit", type=float, default=1.3, help="largest ratio for a release of records")
    parser.add_argument("--limit-tables", type=float, default=1.2, help="largest ratio for tables")
    parser.add_argument("--cases", default="", help="only cases whose names have this in them")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    options = parser.parse_args(words)
    if options.measure is not None:
        print(json.dumps(_measured(options.measure)))
        return 0
    # with --measure this file is run by itself, beside the sources of another version
    from .table import Columns

    if options.baseline is None:
        parser.error("--baseline wants the folder of another version of the repository")
    names = [name for name in (*_releases(), *_tables()) if options.cases in name]
    above = 0
    table = Columns(case="<50", before=">10.3f", now=">10.3f", ratio=">7.2f")
    table.print_titles()
    for name in names:
        before, after = _compared(Path(options.baseline), name, options.repeats)
        for case in before:
            table.print(case, before[case], after[case], after[case] / before[case])
        ratio = sum(after.values()) / sum(before.values())
        above += ratio > (options.limit_tables if name in _tables() else options.limit)
        if name in _tables():
            table.print(f"{name}, together", sum(before.values()), sum(after.values()), ratio)
    print(f"{above} of {len(names)} above {options.limit:g} (tables: {options.limit_tables:g})")
    return 1 if above else 0


def _compared(baseline: Path, name: str, repeats: int) -> tuple[dict[str, float], dict[str, float]]:
    """The least CPU seconds of each case, of the other version and of this one."""
    sides: dict[Path, list[dict[str, float]]] = {baseline: [], _HERE: []}
    for number in range(repeats + 1):
        # what comes first changes from round to round, and the first round only compiles
        for folder in [*sides][:: 1 if number % 2 else -1]:
            sides[folder].append(_in_a_process(folder, name))
    before, after = (
        {case: min(one[case] for one in runs[1:]) for case in runs[0]} for runs in sides.values()
    )
    return before, after


def _in_a_process(folder: Path, name: str) -> dict[str, float]:
    around = {**os.environ, "PYTHONPATH": str(folder / "src"), "NUMBA_NUM_THREADS": "1"}
    command = [sys.executable, str(Path(__file__).resolve()), "--measure", name]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=around, cwd=folder)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def _measured(name: str) -> dict[str, float]:
    """CPU seconds of one or more cases, without those of a first run, which loads what is compiled."""
    import tacita

    if not Path(tacita.__file__).is_relative_to(os.getcwd()):
        raise SystemExit(f"another version than that of {os.getcwd()} would be measured")
    if name in _tables():
        return _of_tables(_tables()[name])
    with tempfile.TemporaryDirectory() as folder:
        seconds = 0.0
        for number in range(2):
            place = Path(folder) / str(number)
            if name != "demo":
                place.mkdir()
            plan = _releases()[name](place)
            began = time.process_time()
            tacita.run_plan(plan)
            seconds = time.process_time() - began
        return {name: seconds}


def _tables() -> dict[str, str]:
    return {f"tables, {problem}": problem for problem in _SIZES}


def _of_tables(problem: Any) -> dict[str, float]:
    """CPU seconds for one table of each kind of the reproduction that is tried, after a small one."""
    sys.path.insert(0, os.getcwd())
    from experiments.tables.experiments import Case, solve

    from tacita.core import RunContext

    kinds = [
        Case(problem, rows, columns, density, objective)  # type: ignore[arg-type]
        for rows, columns in _SIZES[problem]
        for density in ("sparse", "dense")
        for objective in ("value", "count")
        if density == "dense" or (problem, rows) not in _ONLY_DENSE
    ]
    solve(Case(problem, 6, 6, "dense", "value"), 0, 240.0, RunContext(seed=0))
    found = {}
    for case in kinds:
        times: list[float] = []
        while len(times) < _TIMES and sum(times) < _SECONDS:
            began = time.process_time()
            solve(case, 0, 240.0, RunContext(seed=0))
            times.append(time.process_time() - began)
        found[f"tables, {problem}, {case.size} {case.density}, {case.objective}"] = min(times)
    return found


Source = Callable[[Path], Path]


def _demo(folder: Path) -> Any:
    # the module had another name before the rooms were sorted by job
    name = "tacita.demo" if find_spec("tacita.demo") else "tacita.demonstration"
    return import_module(name).prepare_demo(folder)


def _release(source: Source, roles: dict[str, Any], protect: dict[str, Any]) -> Callable[[Path], Any]:
    def plan(folder: Path) -> Any:
        from tacita import Plan

        outputs = {"path": "out.csv", "report": "report.html", "json": "report.json", "note": "note.html"}
        return Plan(
            input={"path": source(folder)},
            roles=roles,
            protect=protect,
            output={key: folder / name for key, name in outputs.items()},
        )

    return plan


def _adult(_: Path) -> Path:
    path = _SHARED / "arx" / "data" / "adult.csv"
    if not path.exists():
        raise SystemExit("adult is not at hand: TACITA_SHARED names the folder above reference/arx")
    return path


def _persons(folder: Path) -> Path:
    from tacita import datasets, io

    path = folder / "persons.csv"
    io.write_frame(datasets.load("household", n=_LARGE), path)
    return path


def _keys(folder: Path) -> Path:
    """Eight keys of 100 000 records of the reference figures, or the same made up."""
    packed, path = _SHARED / "r" / "G_timing" / f"keys8_{_LARGE}.csv.gz", folder / "keys.csv"
    if packed.exists():
        path.write_bytes(gzip.decompress(packed.read_bytes()))
    else:
        _draw_keys(path)
    return path


def _draw_keys(path: Path) -> None:
    import numpy as np

    at = np.random.default_rng(0)
    columns = {
        f"k{j + 1}": at.integers(1, most + 1, _LARGE) for j, most in enumerate((1, 2, 2, 6, 3, 3, 7, 9))
    }
    columns |= {"w": at.uniform(1, 40, _LARGE).round(1), "hid": np.arange(_LARGE) // 3}
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


def _releases() -> dict[str, Callable[[Path], Any]]:
    eight = {"quasi": [f"k{j}" for j in range(1, 9)], "identifiers": ["hid"]}
    trees = {name: str(_SHARED / "arx" / "data" / f"adult_hierarchy_{name}.csv") for name in _OF_ADULT}
    several = {"quasi": list(_OF_ADULT), "hierarchy": trees}
    # the sum of incomes gives back what is masked
    numbers = {"quasi": list(_NUMBERS), "identifiers": [*_OF_PERSONS, "total_income"]}
    nominal = ["race", "workclass"]
    return {
        "demo": _demo,
        "adult, local suppression": _release(
            _adult, {"quasi": list(_SOME_OF_ADULT)}, {"method": "local-suppression", "k": 3}
        ),
        "adult, generalise": _release(
            _adult, several, {"method": "generalise", "k": 5, "suppression_limit": 0.02}
        ),
        "adult, local recoding": _release(_adult, several, {"method": "recode-local", "k": 5}),
        "adult, mondrian": _release(_adult, {"quasi": list(_OF_ADULT)}, {"method": "mondrian", "k": 5}),
        "adult, pram": _release(_adult, {"quasi": nominal, "nominal": nominal}, {"method": "pram"}),
        "100000 persons, blocks": _release(_persons, numbers, {"method": "blocks", "k": 3}),
        "100000 persons, rank swapping": _release(_persons, numbers, {"method": "rank-swap"}),
        "100000 persons, local suppression": _release(
            _persons,
            {"quasi": ["region", "sex", "age", "education"], "identifiers": list(_OF_PERSONS)},
            {"method": "local-suppression", "k": 3},
        ),
        "100000 keys, local suppression": _release(_keys, eight, {"method": "local-suppression", "k": 3}),
        "100000 keys, local recoding": _release(_keys, eight, {"method": "recode-local", "k": 3}),
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
