"""Small tables drawn at random, and an attacker who tries every table of whole numbers that shows the same.

`drawn(seed)` is a case: records, the tables of them that are published, rules, and how to protect them.
`released(case)` has tacita protect it. `Attack` knows only records and labels: which cells are sensitive and
how far they must stay open it works out by itself, and it shares no code with tacita. What it tries are the
tables of all dimensions with entries that are not negative: plain numpy counts them out, up to 10^6 of them,
and scipy's linear programs say what real numbers would allow.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from scipy.optimize import linprog

import tacita
from tacita import DataError, ParameterError, VerificationError

TOTAL = "Total"
MOST = 1_000_000
Label = tuple[str, ...]
# Sets of suppressed cells whose sums are tried.
_MOST_SETS = 20_000
_ROUNDING = 1e-6
EVERY_SHAPE = ("optimal", "constructive", "improve", "hitas")
TWO_WAY = ("hypercube", "three-phase", "network", "lagrange")
# Tables of two of three dimensions, to be linked.
PAIRS = [("a", "b"), ("a", "c"), ("b", "c")]


@dataclass
class Case:
    """Records by column, the dimensions of each table that is published, and what is asked."""

    seed: int
    columns: dict[str, list[Any]]
    tables: list[tuple[str, ...]]
    hierarchies: dict[str, dict[str, list[str]]]
    rules: list[tuple[str, dict[str, float]]]
    value: str | None
    unit: str | None
    method: str
    problem: str
    zeros: str
    margins: bool = True
    insiders: bool = False
    shape: str = ""

    @property
    def dimensions(self) -> list[str]:
        """All dimensions of all tables, in their order."""
        return [*dict.fromkeys(name for table in self.tables for name in table)]

    def labels(self, name: str) -> dict[str, frozenset[str]]:
        """Every label of a dimension with the labels at the bottom that it covers."""
        leaves = sorted(set(self.columns[name]))
        if name in self.hierarchies:
            leaves = [leaf for below in self.hierarchies[name].values() for leaf in below]
        own = {leaf: frozenset([leaf]) for leaf in leaves}
        above = {label: frozenset(below) for label, below in self.hierarchies.get(name, {}).items()}
        return {**own, **above, TOTAL: frozenset(leaves)}

    def __str__(self) -> str:
        tables = " + ".join(
            " x ".join(name + ("*" if name in self.hierarchies else "") for name in table)
            for table in self.tables
        )
        rules = ", ".join(f"{name} {tuple(given.values())}" for name, given in self.rules)
        who = ", units" if self.unit else ""
        more = " for insiders" * self.insiders + ", margins published" * (not self.margins)
        return (
            f"{tables} of {'amounts' if self.value else 'counts'}{who}, {rules}: {self.method}, "
            f"{self.problem}, zeros {self.zeros}{more}"
        )


SHAPES = (
    "line",
    "hierarchical line",
    "two-way",
    "two-way",
    "hierarchical",
    "three-way",
    "three-way",
    "linked",
    "linked",
    "linked and hierarchical",
)


def tree_drawn(at: np.random.Generator, prefix: str, size: int) -> dict[str, list[str]]:
    """So many labels under two."""
    leaves = [f"{prefix}{place}" for place in range(size)]
    cut = int(at.integers(1, size))
    return {"A": leaves[:cut], "B": leaves[cut:]}


def labels_drawn(at: np.random.Generator, sizes: dict[str, int], n: int, even: float) -> dict[str, list[Any]]:
    """Labels of n records in each dimension, the more evenly the larger `even` is."""
    columns: dict[str, list[Any]] = {}
    for name, size in sizes.items():
        shares = at.dirichlet(np.full(size, even))
        columns[name] = [f"{name}{place}" for place in at.choice(size, n, p=shares)]
    return columns


def amounts_drawn(at: np.random.Generator, n: int, middle: float, spread: float) -> list[int]:
    """Whole amounts from 1 on, a few of them large."""
    return [int(amount) for amount in 1 + np.round(at.lognormal(middle, spread, n))]


def units_drawn(at: np.random.Generator, n: int, fewest: int) -> list[str]:
    """Units of n records, one to two records each as a rule."""
    return [f"u{who}" for who in at.integers(0, max(fewest, int(n * at.uniform(0.4, 0.9))), n)]


def concentration_drawn(at: np.random.Generator, *percents: int) -> list[tuple[str, dict[str, float]]]:
    """Three rules of concentration, p % of some percents."""
    return [
        ("dominance", {"n": 1, "k": float(at.choice([70, 80]))}),
        ("dominance", {"n": 2, "k": 85.0}),
        ("p-percent", {"p": float(at.choice(percents))}),
    ]


def method_drawn(at: np.random.Generator, problem: str, more: tuple[str, ...]) -> str:
    """A method for any shape or one of some more, but for those that are made for the other problem."""
    other = "lagrange" if problem == "interval" else "three-phase"
    return str(at.choice([name for name in (*EVERY_SHAPE, *more) if name != other]))


def drawn(seed: int, shape: str | None = None) -> Case:
    """A case: up to sixty records in one to three dimensions, linked or not, with a hierarchy or not."""
    at = np.random.default_rng(seed)
    shape = shape or str(at.choice(SHAPES))
    names = {"line": "a", "hierarchical line": "a", "two-way": "ab", "hierarchical": "ab"}.get(shape, "abc")
    most = {1: 7, 2: 4, 3: 3}[len(names)]
    sizes = {name: int(at.integers(2, most + 1)) for name in names}
    hierarchies = {}
    if "hierarchical" in shape:
        sizes["a"] = int(at.integers(3, most + 2))
        hierarchies["a"] = tree_drawn(at, "a", sizes["a"])
    counts = bool(at.random() < 0.6)
    cells = int(np.prod(list(sizes.values())))
    n = max(4, int(cells * at.uniform(0.5, 3.0)))
    columns = labels_drawn(at, sizes, n, 1.5)
    tables = [tuple(names)]
    if "linked" in shape:
        tables = PAIRS if at.random() < 0.6 else PAIRS[: int(at.integers(2, 4))]
    value = None
    if not counts:
        value = "amount"
        columns[value] = amounts_drawn(at, n, 0.7, 0.9)
    units = bool(at.random() < 0.4)
    if units:
        columns["unit"] = units_drawn(at, n, 2)
    frequency = ("minimum-frequency", {"threshold": int(at.choice([2, 3, 3, 4])), "margin": 30.0})
    rules = [frequency]
    if not counts:
        concentrated = concentration_drawn(at, 10, 20)
        rules = [concentrated[int(at.integers(3))]] if at.random() < 0.8 else rules
    problem = "interval" if not counts or at.random() < 0.6 else "exact"
    return Case(
        seed,
        columns,
        tables,
        hierarchies,
        rules,
        value,
        "unit" if units else None,
        method_drawn(at, problem, TWO_WAY if shape == "two-way" else ()),
        problem,
        "publish" if at.random() < 0.75 else "withhold",
        margins=bool(at.random() < 0.85),
        insiders=bool(at.random() < 0.25),
        shape=shape,
    )


@dataclass
class Released:
    """What tacita makes of a case: the suppressed cells and the warnings, or why it refuses."""

    suppressed: frozenset[Label] = frozenset()
    warned: frozenset[str] = frozenset()
    sensitive: frozenset[Label] = frozenset()
    refusal: str = ""


def released(case: Case) -> Released:
    """Protect a case with tacita."""
    data = pa.table(case.columns)
    rules = [tacita.get_method(name, **given) for name, given in case.rules]
    tables = [
        tacita.tabulate(
            data,
            {name: case.hierarchies.get(name) for name in names},
            case.value,
            rules=rules,
            margins=case.margins,
            **({"unit": case.unit} if case.unit else {}),
        )
        for names in case.tables
    ]
    table = tables[0] if len(tables) == 1 else tacita.link_tables(tables)
    places = [[dimension.name for dimension in table.dimensions].index(name) for name in case.dimensions]

    def label(cell: int) -> Label:
        own = table.label(cell)
        return tuple(own[place] for place in places)

    sensitive = frozenset(label(cell) for cell in np.flatnonzero(table.primary).tolist())
    if not sensitive:
        return Released(refusal="no cell is sensitive")
    timed = {"seconds": 5.0} if "seconds" in type(tacita.get_method(case.method)).model_fields else {}
    try:
        pattern = tacita.suppress(
            table, case.problem, case.method, zeros=case.zeros, insiders=case.insiders, **timed
        )
    except (DataError, ParameterError, VerificationError) as refused:
        return Released(sensitive=sensitive, refusal=str(refused))
    found = tacita.audit(table, pattern, insiders=case.insiders)
    return Released(
        frozenset(label(cell) for cell in np.flatnonzero(pattern.withheld).tolist()),
        frozenset(warning.name for warning in found.warnings),
        sensitive,
    )


@dataclass
class Levels:
    """Whether a set of records may not be shown as one figure, and how far the figure must stay open."""

    sensitive: bool
    level: float


class Attack:
    """One case, attacked: `suppressed` are the labels of the cells that are not shown."""

    def __init__(self, case: Case, suppressed: frozenset[Label]) -> None:
        self.case = case
        names = case.dimensions
        labels = {name: case.labels(name) for name in names}
        cells: dict[Label, None] = {}
        for table in case.tables:
            cells |= dict.fromkeys(product(*(labels[name] if name in table else [TOTAL] for name in names)))
        self.cells = [*cells]
        entries = [*product(*(sorted(labels[name][TOTAL]) for name in names))]
        records = [*zip(*(case.columns[name] for name in names), strict=True)]

        def inside(cell: Label, entry: Label) -> bool:
            return all(
                own in labels[name][label] for own, name, label in zip(entry, names, cell, strict=True)
            )

        # which entries, and which records, belong to each cell
        self.inside = np.array([[inside(cell, entry) for entry in entries] for cell in self.cells])
        self.records = [
            np.array([at for at, record in enumerate(records) if inside(cell, record)], dtype=np.int64)
            for cell in self.cells
        ]
        n = len(records)
        self.amounts = self.amounts_of(n)
        self.units = np.array(case.columns[case.unit] if case.unit else [str(at) for at in range(n)])
        self.values = np.array([int(self.amounts[own].sum()) for own in self.records])
        zero = self.values == 0
        levels = [self.level_of(own) for own in self.records]
        self.sensitive = np.array([level is not None for level in levels])
        self.level = np.array([level or 0.0 for level in levels])
        # a cell of which a table has all labels at the bottom
        leaf = np.array(
            [
                [len(labels[name][own]) == 1 and own != TOTAL for own, name in zip(c, names, strict=True)]
                for c in self.cells
            ]
        )
        kept = [[name in table for name in names] for table in case.tables]
        self.inner = np.array([any((row | ~np.array(own)).all() for own in kept) for row in leaf])
        self.may_be_suppressed = self.sensitive | (
            (self.inner | case.margins) & (~zero | (case.zeros != "publish"))
        )
        self.hidden = np.array([cell in suppressed for cell in self.cells])
        # zeros are published as a rule, so what is suppressed is at least 1
        known = case.zeros == "publish" and not (self.hidden & zero).any()
        self.low = np.where(self.hidden, np.minimum(int(known), self.values), self.values)

    def amounts_of(self, n: int) -> np.ndarray:
        """What each of n records adds to its cells."""
        return np.array(self.case.columns[self.case.value] if self.case.value else [1] * n, dtype=np.int64)

    def with_suppressed(self, cells: frozenset[Label]) -> Attack:
        """The same with other cells suppressed."""
        return Attack(self.case, cells)

    def fully_suppressed(self) -> Attack:
        """The same with all cells suppressed that may be."""
        cells = (cell for cell, may in zip(self.cells, self.may_be_suppressed, strict=True) if may)
        return self.with_suppressed(frozenset(cells))

    def barely_published(self) -> Attack:
        """The same with nothing published but zeros."""
        cells = (cell for cell, value in zip(self.cells, self.values, strict=True) if value)
        return self.with_suppressed(frozenset(cells))

    def level_of(self, records: np.ndarray) -> float | None:
        """How far the sum of some records must stay open; None where no rule finds it sensitive."""
        units, whose = np.unique(self.units[records], return_inverse=True)
        parts = -np.sort(-np.bincount(whose, self.amounts[records], units.size))
        total, found = float(parts.sum()), None
        for name, given in self.case.rules:
            if name == "minimum-frequency":
                sensitive = 0 < parts.size < given["threshold"]
                level = total * given["margin"] / 100
            elif name == "dominance":
                level = float(parts[: int(given["n"])].sum()) * 100 / given["k"] - total
                sensitive = level > _ROUNDING
            else:
                level = float(parts[:1].sum()) * given["p"] / 100 - float(parts[2:].sum())
                sensitive = level > _ROUNDING
            if sensitive:
                found = max(found or 0.0, level)
        return found

    # what is possible

    def whole_entries(self) -> np.ndarray | None:
        """Every table of whole entries, not negative, that shows the same; None where they are too many."""
        shown = self.inside[~self.hidden]
        if not shown.any(axis=0).all():
            return None
        order = _order(shown)
        shown, left = shown[:, order], self.values[~self.hidden][None, :].astype(np.int32)
        last = np.array([own.nonzero()[0].max(initial=-1) for own in shown])
        found = np.zeros((1, 0), dtype=np.int16)
        for place in range(len(order)):
            mine = shown[:, place]
            most = left[:, mine].min(axis=1)
            # where this is the last entry of a shown cell, it is what is left of it
            closing = mine & (last == place)
            least = left[:, closing].max(axis=1) if closing.any() else np.zeros_like(most)
            times = np.maximum(most - least + 1, 0)
            if int(times.sum()) > 2 * MOST:
                return None
            chosen = np.repeat(np.arange(len(left)), times)
            value = np.arange(chosen.size) - np.repeat(np.cumsum(times) - times, times) + least[chosen]
            found = np.column_stack([found[chosen], value.astype(np.int16)])
            left = left[chosen] - value[:, None].astype(np.int32) * mine
            keep = (left[:, closing] == 0).all(axis=1)
            found, left = found[keep], left[keep]
        entries = np.empty_like(found)
        entries[:, order] = found
        hidden = np.flatnonzero(self.hidden)
        possible = (self.sums(entries, hidden) >= self.low[hidden]).all(axis=1)
        return entries[possible] if int(possible.sum()) <= MOST else None

    def sums(self, entries: np.ndarray, cells: np.ndarray) -> np.ndarray:
        """The values of some cells in every table."""
        return entries @ self.inside[cells].T.astype(np.int16)

    def linear_range(self, cell: int, low: np.ndarray, fixed: np.ndarray) -> tuple[float, float]:
        """The least and the largest value of a cell over tables of real entries that are not negative."""
        matrix = self.inside.astype(float)
        known = ~self.hidden | fixed
        ends = []
        for sign in (1.0, -1.0):
            solved = linprog(
                sign * matrix[cell],
                A_eq=matrix[known],
                b_eq=self.values[known],
                A_ub=-matrix[~known],
                b_ub=-low[~known],
                method="highs",
            )
            ends.append(-sign * np.inf if solved.status == 3 else sign * float(solved.fun))
        return ends[0], ends[1]

    # who knows what

    def singletons(self) -> Iterator[tuple[str, np.ndarray]]:
        """Each unit that is alone in a suppressed cell, and the cells in which it is."""
        alone: dict[str, list[int]] = {}
        for cell in np.flatnonzero(self.hidden).tolist():
            units = np.unique(self.units[self.records[cell]])
            if units.size == 1:
                alone.setdefault(str(units[0]), []).append(cell)
        for unit, cells in alone.items():
            yield unit, np.isin(np.arange(len(self.cells)), cells)

    def parts_of(self, unit: str) -> np.ndarray:
        """What a unit gives to each cell."""
        mine = self.units == unit
        return np.array([int(self.amounts[own[mine[own]]].sum()) for own in self.records])


def _order(shown: np.ndarray) -> list[int]:
    """Entries in an order in which shown cells are complete early."""
    order: list[int] = []
    for own in sorted(shown.tolist(), key=sum):
        order += [place for place, inside in enumerate(own) if inside and place not in order]
    return order


@dataclass
class Knowledge:
    """What somebody knows: the whole tables that are left, what no cell is below, and which cells they know.

    `floor` is what nobody can be kept from knowing of a cell: what it is at least by their own part.
    """

    who: str
    entries: np.ndarray | None
    low: np.ndarray
    own: np.ndarray
    floor: Callable[[int], float]


class Open(NamedTuple):
    """A sensitive cell that somebody comes too close to, and how."""

    cell: Label
    who: str
    how: str

    def __str__(self) -> str:
        return f"{' / '.join(self.cell)} {self.how}" + f", to {self.who}" * bool(self.who)


@dataclass
class Findings:
    """What an attack finds, and how many whole tables it tried; None where they are too many."""

    tables: int | None
    outsiders: list[Open] = field(default_factory=list)
    singletons: list[Open] = field(default_factory=list)
    insiders: list[Open] = field(default_factory=list)
    sums: list[str] = field(default_factory=list)


def findings(attack: Attack, whole: bool = True) -> Findings:
    """Attack a case: as an outsider, as each singleton, as each contributor, and by known sums.

    By whole tables, or where these are not asked for by real numbers alone.
    """
    entries = attack.whole_entries() if whole else None
    found = Findings(None if entries is None else len(entries))
    nothing = np.zeros(len(attack.cells), dtype=bool)
    found.outsiders = _open(attack, Knowledge("", entries, attack.low, nothing, attack.low.__getitem__))
    alone = dict(attack.singletons())
    bare = attack.barely_published()
    for unit, own in alone.items():
        known = Knowledge(unit, _knowing(attack, entries, own), attack.low, own, _floor(bare, unit, own))
        found.singletons += _open(attack, known)
    for unit in np.unique(attack.units).tolist() if attack.case.insiders else ():
        own, low = alone.get(unit, nothing), np.maximum(attack.low, attack.parts_of(unit))
        left = _knowing(attack, entries, own)
        if left is not None:
            hidden = np.flatnonzero(attack.hidden)
            left = left[(attack.sums(left, hidden) >= low[hidden]).all(axis=1)]
        found.insiders += _open(attack, Knowledge(unit, left, low, own, low.__getitem__))
    found.sums = _sensitive_sums(attack, entries)
    return found


def _floor(bare: Attack, unit: str, own: np.ndarray) -> Callable[[int], float]:
    """What a cell is at least to a unit that knows its own part of it, and no more than that."""
    parts = np.maximum(bare.low, bare.parts_of(unit))
    return lambda cell: max(float(parts[cell]), bare.linear_range(cell, bare.low, own)[0])


def _knowing(attack: Attack, entries: np.ndarray | None, own: np.ndarray) -> np.ndarray | None:
    """The tables that are left for somebody who knows some cells."""
    if entries is None:
        return None
    cells = np.flatnonzero(own)
    return entries[(attack.sums(entries, cells) == attack.values[cells]).all(axis=1)]


def _open(attack: Attack, known: Knowledge) -> list[Open]:
    """The sensitive cells, but those that somebody knows, whose range is not what the rules ask for."""
    found = []
    for cell in np.flatnonzero(attack.sensitive & ~known.own).tolist():
        how = _how_open(attack, known, cell) if attack.hidden[cell] else "is shown"
        if how:
            found.append(Open(attack.cells[cell], known.who, how))
    return found


def _how_open(attack: Attack, known: Knowledge, cell: int) -> str:
    """How a suppressed cell fails: counts by whole tables, amounts by those and by real numbers."""
    value, level = float(attack.values[cell]), float(attack.level[cell])
    down, up = (value - level, value + level) if attack.case.problem == "interval" else (value, value)
    ranges = []
    if known.entries is not None:
        values = attack.sums(known.entries, np.array([cell]))
        ranges.append((float(values.min()), float(values.max())))
    if attack.case.value or known.entries is None:
        ranges.append(attack.linear_range(cell, known.low, known.own))
    for number, (least, most) in enumerate(ranges):
        part = 0.0
        if attack.case.value and number == 0 and known.entries is not None:
            # that amounts are whole is not promised to be kept from anybody, but it must not fix a cell
            part = 1.0 - _ROUNDING
        too_high = least > down + part + _ROUNDING and least > known.floor(cell) + _ROUNDING
        if too_high or most < up - part - _ROUNDING or most - least < _ROUNDING:
            return f"= {value:g} is in [{least:g}, {most:g}], not in [{down:g}, {up:g}]"
    return ""


def _sensitive_sums(attack: Attack, entries: np.ndarray | None) -> list[str]:
    """Sets of suppressed cells without a record in common whose sum is known and sensitive.

    Smaller sets first, `_MOST_SETS` of them at most.
    """
    hidden = np.flatnonzero(attack.hidden & (attack.values > 0))
    moves = dict(zip(hidden.tolist(), _one_movement(attack, entries, hidden).tolist(), strict=True))
    inside = dict(zip(hidden.tolist(), attack.inside[hidden], strict=True))
    found, tried = [], 0
    sets = [((cell,), inside[cell], moves[cell]) for cell in hidden.tolist()]
    for cells, covered, moved in sets:
        if len(cells) > 1 and abs(moved) < _ROUNDING and attack.sensitive[[*cells]].any():
            records = np.concatenate([attack.records[cell] for cell in cells])
            if attack.level_of(records) is not None:
                found.append(" + ".join(str(attack.cells[cell]) for cell in cells))
        for cell in hidden[hidden > cells[-1]].tolist() if tried < _MOST_SETS else ():
            tried += 1
            if not (covered & inside[cell]).any():
                sets.append(((*cells, cell), covered | inside[cell], moved + moves[cell]))
    return found


def _one_movement(attack: Attack, entries: np.ndarray | None, cells: np.ndarray) -> np.ndarray:
    """How far some cells move in a mixture of all that is possible: sums that are known do not."""
    at = np.random.default_rng(0)
    if entries is not None:
        moved = attack.sums(entries, cells) - attack.values[cells]
        return at.normal(size=len(moved)) @ moved
    shown = attack.inside[~attack.hidden].astype(float)
    zero = attack.inside[~attack.hidden & (attack.values == 0)].any(axis=0)
    shown = np.vstack([shown, np.eye(shown.shape[1])[zero]])
    _, sizes, directions = np.linalg.svd(shown)
    free = directions[int((sizes > 1e-9).sum()) :]
    return attack.inside[cells] @ (at.normal(size=len(free)) @ free)


@dataclass
class Verdict:
    """What became of a case: what tacita did, how many whole tables were tried, and what is wrong."""

    outcome: str
    tables: int | None = None
    wrong: list[str] = field(default_factory=list)


def judged(case: Case) -> Verdict:
    """Protect a case, attack it, and say what is wrong.

    A leak to a singleton may remain, with a warning, where it would with all cells suppressed that may be;
    and a case may be refused where something is open even then.
    """
    release = released(case)
    if not release.sensitive:
        return Verdict("nothing sensitive")
    attack = Attack(case, release.suppressed)
    sensitive = {cell for cell, own in zip(attack.cells, attack.sensitive, strict=True) if own}
    if sensitive != release.sensitive:
        return Verdict("released", None, ["other cells are sensitive"])
    if release.refusal:
        return Verdict("refused", None, refused_without_need(attack, release.refusal))
    found = findings(attack)
    wrong = open_to_all_or_contributors(found)
    wrong += known_or_open_to_singletons(attack, found, release.warned)
    return Verdict("released", found.tables, wrong)


def refused_without_need(attack: Attack, why: str, whole: bool = True) -> list[str]:
    """A refusal, unless something is open even with all cells suppressed that may be."""
    found = findings(attack.fully_suppressed(), whole)
    # who is alone in a cell is a contributor who knows their part
    by_contributors = attack.case.insiders and (found.insiders or found.singletons)
    open_anyway = found.outsiders or found.sums or by_contributors
    return [] if open_anyway else [f"refused without need: {why}"]


def open_to_all_or_contributors(found: Findings) -> list[str]:
    """Cells that are open to outsiders, or to contributors where these were asked for."""
    wrong = [f"open: {each}" for each in found.outsiders]
    return wrong + [f"open to a contributor: {each}" for each in found.insiders]


def known_or_open_to_singletons(
    attack: Attack, found: Findings, warned: Collection[str], whole: bool = True
) -> list[str]:
    """Known sums that are sensitive, and what singletons know without need or without a warning."""
    wrong = [f"known and sensitive: {each}" for each in found.sums]
    if found.singletons:
        anyway = {(each.cell, each.who) for each in findings(attack.fully_suppressed(), whole).singletons}
        needless = [each for each in found.singletons if (each.cell, each.who) not in anyway]
        wrong += [f"open to a singleton without need: {each}" for each in needless]
        if "lone-contributors" not in warned:
            wrong += [f"open to a singleton, and no warning says so: {each}" for each in found.singletons]
    return wrong
