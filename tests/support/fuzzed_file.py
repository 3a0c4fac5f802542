"""A finished file beside its source, read and judged by software that knows nothing of tacita.

Files are read with pandas, pyreadstat and Python's csv module. `wrong` holds what the record of a release
says that it promises against the cells: every count, every interval and every cover is made anew, from text.
"""

from __future__ import annotations

import csv
import math
import re
import statistics
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

import pandas as pd
import pyreadstat

Cells = Mapping[str, Sequence[Any]]

# What a mean, a sum or a multiple may be off by, of the largest number of its column.
_ROUNDING = 1e-7
_RANGE = re.compile(r"(?P<low>\S+) to (?P<high>\S+)")
_INTERVAL = re.compile(r"(?P<open>[\[(])(?P<low>[^,]+), (?P<high>[^,]+)(?P<close>[\])])")


@dataclass(frozen=True)
class Part:
    """One step as it was asked for, and the promises that its record still has."""

    settings: Mapping[str, Any]
    promises: tuple[str, ...]
    k: int | None

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it changes."""
        return (*self.settings.get("quasi", ()), *self.settings.get("dependent", ()))


@dataclass(frozen=True)
class Pair:
    """The source and the finished file; `rows` are the places in the source of the records that are left.

    `absent` are texts of the source that say that there is no value.
    """

    source: str
    target: str
    original: Cells
    shown: Cells
    rows: Sequence[int]
    parts: Sequence[Part]
    strata: Sequence[str] = ()
    unit: str | None = None
    absent: tuple[str, ...] = ("",)
    trees: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)

    def before(self, name: str) -> list[Any]:
        """The cells of the source that the records had."""
        cells = self.original[name]
        return [None if cells[row] in self.absent else cells[row] for row in self.rows]

    def after(self, name: str) -> list[Any]:
        """The cells that the records show."""
        return [None if cell in self.absent else cell for cell in self.shown[name]]

    def both(self, name: str) -> list[tuple[Any, Any]]:
        """Each cell of the source beside what it became."""
        return list(zip(self.before(name), self.after(name), strict=True))

    def numbers(self, name: str) -> list[tuple[float, float]]:
        """The same of a column of numbers, without those that are missing."""
        return [
            (float(old), float(new))
            for old, new in self.both(name)
            if old is not None and new is not None and not isinstance(old, str)
        ]

    @property
    def units(self) -> list[Any]:
        """Whose each record is."""
        return list(self.rows) if self.unit is None else self.before(self.unit)

    @property
    def areas(self) -> list[tuple[Any, ...]]:
        """The stratum of each record."""
        return list(zip(*(self.before(name) for name in self.strata), strict=True)) or [()] * len(self.rows)

    def untouched_by_others(self, part: Part) -> bool:
        """Whether no other step changed the columns of one."""
        others = {name for other in self.parts if other is not part for name in other.columns}
        return not others & set(part.columns)


def read(path: Path) -> dict[str, list[Any]]:
    """The cells of a file: None, float or text."""
    if path.suffix == ".csv":
        with path.open(encoding="utf-8", newline="") as file:
            head, *lines = csv.reader(file)
        return {name: [line[j] or None for line in lines] for j, name in enumerate(head)}
    if path.suffix == ".parquet":
        frame = pd.read_parquet(path)
    elif path.suffix == ".xlsx":
        frame = pd.read_excel(path, keep_default_na=False, na_values=[""], dtype=object)
    elif path.suffix == ".dta":
        frame = pd.read_stata(path)
    else:
        # pandas reads a zero of a transport file as 5e-79
        frame = {".sav": pyreadstat.read_sav, ".xpt": pyreadstat.read_xport}[path.suffix](str(path))[0]
    return {name: [_cell(cell) for cell in frame[name].tolist()] for name in frame.columns}


def _cell(cell: Any) -> Any:
    if cell is None or cell is pd.NA or cell == "" or (isinstance(cell, float) and cell != cell):
        return None
    return cell if isinstance(cell, str) else float(cell)


def rows_of(shown: Cells) -> list[int]:
    """The places in the source, from the column that numbers them."""
    return [int(float(cell)) for cell in shown["row"]]


def wrong(pair: Pair) -> list[str]:
    """What the file does not keep of what is promised."""
    found = _others(pair)
    for part in pair.parts:
        method = part.settings["method"]
        for promise in part.promises:
            judge = _JUDGES.get(promise)
            if judge is not None and (fault := judge(pair, part)):
                found.append(f"{method}: {promise}: {fault}")
    return found


def judged_promises() -> frozenset[str]:
    """Names of the promises that are looked at."""
    return frozenset(_JUDGES)


def _others(pair: Pair) -> list[str]:
    """Columns beside the protected ones: values, gaps and types are those of the source."""
    gone = {name for part in pair.parts for name in part.settings.get("columns", ())}
    if list(pair.shown) != [name for name in pair.original if name not in gone]:
        return ["other columns than the source has"]
    changed = {name for part in pair.parts for name in part.columns}
    found = []
    # of a text that looks like a number a text file does not say whether it is one
    by_value = "csv" in (pair.source, pair.target)
    for name in pair.shown:
        if name in changed:
            continue
        old, new = pair.before(name), pair.after(name)
        if "xpt" in (pair.source, pair.target):
            old = [cell.rstrip(" ") if isinstance(cell, str) else cell for cell in old]
        if [_plain(cell, by_value) for cell in old] != [_plain(cell, by_value) for cell in new]:
            found.append(f"{name}: other cells than the source")
        was = {type(cell) for cell in old if cell is not None}
        kinds = {type(cell) for cell in pair.shown[name] if cell is not None}
        if was and not was & {str} and pair.target != "csv" and kinds - {float}:
            found.append(f"{name}: numbers came out as text")
        # odd spellings of numbers may be read as numbers where a text file has them
        if was == {str} and not name.startswith("q") and kinds - {str}:
            found.append(f"{name}: text came out as numbers")
    return found


def _plain(cell: Any, by_value: bool) -> Any:
    if cell is None or isinstance(cell, int | float):
        return None if cell is None else float(cell)
    try:
        return float(cell) if by_value and "_" not in cell else cell
    except ValueError:
        return cell


def _key(cell: Any) -> Any:
    """Numbers as such: 1 and 1.0 are one to who reads them."""
    if cell is None or isinstance(cell, int | float):
        return None if cell is None else float(cell)
    try:
        return float(cell)
    except ValueError:
        return cell.rstrip(" ")


# combinations


def _of_classes(pair: Pair, part: Part) -> str | None:
    """Records that show the same keys in the same stratum are of k units."""
    if part.settings["method"] == "local-suppression":
        if not pair.untouched_by_others(part):
            return None
        if fault := _of_all(pair, part):
            return fault
        # where what is missing may be anything, no class need have k
        if part.settings.get("missing_as") == "wildcard":
            return None
    names = part.columns
    for chosen in combinations(names, part.settings.get("m") or len(names)):
        fewest = min((len(units) for units in _classes(pair, chosen).values()), default=part.k)
        if part.k and fewest < part.k:
            return f"{fewest} of {part.k}"
    return None


def _classes(pair: Pair, names: Sequence[str]) -> dict[Any, set[Any]]:
    found: dict[Any, set[Any]] = {}
    keys = zip(pair.areas, *(pair.after(name) for name in names), strict=True)
    for combination, unit in zip(keys, pair.units, strict=True):
        found.setdefault(combination, set()).add(unit)
    return found


def _of_all(pair: Pair, part: Part) -> str | None:
    """Every original agrees with records of k units, and every record with originals of k units. O(n^2)."""
    if not pair.untouched_by_others(part) or part.settings.get("missing") == "drop":
        return None
    # a word for what is missing in a text file is one in a file made of it
    names = part.columns
    sides = [list(zip(*([_key(cell) for cell in cells(name)] for name in names), strict=True))
             for cells in (pair.before, pair.after)]  # fmt: skip
    areas, units = pair.areas, pair.units
    for chosen in combinations(range(len(names)), part.settings.get("m") or len(names)):
        old, new = ([[row[j] for j in chosen] for row in side] for side in sides)
        for ones, others in ((old, new), (new, old)):
            for one, area in zip(ones, areas, strict=True):
                near = {
                    unit
                    for other, there, unit in zip(others, areas, units, strict=True)
                    if there == area and _agree(one, other)
                }
                if len(near) < (part.k or 0):
                    return f"{len(near)} of {part.k} are compatible"
    return None


def _agree(one: Sequence[Any], other: Sequence[Any]) -> bool:
    return all(a is None or b is None or a == b for a, b in zip(one, other, strict=True))


def _models(pair: Pair, part: Part) -> str | None:
    """l-diversity by distinct values, and t-closeness of equal distances, in the classes of the file."""
    for name, model in part.settings.get("models", {}).items():
        column = model["column"]
        if pair.unit is not None or any(column in each.columns for each in pair.parts):
            continue
        answers: dict[Any, Counter[Any]] = {}
        keys = zip(pair.areas, *(pair.after(key) for key in part.columns), strict=True)
        for combination, answer in zip(keys, pair.before(column), strict=True):
            answers.setdefault(combination, Counter())[answer] += 1
        for own in answers.values():
            if name == "l_diversity" and len(own) < model["l"]:
                return f"{len(own)} of {model['l']} values of {column}"
            if name == "t_closeness":
                whole = Counter(None if cell in pair.absent else cell for cell in pair.original[column])
                share = sum(abs(own[each] / own.total() - whole[each] / whole.total()) for each in whole)
                if share / 2 > model["t"] + _ROUNDING and len(pair.rows) == len(pair.original[column]):
                    return f"{column} is {share / 2:.3f} away, where {model['t']} may be"
    return None


def _few(pair: Pair, part: Part) -> str | None:
    left = len(pair.original[part.columns[0]]) - len(pair.rows)
    empty = [
        all(new is None for new in own) and any(old is not None for old in had)
        for own, had in zip(
            zip(*(pair.after(name) for name in part.columns), strict=True),
            zip(*(pair.before(name) for name in part.columns), strict=True),
            strict=True,
        )
    ]
    most = part.settings.get("suppression_limit", 0.0) * len(pair.original[part.columns[0]])
    alone = len(pair.parts) == 1 and pair.unit is None
    return (
        f"{left + sum(empty)} records, where {most:.1f} may go"
        if alone and left + sum(empty) > most + _ROUNDING
        else None
    )


# single cells


def _only_withheld(pair: Pair, part: Part) -> str | None:
    if not pair.untouched_by_others(part):
        return None
    for name in part.columns:
        if any(new is not None and _key(old) != _key(new) for old, new in pair.both(name)):
            return f"{name} shows other values"
    return None


def _covers(pair: Pair, part: Part) -> str | None:
    if not pair.untouched_by_others(part):
        return None
    for name in part.columns:
        above: dict[str, set[str]] = {}
        for word, leaves in pair.trees.get(name, {}).items():
            for leaf in leaves:
                above.setdefault(leaf, set()).add(word)
        for old, new in pair.both(name):
            if new is None or new in ("*", "Total") or _key(old) == _key(new):
                continue
            if old is not None and (new in above.get(str(old), ()) or _within(old, new)):
                continue
            # 1,5 and 1,50 are one number where a comma parts the decimals
            if _number(old) is not None and _number(old) == _number(new):
                continue
            return f"{name} shows what does not cover the original"
    return None


def _within(old: Any, new: Any) -> bool:
    found = _RANGE.fullmatch(new) if isinstance(new, str) else None
    ends = [_number(end) for end in (found["low"], found["high"])] if found else []
    value = _number(old)
    return len(ends) == 2 and None not in (*ends, value) and ends[0] <= value <= ends[1]


def _number(cell: Any) -> Any:
    try:
        return float(str(cell).replace(",", "."))
    except ValueError:
        return None


def _by_map(pair: Pair, part: Part) -> str | None:
    if not pair.untouched_by_others(part):
        return None
    for name, words in part.settings["map"].items():
        for old, new in pair.both(name):
            if old is not None and _key(words.get(str(old), old)) != _key(new):
                return f"{name} shows other words than the map has"
    return None


def _by_breaks(pair: Pair, part: Part) -> str | None:
    if not pair.untouched_by_others(part):
        return None
    for name in part.columns:
        for old, new in pair.both(name):
            found = _INTERVAL.fullmatch(str(new)) if old is not None else None
            if found is None:
                continue
            low, high = _number(found["low"]), _number(found["high"])
            above = low < old or (found["open"] == "[" and low == old)
            if not above or not (old < high or (found["close"] == "]" and old == high)):
                return f"{name} shows intervals beside the original"
    return None


def _top_coded(pair: Pair, part: Part) -> str | None:
    return _beyond(pair, part, 1.0)


def _bottom_coded(pair: Pair, part: Part) -> str | None:
    return _beyond(pair, part, -1.0)


def _beyond(pair: Pair, part: Part, sign: float) -> str | None:
    """What is within the limit stays, what is beyond it becomes one number a stratum."""
    limit = part.settings.get("limit")
    if not pair.untouched_by_others(part) or isinstance(limit, Mapping) or pair.strata:
        return None
    for name in part.columns:
        moved = {new for old, new in pair.numbers(name) if old != new}
        if len(moved) > 1:
            return f"{name} shows {len(moved)} numbers beyond the limit"
        far = [
            old
            for old, new in pair.numbers(name)
            if limit is not None and sign * (old - limit) > 0 and old == new
        ]
        if far and part.settings.get("by", "limit") == "limit":
            return f"{name} shows {len(far)} numbers beyond the limit"
    return None


def _multiples(pair: Pair, part: Part) -> str | None:
    base = part.settings["base"]
    for name in part.columns if pair.untouched_by_others(part) else ():
        for old, new in pair.numbers(name):
            steps = new / base
            if abs(steps - round(steps)) > 1e-6 or abs(old - new) > base * (1 + 1e-9):
                return f"{name} is not rounded"
    return None


def _same_values(pair: Pair, part: Part) -> str | None:
    if not pair.untouched_by_others(part):
        return None
    for name in part.columns:
        old, new = (sorted(side) for side in zip(*pair.numbers(name), strict=True))
        if old != new:
            return f"{name} has other values than before"
    return None


def _same_means(pair: Pair, part: Part) -> str | None:
    whole = part.settings.get("round_integers")
    if not pair.untouched_by_others(part) or whole or len(pair.rows) < len(pair.original["row"]):
        return None
    for name in part.columns:
        pairs = pair.numbers(name)
        width = max((abs(old) for old, _ in pairs), default=0.0)
        if abs(math.fsum(old - new for old, new in pairs)) > _ROUNDING * (width + 1) * len(pairs):
            return f"{name} has another mean"
    return None


def _of_columns(pair: Pair, part: Part) -> str | None:
    """In each column by itself, a number stands for records of k units of its stratum."""
    for name in part.columns if pair.untouched_by_others(part) else ():
        fewest = min(len(units) for units in _classes(pair, [name]).values())
        if part.k and fewest < part.k:
            return f"{fewest} of {part.k} in {name}"
    return None


def _same_covariances(pair: Pair, part: Part) -> str | None:
    """Of the protected columns and those that explain them."""
    whole = part.settings.get("round_integers")
    if (
        not pair.untouched_by_others(part)
        or whole
        or pair.strata
        or len(pair.rows) < len(pair.original["row"])
    ):
        return None
    names = (*part.columns, *part.settings.get("independent", ()))
    columns = {name: [list(side) for side in zip(*pair.numbers(name), strict=True)] for name in names}
    if any(len(old) < len(pair.rows) for old, _ in columns.values()):
        return None
    for one, other in combinations(names, 2):
        old, new = (statistics.covariance(columns[one][side], columns[other][side]) for side in (0, 1))
        room = math.prod(statistics.pstdev(columns[name][0]) for name in (one, other))
        if abs(old - new) > 1e-6 * room:
            return f"{one} and {other} have another covariance"
    return None


def _known_categories(pair: Pair, part: Part) -> str | None:
    """Every category was one of the source."""
    if not pair.untouched_by_others(part):
        return None
    for name in part.columns:
        known = {_key(None if cell in pair.absent else cell) for cell in pair.original[name]}
        if {_key(cell) for cell in pair.after(name)} - known:
            return f"{name} has categories that are new"
    return None


def _shared(pair: Pair, part: Part) -> str | None:
    """Every category of synthetic records was that of k units."""
    if not pair.untouched_by_others(part) or len(pair.parts) > 1:
        return None
    for name in part.settings.get("nominal", ()):
        behind: dict[Any, set[Any]] = {}
        for cell, unit in zip(pair.before(name), pair.units, strict=True):
            behind.setdefault(_key(cell), set()).add(unit)
        fewest = min(len(behind.get(_key(cell), ())) for cell in pair.after(name))
        if fewest < (part.k or 0):
            return f"{name} has a category of {fewest}"
    return None


def _within_k(pair: Pair, part: Part) -> str | None:
    """No number beyond the mean of the k outermost originals; of units, beyond the outermost original."""
    if not pair.untouched_by_others(part) or len(pair.parts) > 1:
        return None
    for name in part.settings.get("dependent", ()):
        if name in part.settings.get("nominal", ()):
            continue
        old = sorted(old for old in pair.before(name) if old is not None and not isinstance(old, str))
        new = [float(cell) for cell in pair.after(name) if cell is not None]
        k = 1 if pair.unit is not None else (part.k or 1)
        room = _ROUNDING * (max(map(abs, old), default=0) + 1)
        if not new or not old:
            continue
        if max(new) > math.fsum(old[-k:]) / k + room or min(new) < math.fsum(old[:k]) / k - room:
            return f"{name} has numbers beyond those of k"
    return None


def _within_bounds(pair: Pair, part: Part) -> str | None:
    low, high = (part.settings.get(end) for end in ("lowest", "highest"))
    for name in part.columns if pair.untouched_by_others(part) else ():
        for _, new in pair.numbers(name):
            if (low is not None and new < low - _ROUNDING) or (high is not None and new > high + _ROUNDING):
                return f"{name} has numbers out of bounds"
    return None


def _changed(pair: Pair, part: Part) -> str | None:
    for name in part.columns if pair.untouched_by_others(part) else ():
        pairs = pair.numbers(name)
        same = sum(old == new for old, new in pairs)
        if same > 2 + part.settings.get("max_unchanged", 0.1) * len(pairs):
            return f"{name}: {same} of {len(pairs)} numbers came back"
    return None


def _gone(pair: Pair, part: Part) -> str | None:
    for condition in part.settings.get("records", ()):
        name, sign, limit = condition.split()
        for cell in pair.before(name):
            if cell is not None and (cell > float(limit) if sign == ">" else cell == limit):
                return "records are there that were to leave"
    return None


def _alike_in_units(pair: Pair, part: Part) -> str | None:
    for name in part.columns:
        shown: dict[Any, set[Any]] = {}
        for unit, cell in zip(pair.units, pair.after(name), strict=True):
            shown.setdefault(unit, set()).add(cell)
        if any(len(cells) > 1 for cells in shown.values()):
            return f"{name} differs within a unit"
    return None


def _places(pair: Pair, part: Part) -> str | None:
    """Households that change places leave as many in every region."""
    if not pair.untouched_by_others(part):
        return None
    for name in part.columns:
        old, new = (Counter(map(_key, side)) for side in zip(*pair.both(name), strict=True))
        if old != new and len(pair.rows) == len(pair.original[name]):
            return f"{name} has other counts than before"
    return None


_JUDGES: dict[str, Callable[[Pair, Part], str | None]] = {
    "groups-of-k": _of_classes,
    "k-anonymous": _of_classes,
    "k-anonymous-to-all": _of_all,
    "models-hold": _models,
    "few-suppressed": _few,
    "only-withheld": _only_withheld,
    "generalised": _covers,
    "recoded-by-map": _by_map,
    "recoded-by-breaks": _by_breaks,
    "recoded-by-level": _covers,
    "top-coded": _top_coded,
    "bottom-coded": _bottom_coded,
    "rounded-to-base": _multiples,
    "marginals-preserved": _same_values,
    "column-groups": _of_columns,
    "covariances-preserved": _same_covariances,
    "group-means": _same_means,
    "column-means": _same_means,
    "means-preserved": _same_means,
    "moments-preserved": _same_means,
    "drawn-from-matrix": _known_categories,
    "labels-shared": _shared,
    "extremes-hidden": _within_k,
    "bounds-kept": _within_bounds,
    "values-changed": _changed,
    "dropped": _gone,
    "units-agree": _alike_in_units,
    "swapped-in-pairs": _places,
}
