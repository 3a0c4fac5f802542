"""What is run: how many tables of which kinds, by which method, and the parts beside the main one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Literal, get_args

from experiments.printed.slides import HEADLINES
from tacita.core import ParameterError, Problem
from tacita.tables.suppression.heuristics.genetic import Genetic
from tacita.tables.suppression.heuristics.lagrangian import Lagrange
from tacita.tables.suppression.heuristics.threephase import ThreePhase
from tacita.tables.suppression.optimal.optimal import Optimal
from tacita.tables.suppression.optimal.two_way_method import TwoWay

Density = Literal["sparse", "dense"]
Objective = Literal["value", "count"]
MethodName = Literal["optimal", "lagrange", "three-phase", "genetic"]
Size = tuple[int, int]

METHODS: dict[MethodName, type[TwoWay]] = {
    "optimal": Optimal,
    "lagrange": Lagrange,
    "three-phase": ThreePhase,
    "genetic": Genetic,
}
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
# Percent: of more zeros than these a small table has no room beside its sensitive cells.
MOST_ZEROS = 60


@dataclass(frozen=True)
class Case:
    """Tables of one kind, and what suppresses them: one row of the page.

    `zeros` is the share of cells that are zero, in percent, or None where they are as they are drawn;
    `margins` says that sums may be suppressed too.
    """

    problem: Problem
    rows: int
    columns: int
    density: Density
    objective: Objective
    method: MethodName = "optimal"
    zeros: int | None = None
    margins: bool = False

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


def _sizes(problem: Problem, largest: int, quick: bool) -> tuple[Size, ...]:
    known = QUICK_SIZES if quick else SIZES
    return tuple(size for size in known[problem] if max(size) <= largest)


@dataclass(frozen=True)
class Setting:
    """How many tables stand behind a row, the seconds each may take, the longest side, and the only problem.

    `tables` is a number, or `source`: as many in all as the slides report of each problem. `method`, `zeros`
    and `margins` are those of every row (see `Case`).
    """

    tables: int | Literal["source"] = 10
    cap: float = 240.0
    largest: int = 500
    problem: Problem | None = None
    quick: bool = False
    method: MethodName = "optimal"
    zeros: int | None = None
    margins: bool = False

    def __post_init__(self) -> None:
        enough = self.tables == "source" or (isinstance(self.tables, int) and self.tables >= 1)
        if not enough or not 0 < self.cap <= 1e7 or self.largest < 1:
            raise ParameterError(
                "reproduce tables: wanted at least one table (or `source`), a cap above 0 seconds and a side "
                "of at least 1."
            )
        if self.problem is not None and self.problem not in SIZES:
            raise ParameterError(f"reproduce tables: the problem must be {', '.join(SIZES)} or none of them.")
        if self.method not in METHODS:
            raise ParameterError(
                f"reproduce tables: the method must be one of {', '.join(METHODS)}, got {self.method!r}."
            )
        if self.zeros is not None and not 0 <= self.zeros <= MOST_ZEROS:
            raise ParameterError(
                f"reproduce tables: the share of zeros must be 0 to {MOST_ZEROS} percent, got {self.zeros}."
            )
        if not self.problems:
            raise ParameterError(f"reproduce tables: {self._no_problem()}")
        if not any(self.sizes(problem) for problem in SIZES):
            raise ParameterError("reproduce tables: no table is as small as that. Raise the largest side.")

    def _no_problem(self) -> str:
        made_for = " and ".join(METHODS[self.method].problems)
        if self.zeros is not None and self.problem in (None, "exact"):
            return f"a share of zeros is for exact protection, and {self.method} is made for {made_for}."
        if self.problem in METHODS[self.method].problems:
            return (
                f"zeros are published for {self.problem} protection, where they protect nothing. A share of "
                "zeros is for the problem exact."
            )
        return (
            f"{self.method} is made for {made_for} protection, got {self.problem}. Choose another problem or "
            "method."
        )

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Those that are asked for, that the method takes, and where zeros matter if their share is given."""
        return tuple(
            problem
            for problem in SIZES
            if self.problem in (None, problem)
            and problem in METHODS[self.method].problems
            and (self.zeros is None or problem == "exact")
        )

    def sizes(self, problem: Problem) -> tuple[Size, ...]:
        """Those of one problem that are not too large; none of a problem that was not asked for."""
        if problem not in self.problems:
            return ()
        return _sizes(problem, self.largest, self.quick)

    def numbers(self, case: Case) -> range:
        """Of the tables of one row. Those of the source are shared out evenly, the first kinds take the rest.

        >>> setting = Setting("source")
        >>> [sum(len(setting.numbers(c)) for c in cases(setting) if (c.problem, c.objective) == (p, "value"))
        ...     for p in SIZES]
        [210, 170, 1410]
        """
        if isinstance(self.tables, int):
            return range(self.tables)
        kinds = [*product(self.sizes(case.problem), get_args(Density))]
        each, rest = divmod(HEADLINES[case.problem].tables, len(kinds))
        return range(each + (kinds.index(((case.rows, case.columns), case.density)) < rest))

    @property
    def command(self) -> str:
        """What runs this again."""
        words = ["python -m experiments tables"]
        words += ["--quick"] if self.quick else []
        usual = Setting.usual(self.quick)
        for name in ("tables", "cap", "largest"):
            if (value := getattr(self, name)) != getattr(usual, name):
                words.append(f"--{name} {value if isinstance(value, str) else format(value, 'g')}")
        words += [f"--problem {self.problem}"] if self.problem else []
        words += [f"--method {self.method}"] if self.method != "optimal" else []
        words += [f"--zeros {self.zeros}"] if self.zeros is not None else []
        words += ["--margins"] if self.margins else []
        return " ".join(words)

    @classmethod
    def usual(cls, quick: bool) -> Setting:
        """What is run if nothing is said."""
        return cls(tables=2, cap=5.0, quick=True) if quick else cls()

    @property
    def whole(self) -> int:
        """How many tables there are in all, those of the parts beside not counted."""
        return sum(len(self.numbers(case)) for case in cases(self))

    @property
    def main(self) -> bool:
        """Whether this is the experiment by `optimal` on tables as they are drawn; it has parts beside it."""
        return (self.method, self.zeros, self.margins) == ("optimal", None, False)


