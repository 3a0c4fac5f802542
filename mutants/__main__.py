"""Would a test notice if a verifier were wrong? `python -m mutants [--module cells] [--sample 200]`.

Prints a line of progress, every mutant that no test kills, and the score of each module. Ends with 0 where
all mutants are killed, with 1 where some live on, with 2 where tests fail without a mutant.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import sys
import tomllib
from collections import defaultdict
from pathlib import Path

from .making import mutants
from .running import Fate, Limits, run

HERE = Path(__file__).parent
SOURCE, TESTS = HERE.parent / "src" / "tacita", HERE.parent / "tests"

# Verifiers, and the tests that speak of them; the examples of the modules themselves are tests too.
MODULES = {
    "microdata": [
        *sorted((SOURCE / "microdata" / "verify").glob("*.py")),
        SOURCE / "core" / "results" / "verdicts.py",
    ],
    "tables": [
        *sorted((SOURCE / "tables" / "verify").glob("*.py")),
        SOURCE / "tables" / "input" / "contributor_columns.py",
        *(SOURCE / "io" / "tables" / f"{name}.py" for name in ("reading", "csv", "excel", "html")),
        SOURCE / "core" / "data" / "contributors.py",
        SOURCE / "core" / "data" / "suppression_pattern.py",
    ],
}
_OF_VERIFIERS = re.compile(r"planting|import verify|microdata\.verify")
SPEAKING = {
    "microdata": [
        *sorted(
            path
            for path in (TESTS / "microdata").rglob("test_*.py")
            if _OF_VERIFIERS.search(path.read_text("utf-8"))
        ),
        TESTS / "microdata" / "streaming" / "test_in_parts.py",
    ],
    "tables": [
        *sorted((TESTS / "tables").glob("test_*.py")),
        *sorted((TESTS / "tables" / "input").glob("test_*.py")),
        *sorted((TESTS / "tables" / "release").glob("test_*.py")),
        *sorted((TESTS / "tables" / "verify").glob("test_*.py")),
        *(
            TESTS / "core" / "data" / f"test_{name}.py"
            for name in ("contributors", "suppression_pattern", "table")
        ),
        TESTS / "io" / "test_published.py",
        TESTS / "cli" / "test_audit.py",
    ],
}


def main(words: list[str]) -> int:
    """Make mutants, run them, tell."""
    asked = _parser().parse_args(words)
    # children share two cores, and threads do not survive a fork
    for variable in ("OMP", "OPENBLAS", "NUMBA", "POLARS_MAX"):
        os.environ[f"{variable}_THREADS" if "MAX" in variable else f"{variable}_NUM_THREADS"] = "1"
    modules, tests = _chosen(asked)
    if not modules:
        print(f"no module named {', '.join(asked.module)}")
        return 2
    known = known_equivalents(asked.equivalents or (None if asked.source else HERE / "equivalent.toml"))
    made = [mutant for path in modules for mutant in mutants(path)]
    tried = [mutant for mutant in made if mutant.key not in known]
    if asked.lines:
        tried = [mutant for mutant in tried if mutant.number in asked.lines]
    if asked.sample and asked.sample < len(tried):
        chosen = set(random.Random(1).sample(range(len(tried)), asked.sample))
        tried = [mutant for at, mutant in enumerate(tried) if at in chosen]
    if not asked.source:
        _warm()
    limits = Limits(asked.processes, asked.seconds, asked.patience)
    fates, broken = run(tried, [str(path) for path in tests], limits, _tell_progress)
    if broken:
        print(f"without any mutant, these fail: {', '.join(broken)}")
        return 2
    _tell_scores(fates)
    if len(fates) < len(tried):
        print(f"stopped after {len(fates)} of {len(tried)} mutants")
        return 2
    print(f"{sum(mutant.key in known for mutant in made)} more are known to change nothing")
    stale = set() if asked.module else known - {mutant.key for mutant in made}
    for file, function, line, change in sorted(stale):
        print(f"an equivalent that matches nothing: {file}, {function}, {line}, {change}")
    return 1 if stale or any(fate.killer is None for fate in fates) else 0


def _tell_progress(fates: list[Fate], of: int) -> None:
    mutant, live = fates[-1].mutant, sum(fate.killer is None for fate in fates)
    if fates[-1].killer is None:
        where = f"{os.path.relpath(mutant.path)}:{mutant.number}, {mutant.function or 'top level'}"
        tests = f"{fates[-1].tests} tests ran it" if fates[-1].tests else "no test runs it"
        print(f"\r{where}: {mutant.change} ({tests})", flush=True)
    print(f"\r{len(fates)} of {of} mutants, {live} live ", end="", file=sys.stderr, flush=True)


def _warm() -> None:
    """Load compiled kernels once for all; nothing here starts a thread, which no fork would survive."""
    import numpy as np
    import pyarrow as pa

    import tacita
    from tacita.core import Table
    from tacita.tables.verify.audit import audit

    numbers = pa.table({"x": np.arange(12.0), "y": np.arange(12), "u": list("abcdefghijkl")})
    for frame in (numbers, numbers.to_pandas()):
        tacita.protect(frame, quasi=["x", "y"], unit="u", identifiers=["u"], measures=["IL1"])
    table = Table.from_array(np.arange(1.0, 10.0).reshape(3, 3), primary=np.eye(3, dtype=bool))
    audit(table, table.inner, "exact")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m mutants", description=__doc__)
    parser.add_argument(
        "--module", nargs="+", help="only modules whose path ends so, such as cells or verify/cells"
    )
    parser.add_argument("--lines", nargs="+", type=int, help="only faults of these lines")
    parser.add_argument("--sample", type=int, help="so many mutants, the same each time")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=10.0, help="of tests per mutant; 0: all that run it")
    parser.add_argument("--patience", type=float, default=10.0, help="seconds until a test counts as hanging")
    parser.add_argument("--source", nargs="+", type=Path, help="other modules than the verifiers")
    parser.add_argument(
        "--tests", nargs="+", type=Path, help="other tests than those that speak of the modules"
    )
    parser.add_argument("--equivalents", type=Path, help="mutants that change nothing")
    return parser


def _chosen(asked: argparse.Namespace) -> tuple[list[Path], list[Path]]:
    given = [path.resolve() for path in asked.tests or ()]
    if asked.source:
        return [path.resolve() for path in asked.source], given
    modules: list[Path] = []
    tests: list[Path] = []
    for kind, paths in MODULES.items():
        wanted = [
            path for path in paths if not asked.module or any(_matches(path, name) for name in asked.module)
        ]
        if wanted:
            modules += wanted
            tests += [*SPEAKING[kind], *wanted]
    return modules, given or tests


def _matches(path: Path, name: str) -> bool:
    return f"/{path.with_suffix('')}".endswith(f"/{name.removesuffix('.py')}")


def known_equivalents(path: Path | None) -> set[tuple[str, str, str, str]]:
    """Mutants that behave as the original does; the file says why."""
    if path is None:
        return set()
    listed = tomllib.loads(path.read_text(encoding="utf-8")).get("equivalent", [])
    for one in listed:
        if not one["reason"].strip():
            raise SystemExit(f"{path}: an equivalent in {one['file']} gives no reason")
    return {
        (one["file"], one["function"], one["line"], change) for one in listed for change in one["changes"]
    }


def _tell_scores(fates: list[Fate]) -> None:
    by_module = defaultdict(list)
    for fate in fates:
        by_module[f"{fate.mutant.path.parent.name}/{fate.mutant.path.name}"].append(fate)
    print(f"\n{'module':<28} {'mutants':>8} {'killed':>8} {'live':>6} {'score':>8}")
    for name, own in [*sorted(by_module.items()), ("all", fates)]:
        killed = sum(fate.killer is not None for fate in own)
        share = 100 * killed / max(len(own), 1)
        print(f"{name:<28} {len(own):>8} {killed:>8} {len(own) - killed:>6} {share:>6.1f} %")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
