"""Tables drawn at random, suppressed through the public path, and what became of each."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from tacita.core import ParameterError, Problem, Run, Table, VerificationError
from tacita.tables.suppress import suppress
from tacita.tables.suppression.twoway.optimal import Optimal
from tacita.tables.suppression.watch import processor_time

Density = Literal["sparse", "dense"]
Objective = Literal["value", "count"]
Size = tuple[int, int]

SIZES: dict[Problem, tuple[Size, ...]] = {
    "general": ((20, 10), (50, 20), (50, 50), (100, 100), (200, 200)),
    "exact": ((50, 10), (50, 50), (100, 50), (100, 100)),
    "interval": ((10, 10), (20, 20), (50, 50), (100, 100), (200, 200), (500, 500)),
}
QUICK_SIZES: dict[Problem, tuple[Size, ...]] = {
    "general": ((8, 6), (12, 8)),
    "exact": ((8, 6), (12, 8)),
    "interval": ((6, 6), (8, 8)),
}
LARGEST_VALUE = 499
# Primaries are drawn among this share of the cells, the least of them.
SMALL = 0.2
# Of the value, below and above.
LEVEL = 0.15
# Seconds after which answers are saved: an interrupted run loses no more than these and the table at hand.
PAUSE = 20.0


@dataclass(frozen=True)
class Setting:
    """How many tables stand behind a row, seconds each may take, the longest side, and the only problem."""

    tables: int = 10
    cap: float = 240.0
    largest: int = 500
    problem: Problem | None = None
    quick: bool = False

    def __post_init__(self) -> None:
        if self.tables < 1 or not 0 < self.cap <= 1e7 or self.largest < 1:
            raise ParameterError(
                "reproduce tables: wanted at least one table, a cap above 0 seconds and a side of at least 1."
            )
        if self.problem is not None and self.problem not in SIZES:
            raise ParameterError(f"reproduce tables: the problem must be {', '.join(SIZES)} or none of them.")
        if not any(self.sizes(problem) for problem in SIZES):
            raise ParameterError("reproduce tables: no table is as small as that. Raise the largest side.")

    def sizes(self, problem: Problem) -> tuple[Size, ...]:
        """Those of one problem that are not too large; none of a problem that was not asked for."""
        if self.problem not in (None, problem):
            return ()
        known = QUICK_SIZES if self.quick else SIZES
        return tuple(size for size in known[problem] if max(size) <= self.largest)

    @property
    def command(self) -> str:
        """What runs this again."""
        words = ["python -m experiments tables"]
        words += ["--quick"] if self.quick else []
        usual = Setting.usual(self.quick)
        for name in ("tables", "cap", "largest"):
            if getattr(self, name) != getattr(usual, name):
                words.append(f"--{name} {getattr(self, name):g}")
        words += [f"--problem {self.problem}"] if self.problem else []
        return " ".join(words)

    @classmethod
    def usual(cls, quick: bool) -> Setting:
        """What is run if nothing is said."""
        return cls(tables=2, cap=5.0, quick=True) if quick else cls()

    @property
    def whole(self) -> int:
        """How many tables there are in all."""
        return len(cases(self)) * self.tables


@dataclass(frozen=True)
class Case:
    """Tables of one kind: one row of the page."""

    problem: Problem
    rows: int
    columns: int
    density: Density
    objective: Objective

    @property
    def primaries(self) -> int:
        """Sparse: a sensitive cell to four lines; dense: two to a line, or a tenth of a small table."""
        side = max(self.rows, self.columns)
        return max(
            1, side // 4 if self.density == "sparse" else min(2 * side, self.rows * self.columns // 10)
        )

    @property
    def size(self) -> str:
        """As people write it."""
        return f"{self.rows} x {self.columns}"


@dataclass(frozen=True)
class Answer:
    """What became of one table; without an audit passed there is no answer, and no gap."""

    number: int
    audited: bool
    proven: bool = False
    gap: float | None = None
    cost: float | None = None
    secondaries: int | None = None
    search_seconds: float = 0.0
    seconds: float = 0.0


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
    the least fifth. Both depend on size, density and number alone: problems and objectives share tables.

    >>> values, primary = draw(Case("general", 20, 10, "dense", "value"), 0)
    >>> values.shape, int(primary.sum()), bool((values[primary] > 0).all())
    ((20, 10), 20, True)
    """
    dense = get_args(Density).index(case.density)
    generator = np.random.default_rng([case.rows, case.columns, dense, number])
    values = generator.integers(0, LARGEST_VALUE + 1, size=case.rows * case.columns).astype(np.float64)
    small = np.flatnonzero((values > 0) & (values <= np.quantile(values, SMALL)))
    primary = np.zeros(values.size, dtype=bool)
    primary[generator.choice(small, min(case.primaries, small.size), replace=False)] = True
    return values.reshape(case.rows, case.columns), primary.reshape(case.rows, case.columns)


