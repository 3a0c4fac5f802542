"""Tables drawn at random, suppressed through the public path, and what became of each."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import get_args

import numpy as np
import numpy.typing as npt

from tacita.core import RunContext, Table, VerificationError
from tacita.tables.release.suppress import suppress
from tacita.tables.suppression.optimal.two_way_method import compile_kernels
from tacita.tables.suppression.time_limit import processor_time

from .setting import METHODS, Case, Density, Setting, cases, wanted

LARGEST_VALUE = 499
# Primaries are drawn among this share of the cells, the least of them.
SMALL = 0.2
# Of the value, below and above.
LEVEL = 0.15
# Seconds after which answers are saved: an interrupted run loses no more than these and the table at hand.
PAUSE = 20.0


@dataclass(frozen=True)
class Answer:
    """What became of one table; without an audit passed there is no answer, and no gap.

    `zeros` and `sums` count what is withheld of them besides the sensitive cells, where there is any choice.
    """

    number: int
    audited: bool
    proven: bool = False
    gap: float | None = None
    cost: float | None = None
    secondaries: int | None = None
    search_seconds: float = 0.0
    seconds: float = 0.0
    zeros: int | None = None
    sums: int | None = None


@dataclass(frozen=True)
class Found:
    """One row: a kind of table and every answer."""

    case: Case
    answers: tuple[Answer, ...]

    @property
    def proven(self) -> float:
        """In percent."""
        return 100 * sum(each.proven for each in self.answers) / len(self.answers)

    @property
    def audited(self) -> int:
        """How many patterns the attacker could not break."""
        return sum(each.audited for each in self.answers)

    @property
    def seconds(self) -> float:
        """Mean over tables, audit included."""
        return float(np.mean([each.seconds for each in self.answers]))

    @property
    def slowest(self) -> float:
        """The longest of them."""
        return max(each.seconds for each in self.answers)

    @property
    def gaps(self) -> list[float]:
        """In percent, of every table that has an answer."""
        return [100 * each.gap for each in self.answers if each.gap is not None]


def draw(case: Case, number: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Inner values and the mask of sensitive cells.

    Values are uniform in 0 .. 499; the sensitive ones are drawn without repeating among the positive cells of
    the least fifth. Both depend on size, density and number alone: problems, objectives and methods share
    tables. With a share of zeros the sensitive cells and other values are the same.

    >>> values, primary = draw(Case("general", 20, 10, "dense", "value"), 0)
    >>> values.shape, int(primary.sum()), bool((values[primary] > 0).all())
    ((20, 10), 20, True)
    >>> values, _ = draw(Case("exact", 20, 10, "dense", "value", zeros=50), 0)
    >>> int((values == 0).sum())
    100
    """
    dense = get_args(Density).index(case.density)
    seed = [case.rows, case.columns, dense, number]
    generator = np.random.default_rng(seed)
    values = generator.integers(0, LARGEST_VALUE + 1, size=case.rows * case.columns).astype(np.float64)
    small = np.flatnonzero((values > 0) & (values <= np.quantile(values, SMALL)))
    primary = np.zeros(values.size, dtype=bool)
    primary[generator.choice(small, min(case.primaries, small.size), replace=False)] = True
    inner, sensitive = values.reshape(case.rows, case.columns), primary.reshape(case.rows, case.columns)
    if case.zeros is not None:
        inner = _with_zeros(inner, sensitive, case.zeros, np.random.default_rng([*seed, 1]))
    return inner, sensitive


def _with_zeros(
    values: npt.NDArray[np.float64],
    primary: npt.NDArray[np.bool_],
    share: int,
    generator: np.random.Generator,
) -> npt.NDArray[np.float64]:
    """The values with a share of zeros, in percent; a smaller share is part of a larger one.

    No sensitive cell becomes zero, and each line keeps another positive cell, so that the sensitive cells can
    be protected: such a cell of the row goes down, one of the column too, and the fourth corner goes up.
    """
    turn = np.where(primary, -1, generator.permutation(values.size).reshape(values.shape))
    last = (turn == turn.max(axis=0)) | (turn == turn.max(axis=1, keepdims=True))
    order = np.argsort(np.where(primary | last, values.size, turn), axis=None)
    positive = np.where(values == 0, 1.0, values).ravel()
    positive[order[: round(share * values.size / 100)]] = 0.0
    return positive.reshape(values.shape)


def solve(case: Case, number: int, cap: float, run: RunContext) -> Answer:
    """One table, from its values to an audited pattern."""
    values, primary = draw(case, number)
    level = np.where(primary, LEVEL * values, 0.0) if case.problem == "interval" else 0.0
    table = Table.from_array(values, primary=primary, lower=level, upper=level)
    method = METHODS[case.method](seconds=cap)  # type: ignore[call-arg]
    began = time.process_time()
    try:
        found = suppress(table, method, case.problem, objective=case.objective, margins=case.margins, run=run)
    except VerificationError:
        return Answer(number, audited=False, seconds=time.process_time() - began)
    pattern = found.pattern
    secondary = pattern.withheld & ~table.primary
    return Answer(
        number,
        audited=found.audit.safe,
        proven=pattern.proven,
        gap=pattern.gap,
        cost=pattern.cost,
        secondaries=pattern.secondary_count,
        search_seconds=pattern.seconds,
        seconds=time.process_time() - began,
        zeros=None if case.zeros is None else int((secondary & (table.values == 0)).sum()),
        sums=int((secondary & ~table.inner).sum()) if case.margins else None,
    )


Answers = dict[tuple[Case, int], Answer]


def gather(
    setting: Setting,
    run: RunContext,
    kept: Mapping[tuple[Case, int], Answer] | None = None,
    save: Callable[[Answers], None] | None = None,
    pause: float = PAUSE,
) -> Answers:
    """Every table of every row, but for the answers kept; the caps counted in processor time.

    Goes in the order of `wanted`. Hands all answers so far to `save` when `pause` seconds have passed since
    it last did, and whatever ends the work.
    """
    answers: Answers = dict(kept or {})
    every = wanted(setting)
    missing = [each for each in every if each not in answers]
    unsaved = False
    with processor_time():
        if missing:
            _warm(run)
        saved = time.monotonic()
        try:
            for place, (case, number) in enumerate(missing):
                run.report("suppressing tables", len(every) - len(missing) + place, len(every))
                answers[case, number] = solve(case, number, setting.cap, run.branch())
                unsaved = True
                if save is not None and time.monotonic() - saved >= pause:
                    save(answers)
                    saved, unsaved = time.monotonic(), False
        finally:
            if save is not None and unsaved:
                save(answers)
    run.report("suppressing tables", len(every), len(every))
    return answers


def by_row(setting: Setting, answers: Mapping[tuple[Case, int], Answer]) -> list[Found]:
    """Rows of the page, in its order: those with an answer, each with what there is of its tables."""
    rows = (
        Found(case, tuple(answers[case, n] for n in setting.numbers(case) if (case, n) in answers))
        for case in cases(setting)
    )
    return [row for row in rows if row.answers]


def _warm(run: RunContext) -> None:
    """Compile what is compiled on first use, so that no row pays for it."""
    # small tables alone would be searched without the compiler
    compile_kernels()
    for method, kind in METHODS.items():
        for problem in kind.problems:
            solve(Case(problem, 6, 6, "dense", "value", method), 0, 5.0, run.branch())
