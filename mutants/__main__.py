"""Would a test notice if a verifier were wrong? `python -m mutants [--module cells] [--sample 200]`.

Prints a line of progress, every mutant that no test kills, and the score of each module. Ends with 0 where
all mutants are killed, with 1 where some live on, with 2 where tests fail without a mutant.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tomllib
from collections import defaultdict
from pathlib import Path

HERE = Path(__file__).parent
SOURCE, TESTS = HERE.parent / "src" / "tacita", HERE.parent / "tests"

# Verifiers, and the tests that speak of them; the examples of the modules themselves are tests too.
MODULES = {
    "microdata": sorted((SOURCE / "microdata" / "verify").glob("*.py")),
    "tables": [
        *(SOURCE / "tables" / f"{name}.py" for name in ("audit", "judge", "attacker", "leaks", "certify")),
        SOURCE / "tables" / "release.py",
        SOURCE / "core" / "contributors.py",
        SOURCE / "core" / "pattern.py",
    ],
}
SPEAKING = {
    "microdata": [*sorted((TESTS / "microdata").rglob("test_verify_*.py"))],
    "tables": [
        *sorted((TESTS / "tables").glob("test_*.py")),
        TESTS / "core" / "test_table.py",
        TESTS / "io" / "test_published.py",
        TESTS / "test_cli_audit.py",
    ],
}


def main(words: list[str]) -> int:
    """Make mutants, run them, tell."""
    asked = _parser().parse_args(words)
    # children share two cores, and threads do not survive a fork
    for variable in ("OMP", "OPENBLAS", "NUMBA", "POLARS_MAX"):
        os.environ[f"{variable}_THREADS" if "MAX" in variable else f"{variable}_NUM_THREADS"] = "1"
    from .making import mutants
    from .running import Fate, run

    modules, tests = _chosen(asked)
    if not modules:
        print(f"no module named {asked.module}")
        return 2
    reasons = _equivalents(Path(asked.equivalents))
    made = [mutant for path in modules for mutant in mutants(path)]
    stale = set(reasons) - {mutant.key for mutant in made} if not asked.module and not asked.source else set()
    live = [mutant for mutant in made if mutant.key not in reasons]
    if asked.sample and asked.sample < len(live):
        chosen = set(random.Random(1).sample(range(len(live)), asked.sample))
        live = [mutant for at, mutant in enumerate(live) if at in chosen]
    survivors = 0

    def told(fate: Fate, of: int) -> None:
        nonlocal survivors, done
        done += 1
        if fate.killer is None:
            survivors += 1
            mutant = fate.mutant
            where = f"{os.path.relpath(mutant.path)}:{mutant.number}, {mutant.function or 'top'}"
            tests = f"{fate.tests} tests run it" if fate.tests else "no test runs it"
            print(f"\r{where}: {mutant.change} ({tests})")
        print(f"\r{done} of {of} mutants, {survivors} live ", end="", file=sys.stderr, flush=True)

    done = 0
    if not asked.source:
        _warm()
    fates, broken = run(live, [str(path) for path in tests], asked.processes, asked.seconds, told)
    if broken:
        print(f"without any mutant, these fail: {', '.join(broken)}")
        return 2
    _tell(fates, sum(mutant.key in reasons for mutant in made))
    for file, function, line, change in sorted(stale):
        print(f"an equivalent that matches nothing: {file}, {function}, {line}, {change}")
    return 1 if survivors or stale else 0


def _warm() -> None:
    """Load compiled kernels once for all; nothing here starts a thread, which no fork would survive."""
    import numpy as np
    import pyarrow as pa

    import tacita
    from tacita.core import Table
    from tacita.tables.audit import audit

    tacita.protect(pa.table({"x": np.arange(12.0)}), quasi=["x"], measures=["IL1"])
    table = Table.from_array(np.arange(1.0, 10.0).reshape(3, 3), primary=np.eye(3, dtype=bool))
    audit(table, table.inner, "exact")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m mutants", description=__doc__)
    parser.add_argument("--module", help="only modules whose path ends so, such as cells or verify/cells")
    parser.add_argument("--sample", type=int, help="so many mutants, the same each time")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument(
        "--seconds", type=float, default=8.0, help="of tests for a mutant; 0: all that run it"
    )
    parser.add_argument("--source", nargs="+", type=Path, help="other modules than the verifiers")
    parser.add_argument("--tests", nargs="+", type=Path, help="their tests")
    parser.add_argument("--equivalents", default=HERE / "equivalent.toml", help="mutants that change nothing")
    return parser


def _chosen(asked: argparse.Namespace) -> tuple[list[Path], list[Path]]:
    if asked.source:
        return [path.resolve() for path in asked.source], [path.resolve() for path in asked.tests or ()]
    modules: list[Path] = []
    tests: list[Path] = []
    for kind, paths in MODULES.items():
        wanted = [path for path in paths if not asked.module or _matches(path, asked.module)]
        if wanted:
            modules += wanted
            tests += [*SPEAKING[kind], *wanted]
    return modules, tests


def _matches(path: Path, name: str) -> bool:
    return f"/{path.with_suffix('')}".endswith(f"/{name.removesuffix('.py')}")


def _equivalents(path: Path) -> dict[tuple[str, str, str, str], str]:
    """Mutants that behave as the original does, each with the reason."""
    listed = tomllib.loads(path.read_text(encoding="utf-8")).get("equivalent", [])
    return {
        (one["file"], one["function"], one["line"], change): one["reason"]
        for one in listed
        for change in one["changes"]
    }


def _tell(fates: list, equivalent: int) -> None:
    by_module = defaultdict(list)
    for fate in fates:
        by_module[f"{fate.mutant.path.parent.name}/{fate.mutant.path.name}"].append(fate)
    print(f"\n{'module':<28} {'mutants':>8} {'killed':>8} {'live':>6} {'score':>8}")
    for name, own in [*sorted(by_module.items()), ("all", fates)]:
        killed = sum(fate.killer is not None for fate in own)
        share = 100 * killed / max(len(own), 1)
        print(f"{name:<28} {len(own):>8} {killed:>8} {len(own) - killed:>6} {share:>6.1f} %")
    print(f"{equivalent} more are known to change nothing")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
