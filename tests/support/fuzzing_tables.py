"""Published tables drawn at random, and a reader and attacker of them that knows nothing of tacita.

`drawn(seed)` is a case: records, rules, a method of suppression or adjustment, files in and out.
`judged(case, folder)` has the commands of tacita publish it, reads the files with Python's csv module,
openpyxl or html.parser alone, and holds them against the records: sums, zeros and values, what linear
programs leave open of sensitive cells, what singletons know, and known sums.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
from scipy.optimize import linprog

from brute_force import (
    EVERY_SHAPE,
    TOTAL,
    Attack,
    Case,
    Label,
    Verdict,
    amounts_drawn,
    concentration_drawn,
    findings,
    known_or_open_to_singletons,
    labels_drawn,
    method_drawn,
    open_to_all_or_contributors,
    refused_without_need,
    tree_drawn,
    units_drawn,
)
from brute_force import PAIRS as LINKED
from brute_force import TWO_WAY as EXACT_OR_INTERVAL
from tacita.cli import run_command

SOURCES = ("csv", "parquet", "xlsx", "dta")
TARGETS = ("csv", "xlsx", "html")
LISTS = ("csv", "tab", "jj")
TWO_WAY = (*EXACT_OR_INTERVAL, "genetic")
ADJUSTMENTS = ("rounding", "cta", "small-counts", "cell-key")
METHODS = (*EVERY_SHAPE, *TWO_WAY, *ADJUSTMENTS)
PAIRS = [(source, target) for source in SOURCES for target in TARGETS]
# Outcomes in which a file was published.
PUBLISHED = ("suppressed", "adjusted")
# What a value of 15 digits may be off.
_DIGITS = 1e-9


@dataclass
class TableCase:
    """A case of suppression or adjustment, and the files that it goes through."""

    case: Case
    source: str
    target: str
    # what lies between records and publication, if anything: a list of cells, or files of tau-ARGUS
    through: str = ""
    weight: str | None = None
    adjust: dict[str, Any] = field(default_factory=dict)
    strict: bool = False

    @property
    def features(self) -> list[str]:
        """What the case tries, in words."""
        case = self.case
        traits = {
            f"method {self.adjust.get('method', case.method)}": True,
            f"{self.source} to {self.target}": True,
            f"through {self.through}": self.through,
            f"shape {case.shape}": True,
            f"zeros {case.zeros}": not self.adjust,
            f"problem {case.problem}": not self.adjust,
            **{f"rule {name}": True for name, _ in case.rules},
            "linked": len(case.tables) > 1,
            "amounts": case.value,
            "weighted": self.weight,
            "units": case.unit,
            "insiders": case.insiders,
            "strict": self.strict,
        }
        return [name for name, there in traits.items() if there]

    def __str__(self) -> str:
        files = " to ".join(filter(None, (self.source, self.through, self.target)))
        method = f", adjusted {self.adjust}" if self.adjust else ""
        return f"{self.case}{', weighted' * bool(self.weight)}{', strict' * self.strict}{method}, {files}"


SHAPES = ("line", "two-way", "two-way", "hierarchical", "hierarchical", "three-way", "linked", "linked deep")


def drawn(seed: int) -> TableCase:
    """A case: ten to two hundred records in one to three dimensions."""
    at = np.random.default_rng(seed)
    shape = str(at.choice(SHAPES))
    names = {"line": "a", "two-way": "ab", "hierarchical": "ab"}.get(shape, "abc")
    sizes = {name: int(at.integers(2, {1: 9, 2: 6, 3: 4}[len(names)] + 1)) for name in names}
    hierarchies = {}
    if "hierarchical" in shape or "deep" in shape or (shape == "line" and at.random() < 0.5):
        sizes["a"] = int(at.integers(3, 7))
        hierarchies["a"] = tree_drawn(at, "a", sizes["a"])
    n = max(10, int(np.prod(list(sizes.values())) * at.uniform(0.7, 4.0)))
    columns = labels_drawn(at, sizes, n, 2.0)
    tables = LINKED[: int(at.integers(2, 4))] if "linked" in shape else [tuple(names)]
    value = None if at.random() < 0.5 else "amount"
    if value:
        columns[value] = amounts_drawn(at, n, 3.0, 1.2)
    units = bool(at.random() < 0.5)
    if units:
        columns["unit"] = units_drawn(at, n, 3)
    rules = [
        ("minimum-frequency", {"threshold": int(at.choice([2, 3, 4])), "margin": float(at.choice([10, 30]))})
    ]
    if value and at.random() < 0.7:
        rules = [concentration_drawn(at, 5, 15)[int(at.integers(3))]]
    problem = "interval" if value or at.random() < 0.5 else "exact"
    case = Case(
        seed,
        columns,
        tables,
        hierarchies,
        rules,
        value,
        "unit" if units else None,
        method_drawn(at, problem, TWO_WAY if shape == "two-way" else ()),
        problem,
        "publish" if at.random() < 0.7 else "withhold",
        margins=bool(at.random() < 0.85),
        insiders=bool(at.random() < 0.2),
        shape=shape,
    )
    through = str(at.choice(["", "", *LISTS])) if "linked" not in shape else ""
    made = TableCase(case, str(at.choice(SOURCES)), str(at.choice(TARGETS)), through)
    if through in ("tab", "jj"):
        # such files name no holders
        case.insiders = False
    if through == "jj":
        made.target, case.margins = "csv", True
    if rules[0][0] == "minimum-frequency" and at.random() < 0.2 and not through:
        made.weight, case.insiders = "weight", False
        columns["weight"] = [float(weight) for weight in at.choice([1.0, 1.5, 2.0, 3.0], n)]
    made.strict = bool(at.random() < 0.15)
    if at.random() < 0.3:
        made.adjust = _adjustment(at, made)
    return made


def _adjustment(at: np.random.Generator, made: TableCase) -> dict[str, Any]:
    """A method of adjustment with its parameters; the case becomes one of it."""
    case = made.case
    made.strict, case.insiders, case.problem = False, False, "interval"
    made.through, made.target = "" if made.through == "jj" else made.through, str(at.choice(TARGETS))
    whole = not case.value and not made.weight
    able = ["rounding", "cta", *(("small-counts", "cell-key") if whole else ())]
    method = str(at.choice(able))
    if method == "small-counts" and len(case.tables) > 1:
        method = "rounding"
    asked: dict[str, Any] = {"method": method}
    if method == "rounding":
        asked |= {"base": int(at.choice([3, 5, 10])), "random": bool(at.random() < 0.4)}
        asked["random"] = asked["random"] and len(case.tables) == 1
    elif method == "cta":
        asked |= {"norm": int(at.choice([1, 2])), "whole": bool(at.random() < 0.5)}
    elif method == "small-counts":
        asked |= {"base": int(at.choice([3, 5]))}
    else:
        asked |= {"largest": 5, "variance": 3.0, "hidden": int(at.choice([0, 2]))}
    return asked


def judged(made: TableCase, folder: Path) -> Verdict:
    """Publish a case, read the files, and attack them."""
    attack = _Weighted(made, frozenset())
    if not attack.sensitive.any() and not made.adjust:
        return Verdict("nothing sensitive")
    for old in folder.glob("*"):
        old.unlink()
    code, said = _carried_out(made, folder)
    if code == 0:
        shown = _read(made, folder)
        return (
            Verdict("adjusted", wrong=_adjusted_wrong(made, attack, shown, folder))
            if made.adjust
            else Verdict("suppressed", wrong=_suppressed_wrong(made, shown, folder))
        )
    if code != 1 or "Internal" in said or "fault of the program" in said or "read back" in said:
        return Verdict("failed", wrong=[f"ended with {code}: {said.strip()[-400:]}"])
    if made.adjust or made.strict or made.weight or made.through in ("tab", "jj"):
        return Verdict("refused")
    return Verdict("refused", wrong=refused_without_need(attack, said.strip()[-400:], whole=False))


# tacita


def _carried_out(made: TableCase, folder: Path) -> tuple[int, str]:
    """What the commands end with, and what they say."""
    case = made.case
    _write_records(made, folder)
    for name, tree in case.hierarchies.items():
        lines = [line for above, below in tree.items() for line in (above, *(f"@{leaf}" for leaf in below))]
        (folder / f"{name}-tree.hrc").write_text("\n".join(lines) + "\n")
    said = io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
        if not made.through:
            (folder / "plan.toml").write_text(_plan(made))
            return run_command(["run", str(folder / "plan.toml")]), said.getvalue()
        first = _tabulate(made, folder, made.through)
        if made.through == "jj":
            # the same cells with their labels, in the same order
            first = first or _tabulate(made, folder, "csv")
        return first or run_command(_publish(made, folder)), said.getvalue()


def _write_records(made: TableCase, folder: Path) -> None:
    frame, path = pd.DataFrame(made.case.columns), folder / f"records.{made.source}"
    if made.source == "csv":
        frame.to_csv(path, index=False)
    elif made.source == "parquet":
        frame.to_parquet(path, index=False)
    elif made.source == "xlsx":
        frame.to_excel(path, index=False)
    else:
        frame.to_stata(path, write_index=False, version=118)


def _toml(value: Any) -> str:
    return json.dumps(value)


def _plan(made: TableCase) -> str:
    case, several = made.case, len(made.case.tables) > 1
    lines = ["version = 1", "[input]", f'path = "records.{made.source}"', "[table]"]
    if not several:
        lines.append(f"dimensions = {_toml([*case.tables[0]])}")
    named = {"value": case.value, "unit": case.unit, "weight": made.weight}
    lines += [f"{name} = {_toml(given)}" for name, given in named.items() if given]
    if case.hierarchies:
        lines += ["[table.hierarchy]", *(f'{name} = "{name}-tree.hrc"' for name in case.hierarchies)]
    for number, dimensions in enumerate(case.tables if several else ()):
        lines += ["[[tables]]", f"dimensions = {_toml([*dimensions])}"]
        lines += [f'output = "published{number}.{made.target}"']
    for name, given in case.rules:
        lines += ["[[rules]]", f'name = "{name}"', *(f"{key} = {_toml(own)}" for key, own in given.items())]
    if made.adjust:
        lines += ["[adjust]", *(f"{key} = {_toml(own)}" for key, own in made.adjust.items())]
        lines += [f"seed = {2**90 + case.seed}"]
    else:
        flags = {"margins": case.margins, "insiders": case.insiders, "strict": made.strict}
        lines += ["[suppress]", f'problem = "{case.problem}"', f'zeros = "{case.zeros}"']
        lines += [f'method = "{case.method}"', *(f"{key} = true" for key, own in flags.items() if own)]
        lines += ["time = 5"]
    lines += [
        "[output]",
        *(() if several else (f'path = "published0.{made.target}"',)),
        'json = "result.json"',
    ]
    return "\n".join(lines) + "\n"


def _tabulate(made: TableCase, folder: Path, ending: str) -> int:
    case = made.case
    words = ["tabulate", str(folder / f"records.{made.source}"), "--dimensions", ",".join(case.tables[0])]
    for name in case.hierarchies:
        words += ["--hierarchy", f"{name}={folder / f'{name}-tree.hrc'}"]
    words += [*(["--value", case.value] if case.value else []), *(["--unit", case.unit] if case.unit else [])]
    for name, given in case.rules:
        words += ["--rule", name, *(word for key, own in given.items() for word in (f"--{key}", f"{own:g}"))]
    return run_command([*words, "--out", str(folder / f"cells.{ending}")])


def _publish(made: TableCase, folder: Path) -> list[str]:
    case = made.case
    cells, out = folder / f"cells.{made.through}", folder / f"published0.{made.target}"
    around = ["--out", str(out), "--json", str(folder / "result.json")]
    if made.adjust:
        given = {key: own for key, own in made.adjust.items() if key != "method"}
        words = ["adjust", str(cells), "--method", made.adjust["method"]]
        for key, own in given.items():
            words += [f"--{key}"] * own if isinstance(own, bool) else [f"--{key}", f"{own:g}"]
        return [*words, "--seed", str(2**90 + case.seed), *around]
    words = ["suppress", str(cells), "--problem", case.problem, "--zeros", case.zeros]
    words += ["--method", case.method, "--time", "5"]
    words += ["--margins"] * (case.margins and made.through != "jj")
    words += ["--insiders"] * case.insiders + ["--strict"] * made.strict
    return [*words, *around]


# another reader


def _read(made: TableCase, folder: Path) -> dict[Label, float | None]:
    """Every cell that the files show, by the labels of all dimensions; None where it is suppressed.

    Of cells that two files show, one that is published counts.
    """
    case, found = made.case, {}
    for number, dimensions in enumerate(case.tables):
        path = folder / f"published{number}.{made.target}"
        if made.through == "jj":
            shown = _by_number(path, folder / "cells.csv", dimensions)
        else:
            shown = {"csv": _csv, "xlsx": _excel, "html": _html}[made.target](path, dimensions)
        for own, value in shown.items():
            beside = dict(zip(dimensions, own, strict=True))
            label = tuple(beside.get(name, TOTAL) for name in case.dimensions)
            if label in found and None not in (found[label], value) and found[label] != value:
                raise AssertionError("two files show different values of a cell")
            found[label] = value if found.get(label) is None else found[label]
    return found


def _of_lines(lines: list[dict[str, Any]], dimensions: Sequence[str]) -> dict[Label, float | None]:
    return {
        tuple(str(line[name]) for name in dimensions): (
            float(line["value"]) if line["status"] == "published" else None
        )
        for line in lines
    }


def _csv(path: Path, dimensions: Sequence[str]) -> dict[Label, float | None]:
    with path.open(encoding="utf-8", newline="") as file:
        lines = [*csv.DictReader(file)]
    suppressed = [line for line in lines if line["status"] != "published"]
    assert all(line["value"] == "" for line in suppressed), "a suppressed cell has a value"
    return _of_lines(lines, dimensions)


def _by_number(path: Path, listed: Path, dimensions: Sequence[str]) -> dict[Label, float | None]:
    """A published JJ problem numbers cells; the list of the same table has its cells in that order."""
    with listed.open(encoding="utf-8", newline="") as file:
        labels = [tuple(line[name] for name in dimensions) for line in csv.DictReader(file)]
    with path.open(encoding="utf-8", newline="") as file:
        lines = [*csv.DictReader(file)]
    key = next(name for name in lines[0] if name not in ("value", "status"))
    shown = {str(line[key]): float(line["value"]) if line["value"] else None for line in lines}
    return {label: shown[str(number)] for number, label in enumerate(labels)}


def _excel(path: Path, dimensions: Sequence[str]) -> dict[Label, float | None]:
    book = openpyxl.load_workbook(path)
    head, *rows = book["cells"].iter_rows(values_only=True)
    lines = [dict(zip(head, row, strict=True)) for row in rows]
    assert all(line["value"] in (None, "") for line in lines if line["status"] != "published")
    return _of_lines(lines, dimensions)


class _Page(HTMLParser):
    """Captions and rows of the tables of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: list[tuple[str, list[list[str]]]] = []
        self._into: list[str] | None = None
        self._caption = False

    def handle_starttag(self, tag: str, attributes: Any) -> None:
        if tag == "table":
            self.tables.append(("", []))
        elif tag == "tr":
            self.tables[-1][1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][1][-1].append("")
            self._into = self.tables[-1][1][-1]
        elif tag == "caption":
            self._caption = True

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self._into = None
        elif tag == "caption":
            self._caption = False

    def handle_data(self, data: str) -> None:
        if self._caption:
            self.tables[-1] = (self.tables[-1][0] + data, self.tables[-1][1])
        elif self._into is not None:
            self._into[-1] += data


