"""What the checks of a release cost beside an earlier version.

`python -m benchmarks.cost_of_checks --baseline PATH`, where PATH is a folder with another version of the
repository (`git worktree add PATH COMMIT`). Both carry out the same plans, each in a process of its own, one
after the other in turn: the demo, releases of adult (ARX's file under TACITA_SHARED; without it persons made
up) and of 100 000 records. Prints the CPU seconds of both, from source to written file and reports
(no start, no compilation), and their ratio; exits with 1 where one is above --limit.
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
from pathlib import Path
from typing import Any

_HERE = Path(__file__).resolve().parent.parent
_LARGE = 100_000
_OF_ADULT = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation")
_SOME_OF_ADULT = ("sex", "age", "race", "marital-status", "education", "native-country")
_OF_PERSONS = ("person_id", "household_id", "weight")
_NUMBERS = ("wage", "transfers", "taxes")

Case = tuple[dict[str, Any], dict[str, Any]]


def main(words: list[str]) -> int:
    """Compare, or carry out one case where this process is the one that is measured."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cost_of_checks", description=__doc__)
    parser.add_argument("--baseline", help="folder of the other version")
    parser.add_argument(
        "--repeats", type=int, default=3, help="runs of each version, of which the least counts"
    )
    parser.add_argument("--limit", type=float, default=1.3, help="largest ratio")
    parser.add_argument("--cases", default="", help="only cases whose names have this in them")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    options = parser.parse_args(words)
    if options.measure is not None:
        print(json.dumps(_measured(options.measure)))
        return 0
    if options.baseline is None:
        parser.error("--baseline wants the folder of another version of the repository")
    above = 0
    for name in filter(lambda each: options.cases in each, _cases()):
        ours, theirs = [], []
        for number in range(options.repeats + 1):
            # what comes first changes from round to round, and the first round only compiles
            sides = [(Path(options.baseline), theirs), (_HERE, ours)]
            for folder, seconds in sides[:: 1 if number % 2 else -1]:
                seconds.append(_in_a_process(folder, name))
        before, after = min(theirs[1:]), min(ours[1:])
        above += after > options.limit * before
        print(
            f"{name:40} before {before:8.2f} s   now {after:8.2f} s   ratio {after / before:5.2f}", flush=True
        )
    print(
        f"{above} of {len(list(filter(lambda each: options.cases in each, _cases())))} above {options.limit}"
    )
    return 1 if above else 0


def _in_a_process(folder: Path, name: str) -> float:
    around = {**os.environ, "PYTHONPATH": str(folder / "src"), "NUMBA_NUM_THREADS": "1"}
    command = [sys.executable, str(Path(__file__)), "--measure", name]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=around, cwd=folder)
    return float(json.loads(done.stdout.splitlines()[-1]))


def _measured(name: str) -> float:
    """CPU seconds of the second of two runs: the first one loads what is compiled."""
    import tacita

    case = _cases()[name]
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        seconds = 0.0
        for number in range(2):
            plan = case(place / str(number))
            began = time.process_time()
            tacita.run(plan)
            seconds = time.process_time() - began
        return seconds


def _demo(folder: Path) -> Any:
    from tacita.demonstration import prepare_demo

    return prepare_demo(folder)


def _plan(folder: Path, source: Path, roles: dict[str, Any], protect: dict[str, Any]) -> Any:
    from tacita.microdata.plan import Plan

    outputs = {"path": "out.csv", "report": "report.html", "json": "report.json", "note": "note.html"}
    return Plan(
        input={"path": source},
        roles=roles,
        protect=protect,
        output={key: folder / name for key, name in outputs.items()},
    )


def _adult(roles: dict[str, Any], protect: dict[str, Any]) -> Callable[[Path], Any]:
    def plan(folder: Path) -> Any:
        folder.mkdir()
        source = Path(os.environ.get("TACITA_SHARED", "nowhere")) / "reference" / "arx" / "data" / "adult.csv"
        if not source.exists():
            raise SystemExit("adult is not at hand: TACITA_SHARED names the folder above reference/arx")
        own = dict(roles)
        if own.pop("hierarchies", False):
            own["hierarchy"] = {
                name: str(source.parent / f"adult_hierarchy_{name}.csv") for name in roles["quasi"]
            }
        return _plan(folder, source, own, protect)

    return plan


def _persons(roles: dict[str, Any], protect: dict[str, Any]) -> Callable[[Path], Any]:
    def plan(folder: Path) -> Any:
        from tacita import datasets, io

        folder.mkdir()
        source = folder / "persons.csv"
        io.write_frame(datasets.load("household", n=_LARGE), source)
        return _plan(folder, source, roles, protect)

    return plan


def _keys(roles: dict[str, Any], protect: dict[str, Any]) -> Callable[[Path], Any]:
    """Eight keys of 100 000 records of the reference figures, or the same made up."""

    def plan(folder: Path) -> Any:
        folder.mkdir()
        source = folder / "keys.csv"
        shared = Path(os.environ.get("TACITA_SHARED", "nowhere"))
        packed = shared / "reference" / "r" / "G_timing" / f"keys8_{_LARGE}.csv.gz"
        if packed.exists():
            source.write_bytes(gzip.decompress(packed.read_bytes()))
        else:
            _drawn_keys(source)
        return _plan(folder, source, roles, protect)

    return plan


def _drawn_keys(path: Path) -> None:
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


def _cases() -> dict[str, Callable[[Path], Any]]:
    eight = {"quasi": [f"k{j}" for j in range(1, 9)], "identifiers": ["hid"]}
    return {
        "demo": _demo,
        "adult, local suppression": _adult(
            {"quasi": list(_SOME_OF_ADULT)}, {"method": "local-suppression", "k": 3}
        ),
        "adult, generalise": _adult(
            {"quasi": list(_OF_ADULT), "hierarchies": True},
            {"method": "generalise", "k": 5, "suppression_limit": 0.02},
        ),
        "adult, local recoding": _adult(
            {"quasi": list(_OF_ADULT), "hierarchies": True}, {"method": "recode-local", "k": 5}
        ),
        "adult, mondrian": _adult({"quasi": list(_OF_ADULT)}, {"method": "mondrian", "k": 5}),
        "adult, pram": _adult(
            {"quasi": ["race", "workclass"], "nominal": ["race", "workclass"]}, {"method": "pram"}
        ),
        "100000 persons, blocks": _persons(
            {"quasi": list(_NUMBERS), "identifiers": list(_OF_PERSONS)}, {"method": "blocks", "k": 3}
        ),
        "100000 persons, rank swapping": _persons(
            {"quasi": list(_NUMBERS), "identifiers": list(_OF_PERSONS)}, {"method": "rank-swap"}
        ),
        "100000 persons, local suppression": _persons(
            {"quasi": ["region", "sex", "age", "education"], "identifiers": list(_OF_PERSONS)},
            {"method": "local-suppression", "k": 3},
        ),
        "100000 keys, local suppression": _keys(eight, {"method": "local-suppression", "k": 3}),
        "100000 keys, local recoding": _keys(eight, {"method": "recode-local", "k": 3}),
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
