"""The page that tells what became of the tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

import numpy as np

from experiments.document import Cell, seconds, table
from experiments.printed.slides import HEADLINES, MINUTES
from experiments.version import VERSION

from .experiments import LARGEST_VALUE, LEVEL, SMALL, Found
from .setting import SIZES, Objective, Setting, cases

SPOKEN = {"general": "General (G)", "exact": "Exact (E)", "interval": "Interval (I)"}
LEAST = {"value": "least value", "count": "least number"}

_HEADLINES = (
    "problem",
    "tables, source",
    "tables, ours",
    "minimised",
    "proven, source",
    "proven, ours",
    "mean time, source",
    "mean time, ours",
    "worst gap, ours",
)
_NOT_COMPARABLE = """\
- The source's tables are not available. The slides give the smallest and the largest size, but neither the
  other sizes nor densities, machine and solver; those here are our choice. Only the headline figures can be
  compared with ours, and a higher share here may be due to easier tables or a faster machine.
- The source's figures are those of its own methods: a Lagrangean algorithm with a heuristic for G and E, an
  exact algorithm with necessary conditions of flow, pattern and volume for I. Those methods are `lagrange`
  and `three-phase` here; our headlines are those of `optimal` unless another method is named.
- Zeros are published for G and I. For E they may be suppressed, at a cost of 1. Values are drawn uniformly,
  so that one cell in 500 is zero and E differs little from G, unless a share of zeros is given.