def _html(path: Path, dimensions: Sequence[str]) -> dict[Label, float | None]:
    page = _Page()
    page.feed(path.read_text(encoding="utf-8"))

    def value(text: str) -> float | None:
        return None if text == "×" else float(text)

    found: dict[Label, float | None] = {}
    for caption, (head, *rows) in page.tables:
        if len(dimensions) == 1:
            found |= {(row[0],): value(row[1]) for row in rows}
            continue
        still = [part.split(": ", 1)[1].split(" (part of ")[0] for part in caption.split(", ") if part]
        for row in rows:
            for across, text in zip(head[1:], row[1:], strict=True):
                found[(*still, row[0], across)] = value(text)
    return found


# what is wrong


class _Weighted(Attack):
    """An attack in which records stand for several: values are sums of weights, or of weighted amounts."""

    def __init__(self, made: TableCase, suppressed: frozenset[Label]) -> None:
        self.made, self.weights = made, None
        if made.weight:
            # halves become whole
            self.weights = np.array([int(2 * each) for each in made.case.columns[made.weight]])
        self.scale = 2 if made.weight else 1
        super().__init__(made.case, suppressed)

    def amounts_of(self, n: int) -> np.ndarray:
        amounts = super().amounts_of(n)
        return amounts if self.weights is None else amounts * self.weights

    def with_suppressed(self, cells: frozenset[Label]) -> Attack:
        """The same with other cells suppressed."""
        return _Weighted(self.made, cells)

    def singletons(self) -> Iterator[tuple[str, np.ndarray]]:
        """Units that are alone; of those that stand for others nobody knows a cell."""
        return iter(()) if self.weights is not None else super().singletons()


