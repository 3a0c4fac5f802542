"""Every whole table that shows the same: small tables suppressed, and attacked without a line of tacita.

`python -m benchmarks.brute_force_tables --count 300 --first 0` draws small tables of one to three dimensions,
linked and hierarchical, of counts and amounts, with units, and suppresses them by every method. Then it
writes down all tables of whole numbers that show the same, up to a million each, and asks scipy's linear
programs for what real numbers allow. It looks for sensitive cells that an outsider, a singleton or, where
that was asked for, a contributor comes too close to, for known sums of suppressed cells that are sensitive,
and for tables that were refused without need. `--count` are the tables that were tried out in full. Prints
each case that is wrong with its number, which `--first` repeats; exits with 1 where there is one.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections import Counter
from pathlib import Path


def main(words: list[str]) -> int:
    """Draw cases until so many were tried out in full."""
    sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
    import brute_force

    parser = argparse.ArgumentParser(prog="python -m benchmarks.brute_force_tables", description=__doc__)
    parser.add_argument("--count", type=int, default=300, help="how many tables to try out in full")
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    asked = parser.parse_args(words)
    outcomes: Counter[str] = Counter()
    shapes: Counter[str] = Counter()
    tried, most, wrong, seed = 0, 0, 0, asked.first
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        while outcomes["tried out in full"] < asked.count:
            case = brute_force.drawn(seed)
            verdict = brute_force.judged(case)
            if verdict.outcome == "released":
                full = verdict.tables is not None
                outcomes["tried out in full" if full else "by linear programs alone"] += 1
                tried, most = tried + (verdict.tables or 0), max(most, verdict.tables or 0)
                shapes[case.shape] += full
            else:
                outcomes[verdict.outcome] += 1
            wrong += bool(verdict.wrong)
            for what in verdict.wrong:
                print(f"{seed} ({case}): {what}", flush=True)
            seed += 1
    print(", ".join(f"{count} {what}" for what, count in sorted(outcomes.items())))
    print(f"tried out in full: {', '.join(f'{count} {shape}' for shape, count in sorted(shapes.items()))}")
    print(f"{tried:,} whole tables in all, {most:,} at most of one; {wrong} cases wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
