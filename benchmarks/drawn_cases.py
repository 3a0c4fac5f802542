"""What runs over cases that are drawn by their number have in common: options, the loop, and the counts."""

from __future__ import annotations

import argparse
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Judged:
    """What became of a case, what is wrong with that, and what a published one has tried."""

    case: object
    outcome: str
    wrong: Sequence[str]
    features: Iterable[str] = ()


@dataclass
class Counts:
    """Outcomes and features of all cases so far, and the number of the next one."""

    next: int
    outcomes: Counter[str] = field(default_factory=Counter)
    covered: Counter[str] = field(default_factory=Counter)

    def of(self, names: Sequence[str], prefix: str = "") -> str:
        """How many of some features were covered."""
        return f"{sum(f'{prefix}{name}' in self.covered for name in names)} of {len(names)}"

    def print_features(self) -> None:
        """How often each feature was covered, a line each."""
        for feature, count in sorted(self.covered.items()):
            print(f"{count:6} {feature}")


def options(name: str, description: str | None, counted: str) -> argparse.ArgumentParser:
    """The options of all such runs; `counted` says what `--count` counts."""
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{name}", description=description)
    parser.add_argument("--count", type=int, default=300, help=counted)
    parser.add_argument("--first", type=int, default=0, help="number of the first one")
    return parser


def options_of_releases(name: str, description: str | None) -> argparse.ArgumentParser:
    """The same of runs that publish files."""
    parser = options(name, description, "how many cases")
    parser.add_argument("--released", action="store_true", help="count published cases, not refused ones")
    parser.add_argument("--features", action="store_true", help="print how often each feature was published")
    return parser


def carry_out(
    first: int, judge: Callable[[int, Path], Judged], enough: Callable[[Counter[str]], bool]
) -> Counts:
    """Draw and judge one case after the other until there are enough; prints what is wrong."""
    counts = Counts(first)
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        while not enough(counts.outcomes):
            judged = judge(counts.next, Path(folder))
            counts.outcomes["wrong" if judged.wrong else judged.outcome] += 1
            counts.covered.update(judged.features)
            for fault in judged.wrong:
                print(f"{counts.next} ({judged.case}): {fault}", flush=True)
            counts.next += 1
    return counts


def enough_cases(count: int, released: bool) -> Callable[[Counter[str]], bool]:
    """Whether there are so many cases, or so many that were not refused."""
    return lambda outcomes: outcomes.total() - released * outcomes["refused"] >= count