def _suppressed_wrong(made: TableCase, shown: dict[Label, float | None], folder: Path) -> list[str]:
    attack = _Weighted(made, frozenset(label for label, value in shown.items() if value is None))
    if set(attack.cells) != set(shown):
        return ["the files show other cells"]
    true = attack.values / attack.scale
    off = [
        label
        for label, value in zip(attack.cells, true.tolist(), strict=True)
        if shown[label] is not None and abs(shown[label] - value) > _DIGITS * max(1.0, abs(value))
    ]
    wrong = [f"another value is shown of {' / '.join(label)}" for label in off]
    names = {each["name"] for each in json.loads((folder / "result.json").read_text())["warnings"]}
    found = findings(attack, whole=False)
    wrong += open_to_all_or_contributors(found)
    if made.through not in ("tab", "jj") and not made.weight:
        # of such files rules and holders are not known any more
        if made.strict:
            wrong += [f"open to a singleton although strict: {each}" for each in found.singletons]
            found.singletons = []
        wrong += known_or_open_to_singletons(attack, found, names, whole=False)
    return wrong


def _adjusted_wrong(
    made: TableCase, attack: Attack, shown: dict[Label, float | None], folder: Path
) -> list[str]:
    if set(attack.cells) != set(shown) or None in shown.values():
        return ["the files show other cells"]
    values = np.array([float(shown[label] or 0.0) for label in attack.cells])
    true = attack.values / getattr(attack, "scale", 1)
    method = made.adjust["method"]
    wrong = [] if not ((true == 0) & (values != 0)).any() else ["a zero is shown as something else"]
    if method != "cell-key" and (sums := _sums_off(made.case, attack, values)):
        wrong.append(f"{sums} sums do not add up")
    relaxed = "relaxed" in {
        each["name"] for each in json.loads((folder / "result.json").read_text())["warnings"]
    }
    far = np.abs(values - true)
    low = high = None
    if method == "rounding":
        base = made.adjust["base"]
        if (values % base != 0).any():
            wrong.append("a value is no multiple of the base")
        if not relaxed:
            wrong += ["a value is as far as the base from the true one"] * bool((far >= base).any())
            least = 1 if (true == np.rint(true)).all() and not made.case.value else _DIGITS
            low, high = values - base + least, values + base - least
    elif method == "cell-key":
        wrong += ["a value is farther than the largest change"] * bool((far > made.adjust["largest"]).any())
        wrong += ["a small count is shown"] * bool(((values > 0) & (values <= made.adjust["hidden"])).any())
    elif method == "small-counts":
        base, inner = made.adjust["base"], attack.inner
        wrong += ["a small count is shown"] * bool(((values > 0) & (values < base)).any())
        small = inner & (true > 0) & (true < base)
        wrong += ["a count that is not small was changed"] * bool((inner & ~small & (values != true)).any())
        low = np.where(inner, np.where(values == base, 1, np.where(values == 0, 0, values)), 0)
        high = np.where(inner, np.where(values == 0, base - 1, values), np.inf)
    else:
        level = attack.level / getattr(attack, "scale", 1)
        inside = attack.sensitive & (far < level * (1 - _DIGITS) - _DIGITS)
        wrong += ["a sensitive cell is inside its interval"] * bool(inside.any())
        wrong += ["a value is negative"] * bool((values < 0).any())
        wrong += ["a value is not whole"] * bool(made.adjust["whole"] and (values != np.rint(values)).any())
    if low is not None and high is not None:
        wrong += _inferred(attack, np.maximum(low, 0), high)
    return wrong