- Sums are published in all tables, except where they may be suppressed."""


def page(setting: Setting, found: Sequence[Found], beside: Sequence[str] = ()) -> str:
    """Markdown; every figure in it comes from the findings or from print. `beside` are further sections."""
    parts = [
        f"# Tables: published figures beside ours{_kind(setting)}",
        f"Written by `{setting.command}`, version {VERSION}. {_extent(setting)}",
        *_unfinished(setting, found),
        "Cell suppression with a proof, three problems: general, exact and interval protection "
        "([what they mean](../guide/suppression.md#what-counts-as-protected)). The printed figures are the "
        "headlines of slides on the methods of Carvalho, Almeida and their co-authors "
        "([document 002](papers.md#document-002)); they were not checked against the papers.",
        "## Document 002: headlines",
        table(_HEADLINES, _headlines(found)),
        "Proven: the pattern is proven optimal. Times are CPU seconds on one core, including the audit, "
        "without compilation. The gap is the largest possible saving of a better pattern, as a share of "
        f"the cost of our secondary suppressions.{_shortened(setting)}",
        *beside,
        "## How the tables are made",
        f"Values are uniform integers in 0 .. {LARGEST_VALUE}. Sensitive cells are drawn at random among the "
        f"smallest {100 * SMALL:g} % of the positive cells: in a sparse table one for every four rows or "
        "columns of the longer side, in a dense one two per row or column, but no more than a tenth of all "
        f"cells. Interval protection requires {100 * LEVEL:g} % of the value on both sides, against an "
        "attacker who knows that no value is negative. Seeds are derived from size, density and number, so "
        "that all problems and both objectives use the same tables, and all figures except times are "
        "reproducible (where the cap ends a search, its result depends on the machine).",
        f"Every table goes through the public function `suppress` with the method `{setting.method}`, which "
        "ends with the audit: independent code attacks the pattern, and a pattern that fails is refused and "
        f"counts as not proven. {_audits(found)}",
        "![Mean time and share proven against size](tables.svg)",
        *(part for problem in SIZES for part in _section(problem, found)),
        "## Where the cap ended a search",
        _ended(setting, found),
        "## What cannot be compared",
        _NOT_COMPARABLE,
    ]
    return "\n\n".join(parts) + "\n"


def _kind(setting: Setting) -> str:
    if setting.quick:
        return " (a quick part)"
    return "" if setting == Setting() else f" ({_article(setting)} setting)"


def _article(setting: Setting) -> str:
    """A setting of fewer tables is reduced; one of another method or other tables is another."""
    return "a reduced" if setting.main and setting.tables != "source" else "another"


def _extent(setting: Setting) -> str:
    """How much of the experiment this is."""
    longest = max(max(size) for problem in SIZES for size in setting.sizes(problem))
    sides = f", no side above {longest}" if longest < Setting().largest else ""
    alone = f", {SPOKEN[setting.problem]} only" if setting.problem else ""
    told = (
        f"{tables_in_words(setting.tables)}, at most {setting.cap:g} s of CPU time "
        f"each{sides}{alone}{_variant(setting)}"
    )
    if setting == Setting():
        return f"{told[0].upper()}{told[1:]}."
    whole = Setting()
    return (
        f"**This is {_article(setting)} setting**: {told}. The whole experiment, "
        f"{tables_in_words(whole.tables)}, {whole.cap:g} s each and sides up to {whole.largest}, is "
        f"`{whole.command}`; it takes hours."
    )


def _unfinished(setting: Setting, found: Sequence[Found]) -> list[str]:
    """What is missing yet."""
    done, rows = sum(len(row.answers) for row in found), len(cases(setting))
    if done == setting.whole:
        return []
    unstarted = f" {rows - len(found)} of {rows} rows have none yet." if len(found) < rows else ""
    return [
        f"**This run is not finished**: the page rests on {done} of {setting.whole} tables.{unstarted} "
        "The same command goes on from here."
    ]


def _shortened(setting: Setting) -> str:
    """What a shorter cap does to the comparison."""
    whole = Setting()
    if setting.cap >= whole.cap:
        return ""
    return (
        f" A search that needs more than {setting.cap:g} s counts as not proven here; the source reports "
        f"means of up to {MINUTES} minutes. A share below its own says little before the whole "
        "experiment is run, and our mean times are held down by the cap."
    )


def _variant(setting: Setting) -> str:
    """What is not as in the main experiment."""
    said = [f"by `{setting.method}`"] if setting.method != "optimal" else []
    said += [f"{setting.zeros} % of the cells zero"] if setting.zeros is not None else []
    said += ["sums may be suppressed"] if setting.margins else []
    return "".join(f", {each}" for each in said)


def tables_in_words(count: int | str) -> str:
    """How many tables of a row, or as many in all as the source has."""
    if isinstance(count, str):
        return "as many tables as the source has, divided evenly among the rows"
    return "1 table per row" if count == 1 else f"{count} tables per row"


def _audits(found: Sequence[Found]) -> str:
    passed, total = sum(row.audited for row in found), sum(len(row.answers) for row in found)
    return f"Audits passed: {passed} of {total}."


def _headlines(found: Sequence[Found]) -> list[list[Cell]]:
    lines: list[list[Cell]] = []
    for problem, headline in HEADLINES.items():
        sizes = " to ".join(f"{rows} x {columns}" for rows, columns in (headline.smallest, headline.largest))
        for objective in get_args(Objective):
            answers = [
                answer
                for row in found
                if (row.case.problem, row.case.objective) == (problem, objective)
                for answer in row.answers
            ]
            if not answers:
                continue
            gaps = [100 * answer.gap for answer in answers if answer.gap is not None]
            share = 100 * sum(answer.proven for answer in answers) / len(answers)
            lines.append(
                [
                    SPOKEN[problem],
                    f"{headline.tables}, {sizes}",
                    len(answers),
                    LEAST[objective],
                    f"{headline.proven[objective]} %" if objective in headline.proven else None,
                    percent(share),
                    f"under {MINUTES} min",
                    f"{seconds(float(np.mean([answer.seconds for answer in answers])))} s",
                    _gap(max(gaps, default=None)),
                ]
            )
    return lines


def _section(problem: str, found: Sequence[Found]) -> list[str]:
    head = ["size", "density", "sensitive", "minimised", "proven", "mean time, s", "maximum, s"]
    head += ["mean gap", "worst gap", "audits passed"]
    rows: list[list[Cell]] = [
        [
            row.case.size,
            row.case.density,
            row.case.primaries,
            LEAST[row.case.objective],
            percent(row.proven),
            seconds(row.seconds),
            seconds(row.slowest),
            _gap(float(np.mean(row.gaps)) if row.gaps else None),
            _gap(max(row.gaps, default=None)),
            f"{row.audited} of {len(row.answers)}",
        ]
        for row in found
        if row.case.problem == problem
    ]
    return [f"## {SPOKEN[problem]}", table(head, rows)] if rows else []


def _ended(setting: Setting, found: Sequence[Found]) -> str:
    """Every row with a search that was not finished, and the gaps it was left with."""
    lines: list[list[Cell]] = []
    for row in found:
        left = [100 * each.gap for each in row.answers if each.gap is not None and not each.proven]
        if left:
            case = row.case
            lines.append(
                [
                    SPOKEN[case.problem],
                    case.size,
                    case.density,
                    LEAST[case.objective],
                    f"{len(left)} of {len(row.answers)}",
                    ", ".join(f"{gap:.2f}" for gap in sorted(left)),
                ]
            )
    if not lines:
        return f"Nowhere: no search was ended by the cap of {setting.cap:g} s."
    return table(["problem", "size", "density", "minimised", "not proven", "gaps left, %"], lines)


def percent(share: float) -> str:
    """Without decimals."""
    return f"{share:.0f} %"


def _gap(gap: float | None) -> str | None:
    return None if gap is None else f"{gap:.2f} %"