# Beside the main experiment: the same tables or some like them, fewer and smaller ones.
PARTS = (
    Setting(tables=3, largest=50, method="lagrange"),
    Setting(tables=3, largest=20, method="three-phase"),
    Setting(tables=3, largest=50, method="genetic"),
    *(
        Setting(tables=2, largest=50, problem="exact", zeros=zeros, method=method)
        for zeros in (0, 20, 50)
        for method in ("optimal", "lagrange")
    ),
    Setting(tables=2, largest=50, margins=True),
)


def parts(setting: Setting) -> list[Setting]:
    """What is run beside the main experiment: each part as far as the setting leaves it tables; else none."""
    return [part for each in PARTS if (part := _narrowed(each, setting))] if setting.main else []


def _narrowed(part: Setting, setting: Setting) -> Setting | None:
    problems = [problem for problem in part.problems if setting.problem in (None, problem)]
    largest = min(part.largest, setting.largest)
    if not any(_sizes(problem, largest, setting.quick) for problem in problems):
        return None
    every = (part.tables, setting.tables, 1 if setting.quick else "source")
    return replace(
        part,
        tables=min(number for number in every if isinstance(number, int)),
        cap=setting.cap,
        largest=largest,
        problem=part.problem or setting.problem,
        quick=setting.quick,
    )


def cases(setting: Setting) -> list[Case]:
    """Every row of the page, in its order."""
    return [
        Case(problem, *size, density, objective, setting.method, setting.zeros, setting.margins)
        for problem in setting.problems
        for size, density, objective in product(
            setting.sizes(problem), get_args(Density), get_args(Objective)
        )
    ]


def reference(case: Case) -> Case | None:
    """What a row is compared with on the same tables: `optimal`, with published sums; a main one is not."""
    if case.method != "optimal":
        return replace(case, method="optimal")
    return replace(case, margins=False) if case.margins else None


def wanted(setting: Setting) -> list[tuple[Case, int]]:
    """All tables with what suppresses them: number by number, the parts beside after the main ones.

    What is there when it is interrupted covers all rows evenly.
    """
    return [*dict.fromkeys(each for one in (setting, *parts(setting)) for each in _in_turn(one))]


def _in_turn(setting: Setting) -> Sequence[tuple[Case, int]]:
    own = cases(setting)
    most = max(len(setting.numbers(case)) for case in own)
    return [
        (each, number)
        for number in range(most)
        for case in own
        if number in setting.numbers(case)
        for each in (reference(case), case)
        if each is not None
    ]
