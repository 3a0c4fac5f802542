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

import sys
from collections import Counter
from pathlib import Path

from .drawn_cases import Judged, carry_out, options

_FULL = "tried out in full"


def main(words: list[str]) -> int:
    """Draw cases until so many were tried out in full."""
    import brute_force

    asked = options("brute_force_tables", __doc__, "how many tables to try out in full").parse_args(words)
    tried: list[int] = []

    def judge(seed: int, _: Path) -> Judged:
        case = brute_force.drawn(seed)
        verdict = brute_force.judged(case)
        if verdict.outcome != "released" or verdict.wrong:
            return Judged(case, verdict.outcome, verdict.wrong)
        if verdict.tables is None:
            return Judged(case, "by linear programs alone", ())
        tried.append(verdict.tables)
        return Judged(case, _FULL, (), [case.shape])

    def enough(outcomes: Counter[str]) -> bool:
        return outcomes[_FULL] + outcomes["wrong"] >= asked.count

    counts = carry_out(asked.first, judge, enough)
    wrong = counts.outcomes.pop("wrong", 0)
    print(", ".join(f"{count} {what}" for what, count in sorted(counts.outcomes.items())))
    print(f"{_FULL}: {', '.join(f'{count} {shape}' for shape, count in sorted(counts.covered.items()))}")
    print(
        f"{sum(tried):,} whole tables in all, {max(tried, default=0):,} at most of one; {wrong} cases wrong"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
