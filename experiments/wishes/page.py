"""The page of the wishes of the documents; every verdict in it follows from the figures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from experiments.document import Cell, seconds, table
from experiments.files import SPOKEN
from tacita._version import __version__

from .trials import EFFORT, SAMPLE, SEARCHES, WEIGHTS, Findings, Point, Search

_SEARCHES = """\
Groups of at least k records, of 2k at most where tabu search moves them. Searches start from MDAV or KCKW,
as their names say, and have one seed; ants start from nothing.

- swarm: 20 particles, each the centres of all groups; records go to centres from outside in.
- ants: 10 a round make groups from outside in by trail and nearness; the best partition lays trails.
- tabu: the best move of 30 records drawn by chance to groups of neighbours, or against their records."""


def page(found: Findings) -> str:
    """Markdown; every figure in it comes from the trials."""
    files = list(dict.fromkeys(each.file for each in found.searches))
    drawn = SAMPLE // 3 if found.quick else SAMPLE
    shown = " and ".join(_spoken(file, drawn) for file in files)
    parts = [
        f"# Wishes of the papers, measured{' (a quick part)' if found.quick else ''}",
        f"Written by `python -m experiments wishes{' --quick' if found.quick else ''}`, version "
        f"{__version__}. The "
        "documents name searches that they would try next. Those that tacita does not offer as methods "
        "were run here, "
        f"on {shown}, all attributes standardised. The yardstick is [best](../methods/best.md) with an "
        f"effort of "
        f"{EFFORT}. Processor seconds are of one run on one core and say the order of magnitude only.",
        "## Searches for the least loss",
        _SEARCHES,
        *(part for file in files for part in _of_file(file, found.searches)),
        _verdict(found.searches),
        "## Loss and risk at once",
        "Annealing from the groups of `best` at the least k, of squared error and of groups whose mean "
        "leads to one of "
        "their own records (which is DLD of a microaggregation, group by group), for the weights "
        f"{', '.join(f'{weight:g}' for weight in WEIGHTS)}. DR also holds linkage by other attackers, "
        f"which no search saw.",
        *(_points(file, found.front, "k at least") for file in files),
        _front_verdict(found.front),
        "## Microaggregation and synthesis together",
        "Synthetic records that keep means and covariances of every group of MDAV, for groups of many "
        "records; all in "
        "one is a synthesis of the whole file. `best` publishes means of small groups.",
        *(_points(file, found.mixed, "k") for file in files),
        _mixed_verdict(found.mixed),
        "## What follows",
        "None of these is a method of tacita. For the least loss, a search has to beat `best` in its "
        "time. Groups made "
        "for loss and risk at once need an attacker who knows how they were made before they can be "
        "promised. The code "
        "stays in `experiments/wishes`, so that the question need not be asked again.",
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
    return "What each loses more than the yardstick:\n\n" + "\n".join(lines)


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
        "It lowers the risk that it is shown: groups are bent until their mean is nearer to a stranger. "
        "A part of DR "
        "is nearly the same linkage; an attacker who knows that groups were made so may link otherwise, "
        "which no "
        "figure here measures."
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
            f"- {SPOKEN[file]}: the best SCORE of groups is {groups.score:.2f} (k = {groups.k}), of all in "
            f"one {whole.score:.2f}, of means {means.score:.2f} (k = {means.k}). Value by value (IL1) these "
            f"lose {groups.il1:.1f}, {whole.il1:.1f} and {means.il1:.1f} %. Grouping {_gain(groups, whole)} "
            f"against the synthesis of the whole file: DR is {groups.dr:.2f} against {whole.dr:.2f} %."
        )
    return "\n".join(lines)


def _score(point: Point) -> float:
    return point.score


def _gain(groups: Point, whole: Point) -> str:
    return "wins by SCORE" if groups.score < whole.score else "loses by SCORE"
