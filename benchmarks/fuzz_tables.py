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

import sys
from pathlib import Path

from .drawn_cases import Judged, carry_out, enough_cases, options_of_releases


def main(words: list[str]) -> int:
    """Carry out so many cases."""
    import fuzzing_tables as fuzzing

    asked = options_of_releases("fuzz_tables", __doc__).parse_args(words)

    def judge(seed: int, folder: Path) -> Judged:
        case = fuzzing.drawn(seed)
        verdict = fuzzing.judged(case, folder)
        published = verdict.outcome in fuzzing.PUBLISHED
        return Judged(case, verdict.outcome, verdict.wrong, case.features if published else ())

    counts = carry_out(asked.first, judge, enough_cases(asked.count, asked.released))
    if asked.features:
        counts.print_features()
    outcomes = counts.outcomes
    pairs = [f"{source} to {target}" for source, target in fuzzing.PAIRS]
    print(
        f"cases {asked.first} to {counts.next - 1}: {outcomes['suppressed']} suppressed, "
        f"{outcomes['adjusted']} adjusted, {outcomes['refused']} refused in words, "
        f"{outcomes['nothing sensitive']} with nothing sensitive, {outcomes['wrong']} wrong; "
        f"{counts.of(fuzzing.METHODS, 'method ')} methods, {counts.of(pairs)} pairs of formats, "
        f"{counts.covered['linked']} of linked tables",
        flush=True,
    )
    return 1 if outcomes["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