def solve(case: Case, number: int, cap: float, run: Run) -> Answer:
    """One table, from its values to an audited pattern."""
    values, primary = draw(case, number)
    level = np.where(primary, LEVEL * values, 0.0) if case.problem == "interval" else 0.0
    table = Table.from_array(values, primary=primary, lower=level, upper=level)
    began = time.process_time()
    try:
        found = suppress(
            table, Optimal(seconds=cap), case.problem, objective=case.objective, margins=False, run=run
        )
    except VerificationError:
        return Answer(number, audited=False, seconds=time.process_time() - began)
    pattern = found.pattern
    return Answer(
        number,
        audited=found.audit.safe,
        proven=pattern.proven,
        gap=pattern.gap,
        cost=pattern.cost,
        secondaries=pattern.secondary_count,
        search_seconds=pattern.seconds,
        seconds=time.process_time() - began,
    )


def cases(setting: Setting) -> list[Case]:
    """Every row of the page, in its order."""
    return [
        Case(problem, rows, columns, density, objective)
        for problem in SIZES
        for (rows, columns), density, objective in product(
            setting.sizes(problem), get_args(Density), get_args(Objective)
        )
    ]


Answers = dict[tuple[Case, int], Answer]


def gather(
    setting: Setting,
    run: Run,
    kept: Mapping[tuple[Case, int], Answer] | None = None,
    save: Callable[[Answers], None] | None = None,
    pause: float = PAUSE,
) -> Answers:
    """Every table of every row, but for the answers kept; the caps counted in processor time.

    Goes number by number, so that what is there when it is interrupted covers all rows evenly. Hands all
    answers so far to `save` when `pause` seconds have passed since it last did, and whatever ends the work.
    """
    answers: Answers = dict(kept or {})
    wanted = [(case, number) for number in range(setting.tables) for case in cases(setting)]
    missing = [each for each in wanted if each not in answers]
    unsaved = False
    with processor_time():
        if missing:
            _warm(run)
        saved = time.monotonic()
        try:
            for place, (case, number) in enumerate(missing):
                run.report("suppressing tables", len(wanted) - len(missing) + place, len(wanted))
                answers[case, number] = solve(case, number, setting.cap, run.branch())
                unsaved = True
                if save is not None and time.monotonic() - saved >= pause:
                    save(answers)
                    saved, unsaved = time.monotonic(), False
        finally:
            if save is not None and unsaved:
                save(answers)
    run.report("suppressing tables", len(wanted), len(wanted))
    return answers


def by_row(setting: Setting, answers: Mapping[tuple[Case, int], Answer]) -> list[Found]:
    """Rows of the page, in its order: those with an answer, each with what there is of its tables."""
    rows = (
        Found(case, tuple(answers[case, n] for n in range(setting.tables) if (case, n) in answers))
        for case in cases(setting)
    )
    return [row for row in rows if row.answers]


def _warm(run: Run) -> None:
    """Compile what is compiled on first use, so that no row pays for it."""
    for problem in SIZES:
        solve(Case(problem, 6, 6, "dense", "value"), 0, 5.0, run.branch())
