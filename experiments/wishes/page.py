"""The page of the wishes of the documents; every verdict in it follows from the figures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from experiments.document import Cell, seconds, table
from experiments.files import SPOKEN
from experiments.version import VERSION

from .trials import EFFORT, SAMPLE, SEARCHES, WEIGHTS, Findings, Point, Search

_SEARCHES = """\
Groups have at least k records, and at most 2k in tabu search. Searches have one seed and start from MDAV, or
from KCKW where they are named so; ants start from no partition.

- swarm: particle swarm of 20 particles, whose positions are the centres of all groups; records are assigned
  to centres from the outside in.
- ants: 10 ants per round form groups from the outside in, by pheromone and distance; the best partition
  deposits pheromone.
- tabu: the best move of 30 random records into groups of their neighbours, or swap with a record of these."""


def page(found: Findings) -> str:
    """Markdown; every figure in it comes from the trials."""
    files = list(dict.fromkeys(each.file for each in found.searches))
    drawn = SAMPLE // 3 if found.quick else SAMPLE
    shown = " and ".join(_spoken(file, drawn) for file in files)
    parts = [
        f"# Wishes of the papers, measured{' (a quick part)' if found.quick else ''}",
        f"Written by `python -m experiments wishes{' --quick' if found.quick else ''}`, version "
        f"{VERSION}. The "
        "documents propose searches as future work. Those that tacita does not offer as methods were run on "
        f"{shown}, with all attributes standardised. The reference is [best](../methods/best.md) with an "
        f"effort of {EFFORT}. CPU seconds are those of one run on one core; only their order of magnitude "
        "matters.",
        "## Searches for the least loss",
        _SEARCHES,
        *(part for file in files for part in _of_file(file, found.searches)),
        _verdict(found.searches),
        "## Loss and risk at once",
        "Simulated annealing from the groups of `best` at the smallest k. The objective is the squared "
        "error plus a weight times the number of groups whose mean is nearest to one of their own records "
        f"(the DLD of a microaggregation); weights {', '.join(f'{weight:g}' for weight in WEIGHTS)}. DR "
        "includes linkage by other attackers, which the searches do not see.",
        *(_points(file, found.front, "k at least") for file in files),
        _front_verdict(found.front),
        "## Microaggregation and synthesis together",
        "Synthetic records that keep the means and covariances of every group of MDAV, for large groups; "
        "with one group of all records it is a synthesis of the file. `best` publishes the means of small "
        "groups.",
        *(_points(file, found.mixed, "k") for file in files),
        _mixed_verdict(found.mixed),
        "## What follows",
        "None of these is a method of tacita. For the least loss, a search would have to beat `best` in "
        "the same time. Groups that optimise loss and risk together would first have to withstand an "
        "attacker who knows how they were made. The code is in `experiments/wishes`, so that the "
        "measurements can be repeated.",
    ]
    return "\n\n".join(parts) + "\n"


def _spoken(file: str, drawn: int) -> str:
    return f"a sample of {drawn} records of {SPOKEN[file]}" if file == "census" else SPOKEN[file]


def _of_file(file: str, searches: Sequence[Search]) -> Iterable[str]:
    own = [each for each in searches if each.file == file]
    sizes = list(dict.fromkeys(each.k for each in own))
    at = {(each.way, each.k): each for each in own}
    rows: list[list[Cell]] = [
        [
            way,
            *(cell for k in sizes for cell in (at[way, k].loss, seconds(at[way, k].seconds))),
        ]
        for way in SEARCHES
    ]
    head = ["search", *(word for k in sizes for word in (f"IL1 %, k = {k}", "s"))]
    yield f"### {SPOKEN[file]}: searches"
    yield table(head, rows)


def _ratios(searches: Sequence[Search], way: str) -> list[float]:
    """By how many percent the loss of a way is above that of the yardstick, case by case."""
    best = {(each.file, each.k): each.loss for each in searches if each.way == "best"}
    return [100 * (each.loss / best[each.file, each.k] - 1) for each in searches if each.way == way]


def _verdict(searches: Sequence[Search]) -> str:
    lines = []
    for way in SEARCHES:
        if way == "best":
            continue
        above = _ratios(searches, way)
        lost = sum(each > 0.005 for each in above)
        lines.append(
            f"- {way}: {_signed(min(above))} to {_signed(max(above))} against `best`; it loses in {lost} "
            f"of {len(above)} "
            "cases."
        )
    return "Loss relative to the reference:\n\n" + "\n".join(lines)


def _signed(value: float) -> str:
    return f"{value:+.1f} %"


def _points(file: str, points: Sequence[Point], size: str) -> str:
    rows: list[list[Cell]] = [
        [
            each.way,
            "all" if each.k is None else each.k,
            *(each.il1, each.pil, each.dld, each.dr, each.score),
        ]
        for each in points
        if each.file == file
    ]
    head = (SPOKEN[file], size, "IL1 %", "PIL %", "DLD %", "DR %", "SCORE")
    return table(head, rows)


def _beaten(one: Point, others: Sequence[Point], risk: str) -> bool:
    return any(
        each.il1 <= one.il1 and getattr(each, risk) <= getattr(one, risk)
        for each in others
        if each.file == one.file
    )


def _front_verdict(points: Sequence[Point]) -> str:
    yard = [each for each in points if each.way == "best"]
    ours = [each for each in points if each.way != "best"]
    found, dr = ([each for each in ours if not _beaten(each, yard, risk)] for risk in ("dld", "dr"))
    ahead = sum(_beaten(each, ours, "dld") for each in yard)
    behind = sum(_beaten(each, ours, "dr") for each in yard)
    lines = [
        f"In IL1 and DLD, {len(found)} of {len(ours)} partitions found are beaten by no k of `best`, and "
        f"{ahead} of "
        f"{len(yard)} points of `best` are beaten by one of them. In IL1 and DR it is {len(dr)} of "
        f"{len(ours)}, and "
        f"{behind} of {len(yard)}.",
    ]
    for file in dict.fromkeys(each.file for each in points):
        one, other = (min((each for each in part if each.file == file), key=_score) for part in (yard, ours))
        lines.append(
            f"On {SPOKEN[file]} the least SCORE of the search is {other.score:.2f}, of `best` "
            f"{one.score:.2f} "
            f"(k = {one.k}): the search {'wins' if other.score < one.score else 'loses'}."
        )
    lines.append(
        "The search lowers the risk measure that it optimises: groups are changed until their mean is "
        "nearer to a record of another group. DR contains nearly the same linkage; an attacker who knows "
        "how the groups were made may link in another way, which no figure here measures."
    )
    return " ".join(lines)


def _mixed_verdict(points: Sequence[Point]) -> str:
    lines = []
    for file in dict.fromkeys(each.file for each in points):
        own = [each for each in points if each.file == file]
        means, groups, whole = (
            min((each for each in own if (each.way == "means of groups", each.k is None) == kind), key=_score)
            for kind in ((True, False), (False, False), (False, True))
        )
        lines.append(
            f"- {SPOKEN[file]}: the lowest SCORE of synthesis in groups is {groups.score:.2f} (k = "
            f"{groups.k}), of one synthesis {whole.score:.2f}, of means {means.score:.2f} (k = {means.k}). "
            f"Their IL1 is {groups.il1:.1f}, {whole.il1:.1f} and {means.il1:.1f} %. Grouping "
            f"{_gain(groups, whole)} against the synthesis of the whole file: DR is {groups.dr:.2f} against "
            f"{whole.dr:.2f} %."
        )
    return "\n".join(lines)


def _score(point: Point) -> float:
    return point.score


def _gain(groups: Point, whole: Point) -> str:
    return "wins by SCORE" if groups.score < whole.score else "loses by SCORE"
