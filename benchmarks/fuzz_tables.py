"""Tables at random over methods and files, read and attacked by code that knows nothing of tacita.

`python -m benchmarks.fuzz_tables --count 1000 --first 0` draws small tables from records of every format, of
one to three dimensions, hierarchical and linked, weighted or not, and publishes them by plans and commands,
through lists of cells and files of tau-ARGUS, suppressed or adjusted by every method. It reads the files with
Python's csv module, openpyxl and html.parser, and counts values that are not those of the records, sensitive
cells that linear programs, singletons or contributors come too close to, known sums, broken promises of
adjusted tables, tables refused without need, and releases that failed tacita's own verification. Prints each
such case with its number, which `--first` repeats, and how many methods and files were covered; exits with 1
where something is wrong.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path


def main(words: list[str]) -> int:
    """Carry out so many cases."""
    sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
    import fuzzing_tables as fuzzing

    parser = argparse.ArgumentParser(prog="python -m benchmarks.fuzz_tables", description=__doc__)
    parser.add_argument("--count", type=int, default=300, help="how many cases")
    parser.add_argument("--first", type=int, default=0, help="number of the first one")
    parser.add_argument(
        "--released", action="store_true", help="count published cases alone, not refused ones"
    )
    parser.add_argument("--features", action="store_true", help="print how often each feature was published")
    options = parser.parse_args(words)
    outcomes: Counter[str] = Counter()
    covered: Counter[str] = Counter()
    seed = options.first
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        while (outcomes.total() - options.released * outcomes["refused"]) < options.count:
            case = fuzzing.drawn(seed)
            verdict = fuzzing.judged(case, Path(folder))
            outcomes["wrong" if verdict.wrong else verdict.outcome] += 1
            if verdict.outcome in fuzzing.PUBLISHED:
                covered.update(case.features)
            for fault in verdict.wrong:
                print(f"{seed} ({case}): {fault}", flush=True)
            seed += 1
    if options.features:
        for feature, count in sorted(covered.items()):
            print(f"{count:6} {feature}")
    methods = sum(f"method {name}" in covered for name in fuzzing.METHODS)
    pairs = sum(f"{source} to {target}" in covered for source, target in fuzzing.PAIRS)
    print(
        f"cases {options.first} to {seed - 1}: {outcomes['suppressed']} suppressed, {outcomes['adjusted']} "
        f"adjusted, {outcomes['refused']} refused in words, {outcomes['nothing sensitive']} with nothing "
        f"sensitive, {outcomes['wrong']} wrong; {methods} of {len(fuzzing.METHODS)} methods, {pairs} of "
        f"{len(fuzzing.PAIRS)} pairs of formats, {covered['linked']} of linked tables",
        flush=True,
    )
    return 1 if outcomes["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
