"""KC and KCKW by the number of centres at the start, in our reading and in the plain one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from experiments.document import Cell, table
from experiments.files import SPOKEN, Matrix, loss, partition
from experiments.printed.kckw import STARTS
from experiments.printed.kckw import TABLE_1 as RANKS
from tacita.core import RunContext

from .losses import Loss

# c = n divided by these; n / 3 and n are the defaults of ours. KCKW has no limit of size to meet.
SHARES = {"kc": (2, 3, 4, 5), "kckw": (1, 2, 3)}
# "plain" takes records as they stand in the file and keeps centres while groups are mended: figures 1 and 2.
READINGS: dict[str, dict[str, Any]] = {"ours": {}, "plain": {"order": "file", "centres": "fixed"}}
# How many groups `kc` and `kckw` start from unless they are given a number.
USUAL = {"kc": 3, "kckw": 1}


@dataclass(frozen=True)
class Count:
    """Losses of random starts with n / `share` centres, in one reading."""

    method: str
    file: str
    share: int
    reading: str
    losses: list[float]

    @property
    def mean(self) -> float:
        """As the document has it: the mean over the starts."""
        return fmean(self.losses)

    @property
    def spoken_count(self) -> str:
        """The number of centres by that of the records."""
        return "n" if self.share == 1 else f"n/{self.share}"


def tried(
    data: Mapping[str, Matrix], run: RunContext, shares: Mapping[str, Sequence[int]] | None = None
) -> Iterator[Count]:
    """Every file, method, number of centres and reading, from the same five draws; k = 3."""
    cases = [
        (file, name, share, reading)
        for file in data
        for name, by in (shares or SHARES).items()
        for share in by
        for reading in READINGS
    ]
    for done, (file, name, share, reading) in enumerate(cases):
        run.report("KC and KCKW by the number of centres", done, len(cases))
        z, settings = data[file], {"groups": len(data[file]) // share, **READINGS[reading]}
        steered = [
            RunContext(seed=seed, threads=1, should_cancel=run.should_cancel) for seed in range(STARTS)
        ]
        found = [loss(z, partition(name, 3, z, each, **settings)[0]) for each in steered]
        yield Count(name, file, share, reading, found)


def section(found: Sequence[Count], ranked: Sequence[Loss]) -> str:
    """A row for each method, number and reading: the loss on each file, and how many others lose less."""
    files = list(dict.fromkeys(one.file for one in found))
    by = {(one.method, one.share, one.reading, one.file): one for one in found}
    rows: list[list[Cell]] = []
    for method, share, reading in dict.fromkeys((one.method, one.share, one.reading) for one in found):
        here = [by[method, share, reading, file] for file in files]
        cells = [
            f"{one.mean:.3f} ({min(one.losses):.3f} to {max(one.losses):.3f}): {ahead(one, ranked)} of "
            f"{_others(method, one.file)}"
            for one in here
        ]
        rows.append([method, here[0].spoken_count, reading, *cells])
    for method in dict.fromkeys(one.method for one in found):
        printed = [f"{printed_ahead(method, file)} of {_others(method, file)}" for file in files]
        rows.append([method, "not given", "printed", *printed])
    return table(["method", "c", "reading", *(SPOKEN[file] for file in files)], rows)


def ahead(one: Count, ranked: Sequence[Loss]) -> int:
    """How many of the other methods that document 003 ranks on this file lose less.

    >>> others = [Loss(name, "eia", 3, ours, None, 1.0, 9) for name, ours in (("md", 0.5), ("mdav", 0.2))]
    >>> ahead(Count("kc", "eia", 3, "ours", [0.2, 0.4]), others)
    1
    """
    losses = {each.method: each.ours for each in ranked if each.file == one.file}
    return sum(
        losses[name] < one.mean for name in losses if name != one.method and one.file in RANKS.get(name, ())
    )


def printed_ahead(method: str, file: str) -> int:
    """The same by the printed ranks, where two methods may share one.

    >>> printed_ahead("kc", "tarragona"), printed_ahead("kc", "census"), printed_ahead("kckw", "eia")
    (10, 7, 5)
    """
    return sum(by[file] < RANKS[method][file] for by in RANKS.values() if file in by)


def _others(method: str, file: str) -> int:
    return sum(file in by for name, by in RANKS.items() if name != method)


def summary(found: Sequence[Count], ranked: Sequence[Loss]) -> str:
    """How far the number of centres moves KC, and which settings have its printed place."""
    files = list(dict.fromkeys(one.file for one in found))
    spoken = []
    for file in files:
        here = [one for one in found if (one.method, one.file) == ("kc", file)]
        least, most = (pick(here, key=lambda one: one.mean) for pick in (min, max))
        spoken.append(
            f"{SPOKEN[file]} {least.mean:.2f} (c = {least.spoken_count}, {least.reading}) to "
            f"{most.mean:.2f} (c = {most.spoken_count}, {most.reading})"
        )
    return f"The choice of c decides KC: {'; '.join(spoken)}. {_as_printed(found, ranked, files)}"


def _as_printed(found: Sequence[Count], ranked: Sequence[Loss], files: Sequence[str]) -> str:
    said = []
    for method in dict.fromkeys(one.method for one in found):
        meets: dict[tuple[str, str], list[str]] = {}
        for one in found:
            if one.method == method:
                met = meets.setdefault((one.spoken_count, one.reading), [])
                as_printed = ahead(one, ranked) == printed_ahead(method, one.file)
                met += [SPOKEN[one.file]] if as_printed else []
        most = max(map(len, meets.values()))
        best = [
            f"c = {count}, {reading} ({', '.join(met)})"
            for (count, reading), met in meets.items()
            if len(met) == most > 0
        ]
        said.append(
            f"{method.upper()} has its printed place on {most} of {len(files)} files at most"
            f"{': ' if best else ''}{'; '.join(best)}."
        )
    return " ".join(said)
