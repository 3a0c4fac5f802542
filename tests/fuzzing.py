"""Releases drawn at random over methods and formats, and a reader of files that knows nothing of tacita.

`drawn(seed)` is a case; `judged(case, folder)` protects, saves, reads the file with pandas, pyreadstat or
Python's csv module alone, and says what is wrong with it, if anything.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyreadstat

import tacita
from tacita import api
from tacita.microdata.plan import Plan, Protection

ENDINGS = ("csv", "parquet", "dta", "sav", "xpt", "xlsx")

# Spellings that mean the same to some reader, and texts that nearly are numbers.
POOLS = {
    "odd numbers": ("1", "1.0", "01", "+1", "2", "2.50", "2.5", "3", "0", "-0", "-1"),
    "zeros": ("0", "-0", "0.0", "1", "2"),
    "digits": ("1", "2", "3", "4", "5"),
    "bands": ("under 5", "5 to 9", "10 to 14", "15 to 19"),
    "mixed": ("1", "2", "5 to 9", "3 to 4", "7"),
    "letters": ("A", "a", " a", "b", "B"),
    "commas": ("1,5", "1,50", "2", "2,0", "3"),
    "exponents": ("1e1", "10", "1E1", "5", "1_0"),
    "codes": ("01", "02", "10", "11"),
    "gaps": ("", "NA", ".", "1", "x"),
    "words": ("north", "south", "east", "west"),
}
GROUPING = ("mdav", "vmdav", "mst-d", "kmeans1", "hm", "projection")
MASKING = ("noise", "rank-swap", "onedims", "shuffle", "correlated-noise")
OTHERS = (
    "local-suppression",
    "local-suppression",
    "recode",
    "pram",
    "gower",
    "top-code",
    "round",
    "copula",
    "trees",
)
COARSER = ("mondrian", "generalise", "recode-local")


@dataclass
class Case:
    """Columns as lists of Python values, how they come in and go out, and what is asked."""

    seed: int
    columns: dict[str, list[Any]]
    source: str
    target: str
    asked: dict[str, Any]
    steps: list[dict[str, Any]] = field(default_factory=list)

    @property
    def parts(self) -> list[dict[str, Any]]:
        """The steps, or the one that there is."""
        return self.steps or [self.asked]


def drawn(seed: int, source: str | None = None, target: str | None = None, only: Sequence[str] = ()) -> Case:
    """A case: six to sixty records, odd keys, columns beside them, one or two steps."""
    at = np.random.default_rng(seed)
    n = int(at.integers(8, 60))
    columns: dict[str, list[Any]] = {}
    for j in range(int(at.integers(1, 4))):
        pool = POOLS[str(at.choice(list(POOLS)))]
        cells: list[Any] = [str(cell) for cell in at.choice(at.permutation(pool)[: at.integers(2, 6)], n)]
        if at.random() < 0.25:
            cells = [None if at.random() < 0.15 else cell for cell in cells]
        columns[f"q{j}"] = cells
    columns["area"] = [str(cell) for cell in at.choice(["x", "y"], n)]
    columns["firm"] = [str(cell) for cell in at.choice(["u", "v", "w", "z", "t", "s", "r"], n)]
    columns["code"] = [int(cell) for cell in at.integers(0, 4, n)]
    columns["age"] = [int(cell) for cell in at.integers(0, 90, n)]
    columns["wage"] = [float(cell) for cell in np.round(at.lognormal(7, 1, n), 2)]
    columns["weight"] = [float(cell) for cell in np.round(at.uniform(1, 200, n), 3)]
    columns["score"] = [
        None if at.random() < 0.2 else float(cell) for cell in np.round(at.normal(0, 1, n), 4)
    ]
    columns["note"] = [None if at.random() < 0.2 else str(cell) for cell in at.choice(["p", "q", "r s"], n)]
    columns["postal"] = [str(cell) for cell in at.choice(["0100", "0200", "1300"], n)]
    # one that nobody guesses, so that a case can be repeated
    asked: dict[str, Any] = {"insist": True, "measures": ["IL1"], "seed": 2**127 + seed}
    if at.random() < 0.3:
        asked["strata"] = ["area"]
    if at.random() < 0.25:
        asked["unit"] = "firm"
    asked["shuffle"] = bool(at.random() < 0.3)
    keys = [name for name in columns if name.startswith("q")]
    steps = [_step(at, keys, columns, only)]
    if at.random() < 0.3 and "quasi" in steps[0]:
        other = _step(at, ["code"], columns, ("recode", "pram", "round")) if at.random() < 0.5 else None
        steps.append(other or _step(at, ["age", "wage"], columns, (*GROUPING, *MASKING, "round")))
        used: set[str] = set()
        for step in steps:
            step["quasi"] = [name for name in step["quasi"] if name not in used]
            used.update(step["quasi"])
        steps = [step for step in steps if step["quasi"]]
        if at.random() < 0.5:
            steps.reverse()
    return Case(
        seed,
        columns,
        source or str(at.choice(ENDINGS)),
        target or str(at.choice(ENDINGS)),
        asked | (steps[0] if len(steps) == 1 else {}),
        steps if len(steps) > 1 else [],
    )


def _step(
    at: Any, keys: list[str], columns: dict[str, list[Any]], only: Sequence[str] = ()
) -> dict[str, Any]:
    name = str(at.choice(only or (*GROUPING, *MASKING, *COARSER, *COARSER, *OTHERS)))
    k = int(at.integers(2, 5))
    numbers = [each for each in ("age", "wage", "code") if each in columns]
    of_numbers = list(at.permutation(numbers)[: at.integers(1, 3)]) if set(keys) != {"code"} else ["code"]
    if name in (*GROUPING, *MASKING, "top-code", "round"):
        quasi = [str(each) for each in of_numbers]
        if name in GROUPING:
            return {"method": name, "quasi": quasi, "k": k}
        more = {"top-code": {"share": 0.1}, "round": {"base": 5}}.get(name, {})
        return {"method": name, "quasi": quasi} | more
    if name == "gower":
        return {"method": name, "quasi": [*keys, "age"], "nominal": keys, "k": k, "missing": "drop"}
    if name in ("copula", "trees"):
        return {"method": name, "dependent": [*keys, "wage"], "nominal": keys, "missing": "level"}
    if at.random() < 0.4:
        keys = [*keys, "code"] if "code" not in keys else keys
    if name in COARSER:
        step: dict[str, Any] = {"method": name, "quasi": keys, "k": k}
        if name == "mondrian" and at.random() < 0.3:
            step["relaxed"] = True
        if name != "mondrian" or at.random() < 0.5:
            step |= {"suppression_limit": 0.2, "outliers": str(at.choice(["drop", "withhold"]))}
        return step
    if name == "local-suppression":
        step = {"method": name, "quasi": keys, "k": k}
        step["missing_as"] = str(at.choice(["category", "wildcard"]))
        return step
    if name == "pram":
        return {"method": name, "quasi": keys, "nominal": keys, "missing": "drop"}
    key = keys[0]
    known = sorted({str(cell) for cell in columns[key] if cell is not None})
    words = ("low", "high") if at.random() < 0.7 else ("1", "2")
    return {
        "method": "recode",
        "quasi": [key],
        "map": {key: {cell: words[place % 2] for place, cell in enumerate(known)}},
    }


def written(case: Case, folder: Path) -> Path:
    """The source as other software writes it."""
    path = folder / f"source.{case.source}"
    frame = pd.DataFrame({name: pd.Series(cells, dtype=object) for name, cells in case.columns.items()})
    for name, cells in case.columns.items():
        if all(cell is None or isinstance(cell, int | float) for cell in cells):
            frame[name] = pd.Series([np.nan if cell is None else cell for cell in cells])
    if case.source == "csv":
        frame.to_csv(path, index=False)
    elif case.source == "parquet":
        frame.to_parquet(path, index=False)
    elif case.source == "xlsx":
        frame.to_excel(path, index=False)
    elif case.source == "dta":
        frame.fillna({name: "" for name in frame if frame[name].dtype == object}).to_stata(
            path, write_index=False, version=118
        )
    else:
        write = {"sav": pyreadstat.write_sav, "xpt": pyreadstat.write_xport}[case.source]
        write(frame, str(path), **({"file_format_version": 5} if case.source == "xpt" else {}))
    return path


def read(path: Path) -> dict[str, list[Any]]:
    """The cells of a file: None, float or text; by software that knows nothing of tacita."""
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


def judged(case: Case, folder: Path) -> list[str]:
    """What is wrong with the release of a case, as another reader sees it; a refusal in words is right."""
    source, target = written(case, folder), folder / f"release.{case.target}"
    target.unlink(missing_ok=True)
    try:
        release = _by_plan(case, source, target) if case.seed % 2 else _in_memory(case, source, target)
    except (tacita.DataError, tacita.ParameterError):
        if target.exists():
            return ["a file after a refusal"]
        return ["refused by a plan alone"] if case.seed % 2 and _can_be_made(case, source, target) else []
    shown = read(target)
    return [*_not_kept(case, release, shown), *_below(case, release, shown)]


def _in_memory(case: Case, source: Path, target: Path) -> Any:
    if case.steps:
        release = tacita.protect(source, steps=case.steps, **case.asked)
    else:
        verb = tacita.synthesize if "dependent" in case.asked else tacita.protect
        release = verb(source, **case.asked)
    tacita.save(release, target)
    return release


def _by_plan(case: Case, source: Path, target: Path) -> Any:
    steps = {"steps": case.steps} if case.steps else {}
    asked = Protection.asked(**case.asked, **steps)
    given = {name: getattr(asked, name) for name in Protection.model_fields}
    return api.run(Plan(input={"path": source}, output={"path": target}, **given))


def _can_be_made(case: Case, source: Path, target: Path) -> bool:
    """Whether what a plan refuses before its run could be made and written."""
    try:
        _in_memory(case, source, target)
    except (tacita.DataError, tacita.ParameterError):
        return False
    target.unlink()
    return True


def refused(case: Case, folder: Path) -> bool:
    """Whether nothing was written, after `judged`."""
    return not (folder / f"release.{case.target}").exists()


def _not_kept(case: Case, release: Any, shown: dict[str, list[Any]]) -> list[str]:
    """Columns beside the protected ones: values, gaps and types are those of the source."""
    if list(shown) != list(case.columns):
        return ["other columns than the source has"]
    changed = {name for part in case.parts for name in (*part.get("quasi", ()), *part.get("dependent", ()))}
    rows = release.claim.rows.tolist()
    wrong = []
    for name, cells in case.columns.items():
        if name in changed:
            continue
        # of a text that looks like a number a text file does not say whether it is one
        by_value = "csv" in (case.source, case.target)
        if case.source == "xpt" or case.target == "xpt":
            cells = [cell.rstrip(" ") if isinstance(cell, str) else cell for cell in cells]
        nothing = _nothing(case)
        old = [_plain(None if cells[row] in nothing else cells[row], by_value) for row in rows]
        new = [_plain(None if cell in nothing else cell, by_value) for cell in shown[name]]
        if old != new:
            wrong.append(f"{name}: other cells than the source")
        kinds = {type(cell) for cell in shown[name] if cell is not None}
        if name in ("code", "age", "wage", "weight", "score") and case.target != "csv" and kinds - {float}:
            wrong.append(f"{name}: numbers came out as text")
        if name in ("note", "postal", "area", "firm") and kinds - {str}:
            wrong.append(f"{name}: text came out as numbers")
    return wrong


def _nothing(case: Case) -> tuple[str, ...]:
    """Texts of the source that say that there is no value: blanks, and in text files these words."""
    return ("", "NA", ".") if case.source == "csv" else ("",)


def _without(cells: list[Any], nothing: tuple[str, ...]) -> list[Any]:
    return [None if cell in nothing else cell for cell in cells]


def _plain(cell: Any, by_value: bool) -> Any:
    if cell is None or isinstance(cell, int | float):
        return None if cell is None else float(cell)
    try:
        return float(cell) if by_value and "_" not in cell else cell
    except ValueError:
        return cell


def _below(case: Case, release: Any, shown: dict[str, list[Any]]) -> list[str]:
    """Combinations that stand for fewer records, or units, than was asked for."""
    if len(case.parts) > 1 and not _apart(case.parts):
        return []
    wrong = []
    rows = release.claim.rows.tolist()
    unit = case.asked.get("unit")
    units = shown[unit] if unit else list(range(len(rows)))
    areas = shown["area"] if case.asked.get("strata") else [None] * len(rows)
    for part in case.parts:
        k, keys = part.get("k"), part.get("quasi", ())
        if k is None:
            continue
        new = list(zip(areas, *(shown[name] for name in keys), strict=True))
        if part["method"] == "local-suppression":
            # a word for what is missing in the source is one in a text file made of it
            nothing = _nothing(case) if case.source != "parquet" else ()
            had = [_without(case.columns[name], nothing) for name in keys]
            old = [(area, *(cells[row] for cells in had)) for area, row in zip(areas, rows, strict=True)]
            new = list(zip(areas, *(_without(shown[name], nothing) for name in keys), strict=True))
            fewest = min(_compatible(old, new, units))
            if fewest < k:
                wrong.append(f"local-suppression: {fewest} of {k} are compatible")
            # where what is missing is a category of its own, classes count
            if part["missing_as"] == "wildcard":
                continue
        fewest = min(len({unit for _, unit in found}) for found in _classes(new, units).values())
        if fewest < k:
            wrong.append(f"{part['method']}: {fewest} of {k}")
    return wrong


def _apart(parts: list[dict[str, Any]]) -> bool:
    """Whether no step takes out records or changes columns that another speaks of."""
    drops = any(part.get("outliers") == "drop" or part.get("missing") == "drop" for part in parts)
    return not drops


def _classes(cells: Sequence[Any], units: Sequence[Any]) -> dict[Any, set[tuple[int, Any]]]:
    found: dict[Any, set[tuple[int, Any]]] = {}
    for place, (combination, unit) in enumerate(zip(cells, units, strict=True)):
        found.setdefault(combination, set()).add((place, unit))
    return found


def _compatible(old: list[Any], new: list[Any], units: Sequence[Any]) -> list[int]:
    """For each original, of how many units are the released records that may be its own. O(n^2)."""
    shown = [[_key(cell) for cell in each] for each in new]
    return [
        len({unit for each, unit in zip(shown, units, strict=True) if _agree(one, each)})
        for one in ([_key(cell) for cell in each] for each in old)
    ]


def _agree(one: Sequence[Any], other: Sequence[Any]) -> bool:
    return all(
        a == b or (j and (a is None or b is None)) for j, (a, b) in enumerate(zip(one, other, strict=True))
    )


def _key(cell: Any) -> Any:
    """Numbers as such: 1 and 1.0 are one to who reads them."""
    if cell is None or isinstance(cell, int | float):
        return None if cell is None else float(cell)
    try:
        return float(cell)
    except ValueError:
        return cell.rstrip(" ")


def failures(case: Case, folder: Path) -> list[str]:
    """The same as `judged`; any error but a refusal in words is wrong, that of the own verification too."""
    try:
        return judged(case, folder)
    except Exception as error:
        return [f"{type(error).__name__}: {error}"]