def _sums_off(case: Case, attack: Attack, values: np.ndarray) -> int:
    """How many cells are not the sum of the cells below them, by the labels of one dimension."""
    place, off = {label: at for at, label in enumerate(attack.cells)}, 0
    for at, name in enumerate(case.dimensions):
        tree = case.hierarchies.get(name, {})
        leaves = sorted(case.labels(name)[TOTAL])
        for above, below in {TOTAL: [*tree] or leaves, **tree}.items():
            for label in attack.cells:
                parts = [place.get((*label[:at], each, *label[at + 1 :])) for each in below]
                if label[at] != above or None in parts:
                    continue
                total = float(values[place[label]])
                # decimals add up to 15 digits
                off += abs(total - float(values[parts].sum())) > 1e-9 * max(1.0, abs(total))
    return off


def _inferred(attack: Attack, low: np.ndarray, high: np.ndarray) -> list[str]:
    """Sensitive cells of which what is shown, and the method, tell too much."""
    scale, matrix = getattr(attack, "scale", 1), attack.inside.astype(float)
    bounded = np.isfinite(high)
    rows = np.vstack([matrix[bounded], -matrix])
    ends = np.concatenate([high[bounded], -low])
    wrong = []
    for cell in np.flatnonzero(attack.sensitive).tolist():
        value, level = float(attack.values[cell]) / scale, float(attack.level[cell]) / scale
        found = []
        for sign in (1.0, -1.0):
            solved = linprog(sign * matrix[cell], A_ub=rows, b_ub=ends, method="highs")
            found.append(-sign * np.inf if solved.status == 3 else sign * float(solved.fun))
        if found[0] > max(0.0, value - level) + 1e-6 or found[1] < value + level - 1e-6:
            where = " / ".join(attack.cells[cell])
            wrong.append(f"inferred: {where} = {value:g} is in [{found[0]:g}, {found[1]:g}], level {level:g}")
    return wrong


def again(made: TableCase, **changes: Any) -> TableCase:
    """The same with something else about the case."""
    return replace(made, case=replace(made.case, **changes))
