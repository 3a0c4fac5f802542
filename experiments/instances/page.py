"""The page that tells what was found of the public tables."""

from __future__ import annotations

from collections.abc import Iterable

from experiments.document import Cell, seconds, table
from experiments.published import INSTANCES
from experiments.version import VERSION

from .trials import METHODS, Setting, Trial, Trials

_HEAD = ("table", "cells", "sums", "sensitive", "known before", "our best", "our bound", "gap", "best by")
_EACH = ("table", "cost", "bound", "gap", "secondary cells", "search, s", "with audit, s", "audit")
_COMPARED = """\
- "Known before" gives the bound and the cost of a pattern that a prototype of this project found, as quoted
  with the files; one figure where both are equal. Published results of other programs at the same costs and
  protection levels were not available, and none is quoted from memory.
- Costs are those of the files, summed over the secondary suppressions. Protection is by intervals at the
  levels of the files, against an attacker who knows their bounds."""


def page(setting: Setting, trials: Trials) -> str:
    """Markdown; every figure in it comes from the trials, or from what was known."""
    parts = [
        f"# Public tables: what is known, and ours{' (a quick part)' if setting.quick else ''}",
        f"Written by `{setting.command}`, version {VERSION}. At most {setting.cap:g} s of CPU time "
        "for a search, on one core.",
        *_unfinished(setting, trials),
        "The tables are those of the library CSPLIB, from the collection CUTEst, in the format of tau-ARGUS "
        "(JJ): hierarchical, of three to five dimensions, some linked. They are not part of this project. "
        "Every pattern was audited by code that is independent of the methods.",
        "## The best of each",
        table(_HEAD, _best(setting, trials)),
        "The gap is the largest possible saving of a better pattern, as a share of our cost, by the best "
        "of our bounds.",
        *(part for method in METHODS for part in _of_method(setting, method, trials)),
        "## What is compared",
        _COMPARED,
    ]
    return "\n\n".join(parts) + "\n"


def _unfinished(setting: Setting, trials: Trials) -> list[str]:
    whole = len(setting.names) * len(METHODS)
    if len(trials) >= whole:
        return []
    return [
        f"**This run is not finished**: the page rests on {len(trials)} of {whole} trials. The same command "
        "goes on from here."
    ]


def _best(setting: Setting, trials: Trials) -> Iterable[list[Cell]]:
    for name in setting.names:
        own = [trials[name, method] for method in METHODS if (name, method) in trials]
        if not own:
            continue
        found = [each for each in own if each.cost is not None]
        best = min(found, key=lambda each: each.cost or 0.0, default=None)
        bound = max((each.bound for each in own if each.bound is not None), default=None)
        known = INSTANCES.get(name)
        said = "" if known is None else _figure(known[0]) if known[0] == known[1] else _span(known)
        first = own[0]
        yield [
            *(f"`{name}`", first.cells, first.relations, first.sensitive, said),
            *(_figure(best.cost if best else None), _figure(bound)),
            *(_gap(best.cost if best else None, bound), best.method if best else "none"),
        ]


def _of_method(setting: Setting, method: str, trials: Trials) -> list[str]:
    own = [trials[name, method] for name in setting.names if (name, method) in trials]
    if not own:
        return []
    return [f"## By `{method}`", table(_EACH, map(_line, own))]


def _line(each: Trial) -> list[Cell]:
    if each.cost is None:
        told = f"none: {each.reason}"
        return [f"`{each.name}`", None, None, None, None, None, seconds(each.seconds), told]
    times = (seconds(each.search_seconds), seconds(each.seconds))
    audit = "passed" if each.audited else "failed"
    figures = (_figure(each.cost), _figure(each.bound), _gap(each.cost, each.bound), each.secondaries)
    return [f"`{each.name}`", *figures, *times, audit]


def _figure(value: float | None) -> str:
    return "none" if value is None else f"{value:,.2f}".rstrip("0").rstrip(".")


def _span(known: tuple[float, float]) -> str:
    return f"{_figure(known[0])} to {_figure(known[1])}"


def _gap(cost: float | None, bound: float | None) -> str:
    if cost is None or bound is None:
        return "none"
    share = max(0.0, (cost - bound) / cost) if cost > 0 else 0.0
    return "proven" if share <= 1e-9 else f"{100 * share:.2f} %"
