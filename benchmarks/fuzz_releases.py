"""Releases at random over methods and formats, read by software that knows nothing of tacita.

`python -m benchmarks.fuzz_releases --count 2000 --first 0` protects small files of odd columns by one to
three steps, writes every format from every format, reads the releases with pandas, pyreadstat and Python's
csv module, and counts what is below what was promised, what changed that should not have, and releases that
failed tacita's own verification. Prints each such case with its number, which `--first` repeats, and how many
methods and pairs of formats were covered; exits with 1 where something is wrong.
"""

from __future__ import annotations

import sys
from pathlib import Path

from .drawn_cases import Judged, carry_out, enough_cases, options_of_releases


def main(words: list[str]) -> int:
    """Carry out so many cases."""
    import fuzzing

    parser = options_of_releases("fuzz_releases", __doc__)
    parser.add_argument("--methods", default="", help="only these for the first step, separated by commas")
    asked = parser.parse_args(words)
    only = tuple(filter(None, asked.methods.split(",")))

    def judge(seed: int, folder: Path) -> Judged:
        case = fuzzing.drawn(seed, only=only)
        faults = fuzzing.failures(case, folder)
        refused = fuzzing.refused(case, folder)
        methods = " + ".join(part["method"] for part in case.parts)
        named = f"{methods}, {case.source} to {case.target}"
        return Judged(named, "refused" if refused else "released", faults, () if refused else case.features)

    counts = carry_out(asked.first, judge, enough_cases(asked.count, asked.released))
    if asked.features:
        counts.print_features()
    outcomes = counts.outcomes
    pairs = [f"{source} to {target}" for source, target in fuzzing.PAIRS]
    print(
        f"cases {asked.first} to {counts.next - 1}: {outcomes['released']} released, {outcomes['refused']} "
        f"refused in words, {outcomes['wrong']} wrong; {counts.of([*fuzzing.METHODS], 'method ')} methods, "
        f"{counts.of(pairs)} pairs of formats, {counts.covered['several steps']} of several steps",
        flush=True,
    )
    return 1 if outcomes["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
