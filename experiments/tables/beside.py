"""Beside the main experiment: the documents' own methods, zeros, and sums that may be suppressed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import get_args

import numpy as np

from experiments.document import Cell, seconds, table
from experiments.printed.slides import HEADLINES, own_method
from tacita.core import Problem

from .experiments import Answer, Answers, by_row
from .page import LEAST, SPOKEN, percent, tables_in_words
from .setting import METHODS, SIZES, Case, Objective, Setting, parts, reference

_METHODS = (
    "problem",
    "method",
    "minimised",
    "tables",
    "proven, source",
    "proven, ours",
    "at the optimum",
    "mean above",
    "worst above",
    "mean time",
    "of optimal",
)
_SIZES = ("problem", "method", "size", *_METHODS[3:4], *_METHODS[5:])
_ZEROS = (
    "zeros",
    "method",
    "minimised",
    "tables",
    "proven",
    "at the optimum",
    "worst above",
    "mean time",
    "secondary cells",
    "zeros among them",
)
_SUMS = (
    "problem",
    "minimised",
    "tables",
    "proven",
    "mean time",
    "tables with a sum suppressed",
    "sums a table",
    "mean loss saved",
    "largest",
)
# How far from the optimum is still called there: costs are whole numbers.
_SAME = 1e-6


@dataclass(frozen=True)
class Pair:
    """One table by what a row is of, and by what it is compared with where that is there."""

    case: Case
    answer: Answer
    other: Answer | None

    @property
    def above(self) -> float | None:
        """Cost over that of the other in percent, where the other is proven least and both have an answer."""
        if self.other is None or not self.other.proven or self.answer.cost is None:
            return None
        least = float(self.other.cost or 0.0)
        return 100 * (self.answer.cost - least) / least if least else 0.0


def pairs(setting: Setting, answers: Answers) -> list[Pair]:
    """Every table of a setting that has an answer, beside what it is compared with."""

    def other(case: Case, number: int) -> Answer | None:
        against = reference(case)
        return None if against is None else answers.get((against, number))

    return [
        Pair(row.case, each, other(row.case, each.number))
        for row in by_row(setting, answers)
        for each in row.answers
    ]


def sections(setting: Setting, answers: Answers) -> list[str]:
    """Markdown of all parts beside the main one, or of the one that the setting is."""
    every = parts(setting) if setting.main else [setting]
    by_method = [
        each for each in every if each.method != "optimal" and each.zeros is None and not each.margins
    ]
    of_zeros = [each for each in every if each.zeros is not None]
    of_sums = [each for each in every if each.margins and each.zeros is None]
    made: list[str] = []
    if by_method:
        made += _methods_section(by_method, answers)
    if of_zeros:
        made += _zeros_section(of_zeros, answers)
    if of_sums:
        made += _sums_section(of_sums, answers)
    return made


def _methods_section(settings: Sequence[Setting], answers: Answers) -> list[str]:
    found = [pair for setting in settings for pair in pairs(setting, answers)]
    if not found:
        return []
    return [
        "## Document 002: its own methods",
        _extent(settings, answers),
        table(
            _METHODS,
            (
                [
                    SPOKEN[problem],
                    method,
                    LEAST[objective],
                    len(each),
                    _source(problem, method, objective),
                    *_against(each),
                ]
                for problem in SIZES
                for method in METHODS
                for objective in get_args(Objective)
                if (each := [p for p in found if _is(p, problem=problem, method=method, objective=objective)])
            ),
        ),
        "Proven: by the method's own bound. Above: the excess of its cost over that of `optimal` on the same "
        "table, where the latter is proven; at the optimum: the number of these tables without excess. "
        "`genetic` has no bound of its own, so that almost nothing is proven. The share printed for interval "
        "protection is that of an exact algorithm, whose conditions `three-phase` uses. The last column is "
        "the mean time of `optimal` on the same tables. Parts may have run later than the main tables, on a "
        "busier or different machine: only the order of magnitude of times is comparable.",
        "By the size of the table, both objectives and densities together:",
        table(
            _SIZES,
            (
                [SPOKEN[problem], method, size, len(each), *_against(each)]
                for problem in SIZES
                for method in METHODS
                for size in dict.fromkeys(p.case.size for p in found if p.case.problem == problem)
                if (each := [p for p in found if _is(p, problem=problem, method=method, size=size)])
            ),
        ),
    ]


def _source(problem: Problem, method: str, objective: str) -> str | None:
    """The share that the slides print of this method."""
    proven = HEADLINES[problem].proven
    return f"{proven[objective]} %" if own_method(problem) == method and objective in proven else None


def _is(pair: Pair, **wanted: str) -> bool:
    return all(getattr(pair.case, name) == value for name, value in wanted.items())


def _against(found: Sequence[Pair]) -> list[Cell]:
    """Proven, at the optimum, mean and worst above, mean time, that of the other."""
    above = [pair.above for pair in found if pair.above is not None]
    others = [pair.other.seconds for pair in found if pair.other is not None]
    return [
        _share(found),
        f"{sum(each <= _SAME for each in above)} of {len(above)}" if above else None,
        f"{np.mean(above):.2f} %" if above else None,
        f"{max(above):.2f} %" if above else None,
        _time([pair.answer.seconds for pair in found]),
        _time(others),
    ]


def _zeros_section(settings: Sequence[Setting], answers: Answers) -> list[str]:
    rows: list[list[Cell]] = []
    for setting in settings:
        found = pairs(setting, answers)
        for objective in get_args(Objective):
            mine = [pair for pair in found if pair.case.objective == objective]
            if not mine:
                continue
            _, at, _, worst, *_ = _against(mine)
            rows.append(
                [
                    f"{setting.zeros} %",
                    setting.method,
                    LEAST[objective],
                    len(mine),
                    _share(mine),
                    at,
                    worst,
                    _time([pair.answer.seconds for pair in mine]),
                    f"{np.mean([pair.answer.secondaries or 0 for pair in mine]):.1f}",
                    _zeros_among(mine),
                ]
            )
    if not rows:
        return []
    return [
        "## Exact protection where cells are zero",
        _extent(settings, answers),
        table(_ZEROS, rows),
        "In the tables above one cell in 500 is zero, and where all values are positive, exact protection "
        "equals general protection: every cell can move both up and down. Here the share of zeros is a "
        "parameter. Sensitive cells and the other values stay the same; zeros may be suppressed at a cost "
        "of 1, and can only move up. Every row and column keeps another positive cell.",
    ]


def _zeros_among(found: Sequence[Pair]) -> str:
    secondaries = sum(pair.answer.secondaries or 0 for pair in found)
    return percent(100 * sum(pair.answer.zeros or 0 for pair in found) / max(1, secondaries))


def _sums_section(settings: Sequence[Setting], answers: Answers) -> list[str]:
    found = [pair for setting in settings for pair in pairs(setting, answers)]
    rows: list[list[Cell]] = []
    for problem in SIZES:
        for objective in get_args(Objective):
            mine = [pair for pair in found if _is(pair, problem=problem, objective=objective)]
            if not mine:
                continue
            sums = [pair.answer.sums or 0 for pair in mine]
            above = [pair.above for pair in mine if pair.answer.proven and pair.above is not None]
            saved = [0.0 - each for each in above]
            rows.append(
                [
                    SPOKEN[problem],
                    LEAST[objective],
                    len(mine),
                    _share(mine),
                    _time([pair.answer.seconds for pair in mine]),
                    sum(each > 0 for each in sums),
                    f"{np.mean(sums):.1f}",
                    f"{np.mean(saved):.2f} %" if saved else None,
                    f"{max(saved):.2f} %" if saved else None,
                ]
            )
    if not rows:
        return []
    return [
        "## Sums that may be suppressed",
        _extent(settings, answers),
        table(_SUMS, rows),
        "The network of the slides has arcs for subtotals and for the total. Here they may be suppressed "
        "like any other cell, at the cost of their value or of one cell. Saved: the reduction of the cost "
        "against the same table with all sums published, where both are proven optimal. A sum is at least "
        "as large as any cell of its row or column, so that suppressing it pays only where cells are zero "
        "or cannot move far enough, and by number where it replaces several cells.",
    ]


def _extent(settings: Sequence[Setting], answers: Answers) -> str:
    """How much of the tables this is, whether all are there, and what runs it alone."""
    one = settings[0]
    count = tables_in_words(one.tables)
    longest = max(each.largest for each in settings)
    shorter = [f"`{each.method}`: {each.largest}" for each in settings if each.largest < longest]
    sides = f"{longest} ({', '.join(shorter)})" if shorter else f"{longest}"
    done = sum(len(row.answers) for each in settings for row in by_row(each, answers))
    whole = sum(each.whole for each in settings)
    left = f" **Not finished**: it rests on {done} of {whole}." if done < whole else ""
    shared, *own = _commands(settings)
    alone = f"`{shared}`" + (f" with {', '.join(f'`{each}`' for each in own)}" if own else "")
    return (
        f"A sample: {count}, no side above {sides}, at most {one.cap:g} s each.{left} Run alone by "
        f"{alone}; `--tables`, `--largest` and `--cap` choose another sample."
    )


def _commands(settings: Sequence[Setting]) -> list[str]:
    """The words that all commands begin with, and the options that each has besides; none of a single one.

    >>> _commands([Setting(2, largest=50, method="lagrange"), Setting(2, largest=50, method="genetic")])
    ['python -m experiments tables --tables 2 --largest 50', '--method lagrange', '--method genetic']
    """
    every = [each.command.split(" --") for each in settings]
    if len(every) == 1:
        return [settings[0].command]
    shared = [words[0] for words in takewhile(lambda each: len(set(each)) == 1, zip(*every, strict=False))]
    own = ["".join(f" --{word}" for word in words[len(shared) :]).strip() for words in every]
    return [" --".join(shared), *own]


def _share(found: Sequence[Pair]) -> str:
    return percent(100 * sum(pair.answer.proven for pair in found) / len(found))


def _time(times: Sequence[float]) -> str | None:
    return f"{seconds(float(np.mean(times)))} s" if times else None
