"""Columns that give hidden keys back: `python -m benchmarks.determining_columns`.

Protects 50 files in which a column, a pair, a triple, an order or a sum that gives a hidden key back was
planted (every kind of the module of this name in tests/support, in turn), and 50 without one. A planted one
is found where it is named, in the refusal or in a warning. Prints each file that was judged wrongly, then
both counts; exits with 1 where there is one.
"""

from __future__ import annotations

import argparse
import sys
import warnings


def main(words: list[str]) -> int:
    """Judge so many files of each."""
    import determining_columns
    import tacita
    from tacita.core import InferenceError

    parser = argparse.ArgumentParser(prog="python -m benchmarks.determining_columns", description=__doc__)
    parser.add_argument("--count", type=int, default=50, help="files of each")
    parser.add_argument("--first", type=int, default=0, help="number of the first ones")
    options = parser.parse_args(words)
    numbers = range(options.first, options.first + options.count)
    found = few = refused = warned = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seed in numbers:
            plant = determining_columns.PLANTS[seed % len(determining_columns.PLANTS)]
            frame, how, names = determining_columns.planted(seed, plant)
            try:
                release = tacita.protect(frame, **how)
                # what exposes no more than may be is released, with a warning
                known = [each for verdict in release.record.verdicts for each in verdict.inferred]
                few += bool(known)
            except InferenceError as problem:
                known = list(problem.found)
            named = {name for each in known for by in each.columns for name in by}
            found += bool(named & names)
            if not named & names:
                print(f"planted {seed} ({plant}, {len(frame)} records): named {named or None}", flush=True)
        for seed in numbers:
            frame, how = determining_columns.clean(seed)
            try:
                release = tacita.protect(frame, **how)
                told = [each.text for each in release.record.warnings if each.name == "cells-determined"]
                warned += bool(told)
            except InferenceError as problem:
                told = [str(problem)]
                refused += 1
            for text in told:
                print(f"clean {seed} ({how['method']}, {len(frame)} records): {text}", flush=True)
    print(
        f"planted columns: {found} of {len(numbers)} found ({few} of them expose too few to be refused); "
        f"files without one: {refused} of {len(numbers)} refused, {warned} warned of"
    )
    return 0 if found == len(numbers) and not refused else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
